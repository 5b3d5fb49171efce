"""Severity definitions: what they select, the numbers they give (against a plain twin), and every slip by its line."""

from __future__ import annotations

import itertools
import pickle
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask import errors
from ontomask.severity.classes import riopsi
from ontomask.severity.definition import Definition
from ontomask.severity.severity import Severity
from tests.property.strategies import Case, cases, dags

TREE = om.Taxonomy.from_edges(
    [
        ("A", "all"), ("A1", "A"), ("A1.0", "A1"), ("A1.1", "A1"), ("A2", "A"),
        ("B", "all"), ("B1", "B"), ("B2", "B"), ("B2.5", "B2"), ("B3", "B"),
    ],
    labels={"A2": "second of A", "B1": "twin", "B3": "twin"},
    name="letters",
)  # fmt: skip
HEAD = {"title": "test", "institution": "us", "date": "2024-01-31"}
COLUMNS = {
    "code": {"kind": "nominal", "taxonomy": TREE},
    "ward": {"kind": "flat"},
    "days": {"kind": "numeric"},
}


def one(where: Any, small_class: str = "2.1.1", name: str = "s", **more: Any) -> dict[str, Any]:
    return {"name": name, "where": where, **({} if "mixture" in more else {"small_class": small_class}), **more}


def made(*sets: dict[str, Any], columns: Mapping[str, Any] = COLUMNS, **head: Any) -> Severity:
    used = {column for said in sets for part in _parts(said["where"]) for column in part}
    return Severity({**HEAD, **head, "columns": {c: k for c, k in columns.items() if c in used}, "sets": list(sets)})


def _parts(where: Any) -> list[Any]:
    return [where] if isinstance(where, dict) else where


def held(severity: Severity, column: str) -> set[Any]:
    """The values that are in some set."""
    table = severity.describe().filter(pl.col("column") == column)
    return set(table["value"].to_list())


# ---- the classes -------------------------------------------------------------------------------------------------


def test_riopsi_has_the_classes_of_table_2() -> None:
    known = riopsi()
    assert list(known.large) == ["1", "2"]
    assert list(known.middle) == ["1.1", "1.2", "1.3", "2.1", "2.2", "2.3"]
    assert " ".join(known.small) == "1.1.1 1.2.1 1.3.1 2.1.1 2.1.2 2.2.1 2.2.2 2.2.3 2.2.4 2.2.5 2.3.1 2.3.2"
    assert [known.small[n].middle_type for n in ("1.3.1", "2.1.2", "2.2.5", "2.3.1")] == [None, 1, 2, 3]
    assert known.small["2.1.2"].attributes == ("disease", "treatment")
    assert len(known.motivations) == 2 + 5 + 3
    assert list(known.objectives) == ["I", "II"]
    assert known.table.height == 12
    assert "2.2.5  long stays" in str(known)


# ---- what is selected --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({"values": ["A1"]}, {"A1"}),
        ({"values": ["a1", "second of A"]}, {"A1", "A2"}),
        ({"branches": ["A1"]}, {"A1", "A1.0", "A1.1"}),
        ({"branches": ["B"], "values": ["A2"]}, {"A2", "B", "B1", "B2", "B2.5", "B3"}),
        ({"ranges": ["A1-A2"]}, {"A", "A1", "A1.0", "A1.1", "A2"}),
        ({"ranges": ["A1.1-B1"]}, {"A1.1", "A2", "B1"}),
        ({"ranges": ["A2-B2"]}, {"A2", "B1", "B2", "B2.5"}),
        ({"ranges": ["A2 – A2"]}, {"A2"}),
        ({"ranges": ["A-B"]}, set(TREE)),
        ({"values": ["A2"], "missing": True}, {"A2", None}),
    ],
)
def test_concepts(chosen: dict[str, Any], expected: set[Any]) -> None:
    assert held(made(one({"code": chosen})), "code") == expected


@pytest.mark.parametrize(
    ("chosen", "inside", "outside"),
    [
        ({"above": 60}, [60.001, 1e9], [60, -5, None]),
        ({"at_least": "60"}, [60], [59.999]),
        ({"below": 0}, [-1e-9], [0]),
        ({"at_most": 0}, [0, -1], [1e-9]),
        ({"between": [1, 2]}, [1, 1.5, 2], [0.99, 2.01]),
        ({"above": 1, "at_most": 2}, [1.5, 2], [1, 2.5]),
        ({"values": [3, "4.5"]}, [3, 4.5], [3.1, 4]),
        ({"values": [3], "missing": True}, [3, None], [4]),
    ],
)
def test_numbers(chosen: dict[str, Any], inside: list[Any], outside: list[Any]) -> None:
    severity = made(one({"days": chosen}), one({"days": {"values": [77]}}, "2.2.1", "other"))
    assert severity.of_values("days", inside)[0].tolist() == [1.0] * len(inside)
    assert severity.of_values("days", outside)[0].tolist() == [0.0] * len(outside)


