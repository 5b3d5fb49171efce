"""Dates: days of the calendar; the centre of a group is a day, NaN where it is missing.

Positions are days from 1970-01-01 on. A column may be of dates, of points in time, or of text; it is released in the form in
which it came, and what generalization shows besides (months, intervals) is text.
"""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, time
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import polars as pl
from pydantic import BeforeValidator, Field, model_validator

from ontomask.arguments import counted, is_number, short
from ontomask.arrays import Floats, Longs
from ontomask.errors import DataError
from ontomask.hierarchies.calendar import EARLIER, FIRST_DAY, LAST_DAY, LATER, Calendar, day, number, unit_days
from ontomask.kinds.continuous import ContinuousAttribute, Span
from ontomask.kinds.date_column import TO, DateColumn
from ontomask.kinds.date_texts import (
    ISO,
    MAY,
    POINTS,
    checked_format,
    commonest,
    commonest_form,
    read_day,
    remedy,
    with_day,
    write_day,
)
from ontomask.microdata.date_shifts import WEEK, Shift, checked_shift, moved
from ontomask.microdata.dtypes import is_text
from ontomask.microdata.refusals import refuse_odd, rows_where
from ontomask.statements import Statement, note

MIDNIGHT = time(0)
#: What is counted of a column beside the forms of its texts.
_TIMES = "time of day"


def _format(form: Any) -> Any:
    return checked_format(form) if isinstance(form, str) else form


def _day(value: Any) -> Any:
    """A day, as it is or as 1930-01-01."""
    if isinstance(value, datetime):
        return value.date()
    found = read_day(value, [ISO]) if isinstance(value, str) else None
    if value is None or isinstance(value, date):
        return value
    if found is None:
        raise ValueError(f"{short(repr(value), 40)} is not a day: write it as 1930-01-01")
    return found[0]


