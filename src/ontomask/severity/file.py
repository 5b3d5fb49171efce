"""Severity files: YAML in which every value is the text that is written, read with the line of every error.

YAML would take the code 250.00 for a number, 042 for 34 and no for false. Here nothing of the kind happens, so codes
need no quotes; what should be a number or a date is read as one where it is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from ontomask.arguments import as_path
from ontomask.files.named_files import NamedIn, marker_of, named_files
from ontomask.files.yaml_files import AsWritten, Lines, line_finder, parsed, parsed_mapping
from ontomask.settings import dotted, translate
from ontomask.severity.definition import CodedColumn, Definition
from ontomask.taxonomy.catalog import catalog_name, list_taxonomies
from ontomask.taxonomy.taxonomy import Taxonomy
from ontomask.taxonomy.writing import write_taxonomy


def read_definition(path: str | Path) -> tuple[Definition, str, Lines]:
    """The definition in a file, its text, and where in it things stand."""
    file = as_path(path)
    text, root, content = parsed_mapping(file, AsWritten, "severity", "title, institution, date, columns and sets")
    lines = line_finder(root)
    try:
        return Definition.model_validate(content, context=NamedIn(file)), text, lines
    except ValidationError as wrong:
        raise translate(wrong, Definition, where=str(file), lines=lines, in_words=partial(_by_name, content)) from None


def names_in(file: Path) -> Iterator[str]:
    """The files that a severity file names, as it is written and unchecked; none of them is opened."""
    _, _, content = parsed(file, AsWritten)
    columns = content.get("columns") if isinstance(content, dict) else None
    marked = {name: mark for name, field in CodedColumn.model_fields.items() if (mark := marker_of(field)) is not None}
    for column in columns.values() if isinstance(columns, dict) else ():
        named = column if isinstance(column, dict) else {}
        yield from (name for key, mark in marked.items() if (name := mark.name_in(named.get(key))) is not None)


def _by_name(content: dict[Any, Any], path: Sequence[Any]) -> str:
    """A path in the file; a set has a name, not a number."""
    if len(path) < 2 or path[0] != "sets" or not isinstance(path[1], int):
        return dotted(path)
    given = content["sets"][path[1]]
    name = given.get("name") if isinstance(given, dict) else None
    said = f"set {name!r}" if isinstance(name, str) and name else f"set {path[1] + 1}"
    alternative = len(path) > 3 and path[2] == "where" and isinstance(path[3], int)
    return ", ".join(filter(None, (said, dotted(path[4 if alternative else 2 :]))))


def names_files(definition: Definition) -> bool:
    """Does it name files, or taxonomies that only exist in Python?"""
    coded = [column for column in definition.columns.values() if isinstance(column, CodedColumn)]
    return any(isinstance(column.taxonomy, Taxonomy) for column in coded) or any(named_files(definition))


def definition_text(definition: Definition, file: Path) -> str:
    """A definition as a severity file, to be written at ``file``; taxonomies without a name are written beside it."""
    content = _as_written(definition.model_dump(exclude={"columns"}))
    columns = {}
    for name, column in definition.columns.items():
        said = _as_written(column.model_dump(exclude={"taxonomy", "mapping"}))
        if isinstance(column, CodedColumn):
            said["taxonomy"] = _taxonomy_name(column.taxonomy, name, file)
            if column.mapping is not None:
                mapping = column.mapping
                said["mapping"] = str(Path(mapping).absolute()) if isinstance(mapping, str) else _as_written(mapping)
        columns[name] = said
    sets = content.pop("sets")
    dumped: str = yaml.safe_dump(
        {**content, "columns": columns, "sets": sets}, allow_unicode=True, sort_keys=False, width=110
    )
    return dumped


def _taxonomy_name(taxonomy: str | Taxonomy, column: str, file: Path) -> str:
    if isinstance(taxonomy, str):
        return taxonomy if taxonomy in list_taxonomies() else str(Path(taxonomy).absolute())
    known = catalog_name(taxonomy)
    if known is not None:
        return known
    beside = file.with_name(f"{file.stem}-{re.sub(r'[^A-Za-z0-9]+', '_', column)}.csv")
    write_taxonomy(taxonomy, beside, private=True)
    return beside.name


def _as_written(value: Any) -> Any:
    """Plain texts, as such a file holds nothing else; what says nothing is left out."""
    if isinstance(value, Mapping):
        return {str(key): _as_written(part) for key, part in value.items() if part not in (None, [], {}, False)}
    if isinstance(value, (list, tuple)):
        return [_as_written(part) for part in value]
    return "true" if value is True else f"{value:.15g}" if isinstance(value, float) else str(value)
