"""Members of special values sets: from a definition to sets over cells, with every error found on the way."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ontomask.arguments import counted, did_you_mean, some_of
from ontomask.arrays import Floats
from ontomask.errors import OntomaskError
from ontomask.severity.classes import MIDDLE_TYPES, PAIRS, riopsi
from ontomask.severity.definition import Definition, Selection, SpecialSet
from ontomask.severity.domains import DOMAINS, Cells, Domain, Mask

#: Cells that are looked at together when all combinations of several columns are.
CHUNK = 2_000_000


@dataclass(frozen=True, eq=False)
class Members:
    """The members of one set: boxes of cells, any of which will do; a box has a mask for each column.

    ``first``: the share of it that belongs to large class 1; ``second``: to the middle classes 2.1, 2.2, 2.3.
    """

    said: SpecialSet
    boxes: tuple[tuple[Mask, ...], ...]
    first: float
    second: tuple[float, ...]

    def inside(self, cells: Sequence[Cells]) -> Mask:
        """Which of the combinations of cells are members."""
        found = np.zeros(len(cells[0]), dtype=np.bool_)
        for box in self.boxes:
            part = box[0][cells[0]]
            for mask, at in zip(box[1:], cells[1:], strict=True):
                part = part & mask[at]
            found |= part
        return found


@dataclass(frozen=True, eq=False)
class Attribute:
    """What severity numbers are given to: the values of one column, or the combinations of several (S18 Remark 2).

    ``own`` are the sets over it. ``inherited`` are those over its first column, if it pairs a disease with a treatment:
    a pair whose disease is in a set counts as in that set.
    """

    columns: tuple[str, ...]
    domains: tuple[Domain, ...]
    own: tuple[Members, ...]
    inherited: tuple[Members, ...] = ()

    @property
    def name(self) -> str:
        return " + ".join(self.columns)

    @property
    def sets(self) -> tuple[Members, ...]:
        return self.own + self.inherited

    @cached_property
    def shares(self) -> tuple[Floats, Floats]:
        """Of each set, the share that belongs to large class 1, and those that belong to the middle classes 2.m."""
        second = np.array([members.second for members in self.sets], dtype=np.float64)
        return np.array([members.first for members in self.sets]), second.reshape(-1, len(MIDDLE_TYPES))

    def inside(self, cells: Sequence[Cells]) -> Mask:
        """Sets by combinations: which of them are in which set."""
        found = [members.inside(cells) for members in self.own]
        found += [members.inside(cells[:1]) for members in self.inherited]
        return np.array(found).reshape(len(self.sets), len(cells[0]))

    @cached_property
    def sorts(self) -> list[tuple[Cells, Cells]]:
        """For each column, cells that no set tells apart as one sort: the sort of every cell, and a cell of each sort."""
        found = []
        for place, domain in enumerate(self.domains):
            masks = [box[place] for members in self.own for box in members.boxes]
            masks += [box[0] for members in self.inherited for box in members.boxes] if place == 0 else []
            packed = np.packbits(np.array(masks).reshape(len(masks), domain.size), axis=0)
            _, one, sort = np.unique(packed, axis=1, return_index=True, return_inverse=True)
            found.append((sort.ravel().astype(np.int64), one.astype(np.int64)))
        return found

    def everything(self) -> Iterator[list[Cells]]:
        """All combinations of cells that the sets tell apart, one of each sort, in parts."""
        ones = [one for _, one in self.sorts]
        rest = int(np.prod([len(cells) for cells in ones[1:]], dtype=np.int64))
        step = max(1, CHUNK // rest)
        for begin in range(0, len(ones[0]), step):
            grid = np.meshgrid(ones[0][begin : begin + step], *ones[1:], indexing="ij")
            yield [axis.ravel() for axis in grid]


@dataclass(eq=False)
class Compiled:
    """A compiled definition: its attributes, and what the author of the file should know."""

    attributes: tuple[Attribute, ...]
    notes: list[str] = field(default_factory=list)

    @cached_property
    def extremes(self) -> tuple[int, int]:
        """N, the largest number by the second rule of S18 def. 1, and N_max, the largest at all.

        N counts the sets of one middle class that can hold one value at once, over values that may be outside large
        class 1. N_max is N and the class-1 sets that can hold one value at once.
        """
        second = first = 0
        for attribute in self.attributes:
            first_shares, second_shares = attribute.shares
            certain, may_be, middle = first_shares == 1, first_shares > 0, second_shares > 0
            for cells in attribute.everything():
                inside = attribute.inside(cells)
                free = ~inside[certain].any(axis=0)
                for m in range(len(MIDDLE_TYPES)):
                    second = max(second, int((inside[middle[:, m]].sum(axis=0) * free).max(initial=0)))
                first = max(first, int(inside[may_be].sum(axis=0).max(initial=0)))
        return second, second + first

    def numbers(self, attribute: Attribute, inside: Mask) -> Floats:
        """s_1, s_2, s_3 of combinations of cells, from the sets they are in.

        Without mixtures: n1 + N in large class 1, else n_m. With them the mean over all cases, where each set is in one
        of its classes, with its share and whatever the others are: E[n1] + N P(n1 > 0) + E[n_m; n1 = 0].
        """
        first, second = attribute.shares
        outside = np.prod(1 - first[:, None] * inside, axis=0)  # P(n1 = 0)
        # Given that no set is in class 1, a set that may be is in middle class m with share / (1 - first).
        given = np.divide(second, (1 - first)[:, None], out=np.zeros_like(second), where=first[:, None] < 1)
        number = (first @ inside + self.extremes[0] * (1 - outside))[None, :] + outside * (given.T @ inside)
        # Shares such as 1/3 leave a trace in the last digits.
        rounded: Floats = np.round(number, 12)
        return rounded


Problem = tuple[tuple[Any, ...], str]


def compile_definition(definition: Definition) -> tuple[Compiled, list[Problem]]:
    """The sets over cells, and every problem with the place in the definition where it is."""
    problems: list[Problem] = []
    base = {name: column for column, said in definition.columns.items() for name in (column, *said.also)}
    _check_names(definition, base, problems)
    domains = _domains(definition, base, problems)
    if problems:  # what a set selects is known only where its columns are
        return Compiled(()), problems
    notes: list[str] = []
    every: list[Members] = []
    for i, said in enumerate(definition.sets):
        every.append(_members(said, i, domains, base, problems, notes))
    unsourced = [said.name for said in definition.sets if said.source is None and definition.source is None]
    if unsourced:
        notes.append(f"{counted(len(unsourced), 'set')} without a source: {some_of(unsourced)}")
    compiled = Compiled(_attributes(every, domains, base), notes)
    if not problems:
        _check_repeated(definition, compiled, problems)
    return compiled, problems


def _check_names(definition: Definition, base: dict[str, str], problems: list[Problem]) -> None:
    """Names of sets are their own; ``base``: every column that may be named, with the one whose sets it has."""
    seen: set[str] = set()
    for i, said in enumerate(definition.sets):
        if said.name in seen:
            problems.append((("sets", i, "name"), f"a set {said.name!r} already exists: give each its own name"))
        seen.add(said.name)
        for column in said.columns:
            owner = base.get(column)
            if owner is None:
                near = did_you_mean(column, base)
                text = f"the column {column!r} is not listed under columns. {near}There are: {', '.join(base)}"
            elif owner != column and len(said.columns) == 1:
                text = f"{column!r} has the sets of {owner!r}: write {owner} here; both count it"
            else:
                continue
            problems.append((("sets", i, "where", 0, column), f"set {said.name!r}: {text}"))


def _domains(definition: Definition, base: dict[str, str], problems: list[Problem]) -> dict[str, Domain]:
    used: dict[str, list[Selection]] = {column: [] for column in definition.columns}
    for said in definition.sets:
        for columns in said.where:
            for column, chosen in columns.items():
                if column in base:
                    used[base[column]].append(chosen)
    for column, selections in used.items():
        names = [name for name, own in base.items() if own == column]
        if not selections:
            text = f"no set covers the column {' or '.join(map(repr, names))}: leave it out, or write its sets"
            problems.append((("columns", column), text))
    domains = {}
    for column, selections in used.items():
        try:
            domains[column] = DOMAINS[definition.columns[column].kind](column, definition.columns[column], selections)
        except OntomaskError as wrong:  # a taxonomy or mapping that cannot be read
            problems.append((("columns", column, "taxonomy"), f"column {column!r}: {wrong}"))
    return domains


def _members(
    said: SpecialSet,
    i: int,
    domains: dict[str, Domain],
    base: dict[str, str],
    problems: list[Problem],
    notes: list[str],
) -> Members:
    boxes = []
    wrong = len(problems)
    for j, columns in enumerate(said.where):
        box = []
        for column in said.columns:
            domain = domains[base[column]]
            at = ("sets", i, "where", j, column)
            mask = domain.mark(columns[column], _reporter(problems, at, said.name))
            if not mask.any() and len(problems) == wrong:
                problems.append((at, f"set {said.name!r}: it is empty: say which values of {column!r} are in it"))
            alone = domain.bare_parents(columns[column])
            if alone:
                notes.append(
                    f"set {said.name!r} holds {some_of(alone)} alone; if what is below is meant too, write it under branches"
                )
            box.append(mask)
        boxes.append(tuple(box))
    classes = [(riopsi().small[number], share) for number, share in said.classes.items()]
    first = sum(share for small, share in classes if small.large == 1)
    second = tuple(sum(share for small, share in classes if small.middle_type == m) for m in MIDDLE_TYPES)
    return Members(said, tuple(boxes), min(first, 1.0) if any(second) else float(first > 0), second)


def _reporter(problems: list[Problem], at: tuple[Any, ...], name: str) -> Callable[[str, int | None, str], None]:
    def report(key: str, place: int | None, text: str) -> None:
        problems.append(((*at, key) if place is None else (*at, key, place), f"set {name!r}: {text}"))

    return report


def _attributes(every: Sequence[Members], domains: dict[str, Domain], base: dict[str, str]) -> tuple[Attribute, ...]:
    """Single columns first, with the columns of the same sort after each; then combinations, in the file's order."""
    single: dict[str, list[Members]] = {}
    joint: dict[frozenset[str], list[Members]] = {}
    for members in every:
        columns = members.said.columns
        if len(columns) == 1:
            single.setdefault(columns[0], []).append(members)
        else:
            joint.setdefault(frozenset(columns), []).append(members)
    made = [
        Attribute((name,), (domains[column],), tuple(single[column]))
        for name, column in base.items()
        if column in single
    ]
    for sets in joint.values():
        pairs = [members.said.columns for members in sets if PAIRS in members.said.classes]
        columns = pairs[0] if pairs else sets[0].said.columns
        inherited = tuple(single.get(base[columns[0]], ())) if pairs else ()
        own = tuple(_reordered(members, columns) for members in sets)
        made.append(Attribute(columns, tuple(domains[base[c]] for c in columns), own, inherited))
    return tuple(made)


