"""k-anonymity (Samarati, Sweeney): nobody is alone with their quasi-identifiers.

This code shares nothing with the masking methods: it counts rows of the finished table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from ontomask.arguments import counted, did_you_mean, free_name
from ontomask.errors import DataError
from ontomask.privacy.classes import Classes, classes_of
from ontomask.privacy.models import Finding, Model
from ontomask.settings import K

if TYPE_CHECKING:
    import polars as pl


class KAnonymity(Model):
    """Every combination of quasi-identifiers that occurs, occurs in at least k records.

    A missing value is a value: it equals other missing values and nothing else.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [30, 30, 41], "job": ["nurse", "nurse", "pilot"]})
    >>> print(KAnonymity(k=2).check(frame, ["age", "job"]))
    FAILS: 2-anonymity: 1 of 2 classes has fewer than 2 records (1 record in all); the smallest has 1
    """

    name: Literal["k_anonymity"] = "k_anonymity"
    k: K

    def check_polars(self, data: pl.DataFrame, quasi: list[str], attributes: Mapping[str, Any]) -> Finding:
        absent = [name for name in quasi if name not in data.columns]
        if absent or not quasi:
            raise DataError(
                f"no column {absent[0]!r}" if absent else "k-anonymity over no columns",
                remedy=did_you_mean(absent[0] if absent else "", data.columns)
                + f"The data have: {', '.join(map(repr, data.columns[:30]))}.",
            )
        classes = classes_of(data, quasi)
        smallest, records = int(classes.sizes.min()), int(classes.sizes[classes.sizes < self.k].sum())
        small = self._violations(data, quasi, classes)
        text = f"{self.describe()}: {counted(len(classes), 'class', 'classes')}, the smallest of {counted(smallest, 'record')}"
        if len(small):
            text = (
                f"{self.describe()}: {len(small):,} of {counted(len(classes), 'class', 'classes')} "
                f"{'have' if len(small) != 1 else 'has'} fewer than {counted(self.k, 'record')} "
                f"({counted(records, 'record')} in all); the smallest has {smallest:,}"
            )
        return Finding(self, len(small) == 0, float(smallest), text, small, records)

    def _violations(self, data: pl.DataFrame, quasi: list[str], classes: Classes) -> pl.DataFrame:
        """The classes that are too small, the smallest first, with their sizes."""
        import polars as pl

        size = free_name("records", quasi)
        inside = pl.Series((classes.sizes < self.k)[classes.of])
        some = data.select(quasi).filter(inside).group_by(quasi).agg(pl.len().cast(pl.Int64).alias(size))
        return some.sort(size, *quasi, nulls_last=True)

    def require_enough(self, n: int) -> None:
        if self.k > n:
            raise DataError(
                f"{self.describe()} is required and there {'is' if n == 1 else 'are'} {counted(n, 'record')}",
                remedy="Nobody can hide among more people than there are: choose a smaller k.",
            )

    def describe(self) -> str:
        return f"{self.k}-anonymity"
