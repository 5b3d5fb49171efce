"""Probabilistic k-anonymity (Soria-Comas & Domingo-Ferrer 2012): the original of a value is found with probability <= 1/k."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import polars as pl
from pydantic import Field

from ontomask.arrays import TIE
from ontomask.privacy.diagnostics import Diagnostics, Swaps
from ontomask.privacy.k_anonymity import KAnonymity
from ontomask.privacy.models import Finding, Model
from ontomask.settings import Count
from ontomask.wording import RECORD, Unit

if TYPE_CHECKING:
    from ontomask.privacy.examined import Examined


class ProbabilisticKAnonymity(Model):
    """An intruder who knows the method finds the original of a released value with a mean chance of at most 1/k.

    Notes
    -----
    It is a property of how a release was made, not of the release: it is checked on what a run of rank swapping
    reports about itself (candidates there really were), and cannot be checked on a file. Where several columns are
    swapped each by itself, the candidates of a value say nothing about a record: then it is not concluded from them. A
    k-anonymous release has it as well: there it is k-anonymity that is checked. Elsewhere the finding is that it was not
    checked.

    Examples
    --------
    >>> import ontomask as om
    >>> om.ProbabilisticKAnonymity(5)
    ProbabilisticKAnonymity(k=5)
    """

    terms: ClassVar[tuple[str, ...]] = ("Probabilistic k-anonymity",)
    name: Literal["probabilistic_k_anonymity"] = "probabilistic_k_anonymity"
    k: Count = Field(
        kw_only=False, description="the mean probability of finding the original of a value is at most 1/k"
    )

    @property
    def stated_k(self) -> int:
        return self.k

    def sensitive_columns(self, attributes: Mapping[str, Any]) -> list[str]:
        return []

    def check_table(self, table: Examined, reference: Examined | None = None) -> Finding:
        found = KAnonymity(k=self.k).check_table(table)
        if found.holds:
            return Finding(
                self, True, found.worst, f"{self.describe()}: the table is {found.text}", found.violations, 0
            )
        text = (
            f"{self.describe()} cannot be seen in a table: it is a property of how the table was made, checked where "
            f"RankSwapping runs (a {self.k}-anonymous table has it too)"
        )
        return Finding(self, False, found.worst, text, found.violations.clear(), 0, checked=False)

    def check_made(self, table: Examined, reference: Examined | None, diagnostics: Diagnostics | None) -> Finding:
        if not isinstance(diagnostics, Swaps):
            return self.check_table(table, reference)
        table.units.require_records(self.describe())
        if not diagnostics.apart:
            return self._check_swaps(diagnostics, len(table))
        found = self.check_table(table)
        if found.holds:
            return found
        text = (
            f"{self.describe()} does not follow from swapping each column by itself: columns together may still show whose "
            "record it is (variant: multivariate swaps records; or judge the release by record linkage)"
        )
        return replace(found, text=text)

    def check_original(self, table: Examined, masked: Collection[str]) -> Finding:
        text = f"{self.describe()}: checked after masking, since it is a property of how a table is made"
        return Finding(self, False, float("nan"), text, pl.DataFrame(), 0, checked=False)

    def _check_swaps(self, swaps: Swaps, n: int) -> Finding:
        """The finding on what a run recorded of its swaps: the mean chance of each column."""
        realised = swaps.realised_k
        names = [name for name in sorted(realised, key=realised.__getitem__) if realised[name] < self.k * (1 - TIE)]
        failing = swaps.table.filter(pl.col("attribute").is_in(names)).sort("realised_k")
        worst = min(realised.values())
        text = f"{self.describe()}: realised {worst:.3g} in the worst column"
        if names:
            listed = ", ".join(names)
            text = f"{self.describe()}: too few candidates were free in {listed}; realised {worst:.3g} at worst"
        columns = failing.select("attribute", "candidates_mean", "without_partner", "realised_k")
        return Finding(self, not names, worst, text, columns, n if names else 0, checked_on="run")

    def describe(self) -> str:
        return f"probabilistic {self.k}-anonymity"

    @property
    def title(self) -> str:
        return "Probabilistic k-anonymity"

    def explain(self, unit: Unit = RECORD) -> str:
        return f"The chance of linking a released value to the record it came from is at most 1 in {self.k:,}."

    @property
    def trivial(self) -> bool:
        return self.k <= 1
