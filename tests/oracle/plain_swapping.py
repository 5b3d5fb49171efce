"""Rank swapping and hybrid replacement as specification 7 and the papers have them, for checking and for counting outcomes.

Written from docs/specification.md, R17 (section 3, Algorithms 1-3), D12 (Algorithm 2) and M13 (Algorithm 1), without sight of
the product's masking. Slow on purpose. What is left to chance is not repeated here: either a run is followed step by step
and every step must be one that the algorithm may take, or all runs there can be are counted with their probabilities.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tests.oracle.plain_masking import EQUAL, PlainColumn, PlainTable, Record, Value, first_greatest

#: Distances of all records from all.
Square = Sequence[Sequence[float]]
#: Who changed places with whom: (attribute, record, record), the smaller record first.
Swap = tuple[int, int, int]
Chances = dict[Any, Fraction]


def square(table: PlainTable, records: Sequence[Record]) -> list[list[float]]:
    """The distances of all records from all; equal records are measured once."""
    known: dict[tuple[Record, Record], float] = {}
    for one, other in itertools.product(dict.fromkeys(records), repeat=2):
        known[one, other] = table.distance(one, other)
    return [[known[one, other] for other in records] for one in records]


def equal(a: float, b: float) -> bool:
    """Specification 0: closer than a relative 1e-12."""
    return abs(a - b) <= EQUAL * max(abs(a), abs(b))


def below(a: float, b: float) -> bool:
    return a < b and not equal(a, b)


def most_distant(distances: Square) -> int:
    """R17 eq. 5 and 10: the first record with the largest sum of distances to all."""
    return first_greatest(sum(map(Fraction, row)) for row in distances)


def farthest(distances: Square, reference: int, among: Sequence[int]) -> list[int]:
    """R17 eq. 7 and 12: all of the most distant."""
    most = max(distances[reference][i] for i in among)
    return [i for i in among if not below(distances[reference][i], most)]


def neighbours(distances: Square, reference: int, k: int) -> tuple[list[int], list[int], int]:
    """R17 def. 5 and 9, over all records: those surely in the interval, those tied at its edge, how many of these."""
    others = [i for i in range(len(distances)) if i != reference]
    edge = sorted(distances[reference][i] for i in others)[k - 1]
    sure = [i for i in others if below(distances[reference][i], edge)]
    tied = [i for i in others if equal(distances[reference][i], edge)]
    return sure, tied, k - len(sure)


def intervals(distances: Square, reference: int, k: int, records: Sequence[Any] | None = None) -> Chances:
    """Every interval there can be, with its probability.

    Tied records are in random order; with ``records`` equal ones stand together: those that equal the reference first,
    the others group by group in random order, and inside a group in random order.
    """
    sure, tied, need = neighbours(distances, reference, k)
    if records is None:
        choices = list(itertools.combinations(tied, need))
        return {tuple(sorted((*sure, *chosen))): Fraction(1, len(choices)) for chosen in choices}
    groups = equal_records(tied, records)
    own = groups.pop(records[reference], [])
    orders = list(itertools.permutations(groups.values()))
    chances: Chances = {}
    for order in orders:
        room, whole, part = need, list[int](), list[int]()
        for group in [own, *order]:
            if len(group) <= room:
                whole, room = [*whole, *group], room - len(group)
            elif room:
                part = group
                break
        choices = list(itertools.combinations(part, room))
        for chosen in choices:
            _add(chances, tuple(sorted((*sure, *whole, *chosen))), Fraction(1, len(orders) * len(choices)))
    return chances


def equal_records(of: Sequence[int], records: Sequence[Any]) -> dict[Any, list[int]]:
    groups: dict[Any, list[int]] = {}
    for i in of:
        groups.setdefault(records[i], []).append(i)
    return groups


# ---- following a run ---------------------------------------------------------------------------------------------


def follow_records(
    distances: Square,
    k: int,
    turns: Sequence[int],
    source: Sequence[Sequence[int]],
    free: Sequence[Sequence[int]],
    records: Sequence[Any] | None = None,
) -> None:
    """Is this a run of Algorithm 3 (with one attribute: Algorithm 2)? An AssertionError says where it is not.

    ``turns``: the references in order; ``source[a][i]``: the record that value a of record i comes from;
    ``free[a][i]``: how many candidates there were. With ``records`` equal ones are ranked together.
    """
    n, attributes = len(distances), range(len(source))
    done = [[False] * n for _ in attributes]
    last = -1
    for turn, reference in enumerate(turns):
        unfinished = [i for i in range(n) if not all(done[a][i] for a in attributes)]
        assert reference in unfinished, f"turn {turn}: {reference} has had all its values swapped"
        if turn == 0:
            assert reference == most_distant(distances), "the first reference is not the most distant record"
        else:
            assert reference in farthest(distances, last, unfinished), f"turn {turn}: {reference} is not the farthest"
        sure, tied, need = neighbours(distances, reference, k)
        open_ = [a for a in attributes if not done[a][reference]]
        for a in open_:
            partner = source[a][reference]
            if partner != reference:
                assert partner in sure or partner in tied, f"turn {turn}: {partner} is not among the {k} nearest"
                assert not done[a][partner], f"turn {turn}: value {a} of {partner} was swapped before"
                assert source[a][partner] == reference
                assert free[a][partner] == free[a][reference]
            assert (partner == reference) == (free[a][reference] == 0)
        _one_interval(sure, tied, need, reference, open_, done, source, free, records)
        for a in open_:
            done[a][reference] = done[a][source[a][reference]] = True
        last = reference
    assert all(all(flags) for flags in done), "not everything was swapped"


def _one_interval(
    sure: Sequence[int],
    tied: Sequence[int],
    need: int,
    reference: int,
    open_: Sequence[int],
    done: Sequence[Sequence[bool]],
    source: Sequence[Sequence[int]],
    free: Sequence[Sequence[int]],
    records: Sequence[Any] | None,
) -> None:
    """Some choice of tied records gives all the counts of candidates at once, the partners being among them."""
    wanted = []
    for a in open_:
        inside = sum(not done[a][i] for i in sure)
        unswapped = sum(not done[a][i] for i in tied)
        least, most = inside + max(0, need - (len(tied) - unswapped)), inside + min(need, unswapped)
        assert least <= free[a][reference] <= most, f"{free[a][reference]} candidates, not {least} to {most}"
        wanted.append(free[a][reference] - inside)
    forced = {source[a][reference] for a in open_} & set(tied)
    open_of = {i: tuple(int(not done[a][i]) for a in open_) for i in tied}
    nothing = (0,) * (1 + len(open_))
    if records is None:
        reached = _some_of(tied, {nothing}, need, forced, open_of)
    else:
        reached = _group_by_group(equal_records(tied, records), records[reference], nothing, need, forced, open_of)
    assert (need, *wanted) in reached, f"no choice of {need} of the tied records has {wanted} candidates"


#: How many records were chosen, and how many of them hold an unswapped value of each attribute.
State = tuple[int, ...]


def _plus(state: State, step: State, times: int = 1) -> State:
    return tuple(have + times * more for have, more in zip(state, step, strict=True))


def _some_of(
    group: Sequence[int], states: set[State], need: int, forced: set[int], open_of: Mapping[int, State]
) -> set[State]:
    """What can be reached from some state by choosing records of a group, the forced ones at least."""
    for i in forced & set(group):
        states = {_plus(state, (1, *open_of[i])) for state in states}
    for kind, number in Counter(open_of[i] for i in group if i not in forced).items():
        states = {
            _plus(state, (1, *kind), times) for state in states for times in range(min(number, need - state[0]) + 1)
        }
    return {state for state in states if state[0] <= need}


def _group_by_group(
    groups: dict[Any, list[int]],
    own: Any,
    nothing: State,
    need: int,
    forced: set[int],
    open_of: Mapping[int, State],
) -> set[State]:
    """The same where only one group, the last, may be taken in part, and the reference's own is the first."""

    def whole(group: Sequence[int]) -> State:
        return (len(group), *(sum(column) for column in zip(*(open_of[i] for i in group), strict=True)))

    start, others = nothing, dict(groups)
    if own in groups:
        if len(groups[own]) >= need:
            return _some_of(groups[own], {nothing}, need, forced, open_of) if forced <= set(groups[own]) else set()
        start = whole(others.pop(own))
    reached: set[State] = set()
    for last, part in others.items():
        states = {start}
        for name, group in others.items():
            if name != last:
                taken = {_plus(state, whole(group)) for state in states}
                states = taken if forced & set(group) else states | taken
                states = {state for state in states if state[0] < need}
        reached |= _some_of(part, states, need, forced, open_of)
    return reached


