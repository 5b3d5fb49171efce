"""Plain twins of the privacy models, of severity numbers, and of the search over a generalization lattice.

Written from specification 7 to 10 and S18 sections 3 and 4 by definition, with loops over records, and no thought of speed.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
from scipy.optimize import linprog

from tests.oracle.plain import Plain

Value = Any
Key = tuple[Value, ...]
Classes = dict[Key, list[int]]
#: The sensitive values of a class, one list for each column -> the figure of the class.
Figure = Callable[[Sequence[int]], float]


def classes(rows: Sequence[Sequence[Value]]) -> Classes:
    """Records by their quasi-identifiers; a missing value is a value."""
    found: defaultdict[Key, list[int]] = defaultdict(list)
    for i, row in enumerate(rows):
        found[tuple(row)].append(i)
    return dict(found)


# ---- figures of a class (specification 8) ------------------------------------------------------------------------


def distinct(values: Iterable[Hashable]) -> int:
    return len(set(values))


def effective(values: Sequence[Hashable]) -> float:
    """exp of the entropy: entropy l-diversity asks for at least l."""
    shares = [count / len(values) for count in Counter(values).values()]
    return math.exp(-math.fsum(p * math.log(p) for p in shares))


def recursive_holds(values: Sequence[Hashable], c: float, l: int) -> bool:
    """r_1 < c (r_l + ... + r_m); what is equal but for rounding is not less."""
    often = sorted(Counter(values).values(), reverse=True)
    tail = c * sum(often[l - 1 :])
    return often[0] < tail and not math.isclose(often[0], tail, rel_tol=1e-12)


def tail_over_first(values: Sequence[Hashable], l: int) -> float:
    often = sorted(Counter(values).values(), reverse=True)
    return sum(often[l - 1 :]) / often[0]


# ---- values of one meaning, and values that are part of others (docs/privacy.md, "What counts as different") ----------


def spelled(text: str) -> str:
    """Case, Unicode form, blanks and what cannot be seen do not count."""
    for _ in range(2):
        text = unicodedata.normalize("NFKC", text).casefold()
        text = "".join(c for c in text if unicodedata.category(c) != "Cf")
    return " ".join(text.split())


def is_antichain(t: Plain, values: Iterable[str]) -> bool:
    return all(a not in t.subsumers[b] and b not in t.subsumers[a] for a, b in combinations(values, 2))


def widest(t: Plain, values: Iterable[str]) -> int:
    """The most values of which none subsumes another, of all sets of them."""
    present = sorted(set(values))
    sets = (some for size in range(len(present), 0, -1) for some in combinations(present, size))
    return next((len(some) for some in sets if is_antichain(t, some)), 0)


def far_apart(values: Iterable[Any], far: Callable[[Any, Any], bool]) -> int:
    """The most values that are pairwise far apart, of all sets of them."""
    present = sorted(set(values))
    sets = (some for size in range(len(present), 0, -1) for some in combinations(present, size))
    return next((len(some) for some in sets if all(far(a, b) for a, b in combinations(some, 2))), 0)


def assignments(t: Plain, values: Sequence[str]) -> Iterable[list[str]]:
    """Every way to read a value that has more specific ones beside it as one of the most specific of these."""
    present = sorted(set(values))
    below = {v: [w for w in present if w != v and v in t.subsumers[w]] for v in present}
    bottom = [v for v in present if not below[v]]
    choices = [[v] if not below[v] else [w for w in below[v] if w in bottom] for v in present]
    for chosen in product(*choices):
        read = dict(zip(present, chosen, strict=True))
        yield [read[v] for v in values]


def earth_mover(part: Sequence[Hashable], whole: Sequence[Hashable], apart: Callable[[Any, Any], float]) -> float:
    """The least cost of turning the distribution of one list into that of the other, as a linear programme."""
    here, there = Counter(part), Counter(whole)
    a, b = list(here), list(there)
    costs = [apart(x, y) for x in a for y in b]
    rows = np.kron(np.eye(len(a)), np.ones(len(b)))
    columns = np.kron(np.ones(len(a)), np.eye(len(b)))
    shares = [here[x] / len(part) for x in a] + [there[y] / len(whole) for y in b]
    # The last equation follows from the others.
    solved = linprog(costs, A_eq=np.vstack((rows, columns))[:-1], b_eq=shares[:-1], method="highs")
    assert solved.status == 0, solved.message
    return float(solved.fun)


def equal_ground(a: Hashable, b: Hashable) -> float:
    return float(a != b)


def ordered_ground(places: Sequence[Hashable]) -> Callable[[Any, Any], float]:
    """Values that occur, in order, the i-th and j-th at |i - j| over their number less one."""
    rank = {value: i for i, value in enumerate(places)}
    return lambda a, b: abs(rank[a] - rank[b]) / max(len(rank) - 1, 1)


def hierarchical_ground(t: Plain) -> Callable[[Any, Any], float]:
    """The height of the lowest concept that subsumes both over that of the taxonomy, both in links; 0 from itself."""
    top = t.height[t.root] - 1

    def apart(a: str, b: str) -> float:
        if a == b:
            return 0.0
        return (min(t.height[c] for c in t.subsumers[a] & t.subsumers[b]) - 1) / top

    return apart


# ---- findings ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PlainFinding:
    """``failing``: figure and records of each class that fails."""

    holds: bool
    worst: float
    failing: dict[Key, tuple[float, int]]
    records: int


def finding(
    of: Classes, figure: Figure, fails: Callable[[Sequence[int]], bool], *, largest: bool = False
) -> PlainFinding:
    figures = {key: figure(rows) for key, rows in of.items()}
    failing = {key: (figures[key], len(rows)) for key, rows in of.items() if fails(rows)}
    worst = max(figures.values()) if largest else min(figures.values())
    return PlainFinding(not failing, worst, failing, sum(n for _, n in failing.values()))


def km_sizes(rows: Sequence[Sequence[Value]], m: int) -> dict[tuple[int, ...], dict[Key, list[int]]]:
    """The classes of every set of at most m columns."""
    width = len(rows[0])
    sets = [some for size in range(1, m + 1) for some in combinations(range(width), size)]
    return {some: classes([[row[a] for a in some] for row in rows]) for some in sets}


# ---- severity (specification 9, S18 definitions 1 to 3) ------------------------------------------------------------


@dataclass(frozen=True)
class PlainSeverity:
    """Special values sets: (column, small class, members); columns without a taxonomy."""

    sets: Sequence[tuple[str, str, frozenset[str]]]

    def _inside(self, column: str, value: Value, lead: str) -> int:
        return sum(value in members for c, small, members in self.sets if c == column and small.startswith(lead))

    def _second_rule(self, column: str, value: Value, m: int) -> int:
        return self._inside(column, value, f"2.{m}.")

    @property
    def domain(self) -> set[tuple[str, Value]]:
        """Every value that a set names, and one that none does."""
        return {(c, v) for c, _, members in self.sets for v in [*members, None]}

    @property
    def n(self) -> int:
        """N: the largest number by the second rule, of values that are in no set of large class 1."""
        return max(
            (self._second_rule(c, v, m) for c, v in self.domain if not self._inside(c, v, "1.") for m in (1, 2, 3)),
            default=0,
        )

    def number(self, column: str, value: Value, m: int) -> int:
        grave = self._inside(column, value, "1.")
        return grave + self.n if grave else self._second_rule(column, value, m)

    @property
    def largest(self) -> int:
        return max(self.number(c, v, m) for c, v in self.domain for m in (1, 2, 3))

    def diverse(
        self, rows: Sequence[Mapping[str, Value]], columns: Sequence[str], kinds: Sequence[int], how: Any
    ) -> float:
        """The least, over columns and types m, of how diverse the numbers of a class are."""
        return min(how([self.number(c, row[c], m) for row in rows]) for c in columns for m in kinds)

    def room(self, rows: Sequence[Mapping[str, Value]], columns: Sequence[str], kinds: Sequence[int]) -> float:
        """For the worst type m: how far the least severe record lies below N_max."""
        least = (min(max(self.number(c, row[c], m) for c in columns) for row in rows) for m in kinds)
        return self.largest - max(least)


# ---- the lattice (specification 7) ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class PlainLevels:
    """For each level what is shown for a value, and the part of the domain that it covers."""

    levels: Sequence[Mapping[Value, tuple[Value, float]]]

    def __len__(self) -> int:
        return len(self.levels)


def plain_levels(
    values: Iterable[Value], levels: Sequence[Mapping[Value, tuple[Value, float]]], top: bool = False
) -> PlainLevels:
    """The values themselves, the levels given, and one value for all, unless the last level is that whatever the data;
    levels that join nothing keep their numbers."""
    present = list(dict.fromkeys(values))
    found: list[Mapping[Value, tuple[Value, float]]] = [{v: (v, 0.0) for v in present}]
    for level in levels:
        found.append({v: level[v] for v in present})
    if len(set(found[-1].values())) > 1 or not top:
        found.append(dict.fromkeys(present, ("*", 1.0)))
    return PlainLevels(found)


def taxonomy_levels(t: Plain, values: Sequence[Value], cut: str) -> PlainLevels:
    """A tree's ancestors by depth from the root or by height from the leaves; NCP by leaves."""
    leaves = {c: sum(not t.children[d] for d in {c, *t.descendants[c]}) for c in t.parents}
    known = [v for v in values if v is not None]
    if cut == "depth":
        limits = range(max(t.depth[v] for v in known) - 1, 0, -1) if known else range(0)
        stays = {limit: (lambda c, limit=limit: t.depth[c] <= limit) for limit in limits}
    else:
        limits = range(2, t.height[t.root] + 1)
        stays = {limit: (lambda c, limit=limit: t.height[c] >= limit) for limit in limits}

    def above(c: str, fine: Callable[[str], bool]) -> str:
        while not fine(c):
            (c,) = t.parents[c]
        return c

    levels: list[dict[Value, tuple[Value, float]]] = []
    for limit in limits:
        shown = {v: above(v, stays[limit]) for v in known}
        level: dict[Value, tuple[Value, float]] = {
            v: (c, (leaves[c] - 1) / max(leaves[t.root] - 1, 1)) for v, c in shown.items()
        }
        levels.append(level | ({None: (None, 0.0)} if None in values else {}))
    column_levels = plain_levels(values, levels, top=bool(levels) and all(levels[-1][v][0] == t.root for v in known))
    # An inner concept covers all below it, also where it is shown as it was.
    own = {v: (v, 0.0 if v is None else (leaves[v] - 1) / max(leaves[t.root] - 1, 1)) for v in column_levels.levels[0]}
    return PlainLevels([own, *column_levels.levels[1:]])


