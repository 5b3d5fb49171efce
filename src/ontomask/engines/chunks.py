"""``ChunkEngine``: a table that is read chunk by chunk, and a release that is written so."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from ontomask.arguments import free_name
from ontomask.arrays import Longs
from ontomask.engines.steps import RecordStep, ReleaseStep
from ontomask.engines.tuples import TupleEngine
from ontomask.microdata.encoding import Rows
from ontomask.microdata.formulas import formula_cells


class ChunkEngine(TupleEngine):
    """Reads the table in chunks, always in the same order: for each step of the run once more."""

    @abstractmethod
    def chunks(self) -> Iterable[pl.DataFrame]:
        """The table, in the same order each time it is asked for."""

    @abstractmethod
    def write_chunk(self, chunk: pl.DataFrame) -> None:
        """Write the next records of the release."""

    @abstractmethod
    def written(self) -> Iterable[pl.DataFrame]:
        """The release, read back."""

    def first(self) -> pl.DataFrame | None:
        return next(iter(self.chunks()), None)

    def rows(self) -> Iterator[Rows]:
        places, step = self.places, self._step()
        return (places.of_records(step(chunk)) for chunk in self.chunks())

    def count(self, step: RecordStep, names: Sequence[str]) -> tuple[pl.DataFrame, Longs]:
        return count_combinations(map(step, self.chunks()), names)

    def write_records(self, step: ReleaseStep) -> None:
        for chunk in self.chunks():
            self.write_chunk(step(chunk))

    def columns_written(self) -> list[str]:
        return next(iter(self.written())).columns

    def count_written(self, names: Sequence[str]) -> tuple[pl.DataFrame, Longs]:
        return count_combinations(self.written(), names)

    def formulas_written(self) -> Mapping[str, int]:
        return formula_cells(self.written())


def count_combinations(chunks: Iterable[pl.DataFrame], names: Sequence[str]) -> tuple[pl.DataFrame, Longs]:
    """The different combinations of values of these columns, in the order first seen, and how many rows have each.

    Memory holds those found so far and one chunk.
    """
    number = free_name("number", names)
    found = pl.DataFrame()
    for chunk in chunks:
        part = chunk.select(*names, pl.lit(1, dtype=pl.Int64).alias(number))
        both = pl.concat([found, part]) if found.width else part
        found = both.group_by(names, maintain_order=True).agg(pl.col(number).sum())
    return found.drop(number), found[number].to_numpy()
