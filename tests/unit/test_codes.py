"""Codes of combinations are those of a dictionary of tuples, also where their product outgrows 64 bits."""

from __future__ import annotations

import numpy as np
import pytest

from ontomask.microdata.codes import combine


@pytest.mark.parametrize(("columns", "size"), [(1, 5), (3, 4), (8, 1000), (40, 2**20)])
@pytest.mark.parametrize("n", [0, 1, 300])
def test_combinations_are_numbered_in_the_order_first_seen(columns: int, size: int, n: int) -> None:
    rng = np.random.default_rng(columns)
    of_few = rng.integers(0, size, (20, columns))
    keys = of_few[rng.integers(0, 20, n)].T.astype(np.int32)
    keys[-1, ::7] = size - 1  # the largest number that there may be
    code, first = combine(list(keys), [size] * columns)
    seen: dict[tuple[int, ...], int] = {}
    assert code.tolist() == [seen.setdefault(tuple(row), len(seen)) for row in keys.T.tolist()]
    assert first.tolist() == [code.tolist().index(number) for number in range(len(seen))]


def test_first_columns_still_count_where_the_key_would_outgrow_64_bits() -> None:
    same = np.zeros(4, dtype=np.int32)
    first = np.array([0, 3, 0, 2**20 - 1], dtype=np.int32)
    assert combine([first, *[same] * 4], [2**20] * 5)[0].tolist() == [0, 1, 0, 2]
