"""Step 3, meaning: a taxonomy for each nominal column, how its values matched, and repairing those that did not."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import quote

from ontomask.app import cards, policy_edits
from ontomask.app.matching import has_taxonomy, may_choose
from ontomask.app.pages import parts, progress, repairs, shell
from ontomask.app.pages.view import View
from ontomask.app.pages.words import number, share
from ontomask.app.uploads import taxonomy_suffixes
from ontomask.arguments import counted
from ontomask.policy.policy import Policy

NONE = "no taxonomy"


def build(view: View) -> None:
    """Draw the step."""
    shell.opening(
        "What do the values mean?",
        "A taxonomy tells how near two values are: that asthma is nearer to bronchitis than to a fracture. Choose one for each "
        "column whose values have a meaning.",
    )
    if not shell.needs_data(view):
        return
    policy = view.project.policy()
    columns = _columns(view, policy)
    if not columns:
        parts.notice(
            "No column holds values with a meaning: there are only numbers, dates and identifiers. Go on to the next step."
        )
        return
    if view.kept.get("column") not in columns:
        view.kept["column"] = next(iter(columns))
    column = view.kept["column"]

    async def choose(name: str) -> None:
        view.kept["column"] = name
        await view.draw()

    with parts.tag("section", None, "card", aria_label="Columns"):
        options = [{"value": name, "label": f"{name}: {told}"} for name, told in columns.items()]
        parts.field("Column", column, view.safely(choose), kind="select", options=options, name="column")
        _taxonomy(view, policy, column)
    attribute = policy.attributes.get(column)
    if not has_taxonomy(attribute):
        parts.paragraph(
            "Without a taxonomy two values of this column are equal or different, and nothing in between.", "soft"
        )
        return
    if not progress.answered(view, "match", f"Matching the values of {column}", column=column):
        return
    matched = view.project.matched(column)
    assert matched is not None
    _matched(matched)
    repairs.unmatched(view, column, matched)
    _branch(view, column, matched)


def _columns(view: View, policy: Policy) -> dict[str, str]:
    """The columns that may have a taxonomy, each with what it has now."""
    opened = view.project.opened
    assert opened is not None
    found = {}
    for column in opened["columns"]:
        attribute = policy.attributes.get(column["name"])
        kind, placed = getattr(attribute, "kind", ""), has_taxonomy(attribute)
        if placed or (kind in ("flat", "ordinal") and getattr(attribute, "role", "") in ("quasi", "sensitive")):
            matched = view.project.matched(column["name"]) if placed else None
            left = matched["unmatched_values"] if matched else 0
            told = _named(view, attribute) if placed else NONE
            found[column["name"]] = told + (f", {counted(left, 'value')} not matched" if left else "")
    near = {one["name"]: max((c["values"] for c in one["candidates"]), default=0.0) for one in opened["columns"]}
    return dict(sorted(found.items(), key=lambda pair: (pair[1] == NONE, -near[pair[0]] if pair[1] == NONE else 0.0)))


def _named(view: View, attribute: Any) -> str:
    stored = str(attribute.named_taxonomy).rsplit("/", 1)[-1]
    return view.project.info.taxonomies.get(stored, stored)


def _taxonomy(view: View, policy: Policy, column: str) -> None:
    attribute: Any = policy.attributes.get(column)
    if not may_choose(attribute):
        told = f"This column holds {attribute.in_words}: {_named(view, attribute)}. To change that, change the policy."
        parts.paragraph(told, "soft", id="fixed")
        return
    uploads = view.project.info.taxonomies
    options: list[dict[str, Any]] = [{"value": "", "label": "none: values are equal or different"}]
    for entry in cards.catalog():
        lacking = f" ({entry['lacking']})" if entry.get("lacking") else ""
        options.append(
            {
                "value": entry["name"],
                "label": f"{entry['name']}: {entry['what']}{lacking}",
                "disabled": bool(entry.get("lacking")),
            }
        )
    options += [{"value": stored, "label": f"{shown} (uploaded)"} for stored, shown in uploads.items()]
    current = ""
    if has_taxonomy(attribute):
        whole = str(attribute.named_taxonomy)
        named = whole.rsplit("/", 1)[-1]
        current = named if any(option["value"] == named for option in options) else whole
        if not any(option["value"] == current for option in options):
            options.append({"value": current, "label": _named(view, attribute)})

    async def choose(name: str) -> None:
        await view.edit(policy_edits.set_taxonomy, column, name or None)
        await view.draw()

    async def received(told: Any) -> None:
        stored = told.get("stored") if isinstance(told, dict) else None
        if stored:
            await view.edit(policy_edits.set_taxonomy, column, stored)
        await view.draw()

    parts.field("Taxonomy", current, view.safely(choose), kind="select", options=options, name="taxonomy")
    opened = view.project.opened
    assert opened is not None
    facts = next(one for one in opened["columns"] if one["name"] == column)
    for candidate in (facts.get("candidates") or [])[:3]:
        told = f"{share(candidate['values'])} of the different values are in {candidate['taxonomy']}."
        with parts.tag("div", None, "row"):
            parts.paragraph(told, "help")
            if candidate["taxonomy"] != current:
                taken = view.safely(partial(choose, candidate["taxonomy"]))
                parts.button(f"Use {candidate['taxonomy']}", taken, "small", data_name=f"use-{candidate['taxonomy']}")
    with parts.tag("details", None, "why"):
        parts.tag("summary", "Use a taxonomy of my own")
        hint = "An edge list or hierarchy (CSV), OBO, OWL, SKOS, SNOMED CT or MeSH file"
        parts.upload(
            f"{view.address}/taxonomies",
            "Choose a taxonomy, or drop it here",
            hint,
            view.safely(received),
            accept=",".join(taxonomy_suffixes()),
            compact=True,
        )


def _matched(matched: dict[str, Any]) -> None:
    values, left = matched["values"], matched["unmatched_values"]
    records, unit = matched["records"], matched.get("counted", "records")
    lost = matched["unmatched_records"]
    with parts.tag("div", None, "figures"):
        parts.figure(
            "values matched",
            f"{number(values - left)} of {number(values)}",
            f"They stand in {number(records - lost)} of {number(records)} records with a value."
            if unit == "records"
            else f"They are {number(records - lost)} of {number(records)} {unit}: a record may have several.",
            "matching",
        )
        with parts.tag("div", None, "figure"):
            parts.tag("div", "how they matched", "figure-name")
            rows = [(one["how"], number(one["values"]), number(one["records"])) for one in matched["by"]]
            parts.plain_table(("by", "values", unit), rows, numbers=(1, 2), label="How values matched")
            parts.why("matching_how")
    for note in (matched.get("notes") or [])[:5]:
        parts.paragraph(str(note), "help")


def _branch(view: View, column: str, matched: dict[str, Any]) -> None:
    with parts.tag("section", None, "card", aria_label="The taxonomy"):
        parts.heading(2, f"The taxonomy: {matched['name']}", class_="wrap")
        unit = matched.get("counted", "records")
        parts.paragraph(
            f"Open a node to see what is below it. Counts are {unit} of this column at or below the node.", "soft"
        )
        tree = parts.Tree()
        address = f"{view.address}/columns/{quote(column, safe='')}/tree?made={view.project.policy_revision}"
        parts.dressed(tree, "", {"src": address, "label": f"Taxonomy of {column}"})
