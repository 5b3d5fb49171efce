"""Runs of a comparison, in one process or several."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ontomask.comparison.comparable import taxonomy_key
from ontomask.comparison.evaluation import Failure, Ground, Run, failed_run, judged
from ontomask.distances.sweep import available_cores
from ontomask.engines.memory import anonymize
from ontomask.errors import Cancelled, Keyword, NotSatisfied, OntomaskError, OptionError
from ontomask.masking.method import GroupingMethod
from ontomask.microdata.keys import Key
from ontomask.policy.policy import Policy
from ontomask.progress import Progress

#: Where the first run shows that all will be done within so many seconds, no processes are started.
SOON = 8.0
#: Records that are masked before anything is timed, or some times k if that is more.
FEW, TIMES_K = 200, 4
NO_MEMORY = "there is not enough memory for it"
DIED = "its process ended without a result, probably for lack of memory"


def run_policy(frame: Any, name: str, policy: Policy, ground: Ground, seed: int | None = None) -> Run:
    """Mask and judge; what is wrong with one candidate does not stop the others."""
    excluded = excluded_as(policy)
    if excluded is not None:
        return failed_run(name, policy, *excluded)
    first = warm_up(frame, policy)
    start = time.perf_counter()
    try:
        result = anonymize(frame, policy, seed=seed, key=_key(policy))
        total = time.perf_counter() - start
        return replace(judged(name, result, ground), total_seconds=total, first_seconds=first)
    except Cancelled:
        raise
    except NotSatisfied as problem:
        found: Any = problem.verification
        failed = failed_run(name, policy, "; ".join(found.failed), "refused")
    except OntomaskError as problem:
        failed = failed_run(name, policy, _told(problem), "invalid", problem.remedy)
    except MemoryError:
        failed = failed_run(name, policy, NO_MEMORY, "died")
    return replace(failed, total_seconds=time.perf_counter() - start, first_seconds=first)


def _key(policy: Policy) -> Key | None:
    """What candidates derive shifts of dates from: the same for all, or they would not be compared on the same dates. Nothing
    is released, so it need not be secret."""
    return Key(bytes(range(32))) if policy.derived else None


#: What was masked in this process before, by :func:`_kernels`.
_WARM: set[str] = set()


def warm_up(frame: Any, policy: Policy) -> float:
    """Mask a few records, so that kernels are compiled or loaded and taxonomies read before anything is timed.

    The seconds that this took; 0 where the same was done before in this process. What goes wrong here goes wrong in the
    run itself, which says so.
    """
    needed = _kernels(policy)
    if needed in _WARM:
        return 0.0
    began = time.perf_counter()
    rows = max(FEW, TIMES_K * (policy.stated_k or 1))
    try:
        few = frame.head(rows) if hasattr(frame, "head") else frame.slice(0, rows)  # tables of PyArrow have no head
        anonymize(few, policy, seed=0, key=_key(policy), allow_unsatisfied=True)
    except Cancelled:
        raise
    except (OntomaskError, MemoryError):
        return time.perf_counter() - began
    _WARM.add(needed)
    return time.perf_counter() - began


def _kernels(policy: Policy) -> str:
    """What decides over what is used: the method without its k, the columns' kinds and taxonomies, the models."""
    assert policy.method is not None
    settings = {key: value for key, value in policy.method if key not in ("k", "percent")}
    columns = [(name, a.kind, taxonomy_key(a.named_taxonomy)) for name, a in policy.attributes.items()]
    return f"{settings} {columns} {[model.name for model in policy.require]}"


def excluded_as(policy: Policy) -> tuple[str, Failure] | None:
    """Why a candidate that masks nothing, or promises a smaller k than is required, is none; it is not run.

    A method may join groups until what is required holds; but what is compared is the k that a candidate stands for.
    """
    method, needed = policy.method, policy.required_k
    assert method is not None
    if isinstance(method, GroupingMethod) and method.promised_k == method.k < needed:
        return f"it promises k={method.k:,}, and {needed:,}-anonymity is required", "refused"
    return ("k is 1", "unmasked") if method.leaves_unmasked(policy.require) else None


def _told(problem: OntomaskError) -> str:
    """What is wrong; what to do about it is for who runs that policy alone."""
    return problem.what if problem.where is None else f"{problem.where}: {problem.what}"


# ---- one after the other, or side by side -------------------------------------------------------------------------


def _ready() -> bool:
    """Answered by a process that has begun."""
    return True


def run_all(
    frame: Any,
    policies: Mapping[str, Policy],
    ground: Ground,
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
    spent = 0.0  # on runs themselves: what is done once would be done again in every process
    while left and (most == 1 or len(left) == count or spent / (count - len(left)) * len(left) < SOON):
        name = next(iter(left))
        progress((count - len(left)) / count, name)
        begun = time.perf_counter()
        run = run_policy(frame, name, left[name], ground, seed)
        spent += time.perf_counter() - begun - run.first_seconds
        del left[name]
        yield tell(run)
    if not left:
        return
    with _pool(min(most, len(left))) as pool:
        waiting: dict[Future[Run], str] = {
            pool.submit(run_policy, frame, name, policy, ground, seed): name for name, policy in left.items()
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
        run = _alone(frame, name, left[name], ground, seed)
        del left[name]
        yield tell(run)


def _alone(frame: Any, name: str, policy: Policy, ground: Ground, seed: int | None) -> Run:
    """A candidate in a process of its own: if that ends, it is this candidate that ends it."""
    with _pool(1) as pool:
        try:
            pool.submit(_ready).result()
        except BrokenProcessPool:
            raise OptionError(
                "no process can be started",
                remedy=(
                    "In a script, call compare under if __name__ == '__main__':, or give ",
                    Keyword("workers", "1"),
                    ".",
                ),
            ) from None
        try:
            return pool.submit(run_policy, frame, name, policy, ground, seed).result()
        except BrokenProcessPool:
            return failed_run(name, policy, DIED, "died")


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes; whoever stops stops them all.

    They get the data with each run, not at their start: who starts a process waits forever until it has read all that it
    is started with, even if it ended long ago.
    """
    # Started afresh: threads of Polars and numba do not survive a fork.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context)
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
