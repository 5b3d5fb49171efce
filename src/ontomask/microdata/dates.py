"""Dates stored as text: read only if there is one way to read them.

2024-05-31 is one day everywhere. So is 31.05.2024: where points stand between the numbers, the day comes first. 5/6/2024 is
May or June.
"""

from __future__ import annotations

import polars as pl

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
