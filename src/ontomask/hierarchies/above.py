"""What may be shown in the place of each value, the most specific first; and of several values what covers them all.

In a taxonomy any concept above a value may stand for it, whichever of several parents leads there. A hierarchy of another
kind has its levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, assert_never

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arrays import Floats, Longs
from ontomask.hierarchies.levels import ANY, ANY_LEVEL, ColumnLevels, LossKind
from ontomask.kernels.generalization import first_in_common
from ontomask.microdata.columns import Column, Meaning
from ontomask.taxonomy.dag import Csr

#: Distances that are held at once.
MOST_PAIRS = 20_000_000


@dataclass(frozen=True, eq=False)
class Above:
    """The nodes that cover each code of a column: row c of ``covers``, in ascending order, the code itself first.

    Nodes 0..V-1 are the values as they are written. Above them stand the levels of the hierarchy, one after the other; of a
    taxonomy all concepts above the values, those with the fewest leaves first, of these the deepest, then the first in
    order. So a node comes before all that is more general, and the first node that several codes have in common is a
    lowest common subsumer of theirs: no other one that covers them all lies below it or covers fewer leaves.

    ``climbed``: of each entry of ``covers`` the steps from the code up, as a part of the most there can be. ``centres``,
    ``penalty``: of each node, as on a :class:`~ontomask.hierarchies.levels.Level`.
    """

    hierarchy: ColumnLevels
    covers: Csr
    climbed: Floats
    centres: NDArray[Any]
    penalty: Floats
    _texts: dict[int, Any]

    @staticmethod
    def of(hierarchy: ColumnLevels) -> Above:
        """Any concept above a value where the hierarchy climbs a taxonomy, else the levels."""
        meaning = hierarchy.column.meaning
        if hierarchy.free and meaning is not None:
            return _concepts(hierarchy, meaning)
        return Above.of_levels(hierarchy)

    @staticmethod
    def of_levels(hierarchy: ColumnLevels) -> Above:
        """The levels and nothing else."""
        values, levels = len(hierarchy.column), len(hierarchy)
        offsets = np.cumsum([0, *(len(level) for level in hierarchy.levels)])
        nodes = np.stack(
            [level.group + offset for level, offset in zip(hierarchy.levels, offsets, strict=False)], axis=1
        )
        covers = Csr(np.arange(values + 1, dtype=np.int64) * levels, nodes.ravel().astype(np.int32))
        climbed = np.tile(np.arange(levels) / max(levels - 1, 1), values)
        texts = [text for level in hierarchy.levels for text in level.shown.to_list()]
        penalty = np.concatenate([level.penalty for level in hierarchy.levels])
        return Above(hierarchy, covers, climbed, _centres(hierarchy), penalty, dict(enumerate(texts)))

    def __len__(self) -> int:
        return len(self.centres)

    @property
    def column(self) -> Column:
        return self.hierarchy.column

    def lowest(self, codes: NDArray[np.int32], starts: Longs) -> Longs:
        """Of each group of codes the most specific node that covers all; ``starts``: where each begins, and the end."""
        into = np.zeros(len(starts) - 1, dtype=np.int64)
        room = np.zeros(int(self.covers.lengths().max(initial=1)), dtype=np.int32)
        first_in_common(self.covers.start, self.covers.index, codes, starts, room, into)
        return into

    def entries(self, codes: NDArray[Any], nodes: NDArray[Any]) -> Longs:
        """Where in ``covers`` each code has a node that covers it."""
        places: Longs = np.searchsorted(self._keys, codes.astype(np.int64) * len(self) + nodes)
        return places

    @cached_property
    def _keys(self) -> Longs:
        rows = np.repeat(np.arange(len(self.column), dtype=np.int64), self.covers.lengths())
        keys: Longs = rows * len(self) + self.covers.index
        return keys

    def losses(self, codes: NDArray[Any], nodes: NDArray[Any], loss: LossKind) -> Floats:
        """What it costs to show each node in the place of the code beside it."""
        if loss not in self._costs:
            self._costs[loss] = self.costs(loss)
        return self._costs[loss][self.entries(codes, nodes)]

    @cached_property
    def _costs(self) -> dict[str, Floats]:
        return {}

    def costs(self, loss: LossKind) -> Floats:
        """What it costs to show each node of ``covers`` in the place of its code."""
        match loss:
            case "ncp":
                return self.penalty[self.covers.index]
            case "semantic":
                return self._distances()
            case "steps":
                return self.climbed
            case _:
                assert_never(loss)

    def _distances(self) -> Floats:
        metric = self.column.metric()
        codes = np.repeat(np.arange(len(self.column)), self.covers.lengths())
        own, centres = self.column.centre_of_code, self.centres[self.covers.index]
        if metric.on_line or not self.column.graded:
            return metric.scaled(own[codes], centres)
        # All codes from all centres, a few codes at a time.
        among = np.unique(centres)
        place = np.searchsorted(among, centres)
        height = max(1, MOST_PAIRS // len(among))
        raw = np.zeros(len(centres))
        for first in range(0, len(own), height):
            here = slice(self.covers.start[first], self.covers.start[min(first + height, len(own))])
            raw[here] = metric.between(own[first : first + height], among)[codes[here] - first, place[here]]
        return metric.on_scale(raw)

    def text(self, node: int) -> Any:
        """What a node shows."""
        if node not in self._texts:
            assert self.column.meaning is not None
            self._texts[node] = self.column.meaning.spell(int(self.centres[node]))
        return self._texts[node]

    def read(self, codes: NDArray[Any], released: pl.Series, *, one: bool) -> Longs | None:
        """The node that each record shows, the most specific of equals; None where one shows what no node of its code shows.

        ``codes``: of the records; ``one``: of one level in all records, if there is such.
        """
        cell = self.column.attribute.cell
        texts = [cell(value) for value in released.to_list()]
        place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        text_of = np.array([place[text] for text in texts], dtype=np.int64)
        pairs, pair_of = np.unique(codes.astype(np.int64) * len(place) + text_of, return_inverse=True)
        told = list(place)
        candidates = [
            [node for node in self.covers.row(code).tolist() if cell(self.text(node)) == told[text]]
            for code, text in zip((pairs // len(place)).tolist(), (pairs % len(place)).tolist(), strict=True)
        ]
        if not all(candidates):
            return None
        found = np.array([nodes[0] for nodes in candidates], dtype=np.int64)
        if one and candidates:
            ends = np.cumsum([len(level) for level in self.hierarchy.levels])
            for begin, end in zip(np.append(0, ends[:-1]), ends, strict=True):
                level = [next((node for node in nodes if begin <= node < end), -1) for nodes in candidates]
                if min(level) >= 0:
                    found = np.array(level, dtype=np.int64)
                    break
        return found[pair_of]

    def shown(self, nodes: Longs) -> pl.Series:
        """What nodes show: of the column's own type if all are values as they are written, else text where it must be."""
        own = self.column.values.dtype
        alike = all(level.shown.dtype == own for level in self.hierarchy.levels) or bool(
            (nodes < len(self.column)).all()
        )
        distinct, place = np.unique(nodes, return_inverse=True)
        texts = pl.Series(self.column.name, [None] * len(distinct), dtype=own if alike else pl.String)
        if len(distinct):
            values = [self.text(int(node)) for node in distinct]
            texts = _series(self.column, distinct, values, alike=alike)
        return texts.gather(place)


