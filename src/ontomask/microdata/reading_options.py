"""Reading options of a data file that the user sets; everything else is detected."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator

from ontomask.arguments import is_text_encoding, short
from ontomask.microdata.formats import Format
from ontomask.microdata.missing_markers import MarkerList
from ontomask.settings import Settings

#: Ways to write a delimiter that no shell lets through easily.
_DELIMITERS = {"tab": "\t", "\\t": "\t"}


class Reading(Settings):
    """How the file of the original data is to be read. What is not given is detected.

    Examples
    --------
    >>> import ontomask as om
    >>> om.Reading(missing=["NA", "?"], delimiter=";", text=["zip"]).given
    {'missing': ['NA', '?'], 'delimiter': ';', 'text': ['zip']}
    """

    missing: MarkerList = Field(
        default_factory=list, description="markers of missing values in all columns, such as NA"
    )
    delimiter: str | None = Field(default=None, description="the delimiter of a CSV")
    encoding: str | None = Field(default=None, description="of a text file: utf-8, cp1252, ...")
    decimal: Literal[".", ","] | None = Field(default=None, description="the decimal mark of a CSV")
    sheet: str | int | None = Field(default=None, description="of an Excel file: its name, or its number from 1")
    text: list[str] = Field(default_factory=list, description="columns that hold text even if it looks like numbers")

    @field_validator("text", mode="before")
    @classmethod
    def _names(cls, text: Any) -> Any:
        return [text] if isinstance(text, str) else list(text) if isinstance(text, (tuple, set, frozenset)) else text

    @field_validator("delimiter")
    @classmethod
    def _one_sign(cls, delimiter: str | None) -> str | None:
        if delimiter is None:
            return None
        delimiter = _DELIMITERS.get(delimiter.lower(), delimiter)
        if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '\r\n"':
            raise ValueError(f"{short(repr(delimiter), 40)}: give one character, such as ';', or tab")
        return delimiter

    @field_validator("encoding")
    @classmethod
    def _known(cls, encoding: str | None) -> str | None:
        if encoding is not None and not is_text_encoding(encoding):
            raise ValueError(f"unknown encoding {short(repr(encoding), 40)}: try utf-8, cp1252 or latin-1")
        return encoding

    @field_validator("sheet", mode="before")
    @classmethod
    def _sheet(cls, sheet: Any) -> Any:
        if isinstance(sheet, bool) or (isinstance(sheet, int) and sheet < 1) or sheet == "":
            raise ValueError(f"{sheet!r}: give the name of a sheet, or its number from 1")
        return sheet

    @property
    def given(self) -> dict[str, Any]:
        """The options that say something."""
        return {name: value for name in type(self).model_fields if (value := getattr(self, name))}

    def of_release(self) -> Reading:
        """What also holds for a release, which is a file of its own: its missing markers and text columns."""
        return Reading(missing=self.missing, text=self.text)

    def for_format(self, format: Format) -> tuple[dict[str, Any], list[str]]:
        """The options that files of a format have use for, and the names of those that say nothing for it."""
        takes = format.takes
        return {n: v for n, v in self.given.items() if n in takes}, [n for n in self.given if n not in takes]
