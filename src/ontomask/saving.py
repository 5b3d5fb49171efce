"""Writing a result: a folder that appears whole or not at all, and never takes the place of anything but its like."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from ontomask.arguments import some_of
from ontomask.errors import DataError, OntomaskError, OutputError
from ontomask.manifest import manifest_of, sha256
from ontomask.microdata.attributes import Nominal
from ontomask.microdata.writing import suffix_of, write_table, write_text
from ontomask.owner_only import create_folder, make_ordinary
from ontomask.policy import Policy
from ontomask.policy_file import policy_text
from ontomask.privacy.severity_diversity import SeverityDiversity
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
#: The column of records.csv.
RECORDS = "row of the original"
#: What a result is made of, by which a later one knows what it may replace.
MANIFEST = "confidential/manifest.json"
ABOUT = "A result of ontomask. Only the files listed here are replaced by a later one."
#: Where a result is put together: in the folder itself, or beside one that does not exist yet.
_PART = re.compile(r"\.(?:.*\.)?[0-9a-f]{8}\.part")


def save_result(result: Result, folder: Path, *, overwrite: bool, format: str | None, report: bool) -> Path:
    """release/ with the data and the guarantees; confidential/ with all that leads back to people."""
    source = result.prepared.source
    like_source = "parquet" if source is not None and source.suffix.lower() in (".parquet", ".pq") else "csv"
    suffix = suffix_of(format or like_source)
    left_over = _check(folder, overwrite)
    _spare_inputs(result, folder)
    with _told_for(folder):
        if folder.exists():
            _replace(result, folder, suffix, report)
        else:
            _create(result, folder, suffix, report)
    for path in left_over:
        shutil.rmtree(path, ignore_errors=True)
    return folder


def require_place(folder: Path, *, overwrite: bool) -> None:
    """An error if a result could not be saved there: told before the work, not after it."""
    _check(folder, overwrite)
    if not folder.absolute().parent.is_dir():
        raise OutputError("its folder does not exist", where=str(folder), remedy="Create the folder above it first.")


def read_records(path: Path) -> list[int]:
    """Which row of the original, counted from 1, each released row is: ``confidential/records.csv`` of a result."""
    from ontomask.microdata.reading import read_table

    data = read_table(path).data
    if RECORDS not in data.columns or not data[RECORDS].dtype.is_integer():
        raise DataError(
            f"has no column {RECORDS!r} of row numbers",
            where=str(path),
            remedy="Give confidential/records.csv of a result.",
        )
    return (data[RECORDS] - 1).to_list()


def _create(result: Result, folder: Path, suffix: str, report: bool) -> None:
    """A new folder: it appears when it is complete, even if the machine stops in the middle."""
    part = folder.with_name(f".{folder.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        create_folder(part)
        _fill(result, part, folder, suffix, report)
        part.rename(folder)
        make_ordinary(folder)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def _replace(result: Result, folder: Path, suffix: str, report: bool) -> None:
    """An empty folder, or an earlier result, whose parts give way when the new ones are complete."""
    part = folder / f".{secrets.token_hex(4)}.part"
    try:
        create_folder(part)
        _fill(result, part, folder, suffix, report)
        for name in PARTS:
            if (folder / name).exists():
                os.replace(folder / name, part / f"old {name}")
            os.replace(part / name, folder / name)
    except BaseException:
        for name in PARTS:  # what was there comes back
            with suppress(OSError):
                if (part / f"old {name}").exists():
                    shutil.rmtree(folder / name, ignore_errors=True)
                    os.replace(part / f"old {name}", folder / name)
        raise
    finally:
        shutil.rmtree(part, ignore_errors=True)


@contextmanager
def _told_for(folder: Path) -> Iterator[None]:
    """Errors of the system in our words."""
    try:
        yield
    except OSError as problem:
        if isinstance(problem, OntomaskError):
            raise
        raise OutputError(
            f"the folder cannot be written ({problem.strerror or type(problem).__name__})",
            where=str(folder),
            remedy="Check that its parent exists and that you may write there. Nothing was written.",
        ) from problem


def _show_target(problem: OntomaskError, part: Path, folder: Path) -> None:
    """Let an error speak of the place a file was meant for, not of the passing one it was made in."""
    problem.args = tuple(str(arg).replace(str(part), str(folder)) for arg in problem.args)
    problem.where = problem.where and problem.where.replace(str(part), str(folder))


# ---- what is there already ---------------------------------------------------------------------------------------


def _check(folder: Path, overwrite: bool) -> list[Path]:
    """An error unless the folder is new, empty, or holds nothing but an earlier result that may be replaced.

    What an interrupted save left behind may be removed as well: that is returned.
    """
    try:
        if "\0" in str(folder):
            raise ValueError
        if folder.exists() and not folder.is_dir():
            raise OutputError("this is a file", where=str(folder), remedy="Name a folder.")
        there = sorted(folder.iterdir()) if folder.exists() else []
        beside = (
            []
            if folder.exists() or not folder.parent.is_dir()
            else sorted(folder.parent.glob(f".{folder.name}.*.part"))
        )
        left_over = [path for path in (*there, *beside) if _is_left_over(path)]
        foreign = _foreign(folder, [path for path in there if path not in left_over])
    except (OSError, ValueError) as problem:
        if isinstance(problem, OutputError):
            raise
        raise OutputError(
            "the folder cannot be used", where=repr(str(folder)), remedy="Choose another name or place."
        ) from problem
    if foreign:
        raise OutputError(
            f"the folder holds other things: {some_of(foreign)}",
            where=str(folder),
            remedy="Choose a folder of its own for the result; only files of an earlier result are ever replaced.",
        )
    if left_over and not overwrite:
        raise OutputError(
            f"an interrupted save left something behind: {some_of([path.name for path in left_over])}",
            where=str(folder),
            remedy="It may lead back to people. Remove it, or let overwrite=True do so.",
        )
    if there and not overwrite:
        raise OutputError("the folder holds a result", where=str(folder), remedy="Choose another, or overwrite=True.")
    return left_over


def _is_left_over(path: Path) -> bool:
    """Is it a folder of ours that a result was being put together in?"""
    if not _PART.fullmatch(path.name) or path.is_symlink() or not path.is_dir():
        return False
    return {entry.name for entry in path.iterdir()} <= {f"{age}{name}" for age in ("", "old ") for name in PARTS}


def _foreign(folder: Path, there: list[Path]) -> list[str]:
    """All that is no file of an earlier result."""
    ours = _listed(folder / MANIFEST)
    found = []
    for path in there:
        if path.name in PARTS and path.is_dir() and not path.is_symlink() and ours:
            found += [inside for inside in path.rglob("*") if inside.relative_to(folder).as_posix() not in ours]
        else:
            found.append(path)
    return [path.relative_to(folder).as_posix() for path in found]


def _listed(manifest: Path) -> set[str]:
    """The files of an earlier result; none if there is no list of ours."""
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
        return set(content["files"]) if content["about"] == ABOUT else set()
    except (OSError, ValueError, TypeError, KeyError):
        return set()


def _spare_inputs(result: Result, folder: Path) -> None:
    """An error if a file that the data or the policy came from would be replaced."""
    inputs = [] if result.prepared.source is None else [result.prepared.source]
    for attribute in result.policy.attributes.values():
        if isinstance(attribute, Nominal):
            inputs += [Path(name) for name in (attribute.taxonomy, attribute.mapping) if isinstance(name, str)]
    for file in folder.rglob("*"):
        if any(_is_same(file, path) for path in inputs):
            raise OutputError(
                "this is a file that the data or the policy came from", where=str(file), remedy="Choose another folder."
            )


def _is_same(file: Path, path: Path) -> bool:
    try:
        return file.samefile(path)
    except (OSError, ValueError):  # the name of a taxonomy is no file, or that file is gone
        return False


# ---- what is written ---------------------------------------------------------------------------------------------


def _fill(result: Result, folder: Path, target: Path, suffix: str, report: bool) -> None:
    """Everything that belongs to a result; errors speak of the place it is meant for."""
    try:
        _write_parts(result, folder, suffix, report)
    except OntomaskError as problem:
        _show_target(problem, folder, target)
        raise


def _write_parts(result: Result, folder: Path, suffix: str, report: bool) -> None:
    release, confidential = (folder / name for name in PARTS)
    create_folder(release)
    name = "release" if result.satisfied else "release-NOT-SATISFIED"
    write_table(result.data, release / f"{name}{suffix}")
    write_text("\n".join([*result.public_guarantees, ""]), release / "guarantees.txt", private=False)
    create_folder(confidential)
    write_text(CONFIDENTIAL, confidential / "READ ME FIRST.txt")
    policy = _nameable(result.policy.changed(seed=result.seed), confidential)
    write_text(policy_text(policy, confidential.resolve()), confidential / "policy.yaml")
    write_text("\n".join([*result.notes, ""]), confidential / "notes.txt")
    write_table(result.mapping, confidential / "mapping.csv", private=True)
    write_table(result.groups, confidential / "groups.csv", private=True)
    write_table(pl.DataFrame({RECORDS: result.records + 1}), confidential / "records.csv", private=True)
    if result.report is not None:
        write_table(result.report, confidential / "report.csv", private=True)
    if report:
        from ontomask.report.page import write_report

        write_report(result, release / "report.html", edition="public")
        write_report(result, confidential / "report.html", edition="internal")
        write_text(result.assessment.to_json() + "\n", confidential / "assessment.json")
    make_ordinary(release)
    files = [path.relative_to(folder).as_posix() for part in PARTS for path in sorted((folder / part).iterdir())]
    content = manifest_of(result) | {"files": {name: sha256(folder / name) for name in files} | {MANIFEST: None}}
    write_text(json.dumps({"about": ABOUT} | content, ensure_ascii=False, indent=2) + "\n", folder / MANIFEST)


def _nameable(policy: Policy, folder: Path) -> Policy:
    """Taxonomies that exist in Python only, and severity definitions as the run read them, as files beside the policy."""
    attributes = dict(policy.attributes)
    for column, attribute in policy.attributes.items():
        taxonomy = attribute.taxonomy if isinstance(attribute, Nominal) else None
        if isinstance(taxonomy, Taxonomy) and catalog_name(taxonomy) is None:
            file = folder / f"taxonomy-{len(list(folder.glob('taxonomy-*'))) + 1}.csv"
            write_taxonomy(taxonomy, file, private=True)
            attributes[column] = attribute.changed(taxonomy=str(file.resolve()))
    require: list[Any] = []
    for model in policy.require:
        if isinstance(model, SeverityDiversity):
            file = model.definition.save(folder / f"severity-{len(list(folder.glob('severity-*'))) + 1}.yaml")
            require.append(model.changed(severity=str(file.resolve())))
        else:
            require.append(model)
    return policy.changed(attributes=attributes, require=require)