def follow_ranking(ranking: Sequence[int], k: int, source: Sequence[int], free: Sequence[int]) -> None:
    """Is this a run of Algorithm 1 along the ranking?"""
    done = [False] * len(ranking)
    for place, record in enumerate(ranking):
        if done[record]:
            continue
        after = [i for i in ranking[place + 1 : place + 1 + k] if not done[i]]
        partner = source[record]
        assert free[record] == len(after)
        assert partner in after if after else partner == record
        assert source[partner] == record
        assert free[partner] == free[record]
        done[record] = done[partner] = True


def ranking_keys(column: PlainColumn, variant: str) -> list[float]:
    """What each record is ranked by: numbers and ranks as they are, missing last; distance from the most distant value
    (R17 def. 3 and 4); or ('distributional') the frequency of its value.
    """
    values = column.column
    if variant == "distributional":
        often = Counter(values)
        return [often[v] for v in values]
    if column.kind in ("ordinal", "numeric"):
        return [float("inf") if v is None else float(column.rank(v)) for v in values]
    reference = values[first_greatest(sum(Fraction(column.separation(x, y)) for y in values) for x in values)]
    return [column.separation(reference, v) for v in values]


# ---- all runs there can be ---------------------------------------------------------------------------------------


def _add(chances: Chances, outcome: Any, chance: Fraction) -> None:
    chances[outcome] = chances.get(outcome, Fraction(0)) + chance