def test_texts() -> None:
    severity = made(one({"ward": {"values": ["no", "007", "3"]}}))
    assert severity.of_values("ward", ["no", "007", "7", "nobody", None, "3"])[0].tolist() == [1, 1, 0, 0, 0, 1]
    spelled = severity.of_values("ward", ["No", " no", "NO\u00a0", "n\u200bo", "\uff10\uff10\uff17"])
    assert spelled[0].tolist() == [1, 1, 1, 1, 1]
    assert severity.of_values("ward", [3, 7, 4])[0].tolist() == [1, 1, 0], "numbers are compared as numbers"
    assert severity.of_values("ward", pl.Series([3.0, None]))[0].tolist() == [1, 0]


def test_ranges_of_a_real_classification(icd9cm: om.Taxonomy) -> None:
    severity = made(one({"d": {"ranges": ["140-149"]}}), columns={"d": {"kind": "nominal", "taxonomy": "icd9cm"}})
    codes = held(severity, "d")
    inside = {c for c in icd9cm if c[0].isdigit() and "-" not in c and 140 <= float(c) < 150}
    assert codes == inside | {"140-149"}
    wide = made(one({"d": {"ranges": ["200-210"]}}), columns={"d": {"kind": "nominal", "taxonomy": "icd9cm"}})
    blocks = sorted(c for c in held(wide, "d") if "-" in c)
    assert blocks == sorted(b for b in icd9cm if "-" in b and b[0] == "2" and b >= "200" and b[4:7] <= "210")
    assert "210-229" not in blocks, "a block that reaches beyond the range is not in it"


def test_pairs_count_the_sets_of_their_disease() -> None:
    """S18 Remark 2."""
    severity = made(
        one({"code": {"branches": ["A"]}}, "2.1.1", "disease"),
        one({"code": {"values": ["B1"]}}, "1.1.1", "genes"),
        one([{"code": {"branches": ["A1"]}, "ward": {"values": ["icu"]}}], "2.1.2", "pair"),
        one({"ward": {"values": ["icu"]}}, "2.1.1", "treatment"),
    )
    assert [a.name for a in severity.attributes] == ["code", "ward", "code + ward"]
    assert severity.columns == ["code", "ward"]
    assert (severity.largest_in_class_2, severity.largest) == (2, 3)
    pairs = [("A1.0", "icu"), ("A1.0", "home"), ("A2", "icu"), ("B1", "icu"), ("B2", None)]
    assert severity.of_values(("code", "ward"), pairs)[0].tolist() == [2, 1, 1, 3, 0]
    turned = [(ward, code) for code, ward in pairs]
    assert severity.of_values(["ward", "code"], turned)[0].tolist() == [2, 1, 1, 3, 0]
    frame = pl.DataFrame(pairs, schema=["code", "ward"], orient="row")
    assert severity.of_records(frame)[0].tolist() == [2, 1, 1, 3, 0]
    assert severity.of_attribute(frame, "ward")[0].tolist() == [1, 0, 1, 1, 0]
    assert severity.of_records(frame, columns=["ward"])[0].tolist() == [1, 0, 1, 1, 0]
    pair = severity.describe(frame).filter(pl.col("column") == "code + ward")
    assert pair.select("value", "sets", "max").rows() == [("A1.0 + icu", ["pair", "disease"], 2.0)]


def test_tuples_inherit_nothing() -> None:
    """Only pairs of 2.1.2 do: a tuple of stays is a value of its own."""
    columns = {"first": {"kind": "numeric"}, "second": {"kind": "numeric"}}
    severity = made(
        one({"first": {"above": 60}}, "2.2.5", "first stay"),
        one({"first": {"above": 30}, "second": {"above": 30}}, "2.2.5", "two long stays"),
        columns=columns,
    )
    assert severity.largest == 1
    assert severity.of_values(("first", "second"), [(70, 40), (70, 0)])[1].tolist() == [1, 0]
    assert severity.of_records(pl.DataFrame({"first": [70], "second": [40]}))[1].tolist() == [1]


def test_columns_of_the_same_sort() -> None:
    columns = {"code": {"kind": "nominal", "taxonomy": TREE, "also": ["code2", "code3"]}}
    severity = made(one({"code": {"branches": ["A"]}}), columns=columns)
    assert severity.columns == ["code", "code2", "code3"]
    frame = pd.DataFrame({"code": ["B1", "B1", "A2"], "code2": ["A1", "B1", "B1"], "code3": ["B2", None, "A"]})
    assert severity.of_records(frame)[0].tolist() == [1, 0, 1]


def test_the_largest_number_is_of_the_definition() -> None:
    """How many sets can hold one value, not how many there are, and only outside large class 1."""
    nested = [one({"days": {"above": bound}}, "2.2.5", f"over {bound}") for bound in (60, 120, 180)]
    apart = [one({"days": {"below": bound}}, "2.2.5", f"under {bound}") for bound in (0, 10)]
    assert made(*nested).largest == 3
    assert made(*nested, *apart).largest == 3
    assert made(*nested, one({"days": {"below": 70}}, "2.2.5", "under 70")).largest == 3
    grave = one({"days": {"above": 100}}, "1.1.1", "grave")
    severity = made(*nested, grave)
    assert (severity.largest_in_class_2, severity.largest) == (1, 2), "above 100 the first rule holds"
    assert severity.of_values("days", [61, 101, 200])[1].tolist() == [1, 2, 2]
    other_class = one({"days": {"above": 60}}, "2.3.1", "as well")
    assert made(nested[0], other_class).largest == 1, "sets of other middle classes are not counted together"
    touching = [one({"days": {"at_most": 5}}, name="to 5"), one({"days": {"at_least": 5}}, name="from 5")]
    assert made(*touching).largest == 2
    assert made(one({"days": {"below": 5}}, name="to 5"), touching[1]).largest == 1


