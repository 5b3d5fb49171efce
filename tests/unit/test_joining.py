"""Joining two tables by a key: every record stays, nothing is made up, and what cannot be joined is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from ontomask.cli import app
from ontomask.errors import DataError
from ontomask.microdata.joining import joined

STAYS = pl.DataFrame({"stay": [7, 8, 9, 7], "patient": ["p1", "p2", None, "p1"]})
PATIENTS = pl.DataFrame({"patient": ["p2", "p1", None, "p3"], "sex": ["f", "m", "x", "f"]})


def test_records_stay_in_their_order() -> None:
    made = joined(STAYS, PATIENTS, ["patient"])
    assert made.data.rows() == [(7, "p1", "m"), (8, "p2", "f"), (9, None, None), (7, "p1", "m")]
    assert (made.alone, made.unused) == (1, 2)


def test_against_a_plain_join() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        keys = rng.permutation(12)[: int(rng.integers(1, 12))]
        table = pl.DataFrame({"key": keys, "value": rng.integers(0, 3, len(keys))})
        records = pl.DataFrame({"n": np.arange(20), "key": rng.integers(0, 12, 20)})
        values = dict(table.rows())
        made = joined(records, table, ["key"])
        assert made.data["value"].to_list() == [values.get(key) for key in records["key"]]
        assert made.data["n"].to_list() == list(range(20))
        assert made.alone == sum(key not in values for key in records["key"])
        assert made.unused == len(set(values) - set(records["key"]))


@pytest.mark.parametrize(
    ("table", "by", "what"),
    [
        (PATIENTS, ["stay"], "the second table has no column 'stay'"),
        (PATIENTS, ["patiant"], "the first table has no column 'patiant'"),
        (PATIENTS.with_columns(patient=pl.Series(["p1", "p1", "p1", "p2"])), ["patient"], "has 2 rows whose key"),
        (PATIENTS.with_columns(stay=1), ["patient"], "both tables have 'stay'"),
    ],
)
def test_what_cannot_be_joined(table: pl.DataFrame, by: list[str], what: str) -> None:
    with pytest.raises(DataError, match=what):
        joined(STAYS, table, by)


def test_the_command_leaves_cells_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("stays.csv").write_text("stay,code\n007,250.00\n8,V30\n")
    Path("more.csv").write_text("stay,when\n007,2024-01-02\n")
    command = ["join", "stays.csv", "more.csv", "--by", "stay", "-o", "both.csv"]
    ran = CliRunner().invoke(app, command)
    assert ran.exit_code == 0, ran.output
    assert ran.output == "2 records with 3 columns: both.csv; 1 of them without a row in more.csv\n"
    assert Path("both.csv").read_text() == "stay,code,when\n007,250.00,2024-01-02\n8,V30,\n"
    again = CliRunner().invoke(app, command)
    assert again.exit_code != 0
