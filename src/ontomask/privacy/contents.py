"""Contents of a release: exactly the columns of its policy, with values that fit their kinds.

A file that passes every privacy model on its quasi-identifiers may still carry names in a column nobody listed. So these
checks are findings like those of the models.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from ontomask.arguments import counted, did_you_mean, some_of
from ontomask.errors import OntomaskError
from ontomask.hierarchies.levels import ANY
from ontomask.microdata.codes import factorize
from ontomask.microdata.item_lists import split_items
from ontomask.microdata.released_values import ReleasedValues, text_of
from ontomask.privacy.models import Finding, Model
from ontomask.wording import RECORD, Unit

if TYPE_CHECKING:
    from ontomask.hierarchies.levels import Hierarchy
    from ontomask.microdata.file_contents import ExtraContents
    from ontomask.privacy.examined import Examined


class ContentCheck(Model):
    """A check of what a release holds; it promises no privacy by itself."""

    counts: ClassVar[bool] = False
    remedy: ClassVar[str] = ""

    def sensitive_columns(self, attributes: Mapping[str, Any]) -> list[str]:
        """None: engines give each check the columns that it is about."""
        return []

    @property
    def trivial(self) -> bool:
        return False

    @property
    def protects(self) -> bool:
        return False

    def finding(self, text: str, wrong: pl.DataFrame, records: int, *, checked: bool = True) -> Finding:
        """Holds if nothing is wrong and all of it could be looked at."""
        holds = checked and not len(wrong)
        return Finding(self, holds, float(len(wrong)), text, wrong, records, checked, open_text=self.describe())


class FileCheck(ContentCheck):
    """A check of a file or a folder, which cannot be made on a table."""

    def finding(self, text: str, wrong: pl.DataFrame, records: int, *, checked: bool = True) -> Finding:
        return replace(super().finding(text, wrong, records, checked=checked), checked_on="file")

    def check_table(self, table: Examined, reference: Examined | None = None) -> Finding:
        return self.finding(f"{self.describe()}: cannot be seen in a table", _columns([]), 0, checked=False)


class ListedColumns(ContentCheck):
    """Every column of the data is one that the policy lists."""

    name: Literal["listed_columns"] = "listed_columns"

    def check_table(self, table: Examined, reference: Examined | None = None) -> Finding:
        others = [name for name in table.data.columns if name not in table.attributes]
        text = "every column is listed in the policy"
        if others:
            text = f"columns that the policy does not list: {some_of([repr(name) for name in others])}"
        return self.finding(text, _columns(others), len(table) if others else 0)

    def describe(self) -> str:
        return "only columns that the policy lists"

    @property
    def title(self) -> str:
        return "Only listed columns"

    def explain(self, unit: Unit = RECORD) -> str:
        return "Every column of the release is one that the policy lists."


class PolicyColumns(ContentCheck):
    """Every column that the policy keeps is in the data."""

    name: Literal["policy_columns"] = "policy_columns"

    def check_table(self, table: Examined, reference: Examined | None = None) -> Finding:
        data, attributes = table.data, table.attributes
        absent = [name for name, a in attributes.items() if a.released and name not in data.columns]
        text = "every column of the policy is in the data"
        if absent:
            near = did_you_mean(absent[0], [name for name in data.columns if name not in attributes])
            shown = some_of([repr(name) for name in absent])
            text = f"columns of the policy that the data do not have: {shown}. {near}".rstrip(". ")
        return self.finding(text, _columns(absent), len(data) if absent else 0)

    def describe(self) -> str:
        return "all columns of the policy"

    @property
    def title(self) -> str:
        return "All columns of the policy"

    def explain(self, unit: Unit = RECORD) -> str:
        return "Every column that the policy keeps is in the release."


class FittingValues(ContentCheck):
    """Values fit the kind of their column.

    Masked and sensitive nominal columns hold concepts of their taxonomy, or spellings that the mapping places; numeric
    columns numbers or intervals; ordinal ones values of their order or ranges of them. What a generalization shows
    besides fits as well: labels of a levels file, masked characters, ``*``.
    """

    name: Literal["fitting_values"] = "fitting_values"
    hierarchies: dict[str, Any] = Field(default_factory=dict)

    def check_table(self, table: Examined, reference: Examined | None = None) -> Finding:
        found: list[tuple[str, str, int]] = []
        sentences: list[str] = []
        unseen: list[str] = []
        failing = np.zeros(len(table), dtype=np.bool_)
        for name in table.data.columns:
            attribute = table.attributes.get(name)
            if attribute is None or attribute.role == "identifier":  # NoIdentifiers looks at those
                continue
            try:
                odd = _odd(table, name, self.hierarchies.get(name))
            except OntomaskError as problem:
                unseen.append(f"{name} ({problem.what})")
                continue
            if odd:
                inside = _rows_with(table.data[name], odd, attribute.separator)
                failing |= inside
                sentences.append(_told(name, attribute, len(odd), table.units.records(inside)))
                found += [(name, value, count) for value, count in odd.most_common()]
        schema = {"column": pl.String, "value": pl.String, "records": pl.Int64}
        wrong = pl.DataFrame(found, schema=schema, orient="row")
        text = "; ".join(sentences) or "values fit their columns"
        if unseen:
            text = f"values were not checked: {', '.join(unseen)}" + (f"; {text}" if sentences else "")
        return self.finding(text, wrong, table.units.records(failing), checked=bool(sentences) or not unseen)

    def describe(self) -> str:
        return "values that fit their columns"

    @property
    def title(self) -> str:
        return "Values fit their columns"

    def explain(self, unit: Unit = RECORD) -> str:
        return "Nominal columns hold concepts of their taxonomy, numeric ones numbers or intervals."


class WholeFile(FileCheck):
    """A file holds the table that was read from it, cell by cell, and nothing else."""

    name: Literal["whole_file"] = "whole_file"

    def check_file(self, found: ExtraContents, quasi: Sequence[str]) -> list[Finding]:
        """What else the file holds: what can be read fails, what could not be looked into was not checked."""
        unclear = [f"{name!r}: {why}" for name, why in found.blurred.items() if name in quasi]
        sentences = []
        if found.tables:
            sentences.append(f"the file holds more than the table that was verified: {some_of(found.tables)}")
        if found.parts:
            sentences.append(f"parts of the file were not checked: {some_of(found.parts)}")
        if unclear:
            sentences.append(f"cells differ that were read as one value ({some_of(unclear)}): classes may be smaller")
        if not sentences:
            return []
        wrong = pl.DataFrame({"beside the table": found.tables}, schema={"beside the table": pl.String})
        return [self.finding("; ".join(sentences), wrong, 0, checked=bool(found.tables))]

    def describe(self) -> str:
        return "nothing beside the table"

    @property
    def title(self) -> str:
        return "Nothing beside the table"

    def explain(self, unit: Unit = RECORD) -> str:
        return "The file holds the released table and nothing else."


def _columns(names: list[str]) -> pl.DataFrame:
    return pl.DataFrame({"column": pl.Series(names, dtype=pl.String)})


def _told(name: str, attribute: Any, values: int, records: int) -> str:
    """How many values, or items of sets, do not fit, without showing one."""
    noun = "value" if attribute.separator is None else "item"
    return f"{counted(values, noun)} of {name!r} ({counted(records, 'record')}) {attribute.misfit[values > 1]}"


def _rows_with(values: pl.Series, odd: Collection[str], separator: str | None) -> NDArray[np.bool_]:
    """Which rows have one of the texts that do not fit, or an item that does not."""
    codes, distinct = factorize(values)
    wrong = []
    for value in distinct.to_list():
        texts = set() if value is None else {text_of(value), text_of(value, codes=True), str(value).strip()}
        items = set() if separator is None else {item for text in texts for item in split_items(text, separator)}
        wrong.append(not (texts | items).isdisjoint(odd))
    return np.array(wrong, dtype=np.bool_)[codes]


def _odd(table: Examined, name: str, hierarchy: Hierarchy | None) -> Counter[str]:
    """The values of a column that do not fit, with their records."""
    values, attribute = table.data[name], table.attributes[name]
    if values.dtype == pl.Null:
        return Counter()
    odd: Counter[str] = attribute.odd(
        ReleasedValues(values, _shown_by(hierarchy), partial(table.meanings.match, name, attribute))
    )
    return odd


def _shown_by(hierarchy: Hierarchy | None) -> Callable[[str], bool]:
    """Tells whether a hierarchy can show a text."""
    shows = None if hierarchy is None else hierarchy.shows()
    return lambda text: (shows is not None and shows(text)) or text == ANY


class NoIdentifiers(ContentCheck):
    """No column that the policy calls an identifier is in the data, but for those that hold pseudonyms and nothing else.

    Every policy that names an identifier requires it.
    """

    name: Literal["no_identifiers"] = "no_identifiers"

    def check_table(self, table: Examined, reference: Examined | None = None) -> Finding:
        there = {name: a for name, a in table.attributes.items() if a.role == "identifier" and name in table.data}
        left = [name for name, a in there.items() if not a.released]
        raw = [name for name, a in there.items() if a.released and _odd(table, name, None)]
        kept = [name for name, a in there.items() if a.released]
        failed = [f"identifiers are still in the data: {', '.join(left)}"] if left else []
        failed += [f"values are left that are not pseudonyms: {', '.join(raw)}"] if raw else []
        text = "; ".join(failed) or "no identifier of the policy is in the data"
        if kept and not failed:
            text += f", but for pseudonyms: {', '.join(kept)}"
        wrong = _columns([*left, *raw])
        return Finding(self, not failed, float(len(wrong)), text, wrong, len(table) if failed else 0, open_text=text)

    def describe(self) -> str:
        return "no identifiers"

    @property
    def title(self) -> str:
        return "No identifiers"

    def explain(self, unit: Unit = RECORD) -> str:
        return "No column that the policy calls an identifier is in the release, unless it holds pseudonyms only."
