"""``profile``: a proposed kind and role for each column of a table, with reasons, and a policy from it.

Markers of missing values are proposed where they are certain, and asked about where they are doubtful. A marker holds for
the whole table. One that is a value in some column (``NA`` among the codes of countries, ``-`` beside ``+``) is therefore
proposed nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from ontomask.arguments import counted, did_you_mean, one_of, some_of
from ontomask.column_names.repeated_identifiers import repeating_column
from ontomask.errors import OptionError
from ontomask.microdata.csv_types import MARKERS
from ontomask.microdata.dtypes import nested
from ontomask.microdata.reading_options import Reading
from ontomask.profiling.column_facts import Facts, share
from ontomask.profiling.column_sources import ColumnSource, columns_of
from ontomask.profiling.outcome import ColumnProfile, Profile
from ontomask.profiling.proposals import Unmatched, propose
from ontomask.profiling.role_limits import limit_roles
from ontomask.profiling.taxonomy_candidates import Candidate, Taxonomies, candidates

#: Words that are values as often as marks: proposed only where they stand among numbers alone.
DOUBTFUL = (
    "None none unknown Unknown UNKNOWN unk Unk UNK missing Missing MISSING desconocido Desconocido desconegut inconnu Inconnu "
    "unbekannt Unbekannt nd ND"
).split()
_SURE = tuple(marker for marker in MARKERS if marker not in DOUBTFUL)
_NUMBER = r"^-?[0-9]+(?:[.,][0-9]+)?$"


@dataclass
class Markers:
    """``proposed`` markers; in how many ``columns`` each was found; and the columns in which a doubtful one was ``taken``."""

    proposed: list[str] = field(default_factory=list)
    columns: dict[str, list[str]] = field(default_factory=dict)
    taken: dict[str, list[str]] = field(default_factory=dict)

    @property
    def notes(self) -> list[str]:
        if not self.proposed:
            return []
        shown = some_of([f"{m!r} in {counted(len(self.columns[m]), 'column')}" for m in self.proposed], 10)
        return [f"taken for missing values: {shown} (reading: missing in the policy; --missing says it otherwise)"]


def find_markers(source: ColumnSource) -> Markers:
    """The markers to propose for a table."""
    found: dict[str, list[str]] = {}
    values: set[str] = set()
    taken: dict[str, list[str]] = {}
    for name in source.names:
        column = source.column(name)
        if column.dtype != pl.String and not isinstance(column.dtype, pl.Categorical | pl.Enum):
            continue
        texts = column.drop_nulls().cast(pl.String).str.strip_chars().unique()
        present = texts.filter(texts.is_in([*_SURE, *DOUBTFUL])).to_list()
        if not present or len(present) == len(texts):
            values.update(present)  # a column of nothing else says nothing of what they mean
            continue
        others = texts.filter(~texts.is_in(present))
        numbers = share(others, _NUMBER) == 1
        for marker in present:
            if _is_value(marker, others, numbers=numbers):
                values.add(marker)
            else:
                found.setdefault(marker, []).append(name)
                if marker in DOUBTFUL:
                    taken.setdefault(name, []).append(marker)
    proposed = [marker for marker in (*_SURE, *DOUBTFUL) if marker in found and marker not in values]
    taken = {name: kept for name, m in taken.items() if (kept := [marker for marker in m if marker in proposed])}
    return Markers(proposed, {marker: found[marker] for marker in proposed}, taken)


def _is_value(marker: str, others: pl.Series, *, numbers: bool) -> bool:
    """May the text be a value among these others?"""
    if marker in DOUBTFUL:
        return not numbers
    if marker in ("-", "--"):
        return bool(others.str.contains(r"^\++$").any())
    return marker == "NA" and len(others) >= 3 and share(others, "^[A-Z]{2}$") == 1


ROLES = ("identifier", "quasi", "sensitive", "other")


def profile(
    data: Any,
    *,
    taxonomies: Mapping[str, str | Path] | None = None,
    roles: Mapping[str, str] | None = None,
    unmatched: Unmatched = "flat",
    reading: Reading | None = None,
) -> Profile:
    """Look at a frame or a file and propose what each column is.

    Parameters
    ----------
    data : DataFrame or path
        A pandas, Polars or PyArrow frame, or the path of a file.
    taxonomies : mapping of str to path, optional
        Taxonomies to try, by column: a file, or a name of the catalog.
    roles : mapping of str to str, optional
        Roles that are known, by column: identifier, quasi, sensitive or other.
    unmatched : {'flat', 'stop'}, default 'flat'
        Where a taxonomy that fits does not cover some values: the column is flat and the policy runs at once, or it is
        nominal and masking stops at them until they are mapped.
    reading : Reading, optional
        How the file is read; the policy keeps it. Unless it names missing markers, those that are found are proposed in it.

    Returns
    -------
    Profile
        What was found and proposed of each column; ``policy()`` makes a policy of it.

    Notes
    -----
    Roles and kinds are guessed from names and from what the values show, taxonomies by matching the values. What is
    uncertain is proposed as the safer choice and marked.

    Examples
    --------
    >>> import ontomask as om
    >>> found = om.profile(om.demo_data(500, seed=1))
    >>> found["diagnosis"].kind, found["diagnosis"].taxonomy, found["charge"].role
    ('nominal', 'icd9cm', 'sensitive')
    >>> om.anonymize(om.demo_data(500, seed=1), found.policy(k=3)).verification.holds
    True
    """
    source = columns_of(data, reading)
    markers = Markers() if source.reading.missing else find_markers(source)
    if markers.proposed:
        source = columns_of(data, source.reading.changed(missing=markers.proposed))
    given, given_roles = dict(taxonomies or {}), dict(roles or {})
    for name in [*given, *given_roles]:
        if name not in source.names:
            near = did_you_mean(name, source.names)
            raise OptionError(f"the data have no column {name!r}", remedy=f"{near}Check the name of the column.")
    for role in given_roles.values():
        one_of(role, ROLES, "role")
    one_of(unmatched, ("stop", "flat"), "way with unmatched values")
    known = Taxonomies()
    columns = [_look(source, name, given.get(name), given_roles.get(name), known, unmatched) for name in source.names]
    for column in columns:
        column.proposal.checks += [
            f"{marker!r} among numbers is taken for a missing value (reading: missing): is it?"
            for marker in markers.taken.get(column.name, ())
        ]
    sentences = [*markers.notes, *limit_roles(columns, given_roles)]
    sentences += [f"column {name!r} holds several values in one cell and is left out" for name in source.nested]
    keys = [
        repeating_column(source.column(c.name)) for c in columns if c.role == "identifier" and not c.proposal.unknown
    ]
    sentences += [key.sentence() for key in keys if key is not None]
    notes = [*map(str, source.notes), *known.notes, *sentences]
    return Profile(tuple(columns), source.records, source.looked, notes, source.path, source.reading)


def _look(
    source: ColumnSource, name: str, given: str | Path | None, role: Any, known: Taxonomies, unmatched: Unmatched
) -> ColumnProfile:
    facts = Facts.of(source.column(name), ordered=name in source.ordered)
    if role is not None and role != "identifier" and name in source.nested:
        raise nested(name, "lists or structures")

    def ask(topic: Any) -> list[Candidate]:
        written = facts
        if facts.is_number and (given is not None or (topic is not None and topic.codes is not None)):
            written = Facts.of(source.as_written(name))
        return candidates(written, topic, None if given is None else str(given), known)

    partly = source.looked < source.records
    proposal = propose(facts, role, ask, unmatched, all_seen=not partly)
    if partly and (proposal.kind == "nominal" or facts.order is not None):
        # A value that stands elsewhere in the file would stop masking.
        facts = facts.with_values(source.distinct(name))
        proposal = propose(facts, role, ask, unmatched)
    if name in source.nested:
        proposal.leave_out(
            "several values in one cell, which cannot be masked: it is left out of the release",
            "if it is needed, give each value a column or a record of its own",
        )
    return ColumnProfile(
        name, facts.type, facts.distinct, facts.missing, facts.unique, proposal, tuple(facts.examples())
    )
