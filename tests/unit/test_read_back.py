"""What is promised holds of the file: read by code of others, cell by cell, whatever the format."""

from __future__ import annotations

import csv
import gzip
import io
import os
import random
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

import ontomask as om
from ontomask import errors

SUFFIXES = ["csv", "csv.gz", "tsv", "txt", "parquet", "xlsx", "sav", "zsav", "dta", "xpt"]
TREE = om.Taxonomy.from_edges([("dog", "pet"), ("cat", "pet"), ("oak", "tree"), ("pet", "thing"), ("tree", "thing")])
QUASI = ["age", "temp", "animal", "stage"]
ATTRIBUTES: dict[str, Any] = {
    "age": om.Numeric(missing="category"),
    "temp": om.Numeric(),
    "animal": om.Nominal(TREE, missing="category"),
    "stage": om.Ordinal(order=["I", "II", "III"]),
    "ill": om.Flat(role="sensitive"),
    "pay": om.Numeric(role="other"),
}
METHODS: dict[str, tuple[Any, list[Any]]] = {
    "microaggregation": (om.Microaggregation(k=3), []),
    "lcs": (om.Microaggregation(k=4, centroid="lcs"), []),
    "recoding": (om.Recoding(k=3), []),
    "resampling": (om.Resampling(k=3), []),
    "suppression": (om.Suppression(k=3), []),
    "full_domain": (om.Generalization(suppression_limit=0.2), [om.KAnonymity(3)]),
    "local": (om.Generalization(search="local"), [om.KAnonymity(3)]),
    "best_first": (om.Generalization(search="best_first", budget=500), [om.KAnonymity(3)]),
}


def records(n: int = 90) -> pl.DataFrame:
    """Numbers that formats like to change: both zeros, many digits, gaps."""
    rng = random.Random(5)
    return pl.DataFrame(
        {
            "age": [rng.choice([None, 20, 21, 40]) for _ in range(n)],
            "temp": [rng.choice([0.0, -0.0, 1 / 3, 0.1 + 0.2]) for _ in range(n)],
            "animal": [rng.choice(["dog", "cat", "oak", None]) for _ in range(n)],
            "stage": [rng.choice(["I", "II"]) for _ in range(n)],
            "ill": [rng.choice(["flu", "gout", "none"]) for _ in range(n)],
            "pay": [rng.randint(1, 99) for _ in range(n)],
        }
    )


def cells(path: Path) -> list[tuple[Any, ...]]:
    """The quasi-identifiers of a file, by code that is not ours; texts of a CSV as they are."""
    name = path.name
    if name.endswith((".csv", ".csv.gz", ".tsv", ".txt")):
        text = (gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()).decode()
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter="\t" if name.endswith(".tsv") else ","))
        return [tuple(row[q] for q in QUASI) for row in rows]
    if name.endswith(".parquet"):
        return [tuple(map(repr, row)) for row in zip(*(pq.read_table(path)[q].to_pylist() for q in QUASI), strict=True)]
    if name.endswith(".xlsx"):
        frame = pl.read_excel(path, infer_schema_length=None).to_pandas()
    else:
        reader = {"sav": "read_sav", "zsav": "read_sav", "dta": "read_dta", "xpt": "read_xport"}[path.suffix[1:]]
        frame = getattr(pyreadstat, reader)(str(path))[0]
    return [tuple(map(str, row)) for row in frame[QUASI].itertuples(index=False)]


@pytest.mark.parametrize("method", METHODS)
def test_every_format_of_every_method_has_the_promised_k(tmp_path: Path, method: str) -> None:
    chosen, require = METHODS[method]
    policy = om.Policy(attributes=ATTRIBUTES, method=chosen, require=require)
    result = om.anonymize(records(), policy, seed=1)
    k = chosen.promised_k if not require else require[0].k
    for suffix in SUFFIXES:
        path = result.write(tmp_path / f"release.{suffix}")
        found = Counter(cells(path))
        assert found.total() == len(result.data), suffix
        assert min(found.values()) >= k, suffix
        assert om.verify(path, policy).verdict == "holds", (suffix, om.verify(path, policy))


# ---- zeros ---------------------------------------------------------------------------------------------------------


