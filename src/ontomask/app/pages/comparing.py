"""Trying several methods: the comparison, its risk-utility map, and a click on a point that chooses it."""

from __future__ import annotations

from typing import Any

from ontomask.app import cards, policy_edits
from ontomask.app.kept_policies import policy_in
from ontomask.app.pages import parts, progress
from ontomask.app.pages.view import View
from ontomask.app.pages.words import moment, percent
from ontomask.policy.policy import METHODS

#: Methods that are tried where nobody chooses; all others are offered.
PRESET = ("microaggregation", "generalization", "recoding")
KS = "5, 10"


def offered() -> dict[str, bool]:
    """Every method that policies can name, and whether it is tried if nobody says otherwise."""
    return {name: name in PRESET for name in METHODS}


def several(view: View) -> None:
    """The form of a comparison, and what the last one found."""
    with parts.tag("section", None, "card", aria_label="Try several"):
        parts.heading(2, "Not sure? Try several")
        parts.paragraph(
            "Each candidate is run on the table; loss and risk are measured in the same way for all of them.", "soft"
        )
        tried = view.kept.setdefault("tried", offered())
        ks = view.kept.setdefault("ks", KS)

        def keep(name: str) -> Any:
            return lambda value: tried.__setitem__(name, bool(value))

        with parts.tag("details", None, "why"):
            parts.tag("summary", "What is tried")
            for card in cards.method_cards():
                name = card["name"]
                parts.field(card["title"], tried[name], keep(name), kind="check", name=f"try-{name}")
            parts.field(
                "Values of k",
                ks,
                lambda text: view.kept.__setitem__("ks", text),
                help="separated by commas",
                name="ks",
                delay=100,
            )

        async def compare() -> None:
            values = [int(text) for text in str(view.kept["ks"]).replace(",", " ").split() if text.isdigit()]
            view.start("compare", methods=[name for name, wanted in tried.items() if wanted], k=values or None)
            await view.draw()

        if progress.running(view, ["compare"], "Trying several methods"):
            return
        parts.button("Try several", view.safely(compare), id="compare")
        compared = view.project.compared
        if compared is not None:
            done = view.workspace.queue.latest(view.project, "compare", "done")
            when = "" if done is None else f" of {moment(done.created)}"
            parts.paragraph(f"Figures{when}. After changes of roles or taxonomies, try again.", "help")
            if done is not None and _changed(view, done.policy_revision):
                parts.notice("These figures are of an earlier policy: columns were changed since. Try again.", "warn")
            _map(view, compared)


def _changed(view: View, revision: int) -> bool:
    """Do the columns, or how they are read, differ from those of an earlier policy?"""
    then, now = policy_in(view.project.policy_of(revision)), view.project.policy()
    names = set(type(now).model_fields) - {"method", "require"}
    return any(getattr(then, name) != getattr(now, name) for name in names)


def _map(view: View, compared: dict[str, Any]) -> None:
    runs = compared["runs"]
    shown = [row for row in runs if row.get("loss") is not None and row.get("risk") is not None]
    families = list(dict.fromkeys(_family(row) for row in shown))
    chosen = view.kept.get("candidate")

    async def use(name: str) -> None:
        await view.edit(policy_edits.use_candidate, name)
        view.kept["candidate"] = name
        view.say(f"{name} is in the policy now.")
        await view.draw()

    points = [
        {
            "name": row["name"],
            "x": row["loss"],
            "y": row["risk"],
            "frontier": bool(row.get("frontier")),
            "chosen": row["name"] == chosen,
            "shape": families.index(_family(row)),
        }
        for row in shown
    ]
    if points:
        made = parts.RiskMap()
        settings = {"points": points, "xLabel": "information loss (IL)", "yLabel": "records linked correctly"}
        parts.dressed(made, "", settings | {"label": "Risk-utility map: choose a candidate"})
        parts.on(made, "choose", view.safely(lambda place: use(points[int(place)]["name"])), value=True)
        parts.paragraph(
            "Further left is less loss, further down is less risk. No candidate beats those on the dashed line in both.",
            "help",
        )
        if any(point["x"] > 100 for point in points):
            parts.paragraph("A loss of more than 100% is drawn at the right edge.", "help")
        with parts.tag("div", None, "key", aria_label="Shapes"):
            for sign, family in zip("●■▲◆" * 3, families, strict=False):
                parts.tag("span", f"{sign} {family}")

    def cell(row: dict[str, Any]) -> Any:
        def fill() -> None:
            if row.get("loss") is None:
                parts.tag("span", "refused", "soft")
            elif row["name"] == chosen:
                parts.badge("✓ chosen", "holds")
            else:
                parts.button(
                    "Choose", view.safely(lambda: use(row["name"])), "small", aria_label=f"Choose {row['name']}"
                )

        return fill

    rows = [
        (
            row["name"],
            percent(row.get("loss")),
            percent(row.get("risk")),
            "yes" if row.get("frontier") else "",
            cell(row),
        )
        for row in runs
    ]
    parts.plain_table(
        ("candidate", "loss (IL)", "linked", "on the frontier", ""), rows, numbers=(1, 2), label="Candidates"
    )
    for text in compared.get("recommendation") or []:
        parts.paragraph(str(text), "soft")
    parts.why("comparison")


def _family(row: dict[str, Any]) -> str:
    return str(row["name"]).split(",")[0]