def _series(column: Column, nodes: Longs, values: list[Any], *, alike: bool) -> pl.Series:
    """The texts of nodes; values of another type are written as Polars writes them."""
    if alike:
        return pl.Series(column.name, values, dtype=column.values.dtype)
    own = column.values.cast(pl.String).to_list()
    texts = [own[node] if node < len(own) else value for node, value in zip(nodes.tolist(), values, strict=True)]
    return pl.Series(column.name, texts, dtype=pl.String)


def _centres(hierarchy: ColumnLevels) -> NDArray[Any]:
    """The centres of all levels; flat values of different levels are different values."""
    values, flat, beyond = len(hierarchy.column), not hierarchy.column.graded, 0
    parts = [hierarchy.levels[0].centres]
    for level in hierarchy.levels[1:]:
        parts.append(
            np.where(level.centres >= values, level.centres + beyond, level.centres) if flat else level.centres
        )
        beyond += len(level) if flat else 0
    return np.concatenate(parts)


def _concepts(hierarchy: ColumnLevels, meaning: Meaning) -> Above:
    """The values, the concepts above them, and what stands for all of them and missing values together."""
    dag, values, own = meaning.taxonomy.dag, len(meaning.concepts), hierarchy.levels[0]
    known = np.flatnonzero(meaning.concepts >= 0)
    pairs = dag.ancestor_pairs(meaning.concepts[known])
    above = np.unique(pairs.concept)
    leaves = np.maximum(dag.leaf_counts, 1)
    ranked = above[np.lexsort((above, -dag.depth[above], leaves[above]))]
    node = np.zeros(len(dag), dtype=np.int64)
    node[ranked] = values + np.arange(len(ranked))
    top = hierarchy.levels[-1] if hierarchy.levels[-1].name == ANY_LEVEL else None
    most = max(len(hierarchy) - 1, 1)
    codes = np.arange(values)
    entries = [(codes, codes, np.zeros(values)), (known[pairs.row], node[pairs.concept], pairs.links / most)]
    centres = [own.centres, ranked]
    penalty = [own.penalty, (leaves[ranked] - 1) / max(int(leaves[dag.root]) - 1, 1)]
    texts: dict[int, Any] = dict(enumerate(own.shown.to_list()))
    if top is not None:
        last = values + len(ranked)
        entries.append((codes, np.full(values, last), np.ones(values)))
        centres.append(top.centres[:1])
        penalty.append(np.ones(1))
        texts[last] = ANY
    code, covering, climbed = (np.concatenate(part) for part in zip(*entries, strict=True))
    order = np.lexsort((covering, code))
    covers = Csr.of(values, code[order], covering[order])
    return Above(hierarchy, covers, climbed[order], np.concatenate(centres), np.concatenate(penalty), texts)
