"""Groups formed within blocks of near tuples, in several threads: the time grows with the tuples, not faster.

Refinement, which looks at the whole table, improves the groups at the seams (:mod:`ontomask.masking.refinement`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator

from ontomask.arrays import Ints, Longs, starts
from ontomask.distances.sweep import available_cores
from ontomask.errors import Cancelled
from ontomask.microdata.encoding import Rows
from ontomask.operators.aggregation import Operators
from ontomask.operators.cuts import Cuts, make_cuts
from ontomask.progress import Progress, silent
from ontomask.settings import whole_number

#: Distinct combinations in a block, where nobody says how many.
USUAL = 20_000
#: Fewer are not worth a block.
FEWEST = 100
#: Seconds between two reports of progress.
PAUSE = 0.5

#: Groups of rows (None: of tuples) with these operators: the group of each, and how many there are.
Form = Callable[[Operators, Rows | None, Progress], tuple[Ints, int]]


def _block_size(given: Any) -> Any:
    if given in ("auto", "exact"):
        return given
    if isinstance(given, str) or whole_number(given) < FEWEST:
        raise ValueError(f"{given!r} combinations in a block: give {FEWEST} or more, auto or exact")
    return given


BlockSize = Annotated[int | Literal["auto", "exact"], BeforeValidator(_block_size)]


@dataclass(frozen=True, eq=False)
class Blocks:
    """The tuples of each block, in their order."""

    cuts: Cuts
    block_of: Ints
    tuples: list[Longs]

    def __len__(self) -> int:
        return len(self.tuples)

    @property
    def largest(self) -> int:
        return max(map(len, self.tuples))


def blocks_for(
    operators: Operators, size: int | Literal["auto", "exact"], k: int, progress: Progress = silent
) -> Blocks | None:
    """Blocks of a table; None: it is not cut, because it is small, or because sets or units such as persons are compared."""
    tuples = operators.tuples
    most = USUAL if size == "auto" else size
    if most == "exact" or tuples.p <= most or operators.space.sets is not None or tuples.units is not None:
        return None
    operators.neighbours.wait(progress)
    cuts = make_cuts(tuples, operators.distance.metrics, operators.neighbours, most, 2 * k)
    if cuts.blocks == 1:
        return None
    block_of = cuts.block_of(tuples)
    return Blocks(cuts, block_of, _lists(block_of, cuts.blocks))


def _lists(block_of: Ints, blocks: int) -> list[Longs]:
    """What is in each block, in order."""
    order = np.argsort(block_of, kind="stable")
    at = starts(np.bincount(block_of, minlength=blocks))
    return [order[begin:end] for begin, end in pairwise(at)]


def formed_in_blocks(
    operators: Operators, blocks: Blocks, rows: Rows | None, form: Form, progress: Progress
) -> tuple[Ints, int]:
    """The group of each row, or of each tuple if there are no ``rows``, formed in each block by itself.

    Whichever thread forms them, groups are numbered block by block.
    """
    items = blocks.tuples if rows is None else _lists(blocks.block_of[rows.tuple_of], len(blocks))
    place = np.empty(operators.tuples.p, dtype=np.int32)
    for own in blocks.tuples:
        place[own] = np.arange(len(own))
    stopped = threading.Event()

    def heed(done: float, what: str) -> None:
        if stopped.is_set():
            raise Cancelled("stopped in another block")

    def form_one(block: int) -> tuple[Ints, int]:
        own = blocks.tuples[block]
        part = None if rows is None else _part(rows, items[block], place, len(own))
        return form(operators.part(own), part, heed)

    group_of, groups = np.empty(sum(map(len, items)), dtype=np.int32), 0
    with ThreadPoolExecutor(min(available_cores(), len(blocks))) as pool:
        waiting = [pool.submit(form_one, block) for block in range(len(blocks))]
        try:
            for done in _finished(waiting):
                progress(done / len(blocks), f"forming groups in {len(blocks):,} blocks")
        except BaseException:
            stopped.set()
            for future in waiting:
                future.cancel()
            raise
        for own, future in zip(items, waiting, strict=True):
            group, more = future.result()
            group_of[own] = group + groups
            groups += more
    return group_of, groups


def _finished(futures: list[Future[Any]]) -> Iterator[int]:
    """How many have finished, now and then; what went wrong in one of them is raised."""
    left = set(futures)
    while left:
        done, left = wait(left, PAUSE, FIRST_COMPLETED)
        for future in done:
            future.result()
        yield len(futures) - len(left)


def _part(rows: Rows, some: Longs, place: Ints, p: int) -> Rows:
    """Some rows, whose tuples are those of a block; ``place``: of each tuple in its block."""
    return Rows(place[rows.tuple_of[some]], p, None if rows.counts is None else rows.counts[some])
