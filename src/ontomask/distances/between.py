"""Distances between concepts that are given as positions in their taxonomy: what all other packages ask for.

:mod:`ontomask.distances.tables` is the public form of it, which takes codes and checks every argument.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import one_of
from ontomask.arrays import Array, Longs
from ontomask.distances.measure import Corpus, DistanceRequest, Measure
from ontomask.taxonomy.taxonomy import Taxonomy

Scope = Literal["taxonomy", "attribute"]
SCOPES = ("taxonomy", "attribute")

#: Largest table of distinct concepts that is kept beside the result when concepts repeat.
SPARE_BYTES = 100 * 2**20


def between(
    taxonomy: Taxonomy,
    rows: Longs,
    columns: Longs | None,
    measure: Measure,
    scope: str = "taxonomy",
    options: Mapping[str, Any] | None = None,
    *,
    corpus: Corpus | None = None,
    similar: bool = False,
    dtype: np.dtype[Any] | None = None,
    workers: int | None = None,
) -> NDArray[Any]:
    """Distances of all ``rows`` from all ``columns`` (None: the rows themselves), or their similarities.

    ``corpus``: what information content from a corpus counts where the options give no counts; without it, the
    concepts asked for. A new array each time, which belongs to the caller.
    """
    one_of(scope, SCOPES, "scope")
    resolved = measure.resolve_options(options or {})
    compute = measure.similarity if similar and measure.similarity else measure.compute
    wanted = np.dtype(np.float64) if dtype is None else dtype
    others = rows if columns is None else columns
    if len(rows) == 0 or len(others) == 0:
        return np.zeros((len(rows), len(others)), dtype=wanted)
    if corpus is None:
        asked = rows if columns is None else np.concatenate((rows, columns))
        corpus = asked, np.ones(len(asked))

    distinct_rows, row_of = distinct_in_order(rows)
    distinct_columns, column_of = (distinct_rows, row_of) if columns is None else distinct_in_order(columns)
    repeated = len(distinct_rows) < len(rows) or len(distinct_columns) < len(others)
    if repeated and len(distinct_rows) * len(distinct_columns) * wanted.itemsize > SPARE_BYTES:
        # Too large to be kept beside the result: let the measure fill in the repetitions itself.
        repeated, distinct_rows, distinct_columns = False, rows, others

    dag, kept = taxonomy.dag, None
    if scope == "attribute":
        dag, kept = dag.below(dag.common_subsumer(np.concatenate((distinct_rows, distinct_columns))))
        distinct_rows, distinct_columns = (np.searchsorted(kept, p) for p in (distinct_rows, distinct_columns))
    request = DistanceRequest(taxonomy, dag, distinct_rows, distinct_columns, kept, corpus, wanted, workers)
    table: Array = compute(request, **resolved)
    table = table[np.ix_(row_of, column_of)] if repeated else table
    return np.subtract(1, table, out=table) if similar and not measure.similarity else table


def distinct_in_order(positions: Longs) -> tuple[Longs, Longs]:
    """The distinct positions in order of first appearance, and the place of each position among them."""
    sorted_, first, inverse = np.unique(positions, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return sorted_[order], place[inverse]
