"""Tables of distances that several steps of a run need: computed once, kept between the steps, then dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

from ontomask.arrays import Floats, Longs
from ontomask.distances.measure import Measure
from ontomask.taxonomy.taxonomy import Taxonomy


@dataclass(frozen=True, eq=False)
class TableKey:
    """What a table of distances depends on.

    ``rows`` (-1: a missing value, of which a table may have one) and ``columns`` are concepts; ``counts`` says how
    often each of the rows occurs, which information content from a corpus counts.
    """

    taxonomy: Taxonomy
    measure: Measure
    scope: str
    options: Mapping[str, Any]
    rows: Longs
    columns: Longs
    counts: Longs

    def same(self, other: TableKey) -> bool:
        return (
            self.taxonomy is other.taxonomy
            and self.measure is other.measure
            and (self.scope, self.options) == (other.scope, other.options)
            and np.array_equal(self.rows, other.rows)
            and np.array_equal(self.columns, other.columns)
            and np.array_equal(self.counts, other.counts)
        )


_KEPT: ContextVar[list[tuple[TableKey, Floats]] | None] = ContextVar("kept tables", default=None)


@contextmanager
def tables_kept() -> Iterator[None]:
    """Inside, a table of distances that is asked for again is not computed again; afterwards all are dropped.

    They are large: elsewhere a table lives only as long as what asked for it.
    """
    before = _KEPT.set([])
    try:
        yield
    finally:
        _KEPT.reset(before)


def kept_table(key: TableKey, compute: Callable[[], Floats]) -> Floats:
    """The table of a key, which nobody may change."""
    kept = _KEPT.get()
    for known, table in kept or ():
        if known.same(key):
            return table
    table = compute()
    if kept is not None:
        kept.append((key, table))
    return table
