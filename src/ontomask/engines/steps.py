"""What becomes of a chunk of a table: its records, and those of the release. Steps can be sent to other processes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ontomask.arguments import free_name
from ontomask.engines.engine import decode
from ontomask.errors import DataError
from ontomask.masking.method import Masked, MaskedTuples
from ontomask.microdata.columns import Codes
from ontomask.microdata.dtypes import only_what_cells_show
from ontomask.microdata.encoding import Conversions, MissingRules, Rows, Table, written
from ontomask.microdata.keys import Key
from ontomask.microdata.open_table import open_table
from ontomask.policy.policy import Policy
from ontomask.policy.prepared import missing_rules, with_pseudonyms
from ontomask.statements import Statement


@dataclass(frozen=True, eq=False)
class Seen:
    """What a :class:`RecordStep` saw."""

    conversions: Conversions
    rules: MissingRules
    coded: set[str]


class RecordStep:
    """From a chunk as it is stored to the records that stay, with their identifiers; columns as their kinds work with them.

    It remembers what it saw (``conversions``, ``rules``, ``coded``: the columns in which a value is a code of an open class).
    A copy in another process remembers for itself; :meth:`add` brings what both saw together.
    """

    def __init__(self, policy: Policy, columns: Sequence[str]) -> None:
        self.policy = policy
        self.conversions, self.rules = Conversions(policy.attributes), missing_rules(columns, policy)
        self.coded: set[str] = set()
        self._columns = columns
        self._converted = [name for name in columns if name in policy.attributes and policy.attributes[name].converts]

    def __call__(self, chunk: pl.DataFrame) -> pl.DataFrame:
        records, _ = self.rules.apply(self.conversions.apply(opened(chunk, self.policy)))
        attributes = self.policy.attributes
        self.coded |= {name for name in self._converted if attributes[name].shows_codes(records[name])}
        return records

    def fresh(self) -> RecordStep:
        """The same step, which has seen nothing yet."""
        return RecordStep(self.policy, self._columns)

    @property
    def seen(self) -> Seen:
        """What it saw alone, which is sent to another process and added there."""
        return Seen(self.conversions.seen, self.rules.seen, self.coded)

    def add(self, other: RecordStep | Seen) -> None:
        """Remember also what another one saw, in the chunks that follow."""
        self.conversions.add(other.conversions)
        self.rules.add(other.rules)
        self.coded |= other.coded

    @property
    def notes(self) -> list[Statement]:
        """How columns were read and which records were left out, of all that was seen."""
        return [*self.conversions.notes, *self.rules.notes]


@dataclass(frozen=True, eq=False)
class TuplePlaces:
    """Where the tuple of a record is found: by its combination of values.

    ``combinations`` are those that were counted; row i of them has the tuple ``table.rows.tuple_of[i]``.
    """

    combinations: pl.DataFrame
    rows: Rows

    @staticmethod
    def of(combinations: pl.DataFrame, table: Table) -> TuplePlaces:
        return TuplePlaces(combinations, table.rows)

    def of_records(self, records: pl.DataFrame) -> Rows:
        """The tuples of these records."""
        return Rows(self.rows.tuple_of[self.combinations_of(records)], self.rows.p)

    def combinations_of(self, records: pl.DataFrame) -> Codes:
        """The rows of the combinations that these records have."""
        names = self.combinations.columns
        place = free_name("place", names)
        places = self.combinations.with_row_index(place)
        found = records.select(names).join(places, on=names, how="left", nulls_equal=True, maintain_order="left")
        if found[place].has_nulls():
            raise DataError(
                "the table changed while it was read: it has values that it did not have before",
                remedy="Wait until it is complete, and run again.",
            )
        combinations: Codes = found[place].cast(pl.Int32).to_numpy()
        return combinations


@dataclass(frozen=True, eq=False)
class ReleaseStep:
    """From a chunk as it is stored to its records as they are released, where the method decides by tuple.

    ``before``: some records of the table, which tell its types. ``coded``: the columns that show codes of open classes
    somewhere in the table: they are text everywhere. Columns of categories become text: which categories are in use is known
    after the last chunk.
    """

    records: RecordStep
    places: TuplePlaces
    masked: MaskedTuples
    shown: Sequence[pl.Series]
    removed: Sequence[str]
    attributes: Mapping[str, Any]
    before: pl.DataFrame
    coded: Collection[str]
    key: Key | None
    moved: Sequence[str]

    def __call__(self, chunk: pl.DataFrame) -> pl.DataFrame:
        records = self.records(chunk)
        return self.released(records, self.masked.on(self.places.of_records(records)))

    def released(self, records: pl.DataFrame, masked: Masked) -> pl.DataFrame:
        """The records that stay, as they are released; ``masked``: what became of each.

        Its ``sources``, of methods that only rearrange values: for each column of ``moved``, the combination whose value each
        record shows.
        """
        kept = records if self.key is None else with_pseudonyms(records, self.records.policy, self.key)
        kept = kept.drop(self.removed)
        if masked.sources is None:
            released = decode(kept, masked, self.shown)
        else:
            moved, every = zip(self.moved, masked.sources, strict=True), self.places.combinations
            released = kept.with_columns(every[name].gather(combinations) for name, combinations in moved)
        released = written(released, self.attributes, self.before, self.coded)
        return only_what_cells_show(released.cast({pl.Enum: pl.String}))


@dataclass(frozen=True, eq=False)
class RecordReleaseStep(ReleaseStep):
    """The same where a method decides by record: the column ``place`` of a chunk says which record of the table it is.

    ``group_of`` and ``sources`` are of all places.
    """

    place: str
    group_of: Codes
    sources: Sequence[Codes] | None

    def __call__(self, chunk: pl.DataFrame) -> pl.DataFrame:
        records = self.records(chunk)
        at = records[self.place].to_numpy()
        sources = None if self.sources is None else [values[at].astype(np.int64) for values in self.sources]
        return self.released(records, Masked(self.group_of[at], (), sources=sources))


def opened(chunk: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """The chunk with its missing markers read."""
    attributes, reading = policy.attributes, policy.reading
    return open_table(chunk, attributes, reading=reading, unread=policy.drops, may_be_empty=True).data
