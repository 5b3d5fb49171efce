"""Imputation against its plain twin, and what it keeps of large tables (docs/methods/imputation.md)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import ontomask as om
from ontomask.masking.goals import Goals
from ontomask.progress import silent
from tests.oracle import plain_imputation as twin
from tests.oracle.plain_masking import PlainColumn
from tests.property.tables import KINDS, Sheet, make_sheet

MODELS = ("normal", "linear", "pmm")


def sheet_of(seed: int) -> tuple[Sheet, list[bool], dict[str, Any]]:
    """A random small table, which of its columns are masked, and settings."""
    chance = random.Random(f"imputation {seed}")
    n = chance.choice((3, 4, 7, 12, 19, 20, 25, 31, 40, 47))
    kinds = [chance.choice(KINDS) for _ in range(chance.choice((1, 2, 3, 4, 5)))]
    masked = [chance.random() < 0.5 for _ in kinds]
    masked[chance.randrange(len(kinds))] = True
    model = MODELS[seed % 3]
    settings: dict[str, Any] = {"model": model, "m": chance.choice((1, 1, 1, 2, 3))}
    if model == "pmm":
        settings["donors"] = chance.choice((1, 2, 5, 5, 9, 100))
    if model == "linear":
        settings["bounded"] = chance.random() < 0.6
    return make_sheet(seed, n, kinds), masked, settings


def released(sheet: Sheet, masked: Sequence[bool], seed: int, **settings: Any) -> list[list[list[Any]]]:
    """What the product shows, column by column, of every release."""
    method: om.Imputation = om.Imputation(columns=[f"c{i}" for i, m in enumerate(masked) if m], **settings)
    rng = np.random.default_rng(seed)
    made = method.mask_releases(Goals.none(sheet.table.rows), sheet.table, rng, silent)
    return [[v.gather(one.group_of).to_list() for v in one.values(sheet.table)] for one in made]


def equal(one: Any, other: Any) -> bool:
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one == pytest.approx(other, rel=1e-9, abs=1e-9)
    return bool(one == other)


@pytest.mark.parametrize("block", range(6))
def test_the_same_draws_give_the_same_releases(block: int) -> None:
    """Over thousands of tables with ties, missing values, constants and columns that repeat each other."""
    for seed in range(200 * block, 200 * (block + 1)):
        sheet, masked, settings = sheet_of(seed)
        columns = [PlainColumn(a, [r[i] for r in sheet.records]) for i, a in enumerate(sheet.attributes)]
        expected = twin.impute(columns, masked, rng=np.random.default_rng(seed), **settings)
        found = released(sheet, masked, seed, **settings)
        assert len(found) == len(expected) == settings["m"]
        for number, (one, other) in enumerate(zip(found, expected, strict=True)):
            for i, (shown, told) in enumerate(zip(one, other, strict=True)):
                other_ones = [pair for pair in zip(shown, told, strict=True) if not equal(*pair)]
                assert not other_ones, (seed, number, i, settings)
