"""Information loss (specification 10): squared errors, semantic loss, divergence, discernibility."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import counted
from ontomask.assessment.pairing import Pairing, pair_frames
from ontomask.microdata.column_distance import ColumnDistance
from ontomask.microdata.encoding import Table, Tuples
from ontomask.operators.aggregation import Operators
from ontomask.operators.record_distance import RecordDistance
from ontomask.showing import html_card, html_facts, html_table

#: What every combination of values counts more than it occurs, in divergences.
SMOOTHING = 0.5


@dataclass(frozen=True, repr=False)
class Loss:
    """What a masked table lost. Figures by column are in dictionaries.

    Attributes
    ----------
    sse, rmse : dict of str to float
        By column, in its own units (M13 3.3, R17): distance for nominal and flat columns, ranks for ordinal, the unit of
        the column for numeric ones; RMSE = sqrt(SSE / n).
    sse_record : float
        Sum over records of the squared mean distance to what became of them (T12 eq. 6.2).
    sst_record : float
        The same to the semantic centre of the original data (T12 eq. 6.3).
    semantic_loss : float
        Mean distance over records and columns (T12 eq. 5.1), 0..1.
    discernibility, discernibility_before : int
        Sum of squared class sizes of the masked data, and for each removed record the number of all records (Bayardo and
        Agrawal 2005); of the original.
    records, removed : int
        Original records, and how many of them are not in the release.
    divergence : float
        Kullback-Leibler divergence of the combinations of values (T12 eq. 9.2), in nats.
    relative : dict of str to float
        The semantic loss of each column.
    sum_wsd : dict of str to float
        The sum of the distances of each column in its own units (T12 eq. 4.8).
    changed : dict of str to float
        The share of records whose value is another.
    rmse_released : dict of str to float
        RMSE over the released records alone.

    Notes
    -----
    ``information_loss`` is L = 100 SSE / SST (T12 eq. 6.4), 0 for data that did not change.

    The divergence is over the combinations of both tables, each counted half a record more than it occurs, so that none
    is impossible. Shares are of all original records: removing one more record never lowers the figure.

    Removed records count with the largest distance: 1 in ``sse_record`` and ``semantic_loss``. Records that the policy
    drops for missing values are removed records, too; they have no part in the scales, nor in what is said of the
    original (``sst_record``, ``discernibility_before``). In the divergence they are one combination of their own, which no
    released record has. ``rmse_released`` and ``changed_released`` are not numbers (NaN) where nothing is released. The
    weights of columns play no part: they steer masking, and all that was masked is judged alike.
    """

    sse: dict[str, float]
    rmse: dict[str, float]
    sse_record: float
    sst_record: float
    semantic_loss: float
    discernibility: int
    discernibility_before: int
    records: int
    removed: int
    divergence: float
    relative: dict[str, float]
    sum_wsd: dict[str, float]
    changed: dict[str, float]
    rmse_released: dict[str, float]

    @property
    def information_loss(self) -> float:
        """L, in percent."""
        if self.sse_record == 0:
            return 0.0
        return 100 * self.sse_record / self.sst_record if self.sst_record > 0 else float("inf")

    @property
    def changed_released(self) -> dict[str, float]:
        """Of each column the share of the released records whose value is another; 0 is exactly none."""
        released = self.records - self.removed
        return {
            name: round(share * self.records - self.removed) / released if released else float("nan")
            for name, share in self.changed.items()
        }

    def __repr__(self) -> str:
        loss = f"information loss {self.information_loss:.4g} %"
        return f"<Loss: {loss}, {counted(self.records, 'record')}, {counted(len(self.rmse), 'column')}>"

    def _repr_html_(self) -> str:
        facts = [
            ("information loss", f"{self.information_loss:.4g} %"),
            ("semantic loss", self.semantic_loss),
            ("KL divergence", self.divergence),
            ("discernibility", self.discernibility),
            ("discernibility of the original", self.discernibility_before),
            ("records", self.records),
            ("removed", self.removed),
        ]
        rows = [(name, self.rmse[name], self.relative[name], self.changed[name]) for name in self.rmse]
        table = html_table(("column", "RMSE", "semantic loss", "share changed"), rows)
        return html_card("Loss", html_facts(facts), table)

    def __str__(self) -> str:
        return "\n".join(
            [
                f"information loss {self.information_loss:.4g} % (SSE {self.sse_record:.4g}, SST {self.sst_record:.4g})",
                f"semantic loss {self.semantic_loss:.4g}",
                f"KL divergence {self.divergence:.4g}",
                *(f"RMSE of {name} {error:.4g}" for name, error in self.rmse.items()),
                f"discernibility {self.discernibility:,} (of the original {self.discernibility_before:,})",
                f"{counted(self.records, 'record')}, {self.removed:,} of them removed",
            ]
        )


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
    distance = pairing.distance
    before, after = pairing.centres("original"), pairing.centres("masked")
    n, gone = pairing.n, pairing.gone
    sse, share, wsd, changed, released = {}, {}, {}, {}, {}
    for a, (metric, one, other) in enumerate(zip(distance.metrics, before, after, strict=True)):
        name, raw, relative = metric.column.name, metric.distance(one, other), metric.scaled(one, other)
        kept = float((pairing.records * raw**2).sum())
        sse[name] = kept + gone * metric.scale**2
        released[name] = float(np.sqrt(kept / (n - gone))) if n > gone else float("nan")
        wsd[name] = float((pairing.records * raw).sum() + gone * metric.scale)
        share[name] = (float((pairing.records * relative).sum()) + gone) / n
        changed[name] = (float(pairing.records[~pairing.equal(a)].sum()) + gone) / n
    mean = distance.pairs(before, after)
    return Loss(
        sse,
        {name: float(np.sqrt(value / n)) for name, value in sse.items()},
        float((pairing.records * mean**2).sum()) + gone,
        _total(pairing, distance),
        sum(share.values()) / len(share),
        _discernibility(pairing.masked) + gone * n,
        _discernibility(pairing.original),
        n,
        gone,
        _divergence(pairing),
        share,
        wsd,
        changed,
        released,
    )


def _discernibility(table: Table) -> int:
    """The sum of squared class sizes, exactly."""
    return int((table.counts.astype(object) ** 2).sum()) if table.n else 0


def _divergence(pairing: Pairing) -> float:
    """sum f ln(f / f*) over the combinations of both tables, with additive smoothing.

    f* is the share of all n records, removed ones included: together the shares of the release fall short of 1 by what
    was removed, an outcome that no original record has. So every term falls with the records of its combination, and a
    combination that only the release had leaves the sum with its last record, which makes the others weigh more: the
    figure never falls when a record is removed, and is largest where nothing is released. Dropped records, whose
    combinations are not known, are one combination: as several they would count less.
    """
    first, second = pairing.original, pairing.masked
    key = np.zeros(first.p + second.p, dtype=np.int64)
    for a, (column, other) in enumerate(zip(first.columns, second.columns, strict=True)):
        both = np.concatenate((column.centre_of_code[first.codes[a]], other.centre_of_code[second.codes[a]]))
        values, code = np.unique(both, return_inverse=True)
        general = pairing.general[a][second.codes[a]]
        code[first.p :][general] = len(values) + second.codes[a][general]
        values = np.arange(code.max(initial=-1) + 1)
        key = np.unique(key * len(values) + code, return_inverse=True)[1]
    size = int(key.max(initial=-1)) + 1
    before = np.bincount(key[: first.p], weights=first.counts, minlength=size)
    after = np.bincount(key[first.p :], weights=second.counts, minlength=size)
    if pairing.dropped:
        before, after = np.append(before, float(pairing.dropped)), np.append(after, 0.0)
    total = pairing.n + SMOOTHING * len(before)
    f, released = ((counts + SMOOTHING) / total for counts in (before, after))
    return max(float((f * np.log(f / released)).sum()), 0.0)


def _total(pairing: Pairing, distance: RecordDistance) -> float:
    """SST around the semantic centre, whatever centre the method used."""
    table = pairing.original
    centre = [_centre(metric) for metric in distance.metrics]
    own = [column.centre_of_code[codes] for column, codes in zip(table.columns, table.codes, strict=True)]
    off = distance.pairs(own, [np.repeat(c, table.p) for c in centre])
    return float((table.counts * off**2).sum())


def _centre(metric: ColumnDistance) -> NDArray[Any]:
    """The semantic centre of a whole column: a column's centre depends on it alone, and on its values, not on records."""
    column = metric.column
    counts = column.counts
    values = np.flatnonzero(counts)
    table = Tuples((column,), np.arange(len(column), dtype=np.int32)[None, :], counts)
    operators = Operators.of(table, RecordDistance([metric]), "semantic")
    return operators.centres_of(np.array([0, len(values)]), values, counts[values])[0]
