"""A column kind on a line, with a hierarchy of its own: quarters of years, defined here and nowhere else.

The mean of quarters is a quarter, but a quarter is no amount: it has no dominance, no tails, and no axis of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import ontomask as om
from ontomask.arrays import Floats, Longs
from ontomask.hierarchies.levels import Hierarchy, Level, make_level
from ontomask.kinds.continuous import ContinuousAttribute, ContinuousColumn, Span
from ontomask.kinds.registry import KINDS
from ontomask.microdata.attributes import Attribute
from ontomask.microdata.columns import Column
from ontomask.policy.policy_file import load_policy
from ontomask.report.counts import distribution, studied
from ontomask.settings import DictOf, either

QUARTER = r"\d{4}-Q[1-4]"


def text(position: float) -> str:
    return f"{int(position) // 4:04d}-Q{int(position) % 4 + 1}"


class Years(Hierarchy):
    """Quarters become years. No file can name it: it is in no list."""

    kind: Literal["years"] = "years"

    def build_levels(self, column: Column) -> list[Level]:
        years = [None if value is None else value[:4] for value in column.values.to_list()]
        return [make_level(column, "year", years, [0.5] * len(years))]

    def shows(self) -> Callable[[str], bool]:
        return lambda text: len(text) == 4 and text.isdecimal()


class Quarter(ContinuousAttribute):
    """Quarters of years: distance by difference, centre = the mean quarter."""

    kind: Literal["quarter"] = "quarter"
    in_words: ClassVar[str] = "quarters of years"
    mean_called: ClassVar[str] = "mean quarter"
    misfit: ClassVar[tuple[str, str]] = ("is not a quarter", "are not quarters")
    hierarchy: ClassVar[Any] = Years()

    def span_of(self, text: str) -> Span | None:
        parts = text.split(" to ")
        if len(parts) > 2 or not all(re.fullmatch(QUARTER, part) for part in parts):
            return None
        places = [4 * int(part[:4]) + int(part[-1]) - 1 for part in parts]
        return Span(places[0], places[-1])

    def made(self, name: str, values: pl.Series, counts: Longs, missing: int | None, at: Floats) -> QuarterColumn:
        return QuarterColumn(name, self, values, counts, missing, at=at)


@dataclass(frozen=True, eq=False)
class QuarterColumn(ContinuousColumn):
    """Positions are quarters since the year 0."""

    @property
    def whole(self) -> bool:
        return True

    def rounded(self, centres: NDArray[Any]) -> NDArray[Any]:
        found: NDArray[Any] = np.rint(centres)
        return found

    def write_between(self, low: float, high: float, *, closed: bool) -> str:
        return f"{text(low)} to {text(high if closed else high - 1)}"

    def decode(self, centres: NDArray[Any]) -> pl.Series:
        return pl.Series(self.name, [None if np.isnan(c) else text(np.rint(c)) for c in centres], dtype=pl.String)


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    rng = np.random.default_rng(3)
    places = 4 * 2000 + rng.integers(0, 80, 90)
    return pl.DataFrame({"seen": [text(place) for place in places], "sex": rng.choice(["f", "m"], 90)})


@pytest.fixture
def years(tmp_path: Path) -> om.LevelsFile:
    """Years and decades of every quarter there may be, some of which the data do not hold."""
    rows = [f"{text(p)};{p // 4};{p // 40}0s;*\n" for p in range(4 * 1990, 4 * 2030)]
    (tmp_path / "years.csv").write_text("".join(rows))
    return om.LevelsFile(str(tmp_path / "years.csv"))


def policy(method: Any) -> om.Policy:
    return om.Policy(attributes={"seen": Quarter(), "sex": om.Flat()}, method=method, require=[om.KAnonymity(k=5)])


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
    assert "quarters of years" in (folder / "result" / "release" / "report.html").read_text(encoding="utf-8")
    return result


def test_groups_show_their_mean(frame: pl.DataFrame, tmp_path: Path) -> None:
    result = through(frame, policy(om.Microaggregation(k=5)), tmp_path)
    assert result.data["seen"].str.contains(f"^{QUARTER}$").all()
    chart = next(column for column in studied(result) if column.column.name == "seen")
    (bars,) = distribution(chart)
    assert bars["kind"] == "paired_bars"
    assert all(re.search(f"{QUARTER}$", name) for name, _, _ in bars["table"])


@pytest.mark.parametrize("search", ["full_domain", "local"])
def test_quarters_climb_the_levels_of_a_file(
    frame: pl.DataFrame, years: om.LevelsFile, tmp_path: Path, search: Literal["full_domain", "local"]
) -> None:
    rules = policy(om.Generalization(search=search, hierarchies={"seen": years}))
    shown = through(frame, rules, tmp_path).data["seen"]
    assert shown.str.contains(rf"^({QUARTER}|\d{{4}}|\d{{3}}0s|\*)$").all()
    assert shown.n_unique() > 1


def test_a_policy_file_names_the_kind_once_it_is_listed(
    frame: pl.DataFrame, years: om.LevelsFile, tmp_path: Path
) -> None:
    """``KINDS`` with one kind more, as the recipe says; the file comes back as it was saved."""

    class Own(om.Policy):
        attributes: DictOf[str, either(Attribute, (*KINDS, Quarter), "kind")]  # type: ignore[valid-type]

    method = {"name": "generalization", "hierarchies": {"seen": {"kind": "levels", "path": years.path}}}
    rules = Own(
        attributes={"seen": {"kind": "quarter"}, "sex": {"kind": "flat"}}, method=method, require=[om.KAnonymity(k=5)]
    )
    file = rules.save(tmp_path / "policy.yaml")
    read = load_policy(Own, file)
    assert read.attributes["seen"] == Quarter()
    assert "kind: quarter" in file.read_text(encoding="utf-8")
    made, again = (om.anonymize(frame, one, seed=1).data for one in (rules, read))
    assert made.equals(again)


def coded(values: list[str]) -> Column:
    counts = np.ones(len(values), np.int64)
    return Quarter().column("seen", np.zeros(1, np.int32), pl.Series(values), counts, None, [], None).column


def test_a_year_is_compared_by_its_middle(years: om.LevelsFile) -> None:
    """By all quarters of the file, whether the data hold them or not."""
    levels = years.column_levels(coded(["2020-Q1"])).levels
    assert levels[1].centres.tolist() == [4 * 2020 + 1.5]


# ---- hierarchies -------------------------------------------------------------------------------------------------


def test_quarters_become_years_where_nothing_is_said(frame: pl.DataFrame, tmp_path: Path) -> None:
    """The hierarchy that the kind brings."""
    shown = through(frame, policy(om.Generalization()), tmp_path).data["seen"]
    assert shown.str.contains(r"^(\d{4}|\*)$").all()


def test_a_hierarchy_made_in_python_is_taken(frame: pl.DataFrame, tmp_path: Path) -> None:
    """Like a kind, a method or a model of one's own."""
    shown = through(frame, policy(om.Generalization(hierarchies={"seen": Years()})), tmp_path).data["seen"]
    assert shown.str.contains(r"^(\d{4}|\*)$").all()


