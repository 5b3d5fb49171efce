"""What may be shown in the place of sets: sets of concepts that are true of each of them, and cover all of their items.

A group of sets shows of each item the most specific concept that subsumes an item of every set of the group. So every record
has an item below each concept shown, and each of its items is below one of them. Where some sets are empty or missing and
others are not, nothing is true of all, and * is shown.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, assert_never

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arrays import Floats, Longs
from ontomask.errors import OntomaskError
from ontomask.hierarchies.above import Above
from ontomask.hierarchies.levels import ANY, ColumnLevels, LossKind, any_value
from ontomask.hierarchies.taxonomy_levels import penalties
from ontomask.kernels.generalization import covers_in_common
from ontomask.microdata.columns import Column


class AboveSets:
    """The same as :class:`~ontomask.hierarchies.above.Above` of a column of sets; a node is a set.

    Nodes 0..V-1 are the values, V is what stands for all. Others follow as groups show them: there are too many to list.
    """

    def __init__(self, hierarchy: ColumnLevels) -> None:
        assert hierarchy.items is not None
        assert hierarchy.column.item_sets is not None
        self.hierarchy, self.sets = hierarchy, hierarchy.column.item_sets
        self.items = Above.of(hierarchy.items)
        top = any_value(hierarchy.column)
        self._numbers: list[int] = [*hierarchy.column.centre_of_code.tolist(), int(top.centres[0])]
        self._node = {number: node for node, number in enumerate(self._numbers[:-1])}
        self.any = len(self._numbers) - 1

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def column(self) -> Column:
        return self.hierarchy.column

    @property
    def centres(self) -> NDArray[Any]:
        return np.array(self._numbers, dtype=np.int64)

    @property
    def penalty(self) -> Floats:
        own = penalties(self.column, self.centres)
        own[self.any] = 1.0
        return own

    def node(self, number: int) -> int:
        """The node of a set."""
        if number not in self._node:
            self._node[number] = len(self._numbers)
            self._numbers.append(number)
        return self._node[number]

    def lowest(self, codes: NDArray[np.int32], starts: Longs) -> Longs:
        """Of each group of codes what covers all; ``starts``: where each begins, and the end."""
        order = np.lexsort((codes, np.repeat(np.arange(len(starts) - 1), np.diff(starts))))
        codes, covers = codes[order], self.items.covers
        at, items = self.sets.lists()
        room = np.add.reduceat(np.diff(at)[codes], starts[:-1]) if len(starts) > 1 else np.zeros(0, dtype=np.int64)
        into_at = np.concatenate(([0], np.cumsum(room))).astype(np.int64)
        into = np.full(int(into_at[-1]), -1, dtype=np.int64)
        times, stamp = (np.zeros(len(self.items), dtype=np.int64) for _ in range(2))
        covers_in_common(covers.start, covers.index, at, items, codes, starts, times, stamp, into, into_at)
        own = self.column.centre_of_code
        bare = self.column.is_missing(own) | self.sets.is_empty(own)
        nodes = np.empty(len(starts) - 1, dtype=np.int64)
        for g, (begin, end) in enumerate(pairwise(starts.tolist())):
            if codes[begin] == codes[end - 1]:  # one set, whatever it is
                nodes[g] = codes[begin]
            elif bare[codes[begin:end]].any():
                nodes[g] = self.any
            else:
                shown = into[into_at[g] : into_at[g + 1]]
                nodes[g] = self.node(self.sets.number_of(self.items.centres[shown[shown >= 0]].tolist()))
        return nodes

    def losses(self, codes: NDArray[Any], nodes: NDArray[Any], loss: LossKind) -> Floats:
        """What it costs to show each node in the place of the code beside it."""
        match loss:
            case "ncp":
                shares: Floats = self.penalty[nodes]
                return shares
            case "semantic":
                own = self.column.centre_of_code
                return self.column.metric().scaled(own[codes], self.centres[nodes])
            case "steps":
                pairs, place = np.unique(codes.astype(np.int64) * len(self) + nodes, return_inverse=True)
                steps: Floats = np.array([self._steps(*divmod(int(pair), len(self))) for pair in pairs])
                return steps[place]
            case _:
                assert_never(loss)

    def _steps(self, code: int, node: int) -> float:
        """The mean over the items of a set of the steps up to the nearest concept shown, as a part of the most there can be."""
        if node in (code, self.any):
            return float(node == self.any)
        at, items = self.sets.lists()
        shown, covers = set(self.sets.concepts_of(self._numbers[node])), self.items.covers
        climbed = []
        for item in items[at[code] : at[code + 1]]:
            here = slice(covers.start[item], covers.start[item + 1])
            above = zip(self.items.centres[covers.index[here]].tolist(), self.items.climbed[here].tolist(), strict=True)
            climbed.append(min((steps for concept, steps in above if concept in shown), default=1.0))
        return float(np.mean(climbed)) if climbed else 0.0

    def text(self, node: int) -> Any:
        """What a node shows."""
        return ANY if node == self.any else self.column.decode(self.centres[node : node + 1])[0]

    def shown(self, nodes: Longs) -> pl.Series:
        """What nodes show, as texts."""
        distinct, place = np.unique(nodes, return_inverse=True)
        texts = self.column.decode(self.centres[distinct]).cast(pl.String).to_list()
        told = [ANY if node == self.any else text for node, text in zip(distinct.tolist(), texts, strict=True)]
        return pl.Series(self.column.name, told, dtype=pl.String).gather(place)

    def read(self, codes: NDArray[Any], released: pl.Series, *, one: bool) -> Longs | None:
        """The node that each record shows; None where one shows a set that does not cover its own."""
        texts = released.cast(pl.String)
        hidden = (texts == ANY).fill_null(value=False)
        try:
            column, places = self.column.encode_like(texts.set(hidden, None))
        except OntomaskError:  # it shows what is no concept
            return None
        numbers = column.centre_of_code[places]
        pairs = np.unique(np.array([codes, numbers])[:, ~hidden.to_numpy()], axis=1).T.tolist()
        if not all(self._covers(code, number) for code, number in pairs):
            return None
        nodes = {number: self.node(number) for number in np.unique(numbers).tolist()}
        return np.where(hidden.to_numpy(), self.any, [nodes[number] for number in numbers.tolist()]).astype(np.int64)

    def _covers(self, code: int, number: int) -> bool:
        """Is each item of a set below a concept of another, and each of these above an item?"""
        own = int(self.column.centre_of_code[code])
        if own == number:
            return True
        at, items = self.sets.lists()
        shown = set(self.sets.concepts_of(number))
        above = [set(self.items.centres[self.items.covers.row(i)].tolist()) for i in items[at[code] : at[code + 1]]]
        return bool(above) and bool(shown) and all(own & shown for own in above) and shown <= set().union(*above)


def above_of(hierarchy: ColumnLevels, *, levels: bool = False) -> Above | AboveSets:
    """What may be shown in the place of the values of a column; ``levels``: of single values the levels and nothing else."""
    if hierarchy.items is not None:
        return AboveSets(hierarchy)
    return Above.of_levels(hierarchy) if levels else Above.of(hierarchy)
