"""The hierarchies a policy can name, texts masked by position among them, and the levels that they give a column."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from ontomask.arguments import counted
from ontomask.errors import DataError
from ontomask.hierarchies.calendar import Calendar
from ontomask.hierarchies.intervals import Intervals
from ontomask.hierarchies.levels import ColumnLevels, Hierarchy, Level, any_value, make_level, own_values
from ontomask.hierarchies.levels_file import LevelsFile
from ontomask.hierarchies.taxonomy_levels import TaxonomyLevels
from ontomask.microdata.columns import Column
from ontomask.settings import either


class MaskedText(Hierarchy):
    """Texts whose characters are masked one after the other, such as zip codes: 37185, 3718*, 371**, ...

    Examples
    --------
    >>> import ontomask as om
    >>> om.MaskedText(side="right")
    MaskedText(side='right')
    """

    kind: Literal["masked_text"] = "masked_text"
    side: Literal["right", "left"] = Field(default="right", description="where masking begins")
    character: str = Field(
        default="*", min_length=1, max_length=1, description="the character that replaces a masked one"
    )

    def build_levels(self, column: Column) -> list[Level]:
        if column.attribute.shows_codes(column.values):
            raise DataError(
                "top and bottom codes have no characters to mask",
                where=column.where,
                remedy="Use Intervals, or leave out the codes.",
            )
        texts = [None if value is None else str(value) for value in column.values.to_list()]
        longest = max((len(text) for text in texts if text is not None), default=0)
        levels = []
        domain = max(len({text for text in texts if text is not None}) - 1, 1)
        for masked in range(1, longest):
            labels = [None if text is None else self._masked(text, masked) for text in texts]
            sizes = {label: labels.count(label) for label in set(labels)}
            penalty = [0.0 if label is None else (sizes[label] - 1) / domain for label in labels]
            levels.append(make_level(column, f"{counted(masked, 'character')} masked", labels, penalty))
        return levels

    def shows(self) -> Callable[[str], bool]:
        """Any text with a masked character at its side."""
        if self.side == "right":
            return lambda text: text.endswith(self.character)
        return lambda text: text.startswith(self.character)

    def _masked(self, text: str, masked: int) -> str:
        masked = min(masked, len(text))
        kept = len(text) - masked
        if self.side == "right":
            return text[:kept] + self.character * masked
        return self.character * masked + text[masked:]


#: Every hierarchy that a policy file can name.
HIERARCHIES: tuple[type[Hierarchy], ...] = (TaxonomyLevels, LevelsFile, Intervals, MaskedText, Calendar)
if TYPE_CHECKING:
    AnyHierarchy = Hierarchy
else:
    AnyHierarchy = either(Hierarchy, HIERARCHIES, "kind")


def levels_of(column: Column, hierarchy: Hierarchy | None) -> ColumnLevels:
    """The levels of a column: of the hierarchy chosen for it, or the default of its kind."""
    chosen: Hierarchy | None = hierarchy or column.attribute.hierarchy
    if chosen is not None:
        return chosen.column_levels(column)
    return ColumnLevels(column, (own_values(column), any_value(column)))
