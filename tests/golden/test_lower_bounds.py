"""What no partition can lose less than: the bound of the Tarragona data, and that its search is complete."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from experiments.lower_bounds import bound, least_costs, read_multipliers, tarragona


def sse(group: np.ndarray) -> float:
    return float(((group - group.mean(axis=0)) ** 2).sum())


def test_the_search_finds_the_least_reduced_cost() -> None:
    """Of all groups of k to 2k - 1 records, listed one by one."""
    rng, below = np.random.default_rng(5), 0
    for _ in range(60):
        n, k = int(rng.integers(4, 10)), int(rng.integers(2, 5))
        records, multipliers = rng.normal(size=(n, 2)), rng.uniform(0, 1.5, size=n)
        apart = ((records[:, None, :] - records[None, :, :]) ** 2).sum(axis=2)
        order = rng.permutation(n)
        found = least_costs(apart, multipliers, order, k, 0.001)
        for place, root in enumerate(order):
            groups = [
                [root, *others] for size in range(k, 2 * k) for others in combinations(order[place + 1 :], size - 1)
            ]
            least = min([-0.001, *(sse(records[group]) - multipliers[group].sum() for group in groups)])
            assert found[place] == pytest.approx(least, abs=1e-12)
            below += least < -0.001
    assert below > 100


@pytest.mark.slow
def test_no_partition_of_tarragona_loses_less(data: Path) -> None:
    records = tarragona(data / "casc" / "Tarragona.csv")
    assert bound(records, 5, read_multipliers(5)) == pytest.approx(20.11997, abs=1e-4)
