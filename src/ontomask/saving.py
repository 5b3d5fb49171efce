"""Writing a result: a folder that appears whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ontomask.errors import OutputError
from ontomask.microdata.writing import write_table, write_text
from ontomask.policy_file import policy_text

if TYPE_CHECKING:
    from ontomask.result import Result

CONFIDENTIAL = """\
This folder leads back from the released records to the people behind them.
Keep it where the original data are kept. It is never part of the release.
"""


def save_result(result: Result, folder: Path, *, overwrite: bool) -> Path:
    """release.csv (or .parquet), policy.yaml, guarantees.txt, and confidential/ with the mapping and the groups."""
    if folder.exists() and not folder.is_dir():
        raise OutputError("this is a file", where=str(folder), remedy="Name a folder.")
    if folder.exists() and any(folder.iterdir()) and not overwrite:
        raise OutputError("the folder is not empty", where=str(folder), remedy="Choose another, or overwrite=True.")
    source = result.prepared.source
    if source is not None and folder.exists() and folder.resolve() in source.resolve().parents:
        raise OutputError(
            "the folder holds the file the data came from", where=str(folder), remedy="Choose another folder."
        )
    part = folder.with_name(f".{folder.name[:100]}.{secrets.token_hex(4)}.part")
    old = part.with_suffix(".old")
    try:
        part.mkdir()
        _fill(result, part)
        if folder.exists():
            os.replace(folder, old)
        os.replace(part, folder)
    except BaseException as problem:
        with suppress(OSError):
            if old.exists() and not folder.exists():
                os.replace(old, folder)
        shutil.rmtree(part, ignore_errors=True)
        if isinstance(problem, OSError) and not isinstance(problem, OutputError):
            raise OutputError(
                f"the folder cannot be written ({problem.strerror or type(problem).__name__})",
                where=str(folder),
                remedy="Check that its parent exists and that you may write there. Nothing was written.",
            ) from problem
        raise
    shutil.rmtree(old, ignore_errors=True)
    return folder


def _fill(result: Result, folder: Path) -> None:
    source = result.prepared.source
    suffix = ".parquet" if source is not None and source.suffix.lower() in (".parquet", ".pq") else ".csv"
    write_table(result.data, folder / f"release{suffix}")
    write_text(policy_text(result.policy), folder / "policy.yaml")
    write_text(
        "\n".join(["# Guarantees", *result.guarantees, "", "# Notes", *result.notes, ""]), folder / "guarantees.txt"
    )
    inner = folder / "confidential"
    inner.mkdir(mode=0o700)
    write_text(CONFIDENTIAL, inner / "READ ME FIRST.txt")
    write_text(f"{result.seed}\n", inner / "seed.txt")
    write_table(result.mapping, inner / "mapping.csv")
    write_table(result.groups, inner / "groups.csv")
