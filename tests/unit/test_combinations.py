"""Combinations of values are counted in memory and in DuckDB alike."""

from __future__ import annotations

import datetime as dt
import errno
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ontomask.engines.chunks import count_combinations
from ontomask.engines.combinations import Combinations
from ontomask.errors import OutputError


def frame(n: int) -> pl.DataFrame:
    rng = np.random.default_rng(n)
    return pl.DataFrame(
        {
            "text": rng.choice(["a", "ä", "", "x'y", None], n).tolist(),
            "number": rng.choice([0, 1, 2**62, -3], n),
            "float": pl.Series(rng.choice([0.0, -0.0, float("nan"), 1.5, 1e300], n)),
            "level": pl.Series(rng.choice(["low", "high"], n), dtype=pl.Enum(["low", "middle", "high"])),
            "day": [dt.date(2020, 1, int(day)) for day in rng.integers(1, 4, n)],
            "yes": rng.random(n) < 0.5,
            "none": pl.Series([None] * n, dtype=pl.Null),
            "number of records": rng.integers(0, 2, n).astype(np.int8),
        }
    )


@pytest.mark.parametrize("names", [["text", "number"], ["float"], ["none"], frame(1).columns])
@pytest.mark.parametrize("most", [0, 5, 10**6])
def test_the_same_in_memory_and_on_disk(tmp_path: Path, names: list[str], most: int) -> None:
    data = frame(200)
    expected, counts = count_combinations(data.iter_slices(17), names)
    counting = Combinations(names, tmp_path / "spill", 200_000_000, most)
    for chunk in data.iter_slices(17):
        counting.add(chunk)
    assert (tmp_path / "spill").exists() == (most == 0 or (most == 5 and names not in (["none"], ["float"])))
    found, own = counting.found()
    counting.close()
    assert found.equals(expected)
    assert found.schema == expected.schema
    assert own.tolist() == counts.tolist()
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counting = Combinations(["x"], tmp_path / "spill", 100_000_000, 0)
    counting.add(pl.DataFrame({"x": [1]}))

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    with pytest.raises(OutputError, match="the disk is full"):
        counting.add(pl.DataFrame({"x": [1]}))
    counting.close()
    assert list(tmp_path.iterdir()) == []


def test_what_exceeds_the_memory_of_duckdb_goes_to_disk(tmp_path: Path) -> None:
    counting = Combinations(["x", "y"], tmp_path / "spill", 100_000_000, 0)
    for start in range(0, 3_000_000, 500_000):
        numbers = pl.int_range(start, start + 500_000, eager=True).alias("x")
        counting.add(numbers.to_frame().with_columns(y=pl.format("a text of some length {}", numbers % 2_000_000)))
    assert len(counting.found()[0]) == 3_000_000
    counting.close()