def file_levels(rows: Mapping[str, Sequence[str]], values: Sequence[Value]) -> PlainLevels:
    """A file of levels: the values that share a label, less one, over all values of the file, less one."""
    levels: list[dict[Value, tuple[Value, float]]] = []
    for place in range(len(next(iter(rows.values())))):
        sizes = Counter(labels[place] for labels in rows.values())
        level: dict[Value, tuple[Value, float]] = {None: (None, 0.0)}
        for value in values:
            if value is not None:
                label = rows[value][place]
                level[value] = (label, (sizes[label] - 1) / max(len(rows) - 1, 1))
        levels.append(level)
    return plain_levels(values, levels, top=bool(levels) and len(sizes) == 1)


def interval_levels(cuts: Sequence[Sequence[int]], values: Sequence[Value], built: bool) -> PlainLevels:
    """Whole numbers between cut points, shown by their ends; an interval's part of the range."""
    known = [v for v in values if v is not None]
    extent = max(known) - min(known)
    levels: list[dict[Value, tuple[Value, float]]] = []
    for points in cuts:
        level: dict[Value, tuple[Value, float]] = {None: (None, 0.0)}
        for v in known:
            low, high = next((a, b) for a, b in pairwise(points) if a <= v < b)
            shown = f"{low}-{high - 1}" if high - low > 1 else f"{low}"
            level[v] = (shown, min((high - low) / extent, 1.0) if extent else 1.0)
        levels.append(level)
    return plain_levels(values, levels, top=not built and len(cuts[-1]) == 2)


