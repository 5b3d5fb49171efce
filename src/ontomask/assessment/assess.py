"""All that can be said of a masked table beside its original, in one object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ontomask.assessment.linkage import KINDS, Kind, linkage_of
from ontomask.assessment.loss import Loss, loss_of
from ontomask.assessment.pairing import Pairing, pair_frames
from ontomask.assessment.preservation import Preservation, preservation_of


@dataclass(frozen=True, eq=False, repr=False)
class Assessment:
    """What was lost, who could still be found, and what is left of the statistics.

    ``linkage``: by kind, the share of records an intruder links correctly (see :func:`ontomask.record_linkage`).
    """

    loss: Loss
    linkage: dict[Kind, float]
    preservation: Preservation

    @property
    def figures(self) -> pl.DataFrame:
        """Every figure in a row: what it is, of which column, its value before and after masking, and their difference.

        Figures that compare both tables stand under ``value`` alone.
        """
        rows: list[dict[str, Any]] = [{"figure": f"linkage ({kind})", "value": v} for kind, v in self.linkage.items()]
        loss = self.loss
        rows += [
            {"figure": "information loss L (%)", "value": loss.information_loss},
            {"figure": "semantic loss", "value": loss.semantic_loss},
            {
                "figure": "discernibility",
                "original": float(loss.discernibility_before),
                "masked": float(loss.discernibility),
                "value": float(loss.discernibility - loss.discernibility_before),
            },
        ]
        rows += [{"figure": "SSE", "attribute": name, "value": value} for name, value in loss.sse.items()]
        rows += [{"figure": "RMSE", "attribute": name, "value": value} for name, value in loss.rmse.items()]
        kept = self.preservation
        rows += [
            {"figure": "semantic mean drift", "attribute": row["attribute"], "value": row["drift"]}
            for row in kept.means.iter_rows(named=True)
        ]
        for frame, change in ((kept.statistics, "delta"), (kept.dependence, "difference")):
            for row in frame.iter_rows(named=True):
                same = {name: row[name] for name in ("attribute", "with", "original", "masked")}
                rows.append({"figure": row["statistic"], "value": row[change], **same})
        text, number = dict.fromkeys(("figure", "attribute", "with"), pl.String), ("original", "masked", "value")
        return pl.DataFrame(rows, schema={**text, **dict.fromkeys(number, pl.Float64)})

    def __str__(self) -> str:
        with pl.Config(tbl_rows=-1, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True, fmt_str_lengths=40):
            return str(self.figures)

    __repr__ = __str__


def assess(
    original: Any,
    masked: Any,
    attributes: Any,
    *,
    measure: str | None = None,
    records: Sequence[int] | None = None,
    samples: int = 100,
    seed: int = 0,
    **options: Any,
) -> Assessment:
    """Judge a masked frame or file beside its original, on the columns that the policy's method works on.

    The arguments are those of :func:`ontomask.information_loss` and :func:`ontomask.preservation`.
    """
    pairing = pair_frames(original, masked, attributes, records).measured(measure, options)
    return assessment_of(pairing, samples=samples, seed=seed)


def assessment_of(pairing: Pairing, *, samples: int = 100, seed: int = 0) -> Assessment:
    """The assessment of paired tables."""
    return Assessment(
        loss_of(pairing),
        {kind: linkage_of(pairing, kind) for kind in KINDS},
        preservation_of(pairing, samples=samples, seed=seed),
    )
