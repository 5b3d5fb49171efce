"""Writing a result: a folder that appears whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ontomask.arguments import some_of
from ontomask.errors import OutputError
from ontomask.microdata.attributes import Nominal
from ontomask.microdata.writing import write_table, write_text
from ontomask.policy import Policy
from ontomask.policy_file import policy_text
from ontomask.taxonomy.catalog import catalog_name
from ontomask.taxonomy.taxonomy import Taxonomy
from ontomask.taxonomy.writing import write_taxonomy

if TYPE_CHECKING:
    from ontomask.result import Result

CONFIDENTIAL = """\
This folder leads back from the released records to the people behind them.
Keep it where the original data are kept. It is never part of the release.
"""


PARTS = ("release", "confidential")


def save_result(result: Result, folder: Path, *, overwrite: bool) -> Path:
    """release/ with the data and the guarantees; confidential/ with all that leads back to people."""
    _check(folder, overwrite)
    part = folder / f".{secrets.token_hex(4)}.part"
    made = not folder.exists()
    try:
        folder.mkdir(exist_ok=True)
        part.mkdir()
        _fill(result, part)
        for name in PARTS:
            if (folder / name).exists():
                os.replace(folder / name, part / f"old {name}")
            os.replace(part / name, folder / name)
    except BaseException as problem:
        for name in PARTS:  # what was there comes back
            with suppress(OSError):
                if (part / f"old {name}").exists():
                    shutil.rmtree(folder / name, ignore_errors=True)
                    os.replace(part / f"old {name}", folder / name)
        shutil.rmtree(part, ignore_errors=True)
        if made:
            shutil.rmtree(folder, ignore_errors=True)
        if isinstance(problem, OutputError):
            raise OutputError(problem.what, where=str(folder), remedy=problem.remedy) from problem
        if isinstance(problem, OSError):
            raise OutputError(
                f"the folder cannot be written ({problem.strerror or type(problem).__name__})",
                where=str(folder),
                remedy="Check that its parent exists and that you may write there. Nothing was written.",
            ) from problem
        raise
    shutil.rmtree(part, ignore_errors=True)
    return folder


def _check(folder: Path, overwrite: bool) -> None:
    """The folder is new, empty, or holds nothing but an earlier result that may be replaced."""
    try:
        if "\0" in str(folder):
            raise ValueError
        if folder.exists() and not folder.is_dir():
            raise OutputError("this is a file", where=str(folder), remedy="Name a folder.")
        there = sorted(entry.name for entry in folder.iterdir()) if folder.exists() else []
    except (OSError, ValueError) as problem:
        if isinstance(problem, OutputError):
            raise
        raise OutputError(
            "the folder cannot be used", where=repr(str(folder)), remedy="Choose another name or place."
        ) from problem
    foreign = [name for name in there if name not in PARTS]
    if foreign:
        raise OutputError(
            f"the folder holds other things: {some_of(foreign)}",
            where=str(folder),
            remedy="Choose a folder of its own for the result; nothing else in it is ever touched.",
        )
    if there and not overwrite:
        raise OutputError("the folder holds a result", where=str(folder), remedy="Choose another, or overwrite=True.")


def _fill(result: Result, folder: Path) -> None:
    release, confidential = (folder / name for name in PARTS)
    release.mkdir()
    source = result.prepared.source
    suffix = ".parquet" if source is not None and source.suffix.lower() in (".parquet", ".pq") else ".csv"
    name = "release" if result.satisfied else "release-NOT-SATISFIED"
    write_table(result.data, release / f"{name}{suffix}")
    write_text("\n".join([*result.guarantees, ""]), release / "guarantees.txt")
    confidential.mkdir(mode=0o700)
    write_text(CONFIDENTIAL, confidential / "READ ME FIRST.txt")
    policy = _nameable(result.policy.changed(seed=result.seed), confidential)
    write_text(policy_text(policy, confidential.resolve()), confidential / "policy.yaml")
    write_text("\n".join([*result.notes, ""]), confidential / "notes.txt")
    write_table(result.mapping, confidential / "mapping.csv")
    write_table(result.groups, confidential / "groups.csv")


def _nameable(policy: Policy, folder: Path) -> Policy:
    """Taxonomies that exist in Python only become files beside the policy."""
    attributes = dict(policy.attributes)
    for column, attribute in policy.attributes.items():
        taxonomy = attribute.taxonomy if isinstance(attribute, Nominal) else None
        if isinstance(taxonomy, Taxonomy) and catalog_name(taxonomy) is None:
            file = folder / f"taxonomy-{len(list(folder.glob('taxonomy-*'))) + 1}.csv"
            write_taxonomy(taxonomy, file)
            attributes[column] = attribute.changed(taxonomy=str(file.resolve()))
    return policy.changed(attributes=attributes)
