"""How benchmarks time: first and warm calls apart, medians of fresh processes, and their spread."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="not on this system")

from benchmarks.timing import Job, Measured, Row, measure, why

ROOT = Path(__file__).parents[2]


def measured(first: float, *warm: float, **more: object) -> Measured:
    return Measured("job", "<= 1 s", first, list(warm), 100.0, **more)  # type: ignore[arg-type]


def test_the_first_call_is_apart_from_the_warm_ones() -> None:
    calls = iter([9.0, 1.0, 3.0, 2.0])
    made = measure(Job("job", lambda: next(calls), times=3, own_clock=True, note=lambda last: f"last {last}"))
    assert (made.first, made.warm, made.usual, made.note) == (9.0, [1.0, 3.0, 2.0], 2.0, "last 2.0")
    assert not made.compiled


def test_a_call_is_timed_here() -> None:
    called = []
    made = measure(Job("job", lambda: called.append(1), times=2))
    assert len(called) == 3
    assert made.first >= 0
    assert len(made.warm) == 2


def test_a_row_shows_medians_and_the_spread_over_processes() -> None:
    row = Row([measured(9.0, 2.0, 2.0, 50.0), measured(8.0, 3.0), measured(10.0, 1.0)])
    assert row.cells() == ["job", "2.00 s (1.00 s to 3.00 s)", "9.00 s", "", "<= 1 s"]


def test_a_row_without_warm_calls() -> None:
    assert Row([measured(0.5), measured(0.7)]).cells()[1:3] == ["", "0.60 s (0.50 s to 0.70 s)"]


def test_speed_memory_and_remarks() -> None:
    row = Row([measured(1.0, 0.5, pairs=25_000_000, memory=True, note="more")])
    assert row.cells()[1:4] == ["50 million pairs/s", "25 million pairs/s", "100 MB; more"]


@pytest.mark.skipif(sys.platform == "win32", reason="no signals")
@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "ended by SIGKILL"),
        ("raise SystemExit(3)", "exit code 3"),
        ("raise SystemExit('first\\nno such table')", "exit code 1: no such table"),
    ],
)
def test_a_process_that_fails_says_how(code: str, said: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert why(done) == said


@pytest.mark.slow
def test_sections_are_measured_in_processes_of_their_own() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.run", "starting", "--processes", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if line.startswith("| ")]
    assert len(rows) == 3
    assert all(line.count("|") == 6 for line in rows)
    assert "1 fresh processes" in done.stdout


def test_an_unknown_section_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.run", "nonsense"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "no section 'nonsense'" in done.stderr
