"""Data prepared for a policy: checked, without identifiers, encoded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import free_name, some_of
from ontomask.column_names.repeated_identifiers import Repeating, repeating
from ontomask.errors import DataError
from ontomask.files.fingerprints import InputFile, State, states_of
from ontomask.microdata.encoding import (
    Table,
    Tuples,
    apply_missing_rules,
    encode,
    require_columns,
    require_some_kept,
)
from ontomask.microdata.frames import NativeFrame
from ontomask.microdata.open_table import open_table, with_own_orders
from ontomask.policy.policy import Policy
from ontomask.privacy.examined import Examined
from ontomask.progress import Progress, Reporter
from ontomask.statements import Statement, note
from ontomask.taxonomy.taxonomy import Taxonomy


@dataclass(frozen=True, eq=False)
class Prepared:
    """The data as the policy sees them, without identifiers and dropped records: as models look at them, and encoded.

    ``repeating``: identifiers that several of its records shared before they were removed.
    """

    taken: NativeFrame
    examined: Examined
    table: Table
    kept: NDArray[np.bool_]
    policy: Policy
    notes: list[Statement] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    source: Path | None = None
    repeating: list[Repeating] = field(default_factory=list)
    input: InputFile | None = None
    #: The files that the policy names, as they were when the run began.
    named: Mapping[str, State | None] = field(default_factory=dict)
    #: Of the nominal columns that are masked or sensitive, as the run read them.
    taxonomies: Mapping[str, Taxonomy] = field(default_factory=dict)

    @property
    def data(self) -> pl.DataFrame:
        return self.examined.data

    @property
    def shared_identifiers(self) -> list[Statement]:
        """A caveat for each identifier that several records share."""
        return [identifier.statement(self.policy.counting) for identifier in self.repeating]


def prepare(frame: Any, policy: Policy, progress: Progress | None = None) -> Prepared:
    """Check the data against the policy and encode the quasi-identifiers."""
    reporter = Reporter(progress)
    reporter(0.0, "preparing the data")
    named = states_of(policy.named_files())
    read = InputFile.about_to_be_read(Path(frame)) if isinstance(frame, (str, Path)) else None
    opened = open_table(frame, policy.attributes, reading=policy.reading, unread=policy.drops)
    if read is not None:
        read.require_unchanged()
    taken, source, notes = opened.native, opened.source, list(opened.notes)
    units = policy.units_of(taken.data)  # what a policy counts by a column is known before identifiers are removed
    if policy.method is not None:
        policy.method.require_units(units)
    data, removed = _columns(taken, policy, notes)
    listed = {name: policy.attributes[name] for name in data.columns if name in policy.attributes}
    studied_names = set(policy.studied)
    data, kept = apply_missing_rules(data, listed, studied_names, notes)
    require_some_kept(kept)
    reporter(0.5, "encoding values")
    studied = [name for name in data.columns if name in studied_names]
    table = encode(data, with_own_orders(listed, taken), studied, np.flatnonzero(kept))
    notes += table.notes
    notes += _constant(table)
    repeats = repeating(taken.data.filter(pl.Series(kept)), policy.identifiers)
    types = taken.data.schema  # asked for once: it takes its time where there are thousands of columns
    notes += [
        note(
            f"{name}: it is empty or its values cannot be compared; it is unknown whether several records share a value",
            name,
        )
        for name in policy.identifiers
        if types[name] == pl.Null
    ]
    examined = Examined.of(data, policy.attributes, units.take(kept))
    taxonomies = _taxonomies(table, examined)
    return Prepared(taken, examined, table, kept, policy, notes, removed, source, repeats, read, named, taxonomies)


def _taxonomies(table: Tuples, examined: Examined) -> dict[str, Taxonomy]:
    """The taxonomies that decide over masked and over sensitive values, by column; each value must have a concept."""
    found = {column.name: column.meaning.taxonomy for column in table.columns if column.meaning is not None}
    for name, attribute in examined.attributes.items():
        if attribute.named_taxonomy is not None and attribute.role == "sensitive" and name not in found:
            values = examined.data[name]
            distinct = values.value_counts(name=free_name("records", [name]))
            tally = Counter({str(value): count for value, count in distinct.iter_rows() if value is not None})
            numbers = tally if values.dtype.is_numeric() else ()
            found[name] = examined.meanings.match(name, attribute, tally, numbers).require_all(name).taxonomy
    return found


def _columns(taken: NativeFrame, policy: Policy, notes: list[Statement]) -> tuple[pl.DataFrame, list[str]]:
    """The columns that stay: all but identifiers and, if the policy wants it, what it does not list."""
    data = taken.data
    require_columns(data, policy.attributes)
    removed = list(policy.identifiers)
    if removed:
        notes.append(note(f"identifiers removed: {', '.join(removed)}"))
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
    return data.drop(removed), removed


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
