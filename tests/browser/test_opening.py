"""The browser that ``ontomask app`` opens: the link stands in a file that others cannot read, and not on a command line."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.app.serving import Served
from tests.browser.chromium import Chromium

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_the_page_that_is_opened_leads_to_the_app(app_browser: Chromium, tmp_path: Path) -> None:
    """From a file to the app a browser sends no cookie of the same site: the session must begin all the same."""
    pytest.importorskip("nicegui", reason="the extra 'app' is not installed")
    script, told = tmp_path / "browser", tmp_path / "told"
    script.write_text(f'#!/bin/sh\nprintf "%s" "$1" > {told}\n', encoding="utf-8")
    script.chmod(0o755)
    server = Served(tmp_path / "projects", "--browser", BROWSER=str(script))
    try:
        end = time.monotonic() + 20
        while not told.exists() or not told.read_text(encoding="utf-8"):
            assert time.monotonic() < end
            time.sleep(0.05)
        address = told.read_text(encoding="utf-8")
        assert "token" not in address
        opening = tmp_path / "projects" / "open.html"
        assert address == opening.as_uri()
        assert opening.stat().st_mode & 0o777 == 0o600
        app_browser.call("Page.navigate", url=address)
        app_browser.wait_until(f"location.href === '{server.address}/' && !!document.querySelector('#new')")
        app_browser.call("Page.navigate", url=server.link)  # used up
        app_browser.wait_until("document.body.textContent.includes('used before')")
        app_browser.call("Page.navigate", url="about:blank")
    finally:
        server.stop()
    assert not opening.exists(), "it goes with the server"