def test_mixtures() -> None:
    """S18 section 5 (iv): 1 or 4 is 2.5; under the other middle classes it is 0 or 4."""
    cancers = [one({"ward": {"values": list("abc")[i:]}}, name=str(i)) for i in range(3)]
    severity = made(*cancers, one({"ward": {"values": ["x"]}}, name="x", mixture=["1.1.1", "2.3.1"]))
    assert (severity.largest_in_class_2, severity.largest) == (3, 4)
    assert severity.of_values("ward", ["x", "c"]).tolist() == [[2, 3], [2, 0], [2.5, 0]]
    thirds = made(one({"ward": {"values": ["x"]}}, mixture={"1.1.1": 1 / 3, "1.2.1": 1 / 3, "2.1.1": "0.3333333333"}))
    assert thirds.of_values("ward", ["x"])[0] == pytest.approx(4 / 3 + 1 / 3)


def test_numbers_of_a_table_from_anywhere(tmp_path: Path) -> None:
    columns = {"d": {"kind": "nominal", "taxonomy": "icd9cm"}}
    severity = made(one({"d": {"branches": ["250"]}}), one({"d": {"values": ["042"]}}, "2.3.1", "HIV"), columns=columns)
    values = ["25000", "250.00", "Human immunodeficiency virus [HIV] disease", "401.9", None, "042"]
    expected = [[1, 1, 0, 0, 0, 0], [0] * 6, [0, 0, 1, 0, 0, 1]]
    for given_values in (
        values,
        pl.Series(values),
        pd.Series(values),
        pd.Series(values, index=range(5, 11)),
        tuple(values),
    ):
        assert severity.of_values("d", given_values).tolist() == expected
    polars = pl.DataFrame({"d": values})
    for frame in (polars, polars.to_pandas(), polars.to_arrow(), polars.cast(pl.Categorical)):
        assert severity.of_records(frame).tolist() == expected
    polars.write_csv(tmp_path / "d.csv")
    assert severity.of_records(tmp_path / "d.csv").tolist() == expected, "in a file, codes stay text"
    with pytest.raises(errors.UnmatchedValuesError, match=r"column 'd'.*1 value has no concept"):
        severity.of_values("d", ["250.00", "nonsense"])
    assert severity.of_values("d", ["250.00", "nonsense"], unknown="zero")[0].tolist() == [1, 0]
    with pytest.raises(errors.DataError, match="stored as numbers"):
        severity.of_values("d", [250.0])


def test_missing_values_have_0_unless_a_set_says_otherwise() -> None:
    severity = made(
        one({"days": {"above": 3}}), one({"ward": {"missing": True}}, "2.3.1", "no ward"), one({"code": {"values": ["A2"]}})
        | {"name": "c"},
    )  # fmt: skip
    frame = pl.DataFrame({"days": [None, 4.0, float("nan")], "ward": ["a", None, None], "code": [None, "A2", None]},
                         schema={"days": pl.Float64, "ward": pl.String, "code": pl.String})  # fmt: skip
    assert severity.of_records(frame).tolist() == [[0, 1, 0], [0, 0, 0], [0, 1, 1]]
    empty = pl.DataFrame({"days": [None], "ward": [None], "code": [None]})
    assert severity.of_records(empty)[2].tolist() == [1]


def test_no_records() -> None:
    severity = made(one({"days": {"above": 3}}))
    frame = pl.DataFrame({"days": []}, schema={"days": pl.Int64})
    assert severity.of_records(frame).shape == (3, 0)
    assert severity.distribution(frame)["max"].to_list() == [0, 0]
    assert severity.sums(frame).rows() == [(0, 0, 0.0, 0.0)]
    assert severity.describe(frame).is_empty()


# ---- tables ------------------------------------------------------------------------------------------------------


