"""``ontomask demo``: synthetic discharges masked by two candidates, compared, and the better one reported.

Its folder holds a list with the hashes of the files that the demo made; a later demo replaces only those.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ontomask.comparison.evaluation import Run, judged
from ontomask.comparison.outcome import Comparison
from ontomask.demo.stays import demo_data, demo_policy
from ontomask.engines.memory import anonymize
from ontomask.errors import Keyword, OutputError, Text
from ontomask.files.fingerprints import sha256
from ontomask.files.writing import write_text
from ontomask.kernels.compiling import is_kept
from ontomask.kernels.linkage import linkage_range
from ontomask.microdata.writing import write_table
from ontomask.privacy.k_anonymity import KAnonymity
from ontomask.progress import Progress, silent, stretch
from ontomask.release.result import Result

if TYPE_CHECKING:
    from ontomask.policy.policy import Policy

#: The list of what a demo made: path in the folder -> SHA-256.
MARKER = "demo-files.json"
_MADE_BY = "ontomask demo"


class TourFolder:
    """A folder that a demo fills. ``keep`` every file as it is made: a later demo replaces nothing else."""

    def __init__(self, path: Path, names: tuple[str, ...], *, force: bool = False) -> None:
        """Take a new or empty folder, or one with an unchanged earlier demo, which is removed.

        Files that no demo made are refused. With ``force`` they stay beside the demo, unless one of them has a name
        (``names``) that the demo needs.
        """
        self.path = path
        self._hashes: dict[str, str] = {}
        try:
            if path.exists() and not path.is_dir():
                raise OutputError("this is a file", where=str(path), remedy="Name a folder for the demo.")
            path.mkdir(parents=True, exist_ok=True)
            listed = _listed(path / MARKER)
            present = list(_files(path))
            made = [name for name in present if name in listed and _hash(path / name) == listed[name]]
            _refuse([name for name in present if name not in made and name != MARKER], listed, path, names, force)
            self._remove(made)
        except OutputError:
            raise
        except OSError as problem:
            raise OutputError(
                "the folder cannot be used", where=str(path), remedy="Choose another folder."
            ) from problem

    def keep(self, name: str) -> None:
        """Note a file, or all files of a folder, as made by this demo."""
        made = self.path / name
        for file in [name] if made.is_file() else [f"{name}/{inner}" for inner in _files(made)]:
            self._hashes[file] = str(_hash(self.path / file))
        content = {"made_by": _MADE_BY, "files": self._hashes}
        write_text(json.dumps(content, indent=2) + "\n", self.path / MARKER, overwrite=True)

    def _remove(self, made: list[str]) -> None:
        """Remove files of an earlier demo, the folders that are empty then, and their list."""
        for name in made:
            (self.path / name).unlink()
        folders = {self.path / parent for name in made for parent in Path(name).parents if parent != Path()}
        for folder in sorted(folders, key=lambda each: len(each.parts), reverse=True):
            if not any(folder.iterdir()):
                folder.rmdir()
        (self.path / MARKER).unlink(missing_ok=True)


def _refuse(others: list[str], listed: dict[str, str], path: Path, names: tuple[str, ...], force: bool) -> None:
    """An error if there are files that no demo made."""
    in_the_way = [name for name in others if name.split("/")[0] in names]
    if not in_the_way and (force or not others):
        return
    first = (in_the_way or others)[0]
    changed = "changed since the demo made it" if first in listed else "not made by a demo"
    more = f" (and {len(others) - 1:,} more)" if len(others) > 1 else ""
    remedy: Text = ("Name another folder, or give ", Keyword("force", "True"), ": the file stays there.")
    if in_the_way:
        remedy = "Name another folder, or move it: a demo never replaces files of others."
    raise OutputError(f"the folder holds {first!r}, which was {changed}{more}", where=str(path), remedy=remedy)


def _listed(marker: Path) -> dict[str, str]:
    """What an earlier demo noted; nothing if there is no such list."""
    if not marker.exists() and not marker.is_symlink():
        return {}
    try:
        content = None if marker.is_symlink() else json.loads(marker.read_text(encoding="utf-8"))
    except ValueError:
        content = None
    files = content.get("files") if isinstance(content, dict) and content.get("made_by") == _MADE_BY else None
    if not isinstance(files, dict):
        raise OutputError("this file was not made by a demo", where=str(marker), remedy="Name another folder.")
    return {str(name): str(digest) for name, digest in files.items()}


def _files(folder: Path) -> Iterator[str]:
    """Everything in a folder but folders, and folders that are empty, as paths in it. Links are not followed."""
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and not entry.is_symlink() and any(entry.iterdir()):
            for inner in _files(entry):
                yield f"{entry.name}/{inner}"
        else:
            yield entry.name


def _hash(file: Path) -> str | None:
    """The hash of a plain file; a link or a folder has none and is never a demo's."""
    return sha256(file) if file.is_file() and not file.is_symlink() else None


