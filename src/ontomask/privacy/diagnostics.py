"""What a method measured of its own run: tables for the steward, of a type for each kind of measurement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from ontomask.arguments import free_name


@dataclass(frozen=True, eq=False)
class Diagnostics:
    """``table``: the measurements. The subclasses say what a row is."""

    table: pl.DataFrame

    @staticmethod
    def of_releases(each: Sequence[Diagnostics | None]) -> Diagnostics | None:
        """The diagnostics of several releases as one, with the number of the release in the first column."""
        known = [one for one in each if one is not None]
        if not known:
            return None
        tables = [one.table.clone() for one in known]
        numbered = [
            table.insert_column(0, pl.Series(free_name("release", table.columns), [number] * len(table)))
            for number, table in enumerate(tables, 1)
        ]
        return replace(known[0], table=pl.concat(numbered))


class Changes(Diagnostics):
    """A row for each masked column: the share of values that changed, and how far."""

    @property
    def unchanged(self) -> list[str]:
        """Columns that came out as they went in."""
        return self.table.filter(pl.col("changed") == 0)["attribute"].to_list()


@dataclass(frozen=True, eq=False)
class Swaps(Changes):
    """A row for each column whose values were exchanged: the candidates that were free, and the k they amount to.

    ``apart``: was each of several columns swapped by itself? Then the candidates of a value say nothing about a record.
    """

    apart: bool = False

    @property
    def realised_k(self) -> dict[str, float]:
        """By column: 1 / the mean chance of finding the original of a value among the candidates (R17 3.5)."""
        return dict(self.table.select("attribute", "realised_k").iter_rows())


class Nodes(Diagnostics):
    """A row for each node of a lattice of levels: the level of each column, the loss, and whether the node was taken."""


class Losses(Diagnostics):
    """A row for each generalized column: its loss."""
