"""One case from beginning to end: mask, write, read back, recount, and see whether ``verify`` says the same."""

from __future__ import annotations

import csv
import io
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa

import ontomask as om
from ontomask.errors import NotSatisfied, OntomaskError, OntomaskWarning, OutputError
from tests.fuzz.cases import Case, make_case
from tests.fuzz.promises import broken
from tests.fuzz.reading import DEFAULTS, Rows, content, views


def run_case(number: int, folder: Path) -> tuple[str, list[str]]:
    """What became of a case ('released', or why not), and everything that is wrong with it."""
    case = make_case(number)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OntomaskWarning)
        return _run(case, folder)


def _run(case: Case, folder: Path) -> tuple[str, list[str]]:
    frame = case.frame
    try:
        result = om.anonymize(frame, case.policy)
    except NotSatisfied:
        return "not satisfied", []
    except OntomaskError as problem:
        return type(problem).__name__, []
    problems = [] if frame.equals(case.frame) else ["the input was changed"]
    problems += _categories(result.data, frame)
    file = folder / case.file
    try:
        result.write(file, **case.options)
    except (NotSatisfied, OntomaskError) as problem:
        left = [path.name for path in folder.iterdir()]
        problems += [f"a refused file left {left}"] if left else []
        return f"not written: {type(problem).__name__}", problems
    for one, written in zip(result.each, _files(file, len(result.each)), strict=True):
        problems += _looked_at(case, one, written)
    if case.number % 25 == 0:
        problems += _saved(case, result, folder / "result")
    return "released", problems


def _files(file: Path, releases: int) -> list[Path]:
    """The files of all releases."""
    stem, _, suffixes = file.name.partition(".")
    return [file] if releases == 1 else [file.with_name(f"{stem}-{i}.{suffixes}") for i in range(1, releases + 1)]


def _looked_at(case: Case, result: om.Result, file: Path) -> list[str]:
    """What is wrong with the file of one release."""
    problems = []
    original = case.polars.to_dicts()
    texts = [
        name
        for name, column in case.columns.items()
        if column.kind in ("flat", "nominal") and column.dtype != pl.Boolean
    ]
    layout = (case.options.get("delimiter", ","), case.options.get("decimal", "."))
    for reader, rows in views(file, texts, *layout):
        told = [
            *_columns(case, rows),
            *([] if len(rows) == len(result.records) else [f"{len(rows)} rows for {len(result.records)} records"]),
        ]
        kinds = (
            ("k",)
            if reader == DEFAULTS
            else ("k", "distinct", "entropy", "closeness", "severity", "severity closeness")
        )
        told = told or broken(case, rows, _kept(result, original), kinds)
        problems += [f"{file.name} read by {reader}: {text}" for text in told[:3]]
    problems += _traces(case, file)
    if case.file == "release.csv" and not case.options:
        problems += _untouched(case, result, file)
        problems += _verified(case, file) if case.number % 3 == 0 else []
    return problems


def _categories(data: Any, original: Any) -> list[str]:
    """Lists of categories that are neither those in use nor all that were declared: a hole names who is not there."""
    declared = _lists(original)
    told = []
    for name, listed in _lists(data).items():
        values = data[name].dropna() if isinstance(data, pd.DataFrame) else pl.DataFrame(data)[name].to_list()
        used = {value for value in values if value is not None}
        if listed not in (used, declared.get(name)):
            told.append(f"{name} lists {len(listed - used)} categories that are not in use")
    return told


def _lists(data: Any) -> dict[str, set[Any]]:
    """The categories that the columns of a frame list."""
    if isinstance(data, pd.DataFrame):
        return {name: set(data[name].cat.categories) for name in data.select_dtypes("category").columns}
    if isinstance(data, pl.DataFrame):
        return {name: set(dtype.categories) for name, dtype in data.schema.items() if isinstance(dtype, pl.Enum)}
    coded = [field.name for field in data.schema if pa.types.is_dictionary(field.type)]
    return {name: {v for chunk in data[name].chunks for v in chunk.dictionary.to_pylist()} for name in coded}