def all_runs_of_records(distances: Square, attributes: int, k: int, records: Sequence[Any] | None = None) -> Chances:
    """The probability of every outcome (a frozenset of swaps) of Algorithms 2 and 3, ties settled record by record.

    With ``records`` equal ones are ranked together.
    """
    n = len(distances)
    known: dict[Any, Chances] = {}

    def from_here(done: frozenset[tuple[int, int]], reference: int) -> Chances:
        """What can be swapped from now on; ``done`` holds (attribute, record)."""
        if (done, reference) in known:
            return known[done, reference]
        chances: Chances = {}
        for interval, likely in intervals(distances, reference, k, records).items():
            for chance, now, swaps in _swap_all(done, reference, interval, attributes):
                unfinished = [i for i in range(n) if any((a, i) not in now for a in range(attributes))]
                part = chance * likely
                if not unfinished:
                    _add(chances, swaps, part)
                    continue
                nexts = farthest(distances, reference, unfinished)
                for other in nexts:
                    for later, its in from_here(now, other).items():
                        _add(chances, swaps | later, part / len(nexts) * its)
        known[done, reference] = chances
        return chances

    return from_here(frozenset(), most_distant(distances))


def _swap_all(
    done: frozenset[tuple[int, int]], reference: int, interval: Sequence[int], attributes: int
) -> Iterator[tuple[Fraction, frozenset[tuple[int, int]], frozenset[Swap]]]:
    """Every way to swap the values of a reference: its probability, what is done then, and the swaps."""
    ways = []
    for a in range(attributes):
        if (a, reference) in done:
            continue
        candidates = [i for i in interval if (a, i) not in done]
        ways.append([(a, i, len(candidates)) for i in candidates] or [(a, reference, 1)])
    for way in itertools.product(*ways):
        chance, now, swaps = Fraction(1), set(done), set()
        for a, partner, number in way:
            chance /= number
            now |= {(a, reference), (a, partner)}
            if partner != reference:
                swaps.add((a, min(reference, partner), max(reference, partner)))
        yield chance, frozenset(now), frozenset(swaps)


def all_runs_of_ranking(keys: Sequence[float], k: int, values: Sequence[Any] | None = None) -> Chances:
    """The probability of every outcome of Algorithm 1, equals in any order; with ``values`` equal ones together."""
    classes: dict[float, list[int]] = {}
    for i, key in enumerate(keys):
        classes.setdefault(key, []).append(i)
    orders = list(itertools.product(*(_orders(classes[key], values) for key in sorted(classes))))
    chances: Chances = {}
    for order in orders:
        ranking = [i for part in order for i in part]
        for swaps, chance in _runs_along(ranking, k, frozenset()).items():
            _add(chances, swaps, chance / len(orders))
    return chances


