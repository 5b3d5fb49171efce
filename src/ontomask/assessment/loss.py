"""``Loss``: the measures of information loss (specification 10), each declared once, and ``information_loss``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ontomask.arguments import counted
from ontomask.assessment.loss_measures import (
    Compared,
    Distances,
    LossMeasure,
    Reported,
    kl_divergence,
    record_loss_percent,
    squared_class_sizes,
    weighted_share_lost,
)
from ontomask.assessment.pairing import Pairing, pair_frames
from ontomask.display import html_card, html_facts, html_table


@dataclass(frozen=True, repr=False, kw_only=True)
class Loss:
    """What a masked table lost: an attribute for each measure. Figures by column are in dictionaries.

    Attributes
    ----------
    records, removed : int
        Original records, and how many of them are not in the release.
    values : mapping of str to float or dict
        Every measure by its name: ``loss.values["semantic_loss"]`` is ``loss.semantic_loss``.

    Notes
    -----
    ``information_loss`` is the mean of ``variance_lost`` over columns, by the weights of the policy. In both, a value that
    is not there any more counts as released at the centre of its column: one of a removed record, a suppressed cell, ``*``,
    a label that stands for several, an interval that holds this centre. Any other interval counts as its middle, a concept
    as itself. Values that are exchanged or drawn, and what stands for many, can be further from the original than the
    centre is, so both can exceed 100%. Both are infinite where a column was changed whose values were all the same.

    In the other measures the weights of columns play no part, and removed records count with the largest distance: 1 in
    ``sse_record`` and ``semantic_loss``. Records that the policy drops for missing values are removed records, too; they
    have no part in the scales and centres, nor in what is said of the original (``sst_record``,
    ``discernibility_before``); in ``variance_lost`` each has lost its share whole. In the divergence they are one
    combination of their own, which no released record has. ``rmse_released`` and ``changed_released`` are not numbers (NaN)
    where nothing is released.

    The divergence is over the combinations of both tables, each counted half a record more than it occurs, so that none
    is impossible. Shares are of all original records: removing one more record never lowers the figure.
    """

    records: int
    removed: int
    values: Mapping[str, Any]

    information_loss = LossMeasure[float](
        title="information loss IL",
        definition="100 times the share of the variance that is lost, a mean over columns by their weights; 0 for data that "
        "did not change, 100 where only the centre of each column is released",
        paper="specification 10",
        of=weighted_share_lost,
        unit="%",
        landmark="100%: only the centre of each column is left",
        printed=True,
        compared=Compared("loss", "loss %"),
        reported=Reported(
            "Information loss",
            "The variance of the columns that is lost. 0%: as if no value had changed; 100%: as if every value had been "
            "replaced by the centre of its column. Exchanged values and wide intervals can exceed 100%.",
            " Values of records that were left out count as replaced by the centre.",
            whole=100.0,
            explained="How much of the variance of the columns is lost (IL): squared distances between released and original "
            "values, in percent of those if every value were replaced by the centre of its column, such as the mean. Values "
            "that were left out count as replaced by it. Exchanged values and wide intervals can exceed 100%.",
        ),
    )
    variance_lost = LossMeasure[dict[str, float]](
        title="variance lost",
        definition="100 times the sum of squared distances to the original over that of the originals to their centre",
        paper="specification 10",
        of=lambda distances: distances.by_column(lambda sums: 100 * sums.lost),
        by_column=True,
        unit="%",
        printed=True,
        reported=Reported(
            "Variance lost",
            "The variance lost is the sum of the squared distances between released and original values, in percent of that "
            "if every value were replaced by the centre of the column; exchanged values and wide intervals can exceed 100%.",
            " In it, values of records that were left out count as replaced by the centre.",
            whole=100.0,
        ),
    )
    sse_record = LossMeasure[float](
        title="SSE of records",
        definition="sum over records of the squared mean distance to what became of them",
        paper="T12 eq. 6.2, 9.1",
        of=lambda distances: distances.sse_record,
        figure=False,
        compared=Compared("sse", "SSE"),
    )
    sst_record = LossMeasure[float](
        title="SST of records",
        definition="the same to the semantic centre of the original data",
        paper="T12 eq. 6.3",
        of=lambda distances: distances.sst_record,
        figure=False,
    )
    record_loss = LossMeasure[float](
        title="loss L (T12)",
        definition="100 SSE / SST of records; 0 for data that did not change",
        paper="T12 eq. 6.4",
        of=record_loss_percent,
        unit="%",
        printed=True,
        compared=Compared("record_loss"),
    )
    semantic_loss = LossMeasure[float](
        title="semantic loss",
        definition="mean distance over records and columns, 0..1",
        paper="T12 eq. 5.1",
        of=lambda distances: sum(distances.relative.values()) / len(distances.relative),
        printed=True,
        compared=Compared("semantic_loss"),
        reported=Reported(
            "Mean distance between a released value and its original",
            "In percent of the maximum distance.",
            " A record that was left out counts as 100%.",
        ),
    )
    divergence = LossMeasure[float](
        title="KL divergence",
        definition="Kullback-Leibler divergence of the combinations of values, in nats",
        paper="T12 eq. 9.2",
        of=kl_divergence,
        printed=True,
        compared=Compared("divergence"),
    )
    discernibility = LossMeasure[int](
        title="discernibility",
        definition="sum of squared class sizes, and the number of all records for each removed one",
        paper="T12 5.2, Bayardo and Agrawal 2005",
        of=lambda distances: squared_class_sizes(distances.pairing.masked) + distances.gone * distances.n,
        form=",",
        before="discernibility_before",
        printed=True,
    )
    discernibility_before = LossMeasure[int](
        title="discernibility of the original",
        definition="the same of the original",
        paper="T12 5.2",
        of=lambda distances: squared_class_sizes(distances.pairing.original),
        form=",",
        figure=False,
        printed=True,
    )
    sse = LossMeasure[dict[str, float]](
        title="SSE",
        definition="sum of squared distances, in the units of the column: distance for nominal and flat columns, ranks for "
        "ordinal ones",
        paper="M13 3.3",
        of=lambda distances: distances.sse,
        by_column=True,
    )
    rmse = LossMeasure[dict[str, float]](
        title="RMSE",
        definition="sqrt(SSE / n)",
        paper="R17",
        of=lambda distances: {name: float(np.sqrt(value / distances.n)) for name, value in distances.sse.items()},
        by_column=True,
        printed=True,
    )
    sum_wsd = LossMeasure[dict[str, float]](
        title="sum of distances",
        definition="sum of distances, in the units of the column",
        paper="T12 eq. 4.8",
        of=lambda distances: distances.by_column(lambda sums: sums.distances + distances.gone * sums.scale),
        by_column=True,
    )
    relative = LossMeasure[dict[str, float]](
        title="relative distance",
        definition="semantic loss of the column: mean distance, 0..1",
        paper="T12 eq. 5.1",
        of=lambda distances: distances.relative,
        by_column=True,
        reported=Reported(
            "Mean distance",
            "The mean distance between released and original values is in percent of the maximum distance.",
            " In the mean distance, records that were left out count with the maximum distance.",
        ),
    )
    changed = LossMeasure[dict[str, float]](
        title="changed values",
        definition="share of the records whose value is another",
        paper="specification 10",
        of=lambda distances: distances.by_column(lambda sums: (sums.changed + distances.gone) / distances.n),
        by_column=True,
    )
    changed_released = LossMeasure[dict[str, float]](
        title="changed values of released records",
        definition="share of the released records whose value is another; 0 is exactly none",
        paper="specification 10",
        of=lambda distances: distances.by_released(lambda sums, released: sums.changed / released),
        by_column=True,
        figure=False,
        reported=Reported("Changed", "Changed is the share of the released values that differ.", public=False),
    )
    rmse_released = LossMeasure[dict[str, float]](
        title="RMSE of released records",
        definition="RMSE over the released records alone",
        paper="R17",
        of=lambda distances: distances.by_released(lambda sums, released: float(np.sqrt(sums.squares / released))),
        by_column=True,
        figure=False,
        reported=Reported(
            "Root mean square error",
            "The root mean square error is the square root of the mean squared difference between released and original "
            "values. It is in the unit of the column, or in distances between categories (0: the same).",
            whole=None,
            public=False,
        ),
    )

    @property
    def headline(self) -> float:
        """The measure to quote where only one is quoted, in percent: information loss IL."""
        found: float = self.values[HEADLINE.name]
        return found

    def __repr__(self) -> str:
        columns = counted(len(self.rmse), "column")
        return f"<Loss: {HEADLINE.title} {HEADLINE.shown(self.headline)}, {counted(self.records, 'record')}, {columns}>"

    @property
    def _totals(self) -> list[tuple[str, str]]:
        """Titles and figures of what is printed of the whole table."""
        printed = [measure for measure in loss_measures() if measure.printed and not measure.by_column]
        return [(measure.title, measure.shown(self.values[measure.name])) for measure in printed]

    def _repr_html_(self) -> str:
        by_column = [measure for measure in loss_measures() if measure.by_column and measure.figure]
        rows = [(name, *(self.values[measure.name][name] for measure in by_column)) for name in self.rmse]
        table = html_table(("column", *(measure.figure_name for measure in by_column)), rows)
        return html_card(
            "Loss", html_facts([*self._totals, ("records", self.records), ("removed", self.removed)]), table
        )

    def __str__(self) -> str:
        by_column = [
            f"{measure.title} of {name} {measure.shown(value)}"
            for measure in loss_measures()
            if measure.printed and measure.by_column
            for name, value in self.values[measure.name].items()
        ]
        removed = f"{counted(self.records, 'record')}, {self.removed:,} of them removed"
        return "\n".join([*(f"{title} {figure}" for title, figure in self._totals), *by_column, removed])


#: The measure of loss in scores, and wherever one figure is quoted; in percent.
HEADLINE = Loss.information_loss


def loss_measures() -> list[LossMeasure[Any]]:
    """All measures of loss, as :class:`Loss` declares them."""
    return [measure for measure in vars(Loss).values() if isinstance(measure, LossMeasure)]


def compared_losses() -> list[tuple[LossMeasure[Any], Compared]]:
    """The measures that a comparison of candidates shows, and in which column."""
    return [(measure, measure.compared) for measure in loss_measures() if measure.compared is not None]


def information_loss(
    original: Any,
    masked: Any,
    attributes: Any,
    *,
    measure: str | None = None,
    records: Sequence[int] | None = None,
    aligned: bool = False,
    **options: Any,
) -> Loss:
    """What two frames or files whose rows belong together differ by, on the quasi-identifiers.

    Parameters
    ----------
    original : DataFrame or path
        The original: a pandas, Polars or PyArrow frame, or the path of a file.
    masked : DataFrame or path
        The masked table, of the same records.
    attributes : Policy or mapping of str to attribute
        What the columns are.
    measure : str, optional
        One measure for all nominal columns, as a comparison of methods needs; not given: that of each column.
    records : sequence of int, optional
        The rows of the original that the masked rows belong to (``result.records``).
    aligned : bool, default False
        State that row i of one table belongs to row i of the other, although a column that is not masked differs.
    **options
        Options of ``measure``.

    Returns
    -------
    Loss
        The measures of loss.

    Notes
    -----
    Rows must belong together: ``records`` are needed if the masked table lost some or the policy shuffles them, unless
    it is the file of a saved result, which has its list of records beside it. Rows that evidently do not belong together,
    because a column that is not masked differs, are an error unless ``aligned``.

    Examples
    --------
    >>> import ontomask as om, polars as pl
    >>> before = pl.DataFrame({"age": [30.0, 32.0, 50.0, 54.0]})
    >>> after = pl.DataFrame({"age": [31.0, 31.0, 52.0, 52.0]})
    >>> round(om.information_loss(before, after, {"age": om.Numeric()}).information_loss, 2)
    2.22
    """
    return loss_of(pair_frames(original, masked, attributes, records, aligned=aligned).measured(measure, options))


def loss_of(pairing: Pairing) -> Loss:
    """The loss of paired tables, on their distinct pairs."""
    return pairing.once("loss", lambda: _loss(pairing))


def _loss(pairing: Pairing) -> Loss:
    distances = Distances(pairing)
    values = {measure.name: measure.of(distances) for measure in loss_measures()}
    return Loss(records=pairing.n, removed=pairing.gone, values=values)
