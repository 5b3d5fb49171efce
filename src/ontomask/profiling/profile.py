"""``profile``: a proposed kind and role for each column of a table, with reasons, and a policy from it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import polars as pl

from ontomask.arguments import as_path, counted, did_you_mean, one_of
from ontomask.column_names.repeated_identifiers import repeating_column
from ontomask.errors import DataError, OptionError, OutputError, PolicyError
from ontomask.masking.generalization import Generalization
from ontomask.masking.method import Method
from ontomask.masking.method import Method as AnyMethod
from ontomask.microdata.odd_columns import nested
from ontomask.microdata.reading_options import Reading
from ontomask.microdata.writing import write_text
from ontomask.policy.policy import METHODS, Policy
from ontomask.policy.policy_file import policy_text
from ontomask.privacy.k_anonymity import KAnonymity
from ontomask.profiling.column_facts import Facts
from ontomask.profiling.column_sources import ColumnSource, columns_of
from ontomask.profiling.marker_proposals import Markers, find_markers
from ontomask.profiling.proposal import AnyRole, Kind, Proposal
from ontomask.profiling.proposals import Unmatched, propose
from ontomask.profiling.role_limits import settle_together, worded_for
from ontomask.profiling.taxonomy_candidates import Candidate, Taxonomies, candidates
from ontomask.settings import validated
from ontomask.showing import html_card, html_table, text_table

ROLES = ("identifier", "quasi", "sensitive", "other")
DEFAULT_K = 5
#: The columns of the table that people see; figures are aligned to the right.
_HEADS = ("column", "type", "values", "missing", "unique", "role", "kind", "taxonomy")
_RIGHT = tuple(head in ("values", "missing", "unique") for head in _HEADS)


@dataclass(frozen=True)
class ColumnProfile:
    """One column: what was found, what is proposed, why, and what to check.

    ``unique`` is the share of records whose value no other has. ``candidates`` are the taxonomies that hold values of
    it. ``examples`` are values of the data: they are shown only when asked for and never written.
    """

    name: str
    type: str
    distinct: int
    missing: int
    unique: float
    proposal: Proposal
    examples: tuple[Any, ...] = field(default=(), repr=False)

    @property
    def role(self) -> AnyRole:
        return self.proposal.role

    @property
    def kind(self) -> Kind:
        return self.proposal.kind

    @property
    def taxonomy(self) -> str | None:
        return self.proposal.taxonomy

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        return tuple(self.proposal.candidates)

    @property
    def reason(self) -> str:
        return "; ".join(self.proposal.reasons)

    @property
    def checks(self) -> tuple[str, ...]:
        return tuple(self.proposal.checks)

    @property
    def hints(self) -> tuple[str, ...]:
        return tuple(self.proposal.hints)

    def comments(self) -> list[str]:
        """What a policy file says of the column."""
        facts = [counted(self.distinct, "value")] if self.distinct else []
        facts += [f"{self.missing:,} missing"] if self.missing else []
        facts += [f"{_share(self.unique)} of the records unique on it"] if self.unique else []
        said = f"{self.reason}. ({', '.join(facts)})" if facts else f"{self.reason}."
        hints = [f"Hint: {hint}." for hint in self.hints]
        return [said[0].upper() + said[1:], *hints, *(f"CHECK: {check.rstrip('?.')}." for check in self.checks)]


@dataclass(frozen=True, repr=False)
class Profile:
    """What :func:`profile` found: ``columns``, in the order of the data; ``table``; ``policy()`` and ``save()``.

    Of ``records`` records, ``looked`` were looked at. ``notes`` say how the file was read and what was not tried.
    """

    columns: tuple[ColumnProfile, ...]
    records: int
    looked: int
    notes: list[str] = field(default_factory=list)
    path: Path | None = None
    reading: Reading = field(default_factory=Reading)

    def __getitem__(self, name: str) -> ColumnProfile:
        for column in self.columns:
            if column.name == name:
                return column
        near = did_you_mean(name, [column.name for column in self.columns])
        raise OptionError(f"no column {name!r} in the profile", remedy=f"{near}Check its name.")

    def __iter__(self) -> Iterator[ColumnProfile]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def table(self) -> pl.DataFrame:
        """A row for each column: what was found and proposed; ``check`` holds what a person must decide."""
        rows = [
            (c.name, c.type, c.distinct, c.missing, c.unique, c.role, c.kind, c.taxonomy, c.reason, list(c.checks))
            for c in self.columns
        ]
        schema = {"column": pl.String, "type": pl.String, "distinct": pl.Int64, "missing": pl.Int64}
        more = {"unique": pl.Float64, "role": pl.String, "kind": pl.String, "taxonomy": pl.String, "reason": pl.String}
        return pl.DataFrame(rows, schema=schema | more | {"check": pl.List(pl.String)}, orient="row")

    @property
    def candidates(self) -> pl.DataFrame:
        """A row for each column and taxonomy that was tried: shares with a place, values without one or with several."""
        rows = [
            (c.name, t.taxonomy, t.values, t.records, t.unmatched, t.ambiguous, t.fits)
            for c in self.columns
            for t in c.candidates
        ]
        schema = {"column": pl.String, "taxonomy": pl.String, "values": pl.Float64, "records": pl.Float64}
        more = {"unmatched": pl.Int64, "ambiguous": pl.Int64, "fits": pl.Boolean}
        return pl.DataFrame(rows, schema=schema | more, orient="row")

    @property
    def to_check(self) -> dict[str, list[str]]:
        """Everything a person must decide, each with the columns it is about."""
        found: dict[str, list[str]] = {}
        for column in self.columns:
            for check in column.checks:
                found.setdefault(check, []).append(column.name)
        return found

    def policy(
        self,
        method: Method | str = "microaggregation",
        k: int | None = None,
        *,
        row_order: Literal["kept", "shuffled"] = "shuffled",
    ) -> Policy:
        """A policy of the proposals. ``method``: a method, or the name of one, which is given ``k`` if it takes it.

        k-anonymity is required unless the method does not aim at it, with ``k`` or what the method promises, else 5.
        """
        chosen, aims = _method(method, DEFAULT_K if k is None else k)
        if k is None:
            k = chosen.promised_k if chosen.promised_k > 1 else DEFAULT_K
        proposed = {c.name: c.proposal.attribute(may_lack=False) for c in self.columns}
        if not chosen.masked_columns(proposed):
            named = "age" if chosen.masks[0] == "quasi" else "charge"
            raise PolicyError(
                f"no column has a role that {chosen.name} masks ({' or '.join(chosen.masks)})",
                remedy=f"Set the role of one: profile(data, roles={{'{named}': '{chosen.masks[0]}'}}), ontomask init --role "
                f"{named}={chosen.masks[0]}.",
            )
        if aims and k > self.records:
            raise DataError(
                f"k is {k:,} and there {'is' if self.records == 1 else 'are'} {counted(self.records, 'record')}",
                remedy="A class cannot have more records than the data: choose a smaller k.",
            )
        studied = set(chosen.studied_columns(proposed))
        attributes = {
            c.name: c.proposal.attribute(may_lack=c.name in studied and (c.missing > 0 or self.looked < self.records))
            for c in self.columns
        }
        return Policy(
            attributes=attributes,
            method=chosen,
            require=[KAnonymity(k=k)] if aims else [],
            row_order=row_order,
            reading=self.reading,
        )

    def policy_text(self, *, folder: Path | None = None, **settings: Any) -> str:
        """The policy as YAML with the reasons and what to check; ``settings`` as of :meth:`policy`."""
        policy = self.policy(**settings)
        assert policy.method is not None
        masks = policy.method.masks
        comments = {column.name: [worded_for(text, masks) for text in column.comments()] for column in self.columns}
        return policy_text(policy, folder, head=self._head(), comments=comments)

    def save(self, path: str | Path, *, overwrite: bool = False, **settings: Any) -> Path:
        """Write :meth:`policy_text` to a file, which ``Policy.load`` reads."""
        file = as_path(path)
        if self.path is not None and file.exists() and os.path.samefile(file, self.path):
            raise OutputError(
                "this is the file the data came from", where=str(file), remedy="Give the policy a name of its own."
            )
        return write_text(self.policy_text(folder=file.parent.resolve(), **settings), file, overwrite=overwrite)

    def _head(self) -> list[str]:
        source = f" of {self.path.name}" if self.path is not None else ""
        looked = counted(self.records, "record")
        if self.looked < self.records:
            looked = f"{self.looked:,} of {looked}"
        count = sum(bool(column.checks) for column in self.columns)
        doubts = f"{counted(count, 'column')} {'needs' if count == 1 else 'need'} somebody who knows the data"
        return [
            f"Proposed from {looked}{source}. It runs as it is, but it is a proposal, not a decision.",
            "It holds no values of the data except the order of ordinal columns and markers of missing values.",
            f"Look for CHECK: {doubts}." if count else "Nothing is marked CHECK; read it all the same.",
            "A column that others can know and that is not masked can identify a person. Identifiers are removed.",
        ]

    def __repr__(self) -> str:
        return f"<Profile: {counted(self.records, 'record')}, {counted(len(self.columns), 'column')}>"

    def __str__(self) -> str:
        """A plain table for a terminal, and below it what to check."""
        lines = text_table(_HEADS, self._rows(), _RIGHT)
        lines += [f"check {', '.join(names)}: {what}" for what, names in self.to_check.items()]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (c.name, c.type, f"{c.distinct:,}", f"{c.missing:,}", f"{c.unique:.1%}", c.role, c.kind, c.taxonomy or "")
            for c in self.columns
        ]

    def _repr_html_(self) -> str:
        rows = [(*cells, c.reason, list(c.checks)) for c, cells in zip(self.columns, self._rows(), strict=True)]
        table = html_table((*_HEADS, "why", "check"), rows, (*_RIGHT, False, False))
        return html_card(repr(self).strip("<>"), table, notes=self.notes)


def profile(
    data: Any,
    *,
    taxonomies: Mapping[str, str | Path] | None = None,
    roles: Mapping[str, str] | None = None,
    unmatched: Unmatched = "flat",
    reading: Reading | None = None,
) -> Profile:
    """Look at a frame (pandas, Polars, PyArrow) or a file and propose what each column is.

    Roles and kinds are guessed from names and from what the values show, taxonomies by matching the values.
    ``taxonomies`` gives columns a taxonomy to try (a file, or a name of the catalog), ``roles`` settles roles
    (identifier, quasi, sensitive, other). What is uncertain is proposed as the safer choice and marked.
    ``unmatched``: where a taxonomy that fits does not cover some values, the column is ``flat`` and the policy runs at
    once, or it is nominal and masking stops (``"stop"``) at them until they are mapped. ``reading`` says how a file is to
    be read; the policy keeps it. Unless it names missing markers, those that are found are proposed in it.

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
    given, settled = dict(taxonomies or {}), dict(roles or {})
    for name in [*given, *settled]:
        if name not in source.names:
            near = did_you_mean(name, source.names)
            raise OptionError(f"the data have no column {name!r}", remedy=f"{near}Check the name of the column.")
    for role in settled.values():
        one_of(role, ROLES, "role")
    one_of(unmatched, ("stop", "flat"), "way with unmatched values")
    known = Taxonomies()
    columns = [_look(source, name, given.get(name), settled.get(name), known, unmatched) for name in source.names]
    for column in columns:
        column.proposal.checks += [
            f"{marker!r} among numbers is taken for a missing value (reading: missing): is it?"
            for marker in markers.taken.get(column.name, ())
        ]
    told = [*markers.notes, *settle_together(columns, settled)]
    told += [f"column {name!r} holds several values in one cell and is left out" for name in source.nested]
    keys = [
        repeating_column(source.column(c.name)) for c in columns if c.role == "identifier" and not c.proposal.unknown
    ]
    told += [key.sentence() for key in keys if key is not None]
    notes = [*source.notes, *known.notes, *told]
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


def _share(share: float) -> str:
    return f"{share:.1%}" if share >= 0.001 else "less than 0.1%"


def _method(method: Method | str, k: int) -> tuple[Method, bool]:
    """The method, and whether k-anonymity is what it is for."""
    if isinstance(method, AnyMethod):
        return method, method.promised_k > 1 or isinstance(method, Generalization)
    one_of(method, METHODS, "method")
    cls = METHODS[method]
    made: AnyMethod = validated(cls, {"k": k} if "k" in cls.model_fields else {})
    return made, made.promised_k > 1 or isinstance(made, Generalization)
