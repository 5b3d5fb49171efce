"""Every page of the app at three sizes, light and dark: nothing is cut, nothing overlaps, everything can be read and named.

Pictures are written to the folder that ONTOMASK_PICTURES names, or to the temporary folder of the test.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.browser.chromium import Chromium
from tests.browser.steward import Server, Steward

pytestmark = pytest.mark.browser

SIZES = ((1_280, 800), (1_920, 1_080), (400, 800))
STEPS = ("data", "roles", "meaning", "risk", "method", "result")
#: Texts that may be cut, because the whole is in the title or one click away.
CUT_ON_PURPOSE = ".grid-cell, .grid-name, .grid-note, .project-name, .unseen, .grid-scroll, select, input, textarea"
#: What is wrong with the page as it stands: boxes that stick out, texts that are cut, texts on top of each other, faint texts.
PROBLEMS = """
(allowed => {
  const wrong = [];
  const told = e => `${e.tagName.toLowerCase()}.${e.className} "${(e.textContent || "").trim().slice(0, 40)}"`;
  if (document.documentElement.scrollWidth > innerWidth) wrong.push(`the page is ${document.documentElement.scrollWidth} wide`);
  const shown = e => e.checkVisibility({visibilityProperty: true, opacityProperty: true}) && e.getClientRects().length;
  const own = e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  const inside = document.querySelector("dialog[open]") || document.body;
  const leaves = [...inside.querySelectorAll("*")].filter(
    e => shown(e) && own(e) && !e.closest("svg, .unseen, .skip, .nicegui-error-popup, .toast, option, script, style"));
  for (const e of leaves) {
    if (e.matches(allowed) || e.closest(".grid, .tree, .scroll")) continue;
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    if (box.right > innerWidth + 1 || box.left < -1) wrong.push(`outside: ${told(e)}`);
    const hidden = style.overflowX !== "visible" && style.display !== "inline";
    if (hidden && e.scrollWidth > e.clientWidth + 1) wrong.push(`cut: ${told(e)}`);
  }
  const still = leaves.filter(e => !e.closest(".grid, .tree, .top, .rail, .scroll")).map(e => {
    const range = document.createRange();
    range.selectNodeContents(e);
    return [e, range.getBoundingClientRect()];
  });
  for (let i = 0; i < still.length; i++)
    for (let j = i + 1; j < still.length; j++) {
      const [a, x] = still[i], [b, y] = still[j];
      if (a.contains(b) || b.contains(a)) continue;
      const wide = Math.min(x.right, y.right) - Math.max(x.left, y.left);
      const high = Math.min(x.bottom, y.bottom) - Math.max(x.top, y.top);
      if (wide > 3 && high > 5) wrong.push(`overlap: ${told(a)} and ${told(b)}`);
    }
  const rgb = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map(v => v / 255).map(v => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  for (const e of leaves) {
    if (e.closest("[disabled], .grid, option")) continue;
    const ink = rgb(getComputedStyle(e).color);
    let ground = e, colour = [255, 255, 255, 0];
    while (ground && (colour[3] ?? 1) === 0) {
      const c = getComputedStyle(ground).backgroundColor;
      if (c.startsWith("rgb")) { colour = rgb(c); if (colour.length === 3) colour.push(1); }
      ground = ground.parentElement;
    }
    const [hi, lo] = [light(ink), light(colour)].sort((a, b) => b - a);
    if ((hi + 0.05) / (lo + 0.05) < 4.4) wrong.push(`faint (${((hi + 0.05) / (lo + 0.05)).toFixed(2)}): ${told(e)}`);
  }
  return [...new Set(wrong)].slice(0, 12);
})(%r)
"""
#: What a screen reader needs: a language, one main heading in order, a name for everything that can be used.
NAMES = """
(() => {
  const wrong = [];
  if (!document.documentElement.lang) wrong.push("no language");
  if (document.querySelectorAll("h1").length !== 1) wrong.push("not one h1");
  let last = 1;
  for (const e of document.querySelectorAll("main h1, main h2, main h3, main h4")) {
    const level = Number(e.tagName[1]);
    if (level > last + 1) wrong.push(`h${level} after h${last}: ${e.textContent}`);
    last = level;
  }
  for (const e of document.querySelectorAll("input, select, textarea"))
    if (!e.labels?.length && !e.getAttribute("aria-label")) wrong.push(`no label: ${e.outerHTML.slice(0, 80)}`);
  for (const e of document.querySelectorAll("button, a, [role=button], summary"))
    if (!e.textContent.trim() && !e.getAttribute("aria-label")) wrong.push(`no name: ${e.outerHTML.slice(0, 80)}`);
  for (const e of document.querySelectorAll("img")) if (!e.alt) wrong.push("a picture without words");
  for (const e of document.querySelectorAll("[role=table], [role=tree], dialog, nav, svg[role]"))
    if (!e.getAttribute("aria-label")) wrong.push(`no label: ${e.outerHTML.slice(0, 80)}`);
  const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
  for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) wrong.push(`two elements are called ${id}`);
  return wrong;
})()
"""


#: Hands in a job over REST and waits for it; gives its state.
JOB = """
(async (project, kind, given) => {
  const headers = {"Content-Type": "application/json"};
  const body = JSON.stringify({kind, arguments: given});
  let job = await (await fetch(`/api/projects/${project}/jobs`, {method: "POST", headers, body})).json();
  while (["queued", "running"].includes(job.state)) {
    await new Promise(done => setTimeout(done, 150));
    job = await (await fetch(`/api/projects/${project}/jobs/${job.id}`)).json();
  }
  return job.error || job.state;
})(%s, %s, %s)
"""


@pytest.fixture(scope="session")
def finished(app_browser: Chromium, app_server: Server) -> str:
    """A project with everything in it: matched, compared, and one release."""
    somebody = Steward(app_browser, app_server)
    somebody.arrive()
    somebody.go("#demo")
    somebody.sees("Every column")
    project = str(app_browser.evaluate("location.pathname.split('/')[2]"))
    jobs: tuple[tuple[str, dict[str, Any]], ...] = (
        ("match", {"column": "diagnosis"}),
        ("risk", {}),
        ("compare", {"methods": ["microaggregation", "recoding"], "k": [5, 10]}),
        ("run", {}),
    )
    for kind, arguments in jobs:
        assert app_browser.evaluate(JOB % (json.dumps(project), json.dumps(kind), json.dumps(arguments))) == "done"
    return project


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    named = os.environ.get("ONTOMASK_PICTURES")
    folder = Path(named) if named else tmp_path_factory.mktemp("pictures")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.mark.parametrize("step", ["start", "empty", *STEPS, "drawer"])
def test_a_page_fits_and_can_be_read(steward: Steward, finished: str, pictures: Path, step: str) -> None:
    browser = steward.browser
    if step == "empty":
        steward.go("#new")
    elif step != "start":
        steward.visit(f"/p/{finished}/{'method' if step == 'drawer' else step}")
    if step == "drawer":
        steward.click("#policy")
        browser.wait_until("document.querySelector('[data-name=policy-text]')?.value.length > 100")
    settled(browser)
    assert browser.evaluate(NAMES) == []
    found = {}
    for scheme in ("light", "dark"):
        browser.prefer(scheme)
        for width, height in SIZES:
            browser.resize(width, height)
            browser.evaluate("scrollTo(0, 0); new Promise(done => setTimeout(done, 120))")
            browser.picture(pictures / f"{step}-{scheme}-{width}.png")
            if problems := browser.evaluate(PROBLEMS % CUT_ON_PURPOSE):
                found[f"{scheme} {width}"] = problems
    assert found == {}


def settled(browser: Chromium) -> None:
    """Wait until rows, charts and jobs are there."""
    browser.wait_until(
        "!document.querySelector('progress') && !(document.querySelector('.grid-body')?.innerText.includes('…'))", 60
    )
    browser.evaluate("new Promise(done => setTimeout(done, 250))")


def test_the_switch_of_the_theme_is_remembered(steward: Steward) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light = steward.browser.evaluate(ground)
    steward.click("Theme: system. Change")
    dark = steward.browser.evaluate(ground)
    assert dark != light
    steward.visit("/")
    assert steward.browser.evaluate(ground) == dark
    steward.click("Theme: dark. Change")
    assert steward.browser.evaluate(ground) == light
    steward.click("Theme: light. Change")


def test_the_checks_of_pages_can_fail(steward: Steward) -> None:
    steward.browser.evaluate(
        "document.querySelector('main').insertAdjacentHTML('beforeend', '<div style=\"width:3000px\">wide</div>"
        '<input><p style="color:#ccc;background:#fff">faint</p><p>over</p><p style="margin-top:-22px">lap</p>\')'
    )
    steward.browser.evaluate("document.querySelectorAll('main p').forEach(p => p.style.position = 'relative')")
    problems = " ".join(steward.browser.evaluate(PROBLEMS % CUT_ON_PURPOSE))
    assert "wide" in problems
    assert "faint" in problems
    assert any("no label" in text for text in steward.browser.evaluate(NAMES))
