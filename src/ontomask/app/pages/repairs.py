"""Repairing values that did not match: candidates with scores, this one, all alike, a search, or leaving it for now."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from ontomask.app import policy_edits, tables
from ontomask.app.left_values import leave_value, left_values, take_up
from ontomask.app.pages import parts
from ontomask.app.pages.view import View
from ontomask.app.pages.words import number
from ontomask.arguments import counted

#: Values that are shown at once.
SHOWN = 20
#: Candidates for a value.
CANDIDATES = 4


def unmatched(view: View, column: str, matched: dict[str, Any]) -> None:
    """The values without a concept, each with what can be done about it."""
    left = left_values(view.project, column)
    open_ = [one for one in matched["unmatched"] if one["value"] not in left]
    aside = len(matched["unmatched"]) - len(open_)
    total = matched["unmatched_values"]
    if not total:
        parts.notice("Every value has a concept. There is nothing to repair here.")
        return
    with parts.tag("section", None, "card", aria_label="Values without a concept"):
        parts.heading(2, f"{counted(total, 'value')} without a concept")
        parts.paragraph(
            "A run stops at such values. Say what each one means. Your choice applies to all records with the same text, and "
            "is written into the policy.",
            "soft",
        )
        for one in open_[:SHOWN]:
            _value(view, column, one, open_)
        if total - aside > SHOWN and len(open_) > SHOWN:
            parts.paragraph(f"{number(total - aside - SHOWN)} more come when these are done.", "help")
        if aside:
            _aside(view, column, aside)
        parts.why("unmatched")


def _aside(view: View, column: str, values: int) -> None:
    """How many values were left for now, and a way back to them."""

    async def again() -> None:
        await asyncio.to_thread(take_up, view.project, column)
        await view.draw()

    with parts.tag("div", None, "row"):
        parts.paragraph(
            f"{counted(values, 'value')} left for now. A run still stops at {'it' if values == 1 else 'them'}.", "help"
        )
        parts.button("Show again", view.safely(again), "small quiet", id="take-up")


def _alike(value: str, others: list[dict[str, Any]]) -> list[str]:
    """Other spellings: the same text but for case, blanks and punctuation."""

    def folded(text: str) -> str:
        return re.sub(r"[\W_]+", "", text).casefold()

    return [one["value"] for one in others if one["value"] != value and folded(one["value"]) == folded(value)]


def _value(view: View, column: str, one: dict[str, Any], others: list[dict[str, Any]]) -> None:
    value = one["value"]
    alike = _alike(value, others)

    def take(concept: str, values: list[str]) -> Any:
        async def act() -> None:
            await view.edit(policy_edits.set_mapping, column, dict.fromkeys(values, concept))
            view.say(f"“{value}” is {concept} now, in {number(one['records'])} records.")
            await view.draw()

        return view.safely(act)

    async def leave() -> None:
        await asyncio.to_thread(leave_value, view.project, column, value)
        await view.draw()

    with parts.tag("div", None, "card", role="group", aria_label=f"Value {value}").style("box-shadow: none"):
        with parts.tag("div", None, "row spread start"):
            with parts.tag("div").style("min-width: 0"):
                parts.heading(3, value, class_="wrap")
                parts.paragraph(f"in {number(one['records'])} records", "help")
            parts.button("Leave it for now", view.safely(leave), "small quiet", aria_label=f"Leave {value} for now")
        results = parts.tag("div")

        def choices(found: list[dict[str, Any]], none: str) -> None:
            results.clear()
            with results:
                if not found:
                    parts.paragraph(none, "help")
                for near in found[:CANDIDATES]:
                    _choice(near, value, alike, take)

        choices(one["near"], "Nothing in the taxonomy is near this text. Search for what it means.")

        async def search(text: str) -> None:
            if not text.strip():
                choices(one["near"], "")
                return
            found = await asyncio.to_thread(tables.search, view.project, column, text, 8)
            choices(
                [{"concept": hit["code"], "label": hit["label"], "score": None} for hit in found],
                "Nothing found.",
            )

        parts.field(
            f"Search a concept for {value}",
            "",
            view.safely(search),
            kind="search",
            hideLabel=True,
            placeholder="Search the taxonomy",
            name="search",
        )


def _choice(near: dict[str, Any], value: str, alike: list[str], take: Any) -> None:
    score = near.get("score")
    told = "" if score is None else f", {100 * score if score <= 1 else score:.0f}% alike"
    with parts.tag("div", None, "row candidate"):
        with parts.tag("span", None, "wrap"):
            parts.tag("b", str(near["concept"]))
            parts.tag("span", f" {near['label']}{told}")
        with parts.tag("span", None, "row"):
            named = f"{value} means {near['concept']} {near['label']}"
            parts.button("This one", take(near["concept"], [value]), "small", aria_label=named)
            if alike:
                every = [value, *alike]
                parts.button(f"All {len(every)} spellings", take(near["concept"], every), "small")
