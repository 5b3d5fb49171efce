"""What every privacy model gives: a finding, in figures and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ontomask.arguments import as_values
from ontomask.settings import Settings

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Finding:
    """Whether a model holds, and what stands against it.

    ``worst`` is the figure of the worst class; ``violations`` is a frame of the classes that fail, the worst first,
    with their values and sizes; ``records`` counts the records in them.
    """

    model: Model
    holds: bool
    worst: float
    text: str
    violations: pl.DataFrame
    records: int

    def __str__(self) -> str:
        return f"{'holds' if self.holds else 'FAILS'}: {self.text}"


class Model(Settings):
    """A property a table can have."""

    name: str

    def check(self, data: Any, quasi: Sequence[str], attributes: Mapping[str, Any] | None = None) -> Finding:
        """Look at a frame (pandas, Polars or PyArrow) whose quasi-identifiers are the columns ``quasi``."""
        from ontomask.microdata.frames import take

        names = as_values(quasi, "quasi-identifiers")
        return self.check_polars(take(data).data, list(dict.fromkeys(names)), attributes or {})

    def check_polars(self, data: pl.DataFrame, quasi: list[str], attributes: Mapping[str, Any]) -> Finding:
        raise NotImplementedError

    def require_enough(self, n: int) -> None:
        """An error if no table of n records can satisfy the model."""

    def describe(self) -> str:
        """The model in a few words."""
        raise NotImplementedError
