"""Remedies name keywords of the library; where the command line has another word for one, it says that."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest
import typer

from ontomask.cli import app
from ontomask.cli.console import SPOKEN, fail
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
    modules = (import_module(f"ontomask.taxonomy.readers.{place[0]}") for place in FORMATS.values())
    return {name for module in modules for name in inspect.signature(module.read).parameters} | {"encoding", "format"}


def command_options() -> set[str]:
    def every(command: click.Command) -> Iterator[str]:
        yield from (name for option in command.params for name in option.opts)
        for sub in getattr(command, "commands", {}).values():
            yield from every(sub)

    return set(every(typer.main.get_command(app)))


def test_every_keyword_of_a_remedy_has_its_word_on_the_command_line() -> None:
    spoken = {keyword.split("=")[0].split()[-1] for keyword in SPOKEN}
    known = spoken | policy_keys() | reader_options() | set(PYTHON_ONLY)
    strange = [
        (where, keyword)
        for where, text in remedies()
        for keyword in re.findall(r"(?<![\w-])([a-z_]+)=", text)
        if keyword not in known and "--" not in text
    ]
    assert not strange, "give it a word in SPOKEN of cli/console.py"


@pytest.mark.parametrize("keyword", SPOKEN)
def test_what_is_spoken_differently_is_said_somewhere_and_leads_to_an_option(keyword: str) -> None:
    assert any(keyword.strip() in text for module in SOURCES for text in [module.read_text(encoding="utf-8")])
    options = re.findall(r"--[a-z-]+", SPOKEN[keyword])
    assert options
    assert set(options) <= command_options()


@pytest.mark.parametrize("keyword", SPOKEN)
def test_messages_are_translated(keyword: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert fail(f"It is there. Choose another, or {keyword}.") == 2
    said = capsys.readouterr().err
    assert SPOKEN[keyword].strip() in said
    assert keyword.strip() not in said
