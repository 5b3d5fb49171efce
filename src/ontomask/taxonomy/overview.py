"""Overviews of a taxonomy and its concepts: facts for printing or JSON, text trees and paths, a card for notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from ontomask.display import html_card, html_facts

if TYPE_CHECKING:
    from ontomask.taxonomy.taxonomy import Taxonomy

_LIST = '<ul style="list-style:none;padding-left:1.2em;margin:0">'
#: Children of a concept that a card shows.
_WIDTH = 25


def overview(taxonomy: Taxonomy) -> dict[str, Any]:
    """What a taxonomy is and how large.

    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain")], name="pains")
    >>> facts = overview(t)
    >>> facts["name"], facts["concepts"], facts["leaves"], facts["depth"], facts["root"]
    ('pains', 4, 2, 3, 'pain')
    """
    dag = taxonomy.dag
    return {
        "name": taxonomy.name,
        "concepts": len(taxonomy),
        "leaves": int(dag.leaves.sum()),
        "links": len(dag.parents.index),
        "several_parents": int((dag.parents.lengths() > 1).sum()),
        "depth": int(dag.depth.max()),
        "root": taxonomy.root,
        "artificial_root": taxonomy.artificial_root is not None,
        "relations": {name: len(links.index) for name, links in taxonomy.relations.items()},
        "source": taxonomy.source,
        "notes": list(taxonomy.notes),
    }


def about(taxonomy: Taxonomy, concept: str) -> dict[str, Any]:
    """What is known of one concept; ``way`` leads from the root down to it."""
    at = taxonomy.position(concept)
    code = taxonomy.concepts[at]
    return {
        "concept": code,
        "label": taxonomy.label(code),
        "synonyms": taxonomy.synonyms(code),
        "definition": taxonomy.definition(code),
        "depth": taxonomy.depth(code),
        "parents": [named(taxonomy, parent) for parent in taxonomy.parents(code)],
        "children": len(taxonomy.children(code)),
        "below": int(taxonomy.dag.mark_descendants(taxonomy.positions([code])).sum()) - 1,
        "way": way(taxonomy, code),
    }


def named(taxonomy: Taxonomy, concept: str) -> dict[str, Any]:
    """A concept by its code and its label."""
    return {"concept": concept, "label": taxonomy.label(concept)}


def way(taxonomy: Taxonomy, concept: str) -> list[dict[str, Any]]:
    """A longest way from the root down to a concept, both included: where there are several parents, by the deepest.

    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("lumbago", "ache"), ("ache", "pain")])
    >>> [step["concept"] for step in way(t, "lumbago")]
    ['pain', 'ache', 'lumbago']
    """
    return [named(taxonomy, taxonomy.concepts[at]) for at in _way(taxonomy, taxonomy.position(concept))]


def _way(t: Taxonomy, position: int) -> list[int]:
    """The same in positions: each step goes to the deepest parent, first in order on a tie."""
    steps = [position]
    while steps[-1] != t.dag.root:
        steps.append(int(t.dag.first_parents(np.array(steps[-1:]))[0]))
    return steps[::-1]


def branch(taxonomy: Taxonomy, concept: str | None = None, depth: int = 2, width: int = 12) -> list[dict[str, Any]]:
    """The branch at a concept in the order of :meth:`Taxonomy.tree`, one item for each line.

    ``level`` counts from 0; ``children`` is how many there are, of which at most ``width`` follow. A flat list, since
    a chain may be deeper than JSON can be nested. A concept with several parents is listed below each of them; ``again``
    is true where its branch follows an earlier item and is not repeated.
    """
    start = taxonomy.dag.root if concept is None else taxonomy.position(concept)
    items = []
    for at, level, again in _listed(taxonomy, start, depth, width):
        if at >= 0:
            below = len(taxonomy.dag.children.row(at))
            item = {"level": level, **named(taxonomy, taxonomy.concepts[at]), "children": below}
            items.append(item | ({"again": True} if again else {}))
    return items


def _listed(t: Taxonomy, start: int, depth: int, width: int) -> Iterator[tuple[int, int, bool]]:
    """Concepts of a branch with their level, and whether what is below was listed before; -n: n more of that level.

    A concept is listed below each of its parents. What is below it is listed once, where it is met first: ways through
    several parents multiply, and their number may double with every level.
    """
    listed: dict[int, int] = {}  # the level at which the branch of a concept is listed
    stack = [(start, 0)]  # recursion would end at Python's limit in a long chain
    while stack:
        at, level = stack.pop()
        below: list[int] = t.dag.children.row(at).tolist() if at >= 0 and level < depth else []
        again = bool(below) and listed.get(at, depth) <= level
        yield at, level, again
        if below and not again:
            listed[at] = level
            more = [width - len(below)] if len(below) > width else []
            stack.extend((child, level + 1) for child in (*more, *reversed(below[:width])))


# ---- showing ----------------------------------------------------------------------------------------------------


def _line(t: Taxonomy, position: int) -> str:
    code, label = t.concepts[position], t.terms(position)[0]
    return code if label == code else f"{code}  {label}"


def tree(t: Taxonomy, position: int, depth: int, width: int) -> str:
    """Box-drawing tree, ``depth`` levels down; what is not shown is counted."""
    lines = []
    followed: set[int] = set()  # levels at which a line follows further down, seen from the last line up
    for at, level, again in reversed(list(_listed(t, position, depth, width))):
        below = len(t.dag.children.row(at)) if at >= 0 else 0
        more = "  (see above)" if again else f"  (+{below})" if below and level == depth > 0 else ""
        bars = "".join("│   " if upper in followed else "    " for upper in range(1, level))
        branch = ("├── " if level in followed else "└── ") if level else ""
        lines.append(bars + branch + (f"{_line(t, at)}{more}" if at >= 0 else f"... {-at} more"))
        followed = {upper for upper in followed if upper < level} | {level}
    return "\n".join(reversed(lines))


def path(t: Taxonomy, position: int) -> str:
    """The way of :func:`way`, one line a step."""
    # Beyond a screen's width further indentation tells nothing and would grow with the square of the depth.
    return "\n".join("  " * min(i, 40) + _line(t, node) for i, node in enumerate(_way(t, position)))


def facts(t: Taxonomy) -> list[tuple[str, str]]:
    """What a person wants to know first, as (name, value)."""
    of = overview(t)
    rows = [
        ("concepts", f"{of['concepts']:,}"),
        ("is-a links", f"{of['links']:,}"),
        ("leaves", f"{of['leaves']:,}"),
        ("several parents", f"{of['several_parents']:,}"),
        ("depth", f"{of['depth']} (root = 1)"),
        ("root", t.root + (" (artificial)" if of["artificial_root"] else "")),
        ("other relations", ", ".join(f"{name} ({links:,})" for name, links in of["relations"].items())),
        ("source", t.source),
    ]
    return [(name, value) for name, value in rows if value]


def summary(t: Taxonomy) -> str:
    rows = facts(t)
    width = max(len(name) for name, _ in rows)
    lines = [t.name or "taxonomy", *(f"  {name:<{width}}  {value}" for name, value in rows)]
    return "\n".join(lines + [f"  note: {note}" for note in t.notes])


def html(t: Taxonomy) -> str:
    """A card with the facts and the first two levels, folded; no script, no style from elsewhere."""

    def branch(position: int, left: int) -> str:
        children = list(map(int, t.dag.children.row(position)))
        title = escape(_line(t, position))
        if not children:
            return f"<li>{title}</li>"
        if left == 0:
            return f'<li>{title} <span style="opacity:.6">(+{len(children)})</span></li>'
        inner = "".join(branch(child, left - 1) for child in children[:_WIDTH])
        if len(children) > _WIDTH:
            inner += f"<li>... {len(children) - _WIDTH} more</li>"
        opened = " open" if position == t.dag.root else ""
        return f"<li><details{opened}><summary>{title}</summary>{_LIST}{inner}</ul></details></li>"

    tree = f"{_LIST}{branch(t.dag.root, 2)}</ul>"
    return html_card(t.name or "taxonomy", html_facts(facts(t)), tree, notes=t.notes)