def zeros() -> om.Result:
    """Suppression keeps what two records share; in memory both zeros are one number."""
    frame = pl.DataFrame({"x": [0.0, -0.0, 5.0, 5.0], "y": [-0.0, 1.0, 2.0, 3.0]})
    policy = om.Policy(attributes={"x": om.Numeric(), "y": om.Numeric("other")}, method=om.Suppression(k=2))
    return om.anonymize(frame, policy)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_zero_has_no_sign(tmp_path: Path, suffix: str) -> None:
    result = zeros()
    assert str(result.data["x"].to_list()) == "[0.0, 0.0, 5.0, 5.0]"
    path = result.write(tmp_path / f"r.{suffix}")
    if "csv" in suffix or suffix in ("tsv", "txt"):
        assert b"-0" not in (gzip.decompress(path.read_bytes()) if suffix.endswith("gz") else path.read_bytes())
    elif suffix == "parquet":
        assert str(pq.read_table(path)["x"].to_pylist()) == "[0.0, 0.0, 5.0, 5.0]"
    else:
        assert "-0.0" not in str(om.read_table(path).data["x"].cast(pl.Float64).to_list())
    again = om.write_table(pl.DataFrame({"x": [-0.0, 0.0]}), tmp_path / f"again.{suffix}")
    assert om.read_table(again).data["x"].n_unique() == 1


def test_both_zeros_in_a_file_of_others_are_two_values(tmp_path: Path) -> None:
    policy = om.Policy(attributes={"x": om.Numeric()}, require=[om.KAnonymity(2)])
    path = tmp_path / "t.csv"
    path.write_text("x\n0.0\n-0.0\n5.0\n5.0\n")
    assert om.verify(path, policy).findings[0].records == 2
    frame = pl.DataFrame({"x": [0.0, -0.0, 5.0, 5.0]})
    frame.write_parquet(tmp_path / "t.parquet")
    assert om.verify(tmp_path / "t.parquet", policy).findings[0].records == 2
    assert om.verify(frame, policy).findings[0].records == 2
    assert om.verify(frame.with_columns(x=pl.lit(0.0)), policy).holds


# ---- what a format loses -------------------------------------------------------------------------------------------


def close_values() -> om.Result:
    """Two sensitive values that differ in the seventeenth digit."""
    frame = pl.DataFrame({"q": [1, 1, 2, 2], "s": [0.1 + 0.2, 0.3, 1.0, 2.0]})
    policy = om.Policy(
        attributes={"q": om.Numeric(), "s": om.Numeric("sensitive")},
        method=om.Microaggregation(k=2),
        require=[om.LDiversity(2, "s")],
    )
    return om.anonymize(frame, policy)


def test_a_file_that_fails_when_it_is_read_back_is_refused(tmp_path: Path) -> None:
    result = close_values()
    result.write(tmp_path / "fine.csv")
    result.save(tmp_path / "fine", format="parquet")
    before = sorted(os.listdir(tmp_path))
    for write in (
        lambda: result.write(tmp_path / "r.xlsx"),
        lambda: result.save(tmp_path / "out", format="excel"),
    ):
        with pytest.raises(
            errors.NotSatisfied, match=r"read back from Excel.*2-diversity of s.*another format"
        ) as caught:
            write()
        assert isinstance(caught.value.verification, om.Verification)
        assert ".part" not in str(caught.value)
        assert sorted(os.listdir(tmp_path)) == before, "nothing is left"


def test_who_allowed_it_gets_the_failing_file_marked(tmp_path: Path) -> None:
    frame = close_values()
    allowed = om.anonymize(frame.prepared.taken.data, frame.policy, allow_unsatisfied=True)
    assert allowed.satisfied
    with pytest.warns(errors.OntomaskWarning, match="does not satisfy its requirements.*2-diversity"):
        allowed.save(tmp_path / "out", format="excel")
    assert sorted(os.listdir(tmp_path / "out" / "release")) == ["guarantees.txt", "release-NOT-SATISFIED.xlsx"]
    assert (tmp_path / "out" / "release" / "guarantees.txt").read_text().startswith("NOT SATISFIED")
    found = om.verify_result(tmp_path / "out")
    assert found.verdict == "fails"
    assert "release-NOT-SATISFIED.xlsx" in found.notes[0].text