def _orders(tied: Sequence[int], values: Sequence[Any] | None) -> list[tuple[int, ...]]:
    """Every order of tied records, all equally likely."""
    if values is None:
        return list(itertools.permutations(tied))
    groups = equal_records(tied, values).values()
    return [
        tuple(i for part in parts for i in part)
        for order in itertools.permutations(groups)
        for parts in itertools.product(*(itertools.permutations(group) for group in order))
    ]


def _runs_along(ranking: Sequence[int], k: int, done: frozenset[int]) -> Chances:
    place = next((p for p, i in enumerate(ranking) if i not in done), None)
    if place is None:
        return {frozenset(): Fraction(1)}
    record = ranking[place]
    after = [i for i in ranking[place + 1 : place + 1 + k] if i not in done]
    if not after:
        return _runs_along(ranking, k, done | {record})
    chances: Chances = {}
    for partner in after:
        swap = frozenset({(0, min(record, partner), max(record, partner))})
        for later, chance in _runs_along(ranking, k, done | {record, partner}).items():
            _add(chances, swap | later, chance / len(after))
    return chances


def swaps_of(source: Sequence[Sequence[int]]) -> frozenset[Swap]:
    return frozenset((a, i, j) for a, column in enumerate(source) for i, j in enumerate(column) if i < j)


# ---- what is reported --------------------------------------------------------------------------------------------


def moved(column: PlainColumn, source: Sequence[int]) -> dict[str, float]:
    """How far the values of a column went: relative distances, and how many records are nearer to the old value."""
    old = column.column
    n = len(old)
    distances = [column.relative(v, old[j]) for v, j in zip(old, source, strict=True)]
    ranks = [sum(below(column.relative(v, x), d) for x in old) for v, d in zip(old, distances, strict=True)]
    return {
        "changed": sum(v != old[j] for v, j in zip(old, source, strict=True)) / n,
        "distance_mean": sum(map(Fraction, distances)) / n,
        "distance_max": max(distances),
        "rank_mean": Fraction(sum(ranks), n),
        "rank_max": max(ranks),
    }


def promised(source: Sequence[int], free: Sequence[int]) -> dict[str, float]:
    """What became of k candidates (R17 3.5)."""
    n = len(source)
    chance = sum(Fraction(1, max(f, 1)) for f in free) / n
    return {
        "candidates_mean": Fraction(sum(free), n),
        "candidates_min": min(free),
        "without_partner": Fraction(sum(i == j for i, j in enumerate(source)), n),
        "chance": chance,
        "realised_k": 1 / chance,
    }


# ---- hybrid replacement (M13 Algorithm 1, D12 Algorithm 2) ---------------------------------------------------------


def hybrid_candidates(column: PlainColumn, groups: Sequence[int]) -> list[list[Value]]:
    """For each record what it may become: distinct values of the data within delta_max; flat: the group's, record by
    record. Nominal ones in the order first seen, numbers and ranks by size, missing last.
    """
    values = column.column
    inside: Mapping[int, list[Value]] = {
        g: [v for v, h in zip(values, groups, strict=True) if h == g] for g in set(groups)
    }
    distinct = list(dict.fromkeys(values))
    if column.kind in ("ordinal", "numeric"):
        distinct.sort(key=lambda v: (v is None, 0 if v is None else column.rank(v)))
    found = []
    for x, g in zip(values, groups, strict=True):
        if column.kind == "flat":
            found.append(inside[g])
            continue
        reach = max(column.relative(x, v) for v in inside[g])
        found.append([v for v in distinct if not below(reach, column.relative(x, v))])
    return found


def hybrid(column: PlainColumn, groups: Sequence[int], uniform: Sequence[float]) -> list[Value]:
    """Uniform draws by numbers in [0, 1), one for each record."""
    found = hybrid_candidates(column, groups)
    return [among[int(u * len(among))] for among, u in zip(found, uniform, strict=True)]
