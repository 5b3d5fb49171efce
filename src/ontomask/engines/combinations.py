"""Counting of combinations of values in a table of any size: in memory while they are few, then by DuckDB, which spills.

While they fit into memory a few times over, Polars counts them. Where they do not, DuckDB aggregates within a limit, and puts
on disk what exceeds it (docs/engines.md has the measurements).
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import polars as pl

from ontomask.arguments import free_name
from ontomask.arrays import Longs
from ontomask.errors import OutputError
from ontomask.files.writing import create_folder

#: Combinations that are counted in memory. One of two columns of text takes some 50 bytes, and three times as much meanwhile.
IN_MEMORY = 2_000_000
#: Megabytes without which DuckDB does not work.
LEAST = 100


class Combinations:
    """The different combinations of values of some columns, in the order first seen, and how many rows have each.

    ``folder``: where what does not fit into memory is put; it is removed afterwards. ``memory``: bytes that DuckDB may take.
    Without DuckDB all is done in memory.
    """

    def __init__(self, names: Sequence[str], folder: Path | None, memory: int, most: int = IN_MEMORY) -> None:
        self._names, self._number = list(names), free_name("number", names)
        self._folder, self._memory, self._most = folder, memory, most
        self._runs: list[pl.DataFrame] = []
        self._spill: _Spill | None = None

    def add(self, chunk: pl.DataFrame) -> None:
        """Count the rows of the next chunk."""
        part = chunk.group_by(self._names, maintain_order=True).agg(pl.len().cast(pl.Int64).alias(self._number))
        if self._spill is not None:
            self._spill.add(part)
            return
        self._runs.append(part)
        while len(self._runs) > 1 and len(self._runs[-2]) <= 2 * len(self._runs[-1]):
            self._join()
        if self._folder is not None and sum(map(len, self._runs)) > self._most and find_spec("duckdb") is not None:
            self._spill = _Spill(self._runs[0].schema, self._folder, self._memory)
            for run in self._runs:
                self._spill.add(run)
            self._runs = []

    def found(self) -> tuple[pl.DataFrame, Longs]:
        """All of them, and their counts."""
        if self._spill is not None:
            counted = self._spill.counted()
        else:
            while len(self._runs) > 1:
                self._join()
            counted = self._runs.pop()
        return counted.drop(self._number), counted[self._number].to_numpy()

    def close(self) -> None:
        """Remove what was put on disk."""
        if self._spill is not None:
            self._spill.close()

    def _join(self) -> None:
        last, before = self._runs.pop(), self._runs.pop()
        both = pl.concat([before, last])
        self._runs.append(both.group_by(self._names, maintain_order=True).agg(pl.col(self._number).sum()))


class _Spill:
    """Counted combinations in files of Parquet, which DuckDB brings together; the last column holds counts."""

    def __init__(self, schema: pl.Schema, folder: Path, memory: int) -> None:
        self._schema, self._folder, self._memory = schema, folder, memory
        self._parts, self._rows = 0, 0
        # Columns that hold nothing have a type that databases do not know.
        self._kept = [name for name, dtype in schema.items() if dtype != pl.Null]
        create_folder(folder)

    def add(self, part: pl.DataFrame) -> None:
        """Put further combinations there."""
        sent = part.select(self._sent(name).alias(f"c{place}") for place, name in enumerate(self._kept))
        seen = pl.int_range(self._rows, self._rows + len(part), eager=True).alias("seen")
        try:
            sent.with_columns(seen).write_parquet(self._folder / f"part{self._parts}.parquet", compression="lz4")
        except (OSError, pl.exceptions.PolarsError) as problem:
            raise self._failed(problem) from None
        self._parts, self._rows = self._parts + 1, self._rows + len(part)

    def counted(self) -> pl.DataFrame:
        """The different ones, in the order first seen, with their counts."""
        import duckdb  # late: it is optional

        *names, number = (f"c{place}" for place in range(len(self._kept)))
        by = f"GROUP BY {', '.join(names)}" if names else ""
        shown = "".join(f"{name}, " for name in names)
        parts, file = self._quoted("part*.parquet"), self._folder / "found.parquet"
        query = f"SELECT {shown}sum({number})::BIGINT AS {number}, min(seen) AS seen FROM {parts} {by} ORDER BY seen"
        config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": f"{max(self._memory // 1_000_000, LEAST)}MB",
            "temp_directory": str(self._folder / "more"),
        }
        try:
            with duckdb.connect(config=config) as base:
                base.execute(f"COPY ({query}) TO {self._quoted(file.name)} (FORMAT parquet)")
            found = pl.read_parquet(file).drop("seen")
        except (duckdb.Error, OSError, pl.exceptions.PolarsError) as problem:
            raise self._failed(problem) from None
        found = found.rename(dict(zip(found.columns, self._kept, strict=True)))
        empty = [pl.lit(None, dtype=pl.Null).alias(name) for name in self._schema if name not in self._kept]
        return found.with_columns(empty).select(pl.col(name).cast(dtype) for name, dtype in self._schema.items())

    def close(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _quoted(self, name: str) -> str:
        return "'" + str(self._folder / name).replace("'", "''") + "'"

    def _sent(self, name: str) -> pl.Expr:
        dtype = self._schema[name]
        return pl.col(name).cast(pl.String) if isinstance(dtype, pl.Enum | pl.Categorical) else pl.col(name)

    def _failed(self, problem: Exception) -> OutputError:
        text = str(problem).lower()
        if "no space" in text or "max_temp_directory_size" in text or "os error 28" in text:
            what = "the disk is full"
        else:
            what = f"combinations of values cannot be counted ({type(problem).__name__})"
        return OutputError(
            what,
            where=str(self._folder.parent),
            remedy="Free some space or choose another folder, or give more memory (--memory).",
        )
