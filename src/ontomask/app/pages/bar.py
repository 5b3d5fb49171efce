"""The bar, always in view: records, unique records now and in the original, loss, linkage, and every requirement."""

from __future__ import annotations

import asyncio
from typing import Any

from ontomask.app.pages import parts
from ontomask.app.pages.view import View
from ontomask.app.pages.words import number, percent
from ontomask.app.results import Bar

#: How often a page looks whether something changed elsewhere, in seconds.
LOOK = 1.0
#: Where the revision of the policy stands in what the bar depends on.
POLICY = 1
WAITING = {"queued": "waiting …", "running": "working …"}
SIGNS = {"holds": "✓ holds", "fails": "✕ fails", "unknown": "not checked yet"}


def bar(view: View) -> None:
    """Draw the bar, and keep it true."""
    place = parts.tag("div", None, "bar", role="status", aria_label="State of the project")
    seen: list[tuple[Any, ...]] = []

    def draw(state: Bar, working: str) -> None:
        if place.is_deleted:
            return
        place.clear()
        with place:
            _figures(state, working)

    async def look() -> None:
        # In a thread: there may be many jobs, and somebody else may be waiting for an answer.
        now, state, working = await asyncio.to_thread(_look, view)
        if seen == [now]:
            return
        elsewhere = bool(seen) and seen[0][POLICY] != now[POLICY]
        seen[:] = [now]
        draw(state, working)
        if elsewhere:  # another tab, or a program, changed the policy
            await view.draw()

    def changed() -> None:
        now, state, working = _look(view)
        seen[:] = [now]
        draw(state, working)

    view.listeners.append(changed)
    parts.timer(LOOK, view.safely(look))


def _look(view: View) -> tuple[tuple[Any, ...], Bar, str]:
    """What the bar depends on, what it shows, and whether a job waits or works."""
    jobs = view.workspace.queue.jobs(view.project)
    info = view.project.info
    working = next((WAITING[job.state] for job in jobs if job.open), "")
    signature = (info.revision, info.policy_revision, [(job.id, job.state) for job in jobs[:8]])
    return signature, view.project.bar(), working


def _figure(name: str, value: str, title: str) -> None:
    with parts.tag("span", None, "bar-figure", title=title):
        parts.tag("span", f"{name} ")
        parts.tag("b", value)


def _figures(state: Bar, working: str) -> None:
    unit = state.counted
    _figure("records", number(state.records), "How many records the data have.")
    if unit != "records":
        _figure(unit, number(state.units), f"How many {unit} the data have.")
    now = "" if state.unique_after is None else f"{number(state.unique_after)} now, "
    before = f"{number(state.unique_before)} in the original" if state.unique_before is not None else "not counted yet"
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
        if state.outdated:
            parts.badge("figures of an earlier policy").props["title"] = (
                "The policy was changed after the run that these figures are of. Run again to check what is required now."
            )
        if working:
            parts.badge(working)
