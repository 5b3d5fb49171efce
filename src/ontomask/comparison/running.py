"""The runs of a comparison: one after the other or in several processes, remembered in a folder if one is named."""

from __future__ import annotations

import hashlib
import json
import math
import multiprocessing
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ontomask.assessment.attacks import attacks_of
from ontomask.assessment.linkage import KINDS, linkage_of
from ontomask.assessment.loss import loss_of
from ontomask.assessment.risk import risk_of
from ontomask.comparison.grid import required_k
from ontomask.distances.sweep import available_cores
from ontomask.errors import Cancelled, NotSatisfied, OntomaskError, OptionError, OutputError
from ontomask.masking.method import Grouping
from ontomask.masking.resampling import Resampling
from ontomask.microdata.frames import take
from ontomask.microdata.writing import write_text
from ontomask.owner_only import create_folder
from ontomask.policy import Policy
from ontomask.privacy.k_anonymity import KAnonymity
from ontomask.progress import Progress
from ontomask.result import Result
from ontomask.run import anonymize
from ontomask.severity.numbers import Severity
from ontomask.taxonomy.taxonomy import Taxonomy

#: What is kept of a run is of this kind; an earlier kind is not read.
KEPT = 2
#: Where the first run shows that all will be done within so many seconds, no processes are started.
SOON = 8.0


#: Why a candidate has no figures.
Failure = Literal["refused", "unmasked", "invalid", "incomparable", "died"]
NO_MEMORY = "there is not enough memory for it"
DIED = "its process ended without an answer, probably for lack of memory"


@dataclass(frozen=True)
class Run:
    """What came of one candidate; ``error`` in place of figures where there is no release.

    ``failure`` says of which kind that is: ``refused``, its release fails what it must satisfy, or its method promises less;
    ``unmasked``, it masks nothing; ``invalid``, it cannot be run on these data; ``incomparable``, its figures cannot be
    compared with those of the others; ``died``, its process ended or ran out of memory. ``worst``: the share of released
    records that the worst attack re-identifies, and ``worst_attack`` its name.
    """

    name: str
    method: str
    k: int | None
    seconds: float = 0.0
    error: str | None = None
    failure: Failure | None = None
    remedy: str | None = None
    loss: float | None = None
    semantic_loss: float | None = None
    divergence: float | None = None
    linkage: dict[str, float] = field(default_factory=dict)
    worst: float | None = None
    worst_attack: str | None = None
    smallest: int | None = None
    unique: int | None = None
    removed: int | None = None
    records: int | None = None
    promised_k: int = 1
    promises: bool = False
    guarantees: list[str] = field(default_factory=list)


def run_policy(
    frame: Any,
    name: str,
    policy: Policy,
    measure: str | None,
    options: Mapping[str, Any],
    seed: int | None = None,
) -> Run:
    """Mask and judge; what is wrong with one candidate does not stop the others."""
    excluded = _excluded(policy)
    if excluded is not None:
        return failed_run(name, policy, *excluded)
    start = time.perf_counter()
    try:
        result = anonymize(frame, policy, seed=seed)
        return judged(name, result, time.perf_counter() - start, measure, options)
    except Cancelled:
        raise
    except NotSatisfied as problem:
        failed = failed_run(name, policy, _told(problem), "refused")
    except OntomaskError as problem:
        failed = failed_run(name, policy, _told(problem), "invalid", problem.remedy)
    except MemoryError:
        failed = failed_run(name, policy, NO_MEMORY, "died")
    return replace(failed, seconds=time.perf_counter() - start)


def _excluded(policy: Policy) -> tuple[str, Failure] | None:
    """Why a candidate that masks nothing, or promises a smaller k than is required, is none; it is not run.

    A method may join groups until what is required holds; but what is compared is the k that a candidate stands for.
    """
    method, needed = policy.method, required_k(policy)
    if not isinstance(method, Grouping):
        return None
    if method.promised_k == method.k < needed:
        return f"it promises k={method.k:,}, and {needed:,}-anonymity is required", "refused"
    draws = isinstance(method, Resampling) and method.variant == "heer"  # one sample is not the data
    return ("k is 1", "unmasked") if method.k == 1 and not draws else None


def failed_run(name: str, policy: Policy, error: str, failure: Failure, remedy: str | None = None) -> Run:
    """A candidate without figures."""
    return Run(**_begun(name, policy), error=error, failure=failure, remedy=remedy)


def judged(
    name: str, result: Result, seconds: float, measure: str | None = None, options: Mapping[str, Any] | None = None
) -> Run:
    """The figures of a result."""
    policy = result.policy
    pairing = result.pairing.measured(measure, options or {})
    loss = loss_of(pairing)
    risk = risk_of(take(result.data).data, policy.quasi_identifiers)
    linkage = {kind: linkage_of(pairing, kind) for kind in KINDS}
    assert policy.method is not None
    released = loss.records - loss.removed
    worst = attacks_of(linkage, risk, loss.records, released, recognizable=policy.recognizable)[0]
    held = [f.model.k for f in result.verification.findings if f.holds and isinstance(f.model, KAnonymity)]
    return Run(
        **_begun(name, policy),
        seconds=seconds,
        loss=_finite(loss.information_loss),
        semantic_loss=loss.semantic_loss,
        divergence=loss.divergence,
        linkage={str(kind): share for kind, share in linkage.items()},
        worst=worst.share,
        worst_attack=worst.name,
        smallest=risk.smallest,
        unique=risk.unique,
        removed=loss.removed,
        records=loss.records,
        promised_k=max(held, default=1),
        promises=result.promises,
        guarantees=result.guarantees,
    )


