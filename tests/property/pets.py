"""A small taxonomy of animals whose leaves are at different depths."""

from __future__ import annotations

import ontomask as om

LEAVES = ["poodle", "collie", "siamese", "persian", "hen"]
PARENTS = {
    "poodle": "dog",
    "collie": "dog",
    "siamese": "cat",
    "persian": "cat",
    "dog": "pet",
    "cat": "pet",
    "pet": "animal",
}
TAXONOMY = om.Taxonomy.from_edges([*PARENTS.items(), ("hen", "animal")])
