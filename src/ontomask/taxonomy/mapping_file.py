"""Mapping files to edit: every value of a column with its concept, undecided ones first."""

from __future__ import annotations

import csv
import io

from ontomask.errors import UnmatchedValuesError
from ontomask.taxonomy.matched import Match, Matching
from ontomask.taxonomy.matching import SCORES


def mapping_text(matching: Matching) -> str:
    """A CSV with the columns value and concept, which ``mapping=`` reads, and label, how, records and near to judge by.

    Values without a place come first, their concept empty: fill it in. (An empty concept decides nothing: the value is
    matched as if it were not in the file.) Then values with several meanings, then those placed by a less certain way.
    ``near`` holds suggestions, or the other meanings.

    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("lumbago", "ache"), ("ache", "pain")])
    >>> print(mapping_text(om.match(["lumbago", "ake", "aches"], t)), end="")
    value,concept,label,how,records,near
    ake,,,not placed,1,ache
    aches,ache,ache,stem,1,
    lumbago,lumbago,lumbago,code,1,
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("value", "concept", "label", "how", "records", "near"))
    taxonomy = matching.taxonomy
    for place, unmatched in enumerate(sorted(matching.unmatched, key=lambda u: -u.count)):
        wanted = place < UnmatchedValuesError.SUGGESTED  # each takes a look at the whole taxonomy
        near = "; ".join(s.text for s in unmatched.suggestions) if wanted else ""
        writer.writerow((unmatched.value, "", "", "not placed", unmatched.count, near))

    def certainty(row: Match) -> tuple[bool, float]:
        return not row.others, SCORES[row.how]

    for row in sorted(matching.rows, key=certainty):
        others = "; ".join(f"{code} ({taxonomy.label(code)})" for code in row.others)
        writer.writerow((row.value, row.concept, taxonomy.label(row.concept), row.how, row.count, others))
    return text.getvalue()