def test_tables() -> None:
    severity = made(
        one({"days": {"above": 60}}, "2.2.5", "long"),
        one({"days": {"above": 120}}, "2.2.5", "very long"),
        one({"ward": {"values": ["locked"]}}, "1.3.1", "psychiatry"),
    )
    frame = pl.DataFrame(
        {
            "ward": ["a", "a", "locked", "b"],
            "days": [3, 61, 500, 120],
            "house": ["x", "y", "y", None],
            "count": [10.0, 1.0, 2.0, 0.5],
        }
    )
    described = severity.describe(frame)
    assert described.columns == ["column", "value", "meaning", "records", "sets", "s_1", "s_2", "s_3", "max"]
    rows = described.select("column", "value", "records", "sets", "max").rows()
    assert rows == [
        ("ward", "locked", 1, ["psychiatry"], 3.0),
        ("days", "> 120", 1, ["long", "very long"], 2.0),
        ("days", "> 60 and <= 120", 2, ["long"], 1.0),
        ("ward", "a", 2, [], 0.0),
        ("days", "<= 60", 1, [], 0.0),
        ("ward", "b", 1, [], 0.0),
    ]
    assert severity.distribution(frame).rows() == [(0, 3, 1, 3, 1), (1, 0, 2, 0, 2), (2, 0, 0, 0, 0), (3, 1, 1, 1, 1)]
    assert severity.distribution(frame, weights="count")["max"].to_list() == [10, 1.5, 0, 2]
    assert severity.sums(frame).rows() == [(4, 3, 5.0, 1.25)]
    assert severity.sums(frame, "house").rows() == [
        ("x", 1, 0, 0.0, 0.0),
        ("y", 2, 2, 4.0, 2.0),
        (None, 1, 1, 1.0, 1.0),
    ]
    weighed = severity.sums(frame, ["house", "ward"], weights="count", m=1)
    assert weighed.filter(pl.col("ward") == "locked").rows() == [("y", "locked", 2, 2, 6.0, 3.0)]
    assert severity.sums(frame, m=1)["sum"].to_list() == [3.0]
    taken = frame.rename({"house": "sum"})
    assert severity.sums(taken, "sum").columns == ["sum", "patients", "severe", "sum (ontomask)", "per_patient"]


def test_tables_of_the_definition() -> None:
    severity = made(
        one({"code": {"branches": ["A"], "values": ["B1"]}, "days": {"above": 3}}, "2.1.2", "pair", source="law", date="2020"),
        one({"code": {"ranges": ["A1-A2"]}}, "2.1.1", "single"),
        source="somebody",
    )  # fmt: skip
    assert severity.table.rows() == [
        ("pair", "2.1.2", "code + days", "code: B1, A and below, days: > 3", None, "law", "2020"),
        ("single", "2.1.1", "code", "code: A1-A2", 5, "somebody", "2024-01-31"),
    ]
    said = str(severity)
    assert "N = 2 (largest number outside large class 1), N_max = 2" in said
    assert "2.1.1  diseases that shorten life much" in said
    assert repr(severity) == "<Severity 'test': 2 sets, numbers 0 to 2>"


def test_notes_tell_what_may_be_a_slip() -> None:
    severity = made(
        one({"code": {"values": ["A1"]}}, "2.2.1", "first"),
        one({"code": {"values": ["A1"]}}, "2.2.3", "second"),
    )
    assert severity.largest == 2
    bare, _, source, same = severity.notes
    assert bare == (
        "set 'first' holds A1 (2 concepts below it) alone; if what is below is meant too, write it under branches"
    )
    assert source == "2 sets without a source: first, second"
    assert same == "the sets 'first' (2.2.1) and 'second' (2.2.3) have the same members; both are counted"


def test_pickled_equal_and_copied(tmp_path: Path) -> None:
    severity = Severity.example("demo")
    again = pickle.loads(pickle.dumps(severity))
    assert again == severity
    assert hash(again) == hash(severity)
    assert severity != Severity.example()
    assert severity != 1
    copied = severity.save(tmp_path / "mine.yaml")
    assert Severity.load(copied) == severity
    with pytest.raises(errors.OutputError):
        severity.save(copied)
    without_a_file = made(one({"days": {"above": 3}}))
    assert Severity.load(without_a_file.save(tmp_path / "x.yaml")) == without_a_file


def test_every_field_is_explained() -> None:
    from ontomask.severity.definition import CodedColumn, LiteralColumn, NumberColumn, Selection, SpecialSet

    for part in (Definition, SpecialSet, Selection, CodedColumn, LiteralColumn, NumberColumn):
        for name, field in part.model_fields.items():
            assert name == "kind" or field.description, f"{part.__name__}.{name}"


# ---- slips in what is asked --------------------------------------------------------------------------------------


def test_slips_in_calls() -> None:
    severity = made(one({"days": {"above": 3}}), one({"ward": {"values": ["a"]}}, name="w"))
    frame = pl.DataFrame({"days": [1], "ward": ["a"], "n": [-1], "t": ["x"]})
    with pytest.raises(errors.OptionError, match=r"no set covers 'day'. Did you mean 'days'"):
        severity.of_values("day", [1])
    with pytest.raises(errors.OptionError, match="no set covers 'days \\+ ward'"):
        severity.of_values(("days", "ward"), [(1, 2)])
    with pytest.raises(errors.DataError, match=r"column 'days': has thresholds and holds text: '1'. Convert"):
        severity.of_values("days", ["1"])
    with pytest.raises(errors.DataError, match="no column 'days', which the severity definition uses. The data"):
        severity.of_records(frame.drop("days"))
    with pytest.raises(errors.OptionError, match="no set covers the column 'wrad'. Did you mean 'ward'"):
        severity.of_records(frame, columns=["wrad"])
    with pytest.raises(errors.OptionError, match="no way to treat unknown values 'ignore'"):
        severity.of_records(frame, unknown="ignore")  # type: ignore[arg-type]
    with pytest.raises(errors.OptionError, match="no column 'm' of weights"):
        severity.sums(frame, weights="m")
    with pytest.raises(
        errors.DataError, match="column 'n': holds 1 value that cannot be a count, the first in record 1"
    ):
        severity.sums(frame, weights="n")
    with pytest.raises(errors.DataError, match="column 't': holds String, not counts"):
        severity.distribution(frame, weights="t")
    with pytest.raises(errors.OptionError, match="no column 'hose' to group by"):
        severity.sums(frame, ["hose"])
    with pytest.raises(errors.OptionError, match="no middle class type 4"):
        severity.sums(frame, m=4)
    with pytest.raises(errors.OptionError, match="no example 'china'"):
        Severity.example("china")
    with pytest.raises(errors.PolicyError, match="a list is not a definition"):
        Severity([])  # type: ignore[arg-type]
    with pytest.raises(errors.DataError, match="expected a DataFrame"):
        severity.of_records([1])


