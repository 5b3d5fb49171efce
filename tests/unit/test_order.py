"""The order of the tests for several workers: nothing is lost, and who compiles is not who only reads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.order import COMPILING, WITHOUT_KERNELS, shared_out

TESTS = Path(__file__).parents[1]


@dataclass(frozen=True)
class Found:
    path: Path
    number: int


def collected() -> list[Found]:
    """Three tests in each file of the tests, and one in each page."""
    files = [file for file in sorted(TESTS.rglob("test_*.py")) for _ in range(3)]
    return [Found(file, i) for i, file in enumerate([*files, *sorted((TESTS.parent / "docs").rglob("*.md"))])]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_every_test_is_done_once(workers: int) -> None:
    items = collected()
    order = shared_out(items, workers)
    assert sorted(order, key=lambda item: item.number) == items
    if workers == 1:
        assert order == items


def test_the_first_worker_reads_while_the_second_compiles() -> None:
    order = shared_out(collected(), 2)
    half = len(order) // 2
    assert order[0].path.name in WITHOUT_KERNELS
    assert order[half].path.name in COMPILING
    second = [item.path.name for item in order[half : half + 200]]
    assert second[: 3 * len(COMPILING)].count(COMPILING[0]) == 3
    assert set(COMPILING) <= set(second)


def test_the_modules_that_are_named_are_there() -> None:
    names = {file.name for file in TESTS.rglob("test_*.py")}
    assert names >= {*WITHOUT_KERNELS, *COMPILING}
