"""No figure of loss gets better when records are removed, and a release of nothing is the worst (specification 10, T12 9.2).

Thousands of small random tables, each masked at random; then its records are removed one by one, in random order.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.assessment.clustering import clustering_of
from ontomask.assessment.linkage import KINDS, linkage_of
from ontomask.assessment.loss import loss_of
from ontomask.assessment.pairing import pair_frames, pair_result
from ontomask.masking.method import Masked
from tests.oracle import plain_assessment as twin

LETTERS = "abcdefgh"


def drawn(seed: int) -> tuple[random.Random, list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Records, and what they became."""
    chance = random.Random(seed)
    width, letters = chance.choice((1, 1, 2)), LETTERS[: chance.randint(1, 8)]
    n = chance.randint(1, 12)
    original = [tuple(chance.choice(letters) for _ in range(width)) for _ in range(n)]
    changing = chance.choice((0.0, 0.3, 1.0))
    masked = [
        tuple(chance.choice(LETTERS) if chance.random() < changing else value for value in record)
        for record in original
    ]
    return chance, original, masked


def frame_of(rows: list[tuple[str, ...]], width: int) -> pl.DataFrame:
    return pl.DataFrame({f"c{i}": pl.Series([row[i] for row in rows], dtype=pl.String) for i in range(width)})


@pytest.mark.parametrize("part", range(4))
def test_the_definition_is_monotone(part: int) -> None:
    """On the plain twin, thousands of tables: removing one more record of any combination never lowers the divergence."""
    for seed in range(part * 800, (part + 1) * 800):
        _, original, masked = drawn(seed)
        before = twin.divergence(original, masked)
        assert before >= -1e-12
        nothing = twin.divergence(original, [])
        assert nothing >= before - 1e-12
        for gone in range(len(masked)):
            left = masked[:gone] + masked[gone + 1 :]
            assert twin.divergence(original, left) >= before - 1e-12, (seed, gone)


def test_every_loss_grows_with_the_records_removed() -> None:
    for seed in range(120):
        chance, original, masked = drawn(100_000 + seed)
        width = len(original[0])
        attributes = {f"c{i}": om.Flat() for i in range(width)}
        kept, last = list(range(len(original))), None
        while kept:
            rows = [masked[i] for i in kept]
            pairing = pair_frames(frame_of(original, width), frame_of(rows, width), attributes, kept)
            loss = loss_of(pairing)
            assert loss.divergence == pytest.approx(twin.divergence(original, rows), abs=1e-12), seed
            assert loss.discernibility == twin.discernibility(rows, len(original) - len(rows))
            now = [loss.divergence, loss.semantic_loss, loss.sse_record, *loss.sse.values(), *loss.changed.values()]
            if last is not None:
                assert all(b >= a - 1e-12 for a, b in zip(last, now, strict=True)), seed
            last = now
            kept.remove(chance.choice(kept))


def test_whole_classes_that_are_removed_are_indiscernible() -> None:
    """Bayardo and Agrawal 2005: a removed record counts the number of all. Once it counted nothing."""
    for seed in range(400):
        chance, original, _ = drawn(seed)
        n, sizes = len(original), Counter(original)
        out = chance.choice(sorted(sizes))
        left = [row for row in original if row != out]
        assert twin.discernibility(left, sizes[out]) >= twin.discernibility(original)
        assert twin.discernibility(left, sizes[out]) <= n * n == twin.discernibility([], n)


def test_suppression_no_longer_improves_the_divergence() -> None:
    """Once it was lower where 512 of 542 records are removed than where 416 are, and discernibility fell all the way."""
    sizes = [*[1] * 145, *[2] * 50, *[4] * 20, *[7] * 13, *[12] * 8, 30]
    frame = pl.DataFrame({"x": [f"v{i}" for i, size in enumerate(sizes) for _ in range(size)]})
    found, of_what_is_left = [], []
    for k in (3, 5, 10, 20):
        result = om.anonymize(frame, om.Policy(attributes={"x": om.Flat()}, method=om.Suppression(k=k)))
        found.append(result.loss())
        of_what_is_left.append(as_it_was(sizes, k))
    assert [loss.removed for loss in found] == [245, 325, 416, 512]
    assert of_what_is_left[3] < of_what_is_left[2]
    for figure in ("divergence", "semantic_loss", "discernibility", "record_loss", "information_loss"):
        values = [getattr(loss, figure) for loss in found]
        assert values == sorted(set(values)), figure


