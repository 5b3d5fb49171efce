"""The sentences of an assessment: is each of them English, and is each of them true?"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask.assessment import assess as module
from ontomask.assessment.readings import joined
from ontomask.wording import percent

FLAT, NUMERIC = {"a": om.Flat()}, {"a": om.Numeric()}
UNTOUCHED = "No value changed: nothing was lost, and nothing was masked."


def frame(*values: Any) -> pl.DataFrame:
    return pl.DataFrame({"a": list(values)})


def readings(before: Any, after: Any, attributes: Any = FLAT, **options: Any) -> list[str]:
    before, after = (data if isinstance(data, pl.DataFrame) else frame(*data) for data in (before, after))
    told: list[str] = om.assess(before, after, attributes, samples=0, **options).readings
    for text in told:
        assert not re.search(r"\b(nan|inf|None|null)\b", text), text
        assert not re.search(r"\de[+-]\d", text), text
        assert text.endswith((".", ".)")), text
        assert text[0].isupper() or text.startswith(tuple(attributes)) or text[0].isdigit(), text
    return told


# ---- numbers in words ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0%"),
        (0.00001, "under 0.1%"),
        (0.004, "0.4%"),
        (0.123456, "12.3%"),
        (1 / 3, "33.3%"),
        (0.9994, "99.9%"),
        (0.9996, "over 99.9%"),
        (1, "100%"),
        (1.25, "125.0%"),
    ],
)
def test_percents(share: float, text: str) -> None:
    assert percent(share) == text


def test_every_share_is_told_truly() -> None:
    """Once it was: 0.995 is '100 in 100'."""
    for i in range(1, 20_000):
        share = i / 20_000
        found = re.fullmatch(r"(under |over )?([\d.]+)%", percent(share))
        assert found is not None, share
        said = float(found[2]) / 100
        assert {"under ": share < said, "over ": share > said}.get(found[1], 0 < said < 1), share
        assert abs(said - share) < 0.001


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        (list("abcdef"), "a, b, c, d, e and f"),
        (list("abcdefg"), "7 columns"),
    ],
)
def test_lists_of_names(names: list[str], text: str) -> None:
    assert joined(names) == text


# ---- unique records --------------------------------------------------------------------------------------------------------


def test_no_record_is_unique_any_more() -> None:
    told = readings("xyzzz", "zzzzz")
    assert told[0] == "2 of 5 records were unique on a; in the release none is: the smallest class has 5 records."
    assert not [text for text in told if "fewer than 5" in text]


def test_small_classes() -> None:
    told = readings("xyzzzuuuuuu", "zzzzzuuuuuu")
    assert "fewer than 5" not in "".join(told)
    told = readings("xxyyyuuuuuu", "xxyyyuuuuuu")
    assert told[0] == (
        "No record was unique on a (the smallest class had 2 records); "
        "in the release none is: the smallest class has 2 records."
    )
    assert told[1] == (
        "5 of 11 released records are in classes of fewer than 5: "
        "an intruder who knows the class of a record picks it with a probability of up to 1 in 2."
    )


def test_many_are_still_unique() -> None:
    told = readings("uvwxyz", "vuwxzy")
    assert told[0] == (
        "6 of 6 records were unique on a; in the release 6 of 6 are (record linkage shows whether they are the same "
        "records)."
    )


def test_many_columns_are_counted() -> None:
    data = pl.DataFrame({f"c{i}": [1, 2, 2] for i in range(7)})
    told = readings(data, data, {f"c{i}": om.Flat() for i in range(7)})
    assert told[0].startswith("1 of 3 records was unique on 7 columns;")
    assert told[2].startswith("An intruder who knows 7 columns of every record links ")


def test_one_record() -> None:
    """Once it was: 'in the release 1 of 1 still do'."""
    told = readings("x", "x")
    assert told[-1] == UNTOUCHED
    assert told[0].startswith("1 of 1 record was unique on a; in the release 1 of 1 is ")


def test_one_of_many_is_singular() -> None:
    """Once it was: 'in the release 1 of 4 still do'."""
    told = readings("xyyy", "xyyy")
    assert told[0].startswith("1 of 4 records was unique on a; in the release 1 of 4 is ")


def test_what_was_never_unique_is_not_asked_for() -> None:
    """Once it was: nothing was unique, and then 'whether they are the same'."""
    told = readings("xxyy", "xzyy")
    assert told[0].startswith("No record was unique on a (the smallest class had 2 records); in the release ")
    assert "the same" not in told[0]


def test_nobody_knows_anything() -> None:
    data = pl.DataFrame({"s": [1, 2, 3, 4, 5, 6], "t": [2, 3, 1, 5, 6, 7]})
    policy = om.Policy(attributes={name: om.Numeric(role="sensitive") for name in data.columns}, method=om.Shuffling())
    told = om.anonymize(data, policy).assessment.readings
    assert told[0].startswith("No column is a quasi-identifier: there are no classes to count.")


# ---- what was lost -----------------------------------------------------------------------------------------------------------


def test_nothing_changed() -> None:
    told = readings("xyzzz", "xyzzz")
    assert UNTOUCHED in told
    assert not [text for text in told if "L is" in text]
    assert "correctly to the nearest released record; by exact match 60.0%." in told[2]
    data = pl.DataFrame({"a": [1, 2, 3], "b": [3, 5, 4]})
    told = readings(data, data, {"a": om.Numeric(), "b": om.Numeric()})
    assert "Relations between columns did not change." in told


def test_everything_changed() -> None:
    told = readings("xxxyyy", "yyyxxx")
    (text,) = (text for text in told if text.startswith("a: "))
    assert text.startswith(
        "a: 100% of the values changed, on average by 100% of the maximum distance; 200.0% of the variance"
    )
    assert "links 0% of them correctly to the nearest released record; by exact match 0%." in " ".join(told)


def test_what_was_removed_is_not_released_changed() -> None:
    """Once it was: released values, each as it was, are 'on average 20% of the largest possible distance from the true ones',
    and '20 in 100 of the values changed'. Removed records have no released values."""
    data = frame(*"aaaabbbbcd")
    policy = om.Policy(attributes=FLAT, method=om.Suppression(k=3))
    told = om.anonymize(data, policy).assessment.readings
    assert "2 of 10 records are not released at all." in told
    assert not [text for text in told if text.startswith("Released values are on average 20%")]
    assert not [text for text in told if "20.0% of the values changed" in text]


def test_one_removed_record() -> None:
    told = readings(frame(*"xyyy"), frame(*"yyy"), records=[1, 2, 3])
    assert "1 of 4 records is not released at all." in told


def test_how_far_changed_values_are() -> None:
    """A flat value that changed is at 1; once '25 in 100 changed, on average 25% away' said it was not."""
    told = readings("xyyy", "yyyy")
    assert not [text for text in told if "25.0% of the values changed, on average by 25.0%" in text]


def test_a_loss_without_end() -> None:
    """Once it was: 'information loss L is inf%'."""
    told = readings("xx", "xy")
    assert any(text.endswith("of the maximum distance; originally, all values were the same.") for text in told)


def test_what_a_column_lost() -> None:
    told = readings([30, 32, 50, 54], [31, 31, 52, 52], NUMERIC)
    assert (
        "a: 100% of the values changed, on average by 6.2% of the maximum distance; 2.2% of the variance is lost."
        in told
    )
    (text,) = (text for text in told if text.startswith("On average a released value"))
    assert text.endswith("; information loss IL is 2.2% (100%: only the centre of each column is left).")


def test_a_distance_is_never_larger_than_the_largest() -> None:
    """Once it was: 'on average 200% of the largest possible distance' where released numbers lie outside the original range,
    and an L of '2.27e+03%'."""
    told = readings([1, 1, 1, 2, 2, 2], [1, 2, 3, 4, 5, 6], NUMERIC)
    (text,) = (text for text in told if text.startswith("On average a released value"))
    assert "of the maximum distance between original values" in text  # which released values may exceed


def test_numbers_that_are_all_missing() -> None:
    """Once it was: 'The mean of a was nan and is nan.'"""
    before = pl.DataFrame({"a": pl.Series([None] * 4, dtype=pl.Float64), "f": list("xyxx")})
    attributes = {"a": om.Numeric(missing="category"), "f": om.Flat()}
    readings(before, before.with_columns(f=pl.lit("x")), attributes)


def test_ranks_that_are_all_missing_have_not_moved() -> None:
    """Once it was: the drift of the semantic mean is NaN, for numbers it is 0."""
    before = pl.DataFrame({"a": pl.Series([None] * 4, dtype=pl.String)})
    found = om.assess(before, before, {"a": om.Ordinal(order=["low", "high"], missing="category")}, samples=0)
    assert found.preservation.means["drift"].to_list() == [0.0]


def test_samples_without_two_known_values() -> None:
    """Once it was: one sample of a hundred with fewer than two known numbers makes the mean over all of them NaN."""
    before = pl.DataFrame({"a": [None, None, *range(18)]})
    found = om.assess(before, before, {"a": om.Numeric(missing="category")})
    assert found.preservation.statistics["delta"].to_list() == [0.0, 0.0]
    assert found.preservation.statistics["delta_samples"].to_list() == [0.0, 0.0]


def test_means() -> None:
    told = readings([30.0, 32.0, 50.0, 54.0], [31.0, 31.0, 52.0, 54.5], NUMERIC)
    assert "The mean of a was 41.5 and is 42.125." in told


def test_large_means_are_no_formula() -> None:
    """Once it was: 'The mean of a was 1.2346e+05 and is 1.2346e+05.'"""
    readings([123_400, 123_500, 123_456, 123_470], [123_450] * 4, NUMERIC)


def test_relations() -> None:
    data = pl.DataFrame({"a": [1, 2, 3, 4], "b": [1, 2, 3, 4], "c": [4, 4, 2, 2]})
    told = readings(data, data.with_columns(b=pl.Series([2, 1, 4, 3])), {name: om.Numeric() for name in "abc"})
    (text,) = (text for text in told if "the relation between" in text)
    found = re.search(r"between (\w) and (\w) changed most: .* was ([\d.]+) and is ([\d.]+) ", text)
    assert found is not None
    kept = om.preservation(
        data, data.with_columns(b=pl.Series([2, 1, 4, 3])), {name: om.Numeric() for name in "abc"}, samples=0
    ).dependence.filter(pl.col("statistic") == "sdCor")
    worst = kept.sort("difference", descending=True).row(0, named=True)
    assert (found[1], found[2]) == (worst["attribute"], worst["with"])
    assert (found[3], found[4]) == (f"{worst['original']:.2f}", f"{worst['masked']:.2f}")


# ---- severity, samples -------------------------------------------------------------------------------------------------------


def test_severity_in_words() -> None:
    """Once it was: '1 of a severity above 0 stand'."""
    data = frame(*"xyyzz").with_columns(disease=pl.Series(["cancer of the liver", *["hay fever"] * 4]))
    found = om.assess(data, data, FLAT, severity=om.Severity.example(), samples=0)
    (text,) = (text for text in found.readings if text.startswith("Weighted by severity"))
    assert "a mean probability of 100% (before: 100%)" in text
    assert "Of the records with a severity above 0, 1 is unique (before: 1)." in text


def test_only_what_was_estimated_is_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it was: linkage to the nearest released record was tried on all, and is called an estimate because that from the
    release back, which the sentence does not speak of, was sampled."""
    monkeypatch.setattr(module, "MOST_TRIED", 3)
    found = om.assess(frame(1, 1, 1, 2, 2, 2), frame(1, 2, 3, 4, 5, 6), NUMERIC, samples=0)
    assert found.linkage["semantic"] == om.record_linkage(frame(1, 1, 1, 2, 2, 2), frame(1, 2, 3, 4, 5, 6), NUMERIC)
    assert "estimated" not in " ".join(found.readings)


