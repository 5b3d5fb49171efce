"""PRAM beside its plain twin, given the same random numbers."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import ontomask as om
from ontomask.masking.pram import PRAM
from ontomask.progress import silent
from tests.oracle import plain_noise as twin
from tests.property.test_noise_addition import random_table


def plain_distances(column: Any, present: list[int]) -> list[list[float]]:
    """In 0..1, by the kind of the column."""
    kind = column.attribute.kind
    if kind == "nominal":
        concepts = [column.taxonomy.concepts[column.concepts[code]] for code in present]
        if not concepts:
            return []
        table = om.distance_matrix(column.taxonomy, concepts, column.attribute.measure)
        if column.attribute.measure == "path":  # unbounded: by the largest distance to a concept that subsumes a value
            above = sorted({s for c in concepts for s in column.taxonomy.subsumers(c)})
            table = table / max(om.distance_matrix(column.taxonomy, concepts, "path", against=above).max(), 1)
        made: list[list[float]] = table.tolist()
        return made
    if kind == "flat":
        return [[float(i != j) for j in present] for i in present]
    at = [float(column.centre_of_code[code]) for code in present]
    whole = float(column.levels - 1) if kind == "ordinal" else max(at, default=0.0) - min(at, default=0.0)
    return [[abs(a - b) / whole if whole else 0.0 for b in at] for a in at]


@pytest.mark.parametrize("block", range(4))
def test_the_twin_draws_the_same(block: int) -> None:
    """2,000 tables of every kind: the same matrix to 1e-9, and with the same random numbers the same values."""
    for case in range(500):
        chance = random.Random(f"pram {block} {case}")
        table = random_table(chance)
        method = PRAM(keep=chance.choice((0.0, 0.3, 0.8, 0.95)), reach=chance.choice((0.05, 0.1, 1.0)))
        masked = method.mask(table, np.random.default_rng(case), silent)
        made = method.transitions(table)
        rng = np.random.default_rng(case)
        for a, (column, centres) in enumerate(zip(table.columns, masked.centres, strict=True)):
            uniform = rng.random(table.n).tolist()
            present = [code for code in range(len(column)) if code != column.missing]
            counts = [int(column.counts[code]) for code in present]
            expected = table.codes_of(a).tolist()
            if present:
                distances = plain_distances(column, present)
                matrix = twin.transition_matrix(distances, counts, method.keep, method.reach)
                np.testing.assert_allclose(made[column.name].matrix(), matrix, rtol=1e-8, atol=1e-9)
                place = {code: at for at, code in enumerate(present)}
                expected = [
                    present[twin.drawn(place[code], uniform[r], matrix)] if code in place else code
                    for r, code in enumerate(expected)
                ]
            assert repr(centres[masked.group_of].tolist()) == repr(column.centre_of_code[expected].tolist()), (
                block,
                case,
            )
