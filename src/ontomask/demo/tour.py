"""``ontomask demo``: synthetic discharges masked by two candidates, compared, and the better one reported."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ontomask.comparison.evaluation import Run, judged
from ontomask.comparison.outcome import Comparison
from ontomask.demo.stays import demo_data, demo_policy
from ontomask.demo.tour_folder import TourFolder
from ontomask.kernels.compiling import is_kept
from ontomask.kernels.linkage import linkage_range
from ontomask.microdata.writing import write_table
from ontomask.privacy.k_anonymity import KAnonymity
from ontomask.progress import Progress, silent, stretch
from ontomask.release.result import Result
from ontomask.release.run import anonymize

if TYPE_CHECKING:
    from ontomask.policy.policy import Policy

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
        before = self.result.prepared.data.select(names)
        where = {int(record): i for i, record in enumerate(self.result.records)}
        return [
            [
                *(str(value) for value in before.row(place)),
                *(str(v) for v in self.result.data.select(names).row(where[place])),
            ]
            for place in places
        ]


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