#: What a tour writes.
FILES = ("stays.csv", "microaggregation.yaml", "generalization.yaml", "map.svg")
RESULT = "result"


@dataclass(frozen=True, eq=False)
class Tour:
    """``comparison`` of the two ways, and the ``result`` of the better one."""

    folder: Path
    comparison: Comparison
    result: Result
    policy: str

    def before_and_after(self, rows: int = 5) -> list[list[str]]:
        """Some records of one group, as they were and as they are released: column by column."""
        group_of = self.result.masked.group_of
        group = int(group_of[0])
        places = [int(i) for i in (group_of == group).nonzero()[0][:rows]]
        names = [column.name for column in self.result.prepared.table.columns]
        before, after = (data.select(names) for data in (self.result.prepared.data, self.result.data))
        where = {int(record): i for i, record in enumerate(self.result.records)}
        return [[str(value) for value in before.row(place) + after.row(where[place])] for place in places]


def make_tour(
    folder: Path, records: int = 20_000, *, force: bool = False, progress: Progress = silent, k: int = 5
) -> Tour:
    """Make the data and two policies, compare them, and save the result of the better one with its reports.

    The folder is new, empty, or holds an earlier demo, which is replaced. With ``force`` it may hold other files as well;
    they are never touched.
    """
    place = TourFolder(folder, (*FILES, RESULT), force=force)
    helper = _compile_beside()
    progress(0.0, f"making {records:,} synthetic discharges")
    stays = demo_data(records)
    write_table(stays, folder / FILES[0])
    place.keep(FILES[0])
    ways: dict[str, Policy] = {}
    for method, settings in (("microaggregation", {"k": k}), ("generalization", {"suppression_limit": 0.05})):
        policy = demo_policy({"name": method, **settings}, require=[KAnonymity(k=k)])
        policy = policy.changed(row_order="shuffled")
        policy.save(folder / f"{method}.yaml")
        place.keep(f"{method}.yaml")
        ways[method] = policy
    helped = stretch(progress, 0.05, 0.55)

    def way(name: str) -> tuple[Run, Result]:
        step = helped if name == "microaggregation" else silent
        result = anonymize(folder / FILES[0], ways[name], progress=step)
        if helper is not None:  # what it compiles is needed from here on
            step(1.0, "compiling, which is done once on a machine")
            helper.wait()
        # Seconds of a first call, beside another, are mostly those of compiling.
        return replace(judged(name, result), seconds=0.0), result

    with ThreadPoolExecutor(len(ways)) as pool:  # the loops run without the interpreter's lock
        done = dict(zip(ways, pool.map(way, ways), strict=True))
    runs, results = [run for run, _ in done.values()], {name: result for name, (_, result) in done.items()}
    found = Comparison(runs, ways, "semantic", 0.5, ways["microaggregation"].masked)
    found.write_map(folder / FILES[3])
    place.keep(FILES[3])
    best = found.best or next(iter(ways))
    progress(0.6, "assessing and writing the reports")
    results[best].save(folder / RESULT, report=True)
    place.keep(RESULT)
    progress(1.0, "done")
    return Tour(folder, found, results[best], f"{best}.yaml")


def _compile_beside() -> subprocess.Popen[bytes] | None:
    """A process that compiles what assessments need while masking is compiled here; None if that was done before."""
    if is_kept(linkage_range):
        return None
    try:
        return subprocess.Popen(
            [sys.executable, "-c", "from ontomask.demo.tour import compile_assessment; compile_assessment()"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError:  # it only would have been faster
        return None


def compile_assessment() -> None:
    """Assess a few records, so that the loops of assessments are compiled and kept."""
    policy = demo_policy({"name": "generalization", "suppression_limit": 0.05}, require=[KAnonymity(k=2)])
    _ = anonymize(demo_data(60), policy).assessment