def test_an_estimate_is_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = frame(*range(40)), frame(*(i // 2 * 2 for i in range(40)))
    exact = om.assess(before, after, NUMERIC, samples=0)
    monkeypatch.setattr(module, "MOST_TRIED", 30)
    found = om.assess(before, after, NUMERIC, samples=0)
    assert (found.tried, exact.tried) == (30, None)
    assert found.linkage["matching"] == exact.linkage["matching"]
    assert abs(found.linkage["semantic"] - exact.linkage["semantic"]) < 0.2
    told = [text for text in found.readings if "estimated on 30 records, those of 30 combinations of values" in text]
    assert len(told) == 1
    assert found.to_dict()["linkage_tried_on"] == 30
    again = om.assess(before, after, NUMERIC, samples=0, seed=7)
    assert again.linkage["matching"] == exact.linkage["matching"]
    assert om.assess(before, after, NUMERIC, samples=0).linkage == found.linkage


# ---- for machines ----------------------------------------------------------------------------------------------------


def test_to_json_says_what_there_is() -> None:
    data = frame("ä", 'quote "', "ß")
    found = om.assess(data, data, FLAT, samples=0)
    told = json.loads(found.to_json())
    assert told == found.to_dict()
    assert set(told) >= {
        "readings",
        "figures",
        "class_sizes",
        "score",
        "columns",
        "quasi_identifiers",
        "linkage_tried_on",
    }
    assert told["class_sizes"] == {when: [{"size": 1, "classes": 3, "records": 3}] for when in ("before", "after")}
    assert told["columns"] == {"a": "flat"}
    assert told["quasi_identifiers"] == ["a"]
    assert len(told["score"]) == 21
    assert set(told["figures"][0]) == {"figure", "attribute", "with", "original", "masked", "value"}
    assert found.figures.schema["value"] == pl.Float64


def test_a_column_name_that_is_anything() -> None:
    for name in ('he said "no"', "größe", "a\nb", "{x}", "100%"):
        data = pl.DataFrame({name: [1, 2, 3]})
        found = om.assess(data, data.with_columns(pl.lit(2).alias(name)), {name: om.Numeric()}, samples=0)
        assert json.loads(found.to_json())["columns"] == {name: "numeric"}
        assert f"{name}: 66.7% of the values changed" in " ".join(found.readings)


def test_a_penalty_is_a_figure_where_there_is_one() -> None:
    data = frame(*"xyz")
    found = om.assess(data, data, FLAT, samples=0)
    assert "normalized certainty penalty" not in found.figures["figure"]
    told = replace(found, ncp=0.25).figures.filter(pl.col("figure") == "normalized certainty penalty")
    assert told["value"].to_list() == [0.25]


def test_of_many_sensitive_columns_those_that_disclose_most_are_read_out() -> None:
    """A file with 30 drugs gave 30 sentences."""
    frame = pl.DataFrame({"age": [30, 30, 52, 52]} | {f"drug {i}": ["no", "no", "no", "up"[: i % 3]] for i in range(9)})
    attributes = {"age": om.Numeric()} | {f"drug {i}": om.Flat(role="sensitive") for i in range(9)}
    found = om.assess(frame, frame, attributes)
    told = [text for text in found.readings if "disclose" in text]
    assert len(told) == 7
    assert told[-1] == "The figures list 3 more sensitive columns, each disclosed for as many records or fewer."
    shown = [row["records"] for row in found.disclosed.sort("records", descending=True).to_dicts()]
    assert [int(text.split(" of ")[1].split()[0]) for text in told[:6] if text[0].isdigit()] == shown[:6]
