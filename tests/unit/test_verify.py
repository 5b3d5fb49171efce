"""Whether a table satisfies a policy is asked of the table alone, wherever it comes from."""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ontomask as om
from ontomask import errors

GOOD = pl.DataFrame({"age": [30, 30, 41, 41], "job": ["nurse", "nurse", "pilot", "pilot"], "pay": [1, 2, 3, 4]})
BAD = pl.DataFrame({"age": [30, 30, 41], "job": ["nurse", "nurse", "pilot"], "pay": [1, 2, 3]})
ATTRIBUTES = {"age": om.Numeric(), "job": om.Flat(), "pay": om.Numeric(role="sensitive")}


def policy(k: int = 2, **settings: Any) -> om.Policy:
    made: om.Policy = om.Policy(**({"attributes": ATTRIBUTES, "require": [om.KAnonymity(k)]} | settings))
    return made


#: What is checked of every table besides the models.
CONTENTS = ["only columns that the policy lists", "all columns of the policy", "values that fit their columns"]
KINDS = {"polars": lambda f: f, "pandas": lambda f: f.to_pandas(), "pyarrow": lambda f: f.to_arrow()}


@pytest.mark.parametrize("kind", KINDS)
def test_frames(kind: str) -> None:
    found = om.verify(KINDS[kind](GOOD), policy())
    assert found.holds
    assert bool(found) is True
    assert found.notes == []
    assert [finding.model.describe() for finding in found] == ["2-anonymity", *CONTENTS]
    assert str(found).splitlines()[-1] == "Verdict: holds"
    finding = found.findings[0]
    assert (finding.holds, finding.worst, finding.records, len(finding.violations)) == (True, 2, 0, 0)
    assert "2 classes" in finding.text
    found = om.verify(KINDS[kind](BAD), policy())
    assert not found.holds
    assert bool(found) is False
    finding = found.findings[0]
    assert (finding.holds, finding.worst, finding.records) == (False, 1, 1)
    assert finding.violations.to_dicts() == [{"age": 41, "job": "pilot", "records": 1}]
    assert str(found).startswith("FAILS: 2-anonymity: 1 of 2 classes has fewer than 2 records")
    assert repr(found) == f"<Verification: fails, {len(found.findings)} findings>"


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "tsv", "parquet", "xlsx"])
def test_files(tmp_path: Path, suffix: str) -> None:
    good, bad = om.write_table(GOOD, tmp_path / f"good.{suffix}"), om.write_table(BAD, tmp_path / f"bad.{suffix}")
    assert om.verify(good, policy())
    assert om.verify(str(good), policy())
    found = om.verify(bad, policy())
    assert not found
    assert any("3 rows" in note for note in map(str, found.notes))  # how the file was read
    path = policy().save(tmp_path / "policy.yaml")
    assert om.verify(good, path)
    assert not om.verify(bad, str(path))
    assert len(os.listdir(tmp_path)) == 3


def test_what_was_anonymized_holds_also_when_read_back(tmp_path: Path) -> None:
    rng = random.Random(1)
    taxonomy = om.Taxonomy.from_edges(
        [("dog", "pet"), ("cat", "pet"), ("oak", "tree"), ("pet", "thing"), ("tree", "thing")]
    )
    frame = pl.DataFrame(
        {
            "age": [rng.choice([None, rng.uniform(0, 100)]) for _ in range(60)],
            "pet": [rng.choice(["dog", "cat", "oak", None]) for _ in range(60)],
            "code": [rng.choice(["007", "07", "7"]) for _ in range(60)],
        }
    )
    made = om.Policy(
        attributes={
            "age": om.Numeric(missing="category"),
            "pet": om.Nominal(taxonomy=taxonomy, missing="category"),
            "code": om.Flat(),
        },
        method=om.Microaggregation(k=4),
    )
    assert not om.verify(frame, made)
    result = om.anonymize(frame, made)
    assert om.verify(result.data, made)
    for suffix in ("csv", "parquet", "xlsx"):
        assert om.verify(result.write(tmp_path / f"out.{suffix}"), made), suffix


def test_the_promise_of_the_method_counts_as_required() -> None:
    assert not om.verify(BAD, policy(1, require=[], method=om.Recoding(k=2)))
    both = om.verify(GOOD, policy(2, method=om.Recoding(k=2)))
    assert len(both.findings) == 1 + len(CONTENTS)
    mixed = om.verify(GOOD, policy(3, method=om.Recoding(k=2)))
    assert [finding.holds for finding in mixed] == [True, False, True, True, True]
    assert not mixed.holds
    assert str(mixed).splitlines()[0].startswith("holds: 2-anonymity")
    assert str(mixed).splitlines()[1].startswith("FAILS: 3-anonymity")


