"""Step 4, risk before: which records are unique in the original, and which columns do it; and finding one record by hand."""

from __future__ import annotations

import asyncio
from typing import Any

from ontomask.app import tables
from ontomask.app.pages import drawings, parts, progress, shell
from ontomask.app.pages.plain import LONGEST_NAME, with_short_names
from ontomask.app.pages.view import View
from ontomask.app.pages.words import number
from ontomask.arguments import counted, short, some_of


async def build(view: View) -> None:
    """Draw the step."""
    shell.opening(
        "How exposed are the records as they are?",
        "Before anything is masked: how many records have a combination of quasi-identifiers that no other record has.",
    )
    if not shell.needs_data(view):
        return
    if not view.project.policy().quasi_identifiers:
        parts.notice("No column is a quasi-identifier, so no combination is looked at. Choose roles in step 2.", "warn")
        return
    if not progress.answered(view, "risk", "Counting combinations of quasi-identifiers"):
        return
    risk = view.project.risk
    assert risk is not None
    waiting = parts.paragraph("Drawing the charts.", "help", role="status")
    drawn = await asyncio.to_thread(drawings.before, risk)  # first, so that nothing moves when it comes
    waiting.delete()
    _figures(view, risk)
    _charts(risk, drawn)
    _find(view)


def _figures(view: View, risk: dict[str, Any]) -> None:
    unit, total, unique = risk["counted"], risk["records"], risk["unique"]
    names = some_of([short(name, LONGEST_NAME) for name in view.project.policy().quasi_identifiers], 12)
    sizes = risk["sizes"]
    with parts.tag("div", None, "figures"):
        parts.figure(
            f"unique {unit}",
            number(unique),
            f"{number(unique)} of {number(total)} {unit} are unique on {names}.",
            "unique_records",
        )
        classes = sum(row["classes"] for row in sizes)
        smallest = counted(min((row["size"] for row in sizes), default=0), unit.removesuffix("s"), unit)
        parts.figure(
            "classes",
            number(classes),
            f"This many different combinations occur. The smallest class has {smallest}.",
            "classes",
        )
    with parts.tag("section", None, "card", aria_label="In words"):
        parts.heading(2, "In words")
        columns = [str(column["column"]) for column in risk["columns"]]
        parts.bullets([with_short_names(str(text), columns) for text in risk["readings"]])
        parts.why("risk_readings")


def _charts(risk: dict[str, Any], drawn: list[drawings.Drawing]) -> None:
    with parts.tag("div", None, "two"):
        for title, sentence, key, svg, rows in drawn:
            with parts.tag("section", None, "card", aria_label=title):
                parts.heading(2, title)
                parts.paragraph(sentence, "soft")
                parts.chart(svg, f"{title} {sentence}")
                with parts.tag("details", None, "why"):
                    parts.tag("summary", "The figures")
                    parts.plain_table(("", risk["counted"]), rows, numbers=(1,))
                parts.why(key)
        _nothing_alone(risk)


def _nothing_alone(risk: dict[str, Any]) -> None:
    """Say so where leaving out any one column changes nothing: a chart of bars without length would not."""
    if risk["unique"] and all(column["without"] == risk["unique"] for column in risk["columns"]):
        with parts.tag("section", None, "card", aria_label="Which columns do it?"):
            parts.heading(2, "Which columns do it?")
            all_ = f"all {number(risk['unique'])} unique {risk['counted']}"
            parts.paragraph(f"No column alone: whichever one is left out, {all_} stay unique.", "soft")
            parts.why("column_effect")


def _find(view: View) -> None:
    policy, opened = view.project.policy(), view.project.opened
    assert opened is not None
    columns = {column["name"]: column for column in opened["columns"]}
    known: dict[str, str] = view.kept.setdefault("find", {})  # while the page is open, and nowhere else
    with parts.tag("section", None, "card", aria_label="Find my own record"):
        parts.heading(2, "Find my own record")
        parts.paragraph("Type what somebody may know of one record, in any of the columns. It is not stored.", "soft")

        async def look() -> None:
            asked = {name: text for name, text in known.items() if text.strip()}
            if not asked:
                told.text = "Type at least one value."
                return
            found = await asyncio.to_thread(tables.sharing, view.project, asked)
            told.text = _sharing(found, list(asked))

        def keep(name: str) -> Any:
            return lambda value: known.__setitem__(name, str(value))

        with parts.tag("div", None, "two"):
            for name in parts.portion(view, "find", policy.quasi_identifiers, str, "columns"):
                frequent = [str(value) for value, _ in columns.get(name, {}).get("frequent") or []]
                parts.field(name, known.get(name, ""), keep(name), list=frequent, name=f"find-{name}", delay=80)
        parts.button("How many records share this?", view.safely(look), id="find")
        told = parts.paragraph("", "figure-sentence", aria_live="polite", id="found")
        parts.why("find_record")


def _sharing(found: dict[str, Any], asked: list[str]) -> str:
    if found.get("unknown"):
        return f"No record has this value in {', '.join(found['unknown'])}. Values are compared as they are written."
    count, names = found.get("count", 0), ", ".join(asked)
    if count == 0:
        return f"No record has this combination of {names}."
    if count == 1:
        return f"Exactly one record has this combination of {names}: whoever knows it finds the record."
    return f"{number(count)} records share this combination of {names}; it alone does not single out one of them."