# ---- slips in files ----------------------------------------------------------------------------------------------

FILE = """\
title: test
institution: us
date: 2024-01-31
source: nobody
columns:
  code: {kind: nominal, taxonomy: letters.csv}
  days: {kind: numeric}
  ward: {kind: flat}
sets:
  - name: one
    small_class: 2.1.1
    where:
      code: {branches: [A1]}
  - name: two
    small_class: 2.2.5
    where:
      days: {above: 60}
  - name: three
    small_class: 2.3.1
    where:
      ward: {values: [no, 007]}
"""
AGAIN = "  - name: again\n    small_class: 2.1.1\n    where: {code: "
LETTERS = "code,label,parent\nall,,\nA,,all\nA1,first,A\nA1.0,,A1\nA1.1,,A1\nA2,,A\nB,,all\nB1,twin,B\nB2,twin,B\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "letters.csv").write_text(LETTERS, encoding="utf-8")
    return tmp_path


def refused(folder: Path, text: str | bytes) -> str:
    path = folder / "severity.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(errors.PolicyError) as caught:
        Severity.load(path)
    said = str(caught.value)
    assert said.startswith(str(path)), "an error in a file begins with the file"
    for word in ("pydantic", "Input should", "valid dictionary", "valid string", "union", "[key]", "Traceback"):
        assert word not in said, said
    return said.removeprefix(str(path))


