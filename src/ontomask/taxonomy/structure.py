"""Structure of a taxonomy: concepts by code and position, and their links."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import as_values
from ontomask.errors import TaxonomyError, UnknownConceptError
from ontomask.taxonomy.dag import Dag
from ontomask.taxonomy.lexicon import Lexicon


class Structure(ABC):
    """A rooted DAG of codes. What it is made of is set by :class:`~ontomask.taxonomy.taxonomy.Taxonomy`."""

    _name: str | None
    _concepts: tuple[str, ...]
    _position: dict[str, int]
    _aliases: dict[str, int]
    _dag: Dag

    @cached_property
    @abstractmethod
    def lexicon(self) -> Lexicon:
        """The index that finds codes written another way, and near ones."""

    @property
    def concepts(self) -> tuple[str, ...]:
        """All codes, in taxonomy order (the order that breaks ties)."""
        return self._concepts

    @property
    def root(self) -> str:
        """The concept above all others."""
        return self._concepts[self._dag.root]

    @property
    def dag(self) -> Dag:
        """The integer arrays: parents, children, depth, topological order, ancestors."""
        return self._dag

    @property
    def aliases(self) -> Mapping[str, int]:
        """Alternative codes, with the position of the concept each stands for."""
        return MappingProxyType(self._aliases)

    # ---- from codes to positions and back ---------------------------------------------------------------------

    def find(self, concept: object) -> int | None:
        """The position of a concept given by its code or an alternative code; None where there is none."""
        if not isinstance(concept, str):
            return None
        position = self._position.get(concept)
        if position is None:
            position = self._aliases.get(concept)
        return position if position is not None else self.lexicon.loose_code(concept)

    def position(self, concept: object) -> int:
        """The position of a concept; an error that suggests near ones where there is none."""
        position = self.find(concept)
        if position is None:
            near = [near.text for near in self.lexicon.suggest(concept)] if isinstance(concept, str) else []
            raise UnknownConceptError(concept, taxonomy=self._name, suggestions=near)
        return position

    def positions(self, concepts: Iterable[str]) -> NDArray[np.int64]:
        """The positions of concepts, in their order."""
        exact = self._position
        listed = as_values(concepts, "concepts")
        found = [exact[c] if c in exact else self.position(c) for c in listed]
        return np.array(found, dtype=np.int64)

    def _codes(self, positions: Iterable[int]) -> list[str]:
        return [self._concepts[i] for i in positions]

    def _others(self, mark: NDArray[np.bool_], position: int, *, downwards: bool) -> list[str]:
        mark[position] = False
        found = np.flatnonzero(mark)
        depth = self._dag.depth[found]
        return self._codes(found[np.lexsort((found, depth if downwards else -depth))])

    # ---- asking -----------------------------------------------------------------------------------------------

    def parents(self, concept: str) -> list[str]:
        """The concepts right above a concept."""
        return self._codes(self._dag.parents.row(self.position(concept)))

    def children(self, concept: str) -> list[str]:
        """The concepts right below a concept."""
        return self._codes(self._dag.children.row(self.position(concept)))

    def ancestors(self, concept: str) -> list[str]:
        """All concepts above a concept, without itself; deepest first."""
        at = self.position(concept)
        return self._others(self._dag.mark_ancestors(np.array([at])), at, downwards=False)

    def descendants(self, concept: str) -> list[str]:
        """All concepts below a concept, without itself; shallowest first."""
        at = self.position(concept)
        return self._others(self._dag.mark_descendants(np.array([at])), at, downwards=True)

    def subsumers(self, concept: str) -> list[str]:
        """T(c): the concept and all its ancestors (specification 1; M13 eq. 1)."""
        at = self.position(concept)
        return [self._concepts[at], *self.ancestors(concept)]

    def depth(self, concept: str) -> int:
        """Nodes on the longest path from the root to a concept; the root has 1."""
        return int(self._dag.depth[self.position(concept)])

    def height(self, concept: str) -> int:
        """Nodes on the longest path down from a concept; a leaf has 1."""
        return int(self._dag.height[self.position(concept)])

    def is_leaf(self, concept: str) -> bool:
        """Has a concept nothing below it?"""
        return bool(self._dag.leaves[self.position(concept)])

    def lcs(self, concepts: Iterable[str]) -> str:
        """Least common subsumer of concepts: the deepest common ancestor; tie: fewest links to them, then taxonomy order."""
        return self._concepts[self._dag.common_subsumer(self._some(concepts, "lcs"))]

    def minimum_hierarchy(self, concepts: Iterable[str]) -> list[str]:
        """H(V): all concepts on any is-a path between one of the concepts and the LCS of all, ends included (T12 def. 5)."""
        return self._codes(self._dag.minimum_hierarchy(self._some(concepts, "minimum_hierarchy")))

    def _some(self, concepts: Iterable[str], asker: str) -> NDArray[np.int64]:
        at = self.positions(concepts)
        if len(at) == 0:
            raise TaxonomyError(f"{asker} of no concepts", remedy="Give at least one concept.")
        return at

    # ---- the usual protocols ----------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._concepts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._concepts)

    def __contains__(self, concept: object) -> bool:
        return self.find(concept) is not None
