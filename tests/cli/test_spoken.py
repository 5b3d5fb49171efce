"""Remedies name keywords of the library; where the command line has another word for one, it says that."""

from __future__ import annotations

import ast
import inspect
import pickle
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest
import typer

from ontomask.cli import app
from ontomask.cli.console import OPTIONS, fail, spelled
from ontomask.errors import Keyword, OutputError
from ontomask.settings import Settings
from ontomask.taxonomy.readers import FORMATS

SOURCES = sorted((Path(__file__).parents[2] / "src" / "ontomask").rglob("*.py"))

#: Keywords of functions that no command calls, or calls with values of its own.
PYTHON_ONLY = {
    "columns": "Severity.numbers(columns=...)",
    "counts": "information_content",
    "dtype": "of pandas",
    "folder": "load_taxonomy('wordnet', folder=...)",
    "ic": "an option of a measure: options in a policy",
    "n": "demo_data",
    "seed": "demo_data",
    "prefixes": "join_taxonomies",
    "query": "a part of the address of a database",
    "roles": "profile; the same remedy names --role",
    "text": "read_table; in a policy the kind of a column says it",
    "title": "write_report",
    "age": "the name of a column",
}


def remedies() -> Iterator[tuple[str, str]]:
    """(where, text) of every remedy; what is filled in stands as {}."""
    for module in SOURCES:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                for argument in (keyword.value for keyword in node.keywords if keyword.arg == "remedy"):
                    yield f"{module.name}:{node.lineno}", " ".join(_texts(argument))


def _texts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.value
    else:
        for child in ast.iter_child_nodes(node):
            yield from _texts(child)


def policy_keys() -> set[str]:
    """What is written in a policy or severity file by the same word."""

    def below(cls: type[Settings]) -> Iterator[type[Settings]]:
        for sub in cls.__subclasses__():
            yield sub
            yield from below(sub)

    import_module("ontomask.policy.policy")
    return {name for cls in below(Settings) for name in cls.model_fields}


def reader_options() -> set[str]:
    """What ``--option name=value`` gives a reader."""
    modules = (import_module(f"ontomask.taxonomy.readers.{name}") for name in FORMATS)
    return {name for module in modules for name in inspect.signature(module.read).parameters} | {"encoding", "format"}


def command_options() -> set[str]:
    def every(command: click.Command) -> Iterator[str]:
        yield from (name for option in command.params for name in option.opts)
        for sub in getattr(command, "commands", {}).values():
            yield from every(sub)

    return set(every(typer.main.get_command(app)))


def named_keywords() -> Iterator[str]:
    """The name of every Keyword in the sources."""
    for module in SOURCES:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Keyword":
                name = node.args[0]
                assert isinstance(name, ast.Constant)
                yield str(name.value)


def test_keywords_in_remedies_are_options_or_have_the_same_name_everywhere() -> None:
    known = policy_keys() | reader_options() | set(PYTHON_ONLY)
    strange = [
        (where, keyword)
        for where, text in remedies()
        for keyword in re.findall(r"(?<![\w-])([a-z_]+)=", text)
        if keyword not in known and "--" not in text
    ]
    assert not strange, "name it with Keyword(...), so that the command line can spell it"


def test_every_named_option_is_an_option_of_a_command() -> None:
    assert set(named_keywords()) == set(OPTIONS)
    assert set(OPTIONS.values()) <= command_options()


@pytest.mark.parametrize("name", OPTIONS)
def test_messages_are_spelled_for_their_reader(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    problem = OutputError(
        ("it is there; ", Keyword(name)), where="force=True", remedy=("Choose it, or ", Keyword(name, "True"), ".")
    )
    assert str(problem) == f"force=True: it is there; {name}=. Choose it, or {name}=True."
    assert [keyword.name for keyword in problem.keywords] == [name, name]
    assert fail(pickle.loads(pickle.dumps(problem))) == 2
    flag = OPTIONS[name]
    assert capsys.readouterr().err == f"ontomask: force=True: it is there; {flag}. Choose it, or {flag}.\n"


def test_values_are_spelled_too() -> None:
    assert spelled(Keyword("workers", "1")) == "--workers 1"
    assert spelled(Keyword("records", "result.records")) == "--records confidential/records.csv"