def _reordered(members: Members, columns: tuple[str, ...]) -> Members:
    order = [members.said.columns.index(column) for column in columns]
    boxes = tuple(tuple(box[place] for place in order) for box in members.boxes)
    return Members(members.said, boxes, members.first, members.second)


def _check_repeated(definition: Definition, compiled: Compiled, problems: list[Problem]) -> None:
    """The same members in the same class are one set written twice; in another class they are worth a note."""
    place = {said.name: i for i, said in enumerate(definition.sets)}
    done: set[str] = set()
    for attribute in compiled.attributes:
        sets = [members for members in attribute.own if members.said.name not in done]
        digests = [hashlib.sha256() for _ in sets]
        for cells in attribute.everything() if sets else ():
            for members, digest in zip(sets, digests, strict=True):
                digest.update(np.packbits(members.inside(cells)).tobytes())
        seen: dict[bytes, list[SpecialSet]] = {}
        for members, digest in zip(sets, digests, strict=True):
            said = members.said
            done.add(said.name)
            for other in seen.get(digest.digest(), []):
                if said.classes == other.classes:
                    text = (
                        f"set {said.name!r} has the same members as {other.name!r} and the same class: it would count "
                        "twice; remove one of the two"
                    )
                    problems.append((("sets", place[said.name]), text))
                    break
                compiled.notes.append(
                    f"the sets {other.name!r} ({other.class_text}) and {said.name!r} ({said.class_text}) have the same "
                    "members; both are counted"
                )
            seen.setdefault(digest.digest(), []).append(said)