def masked_levels(values: Sequence[Value], side: str) -> PlainLevels:
    """Texts masked one character after the other; NCP by the texts that occur."""
    texts = {v for v in values if v is not None}
    levels: list[dict[Value, tuple[Value, float]]] = []
    for n in range(1, max(map(len, texts), default=0)):
        shown = {
            v: v[: max(len(v) - n, 0)] + "*" * min(n, len(v))
            if side == "right"
            else "*" * min(n, len(v)) + v[min(n, len(v)) :]
            for v in texts
        }
        sizes = Counter(shown.values())
        level: dict[Value, tuple[Value, float]] = {
            v: (s, (sizes[s] - 1) / max(len(texts) - 1, 1)) for v, s in shown.items()
        }
        levels.append(level | {None: (None, 0.0)})
    return plain_levels(values, levels)


@dataclass(frozen=True)
class PlainNode:
    """What a node of the lattice comes to."""

    shown: list[Key]
    suppressed: list[int]
    holds: bool
    loss: float


class PlainLattice:
    """Every node, one by one."""

    def __init__(
        self,
        records: Sequence[Sequence[Value]],
        all_levels: Sequence[PlainLevels],
        fails: Sequence[Callable[[Sequence[int]], bool]],
        limit: float = 0.0,
        cost: Callable[[int, int, Value], float] | None = None,
    ) -> None:
        """``fails``: each model, of the record numbers of a class. ``cost``: of a column, level and value."""
        self.records, self.all_levels, self.fails = records, all_levels, fails
        self.allowed = math.floor(limit * len(records) + 1e-9)
        self.cost = cost or (lambda a, level, value: all_levels[a].levels[level][value][1])
        self.nodes = {
            node: self._node(node) for node in product(*(range(len(column_levels)) for column_levels in all_levels))
        }

    def _node(self, node: tuple[int, ...]) -> PlainNode:
        shown = [
            tuple(
                column_levels.levels[level][v][0]
                for column_levels, level, v in zip(self.all_levels, node, record, strict=True)
            )
            for record in self.records
        ]
        suppressed = sorted(i for rows in classes(shown).values() if any(f(rows) for f in self.fails) for i in rows)
        gone = set(suppressed)
        losses = [
            1.0
            if i in gone
            else math.fsum(self.cost(a, level, v) for a, (level, v) in enumerate(zip(node, record, strict=True)))
            / len(node)
            for i, record in enumerate(self.records)
        ]
        return PlainNode(shown, suppressed, len(suppressed) <= self.allowed, math.fsum(losses) / len(losses))

    @property
    def satisfying(self) -> set[tuple[int, ...]]:
        return {node for node, found in self.nodes.items() if found.holds}

    @property
    def minimal(self) -> set[tuple[int, ...]]:
        """Those that satisfy with no direct predecessor that does."""
        good = self.satisfying
        return {node for node in good if not any(below in good for below in predecessors(node))}

    @property
    def least(self) -> float:
        return min(self.nodes[node].loss for node in self.satisfying)


def predecessors(node: tuple[int, ...]) -> list[tuple[int, ...]]:
    """One column one level lower."""
    return [(*node[:a], level - 1, *node[a + 1 :]) for a, level in enumerate(node) if level]