@pytest.mark.parametrize(
    "settings",
    [{}, {"method": om.Resampling(2, variant="heer")}, {"method": om.Microaggregation(1)}],
)
def test_a_policy_that_requires_nothing(settings: dict[str, Any]) -> None:
    """Its columns and values are checked all the same, and the verdict promises nothing."""
    found = om.verify(GOOD, policy(require=[], **settings))
    assert (found.verdict, found.promises, found.complete) == ("nothing was promised", False, True)
    assert om.verify(GOOD.with_columns(name=pl.lit("x")), policy(require=[], **settings)).verdict == "fails"


def test_from_anywhere() -> None:
    """Columns in another order, of other types."""
    assert om.verify(GOOD.select("pay", "job", "age"), policy())
    assert om.verify(GOOD.with_columns(pl.col("age").cast(pl.String), pl.col("job").cast(pl.Categorical)), policy())
    ages_only = policy(4, attributes={"age": om.Numeric(), "pay": om.Flat("other")}, unlisted="other")
    assert om.verify(GOOD.with_columns(age=pl.lit("[30-50]")), ages_only)


def test_a_name_is_offered_only_if_it_is_near() -> None:
    ages = policy(attributes={"age": om.Numeric()})
    with pytest.raises(errors.DataError, match=r"'age', which the data do not have\. The data have: 'triage'"):
        om.verify(pl.DataFrame({"triage": [1, 1]}), ages)
    with pytest.raises(errors.DataError, match="Did you mean 'ages'"):
        om.verify(pl.DataFrame({"ages": [1, 1], "triage": [1, 1]}), ages)


def test_a_taxonomy_that_is_not_there_is_said() -> None:
    made = om.Policy(attributes={"job": om.Nominal(taxonomy="gone.csv")}, require=[om.KAnonymity(2)])
    found = om.verify(pl.DataFrame({"job": ["*", "*", "any work", "any work"]}), made)
    assert found.findings[0].holds, "k-anonymity needs no taxonomy"
    assert (found.holds, found.complete, found.verdict) == (False, False, "not everything could be checked")
    assert "NOT CHECKED: values were not checked: job (" in str(found)
    diverse = made.changed(
        attributes={"q": om.Flat(), "job": om.Nominal("gone.csv", role="sensitive")}, require=[om.LDiversity(2)]
    )
    found = om.verify(pl.DataFrame({"q": [1, 1], "job": ["a", "b"]}), diverse)
    assert not found.findings[0].checked
    assert found.verdict == "not everything could be checked"


@pytest.mark.parametrize("kind", KINDS)
def test_missing_values_are_a_value(kind: str) -> None:
    one = pl.DataFrame({"age": [30, 30, None], "job": ["a", "a", "a"], "pay": [1, 2, 3]})
    found = om.verify(KINDS[kind](one), policy())
    assert not found
    assert found.findings[0].violations["records"].to_list() == [1]
    assert found.findings[0].violations["age"].to_list() == [None]
    two = pl.DataFrame({"age": [30, 30, None, None], "job": ["a", "a", None, None], "pay": [1, 2, 3, 4]})
    assert om.verify(KINDS[kind](two), policy())
    apart = pl.DataFrame({"age": [30, 30, None, None], "job": ["a", "a", None, "b"], "pay": [1, 2, 3, 4]})
    assert om.verify(KINDS[kind](apart), policy()).findings[0].records == 2


def test_missing_values_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('age,job,pay\n30,a,1\n30,a,2\n,"",3\n,"",4\n')
    assert om.verify(path, policy())
    path.write_text('age,job,pay\n30,a,1\n30,a,2\n,,3\n,"",4\n')  # nothing and an empty text are not the same
    assert om.verify(path, policy()).findings[0].records == 2


def test_identifiers_that_are_still_there_fail() -> None:
    """``if om.verify(file, policy): publish(file)`` must not publish names."""
    made = policy(attributes=ATTRIBUTES | {"id": om.Identifier(), "name": om.Identifier()})
    gone = om.verify(GOOD, made)
    assert gone
    assert gone.notes == []
    assert [str(finding) for finding in gone] == [
        "holds: no identifier of the policy is in the data",
        "holds: 2-anonymity: 2 classes, the smallest of 2 records",
        "holds: every column is listed in the policy",
        "holds: every column of the policy is in the data",
        "holds: values fit their columns",
    ]
    left = om.verify(GOOD.with_columns(id=pl.int_range(4)), made)
    assert not left
    assert [finding.holds for finding in left] == [False, True, True, True, True]
    first = left.findings[0]
    assert (first.worst, first.records, first.violations.rows()) == (1, 4, [("id",)])
    assert str(left).startswith("FAILS: identifiers are still in the data: id\n")
    assert left.failed == ["identifiers are still in the data: id"]
    index = GOOD.to_pandas().set_index(pd.Index(["Ann", "Bob", "Cyd", "Dan"], name="name"))
    left = om.verify(index, made)
    assert not left
    assert left.failed == ["identifiers are still in the data: name"]
    unnamed = om.verify(GOOD.to_pandas().set_index(pd.Index([7, 8, 9, 10])), made)
    assert any("index" in note for note in map(str, unnamed.notes))
    assert "Ann" not in str(left)


