"""A column kind on a line, with a hierarchy of its own: the date, defined here and nowhere else.

The mean of dates is a date, but a date is no amount: it has no dominance, no tails, and no axis of numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import ontomask as om
from ontomask.arrays import Floats, Longs
from ontomask.kinds.line import LineColumn
from ontomask.kinds.registry import KINDS, one_of_kinds
from ontomask.microdata.attributes import Attribute
from ontomask.microdata.columns import Coded, Codes, first_where
from ontomask.microdata.released_values import ReleasedValues
from ontomask.policy.policy_file import load_policy
from ontomask.report.counts import distribution, studied
from ontomask.settings import DictOf
from ontomask.statements import Statement

EPOCH = date(1970, 1, 1)


def day_of(text: str) -> float | None:
    try:
        return float((date.fromisoformat(text) - EPOCH).days)
    except ValueError:
        return None


def as_dates(values: pl.Series) -> pl.Series:
    return values.str.to_date() if values.dtype == pl.String else values


class Date(Attribute):
    """Days: distance by difference, centre = the mean day."""

    kind: Literal["date"] = "date"
    in_words: ClassVar[str] = "days of the calendar"
    mean_called: ClassVar[str] = "mean day"
    misfit: ClassVar[tuple[str, str]] = ("is not a date", "are not dates")

    def odd(self, released: ReleasedValues) -> Counter[str]:
        return Counter({text: count for text, count in released.texts().items() if day_of(text) is None})

    def checked(self, name: str, values: pl.Series, rows: Longs | None) -> pl.Series:
        return as_dates(values)

    def paired(self, before: pl.Series, after: pl.Series) -> tuple[pl.Series, pl.Series]:
        return as_dates(before), as_dates(after)

    def column(
        self,
        name: str,
        codes: Codes,
        distinct: pl.Series,
        counts: Longs,
        missing: int | None,
        notes: list[Statement],
        rows: Longs | None,
    ) -> Coded:
        days = distinct.to_physical().cast(pl.Float64).fill_null(float("nan")).to_numpy()
        return Coded(DateColumn(name, self, distinct, counts, missing, days=days), codes)


@dataclass(frozen=True, eq=False)
class DateColumn(LineColumn):
    """``days``: since 1970 of each code, NaN for missing."""

    continuous: ClassVar[bool] = True
    hierarchy: ClassVar[Mapping[str, Any]] = {"kind": "intervals"}
    days: Floats = field(kw_only=True)

    @property
    def centre_of_code(self) -> NDArray[Any]:
        return self.days

    @property
    def limits(self) -> tuple[float, float]:
        return float(np.nanmin(self.days)), float(np.nanmax(self.days))

    @property
    def whole(self) -> bool:
        return True

    @property
    def missing_centre(self) -> float:
        return float("nan")

    def is_missing(self, centres: NDArray[Any]) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = np.isnan(centres)
        return found

    def rounded(self, centres: NDArray[Any]) -> NDArray[Any]:
        found: NDArray[Any] = np.rint(centres)
        return found

    def position_of(self, text: str) -> float | None:
        return day_of(text)

    def interval_text(self, low: float, high: float, *, closed: bool) -> str:
        return f"{self.place_text(low)} to {self.place_text(high if closed else high - 1)}"

    def interval_share(self, low: float, high: float, extent: float, *, closed: bool) -> float:
        return min((high - low) / extent, 1.0) if extent > 0 else 1.0

    def centres_of_levels(
        self, group: NDArray[np.int32], first: Longs, spans: Any = None, concepts: Any = None
    ) -> NDArray[Any]:
        middles = [
            np.mean(spans[i]) if spans is not None else self.days[group == g].mean() for g, i in enumerate(first)
        ]
        return self.rounded(np.array(middles))

    def centres_of(
        self, values: NDArray[Any], group: Longs, weights: Longs, here: NDArray[Any], numeric: str
    ) -> NDArray[Any]:
        sums: NDArray[Any] = np.bincount(group, weights=values * weights, minlength=len(here))
        return sums / np.maximum(here, 1)

    def of_centres(self, centres: NDArray[Any], counts: Longs) -> Self:
        missing = first_where(self.is_missing(centres))
        return replace(self, counts=counts, values=self.decode(centres), missing=missing, days=centres)

    def decode(self, centres: NDArray[Any]) -> pl.Series:
        days = [None if np.isnan(day) else EPOCH + timedelta(days=int(np.rint(day))) for day in centres]
        return pl.Series(self.name, days, dtype=pl.Date)


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    rng = np.random.default_rng(3)
    days = [date(2020, 1, 1) + timedelta(days=int(d)) for d in rng.integers(0, 700, 90)]
    return pl.DataFrame({"seen": days, "sex": rng.choice(["f", "m"], 90)})


@pytest.fixture
def months(frame: pl.DataFrame, tmp_path: Path) -> om.LevelsFile:
    """Months and years of every day there may be, some of which the data do not hold."""
    days = [date(2020, 1, 1) + timedelta(days=d) for d in range(731)]
    (tmp_path / "months.csv").write_text("".join(f"{d};{d:%Y-%m};{d:%Y};*\n" for d in days))
    return om.LevelsFile(str(tmp_path / "months.csv"))


def policy(method: Any) -> om.Policy:
    return om.Policy(attributes={"seen": Date(), "sex": om.Flat()}, method=method, require=[om.KAnonymity(k=5)])


def through(frame: pl.DataFrame, rules: om.Policy, folder: Path) -> om.Result:
    """Mask, save with its report, and look at the file that was written."""
    result = om.anonymize(frame, rules, seed=1)
    result.save(folder / "result", report=True)
    file = folder / "result" / "release" / "release.csv"
    found = om.verify(file, rules)
    assert found, str(found)
    judged = om.assess(frame, file, rules, records=result.records)
    assert judged.loss.headline == pytest.approx(result.loss().headline)
    assert judged.tails.is_empty()
    assert not [statement for statement in result.notes if "p% rule" in str(statement)]
    assert "days of the calendar" in (folder / "result" / "release" / "report.html").read_text(encoding="utf-8")
    return result


def test_groups_show_their_mean_day(frame: pl.DataFrame, tmp_path: Path) -> None:
    result = through(frame, policy(om.Microaggregation(k=5)), tmp_path)
    assert result.data["seen"].dtype == pl.Date
    chart = next(column for column in studied(result) if column.column.name == "seen")
    (bars,) = distribution(chart)
    assert bars["kind"] == "paired_bars"
    assert all(day_of(name[-10:]) is not None for name, _, _ in bars["table"])


@pytest.mark.parametrize("search", ["full_domain", "local"])
def test_days_climb_to_months_and_years(
    frame: pl.DataFrame, months: om.LevelsFile, tmp_path: Path, search: Literal["full_domain", "local"]
) -> None:
    rules = policy(om.Generalization(search=search, hierarchies={"seen": months}))
    shown = through(frame, rules, tmp_path).data["seen"]
    assert shown.str.contains(r"^(\d{4}(-\d\d(-\d\d)?)?|\*)$").all()
    assert shown.n_unique() > 1


def test_a_policy_file_names_the_kind_once_it_is_listed(
    frame: pl.DataFrame, months: om.LevelsFile, tmp_path: Path
) -> None:
    """``KINDS`` with one kind more, as the recipe says; the file comes back as it was saved."""

    class Own(om.Policy):
        attributes: DictOf[str, one_of_kinds((*KINDS, Date))]  # type: ignore[valid-type]

    method = {"name": "generalization", "hierarchies": {"seen": {"kind": "levels", "path": months.path}}}
    rules = Own(
        attributes={"seen": {"kind": "date"}, "sex": {"kind": "flat"}}, method=method, require=[om.KAnonymity(k=5)]
    )
    file = rules.save(tmp_path / "policy.yaml")
    read = load_policy(Own, file)
    assert read.attributes["seen"] == Date()
    assert "kind: date" in file.read_text(encoding="utf-8")
    made, again = (om.anonymize(frame, one, seed=1).data for one in (rules, read))
    assert made.equals(again)


def test_a_month_is_compared_by_its_middle(frame: pl.DataFrame, months: om.LevelsFile) -> None:
    """By all days of the file, whether the data hold them or not."""
    coded = Date().column(
        "seen", np.zeros(1, np.int32), pl.Series([date(2020, 2, 3)]), np.ones(1, np.int64), None, [], None
    )
    levels = months.column_levels(coded.column).levels
    assert coded.column.decode(levels[1].centres).to_list() == [date(2020, 2, 15)]


def test_intervals_of_days(frame: pl.DataFrame, tmp_path: Path) -> None:
    shown = om.anonymize(frame, policy(om.Generalization(search="full_domain")), seed=1).data["seen"]
    assert shown.str.contains(r"^(\d{4}-\d\d-\d\d( to \d{4}-\d\d-\d\d)?|\*)$").all()


def test_what_is_not_a_date_is_found(frame: pl.DataFrame) -> None:
    data = pl.DataFrame({"seen": ["2020-01-01"] * 5 + ["2020-13-01"] * 5, "sex": ["f"] * 10})
    assert "1 value of 'seen' (5 records) is not a date" in str(om.verify(data, policy(om.Microaggregation(k=5))))
