"""Identifiers, which name a person directly, must not be in a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ontomask.privacy.contents import ContentCheck
from ontomask.privacy.models import Finding

if TYPE_CHECKING:
    from ontomask.privacy.examined import Examined


class NoIdentifiers(ContentCheck):
    """No column that the policy calls an identifier is in the data. Every policy that names one requires it."""

    name: Literal["no_identifiers"] = "no_identifiers"

    def check_table(self, table: Examined, reference: Examined | None = None) -> Finding:
        import polars as pl

        left = [name for name, a in table.attributes.items() if a.role == "identifier" and name in table.data]
        text = (
            f"identifiers are still in the data: {', '.join(left)}"
            if left
            else "no identifier of the policy is in the data"
        )
        columns = pl.DataFrame({"column": pl.Series(left, dtype=pl.String)})
        return Finding(self, not left, float(len(left)), text, columns, len(table) if left else 0, open_text=text)

    def describe(self) -> str:
        return "no identifiers"

    @property
    def title(self) -> str:
        return "No identifiers"

    def explain(self) -> str:
        return "No column that the policy calls an identifier is in the release."
