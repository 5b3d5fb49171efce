"""Recoding: the rarest combinations of values take the values of the nearest other combination (T12 ch. 5)."""

from __future__ import annotations

import heapq
from collections.abc import Collection
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from ontomask.arguments import counted
from ontomask.kernels.blocks import new_blocks
from ontomask.kernels.ordering import near_order
from ontomask.kernels.recoding import new_moves, recoding_steps
from ontomask.kernels.space import new_point
from ontomask.masking.goals import Goals
from ontomask.masking.method import GroupingMethod, Masked, MaskedTuples, RecordDistanceMethod, TupleMethod
from ontomask.microdata.encoding import Tuples, TupleUnits
from ontomask.operators.ordering import Comparison
from ontomask.progress import Progress
from ontomask.statements import Statement, note, promised
from ontomask.wording import RECORD, Unit


class Recoding(TupleMethod, RecordDistanceMethod, GroupingMethod):
    """Every record keeps values that a record of the data really has; rare combinations move to near ones.

    Notes
    -----
    ``guide`` says where they move: ``semantic``, to the nearest (T12 Alg. 2); ``discernibility``, to the rarest;
    ``random``, to a random record's. ``order``: the rarest first (T12's heuristic H1), or in alphabetical order; the
    last exists for the thesis' comparison only.

    Examples
    --------
    >>> import ontomask as om
    >>> om.Recoding(5, guide="semantic")
    Recoding(k=5, guide='semantic')
    """

    name: Literal["recoding"] = "recoding"
    guide: Literal["semantic", "discernibility", "random"] = Field(
        default="semantic", description="rare combinations move to the nearest, the rarest, or a random one"
    )
    order: Literal["rarest_first", "alphabetical"] = Field(
        default="rarest_first", description="which combinations move first; alphabetical goes with guide random"
    )
    comparison: Comparison = Field(
        default="weighted", description="weighted multiplies distances by frequency (T12 Alg. 2); plain does not"
    )

    @model_validator(mode="after")
    def _order_has_a_meaning(self) -> Recoding:
        if self.order == "alphabetical" and self.guide != "random":
            raise ValueError("order='alphabetical' needs guide='random'")
        return self

    @property
    def no_baseline(self) -> str | None:
        blind = "it does not use the meaning of values" if self.guide != "semantic" else None
        return super().no_baseline or blind

    def on_labels(self, columns: Collection[str]) -> Self:
        return super().on_labels(columns).changed(comparison="plain")

    @property
    def refuses_sets(self) -> str | None:
        return None

    @property
    def aims(self) -> bool:
        return False

    @property
    def draws(self) -> bool:
        return self.guide == "random" and self.k > 1

    def mask_tuples(self, goals: Goals, table: Tuples, rng: np.random.Generator, progress: Progress) -> MaskedTuples:
        self.require_enough(table)
        if self.guide == "random":
            moves = _at_random(table, self.k, rng, progress, alphabetical=self.order == "alphabetical")
        elif self.guide == "discernibility":
            moves = _to_the_rarest(table, self.k, progress)
        else:
            moves = self._by_kernel(table, progress)
        into = _follow(moves)
        kept, group_of_tuple = np.unique(into, return_inverse=True)
        moved = int(table.counts[into != np.arange(table.p)].sum())
        centres = [column.centre_of_code[codes[kept]] for column, codes in zip(table.columns, table.codes, strict=True)]
        notes = [note(f"{moved:,} of {counted(table.n, 'record')} took the values of others")]
        return MaskedTuples(Masked(group_of_tuple.astype(np.int32), centres, notes))

    def _by_kernel(self, table: Tuples, progress: Progress) -> NDArray[np.int32]:
        progress(0.0, "measuring distances between values")
        space = self.record_distance(table).space(table)
        blocks = new_blocks(space, table.sizes, near_order(space))
        units = table.units
        moves = new_moves(table.p) if units is None else new_moves(table.p, units.at, units.unit)
        point = new_point(space)
        weighted = self.comparison == "weighted"
        stride = max(1, 50_000_000 // (table.p + 1000))
        done = 0
        while not recoding_steps(space, blocks, point, moves, self.k, weighted, stride):
            done += stride
            progress(min(1.0, done / table.p), "moving rare combinations")
        return moves.into

    @property
    def title(self) -> str:
        return "Recoding"

    def explain(self, unit: Unit = RECORD) -> str:
        to = {"semantic": "the nearest in meaning", "discernibility": "the rarest", "random": "a random one"}[
            self.guide
        ]
        return (
            f"Combinations of values with fewer than {unit.counted(self.k)} were replaced by another combination of "
            f"the data ({to}), until each has at least {unit.counted(self.k)}."
        )

    def _assured(self, unit: Unit) -> list[Statement]:
        return [
            promised(
                f"Every combination of masked quasi-identifiers is shared by at least {unit.counted(self.k)} and "
                "occurs in the original data."
            )
        ]


def _follow(into: NDArray[np.int32]) -> NDArray[np.int64]:
    """Where each tuple ended up: what moved may have moved on."""
    final = into.astype(np.int64)
    while True:
        further = final[final]
        if (further == final).all():
            return final
        final = further


class Frequencies:
    """How many records, or other units, show each tuple, while some move to others."""

    def __init__(self, of: Any, units: TupleUnits | None) -> None:
        self.of = of
        self._units = None if units is None else [set(part.tolist()) for part in np.split(units.unit, units.at[1:-1])]

    def move(self, tuple_: int, target: int) -> None:
        """All records of a tuple show the target from now on."""
        if self._units is None:
            self.of[target] += self.of[tuple_]
        else:
            self._units[target] |= self._units[tuple_]
            self.of[target] = len(self._units[target])
        self.of[tuple_] = 0


def _to_the_rarest(table: Tuples, k: int, progress: Progress) -> NDArray[np.int32]:
    """T12 5.2.3: the rarest tuples move to the rarest other one, which raises the sum of squared sizes least."""
    frequencies = Frequencies(table.sizes.tolist(), table.units)
    weight = frequencies.of
    into = np.arange(len(weight), dtype=np.int32)
    heap = [(w, t) for t, w in enumerate(weight)]
    heapq.heapify(heap)

    def rarest() -> int:
        """The rarest tuple of all, the first of equals; entries of the heap that no longer hold are dropped."""
        while heap[0][0] != weight[heap[0][1]]:
            heapq.heappop(heap)
        return heap[0][1]

    while (least := weight[rarest()]) < k:
        progress(least / k, "moving rare combinations")
        turn = []
        while heap and heap[0][0] == least:
            t = heapq.heappop(heap)[1]
            if weight[t] == least:
                turn.append(t)
        for place, t in enumerate(turn):
            if weight[t] != least:
                continue  # the one before it has joined it
            # The next of these is the rarest other one; after the last of them, whatever the heap has.
            target = turn[place + 1] if place + 1 < len(turn) else rarest()
            before = weight[target]
            frequencies.move(t, target)
            into[t] = target
            if weight[target] != before:  # else it is where it was: in its turn, or in the heap
                heapq.heappush(heap, (weight[target], target))
    return into


def _at_random(
    table: Tuples, k: int, rng: np.random.Generator, progress: Progress, *, alphabetical: bool
) -> NDArray[np.int32]:
    """T12 5.2.2: combinations below k move to that of a random other record, until none is left."""
    into = np.arange(table.p, dtype=np.int32)
    frequencies = Frequencies(table.sizes.copy(), table.units)
    weight = frequencies.of
    if alphabetical:
        texts = [column.values.cast(str, strict=False).to_list() for column in table.columns]
        by_text = sorted(
            range(table.p),
            key=lambda t: [str(text[c]) for text, c in zip(texts, table.codes[:, t].tolist(), strict=True)],
        )
    while True:
        rare = np.flatnonzero((weight > 0) & (weight < k))
        if len(rare) == 0:
            return into
        progress(1 - len(rare) / table.p, "moving rare combinations")
        if alphabetical:
            is_rare = set(rare.tolist())
            turn = [t for t in by_text if t in is_rare]
        else:
            least = weight[rare].min()
            turn = rare[weight[rare] == least].tolist()
        frequency = weight[turn].copy()
        for t, before in zip(turn, frequency, strict=True):
            if weight[t] != before or weight[t] >= k:
                continue  # others have joined it
            others = weight.copy()
            others[t] = 0
            target = int(np.searchsorted(np.cumsum(others), rng.integers(others.sum()), side="right"))
            frequencies.move(t, target)
            into[t] = target
