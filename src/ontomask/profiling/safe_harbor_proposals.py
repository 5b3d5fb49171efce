"""Proposals under the HIPAA safe harbor rule: what it refuses is released more coarsely, or left out.

The model that verifies the release decides here as well what is refused, so that what is proposed passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

import polars as pl

from ontomask.arguments import counted, some_of
from ontomask.direct_identifiers.calendar import TOP, is_age, units_per_year
from ontomask.direct_identifiers.cells import Cells
from ontomask.direct_identifiers.geography import is_zip
from ontomask.direct_identifiers.search import Suspicion
from ontomask.privacy.safe_harbor import SafeHarbor
from ontomask.profiling.column_sources import ColumnSource
from ontomask.profiling.outcome import ColumnProfile
from ontomask.profiling.proposals import TOP_HINT
from ontomask.taxonomy.areas import ZIP3, ZipAreas


def make_safe(
    columns: Sequence[ColumnProfile], source: ColumnSource, given_roles: Mapping[str, str], model: SafeHarbor
) -> list[str]:
    """Change the proposals of columns that the rule refuses; ``given_roles`` stay. What should be known is returned."""
    kept = {column.name: column for column in columns if column.role != "identifier"}
    attributes = {name: column.proposal.attribute() for name, column in kept.items()}
    cells = [Cells.of(source.column(name)) for name in kept]
    left_out: list[str] = []
    for name, found in groupby(model.suspicions(cells, attributes), key=lambda suspicion: suspicion.column):
        column, suspicions = kept[name], list(found)
        if _coarser(column, suspicions, source):
            continue
        refused = "; ".join(f"{one.kind}: {one.why}" for one in suspicions)
        remedy = suspicions[0].remedy
        if name in given_roles:
            column.proposal.checks.append(
                f"the safe harbor rule refuses it ({refused}): {remedy}; if it is not an identifier, name it in cleared of "
                "safe_harbor"
            )
            continue
        example = _year_alone(column)
        column.proposal.leave_out(
            f"{refused}, which the safe harbor rule refuses: it is left out of the release",
            f"the rule permits: {remedy}; if it is not an identifier, give it a role and name it in cleared of safe_harbor",
        )
        column.proposal.example = example
        left_out.append(name)
    if not left_out:
        return []
    return [f"{counted(len(left_out), 'column')} left out, which the safe harbor rule refuses: {some_of(left_out)}"]


def _year_alone(column: ColumnProfile) -> list[str]:
    """The lines of a policy that release the year of a column of dates, and nothing finer."""
    if column.proposal.kind != "date":
        return []
    name = column.name if column.name.isidentifier() else repr(column.name)
    written = [f"  format: '{form}'" for form in [column.proposal.more.get("format")] if form]
    return [
        "For the year alone, write here in place of kind: identifier",
        "  kind: date",
        *written,
        "and as the method (a release that shows a day nevertheless is refused)",
        "  name: generalization",
        f"  hierarchies: {{{name}: {{kind: calendar, levels: [year, decade]}}}}",
    ]


def _coarser(column: ColumnProfile, suspicions: Sequence[Suspicion], source: ColumnSource) -> bool:
    """Propose a form of the column that passes, where there is one."""
    proposal, letters = column.proposal, {suspicion.kind.letter for suspicion in suspicions}
    if letters == {"C"} and proposal.kind == "numeric" and is_age(column.name) and units_per_year(column.name) == 1:
        proposal.more["top"] = TOP
        proposal.hints = [hint for hint in proposal.hints if hint != TOP_HINT]
        proposal.reasons.append(f"ages of {TOP} and more become one class, as the safe harbor rule asks")
        return True
    if letters == {"B"} and is_zip(column.name):
        texts = source.as_written(column.name).drop_nulls().cast(pl.String).str.strip_chars().unique().to_list()
        if len(ZipAreas().show(texts, 0)) == len(texts):
            proposal.kind, proposal.taxonomy, proposal.checks, proposal.hints = "place", ZIP3, [], []
            proposal.reasons = ["ZIP codes become their first three digits, as the safe harbor rule asks"]
            return True
    return False
