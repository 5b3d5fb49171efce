"""Several releases of the same records as one result: each is verified, and all must hold."""

from __future__ import annotations

import os
import secrets
import shutil
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontomask.arguments import some_of
from ontomask.errors import OntomaskError, OntomaskWarning
from ontomask.files.writing import checked_target, create_folder
from ontomask.microdata.writing import write_table
from ontomask.policy.verification import Verification
from ontomask.privacy.models import Finding
from ontomask.release.read_back import ReadBack
from ontomask.release.saving import inputs_of, numbered, spare, told_for

if TYPE_CHECKING:
    from ontomask.release.result import Result


def together(parts: Sequence[Result]) -> Result:
    """The result of a run: its first release, which knows of the others."""
    first = parts[0]
    if len(parts) == 1:
        return first
    verification = all_verified([part.verification for part in parts])
    notes = dict.fromkeys(note for part in parts for note in part.notes if note.kind != "failed")
    return replace(first, verification=verification, notes=[*verification.failures, *notes], parts=tuple(parts))


def all_verified(each: Sequence[Verification]) -> Verification:
    """What holds of every release: for each model one finding over all of them.

    All releases are checked for the same, in the same order, but for checks of contents that are listed only where they
    fail: those follow, with the number of the release.
    """
    if len(each) == 1:
        return each[0]
    shared = min(len(one.findings) for one in each)
    same = all(len({one.findings[i].model for one in each}) == 1 for i in range(shared))
    shared = shared if same else 0
    found = [_of_all([one.findings[i] for one in each]) for i in range(shared)]
    for number, one in enumerate(each, 1):
        found += [replace(f, text=f"release {number}: {f.text}", parts=()) for f in one.findings[shared:]]
    return Verification(found, list(dict.fromkeys(note for one in each for note in one.notes)))


def _of_all(findings: Sequence[Finding]) -> Finding:
    """One finding for all releases: that of the first that fails, else of the first, in words that are true of all."""
    m = len(findings)
    failing = [number for number, finding in enumerate(findings, 1) if not finding.holds]
    if len({finding.text for finding in findings}) == 1:
        text = f"{findings[0].text} (in each of {m} releases)"
    else:
        sentences = [
            (number, finding) for number, finding in enumerate(findings, 1) if not failing or number in failing
        ]
        text = "; ".join(f"release {number} of {m}: {finding.text}" for number, finding in sentences)
    shown = findings[failing[0] - 1] if failing else findings[0]
    return replace(shown, text=text, parts=(), checked=all(finding.checked for finding in findings))


def write_releases(result: Result, path: Path, *, overwrite: bool, **options: Any) -> Path:
    """Write every release to a file of its own, all of them or none; return the file of the first."""
    each = result.each
    targets = _numbered_files(path, len(each))
    for target in targets:
        spare(target, inputs_of(result.policy, None, result.key))
    if len(each) == 1:
        return _write(each[0], path, overwrite=overwrite, **options)
    places = [checked_target(target, overwrite, result.prepared.source) for target in targets]
    part = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}.part")
    with told_for(path):
        try:
            create_folder(part)
            for one, target in zip(each, targets, strict=True):
                try:
                    _write(one, part / target.name, overwrite=False, **options)
                except OntomaskError as problem:
                    problem.relocate(str(part / target.name), str(target))
                    raise
            for target, place in zip(targets, places, strict=True):
                if place.exists():
                    shutil.copymode(place, part / target.name)
                os.replace(part / target.name, place)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    others = [file.name for file in _more_numbered(path) if file not in targets]
    if others:
        warnings.warn(
            f"beside {targets[0].name} to {targets[-1].name} there are other numbered files: {some_of(others)}. They are not "
            "of this run: do not hand them out or combine them with these",
            OntomaskWarning,
            stacklevel=3,
        )
    return targets[0]


def _numbered_files(path: Path, m: int) -> list[Path]:
    """The files of m releases."""
    return [numbered(path, number, m) for number in range(1, m + 1)]


def _more_numbered(path: Path) -> list[Path]:
    """Files beside it that are named like one of several releases."""
    possible = [file for m in (9, 99, 100) for file in _numbered_files(path, m)]  # -1, -01 and -001
    return sorted(file for file in possible if file.is_file())


def _write(one: Result, path: Path, *, overwrite: bool, encoding: str, decimal: str, **options: Any) -> Path:
    return write_table(
        one.data,
        path,
        overwrite=overwrite,
        encoding=encoding,
        decimal=decimal,
        source=one.prepared.source,
        separators=one.policy.separators,
        check=ReadBack(one, encoding=encoding, decimal=decimal),
        **options,
    )
