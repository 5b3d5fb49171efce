"""``ChunkEngine``: a table that is read chunk by chunk, and a release that is written so."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from ontomask.arguments import free_name
from ontomask.arrays import Longs
from ontomask.engines.steps import RecordReleaseStep, RecordStep, ReleaseStep
from ontomask.engines.tuples import TupleEngine
from ontomask.masking.method import Masked
from ontomask.microdata.columns import Codes
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

    def combination_of_records(self) -> Codes:
        places, step, name = self.places, self._step(), self.place_name
        found, kept = list[Codes](), list[Longs]()
        for chunk in self.placed_chunks():
            records = step(chunk)
            found.append(places.combinations_of(records))
            kept.append(records[name].to_numpy())
        self._given, self._place_of = step.conversions.records, np.concatenate(kept)
        return np.concatenate(found)

    def release_step(self, masked: Masked) -> ReleaseStep:
        step = super().release_step(masked)
        if self._combination_of is None:
            return step
        sources = self.sources_of(masked)
        return RecordReleaseStep(
            **vars(step),
            place=self.place_name,
            group_of=self._by_place(masked.group_of),
            sources=None if sources is None else [self._by_place(values) for values in sources],
        )

    def _by_place(self, values: Codes) -> Codes:
        """A value of each record that stays, as one of each place in the table."""
        if len(values) == self._given:
            return values
        every = np.full(self._given, -1, dtype=values.dtype)
        every[self._place_of] = values
        return every

    @property
    def place_name(self) -> str:
        """The column that says which record of the table a record is."""
        return free_name("place", self._before.columns)

    def placed_chunks(self) -> Iterator[pl.DataFrame]:
        """The chunks, with the place of each record in the table."""
        seen = 0
        for chunk in self.chunks():
            yield chunk.with_columns(
                pl.int_range(seen, seen + len(chunk), dtype=pl.Int64, eager=True).alias(self.place_name)
            )
            seen += len(chunk)

    def write_records(self, step: ReleaseStep) -> None:
        for chunk in self.placed_chunks():
            self.write_chunk(step(chunk).drop(self.place_name))

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
