"""How often one `ontomask run` does what should be done once: calls of some functions, and what takes part in all.

python tools/count_run.py POLICY DATA          counts the sources that are imported (PYTHONPATH chooses them)

Functions are told by their names, so that sources before and after a move can be compared.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from types import FrameType

import ontomask
from ontomask.cli import main

SOURCES = str(Path(ontomask.__file__).parent)
#: A row of the table, and the names of the functions that count in it, as they are or were.
COUNTED = {
    "factorize": ("factorize",),
    "classes_of": ("classes_of",),
    "check_models": ("check_models",),
    "frames converted": ("take_any", "NativeFrame.of"),
    "match_counts": ("match_counts",),
    "sensitive columns encoded": ("values_of",),
    "distances of columns made": ("yardstick", "FlatColumn.metric", "LineColumn.metric", "NominalColumn.metric"),
    "spaces made": ("RecordDistance.space",),
    "distance_matrix": ("distance_matrix",),
    "distances of positions": ("between",),
    "summarize": ("summarize",),
    "policy_text": ("policy_text",),
}


class Calls:
    """Counts of the calls of our own functions, by module and name."""

    def __init__(self) -> None:
        self.of: Counter[tuple[str, str]] = Counter()

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(SOURCES) and not code.co_name.startswith("<"):
            self.of[code.co_filename, code.co_qualname] += 1

    def named(self, *names: str) -> int:
        return sum(count for (_, name), count in self.of.items() if name in names)


def count(policy: Path, data: Path) -> tuple[Calls, float]:
    """The calls of one run with its reports, and its seconds (counting makes it slower)."""
    calls = Calls()
    with tempfile.TemporaryDirectory() as folder:
        sys.argv = ["ontomask", "run", str(policy), str(data), "-o", str(Path(folder) / "result"), "--quiet"]
        began = time.perf_counter()
        sys.setprofile(calls)
        try:
            main()
        except SystemExit as done:
            if done.code:
                raise
        finally:
            sys.setprofile(None)
    return calls, time.perf_counter() - began


if __name__ == "__main__":
    calls, seconds = count(Path(sys.argv[1]), Path(sys.argv[2]))
    for row, names in COUNTED.items():
        print(f"{row:<28}{calls.named(*names):>8,}")
    print(f"{'modules':<28}{len({module for module, _ in calls.of}):>8,}")
    print(f"{'functions':<28}{len(calls.of):>8,}")
    print(f"{'calls':<28}{sum(calls.of.values()):>8,}")
    print(f"{'seconds, while counted':<28}{seconds:>8.1f}")
