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
        self.folder, self.visited = folder, False
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
        self._stop_reading()

    def _stop_reading(self) -> None:
        if self.process.stdout is not None:
            self.process.stdout.close()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.kill()
        self._stop_reading()


class Steward:
    """Somebody who uses the app. ``actions`` counts clicks, choices, uploads and texts that are typed."""

    def __init__(self, browser: Chromium, server: Server) -> None:
        self.browser, self.server, self.actions = browser, server, 0
        #: Parts of messages on the console that a test brings about on purpose.
        self.expected: list[str] = []

    def forgives(self, text: str) -> bool:
        return any(part in text for part in self.expected)

    def arrive(self) -> None:
        """Open the address that the command printed."""
        self.browser.events.clear()
        self.browser.call("Page.navigate", url=self.server.origin + "/" if self.server.visited else self.server.address)
        self.server.visited = True  # the link is good for one visit; a cookie takes its place
        self.browser.wait_until("location.pathname === '/' && !!document.querySelector('#new')")
        self.ready()

    def visit(self, path: str) -> None:
        self.browser.call("Page.navigate", url=self.server.origin + path)
        self.browser.wait_until(f"location.pathname === {json.dumps(path)}")
        self.ready()

    def ready(self) -> None:
        self.browser.wait_until(READY)

    def click(self, what: str, seconds: float = 30) -> None:
        """Click what has this text, label or selector."""
        place, last = self.browser.wait_until(FIND % json.dumps(what), seconds), None
        while place != last:  # people click what stands still
            time.sleep(0.05)
            place, last = self.browser.wait_until(FIND % json.dumps(what), seconds), place
        self.browser.click(*place)
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

    def begin(self, file: Path) -> None:
        """A new project with a file, read."""
        self.go("#new")
        self.upload(file)
        self.sees("Every column")

    def run(self, seconds: float = 400) -> None:
        """On the page of methods: make the release, and look at it."""
        self.click("#run")
        self.sees("The release with these settings is done", seconds)
        self.go("#see")
        self.sees("Before and after")

    def fetch(self, what: str, folder: Path) -> Path:
        """Click a download, and wait until the file is there."""
        before = set(folder.iterdir())
        self.click(what)
        end = time.monotonic() + 30
        while time.monotonic() < end:
            found = [
                file
                for file in set(folder.iterdir()) - before
                if not file.name.startswith(".") and file.suffix != ".crdownload"
            ]
            if found:
                return found[0]
            time.sleep(0.05)
        raise AssertionError(f"nothing was downloaded by {what}")

    def tab_to(self, what: str, most: int = 150) -> None:
        """Press Tab until the focus is on what has this text, label or name."""
        here = (
            "(e => [e.innerText?.trim(), e.getAttribute?.('aria-label'), '#' + e.id, e.dataset?.name, "
            "e.closest?.('.upload')?.innerText?.split('\\n')[0]])(document.activeElement)"
        )
        for _ in range(most):
            self.browser.press("Tab", 9)
            if what in (self.browser.evaluate(here) or []):
                return
        raise AssertionError(f"Tab does not lead to {what!r}")

    def sees(self, text: str, seconds: float = 60) -> None:
        """Wait until a text is on the page."""
        try:
            self.browser.wait_until(f"document.body.innerText.includes({json.dumps(text)})", seconds)
        except AssertionError:
            raise AssertionError(f"{text!r} is not on the page:\n{self.text('body')}") from None

    def text(self, selector: str = "main") -> str:
        found: Any = self.browser.evaluate(f"document.querySelector({json.dumps(selector)}).innerText")
        return str(found)
