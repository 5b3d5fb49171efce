"""Severity files: YAML in which every value is the text that is written, read with the line of every slip.

YAML would take the code 250.00 for a number, 042 for 34 and no for false. Here nothing of the kind happens, so codes
need no quotes; what should be a number or a date is read as one where it is needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from ontomask.arguments import as_path, did_you_mean
from ontomask.errors import MissingDataError, PolicyError
from ontomask.settings import translate
from ontomask.severity.definition import Definition
from ontomask.taxonomy.catalog import list_taxonomies

#: Gives the line of a path such as ("sets", 2, "where"), as "line 12".
Lines = Callable[[tuple[Any, ...]], str]


class _AsWritten(yaml.BaseLoader):  # type: ignore[misc]
    """YAML without guesses; a key that stands twice is an error, not the last one's victory."""


def _mapping(loader: _AsWritten, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: dict[str, int] = {}
    for key, _ in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise PolicyError("a key is no text", where=f"line {line}", remedy="Keys are words.")
        if key.value in seen:
            raise PolicyError(
                f"the key {key.value!r} stands in line {seen[key.value]} already",
                where=f"line {line}",
                remedy="Keep one of the two.",
            )
        seen[key.value] = line
    made: dict[Any, Any] = yaml.BaseLoader.construct_mapping(loader, node, deep=True)
    return made


_AsWritten.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def read_definition(path: str | Path) -> tuple[Definition, str, Lines]:
    """The definition in a file, its text, and where in it things stand."""
    file = as_path(path)
    if file.is_dir():
        raise PolicyError("this is a folder", where=str(file), remedy="Name the severity file in it.")
    if not file.is_file():
        near = did_you_mean(file.name, [p.name for p in file.parent.iterdir()]) if file.parent.is_dir() else ""
        raise MissingDataError("there is no such severity file", where=str(file), remedy=f"{near}Check the path.")
    text, root, content = _parsed(file)
    if not isinstance(content, dict):
        raise PolicyError(
            "there is no definition in it",
            where=str(file),
            remedy="A severity file has the keys title, institution, date, columns and sets.",
        )
    lines = _line_finder(root)
    try:
        return Definition.model_validate(_beside(file.parent.resolve(), content)), text, lines
    except ValidationError as wrong:
        error = translate(wrong, Definition, where=str(file), lines=lines)
        problems = [_by_name(problem, content) for problem in error.problems]
    raise refusal(problems, str(file))


def refusal(problems: Sequence[str], where: str) -> PolicyError:
    """One error for every problem of a definition."""
    if len(problems) == 1:
        return PolicyError(f"{where}: {problems[0]}", problems=problems)
    listed = "\n".join(f"  {problem}" for problem in problems)
    return PolicyError(f"{where} ({len(problems)} problems):\n{listed}", problems=problems)


def _parsed(file: Path) -> tuple[str, Any, Any]:
    """The text of a file, its nodes, which know their lines, and what they say."""
    try:
        text = file.read_text(encoding="utf-8-sig")
        loader = _AsWritten(text)
        root = loader.get_single_node()
        return text, root, (loader.construct_document(root) if root is not None else None)
    except UnicodeDecodeError:
        raise PolicyError("the file is not UTF-8 text", where=str(file), remedy="Save it as UTF-8.") from None
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        what = getattr(problem, "problem", None) or "it holds characters that no text file should"
        raise PolicyError(
            f"this is no YAML: {what}",
            where=f"{file}{line}",
            remedy="Check colons, quotes and how far lines are indented (blanks, no tabs).",
        ) from None
    except PolicyError as problem:
        raise PolicyError(problem.what, where=f"{file}, {problem.where}", remedy=problem.remedy) from None


def _beside(folder: Path, content: dict[Any, Any]) -> dict[Any, Any]:
    """Taxonomies and mappings that a definition names are looked for beside it."""
    columns = content.get("columns")
    for column in columns.values() if isinstance(columns, dict) else ():
        for key in ("taxonomy", "mapping") if isinstance(column, dict) else ():
            name = column.get(key)
            if not isinstance(name, str) or not name or name in list_taxonomies():
                continue
            with suppress(OSError):  # a name too long for a file is none
                if (folder / name).exists():
                    column[key] = str(folder / name)
    return content


def _line_finder(root: Any) -> Lines:
    """The line of a path in the file; that of the last part that is really there."""

    def find(path: tuple[Any, ...]) -> str:
        node, line = root, 1
        for part in path:
            if isinstance(node, yaml.MappingNode):
                found = next(((k, v) for k, v in node.value if k.value == str(part)), None)
                if found is None:
                    continue  # a level that the file does not have: the only alternative of a set, the kind of a column
                line, node = found[0].start_mark.line + 1, found[1]
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                node = node.value[part]
                line = node.start_mark.line + 1
        return f"line {line}"

    return find


def _by_name(problem: str, content: dict[Any, Any]) -> str:
    """A problem with a set, which has a name, not a number."""

    def name(found: re.Match[str]) -> str:
        given = content["sets"][int(found[1])]
        named = given.get("name") if isinstance(given, dict) else None
        said = f"set {named!r}" if isinstance(named, str) and named else f"set {int(found[1]) + 1}"
        return said + (", " if found[2] else "")

    return re.sub(r"(?<=: )sets\.(\d+)(?:\.where\.\d+)?(\.|(?=:))", name, problem, count=1)
