"""Sensitive values disclosed by a class: if its values are the same or nearly equal, the class discloses the value."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.privacy.examined import Examined
from ontomask.privacy.sensitive import Values

#: Numbers of a class count as one if they differ by at most this part of the distance between the 5% and 95% quantiles
#: of the original column.
TOLERANCE = 0.01
#: Columns that sentences name one by one, where there are more.
MOST_NAMED = 6
#: The figures of a column before masking and after it.
BEFORE, AFTER = ("classes_before", "records_before"), ("classes", "records")
SCHEMA = {"column": pl.String, **dict.fromkeys((*BEFORE, *AFTER), pl.Int64)}


def disclosed_of(
    original: Examined,
    released: Examined,
    kept: NDArray[np.int64],
) -> pl.DataFrame:
    """Of each sensitive column the classes that disclose its value, and the records whose value they disclose.

    A class discloses if all its values agree; missing ones tell nothing and do not count. Values of a nominal column that
    mean the same agree, and spellings of one value; numbers agree if they differ by at most ``TOLERANCE``. A record counts
    if the value that its class shows is its own: ``kept[i]`` is the row of the original that released record i came from,
    so that values which a method moved to other records are not counted as disclosed.
    """
    before, after, attributes = original.as_read, released.as_read, original.attributes
    rows = []
    for name in sensitive_in_both(original, released):
        both = together(before[name], after[name])
        n = len(before)
        if attributes[name].quantity and both.dtype.is_numeric():
            numbers = both.cast(pl.Float64).fill_nan(None).to_numpy()
            width = tolerance_of(numbers[:n], original.units.counts)
            found = [
                _agreeing_numbers(original, numbers[:n], numbers[:n], width),
                _agreeing_numbers(released, numbers[n:], numbers[:n][kept], width),
            ]
        else:
            own = codes_of(original.read(name, both))
            found = [_agreeing(original, own[:n], own[:n]), _agreeing(released, own[n:], own[:n][kept])]
        rows.append((name, *found[0], *found[1]))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def sensitive_in_both(original: Examined, released: Examined) -> list[str]:
    """The sensitive columns that both tables have."""
    tables = original.data.columns, released.data.columns
    sensitive = [name for name, attribute in original.attributes.items() if attribute.role == "sensitive"]
    return [name for name in sensitive if all(name in columns for columns in tables)]


def most_disclosed(rows: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """The columns that sentences name: all, or of many those disclosed in most records; and how many more there are."""
    more = len(rows) - MOST_NAMED
    if more <= 0:
        return rows, 0
    return rows.sort("records", descending=True, maintain_order=True).head(MOST_NAMED), more


def agreement(numbers: bool) -> str:
    """How the values of a disclosing class agree: numbers need not be equal."""
    return "all equal or nearly equal" if numbers else "all the same"


def together(before: pl.Series, after: pl.Series) -> pl.Series:
    """Both columns one below the other, in one data type."""
    if before.dtype == after.dtype:
        return pl.concat([before, after])
    number = before.dtype.is_numeric() and after.dtype.is_numeric()
    common = pl.Float64 if number else pl.String
    return pl.concat([before.cast(common), after.cast(common)])


def codes_of(values: Values) -> NDArray[np.int64]:
    """A code for each record, -1 where the value is missing."""
    codes = values.of if values.alike is None else values.alike[values.of]
    return codes if values.missing is None else np.where(values.of == values.missing, -1, codes)


def _agreeing(table: Examined, shown: NDArray[np.int64], own: NDArray[np.int64]) -> tuple[int, int]:
    """Classes whose values agree in the value of some of their records, and how many records, or other units, have them."""
    known, classes = shown >= 0, table.classes
    low = np.full(len(classes), np.iinfo(np.int64).max)
    high = np.full(len(classes), -1)
    np.minimum.at(low, classes.of[known], shown[known])
    np.maximum.at(high, classes.of[known], shown[known])
    agree = low == high
    true = agree[classes.of] & (own >= 0) & (own == high[classes.of])
    return len(np.unique(classes.of[true])), table.units.number(true)


def _agreeing_numbers(
    table: Examined, shown: NDArray[np.float64], own: NDArray[np.float64], width: float
) -> tuple[int, int]:
    """The same of numbers that may differ by ``width``."""
    known, classes = ~np.isnan(shown), table.classes
    low, high = np.full(len(classes), np.inf), np.full(len(classes), -np.inf)
    np.minimum.at(low, classes.of[known], shown[known])
    np.maximum.at(high, classes.of[known], shown[known])
    with np.errstate(invalid="ignore", over="ignore"):  # a class without a known value spans nothing
        agree = (high >= low) & (high - low <= width)
        middle = np.where(agree, low + (high - low) / 2, np.nan)
        true = np.abs(own - middle[classes.of]) <= width
    return len(np.unique(classes.of[true])), table.units.number(true)


def tolerance_of(numbers: NDArray[np.float64], counts: NDArray[np.int64] | None = None) -> float:
    """By how much numbers of a class may differ; ``counts``: the records of each number, if it is not one."""
    there = ~np.isnan(numbers)
    known = numbers[there] if counts is None else np.repeat(numbers[there], counts[there])
    if not len(known):
        return 0.0
    with np.errstate(over="ignore"):  # numbers so far apart that their distance has no number
        low, high = (float(bound) for bound in np.quantile(known, (0.05, 0.95)))
        width = high - low
    return TOLERANCE * width if np.isfinite(width) else TOLERANCE * high - TOLERANCE * low