def _kept(result: om.Result, original: Rows) -> Rows:
    """The records that masking saw: t-closeness is measured from them."""
    return [row for row, kept in zip(original, result.prepared.kept.tolist(), strict=True) if kept]


def _columns(case: Case, rows: Rows) -> list[str]:
    expected = [name for name in case.columns if name not in case.with_role("identifier")]
    return [] if rows and sorted(rows[0]) == sorted(expected) else [f"columns {sorted(rows[0]) if rows else []}"]


def _traces(case: Case, file: Path) -> list[str]:
    """Identifiers anywhere in the bytes of the file."""
    data = content(file)
    return ["an identifier is in the file"] if any(token.encode() in data for token in case.tokens) else []


def _untouched(case: Case, result: om.Result, file: Path) -> list[str]:
    """Columns that are not masked hold in every record what they held before."""
    masked = {*case.policy.masked, *case.policy.identifiers}
    rows = list(csv.DictReader(io.StringIO(file.read_text("utf-8"), newline="")))
    told = []
    for name, column in case.columns.items():
        if name in masked or column.dtype not in (pl.String, pl.Int64):
            continue
        read = float if column.dtype == pl.Int64 else str  # pandas holds whole numbers with gaps as floats
        expected = ["" if column.values[i] is None else read(str(column.values[i])) for i in result.records.tolist()]
        if ["" if not row[name] else read(row[name]) for row in rows] != expected:
            told.append(f"{name} is not masked, yet it changed")
    return told


def _verified(case: Case, file: Path) -> list[str]:
    """``verify`` passes the file as it is and fails it with one record made unique, a column more, a column less."""
    if not case.promises:
        return []
    told = []
    if not om.verify(file, case.policy, original=case.polars).holds:
        told.append(f"verify refuses the written file: {om.verify(file, case.policy, original=case.polars)}")
    rows = list(csv.DictReader(io.StringIO(file.read_text("utf-8"), newline="")))
    changes: dict[str, Rows] = {"with names": [row | {"full name": f"name {i}"} for i, row in enumerate(rows)]}
    quasi = case.with_role("quasi")
    if any(promise.kind == "k" for promise in case.promises):
        column = case.columns[quasi[0]]
        strange = "987654" if column.kind == "numeric" else "2099-12-31" if column.dtype == pl.Date else "strange"
        changes["with a unique record"] = [rows[0] | {quasi[0]: strange}, *rows[1:]]
    if case.with_role("sensitive"):
        gone = case.with_role("sensitive")[0]
        changes["without a sensitive column"] = [{n: v for n, v in row.items() if n != gone} for row in rows]
    for what, changed in changes.items():
        if what == "with a unique record" and len(rows) == 1:
            continue
        other = file.with_name("changed.csv")
        with other.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, list(changed[0]))
            writer.writeheader()
            writer.writerows(changed)
        try:
            holds = om.verify(other, case.policy, original=case.polars).holds
        except OntomaskError:
            holds = False
        other.unlink()
        told += [f"verify passes the file {what}"] if holds else []
    return told


def _saved(case: Case, result: om.Result, folder: Path) -> list[str]:
    """A saved result: owner-only where it leads back to records, and its secret nowhere else."""
    try:
        result.save(folder)
    except (NotSatisfied, OutputError, OntomaskError):
        return ["a refused result left its folder"] if folder.exists() else []
    told = []
    for path in sorted((folder / "confidential").rglob("*")):
        if path.stat().st_mode & 0o077:
            told.append(f"{path.name} is open to others")
    secret = (folder / "confidential" / "secret.txt").read_text().split()[-1]
    for path in folder.rglob("*"):
        if path.is_file() and path.name != "secret.txt" and secret.encode() in path.read_bytes():
            told.append(f"{path.name} holds the secret")
    if not om.verify_result(folder).holds:
        told.append("verify refuses the saved folder")
    return told
