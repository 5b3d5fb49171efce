"""Verification of a saved result: files complete and unchanged, release against its policy."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import polars as pl

from ontomask.arguments import as_path, counted, short, some_of
from ontomask.assessment.alignment import read_units
from ontomask.errors import DataError, OntomaskError
from ontomask.files.fingerprints import sha256
from ontomask.microdata.formats import format_of
from ontomask.microdata.reading import read_table
from ontomask.policy.policy import Policy, require_policy
from ontomask.policy.verification import Verification
from ontomask.privacy.contents import FileCheck
from ontomask.privacy.models import Finding
from ontomask.release.releases import all_verified
from ontomask.release.saving import ABOUT, MANIFEST, PARTS, SECRET
from ontomask.release.verify import verify
from ontomask.statements import note
from ontomask.wording import RECORD, Unit

POLICY = "confidential/policy.yaml"
#: Files that may be listed without a hash: the list itself, and a secret that could be guessed from it.
UNHASHED = (MANIFEST, f"confidential/{SECRET}")


#: What may have become of a file.
STATES = ("missing", "changed", "a link", "without a hash", "added")


class SavedFiles(FileCheck):
    """Every file of a result is there and as it was saved, and there are no others."""

    name: Literal["saved_files"] = "saved_files"

    def check_folder(self, folder: Path, listed: Mapping[str, str | None] | None) -> Finding:
        """``listed``: the hashes of the manifest; None if there is none."""
        if listed is None:
            text = f"there is no manifest ({MANIFEST}): whether files are missing or were changed cannot be checked"
            return self.finding(text, _frame({}), 0, checked=False)
        # Links, also to folders and to nothing, and pipes count: whoever copies the folder copies what is behind them.
        there = {
            path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()
        }
        found = {name: "missing" for name in listed if name not in there}
        found |= {n: state for n, digest in listed.items() if n in there and (state := _state(folder, n, digest))}
        found |= dict.fromkeys(sorted(there - set(listed)), "added")
        if not found:
            return self.finding(f"{counted(len(listed), 'file')}, each as it was saved", _frame({}), 0)
        states = [(state, [n for n in found if found[n] == state]) for state in STATES]
        text = "; ".join(f"{state}: {some_of(names, 10)}" for state, names in states if names)
        return self.finding(f"files are not as they were saved: {text}", _frame(found), 0)

    def describe(self) -> str:
        return "files as they were saved"

    @property
    def title(self) -> str:
        return "Files as they were saved"

    def explain(self, unit: Unit = RECORD) -> str:
        return "Every file of the result has the hash that the manifest holds, and there are no others."


def _state(folder: Path, name: str, digest: str | None) -> str:
    """What is wrong with a file that is there; nothing if it is as it was saved."""
    if (folder / name).is_symlink():
        return "a link"
    if digest is None:
        return "" if name in UNHASHED else "without a hash"
    return "" if digest == sha256(folder / name) else "changed"


class PolicyOfResult(FileCheck):
    """The policy that a release was made by is at hand."""

    name: Literal["policy_of_result"] = "policy_of_result"

    def describe(self) -> str:
        return "the policy of the release"

    @property
    def title(self) -> str:
        return "The policy of the release"

    def explain(self, unit: Unit = RECORD) -> str:
        return "What the release must satisfy is known."


def _frame(found: Mapping[str, str]) -> pl.DataFrame:
    return pl.DataFrame(
        {"file": list(found), "state": list(found.values())}, schema={"file": pl.String, "state": pl.String}
    )


def verify_result(
    folder: str | Path, policy: Policy | Mapping[str, Any] | str | Path | None = None, *, original: Any = None
) -> Verification:
    """Check a folder that :meth:`~ontomask.Result.save` wrote, as it is now.

    Parameters
    ----------
    folder : path
        The folder, or its part ``release`` alone: then what cannot be checked is reported as not checked.
    policy : Policy, mapping or path, optional
        What to verify against; not given: the policy saved with the result.
    original : DataFrame or path, optional
        The original, for models that compare with it.

    Returns
    -------
    Verification
        Findings on every file and on the release.

    Notes
    -----
    Every file is held against the manifest's hashes: missing, changed and added files are named. A note says which file
    was verified.

    Examples
    --------
    >>> import ontomask as om, pathlib, polars as pl, tempfile
    >>> policy = om.Policy(attributes={"age": om.Numeric()}, method=om.Microaggregation(2), require=[om.KAnonymity(2)])
    >>> result = om.anonymize(pl.DataFrame({"age": [30, 31, 52, 55]}), policy)
    >>> folder = result.save(pathlib.Path(tempfile.mkdtemp()) / "result")
    >>> om.verify_result(folder).holds
    True
    """
    place = _place(as_path(folder))
    manifest = read_manifest(place / MANIFEST)
    files = SavedFiles().check_folder(place, None if manifest is None else manifest["files"])
    released = released_files(place, manifest)
    absent = [_shown(file, place) for file in released if not file.exists()]
    chosen = place / POLICY if policy is None and (place / POLICY).is_file() else policy
    if not released or absent:
        are = "is" if len(absent) == 1 else "are"
        return Verification([files], [note(f"not verified: {some_of(absent)} {are} missing")] if absent else [])
    if chosen is None:
        text = (
            f"there is no policy ({POLICY}): what the release must satisfy cannot be checked. Give the policy as well"
        )
        unknown = PolicyOfResult().finding(text, _frame({}), 0, checked=False)
        return Verification([files, unknown], [note(f"not verified: {_shown(file, place)}") for file in released])
    records = place / PARTS[1] / "records.csv"
    meant = require_policy(chosen)
    persons = read_units(records, meant.unit) if records.is_file() else None
    try:
        found = all_verified([verify(_table(file), meant, original=original, persons=persons) for file in released])
    except DataError as problem:
        if files.holds:
            raise
        unread = PolicyOfResult().finding(
            f"the changed release cannot be checked: {problem}", _frame({}), 0, checked=False
        )
        return Verification([files, unread], [])
    against = _shown(chosen, place) if isinstance(chosen, Path) else chosen if isinstance(chosen, str) else "the policy"
    verified = [note(f"verified: {_shown(file, place)} against {against}") for file in released]
    return Verification([files, *found.findings], [*verified, *found.notes])


def _place(folder: Path) -> Path:
    """The folder of the result, also where its part ``release`` is named."""
    if not folder.is_dir():
        raise DataError("there is no such folder", where=str(folder), remedy="Give the folder of a result.")
    if folder.name == PARTS[0] and (folder.parent / MANIFEST).is_file():
        return folder.parent
    return folder


def read_manifest(file: Path) -> dict[str, Any] | None:
    if not file.is_file():
        return None
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        if content["about"] == ABOUT and isinstance(content["files"], dict):
            return dict(content)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        pass
    raise DataError(
        "this is not a manifest of ontomask", where=str(file), remedy="Restore it from a copy; it is written by a run."
    )


def released_files(place: Path, manifest: Mapping[str, Any] | None = None) -> list[Path]:
    """The released tables: those the manifest names, else the only one in the folder, or all of a numbered series."""
    if manifest is None:
        manifest = read_manifest(place / MANIFEST)
    if manifest is not None and ("release" in manifest or "releases" in manifest):
        named = manifest.get("releases", [manifest.get("release")])
        if not isinstance(named, list) or not named or not all(_is_listed(name, manifest) for name in named):
            raise DataError(
                f"the release that it names, {short(repr(named), 60)}, is not one of the released files that it lists",
                where=str(place / MANIFEST),
                remedy="Restore it from a copy; it is written by a run.",
            )
        return [place / name for name in named]
    inside = place / PARTS[0] if (place / PARTS[0]).is_dir() else place
    tables = [path for path in sorted(inside.iterdir()) if path.is_file() and _is_table(path)]
    if len(tables) == 1 or (tables and _is_series(tables)):
        return tables
    raise DataError(
        f"expected one released table in the folder, found {len(tables)}",
        where=str(inside),
        remedy="Name the released file itself.",
    )


def _is_listed(named: Any, manifest: Mapping[str, Any]) -> bool:
    """Is it a released file, or a folder of such files?"""
    if not isinstance(named, str) or not re.fullmatch(rf"{PARTS[0]}/[^/\\]+", named) or named.endswith(".."):
        return False
    released = PurePosixPath(named)
    return any(released in (listed := PurePosixPath(file), *listed.parents) for file in manifest["files"])


def _table(released: Path) -> Path | pl.DataFrame:
    """The file, or all files of a folder as one table."""
    if not released.is_dir():
        return released
    files = sorted(released.glob("*.parquet"))
    if not files:
        raise DataError(
            "there are no Parquet files in the folder", where=str(released), remedy="Restore it from a copy."
        )
    return pl.concat([read_table(file).data for file in files])


def _is_series(tables: list[Path]) -> bool:
    """Are these release-1, release-2 and so on, none missing?"""
    found = [re.fullmatch(r"release-(\d+)(?:-NOT-SATISFIED)?(\..*)", path.name) for path in tables]
    numbers = sorted(int(match[1]) for match in found if match)
    return numbers == list(range(1, len(tables) + 1)) and len({match[2] for match in found if match}) == 1


def _is_table(path: Path) -> bool:
    try:
        format_of(path)
    except OntomaskError:
        return False
    return path.name.startswith("release")


def _shown(path: Path, place: Path) -> str:
    return path.relative_to(place).as_posix() if path.is_relative_to(place) else str(path)
