"""Top and bottom codes: no release shows more of what lies beyond them, whatever the method and the role of the column.

Coding comes before masking: a table with codes is masked as the same table is whose numbers end at the limits.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ontomask as om
from ontomask.errors import DataError, NotSatisfied, PolicyError
from tests.contract.test_methods import AIMING, NAMES, method

TOP, BOTTOM = 90, 18
CODED = {"top": TOP, "bottom": BOTTOM}


def table(seed: int, n: int = 60) -> pl.DataFrame:
    """Ages from 0 to 120 in four columns, one for each role and one with gaps."""
    rng = np.random.default_rng(seed)
    made = {name: rng.integers(0, 121, n) for name in ("age", "gaps", "old", "other")}
    frame = pl.DataFrame({**made, "sex": rng.choice(["f", "m"], n), "ill": rng.integers(0, 121, n) / 1.0})
    return frame.with_columns(pl.when(pl.Series(rng.random(n) < 0.8)).then("gaps").alias("gaps"))


def attributes(**codes: Any) -> dict[str, Any]:
    return {
        "age": om.Numeric(**codes),
        "gaps": om.Numeric(missing="category", **codes),
        "old": om.Numeric(role="sensitive", **codes),
        "other": om.Numeric(role="other", **codes),
        "sex": om.Flat(),
        "ill": om.Numeric(role="sensitive", **codes),
    }


def policy(name: str, **codes: Any) -> om.Policy:
    aim = [om.KAnonymity(k=3)] if name in AIMING else []
    return om.Policy(attributes=attributes(**codes), method=method(name, 3), require=aim)


def coded(values: list[Any]) -> list[Any]:
    """The plain twin: what a release shows of numbers. They stay numbers where none is at a limit."""
    known = [value for value in values if value is not None]
    if all(BOTTOM < value < TOP for value in known):
        return values
    code = {value: "90+" if value >= TOP else "<=18" if value <= BOTTOM else f"{value:.15g}" for value in known}
    return [code.get(value) for value in values]


NUMBERS = ("age", "gaps", "old", "other", "ill")


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_every_method_masks_the_table_that_ends_at_the_limits(name: str, seed: int) -> None:
    frame = table(seed)
    ended = frame.with_columns(pl.col(column).clip(BOTTOM, TOP) for column in NUMBERS)
    found = om.anonymize(frame, policy(name, **CODED), seed=seed)
    plain = om.anonymize(ended, policy(name), seed=seed)
    for one, other in zip(found.releases, plain.releases, strict=True):
        for column in NUMBERS:
            if other[column].dtype.is_numeric():
                assert one[column].to_list() == coded(other[column].to_list())
            else:  # intervals, which are open where they hold a limit
                open_ended = one[column].str.contains(r"\+$|^<=|^\*$")
                limits = ended[column].gather(found.records).is_in([BOTTOM, TOP])
                assert open_ended.filter(limits.fill_null(value=False)).all()


@pytest.mark.parametrize("name", NAMES)
def test_every_release_is_verified_and_assessed_as_a_file(name: str, tmp_path: Path) -> None:
    frame, rules = table(3), policy(name, **CODED)
    result = om.anonymize(frame, rules, seed=3)
    result.save(tmp_path / "result")
    for number, part in enumerate(result.each, 1):
        file = tmp_path / "result" / "release" / ("release.csv" if len(result.each) == 1 else f"release-{number}.csv")
        found = om.verify(file, rules, original=frame)
        assert [f.text for f in found if f.checked and not f.holds] == []
        judged = om.assess(frame, file, rules, records=result.records)
        assert judged.loss.headline == pytest.approx(part.loss().headline)
        assert judged.disclosed.equals(part.assessment.disclosed)
        assert judged.linkage == pytest.approx(part.assessment.linkage)


@pytest.mark.parametrize("format", ["csv", "xlsx", "parquet", "sav", "dta"])
def test_every_format_keeps_the_codes(format: str, tmp_path: Path) -> None:
    frame, rules = table(4), policy("microaggregation", **CODED)
    result = om.anonymize(frame, rules, seed=4)
    file = result.write(tmp_path / f"release.{format}")
    assert om.verify(file, rules)
    shown = om.read_table(file).data
    assert shown["age"].cast(pl.String).to_list() == [str(age) for age in result.data["age"]]
    for column in ("old", "other"):
        assert {"90+", "<=18"} <= set(shown[column].to_list())


def test_means_reach_the_limit_and_no_more() -> None:
    frame = pl.DataFrame({"ward": ["a"] * 3 + ["b"] * 3 + ["c"] * 3, "age": [88, 97, 120, 91, 95, 118, 2, 30, 31]})
    rules = om.Policy(
        attributes={"ward": om.Flat(weight=100), "age": om.Numeric(**CODED)}, method=om.Microaggregation(k=3)
    )
    result = om.anonymize(frame, rules)
    # 120 counts as 90, and so do all of the first six but 88; 2 counts as 18.
    assert result.data["age"].to_list() == ["89", "89", "89", "90+", "90+", "90+", "26", "26", "26"]
    assert [note.text for note in result.notes if "coded" in note.text] == [
        "age: 5 values coded '90+'; they count as the limit, and the column is text where the release shows the code",
        "age: 1 value coded '<=18'; they count as the limit, and the column is text where the release shows the code",
    ]


def test_a_column_without_a_code_keeps_its_type() -> None:
    frame = pl.DataFrame({"age": [30, 31, 88, 89]})
    result = om.anonymize(frame, om.Policy(attributes={"age": om.Numeric(top=90)}, method=om.Microaggregation(k=2)))
    assert result.data["age"].to_list() == [30, 30, 88, 88]
    assert not [note for note in result.notes if "coded" in note.text]


@pytest.mark.parametrize("kind", [pd.DataFrame, pa.table])
def test_frames_of_other_packages(kind: Any) -> None:
    frame = kind({"age": [20, 21, 95, 99]})
    rules = om.Policy(attributes={"age": om.Numeric(top=90)}, method=om.Microaggregation(k=2))
    shown = om.anonymize(frame, rules).data["age"]
    assert (shown.to_pylist() if kind is pa.table else shown.to_list()) == ["20", "20", "90+", "90+"]


@pytest.mark.parametrize("role", ["quasi", "sensitive", "other"])
@pytest.mark.parametrize("value", ["97", "90", "12", "18", "85-94", "95+", "<=17", "old"])
def test_a_value_beyond_a_code_fails(role: Any, value: str) -> None:
    rules = om.Policy(
        attributes={"sex": om.Flat(), "age": om.Numeric(role=role, **CODED)}, require=[om.KAnonymity(k=2)]
    )
    fine = pl.DataFrame({"sex": ["f"] * 8, "age": ["90+", "<=18", "30", "19", "85+", "<=29", "*", "[20.5, 90)"]})
    assert om.verify(pl.concat([fine, fine]), rules)
    data = pl.concat([fine, fine, pl.DataFrame({"sex": ["f"] * 2, "age": [value] * 2})])
    assert "1 value of 'age' (2 records) is neither a number nor an interval, or beyond a top" in str(
        om.verify(data, rules)
    )


def test_numbers_beyond_a_code_fail_in_a_column_of_numbers() -> None:
    rules = om.Policy(attributes={"age": om.Numeric(**CODED)}, require=[om.KAnonymity(k=2)])
    assert om.verify(pl.DataFrame({"age": [30, 30, 31, 31]}), rules)
    assert "2 values of 'age' (4 records)" in str(om.verify(pl.DataFrame({"age": [30, 30, 90, 90, 18, 18]}), rules))


def test_data_that_were_changed_are_refused(tmp_path: Path) -> None:
    """The number behind a code, put back into a column that no model looks at."""
    frame = pd.DataFrame({"sex": ["f", "f"], "age": [97, 30]})
    rules = om.Policy(
        attributes={"sex": om.Flat(), "age": om.Numeric(role="other", top=90)}, method=om.Suppression(k=2)
    )
    result = om.anonymize(frame, rules)
    assert result.data["age"].to_list() == ["90+", "30"]
    result.data.loc[0, "age"] = "97"
    with pytest.raises(NotSatisfied, match="beyond a top or bottom code"):
        result.write(tmp_path / "release.csv")


# ---- models ------------------------------------------------------------------------------------------------------


def test_an_open_class_is_one_value() -> None:
    frame = pl.DataFrame({"sex": ["f"] * 4, "age": [91, 95, 99, 120]})
    rules = om.Policy(
        attributes={"sex": om.Flat(), "age": om.Numeric(role="sensitive", top=90)}, require=[om.LDiversity(l=2)]
    )
    with pytest.raises(DataError, match="'age' has 1 different value"):
        om.check(frame, rules)


@pytest.mark.parametrize("ground", ["ordered", "equal"])
def test_models_compare_a_release_with_its_original(ground: Any) -> None:
    frame = table(5)
    listed = {"sex": om.Flat(), "old": om.Numeric(role="sensitive", **CODED)}
    data = frame.select("sex", "old")
    require = [om.TCloseness(t=0.3, attribute="old", ground=ground), om.LDiversity(l=3, min_distance=20)]
    rules = om.Policy(attributes=listed, method=om.Suppression(k=2), require=require)
    result = om.anonymize(data, rules, allow_unsatisfied=True)
    before = om.check(data, rules.changed(require=require)).verification
    assert [f.text for f in result.verification if f.model in require] == [f.text for f in before]
    again = om.verify(result.data, rules, original=data)
    assert [f.text for f in again if f.model in require] == [f.text for f in before]


# ---- hierarchies -------------------------------------------------------------------------------------------------


def shown(hierarchy: Any, values: list[Any]) -> list[list[Any]]:
    method = om.Generalization(hierarchies={"age": hierarchy})
    frame = pl.DataFrame({"age": values})
    found = om.anonymize(
        frame, om.Policy(attributes={"age": om.Numeric(**CODED)}, method=method, require=[om.KAnonymity(k=len(values))])
    )
    assert len(found.data) == len(values)
    table = found.prepared.table
    return [level.shown.gather(level.group).to_list() for level in method.column_levels(table)[0].levels[1:]]


def test_intervals_that_hold_a_limit_are_open() -> None:
    assert shown(om.Intervals(width=10), [5, 19, 45, 88, 97])[0] == ["<=19", "<=19", "40-49", "80-89", "90+"]
    assert shown(om.Intervals(levels=[[0, 30, 85, 95, 120]]), [5, 19, 45, 88, 97])[0] == [
        *("<=29", "<=29", "30-84", "85+", "85+")
    ]
    assert shown(om.Intervals(levels=[[0, 120]]), [5, 97])[0] == ["*", "*"]
    assert shown(om.Intervals(levels=[[0.0, 20.5, 120.0]]), [5.0, 20.2, 45.5])[0] == ["<20.5", "<20.5", "20.5+"]


def test_a_levels_file_has_a_row_for_each_code(tmp_path: Path) -> None:
    file = tmp_path / "ages.csv"
    file.write_text("".join(f"{age};{age // 10}0s;*\n" for age in range(121)))
    with pytest.raises(DataError, match=r"does not have 1 value of the column: '90\+'"):
        shown(om.LevelsFile(str(file)), [30, 97])
    file.write_text(file.read_text() + "90+;very old;*\n<=18;young;*\n")
    assert shown(om.LevelsFile(str(file)), [5, 30, 97])[0] == ["young", "30s", "very old"]


def test_codes_are_not_masked_by_characters() -> None:
    with pytest.raises(DataError, match="codes have no characters to mask"):
        shown(om.MaskedText(), [30, 97])


# ---- settings ----------------------------------------------------------------------------------------------------


def test_policies_keep_the_limits(tmp_path: Path) -> None:
    rules = om.Policy(attributes={"age": om.Numeric(top=90, bottom=17.5)}, method=om.Microaggregation(k=2))
    file = rules.save(tmp_path / "policy.yaml")
    assert om.Policy.load(file) == rules
    assert "top: 90 " in file.read_text(encoding="utf-8")
    assert om.Numeric(top=90.5).described == "numbers; open classes 90.5+"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"top": 18, "bottom": 90}, "bottom must be below top"),
        ({"top": 18, "bottom": 18}, "bottom must be below top"),
        ({"top": "old"}, "'old' is not a number"),
        ({"top": True}, "True is not a number"),
        ({"bottom": float("inf")}, "is not finite"),
    ],
    ids=str,
)
def test_limits_that_cannot_be_meant(settings: Any, expected: str) -> None:
    with pytest.raises(PolicyError, match=expected):
        om.Numeric(**settings)


def test_text_in_a_coded_column_is_an_error_whatever_its_role() -> None:
    frame = pl.DataFrame({"sex": ["f", "f"], "age": ["97", "old"]})
    rules = om.Policy(
        attributes={"sex": om.Flat(), "age": om.Numeric(role="other", top=90)}, method=om.Suppression(k=2)
    )
    with pytest.raises(DataError, match=r"column 'age': is numeric in the policy but holds text .*record 2"):
        om.anonymize(frame, rules)


def test_a_half_year_limit_of_whole_numbers() -> None:
    frame = pl.DataFrame({"age": [20, 21, 89, 90, 99]})
    rules = om.Policy(attributes={"age": om.Numeric(top=89.5)}, method=om.Suppression(k=1))
    assert om.anonymize(frame, rules).data["age"].to_list() == ["20", "21", "89", "89.5+", "89.5+"]


def test_small_types_of_numbers() -> None:
    frame = pl.DataFrame({"age": pl.Series([20, 21, 99], dtype=pl.UInt8)})
    rules = om.Policy(attributes={"age": om.Numeric(top=90, bottom=-5)}, method=om.Suppression(k=1))
    assert om.anonymize(frame, rules).data["age"].to_list() == ["20", "21", "90+"]


def test_the_report_and_the_tables_of_the_steward_show_the_codes(tmp_path: Path) -> None:
    result = om.anonymize(table(6), policy("microaggregation", **CODED), seed=6)
    assert {"90+", "<=18"} <= set(result.mapping["age"].to_list())
    assert set(result.groups["age"].to_list()) == set(result.data["age"].to_list())
    assert set(result.mapping["age (masked)"].to_list()) == set(result.data["age"].to_list())
    result.save(tmp_path / "result", report=True)
    for folder in ("release", "confidential"):
        page = (tmp_path / "result" / folder / "report.html").read_text(encoding="utf-8")
        assert "numbers; open classes &lt;=18, 90+" in page
    assert "90 and more" in page


def test_what_is_said_of_coded_values_says_so(tmp_path: Path) -> None:
    """The mean of 20, 21, 30, 97 is 42, and with 90 in place of 97 it is 40.25: no sentence may call that the original."""
    frame = pl.DataFrame({"age": [20, 21, 30, 97], "zip": ["a"] * 4})
    rules = om.Policy(
        attributes={"age": om.Numeric(top=90), "zip": om.Flat(role="other")}, method=om.Microaggregation(k=2)
    )
    result = om.anonymize(frame, rules)
    coded = 'Coded before masking and assessment: age (open classes 90+). In this column, "original" means '
    readings = result.assessment.readings
    assert any(text.startswith(coded) for text in readings)
    assert any(text.startswith("The mean of age (open classes 90+) was 40.25 and is") for text in readings)
    for told in (result.guarantees, result.public_guarantees):
        assert any(statement.text.startswith(coded) for statement in told)
    result.save(tmp_path / "result", report=True)
    for folder in ("release", "confidential"):
        page = (tmp_path / "result" / folder / "report.html").read_text(encoding="utf-8")
        assert page.count("Coded before masking and assessment") >= 2
    assert "Values before masking are coded ones in columns that were coded first (age)." in page
    alone = om.anonymize(frame, rules.changed(method=om.Suppression(k=1)))
    assert "No value changed after coding: nothing was masked." in alone.assessment.readings
    old = frame.with_columns(age=pl.Series([20, 95, 96, 97]))
    fewer = om.anonymize(old, rules.changed(method=om.Suppression(k=2)))
    assert "No released value changed after coding." in fewer.assessment.readings
    plain = om.anonymize(frame, rules.changed(attributes={"age": om.Numeric(), "zip": om.Flat(role="other")}))
    assert not any("Coded before" in str(text) for text in (*plain.assessment.readings, *plain.guarantees))