def test_a_file(folder: Path) -> None:
    (folder / "severity.yaml").write_text(FILE, encoding="utf-8")
    severity = Severity.load(folder / "severity.yaml")
    assert severity.path == folder / "severity.yaml"
    assert severity.of_values("ward", ["no", "007", "7"])[2].tolist() == [1, 1, 0], "nothing needs quotes"
    assert severity.of_values("code", ["A1.1", "A2"])[0].tolist() == [1, 0]
    assert severity.definition.date == "2024-01-31"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        # keys
        ("title: test\n", "", ": line 1: title: is required"),
        ("small_class: 2.2.5", "smal_class: 2.2.5",
         ": line 15: set 'two', smal_class: unknown key. Did you mean 'small_class'? There are: name, "),
        ("above: 60", "over: 60", "line 17: set 'two', days.over: unknown key. Did you mean 'above'?"),
        ("  days: {kind: numeric}", "  days: {kind: number}", "line 7: columns.days: 'number' is not one of nominal, flat, "),
        ("source: nobody", "title: again", ", line 4: the key 'title' is already in line 1. Keep one of the two."),
        ("source: nobody", "source:", "line 4: source: the value is empty: write it, or leave the key out"),
        ("source: nobody", "source: [", ", line 6: this is not valid YAML: "),
        ("source: nobody", "? [a, b]\n: c", ", line 4: a key is not text"),
        # head
        ("2024-01-31", "31.1.2024", "line 3: date: '31.1.2024' is not a date: write it as 2024-05-31, 2024-05 or 2024"),
        # classes
        ("2.1.1", "2.1", "there is no small class '2.1'. It holds the small classes 2.1.1, 2.1.2. There are: 1.1.1, "),
        ("2.1.1", "2.1.7", "line 11: set 'one', small_class: there is no small class '2.1.7'. Did you mean '2."),
        ("    small_class: 2.1.1\n", "", "line 10: set 'one': give small_class, or mixture where the class is not known"),
        ("small_class: 2.1.1", "mixture: [1.1.1]", "line 11: set 'one', mixture: a mixture names two or more small classes"),
        ("small_class: 2.1.1", "mixture: {1.1.1: 0.5, 2.1.1: 0.6}", "above 0 and sum to 1; these sum to 1.1"),
        ("small_class: 2.1.1", "mixture: [1.1.1, 3.1.1]", "set 'one', mixture: there is no small class '3.1.1'"),
        # names
        ("name: two", "name: one", "line 14: a set 'one' already exists: give each its own name"),
        ("      days: {above", "      dayz: {above",
         "line 17: set 'two': the column 'dayz' is not listed under columns. Did you mean 'days'? There are: code, days"),
        ("  ward: {kind: flat}", "  ward: {kind: flat, also: [days]}", "line 5: columns: the column 'days' is listed twice"),
        ("  ward: {kind: flat}", "  ward: {kind: flat}\n  bed: {kind: flat}",
         "line 9: no set covers the column 'bed': leave it out, or write its sets"),
        ("{kind: flat}\n", "{kind: flat, also: [bed]}\n", None),
        # empty sets
        ("{branches: [A1]}", "{branches: []}", "line 13: set 'one': it is empty: say which values of 'code' are in it"),
        ("{branches: [A1]}", "{}", "line 13: set 'one': it is empty"),
        ("    where:\n      code: {branches: [A1]}\n", "", "line 10: set 'one', where: is required"),
        ("    where:\n      code: {branches: [A1]}\n", "    where: []\n", "line 12: set 'one', where: the set is empty: say"),
        ("above: 60", "above: 60, at_most: 60", "line 17: set 'two': no number is > 60 and <= 60: the set is empty"),
        ("above: 60", "between: [70, 60]", "line 17: set 'two': no number is 70 to 60: the set is empty"),
        # the same set twice
        ("  - name: two", AGAIN + "{values: [A1, A1.0, A1.1]}}\n  - name: two",
         "line 14: set 'again' has the same members as 'one' and the same class: it would count twice; remove one"),
        ("  - name: two", AGAIN + "{ranges: [A1.0-A1.1]}}\n  - name: two",
         "line 14: set 'again' has the same members as 'one'"),
        # codes
        ("[A1]", "[A1, A3]", "line 13: set 'one': no concept 'A3' in letters. Near it: "),
        ("[A1]", "[twin]", "line 13: set 'one': 'twin' may mean B1, B2: give the code of the one you mean"),
        ("branches: [A1]", "ranges: [A1-A7]", "line 13: set 'one': the range 'A1-A7': no concept 'A7' in letters. Near it: "),
        ("branches: [A1]", "ranges: [A2-A1]", "the range 'A2-A1' is not in order: A2 does not come before A1; write A1-A2"),
        ("branches: [A1]", "ranges: [A1-A1.0]", "is not in order: A1 does not come before A1.0; one is part of the other"),
        ("branches: [A1]", "ranges: [A1]", "line 13: set 'one': 'A1' is not a range: write it as first-last, such as C16-C18"),
        ("branches: [A1]", "branches: A1", "line 13: set 'one', code.branches: 'A1' is not a list: in a file, begin each"),
        # thresholds
        ("above: 60", "above: sixty", "line 17: set 'two', days.above: 'sixty' is not a number: a threshold is a number such"),
        ("above: 60", "above: inf", "inf is not finite: give a finite number"),
        ("above: 60", "between: 60", "'60' is not a pair: write between: [60, 120], both ends included"),
        ("above: 60", "values: [sixty]", "line 17: set 'two': 'sixty' is not a number and 'days' is a column of numbers"),
        ("above: 60", "branches: [60]", "line 17: set 'two': 'days' is a column of numbers: give above"),
        ("branches: [A1]", "above: 60", "line 13: set 'one': a threshold on 'code', whose values are concepts, not numbers"),
        ("values: [no, 007]", "above: 60", "line 21: set 'three': a threshold on 'ward', which holds text"),
        ("values: [no, 007]", "branches: [no]", "line 21: set 'three': 'ward' has no taxonomy, so it has no branches"),
        ("values: [no, 007]", "values: [no], missing: perhaps", "set 'three', ward.missing: 'perhaps' should be"),
        # columns
        ("taxonomy: letters.csv", "taxonomy: icd9", "line 6: columns.code: taxonomy: no taxonomy 'icd9' is built in and"),
        ("taxonomy: letters.csv", "taxonomy: gone.csv", "line 6: column 'code': gone.csv: "),
        ("kind: nominal, taxonomy: letters.csv", "kind: nominal", "line 6: columns.code.taxonomy: is required"),
    ],
)  # fmt: skip
def test_slips(folder: Path, old: str, new: str, said: str | None) -> None:
    assert FILE.count(old) >= 1
    text = FILE.replace(old, new, 1)
    if said is None:
        (folder / "fine.yaml").write_text(text, encoding="utf-8")
        Severity.load(folder / "fine.yaml")
    else:
        assert said in refused(folder, text)


def test_slips_of_whole_files(folder: Path) -> None:
    assert refused(folder, "").startswith(": this is not a severity file. A severity file has the keys title, ")
    assert refused(folder, "- a\n").startswith(": this is not a severity file")
    assert refused(folder, b"title: \xff").startswith(": the file is not UTF-8 text")
    assert "sets: there is no set: without one" in refused(folder, FILE[: FILE.index("sets:")] + "sets: []\n")
    several = refused(folder, FILE.replace("2.1.1", "9").replace("60", "x"))
    assert several.startswith(" (2 problems):\n  line 11: set 'one', small_class")
    assert "\n  line 17: set 'two', days.above" in several
    several = refused(folder, FILE.replace("[A1]", "[A9, A8]"))
    assert several.startswith(" (2 problems):\n  line 13: set 'one': no concept 'A9'")
    mixed = "    where:\n      - {code: {values: [A1]}}\n      - {ward: {values: [a]}}\n"
    said = refused(folder, FILE.replace("    where:\n      code: {branches: [A1]}\n", mixed))
    assert "set 'one', where: a set is of one column or of one combination of columns; here are code and ward" in said
    also = FILE.replace("{kind: flat}", "{kind: flat, also: [bed]}").replace("      ward:", "      bed:")
    assert "line 21: set 'three': 'bed' has the sets of 'ward': write ward here" in refused(folder, also)
    with pytest.raises(errors.MissingDataError, match=r"there is no such severity file. Did you mean 'severity.yaml'"):
        Severity.load(folder / "severty.yaml")
    with pytest.raises(errors.PolicyError, match="this is a folder. Name the severity file"):
        Severity.load(folder)
    (folder / "letters.csv").write_text("code,parent\nx1,all\nall,\nb,all\nx2,all\ny,x1\nz,b\nw,x1\n", encoding="utf-8")
    said = refused(folder, FILE.replace("branches: [A1]", "ranges: [x1-b]"))
    assert "the codes of this taxonomy have no order that the range 'x1-b' could follow: list branches" in said


