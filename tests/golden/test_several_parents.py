"""Concepts with several parents: what groups of them show, in an example worked by hand and in WordNet."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.report.counts import studied
from ontomask.report.examples import branch
from ontomask.taxonomy.overview import branch as listed_branch

#: x is an A1 and a B1, y is a B1 only; A1 is deeper than B1, so that the levels climb from x to A1.
EDGES = [
    ("x", "A1"), ("x", "B1"), ("y", "B1"), ("z", "A1"), ("A1", "A"), ("A", "R"), ("B1", "R"), ("w", "R"),
]  # fmt: skip


def release(values: list[str], taxonomy: om.Taxonomy, k: int = 2, **method: Any) -> om.Result:
    policy = om.Policy(
        attributes={"c": om.Nominal(taxonomy=taxonomy)},
        method=om.Generalization(**method),
        require=[om.KAnonymity(k=k)],
    )
    return om.anonymize(pl.DataFrame({"c": values}), policy, seed=1)


@pytest.mark.parametrize("search", ["local", "best_first"])
def test_x_and_y_are_shown_as_what_subsumes_both(search: str) -> None:
    """Once as the root R: x climbed to A1, A and R, and y to B1 and R. Leaves: x, y, z, w; B1 covers x and y."""
    result = release(["x", "y", "w", "w"], om.Taxonomy.from_edges(EDGES), search=search)
    assert sorted(result.data["c"].to_list()) == ["B1", "B1", "w", "w"]
    assert result.ncp == pytest.approx(2 * (1 / 3) / 4)  # two of four records, at (2 - 1) / (4 - 1)


def test_of_several_lowest_ones_the_one_with_the_fewest_leaves() -> None:
    """x and y below both P (x, y, z) and Q (x, y), neither above the other: Q covers fewer leaves."""
    edges = [("x", "P"), ("y", "P"), ("z", "P"), ("x", "Q"), ("y", "Q"), ("P", "M"), ("M", "R"), ("Q", "R"), ("w", "R")]
    result = release(["x", "y", "w", "w"], om.Taxonomy.from_edges(edges), search="local")
    assert sorted(result.data["c"].to_list()) == ["Q", "Q", "w", "w"]
    assert om.Taxonomy.from_edges(edges).lcs(["x", "y"]) == "P"  # the deepest, by which records are compared


def test_a_release_with_such_concepts_is_read_back() -> None:
    """What no level shows is still known to stand for its values: the same loss from the frames as from the run."""
    taxonomy = om.Taxonomy.from_edges(EDGES)
    frame = pl.DataFrame({"c": ["x", "y", "w", "w", "z", "x"]})
    policy = om.Policy(
        attributes={"c": om.Nominal(taxonomy=taxonomy)},
        method=om.Generalization(search="local"),
        require=[om.KAnonymity(k=2)],
        row_order="kept",
    )
    result = om.anonymize(frame, policy)
    assert "B1" in result.data["c"].to_list() or "A1" in result.data["c"].to_list()
    found = om.assess(frame, result.data, policy)
    assert found.ncp == pytest.approx(result.ncp)
    assert found.loss.semantic_loss == pytest.approx(result.assessment.loss.semantic_loss)


def test_no_group_of_wordnet_is_shown_above_its_lowest_common_subsumer(wordnet: om.Taxonomy) -> None:
    """Once 61 of 120 groups with a concept of several parents were."""
    dag = wordnet.dag
    chance = random.Random(7)
    several = np.flatnonzero(dag.parents.lengths() > 1).tolist()
    near: dict[int, None] = {}
    for at in chance.sample(several, 240):  # each with a concept below one of its parents
        near[at] = None
        near[int(chance.choice(dag.children.row(int(chance.choice(dag.parents.row(at))))))] = None
    values = [wordnet.concepts[at] for at in near]
    result = release(values, wordnet, k=3, search="local")
    groups: dict[str, set[int]] = defaultdict(set)
    for record, shown in zip(result.records.tolist(), result.data["c"].to_list(), strict=True):
        groups[shown].add(wordnet.position(values[record]))
    of_group = defaultdict(set)
    for record, group in enumerate(result.masked.group_of.tolist()):
        of_group[group].add(wordnet.position(values[record]))
    assert sum(any(len(dag.parents.row(at)) > 1 for at in members) for members in of_group.values()) >= 100
    for group, members in of_group.items():
        shown = int(result.masked.centres[0][group])
        shared = np.logical_and.reduce([dag.mark_ancestors(np.array([at])) for at in sorted(members)])
        assert shared[shown]
        below = dag.mark_descendants(np.array([shown]))
        assert np.flatnonzero(shared & below).tolist() == [shown]
        least = np.maximum(dag.leaf_counts, 1)
        assert least[shown] == least[shared].min()


def diamonds(levels: int) -> om.Taxonomy:
    """Two concepts on each level, both below both of the level above: the ways down double with every level."""
    edges = [(f"{side}1", "top") for side in "lr"]
    for level in range(2, levels + 1):
        edges += [(f"{a}{level}", f"{b}{level - 1}") for a in "lr" for b in "lr"]
    return om.Taxonomy.from_edges(edges)


def test_trees_draw_what_is_below_a_concept_once() -> None:
    """Once the lines doubled with every level: a million at a depth of 20."""
    assert diamonds(2).tree(depth=2) == ("top\n├── l1\n│   ├── l2\n│   └── r2\n└── r1\n    ├── l2\n    └── r2")
    assert diamonds(3).tree(depth=3).splitlines()[-3:] == [
        "└── r1",
        "    ├── l2  (see above)",
        "    └── r2  (see above)",
    ]
    assert len(diamonds(40).tree(depth=40).splitlines()) == 1 + 4 * 40 - 2
    items = listed_branch(diamonds(40), depth=40)
    assert len(items) == 1 + 4 * 40 - 2
    assert [item["concept"] for item in items if item.get("again")][-2:] == ["l2", "r2"]


def test_a_concept_met_near_the_end_of_a_tree_is_drawn_where_there_is_room() -> None:
    """b is below a, where the depth ends, and below the top, where it does not."""
    taxonomy = om.Taxonomy.from_edges([("a", "top"), ("b", "a"), ("b", "top"), ("c", "b")])
    assert taxonomy.tree(depth=2) == "top\n├── a\n│   └── b  (+1)\n└── b\n    └── c"


def test_levels_by_height_climb_the_parent_with_the_fewest_levels_below_it() -> None:
    """x is a deep concept of A, which has three levels below it, and one of B, which has one: height 2 is B."""
    edges = [("x", "A1"), ("A1", "A"), ("A2", "A1"), ("A3", "A2"), ("A", "R"), ("x", "B"), ("B", "R"), ("w", "R")]
    taxonomy = om.Taxonomy.from_edges(edges)
    shown = {}
    for cut in ("depth", "height"):
        level = {"c": 1}
        hierarchies = {"c": om.TaxonomyLevels(cut=cut)}  # type: ignore[arg-type]
        result = release(["x", "x"], taxonomy, search="strategy", strategy=[level], hierarchies=hierarchies)
        shown[cut] = result.data["c"][0]
    assert shown == {"depth": "A1", "height": "B"}


def test_penalties_count_every_leaf_once() -> None:
    """x is below two parents: each covers it, and R covers four leaves, not five."""
    result = release(["x", "y", "z", "w"], om.Taxonomy.from_edges(EDGES), k=4, search="full_domain")
    assert result.data["c"].to_list() == ["R"] * 4
    assert result.ncp == 1.0
    half = release(["x", "x", "z", "z"], om.Taxonomy.from_edges(EDGES), k=4, search="full_domain")
    assert set(half.data["c"]) == {"A1"}
    assert half.ncp == pytest.approx(1 / 3)


def test_the_report_says_where_a_branch_has_several_paths() -> None:
    """The branch of x is reached through A1 and through B1; records are counted once at each of them."""
    edges = [*EDGES, ("x1", "x"), ("x2", "x")]
    several = release(["x1", "x2", "x1", "x2"], om.Taxonomy.from_edges(edges), search="local")
    told = next(branch(column) for column in studied(several))
    assert told is not None
    assert (told["ways"], told["way"]) == (True, ["R", "A", "A1"])
    whole = next(branch(column) for column in studied(release(["x", "y", "z", "z"], om.Taxonomy.from_edges(EDGES))))
    assert whole is not None
    records = [(line["name"], line["records"][0]) for line in whole["lines"]]
    assert records[0] == ("R", 4)
    assert {("A", 3), ("A1", 3), ("B1", 2), ("x", 1), ("y", 1)} <= set(records)
    assert not whole["ways"]


def test_diversity_counts_values_of_which_none_subsumes_another_by_any_parent() -> None:
    taxonomy = om.Taxonomy.from_edges(EDGES)
    frame = pl.DataFrame({"q": ["a"] * 3 + ["b"] * 2, "s": ["x", "A1", "B1", "x", "y"]})
    listed = {"s": om.Nominal(taxonomy=taxonomy, role="sensitive")}
    found = om.LDiversity(l=2, attribute="s").check(frame, ["q"], listed)
    assert found.holds  # A1 and B1 both subsume x and not one another: two
    worse = om.LDiversity(l=3, attribute="s").check(frame, ["q"], listed)
    assert worse.worst == 2
