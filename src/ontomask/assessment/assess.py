"""``assess``: risk, loss, attacks and preserved statistics of a masked table, computed together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ontomask.arrays import Longs
from ontomask.assessment.clustering import clustering_of
from ontomask.assessment.disclosed import disclosed_of
from ontomask.assessment.extremes import collapsed_of, tails_of, vanished_of
from ontomask.assessment.linkage import KINDS, Kind, linkage_of
from ontomask.assessment.loss import loss_of
from ontomask.assessment.outcome import Assessment
from ontomask.assessment.pairing import Pairing, open_frames, pair_opened
from ontomask.assessment.preservation import preservation_of, require_sampling
from ontomask.assessment.risk import risk_of, severity_numbers
from ontomask.assessment.several import assessed_together
from ontomask.assessment.unit_linkage import sides
from ontomask.background import Background
from ontomask.errors import OptionError
from ontomask.policy.policy import as_policy
from ontomask.privacy.examined import Examined
from ontomask.progress import Progress, Reporter, silent, stretch
from ontomask.severity.severity import Severity

#: Linkage by distance is tried on a random sample where there are more different combinations of values than this.
MOST_TRIED = 20_000
#: On fewer, where each has many to be compared with, but not on fewer than this.
MOST_DISTANCES, LEAST_TRIED = 1_000_000_000, 1_000
#: Records that are clustered at most.
CLUSTERED = 1_000


def assess(
    original: Any,
    masked: Any,
    attributes: Any,
    *,
    measure: str | None = None,
    records: Sequence[int] | None = None,
    aligned: bool = False,
    severity: Severity | str | None = None,
    samples: int = 100,
    seed: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> Assessment:
    """Judge a masked frame or file beside its original: every measure of loss and risk that applies.

    Parameters
    ----------
    original : DataFrame or path
        The original: a pandas, Polars or PyArrow frame, or the path of a file.
    masked : DataFrame, path or list of them
        The masked table; a list: several releases of the same records, in the same order.
    attributes : Policy or mapping of str to attribute
        What the columns are.
    measure : str, optional
        One measure for all nominal columns, as a comparison of methods needs; not given: that of each column.
    records : sequence of int, optional
        The rows of the original that the masked rows belong to (``result.records``).
    aligned : bool, default False
        State that row i of one table belongs to row i of the other, although a column that is not masked differs.
    severity : Severity or path, optional
        A severity definition: records count by their severity numbers as well.
    samples : int, default 100
        How many random samples show what is left of the statistics of parts of the data.
    seed : int, default 0
        Fixes the samples that are drawn where there are many records.
    progress : callable, optional
        ``progress(fraction, message)`` is called between steps; it stops the work by returning False or raising.
    **options
        Options of ``measure``.

    Returns
    -------
    Assessment
        All figures, and what they say in words.

    Notes
    -----
    Loss, linkage and preservation are of the columns that the policy's method works on, unique records of the
    quasi-identifiers.

    Rows must belong together: ``records`` are needed if the masked table lost some or the policy shuffles them, unless
    it is the file of a saved result, which has its list of records beside it. Rows that evidently do not belong together,
    because a column that is not masked differs, are an error unless ``aligned``.

    Examples
    --------
    >>> import ontomask as om, polars as pl
    >>> before = pl.DataFrame({"age": [30, 32, 50, 54], "sex": ["f", "f", "m", "m"]})
    >>> after = pl.DataFrame({"age": [31, 31, 52, 52], "sex": ["f", "f", "m", "m"]})
    >>> found = om.assess(before, after, {"age": om.Numeric(), "sex": om.Flat()})
    >>> found.readings[0]
    '4 of 4 records were unique on age and sex; in the release none is: the smallest class has 2 records.'
    """
    require_sampling(samples, 0.1, seed)
    tables = list(masked) if isinstance(masked, (list, tuple)) else [masked]
    if not tables:
        raise OptionError("no masked table is given", remedy="Give the masked table, or a list of several releases.")
    policy, found, pairings, report = as_policy(attributes), [], [], Reporter(progress)
    for i, table in enumerate(tables):
        frames = open_frames(original, table, policy, records, aligned=aligned)
        pairing = pair_opened(frames).measured(measure, options)
        assessed = assessment_of(
            pairing,
            *frames.examined,
            frames.places,
            severity=severity,
            samples=samples,
            seed=seed,
            recognizable=policy.recognizable,
            notes=frames.notes,
            progress=stretch(report, i / len(tables), (i + 1) / len(tables)),
        )
        found.append(assessed)
        pairings.append(pairing)
    return found[0] if len(found) == 1 else assessed_together(found, pairings, policy.masked)


def assessment_of(
    pairing: Pairing,
    before: Examined,
    after: Examined,
    kept: np.ndarray[Any, Any],
    *,
    severity: Severity | str | None = None,
    samples: int = 100,
    seed: int = 0,
    recognizable: bool = True,
    notes: Sequence[str] = (),
    progress: Progress = silent,
) -> Assessment:
    """The assessment of paired tables; record ``kept[i]`` of ``before`` became record i of ``after``."""
    progress(0.0, "assessing loss")
    loss = loss_of(pairing)
    # Linkage is a compiled loop: the rest is computed beside it.
    preserving = Background(lambda: preservation_of(pairing, samples=samples, seed=seed))
    linkage: dict[Kind, float] = {}
    tried: dict[Kind, int] = {}
    estimated: dict[Kind, int] = {}
    rng = np.random.default_rng(seed)
    for place, kind in enumerate(KINDS):
        step = stretch(progress, 0.1 + 0.15 * place, 0.25 + 0.15 * place)
        step(0.0, f"assessing linkage ({kind})")
        known, sought = pairing.original.p, pairing.masked.p
        if kind == "masked_distance":
            known, sought = sought, known
        most = max(min(MOST_TRIED, MOST_DISTANCES // max(sought, 1)), min(MOST_TRIED, LEAST_TRIED))
        some = None
        if kind in ("semantic", "masked_distance") and known > most:
            some, tried[kind], estimated[kind] = _sample(pairing, kind, most, rng)
        linkage[kind] = linkage_of(pairing, kind, tried=some, progress=step)
    progress(0.7, "assessing what is left of the statistics")
    preservation = preserving.result()
    progress(0.85, "assessing clusters")
    clustering = clustering_of(pairing, None, CLUSTERED, seed) if pairing.original.n >= 2 else None
    progress(0.95, "assessing classes")
    numbers = severity_numbers(severity, before.data)
    return Assessment(
        {column.name: column.attribute.kind for column in pairing.original.columns},
        loss,
        linkage,
        preservation,
        risk_of(before, severity=numbers),
        risk_of(after, severity=None if numbers is None else numbers[kept]),
        not any(general.any() for general in pairing.general),
        clustering,
        tried.get("semantic"),
        tried.get("masked_distance"),
        pairing.ncp,
        estimated,
        recognizable,
        list(notes),
        disclosed_of(before, after, kept),
        tails_of(pairing),
        vanished_of(pairing),
        collapsed_of(pairing),
        numbers=frozenset(n for n, a in before.attributes.items() if a.role != "identifier" and a.quantity),
        averaged=frozenset(n for n, a in before.attributes.items() if a.role != "identifier" and a.averaged),
        coded={c.name: c.attribute.coded_as for c in pairing.original.columns if c.attribute.coded_as is not None},
    )


def _sample(pairing: Pairing, kind: Kind, most: int, rng: np.random.Generator) -> tuple[Longs, int, int]:
    """What linkage is tried on: combinations of values, or units with all theirs; how many of these, and how many records or
    units."""
    back = kind == "masked_distance"
    if pairing.original.units is None:
        side = pairing.masked if back else pairing.original
        some = np.sort(rng.choice(side.p, most, replace=False))
        return some, most, int(side.counts[some].sum())
    side_units = sides(pairing)[back]
    units = rng.permutation(np.unique(sides(pairing)[0].unit_of))
    own = np.bincount(side_units.unit, minlength=int(units.max()) + 1)
    some = np.sort(units[: max(1, int(np.searchsorted(np.cumsum(own[units]), most)))])
    return some, int(own[some].sum()), len(some)
