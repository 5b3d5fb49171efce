"""Probabilistic k-anonymity (Soria-Comas & Domingo-Ferrer 2012): the original of a value is found with probability <= 1/k."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl
from pydantic import Field

from ontomask.arrays import TIE
from ontomask.privacy.k_anonymity import KAnonymity
from ontomask.privacy.models import Finding, Model
from ontomask.settings import Count

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
    """

    name: Literal["probabilistic_k_anonymity"] = "probabilistic_k_anonymity"
    k: Count = Field(
        kw_only=False, description="the mean probability of finding the original of a value is at most 1/k"
    )

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

    def check_columns_apart(self, table: Examined) -> Finding:
        """The finding on a run that swapped several columns, each by itself."""
        found = self.check_table(table)
        if found.holds:
            return found
        text = (
            f"{self.describe()} does not follow from swapping each column by itself: columns together may still show whose "
            "record it is (variant: multivariate swaps records; or judge the release by record linkage)"
        )
        return replace(found, text=text)

    def check_run(self, report: pl.DataFrame, n: int) -> Finding:
        """The finding on a run's own report: the mean chance of each column."""
        failing = report.filter(pl.col("realised_k") < self.k * (1 - TIE)).sort("realised_k")
        worst = float(np.min(report["realised_k"].to_numpy()))
        text = f"{self.describe()}: realised {worst:.3g} in the worst column"
        if len(failing):
            listed = ", ".join(failing["attribute"].to_list())
            text = f"{self.describe()}: too few candidates were free in {listed}; realised {worst:.3g} at worst"
        columns = failing.select("attribute", "candidates_mean", "without_partner", "realised_k")
        return Finding(self, not len(failing), worst, text, columns, n if len(failing) else 0, of_run=True)

    def describe(self) -> str:
        return f"probabilistic {self.k}-anonymity"

    @property
    def title(self) -> str:
        return "Probabilistic k-anonymity"

    def explain(self) -> str:
        return f"The chance of linking a released value to the record it came from is at most 1 in {self.k:,}."

    @property
    def trivial(self) -> bool:
        return self.k <= 1
