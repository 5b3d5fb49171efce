"""Runs as pages and REST show them: figures, requirements, the recorded reason, and the bar that is always in view."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ontomask.app.job_files import ANSWER, Job, State
from ontomask.app.storage import read_json, write_json
from ontomask.errors import OptionError

if TYPE_CHECKING:
    from ontomask.policy.policy import Policy

RESULT, REASON = "result", "reason.json"
#: A sentence has at least so many letters and words, and at most so many signs.
LEAST_LETTERS, LEAST_WORDS, LONGEST = 10, 3, 2000


@dataclass(frozen=True)
class Requirement:
    """A required model: its title, whether it holds, and a sentence on it."""

    title: str
    state: Literal["holds", "fails", "unknown"]
    sentence: str


@dataclass(frozen=True)
class RunInfo:
    """A run: what it was, and what came of it. Figures are None until it is done.

    ``loss`` is the headline measure and ``linkage`` semantic record linkage, in percent; ``unique`` counts what is counted,
    records or persons. ``reason``: the recorded sentence that allows a failing release to be downloaded.
    """

    id: str
    created: float
    state: State
    policy_revision: int
    error: str | None = None
    method: str = ""
    title: str = ""
    k: int | None = None
    seconds: float | None = None
    records: int | None = None
    released: int | None = None
    satisfied: bool | None = None
    promises: bool | None = None
    loss: float | None = None
    linkage: float | None = None
    unique: int | None = None
    unique_before: int | None = None
    counted: str = "records"
    units: int | None = None
    requirements: list[Requirement] = field(default_factory=list)
    guarantees: list[dict[str, str]] = field(default_factory=list)
    notes: list[dict[str, str]] = field(default_factory=list)
    readings: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    reason: str | None = None

    @property
    def downloadable(self) -> bool:
        """May the release be downloaded: it satisfies what is required, or somebody recorded a reason."""
        return self.state == "done" and (bool(self.satisfied) or self.reason is not None)


_ANSWERED = {f.name for f in fields(RunInfo)} - {"id", "created", "state", "policy_revision", "error", "reason"}


def run_info(job: Job) -> RunInfo:
    """The run of a job."""
    answer = read_json(job.folder / ANSWER) if job.state == "done" else None
    known = {name: value for name, value in (answer or {}).items() if name in _ANSWERED}
    known["requirements"] = [Requirement(**one) for one in known.get("requirements", [])]
    kept = read_json(job.folder / REASON) or {}
    seconds = None if job.ended is None or job.started is None else job.ended - job.started
    return RunInfo(
        id=job.id,
        created=job.created,
        state=job.state,
        policy_revision=job.policy_revision,
        error=job.error,
        reason=kept.get("reason"),
        **{"seconds": seconds} | known,
    )


def with_reason(job: Job, sentence: str) -> RunInfo:
    """Write beside a failing release why it is downloaded all the same; earlier reasons stay."""
    if job.state != "done":
        raise OptionError("the run is not done", remedy="Wait for it, or look at why it ended.")
    if run_info(job).satisfied:
        raise OptionError("the release satisfies what is required", remedy="It needs no reason: download it.")
    text = " ".join(sentence.encode("utf-8", "replace").decode().split())
    if sum(map(str.isalpha, text)) < LEAST_LETTERS or len(text.split()) < LEAST_WORDS or len(text) > LONGEST:
        raise OptionError(
            "the reason is not a sentence",
            remedy=f"Say in a sentence of at least {LEAST_WORDS} words why this release is handed out all the same.",
        )
    kept = read_json(job.folder / REASON) or {}
    earlier = [*kept.pop("earlier", []), kept] if kept else []
    content = {"reason": text, "recorded": time.time(), "release": "fails what its policy requires", "earlier": earlier}
    write_json(content, job.folder / REASON)
    return run_info(job)


def result_folder(job: Job) -> Path:
    """Where the result of a run is: ``release`` and ``confidential``."""
    return job.folder / RESULT


# ---- the bar -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bar:
    """What is always in view. None: not known yet.

    ``records`` are those of the data; ``units`` is how many of what is ``counted`` there are, records or persons, of which
    ``unique_before`` and ``unique_after`` are a part. ``run``: the run that the figures are of. ``outdated``: the policy was
    changed after that run, so that the requirements, which are those of the present policy, are not checked yet.
    """

    records: int | None = None
    counted: str = "records"
    units: int | None = None
    unique_before: int | None = None
    unique_after: int | None = None
    loss: float | None = None
    linkage: float | None = None
    requirements: list[Requirement] = field(default_factory=list)
    run: str | None = None
    created: float | None = None
    outdated: bool = False


def risk_key(policy: Policy) -> str:
    """What the risk of the original depends on in a policy: two policies with the same have the same risk."""
    quasi = {name: policy.attributes[name] for name in policy.quasi_identifiers}
    dropped = {name: attribute for name, attribute in policy.attributes.items() if attribute.missing == "drop_record"}
    counted = (policy.unit, policy.unit_columns, policy.household)
    return repr((quasi, counted, policy.reading, dropped, policy.severity is not None))


def bar_of(
    opened: Mapping[str, Any] | None,
    risk: Mapping[str, Any] | None,
    run: RunInfo | None,
    policy: Policy | None,
    *,
    outdated: bool,
) -> Bar:
    """The bar of a project; ``outdated``: the policy was changed after the run."""
    records = None if opened is None else opened["records"]
    asked = [] if policy is None else [model.describe() for model in policy.require]
    requirements = [Requirement(title, "unknown", "It is checked when a run is done.") for title in asked]
    if run is not None:
        return Bar(
            records=records if run.records is None else run.records,
            counted=run.counted,
            units=run.units,
            unique_before=run.unique_before,
            unique_after=run.unique,
            loss=run.loss,
            linkage=run.linkage,
            requirements=requirements if outdated else run.requirements,
            run=run.id,
            created=run.created,
            outdated=outdated,
        )
    if risk is None or policy is None or risk.get("of") != risk_key(policy):
        return Bar(records, requirements=requirements)
    return Bar(records, risk["counted"], risk["records"], risk["unique"], requirements=requirements)
