"""Place columns: areas with populations, released only as areas that enough people live in.

A place is a nominal column whose taxonomy is the part of its table that is large enough. So no method can show a smaller area:
values are raised before masking, and what methods compare, average and generalize has no others.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import polars as pl
from pydantic import BeforeValidator, Field, model_validator

from ontomask.arguments import counted, short, some_of
from ontomask.arrays import Longs
from ontomask.distances.measures import get_measure
from ontomask.errors import DataError
from ontomask.files.named_files import NamesFile
from ontomask.hierarchies.levels import ANY
from ontomask.kinds.flat import Flat
from ontomask.kinds.nominal import VECTORS_FILE, Nominal
from ontomask.microdata.attributes import ConceptAttribute
from ontomask.microdata.columns import Coded, Codes
from ontomask.microdata.released_values import ReleasedValues, text_of
from ontomask.settings import Count, plain, validated
from ontomask.statements import Statement, note
from ontomask.taxonomy.areas import ZIP3, areas_of
from ontomask.taxonomy.taxonomy import Taxonomy

#: How many inhabitants an area has that may be released, where a policy does not say otherwise.
LEAST = 20_000


def _path(table: Any) -> Any:
    if isinstance(table, Path):
        return str(table)
    if not isinstance(table, str) or not table:
        raise ValueError(f"{short(repr(table), 40)} is not a file: give a CSV of code, parent, population and label")
    return table


class _AreaConcepts(Nominal):
    """A place as its column holds it: concepts, of the areas that a release may show."""

    kind: Literal["place"] = "place"  # type: ignore[assignment]


class Place(ConceptAttribute):
    """Codes of areas, such as postal codes, of which small ones are replaced by the larger area they are in.

    Notes
    -----
    Whatever the role and the method, a release shows an area only if it has at least ``least_population`` inhabitants; a
    smaller one becomes the first area above it that has. If what is then left of that area, without the parts that are
    shown as they are, has fewer, the smallest of these parts is joined with it. Codes are compared as texts: 01001 is not
    1001. ``us_zip3`` shortens ZIP codes to three digits, and to 000 in the eighteen areas that are too small. The default,
    20,000, is the bound of the HIPAA safe harbor rule for ZIP codes (45 CFR 164.514(b)(2)(i)(B)).

    Examples
    --------
    >>> import ontomask as om
    >>> om.Place("areas.csv", least_population=50_000)
    Place(table='areas.csv', least_population=50000)
    """

    kind: Literal["place"] = "place"
    in_words: ClassVar[str] = "areas with their populations"
    table: Annotated[str, BeforeValidator(_path), NamesFile("areas", known=lambda: (ZIP3,))] = Field(
        kw_only=False,
        description="the areas: a CSV of code, parent, population and, if there are names, label; or us_zip3",
    )
    least_population: Count = Field(
        default=LEAST, description="an area with fewer inhabitants is replaced by the area above it that has as many"
    )
    measure: str = Field(default="logsc", description="the semantic distance between two areas; see docs/measures")
    options: Annotated[dict[str, Any], BeforeValidator(plain), VECTORS_FILE] = Field(
        default_factory=dict, description="options of the measure"
    )
    #: Codes are taken as they are, and nothing else is matched.
    mapping: ClassVar[None] = None
    language: ClassVar[None] = None
    scope: ClassVar[str] = "taxonomy"

    @model_validator(mode="after")
    def _complete(self) -> Place:
        get_measure(self.measure).resolve_options(self.options)
        if self.table == ZIP3 and self.least_population != LEAST:
            raise ValueError(f"{ZIP3} tells which areas have more than {LEAST:,} inhabitants, and knows no other bound")
        return self

    @property
    def misfit(self) -> tuple[str, str]:
        what = "of its table that may be released"
        return f"is not an area {what}", f"are not areas {what}"

    @property
    def named_taxonomy(self) -> str:
        return self.table

    def same_taxonomy(self, other: Any) -> bool:
        return bool(self.table == other.table and self.least_population == other.least_population)

    def without_meaning(self) -> Place:
        settings = {name: getattr(self, name) for name in type(self).model_fields if name != "kind"}
        made: Place = validated(_AreaLabels, settings)
        return made

    def load(self) -> Taxonomy:
        """The areas that a release may show."""
        return areas_of(self.table).released(self.least_population)

    @property
    def converts(self) -> bool:
        return True

    @property
    def coded_as(self) -> str | None:
        if self.table == ZIP3:
            return "ZIP codes of three digits"
        return f"larger areas where there are fewer than {self.least_population:,} inhabitants"

    def read(self, name: str, values: pl.Series, rows: Longs | None) -> tuple[pl.Series, Counter[str]]:
        """The areas that a release may show in place of the values, and the records of those that are too small."""
        texts = _texts(values)
        every = texts.unique(maintain_order=True).drop_nulls().to_list()
        raised = areas_of(self.table).show(every, self.least_population)
        unknown = [text for text in every if text not in raised]
        if unknown:
            records = int(texts.is_in(unknown).sum())
            raise DataError(
                f"holds {counted(len(unknown), 'value')} ({counted(records, 'record')}) that "
                f"{'is' if len(unknown) == 1 else 'are'} not in {Path(self.table).name}: "
                f"{some_of([short(repr(text), 40) for text in unknown])}",
                where=f"column {name!r}",
                remedy="Correct them, add them to the table of areas, or name them in missing_markers. Codes are compared as "
                "texts: one that lost its leading zeros is another one.",
            )
        large = texts.replace_strict(raised, return_dtype=pl.String) if texts.null_count() < len(texts) else texts
        return large, Counter(texts.filter((large != texts).fill_null(False)).to_list())

    def noted(self, name: str, tally: Counter[str]) -> list[Statement]:
        if not tally:
            return []
        number, records = len(tally), tally.total()
        if self.table == ZIP3:
            areas = f"areas of {LEAST:,} inhabitants or fewer are 000"
            text = f"{name}: ZIP codes were shortened to three digits in {counted(records, 'record')}; {areas}"
            return [note(f"{text}; loss is measured from there", name)]
        text = (
            f"{name}: {counted(number, 'area')} {'was' if number == 1 else 'were'} replaced by larger ones before masking, in "
            f"{counted(records, 'record')}: alone, or as what is left of the larger one, fewer than {self.least_population:,} "
            "inhabitants; loss is measured from there"
        )
        return [note(text, name)]

    def checked(self, name: str, values: pl.Series, rows: Longs | None) -> pl.Series:
        return self.read(name, values, rows)[0]

    def odd(self, released: ReleasedValues) -> Counter[str]:
        """What is not the code of an area that may be released, in every role."""
        areas, texts = self.load(), Counter(_texts(released.values).drop_nulls().to_list())
        return Counter({text: count for text, count in texts.items() if text not in areas and text != ANY})

    def error_in_words(self, error: str) -> str:
        return f"The root mean square distance from the original area is {error} (0: the same)."

    def column(
        self,
        name: str,
        codes: Codes,
        distinct: pl.Series,
        counts: Longs,
        missing: int | None,
        notes: list[Statement],
        rows: Longs | None,
    ) -> Coded:
        concepts = _AreaConcepts(
            taxonomy=self.load(),
            role=self.role,
            missing=self.missing,
            weight=self.weight,
            measure=self.measure,
            options=self.options,
            language=None,
            style="code",
        )
        return concepts.column(name, codes, distinct, counts, missing, notes, rows)


class _AreaLabels(Place):
    """The same areas, equal or not and nothing else: what methods are compared with."""

    kind: Literal["flat"] = "flat"  # type: ignore[assignment]

    @property
    def named_taxonomy(self) -> None:  # type: ignore[override]
        return None

    @property
    def measured_by(self) -> None:
        return None

    def column(self, name: str, *encoded: Any) -> Coded:
        labels = Flat(role=self.role, missing=self.missing, weight=self.weight)
        return labels.column(name, *encoded)


def _texts(values: pl.Series) -> pl.Series:
    """The values as codes are written; blanks around them do not count."""
    if values.dtype.is_float():
        written = [None if value is None else text_of(value) for value in values.fill_nan(None).to_list()]
        values = pl.Series(values.name, written, dtype=pl.String)
    texts = values.cast(pl.String).str.strip_chars()
    return texts.set(texts == "", None)
