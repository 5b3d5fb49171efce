"""Nominal samples: a column of values as distinct concepts with weights, the input of every statistic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import as_numbers
from ontomask.arrays import TIE, Floats
from ontomask.distances.between import between, distinct_in_order
from ontomask.distances.measure import Corpus
from ontomask.distances.measures import get_measure
from ontomask.errors import OptionError
from ontomask.taxonomy.taxonomy import Taxonomy, require_taxonomy


@dataclass(frozen=True)
class Sample:
    """``concepts``: distinct positions in the order first seen; ``weights``: of each; ``code``: of each record."""

    taxonomy: Taxonomy
    concepts: NDArray[np.int64]
    weights: Floats
    code: NDArray[np.int64]

    @staticmethod
    def of(taxonomy: Taxonomy, values: Iterable[str], weights: Sequence[float] | None = None) -> Sample:
        positions = require_taxonomy(taxonomy).positions(values)
        if len(positions) == 0:
            raise OptionError("a statistic without values", remedy="Give at least one concept.")
        given = np.ones(len(positions)) if weights is None else as_numbers(weights, "the weights")
        if given.shape != positions.shape or (given < 0).any() or given.sum() == 0:
            raise OptionError(
                "the weights do not fit the values",
                remedy=f"Give {len(positions)} finite numbers >= 0, one for each value, not all 0.",
            )
        distinct, code = distinct_in_order(positions)
        return Sample(taxonomy, distinct, np.bincount(code, weights=given).astype(np.float64), code)

    @staticmethod
    def of_distinct(taxonomy: Taxonomy, concepts: NDArray[np.int64], counts: NDArray[Any]) -> Sample:
        """Of distinct positions, each with the number of its records; a record stands for each of them."""
        return Sample(taxonomy, concepts, counts.astype(np.float64), np.arange(len(concepts)))

    @property
    def present(self) -> NDArray[np.int64]:
        """The concepts that have a weight, in taxonomy order."""
        return np.sort(self.concepts[self.weights > 0])

    def __len__(self) -> int:
        return len(self.code)

    def codes(self) -> list[str]:
        return [self.taxonomy.concepts[i] for i in self.concepts]

    @property
    def corpus(self) -> Corpus:
        """What information content from a corpus counts: the sample itself."""
        return self.concepts, self.weights

    def distances(self, measure: str, scope: str, options: Mapping[str, Any]) -> Floats:
        """The table of the distinct concepts."""
        chosen = get_measure(measure)
        return between(self.taxonomy, self.concepts, None, chosen, scope, options, corpus=self.corpus)


def first_least(values: Floats) -> int:
    """The first place whose value is the least, up to a relative 1e-12."""
    least = values.min()
    return int(np.argmax(values <= least + TIE * abs(least)))


def first_greatest(values: Floats) -> int:
    """The first place whose value is the greatest, up to a relative 1e-12."""
    most = values.max()
    return int(np.argmax(values >= most - TIE * abs(most)))


def weighted_sums(table: Floats, weights: Floats) -> Floats:
    """Row sums of table * weights, always added up in the same order; the table is used up."""
    np.multiply(table, weights, out=table)
    sums: Floats = np.add.reduce(table, axis=1)
    return sums
