"""A steward at the app: what a person does with mouse and keyboard, counted, in a real browser against a real server."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.browser.chromium import Chromium

#: Finds what can be clicked by its visible text, its label, or its id: the first that can be seen.
FIND = """
(what => {
  const seen = e => e.getClientRects().length && getComputedStyle(e).visibility !== "hidden";
  const byId = what.startsWith("#") || what.startsWith("[") ? [...document.querySelectorAll(what)] : [];
  const named = [...document.querySelectorAll("button, a, summary, label, [role=button], [role=treeitem], input")].filter(
    e => e.getAttribute("aria-label") === what || e.textContent.trim() === what);
  const modal = document.querySelector("dialog[open]");
  const found = [...byId, ...named].filter(e => seen(e) && !e.disabled && (!modal || modal.contains(e)))[0];
  if (!found) return null;
  found.scrollIntoView({block: "center", behavior: "instant"});
  const box = found.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
})(%s)
"""
READY = "document.readyState === 'complete' && window.did_handshake === true && !!document.querySelector('h1')"


class Server:
    """``ontomask app`` in a process of its own."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        self.folder = folder
        begun = time.monotonic()
        command = [
            sys.executable,
            "-m",
            "ontomask",
            "app",
            "--folder",
            str(folder),
            "--port",
            str(port),
            "--no-browser",
        ]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(r"http://\S+token=\S+", line):
                self.address = found[0]
                break
        else:
            raise AssertionError(f"the app ended with {self.process.wait()}")
        self.seconds = time.monotonic() - begun
        split = urlsplit(self.address)
        assert split.port is not None
        self.port, self.origin = split.port, f"{split.scheme}://{split.netloc}"

    def kill(self) -> None:
        """End it without a warning."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.kill()


class Steward:
    """Somebody who uses the app. ``actions`` counts clicks, choices, uploads and texts that are typed."""

    def __init__(self, browser: Chromium, server: Server) -> None:
        self.browser, self.server, self.actions = browser, server, 0

    def arrive(self) -> None:
        """Open the address that the command printed."""
        self.browser.events.clear()
        self.browser.call("Page.navigate", url=self.server.address)
        self.ready()

    def visit(self, path: str) -> None:
        self.browser.call("Page.navigate", url=self.server.origin + path)
        self.browser.wait_until(f"location.pathname === {json.dumps(path)}")
        self.ready()

    def ready(self) -> None:
        self.browser.wait_until(READY)

    def click(self, what: str, seconds: float = 30) -> None:
        """Click what has this text, label or selector."""
        x, y = self.browser.wait_until(FIND % json.dumps(what), seconds)
        self.browser.click(x, y)
        self.actions += 1

    def go(self, what: str) -> None:
        """Click a link to another page, and wait for that page."""
        before = self.browser.evaluate("location.href + performance.timeOrigin")
        self.click(what)
        self.browser.wait_until(f"location.href + performance.timeOrigin !== {json.dumps(before)}")
        self.ready()

    def choose(self, name: str, value: str) -> None:
        """Choose an entry of a list."""
        self.browser.wait_until(f"!!document.querySelector('select[data-name={json.dumps(name)}]')")
        self.browser.evaluate(
            f"(s => {{ s.value = {json.dumps(value)}; s.dispatchEvent(new Event('change')) }})"
            f"(document.querySelector('select[data-name={json.dumps(name)}]'))"
        )
        self.actions += 1

    def role(self, column: str, role: str) -> None:
        """Give a column a role."""
        self.click(f"[data-name={json.dumps('role-' + column)}][value={role}]")

    def write(self, name: str, text: str) -> None:
        """Type into a field, in place of what is there."""
        selector = f"[data-name={json.dumps(name)}]"
        self.browser.wait_until(f"!!document.querySelector({json.dumps(selector)})")
        self.browser.evaluate(f"(e => {{ e.focus(); e.select?.() }})(document.querySelector({json.dumps(selector)}))")
        self.browser.call("Input.insertText", text=text)
        self.actions += 1

    def upload(self, file: Path, place: str = "main input[type=file]") -> None:
        self.browser.wait_until(f"!!document.querySelector({json.dumps(place)})")
        self.browser.give_files(place, file)
        self.actions += 1

    def sees(self, text: str, seconds: float = 60) -> None:
        """Wait until a text is on the page."""
        self.browser.wait_until(f"document.body.innerText.includes({json.dumps(text)})", seconds)

    def text(self, selector: str = "main") -> str:
        found: Any = self.browser.evaluate(f"document.querySelector({json.dumps(selector)}).innerText")
        return str(found)
