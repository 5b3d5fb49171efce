"""Step 5, method: how records are masked, with which k, what is required of the release; and the run itself."""

from __future__ import annotations

from typing import Any

from ontomask.app import cards, policy_edits
from ontomask.app.pages import comparing, parts, progress, requirements, shell
from ontomask.app.pages.explanations import explanations
from ontomask.app.pages.view import View

#: Shown first; the others unfold.
FIRST = ("microaggregation", "generalization", "recoding", "rank_swapping")
#: What most releases of health data ask for.
SAFE_K = 5


def build(view: View) -> None:
    """Draw the step."""
    shell.opening(
        "How shall it be masked?",
        "Choose what must be kept. In doubt, take what is preset. You can come back and try another.",
    )
    if not shell.needs_data(view):
        return
    _k(view)
    _methods(view)
    requirements.required(view)
    comparing.several(view)
    _go(view)


def _k(view: View) -> None:
    policy = view.project.policy()
    k = policy.stated_k or policy.required_k

    async def choose(value: Any) -> None:
        text = str(value).strip()
        if not text.isdigit() or int(text) < 1:
            view.say("k is a whole number, such as 5.", "bad")
            return
        await view.edit(policy_edits.set_k, int(text))
        view.changed()

    with parts.tag("section", None, "card", aria_label="k"):
        parts.heading(2, f"How many {policy.unit.many} look alike?")
        shared = "Every combination of quasi-identifiers in the release is shared by at least k records."
        parts.paragraph(policy.unit.instead(shared), "soft")
        with parts.tag("div").style("max-width: 11rem"):
            parts.field("k", k or SAFE_K, view.safely(choose), kind="number", min=2, step=1, name="k", delay=500)
        parts.paragraph(f"{SAFE_K} is a common choice inside an institution; 10 or more for open data.", "help")
        parts.why("k")


def _methods(view: View) -> None:
    known = {card["name"]: card for card in cards.method_cards()}
    policy = view.project.policy()
    now = "" if policy.method is None else str(policy.method.name)
    first = [*FIRST, *([now] if now and now not in FIRST else [])]
    parts.heading(2, "Method")
    with parts.tag("div", None, "cards", role="group", aria_label="Methods"):
        for name in first:
            if name in known:
                _card(view, known[name], now)
    with parts.tag("details", None, "more"):
        parts.tag("summary", f"{len(known) - len(first)} more methods")
        with parts.tag("div", None, "cards"):
            for name, card in known.items():
                if name not in first:
                    _card(view, card, now)


def _card(view: View, card: dict[str, Any], now: str) -> None:
    chosen = card["name"] == now

    async def use() -> None:
        await view.edit(policy_edits.set_method, card["name"])
        await view.draw()

    with parts.tag("article", None, "card chosen" if chosen else "card", aria_label=card["title"]):
        parts.heading(3, card["title"])
        parts.paragraph(explanations().get(f"method_{card['name']}", card["text"]))
        promise = "k-anonymity" if card["promises"] else "not k-anonymity: choose it where linkage is the concern"
        parts.facts([("Kept", card["kept"]), ("Promised", promise)] if card.get("kept") else [("Promised", promise)])
        if chosen:
            parts.badge("✓ chosen", "holds")
        else:
            parts.button(
                "Choose",
                view.safely(use),
                "small",
                aria_label=f"Choose {card['title']}",
                data_name=f"method-{card['name']}",
            )


def _go(view: View) -> None:
    async def go() -> None:
        view.start("run")
        await view.draw()

    with parts.tag("section", None, "card", aria_label="Run"):
        parts.heading(2, "Make the release")
        parts.paragraph(
            "The table is masked, the release is read back, and every requirement is checked on it.", "soft"
        )
        if not any(run.state == "done" for run in view.project.runs()):
            first = "The first run of a method on a machine takes some minutes longer, once: its loops are compiled."
            parts.paragraph(first, "help")
        if progress.running(view, ["run"], "Making the release"):
            return
        latest = view.workspace.queue.latest(view.project, "run")
        if latest is not None and latest.state == "done" and latest.policy_revision == view.project.policy_revision:
            parts.notice("The release with these settings is done.")
            with parts.tag("div", None, "row"):
                parts.link("See the result", view.page("result"), "button primary", id="see")
                parts.button("Anonymize again", view.safely(go), id="run")
            return
        parts.button("Anonymize", view.safely(go), "primary", id="run")
