"""Display of a taxonomy: text trees, a one-line path, a card for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ontomask.display import html_card, html_facts

if TYPE_CHECKING:
    from ontomask.taxonomy.taxonomy import Taxonomy

_LIST = '<ul style="list-style:none;padding-left:1.2em;margin:0">'


def _line(t: Taxonomy, position: int) -> str:
    code, label = t.concepts[position], t.terms(position)[0]
    return code if label == code else f"{code}  {label}"


def tree(t: Taxonomy, position: int, depth: int, width: int) -> str:
    """Box-drawing tree, ``depth`` levels down; what is not shown is counted.

    A concept is listed below each of its parents. What is below it is drawn once, where it is met first: ways through
    several parents multiply, and their number may double with every level.
    """
    lines = [_line(t, position)]
    drawn: dict[int, int] = {}  # levels drawn below each concept
    # An explicit stack, deepest last: recursion would end at Python's limit in a long chain.
    stack: list[tuple[int | str, str, bool, int]] = []

    def push(parent: int, prefix: str, left: int) -> None:
        children: list[int | str] = list(map(int, t.dag.children.row(parent)))
        if len(children) > width:
            children[width:] = [f"... {len(children) - width} more"]
        for i in range(len(children) - 1, -1, -1):
            stack.append((children[i], prefix, i == len(children) - 1, left))

    if depth > 0:
        push(position, "", depth - 1)
    while stack:
        node, prefix, last, left = stack.pop()
        branch = "└── " if last else "├── "
        if isinstance(node, str):
            lines.append(f"{prefix}{branch}{node}")
            continue
        below = len(t.dag.children.row(node))
        again = below and left and drawn.get(node, 0) >= left
        more = "  (see above)" if again else f"  (+{below})" if below and left == 0 else ""
        lines.append(f"{prefix}{branch}{_line(t, node)}{more}")
        if left and not again:
            drawn[node] = left
            push(node, prefix + ("    " if last else "│   "), left - 1)
    return "\n".join(lines)


def path(t: Taxonomy, position: int) -> str:
    """The longest way down to a concept: each step goes to the deepest parent, first in order on a tie."""
    way = [position]
    while way[-1] != t.dag.root:
        parents = t.dag.parents.row(way[-1])
        way.append(int(max(parents, key=lambda p: (t.dag.depth[p], -p))))
    # Beyond a screen's width further indentation tells nothing and would grow with the square of the depth.
    return "\n".join("  " * min(i, 40) + _line(t, node) for i, node in enumerate(reversed(way)))


def facts(t: Taxonomy) -> list[tuple[str, str]]:
    """What a person wants to know first, as (name, value)."""
    dag = t.dag
    several = int((dag.parents.lengths() > 1).sum())
    rows = [
        ("concepts", f"{len(t):,}"),
        ("is-a links", f"{len(dag.parents.index):,}"),
        ("leaves", f"{int(dag.leaves.sum()):,}"),
        ("several parents", f"{several:,}"),
        ("depth", f"{int(dag.depth.max())} (root = 1)"),
        ("root", t.root + (" (artificial)" if t.artificial_root else "")),
    ]
    if t.relations:
        rows.append(("other relations", ", ".join(f"{r} ({len(links.index):,})" for r, links in t.relations.items())))
    if t.source:
        rows.append(("source", t.source))
    return rows


def summary(t: Taxonomy) -> str:
    rows = facts(t)
    width = max(len(name) for name, _ in rows)
    lines = [t.name or "taxonomy", *(f"  {name:<{width}}  {value}" for name, value in rows)]
    return "\n".join(lines + [f"  note: {note}" for note in t.notes])


def html(t: Taxonomy, width: int = 25) -> str:
    """A card with the facts and the first two levels, folded; no script, no style from elsewhere."""

    def branch(position: int, left: int) -> str:
        children = list(map(int, t.dag.children.row(position)))
        title = escape(_line(t, position))
        if not children:
            return f"<li>{title}</li>"
        if left == 0:
            return f'<li>{title} <span style="opacity:.6">(+{len(children)})</span></li>'
        inner = "".join(branch(child, left - 1) for child in children[:width])
        if len(children) > width:
            inner += f"<li>... {len(children) - width} more</li>"
        opened = " open" if position == t.dag.root else ""
        return f"<li><details{opened}><summary>{title}</summary>{_LIST}{inner}</ul></details></li>"

    tree = f"{_LIST}{branch(t.dag.root, 2)}</ul>"
    return html_card(t.name or "taxonomy", html_facts(facts(t)), tree, notes=t.notes)
