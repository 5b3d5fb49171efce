"""``Assessment``: the figures of a masked table against its original."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from ontomask.arguments import counted, is_number, one_of
from ontomask.assessment.attacks import Attack, attacks_of, worst_of
from ontomask.assessment.clustering import ClusteringDistance
from ontomask.assessment.disclosed import SCHEMA as DISCLOSED
from ontomask.assessment.extremes import TAILS, VANISHED
from ontomask.assessment.linkage import KINDS, Kind
from ontomask.assessment.loss import HEADLINE, Loss, loss_measures
from ontomask.assessment.preservation import Preservation
from ontomask.assessment.readings import readings_of
from ontomask.assessment.risk import Risk
from ontomask.assessment.several import Several
from ontomask.display import html_card, html_fold, html_list, html_table
from ontomask.errors import OptionError
from ontomask.wording import RECORD

#: The steps of alpha at which the score is shown.
ALPHAS = tuple(i / 20 for i in range(21))
#: What the statistics of categories are.
MARGINALITY = {
    "mean": "least marginality (sum)",
    "variance": "mean marginality (sum)",
    "covariance": "joint marginality (sum)",
}
#: The drift of a mean that is the most frequent value.
NEW_MODE = "another most frequent value (1: yes)"


@dataclass(frozen=True, eq=False, repr=False)
class Assessment:
    """What was lost, which records can still be found, and what is left of the statistics.

    Attributes
    ----------
    columns : dict of str to str
        The columns compared, with their kinds.
    loss : Loss
        What was lost.
    linkage : dict of str to float
        By kind, the share of records, or of persons where these are counted, that an intruder links correctly
        (:func:`ontomask.record_linkage`).
    preservation : Preservation
        What is left of the statistics.
    risk_before, risk_after : Risk
        Unique records on the quasi-identifiers, before and after (:func:`ontomask.disclosure_risk`).
    exact : bool
        Does the release show single values, and not intervals, whose middles are compared?
    clustering : ClusteringDistance or None
        How differently original and masked records fall into clusters; None where there are too few.
    tried, tried_back : int or None
        On how many combinations of values linkage by distance was tried from the original and from the release; None: all.
    ncp : float or None
        The normalized certainty penalty of a generalization, 0..1.
    estimated : dict of str to int
        By kind of linkage, on how many records, or persons, an estimate rests.
    recognizable : bool
        Can an intruder who knows the quasi-identifiers of a record tell its class in the release?
    notes : list of str
        How rows were matched, where it should be known.
    disclosed : list
        By sensitive column the classes that give its value away, and the records concerned, before and after.
    tails : list
        The lowest and highest 5% of numeric columns.
    vanished : list
        Categories that no released record shows.
    collapsed : list
        Columns of which one value is left.
    several : Several or None
        What several releases of the same records say together; all else is of the first, but for ``attacks``, the worst
        over all.
    others : tuple of Assessment
        The assessments of the other releases.
    numbers : frozenset of str
        The columns of numbers: in :attr:`disclosed` their values agree where they are nearly equal.
    averaged : frozenset of str
        The columns whose mean is a value: numbers and dates.
    coded : dict of str to str
        The columns whose values were coded before they were measured, such as ages from 90 up, and how.
    """

    columns: dict[str, str]
    loss: Loss
    linkage: dict[Kind, float]
    preservation: Preservation
    risk_before: Risk
    risk_after: Risk
    exact: bool = True
    clustering: ClusteringDistance | None = None
    tried: int | None = None
    tried_back: int | None = None
    ncp: float | None = None
    estimated: dict[Kind, int] = field(default_factory=dict)
    recognizable: bool = True
    notes: list[str] = field(default_factory=list)
    disclosed: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=DISCLOSED))
    tails: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=TAILS))
    vanished: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=VANISHED))
    collapsed: list[str] = field(default_factory=list)
    several: Several | None = None
    others: tuple[Assessment, ...] = ()
    numbers: frozenset[str] = frozenset()
    averaged: frozenset[str] = frozenset()
    coded: dict[str, str] = field(default_factory=dict)

    @cached_property
    def attacks(self) -> list[Attack]:
        """Every attack that was tried, the most successful first: shares of the released records (or other units),
        comparable with each other. Of several releases, each attack on the one where it finds most."""
        whole, released = self.loss.records, self.loss.records - self.loss.removed
        if self.risk_after.unit != RECORD:
            whole, released = self.risk_before.records, self.risk_after.records
        found = attacks_of(
            self.linkage,
            self.risk_after,
            whole,
            released,
            recognizable=self.recognizable,
            estimated=self.estimated,
        )
        return worst_of([found, *(other.attacks for other in self.others)])

    @property
    def worst_attack(self) -> Attack:
        """The most successful attack: the figure to quote where only one is quoted."""
        return self.attacks[0]

    def score(self, alpha: float = 0.5, kind: Kind = "masked_matching") -> float:
        """alpha IL + (1 - alpha) RL, in percent: the lower, the better (T12 eq. 6.5, there with L).

        Parameters
        ----------
        alpha : float, default 0.5
            The weight of loss.
        kind : str, default 'masked_matching'
            The linkage RL: T12 6 takes exact matches (``masked_matching``), T12 9 ``semantic`` ones.

        Returns
        -------
        float
            0 to 100 and more.
        """
        if not is_number(alpha) or not 0 <= alpha <= 1:
            raise OptionError(f"alpha={alpha!r}", remedy="Give a number from 0 (risk alone) to 1 (loss alone).")
        one_of(kind, KINDS, "linkage")
        risk = 100 * self.linkage[kind]
        if alpha == 0:
            return risk
        return alpha * self.loss.headline + (1 - alpha) * risk

    @cached_property
    def curve(self) -> pl.DataFrame:
        """The score over alpha, by exact matches and by semantic linkage."""
        return pl.DataFrame(
            {
                "alpha": ALPHAS,
                "score (masked_matching)": [self.score(alpha) for alpha in ALPHAS],
                "score (semantic)": [self.score(alpha, "semantic") for alpha in ALPHAS],
            }
        )

    @cached_property
    def readings(self) -> list[str]:
        """What the figures say, in plain words."""
        return readings_of(self)

    @property
    def figures(self) -> pl.DataFrame:
        """Every figure in a row: what it is, of which column, its value before and after masking, and their difference.

        Figures that compare both tables stand under ``value`` alone. In the place of mean, variance and covariance,
        categories have rows of marginality, the sum of the distances of a value from those of all records: the least, the
        mean, and of two columns the mean of sqrt(m(x) m(y)).
        """
        worst = self.worst_attack
        rows: list[dict[str, Any]] = [{"figure": f"worst attack ({worst.name})", "value": worst.share}]
        rows += [{"figure": f"linkage ({kind})", "value": v} for kind, v in self.linkage.items()]
        after = self.risk_after.figures
        rows += [_before_and_after(name, value, after[name]) for name, value in self.risk_before.figures.items()]
        rows += self._losses(by_column=False, before=False)
        rows += [
            {"figure": "score, alpha 0.5 (masked_matching)", "value": self.score()},
            {"figure": "score, alpha 0.5 (semantic)", "value": self.score(kind="semantic")},
            *self._losses(by_column=False, before=True),
            {"figure": "removed records", "value": float(self.loss.removed)},
        ]
        if self.ncp is not None:
            rows.append({"figure": "normalized certainty penalty", "value": self.ncp})
        if self.clustering is not None:
            rows.append({"figure": "distance between clusterings", "value": self.clustering.distance})
        rows += self._losses(by_column=True, before=False)
        kept = self.preservation
        rows += [
            {"figure": NEW_MODE if name in kept.modes else "semantic mean drift", "attribute": name, "value": drift}
            for name, drift in kept.means["attribute", "drift"].iter_rows()
        ]
        for frame, change in ((kept.statistics, "delta"), (kept.dependence, "difference")):
            for row in frame.iter_rows(named=True):
                same = {name: row[name] for name in ("attribute", "with", "original", "masked")}
                own = MARGINALITY if row["attribute"] in kept.categories else {}
                rows.append({"figure": own.get(row["statistic"], row["statistic"]), "value": row[change], **same})
        rows += self._taken_away()
        rows += [] if self.several is None else self.several.rows
        text, number = dict.fromkeys(("figure", "attribute", "with"), pl.String), ("original", "masked", "value")
        return pl.DataFrame(rows, schema={**text, **dict.fromkeys(number, pl.Float64)})

    def _losses(self, *, by_column: bool, before: bool) -> list[dict[str, Any]]:
        """Rows of :attr:`figures`: measures of loss; ``before``: those that the original has, too."""
        rows: list[dict[str, Any]] = []
        for measure in loss_measures():
            if not measure.figure or (measure.by_column, measure.before is not None) != (by_column, before):
                continue
            figure, value = measure.figure_name, self.loss.values[measure.name]
            if measure.by_column:
                rows += [{"figure": figure, "attribute": name, "value": each} for name, each in value.items()]
            elif measure.before is not None:
                rows.append(_before_and_after(figure, float(self.loss.values[measure.before]), float(value)))
            else:
                rows.append({"figure": figure, "value": float(value)})
        return rows

    def _taken_away(self) -> list[dict[str, Any]]:
        """Rows of :attr:`figures`: what classes disclose, what became of tails and categories."""
        rows: list[dict[str, Any]] = []
        for row in self.disclosed.iter_rows(named=True):
            units = f"{self.risk_after.unit.many} with a disclosed value"
            for what, figure in (("classes", "disclosing classes"), ("records", units)):
                pair = _before_and_after(figure, float(row[f"{what}_before"]), float(row[what]))
                rows.append(pair | {"attribute": row["column"]})
        for row in self.tails.iter_rows(named=True):
            of, name = f"{row['end']} 5%", {"attribute": row["column"]}
            rows.append(_before_and_after(f"mean of the {of}", row["mean_before"], row["mean"]) | name)
            quantile = "5% quantile" if row["end"] == "lowest" else "95% quantile"
            rows.append(_before_and_after(quantile, row["quantile_before"], row["quantile"]) | name)
            beyond = "below the released minimum" if row["end"] == "lowest" else "above the released maximum"
            rows.append({"figure": f"records {beyond}", "value": float(row["beyond"])} | name)
        for row in self.vanished.iter_rows(named=True):
            name = {"attribute": row["column"]}
            left = row["categories"] - row["vanished"]
            rows.append(_before_and_after("categories", float(row["categories"]), float(left)) | name)
            rows.append({"figure": "records of vanished categories", "value": float(row["records"])} | name)
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, texts and lists; what is not finite is None."""
        sizes = {"before": self.risk_before, "after": self.risk_after}
        found: dict[str, Any] = {
            "readings": self.readings,
            "notes": self.notes,
            "figures": self.figures.to_dicts(),
            "worst_attack": asdict(self.worst_attack),
            "class_sizes": {when: risk.sizes.to_dicts() for when, risk in sizes.items()},
            "score": self.curve.to_dicts(),
            "columns": dict(self.columns),
            "quasi_identifiers": self.risk_before.columns,
            "counted": self.risk_after.unit.many,
            "linkage_tried_on": self.tried,
            "linkage_back_tried_on": self.tried_back,
            "linkage_estimated_on_records": dict(self.estimated),
            "disclosed": self.disclosed.to_dicts(),
            "tails": self.tails.to_dicts(),
            "vanished": self.vanished.to_dicts(),
            "collapsed": self.collapsed,
            "releases": None if self.several is None else self.several.to_dict(),
        }
        if self.clustering is not None:
            found["clustering"] = {
                "clusters": self.clustering.clusters,
                "records": self.clustering.records,
                "available": self.clustering.available,
            }
        plain: dict[str, Any] = _finite(found)
        return plain

    def to_json(self) -> str:
        """:meth:`to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)

    def __str__(self) -> str:
        with pl.Config(tbl_rows=-1, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True, fmt_str_lengths=40):
            return "\n".join([*(f"note: {note}" for note in self.notes), *self.readings, str(self.figures)])

    def __repr__(self) -> str:
        loss = f"{HEADLINE.title} {HEADLINE.shown(self.loss.headline)}"
        return f"<Assessment: {counted(self.loss.records, 'record')}, {counted(len(self.columns), 'column')}, {loss}>"

    def _repr_html_(self) -> str:
        figures = html_fold("All figures", html_table(self.figures.columns, self.figures.rows()))
        return html_card(repr(self).strip("<>"), html_list(self.readings), figures, notes=self.notes)


def _before_and_after(figure: str, before: float | None, after: float | None) -> dict[str, Any]:
    change = None if before is None or after is None else after - before
    return {"figure": figure, "original": before, "masked": after, "value": change}


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
