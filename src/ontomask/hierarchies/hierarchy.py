"""``Hierarchy``: levels of a column, each of which joins whole groups of the level below."""

from __future__ import annotations

from typing import Any, ClassVar

from ontomask.arguments import short
from ontomask.errors import DataError
from ontomask.hierarchies.levels import ANY, ANY_LEVEL, ColumnLevels, Level, make_level, own_values
from ontomask.microdata.columns import Column
from ontomask.settings import Settings


class Hierarchy(Settings):
    """How the values of a column are generalized, level by level; the last level always joins all of them."""

    kind: str
    #: Do its levels climb a taxonomy, any concept of which may stand for what is below it?
    free: ClassVar[bool] = False

    def column_levels(self, column: Column) -> ColumnLevels:
        """The levels of a column."""
        levels: list[Level] = [self.own(column)]
        for level in self.build_levels(column):
            _require_nested(column, levels[-1], level)
            levels.append(level)  # also where it joins nothing in these data: levels keep their numbers
        if len(levels[-1]) > 1 or not levels[-1].top:
            levels.append(any_value(column))
        return ColumnLevels(column, tuple(levels), self.free)

    def own(self, column: Column) -> Level:
        """Level 0."""
        return own_values(column)

    def build_levels(self, column: Column) -> list[Level]:
        """The levels above the values of a column, the finest first."""
        raise NotImplementedError

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
