"""``compare``: one table masked by several candidates, judged alike."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import polars as pl

from ontomask.arguments import as_path, one_of, short
from ontomask.assessment.linkage import KINDS, Kind
from ontomask.comparison.recommending import recommend
from ontomask.comparison.running import Memory, Run, failed_run, run_all
from ontomask.distances.measures import get_measure
from ontomask.errors import DataError, OptionError, PolicyError
from ontomask.microdata.attributes import Nominal
from ontomask.microdata.frames import take
from ontomask.microdata.opening import opened
from ontomask.microdata.writing import write_text
from ontomask.policy import Policy, require_policy
from ontomask.progress import Progress, Reporter
from ontomask.randomness import Secret

#: What can be the risk: a kind of linkage, or the most successful attack on each release.
RiskKind = Kind | Literal["worst"]
RISKS: tuple[RiskKind, ...] = (*KINDS, "worst")
#: The steps of alpha at which scores are compared.
STEPS = 200


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The candidates of a comparison, in the order of the policies.

    Loss is L in percent; risk is the linkage named by ``kind``, in percent, or with ``worst`` the most successful attack on
    each release; the score is alpha L + (1 - alpha) risk.
    """

    runs: list[Run]
    policies: dict[str, Policy]
    kind: RiskKind
    alpha: float

    @cached_property
    def table(self) -> pl.DataFrame:
        """A row for each candidate: what it is, what it lost, what can be found, its score; ``frontier``: no other that
        satisfies loses less without more risk; ``promises``: was anything promised that not every table satisfies?"""
        rows = []
        for run in self.runs:
            row = asdict(run)
            for left_out in ("linkage", "guarantees", "promised_k", "failure", "remedy"):
                del row[left_out]
            risk = self._risk(run)
            row["worst"] = None if run.worst is None else 100 * run.worst
            row |= {
                "satisfied": run.error is None,
                "risk": risk,
                "score": self.score(run),
                "frontier": self._on_frontier(run),
            }
            rows.append(row)
        order = (
            "name method k satisfied promises loss risk score frontier worst worst_attack semantic_loss divergence smallest "
            "unique removed records seconds error"
        ).split()
        whole = dict.fromkeys(("k", "smallest", "unique", "removed", "records"), pl.Int64)
        truth = dict.fromkeys(("satisfied", "promises", "frontier"), pl.Boolean)
        text = dict.fromkeys(("name", "method", "worst_attack", "error"), pl.String)
        types: dict[str, Any] = whole | truth | text
        return pl.DataFrame(rows, schema={name: types.get(name, pl.Float64) for name in order})

    def _risk(self, run: Run) -> float | None:
        share = run.worst if self.kind == "worst" else run.linkage.get(self.kind)
        return None if share is None else 100 * share

    def score(self, run: Run, alpha: float | None = None) -> float | None:
        """alpha L + (1 - alpha) risk; None where there are no figures."""
        alpha = self.alpha if alpha is None else alpha
        risk = self._risk(run)
        if risk is None or (run.loss is None and alpha > 0):
            return None
        return alpha * (run.loss or 0.0) + (1 - alpha) * risk

    def _on_frontier(self, run: Run) -> bool:
        own = (run.loss, self._risk(run))
        if None in own:
            return False
        others = [(other.loss, self._risk(other)) for other in self.runs if other is not run]
        return not any(
            loss is not None and risk is not None and loss <= own[0] and risk <= own[1] and (loss, risk) != own  # type: ignore[operator]
            for loss, risk in others
        )

    @cached_property
    def curve(self) -> pl.DataFrame:
        """The score of every candidate over alpha: 0, risk alone, to 1, loss alone."""
        rows = [
            {"name": run.name, "alpha": step / 20, "score": self.score(run, step / 20)}
            for run in self.runs
            for step in range(21)
            if run.error is None
        ]
        return pl.DataFrame(rows, schema={"name": pl.String, "alpha": pl.Float64, "score": pl.Float64})

    @cached_property
    def winners(self) -> list[tuple[float, float, str]]:
        """Which has the lowest score: stretches (from, to, name) of alpha from 0 to 1; of equals, the first."""
        found: list[tuple[float, float, str]] = []
        for step in range(STEPS + 1):
            alpha = step / STEPS
            scored = [(score, i) for i, run in enumerate(self.runs) if (score := self.score(run, alpha)) is not None]
            if not scored:
                continue
            least = min(score for score, _ in scored)
            name = self.runs[next(i for score, i in scored if score <= least * (1 + 1e-12))].name
            if found and found[-1][2] == name:
                found[-1] = (found[-1][0], alpha, name)
            else:
                found.append((alpha, alpha, name))
        return found

    @property
    def best(self) -> str | None:
        """The candidate with the lowest score; None if there is none."""
        scored = [(score, run.name) for run in self.runs if (score := self.score(run)) is not None]
        return min(scored, key=lambda pair: pair[0])[1] if scored else None

    @cached_property
    def recommendation(self) -> list[str]:
        """Which candidate to choose, and why, in words."""
        return recommend(self)

    def map_svg(self) -> str:
        """The map of risk and loss, the frontier marked, as SVG."""
        from ontomask.report.charts import risk_utility_map, svg

        title = "Information loss and risk of each candidate"
        told = "; ".join(
            f"{row['name']}: loss {row['loss']:.1f}%, risk {row['risk']:.1f}%"
            for row in self.table.drop_nulls(["loss", "risk"]).iter_rows(named=True)
        )
        risk = (
            "released records re-identified by the worst attack" if self.kind == "worst" else "records linked correctly"
        )
        return svg(risk_utility_map(self.table, risk), "risk-utility-map", title, told)

    def write_map(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write :meth:`map_svg` to a file."""
        file = as_path(path)
        if file.suffix.lower() != ".svg":
            raise OptionError(
                f"the map is written as SVG, not as {file.suffix!r}", remedy="Name a file that ends in .svg."
            )
        return write_text(self.map_svg(), file, overwrite=overwrite, private=False)

    def __str__(self) -> str:
        shown = self.table.select(
            "name", "satisfied", "promises", "loss", "risk", "score", "frontier", "smallest", "removed", "seconds"
        )
        with pl.Config(
            tbl_rows=-1,
            tbl_cols=-1,
            tbl_hide_dataframe_shape=True,
            tbl_hide_column_data_types=True,
            fmt_str_lengths=60,
            float_precision=2,
            tbl_width_chars=140,
        ):
            return "\n".join([str(shown), *self.recommendation])

    __repr__ = __str__


def compare(
    frame: Any,
    policies: Mapping[str, Any] | Sequence[Any],
    *,
    kind: RiskKind = "semantic",
    alpha: float = 0.5,
    measure: str | None = None,
    workers: int | None = None,
    folder: str | Path | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Comparison:
    """Mask a frame or file by every candidate, and judge what comes of it side by side (T12 9.2.3).

    ``policies``: by name, or a list; :func:`ontomask.grid` makes them. What a policy requires is required of its release;
    a candidate that fails it is a row with the reason, and never recommended. So is one that cannot be run on these data,
    ends for lack of memory, or masks other columns than the others, so that figures cannot be compared; what is wrong with
    all of them alike is an error.

    ``kind`` of linkage is the risk, or ``worst``, the most successful attack on each release (see
    :attr:`Assessment.worst_attack`); ``alpha`` is the weight of loss against it in the score: 0 is risk alone, 1 loss alone.
    ``measure`` (with its ``options``) judges all nominal columns alike; it is needed where the policies measure
    differently.

    Runs are made in ``workers`` processes (all cores if not given), where they take long enough. With ``folder``, runs
    are remembered there: what was done before is not done again. ``seed`` makes a comparison repeatable; every run has a
    secret of its own without it. A script that calls this must do so under ``if __name__ == "__main__":``, as processes
    are started.

    >>> import ontomask as om, polars as pl
    >>> frame = pl.DataFrame({"age": [30, 31, 33, 52, 54, 58]})
    >>> policy = om.Policy(attributes={"age": om.Numeric()})
    >>> found = om.compare(frame, om.grid(policy, ["microaggregation", "suppression"], k=[2, 3]))
    >>> found.table.select("name", "satisfied", "frontier").rows()[:2]
    [('microaggregation, k=2', True, False), ('microaggregation, k=3', True, True)]
    >>> found.best
    'microaggregation, k=3'
    """
    one_of(kind, RISKS, "risk")
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float)) or not 0 <= alpha <= 1:
        raise OptionError(f"alpha={alpha!r}", remedy="Give a number from 0 (risk alone) to 1 (loss alone).")
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
        raise OptionError(f"workers={short(repr(workers))}", remedy="Give a whole number from 1 up.")
    if measure is not None:
        get_measure(measure).settle(options)
    if seed is not None:
        Secret.of_seed(seed)  # an error, if it is none
    named = _named(policies)
    leader, reasons = _incomparable(named, measure)
    report = Reporter(progress)
    report(0.0, "looking at the data")
    first = named[leader]
    held = opened(frame, first.attributes, reading=first.reading)[0]  # read once, whatever it is
    done = {name: failed_run(name, named[name], reason, "incomparable") for name, reason in reasons.items()}
    memory = None
    if folder is not None:
        memory = Memory(as_path(folder), _data_key(held), f"{measure} {sorted(options.items())} seed {seed}")
        candidates = {name: policy for name, policy in named.items() if name not in done}
        done |= {name: run for name, policy in candidates.items() if (run := memory.find(name, policy)) is not None}
    left = {name: policy for name, policy in named.items() if name not in done}
    share = len(done) / len(named)
    for run in run_all(held, left, measure, options, workers, report.part(share, 1.0), seed) if left else ():
        done[run.name] = run
        if memory is not None:
            memory.keep(run, named[run.name])
    _require_one_that_fits([done[name] for name in named if name not in reasons])
    report(1.0, "done")
    return Comparison([done[name] for name in named], named, kind, float(alpha))


def _named(policies: Any) -> dict[str, Policy]:
    """The policies by name."""
    if isinstance(policies, Mapping) and "attributes" not in policies:
        listed = {str(name): require_policy(policy) for name, policy in policies.items()}
    elif isinstance(policies, (str, Path, Policy, Mapping)):
        raise OptionError(
            "one policy is nothing to compare", remedy="Give several; om.grid(policy, methods, k) makes them."
        )
    else:
        listed = {}
        for place, given in enumerate(policies, 1):
            policy = require_policy(given)
            name = Path(given).stem if isinstance(given, (str, Path)) else _own_name(policy, place)
            if name in listed:
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


def _own_name(policy: Policy, place: int) -> str:
    if policy.method is None:
        return f"policy {place}"
    k = getattr(policy.method, "k", None)
    return policy.method.name + (f", k={k}" if k is not None else "")


def _incomparable(policies: Mapping[str, Policy], measure: str | None) -> tuple[str, dict[str, str]]:
    """The first of the candidates that most others can be compared with, and why each of the rest cannot."""
    alike: dict[str, list[str]] = {}
    for name, policy in policies.items():
        compared = {
            column: (
                a.kind,
                (a.measure, sorted(a.options.items())) if isinstance(a, Nominal) and measure is None else None,
            )
            for column, a in policy.attributes.items()
            if column in policy.studied
        }
        alike.setdefault(repr(sorted(compared.items())), []).append(name)
    leader = max(alike.values(), key=len)[0]
    first = policies[leader]
    reasons: dict[str, str] = {}
    for name, other in policies.items():
        if other.reading != first.reading:
            raise PolicyError(
                f"{leader!r} and {name!r} read the data differently",
                remedy="Give them the same block reading; the data are read once.",
            )
        reason = _difference(first, other, measure)
        if reason is not None:
            reasons[name] = f"it cannot be compared with {leader!r}: {reason}"
    return leader, reasons


def _difference(first: Policy, other: Policy, measure: str | None) -> str | None:
    """Why figures of two policies cannot be compared; None if they can."""
    odd = sorted(set(other.studied) ^ set(first.studied))
    if odd:
        return f"they mask different columns ({', '.join(map(repr, odd))})"
    for column in first.studied:
        one, two = first.attributes[column], other.attributes[column]
        if type(one) is not type(two):
            return f"{column!r} is {one.kind} in one and {two.kind} in the other"
        if (
            isinstance(one, Nominal)
            and isinstance(two, Nominal)
            and measure is None
            and (one.measure, dict(one.options)) != (two.measure, dict(two.options))
        ):
            return f"they judge {column!r} by different measures; name one for all, such as measure='wu_palmer'"
    return None


def _require_one_that_fits(runs: Sequence[Run]) -> None:
    """An error where one thing is wrong with all candidates: it is the data's, or everybody's, and no row of a table."""
    errors = {run.error for run in runs if run.failure == "invalid"}
    if len(errors) == 1 and all(run.failure == "invalid" for run in runs):
        raise DataError(str(errors.pop()), remedy=runs[0].remedy)


def _data_key(frame: Any) -> str:
    """The same for the same data."""
    import io

    buffer = io.BytesIO()
    take(frame).data.write_ipc(buffer)
    return hashlib.sha256(buffer.getbuffer()).hexdigest()
