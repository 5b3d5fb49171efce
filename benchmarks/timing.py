"""How things are timed here."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("ONTOMASK_DATA", Path(__file__).parents[2] / "shared" / "data"))
PEAK = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"

Row = tuple[str, str, str]  # what, measured, target


def best(job: Callable[[], Any], times: int = 3) -> float:
    """Seconds of the fastest of some runs, after one that is not counted."""
    job()
    return min(timed(job) for _ in range(times))


def timed(job: Callable[[], Any]) -> float:
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def fresh(code: str) -> list[float]:
    """Run code in a process of its own; what it prints are numbers."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return [float(line) for line in done.stdout.split()]
