"""Data types of columns: a masked column in the type it had, and two columns of one attribute in one type.

A value never changes on the way; where it would, the column stays as it is, or an error names it. Types that hold several
values in one cell are refused.

Dates stored as text are read only if there is one way to read them: 2024-05-31 is one day everywhere. So is 31.05.2024:
where points stand between the numbers, the day comes first. 5/6/2024 is May or June.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from ontomask.arguments import short
from ontomask.errors import DataError


def restore_dtype(column: pl.Series, before: pl.Series) -> pl.Series:
    """The column in the data type of ``before`` if every value survives, else as it is.

    Numbers go back to numbers, dates to dates, text to categories; text is never read as a number.
    """
    dtype = before.dtype
    if isinstance(dtype, pl.Enum) and is_text(column.dtype):
        return column.cast(pl.String).cast(pl.Enum(in_use(dtype.categories.to_list(), column)))
    if column.dtype == dtype or not _akin(column.dtype, dtype):
        return column
    back = _unchanged(column, dtype)
    return column if back is None else back


def in_use(categories: Sequence[Any], now: pl.Series) -> list[Any]:
    """The categories of a released column: those that records have, old ones in their order, then new ones.

    One that no record has is left out, whether somebody had it before or not: a list with gaps would tell which values
    were masked or suppressed, and a list of all would tell that somebody had them.
    """
    has = now.unique(maintain_order=True).drop_nulls().to_list()
    present, known = set(has), set(categories)
    return [c for c in categories if c in present] + [value for value in has if value not in known]


def only_what_cells_show(data: pl.DataFrame) -> pl.DataFrame:
    """The table without what no cell shows: the sign of a zero, and categories that no record has."""
    changed = []
    for column in data.iter_columns():
        if column.dtype.is_float() and (column == 0).any():
            changed.append(column.set(column == 0, 0.0))
        elif isinstance(column.dtype, pl.Enum):
            kept = in_use(column.dtype.categories.to_list(), column.cast(pl.String))
            if len(kept) < len(column.dtype.categories):
                changed.append(column.cast(pl.String).cast(pl.Enum(kept)))
    return data.with_columns(changed)


def is_text(dtype: pl.DataType) -> bool:
    return isinstance(dtype, (pl.String, pl.Categorical, pl.Enum))


def _akin(now: pl.DataType, before: pl.DataType) -> bool:
    return (
        (now.is_numeric() and before.is_numeric())
        or (is_text(now) and is_text(before))
        or (_kind(now) == _kind(before) and _kind(now).startswith("date"))  # a day has no zone
        or (isinstance(now, pl.Duration) and isinstance(before, pl.Duration))
        or isinstance(now, pl.Null)
    )


def aligned(before: pl.Series, after: pl.Series, *, dates: bool = False) -> tuple[pl.Series, pl.Series]:
    """Both columns in one type; text is read as dates or truth values where the other column holds these.

    ``dates``: two columns of text are dates if all their values are. What cannot be brought together without changing
    a value is an error that names the column.
    """
    one, other = before.dtype, after.dtype
    pair: tuple[pl.Series | None, pl.Series | None]
    if isinstance(one, pl.Null) or isinstance(other, pl.Null):  # nothing but missing values, which can be of any type
        dtype = other if isinstance(one, pl.Null) else one
        pair = before.cast(dtype), after.cast(dtype)
    elif is_text(one) and is_text(other):
        pair = before.cast(pl.String), after.cast(pl.String)
        times = [read_dates(series) if dates else None for series in pair]
        if times[0] is not None and times[1] is not None and times[0].dtype == times[1].dtype:
            pair = times[0], times[1]
    elif one == other:
        pair = before, after
    elif is_text(other):
        pair = before, dates_like(after.cast(pl.String), one)
    elif is_text(one):
        pair = dates_like(before.cast(pl.String), other), after
    else:
        pair = _same_type(before, after)
    if pair[0] is None or pair[1] is None:
        raise DataError(
            f"holds {_named(one)} in the original and {_named(other)} in the masked data",
            where=f"column {before.name!r}",
            remedy="Give both in one type. Codes that look like numbers: read the file with "
            f"read_table(path, text=[{before.name!r}]), or give its path.",
        )
    return pair[0], pair[1]


def _same_type(before: pl.Series, after: pl.Series) -> tuple[pl.Series | None, pl.Series | None]:
    """In the type of one of them or, for numbers, in another that holds both."""
    numbers = before.dtype.is_numeric() and after.dtype.is_numeric()
    if _kind(before.dtype) != _kind(after.dtype):
        return None, None
    for dtype in (before.dtype, after.dtype, *([pl.Float64()] if numbers else [])):
        pair = _unchanged(before, dtype), _unchanged(after, dtype)
        if pair[0] is not None and pair[1] is not None:
            return pair
    return None, None


def _unchanged(values: pl.Series, dtype: pl.DataType) -> pl.Series | None:
    """The values in another type if each of them survives."""
    try:
        cast = values.cast(dtype)
        return cast if cast.cast(values.dtype).eq_missing(values).all() else None
    except pl.exceptions.PolarsError:
        return None


def _kind(dtype: pl.DataType) -> str:
    """What a type holds that can stand in other types of that kind as well."""
    if dtype.is_numeric() or isinstance(dtype, pl.Boolean):  # statistical packages write truth values as 0 and 1
        return "number"
    if isinstance(dtype, pl.Date) or (isinstance(dtype, pl.Datetime) and dtype.time_zone is None):
        return "date"
    return "date and zone" if isinstance(dtype, pl.Datetime) else str(dtype.base_type())


def _named(dtype: pl.DataType) -> str:
    return "text" if is_text(dtype) else str(dtype)


def as_texts(values: pl.Series) -> pl.Series:
    """Values of any type as texts, different ones as different."""
    if isinstance(values.dtype, pl.Binary):
        return values.bin.encode("hex")
    if isinstance(values.dtype, pl.Duration):
        return values.dt.to_string("iso")
    return values.cast(pl.String)


def values_unread(name: str, n: int) -> pl.Series:
    """A column in the place of one whose values are not looked at."""
    return pl.Series(name, [None], dtype=pl.Null).new_from_index(0, n)


def nested(name: str, what: str) -> DataError:
    return DataError(
        f"the column holds {short(what)}, several values in one cell",
        where=f"column {name!r}",
        remedy="Give each cell one value: explode or unnest the column, or drop it. Lists of concepts are sets: "
        "Nominal(taxonomy, many='|').",
    )


_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[T ][0-9]{2}:[0-9]{2}"
_SECONDS = r":[0-9]{2}(?:\.[0-9]{1,9})?"
_ZONE = r"(?:Z|[+-][0-9]{2}:?[0-9]{2})"
#: A day with points, alone or with a time of day.
_POINTS = rf"^[0-9]{{1,2}}\.[0-9]{{1,2}}\.[0-9]{{4}}(?:{_CLOCK}(?:{_SECONDS})?)?$"
#: What a column of dates looks like, and what each cell lacks of a whole point in time.
_FORMS = {
    "^[0-9]{4}-[0-9]{2}$": "-01T00:00:00",
    f"^{_DAY}$": "T00:00:00",
    f"^{_DAY}{_CLOCK}$": ":00",
    f"^{_DAY}{_CLOCK}{_SECONDS}$": "",
    f"^{_DAY}{_CLOCK}{_SECONDS}{_ZONE}$": "",
}


def read_dates(text: pl.Series) -> pl.Series | None:
    """The points in time that a text column means; None unless all cells are written in one and the same form.

    The forms: ``2024-05``, ``2024-05-31``, and this followed by a time of day (``T`` or a blank between them), seconds
    and zone where all have them; ``31.05.2024``, also with a time of day.
    """
    cells = text.drop_nulls()
    if len(cells) and cells.str.contains(_POINTS).all():
        text = _year_first(text)
        cells = text.drop_nulls()
    form = next((form for form in _FORMS if len(cells) and cells.str.contains(form).all()), None)
    if form is None or cells.str.starts_with("0000").any():  # no calendar has a year 0
        return None
    whole = text.str.replace(" ", "T", literal=True) + _FORMS[form]
    zoned = form.endswith(f"{_ZONE}$")
    fine = cells.str.contains(r"\.[0-9]{6}[0-9]*[1-9]").any()
    shape = "%Y-%m-%dT%H:%M:%S%.f" + ("%#z" if zoned else "")
    try:
        times = whole.str.replace("Z$", "+00:00").str.to_datetime(shape, time_unit="ns" if fine else "us", strict=False)
    except pl.exceptions.PolarsError:
        return None
    return times if times.null_count() == text.null_count() else None


def _year_first(text: pl.Series) -> pl.Series:
    """31.05.2024 as 2024-05-31, 1.5.2024 as 2024-05-01; what follows stays."""
    padded = text.str.replace(r"^([0-9])\.", "0${1}.").str.replace(r"\.([0-9])\.", ".0${1}.")
    return padded.str.replace(r"^([0-9]{2})\.([0-9]{2})\.([0-9]{4})", "${3}-${2}-${1}")


def dates_like(text: pl.Series, dtype: pl.DataType) -> pl.Series | None:
    """Text as the dates, times or truth values of another column; None where a cell does not say one exactly."""
    if isinstance(dtype, pl.Boolean):
        lower = text.str.to_lowercase()
        return lower == "true" if lower.drop_nulls().is_in(["true", "false"]).all() else None
    if isinstance(dtype, pl.Time):
        times = text.str.to_time("%H:%M:%S%.f", strict=False)
        return times if times.null_count() == text.null_count() else None
    found = read_dates(text) if isinstance(dtype, pl.Date | pl.Datetime) else None
    if found is None:
        return None
    zone, wanted = getattr(found.dtype, "time_zone", None), getattr(dtype, "time_zone", None)
    if (zone is None) != (wanted is None):
        return None
    if wanted is not None:
        found = found.dt.convert_time_zone(wanted)
    like = found.cast(dtype)
    return like if like.cast(found.dtype).eq_missing(found).all() else None