def test_a_reader_that_loses_records_refuses_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ontomask.release import read_back

    result, read = close_values(), read_back.read_table

    def lossy(*given: Any, **named: Any) -> Any:
        table = read(*given, **named)
        table.data = table.data.head(3)
        return table

    monkeypatch.setattr(read_back, "read_table", lossy)
    with pytest.raises(errors.DataError, match="written as CSV, reads back with 3 of 4 records"):
        result.write(tmp_path / "r.csv")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("layout", [{"delimiter": ";", "decimal": ","}, {"encoding": "cp1252"}, {"encoding": "utf-16"}])
def test_other_layouts_are_read_back(tmp_path: Path, layout: dict[str, str]) -> None:
    frame = pl.DataFrame({"q": ["é", "é", "ü", "ü"], "s": [1.5, 2.5, 1.5, 2.5]})
    policy = om.Policy(
        attributes={"q": om.Flat(), "s": om.Numeric("sensitive")},
        method=om.Suppression(k=2),
        require=[om.TCloseness(0.1, "s", ground="ordered")],
    )
    assert om.anonymize(frame, policy).write(tmp_path / "r.csv", **layout).exists()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_types_that_a_format_does_not_have(tmp_path: Path, suffix: str) -> None:
    """Sensitive truth values and dates are compared with the original whatever the file makes of them."""
    import datetime as dt

    frame = pl.DataFrame(
        {
            "q": [1, 1, 2, 2],
            "b": [True, False, True, False],
            "d": [dt.date(2020, 1, 1), dt.date(2020, 1, 2)] * 2,
            "t": [dt.datetime(2020, 1, 1, 12), dt.datetime(2020, 1, 2, 12)] * 2,
        }
    )
    flat = {name: om.Flat("sensitive") for name in "bdt"}
    policy = om.Policy(
        attributes={"q": om.Numeric()} | flat,
        method=om.Suppression(k=2),
        require=[om.TCloseness(0.1, name) for name in "bdt"],
    )
    assert om.anonymize(frame, policy).write(tmp_path / f"r.{suffix}").exists()


# ---- nothing that no cell shows ------------------------------------------------------------------------------------

PLANTED = ["zzleprosy", "zzplague", "zzunused", "zzalone", "zzname"]


def planted(kind: str) -> Any:
    """Values that a release must not show: suppressed, masked away, declared and not used, an identifier."""
    data = {
        "zip": ["zone1"] * 4 + ["zone2"] * 4 + ["zzalone"],
        "ill": ["flu", "cold"] * 4 + ["zzleprosy"],
        "kept": ["x", "y"] * 4 + ["zzplague"],
        "who": [f"zzname{i}" for i in range(9)],
    }
    levels = {"zip": ["zone1", "zzunused", "zone2", "zzalone"], "ill": ["cold", "zzunused", "flu", "zzleprosy"]}
    if kind == "enum":
        return pl.DataFrame(data).with_columns(pl.col(n).cast(pl.Enum(c)) for n, c in levels.items())
    if kind == "categorical":
        return pl.DataFrame(data).with_columns(pl.col("zip", "ill", "kept").cast(pl.Categorical))
    frame = pd.DataFrame(data)
    for name, known in levels.items():
        frame[name] = pd.Categorical(frame[name], categories=known, ordered=name == "ill")
    frame.attrs["source"] = "zzname"
    if kind == "pandas":
        return frame
    import pyarrow as pa

    return pa.Table.from_pandas(frame).replace_schema_metadata({"path": "/data/zzname.csv"})


def every_byte(path: Path) -> bytes:
    """All that can be found in a file, unpacked."""
    raw = path.read_bytes()
    if path.suffix == ".gz":
        raw += gzip.decompress(raw)
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as book:
            raw += b"".join(book.read(name) for name in book.namelist())
    if path.suffix == ".parquet":
        file = pq.ParquetFile(path, read_dictionary=["zip", "ill", "kept"])
        parts = [file.metadata.to_dict(), file.schema, file.schema_arrow, file.metadata.metadata]
        table = file.read()
        parts += [chunk.dictionary.to_pylist() for c in ("zip", "ill", "kept") for chunk in table[c].chunks]
        raw += str(parts).encode()
    return raw


