"""``profile``: a proposed kind and role for each column of a table, with reasons, and a policy from it.

Markers of missing values are proposed for the columns in which they are certain, and asked about where they are doubtful. One
that may be a value (``NA`` among the codes of countries, ``-`` beside ``+``) is not proposed for that column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import polars as pl

from ontomask.arguments import counted, did_you_mean, one_of, short, some_of
from ontomask.column_names.repeated_identifiers import FILL, Repeating, repeating_column
from ontomask.errors import OptionError
from ontomask.microdata.csv_types import MARKERS
from ontomask.microdata.dtypes import is_text, nested
from ontomask.microdata.reading_options import Reading
from ontomask.microdata.spelling import spelled_alike
from ontomask.privacy.safe_harbor import SafeHarbor
from ontomask.profiling.column_facts import Facts, share
from ontomask.profiling.column_sources import ColumnSource, columns_of
from ontomask.profiling.outcome import ColumnProfile, Profile
from ontomask.profiling.proposals import Unmatched, propose
from ontomask.profiling.role_limits import limit_roles
from ontomask.profiling.safe_harbor_proposals import make_safe
from ontomask.profiling.taxonomy_candidates import Candidate, Taxonomies, candidates
from ontomask.wording import RECORD

#: Words that are values as often as marks: proposed only where they stand among numbers alone.
DOUBTFUL = (
    "None none unknown Unknown UNKNOWN unk Unk UNK missing Missing MISSING desconocido Desconocido desconegut inconnu Inconnu "
    "unbekannt Unbekannt nd ND"
).split()
_SURE = tuple(marker for marker in MARKERS if marker not in DOUBTFUL)
_NUMBER = r"^-?[0-9]+(?:[.,][0-9]+)?$"


def find_markers(source: ColumnSource) -> dict[str, list[str]]:
    """The markers to propose, by column."""
    found = {name: _markers_in(source.column(name)) for name in source.names}
    return {name: markers for name, markers in found.items() if markers}


def _markers_in(column: pl.Series) -> list[str]:
    """The markers among the values of a column; none in a column of nothing else, which does not say what they mean."""
    if not is_text(column.dtype):
        return []
    texts = column.drop_nulls().cast(pl.String).str.strip_chars().unique()
    present = texts.is_in([*_SURE, *DOUBTFUL])
    others = texts.filter(~present)
    if not len(others):
        return []
    numbers = share(others, _NUMBER) == 1
    known = set(texts.filter(present).to_list())
    return [m for m in (*_SURE, *DOUBTFUL) if m in known and not _is_value(m, others, numbers=numbers)]


def _marker_notes(found: Mapping[str, Sequence[str]]) -> list[str]:
    """Which markers are proposed, and in how many columns each."""
    if not found:
        return []
    times = Counter(marker for markers in found.values() for marker in markers)
    shown = some_of([f"{marker!r} in {counted(number, 'column')}" for marker, number in times.most_common()], 10)
    return [f"taken for missing values: {shown} (missing_markers in the policy; --missing says it otherwise)"]


def _is_value(marker: str, others: pl.Series, *, numbers: bool) -> bool:
    """May the text be a value among these others?"""
    if marker in DOUBTFUL:
        return not numbers
    if marker in ("-", "--"):
        return bool(others.str.contains(r"^\++$").any())
    return marker == "NA" and len(others) >= 3 and share(others, "^[A-Z]{2}$") == 1


#: Models that a policy is proposed for, by their names.
PRESETS = {"safe_harbor": SafeHarbor}
ROLES = ("identifier", "quasi", "sensitive", "other")


def profile(
    data: Any,
    *,
    taxonomies: Mapping[str, str | Path] | None = None,
    roles: Mapping[str, str] | None = None,
    person: str | Sequence[str] | None = None,
    unmatched: Unmatched = "flat",
    preset: Literal["safe_harbor"] | None = None,
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
    person : str or sequence of str, optional
        The columns that say whose a record is: identifiers, unless ``roles`` says otherwise. Not given: the one repeated
        identifier that is named like a key of persons, if there is one; records are counted if there is none.
    unmatched : {'flat', 'stop'}, default 'flat'
        Where a taxonomy that fits does not cover some values: the column is flat and the policy runs at once, or it is
        nominal and masking stops at them until they are mapped.
    preset : {'safe_harbor'}, optional
        A rule that the release must satisfy: the policy requires it, and columns that it refuses are proposed in a form that
        it permits, or left out.
    reading : Reading, optional
        How the file is read; the policy keeps it. Unless it names missing markers, those that are found are proposed for
        the columns that hold them.

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
    markers = {} if source.reading.missing else find_markers(source)
    if markers:
        source = columns_of(data, reading, markers)
    persons = [person] if isinstance(person, str) else list(person or [])
    given, given_roles = dict(taxonomies or {}), dict.fromkeys(persons, "identifier") | dict(roles or {})
    for name in [*given, *given_roles]:
        if name not in source.names:
            near = did_you_mean(name, source.names)
            raise OptionError(f"the data have no column {name!r}", remedy=f"{near}Check the name of the column.")
    for role in given_roles.values():
        one_of(role, ROLES, "role")
    one_of(unmatched, ("stop", "flat"), "way with unmatched values")
    if preset is not None:
        one_of(preset, PRESETS, "preset")
    required = () if preset is None else (PRESETS[preset](),)
    known = Taxonomies()
    columns = [_look(source, name, given.get(name), given_roles.get(name), known, unmatched) for name in source.names]
    for column in columns:
        column.proposal.missing_markers = markers.get(column.name, [])
        column.proposal.checks += [
            f"{marker!r} among numbers is taken for a missing value (missing_markers): is it?"
            for marker in column.proposal.missing_markers
            if marker in DOUBTFUL
        ]
    sentences = _marker_notes(markers)
    for model in required:
        sentences += make_safe(columns, source, given_roles, model)
    sentences += limit_roles(columns, given_roles)
    sentences += [f"column {name!r} holds several values in one cell and is left out" for name in source.nested]
    keys = [
        repeating_column(source.column(c.name)) for c in columns if c.role == "identifier" and not c.proposal.unknown
    ]
    repeating = [key for key in keys if key is not None]
    persons = persons or _person(repeating, columns)
    sentences += [key.sentence() for key in repeating if not persons]
    notes = [*map(str, source.notes), *known.notes, *sentences]
    return Profile(
        tuple(columns), source.records, source.looked, notes, source.path, source.reading, tuple(persons), required
    )


def _person(keys: Sequence[Repeating], columns: Sequence[ColumnProfile]) -> list[str]:
    """The key of a person who has several records, if one column alone is named like it; a person must confirm it."""
    named = [key for key in keys if key.names_persons]
    if len(named) != 1:
        return []
    (key,) = named
    (column,) = (c for c in columns if c.name == key.name)
    if key.missing:
        column.proposal.checks.append(
            f"{key.different:,} {key.unit} have {RECORD.counted(key.number)}, but {RECORD.counted(key.missing)} "
            f"{'does' if key.missing == 1 else 'do'} not say whose, so records are counted; to count {key.unit}, {FILL}, and "
            f"write person: {short(key.name)}"
        )
        return []
    column.proposal.checks.append(
        f"{key.different:,} {key.unit} have {RECORD.counted(key.number)}, so {key.unit} are counted and not records "
        f"(person: {short(key.name)}); if records are to be counted, delete that line"
    )
    return [key.name]


def _look(
    source: ColumnSource, name: str, given: str | Path | None, role: Any, known: Taxonomies, unmatched: Unmatched
) -> ColumnProfile:
    facts = Facts.of(source.column(name), ordered=name in source.ordered)
    if role is not None and role != "identifier" and name in source.nested:
        raise nested(name, "lists or structures")

    def ask(topic: Any, values: Facts) -> list[Candidate]:
        written = values
        if values.is_number and (given is not None or (topic is not None and topic.codes is not None)):
            written = Facts.of(source.as_written(name))
        return candidates(written, topic, None if given is None else str(given), known)

    partly = source.looked < source.records
    proposal = propose(facts, role, ask, unmatched, all_seen=not partly)
    if partly and (proposal.kind == "nominal" or facts.order is not None):
        # A value that stands elsewhere in the file would stop masking.
        facts = facts.with_values(source.distinct(name))
        proposal = propose(facts, role, ask, unmatched)
    if proposal.kind == "flat" and facts.is_text:
        proposal.checks += spelled_alike(facts.texts)
    if name in source.nested:
        proposal.leave_out(
            "several values in one cell, which cannot be masked: it is left out of the release",
            "if it holds lists of concepts, write kind: nominal, the taxonomy of its items and many: '|'; else give each value "
            "a column or a record of its own",
        )
    return ColumnProfile(
        name, facts.type, facts.distinct, facts.missing, facts.unique, proposal, tuple(facts.examples())
    )
