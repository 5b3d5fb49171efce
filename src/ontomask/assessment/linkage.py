"""Record linkage attacks (specification 10), on distinct tuples, never n x n.

An intruder who knows the quasi-identifiers of the original records tries to find them in the release (or the other
way round). What is computed is the share of records that are linked correctly, on average.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import one_of
from ontomask.arrays import starts
from ontomask.assessment.pairing import Pairing, pair_frames
from ontomask.assessment.unit_linkage import Nearest, equal_tuples, units_linked
from ontomask.distances.sweep import available_cores
from ontomask.kernels.blocks import new_blocks
from ontomask.kernels.linkage import linkage_range, nearest_range
from ontomask.kernels.ordering import near_order
from ontomask.kernels.space import Point, Space, new_point, new_points
from ontomask.microdata.encoding import Tuples
from ontomask.operators.record_distance import Distance, Normalize, RecordDistance
from ontomask.operators.set_space import put_sets
from ontomask.progress import Progress, Reporter, silent

Kind = Literal["semantic", "matching", "masked_matching", "masked_distance"]
KINDS: tuple[Kind, ...] = ("semantic", "matching", "masked_matching", "masked_distance")
#: Tuples looked up between two reports of progress.
STRIDE = 512
#: Nearest tuples that are held at a time, unless those of one tuple are more.
HELD = 1 << 20


def record_linkage(
    original: Any,
    masked: Any,
    attributes: Any,
    kind: Kind = "semantic",
    *,
    measure: str | None = None,
    distance: Distance = "mean",
    normalize: Normalize = "pairwise",
    records: Sequence[int] | None = None,
    aligned: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> float:
    """The share of records that an intruder links correctly on average.

    Parameters
    ----------
    original : DataFrame or path
        The original: a pandas, Polars or PyArrow frame, or the path of a file.
    masked : DataFrame or path
        The masked table, of the same records.
    attributes : Policy or mapping of str to attribute
        What the columns are.
    kind : {'semantic', 'matching', 'masked_matching', 'masked_distance'}, default 'semantic'
        How the intruder links; see the notes.
    measure : str, optional
        One measure for all nominal columns, as a comparison of methods needs; not given: that of each column.
    distance : {'mean', 's'}, default 'mean'
        The mean over the columns, each scaled to 0..1, or the S-distance (M13 eq. 7).
    normalize : {'pairwise', 'published'}, default 'pairwise'
        With ``s``: every column counts 1 on average, or as printed in M13.
    records : sequence of int, optional
        The rows of the original that the masked rows belong to (``result.records``).
    aligned : bool, default False
        State that row i of one table belongs to row i of the other, although a column that is not masked differs.
    workers : int, optional
        The number of threads (default: all cores); it does not change the result.
    progress : callable, optional
        ``progress(fraction, message)`` is called between steps; it stops the work by returning False or raising.
    **options
        Options of ``measure``.

    Returns
    -------
    float
        0..1, of all original records.

    Notes
    -----
    * ``semantic`` (SRL, T12 eq. 8.1-8.4): each original record is linked to the closest released ones; the true one
      among r equally close is found with chance 1/r;
    * ``matching`` (MRL): only released records that are equal in every column count;
    * ``masked_matching`` (T12 eq. 5.7-5.8, the RL of the score): from each released record, the original records
      equal to it;
    * ``masked_distance`` (D12): from each released record, the closest original ones.

    Removed records cannot be linked, nor those that the policy drops for missing values. The weights of columns play no
    part. ``records`` and ``aligned``: see :func:`ontomask.information_loss`.

    Examples
    --------
    >>> import ontomask as om, polars as pl
    >>> before = pl.DataFrame({"age": [30, 32, 50, 54]})
    >>> after = pl.DataFrame({"age": [31, 31, 52, 52]})
    >>> om.record_linkage(before, after, {"age": om.Numeric()})
    0.5
    """
    one_of(kind, KINDS, "linkage")
    pairing = pair_frames(original, masked, attributes, records, aligned=aligned).measured(measure, options)
    return linkage_of(pairing, kind, distance, normalize, workers=workers, progress=Reporter(progress))


def linkage_of(
    pairing: Pairing,
    kind: Kind = "semantic",
    distance: Distance = "mean",
    normalize: Normalize = "pairwise",
    *,
    workers: int | None = None,
    progress: Progress = silent,
    tried: NDArray[np.int64] | None = None,
) -> float:
    """Linkage of paired tables: the share of records, or of other units where these are counted.

    An estimate if only some combinations of values (or some units) are ``tried``, drawn at random.
    """
    if tried is None:
        key = ("linkage", kind, distance, normalize)
        return pairing.once(key, lambda: _linkage(pairing, kind, distance, normalize, workers, progress, None))
    return _linkage(pairing, kind, distance, normalize, workers, progress, tried)


def _linkage(
    pairing: Pairing,
    kind: Kind,
    distance: Distance,
    normalize: Normalize,
    workers: int | None,
    progress: Progress,
    tried: NDArray[np.int64] | None,
) -> float:
    if pairing.masked.n == 0:
        return 0.0
    usual = distance == "mean" and normalize == "pairwise"
    measured = pairing.distance if usual else RecordDistance.of(pairing.original, distance, normalize)
    if pairing.original.units is not None:
        back = kind in ("masked_matching", "masked_distance")
        if kind in ("matching", "masked_matching"):
            return units_linked(pairing, partial(equal_tuples, pairing, back=back), tried, back=back)
        tables = (pairing.masked, pairing.original) if back else (pairing.original, pairing.masked)
        return units_linked(pairing, partial(_nearest, measured, *tables), tried, back=back)
    if kind in ("matching", "masked_matching"):
        return _by_equality(pairing, forward=kind == "matching")
    chances = _by_distance(pairing, measured, kind, workers, progress, tried)
    known = (pairing.masked if kind == "masked_distance" else pairing.original).p
    scale = 1.0 if tried is None else known / len(tried)
    return min(float(np.sort(chances).sum() * scale / pairing.n), 1.0)


def _by_equality(pairing: Pairing, *, forward: bool) -> float:
    """Of the pairs whose tuples are equal, each record is found among all records with that tuple."""
    equal = np.ones(len(pairing.records), dtype=np.bool_)
    for column in range(len(pairing.original.columns)):
        equal &= pairing.equal(column)
    among = pairing.masked.counts[pairing.after] if forward else pairing.original.counts[pairing.before]
    return float((pairing.records[equal] / among[equal]).sum() / pairing.n)


def _by_distance(
    pairing: Pairing,
    distance: RecordDistance,
    kind: str,
    workers: int | None,
    progress: Progress,
    tried: NDArray[np.int64] | None,
) -> NDArray[np.float64]:
    """For every combination of values that is tried, the chances of its records, added up."""
    known, sought = pairing.original, pairing.masked
    before, after = pairing.before, pairing.after
    if kind == "masked_distance":
        known, sought, before, after = sought, known, after, before
    space = distance.space(sought, against=known)
    points = _points(distance, known, space)
    order = np.lexsort((after, before))
    begins = np.searchsorted(before[order], np.arange(known.p + 1)).astype(np.int64)
    if tried is not None:
        points = _some(points, tried)
        order = np.concatenate([order[begins[t] : begins[t + 1]] for t in tried])
        begins = starts(begins[tried + 1] - begins[tried])
    pairs = (begins, after[order], pairing.records[order])
    count = len(begins) - 1
    chances = np.zeros(count)
    arranged = near_order(space)
    ranges = [(b, min(b + STRIDE, count)) for b in range(0, count, STRIDE)]

    def work(mine: list[tuple[int, int]], tell: bool) -> None:
        blocks, point = new_blocks(space, sought.counts, arranged), new_point(space)
        for done, (begin, end) in enumerate(mine):
            if tell:
                progress(done / len(mine), "linking records")
            linkage_range(space, blocks, point, points, *pairs, begin, end, chances)

    threads = min(workers or available_cores(), len(ranges))
    if threads == 1:
        work(ranges, tell=True)
    else:
        with ThreadPoolExecutor(threads) as pool:
            others = [pool.submit(work, ranges[i::threads], False) for i in range(1, threads)]
            work(ranges[::threads], tell=True)
            for other in others:
                other.result()
    return chances


def nearest_released(pairing: Pairing, known: NDArray[np.int64]) -> Iterator[Nearest]:
    """The released tuples at the least distance from each of the ``known`` original tuples, some at a time.

    Yields tuples, where the nearest ones of each begin (one entry more than tuples), and the nearest ones.
    """
    return _nearest(pairing.distance, pairing.original, pairing.masked, known)


def _nearest(distance: RecordDistance, table: Tuples, sought: Tuples, known: NDArray[np.int64]) -> Iterator[Nearest]:
    """The same for known tuples of one table, and those that are sought in another."""
    space = distance.space(sought, against=table)
    points = _some(_points(distance, table, space), known)
    blocks, point = new_blocks(space, sought.counts, near_order(space)), new_point(space)
    found, ends = np.empty(max(HELD, sought.p), dtype=np.int64), np.empty(len(known), dtype=np.int64)
    begin = 0
    while begin < len(known):
        end = nearest_range(space, blocks, point, points, begin, len(known), ends, found)
        begins = np.concatenate(([0], ends[begin:end]))
        yield known[begin:end], begins, found[: begins[-1]].copy()
        begin = end


def _some(points: Point, tuples: NDArray[np.int64]) -> Point:
    return Point(points.at[tuples], points.gone[tuples], points.rows[tuples])


def _points(distance: RecordDistance, table: Tuples, space: Space) -> Point:
    """Where each tuple stands, as the kernels want it: a row for each."""
    points, line, coded, sets = (
        new_points(space, table.p),
        0,
        0,
        iter(() if space.sets is None else space.sets.point_at),
    )
    for metric, column, codes in zip(distance.metrics, table.columns, table.codes, strict=True):
        if metric.on_line:
            centres = column.centre_of_code[codes]
            gone = metric.column.is_missing(centres)
            points.at[:, line] = np.where(gone, 0.0, distance.coordinates(metric, centres))
            points.gone[:, line] = gone
            line += 1
        elif metric.of_sets:
            put_sets(points.rows, int(next(sets)), *metric.set_points(column), codes)
        else:
            points.rows[:, coded] = codes
            coded += 1
    return points