def _told(problem: OntomaskError) -> str:
    """What is wrong; what to do about it is for who runs that policy alone."""
    return problem.what if problem.where is None else f"{problem.where}: {problem.what}"


def _begun(name: str, policy: Policy) -> dict[str, Any]:
    assert policy.method is not None
    k = getattr(policy.method, "k", None) or _required_k(policy)
    return {"name": name, "method": policy.method.name, "k": k}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _required_k(policy: Policy) -> int | None:
    return next((model.k for model in policy.require if hasattr(model, "k")), None)


# ---- one after the other, or side by side -------------------------------------------------------------------------

_FRAME: Any = None


def _begin(frame: Any) -> None:
    global _FRAME  # noqa: PLW0603 - a process of the pool gets the data once
    _FRAME = frame


def _ready() -> bool:
    """Answered by a process that has begun."""
    return _FRAME is not None


def _task(name: str, policy: Policy, measure: str | None, options: Mapping[str, Any], seed: int | None) -> Run:
    return run_policy(_FRAME, name, policy, measure, options, seed)


def run_all(
    frame: Any,
    policies: Mapping[str, Policy],
    measure: str | None,
    options: Mapping[str, Any],
    workers: int | None,
    progress: Progress,
    seed: int | None = None,
) -> Iterator[Run]:
    """Every policy's run, as they are done. The first is run here: it shows whether processes are worth their start."""
    left = dict(policies)
    count = len(left)

    def tell(run: Run) -> Run:
        progress((count - len(left)) / count, f"{run.name}: {run.seconds:.1f} s")
        return run

    most = min(workers or available_cores(), count)
    begun = time.perf_counter()
    while left and (
        most == 1 or len(left) == count or (time.perf_counter() - begun) / (count - len(left)) * len(left) < SOON
    ):
        name = next(iter(left))
        progress((count - len(left)) / count, name)
        run = run_policy(frame, name, left[name], measure, options, seed)
        del left[name]
        yield tell(run)
    if not left:
        return
    with _pool(frame, min(most, len(left))) as pool:
        waiting: dict[Future[Run], str] = {
            pool.submit(_task, name, policy, measure, options, seed): name for name, policy in left.items()
        }
        for done in as_completed(waiting):
            try:
                run = done.result()
            except BrokenProcessPool:  # somebody's process ended, and with it those of all others
                break
            del left[waiting[done]]
            yield tell(run)
    while left:
        name = next(iter(left))
        run = _alone(frame, name, left[name], measure, options, seed)
        del left[name]
        yield tell(run)


def _alone(
    frame: Any, name: str, policy: Policy, measure: str | None, options: Mapping[str, Any], seed: int | None
) -> Run:
    """A candidate in a process of its own: if that ends, it is this candidate that ends it."""
    with _pool(frame, 1) as pool:
        try:
            pool.submit(_ready).result()
        except BrokenProcessPool:
            raise OptionError(
                "no process can be started",
                remedy="In a script, call compare under if __name__ == '__main__':, or give workers=1.",
            ) from None
        try:
            return pool.submit(_task, name, policy, measure, options, seed).result()
        except BrokenProcessPool:
            return failed_run(name, policy, DIED, "died")


@contextmanager
def _pool(frame: Any, workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that have the data; whoever stops stops them all."""
    # Started afresh: threads of Polars and numba do not survive a fork.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(frame,))
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


# ---- what was done before -----------------------------------------------------------------------------------------


class Memory:
    """Runs kept in a folder, so that a comparison that was stopped goes on where it was.

    A run is known by the data, the policy, the seed, the measure and the version of ontomask, not by its name. Its
    figures tell of the original data: only the owner can read what is kept.
    """

    def __init__(self, folder: Path, data: str, judged: str) -> None:
        from ontomask import __version__

        self.folder, self._with = folder, f"{__version__} {KEPT}\n{data}\n{judged}"
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            if not folder.is_dir():
                create_folder(folder)
        except OSError as problem:
            raise OutputError(
                "the folder cannot be used", where=str(folder), remedy="Choose another place."
            ) from problem

    def _file(self, policy: Policy) -> Path:
        key = hashlib.sha256(f"{self._with}\n{_fingerprint(policy)}".encode()).hexdigest()[:24]
        return self.folder / f"run-{key}.json"

    def find(self, name: str, policy: Policy) -> Run | None:
        """A run of the same kind, if it was done; what cannot be read is done again."""
        try:
            content = json.loads(self._file(policy).read_text(encoding="utf-8"))
            return Run(**{**content, "name": name})
        except (OSError, ValueError, TypeError):
            return None

    def keep(self, run: Run, policy: Policy) -> None:
        """Remember a run, unless it says more of this machine at this time than of the candidate."""
        if run.failure == "died":
            return
        text = json.dumps(asdict(run), ensure_ascii=False, indent=1)
        write_text(text, self._file(policy), overwrite=True)


def _fingerprint(policy: Policy) -> str:
    """A policy as text: the same for the same meaning, whatever objects it is made of."""

    def plain(value: Any) -> Any:
        if isinstance(value, Taxonomy):
            return value.fingerprint
        if isinstance(value, Severity):
            return plain(value.definition)
        if hasattr(value, "model_fields_set"):
            return {name: plain(getattr(value, name)) for name in type(value).model_fields}
        if isinstance(value, Mapping):
            return {str(key): plain(part) for key, part in value.items()}
        if isinstance(value, (list, tuple)):
            return [plain(part) for part in value]
        if isinstance(value, str) and len(value) < 4096 and Path(value).is_file():
            return [value, hashlib.sha256(Path(value).read_bytes()).hexdigest()]
        return value if isinstance(value, (str, int, float, bool)) or value is None else repr(value)

    return json.dumps(plain(policy), sort_keys=True)
