"""Data prepared for a policy: checked, without identifiers, encoded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import free_name, some_of
from ontomask.arrays import Longs
from ontomask.column_names.repeated_identifiers import Repeating, repeating_column, unit_of
from ontomask.errors import DataError
from ontomask.files.fingerprints import InputFile, InputFiles, State, states_of
from ontomask.microdata.date_shifts import shift_note, shifts_of_records
from ontomask.microdata.encoding import (
    Conversions,
    MissingRules,
    Table,
    Tuples,
    encode,
    require_columns,
    require_some_kept,
)
from ontomask.microdata.frames import NativeFrame
from ontomask.microdata.item_lists import count_items
from ontomask.microdata.keys import Key
from ontomask.microdata.open_table import OpenTable, naming_lines, open_table, with_own_orders
from ontomask.microdata.pseudonyms import pseudonym_column
from ontomask.microdata.sql_sources import SqlSource, data_file
from ontomask.microdata.sql_tables import records_sha256
from ontomask.policy.policy import Policy
from ontomask.privacy.examined import Examined
from ontomask.privacy.units import Units
from ontomask.progress import Progress, Reporter
from ontomask.statements import Statement, note
from ontomask.taxonomy.taxonomy import Taxonomy


@dataclass(frozen=True, eq=False, kw_only=True)
class Original:
    """A table as the policy sees it, wherever its records are: as models look at it, and encoded.

    Its rows are records, or combinations of values with their counts. ``repeating``: identifiers that several of its
    records shared before they were removed.
    """

    policy: Policy
    examined: Examined
    table: Table
    notes: list[Statement]
    repeating: list[Repeating]
    #: Of the nominal columns that are masked or sensitive, as the run read them.
    taxonomies: Mapping[str, Taxonomy]

    @property
    def data(self) -> pl.DataFrame:
        return self.examined.data

    @property
    def attributes_as_read(self) -> Mapping[str, Any]:
        """The attributes of the policy, with what the values tell of their form."""
        return self.policy.attributes

    @property
    def shared_identifiers(self) -> list[Statement]:
        """A caveat for each identifier that several records share."""
        return [identifier.statement(self.policy.counting) for identifier in self.repeating]


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared(Original):
    """The data as the policy sees them, without identifiers and dropped records."""

    taken: NativeFrame
    kept: NDArray[np.bool_]
    removed: list[str]
    #: The file that holds the data, and what is read of it if it is a database.
    source: Path | None
    database: SqlSource | None
    input: InputFile | None
    #: A hash of the records, where they have no file of their own.
    records_sha256: str | None
    #: The files that the policy names, as they were when the run began.
    named: Mapping[str, State | None]

    @property
    def before(self) -> pl.DataFrame:
        """The records as they came in: they tell the types of columns."""
        return self.taken.data

    @property
    def given(self) -> int:
        """The records that came in."""
        return len(self.kept)


@dataclass(frozen=True, eq=False, kw_only=True)
class PreparedTuples(Original):
    """The same where records are not in memory: rows are combinations of values with their counts.

    ``before``: some records as they came in; ``given``: how many came in.
    """

    before: pl.DataFrame
    given: int
    removed: list[str]
    source: Path | None
    input: InputFile | InputFiles | None
    named: Mapping[str, State | None]
    database: SqlSource | None = None
    records_sha256: str | None = None
    #: By column, its attribute with the form of the values in the whole table, where ``before`` need not tell it.
    read_as: Mapping[str, Any] = field(default_factory=dict)

    @property
    def attributes_as_read(self) -> Mapping[str, Any]:
        return {**self.policy.attributes, **self.read_as}


def prepare(
    frame: Any, policy: Policy, progress: Progress | None = None, *, key: Key | None = None, shifting: bool = True
) -> Prepared:
    """Check the data against the policy and encode the quasi-identifiers.

    ``key``: what pseudonyms and shifts of dates come from. Without one they come from a key of their own: nothing of it is
    handed out. ``shifting``: are dates moved as the policy says? Counts of the original dates do not depend on a key.
    """
    reporter = Reporter(progress)
    reporter(0.0, "preparing the data")
    named = states_of(policy.named_files())
    file = data_file(frame) if isinstance(frame, (str, Path)) else None
    read = None if file is None else InputFile.about_to_be_read(file)
    opened = open_table(frame, policy.attributes, reading=policy.reading, unread=policy.drops)
    if read is not None:
        read.require_unchanged()
    with naming_lines(opened.source, policy.reading):
        return _prepared(opened, policy, reporter, key or Key.fresh(), shifting, named, read)


def _prepared(
    opened: OpenTable,
    policy: Policy,
    reporter: Reporter,
    key: Key,
    shifting: bool,
    named: Mapping[str, State | None],
    read: InputFile | None,
) -> Prepared:
    taken, notes = opened.native, list(opened.notes)
    data = with_pseudonyms(taken.data, policy, key)
    units = policy.units_of(data)  # what a policy counts by a column is known before identifiers are removed
    removed = removed_columns(data, policy, notes)
    conversions = Conversions(policy.attributes)
    shifts = shifts_of_records(taken.data, policy.person, policy.shifted, key) if shifting else {}
    data = conversions.apply(data.drop(removed), shifts)
    rules = missing_rules(data.columns, policy)
    data, kept = rules.apply(data)
    notes += [*conversions.notes, *([shift_note(policy.shifted)] if policy.shifted else []), *rules.notes]
    reporter(0.5, "encoding values")
    stayed = pl.Series(kept)
    original = original_of(
        data,
        policy,
        taken,
        units.take(kept),
        rows=np.flatnonzero(kept),
        counted_column=lambda n: (taken.data[n].filter(stayed) if n in policy.identifiers else data[n], None),
    )
    return Prepared(
        policy=policy,
        examined=original.examined,
        table=original.table,
        notes=[*notes, *original.notes],
        repeating=original.repeating,
        taxonomies=original.taxonomies,
        taken=taken,
        kept=kept,
        removed=removed,
        source=None if read is None else read.path,
        database=opened.database,
        input=read,
        records_sha256=None if opened.database is None else records_sha256(opened.data),
        named=named,
    )


def missing_rules(columns: Sequence[str], policy: Policy) -> MissingRules:
    """What the policy wants of missing values in these columns."""
    listed = {name: policy.attributes[name] for name in columns if name in policy.attributes}
    return MissingRules(listed, set(policy.studied))


def original_of(
    data: pl.DataFrame,
    policy: Policy,
    taken: NativeFrame,
    units: Units,
    *,
    counted_column: Callable[[str], tuple[pl.Series, Longs | None]],
    rows: Longs | None = None,
    repeating: Callable[[str], Repeating | None] | None = None,
) -> Original:
    """The data encoded, and what is noticed of them: what every engine does after the rules for missing values.

    ``data``: without identifiers; records, or with ``units.counts`` combinations of values in the order first seen.
    ``taken``: the frame, or a chunk, that tells the types of columns. ``counted_column``: the values of a column in the
    records that are kept, and their counts where they are not one. ``rows``: the places of the records in the input.
    ``repeating``: whether records share an identifier, where a store finds out by itself.
    """
    require_some_kept(len(data))
    attributes = {name: policy.attributes[name] for name in data.columns if name in policy.attributes}
    studied_names = set(policy.studied)
    studied = [name for name in data.columns if name in studied_names]
    table = encode(
        data, with_own_orders(attributes, taken), studied, rows, units.counts, unit_of=units.of, word=units.word
    )
    if repeating is None:
        repeating = partial(_repeating, counted_column, units)
    repeats = [repeating(name) for name in policy.identifiers if [name] != policy.unit_columns]
    types = taken.data.schema  # asked for once: it takes its time where there are thousands of columns
    incomparable = [
        note(
            f"{name}: it is empty or its values cannot be compared; it is unknown whether several records share a value",
            name,
        )
        for name in policy.identifiers
        if types[name] == pl.Null
    ]
    examined = Examined.of(data, policy.attributes, units)
    return Original(
        policy=policy,
        examined=examined,
        table=table,
        notes=[*table.notes, *_constant(table), *incomparable],
        repeating=[repeat for repeat in repeats if repeat is not None],
        taxonomies=_taxonomies(table, examined, counted_column),
    )


def _repeating(
    counted_column: Callable[[str], tuple[pl.Series, Longs | None]], units: Units, name: str
) -> Repeating | None:
    """The identifier, if several records share it; where persons are counted, what several of them share, each having one."""
    values, counts = counted_column(name)
    values = values.alias(name)
    if units.of is None:
        return repeating_column(values, counts)
    unit = free_name("unit", [values.name])
    once = values.to_frame().with_columns(pl.Series(unit, units.of)).unique(maintain_order=True)
    held = once.drop_nulls()
    if unit_of(values.name) == units.word.many or held[unit].n_unique() < len(held):
        return None
    return repeating_column(once[values.name], among=units.word)


def _taxonomies(
    table: Tuples, examined: Examined, counted_column: Callable[[str], tuple[pl.Series, Longs | None]]
) -> dict[str, Taxonomy]:
    """The taxonomies that decide over masked and over sensitive values, by column; each value must have a concept."""
    found = {column.name: column.items.taxonomy for column in table.columns if column.items is not None}
    for name, attribute in examined.attributes.items():
        if attribute.named_taxonomy is not None and attribute.role == "sensitive" and name not in found:
            values, counts = counted_column(name)
            if counts is None:
                distinct = values.value_counts(name=free_name("records", [name]))
                values, counts = distinct[name], distinct.to_series(1).to_numpy()
            pairs = zip(values.to_list(), counts.tolist(), strict=True)
            tally = Counter({str(value): count for value, count in pairs if value is not None})
            if attribute.separator is not None:
                tally = count_items(tally, attribute.separator)
            numbers = tally if values.dtype.is_numeric() else ()
            found[name] = examined.meanings.match(name, attribute, tally, numbers).require_all(name).taxonomy
    return found


def with_pseudonyms(data: pl.DataFrame, policy: Policy, key: Key) -> pl.DataFrame:
    """The data with tokens in the columns that a release has as pseudonyms."""
    kept = {name: domain for name, domain in policy.pseudonyms.items() if name in data.columns}
    return data.with_columns(pseudonym_column(data[name], key, domain) for name, domain in kept.items())


def removed_columns(data: pl.DataFrame, policy: Policy, notes: list[Statement]) -> list[str]:
    """The columns that no release has: identifiers and, if the policy wants it, what it does not list."""
    require_columns(data, policy.attributes)
    removed = [name for name in policy.identifiers if policy.drops(name)]
    if removed:
        notes.append(note(f"identifiers removed: {', '.join(removed)}"))
    if policy.pseudonyms:
        notes.append(note(f"identifiers released as pseudonyms: {', '.join(policy.pseudonyms)}"))
    unlisted = [name for name in data.columns if name not in policy.attributes]
    if unlisted and policy.unlisted == "error":
        raise DataError(
            f"the policy does not list {some_of([repr(name) for name in unlisted])}, which the data have",
            remedy=f"Give {'it' if len(unlisted) == 1 else 'each'} a kind and a role (kind: identifier removes a column), "
            "or set unlisted: other (keep) or unlisted: drop.",
        )
    if unlisted:
        text = "kept as they are" if policy.unlisted == "other" else "dropped"
        notes.append(note(f"columns the policy does not list, {text}: {', '.join(unlisted)}"))
        removed += unlisted if policy.unlisted == "drop" else []
    return removed


def _constant(table: Tuples) -> list[Statement]:
    """Quasi-identifiers that say nothing."""
    return [
        note(
            f"{column.name}: all records have the same value; as a quasi-identifier it distinguishes no records",
            column.name,
        )
        for column in table.columns
        if len(column) == 1 and column.attribute.quasi
    ]
