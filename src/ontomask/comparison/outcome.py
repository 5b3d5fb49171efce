"""``Comparison``: the table of candidates, scores over alpha, charts, recommendation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import polars as pl

from ontomask.arguments import as_path, counted
from ontomask.arrays import TIE
from ontomask.assessment.disclosure import Disclosure
from ontomask.assessment.linkage import KINDS, Kind
from ontomask.assessment.loss import HEADLINE, compared_losses
from ontomask.comparison.baselines import baselines_of
from ontomask.comparison.evaluation import Run
from ontomask.comparison.grid import name_without
from ontomask.comparison.notes import notes_of
from ontomask.comparison.recommendation import recommend
from ontomask.display import html_card, html_list, html_table
from ontomask.errors import OptionError
from ontomask.files.writing import write_text
from ontomask.policy.policy import Policy
from ontomask.wording import RECORD, Unit

#: What can be the risk: a kind of linkage, the most successful attack on each release, or attribute disclosure.
RiskKind = Kind | Literal["worst", "disclosure"]
RISKS: tuple[RiskKind, ...] = (*KINDS, "worst", "disclosure")
#: What is in percent on the way to risk 100.
RISK_WORDS = {
    "worst": "released {many} re-identified by the worst attack",
    "disclosure": "sensitive values learned by an intruder",
}
#: The weights of loss at which scores are listed.
ALPHAS = tuple(step / 10 for step in range(11))

#: The columns of the table before the measures of loss, and after them.
_BEFORE: dict[str, Any] = {
    "name": pl.String,
    "method": pl.String,
    "k": pl.Int64,
    "satisfied": pl.Boolean,
    "promises": pl.Boolean,
    "promised": pl.String,
}
_AFTER: dict[str, Any] = {
    "risk": pl.Float64,
    "score": pl.Float64,
    "frontier": pl.Boolean,
    "disclosure": pl.Float64,
    "worst": pl.Float64,
    "worst_attack": pl.String,
    "smallest": pl.Int64,
    "unique": pl.Int64,
    "removed": pl.Int64,
    "records": pl.Int64,
    "seconds": pl.Float64,
    "total_seconds": pl.Float64,
    "first_seconds": pl.Float64,
    "error": pl.String,
}
#: The columns that people see, without measures of loss and disclosure.
_SHOWN = "name satisfied promised risk score frontier smallest removed seconds".split()


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The candidates of a comparison, in the order of the policies.

    Attributes
    ----------
    runs : list of Run
        The candidates, with what came of each.
    policies : dict of str to Policy
        Their policies, by name.
    kind : str
        The risk: a kind of linkage, ``worst`` (the most successful attack) or ``disclosure`` (sensitive values learned).
    alpha : float
        The weight of loss in the score, alpha IL + (1 - alpha) risk, both in percent.
    columns : sequence of str
        The columns that loss is of: all that a candidate with a release masks.
    chosen : bool
        Is disclosure the risk because not only quasi-identifiers are masked, and not because it was asked for?
    """

    runs: list[Run]
    policies: dict[str, Policy]
    kind: RiskKind
    alpha: float
    columns: Sequence[str] = ()
    chosen: bool = False

    @property
    def unit(self) -> Unit:
        """The words for what is counted, by all candidates alike."""
        return next((policy.unit for policy in self.policies.values()), RECORD)

    @cached_property
    def table(self) -> pl.DataFrame:
        """A row for each candidate: what it is, what it promises, what it lost, what can be found, its score; ``frontier``:
        no other that satisfies loses less without more risk; ``promises``: was anything promised that not every table
        satisfies?"""
        rows = []
        for run in self.runs:
            disclosure = run.disclosure
            row = (
                {name: getattr(run, name, None) for name in (*_BEFORE, *_AFTER)}
                | run.losses
                | {
                    "satisfied": run.error is None,
                    "risk": self.risk(run),
                    "score": self.score(run),
                    "frontier": self._on_frontier(run),
                    "disclosure": None if disclosure is None else 100 * disclosure.share,
                    "worst": None if run.worst is None else 100 * run.worst,
                }
            )
            rows.append(row)
        losses = {compared.key: pl.Float64 for _, compared in compared_losses()}
        return pl.DataFrame(rows, schema=_BEFORE | losses | _AFTER)

    @property
    def satisfied(self) -> list[Run]:
        """The candidates that have a release."""
        return [run for run in self.runs if run.error is None]

    @cached_property
    def baselines(self) -> dict[str, str]:
        """By candidate the one that is its non-semantic baseline: the same policy on labels only."""
        return baselines_of(self.policies)

    @property
    def guess(self) -> Disclosure | None:
        """Attribute disclosure of the first release: what guessing gives is the same for all."""
        return next((run.disclosure for run in self.satisfied if run.learned), None)

    def risk(self, run: Run) -> float | None:
        """The risk of a candidate.

        Parameters
        ----------
        run : Run
            One of ``runs``.

        Returns
        -------
        float or None
            In percent; None where there is no figure.
        """
        share: float | None
        if self.kind == "worst":
            share = run.worst
        elif self.kind == "disclosure":
            share = None if run.disclosure is None else run.disclosure.share
        else:
            share = run.linkage.get(self.kind)
        return None if share is None else 100 * share

    def score(self, run: Run, alpha: float | None = None) -> float | None:
        """The score of a candidate, alpha IL + (1 - alpha) risk.

        Parameters
        ----------
        run : Run
            One of ``runs``.
        alpha : float, optional
            The weight of loss; not given: that of the comparison.

        Returns
        -------
        float or None
            The lower, the better; None where there are no figures.
        """
        alpha = self.alpha if alpha is None else alpha
        risk = self.risk(run)
        if risk is None or (run.loss is None and alpha > 0):
            return None
        return alpha * (run.loss or 0.0) + (1 - alpha) * risk

    def _on_frontier(self, run: Run) -> bool:
        own = (run.loss, self.risk(run))
        if None in own:
            return False
        others = [(other.loss, self.risk(other)) for other in self.runs if other is not run]
        return not any(
            loss is not None and risk is not None and loss <= own[0] and risk <= own[1] and (loss, risk) != own  # type: ignore[operator]
            for loss, risk in others
        )

    @cached_property
    def curve(self) -> pl.DataFrame:
        """The score of every candidate over alpha: 0, risk alone, to 1, loss alone."""
        rows = [
            {"name": run.name, "alpha": alpha, "score": self.score(run, alpha)}
            for run in self.satisfied
            for alpha in ALPHAS
        ]
        return pl.DataFrame(rows, schema={"name": pl.String, "alpha": pl.Float64, "score": pl.Float64})

    @cached_property
    def winners(self) -> list[tuple[float, float, str]]:
        """Which has the lowest score: stretches (from, to, name) of alpha from 0 to 1; of equals, the first.

        Scores are straight lines over alpha, from risk to loss, so the ends are exact.
        """
        lines = [(risk, run.loss, run.name) for run in self.runs if (risk := self.risk(run)) is not None]
        whole = [(risk, loss, name) for risk, loss, name in lines if loss is not None]
        if not lines:
            return []
        least = min(risk for risk, _, _ in lines)
        if not whole or least < min(risk for risk, _, _ in whole):  # its loss is undefined: it counts at 0 alone
            alone = [(0.0, 0.0, next(name for risk, _, name in lines if risk == least))]
            if not whole:
                return alone
        else:
            alone = []
        risk, loss, name = min(whole, key=lambda line: line[:2])
        found: list[tuple[float, float, str]] = []
        begin = 0.0
        while True:
            # Whoever loses less has a lower score from where the lines cross.
            crossings = [
                ((other[0] - risk) / ((other[0] - risk) + (loss - other[1])), *other)
                for other in whole
                if other[1] < loss * (1 - TIE)
            ]
            if not crossings:
                return [*alone, *found, (begin, 1.0, name)]
            at = max(min(crossing[0] for crossing in crossings), begin)
            found.append((begin, at, name))
            begin = at
            near = [crossing for crossing in crossings if crossing[0] <= at * (1 + TIE)]
            _, risk, loss, name = min(near, key=lambda crossing: crossing[2])

    @property
    def best(self) -> str | None:
        """The candidate with the lowest score; of equals the first that is not worse than another in loss or risk; None if
        there is none."""
        scored = [(score, run) for run in self.runs if (score := self.score(run)) is not None]
        least = min((score for score, _ in scored), default=0.0)
        equal = [run for score, run in scored if score <= least * (1 + TIE)]
        return next((run.name for run in equal if self._on_frontier(run)), equal[0].name if equal else None)

    @cached_property
    def recommendation(self) -> list[str]:
        """Which candidate to choose, and why, in words."""
        return recommend(self)

    @cached_property
    def notes(self) -> list[str]:
        """What the figures are of, where it does not go without saying."""
        return notes_of(self)

    @property
    def drawable(self) -> bool:
        """Has a candidate figures that can be drawn, loss and risk?"""
        return any(run.loss is not None and self.risk(run) is not None for run in self.runs)

    def _require_drawable(self) -> None:
        if not self.drawable:
            raise OptionError(
                "there is nothing to draw: no candidate has figures of loss and risk",
                remedy="The recommendation says why.",
            )

    def map_svg(self) -> str:
        """The map of risk and loss, the frontier marked, as SVG."""
        from ontomask.report.charts import risk_utility_map, svg  # late: altair takes 0.3 s to load

        self._require_drawable()
        text = "; ".join(
            f"{row['name']}: loss {row['loss']:.1f}%, risk {row['risk']:.1f}%"
            for row in self.table.drop_nulls(["loss", "risk"]).iter_rows(named=True)
        )
        risk = RISK_WORDS.get(self.kind, "{many} linked correctly").format(many=self.unit.many)
        labels = {run.name: name_without(run.method, run.name) for run in self.runs}
        chart = risk_utility_map(self.table, risk, set(self.baselines.values()), labels)
        return svg(chart, "risk-utility-map", f"{HEADLINE.head} and risk of each candidate", text)

    def curve_svg(self) -> str:
        """The scores over alpha, as SVG; candidates that never have the lowest one are drawn in grey where there are many."""
        from ontomask.report.charts import score_curves, svg  # late: altair takes 0.3 s to load

        self._require_drawable()
        by_name = {run.name: run for run in self.runs}
        ends = [(alpha, by_name[name]) for low, high, name in self.winners for alpha in (low, high)]
        lowest = [(alpha, score) for alpha, run in ends if (score := self.score(run, alpha)) is not None]
        winning = list(dict.fromkeys(name for _, _, name in self.winners))
        text = "; ".join(
            f"alpha {low:.2f} to {high:.2f}: {name} has the lowest score" for low, high, name in self.winners
        )
        return svg(
            score_curves(self.curve, winning, lowest), "score-curves", "Score of each candidate over alpha", text
        )

    def write_map(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write :meth:`map_svg` to a file.

        Parameters
        ----------
        path : path
            A file that ends in ``.svg``.
        overwrite : bool, default False
            Replace a file that exists.

        Returns
        -------
        Path
            The file.
        """
        return write_text(self.map_svg(), svg_file(path, "the map"), overwrite=overwrite, private=False)

    def write_curve(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write :meth:`curve_svg` to a file.

        Parameters
        ----------
        path : path
            A file that ends in ``.svg``.
        overwrite : bool, default False
            Replace a file that exists.

        Returns
        -------
        Path
            The file.
        """
        return write_text(self.curve_svg(), svg_file(path, "the curve"), overwrite=overwrite, private=False)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values (docs/comparison.md lists them)."""
        rows = self.table.to_dicts()
        for row, run in zip(rows, self.runs, strict=True):
            row["disclosed"] = {name: 100 * share for name, share in run.learned.items()}
        guess = self.guess
        return {
            "loss_over": list(self.columns),
            "risk": self.kind,
            "alpha": self.alpha,
            "guess": {} if guess is None else {name: 100 * share for name, share in guess.guessed.items()},
            "runs": rows,
            "curve": [
                {"alpha": alpha, "scores": {run.name: self.score(run, alpha) for run in self.satisfied}}
                for alpha in ALPHAS
            ],
            "winners": [{"from": low, "to": high, "name": name} for low, high, name in self.winners],
            "best": self.best,
            "notes": self.notes,
            "recommendation": self.recommendation,
        }

    @property
    def _shown(self) -> pl.DataFrame:
        """The columns of the table that people see."""
        shown = [*_SHOWN, *(compared.key for _, compared in compared_losses() if compared.head)]
        shown += ["disclosure"] if self.guess is not None and self.kind != "disclosure" else []
        return self.table.select(name for name in self.table.columns if name in shown)

    def __str__(self) -> str:
        with pl.Config(
            tbl_rows=-1,
            tbl_cols=-1,
            tbl_hide_dataframe_shape=True,
            tbl_hide_column_data_types=True,
            fmt_str_lengths=60,
            float_precision=2,
            tbl_width_chars=160,
        ):
            return "\n".join([str(self._shown), *self.notes, *self.recommendation])

    def __repr__(self) -> str:
        best = "" if self.best is None else f", best {self.best!r}"
        return f"<Comparison: {counted(len(self.runs), 'candidate')}{best}>"

    def _repr_html_(self) -> str:
        table = html_table(self._shown.columns, self._shown.rows())
        return html_card(repr(self).strip("<>"), table, html_list(self.recommendation), notes=self.notes)


def svg_file(path: str | Path, what: str) -> Path:
    """The file that a chart is written to; an error if it is of another kind."""
    file = as_path(path)
    if file.suffix.lower() != ".svg":
        raise OptionError(f"{what} is written as SVG, not as {file.suffix!r}", remedy="Name a file that ends in .svg.")
    return file
