"""Make the pictures of the app in README.md and docs/app.md: the real app, in Chromium, on its synthetic demo.

    python tools/make_app_images.py

Takes about a minute. Needs the extras ``app`` and ``test``, and Chromium (on Debian: apt-get install chromium).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.browser.chromium import Chromium, find  # noqa: E402 - the tests are beside the package
from tests.browser.steward import Server, Steward  # noqa: E402

IMAGES = ROOT / "docs" / "images"
WIDTH, HEIGHT = 1_280, 800
QUALITY = 82


def shoot(steward: Steward, name: str, *, top: str | None = None) -> None:
    """Write one picture, with the element ``top`` at the top of the page."""
    browser = steward.browser
    # What is in view when nothing has the focus and nothing is still on its way.
    browser.wait_until("!document.querySelector('.grid-body')?.innerText.includes('…')")
    where = f"document.querySelector({top!r}).getBoundingClientRect().top + scrollY - 120" if top else "0"
    browser.evaluate("document.querySelector('.toast button')?.click()")
    browser.evaluate(f"document.activeElement?.blur(); scrollTo(0, {where}); new Promise(d => setTimeout(d, 500))")
    file = IMAGES / f"app-{name}.webp"
    browser.picture(file, format="webp", quality=QUALITY)
    print(f"{file.relative_to(ROOT)}: {file.stat().st_size / 1e3:.0f} kB")


def tour(steward: Steward) -> None:
    """The path of docs/app.md."""
    steward.arrive()
    shoot(steward, "start")
    steward.go("#demo")
    steward.sees("Every column")
    shoot(steward, "data")
    steward.go("#next")
    steward.sees("What could each column give away?")
    shoot(steward, "roles")
    steward.go("#next")
    steward.sees("There is nothing to repair here")
    steward.browser.wait_until("document.querySelectorAll('[role=treeitem]').length > 5")
    shoot(steward, "meaning")
    steward.go("#next")
    steward.sees("Find my own record")
    shoot(steward, "risk")
    steward.go("#next")
    steward.click("#compare")
    steward.sees("Trying several methods")
    steward.sees("on the frontier", 180)
    steward.click("Choose microaggregation, k=5")
    steward.sees("✓ chosen")
    shoot(steward, "method")
    shoot(steward, "compare", top="[aria-label='Try several']")
    steward.run()
    shoot(steward, "result")
    shoot(steward, "pairs", top="[aria-label='Before and after']")
    steward.click("#policy")
    steward.browser.wait_until("document.querySelector('[data-name=policy-text]')?.value.length > 100")
    shoot(steward, "policy")


def main() -> None:
    program = find()
    if program is None:
        sys.exit("There is no Chromium here. On Debian: apt-get install chromium")
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary) / "chromium"
        home.mkdir()
        server = Server(Path(temporary) / "projects")
        try:
            with Chromium(program, home) as browser:
                browser.resize(WIDTH, HEIGHT)
                browser.prefer("light")
                tour(Steward(browser, server))
        finally:
            server.close()


if __name__ == "__main__":
    main()
