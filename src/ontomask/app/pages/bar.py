"""The bar, always in view: records, unique records now and in the original, loss, linkage, and every requirement."""

from __future__ import annotations

from ontomask.app.pages import parts
from ontomask.app.pages.view import View
from ontomask.app.pages.words import number, percent

#: How often a page looks whether something changed elsewhere, in seconds.
LOOK = 1.0
SIGNS = {"holds": "✓ holds", "fails": "✕ fails", "unknown": "not checked yet"}


def bar(view: View) -> None:
    """Draw the bar, and keep it true."""
    place = parts.tag("div", None, "bar", role="status", aria_label="State of the project")
    seen: list[object] = []

    def draw() -> None:
        if place.is_deleted:
            return
        place.clear()
        with place:
            _figures(view)

    def look() -> None:
        now = _signature(view)
        if not seen or seen[0] != now:
            seen[:] = [now]
            draw()

    view.listeners.append(look)
    draw()
    seen[:] = [_signature(view)]
    parts.timer(LOOK, view.safely(look))


def _signature(view: View) -> object:
    jobs = [(job.id, job.state) for job in view.workspace.queue.jobs(view.project)[:8]]
    info = view.project.info
    return (info.revision, info.policy_revision, jobs)


def _figure(name: str, value: str, title: str) -> None:
    with parts.tag("span", None, "bar-figure", title=title):
        parts.tag("span", f"{name} ")
        parts.tag("b", value)


def _figures(view: View) -> None:
    state = view.project.bar()
    unit = state.counted
    _figure(unit, number(state.records), f"How many {unit} the data have.")
    now = "" if state.unique_after is None else f"{number(state.unique_after)} now, "
    before = f"{number(state.unique_before)} in the original" if state.unique_before is not None else "—"
    _figure("unique", f"{now}{before}", f"How many {unit} have a combination of quasi-identifiers that no other has.")
    _figure("loss (IL)", percent(state.loss), "How far released values are from the original ones.")
    _figure(
        "linkage", percent(state.linkage), "The share that an intruder links correctly to the nearest released record."
    )
    with parts.tag("span", None, "bar-states"):
        for requirement in state.requirements:
            parts.badge(f"{requirement.title}: {SIGNS[requirement.state]}", requirement.state).props["title"] = (
                requirement.sentence
            )
        for job in view.workspace.queue.jobs(view.project):
            if job.open:
                parts.badge("working …" if job.state == "running" else "waiting …")
                break
