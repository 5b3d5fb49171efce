"""``Proposal``: the proposed role and kind of one column, the reasons, and what a person must check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from ontomask.kinds.flat import Flat
from ontomask.kinds.nominal import Nominal
from ontomask.kinds.numeric import Numeric
from ontomask.kinds.ordinal import Ordinal
from ontomask.microdata.attributes import Attribute, Identifier, Missing, Role
from ontomask.profiling.taxonomy_candidates import Candidate

Kind = Literal["nominal", "ordinal", "flat", "numeric", "identifier"]
AnyRole = Literal["identifier", "quasi", "sensitive", "other"]


@dataclass
class Proposal:
    """What a column is taken for. ``checks``: what a person must decide, none if the rules are sure; ``hints``: what
    could be made better."""

    role: AnyRole
    kind: Kind
    reasons: list[str]
    checks: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    taxonomy: str | None = None
    decimals: int | None = None
    order: list[str] | None = None
    candidates: Sequence[Candidate] = ()
    #: Nothing tells what the column is: it is masked because that is safer.
    unknown: bool = False

    def attribute(self, *, may_lack: bool = False) -> Attribute | Identifier:
        """As a policy has it; ``may_lack``: values may be missing where the column is masked."""
        if self.role == "identifier":
            return Identifier()
        role: Role = self.role
        missing: Missing | None = "category" if may_lack else None
        if self.kind == "nominal":
            assert self.taxonomy is not None
            return Nominal(taxonomy=self.taxonomy, role=role, missing=missing)
        if self.kind == "numeric":
            return Numeric(role=role, missing=missing, decimals=self.decimals)
        if self.kind == "ordinal":
            return Ordinal(role=role, missing=missing, order=self.order)
        return Flat(role=role, missing=missing)

    def leave_out(self, why: str, check: str) -> None:
        """Remove the column from the release until somebody decides."""
        self.role, self.kind, self.taxonomy, self.order = "identifier", "identifier", None, None
        self.reasons, self.checks, self.hints = [why], [check], []
