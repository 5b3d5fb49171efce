"""What the experiments share: Markdown tables, and sentences on what comes out that are worked out from the numbers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")
R = TypeVar("R")


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]], digits: int = 2) -> str:
    """A Markdown table; the first column on the left, figures on the right. The least figure of a row is not marked:
    what counts as best differs from table to table.
    """
    lines = [f"| {' | '.join(heads)} |", f"|---|{'---:|' * (len(heads) - 1)}"]
    lines += [f"| {' | '.join(_cell(value, digits) for value in row)} |" for row in rows]
    return "\n".join(lines)


def _cell(value: Any, digits: int) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:,.{digits}f}"
    return f"{value:,}" if isinstance(value, (int, np.integer)) else str(value)


def comes_out(holds: Mapping[Any, bool], what: str = "k") -> str:
    """In which of the cases a finding of the thesis comes out, as a sentence."""
    no = [case for case, held in holds.items() if not held]
    if not no:
        return f"It comes out here at every {what} ({len(holds)} of {len(holds)})."
    if len(no) == len(holds):
        return f"**It does not come out here** at any {what} (0 of {len(holds)})."
    failed = ", ".join(f"{case:,}" if isinstance(case, int) else str(case) for case in no)
    return f"**It comes out here at {len(holds) - len(no)} of {len(holds)}** {what}; not at {failed}."


def in_parallel(job: Callable[[T], R], tasks: Sequence[T], workers: int = 2) -> dict[T, R]:
    """What a job gives for each task; the kernels let two run at once."""
    with ThreadPoolExecutor(workers) as pool:
        return dict(zip(tasks, pool.map(job, tasks), strict=True))


def show(parts: Iterable[str]) -> None:
    """Print the paragraphs of an experiment as they come."""
    for part in parts:
        sys.stdout.write(part + "\n\n")
        sys.stdout.flush()
