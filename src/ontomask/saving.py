"""Writing a result: a folder that appears whole or not at all, and never takes the place of anything but its like."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontomask.arguments import some_of
from ontomask.errors import OntomaskError, OutputError
from ontomask.microdata.attributes import Nominal
from ontomask.microdata.writing import suffix_of, write_table, write_text
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
#: The list of all files of a result, by which a later one knows what it may replace.
MANIFEST = "confidential/files.txt"
HEAD = "Files of a result of ontomask. Only these are replaced by a later one."
#: Where a result is put together.
_PART = re.compile(r"\.[0-9a-f]{8}\.part")


def save_result(result: Result, folder: Path, *, overwrite: bool, format: str | None) -> Path:
    """release/ with the data and the guarantees; confidential/ with all that leads back to people."""
    source = result.prepared.source
    like_source = "parquet" if source is not None and source.suffix.lower() in (".parquet", ".pq") else "csv"
    suffix = suffix_of(format or like_source)
    left_over = _check(folder, overwrite)
    _spare_inputs(result, folder)
    part = folder / f".{secrets.token_hex(4)}.part"
    made = not folder.exists()
    try:
        folder.mkdir(exist_ok=True)
        part.mkdir()
        _fill(result, part, suffix)
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
        if isinstance(problem, OntomaskError):
            _show_target(problem, part, folder)
        elif isinstance(problem, OSError):
            raise OutputError(
                f"the folder cannot be written ({problem.strerror or type(problem).__name__})",
                where=str(folder),
                remedy="Check that its parent exists and that you may write there. Nothing was written.",
            ) from problem
        raise
    for path in (part, *left_over):
        shutil.rmtree(path, ignore_errors=True)
    return folder


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
        left_over = [path for path in there if _is_left_over(path)]
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
            f"the folder holds what an interrupted save left: {some_of([path.name for path in left_over])}",
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
    if not manifest.is_file():
        return set()
    head, *names = manifest.read_text(encoding="utf-8", errors="replace").splitlines() or [""]
    return set(names) if head == HEAD else set()


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


def _fill(result: Result, folder: Path, suffix: str) -> None:
    release, confidential = (folder / name for name in PARTS)
    release.mkdir()
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
    if result.report is not None:
        write_table(result.report, confidential / "report.csv")
    files = [path.relative_to(folder).as_posix() for part in PARTS for path in sorted((folder / part).iterdir())]
    write_text("\n".join([HEAD, *files, MANIFEST, ""]), folder / MANIFEST)


def _nameable(policy: Policy, folder: Path) -> Policy:
    """Taxonomies that exist in Python only, and severity definitions as the run read them, as files beside the policy."""
    attributes = dict(policy.attributes)
    for column, attribute in policy.attributes.items():
        taxonomy = attribute.taxonomy if isinstance(attribute, Nominal) else None
        if isinstance(taxonomy, Taxonomy) and catalog_name(taxonomy) is None:
            file = folder / f"taxonomy-{len(list(folder.glob('taxonomy-*'))) + 1}.csv"
            write_taxonomy(taxonomy, file)
            attributes[column] = attribute.changed(taxonomy=str(file.resolve()))
    require: list[Any] = []
    for model in policy.require:
        if isinstance(model, SeverityDiversity):
            file = model.definition.save(folder / f"severity-{len(list(folder.glob('severity-*'))) + 1}.yaml")
            require.append(model.changed(severity=str(file.resolve())))
        else:
            require.append(model)
    return policy.changed(attributes=attributes, require=require)