INTERVALS = {
    "built": om.Intervals(),
    "from an origin": om.Intervals(width=8, origin="2001-Q2"),
    "cut points": om.Intervals(levels=[["2000-Q1", "2004-Q1", "2012-Q3", "2020-Q1"], ["2000-Q1", "2020-Q1"]]),
    "pairs": om.Intervals(levels=[[["2000-Q1", "2010-Q1"], ["2010-Q1", "2020-Q1"]]]),
}


@pytest.mark.parametrize("name", INTERVALS)
def test_intervals_are_read_back(frame: pl.DataFrame, tmp_path: Path, name: str) -> None:
    """Ends are given and shown as the column writes its values, and the written file is verified."""
    rules = policy(om.Generalization(hierarchies={"seen": INTERVALS[name]}))
    shown = through(frame, rules, tmp_path).data["seen"]
    assert shown.str.contains(rf"^({QUARTER}( to {QUARTER})?|\*)$").all()
    assert name != "cut points" or "2004-Q1 to 2012-Q2" in shown.to_list()


def test_a_column_that_writes_what_its_kind_does_not_read_fails_at_once() -> None:
    class Mute(QuarterColumn):
        def write_between(self, low: float, high: float, *, closed: bool) -> str:
            return "a while"

    column = Mute("seen", Quarter(), pl.Series(["2020-Q1"]), np.ones(1, np.int64), None, at=np.array([8080.0]))
    with pytest.raises(TypeError, match="Mute writes an interval as 'a while'"):
        column.interval_text(8080, 8084, closed=False)


