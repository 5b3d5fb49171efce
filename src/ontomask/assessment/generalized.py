"""Reading generalized releases back: intervals, concepts and masked texts decoded by the hierarchies of the policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arrays import Longs
from ontomask.hierarchies.above import Above
from ontomask.masking.generalization import Generalization
from ontomask.masking.method import Masked
from ontomask.microdata.encoding import Table


def read_generalized(
    method: Generalization, table: Table, released: Mapping[str, pl.Series], stayed: NDArray[np.bool_]
) -> Masked | None:
    """What became of the records of a table, as the run itself knew it; None where a record shows what no level of its
    hierarchy shows.

    ``released``: by column what each record that ``stayed`` shows.
    """
    nodes = []
    hierarchies = method.column_levels(table)
    columns = [Above.of(hierarchy) if method.in_groups else Above.of_levels(hierarchy) for hierarchy in hierarchies]
    for above, codes in zip(columns, table.codes, strict=True):
        found = _nodes(above, codes[table.rows.tuple_of][stayed], released[above.column.name], one=not method.in_groups)
        if found is None:
            return None
        nodes.append(found)
    group_of = np.full(table.n, -1, dtype=np.int32)
    _, first, of = np.unique(np.array(nodes), axis=1, return_index=True, return_inverse=True)
    group_of[stayed] = of.reshape(-1)
    shown = [found[first] for found in nodes]
    return Masked(
        group_of,
        [above.centres[own] for above, own in zip(columns, shown, strict=True)],
        shown=[above.shown(own).cast(pl.String) for above, own in zip(columns, shown, strict=True)],
        penalty=[above.penalty[own] for above, own in zip(columns, shown, strict=True)],
    )


def _nodes(above: Above, codes: NDArray[Any], released: pl.Series, *, one: bool) -> Longs | None:
    """The node that each record shows, the most specific of equals; ``one``: of one level in all records, if there is such."""
    number = above.column.continuous
    texts = [_as_text(value, number=number) for value in released.to_list()]
    place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    text_of = np.array([place[text] for text in texts], dtype=np.int64)
    pairs, pair_of = np.unique(codes.astype(np.int64) * len(place) + text_of, return_inverse=True)
    told = list(place)
    candidates = [
        [node for node in above.covers.row(code).tolist() if _as_text(above.text(node), number=number) == told[text]]
        for code, text in zip((pairs // len(place)).tolist(), (pairs % len(place)).tolist(), strict=True)
    ]
    if not all(candidates):
        return None
    found = np.array([nodes[0] for nodes in candidates], dtype=np.int64)
    if one and candidates:
        ends = np.cumsum([len(level) for level in above.hierarchy.levels])
        for begin, end in zip(np.append(0, ends[:-1]), ends, strict=True):
            level = [next((node for node in nodes if begin <= node < end), -1) for nodes in candidates]
            if min(level) >= 0:
                found = np.array(level, dtype=np.int64)
                break
    return found[pair_of]


def _as_text(value: Any, *, number: bool) -> str | None:
    """A cell, in memory or from a file, as text: 30, 30.0 and '30' are the same number."""
    if value is None:
        return None
    if number:
        try:
            return f"{float(value):.15g}"
        except ValueError:
            return str(value).strip()
    return str(value)