def test_codes_of_a_file_stay_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("code\n007\n007\n7\n7\n07\n")
    made = om.Policy(attributes={"code": om.Nominal(taxonomy="icd9cm")}, require=[om.KAnonymity(2)])
    found = om.verify(path, made)
    assert found.findings[0].violations.to_dicts() == [{"code": "07", "records": 1}]


@pytest.mark.parametrize("odd", [None, 5, [1, 2], {"age": [1]}, pl.LazyFrame({"age": [1]})])
def test_no_frame(odd: Any) -> None:
    with pytest.raises(errors.DataError, match="expected a DataFrame"):
        om.verify(odd, policy())


def test_no_rows_no_policy_no_file(tmp_path: Path) -> None:
    with pytest.raises(errors.DataError, match="no rows"):
        om.verify(GOOD.clear(), policy())
    with pytest.raises(errors.PolicyError, match="is not a policy"):
        om.verify(GOOD, None)  # type: ignore[arg-type]
    with pytest.raises(errors.DataError, match="no such file"):
        om.verify(tmp_path / "absent.csv", policy())
    with pytest.raises(errors.DataError, match="several columns are called 'age'"):
        om.verify(pa.table([pa.array([1]), pa.array([1])], names=["age", "age"]), policy())


def test_more_required_than_there_are_records() -> None:
    found = om.verify(GOOD, policy(5))
    assert not found
    assert found.findings[0].records == 4


def test_nothing_is_changed() -> None:
    frame = GOOD.to_pandas()
    before = frame.copy(deep=True)
    om.verify(frame, policy())
    pd.testing.assert_frame_equal(frame, before)


# ---- the model itself --------------------------------------------------------------------------------------------


def test_k_anonymity_counts_like_a_counter() -> None:
    rng = random.Random(2)
    for _ in range(60):
        n, k = rng.randint(1, 30), rng.randint(1, 6)
        rows = [
            (rng.choice([1.5, 2.5, None]), rng.choice(["a", "b", None]), rng.choice([True, False])) for _ in range(n)
        ]
        frame = pl.DataFrame(rows, schema={"x": pl.Float64, "y": pl.String, "z": pl.Boolean}, orient="row")
        sizes = Counter(rows)
        found = om.KAnonymity(k).check(frame, ["x", "y", "z"])
        small = {row: size for row, size in sizes.items() if size < k}
        assert found.holds == (not small)
        assert found.worst == min(sizes.values())
        assert found.records == sum(small.values())
        assert {tuple(row[:3]): row[3] for row in found.violations.rows()} == small
        assert found.violations["records"].to_list() == sorted(small.values())  # the worst first


def test_k_anonymity_of_any_columns() -> None:
    frame = pl.DataFrame(
        {"records": [1, 1, 2], "n": [1, 1, 2], "class size": [1, 1, 2], "records in the class": [1, 1, 2]}
    )
    found = om.KAnonymity(2).check(frame, frame.columns)
    assert (found.worst, found.records, len(found.violations)) == (1, 1, 1)
    assert om.KAnonymity(2).check(GOOD, ["age", "age"]).holds
    assert om.KAnonymity(2).check(GOOD.to_pandas(), ("age", "job")).holds
    assert om.KAnonymity(2).check(GOOD.to_arrow(), ["age"]).holds
    with pytest.raises(errors.DataError, match=r"no column 'agee'\. Did you mean 'age'"):
        om.KAnonymity(2).check(GOOD, ["agee"])
    with pytest.raises(errors.DataError, match="over no columns"):
        om.KAnonymity(2).check(GOOD, [])
    with pytest.raises(errors.OntomaskError, match="list"):
        om.KAnonymity(2).check(GOOD, "age")


def test_nan_and_null_are_different_values_and_equal_to_themselves() -> None:
    nan = float("nan")
    frame = pl.DataFrame({"x": [nan, nan, None, None, 1.0, 1.0]})
    assert om.KAnonymity(2).check(frame, ["x"]).holds
    assert om.KAnonymity(2).check(frame.head(3), ["x"]).records == 1


def test_words() -> None:
    assert str(om.KAnonymity(2).check(GOOD, ["age"])) == "holds: 2-anonymity: 2 classes, the smallest of 2 records"
    assert om.KAnonymity(2).describe() == "2-anonymity"
    assert "1 class," in om.KAnonymity(2).check(GOOD.head(2), ["age"]).text


def test_texts_of_which_only_numbers_are_left(tmp_path: Path) -> None:
    """A released file with "0" alone was read as numbers, which the original, with other texts, does not have."""
    original = pl.DataFrame({"age": [30, 30, 40, 40, 51], "ill": ["0", "0", "0", "0", "flu"]})
    attributes = {"age": om.Numeric(), "ill": om.Flat(role="sensitive")}
    required = om.Policy(
        attributes=attributes, method=om.Suppression(k=2), require=[om.TCloseness(t=0.5, attribute="ill")]
    )
    file = om.anonymize(original, required).write(tmp_path / "release.csv")
    assert om.verify(file, required, original=original).holds
