"""Facts about a taxonomy and its concepts as numbers, texts and lists, for printing or JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from ontomask.taxonomy.taxonomy import Taxonomy


def overview(taxonomy: Taxonomy) -> dict[str, Any]:
    """What a taxonomy is and how large.

    >>> t = Taxonomy.from_edges([("lumbago", "ache"), ("migraine", "ache"), ("ache", "pain")], name="pains")
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

    >>> t = Taxonomy.from_edges([("lumbago", "ache"), ("ache", "pain")])
    >>> [step["concept"] for step in way(t, "lumbago")]
    ['pain', 'ache', 'lumbago']
    """
    steps = [taxonomy.position(concept)]
    while steps[-1] != taxonomy.dag.root:
        steps.append(int(taxonomy.dag.first_parents(np.array(steps[-1:]))[0]))
    return [named(taxonomy, taxonomy.concepts[at]) for at in reversed(steps)]


def branch(taxonomy: Taxonomy, concept: str | None = None, depth: int = 2, width: int = 12) -> list[dict[str, Any]]:
    """The branch at a concept in the order of :meth:`Taxonomy.tree`, one item for each line.

    ``level`` counts from 0; ``children`` is how many there are, of which at most ``width`` follow. A flat list, since
    a chain may be deeper than JSON can be nested. A concept with several parents is listed below each of them; ``again``
    is true where its branch follows an earlier item and is not repeated.
    """
    start = taxonomy.dag.root if concept is None else taxonomy.position(concept)
    children = taxonomy.dag.children
    stack = [(start, 0)]
    items: list[dict[str, Any]] = []
    listed: dict[int, int] = {}  # the level at which the branch of a concept is listed
    while stack:
        at, level = stack.pop()
        below = children.row(at)
        again = len(below) > 0 and level < depth and listed.get(at, depth) <= level
        item = {"level": level, **named(taxonomy, taxonomy.concepts[at]), "children": len(below)}
        items.append(item | ({"again": True} if again else {}))
        if level < depth and not again:
            listed[at] = level
            stack.extend((int(child), level + 1) for child in reversed(below[:width]))
    return items
