"""Which sign stands between the cells of a CSV file."""

from __future__ import annotations

import csv
import io
from collections import Counter

DELIMITERS = ",;\t|"
#: So many rows are looked at.
_ROWS = 200


def detect_delimiter(text: str, *, header: bool) -> str | None:
    """The delimiter that cuts most of the first rows into the same number of cells, and into most of them.

    ``header``: into as many as the first row has, which names the columns; else into the most frequent number. None
    where no delimiter cuts them.
    """
    best, best_rank = None, (0.0, 1)
    for delimiter in DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row][:_ROWS]
        except csv.Error:
            continue
        counts = Counter(widths)
        width = widths[0] if header and widths else max(counts, key=lambda width: (counts[width], width), default=1)
        rank = (counts[width] / max(1, len(widths)), width)
        if width > 1 and rank > best_rank:
            best, best_rank = delimiter, rank
    return best
