"""Step 2, roles: what each column may give away. The guesses are preset with their reasons."""

from __future__ import annotations

from typing import Any

from ontomask.app import policy_edits
from ontomask.app.pages import parts, shell
from ontomask.app.pages.plain import in_plain_words
from ontomask.app.pages.view import View
from ontomask.app.pages.words import number
from ontomask.errors import OntomaskError
from ontomask.policy.policy import Policy

MEANINGS = {
    "identifier": "names a person directly, such as a name or a patient number. It is removed from the release.",
    "quasi": "others may know it from elsewhere, such as age or place. It is masked.",
    "sensitive": "must not become known about a person, such as a diagnosis or an income. It is studied and usually stays.",
    "other": "neither identifies nor is sensitive. It is released unchanged.",
}


def role_of(policy: Policy, column: str) -> str:
    """The role of a column in a policy."""
    attribute = policy.attributes.get(column)
    return str(getattr(attribute, "role", "other")) if attribute is not None else "other"


def told_of_units(policy: Policy) -> str:
    """What is counted in place of records, and by which columns; empty where records are counted."""
    unit, columns = policy.unit, policy.unit_columns
    if not columns:
        return ""
    several = f"Several records may belong to one {unit.one}, by {', '.join(columns)}."
    return f"{several} {unit.many.capitalize()} are counted, not records."


def build(view: View) -> None:
    """Draw the step."""
    shell.opening(
        "What could each column give away?",
        "ontomask has made a guess from names and values. Read each reason, and correct what is wrong: nobody knows your data "
        "as you do.",
    )
    if not shell.needs_data(view):
        return
    policy, opened = view.project.policy(), view.project.opened
    assert opened is not None
    with parts.tag("section", None, "card", aria_label="What the roles mean"), parts.tag("dl", None, "facts"):
        for role, text in MEANINGS.items():
            with parts.tag("dt"):
                parts.badge(parts.ROLES[role], f"tint-{role}")
            parts.tag("dd", text)
    counted = told_of_units(policy)
    if counted:
        parts.notice(counted)
    roles = {column["name"]: role_of(policy, column["name"]) for column in opened["columns"]}
    summary = parts.paragraph(_summary(roles), "soft", aria_live="polite")
    grid = parts.Grid()

    def heads() -> list[dict[str, Any]]:
        return [{"name": name, "tint": role, "note": parts.ROLES[role]} for name, role in roles.items()]

    settings = {
        "src": f"{view.address}/rows",
        "columns": heads(),
        "total": opened["records"],
        "label": "The table",
        "height": 190,
    }
    parts.dressed(grid, "", settings)

    def chooser(control: dict[str, parts.Field], column: str) -> Any:
        async def choose(role: str) -> None:
            try:
                await view.edit(policy_edits.set_role, column, role)
            except OntomaskError as error:
                control["field"].props["value"] = role
                control["field"].props["value"] = roles[column]
                view.say(str(error), "bad")
                return
            roles[column] = role
            grid.props["columns"] = heads()
            summary.text = _summary(roles)
            view.changed()

        return choose

    parts.heading(2, "Every column")
    for column in parts.portion(view, "roles", opened["columns"], lambda one: str(one["name"]), "columns"):
        _column(column, roles[column["name"]], chooser)


def _summary(roles: dict[str, str]) -> str:
    counts = {role: sum(found == role for found in roles.values()) for role in parts.ROLES}
    told = [f"{counts[role]} {word}" for role, word in parts.ROLES.items() if counts[role]]
    return f"{len(roles)} columns: {', '.join(told)}."


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _column(column: dict[str, Any], role: str, chooser: Any) -> None:
    name = column["name"]
    control: dict[str, parts.Field] = {}
    options = [{"value": key, "label": word, "tint": key} for key, word in parts.ROLES.items()]
    with parts.tag("section", None, "card", aria_label=name), parts.tag("div", None, "row spread start"):
        with parts.tag("div").style("min-width: 0; flex: 1 1 18rem"):
            parts.heading(3, name, class_="wrap")
            examples = ", ".join(str(value) for value in (column.get("examples") or [])[:4])
            parts.paragraph(
                f"{number(column['distinct'])} different values" + (f", such as {examples}" if examples else ""),
                "help",
            )
            parts.paragraph(f"Proposed: {parts.ROLES[column['role']]}. {_sentence(column['reason'])}", "help")
            for check in column["checks"]:
                told = in_plain_words(check, [name])
                parts.paragraph(f"Please check: {told}", "help").style("color: var(--warn)")
        control["field"] = parts.field(
            f"Role of {name}",
            role,
            chooser(control, name),
            kind="segments",
            options=options,
            hideLabel=True,
            name=f"role-{name}",
        )
