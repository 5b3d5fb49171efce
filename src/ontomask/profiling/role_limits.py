"""Limit of the number of columns that are masked together: the more there are, the less masking keeps of each.

Quasi-identifiers are what others can know of somebody: who they are, where and how they live, when and how they came.
Facts of a treatment are sensitive, with a question. Columns of which nothing is known are masked as long as there are few,
and left out of the release beyond that: neither is a column destroyed nor is one released unseen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ontomask.arguments import counted, some_of
from ontomask.profiling.outcome import ByRole, ColumnProfile

#: No more columns are masked together, unless it is known that others can know them.
MOST_QUASI = 15


def limit_roles(columns: Sequence[ColumnProfile], given_roles: Mapping[str, str]) -> list[str]:
    """Roles that depend on the other columns; ``given_roles`` are not touched. What should be known is returned."""
    _something_to_mask(columns, given_roles)
    masked = [column for column in columns if column.role == "quasi" and column.distinct > 1]
    unknown = [column for column in masked if column.proposal.unknown and column.name not in given_roles]
    room = max(MOST_QUASI - (len(masked) - len(unknown)), 0)
    left_out = unknown[room:]
    for column in left_out:
        column.proposal.leave_out(
            f"neither its name nor its values show what it is, and {MOST_QUASI} columns are masked already: it "
            f"is left out of the release",
            ByRole(
                "decide the role: sensitive or other (released unchanged), quasi (masked), or leave it out",
                "decide the role: sensitive (masked), quasi or other (released unchanged), or leave it out",
            ),
        )
    notes = []
    if left_out:
        shown = some_of([column.name for column in left_out])
        notes.append(
            f"{counted(len(left_out), 'column')} of which nothing is known left out of the release ({shown}): masking more "
            f"than {MOST_QUASI} columns together keeps little of any"
        )
    known = len(masked) - len(left_out)
    if known > MOST_QUASI:
        notes.append(
            f"{known} quasi-identifiers: masking so many together keeps little of any. Decide which of them others can know"
        )
    return notes


def _something_to_mask(columns: Sequence[ColumnProfile], given_roles: Mapping[str, str]) -> None:
    """Where no column is a quasi-identifier, the sensitive ones are masked: the safer choice."""
    if any(column.role == "quasi" for column in columns):
        return
    for column in [c for c in columns if c.role == "sensitive" and c.name not in given_roles][:MOST_QUASI]:
        column.proposal.role = "quasi"
        text = ByRole("it is masked because no other column would be: decide the role", "decide the role")
        column.proposal.checks.append(text)
