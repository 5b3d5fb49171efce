"""``Savable``: what a saved folder needs of a result, as a protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import polars as pl

from ontomask.masking.randomness import Secret
from ontomask.microdata.keys import Key
from ontomask.report.reportable import Reportable


class Savable(Reportable, Protocol):
    """A result with all that belongs into its folder beside the released data."""

    @property
    def secret(self) -> Secret: ...
    @property
    def key(self) -> Key | None: ...
    @property
    def satisfied(self) -> bool: ...
    @property
    def each(self) -> Sequence[Any]: ...
    @property
    def details(self) -> Mapping[str, pl.DataFrame]: ...
    @property
    def record_list(self) -> pl.DataFrame | None:
        """Which record of the input each released one was; None where that is not in memory."""