@pytest.mark.parametrize("kind", ["enum", "categorical", "pandas", "pyarrow"])
def test_no_file_holds_what_was_suppressed_or_never_used(tmp_path: Path, kind: str) -> None:
    attributes = {
        "zip": om.Flat(),
        "ill": om.Flat("sensitive"),
        "kept": om.Flat("other"),
        "who": om.Identifier(),
    }
    result = om.anonymize(planted(kind), om.Policy(attributes=attributes, method=om.Suppression(k=4)))
    for suffix in SUFFIXES:
        found = every_byte(result.write(tmp_path / f"r.{suffix}"))
        assert not [word for word in PLANTED if word.encode() in found], (suffix, kind)
        assert str(tmp_path).encode() not in found
    for name in ("csv", "parquet"):
        folder = result.save(tmp_path / f"out-{name}", format=name, report=True)
        for path in (folder / "release").iterdir():
            assert not [word for word in PLANTED if word.encode() in every_byte(path)], path.name
    import pickle

    assert not [word for word in PLANTED if word.encode() in pickle.dumps(result.data)]


def test_categories_keep_their_order(tmp_path: Path) -> None:
    attributes = {"zip": om.Flat(), "ill": om.Flat("sensitive"), "kept": om.Flat("other"), "who": om.Identifier()}
    policy = om.Policy(attributes=attributes, method=om.Suppression(k=4))
    data = om.anonymize(planted("pandas"), policy).data
    assert data["ill"].cat.categories.tolist() == ["cold", "flu"]
    assert data["ill"].cat.ordered
    assert data["zip"].cat.categories.tolist() == ["zone1", "zone2"]
    enums = om.anonymize(planted("enum"), policy)
    assert enums.data["ill"].dtype == pl.Enum(["cold", "flu"])
    back = pl.read_parquet(enums.write(tmp_path / "r.parquet"))
    assert back["ill"].dtype == pl.Enum(["cold", "flu"])
    arrow = om.anonymize(planted("pyarrow"), policy).data
    assert arrow["ill"].chunk(0).dictionary.to_pylist() == ["cold", "flu"]
    assert arrow.schema.metadata is None


# ---- memory that a release shares with its input ----------------------------------------------------------------------


@pytest.mark.parametrize("source", ["numpy", "pandas", "pyarrow"])
def test_a_release_whose_shared_memory_changed_is_not_written(source: str, tmp_path: Path) -> None:
    zips = np.array([1, 1, 2, 2] * 5)
    pay = np.arange(1.0, 21.0)
    frame: Any = {
        "numpy": lambda: pl.DataFrame({"zip": zips, "pay": pay}),
        "pandas": lambda: pl.from_pandas(pd.DataFrame({"zip": zips, "pay": pay}, copy=False)),
        "pyarrow": lambda: pa.table({"zip": zips, "pay": pay}),
    }[source]()
    policy = om.Policy(
        attributes={"zip": om.Numeric(), "pay": om.Numeric(role="sensitive")},
        method=om.Imputation(),
        require=[om.KAnonymity(k=2)],
    )
    result = om.anonymize(frame, policy)
    zips[0] = 9  # the column is not masked: the release may show the same memory
    shown = om.verify(result.data, policy).holds
    if shown:  # the memory was copied
        assert om.verify(result.write(tmp_path / "release.parquet"), policy).holds
        return
    for write in (result.write, result.save):
        with pytest.raises(errors.NotSatisfied):
            write(tmp_path / ("release.parquet" if write == result.write else "result"))
    assert not list(tmp_path.iterdir())


def test_both_frames_changed_alike_are_counted_again(tmp_path: Path) -> None:
    frame = pd.DataFrame({"zip": [1, 1, 2, 2] * 5, "pay": np.arange(1.0, 21.0)})
    attributes = {"zip": om.Numeric(), "pay": om.Numeric(role="sensitive")}
    policy = om.Policy(attributes=attributes, method=om.Imputation(), require=[om.KAnonymity(k=2)])
    result = om.anonymize(frame, policy)
    for one in (frame, result.data):
        one.loc[0, "zip"] = 9
    with pytest.raises(errors.NotSatisfied):
        result.save(tmp_path / "result", format="parquet")
