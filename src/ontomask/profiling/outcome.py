"""What a profile found: what is proposed for every column, with reasons and what a person must check, and the policy of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import polars as pl

from ontomask.arguments import as_path, counted, did_you_mean, one_of
from ontomask.display import html_card, html_table, text_table
from ontomask.errors import DataError, OptionError, OutputError, PolicyError
from ontomask.files.writing import write_text
from ontomask.kinds.registry import KINDS
from ontomask.masking.method import Method
from ontomask.microdata.attributes import Attribute, Identifier, Missing, Role
from ontomask.microdata.reading_options import Reading
from ontomask.policy.policy import METHODS, Policy
from ontomask.policy.policy_file import policy_text
from ontomask.privacy.k_anonymity import KAnonymity
from ontomask.privacy.models import Model
from ontomask.profiling.taxonomy_candidates import Candidate
from ontomask.settings import validated

#: What a column can be proposed as: the kinds of the registry, which a test compares.
Kind = Literal["nominal", "ordinal", "flat", "numeric", "date", "place", "identifier"]
AnyRole = Literal["identifier", "quasi", "sensitive", "other"]


#: The roles that most methods mask.
DEFAULT_MASKS = ("quasi",)


class ByRole(NamedTuple):
    """A text on roles, where quasi-identifiers are masked and where sensitive columns are in their place."""

    quasi_masked: str
    sensitive_masked: str


def _worded(texts: Iterable[str | ByRole], masks: Sequence[str]) -> list[str]:
    return [text if isinstance(text, str) else text[0] if "quasi" in masks else text[1] for text in texts]


@dataclass
class Proposal:
    """What a column is taken for. ``checks``: what a person must decide, none if the rules are sure; ``hints``: what
    could be made better."""

    role: AnyRole
    kind: Kind
    reasons: list[str | ByRole]
    checks: list[str | ByRole] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    taxonomy: str | None = None
    decimals: int | None = None
    order: list[str] | None = None
    missing_markers: list[str] = field(default_factory=list)
    #: Other settings of the kind.
    more: dict[str, Any] = field(default_factory=dict)
    candidates: Sequence[Candidate] = ()
    #: Nothing tells what the column is: it is masked because that is safer.
    unknown: bool = False
    #: Lines of a policy that could be written in its place, and what leads to them.
    example: list[str] = field(default_factory=list)

    def attribute(self, *, may_lack: bool = False) -> Attribute | Identifier:
        """As a policy has it; ``may_lack``: values may be missing where the column is masked."""
        if self.role == "identifier":
            return Identifier()
        role: Role = self.role
        missing: Missing | None = "category" if may_lack else None
        kind = next(one for one in KINDS if one.model_fields["kind"].default == self.kind)
        found: dict[str, Any] = {"taxonomy": self.taxonomy, "table": self.taxonomy}
        found |= {"decimals": self.decimals, "order": self.order}
        own = {name: value for name, value in found.items() if name in kind.model_fields}
        own |= {"missing_markers": self.missing_markers} if self.missing_markers else {}
        made: Attribute = validated(kind, {"role": role, "missing": missing, **own, **self.more})
        return made

    def reason_for(self, masks: Sequence[str] = DEFAULT_MASKS) -> str:
        """The reasons in words, for a method that masks the columns of these roles."""
        return "; ".join(_worded(self.reasons, masks))

    def checks_for(self, masks: Sequence[str] = DEFAULT_MASKS) -> list[str]:
        """What to check, for a method that masks the columns of these roles."""
        return _worded(self.checks, masks)

    def leave_out(self, why: str, check: str | ByRole) -> None:
        """Remove the column from the release until somebody decides."""
        self.role, self.kind, self.taxonomy, self.order = "identifier", "identifier", None, None
        self.reasons, self.checks, self.hints, self.more = [why], [check], [], {}


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
        return self.proposal.reason_for()

    @property
    def checks(self) -> tuple[str, ...]:
        return tuple(self.proposal.checks_for())

    @property
    def hints(self) -> tuple[str, ...]:
        return tuple(self.proposal.hints)

    def comments(self, masks: Sequence[str]) -> list[str]:
        """What a policy file says of the column, with a method that masks the columns of these roles."""
        reason, checks = self.proposal.reason_for(masks), self.proposal.checks_for(masks)
        facts = [counted(self.distinct, "value")] if self.distinct else []
        facts += [f"{self.missing:,} missing"] if self.missing else []
        facts += [f"{_share(self.unique)} of the records unique on it"] if self.unique else []
        said = f"{reason}. ({', '.join(facts)})" if facts else f"{reason}."
        hints = [f"Hint: {hint}." for hint in self.hints]
        asked = [f"CHECK: {_ended(check)}" for check in checks]
        return [said[0].upper() + said[1:], *hints, *asked, *self.proposal.example]


@dataclass(frozen=True, repr=False)
class Profile:
    """What :func:`profile` found and proposes.

    Attributes
    ----------
    columns : tuple of ColumnProfile
        In the order of the data.
    records : int
        The records of the data.
    looked : int
        How many of them were looked at.
    notes : list of str
        How the file was read and what was not tried.
    path : Path or None
        The file.
    reading : Reading
        How it is read.
    person : tuple of str
        The columns that say whose a record is; the policy counts persons where there are some.
    required : tuple of Model
        What a preset asks of the release, besides k-anonymity.
    """

    columns: tuple[ColumnProfile, ...]
    records: int
    looked: int
    notes: list[str] = field(default_factory=list)
    path: Path | None = None
    reading: Reading = field(default_factory=Reading)
    person: tuple[str, ...] = ()
    required: tuple[Model, ...] = ()

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

    def to_check(self, masks: Sequence[str] = DEFAULT_MASKS) -> dict[str, list[str]]:
        """Everything a person must decide, each with the columns it is about; ``masks``: the roles that a method masks."""
        found: dict[str, list[str]] = {}
        for column in self.columns:
            for check in column.proposal.checks_for(masks):
                found.setdefault(check, []).append(column.name)
        return found

    def policy(
        self,
        method: Method | str = "microaggregation",
        k: int | None = None,
        *,
        row_order: Literal["kept", "shuffled"] = "shuffled",
    ) -> Policy:
        """A policy of the proposals.

        Parameters
        ----------
        method : Method or str, default 'microaggregation'
            A method, or the name of one, which is given ``k`` if it takes it.
        k : int, optional
            The k of k-anonymity; not given: what the method promises, else 5.
        row_order : {'shuffled', 'kept'}, default 'shuffled'
            The order of the released records.

        Returns
        -------
        Policy
            k-anonymity is required unless the method does not aim at it; and what the preset asks for.
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
            require=[*([KAnonymity(k=k)] if aims else []), *self.required],
            row_order=row_order,
            reading=self.reading,
            person=list(self.person),
        )

    def policy_text(self, *, folder: Path | None = None, **settings: Any) -> str:
        """The policy as YAML with the reasons and what to check.

        Parameters
        ----------
        folder : Path, optional
            Files are named relative to it.
        **settings
            As of :meth:`policy`.

        Returns
        -------
        str
            The content of a policy file.
        """
        policy = self.policy(**settings)
        assert policy.method is not None
        comments = {column.name: column.comments(policy.method.masks) for column in self.columns}
        return policy_text(policy, folder, head=self._head(), comments=comments)

    def save(self, path: str | Path, *, overwrite: bool = False, **settings: Any) -> Path:
        """Write :meth:`policy_text` to a file, which ``Policy.load`` reads.

        Parameters
        ----------
        path : path
            The file.
        overwrite : bool, default False
            Replace a file that exists.
        **settings
            As of :meth:`policy`.

        Returns
        -------
        Path
            The file.
        """
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
        doubts = (
            f"{counted(count, 'column')} {'needs' if count == 1 else 'need'} a decision by somebody who knows the data"
        )
        return [
            f"Proposed from {looked}{source}. It runs as it is, but it is a proposal, not a decision.",
            "It contains no values of the data except the order of ordinal columns and (possible) markers of missing values.",
            f"Look for CHECK: {doubts}." if count else "Nothing is marked CHECK; read it all the same.",
            "A column that others can know and that is not masked can identify a person. Identifiers are removed.",
        ]

    def __repr__(self) -> str:
        return f"<Profile: {counted(self.records, 'record')}, {counted(len(self.columns), 'column')}>"

    def __str__(self) -> str:
        """A plain table for a terminal, and below it what to check."""
        lines = text_table(_HEADS, self._rows(), _RIGHT)
        lines += [f"check {', '.join(names)}: {what}" for what, names in self.to_check().items()]
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


def _ended(text: str) -> str:
    """A sentence with its mark at the end."""
    return text if text.endswith(("?", ".")) else f"{text}."


def _share(share: float) -> str:
    return f"{share:.1%}" if share >= 0.001 else "less than 0.1%"


def _method(method: Method | str, k: int) -> tuple[Method, bool]:
    """The method, and whether k-anonymity is what it is for."""
    if isinstance(method, Method):
        return method, method.promised_k > 1 or method.takes_required_k
    one_of(method, METHODS, "method")
    cls = METHODS[method]
    made: Method = validated(cls, {"k": k} if "k" in cls.model_fields else {})
    return made, made.promised_k > 1 or made.takes_required_k
