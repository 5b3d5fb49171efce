"""``Date``: how columns of dates are read, what errors say, and that every release of them is read back and verified."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.cli import app
from ontomask.errors import DataError, OptionError, PolicyError
from ontomask.microdata.columns import encode_column

DAYS = [date(2023, 12, 28) + timedelta(days=11 * i) for i in range(40)]


def policy(method: Any = None, require: Any = (), **settings: Any) -> om.Policy:
    return om.Policy(
        attributes={"seen": om.Date(**settings), "sex": om.Flat()},
        method=method or om.Microaggregation(k=4),
        require=require,
    )


def frame(seen: Any = None) -> pl.DataFrame:
    seen = DAYS if seen is None else seen
    return pl.DataFrame({"seen": seen, "sex": ["f", "m"] * (len(seen) // 2) + ["f"] * (len(seen) % 2)})


def read(values: Any, **settings: Any) -> list[date | None]:
    series = values if isinstance(values, pl.Series) else pl.Series("seen", values)
    found: list[date | None] = om.Date(**settings).checked("seen", series, None).to_list()
    return found


# ---- reading -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "settings"),
    [
        (["2024-05-31", "2024-02-29", None], {}),
        (["31.05.2024", "29.2.2024", None], {}),
        (["31.05.2024", "2024-02-29", None], {}),
        ([" 2024-05-31 ", "2024-02-29T00:00:00", None], {}),
        (["31/05/2024", "29/02/2024", None], {"format": "%d/%m/%Y"}),
        (["05/31/2024", "2/29/2024", None], {"format": "%m/%d/%Y"}),
        (["31MAY2024", "29feb2024", None], {"format": "%d%b%Y"}),
        (["May 31, 2024", "February 29, 2024", None], {"format": "%B %d, %Y"}),
        ([20240531, 20240229, None], {"format": "%Y%m%d"}),
        (["2024-05-31T12:30", "29.02.2024 07:00:01", None], {"time_of_day": "drop"}),
        (pl.Series([datetime(2024, 5, 31), datetime(2024, 2, 29), None]), {}),
        (pl.Series([datetime(2024, 5, 31, 23, 59), datetime(2024, 2, 29), None]), {"time_of_day": "drop"}),
        (pl.Series(["2024-05-31", "2024-02-29", None], dtype=pl.Categorical), {}),
        (pl.Series(["2024-05-31", "2024-02-29", None], dtype=pl.Enum(["2024-02-29", "2024-05-31"])), {}),
    ],
    ids=str,
)
def test_columns_that_are_dates(values: Any, settings: Any) -> None:
    assert read(values, **settings) == [date(2024, 5, 31), date(2024, 2, 29), None]


@pytest.mark.parametrize(
    ("values", "settings", "expected"),
    [
        (["05/06/2024", "07/08/2024"], {}, r"holds 2 values that can be read in two ways, .* \(records 1, 2\)\. Say which"),
        (["05/06/2024"], {}, r"set format: '%d/%m/%Y' \(day first\) or format: '%m/%d/%Y' \(month first\)"),
        (["05-06-2024", "31-08-2024"], {}, r"Only one of the two reads all of them: set format: '%d-%m-%Y' \(day first\)"),
        (["05/06/2024", "07/31/2024"], {}, r"Only one of the two reads all of them: set format: '%m/%d/%Y'"),
        (["31/06/2024", "07/31/2024"], {}, r"read in two ways.* set format: '%d/%m/%Y' .* or "),
        (["2024-05-31", "05/06/24"], {}, r"1 value with a year of two digits.* \(record 2\)\. Write years with four"),
        (["2024-05-31", "2024-02-30", "soon"], {}, r"2 values that are not dates of the form '%Y.* \(records 2, 3\)\. Corr"),
        (["31.05.2024"], {"format": "%d/%m/%Y"}, r"in another form than '%d/%m/%Y' .* \(record 1\)\. All .* '%d\.%m\.%Y'"),
        (["31/05/2024", "1957-05-03"], {"format": "%d/%m/%Y"}, r"value in another form than '%d/%m/%Y' \(31.* Correct [^%]*$"),
        (["2024-05-31", "05/06/2024"], {}, r"1 value in another form than '%Y.* or '%d.* \(record 2\)\. Correct the cells"),
        (["2024-05"], {}, r"holds 1 value that is not a date"),
        (["0000-01-01"], {}, r"holds 1 value that is not a date"),
        (["2024-05-31T12:30", "2024-05-30"], {}, r"1 value with a time of day \(record 1\)\. Set time_of_day: drop,"),
        (pl.Series([None, datetime(2024, 5, 31, 7)]), {}, r"1 value with a time of day \(record 2\)"),
        ([20240531], {}, r"is a date in the policy but holds Int64\. Give dates, or text .* set format: '%Y%m%d'"),
        (pl.Series([None, None]), {}, r"holds no value at all"),
        (pl.Series([0, 3_000_000], dtype=pl.Int32).cast(pl.Date), {}, r"outside of the years 1 to 9999 \(record 2\)"),
        (pl.Series([timedelta(days=1)]), {}, r"is a date in the policy but holds Duration"),
    ],
    ids=str,
)  # fmt: skip
def test_columns_that_are_not(values: Any, settings: Any, expected: str) -> None:
    with pytest.raises(DataError, match=f"column 'seen': .*{expected}") as caught:
        read(values, **settings)
    shown = re.sub(
        r"31 May 2024 is [^ )]+|2024-05-31|20240531", "", str(caught.value)
    )  # how dates are written, and no value
    assert "2024" not in shown


def test_errors_name_the_records_of_the_input() -> None:
    """Also where some records were dropped before."""
    data = pl.DataFrame({"sex": ["f", None, "m", "m"], "seen": ["2024-05-31", "2024-05-31", "2024-05-31", "soon"]})
    rules = om.Policy(
        attributes={"seen": om.Date(), "sex": om.Flat(missing="drop_record")}, method=om.Microaggregation(k=2)
    )
    with pytest.raises(DataError, match=r"\(record 4\)"):
        om.anonymize(data, rules)


def test_errors_name_the_line_of_a_csv_file(tmp_path: Path) -> None:
    """The first of the records; a cell with a line break and a blank line stand above it."""
    file = tmp_path / "seen.csv"
    file.write_text('note,seen\n"two\nlines",2024-05-31\n\nb,2024-05-31\nc,soon\nd,later\n', encoding="utf-8")
    rules = om.Policy(attributes={"note": om.Identifier(), "seen": om.Date()}, method=om.Microaggregation(k=2))
    with pytest.raises(DataError, match=r"\(records 3, 4\).* Record 3 begins on line 6 of seen\.csv\.$"):
        om.anonymize(file, rules)


def test_a_column_that_is_not_masked_is_read_as_well() -> None:
    rules = om.Policy(attributes={"sex": om.Flat(), "seen": om.Date(role="other")}, method=om.Microaggregation(k=2))
    with pytest.raises(DataError, match="1 value that is not a date"):
        om.anonymize(frame(["2024-05-31", "soon"]), rules)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"format": "%d.%m.%y"}, "may be of two centuries"),
        ({"format": "%d.%m"}, "does not name year, month and day once each"),
        ({"format": "%d.%m.%b.%Y"}, "does not name year, month and day once each"),
        ({"format": "%H:%M"}, "%H is not a part of a date"),
        ({"format": 5}, "format"),
        ({"earliest": "soon"}, "'soon' is not a day: write it as 1930-01-01"),
        ({"earliest": 1930}, "1930 is not a day"),
        ({"earliest": "2000-01-01", "latest": "2000-01-01"}, "earliest must come first"),
        ({"time_of_day": "never"}, "'never' is not one of error, drop, keep"),
    ],
    ids=str,
)
def test_settings_that_cannot_be_meant(settings: Any, expected: str) -> None:
    with pytest.raises(PolicyError, match=expected):
        om.Date(**settings)


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        (["week", "month"], r"weeks do not end with months or years: give \[day, week\]"),
        (["day", "week", "year"], "weeks do not end with months"),
        (["year", "month"], "month does not join whole units of year"),
        (["month", "month"], "month does not join whole units of month"),
        (["month", "day"], "day does not join whole units of month"),
        (["century"], "'century' is not one of"),
        ([], "levels is not a list of units"),
        ("month", "levels is not a list of units"),
    ],
    ids=str,
)
def test_levels_that_do_not_nest(levels: Any, expected: str) -> None:
    with pytest.raises(PolicyError, match=expected):
        om.Calendar(levels=levels)


def test_the_calendar_is_for_dates() -> None:
    column = encode_column("v", om.Numeric(), pl.Series([1, 2]), []).column
    with pytest.raises(DataError, match="a hierarchy of the calendar does not fit its kind. Use it on a date column"):
        om.Calendar().column_levels(column)


def test_policies_keep_dates(tmp_path: Path) -> None:
    rules = policy(
        om.Generalization(hierarchies={"seen": om.Calendar(levels=["month", "year"])}),
        [om.KAnonymity(k=2)],
        format="%d/%m/%Y",
        earliest=date(1930, 1, 1),
        latest="2020-12-31",
        time_of_day="drop",
    )
    file = rules.save(tmp_path / "policy.yaml")
    assert om.Policy.load(file) == rules
    text = file.read_text(encoding="utf-8")
    assert "kind: date" in text
    assert "earliest: 1930-01-01" in text
    assert "kind: calendar" in text
    cuts = policy(om.Generalization(hierarchies={"seen": om.Intervals(levels=[[date(2023, 1, 1), date(2026, 1, 1)]])}))
    assert om.Policy.load(cuts.save(tmp_path / "cuts.yaml")) == cuts


# ---- releases ----------------------------------------------------------------------------------------------------

FORMS = {
    "dates": (DAYS, {}, pl.Date),
    "times": ([datetime.combine(day, datetime.min.time()) for day in DAYS], {}, pl.Datetime),
    "iso": ([str(day) for day in DAYS], {}, pl.String),
    "points": ([f"{day:%d.%m.%Y}" for day in DAYS], {}, pl.String),
    "slashes": ([f"{day:%m/%d/%Y}" for day in DAYS], {"format": "%m/%d/%Y"}, pl.String),
}
METHODS = {
    "mdav": om.Microaggregation(k=4, partition="mdav"),
    "median": om.Microaggregation(k=4, partition="adaptive", numeric_centre="median"),
    "swapping": om.RankSwapping(k=4),
    "calendar": om.Generalization(),
    "weeks": om.Generalization(hierarchies={"seen": om.Calendar(levels=["week"])}),
    "intervals": om.Generalization(hierarchies={"seen": om.Intervals()}),
    "local": om.Generalization(search="local"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", METHODS)
def test_a_release_is_in_the_form_of_the_data(form: str, name: str, tmp_path: Path) -> None:
    values, settings, dtype = FORMS[form]
    data = frame(values)
    rules = policy(
        METHODS[name], [om.KAnonymity(k=4)] if isinstance(METHODS[name], om.Generalization) else [], **settings
    )
    result = om.anonymize(data, rules, seed=1)
    if not isinstance(METHODS[name], om.Generalization):
        assert result.data.schema["seen"] == dtype
        assert None not in om.Date(**settings).read_any(result.data["seen"]).to_list()
        if dtype == pl.String:
            assert result.data["seen"].str.len_chars().unique().to_list() == [10]
            assert result.data["seen"][0][2] == values[0][2]
    result.save(tmp_path / "result", report=True)
    file = tmp_path / "result" / "release" / "release.csv"
    found = om.verify(file, rules)
    assert found, str(found)
    judged = om.assess(data, file, rules, records=result.records)
    assert judged.loss.headline == pytest.approx(result.loss().headline)
    assert judged.ncp == pytest.approx(result.ncp)
    page = (tmp_path / "result" / "release" / "report.html").read_text(encoding="utf-8")
    assert "days of the calendar" in page


@pytest.mark.parametrize("format", ["csv", "xlsx", "parquet", "sav", "zsav", "dta", "xpt"])
@pytest.mark.parametrize("name", ["mdav", "swapping", "calendar", "intervals"])
def test_files_of_every_format(format: str, name: str, tmp_path: Path) -> None:
    """In and out: what was written is read back, verified and assessed."""
    data = frame().with_columns(born=pl.Series(DAYS[::-1]))
    file = om.write_table(data, tmp_path / f"data.{format}")
    rules = om.Policy(
        attributes={"seen": om.Date(), "sex": om.Flat(), "born": om.Date(role="sensitive", earliest="2024-03-01")},
        method=METHODS[name],
        require=[om.KAnonymity(k=4)] if isinstance(METHODS[name], om.Generalization) else [],
    )
    result = om.anonymize(file, rules, seed=1)
    assert (
        result.data["seen"].to_list()
        == om.anonymize(data, rules, seed=1).data["seen"].cast(result.data["seen"].dtype).to_list()
    )
    release = result.write(tmp_path / f"release.{format}")
    found = om.verify(release, rules, original=file)
    assert [f.text for f in found if f.checked and not f.holds] == []
    judged = om.assess(file, release, rules, records=result.records)
    assert judged.loss.headline == pytest.approx(result.loss().headline)
    assert "2024-03-01 or earlier" in om.read_table(release).data["born"].to_list()


def test_frames_of_other_packages() -> None:
    for given in (frame().to_pandas(), frame().to_arrow(), pd.DataFrame({"seen": DAYS, "sex": ["f", "m"] * 20})):
        shown = om.anonymize(given, policy(), seed=1).data
        assert type(shown) is type(given)
        before, after = (
            one.schema.field("seen").type if isinstance(one, pa.Table) else one["seen"].dtype for one in (given, shown)
        )
        assert before == after
        listed = shown["seen"].to_pylist() if isinstance(shown, pa.Table) else shown["seen"].tolist()
        assert [str(day)[:10] for day in listed] == [
            str(day) for day in om.anonymize(frame(), policy(), seed=1).data["seen"]
        ]


def test_zones_keep_their_days() -> None:
    seen = pl.Series([datetime(2024, 5, 31), datetime(2024, 5, 30)] * 2).dt.replace_time_zone("America/New_York")
    for given in (frame(seen), frame(seen).to_pandas(), frame(seen).to_arrow()):
        shown = om.anonymize(given, policy(om.Suppression(k=1)), seed=1).data["seen"]
        listed = shown.to_pylist() if isinstance(given, pa.Table) else shown.to_list()
        assert [str(value)[:10] for value in listed][:2] == ["2024-05-31", "2024-05-30"]


def test_what_was_read_is_in_the_notes() -> None:
    values = ["31.05.2024 10:00", "2024-05-30", "29.05.2024", "28.05.2024"]
    result = om.anonymize(frame(values), policy(om.Microaggregation(k=2), time_of_day="drop"), seed=1)
    told = [str(note) for note in result.notes if str(note).startswith("seen: ")]
    assert "seen: 3 dates read from text by '%d.%m.%Y': 31 May 2024 is 31.05.2024" in told
    assert "seen: 1 date read from text by '%Y-%m-%d': 31 May 2024 is 2024-05-31" in told
    assert "seen: 1 value with a time of day; every release has the days alone" in told
    assert result.data["seen"].str.contains(r"^\d\d\.05\.2024$").all()  # the form that most of them have


def test_no_release_has_a_time_of_day(tmp_path: Path) -> None:
    """Whatever the role of the column."""
    seen = [datetime(2024, 5, 31, 7, 30), datetime(2024, 5, 30, 8, 15)] * 2
    rules = om.Policy(
        attributes={"sex": om.Flat(), "seen": om.Date(role="other", time_of_day="drop")},
        method=om.Microaggregation(k=2),
    )
    result = om.anonymize(frame(seen), rules, seed=1)
    assert {value.time() for value in result.data["seen"].to_list()} == {datetime.min.time()}
    file = result.write(tmp_path / "release.csv")
    assert om.verify(file, rules)
    assert "07:30" not in file.read_text()
    file.write_text(file.read_text().replace("2024-05-31", "2024-05-31 07:30:00"))
    assert "is not a date" in str(om.verify(file, rules))


def test_records_that_are_missing() -> None:
    values = [*DAYS[:10], *[None] * 10]
    result = om.anonymize(frame(values), policy(om.Microaggregation(k=5), missing="category"), seed=1)
    assert result.data["seen"].null_count() == 10
    with pytest.raises(DataError, match="has 10 missing values"):
        om.anonymize(frame(values), policy())


# ---- open ends ---------------------------------------------------------------------------------------------------

ENDS = {"earliest": "2024-02-15", "latest": "2024-12-10"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", METHODS)
def test_open_ends(form: str, name: str, tmp_path: Path) -> None:
    values, settings, _ = FORMS[form]
    rules = policy(
        METHODS[name], [om.KAnonymity(k=4)] if isinstance(METHODS[name], om.Generalization) else [], **settings, **ENDS
    )
    result = om.anonymize(frame(values), rules, seed=1)
    shown = result.data["seen"].cast(pl.String)
    kind = om.Date(**settings, **ENDS)
    low, high = kind.ends
    for original, text in zip(DAYS, shown, strict=True):
        if name in ("mdav", "median", "swapping", "local") or text == "*":
            assert text == "*" or kind.fits(text)
            continue
        span, place = kind.span_of(text), kind.position_of(original)
        assert span is not None and place is not None  # noqa: PT018
        assert span.low <= place <= span.high, (original, text)
        assert (place > low or span.low == -np.inf) and (place < high or span.high == np.inf)  # noqa: PT018
    file = result.write(tmp_path / "release.csv")
    found = om.verify(file, rules)
    assert found, str(found)
    judged = om.assess(frame(values), file, rules, records=result.records)
    assert judged.loss.headline == pytest.approx(result.loss().headline)
    bad = pl.DataFrame({"seen": [str(DAYS[0])] * 4, "sex": ["f"] * 4})
    assert "1 value of 'seen' (4 records) is not a date, or beyond an open end" in str(om.verify(bad, rules))


def test_units_that_hold_a_limit_are_open() -> None:
    column = encode_column("seen", om.Date(**ENDS), pl.Series("seen", DAYS), []).column
    month, quarter, year, decade, _ = om.Calendar().column_levels(column).levels[1:]
    days = column.values.to_list()
    months, quarters = (dict(zip(days, o.shown.gather(o.group).to_list(), strict=True)) for o in (month, quarter))
    assert set(months.values()) >= {"2024-02 or earlier", "2024-03", "2024-11", "2024-12 or later"}
    assert months[date(2024, 2, 15)] == "2024-02 or earlier"
    assert quarters[date(2024, 2, 15)] == "2024-Q1 or earlier"
    assert {quarters[day] for day in days if day.month == 3} == {"2024-Q1 or earlier"}
    assert year.shown.to_list() == decade.shown.to_list() == ["*"]  # both limits lie in 2024


# ---- models, references, hierarchies -----------------------------------------------------------------------------


def test_near_days_are_one_disclosure() -> None:
    data = pl.DataFrame({"sex": ["f"] * 3, "seen": ["01.06.2024", "02.06.2024", "20.06.2024"]})
    attributes = {"sex": om.Flat(), "seen": om.Date(role="sensitive")}
    for least, holds in ((18, True), (20, False)):
        require = om.LDiversity(l=2, attribute="seen", min_distance=least)
        assert om.verify(data, om.Policy(attributes=attributes, require=[require])).holds is holds
    ordered = om.TCloseness(t=0.01, attribute="seen", ground="ordered")
    assert om.verify(data, om.Policy(attributes=attributes, require=[ordered]), original=data)


def test_references() -> None:
    values = [date(2024, 5, 31), date(2020, 1, 1), date(2023, 1, 1)]
    assert om.sort_values(om.Date(), values, date(1999, 1, 1)) == sorted(values)
    assert om.sort_values(om.Date(), values, "2030-01-01") == sorted(values, reverse=True)
    assert om.weighted_distances(om.Date(), "2023-01-02", values)[date(2023, 1, 1)] == 1
    with pytest.raises(OptionError, match="the reference 2020 is not a date"):
        om.sort_values(om.Date(), values, 2020)


def test_cut_points_and_origins() -> None:
    column = encode_column(
        "seen", om.Date(format="%d/%m/%Y"), pl.Series("seen", ["31/05/2024", "01/01/2024"]), []
    ).column
    given = om.Intervals(levels=[["01/01/2024", "01/04/2024", date(2025, 1, 1)]])
    assert given.column_levels(column).levels[1].shown.to_list() == [
        "2024-04-01 to 2024-12-31",
        "2024-01-01 to 2024-03-31",
    ]
    built = om.Intervals(width=7, origin="2024-01-01")
    assert built.column_levels(column).levels[1].shown.to_list() == [
        "2024-05-27 to 2024-06-02",
        "2024-01-01 to 2024-01-07",
    ]
    with pytest.raises(DataError, match=r"1930\.0, where an interval begins or ends, cannot be read"):
        om.Intervals(levels=[[1930, 2030]]).column_levels(column)


@pytest.mark.parametrize("written", ["%Y-%m-%d", "%d.%m.%Y"])
def test_a_levels_file_in_either_form(tmp_path: Path, written: str) -> None:
    file = tmp_path / "months.csv"
    file.write_text("".join(f"{day.strftime(written)};{day:%B};*\n" for day in DAYS))
    rules = policy(om.Generalization(hierarchies={"seen": om.LevelsFile(str(file))}), [om.KAnonymity(k=2)])
    result = om.anonymize(frame([f"{day:%d.%m.%Y}" for day in DAYS]), rules, seed=1)
    assert om.verify(result.write(tmp_path / "release.csv"), rules)


def of_persons() -> pl.DataFrame:
    """Three stays of each person, a few without a day."""
    days = [f"{1 + i % 28:02d}.{1 + i % 12:02d}.{2020 + i % 3}" if i % 20 else "?" for i in range(90)]
    return pl.DataFrame(
        {"patient": [i // 3 for i in range(90)], "seen": days, "ward": [f"w{i % 4}" for i in range(90)]}
    )


@pytest.mark.parametrize("method", [om.Microaggregation(k=3), om.ProfileMicroaggregation(k=3)], ids=lambda m: m.name)
def test_dates_of_persons(method: Any) -> None:
    attributes = {
        "patient": om.Identifier(),
        "seen": om.Date(missing="category", missing_markers=["?"]),
        "ward": om.Flat(role="sensitive"),
    }
    rules = om.Policy(attributes=attributes, method=method, require=[om.KAnonymity(k=3)], person="patient")
    result = om.anonymize(of_persons(), rules)
    assert all(finding.holds for finding in result.verification.findings)
    assert any("persons" in statement.text for statement in result.guarantees)
    texts = result.data["seen"].drop_nulls()
    assert len(texts)
    assert texts.str.contains(r"^\d\d\.\d\d\.\d{4}$").all()


def test_candidates_with_dates_are_compared() -> None:
    rules = policy(require=[om.KAnonymity(k=3)])
    methods = ["microaggregation", "generalization"]
    table = om.compare(frame(), om.grid(rules, methods, k=[3, 4]), workers=1).table
    assert table["satisfied"].all()
    assert table["loss"].is_finite().all()


def test_months_without_their_policy_are_not_compared() -> None:
    data = frame()
    result = om.anonymize(data, policy(om.Generalization(), [om.KAnonymity(k=4)]), seed=1)
    with pytest.raises(DataError, match=r"column 'seen': holds dates in the original and other text .*give the policy"):
        om.assess(data, result.data, {"seen": om.Date()}, records=result.records)


def test_means_are_said_as_dates() -> None:
    result = om.anonymize(frame(), policy(), seed=1)
    assert any(text.startswith("The mean of seen was 2024-") for text in result.assessment.readings)
    (row,) = result.preservation().means.filter(pl.col("attribute") == "seen").iter_rows(named=True)
    assert date.fromisoformat(row["original"])


# ---- profiles ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "kind", "settings", "check"),
    [
        (DAYS, "date", {}, ""),
        ([str(day) for day in DAYS], "date", {}, ""),
        ([f"{day:%d.%m.%Y}" for day in DAYS], "date", {"format": "%d.%m.%Y"}, ""),
        ([f"{day:%d/%m/%Y}" for day in DAYS], "date", {"format": "%d/%m/%Y"}, "is 31 May 2024 31/05/2024"),
        ([f"{day:%m-%d-%Y}" for day in DAYS], "date", {"format": "%m-%d-%Y"}, "is 31 May 2024 05-31-2024"),
        ([f"0{1 + i % 9}/0{1 + i % 7}/2024" for i in range(40)], "flat", {}, "format: '%d/%m/%Y' or '%m/%d/%Y'"),
        ([f"{day:%d/%m/%y}" for day in DAYS], "flat", {}, "not all written alike"),
        ([datetime(2024, 5, 1 + i % 28, i % 24) for i in range(40)], "date", {"time_of_day": "drop"}, "is dropped"),
        ([f"2024-05-{1 + i % 28:02d} 07:{i:02d}" for i in range(40)], "date", {"time_of_day": "drop"}, "is dropped"),
        ([f"{day:%Y-%m}" for day in DAYS], "ordinal", {}, ""),
    ],
    ids=lambda part: str(part)[:40],
)
def test_columns_of_dates_are_proposed_as_dates(values: Any, kind: str, settings: Any, check: str) -> None:
    data = frame(values)
    found = om.profile(data)
    assert (found["seen"].role, found["seen"].kind) == ("quasi", kind)
    attribute = found.policy(k=4).attributes["seen"]
    assert {name: getattr(attribute, name) for name in settings} == settings
    assert any(check in text for text in found["seen"].checks) if check else not found["seen"].checks
    result = om.anonymize(data, found.policy(k=4), seed=1)
    assert result.satisfied
    assert "kind: " + kind in found.policy_text(k=4)


@pytest.mark.parametrize(
    ("ages", "high"),
    [
        ([*range(20, 60)], False),
        ([*range(50, 90)], False),
        ([*range(51, 91)], True),
        ([*range(20, 57), 999, 999, 999], False),
    ],
    ids=["young", "to 89", "to 90", "a marker"],
)
def test_of_high_ages_a_hint_names_the_top_code(ages: list[int], high: bool) -> None:
    data = pl.DataFrame({"age": ages, "weight": ages, "sex": ["f", "m"] * 20})
    found = om.profile(data)
    policy = found.policy(k=4)
    assert any("top: 90" in hint for hint in found["age"].hints) == high
    assert not any("top: 90" in hint for hint in found["weight"].hints)
    assert om.anonymize(data, policy, seed=1).satisfied


# ---- the command line --------------------------------------------------------------------------------------------


def test_the_command_line(tmp_path: Path) -> None:
    run, data, rules = CliRunner(), tmp_path / "stays.csv", tmp_path / "policy.yaml"
    frame([f"{day:%d.%m.%Y}" for day in DAYS]).write_csv(data, separator=";")
    policy(om.Generalization(), [om.KAnonymity(k=4)]).save(rules)
    done = run.invoke(app, ["run", str(rules), str(data), "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    release = tmp_path / "out" / "release" / "release.csv"
    done = run.invoke(app, ["verify", str(rules), str(release)])
    assert done.exit_code == 0, done.output
    done = run.invoke(app, ["assess", str(rules), str(data), str(release)])
    assert done.exit_code == 0, done.output
    proposed = tmp_path / "proposed.yaml"
    done = run.invoke(app, ["init", str(data), "-o", str(proposed), "--k", "4"])
    assert done.exit_code == 0, done.output
    assert "format: '%d.%m.%Y'" in proposed.read_text(encoding="utf-8")
    done = run.invoke(app, ["run", str(proposed), str(data), "-o", str(tmp_path / "again")])
    assert done.exit_code == 0, done.output
