"""What a release must satisfy: the required models, each in words, and adding another one."""

from __future__ import annotations

from typing import Any

from ontomask.app import cards, policy_edits
from ontomask.app.pages import parts
from ontomask.app.pages.roles import role_of
from ontomask.app.pages.view import View
from ontomask.wording import Unit

#: Settings that are asked for when a model is added, beside those that it cannot be without; all others are in the policy.
ASKED = ("k", "m", "l", "t", "attribute", "variant", "ground", "c", "severity", "middle_class")


def asked(card: dict[str, Any]) -> list[dict[str, Any]]:
    """The settings of a model that the form asks for."""
    return [setting for setting in card["settings"] if setting["required"] or setting["name"] in ASKED]


def required(view: View) -> None:
    """The list of required models, and a form for one more."""
    policy = view.project.policy()
    with parts.tag("section", None, "card", aria_label="Requirements"):
        parts.heading(2, "What the release must satisfy")
        parts.paragraph("A release that fails one of these is marked, and is not handed out without a reason.", "soft")
        if not policy.require:
            parts.notice("Nothing is required. Then nothing is promised, either.", "warn")
        given = [model.model_dump(exclude_defaults=True) | {"name": model.name} for model in policy.require]
        for place, model in enumerate(policy.require):
            _model(view, place, model, given, policy.unit)
        _another(view)
        parts.why("requirements")


def _model(view: View, place: int, model: Any, given: list[dict[str, Any]], unit: Unit) -> None:
    async def remove() -> None:
        await view.edit(policy_edits.set_required, [one for other, one in enumerate(given) if other != place])
        await view.draw()

    with parts.tag("div", None, "row spread").style("border-bottom: 1px solid var(--line); padding: 0.5rem 0"):
        with parts.tag("div").style("min-width: 0; flex: 1 1 16rem"):
            parts.tag("b", model.describe(), "wrap")
            parts.paragraph(model.explain(unit), "help")
        parts.button("Remove", view.safely(remove), "small quiet", aria_label=f"Remove {model.describe()}")


def _another(view: View) -> None:
    known = {card["name"]: card for card in cards.model_cards()}
    chosen = view.kept.setdefault("model", "")

    async def choose(name: str) -> None:
        view.kept["model"] = name
        view.kept["settings"] = {}
        await view.draw()

    options = {"": "choose a model …"} | {name: card["title"] for name, card in known.items()}
    with parts.tag("details", None, "more", open=True if chosen else None).style("margin: 0.75rem 0 0"):
        parts.tag("summary", "Require more")
        parts.field("Model", chosen, view.safely(choose), kind="select", options=options, name="model")
        if chosen in known:
            _form(view, known[chosen])


def _form(view: View, card: dict[str, Any]) -> None:
    wanted: dict[str, Any] = view.kept.setdefault("settings", {})
    parts.paragraph(card["text"], "soft")
    for setting in asked(card):
        _setting(view, setting, wanted)

    async def add() -> None:
        policy = view.project.policy()
        given = [model.model_dump(exclude_defaults=True) | {"name": model.name} for model in policy.require]
        settings = {name: _value(text) for name, text in wanted.items() if text not in ("", None)}
        await view.edit(policy_edits.set_required, [*given, {"name": card["name"]} | settings])
        view.kept["model"], view.kept["settings"] = "", {}
        await view.draw()

    parts.button("Require this", view.safely(add), id="require")


def _setting(view: View, setting: dict[str, Any], wanted: dict[str, Any]) -> None:
    name, default = setting["name"], setting.get("default")
    told, label = str(setting.get("description") or ""), str(name).replace("_", " ")

    def keep(value: Any) -> None:
        wanted[name] = value

    if name == "attribute":
        policy = view.project.policy()
        columns = [column for column in policy.attributes if role_of(policy, column) == "sensitive"]
        if columns:
            wanted.setdefault(name, columns[0])
        parts.field(
            "Sensitive column",
            wanted.get(name, ""),
            keep,
            kind="select",
            options={c: c for c in columns},
            help=told,
            name="setting-attribute",
        )
        return
    if name == "severity":
        _severity(view, wanted, told)
        return
    if default is not None and name not in wanted:
        wanted[name] = default
    if setting.get("choices"):
        parts.field(
            label,
            wanted.get(name, ""),
            keep,
            kind="select",
            options={c: c for c in setting["choices"]},
            help=told,
            name=f"setting-{name}",
        )
        return
    parts.field(
        label, "" if wanted.get(name) is None else str(wanted[name]), keep, help=told, name=f"setting-{name}", delay=100
    )


def _severity(view: View, wanted: dict[str, Any], told: str) -> None:
    known = dict(getattr(view.project.info, "severities", {}))
    if known:
        wanted.setdefault("severity", next(iter(known)))
        parts.field(
            "Severity definition",
            wanted.get("severity", ""),
            lambda value: wanted.__setitem__("severity", value),
            kind="select",
            options=known,
            help=told,
        )

    async def received(answer: Any) -> None:
        wanted["severity"] = answer.get("stored")
        await view.draw()

    parts.upload(
        f"{view.address}/severities",
        "Choose a severity definition, or drop it here",
        "a YAML file of your institution",
        view.safely(received),
        accept=".yaml,.yml",
        compact=True,
    )


def _value(text: Any) -> Any:
    """A setting that was typed: a whole number, a number, or a text."""
    for kind in (int, float):
        try:
            return kind(str(text))
        except ValueError:
            continue
    return text
