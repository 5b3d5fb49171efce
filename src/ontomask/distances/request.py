"""``DistanceRequest``: one request for distances, as a measure receives it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Array, Longs
from ontomask.distances.closure import Closure
from ontomask.distances.sweep import Finish, Fold, by_rows, sweep
from ontomask.taxonomy.dag import Dag
from ontomask.taxonomy.taxonomy import Taxonomy

#: Concepts, as positions in the taxonomy, and how often each occurs.
Corpus = tuple[Longs, NDArray[Any]]


@dataclass(frozen=True)
class DistanceRequest:
    """Which concepts against which, where, and how the result is wanted.

    ``rows`` and ``columns`` are positions in ``dag``, which is the taxonomy's own or, with ``scope="attribute"``,
    the part at and below the LCS of all concepts asked for; ``kept`` leads back to positions in the taxonomy.
    ``corpus`` is what information content from a corpus counts where no counts are given as an option.
    """

    taxonomy: Taxonomy
    dag: Dag
    rows: Longs
    columns: Longs
    kept: Longs | None
    corpus: Corpus
    dtype: np.dtype[Any]
    workers: int | None

    @cached_property
    def closure(self) -> Closure:
        return Closure(self.dag, np.concatenate((self.rows, self.columns)))

    @cached_property
    def inside(self) -> set[int]:
        """Positions in the taxonomy that are in scope."""
        return set(range(len(self.taxonomy)) if self.kept is None else map(int, self.kept))

    @property
    def counts(self) -> NDArray[np.float64]:
        """How often each concept of the taxonomy occurs in the corpus."""
        concepts, times = self.corpus
        return np.bincount(concepts, weights=times, minlength=len(self.taxonomy)).astype(np.float64)

    def sweep(self, fold: Fold, finish: Finish) -> Array:
        return sweep(fold, self.rows, self.columns, finish, dtype=self.dtype, workers=self.workers)

    def by_rows(self, rows_of: Callable[[slice], NDArray[np.float64]]) -> Array:
        return by_rows((len(self.rows), len(self.columns)), rows_of, dtype=self.dtype, workers=self.workers)

    def in_taxonomy(self, positions: Longs) -> Longs:
        return positions if self.kept is None else self.kept[positions]
