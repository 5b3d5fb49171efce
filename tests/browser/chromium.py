"""A headless Chromium that is told what to do over a pipe: its DevTools protocol, and nothing besides the standard library."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
#: What a fresh browser would otherwise do of its own accord.
QUIET = [
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--mute-audio"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps"),
    *("--disable-extensions", "--disable-dev-shm-usage", "--no-default-browser-check"),
]

#: The browser listens on 3 and answers on 4.
START = """
import os, sys
from fcntl import F_DUPFD, fcntl
for place, given in enumerate([fcntl(int(given), F_DUPFD, 10) for given in sys.argv[1:3]], 3):
    os.dup2(given, place)
os.execvp(sys.argv[3], sys.argv[3:])
"""


def find() -> str | None:
    """The browser of this machine."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Chromium:
    """One page in one browser. ``events`` are all that it reported, in order."""

    def __init__(self, program: str, home: Path, *flags: str, seconds: float = 60) -> None:
        self._seconds, self._last, self._left = seconds, 0, b""
        self.events: list[dict[str, Any]] = []
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        command = [program, *QUIET, *flags, f"--user-data-dir={home}", "--remote-debugging-pipe"]
        with (home.parent / f"{home.name}.log").open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", START, str(to_read), str(to_write), *command],
                pass_fds=(to_read, to_write),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        os.close(to_read)
        os.close(to_write)
        self._session = ""
        try:
            self._attach()
        except BaseException:
            self.close()
            raise

    def _attach(self) -> None:
        page = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=page, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, *, whole: bool = False, **params: Any) -> dict[str, Any]:
        """Ask for something and wait for the answer; ``whole`` asks the browser and not the page."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        if self._session and not whole:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._last:
                assert "error" not in answer, f"{method}: {answer['error']}"
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _next(self) -> dict[str, Any]:
        end = time.monotonic() + self._seconds
        while b"\0" not in self._left:
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - time.monotonic()))
            assert ready, "Chromium does not answer"
            part = os.read(self._read, 1 << 20)
            assert part, "Chromium went away"
            self._left += part
        line, self._left = self._left.split(b"\0", 1)
        told: dict[str, Any] = json.loads(line)
        return told

    def wait_for(self, event: str) -> None:
        while not any(told.get("method") == event for told in self.events):
            self.events.append(self._next())

    def open(self, address: str) -> None:
        """Go to a page and wait until all of it is there."""
        self.events.clear()
        self.call("Page.navigate", url=address)
        self.wait_for("Page.loadEventFired")
        # Whatever a page starts late starts within a moment.
        self.evaluate("new Promise(done => setTimeout(done, 300))")

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page."""
        told = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def wait_until(self, expression: str, seconds: float = 30) -> Any:
        """Ask the page until the answer is true, also while it goes to another page."""
        end = time.monotonic() + seconds
        while True:
            try:
                found = self.evaluate(expression)
            except AssertionError:  # the page was just left: there is nothing to ask
                found = None
            if found or time.monotonic() > end:
                assert found, f"not so after {seconds} s: {expression}"
                return found
            time.sleep(0.05)

    def click(self, x: float, y: float) -> None:
        """Press and release the mouse there."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            how = {"button": "none"} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **how)

    def press(self, key: str, code: int = 0, modifiers: int = 0) -> None:
        """Press and release a key: its name, and the code that browsers know it by."""
        text = {"text": "\r"} if key == "Enter" else {"text": " "} if key == " " else {}
        what = {
            "key": key,
            "code": "Space" if key == " " else key,
            "windowsVirtualKeyCode": code,
            "modifiers": modifiers,
        }
        self.call("Input.dispatchKeyEvent", type="keyDown", **what, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **what)

    def give_files(self, selector: str, *files: Path) -> None:
        """Choose files for an input, as a dialog would."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(file) for file in files])

    def save_downloads(self, folder: Path) -> None:
        self.call("Browser.setDownloadBehavior", whole=True, behavior="allow", downloadPath=str(folder))

    def prefer(self, scheme: str) -> None:
        """The system's preference: light or dark."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path: Path, **how: Any) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", **how)["data"]))

    @property
    def requests(self) -> list[str]:
        """The addresses that the page asked for."""
        sent = [told for told in self.events if told.get("method") == "Network.requestWillBeSent"]
        return [told["params"]["request"]["url"] for told in sent]

    @property
    def complaints(self) -> list[str]:
        """What stands on the console: messages, errors, refusals."""
        kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [json.dumps(told["params"]) for told in self.events if told.get("method") in kinds]

    def __enter__(self) -> Chromium:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        os.close(self._write)  # it ends when nobody talks to it any more
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._read)
