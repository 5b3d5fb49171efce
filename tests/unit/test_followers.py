"""Columns that follow another: what is refused, what is said, and what check warns of."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask import errors
from ontomask.report.summary import summarize

CODES = list("aabbccddee") * 3
FRAME = pl.DataFrame(
    {
        "code": CODES,
        "age": [20 + i % 7 for i in range(30)],
        "label": [f"the {code}" for code in CODES],
        "half": ["first" if code < "c" else "second" for code in CODES],
        "noise": [i * 7 % 11 for i in range(30)],
        "key": [f"k{i}" for i in range(30)],
    }
)
OTHERS: dict[str, Any] = {name: om.Flat(role="other") for name in ("half", "noise", "key")}
ATTRIBUTES: dict[str, Any] = {"code": om.Flat(), "age": om.Numeric(), "label": om.Flat(follows="code"), **OTHERS}


def policy(attributes: dict[str, Any] | None = None, **settings: Any) -> om.Policy:
    return om.Policy(
        attributes=ATTRIBUTES if attributes is None else attributes, **{"method": om.Microaggregation(3)} | settings
    )


@pytest.mark.parametrize("role", ["quasi", "sensitive"])
def test_a_follower_is_no_quasi_identifier(role: str) -> None:
    assert om.Flat(follows="code").role == "other"
    with pytest.raises(errors.PolicyError, match=f"has the role other, not {role}"):
        om.Flat(follows="code", role=role)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"label": om.Flat(follows="codes")}, "'codes', which is not one of the attributes. Did you mean 'code'"),
        ({"label": om.Flat(follows="label")}, "which follows 'label' itself"),
        ({"half": om.Flat(follows="label")}, "which follows 'code' itself: name that one"),
        ({"label": om.Flat(follows="noise")}, "which the method does not mask"),
        ({"key": om.Identifier(), "label": om.Flat(follows="key")}, "an identifier, whose values no release has"),
    ],
)
def test_leaders_that_cannot_be_followed(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(errors.PolicyError, match=message):
        policy(ATTRIBUTES | changes)


def test_a_follower_has_no_other_part() -> None:
    with pytest.raises(errors.PolicyError, match="and the method looks at it"):
        policy(method=om.PRAM(columns=["code", "label"]))
    with pytest.raises(errors.PolicyError, match="looks at 'label', which follows 'code'"):
        policy(require=[om.LDiversity(2, attribute="label")])
    with pytest.raises(errors.PolicyError, match="person"):
        policy(person="label")


def test_what_is_said_of_it(tmp_path: Path) -> None:
    file = policy().save(tmp_path / "policy.yaml")
    assert "follows: code" in file.read_text(encoding="utf-8")
    assert om.Policy.load(file) == policy()
    result = om.anonymize(FRAME, policy(method=om.Microaggregation(7)))
    changed = sum(one != other for one, other in zip(FRAME["label"], result.data["label"], strict=True))
    assert changed > 1
    told = f"label follows code: the value changed in {changed} records, and was blanked in 0"
    assert told in map(str, result.notes)
    assert any(s.subject == "label" and s.text.startswith("label was masked with code") for s in result.guarantees)
    columns = {column["name"]: column["masked"] for column in summarize(result)["asked"]["columns"]}
    assert (columns["code"], columns["label"], columns["noise"]) == ("yes", "with code", "no")


def test_several_values_are_said() -> None:
    frame = FRAME.with_columns(label=pl.Series(["x", *FRAME["label"].to_list()[1:]]))
    notes = list(map(str, om.anonymize(frame, policy()).notes))
    assert "label: 1 value of code has several values of label: the most frequent is shown" in notes


def test_check_warns_of_columns_that_give_masked_ones_away() -> None:
    unled = ATTRIBUTES | {"label": om.Flat(role="other")}
    told = [str(note) for note in om.check(FRAME, policy(unled)).notes]
    assert sum("label gives code away, which is masked" in text for text in told) == 1
    assert sum("half depends on code, which is masked" in text for text in told) == 1
    # A key determines all columns, and noise none.
    assert not any(text.startswith(("key", "noise")) for text in told)
    followed = ATTRIBUTES | {"half": om.Flat(follows="code")}
    assert not any("give" in str(note) or "depends" in str(note) for note in om.check(FRAME, policy(followed)).notes)


BIG = 2**53
TWO: dict[str, Any] = {"code": om.Flat(), "label": om.Flat(follows="code")}


@pytest.mark.parametrize(
    "codes",
    [
        pytest.param([BIG, BIG, BIG + 1, BIG + 1], id="whole numbers that floats do not hold"),
        pytest.param(["'x", "'x", "x", "x"], id="quotes"),
        pytest.param(["=x", "=x", "'=x", "'=x"], id="formulas"),
        pytest.param(["01", "01", "1", "1"], id="leading zeros"),
    ],
)
@pytest.mark.parametrize("escape", [False, True])
@pytest.mark.filterwarnings("ignore:a spreadsheet would run")
def test_leaders_that_look_alike_are_not_taken_for_each_other(codes: list[Any], escape: bool, tmp_path: Path) -> None:
    frame = pl.DataFrame({"code": codes, "label": list("aabb")})
    result = om.anonymize(frame, policy(TWO, method=om.Suppression(2, cells=True)))
    assert result.data["label"].to_list() == list("aabb")
    file = tmp_path / "release.csv"
    result.write(file, escape_formulas=escape)
    assert om.verify(file, result.policy)


TYPES: dict[str, tuple[list[Any], Any, list[str]]] = {
    "duration": ([timedelta(1), timedelta(2)], None, []),
    "bytes": ([b"a", b"\xff"], None, []),
    "time": ([time(1), time(2)], None, ["csv", "dta"]),
    "datetime": ([datetime(2024, 1, 1, 2, 3, 4, 5), datetime(2024, 1, 2)], None, ["csv", "dta"]),
    "truth": ([True, False], None, ["csv", "xlsx", "dta", "sav"]),
    "short floats": ([0.1, 0.3], pl.Float32, ["csv", "xlsx", "dta", "sav"]),
}


@pytest.mark.parametrize("leads", [True, False])
@pytest.mark.parametrize("name", TYPES)
def test_columns_of_every_type_lead_and_follow(name: str, leads: bool, tmp_path: Path) -> None:
    (one, other), dtype, formats = TYPES[name]
    values, texts = pl.Series([one, one, other, other], dtype=dtype), pl.Series(list("aabb"))
    frame = pl.DataFrame({"code": values if leads else texts, "label": texts if leads else values})
    result = om.anonymize(frame, policy(TWO, method=om.Suppression(2, cells=True)))
    assert result.data.equals(frame)
    for suffix in ("parquet", *formats):
        result.write(tmp_path / f"release.{suffix}")


def test_a_negative_zero_leads_as_zero_does() -> None:
    frame = pl.DataFrame({"code": [-0.0, 0.0, 1.0, 1.0], "label": list("abcc")})
    attributes = {"code": om.Numeric(), "label": om.Flat(follows="code")}
    result = om.anonymize(frame, policy(attributes, method=om.Suppression(2, cells=True)))
    assert result.data["label"].to_list() == list("aacc")


@pytest.mark.parametrize("values", [[timedelta(i % 3) for i in range(30)], [b"\xff" * (1 + i % 3) for i in range(30)]])
def test_check_looks_at_columns_of_every_type(values: list[Any]) -> None:
    frame = FRAME.with_columns(label=pl.Series(values), code=pl.Series([str(i % 3) for i in range(30)]))
    told = [str(note) for note in om.check(frame, policy(ATTRIBUTES | {"label": om.Flat(role="other")})).notes]
    assert sum("label gives code away" in text for text in told) == 1


AREAS = """code,parent,population
Z,,170000
A,Z,90000
A1,A,30000
A2,A,60000
B,Z,80000
"""
DAYS = [date(2024, 1, 1 + i // 2) for i in range(6)]
#: Leaders whose values are changed before masking, and which of their records may still say what goes with them.
CONVERTED: dict[str, tuple[Any, list[Any], list[int]]] = {
    "open class": (om.Numeric(top=90), [95, 95, 90, 90, 40, 40], [4, 5]),
    "open class of floats": (om.Numeric(top=90), [95.5, 95.5, 90.0, 90.0, 40.0, 40.0], [4, 5]),
    "open class below": (om.Numeric(bottom=18), [3, 3, 40, 40, 41, 41], [2, 3, 4, 5]),
    "areas": (om.Place("areas.csv", least_population=50_000), ["A1", "A1", "A2", "A2", "B ", "B "], [4, 5]),
    "zip codes": (om.Place("us_zip3"), ["60601", "60601", "02138", "02138", "945", "945"], [4, 5]),
    "earliest": (om.Date(earliest=date(2024, 1, 2)), DAYS, [4, 5]),
    "shifted": (om.Date(shift=365), DAYS, []),
    "dates": (om.Date(), DAYS, [0, 1, 2, 3, 4, 5]),
    "dates in words": (om.Date(format="%d.%m.%Y"), [f"{day:%d.%m.%Y}" for day in DAYS], [0, 1, 2, 3, 4, 5]),
}


@pytest.mark.parametrize("name", CONVERTED)
def test_nothing_goes_with_what_is_changed_before_masking(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("areas.csv").write_text(AREAS, encoding="utf-8")
    kind, values, shown = CONVERTED[name]
    labels = [f"the {value}" for value in values]
    frame = pl.DataFrame({"who": list("ababab"), "leader": values, "label": labels})
    attributes = {"who": om.Identifier(), "leader": kind, "label": om.Flat(follows="leader")}
    result = om.anonymize(frame, policy(attributes, person="who", method=om.Suppression(1, cells=True)))
    expected = [label if place in shown else None for place, label in enumerate(labels)]
    assert result.data["leader"].null_count() == 0
    assert result.data["label"].to_list() == expected
