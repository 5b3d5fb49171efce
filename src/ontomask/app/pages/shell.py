"""The frame of every page: the header, the bar, the rail of steps, the policy drawer, and the way on and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from ontomask.app.pages import bar, drawer, parts
from ontomask.app.pages.view import View

#: The steps, in their order: what they are called in the rail.
STEPS = {
    "data": "Data",
    "roles": "Roles",
    "meaning": "Meaning",
    "risk": "Risk before",
    "method": "Method",
    "result": "Result",
}


def head(title: str) -> None:
    """What every page loads: our style, and the theme before anything is drawn."""
    ui.page_title(title)
    ui.add_head_html('<link rel="stylesheet" href="/assets/app.css"><script src="/assets/theme.js"></script>')


async def framed(view: View, build: Callable[[View], Any]) -> None:
    """Draw the frame of a step, and the step into it."""
    info = view.project.info
    head(f"{STEPS[view.step]} · {info.title} · ontomask")
    parts.link("To the content", "#content", "skip")
    with parts.tag("header", None, "top"):
        with parts.tag("div", None, "top-line"):
            parts.link("ontomask", "/", "brand", aria_label="ontomask: all projects")
            _title(view, info.title)
            drawer.drawer(view)
            parts.Theme()
        bar.bar(view)
    with parts.tag("div", None, "frame"):
        _rail(view, info.step)
        with parts.tag("main", None, "page", id="content", tabindex="-1"):
            view.content = parts.Keep()
            _foot(view)
    view.toast = parts.tag("div", None, "toast", aria_live="polite")
    view.build = build
    await view.draw()


def _title(view: View, title: str) -> None:
    shown = parts.tag("span", title, "project-name", title=title)

    def refresh() -> None:
        now = view.project.info.title
        if not shown.is_deleted and shown.props["title"] != now:
            shown.text = shown.props["title"] = now

    view.listeners.append(refresh)


def alone(view: View, title: str) -> Any:
    """The frame of a page without a project; what is drawn inside it is its content."""
    head(title)
    with parts.tag("header", None, "top"), parts.tag("div", None, "top-line"):
        parts.link("ontomask", "/", "brand")
        parts.tag("span", "", "project-name")
        parts.Theme()
    view.toast = parts.tag("div", None, "toast", aria_live="polite")
    return parts.tag("main", None, "page alone", id="content")


def _rail(view: View, furthest: str) -> None:
    names = list(STEPS)
    reached = names.index(furthest) if furthest in names else 0
    if names.index(view.step) > reached:
        view.project.update(step=view.step)
    with parts.tag("nav", None, "rail", aria_label="Steps"), parts.tag("ol"):
        for place, (name, word) in enumerate(STEPS.items()):
            here = name == view.step
            done = "done" if place < max(reached, names.index(view.step)) else ""
            with (
                parts.tag("li"),
                parts.tag("a", None, done, href=view.page(name), aria_current="step" if here else None),
            ):
                parts.tag("span", str(place + 1), "number")
                first, _, rest = word.partition(" ")
                with parts.tag("span", None, "word"):
                    parts.tag("span", first)
                    if rest:
                        parts.tag("span", f" {rest}", "wide-only")


def _foot(view: View) -> None:
    names = list(STEPS)
    place = names.index(view.step)
    with parts.tag("div", None, "foot"):
        if place:
            parts.link(f"Back: {STEPS[names[place - 1]]}", view.page(names[place - 1]), "button")
        else:
            parts.link("All projects", "/", "button")
        if place + 1 < len(names):
            parts.link(f"Next: {STEPS[names[place + 1]]}", view.page(names[place + 1]), "button primary", id="next")


def opening(question: str, lead: str) -> None:
    """The heading of a step, and what to do there."""
    parts.heading(1, question)
    parts.paragraph(lead, "lead")


def needs_data(view: View) -> bool:
    """Say so where the data are not there yet; whether they are."""
    if view.project.opened is not None:
        return True
    parts.notice("There is no table yet. Add a file in the first step.")
    parts.link("To step 1: Data", view.page("data"), "button primary")
    return False