def test_slips_in_python() -> None:
    with pytest.raises(errors.PolicyError, match="set 's': 250.0 is a number: codes are text, write '250.0' in quotes"):
        made(one({"code": {"values": [250.0]}}))
    with pytest.raises(errors.PolicyError, match="title: is required"):
        Severity({})
    with pytest.raises(errors.PolicyError, match="Severity"):
        Severity({1: 2})  # type: ignore[dict-item]
    made(one({"days": {"values": [250.0]}}))


def test_a_mapping_places_what_matching_cannot() -> None:
    coded = {"kind": "nominal", "taxonomy": TREE, "mapping": {"first of all": "A1.0"}}
    severity = made(one({"code": {"branches": ["A1"]}}), columns={"code": coded})
    assert severity.of_values("code", ["first of all", "A2"])[0].tolist() == [1, 0]
    with pytest.raises(errors.PolicyError, match=r"column 'code': no concept 'A9' .*for the value 'x' of the mapping"):
        made(one({"code": {"branches": ["A1"]}}), columns={"code": coded | {"mapping": {"x": "A9"}}})


# ---- a plain twin ------------------------------------------------------------------------------------------------

TEXTS = ["a", "b", "c"]
BOUNDS = [0.0, 1.0, 2.5, 7.0]
SMALL = list(riopsi().small)


def drawn_sets(case: Case, chance: random.Random) -> list[dict[str, Any]]:
    """Up to six random sets: by one seed, since nothing is gained by shrinking them part by part."""

    def some(things: Sequence[Any], most: int) -> list[Any]:
        least = int(chance.random() < 0.97)  # now and then a set is empty
        return chance.sample(list(things), max(least, chance.randint(0, min(most, len(things)))))

    def selection(column: str) -> dict[str, Any]:
        missing = chance.random() < 0.2
        if column == "d":
            kind = chance.choice(["values", "branches"])
            return {"values": [], "branches": [], "missing": missing} | {kind: some(case.concepts, 4)}
        if column == "t":
            return {"values": some(TEXTS, 2), "missing": missing}
        low, high = sorted(chance.choices(BOUNDS, k=2))  # equal ones may leave nothing
        bounds = {chance.choice(["above", "at_least"]): low, chance.choice(["below", "at_most"]): high}
        kept = chance.sample(sorted(bounds), chance.randint(1, 2))
        every = dict.fromkeys(("above", "at_least", "below", "at_most"))
        return {**every, **{key: bounds[key] for key in kept}, "missing": missing}

    sets = []
    for i in range(chance.randint(1, 6)):
        columns = chance.choice([("d",), ("d",), ("t",), ("n",), ("n",), ("d", "t"), ("t", "d"), ("d", "n")])
        said: dict[str, Any] = {"name": str(i)}
        said["where"] = [{c: selection(c) for c in columns} for _ in range(chance.randint(1, 2))]
        if chance.random() < 0.3:
            classes = chance.sample(SMALL, chance.randint(2, 3))
            said["mixture"] = dict.fromkeys(classes, 1 / len(classes))
        else:
            usual = (
                ["2.1.1"] * 6 if len(columns) == 1 else ["2.1.2"] * 12
            )  # so that sets nest and pairs meet their disease
            said["small_class"] = chance.choice([*SMALL, *usual])
        sets.append(said)
    return sets


def selects(case: Case, column: str, chosen: Mapping[str, Any], value: Any) -> bool:
    """Is the value selected?"""
    if value is None:
        return bool(chosen["missing"])
    if column == "t":
        return value in chosen["values"]
    if column == "d":
        above = case.plain.subsumers[value]
        return value in chosen["values"] or any(branch in above for branch in chosen["branches"])
    tests = {"above": value.__gt__, "at_least": value.__ge__, "below": value.__lt__, "at_most": value.__le__}
    given_bounds = {key: test for key, test in tests.items() if chosen[key] is not None}
    return bool(given_bounds) and all(test(chosen[key]) for key, test in given_bounds.items())


def contradict(case: Case, chosen: Mapping[str, Any], values: Sequence[Any]) -> bool:
    """Are there thresholds that no number meets?"""
    given_one = any(chosen[key] is not None for key in ("above", "at_least", "below", "at_most"))
    return given_one and not any(v is not None and selects(case, "n", chosen, v) for v in values)


def holds(case: Case, said: Mapping[str, Any], value: Mapping[str, Any]) -> bool:
    """Is a combination of values in a set?"""
    return any(all(selects(case, c, chosen, value[c]) for c, chosen in box.items()) for box in said["where"])


def shares(said: Mapping[str, Any]) -> dict[str, float]:
    mixture: dict[str, float] | None = said.get("mixture")
    return mixture if mixture else {said["small_class"]: 1.0}


