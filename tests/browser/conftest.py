"""One browser and one server for all tests of the app; each test leaves the console clean and asks nobody else."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.chromium import Chromium, find
from tests.browser.steward import Server, Steward


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser of this machine; where tests must not be skipped, it has to be there."""
    program = find()
    if program is None:
        reason = "there is no Chromium here (on Debian: apt-get install chromium)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return program


@pytest.fixture(scope="session")
def app_browser(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with Chromium(chromium, tmp_path_factory.mktemp("app-chromium")) as started:
        yield started


@pytest.fixture(scope="session")
def app_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    pytest.importorskip("nicegui", reason="the extra 'app' is not installed")
    started = Server(tmp_path_factory.mktemp("projects"))
    yield started
    started.close()


@pytest.fixture
def downloads(app_browser: Chromium, tmp_path: Path) -> Path:
    folder = tmp_path / "downloads"
    folder.mkdir()
    app_browser.save_downloads(folder)
    return folder


@pytest.fixture
def steward(app_browser: Chromium, app_server: Server) -> Iterator[Steward]:
    """Somebody in front of the list of projects. Afterwards: no complaint on the console, no request to another host."""
    app_browser.resize(1_280, 800)
    app_browser.prefer("light")
    somebody = Steward(app_browser, app_server)
    somebody.arrive()
    somebody.actions = 0
    yield somebody
    foreign = [
        address for address in app_browser.requests if not address.startswith((app_server.origin, "data:", "blob:"))
    ]
    assert foreign == []
    assert [text for text in app_browser.complaints if _serious(text) and not somebody.forgives(text)] == []


def _serious(text: str) -> bool:
    told = json.loads(text)
    level = told.get("entry", {}).get("level") or told.get("type") or "error"
    return level in ("error", "warning", "assert")
