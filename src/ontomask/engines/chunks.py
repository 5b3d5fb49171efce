"""``ChunkEngine``: a table whose records are not in memory, for methods that decide by tuple."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from ontomask.arguments import free_name
from ontomask.arrays import Longs
from ontomask.direct_identifiers.cells import Cells
from ontomask.engines.engine import Engine, Verified, Written, decode, shown_values
from ontomask.errors import DataError, PolicyError
from ontomask.masking.goals import Goals
from ontomask.masking.method import Masked, MaskedTuples, TupleMethod
from ontomask.masking.randomness import Secret
from ontomask.microdata.dtypes import only_what_cells_show, restore_dtype
from ontomask.microdata.encoding import Conversions, MissingRules, Rows, written
from ontomask.microdata.formulas import formula_note
from ontomask.microdata.frames import NativeFrame
from ontomask.microdata.keys import Key
from ontomask.microdata.open_table import markers_of, open_table
from ontomask.policy.policy import Policy
from ontomask.policy.prepared import Original, missing_rules, original_of, removed_columns, with_pseudonyms
from ontomask.policy.verification import Verification
from ontomask.privacy.column_models import ColumnModel
from ontomask.privacy.contents import ContentCheck, FittingValues, NoIdentifiers
from ontomask.privacy.examined import Examined
from ontomask.privacy.models import Finding
from ontomask.privacy.units import Units
from ontomask.progress import Progress
from ontomask.release.guarantees import guarantees, marks_of
from ontomask.statements import Statement, note
from ontomask.wording import RECORD


@dataclass(frozen=True, eq=False)
class Release:
    """What is known of a release that is not in memory."""

    policy: Policy
    secret: Secret
    verification: Verification
    notes: list[Statement]
    caveats: list[Statement]
    #: What pseudonyms were derived from. It is for the caller to keep, for its owner alone.
    key: Key | None = None

    @property
    def guarantees(self) -> list[Statement]:
        """What holds of the release and under which assumptions; what fails comes first. For the steward."""
        return guarantees(self.policy, self.verification, self.caveats, marks_of(self.policy, self.secret))


class ChunkEngine(Engine[Release]):
    """Reads the table in chunks, counts the combinations of values that occur, masks their tuples, writes chunks.

    Combinations are of the columns that are masked or that a model looks at. Columns of categories (enums) are written as
    text: which categories are in use is known after the last chunk.
    """

    original: Original

    def __init__(self, policy: Policy, secret: Secret, key: Key | None = None) -> None:
        super().__init__(policy, secret, key)
        if policy.unit != RECORD:
            raise PolicyError(
                f"{policy.unit.many} are not counted in a table that is read in chunks",
                remedy="Use anonymize, which has all records in memory.",
            )
        if policy.followers:
            raise PolicyError(
                f"{next(iter(policy.followers))!r} follows another column, which is not done in a table that is read in chunks",
                remedy="Use anonymize, which has all records in memory.",
            )
        if policy.row_order == "shuffled":
            raise PolicyError(
                "records that are not in memory cannot be shuffled", remedy="Set row_order: kept, or use anonymize."
            )

    @abstractmethod
    def chunks(self) -> Iterable[pl.DataFrame]:
        """The table, in the same order each time it is asked for."""

    @abstractmethod
    def write_chunk(self, chunk: pl.DataFrame) -> None:
        """Write the next records of the release."""

    @abstractmethod
    def written(self) -> Iterable[pl.DataFrame]:
        """The release, read back."""

    def count_written(self, names: Sequence[str]) -> tuple[pl.DataFrame, Longs]:
        """The same as :func:`count_combinations`, of the release read back: a store that counts by itself does it there."""
        return count_combinations(self.written(), names)

    def study(self, progress: Progress) -> Original:
        progress(0.0, "counting combinations of values")
        first = next(iter(self._opened()), None)
        if first is None:
            raise DataError("the table has no rows", remedy="Check the filter or the query that made it.")
        policy, notes = self.policy, list[Statement]()
        self._first, self._removed = first, removed_columns(first.data, policy, notes)
        self._columns = [name for name in first.data.columns if name not in self._removed]
        seen = {name for model in policy.require for name in model.sensitive_columns(policy.attributes)}
        self._names = [name for name in self._columns if name in seen.union(policy.studied, policy.quasi_identifiers)]
        rules, conversions = self._rules(), Conversions(policy.attributes)
        data, counts = count_combinations(self._records(rules, conversions), self._names)
        original = original_of(
            data,
            policy,
            first,
            Units(counts=counts),
            counted_column=self._counted_column,
        )
        for name in policy.pseudonyms:  # in chunks, two values with the same token might not meet
            self._with_pseudonyms(self._counted_column(name)[0].to_frame())
        if markers_of(policy.attributes, policy.reading):
            notes.append(note("missing markers became missing values"))
        self.original = replace(original, notes=[*notes, *conversions.notes, *rules.notes, *original.notes])
        return self.original

    def rows(self) -> Iterator[Rows]:
        return (rows for _, rows in self._located())

    def mask(self, goals: Goals, rng: np.random.Generator, progress: Progress) -> list[Masked]:
        table = self.original.table
        if not isinstance(self.method, TupleMethod) or not self.method.by_tuple(table):
            raise PolicyError(
                f"{self.method.name} forms groups of records, which are not in memory",
                remedy="Choose a method that decides by tuple, such as Recoding or Generalization, or use anonymize.",
            )
        return [self.method.mask_tuples(goals, table, rng, progress).tuples]

    def write(self, each: Sequence[Masked]) -> list[Written]:
        (masked,) = each
        values = shown_values(self.policy, self.original.table, masked)
        shown = [restore_dtype(value, self._first.data[value.name]) for value in values]
        coded = self._coded(shown)
        for chunk, rows in self._located():
            kept = self._with_pseudonyms(chunk).drop(self._removed)
            released = decode(kept, MaskedTuples(masked).on(rows), shown)
            released = written(released, self.policy.attributes, self._first.data, coded)
            self.write_chunk(only_what_cells_show(released.cast({pl.Enum: pl.String})))
        data, counts = self.count_written(self._names)
        columns = next(iter(self.written())).columns
        unread = pl.repeat(None, len(data), dtype=pl.Null, eager=True)
        data = pl.DataFrame([data[name] if name in self._names else unread.alias(name) for name in columns])
        meanings = self.original.examined.meanings
        examined = Examined.of(data, self.policy.attributes, Units(counts=counts), meanings)
        return [Written(examined, formula_note(self.written()))]

    def verify(self, table: Examined, original: Original, masked: Masked) -> Verification:
        """What the models say of what was written, and what else fails in it, also in columns that no model looks at."""
        found = [self._by_column(f) for f in super().verify(table, original, masked)]
        return Verification([*found, *(finding for finding in self._alone() if not finding.holds)])

    def _by_column(self, finding: Finding) -> Finding:
        """The finding, or what a model finds that looks at every column: each is counted by itself."""
        if not isinstance(finding.model, ColumnModel):
            return finding
        columns = (self.count_written([name]) for name in next(iter(self.written())).columns)
        cells = (Cells.of(data.to_series(), counts) for data, counts in columns)
        return finding.model.check_columns(cells, self.policy.attributes)

    def _alone(self) -> Iterator[Finding]:
        """What is found in such columns, where it counts whatever their role: each is counted by itself."""
        attributes = self.policy.attributes
        for name in self._columns:
            pseudonym = name in self.policy.pseudonyms
            if name not in self._names and (pseudonym or (name in attributes and attributes[name].converts)):
                data, counts = self.count_written([name])
                check: ContentCheck = NoIdentifiers() if pseudonym else FittingValues()
                yield check.check_table(Examined.of(data, attributes, Units(counts=counts)))

    def outcome(self, parts: Sequence[Verified], seconds: float, *, allow_unsatisfied: bool) -> Release:
        (part,) = parts
        caveats = [*part.masked.caveats, *self.original.shared_identifiers]
        return Release(self.policy, self.secret, part.verification, part.notes, caveats, self.key)

    def _with_pseudonyms(self, chunk: pl.DataFrame) -> pl.DataFrame:
        return chunk if self.key is None else with_pseudonyms(chunk, self.policy, self.key)

    def _opened(self) -> Iterator[NativeFrame]:
        attributes, reading, drops = self.policy.attributes, self.policy.reading, self.policy.drops
        for chunk in self.chunks():
            yield open_table(chunk, attributes, reading=reading, unread=drops, may_be_empty=True).native

    def _rules(self) -> MissingRules:
        return missing_rules(self._columns, self.policy)

    def _records(self, rules: MissingRules, conversions: Conversions | None = None) -> Iterator[pl.DataFrame]:
        """The records that stay, chunk by chunk, with their identifiers; columns as their kinds work with them."""
        conversions = conversions or Conversions(self.policy.attributes)
        return (rules.apply(conversions.apply(chunk.data))[0] for chunk in self._opened())

    def _coded(self, shown: Sequence[pl.Series]) -> set[str]:
        """The columns that show codes of open classes in some chunk: they are text in all of them."""
        attributes = self.policy.attributes
        coded = {values.name for values in shown if attributes[values.name].shows_codes(values)}
        others = [n for n in self._columns if n in attributes and n not in {values.name for values in shown}]
        if any(attributes[name].converts for name in others):
            for chunk in self._records(self._rules()):
                coded |= {name for name in others if attributes[name].shows_codes(chunk[name])}
        return coded

    def _counted_column(self, name: str) -> tuple[pl.Series, Longs]:
        data, counts = count_combinations(self._records(self._rules()), [name])
        return data[name], counts

    def _located(self) -> Iterator[tuple[pl.DataFrame, Rows]]:
        """Each chunk with the tuples of its records."""
        table, names = self.original.table, self._names
        place = free_name("place", names)
        places = self.original.data.with_row_index(place)
        for chunk in self._records(self._rules()):
            keys = chunk.select(names)
            found = keys.join(places, on=names, how="left", nulls_equal=True, maintain_order="left")
            yield chunk, Rows(table.rows.tuple_of[found[place].to_numpy()], table.p)


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
