"""Modules are loaded without the garbage collector, which works as before afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from ontomask.loading import collector_paused


class Loop:
    """Refers to itself: only the collector removes it."""

    def __init__(self, gone: list[str]) -> None:
        self.itself, self.gone = self, gone

    def __del__(self) -> None:
        self.gone.append("gone")


@pytest.fixture(autouse=True)
def collector_as_it_was() -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.enable()


def test_it_rests_while_modules_load_and_finds_everything_afterwards() -> None:
    gone: list[str] = []
    with collector_paused():
        assert not gc.isenabled()
        Loop(gone)
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
    gc.collect()
    assert gone == ["gone"]


def test_what_was_loaded_counts_as_old() -> None:
    with collector_paused():
        loaded = [[] for _ in range(10_000)]
    assert gc.get_count()[0] < 10_000
    assert len(loaded) == 10_000


def test_a_collector_that_rests_is_left_alone() -> None:
    gc.disable()
    with collector_paused():
        pass
    assert not gc.isenabled()


def test_what_a_program_froze_stays_frozen() -> None:
    gc.freeze()
    frozen = gc.get_freeze_count()
    with collector_paused():
        pass
    # A few of them may have ended meanwhile, since nobody needed them any more; unfrozen, all would be missing.
    assert 0 < 0.9 * frozen < gc.get_freeze_count() <= frozen
