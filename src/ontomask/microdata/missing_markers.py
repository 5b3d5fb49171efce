"""Texts and numbers that stand for a missing value: ``NA``, ``?``, ``999``. They become missing before anything else."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import polars as pl
from pydantic import BeforeValidator

from ontomask.arguments import counted, short, some_of
from ontomask.microdata.dtypes import is_text
from ontomask.statements import Statement, note

_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")


def _marker_list(given: Any) -> Any:
    """Markers as texts: one of them, or several; whole numbers may go without quotes."""
    listed = [given] if isinstance(given, (str, int)) else given
    if not isinstance(listed, (list, tuple, set, frozenset)):
        return given
    odd = next((marker for marker in listed if isinstance(marker, bool) or not isinstance(marker, (str, int))), None)
    if odd is not None or None in listed:
        raise ValueError(f"{short(repr(odd), 40)} is not text: put the marker in quotes")
    return list(map(str, listed))


#: The type of a setting that lists markers.
MarkerList = Annotated[list[str], BeforeValidator(_marker_list)]


@dataclass(frozen=True)
class MissingMarkers:
    """What stands for a missing value ``everywhere`` in a table, and what else in some of its ``columns``."""

    everywhere: Collection[str] = ()
    columns: Mapping[str, Collection[str]] = field(default_factory=dict)

    @staticmethod
    def of(given: MissingMarkers | Mapping[str, Collection[str]] | Collection[str]) -> MissingMarkers:
        """Markers of the whole table as a list, or of its columns as a mapping."""
        if isinstance(given, MissingMarkers):
            return given
        return MissingMarkers((), given) if isinstance(given, Mapping) else MissingMarkers(given)

    def __bool__(self) -> bool:
        return bool(self.everywhere) or any(self.columns.values())

    def of_column(self, name: str) -> set[str]:
        """The markers of a column; blanks around them do not count."""
        return {marker.strip() for marker in (*self.everywhere, *self.columns.get(name, ()))}


def without_markers(data: pl.DataFrame, markers: MissingMarkers) -> tuple[pl.DataFrame, list[str]]:
    """The data with nulls where a value equals a marker of its column, and the columns in which some did.

    Blanks around a value do not count: ``" ? "`` is the marker ``?``. A marker that is a number also stands for that
    number in a column of numbers.
    """
    found: list[str] = []
    columns = []
    for column in data.iter_columns() if markers else ():
        plain = markers.of_column(column.name)
        gone = _equal(column, plain) if plain else None
        if gone is not None and gone.any():
            found.append(column.name)
            columns.append(_without(column, gone, plain))
        else:
            columns.append(column)
    return (pl.DataFrame(columns), found) if found else (data, [])


def marker_note(before: pl.DataFrame, after: pl.DataFrame, found: Collection[str]) -> list[Statement]:
    """How many cells became missing, by column."""
    if not found:
        return []
    cells = {name: after[name].null_count() - before[name].null_count() for name in found}
    shown = some_of([f"{counted(count, 'cell')} of {name!r}" for name, count in cells.items()], 10)
    return [note(f"missing markers: {shown} became missing")]


def without_marker_categories(
    native: Mapping[str, Any], found: Collection[str], markers: MissingMarkers
) -> dict[str, Any]:
    """The data types of a pandas or PyArrow frame; their lists of categories no longer hold the markers."""
    changed = dict(native)
    for name in found:
        dtype, plain = native[name], markers.of_column(name)
        categories = getattr(dtype, "categories", None)
        if categories is None:
            continue
        kept = [c for c in categories if not (isinstance(c, str) and c.strip() in plain)]
        if hasattr(dtype, "_replace"):
            changed[name] = dtype._replace(categories=kept)
        else:
            changed[name] = type(dtype)(categories[[c in set(kept) for c in categories]], ordered=dtype.ordered)
    return changed


def _equal(column: pl.Series, plain: Collection[str]) -> pl.Series | None:
    """Which values equal a marker; None where no value of the type can."""
    if is_text(column.dtype):
        return column.cast(pl.String).str.strip_chars().is_in(list(plain)).fill_null(False)
    if not column.dtype.is_numeric():
        return None
    numbers = [float(marker) for marker in plain if _NUMBER.fullmatch(marker)]
    return column.cast(pl.Float64).is_in(numbers).fill_null(False) if numbers else None


def _without(column: pl.Series, gone: pl.Series, plain: Collection[str]) -> pl.Series:
    name, dtype = column.name, column.dtype
    if isinstance(dtype, pl.Enum):
        kept = [c for c in dtype.categories if c.strip() not in plain]
        return pl.select(pl.when(~gone).then(column.cast(pl.String)).alias(name)).to_series().cast(pl.Enum(kept))
    return pl.select(pl.when(~gone).then(column).alias(name)).to_series()
