"""``LevelsFile``: levels from a file, one row for each value, as ARX writes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ontomask.arguments import counted, short, some_of
from ontomask.errors import DataError
from ontomask.files.named_files import NamesFile
from ontomask.files.source import Source
from ontomask.hierarchies.levels import Hierarchy, Level, make_level
from ontomask.microdata.columns import Column, Line, Meaning
from ontomask.taxonomy.readers.levels import read_rows
from ontomask.taxonomy.taxonomy import Taxonomy


class LevelsFile(Hierarchy):
    """A file with a row for each value: value;level 1;level 2;...;top (as ARX writes it).

    Examples
    --------
    >>> import ontomask as om
    >>> om.LevelsFile("ages.csv", header=True)
    LevelsFile(path='ages.csv', header=True)
    """

    kind: Literal["levels"] = "levels"
    path: Annotated[str, NamesFile("levels")] = Field(
        kw_only=False, description="the file, one row for each value: value;level 1;...;top"
    )
    delimiter: str | None = Field(default=None, description="the delimiter of the levels; not given: detected")
    header: bool = Field(default=False, description="the first row names the levels")

    def build_levels(self, column: Column) -> list[Level]:
        rows = {
            cells[0]: cells
            for _, cells in read_rows(Source(Path(self.path)), delimiter=self.delimiter, header=self.header)
        }
        shown = [as_text(column.attribute.shown(value)) for value in column.values.to_list()]
        written = {column.attribute.cell(text): text for text in rows}  # 30 and 30.0, a day in another form
        texts = [text if text is None or text in rows else written.get(text, text) for text in shown]
        first = next(iter(rows), "")
        if first.strip().casefold() == column.name.strip().casefold() and first not in texts:
            raise DataError(
                f"the first row of the hierarchy begins with the name of the column, {first!r}",
                where=column.where,
                remedy="If it names the levels, set header: true; otherwise it counts as a value.",
            )
        unknown = sorted({text for text in texts if text is not None and text not in rows})
        if unknown:
            raise DataError(
                f"the hierarchy does not have {counted(len(unknown), 'value')} of the column: "
                f"{some_of([short(repr(text), 40) for text in unknown], most=20)}",
                where=column.where,
                remedy=f"Add them to {Path(self.path).name}, each with its levels.",
            )
        depth, meaning = len(next(iter(rows.values()))), column.meaning
        domain, line = max(len(rows) - 1, 1), column.line if column.continuous else None
        levels = []
        for level in range(1, depth):
            members: dict[str, list[str]] = {}
            for value, cells in rows.items():
                members.setdefault(cells[level], []).append(value)
            labels = [None if text is None else rows[text][level] for text in texts]
            penalty = [0.0 if label is None else (len(members[label]) - 1) / domain for label in labels]
            spans = None if line is None else _spans(column.where, line, labels, members)
            concepts = None if meaning is None else _concepts(column, meaning, labels, members)
            top = len(members) == 1
            levels.append(
                make_level(column, f"level {level}", labels, penalty, spans=spans, concepts=concepts, top=top)
            )
        return levels

    def shows(self) -> Callable[[str], bool]:
        """Any cell of the file."""

        @cache
        def cells() -> set[str]:  # the file is read only where a text is asked for
            rows = read_rows(Source(Path(self.path)), delimiter=self.delimiter, header=self.header)
            return {cell for _, row in rows for cell in row}

        return lambda text: text in cells()


def _concepts(
    column: Column, meaning: Meaning, labels: Sequence[str | None], members: dict[str, list[str]]
) -> NDArray[np.int64]:
    """What each label of a level means: the concept of that name above its values, else what subsumes them all."""
    dag, taxonomy = meaning.taxonomy.dag, meaning.taxonomy
    own = dict(zip((as_text(v) for v in column.values.to_list()), meaning.concepts.tolist(), strict=True))
    found: dict[str | None, int] = {None: -1}
    for label in dict.fromkeys(labels):
        if label is None:
            continue
        known = [own.get(value, -1) if value in own else _found(taxonomy, value) for value in members[label]]
        below = np.array([c for c in known if c >= 0], dtype=np.int64)
        common = dag.common_subsumer(below)
        named = _found(taxonomy, label)
        if named >= 0 and dag.mark_ancestors(np.array([common]))[named]:
            found[label] = named
        elif members[label] != [label] and len(below) == 1 and common != dag.root:
            found[label] = int(dag.first_parents(np.array([common]))[0])  # a generalized value is not itself any more
        else:
            found[label] = int(common)
    return np.array([found[label] for label in labels], dtype=np.int64)


def _found(taxonomy: Taxonomy, name: str) -> int:
    place = taxonomy.find(name)
    return -1 if place is None else int(place)


def as_text(value: Any) -> str | None:
    """A value as a file of levels writes it."""
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _spans(
    where: str, line: Line, labels: Sequence[str | None], members: dict[str, list[str]]
) -> list[tuple[float, float]]:
    """The positions each code's group reaches over, by the values of the file; what has no position is not looked at."""
    found: dict[str | None, tuple[float, float]] = {None: (np.nan, np.nan)}
    for label in labels:
        if label not in found:
            places = [place for value in members[str(label)] if (place := line.position_of(value)) is not None]
            if not places:
                raise DataError(
                    f"no value below {short(repr(label), 40)} of the hierarchy has a position",
                    where=where,
                    remedy="Write values in the file as the column has them.",
                )
            found[label] = (min(places), max(places))
    return [found[label] for label in labels]
