"""The report in a real browser: nothing leaves the page, nothing complains, everything is to be seen."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ontomask as om
from tests.browser.chromium import Chromium
from tests.unit.test_report import ARABIC, EVIL, LONG, evil, made

pytestmark = pytest.mark.browser

RESULTS = {
    "micro": lambda: om.anonymize(om.demo_data(300, seed=1), om.demo_policy(om.Microaggregation(k=5)), seed=1),
    "general": lambda: made("local"),
    "failing": lambda: made("failing"),
    "evil": evil,
}
PAGES = [(name, edition) for name in RESULTS for edition in ("internal", "public")]
#: The marks of a chart that can be seen: boxes in the page that are not white.
MARKS = """
[...document.querySelectorAll("figure svg")].map(svg => {
  const whole = svg.getBoundingClientRect();
  const marks = [...svg.querySelectorAll("path, rect, circle")].filter(mark => {
    const box = mark.getBoundingClientRect(), fill = getComputedStyle(mark).fill;
    return box.width >= 0.5 && box.height >= 2 && /rgb/.test(fill) && fill !== "rgb(255, 255, 255)";
  });
  const texts = [...svg.querySelectorAll("text")].map(text => text.getBoundingClientRect());
  return {
    width: whole.width, height: whole.height, marks: marks.length, texts: texts.length,
    outside: texts.filter(box => box.left < whole.left - 2 || box.right > whole.right + 2).length,
  };
})
"""


@pytest.fixture(scope="module")
def browser(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with Chromium(chromium, tmp_path_factory.mktemp("chromium")) as started:
        yield started


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All pages, each as it is handed out."""
    made_in = tmp_path_factory.mktemp("pages")
    for name, make in RESULTS.items():
        result = make()
        for edition in ("internal", "public"):
            om.write_report(result, made_in / f"{name}-{edition}.html", edition)  # type: ignore[arg-type]
    return made_in


@pytest.fixture(params=PAGES, ids="-".join)
def page(request: pytest.FixtureRequest, browser: Chromium, folder: Path) -> Chromium:
    browser.resize(1_100, 900)
    browser.open((folder / f"{'-'.join(request.param)}.html").as_uri())
    return browser


def test_a_page_that_misbehaves_is_noticed(browser: Chromium, tmp_path: Path) -> None:
    """The checks below can fail."""
    bad = tmp_path / "bad.html"
    bad.write_text("<script>console.error('no')</script><img src='http://127.0.0.1:1/a.png'>", encoding="utf-8")
    browser.open(bad.as_uri())
    assert browser.requests == [bad.as_uri(), "http://127.0.0.1:1/a.png"]
    assert any('"no"' in complaint for complaint in browser.complaints)


def test_no_request_leaves_the_page_and_nothing_complains(page: Chromium) -> None:
    asked = [address for address in page.requests if not address.startswith("data:")]
    assert len(asked) == 1
    assert asked[0].startswith("file:")
    assert page.complaints == []
    assert page.evaluate("document.scripts.length") == 0


def test_every_chart_is_to_be_seen(page: Chromium) -> None:
    charts: list[dict[str, Any]] = page.evaluate(MARKS)
    assert len(charts) == page.evaluate("document.querySelectorAll('figure').length") >= 1
    for chart in charts:
        assert chart["width"] > 250
        assert chart["height"] > 50
        assert chart["marks"] >= 1
        assert chart["texts"] >= 3
        assert chart["outside"] == 0
    read = (
        "[...document.querySelectorAll('figure svg')].every(svg => svg.querySelector('title').textContent.length > 10)"
    )
    assert page.evaluate(read)


def test_links_lead_somewhere_and_figures_unfold(page: Chromium) -> None:
    assert page.evaluate(
        "[...document.querySelectorAll('a')].every(a => document.querySelector(a.getAttribute('href')))"
    )
    unfold = "document.querySelector('#{0} details summary').click(); document.querySelector('#{0} details table').offsetHeight"
    assert (
        page.evaluate(unfold.format("loss-1" if page.evaluate("!!document.querySelector('#loss-1')") else "risk-1"))
        > 20
    )


@pytest.mark.parametrize("width", [400, 1_100])
def test_it_fits_a_telephone_and_a_screen(page: Chromium, width: int) -> None:
    page.resize(width, 900)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(
        "[...document.querySelectorAll('figure svg')].every(s => s.getBoundingClientRect().right <= innerWidth)"
    )


def test_it_prints(page: Chromium) -> None:
    printed = base64.b64decode(page.call("Page.printToPDF", preferCSSPageSize=True)["data"])
    sizes = set(re.findall(rb"/MediaBox\s*\[([^\]]*)\]", printed))
    pages = len(re.findall(rb"/Type\s*/Page\b", printed))
    assert printed.startswith(b"%PDF")
    assert all(b"594" in size or b"595" in size for size in sizes)  # A4, in points
    assert 3 <= pages <= 30


@pytest.mark.parametrize("edition", ["internal", "public"])
def test_names_of_columns_stay_text(browser: Chromium, folder: Path, edition: str) -> None:
    browser.open((folder / f"evil-{edition}.html").as_uri())
    shown = browser.evaluate("[...document.querySelectorAll('#asked tbody th')].map(th => th.textContent)")
    assert {LONG, ARABIC, EVIL} <= set(shown)
    assert browser.evaluate("document.querySelectorAll('script, img, iframe').length") == 0


def test_values_of_the_public_edition_are_nowhere_in_the_page(browser: Chromium, folder: Path) -> None:
    text = "document.documentElement.outerHTML"
    browser.open((folder / "failing-internal.html").as_uri())
    assert "Wibbleford" in browser.evaluate(text)
    browser.open((folder / "failing-public.html").as_uri())
    for value in ("Wibbleford", "Quirkitis", "agonizing", "1987-03", "80213", "918273645"):
        assert value not in browser.evaluate(text)
