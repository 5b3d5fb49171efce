"""HIPAA safe harbor: no column of a release holds one of the eighteen kinds of identifiers of 45 CFR 164.514(b)(2)(i).

Whether a column holds one is decided by its name and by the shape of its values, in the release itself. This code shares
nothing with the proposals of :func:`ontomask.profile` but the words of column names. A program sees shapes, not meanings: a
steward still has to look, and to answer for (ii): that nobody knows how the rest could identify a person.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import polars as pl
from pydantic import BeforeValidator, Field

from ontomask.arguments import counted
from ontomask.direct_identifiers.calendar import FIRST_YEAR, LAST_YEAR, years_in
from ontomask.direct_identifiers.cells import Cells
from ontomask.direct_identifiers.search import Suspicion, find_identifiers
from ontomask.microdata.pseudonyms import is_token
from ontomask.privacy.column_models import ColumnModel
from ontomask.privacy.models import Finding
from ontomask.settings import ListOf, whole_number
from ontomask.statements import Statement, caveat
from ontomask.wording import RECORD, Unit


def _year(year: Any) -> int | None:
    if year is not None and not FIRST_YEAR <= whole_number(year) <= LAST_YEAR:
        raise ValueError(f"{year} is not a year from {FIRST_YEAR} to {LAST_YEAR}")
    return None if year is None else int(year)


class SafeHarbor(ColumnModel):
    """No column holds one of the eighteen kinds of identifiers of the HIPAA safe harbor rule.

    Notes
    -----
    45 CFR 164.514(b)(2)(i): names; places smaller than a state, but for the first three digits of ZIP codes (000 for areas
    of 20,000 inhabitants or fewer); dates finer than a year and ages above 89; numbers of telephones, faxes, social
    security, medical records, health plans, accounts, certificates, vehicles and devices; addresses of mail, web and
    internet; biometric identifiers; photographs; any other unique number or code. Each is looked for by the name of a
    column and by the shape of its values. What a name alone suggests can be cleared by somebody who looked.

    Pseudonyms do not fail it, and are reported: 164.514(c) permits codes that are not derived from information about the
    individual, and a pseudonym is derived from an identifier, with a secret key.

    Examples
    --------
    >>> import ontomask as om, polars as pl
    >>> frame = pl.DataFrame({"born": ["1970-05-31", "1971-06-01"], "zip": ["021", "036"], "ill": ["flu", "gout"]})
    >>> print(om.SafeHarbor().check(frame).violations["column", "identifier", "records"].rows())
    [('born', 'dates finer than a year, and ages above 89 (C)', 2),
     ('zip', 'geographic subdivisions smaller than a state (B)', 1)]
    """

    terms: ClassVar[tuple[str, ...]] = ("Safe harbor",)
    name: Literal["safe_harbor"] = "safe_harbor"
    cleared: ListOf[str] = Field(
        default_factory=list, description="columns that somebody looked at: they hold no identifier, whatever it seems"
    )
    year: Annotated[int | None, BeforeValidator(_year)] = Field(
        default=None,
        description="the year of the data, by which years of birth are judged; not given: the latest year in the release",
    )

    def check_columns(self, columns: Iterable[Cells], attributes: Mapping[str, Any]) -> Finding:
        every = list(columns)
        kept = [cells for cells in every if _holds_pseudonyms(cells, attributes.get(cells.name))]
        looked = [cells for cells in every if cells not in kept and cells.name not in self.cleared]
        found = self.suspicions(looked, attributes)
        wrong = pl.DataFrame(
            [(s.column, str(s.kind), s.why, s.records, s.advice) for s in found],
            schema={
                "column": pl.String,
                "identifier": pl.String,
                "why": pl.String,
                "records": pl.Int64,
                "remedy": pl.String,
            },
            orient="row",
        )
        asides = list(
            self._asides([cells.name for cells in kept], [c.name for c in every if c.name in self.cleared], looked)
        )
        text = f"{self.describe()}: none of the eighteen kinds of identifiers found in {counted(len(looked), 'column')}"
        parts: tuple[str, ...] = ()
        if found:
            told, suspected = list(map(_told, found)), {suspicion.column for suspicion in found}
            text = f"{self.describe()}: {'; '.join(told)}"
            heading = f"{self.describe()}: {counted(len(suspected), 'column')} may hold identifiers"
            parts = (heading, *told, *asides)
        text = ". ".join([text, *asides])
        # Which records have what is found in one column is not known of those in another.
        records = sum(s.records for s in found) if len(found) <= 1 else None
        return Finding(self, not found, float(len(found)), text, wrong, records, parts=parts)

    def suspicions(self, columns: Sequence[Cells], attributes: Mapping[str, Any]) -> list[Suspicion]:
        """What these columns may hold, those of a column together."""
        year = self.year if self.year is not None else _latest(columns)
        return [suspicion for cells in columns for suspicion in _found(cells, attributes.get(cells.name), year)]

    def _asides(self, pseudonyms: list[str], cleared: list[str], looked: list[Cells]) -> Iterable[str]:
        """What a reader must know besides."""
        if pseudonyms:
            yield (
                f"{', '.join(pseudonyms)}: pseudonyms, derived from identifiers with a secret key; 164.514(c) permits codes "
                "that are not derived from information about the individual: let an expert decide, or remove them"
            )
        if cleared:
            yield f"Cleared by the policy, and not looked at: {', '.join(cleared)}"
        sentences = [cells.name for cells in looked if not cells.is_number and cells.distinct and cells.long_texts]
        if sentences:
            yield f"Free text was searched for shapes only, names in it are not found: {', '.join(sentences)}"

    def describe(self) -> str:
        return "HIPAA safe harbor"

    @property
    def title(self) -> str:
        return "HIPAA safe harbor"

    def explain(self, unit: Unit = RECORD) -> str:
        return (
            "No column holds one of the eighteen kinds of identifiers of 45 CFR 164.514(b)(2), as far as names of columns and "
            "shapes of values show."
        )

    @property
    def trivial(self) -> bool:
        return False

    def assumptions(self) -> list[Statement]:
        text = (
            "Assumed: nobody who releases the data knows that what is left could identify a person, alone or in combination "
            "(45 CFR 164.514(b)(2)(ii)). Identifiers were looked for by names of columns and shapes of values."
        )
        return [Statement("assumed", text, "safe harbor")]

    def pseudonym_caveats(self, names: str) -> list[Statement]:
        text = (
            f"Pseudonyms ({names}) are derived from identifiers. 45 CFR 164.514(c) permits codes that are not derived from "
            "information about the individual: under the safe harbor rule, let an expert decide, or remove them."
        )
        return [caveat(text, "pseudonyms")]


def _told(suspicion: Suspicion) -> str:
    return (
        f"{suspicion.column}: {suspicion.kind}, because {suspicion.why} ({counted(suspicion.records, 'record')}); "
        f"{suspicion.advice}"
    )


def _holds_pseudonyms(cells: Cells, attribute: Any) -> bool:
    """Does the policy release the column as pseudonyms, and does it hold these and nothing else?"""
    kept = attribute is not None and attribute.role == "identifier" and attribute.released
    return kept and all(map(is_token, cells.texts.to_list()))


def _found(cells: Cells, attribute: Any, year: float | None) -> list[Suspicion]:
    concepts = attribute is not None and attribute.named_taxonomy is not None
    amounts = attribute is not None and attribute.quantity
    return find_identifiers(cells, concepts=concepts, amounts=amounts, year=year)


def _latest(columns: Iterable[Cells]) -> float | None:
    """The latest year that a column of years holds."""
    latest = [years.max() for cells in columns if len(years := years_in(cells))]
    return max((float(year) for year in latest if isinstance(year, float)), default=None)