def test_ends_that_the_column_cannot_read() -> None:
    with pytest.raises(
        om.errors.DataError, match=r"column 'seen': '2020', .*cannot be read.* Write it as the column writes"
    ):
        om.Intervals(levels=[["2020", "2021"]]).column_levels(coded(["2020-Q1"]))
    with pytest.raises(om.errors.DataError, match=r"column 'seen': the intervals of level 1 are empty"):
        om.Intervals(levels=[["2021-Q1", "2020-Q1"]]).column_levels(coded(["2020-Q1"]))


# ---- values ------------------------------------------------------------------------------------------------------


def test_what_is_not_of_the_kind_is_found() -> None:
    data = pl.DataFrame({"seen": ["2020-Q1"] * 5 + ["2020-Q5"] * 5, "sex": ["f"] * 10})
    assert "1 value of 'seen' (5 records) is not a quarter" in str(om.verify(data, policy(om.Microaggregation(k=5))))


def test_what_cannot_be_read_is_an_error_with_its_records() -> None:
    data = pl.DataFrame({"seen": ["2020-Q1", "spring", "2020-Q2", "autumn"], "sex": ["f"] * 4})
    with pytest.raises(
        om.errors.DataError, match=r"column 'seen': holds 2 values that are not quarters \(records 2, 4\)"
    ):
        om.anonymize(data, policy(om.Microaggregation(k=2)))


def test_a_reference_need_not_be_in_the_column() -> None:
    values = ["2020-Q1", "2021-Q1", "2019-Q1"]
    assert om.sort_values(Quarter(), values, "2018-Q4") == ["2019-Q1", "2020-Q1", "2021-Q1"]
    frame = pl.DataFrame({"seen": values})
    assert om.sort_records(frame, {"seen": Quarter()}, reference={"seen": "2030-Q1"}).tolist() == [1, 0, 2]
    with pytest.raises(om.errors.OptionError, match=r"the reference 'never' is not a quarter.*such as '2020-Q1'"):
        om.sort_values(Quarter(), values, "never")


def test_models_measure_along_the_line() -> None:
    """Three quarters of a class are two values that are a year apart; in order they are not far from all of them."""
    sensitive = {"sex": om.Flat(), "seen": Quarter(role="sensitive")}
    data = pl.DataFrame({"sex": ["f"] * 3 + ["m"] * 3, "seen": ["2020-Q1", "2020-Q2", "2021-Q1"] * 2})
    for d, holds in ((4, True), (5, False)):
        require = om.LDiversity(l=2, attribute="seen", min_distance=d)
        assert om.verify(data, om.Policy(attributes=sensitive, require=[require])).holds is holds
    ordered = om.TCloseness(t=0.1, attribute="seen", ground="ordered")
    assert om.verify(data, om.Policy(attributes=sensitive, require=[ordered])).holds
    flat = {"sex": om.Flat(), "seen": om.Flat(role="sensitive")}
    with pytest.raises(om.errors.DataError, match="min_distance needs values on a line"):
        om.check(data, om.Policy(attributes=flat, require=[require]))
