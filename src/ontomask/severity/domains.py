"""Domains of columns, cut into cells: values of one cell are in the same sets.

A cell is a concept of a taxonomy, a text that some set lists, or a point or an open interval between thresholds. So a
set is an array of truth values over the cells of its column, and how many sets can hold one value at once is a maximum
over cells: exact, over the definition, whatever a table holds. The last two cells of every column are the missing value
and a value elsewhere, that no set covers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import counted, some_of
from ontomask.errors import DataError
from ontomask.microdata.spelling import fold_text, says_nothing
from ontomask.severity.definition import CodedColumn, LiteralColumn, NumberColumn, Selection, as_bound
from ontomask.taxonomy.matching import match_counts
from ontomask.taxonomy.taxonomy import Taxonomy

Cells = NDArray[np.int64]
Mask = NDArray[np.bool_]
Unknown = Literal["error", "zero"]
#: Takes the key that is wrong, its place in the key's list if it has one, and what is wrong with it.
Report = Callable[[str, int | None, str], None]


class Domain:
    """The cells of one column."""

    #: Is a cell one value, so that cells can be counted?
    countable = True
    #: Keys of a selection that cannot be meant, and what is said of them; ``threshold`` stands for all of these.
    refused: ClassVar[dict[str, str]]

    def __init__(self, name: str, own: int) -> None:
        self.name = name
        self.size = own + 2
        self.missing = own
        self.elsewhere = own + 1

    def mark(self, chosen: Selection, report: Report) -> Mask:
        """The cells that a selection selects; what it cannot mean is reported."""
        mask = np.zeros(self.size, dtype=np.bool_)
        mask[self.missing] = chosen.missing
        given = dict.fromkeys(chosen.thresholds, "threshold")
        given |= {key: key for key in ("ranges", "branches") if getattr(chosen, key)}
        for key, kind in given.items():
            if kind in self.refused:
                report(key, None, self.refused[kind].format(name=self.name, key=key))
        self._mark(mask, chosen, report)
        return mask

    def _mark(self, mask: Mask, chosen: Selection, report: Report) -> None:
        raise NotImplementedError

    def place(self, name: str, distinct: pl.Series, unknown: Unknown) -> Cells:
        """The cell of each value of a column called ``name``."""
        raise NotImplementedError

    def bare_parents(self, chosen: Selection) -> list[str]:
        """Concepts listed alone that have others below them: perhaps a branch was meant."""
        return []

    def shown(self, distinct: pl.Series, cells: Cells, inside: Mask) -> list[str | None]:
        """The values as a reader would name them; None for a missing one. ``inside``: sets by cells."""
        texts: list[str | None] = distinct.cast(pl.String).to_list()
        return [None if cell == self.missing else text for text, cell in zip(texts, cells.tolist(), strict=True)]

    def label(self, cell: int) -> str | None:
        """What a value means, where it is a code."""
        return None

    def cell_texts(self, inside: Mask) -> list[str | None]:
        """The values of each cell, as a reader would name them."""
        raise NotImplementedError


class ConceptDomain(Domain):
    """One cell for each concept of the taxonomy."""

    refused: ClassVar = {
        "threshold": "a threshold on {name!r}, whose values are concepts, not numbers: give values, ranges or branches; "
        "a column of numbers has the kind numeric"
    }

    def __init__(self, name: str, column: CodedColumn, used: Iterable[Selection]) -> None:
        self.attribute = column.attribute
        self.taxonomy: Taxonomy = self.attribute.load()
        # A mapping to concepts that do not exist is an error of the definition, not of the data.
        match_counts(Counter(), self.taxonomy, self.attribute.mapping, self.attribute.language)
        super().__init__(name, len(self.taxonomy))
        leaves = np.flatnonzero(self.taxonomy.dag.leaves)
        self._rank = np.full(len(self.taxonomy), -1, dtype=np.int64)  # of each leaf in the taxonomy's order
        self._rank[leaves] = np.arange(len(leaves))

    def _mark(self, mask: Mask, chosen: Selection, report: Report) -> None:
        concepts = mask[: self.missing]
        for place, value in enumerate(chosen.values):
            at = self._find(value, partial(report, "values", place))
            if at is not None:
                concepts[at] = True
        for place, value in enumerate(chosen.branches):
            at = self._find(value, partial(report, "branches", place))
            if at is not None:
                concepts |= self.taxonomy.dag.mark_descendants(np.array([at]))
        for place, text in enumerate(chosen.ranges):
            found = self._range(text, partial(report, "ranges", place))
            if found is not None:
                concepts |= found

    def bare_parents(self, chosen: Selection) -> list[str]:
        alone = []
        for value in chosen.values:
            at = self._find(value, lambda _: None)
            if at is not None and not self.taxonomy.dag.leaves[at]:
                alone.append(f"{value} ({counted(int(self.taxonomy.dag.descendant_counts[at]), 'concept')} below it)")
        return alone

    def _find(self, value: Any, refuse: Callable[[str], None]) -> int | None:
        """The position of a concept given by code or, if that is clear, by label."""
        if isinstance(value, float):
            refuse(f"{value} is a number: codes are text, write '{value}' in quotes as in the taxonomy")
            return None
        text = str(value)
        at = self.taxonomy.find(text)
        if at is not None:
            return at
        matching = match_counts(Counter([text]), self.taxonomy, None, self.attribute.language)
        if matching.rows and matching.rows[0].how != "leading zeros" and not matching.rows[0].others:
            return self.taxonomy.position(matching.rows[0].concept)
        if matching.rows and matching.rows[0].others:
            row = matching.rows[0]
            refuse(f"{text!r} may mean {', '.join([row.concept, *row.others[:4]])}: give the code of the one you mean")
        else:
            refuse(self._unknown(text))
        return None

    def _unknown(self, text: str) -> str:
        near = "; ".join(s.text for s in self.taxonomy.lexicon.suggest(text, 3))
        return f"no concept {text!r} in {self.taxonomy.name or 'the taxonomy'}. " + (
            f"Near it: {near}" if near else "Nothing is near it: look it up with the taxonomy's search('...')"
        )

    def _range(self, text: str, refuse: Callable[[str], None]) -> Mask | None:
        """All concepts whose leaves lie between those of two codes, in the order of the taxonomy."""
        folded = text.replace("\N{EN DASH}", "-")
        cuts = [i for i, sign in enumerate(folded) if sign == "-" and 0 < i < len(folded) - 1]
        pairs = [(self._code(folded[:cut]), self._code(folded[cut + 1 :])) for cut in cuts]
        found = [(first, last) for first, last in pairs if first is not None and last is not None]
        if not found:
            ends = [folded[: cuts[len(cuts) // 2]], folded[cuts[len(cuts) // 2] + 1 :]] if cuts else []
            unknown = [end.strip() for end in ends if self._code(end) is None]
            refuse(
                f"the range {text!r}: " + "; ".join(map(self._unknown, unknown))
                if unknown
                else f"{text!r} is not a range: write it as first-last, such as C16-C18"
            )
            return None
        if len(found) > 1:
            refuse(f"the range {text!r} can be cut in several places: list the branches instead")
            return None
        first, last = (self._span(at) for at in found[0])
        if first is None or last is None:
            refuse(f"the codes of this taxonomy have no order that the range {text!r} could follow: list branches")
            return None
        if first[0] > last[0] or first[1] > last[1]:
            names = [self.taxonomy.concepts[at] for at in found[0]]
            turned = first[0] > last[0] and first[1] > last[1]
            hint = f"write {names[1]}-{names[0]}" if turned else "one is part of the other: list the branch"
            refuse(f"the range {text!r} is not in order: {names[0]} does not come before {names[1]}; {hint}")
            return None
        inside = (self._rank >= first[0]) & (self._rank <= last[1])
        # A concept above leaves is in the range when all of them are: no block that reaches beyond it.
        dag = self.taxonomy.dag
        held = np.rint(dag.descendant_sums(inside.astype(np.float64)))
        whole: Mask = held == np.where(dag.leaves, 1, dag.leaf_counts)
        return whole

    def _code(self, text: str) -> int | None:
        return self.taxonomy.find(text.strip())

    def _span(self, at: int) -> tuple[int, int] | None:
        """The first and the last leaf of a branch, if there are no others between them."""
        ranks = self._rank[self.taxonomy.dag.mark_descendants(np.array([at])) & (self._rank >= 0)]
        low, high = int(ranks.min()), int(ranks.max())
        return (low, high) if high - low + 1 == len(ranks) else None

    def place(self, name: str, distinct: pl.Series, unknown: Unknown) -> Cells:
        texts = [None if value is None else str(value) for value in distinct.to_list()]
        tally: Counter[str] = Counter(text for text in texts if text is not None)
        numbers = tally if distinct.dtype.is_numeric() else ()
        attribute = self.attribute
        matching = match_counts(tally, self.taxonomy, attribute.mapping, attribute.language, numbers)
        silent = {text for text in tally if text not in matching.concepts and says_nothing(text)}
        if silent:  # NA, unknown and the like, unless they are concepts: missing values
            texts = [None if text in silent else text for text in texts]
            tally = Counter(text for text in texts if text is not None)
            matching = match_counts(tally, self.taxonomy, attribute.mapping, attribute.language, numbers and tally)
        if unknown == "error":
            matching.require_all(name)
        at = {text: self.taxonomy.position(concept) for text, concept in matching.concepts.items()}
        cells = [self.missing if text is None else at.get(text, self.elsewhere) for text in texts]
        return np.array(cells, dtype=np.int64)

    def label(self, cell: int) -> str | None:
        return self.taxonomy.label(self.taxonomy.concepts[cell]) if cell < self.missing else None

    def cell_texts(self, inside: Mask) -> list[str | None]:
        return [*self.taxonomy.concepts, None, None]


class LiteralDomain(Domain):
    """One cell for each text that some set lists; spellings of one text (case, blanks, Unicode form) are one.

    NA, unknown and the like are missing values, unless a set lists them.
    """

    refused: ClassVar = {
        "threshold": "a threshold on {name!r}, which holds text: a column of numbers has the kind numeric"
    } | dict.fromkeys(
        ("ranges", "branches"),
        "{name!r} has no taxonomy, so it has no {key}: list values, or give the column a taxonomy",
    )

    def __init__(self, name: str, column: LiteralColumn, used: Iterable[Selection]) -> None:
        self._texts: dict[str, str] = {}
        for text in (str(value) for chosen in used for value in chosen.values):
            self._texts.setdefault(fold_text(text), text)
        self._cell = {folded: i for i, folded in enumerate(self._texts)}
        super().__init__(name, len(self._cell))

    def _place(self, text: str | None) -> int:
        cell = None if text is None else self._cell.get(fold_text(text))
        if cell is not None:
            return cell
        return self.missing if text is None or says_nothing(text) else self.elsewhere

    def _mark(self, mask: Mask, chosen: Selection, report: Report) -> None:
        mask[[self._cell[fold_text(str(value))] for value in chosen.values]] = True

    def place(self, name: str, distinct: pl.Series, unknown: Unknown) -> Cells:
        if distinct.dtype.is_numeric():
            by_number = {float(text): cell for text, cell in self._cell.items() if _is_number(text)}
            given: list[Any] = distinct.cast(pl.Float64).fill_nan(None).to_list()
            cells = [self.missing if v is None else by_number.get(v, self.elsewhere) for v in given]
        else:
            cells = [self._place(text) for text in distinct.cast(pl.String).to_list()]
        return np.array(cells, dtype=np.int64)

    def cell_texts(self, inside: Mask) -> list[str | None]:
        return [*self._texts.values(), None, None]


class NumberDomain(Domain):
    """With thresholds t1 < t2 < ...: below t1, t1 itself, between t1 and t2, t2 itself, ..."""

    countable = False
    refused: ClassVar = dict.fromkeys(
        ("ranges", "branches"), "{name!r} is a column of numbers: give above, at_least, below, at_most, between"
    )

    def __init__(self, name: str, column: NumberColumn, used: Iterable[Selection]) -> None:
        bounds: set[float] = set()
        for chosen in used:
            bounds.update(getattr(chosen, key) for key in chosen.thresholds if key != "between")
            bounds.update(chosen.between or ())
            bounds.update(float(value) for value in chosen.values if _is_number(value))
        self._bounds = np.array(sorted(bounds), dtype=np.float64)
        super().__init__(name, 2 * len(self._bounds) + 1)

    def _cells(self, numbers: NDArray[np.float64]) -> Cells:
        """Below the first threshold is cell 0, the first threshold is cell 1, and so on."""
        low, high = (np.searchsorted(self._bounds, numbers, side=side) for side in ("left", "right"))
        return (low + high).astype(np.int64)

    def _mark(self, mask: Mask, chosen: Selection, report: Report) -> None:
        for place, value in enumerate(chosen.values):
            try:
                mask[self._cells(np.array([as_bound(value)]))] = True
            except ValueError:
                report("values", place, f"{value!r} is not a number and {self.name!r} is a column of numbers")
        if not chosen.thresholds:
            return
        first, last = 0, self.missing - 1

        def cell(bound: float) -> int:
            return int(self._cells(np.array([bound]))[0])

        low, high = chosen.between or (None, None)
        for bound, step in ((chosen.at_least, 0), (low, 0), (chosen.above, 1)):
            first = first if bound is None else max(first, cell(bound) + step)
        for bound, step in ((chosen.at_most, 0), (high, 0), (chosen.below, 1)):
            last = last if bound is None else min(last, cell(bound) - step)
        if first > last:
            report(chosen.thresholds[0], None, f"no number is {chosen.interval}: the set is empty")
        mask[first : last + 1] = True

    def place(self, name: str, distinct: pl.Series, unknown: Unknown) -> Cells:
        if distinct.dtype != pl.Null and not distinct.dtype.is_numeric():
            text = distinct.dtype in (pl.String, pl.Categorical, pl.Enum)
            given = [repr(v) for v in distinct.drop_nulls().head(3).to_list()]
            raise DataError(
                f"has thresholds and holds {'text' if text else distinct.dtype}: {some_of(given, 3)}",
                where=f"column {name!r}",
                remedy="Convert it to numbers first, such as days, or correct the values that are not numbers.",
            )
        numbers = distinct.cast(pl.Float64).fill_null(math.nan).to_numpy()
        return np.where(np.isnan(numbers), self.missing, self._cells(numbers))

    def shown(self, distinct: pl.Series, cells: Cells, inside: Mask) -> list[str | None]:
        """Intervals of numbers that are in the same sets: nobody reads a list of all lengths of stay."""
        texts = self.cell_texts(inside)
        return [texts[cell] for cell in cells.tolist()]

    def cell_texts(self, inside: Mask) -> list[str | None]:
        """The interval around each cell in which every number is in the same sets."""
        own = inside[:, : self.missing]
        begins = np.flatnonzero(np.concatenate(([True], (own[:, 1:] != own[:, :-1]).any(axis=0))))
        ends = np.append(begins[1:], self.missing) - 1
        texts: list[str | None] = []
        for first, last in zip(begins.tolist(), ends.tolist(), strict=True):
            texts += [self._interval(first, last)] * (last - first + 1)
        return [*texts, None, None]

    def _interval(self, first: int, last: int) -> str:
        """Cells in words: odd ones are thresholds, even ones lie between."""
        if first == last and first % 2:
            return f"{self._bounds[first // 2]:.15g}"
        low = high = ""
        if first:
            low = f"{'>=' if first % 2 else '>'} {self._bounds[(first - 1) // 2]:.15g}"
        if last < self.missing - 1:
            high = f"{'<=' if last % 2 else '<'} {self._bounds[last // 2]:.15g}"
        return " and ".join(part for part in (low, high) if part) or "any number"


def _is_number(value: Any) -> bool:
    try:
        as_bound(value)
    except ValueError:
        return False
    return True


#: By the kind of a column, what makes the cells that the selections used on it tell apart.
DOMAINS: dict[str, Callable[[str, Any, Iterable[Selection]], Domain]] = {
    "nominal": ConceptDomain,
    "flat": LiteralDomain,
    "numeric": NumberDomain,
}
