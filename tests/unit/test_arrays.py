"""Codes in the order in which they are first seen."""

from __future__ import annotations

import numpy as np

from ontomask.arrays import by_first_seen


def test_codes_by_the_order_in_which_they_are_seen() -> None:
    rng = np.random.default_rng(0)
    for _ in range(500):
        codes = np.unique(rng.integers(0, 5, rng.integers(0, 12)), return_inverse=True)[1].astype(np.int64)
        seen: dict[int, int] = {}
        assert by_first_seen(codes).tolist() == [seen.setdefault(code, len(seen)) for code in codes.tolist()]