class Date(ContinuousAttribute):
    """Days: distance in days, centre = the mean day, levels of the calendar.

    Examples
    --------
    >>> import ontomask as om
    >>> om.Date(format="%d.%m.%Y")
    Date(format='%d.%m.%Y')
    """

    kind: Literal["date"] = "date"
    in_words: ClassVar[str] = "days of the calendar"
    mean_called: ClassVar[str] = "mean day number (1970-01-01 is 0)"
    hierarchy: ClassVar[Any] = Calendar()
    format: Annotated[str | None, BeforeValidator(_format)] = Field(
        default=None,
        description="how dates are written as text: '%d/%m/%Y'; not given: 2024-05-31, or with points 31.05.2024",
    )
    time_of_day: Literal["error", "drop", "keep"] = Field(
        default="error",
        description="points in time: an error, drop (every release has the days alone), or keep (with role: other)",
    )
    earliest: Annotated[date | None, BeforeValidator(_day)] = Field(
        default=None, description="this day and all before are one class, '1930-01-01 or earlier', in every release"
    )
    latest: Annotated[date | None, BeforeValidator(_day)] = Field(
        default=None, description="this day and all after are one class, '2024-12-31 or later', in every release"
    )

    shift: Annotated[int | None, BeforeValidator(checked_shift)] = Field(
        default=None,
        description="all dates of a person are moved by the same 1 to so many days, back or forth, in every release; the "
        "policy names the person",
    )
    shift_by: Literal["days", "weeks"] = Field(
        default="days", description="weeks: shifts are whole weeks, so that weekdays stay"
    )

    @model_validator(mode="after")
    def _times_are_not_masked(self) -> Self:
        if self.time_of_day == "keep" and (self.role != "other" or self.earliest or self.latest):
            raise ValueError(
                "time_of_day: keep is for columns with role: other, without earliest and latest: days are masked, and times of "
                "day are not"
            )
        return self

    @model_validator(mode="after")
    def _shift_has_steps(self) -> Self:
        if self.shift_by == "weeks" and (self.shift is None or self.shift < WEEK):
            raise ValueError(f"shift_by: weeks goes with a shift of {WEEK} days or more")
        return self

    @model_validator(mode="after")
    def _ends_apart(self) -> Self:
        if self.earliest is not None and self.latest is not None and not self.earliest < self.latest:
            raise ValueError(f"earliest is {self.earliest} and latest is {self.latest}: earliest must come first")
        return self

    @property
    def misfit(self) -> tuple[str, str]:
        beyond = "" if self.least is None and self.most is None else ", or beyond an open end"
        return f"is not a date{beyond}", f"are not dates{beyond}"

    @property
    def described(self) -> str:
        shifted = None if self.date_shift is None else f"shifted by person by {self.date_shift.in_words}"
        return "; ".join(filter(None, (self.in_words, self.coded_as, shifted)))

    @property
    def open_codes(self) -> list[str]:
        return [str(self.shown(limit)) for limit in (self.earliest, self.latest) if limit is not None]

    @property
    def least(self) -> float | None:
        return None if self.earliest is None else float(number(self.earliest))

    @property
    def most(self) -> float | None:
        return None if self.latest is None else float(number(self.latest))

    @property
    def read_as_text(self) -> bool:
        """20240531 is a date in a file only where the format says so."""
        return self.format is not None

    def error_in_words(self, error: str) -> str:
        return f"The root mean square difference from the original is {error} days."

    # ---- texts -----------------------------------------------------------------------------------------------------------

    @property
    def _forms(self) -> tuple[str, ...]:
        """The forms of days: that of the column, and what a release of dates is written in."""
        return (ISO, POINTS) if self.format is None else (self.format, ISO)

    def _read_day(self, text: str) -> date | None:
        """A day alone: no release has a time of day that is not kept."""
        found = read_day(text, self._forms)
        return None if found is None or (found[2] and self.time_of_day != "keep") else found[0]

    def span_of(self, text: str) -> Span | None:
        for mark in (EARLIER, LATER):
            if text.endswith(mark):
                base = self.span_of(text.removesuffix(mark))
                if base is None or not np.isfinite(base).all():
                    return None
                return Span(-np.inf, base.high) if mark == EARLIER else Span(base.low, np.inf)
        ends = [self._read_day(part) for part in text.split(TO)]
        if len(ends) <= 2 and None not in ends:
            low, high = (float(number(end)) for end in (ends[0], ends[-1]) if end is not None)
            return Span(low, high) if low <= high else None
        unit = unit_days(text)
        return None if unit is None else Span(float(unit.first), float(unit.last))

    def position_of(self, value: Any) -> float | None:
        if isinstance(value, date):  # a point in time is one, too
            return float(number(value))
        if is_number(value):  # 1930 is a year, and not a day
            return None
        found = self._read_day(str(value).removesuffix(EARLIER).removesuffix(LATER))
        return None if found is None or self.cell(value) != found.isoformat() else float(number(found))

    def positions(self, values: pl.Series) -> Floats:
        if isinstance(values.dtype, pl.Date | pl.Datetime):
            return values.cast(pl.Date).to_physical().cast(pl.Float64).fill_null(np.nan).to_numpy()
        return super().positions(values)

    def cell(self, value: Any) -> str | None:
        """Days in any form as 2024-05-31, and a code as its limit."""
        if value is None:
            return None
        if isinstance(value, date):
            return (value.date() if isinstance(value, datetime) else value).isoformat()
        text = str(value).strip()
        for mark, limit in ((EARLIER, self.earliest), (LATER, self.latest)):
            if limit is not None and text.endswith(mark) and self._read_day(text.removesuffix(mark)) == limit:
                return limit.isoformat()
        return self._rewritten(text, ISO)

    def _rewritten(self, text: str, form: str) -> str:
        """A text with its days in another form; units of the calendar stay."""
        mark = next((mark for mark in (EARLIER, LATER) if text.endswith(mark)), "")
        parts = [(part, self._read_day(part)) for part in text.removesuffix(mark).split(TO)]
        return TO.join(part if found is None else write_day(found, form) for part, found in parts) + mark

    # ---- from the data and to the release ----------------------------------------------------------------------------------

    @property
    def converts(self) -> bool:
        return True

    @property
    def date_shift(self) -> Shift | None:
        if self.shift is None:
            return None
        return Shift(self.shift // WEEK, WEEK) if self.shift_by == "weeks" else Shift(self.shift, 1)

    def checked(self, name: str, values: pl.Series, rows: Longs | None) -> pl.Series:
        days = self if self.time_of_day != "keep" else self.changed(time_of_day="error")  # nothing computes with times
        return days.read(name, values, rows)[0]

    def read(
        self, name: str, values: pl.Series, rows: Longs | None, shifted: Longs | None = None
    ) -> tuple[pl.Series, Counter[str]]:
        dtype, tally = values.dtype, Counter[str]()
        if dtype == pl.Null:
            raise DataError(
                "holds no value at all",
                where=f"column {name!r}",
                remedy="Leave the column out of the policy and the data.",
            )
        if is_text(dtype) or (dtype.is_integer() and self.format is not None):
            days = self._read_texts(name, values.cast(pl.String), rows, tally)
        elif isinstance(dtype, pl.Datetime):
            days = values if self.time_of_day == "keep" else values.dt.date()
            self._refuse_times(name, values.dt.time() != MIDNIGHT, rows, tally)
        elif isinstance(dtype, pl.Date):
            days = values
        else:
            raise DataError(
                f"is a date in the policy but holds {dtype}",
                where=f"column {name!r}",
                remedy="Give dates, or text such as 2024-05-31; for numbers such as 20240531 set format: '%Y%m%d'.",
            )
        _refuse_beyond(name, days, "outside of the years 1 to 9999", rows)
        if shifted is not None:
            days = moved(days, shifted)
            _refuse_beyond(name, days, "outside of the years 1 to 9999 once shifted", rows)
        if self.time_of_day == "keep" and is_text(dtype):  # a time of day stays as it is written
            return self._moved_texts(values.cast(pl.String), days), tally
        return self._limited(days, tally), tally

    def _moved_texts(self, texts: pl.Series, days: pl.Series) -> pl.Series:
        forms = self._forms if self.format is None else (self.format,)
        pairs = zip(texts.to_list(), days.to_list(), strict=True)
        return pl.Series([None if text is None else with_day(text, forms, day) for text, day in pairs], dtype=pl.String)

    def _read_texts(self, name: str, texts: pl.Series, rows: Longs | None, tally: Counter[str]) -> pl.Series:
        counts = texts.alias("text").drop_nulls().value_counts(name="records")
        every = counts["text"].to_list()
        forms = self._forms if self.format is None else (self.format,)
        found = {text: read_day(text, forms) for text in every}
        lost = [text for text in every if found[text] is None]
        if lost:
            shown, places = rows_where(texts.is_in(lost), rows)
            what, mend = remedy(lost, every, forms)
            several = what or f"that {self.misfit[len(places) > 1]}"
            raise DataError(
                f"holds {counted(len(places), 'value')} {several} ({shown})",
                where=f"column {name!r}",
                remedy=mend,
                rows=places,
            )
        known = {text: read for text, read in found.items() if read is not None}
        timed = [text for text, (_, _, has_time) in known.items() if has_time]
        self._refuse_times(name, texts.is_in(timed), rows, tally)
        for text, records in counts.iter_rows():
            tally[known[text][1]] += records
        if not every:  # nothing is replaced: Polars would leave the type as it is
            return pl.Series(texts.name, [None] * len(texts), dtype=pl.Date)
        days = pl.Series([known[text][0] for text in every], dtype=pl.Date)
        return texts.replace_strict(pl.Series(every, dtype=pl.String), days, return_dtype=pl.Date)

    def _refuse_times(self, name: str, timed: pl.Series, rows: Longs | None, tally: Counter[str]) -> None:
        if self.time_of_day == "keep" or not timed.any():
            return
        shown, places = rows_where(timed, rows)
        if self.time_of_day == "error":
            raise DataError(
                f"holds {counted(len(places), 'value')} with a time of day ({shown})",
                where=f"column {name!r}",
                remedy="Set time_of_day: drop, so that every release has the days alone; or call the column Ordinal, which "
                "keeps the order of time. In a column of role: other the time is released as it is with time_of_day: keep.",
                rows=places,
            )
        tally[_TIMES] += len(places)

    def _limited(self, days: pl.Series, tally: Counter[str] | None = None) -> pl.Series:
        """Days, those beyond an open end at its limit."""
        for limit, beyond in self._beyond(days):
            if beyond.any():
                if tally is not None:
                    tally[str(self.shown(limit))] += int(beyond.sum())
                within = pl.when(beyond.fill_null(value=False)).then(pl.lit(limit)).otherwise(days)
                days = pl.select(within.alias(days.name)).to_series()
        return days

    def _beyond(self, days: pl.Series) -> list[tuple[date, pl.Series]]:
        """Of each open end its limit, and which days it holds."""
        found = [] if self.earliest is None else [(self.earliest, days <= self.earliest)]
        return found if self.latest is None else [*found, (self.latest, days >= self.latest)]

    def noted(self, name: str, tally: Counter[str]) -> list[Statement]:
        told = []
        for what, records in tally.items():
            if what == _TIMES:
                told.append(f"{counted(records, 'value')} with a time of day; every release has the days alone")
            elif what.endswith((EARLIER, LATER)):
                told.append(
                    f"{counted(records, 'value')} coded {what!r}; they count as the limit, and the column is text"
                )
            else:
                told.append(
                    f"{counted(records, 'date')} read from text by {what!r}: 31 May 2024 is {write_day(MAY, what)}"
                )
        return [note(f"{name}: {text}", name) for text in told]

    def read_any(self, values: pl.Series) -> pl.Series:
        if isinstance(values.dtype, pl.Datetime):
            timed = (values.dt.time() != MIDNIGHT).any()
            values = values if timed and self.time_of_day != "drop" else values.dt.date()
        if isinstance(values.dtype, pl.Date):
            return self._limited(values)
        if not is_text(values.dtype) or self.time_of_day == "keep":
            return values
        every = values.cast(pl.String).unique().drop_nulls()
        days = [self.position_of(text) for text in every.to_list()]
        if None in days:
            return values
        read = pl.Series([day(place) for place in days if place is not None], dtype=pl.Date)
        found = values.cast(pl.String).replace_strict(every, read, return_dtype=pl.Date)
        return self._limited(found).alias(values.name)

    def shows_codes(self, values: pl.Series) -> bool:
        return is_text(values.dtype) or any(bool(beyond.any()) for _, beyond in self._beyond(values))

    def shown(self, value: Any) -> Any:
        if isinstance(value, date) and self.earliest is not None and value <= self.earliest:
            return f"{self.earliest}{EARLIER}"
        if isinstance(value, date) and self.latest is not None and value >= self.latest:
            return f"{self.latest}{LATER}"
        return value

    def written(self, values: pl.Series, before: pl.Series, *, coded: bool) -> pl.Series:
        """In the form of the column, where it came as text; units of the calendar are text whatever it was."""
        form = self._own_form(before)
        if (not coded and form is None) or (is_text(values.dtype) and self.time_of_day == "keep"):
            return values
        every = values.unique().drop_nulls()
        texts = [self._rewritten(str(self._code(value)), form or ISO) for value in every.to_list()]
        if not len(every):
            return values.cast(pl.String)
        return values.replace_strict(every, pl.Series(texts, dtype=pl.String), return_dtype=pl.String)

    def _code(self, value: Any) -> Any:
        """A day, or a text that may be one, as a code where it is at a limit."""
        found = self._read_day(value) if isinstance(value, str) else value
        return value if found is None else self.shown(found)

    def _own_form(self, before: pl.Series) -> str | None:
        """The form that most texts of a column have; None: it holds dates and no texts."""
        if not is_text(before.dtype):
            return self.format if before.dtype.is_integer() else None
        if self.format is not None:
            return self.format
        return commonest_form(before, self._forms)

    def as_read(self, dtype: pl.DataType, tally: Counter[str]) -> Self:
        return self.changed(format=self.format or commonest(tally, self._forms)) if is_text(dtype) else self

    def paired(self, before: pl.Series, after: pl.Series) -> tuple[pl.Series, pl.Series]:
        """An error where dates have become texts, such as months, and nothing says what these stand for."""
        if isinstance(before.dtype, pl.Date) and is_text(after.dtype):
            raise DataError(
                "holds dates in the original and other text in the masked data",
                where=f"column {before.name!r}",
                remedy="If the data were generalized, give the policy that was used: its hierarchies say what a month or an "
                "interval stands for. result.assessment judges a run without reading it back.",
            )
        return before, after

    def made(self, name: str, values: pl.Series, counts: Longs, missing: int | None, at: Floats) -> DateColumn:
        return DateColumn(name, self, values, counts, missing, at=at)


def _refuse_beyond(name: str, days: pl.Series, what: str, rows: Longs | None) -> None:
    refuse_odd(name, ~days.cast(pl.Date).to_physical().is_between(FIRST_DAY, LAST_DAY), what, rows)
