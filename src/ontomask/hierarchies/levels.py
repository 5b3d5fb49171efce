"""``Hierarchy`` and ``ColumnLevels``: values of a column, level by level; each level joins whole groups of the one below."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, assert_never, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import short
from ontomask.arrays import Floats
from ontomask.errors import DataError, PolicyError
from ontomask.microdata.columns import Column
from ontomask.settings import Settings

#: The cost of showing a value at a level: NCP, distance, or levels climbed.
LossKind = Literal["ncp", "semantic", "steps"]


@dataclass(frozen=True, eq=False)
class Level:
    """One level: ``group`` of each code of the column; of each group what is ``shown``, and its ``centre``.

    ``penalty``: of each group the part of the column's domain that it covers, 0 for a single value, 1 for all (NCP).
    ``top``: does it join all values there can be, and not only those of the data at hand?
    """

    name: str
    group: NDArray[np.int32]
    shown: pl.Series
    centres: NDArray[Any]
    penalty: Floats
    top: bool = False

    def __len__(self) -> int:
        return len(self.shown)


@dataclass(frozen=True, eq=False)
class ColumnLevels:
    """The levels of a column, from its own values (0) up; each joins what the one below tells apart, never the reverse.

    ``free``: the levels climb a taxonomy, any concept of which may stand for what is below it. A level takes each value to
    one concept; what a group of values has in common may be a concept of no level where concepts have several parents.
    ``items``: of a column of sets the levels of its items.
    """

    column: Column
    levels: tuple[Level, ...]
    free: bool = False
    items: ColumnLevels | None = None

    def __len__(self) -> int:
        return len(self.levels)

    @property
    def name(self) -> str:
        return self.column.name

    def index_of(self, asked: int | str) -> int | None:
        """The place of a level by its number or its name; None if there is none of that name.

        Some levels are missing where the data do not reach so far: what is beyond the last is the last, and a depth
        below the deepest value leaves all values as they are.
        """
        if isinstance(asked, int):
            return min(asked, len(self) - 1)
        names = [level.name for level in self.levels]
        if asked in names or asked == ANY_LEVEL:
            return names.index(asked) if asked in names else len(self) - 1
        pattern, wanted = _numbered(asked)
        known = [number for other, number in map(_numbered, names) if other == pattern and number is not None]
        if wanted is None or not known or wanted <= max(known):
            return None
        return 0 if pattern.startswith("depth") else len(self) - 1


#: What stands for all values.
ANY = "*"
#: The name of the level at which all values are one.
ANY_LEVEL = "any"


def _numbered(name: str) -> tuple[str, float | None]:
    """A name as the same name without its number, and the number: ('depth #', 4)."""
    found = re.search(r"\d+(\.\d+)?", name)
    if found is None:
        return name, None
    return name[: found.start()] + "#" + name[found.end() :].replace("characters", "character"), float(found[0])


def own_values(column: Column) -> Level:
    """Level 0: the values themselves."""
    codes = np.arange(len(column), dtype=np.int32)
    return Level("value", codes, column.values.rename(column.name), column.centre_of_code, np.zeros(len(column)))


def make_level(
    column: Column,
    name: str,
    texts: Sequence[str | None],
    penalty: Any,
    *,
    spans: Any = None,
    concepts: NDArray[np.int64] | None = None,
    keys: Sequence[Any] | None = None,
    top: bool = False,
) -> Level:
    """A level from what each code shows; codes that show the same, or have equal ``keys``, form a group.

    ``penalty`` is by code, equal within a group. ``spans``: (low, high) of each code's group, where it is an interval;
    ``concepts``: the concept each code goes up to, where it is one.
    """
    keys = texts if keys is None else keys
    place: dict[Any, int] = {}
    group = np.array([place.setdefault(key, len(place)) for key in keys], dtype=np.int32)
    first = np.zeros(len(place), dtype=np.int64)
    first[group[::-1]] = np.arange(len(group))[::-1]
    shown = pl.Series(column.name, [texts[int(i)] for i in first], dtype=pl.String)
    by_group = np.asarray(penalty, dtype=np.float64)[first]
    return Level(name, group, shown, column.centres_of_levels(group, first, spans, concepts), by_group, top)


@dataclass(frozen=True, eq=False)
class Costs:
    """The loss of each code of each column at each level; ``even``: is it the same for all of a group?"""

    by_code: list[list[Floats]]
    even: bool

    @staticmethod
    def of(hierarchies: Sequence[ColumnLevels], loss: LossKind) -> Costs:
        match loss:
            case "ncp":
                return Costs([[level.penalty[level.group] for level in one.levels] for one in hierarchies], True)
            case "semantic":
                return Costs([_semantic(one) for one in hierarchies], False)
            case "steps":
                steps = [[np.full(len(a.column), i / max(len(a) - 1, 1)) for i in range(len(a))] for a in hierarchies]
                return Costs(steps, True)
            case _:
                assert_never(loss)


def _semantic(hierarchy: ColumnLevels) -> list[Floats]:
    metric = hierarchy.column.metric()
    own = hierarchy.column.centre_of_code
    return [metric.scaled(own, level.centres[level.group]) for level in hierarchy.levels]


class Hierarchy(Settings):
    """How the values of a column are generalized, level by level; the last level always joins all of them."""

    kind: str
    #: Do its levels climb a taxonomy, any concept of which may stand for what is below it?
    free: ClassVar[bool] = False

    def column_levels(self, column: Column) -> ColumnLevels:
        """The levels of a column."""
        if column.item_sets is not None and not self.free:
            raise PolicyError(
                f"a hierarchy of the kind {self.kind!r} is given for sets",
                where=column.where,
                remedy="Items of sets climb their taxonomy: leave the hierarchy out, or give TaxonomyLevels.",
            )
        levels: list[Level] = [self.own(column)]
        for level in self.build_levels(column):
            _require_nested(column, levels[-1], level)
            levels.append(level)  # also where it joins nothing in these data: levels keep their numbers
        return self._completed(column, levels)

    def _completed(self, column: Column, levels: list[Level]) -> ColumnLevels:
        """Levels with the one above all, and those of items."""
        if len(levels[-1]) > 1 or not levels[-1].top:
            levels.append(any_value(column))
        items = None if column.item_sets is None else self.column_levels(cast(Column, column.items))
        return ColumnLevels(column, tuple(levels), self.free, items)

    def own(self, column: Column) -> Level:
        """Level 0."""
        return own_values(column)

    def build_levels(self, column: Column) -> list[Level]:
        """The levels above the values of a column, the finest first."""
        raise NotImplementedError

    def shows(self) -> Callable[[str], bool]:
        """A function that tells of a text whether this hierarchy can show it, other than ``*`` and what fits the kind of
        the column: verification of a release asks it."""
        return lambda text: False

    def _refuse(self, column: Column, what: str, wanted: str) -> DataError:
        return DataError(f"{what} does not fit its kind", where=column.where, remedy=f"Use it on a {wanted} column.")


def any_value(column: Column) -> Level:
    """The level at which all values are one: there also where the data hold a single value, which it hides."""
    texts = [ANY] * len(column)
    return make_level(column, ANY_LEVEL, texts, [1.0] * len(column), spans=_whole(column), top=True)


def _require_nested(column: Column, lower: Level, upper: Level) -> None:
    joined = {int(g): int(u) for g, u in zip(lower.group, upper.group, strict=True)}
    for code, (g, u) in enumerate(zip(lower.group.tolist(), upper.group.tolist(), strict=True)):
        if joined[g] != u:
            raise DataError(
                f"level {upper.name!r} separates what level {lower.name!r} joins: {short(repr(column.values[code]), 40)}",
                where=column.where,
                remedy="Each level must join whole groups of the level before it.",
            )


def _whole(column: Column) -> Any:
    if not column.continuous:
        return None
    known = column.centre_of_code[~column.is_missing(column.centre_of_code)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    return [(low, high)] * len(column)