def as_it_was(sizes: list[int], k: int) -> float:
    """The divergence from what is left, as a table of its own."""
    left = [size if size >= k else 0 for size in sizes]
    was, now = (sum(part) + len(sizes) / 2 for part in (sizes, left))
    pairs = zip(sizes, left, strict=True)
    return math.fsum((a + 0.5) / was * math.log((a + 0.5) / was / ((b + 0.5) / now)) for a, b in pairs)


def test_by_hand() -> None:
    """a, a, b; b is removed. f = (2.5, 1.5) / 4, f* = (2.5, 0.5) / 4, a quarter is missing: 1.5 / 4 ln 3."""
    before, after = pl.DataFrame({"x": ["a", "a", "b"]}), pl.DataFrame({"x": ["a", "a"]})
    loss = om.information_loss(before, after, {"x": om.Flat()}, records=[0, 1])
    assert loss.divergence == pytest.approx(1.5 / 4 * math.log(3), abs=1e-15)
    assert loss.discernibility == 2 * 2 + 1 * 3
    # Dropped for a missing value: a combination of its own, which no released record has.
    dropping: dict[str, Any] = {"x": om.Flat(missing="drop_record")}
    gap = pl.DataFrame({"x": ["a", "a", None]})
    loss = om.information_loss(gap, after, dropping, records=[0, 1])
    assert loss.divergence == pytest.approx(1.5 / 4 * math.log(3), abs=1e-15)


def test_nothing_released() -> None:
    """Every figure at its worst, and what cannot be said is not said to be 0. (No run releases nothing: it is refused.)"""
    before = pl.DataFrame({"x": ["a", "a", "b"], "y": [1, 2, 3]})
    table = pair_frames(before, before, {"x": om.Flat(), "y": om.Numeric()}).original
    gone = Masked(np.full(3, -1, dtype=np.int32), [np.zeros(0, dtype=np.int64), np.zeros(0)])
    pairing = pair_result(table, gone)
    loss = loss_of(pairing)
    assert (loss.removed, loss.semantic_loss, loss.sse_record) == (3, 1.0, 3.0)
    assert loss.changed == {"x": 1.0, "y": 1.0}
    assert loss.divergence == pytest.approx(
        math.log(3), abs=1e-15
    )  # three combinations, each 1.5 of 4.5, none of them left
    assert loss.discernibility == 9
    assert all(math.isnan(value) for value in (*loss.rmse_released.values(), *loss.changed_released.values()))
    assert clustering_of(pairing, 2, 10, 0).distance == 1.0
    assert {linkage_of(pairing, kind) for kind in KINDS} == {0.0}


# ---- clusters ----------------------------------------------------------------------------------------------------------


def test_removed_records_are_one_cluster() -> None:
    """Once they had no part in the comparison, so that the fewer were left, the better the clusters agreed."""
    before = pl.DataFrame({"age": [20, 21, 22, 50, 51, 52, 80, 81, 82]})
    attributes = {"age": om.Numeric()}

    def distance(kept: list[int]) -> float:
        return om.clustering_distance(before, before[kept], attributes, records=kept, clusters=3).distance

    assert distance(list(range(9))) == 0.0
    assert distance([*range(6)]) == 0.0  # all of a cluster: still told apart from the others
    some = distance([0, 1, 2, 3, 4, 6, 7])
    assert 0 < some < distance([0, 3, 6]) < 1
    assert distance([4]) < 1


def test_what_is_read_out_of_the_clusters_is_of_all_records() -> None:
    """Once it spoke of the released records alone."""
    before = pl.DataFrame({"age": [20, 21, 22, 50, 51, 52, None]})
    attributes = {"age": om.Numeric(missing="drop_record")}

    def reading(kept: list[int]) -> str:
        found = om.assess(before, before[kept], attributes, records=kept, samples=0)
        return next(text for text in found.readings if "sorted by similarity" in text)

    told = reading([0, 1, 2, 3, 4, 5])
    assert "into 2 clusters, before and after masking. The two partitions differ by 0.00 (0: the same" in told
    assert told.endswith("1: unrelated).")
    assert "unrelated). Removed records count as one cluster." in reading([0, 1, 3, 4, 5])
