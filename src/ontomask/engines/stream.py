"""``StreamEngine``: files that do not fit into memory, read and written chunk by chunk on one machine."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl

from ontomask.arguments import some_of
from ontomask.arrays import Longs
from ontomask.assessment.alignment import ROW_COLUMN
from ontomask.engines.chunks import ChunkEngine
from ontomask.engines.combinations import Combinations
from ontomask.engines.counted_result import CountedResult
from ontomask.engines.engine import Verified, Written, decode
from ontomask.engines.reordering import Reordering
from ontomask.engines.steps import RecordStep, ReleaseStep
from ontomask.errors import DataError
from ontomask.files.fingerprints import InputFiles, State
from ontomask.files.writing import create_file, whole_file
from ontomask.masking.method import Masked, MaskedTuples
from ontomask.masking.randomness import Secret, random_order
from ontomask.microdata.csv_tables import write_csv_chunks
from ontomask.microdata.dtypes import is_text, only_what_cells_show
from ontomask.microdata.encoding import Rows, written
from ontomask.microdata.formats import Format
from ontomask.microdata.formulas import escaped, formula_cells
from ontomask.microdata.frames import NativeFrame
from ontomask.microdata.item_lists import give_lists, without_lists
from ontomask.microdata.keys import Key
from ontomask.microdata.open_table import separators_of
from ontomask.microdata.parquet_files import write_parquet_chunks
from ontomask.microdata.reading_options import Reading
from ontomask.microdata.table_chunks import TableChunks
from ontomask.policy.policy import Policy
from ontomask.policy.prepared import Original, PreparedTuples
from ontomask.progress import Progress

#: What counting by a database may take of the memory that a run may have.
SHARE = 3
#: A chunk has at least so small a part of as many rows as there are combinations.
PART = 8


@dataclass(frozen=True)
class Place:
    """Where a release goes: its ``file``, the list of its ``records`` where some are left out, and what does not fit into
    memory (``spill``)."""

    file: Path
    format: Format
    records: Path
    spill: Path
    escape_formulas: bool = False


class StreamEngine(ChunkEngine):
    """Reads the files of a table once for each step, and writes the release to one file, which it reads back."""

    shuffles: ClassVar[bool] = True

    def __init__(
        self,
        table: TableChunks,
        place: Place,
        policy: Policy,
        secret: Secret,
        key: Key | None = None,
        *,
        memory: int,
        named: Mapping[str, State | None],
    ) -> None:
        super().__init__(policy, secret, key)
        self._table, self._place, self._memory, self._named = table, place, memory, named
        self._back: TableChunks | None = None
        self._reordering: Reordering | None = None
        self.formulas: Mapping[str, int] = {}

    # ---- where the records are -----------------------------------------------------------------------------------------

    def chunks(self) -> Iterator[pl.DataFrame]:
        return self._table.chunks()

    def write_chunk(self, chunk: pl.DataFrame) -> None:
        raise NotImplementedError("chunks are written one after the other by write_records")

    def count(self, step: RecordStep, names: Sequence[str]) -> tuple[pl.DataFrame, Longs]:
        return self._counted(self._records_of(step), names)

    def _records_of(self, step: RecordStep) -> Iterator[pl.DataFrame]:
        """What the step makes of each chunk. An error of a record says that what follows was not looked at."""
        read = 0
        for chunk in self.chunks():
            read += len(chunk)
            try:
                records = step(chunk)
            except DataError as problem:
                if problem.rows:
                    if read < sum(self._table.rows):
                        problem.add(f"The table was read up to record {read:,}: there may be more behind.")
                    self._tell_file(problem)
                raise
            yield records

    def tell_records(self, problem: DataError, combinations: pl.DataFrame) -> None:
        wrong, step, place = combinations[[row - 1 for row in problem.rows]], self._step(), self.place_name
        super().tell_records(problem, combinations)
        for chunk in self.placed_chunks():
            found = step(chunk).join(wrong, on=wrong.columns, how="semi", nulls_equal=True, maintain_order="left")
            if len(found):
                problem.rows = [int(found[place][0]) + 1]
                problem.add(f"The first record with such a value is record {problem.rows[0]:,}.")
                self._tell_file(problem)
                return

    def _tell_file(self, problem: DataError) -> None:
        """Let an error say in which file its first record is, if there are several."""
        if len(self._table.files) > 1:
            file, record = self._table.place_of(problem.rows[0])
            problem.add(f"Record {problem.rows[0]:,} is record {record:,} of {file.name}.")

    def count_written(self, names: Sequence[str]) -> tuple[pl.DataFrame, Longs]:
        return self._counted((chunk.select(names) for chunk in self.written()), names)

    def _counted(self, chunks: Iterable[pl.DataFrame], names: Sequence[str]) -> tuple[pl.DataFrame, Longs]:
        counting = Combinations(names, self._place.spill, self._memory // SHARE)
        try:
            for chunk in chunks:
                counting.add(chunk)
            return counting.found()
        finally:
            counting.close()

    def study(self, progress: Progress) -> Original:
        original = super().study(progress)
        # Each chunk is looked up among all combinations: that a chunk is not much smaller keeps the time in proportion.
        self._table.enlarge(original.table.p // PART)
        self.original = replace(original, notes=[*self._table.notes, *original.notes])
        return self.original

    def write(self, each: Sequence[Masked]) -> list[Written]:
        self._counted_original, self._counted_masked = self.counted(each[0])
        self._position = self._positions(each[0]) if self.policy.row_order == "shuffled" else None
        return super().write(each)

    def _remove_parts(self) -> None:
        """Remove what was put on disk to be written in another order."""
        if self._reordering is not None:
            self._reordering.close()
            self._reordering = None

    def _positions(self, masked: Masked) -> Longs:
        """Where each released record goes, as in memory: for this, integers of all records are held."""
        table, of = self.original.table, self._combination_of
        if of is None:
            rows = Rows(table.rows.tuple_of[self.combination_of_records()], table.p)
            masked = MaskedTuples(masked).on(rows)
        else:
            rows = Rows(table.rows.tuple_of[of], table.p)
        order = random_order(self.secret, replace(table, rows=rows), masked, self._kept_records())
        position = np.empty_like(order)
        position[order] = np.arange(len(order))
        return position

    def write_records(self, step: ReleaseStep) -> None:
        self._release, self._listed = step, False
        place, needed = self._place, self._table.size
        try:
            with whole_file(place.file, needed, private=False) as part:
                if place.format.text:
                    layout = {"delimiter": place.format.delimiter}
                    self._schema, self._rows = write_csv_chunks(self._made, part, target=place.file, **layout)
                else:
                    self._schema, self._rows = write_parquet_chunks(self._made, part)
        finally:
            self._remove_parts()
        self._back = self._opened_back()

    def _made(self) -> Iterator[pl.DataFrame]:
        """The chunks of the release; which records they are is listed beside it, unless they are all of the input in order."""
        first = next(iter(self.chunks()))
        lists = NativeFrame.of(first, separators=separators_of(self.policy.attributes), may_be_empty=True).lists
        place = self.place_name
        # Chunks are made a second time where a property of all of them has to be known before the first is written.
        listing = not self._listed and (self._position is not None or sum(self._table.rows) != self._kept_records())
        self._listed = True
        if listing and not self._place.records.exists():
            create_file(self._place.records)
        with self._place.records.open("wb") if listing else io.BytesIO() as stream:
            for number, released in enumerate(self._records_released()):
                if listing:
                    listed = released.select((pl.col(place) + 1).alias(ROW_COLUMN))
                    listed.write_csv(stream, include_header=not number)
                made = released.drop(place)
                if self._place.escape_formulas:
                    made = escaped(made, str(self._place.file))
                yield made if self._place.format.text else give_lists(made, lists)

    def _records_released(self) -> Iterator[pl.DataFrame]:
        """The records as they are released, with their places in the input, in the order of the release."""
        made = map(self._release, self.placed_chunks())
        if self._position is None:
            yield from made
            return
        if self._reordering is None:
            self._reordering = Reordering(self._place.spill, self._position, self._table.rows_at_once)
            for released in made:
                self._reordering.add(released)
        yield from self._reordering.chunks()

    def _kept_records(self) -> int:
        return int(self._counted_original.table.rows.weights[self._counted_masked.group_of >= 0].sum())

    # ---- the release, read back ------------------------------------------------------------------------------------------

    def _opened_back(self) -> TableChunks:
        """The file as a recipient reads it; of a CSV, quasi-identifiers are the texts that stand there, and so is what was
        written as text."""
        file, quasi = self._place.file, set(self.policy.quasi_identifiers)
        text = [name for name, dtype in self._schema.items() if is_text(dtype) or name in quasi]
        reading = Reading(decimal=".", text=text) if self._place.format.text else Reading()
        back = TableChunks(file, {}, reading, rows_at_once=self._table.rows_at_once, block=self._table.block)
        if back.names != list(self._schema) or sum(back.rows) != self._rows:
            lost = [name for name in self._schema if name not in back.names]
            what = f"columns {some_of(lost)}" if lost else f"{sum(back.rows):,} of {self._rows:,} records"
            raise DataError(
                f"the release, written as {self._place.format.title}, does not read back as it was ({what})",
                remedy="Nothing was written. Choose another format, such as Parquet.",
            )
        return back

    def written(self) -> Iterator[pl.DataFrame]:
        assert self._back is not None
        floats = [n for n, dtype in self._schema.items() if dtype.is_float() and n in self.policy.quasi_identifiers]
        signs = [] if self._place.format.text else floats
        for chunk in self._back.chunks():
            # Equal numbers, and two different cells: none is written.
            if signs and chunk.select(pl.any_horizontal((1 / pl.col(signs) == float("-inf")).any())).item():
                raise DataError("zeros with a sign were written", remedy="Report this as an error of ontomask.")
            yield without_lists(chunk, self.policy.separators)

    def columns_written(self) -> list[str]:
        return list(self._schema)

    def formulas_written(self) -> Mapping[str, int]:
        self.formulas = formula_cells(self.written())
        return self.formulas

    def discard(self) -> None:
        for file in (self._place.file, self._place.records):
            file.unlink(missing_ok=True)

    # ---- what is handed back -----------------------------------------------------------------------------------------------

    def outcome(self, parts: Sequence[Verified], seconds: float, *, allow_unsatisfied: bool) -> CountedResult:
        (part,) = parts
        original, step, masked = self._counted_original, self._release, self._counted_masked
        made = decode(original.data, masked, step.shown)
        made = written(made, step.attributes, step.before, step.coded)
        counts = original.examined.units.counts
        assert counts is not None
        released = original.examined.beside(
            only_what_cells_show(made.cast({pl.Enum: pl.String})), (masked.group_of >= 0).nonzero()[0]
        )
        return CountedResult(
            policy=self.policy,
            secret=self.secret,
            verification=part.verification.on("file"),
            notes=part.notes,
            caveats=[*part.masked.caveats, *original.shared_identifiers],
            key=self.key,
            prepared=self._prepared(),
            masked=masked,
            released=released,
            masking_seconds=seconds,
            uncounted=self.uncounted,
        )

    def _prepared(self) -> PreparedTuples:
        original, table = self._counted_original, self._table
        return PreparedTuples(
            policy=original.policy,
            examined=original.examined,
            table=original.table,
            notes=original.notes,
            repeating=original.repeating,
            taxonomies=original.taxonomies,
            before=self._before,
            read_as=self.read_as,
            given=sum(table.rows),
            removed=self._removed,
            source=table.files[0] if len(table.files) == 1 else table.path,
            input=table.input[0] if len(table.files) == 1 else InputFiles(table.path, tuple(table.input)),
            named=self._named,
        )
