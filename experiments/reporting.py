"""What the experiments share: Markdown tables, and sentences on what comes out that are worked out from the numbers."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")
R = TypeVar("R")
WORKERS = int(os.environ.get("EXPERIMENTS_WORKERS", "2"))


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]], digits: int = 2) -> str:
    """A Markdown table; the first column on the left, figures on the right."""
    lines = [f"| {' | '.join(heads)} |", f"|---|{'---:|' * (len(heads) - 1)}"]
    lines += [f"| {' | '.join(_cell(value, digits) for value in row)} |" for row in rows]
    return "\n".join(lines)


def _cell(value: Any, digits: int) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:,.{digits}f}"
    return f"{value:,}" if isinstance(value, (int, np.integer)) else str(value)


def comes_out(holds: Mapping[Any, bool], what: str = "k") -> str:
    """In which of the cases a finding of a paper comes out, as a sentence."""
    at, many = ("at", "k") if what == "k" else ("in", f"{what}s")
    no = [case for case, held in holds.items() if not held]
    if not no:
        return f"Reproduced here {at} every {what} ({len(holds)} of {len(holds)})."
    if len(no) == len(holds):
        return f"**Not reproduced here** {at} any {what} (0 of {len(holds)})."
    yes = len(holds) - len(no)
    return f"**Reproduced here {at} {yes} of {len(holds)} {many}**; not {at} {_listed(no, list(holds))}."


def finding(paper: str, said: str, holds: Mapping[Any, bool], what: str = "k") -> str:
    """A line of a list: what a paper found, and where it comes out."""
    return f"* {paper}: {said}. {comes_out({case: bool(held) for case, held in holds.items()}, what)}"


def _listed(some: Sequence[Any], every: Sequence[Any]) -> str:
    """Cases in words; three or more numbers in a row as a range."""
    runs: list[list[Any]] = []
    for case in some:
        if runs and not isinstance(case, str) and every.index(case) == every.index(runs[-1][-1]) + 1:
            runs[-1].append(case)
        else:
            runs.append([case])
    said = [f"{_cell(r[0], 2)} to {_cell(r[-1], 2)}" if len(r) > 2 else ", ".join(_cell(c, 2) for c in r) for r in runs]
    return ", ".join(said)


def in_parallel(job: Callable[[T], R], tasks: Sequence[T], workers: int = WORKERS) -> dict[T, R]:
    """What a job gives for each task, worked out in some processes at once."""
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return dict(zip(tasks, pool.map(job, tasks, chunksize=8), strict=True))


def wrapped(part: str, width: int = 120) -> str:
    """A part of a page with its lines broken as the docs break them; tables, headings and code stay as they are."""
    if part.startswith(("|", "#", "```")):
        return part
    return "\n".join(
        textwrap.fill(
            line, width, subsequent_indent="  " * line.startswith("* "), break_long_words=False, break_on_hyphens=False
        )
        for line in part.split("\n")
    )


def show(parts: Iterable[str]) -> None:
    """Print the parts of an experiment as they come."""
    for part in parts:
        sys.stdout.write(wrapped(part) + "\n\n")
        sys.stdout.flush()
