"""Missing markers of single columns: what is missing in one column may be a value in another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ontomask as om
from ontomask import errors
from ontomask.engines.chunks import ChunkEngine
from ontomask.masking.randomness import Secret
from ontomask.microdata.missing_markers import MissingMarkers
from tests.contract.test_new_engine import ToyEngine

FRAME = pl.DataFrame(
    {
        "pid": ["1", "1", "unknown", "2", "unknown", "3"],
        "age": ["30", "?", "32", "999", "31", "30"],
        "land": ["NA", "DE", "NA", "DE", "?", "DE"],
        "ill": ["flu", "unknown", "gout", "flu", "unknown", "gout"],
        "free": ["?", "unknown", "999", "NA", "x", "y"],
    }
)


def policy(**more: Any) -> om.Policy:
    attributes = {
        "pid": om.Identifier(keep="pseudonym", missing_markers=["unknown"]),
        "age": om.Numeric(missing="category", missing_markers=["?", 999]),
        "land": om.Flat(missing="category", missing_markers="?"),
        "ill": om.Flat(role="sensitive", missing_markers=["unknown"]),
        "free": om.Flat(role="other"),
    }
    made: om.Policy = om.Policy(attributes=attributes, **({"method": om.Recoding(k=2)} | more))
    return made


def columns(data: Any) -> dict[str, list[Any]]:
    frame = data if isinstance(data, pl.DataFrame) else pl.from_arrow(data) if isinstance(data, pa.Table) else None
    frame = pl.from_pandas(data) if frame is None else frame
    return frame.to_dict(as_series=False)  # type: ignore[union-attr]


def numbers(frame: pl.DataFrame) -> pl.DataFrame:
    """As a format with types has it: ages as numbers, one of them a marker."""
    return frame.with_columns(pl.col("age").replace("?", None).cast(pl.Int64))


def test_each_column_has_its_own_in_every_file_and_frame(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "t.csv")
    for name in ("t.parquet", "t.xlsx", "t.sav"):
        om.write_table(numbers(FRAME), tmp_path / name)
    files = [tmp_path / name for name in ("t.csv", "t.parquet", "t.xlsx", "t.sav")]
    typed = numbers(FRAME)
    for source in (*files, typed, typed.to_pandas(), typed.to_arrow()):
        prepared = om.anonymize(source, policy(), key=bytes(range(32))).prepared.data
        assert prepared["age"].to_list() == [30, None, 32, None, 31, 30]
        assert prepared["land"].to_list() == ["NA", "DE", "NA", "DE", None, "DE"]
        assert prepared["ill"].to_list() == ["flu", None, "gout", "flu", None, "gout"]
        assert prepared["free"].to_list() == FRAME["free"].to_list()
        assert prepared["pid"].is_null().to_list() == [False, False, True, False, True, False]


def test_a_column_of_numbers_is_one_whatever_stands_for_its_gaps(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "t.csv")
    table = om.read_table(tmp_path / "t.csv", missing={"age": ["?", "999"], "ill": ["unknown"]})
    assert table.data.schema["age"] == pl.Int64
    assert table.data["free"].null_count() == 0
    assert "missing markers: 2 cells of 'age', 2 cells of 'ill' became missing" in map(str, table.notes)


def test_markers_of_the_whole_table_and_of_a_column_add_up() -> None:
    chosen = policy(reading=om.Reading(missing=["NA"]))
    prepared = om.anonymize(numbers(FRAME), chosen).prepared.data
    assert prepared["land"].to_list() == [None, "DE", None, "DE", None, "DE"]
    assert prepared["free"].to_list() == ["?", "unknown", "999", None, "x", "y"]
    both = MissingMarkers(["NA"], {"land": [" ? "]})
    assert (both.of_column("land"), both.of_column("age")) == ({"NA", "?"}, {"NA"})
    assert not MissingMarkers()
    assert not MissingMarkers((), {"land": []})


def test_the_release_has_empty_cells_and_is_verified_as_it_is_read(tmp_path: Path) -> None:
    chosen = policy(require=[om.KAnonymity(k=2)], method=om.Suppression(k=1))
    frame = pl.DataFrame({"pid": ["unknown"] * 4, "age": ["?", "999", "30", "30"], "land": ["DE"] * 4})
    frame = frame.with_columns(ill=pl.Series(["flu", "unknown", "flu", "gout"]), free=pl.Series(["?"] * 4))
    frame.write_csv(tmp_path / "original.csv")
    result = om.anonymize(tmp_path / "original.csv", chosen)
    file = result.write(tmp_path / "release.csv")
    assert file.read_text().splitlines()[1:3] == [",,DE,flu,?", ",,DE,,?"]
    assert om.verify(file, chosen, original=tmp_path / "original.csv").holds
    # Two markers are one missing value to the policy, and two cells to an intruder.
    found = om.verify(frame.with_columns(pid=None), chosen)
    assert "2 of 3 classes have fewer than 2 records" in str(found)
    assert om.verify(frame.with_columns(pid=None, age=pl.lit("999")), chosen).holds


def test_a_marker_is_no_sensitive_value(tmp_path: Path) -> None:
    chosen = policy(require=[om.LDiversity(l=2, attribute="ill")]).changed(method=None)
    frame = pl.DataFrame({"age": [30, 30], "land": ["DE", "DE"], "ill": ["flu", "none given"], "free": ["x", "x"]})
    frame = frame.with_columns(pid=pl.lit(None, dtype=pl.String))
    assert om.verify(frame, chosen).holds
    named = chosen.changed(
        attributes=chosen.attributes | {"ill": chosen.attributes["ill"].changed(missing_markers=["none given"])}
    )
    assert om.verify(frame, named).verdict == "fails"


def test_chunks_are_read_alike() -> None:
    frame = numbers(FRAME)
    chosen = policy(require=[om.KAnonymity(k=1)], method=om.Suppression(k=1))
    whole = om.anonymize(frame, chosen, seed=1, key=bytes(range(32)))
    engine: ChunkEngine = ToyEngine(frame, 2, chosen, Secret.of_seed(1), whole.key)
    found = engine.run()
    assert pl.concat(engine.written()).equals(whole.data)
    assert "missing markers became missing values" in map(str, found.notes)


def test_categories_lose_the_markers_of_their_own_column_only() -> None:
    levels = ["low", "?", "high"]
    values = ["low", "?", "high", "low"]
    frame = pd.DataFrame({"pain": pd.Categorical(values, categories=levels, ordered=True)})
    frame["step"] = frame["pain"]
    attributes = {"pain": om.Ordinal(missing="category", missing_markers=["?"]), "step": om.Ordinal()}
    table = om.anonymize(frame, om.Policy(attributes=attributes, method=om.Recoding(k=1))).data
    assert list(table["pain"].cat.categories) == ["low", "high"]
    assert list(table["step"].cat.categories) == levels


def test_the_policy_file_holds_rule_and_markers(tmp_path: Path) -> None:
    chosen = policy()
    assert om.Policy.load(chosen.save(tmp_path / "p.yaml")) == chosen
    text = (tmp_path / "p.yaml").read_text()
    assert "    missing: category  # missing values: error, category" in text
    assert "    missing_markers: ['?', '999']  # values of this column that stand for a missing one, such as" in text
    assert om.Nominal("icd9cm", missing_markers=["?"]).without_meaning().missing_markers == ["?"]


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [([None], "put the marker in quotes"), ([True], "in quotes"), ([9.5], "in quotes"), ({"?": 1}, "is not a list")],
)
def test_markers_that_are_none(wrong: Any, expected: str) -> None:
    with pytest.raises(errors.PolicyError, match=expected):
        om.Flat(missing_markers=wrong)


def test_policies_with_other_markers_are_not_compared() -> None:
    ways = {
        "one": policy(),
        "two": policy().changed(
            attributes=policy().attributes | {"free": om.Flat(role="other", missing_markers=["x"])}
        ),
    }
    with pytest.raises(errors.PolicyError, match="read the data differently"):
        om.compare(numbers(FRAME), ways)


def test_what_init_proposes_runs(tmp_path: Path) -> None:
    rows = 60
    frame = pl.DataFrame(
        {
            "age": ["?" if i % 9 == 0 else str(20 + i % 40) for i in range(rows)],
            "land": [("DE", "NA", "FR", "ES")[i % 4] for i in range(rows)],
            "job": [("cook", "pilot", "N/A")[i % 3] for i in range(rows)],
        }
    )
    frame.write_csv(tmp_path / "t.csv")
    found = om.profile(tmp_path / "t.csv")
    found.save(tmp_path / "p.yaml", k=2)
    chosen = om.Policy.load(tmp_path / "p.yaml")
    assert {n: a.missing_markers for n, a in chosen.attributes.items()} == {"age": ["?"], "land": [], "job": ["N/A"]}
    assert chosen.attributes["age"].kind == "numeric"
    assert any("taken for missing values: '?' in 1 column, 'N/A' in 1 column" in note for note in found.notes)
    result = om.anonymize(tmp_path / "t.csv", chosen)
    assert "NA" in result.data["land"].to_list()
    assert om.verify(result.write(tmp_path / "release.csv"), chosen).holds