class PlainSeverity:
    """S18 definition 1 word by word: every value of every attribute, every case of every mixture."""

    def __init__(self, case: Case, sets: Sequence[Mapping[str, Any]]) -> None:
        self.case, self.sets = case, sets
        middle = [(low + high) / 2 for low, high in itertools.pairwise(BOUNDS)]
        own = {"d": [*case.concepts, None], "t": [*TEXTS, "else", None], "n": [-1.0, *BOUNDS, *middle, 9.0, None]}
        self.values: list[dict[str, Any]] = []
        for columns in {tuple(sorted(s["where"][0])) for s in sets}:
            self.values += [
                dict(zip(columns, row, strict=True)) for row in itertools.product(*(own[c] for c in columns))
            ]
        every = [case_ for value in self.values for case_ in self.cases(value)]
        self.n = max((count for _, first, counts in every if not first for count in counts), default=0)
        self.largest = max(first + self.n for _, first, _ in every)

    def around(self, value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """The sets that a value is in; a pair of 2.1.2 is in those of its disease too."""
        same = [s for s in self.sets if set(s["where"][0]) == set(value)]
        found = [s for s in same if holds(self.case, s, value)]
        pairs = [next(iter(s["where"][0])) for s in same if "2.1.2" in shares(s)]
        if len(value) > 1 and pairs:
            disease = {pairs[0]: value[pairs[0]]}
            found += [s for s in self.sets if set(s["where"][0]) == set(disease) and holds(self.case, s, disease)]
        return found

    def cases(self, value: Mapping[str, Any]) -> list[tuple[float, int, list[int]]]:
        """What a value may be: with what share, in how many sets of class 1, and of 2.1, 2.2 and 2.3."""
        found = []
        for chosen in itertools.product(*(shares(s).items() for s in self.around(value))):
            share = float(np.prod([p for _, p in chosen]))
            numbers = [number for number, _ in chosen]
            counts = [sum(number.startswith(f"2.{m}") for number in numbers) for m in (1, 2, 3)]
            found.append((share, sum(number.startswith("1") for number in numbers), counts))
        return found

    def number(self, value: Mapping[str, Any], m: int) -> float:
        return sum(p * (first + self.n if first else counts[m - 1]) for p, first, counts in self.cases(value))


@settings(
    max_examples=cases(80), deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
@given(case=dags(), seed=st.integers(0, 2**32))
def test_numbers_equal_the_plain_twin(case: Case, seed: int) -> None:
    sets = drawn_sets(case, random.Random(seed))
    plain = PlainSeverity(case, sets)
    members = [
        (
            frozenset(s["where"][0]),
            tuple(sorted(shares(s).items())),
            tuple(holds(case, s, v) for v in plain.values if set(v) == set(s["where"][0])),
        )
        for s in sets
    ]
    boxes_empty = any(
        not any(selects(case, c, box[c], v[c]) for v in plain.values if set(v) == set(box))
        or (c == "n" and contradict(case, box[c], [v[c] for v in plain.values if set(v) == set(box)]))
        for s in sets
        for box in s["where"]
        for c in box
    )
    used = {c for s in sets for c in s["where"][0]}
    columns = {"d": {"kind": "nominal", "taxonomy": case.real}, "t": {"kind": "flat"}, "n": {"kind": "numeric"}}
    definition = {**HEAD, "columns": {c: columns[c] for c in columns if c in used}, "sets": sets}
    if boxes_empty or len(set(members)) < len(members):
        with pytest.raises(errors.PolicyError, match="empty|the same members"):
            Severity(definition)
        return
    severity = Severity(definition)
    assert (severity.largest_in_class_2, severity.largest) == (plain.n, plain.largest)
    for attribute in severity.attributes:
        values = [v for v in plain.values if set(v) == set(attribute.columns)]
        expected = [[plain.number(v, m) for v in values] for m in (1, 2, 3)]
        rows = [tuple(v[c] for c in attribute.columns) for v in values]
        found = severity.of_values(attribute.columns, rows if len(attribute.columns) > 1 else [row[0] for row in rows])
        np.testing.assert_allclose(found, expected, atol=1e-9)
    # Records: one value of each column, drawn in step with the others.
    own = {c: [v[c] for v in plain.values if c in v] for c in used}
    picks = [{c: own[c][(7 * i + j) % len(own[c])] for j, c in enumerate(sorted(used))} for i in range(20)]
    schema: Any = {"d": pl.String, "t": pl.String, "n": pl.Float64}
    frame = pl.DataFrame(picks, schema={c: schema[c] for c in sorted(used)})
    groups = [set(a.columns) for a in severity.attributes]
    expected = [
        [max(plain.number({c: row[c] for c in group}, m) for group in groups) for row in picks] for m in (1, 2, 3)
    ]
    np.testing.assert_allclose(severity.of_records(frame), expected, atol=1e-9)
    largest = np.max(expected, axis=0)
    total = severity.sums(frame).row(0)
    np.testing.assert_allclose(total, [20, (largest >= 1 - 1e-9).sum(), largest.sum(), largest.mean()], atol=1e-8)
    assert severity.distribution(frame)["max"].sum() == 20
