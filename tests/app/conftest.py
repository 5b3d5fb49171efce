"""One server for all tests that do not end it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason="the extra app is not installed")

from tests.app.serving import Served


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    server = Served(tmp_path_factory.mktemp("app") / "projects", "--max-upload", "20")
    yield server
    server.stop()


@pytest.fixture(scope="session")
def stays() -> bytes:
    """A small table of hospital stays as a CSV."""
    import ontomask as om

    return om.demo_data(300, seed=3).write_csv().encode()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "projects"
