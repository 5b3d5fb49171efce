"""How things are timed here: every row in fresh processes, the first call and the warm ones apart."""

from __future__ import annotations

import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ontomask.kernels import compiling

#: The bytecode of an installed package is there: where an environment forbids it, processes would compile all modules anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

DATA = Path(os.environ.get("ONTOMASK_DATA", Path(__file__).parents[2] / "shared" / "data"))


@dataclass
class Job:
    """One row of the table: what is called, and how what comes of it is shown."""

    what: str
    call: Callable[[], Any]
    target: str = ""
    #: Warm calls in a process, after the first.
    times: int = 5
    #: Processes at most: for what takes long.
    processes: int = 100
    #: Pairs of concepts that a call compares: speed is shown instead of time.
    pairs: int = 0
    #: Is the largest memory of the process shown?
    memory: bool = False
    #: Does the call return its seconds, being a process or a library with a clock of its own?
    own_clock: bool = False
    #: A remark from what the last call returned.
    note: Callable[[Any], str] | None = None


@dataclass
class Measured:
    """A job in one process."""

    what: str
    target: str
    first: float
    warm: list[float]
    peak: float
    pairs: int = 0
    memory: bool = False
    note: str = ""
    processes: int = 100
    compiled: bool = False

    @property
    def usual(self) -> float:
        return statistics.median(self.warm) if self.warm else self.first


def measure(job: Job) -> Measured:
    """Time a job here and now: the first call, then the warm ones."""
    kept = _kept()
    value: Any = None
    taken = []
    for _ in range(1 + job.times):
        start = time.perf_counter()
        value = job.call()
        taken.append(float(value) if job.own_clock else time.perf_counter() - start)
    note = job.note(value) if job.note else ""
    usage = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    peak = max(usage) / 1024 if job.own_clock else usage[0] / 1024
    return Measured(
        job.what, job.target, taken[0], taken[1:], peak, job.pairs, job.memory, note, job.processes, _kept() != kept
    )


def _kept() -> int:
    """How many compiled kernels are kept on this machine."""
    places = [os.environ.get("NUMBA_CACHE_DIR"), Path(compiling.__file__).parent / "__pycache__"]
    return sum(1 for place in places if place for _ in Path(place).rglob("*.nbc"))


@dataclass
class Row:
    """The same job in several processes."""

    runs: list[Measured] = field(default_factory=list)

    def cells(self) -> list[str]:
        """What, the warm call with its spread over the processes, the first call, memory and remark, target.

        A row without warm calls has the spread of its first calls.
        """
        one = self.runs[0]
        speed = (lambda s: f"{one.pairs / s / 1e6:.4g} million pairs/s") if one.pairs else _seconds
        first = [run.first for run in self.runs]
        warm = _spread([run.usual for run in self.runs], speed) if one.warm else ""
        peak = f"{max(run.peak for run in self.runs):,.0f} MB" if one.memory else ""
        more = "; ".join(part for part in (peak, one.note) if part)
        return [one.what, warm, speed(statistics.median(first)) if warm else _spread(first, speed), more, one.target]


def _spread(values: list[float], show: Callable[[float], str]) -> str:
    """The median, and from the fastest to the slowest."""
    usual = show(statistics.median(values))
    return f"{usual} ({show(min(values))} to {show(max(values))})" if len(values) > 1 else usual


def _seconds(seconds: float) -> str:
    digits = 3 if seconds < 0.1 else 2 if seconds < 10 else 1 if seconds < 100 else 0
    return f"{seconds:.{digits}f} s"


def in_fresh_processes(section: str, place: int, processes: int) -> Row | str | None:
    """A row of a section, each time in a process of its own; why it is left out; None behind the last row.

    A process in which a kernel had to be compiled is not counted: that is done once on a machine.
    """
    row = Row()
    tries = 0
    while len(row.runs) < processes:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.run", "--row", section, str(place)],
            capture_output=True,
            text=True,
            check=False,
            cwd=Path(__file__).parents[1],
        )
        if done.returncode:
            return f"failed: {why(done)}"
        answer = json.loads(done.stdout.splitlines()[-1])
        if "reason" in answer:
            return str(answer["reason"]) or None
        run = Measured(**answer)
        processes = min(processes, run.processes)
        tries += 1
        if not run.compiled or tries > 2:
            row.runs.append(run)
    return row


def why(done: subprocess.CompletedProcess[str]) -> str:
    """The last line of what a process said; the signal that ended one that said nothing."""
    said = done.stderr.strip().splitlines()[-1:]
    ended = (
        f"ended by {signal.Signals(-done.returncode).name}" if done.returncode < 0 else f"exit code {done.returncode}"
    )
    return ": ".join([ended, *said])


def told(run: Measured) -> str:
    """For the process that asked."""
    return json.dumps(asdict(run))


def own_process(code: str) -> float:
    """Run code in a process of its own; it prints its seconds."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def run_command(folder: Path, *arguments: str, env: dict[str, str] | None = None) -> float:
    """Seconds that the command ontomask takes in a folder."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "ontomask", *arguments], cwd=folder, env=env, check=True)
    return time.perf_counter() - started
