"""Evaluation of one candidate: its figures, on the columns and measures that all candidates share."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import fmean
from typing import Any, Literal

import numpy as np

from ontomask.assessment.attacks import attacks_of
from ontomask.assessment.disclosure import Disclosure, disclosure_of
from ontomask.assessment.linkage import KINDS, linkage_of
from ontomask.assessment.loss import compared_losses, loss_of
from ontomask.assessment.pairing import Pairing
from ontomask.assessment.risk import risk_of
from ontomask.assessment.shared_columns import pair_on
from ontomask.errors import DataError
from ontomask.microdata.open_table import with_own_orders
from ontomask.policy.policy import Policy
from ontomask.privacy.examined import Examined
from ontomask.privacy.models import Finding, k_of
from ontomask.release.result import Result
from ontomask.wording import RECORD

#: Why a candidate has no figures.
Failure = Literal["refused", "unmasked", "invalid", "incomparable", "died"]
#: Sets of masked columns of which every union is judged; where there are more, that of all and those of all but one.
MOST_SETS = 3


@dataclass(frozen=True)
class Ground:
    """What candidates are judged on, the same for all of them.

    ``attributes``: what the columns are, by whatever a candidate took them for. ``unions``: the sets of columns that
    loss may be asked of, as it is known only in the end which candidates have a release; the last is that of all.
    ``measure`` with its ``options`` judges nominal columns in place of their own.
    """

    attributes: Mapping[str, Any]
    unions: Sequence[tuple[str, ...]]
    measure: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def of(
        attributes: Mapping[str, Any],
        policies: Sequence[Policy],
        measure: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Ground:
        """What the columns that some policies mask are judged on."""
        sets = list(dict.fromkeys(frozenset(policy.masked) for policy in policies))
        every = frozenset[str]().union(*sets)
        unions = {every}
        if len(sets) <= MOST_SETS:
            found = {frozenset[str]()}
            for one in sets:
                found |= {union | one for union in found}
            unions |= found - {frozenset()}
        else:
            unions |= {frozenset[str]().union(*(other for other in sets if other != one)) for one in sets}
        ordered = [tuple(name for name in attributes if name in union) for union in unions]
        ordered.sort(key=lambda union: (len(union), union))
        return Ground(attributes, tuple(ordered), measure, dict(options or {}))


def key_of(columns: Sequence[str]) -> str:
    """A set of columns as the name of its figures."""
    return json.dumps(list(columns), ensure_ascii=False)


@dataclass(frozen=True)
class Run:
    """What came of one candidate; ``error`` in place of figures where there is no release.

    ``failure`` says of which kind that is: ``refused``, its release fails what it must satisfy, or its method promises less;
    ``unmasked``, it masks nothing; ``invalid``, it cannot be run on these data; ``incomparable``, its figures cannot be
    compared with those of the others; ``died``, its process ended or ran out of memory.

    ``losses``: the measures of loss that are compared (:class:`Compared`), of the columns that are compared; None where
    one is not finite. ``on`` holds them by sets of columns (:func:`key_of`). ``linkage`` is of the quasi-identifiers.
    ``worst``: the share of released records, or persons, that the worst attack re-identifies, and ``worst_attack`` its name.
    ``learned`` and ``guessed``: attribute disclosure by sensitive column. ``seconds`` of masking alone;
    ``total_seconds`` of the whole run, with encoding and verification; ``first_seconds``: what was done before, once in
    its process: kernels were compiled or loaded and taxonomies read, on a few records.
    """

    name: str
    method: str
    k: int | None
    seconds: float = 0.0
    total_seconds: float = 0.0
    first_seconds: float = 0.0
    error: str | None = None
    failure: Failure | None = None
    remedy: str | None = None
    losses: dict[str, float | None] = field(default_factory=dict)
    linkage: dict[str, float] = field(default_factory=dict)
    worst: float | None = None
    worst_attack: str | None = None
    learned: dict[str, float] = field(default_factory=dict)
    guessed: dict[str, float] = field(default_factory=dict)
    smallest: int | None = None
    unique: int | None = None
    removed: int | None = None
    records: int | None = None
    promised_k: int = 1
    promises: bool = False
    promised: str | None = None
    guarantees: list[dict[str, str]] = field(default_factory=list)
    on: dict[str, dict[str, float | None]] = field(default_factory=dict)

    @property
    def loss(self) -> float | None:
        """The measure of loss in the score, in percent; None where it is not known or not finite."""
        return self.losses.get("loss")

    @property
    def disclosure(self) -> Disclosure | None:
        """Attribute disclosure; None where nothing is sensitive."""
        return Disclosure(self.learned, self.guessed) if self.learned else None

    def judged_on(self, columns: Sequence[str]) -> Run:
        """The same with the loss of these columns."""
        if self.error is not None:
            return self
        return replace(self, losses=self.on.get(key_of(columns), {}))

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain values."""
        return asdict(self)


def failed_run(name: str, policy: Policy, error: str, failure: Failure, remedy: str | None = None) -> Run:
    """A candidate without figures."""
    return Run(**begun(name, policy), error=error, failure=failure, remedy=remedy)


