"""``compare``: several candidates for one table, evaluated by the same measures."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ontomask.arguments import as_path, as_values, is_number, one_of, whole_from
from ontomask.comparison.comparable import comparable
from ontomask.comparison.evaluation import Ground, Run, failed_run, key_of
from ontomask.comparison.grid import candidate_name
from ontomask.comparison.memory import Memory
from ontomask.comparison.outcome import RISKS, Comparison, RiskKind
from ontomask.comparison.runs import excluded_as, run_all
from ontomask.distances.measures import get_measure
from ontomask.errors import DataError, OptionError, PolicyError
from ontomask.masking.randomness import Secret
from ontomask.microdata.frames import NativeFrame
from ontomask.microdata.item_lists import take_lists
from ontomask.microdata.open_table import read_frame, separators_of
from ontomask.policy.policy import Policy, require_policy
from ontomask.progress import Progress, Reporter


def compare(
    frame: Any,
    policies: Mapping[str, Any] | Sequence[Any],
    *,
    kind: RiskKind | None = None,
    alpha: float = 0.5,
    measure: str | None = None,
    workers: int | None = None,
    folder: str | Path | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Comparison:
    """Mask a frame or file by every candidate, and judge the releases side by side (T12 9.2.3).

    Parameters
    ----------
    frame : DataFrame or path
        A pandas, Polars or PyArrow frame, or the path of a file.
    policies : mapping of str to Policy, or sequence of Policy
        The candidates, by name or as a list; :func:`ontomask.grid` makes them.
    kind : str, optional
        The risk: a kind of linkage, ``worst`` or ``disclosure``; see the notes.
    alpha : float, default 0.5
        The weight of loss against risk in the score: 0 is risk alone, 1 loss alone.
    measure : str, optional
        Judges all nominal columns alike; needed where the policies measure differently.
    workers : int, optional
        Processes to run in, where runs take long enough (default: all cores).
    folder : path, optional
        Remember runs there: what was done before is not done again.
    seed : int, optional
        Makes a comparison repeatable; without it every run has a secret of its own.
    progress : callable, optional
        ``progress(fraction, message)`` is called between steps; it stops the work by returning False or raising.
    **options
        Options of ``measure``.

    Returns
    -------
    Comparison
        A row for each candidate, and which one to choose.

    Notes
    -----
    What a policy requires is required of its release; a candidate that fails it is a row with the reason, and never
    recommended. So is one that cannot be run on these data, ends for lack of memory, or whose figures cannot be compared;
    what is wrong with all of them alike is an error.

    Candidates may mask different columns. Loss is of all columns that one of them masks; a column that a candidate leaves
    as it was costs it nothing. Linkage is by the quasi-identifiers, which an intruder is assumed to know.

    ``kind`` is a kind of linkage (:func:`ontomask.record_linkage`); ``worst``, the most successful attack on each release
    (:attr:`Assessment.worst_attack`); or ``disclosure``, the sensitive values that an intruder learns
    (:func:`ontomask.attribute_disclosure`). Not given: semantic linkage; where a candidate masks other columns than
    quasi-identifiers, disclosure, against which all methods guard.

    Seconds are those of masking alone: a few records are masked before, so that code is compiled and taxonomies are read.
    A script that calls this must do so under ``if __name__ == "__main__":``, as processes are started.

    Examples
    --------
    >>> import ontomask as om, polars as pl
    >>> frame = pl.DataFrame({"age": [30, 31, 33, 52, 54, 58]})
    >>> policy = om.Policy(attributes={"age": om.Numeric()})
    >>> found = om.compare(frame, om.grid(policy, ["microaggregation", "suppression"], k=[2, 3]))
    >>> found.table.select("name", "satisfied", "frontier").rows()[:2]
    [('microaggregation, k=2', True, True), ('microaggregation, k=3', True, True)]
    >>> found.best
    'microaggregation, k=2'
    """
    if kind is not None:
        one_of(kind, RISKS, "risk")
    if not is_number(alpha) or not 0 <= alpha <= 1:
        raise OptionError(f"alpha={alpha!r}", remedy="Give a number from 0 (risk alone) to 1 (loss alone).")
    if workers is not None:
        whole_from(1, workers, "workers")
    if measure is not None:
        get_measure(measure).resolve_options(options)
    if seed is not None:
        Secret.of_seed(seed)  # an error, if it is none
    named = _named(policies)
    judges, reasons = comparable(named, measure)
    if kind == "disclosure" and not any(attribute.role == "sensitive" for attribute in judges.values()):
        raise OptionError(
            "kind='disclosure': no column is sensitive", remedy="Give one the role sensitive, or choose another kind."
        )
    reporter = Reporter(progress)
    reporter(0.0, "preparing the data")
    some = next(iter(named.values()))
    held = read_frame(frame, judges, reading=some.reading)[0]  # read once, whatever it is
    held, _ = take_lists(held, separators_of(judges))  # a candidate may take sets for labels
    done = {name: failed_run(name, named[name], reason, "incomparable") for name, reason in reasons.items()}
    candidates = {name: policy for name, policy in named.items() if name not in done}
    masking = [policy for policy in candidates.values() if excluded_as(policy) is None]
    ground = Ground.of(judges, masking or list(candidates.values()), measure, options)
    memory = None
    if folder is not None:
        memory = Memory(as_path(folder), _data_key(held), ground, seed)
        done |= {name: run for name, policy in candidates.items() if (run := memory.find(name, policy)) is not None}
    left = {name: policy for name, policy in named.items() if name not in done}
    share = len(done) / len(named)
    for run in run_all(held, left, ground, workers, reporter.part(share, 1.0), seed) if left else ():
        done[run.name] = run
        if memory is not None:
            memory.keep(run, named[run.name])
    _require_one_that_fits([done[name] for name in candidates])
    reporter(1.0, "done")
    return _concluded([done[name] for name in named], named, ground, kind, float(alpha))


def _concluded(
    runs: Sequence[Run], policies: dict[str, Policy], ground: Ground, kind: RiskKind | None, alpha: float
) -> Comparison:
    """The comparison of runs on the columns that those of them mask that have a release."""
    good = [run for run in runs if run.error is None]
    masked = {frozenset(policies[run.name].masked) for run in good}
    union = frozenset[str]().union(*masked)
    # The least that holds all of them, and of which all have figures.
    judged = [one for one in ground.unions if union <= set(one) and all(key_of(one) in run.on for run in good)]
    columns = judged[0] if judged and good else ground.unions[-1]
    quasi = {name for name, attribute in ground.attributes.items() if attribute.quasi}
    # Linkage is the risk where records are hidden among others; it says nothing of values that are not the record's own.
    chosen = kind is None and not union <= quasi and all(run.learned for run in good)
    if kind == "disclosure" and good and not any(run.learned for run in good):
        raise OptionError(
            "kind='disclosure': no sensitive column has a value in a release", remedy="Choose another kind of risk."
        )
    risk: RiskKind = kind or ("disclosure" if chosen else "semantic")
    return Comparison([run.judged_on(columns) for run in runs], policies, risk, alpha, columns, chosen)


def _named(policies: Any) -> dict[str, Policy]:
    """The policies by name."""
    if isinstance(policies, Mapping) and "attributes" not in policies:
        listed = {shown(name): require_policy(policy) for name, policy in policies.items()}
    elif isinstance(policies, (str, Path, Policy, Mapping)):
        raise OptionError(
            "expected several policies, got one", remedy="Give several; om.grid(policy, methods, k) makes them."
        )
    else:
        listed = {}
        for place, given in enumerate(as_values(policies, "policies"), 1):
            policy = require_policy(given)
            name = shown(Path(given).stem) if isinstance(given, (str, Path)) else _own_name(policy, place)
            while name in listed:
                name = f"{name} ({place})"
            listed[name] = policy
    if not listed:
        raise OptionError(
            "there is nothing to compare", remedy="Give policies; om.grid(policy, methods, k) makes them."
        )
    without = next((name for name, policy in listed.items() if policy.method is None), None)
    if without is not None:
        raise PolicyError(f"the policy {without!r} names no method", remedy="Add one, such as method=Recoding(k=5).")
    return listed


def shown(name: Any) -> str:
    """A name as text that every file can hold; the bytes of a file's name need not be."""
    return str(name).encode("utf-8", "replace").decode()


def _own_name(policy: Policy, place: int) -> str:
    if policy.method is None:
        return f"policy {place}"
    k = policy.method.stated_k
    return policy.method.name if k is None else candidate_name(policy.method.name, f"k={k}")


def _require_one_that_fits(runs: Sequence[Run]) -> None:
    """An error where one thing is wrong with all candidates: it is the data's, or everybody's, and no row of a table."""
    errors = {run.error for run in runs if run.failure == "invalid"}
    if len(errors) == 1 and all(run.failure == "invalid" for run in runs):
        raise DataError(str(errors.pop()), remedy=runs[0].remedy)


def _data_key(frame: Any) -> str:
    """The same for the same data."""
    buffer = io.BytesIO()
    NativeFrame.of(frame).data.write_ipc(buffer)
    return hashlib.sha256(buffer.getbuffer()).hexdigest()
