"""Saving a result: a folder that is written completely or not at all, and replaces only an earlier result.

Its manifest holds versions, and fingerprints of all input and output files.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from ontomask.arguments import some_of
from ontomask.errors import OVERWRITE, OntomaskError, OntomaskWarning, OutputError, Text
from ontomask.files import writing
from ontomask.files.fingerprints import InputFile, InputFiles, sha256, states_of, versions
from ontomask.microdata.formats import chosen_format, suffixes
from ontomask.microdata.keys import Key
from ontomask.microdata.sql_sources import SqlSource
from ontomask.microdata.writing import write_table
from ontomask.policy.policy import Policy
from ontomask.policy.policy_file import policy_text
from ontomask.release.read_back import ReadBack

if TYPE_CHECKING:
    from ontomask.masking.randomness import Secret
    from ontomask.release.result import Result
    from ontomask.release.savable import Savable

CONFIDENTIAL = """\
The files in this folder show which original record each released record came from.
Keep the folder with the original data. Do not hand it out with the release.
"""
PARTS = ("release", "confidential")
#: The file that repeats a run.
SECRET = "secret.txt"
#: What a result is made of, by which a later one knows what it may replace.
MANIFEST = "confidential/manifest.json"
ABOUT = "A result of ontomask. Only the files listed here are replaced by a later one."


def save_result(
    result: Result,
    folder: Path,
    *,
    overwrite: bool,
    format: str | None,
    report: bool,
    escape_formulas: bool = False,
) -> Path:
    """release/ with the data and the guarantees; confidential/ with all that shows the originals."""
    source = result.prepared.source
    own = None if source is None else suffixes(written=True).get(source.suffix.lower())
    like_source = own.name if own is not None and own.kept else "csv"
    suffix = chosen_format(folder, format or like_source, written=True).suffixes[0]
    with appearing(folder, overwrite=overwrite, inputs=inputs_of(result.policy, source, result.key)) as part:
        writing.create_folder(part / PARTS[0])
        released, verified = _write_data(result, part / PARTS[0], suffix, escape_formulas)
        fill(verified, part, released, report=report, escape=escape_formulas)
    return folder


@contextmanager
def appearing(folder: Path, *, overwrite: bool, inputs: Iterable[Path] = ()) -> Iterator[Path]:
    """A folder to be filled, which becomes ``folder`` when it is complete; if something goes wrong, nothing is left of it.

    ``inputs``: the files that the run reads, which a result never replaces.
    """
    left = _check(folder, overwrite)
    spare(folder, inputs)
    place = folder.resolve()  # behind a link, which stays one
    part = writing.part_for(place)
    with told_for(folder, part):
        try:
            writing.create_folder(part)
            with writing.locked(part):
                yield part
                mode = place.stat().st_mode if place.exists() else None
                writing.appear(part, place, PARTS, lambda there: _require_replaceable(there, folder, overwrite))
            if mode is None:
                writing.make_ordinary(place)
            else:
                place.chmod(stat.S_IMODE(mode))
        except BaseException:
            if not writing.holds_old(part, PARTS):  # what could not be put back is not removed either
                shutil.rmtree(part, ignore_errors=True)
            raise
    for path in left:
        shutil.rmtree(path, ignore_errors=True)


def require_place(folder: Path, *, overwrite: bool, inputs: Iterable[Path] = ()) -> None:
    """An error if a result could not be saved there, raised before the work and not after it.

    ``inputs``: the files that the run reads, which a result never replaces.
    """
    _check(folder, overwrite)
    spare(folder, inputs)
    if not folder.absolute().parent.is_dir():
        raise OutputError("its folder does not exist", where=str(folder), remedy="Create the folder above it first.")


def inputs_of(policy: Policy, source: Path | None, key: Key | None = None) -> list[Path]:
    """The files that a run reads: the data, the policy, what the policy names, and a key that was given."""
    key_file = None if key is None else key.path
    return [*(path for path in (source, key_file) if path is not None), *policy.named_files().values()]


@contextmanager
def told_for(folder: Path, part: Path | None = None) -> Iterator[None]:
    """Errors of the system in our words, and errors that name the place meant, not the ``part`` that becomes it."""
    try:
        yield
    except OntomaskError as problem:
        if part is not None:
            problem.relocate(str(part), str(folder))
        raise
    except OSError as problem:
        raise OutputError(
            f"the folder cannot be written ({problem.strerror or type(problem).__name__})",
            where=str(folder),
            remedy="Check that its parent exists and that you may write there. Nothing was written.",
        ) from problem


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
        place = folder.resolve()
        left = writing.left_over(place, PARTS)
        if any(writing.in_work(path) for path in left):
            raise OutputError(
                "another run is saving a result there at this moment",
                where=str(folder),
                remedy="Wait until it has ended, or choose another folder.",
            )
        _require_own(place, folder)
    except (OSError, ValueError) as problem:
        if isinstance(problem, OutputError):
            raise
        raise OutputError(
            "the folder cannot be used", where=repr(str(folder)), remedy="Choose another name or place."
        ) from problem
    if left and not overwrite:
        raise OutputError(
            f"an interrupted save left something behind: {some_of([path.name for path in left])}",
            where=str(folder),
            remedy=_about(left, folder),
        )
    _require_replaceable(place, folder, overwrite)
    return left


def _require_own(there: Path, folder: Path) -> None:
    """An error if there is anything but an earlier result; ``folder`` is what the user calls it."""
    left = writing.left_over(there, PARTS)
    foreign = _foreign(there, [path for path in _inside(there) if path not in left])
    if foreign:
        raise OutputError(
            f"the folder contains other files: {some_of(foreign)}",
            where=str(folder),
            remedy="Choose a new folder for the result: only an earlier result can be replaced.",
        )


def _require_replaceable(there: Path, folder: Path, overwrite: bool) -> None:
    """The same, and an error if there is an earlier result that may not be replaced."""
    _require_own(there, folder)
    left = writing.left_over(there, PARTS)
    if not overwrite and any(path not in left for path in _inside(there)):
        raise OutputError(
            "the folder holds a result", where=str(folder), remedy=("Choose another, or ", OVERWRITE, ".")
        )


def _inside(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.exists() else []


def _about(left: list[Path], folder: Path) -> Text:
    """What to do with what an interrupted save left behind."""
    aside = [path.name for path in left if path.suffix == ".old"]
    if aside and not folder.exists():
        return (
            f"{aside[0]} is the earlier result, complete: rename it to {folder.name!r} to have it back, or replace it with ",
            OVERWRITE,
            ".",
        )
    return ("It may lead back to people. Remove it, or let ", OVERWRITE, " do so.")


def _foreign(folder: Path, there: list[Path]) -> list[str]:
    """All that is not a file of an earlier result."""
    ours = _listed(folder / MANIFEST)
    found = []
    for path in there:
        if path.name in PARTS and path.is_dir() and not path.is_symlink() and ours:
            found += [inside for inside in path.rglob("*") if inside.relative_to(folder).as_posix() not in ours]
        else:
            found.append(path)
    return [path.relative_to(folder).as_posix() for path in found]


def _listed(manifest: Path) -> set[str]:
    """The files of an earlier result, and the folders they are in; none if there is no list of ours."""
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
        files = set(content["files"]) if content["about"] == ABOUT else set()
        return files | {parent.as_posix() for file in files for parent in PurePosixPath(file).parents}
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return set()


def spare(place: Path, inputs: Iterable[Path]) -> None:
    """An error if an input of the run would be replaced: ``place`` itself, or a file in it."""
    inputs = list(inputs)
    for file in place.rglob("*") if os.path.isdir(place) else [place]:
        if any(_is_same(file, path) for path in inputs):
            raise OutputError(
                "this is a file that the data, the policy or the key came from",
                where=str(file),
                remedy="Choose another name." if file == place else "Choose another folder.",
            )


def _is_same(file: Path, path: Path) -> bool:
    try:
        return file.samefile(path)
    except (OSError, ValueError):  # the name of a taxonomy is not a file, or that file is gone
        return False


# ---- what is written ---------------------------------------------------------------------------------------------


def fill(
    result: Savable, folder: Path, released: Sequence[Path], *, report: bool, escape: bool, parts: Path | None = None
) -> None:
    """Everything that belongs to a result beside the ``released`` files: one for each release, or all in a folder ``parts``."""
    release, confidential = (folder / name for name in PARTS)
    write_account(
        result.policy, result.secret, result.key, result.public_guarantees, [*result.notes, *_changes(result)], folder
    )
    for number, one in enumerate(result.each, 1):
        for name, frame in (("mapping.csv", one.mapping), ("groups.csv", one.groups)):
            file = numbered(confidential / name, number, len(result.each))
            write_table(frame, file, private=True, escape_formulas=escape)
    if result.record_list is not None:
        write_table(result.record_list, confidential / "records.csv", private=True)
    if result.diagnostics is not None:
        write_table(result.diagnostics.table, confidential / "diagnostics.csv", private=True)
    for name, table in result.details.items():
        write_table(table, confidential / f"{name}.csv", private=True, escape_formulas=escape)
    if report:
        from ontomask.report.page import write_report  # late: it takes 0.1 s to load, and many releases have no report

        write_report(result, release / "report.html", edition="public", release=released)
        write_report(result, confidential / "report.html", edition="internal", release=released)
        writing.write_text(result.assessment.to_json() + "\n", confidential / "assessment.json")
    writing.make_ordinary(release)
    inside = (path for part in PARTS for path in sorted((folder / part).rglob("*")) if path.is_file())
    files = [path.relative_to(folder).as_posix() for path in inside]
    # A hash of a file that holds a small seed would tell the seed.
    unhashed = {MANIFEST: None} | ({f"confidential/{SECRET}": None} if result.secret.explicit else {})
    named = [file.relative_to(folder).as_posix() for file in ([parts] if parts is not None else released)]
    content = manifest_of(result) | ({"release": named[0]} if len(named) == 1 else {"releases": named})
    write_manifest(content | {"files": {name: sha256(folder / name) for name in files} | unhashed}, folder)


def write_account(
    policy: Policy,
    secret: Secret,
    key: Key | None,
    public_guarantees: Iterable[object],
    notes: Iterable[object],
    folder: Path,
) -> None:
    """What is said beside the data of a result, and what repeats the run; ``folder`` has a folder release already."""
    release, confidential = (folder / name for name in PARTS)
    writing.write_text(_lines(public_guarantees), release / "guarantees.txt", private=False)
    if not confidential.exists():
        writing.create_folder(confidential)
    writing.write_text(CONFIDENTIAL, confidential / "READ ME FIRST.txt")
    policy = policy.with_files(confidential)
    writing.write_text(policy_text(policy, confidential.resolve()), confidential / "policy.yaml")
    writing.write_text(secret.text(), confidential / SECRET)
    if key is not None and key.drawn:
        writing.write_text(key.text(), folder / key.file)
    writing.write_text(_lines(notes), confidential / "notes.txt")


def write_manifest(content: Mapping[str, Any], folder: Path) -> None:
    """The facts of a run, with the list of its files (``files``), by which a later result knows what it may replace."""
    writing.write_text(json.dumps({"about": ABOUT, **content}, ensure_ascii=False, indent=2) + "\n", folder / MANIFEST)


def _lines(said: Iterable[object]) -> str:
    """Texts and statements, one in each line."""
    return "".join(f"{text}\n" for text in said)


def _write_data(result: Result, release: Path, suffix: str, escape: bool) -> tuple[list[Path], Result]:
    """The file of every release, and the result with what was found in them: they are what is handed out."""
    files, found = [], []
    for number, one in enumerate(result.each, 1):
        check = ReadBack(one)
        file = numbered(release / f"release{suffix}", number, len(result.each))
        separators = result.policy.separators
        files.append(write_table(one.data, file, escape_formulas=escape, separators=separators, check=check))
        found.append(check.verification)
    result = result.verified(found)
    if not result.satisfied:
        names = [file.with_name(file.name.removesuffix(suffix) + f"-NOT-SATISFIED{suffix}") for file in files]
        files = [file.rename(name) for file, name in zip(files, names, strict=True)]
    return files, result


def numbered(path: Path, number: int, m: int) -> Path:
    """The file of one of m releases: ``stays.csv`` becomes ``stays-1.csv``, of ten or more ``stays-01.csv``."""
    if m == 1:
        return path
    stem, dot, suffixes = path.name.partition(".") if not path.name.startswith(".") else (path.name, "", "")
    return path.with_name(f"{stem}-{number:0{len(str(m))}d}{dot}{suffixes}")


def _changes(result: Savable) -> list[str]:
    """What changed on disk since the run read it: noted, and warned of."""
    changed = changed_files(result)
    if not changed:
        return []
    note = f"changed on disk after the run read them: {', '.join(changed)}. The result is of what was read"
    warnings.warn(note, OntomaskWarning, stacklevel=2)
    return [note]


def changed_files(result: Savable) -> list[str]:
    """The files that a run read and that are not what they were, by the part they play."""
    read = result.prepared.input
    found = ["data"] if read is not None and read.changed else []
    now = states_of(result.policy.named_files())
    return found + [part for part, state in result.prepared.named.items() if now.get(part) != state]


def _database(source: SqlSource | None, sha256: str | None) -> dict[str, Any]:
    """Which table or query the records came from, if they came from a database, and a hash of what it gave."""
    return {} if source is None else {"database": source.name, "records_sha256": sha256}


def manifest_of(result: Savable) -> dict[str, Any]:
    """The facts of a run, without a clock: the same run gives the same manifest."""
    own, python, libraries = versions()
    prepared = result.prepared
    read, source = prepared.input, prepared.source
    taxonomies = {
        name: {"name": taxonomy.name, "concepts": len(taxonomy), "fingerprint": taxonomy.fingerprint}
        for name, taxonomy in prepared.taxonomies.items()
    }
    files = result.policy.named_files()
    changed = changed_files(result)
    return {
        "ontomask": own,
        "python": python,
        "libraries": libraries,
        "input": {
            "file": None if source is None else source.name,
            "sha256": None if read is None else read.sha256,
            "records": result.given,
        }
        | _database(prepared.database, prepared.records_sha256)
        | _each_hash(read),
        "released_records": result.released_records,
        "explicit_seed": result.secret.explicit,
        "satisfied": result.satisfied,
        "promises": result.promises,
        "taxonomies": taxonomies,
        "named_files": {part: {"file": path.name, "sha256": sha256(path)} for part, path in files.items()},
    } | ({"changed_since_read": changed} if changed else {})


def _each_hash(read: InputFile | InputFiles | None) -> dict[str, Any]:
    """Where the input is several files, the hash of each."""
    return {"files": {one.path.name: one.sha256 for one in read.files}} if isinstance(read, InputFiles) else {}
