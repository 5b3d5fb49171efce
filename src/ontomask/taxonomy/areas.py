"""Areas: a taxonomy of places and how many inhabitants each has, from a CSV of code, parent, population and label.

Every area has one area above it, or none. An inner area without a population has that of its parts together. An area never has
fewer inhabitants than one of its parts, so what may be released is the upper part of the tree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from ontomask.arrays import Longs
from ontomask.errors import DataError
from ontomask.files.source import Source
from ontomask.taxonomy.readers import edges, table
from ontomask.taxonomy.taxonomy import Taxonomy

#: Names the column of populations goes by.
POPULATION = ("population", "inhabitants", "residents", "people", "pop")
#: The areas that are built in, and those of 20,000 inhabitants or fewer in the census of 2020 (45 CFR 164.514(b)(2)(i)(B)).
ZIP3 = "us_zip3"
SMALL_ZIP3 = frozenset("036 059 102 202 203 204 205 369 556 692 753 772 821 823 878 879 884 893".split())
_ZIP = re.compile(r"([0-9]{3})(?:[0-9]{2}(?:-?[0-9]{4})?|[*xX]{2})?")
#: Tables that are kept in memory: a run asks for the same one several times.
_KEPT = 8


@dataclass(frozen=True, eq=False)
class Areas:
    """All areas of a table as a ``taxonomy``, and the ``populations`` of its concepts, by position."""

    taxonomy: Taxonomy
    populations: Longs
    where: str

    @staticmethod
    def read(path: str | Path) -> Areas:
        """The areas of a file, which is read again only if it changed."""
        file = Path(path)
        try:
            state = os.stat(file)
        except OSError:
            return _read(str(file), 0, 0)  # which says what is wrong with it
        return _read(str(file), state.st_mtime_ns, state.st_size)

    def shown(self, least: int) -> Longs:
        """The area that each area is shown as: itself, or the smallest above it that may be shown.

        An area of fewer than ``least`` inhabitants is shown as the area above it. Beside larger parts that are shown as
        they are, that name then stands for the small parts alone: "in 010, and not in 01002". Where these have fewer than
        ``least`` inhabitants together, the smallest of the larger parts is joined with them.
        """
        dag, populations = self.taxonomy.dag, self.populations
        if populations[dag.root] < least:
            raise DataError(
                f"all areas together have {int(populations[dag.root]):,} inhabitants, fewer than {least:,}",
                where=self.where,
                remedy="Complete the table, or choose a smaller least_population.",
            )
        joined = populations < least
        for area in np.flatnonzero(~joined).tolist():
            parts = dag.children.row(area)
            small = populations[parts] < least
            if small.any() and not small.all() and populations[parts[small]].sum() < least:
                large = parts[~small]
                joined[large[populations[large].argmin()]] = True
        found = np.arange(len(populations))
        for level in dag.levels[1:]:
            above = dag.parents.index[dag.parents.start[level]]
            hidden = joined[level] | (found[above] != above)
            found[level[hidden]] = found[above[hidden]]
        return found

    def show(self, texts: Iterable[str], least: int) -> dict[str, str]:
        """What each of these codes is shown as; those that the table does not have are left out."""
        codes, shown = self.taxonomy.concepts, self.shown(least)
        return {text: codes[shown[self.taxonomy.position(text)]] for text in texts if text in self.taxonomy}

    def released(self, least: int) -> Taxonomy:
        """The areas that may be shown, as a taxonomy of their own."""
        whole, dag = self.taxonomy, self.taxonomy.dag
        kept = np.flatnonzero(self.shown(least) == np.arange(len(whole)))
        if len(kept) == len(whole):
            return whole
        place = np.full(len(whole), -1)
        place[kept] = np.arange(len(kept))
        child, parent = dag.parents.gather(kept)
        codes = [whole.concepts[at] for at in kept.tolist()]
        return Taxonomy(
            codes,
            np.stack((child, place[parent]), axis=1),
            labels=[whole.label(code) for code in codes],
            name=whole.name,
            source=whole.source,
        )


class ZipAreas:
    """ZIP codes of the United States by their first three digits; 000 for areas of 20,000 inhabitants or fewer."""

    def show(self, texts: Iterable[str], least: int) -> dict[str, str]:
        """Of codes of five or nine digits the first three; shortened ones stay as they are."""
        found = {text: match[1] for text in texts if (match := _ZIP.fullmatch(text))}
        return {text: "000" if digits in SMALL_ZIP3 else digits for text, digits in found.items()}

    def released(self, least: int) -> Taxonomy:
        """Three digits below the first of them, which stands for several states."""
        areas = [f"{number:03d}" for number in range(1, 1000) if f"{number:03d}" not in SMALL_ZIP3]
        links = [("US", None), ("000", "US"), *((str(digit), "US") for digit in range(10))]
        return Taxonomy.from_edges([*links, *((area, area[0]) for area in areas)], name=ZIP3)


def areas_of(table: str) -> Areas | ZipAreas:
    """The areas of a file, or those that are built in."""
    return ZipAreas() if table == ZIP3 else Areas.read(table)


def has_populations(path: str | Path) -> bool:
    """Is it a CSV of areas, with a column of populations?"""
    file = Path(path)
    if file.suffix.lower() not in (".csv", ".tsv", ".txt") or not file.is_file():
        return False
    header = table.Rows(Source(file), None).first.cells
    return all(table.column(header, names) is not None for names in (table.CHILD, table.PARENT, POPULATION))


@lru_cache(maxsize=_KEPT)
def _read(path: str, _changed: int, _size: int) -> Areas:
    source = Source(Path(path))
    taxonomy = edges.read(source)
    several = np.flatnonzero(taxonomy.dag.parents.lengths() > 1)
    if len(several):
        raise source.error(
            f"the area {taxonomy.concepts[several[0]]!r} is in several others",
            remedy="Give every area one parent: else it is not known which one to show instead.",
        )
    populations = _completed(source, taxonomy, _populations(source, taxonomy))
    return Areas(taxonomy, populations, source.where)


def _populations(source: Source, taxonomy: Taxonomy) -> Longs:
    """As the rows say them; -1 where none is given."""
    rows = table.Rows(source, None)
    at_code = table.column(rows.first.cells, table.CHILD)
    at_population = table.column(rows.first.cells, POPULATION)
    if at_code is None or at_population is None:
        raise source.error(
            f"no column of populations among {', '.join(map(repr, rows.first.cells[:12]))}",
            line=rows.first.line,
            remedy="Call the columns code, parent, population and, if there are names, label.",
        )
    found = np.full(len(taxonomy), -1, dtype=np.int64)
    for line, cells in rows.below_header():
        text = cells[at_population]
        if text and not (text.isascii() and text.isdigit() and len(text) <= 18):
            raise source.error(
                f"the population {text!r} of {cells[at_code]!r} is not a whole number",
                line=line,
                remedy="Write numbers without points, commas and blanks.",
            )
        found[taxonomy.position(cells[at_code])] = int(text) if text else -1
    return found


def _completed(source: Source, taxonomy: Taxonomy, populations: Longs) -> Longs:
    """The same with sums where an inner area has none; an error where a part has more than the whole."""
    children = taxonomy.dag.children
    for area in taxonomy.dag.order[::-1].tolist():  # parts before what they are parts of
        parts = populations[children.row(area)]
        code = taxonomy.concepts[area]
        if populations[area] < 0 and not len(parts):
            raise source.error(f"the area {code!r} has no population", remedy="Add it, or remove the area.")
        if populations[area] < 0:
            populations[area] = parts.sum()
        elif len(parts) and parts.max() > populations[area]:
            part = taxonomy.concepts[children.row(area)[parts.argmax()]]
            raise source.error(
                f"the area {code!r} has {populations[area]:,} inhabitants, and {part!r} in it has {parts.max():,}",
                remedy="Correct one of them, or leave the larger area without a population: it is then the sum of its parts.",
            )
    populations.setflags(write=False)
    return populations