def judged(name: str, result: Result, ground: Ground | None = None) -> Run:
    """The figures of a result; on its own masked columns, if nothing else is said.

    Where there are several releases of the same records, loss is the mean over them, and what an intruder finds the most
    in one of them.
    """
    ground = Ground.of(result.policy.attributes, [result.policy]) if ground is None else ground
    runs = [_judged(name, part, ground) for part in result.each]
    first = runs[0]
    if len(runs) > 1:
        worst = max(runs, key=lambda run: run.worst or 0.0)
        first = replace(
            first,
            on={key: _mean([run.on[key] for run in runs]) for key in first.on},
            linkage={kind: max(run.linkage[kind] for run in runs) for kind in first.linkage},
            worst=worst.worst,
            worst_attack=worst.worst_attack,
            learned={column: max(run.learned[column] for run in runs) for column in first.learned},
            smallest=min(run.smallest or 0 for run in runs),
            unique=max(run.unique or 0 for run in runs),
        )
    findings = [finding for finding in result.verification.findings if finding.holds]
    whole = replace(
        first,
        seconds=result.masking_seconds,
        promised_k=k_of(finding.model for finding in findings),
        promises=result.promises,
        promised=_promised(findings),
        guarantees=[statement.to_dict() for statement in result.guarantees],
    )
    return whole.judged_on(ground.unions[-1])


def _mean(parts: Sequence[Mapping[str, float | None]]) -> dict[str, float | None]:
    """The mean of every figure; None where one is None."""
    found: dict[str, float | None] = {}
    for figure in parts[0]:
        values = [part[figure] for part in parts]
        known = [value for value in values if value is not None]
        found[figure] = fmean(known) if len(known) == len(values) else None
    return found


def _judged(name: str, result: Result, ground: Ground) -> Run:
    """The figures of one release."""
    policy = result.policy
    quasi = tuple(policy.quasi_identifiers)
    pairings = _Pairings(result, ground)
    on: dict[str, dict[str, float | None]] = {}
    for columns in ground.unions:
        if set(policy.masked) <= set(columns):
            try:
                pairing = pairings.on(columns)
            except DataError:  # a column that only others mask cannot be read: nor can they have a release
                continue
            lost = loss_of(pairing).values
            figures = {compared.key: lost[measure.name] for measure, compared in compared_losses()}
            on[key_of(columns)] = {key: value if math.isfinite(value) else None for key, value in figures.items()}
    data = result.released
    risk = risk_of(data)
    records, released = len(result.prepared.kept), len(data)
    known = pairings.on(quasi) if quasi else None
    # Who knows nothing of a record picks any.
    size, shown = (records, released) if risk.unit == RECORD else (result.prepared.examined.number, data.number)
    linkage = {kind: 1 / size if known is None else linkage_of(known, kind) for kind in KINDS}
    worst = attacks_of(linkage, risk, size, shown, recognizable=policy.recognizable)[0]
    inside = np.searchsorted(np.flatnonzero(result.prepared.kept), result.records)
    sought = None if policy.recognizable else known
    before = result.prepared.examined
    original = Examined.of(before.data, ground.attributes, before.units, before.meanings)
    disclosure = disclosure_of(original, original.beside(data.data, inside), inside, sought)
    return Run(
        **begun(name, policy),
        linkage={str(kind): share for kind, share in linkage.items()},
        worst=worst.share,
        worst_attack=worst.name,
        learned={} if disclosure is None else disclosure.learned,
        guessed={} if disclosure is None else disclosure.guessed,
        smallest=risk.smallest,
        unique=risk.unique,
        removed=records - released,
        records=records,
        on=on,
    )


class _Pairings:
    """A result's records before and after, on sets of columns; each set is paired once."""

    def __init__(self, result: Result, ground: Ground) -> None:
        self.result, self.ground = result, ground
        self.attributes = with_own_orders(ground.attributes, result.prepared.taken)
        self._made: dict[frozenset[str], Pairing] = {}

    def on(self, columns: Sequence[str]) -> Pairing:
        key = frozenset(columns)
        if key not in self._made:
            prepared = self.result.prepared
            if self._own(key):  # what is computed of it is not computed twice
                pairing = self.result.pairing
            else:
                names = [name for name in prepared.data.columns if name in key]
                dropped = len(prepared.kept) - prepared.table.n
                pairing = pair_on(names, self.attributes, prepared.table, self.result.masked, prepared.data, dropped)
            judged = pairing.weighted(self.attributes)  # a candidate may have steered masking by other weights
            self._made[key] = judged.measured(self.ground.measure, self.ground.options)
        return self._made[key]

    def _own(self, columns: frozenset[str]) -> bool:
        """Are these just the columns that the method worked on, and taken for the same?"""
        own = {column.name: column.attribute.kind for column in self.result.prepared.table.columns}
        return own == {name: self.attributes[name].kind for name in columns}


def _promised(findings: Sequence[Finding]) -> str | None:
    """What was promised and holds, in words: models that not every table satisfies, and the largest k alone."""
    models = [finding.model for finding in findings if finding.model.protects]
    largest = k_of(models)
    promises = [m.describe() for m in models if not m.sizes_only or m.class_size in (None, largest)]
    return ", ".join(dict.fromkeys(promises)) or None


def begun(name: str, policy: Policy) -> dict[str, Any]:
    """What is known of a candidate before it is run."""
    assert policy.method is not None
    return {"name": name, "method": policy.method.name, "k": policy.stated_k}
