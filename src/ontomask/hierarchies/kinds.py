"""The hierarchies a policy can name: levels of a taxonomy, a file of levels, intervals, texts masked by position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, model_validator

from ontomask.arguments import counted, short, some_of
from ontomask.arrays import TIE, Floats
from ontomask.errors import DataError
from ontomask.files.source import Source
from ontomask.hierarchies.levels import ANY, ANY_LEVEL, ColumnLevels, Level, make_level, own_values
from ontomask.kinds.nominal import NominalColumn
from ontomask.kinds.numeric import NumericColumn
from ontomask.kinds.ordinal import OrdinalColumn
from ontomask.microdata.columns import Column
from ontomask.settings import Settings, number, whole_number
from ontomask.taxonomy.dag import Dag
from ontomask.taxonomy.readers.levels import read_rows
from ontomask.taxonomy.taxonomy import Taxonomy


class Hierarchy(Settings):
    """How the values of a column are generalized, level by level; the last level always joins all of them."""

    kind: str
    #: Do its levels climb a taxonomy, any concept of which may stand for what is below it?
    free: ClassVar[bool] = False

    def column_levels(self, column: Column) -> ColumnLevels:
        """The levels of a column."""
        levels: list[Level] = [self.own(column)]
        for level in self.build_levels(column):
            _require_nested(column, levels[-1], level)
            levels.append(level)  # also where it joins nothing in these data: levels keep their numbers
        if len(levels[-1]) > 1 or not levels[-1].top:
            levels.append(any_value(column))
        return ColumnLevels(column, tuple(levels), self.free)

    def own(self, column: Column) -> Level:
        """Level 0."""
        return own_values(column)

    def build_levels(self, column: Column) -> list[Level]:
        raise NotImplementedError

    def _refuse(self, column: Column, what: str, wanted: str) -> DataError:
        return DataError(f"{what} does not fit its kind", where=column.where, remedy=f"Use it on a {wanted} column.")


def any_value(column: Column) -> Level:
    """The level at which all values are one: there also where the data hold a single value, which it hides."""
    texts = [ANY] * len(column)
    return make_level(column, ANY_LEVEL, texts, [1.0] * len(column), spans=_whole(column), top=True)


def _require_nested(column: Column, lower: Level, upper: Level) -> None:
    joined = {int(g): int(u) for g, u in zip(lower.group, upper.group, strict=True)}
    for code, (g, u) in enumerate(zip(lower.group.tolist(), upper.group.tolist(), strict=True)):
        if joined[g] != u:
            raise DataError(
                f"level {upper.name!r} tells apart what level {lower.name!r} joins: {short(repr(column.values[code]), 40)}",
                where=column.where,
                remedy="Each level must join whole groups of the level before it.",
            )


def _whole(column: Column) -> Any:
    if not isinstance(column, NumericColumn):
        return None
    known = column.numbers[~np.isnan(column.numbers)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    return [(low, high)] * len(column)


class TaxonomyLevels(Hierarchy):
    """The concepts above each value in its taxonomy.

    Notes
    -----
    ``cut="depth"``: level i shows the ancestor at most so deep that i levels are gone from the deepest value up;
    ``cut="height"``: the lowest ancestor that has at least i levels below it. A level takes each value to one concept: of
    several parents the deepest counts, by height the one with the fewest levels below it; the first of equals. Groups of
    local generalization are not bound to levels: they show their lowest common subsumer, whichever parents lead to it.
    """

    kind: Literal["taxonomy"] = "taxonomy"
    free: ClassVar[bool] = True
    cut: Literal["depth", "height"] = Field(
        default="depth", description="count levels from the root, or from the leaves"
    )

    def own(self, column: Column) -> Level:
        """The values themselves; one that is an inner concept covers all below it, whatever level shows it."""
        if not isinstance(column, NominalColumn):
            return own_values(column)
        leaves = np.maximum(column.taxonomy.dag.leaf_counts, 1)
        domain = max(int(leaves[column.taxonomy.dag.root]) - 1, 1)
        penalty = np.where(column.concepts >= 0, (leaves[column.concepts] - 1) / domain, 0.0)
        return replace(own_values(column), penalty=penalty)

    def build_levels(self, column: Column) -> list[Level]:
        if not isinstance(column, NominalColumn):
            raise self._refuse(column, "a hierarchy of taxonomy levels", "nominal")
        dag = column.taxonomy.dag
        at = column.concepts.copy()
        known = at >= 0
        leaves = np.maximum(dag.leaf_counts, 1)
        domain = max(int(leaves[dag.root]) - 1, 1)
        if self.cut == "depth":
            limits = range(int(dag.depth[at[known]].max(initial=1)) - 1, 0, -1)
        else:
            limits = range(2, int(dag.height[dag.root]) + 1)
        levels = []
        for limit in limits:
            while True:
                low = known & ((dag.depth[at] > limit) if self.cut == "depth" else (dag.height[at] < limit))
                low &= at != dag.root
                if not low.any():
                    break
                at[low] = dag.first_parents(at[low]) if self.cut == "depth" else _lowest_parents(dag, at[low])
            spelled = {int(c): column.spell(int(c)) for c in np.unique(at[known])}
            shown = [spelled.get(int(c)) for c in at]
            penalty = np.where(known, (leaves[at] - 1) / domain, 0.0)
            all_at_root = bool((at[known] == dag.root).all())
            name, keys = f"{self.cut} {limit}", at.tolist()
            levels.append(make_level(column, name, shown, penalty, concepts=at.copy(), keys=keys, top=all_at_root))
        return levels


def _lowest_parents(dag: Dag, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The parent of each concept with the fewest levels below it; then the deepest, then the first in order."""
    place, parent = dag.parents.gather(nodes)
    by = np.lexsort((parent, -dag.depth[parent], dag.height[parent], place))
    lowest = np.full(len(nodes), -1, dtype=np.int64)
    lowest[place[by][::-1]] = parent[by][::-1]
    return lowest


class LevelsFile(Hierarchy):
    """A file with a row for each value: value;level 1;level 2;...;top (as ARX writes it)."""

    kind: Literal["levels"] = "levels"
    path: str = Field(kw_only=False, description="the file, one row for each value: value;level 1;...;top")
    delimiter: str | None = Field(default=None, description="what separates the levels, where it is not found out")
    header: bool = Field(default=False, description="the first row names the levels")

    def build_levels(self, column: Column) -> list[Level]:
        from pathlib import Path

        rows = {
            cells[0]: cells
            for _, cells in read_rows(Source(Path(self.path)), delimiter=self.delimiter, header=self.header)
        }
        texts = [as_text(value) for value in column.values.to_list()]
        first = next(iter(rows), "")
        if first.strip().casefold() == column.name.strip().casefold() and first not in texts:
            raise DataError(
                f"the first row of the hierarchy begins with the name of the column, {first!r}",
                where=column.where,
                remedy="If it names the levels, say header: true; it would count as a value.",
            )
        unknown = sorted({text for text in texts if text is not None and text not in rows})
        if unknown:
            raise DataError(
                f"the hierarchy does not have {counted(len(unknown), 'value')} of the column: "
                f"{some_of([short(repr(text), 40) for text in unknown], most=20)}",
                where=column.where,
                remedy=f"Add them to {Path(self.path).name}, each with its levels.",
            )
        depth = len(next(iter(rows.values())))
        domain = max(len(rows) - 1, 1)
        levels = []
        for level in range(1, depth):
            members: dict[str, list[str]] = {}
            for value, cells in rows.items():
                members.setdefault(cells[level], []).append(value)
            labels = [None if text is None else rows[text][level] for text in texts]
            penalty = [0.0 if label is None else (len(members[label]) - 1) / domain for label in labels]
            spans = _spans(labels, members) if isinstance(column, NumericColumn) else None
            concepts = _concepts(column, labels, members) if isinstance(column, NominalColumn) else None
            top = len(members) == 1
            levels.append(
                make_level(column, f"level {level}", labels, penalty, spans=spans, concepts=concepts, top=top)
            )
        return levels


def _concepts(column: NominalColumn, labels: Sequence[str | None], members: dict[str, list[str]]) -> NDArray[np.int64]:
    """What each label of a level means: the concept of that name above its values, else what subsumes them all."""
    dag, taxonomy = column.taxonomy.dag, column.taxonomy
    own = dict(zip((as_text(v) for v in column.values.to_list()), column.concepts.tolist(), strict=True))
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


def _spans(labels: Sequence[str | None], members: dict[str, list[str]]) -> list[tuple[float, float]]:
    """The numbers each code's group reaches over, by the values of the file."""
    found: dict[str | None, tuple[float, float]] = {None: (np.nan, np.nan)}
    for label in labels:
        if label not in found:
            numbers = [float(value) for value in members[str(label)] if _is_number(value)]
            found[label] = (min(numbers), max(numbers)) if numbers else (np.nan, np.nan)
    return [found[label] for label in labels]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


Bound = Annotated[float, BeforeValidator(number)]


class Intervals(Hierarchy):
    """Numbers, or ranks of an ordinal column, in intervals that widen.

    Notes
    -----
    Given by ``levels``: for each level a list of cut points, or of intervals [low, high). Or built: of ``width`` at
    level 1 (a round number if not given), ``factor`` times as wide at each further one, from ``origin`` on.
    """

    kind: Literal["intervals"] = "intervals"
    levels: list[list[Any]] | None = Field(
        default=None, description="for each level cut points [0, 18, 65, 120], or intervals [[0, 18], [18, 65]]"
    )
    width: Annotated[Bound, Field(gt=0)] | None = Field(default=None, description="built: how wide level 1 is")
    factor: Annotated[int, BeforeValidator(whole_number), Field(ge=2)] = Field(
        default=2, description="built: how many intervals of a level join at the next"
    )
    origin: Bound = Field(default=0.0, description="built: where an interval begins")

    @model_validator(mode="after")
    def _given_or_built(self) -> Intervals:
        if self.levels is None:
            return self
        if self.width is not None:
            raise ValueError("give levels, or width to have them built, and not both")
        if not self.levels:
            raise ValueError("levels are given and there are none")
        for place, level in enumerate(self.levels, 1):
            _bounds(level, f"level {place}")
        return self

    def build_levels(self, column: Column) -> list[Level]:
        if isinstance(column, NumericColumn):
            at = column.numbers
        elif isinstance(column, OrdinalColumn):
            at = np.where(column.ranks < 0, np.nan, column.ranks.astype(np.float64))
        else:
            raise self._refuse(column, "a hierarchy of intervals", "numeric or ordinal")
        known = at[~np.isnan(at)]
        if not len(known):
            return []
        extent = float(known.max() - known.min())
        if self.levels is None:
            return self._built(column, at, extent)
        levels = []
        for place, level in enumerate(self.levels, 1):
            bounds = _bounds(level, "")
            inside = _places(column, at, bounds, place)
            spans = [bounds[i] if i >= 0 else None for i in inside]
            closed = bounds[-1] if (at == bounds[-1][1]).any() else None  # its end is shown only where it is needed
            levels.append(_interval_level(column, f"level {place}", spans, extent, closed, top=len(bounds) == 1))
        return levels

    def _built(self, column: Column, at: Floats, extent: float) -> list[Level]:
        """Intervals that begin at the origin and its multiples; those on both sides of it join last, in `any`."""
        whole = isinstance(column, OrdinalColumn) or column.values.dtype.is_integer()
        width = self.width or max(_round_width(extent / 16), 1.0 if whole else 0.0)
        steps = (at - self.origin) / width
        # What is a whole number of widths but for rounding is one.
        near = np.abs(steps - np.round(steps)) <= TIE * np.maximum(np.abs(steps), 1.0)
        cell = np.where(np.isnan(at), 0.0, np.where(near, np.round(steps), np.floor(steps)))
        levels: list[Level] = []
        join = 1
        while True:
            group = np.floor(cell / join)
            low = self.origin + group * join * width
            high = self.origin + (group + 1) * join * width
            spans = [None if np.isnan(x) else (float(a), float(b)) for x, a, b in zip(at, low, high, strict=True)]
            levels.append(_interval_level(column, f"width {width * join:.15g}", spans, extent))
            left = np.unique(group[~np.isnan(at)])
            if len(left) == 1 or left.tolist() == [-1.0, 0.0]:
                return levels
            join *= self.factor


def _places(column: Column, at: Floats, bounds: list[tuple[float, float]], place: int) -> NDArray[np.int64]:
    """The interval of each code; -1 for missing."""
    begins, ends = np.array([b for b, _ in bounds]), np.array([e for _, e in bounds])
    inside = np.searchsorted(begins, at, side="right") - 1
    missing = np.isnan(at)
    upper = ends[np.clip(inside, 0, None)]
    # The last number of the last interval belongs to it; elsewhere an upper end is the next interval's.
    outside = ~missing & ((inside < 0) | (at > upper) | ((at == upper) & (inside < len(bounds) - 1)))
    if outside.any():
        shown = some_of([short(repr(column.values[int(i)]), 40) for i in np.flatnonzero(outside)])
        raise DataError(
            f"the intervals of level {place} do not have {counted(int(outside.sum()), 'value')} of the column: {shown}",
            where=column.where,
            remedy="Let the intervals reach over all values.",
        )
    return np.where(missing, -1, inside)


def _interval_level(
    column: Column,
    name: str,
    spans: Sequence[tuple[float, float] | None],
    extent: float,
    closed: tuple[float, float] | None = None,
    *,
    top: bool = False,
) -> Level:
    """A level of intervals, given for each code; the ``closed`` one holds its upper end as well."""
    texts: dict[Any, str | None] = {None: None}
    for span in dict.fromkeys(spans):
        if span is not None:
            ranked = isinstance(column, OrdinalColumn)
            texts[span] = _ranks(column, *span, span == closed) if ranked else _interval(column, *span, span == closed)
    part = [0.0 if span is None else _part(column, *span, extent, span == closed) for span in spans]
    known = [(np.nan, np.nan) if span is None else span for span in spans]
    return make_level(column, name, [texts[span] for span in spans], part, spans=known, top=top)


def _part(column: Column, low: float, high: float, extent: float, closed: bool) -> float:
    """What an interval covers: of the range; of ranks, those it holds less one over all less one."""
    if isinstance(column, OrdinalColumn):
        last = min(np.floor(high) if closed else np.ceil(high) - 1, column.levels - 1)
        return float(last - max(np.ceil(low), 0)) / max(column.levels - 1, 1)
    return min((high - low) / extent, 1.0) if extent > 0 else 1.0


def _bounds(level: Sequence[Any], where: str) -> list[tuple[float, float]]:
    """The intervals of a level, in order, none over another."""
    lead = f"{where}: " if where else ""
    if not level:
        raise ValueError(f"{lead}no intervals")
    if all(isinstance(part, (list, tuple)) for part in level):
        if any(len(part) != 2 for part in level):
            raise ValueError(f"{lead}an interval is a pair [low, high]")
        pairs = [(float(number(a)), float(number(b))) for a, b in level]
    else:
        cuts = [float(number(cut)) for cut in level]
        if len(cuts) < 2:
            raise ValueError(f"{lead}one cut point makes no interval: give at least two")
        pairs = list(pairwise(cuts))
    for low, high in pairs:
        if not low < high:
            raise ValueError(f"{lead}the interval from {low:g} to {high:g} is empty: give ends in ascending order")
    for (a, b), (c, d) in pairwise(sorted(pairs)):
        if c < b:
            raise ValueError(f"{lead}the intervals {a:g} to {b:g} and {c:g} to {d:g} overlap")
    return sorted(pairs)


def _round_width(width: float) -> float:
    """The next of 1, 2, 5, 10, 20, 50, ..."""
    if width <= 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(width))
    return float(next(step * power for step in (1, 2, 5, 10) if step * power >= width * (1 - 1e-9)))


def _interval(column: Column, low: float, high: float, closed: bool) -> str:
    if column.values.dtype.is_integer() and low.is_integer() and high.is_integer():
        last = int(high) if closed else int(high) - 1
        return f"{int(low)}-{last}" if last > low else f"{int(low)}"
    return f"[{low:.15g}, {high:.15g}{']' if closed else ')'}"


def _ranks(column: Any, low: float, high: float, closed: bool) -> str:
    """An interval of ranks by the first and last value in it."""
    inside = np.flatnonzero((column.ranks >= low) & ((column.ranks <= high) if closed else (column.ranks < high)))
    ends = sorted(inside, key=lambda code: column.ranks[code])
    first, last = column.values[int(ends[0])], column.values[int(ends[-1])]
    return str(first) if len(ends) == 1 else f"{first} - {last}"


class MaskedText(Hierarchy):
    """Texts whose characters are masked one after the other, such as zip codes: 37185, 3718*, 371**, ..."""

    kind: Literal["masked_text"] = "masked_text"
    side: Literal["right", "left"] = Field(default="right", description="where masking begins")
    character: str = Field(default="*", min_length=1, max_length=1, description="what stands for a masked character")

    def build_levels(self, column: Column) -> list[Level]:
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

    def _masked(self, text: str, masked: int) -> str:
        masked = min(masked, len(text))
        kept = len(text) - masked
        if self.side == "right":
            return text[:kept] + self.character * masked
        return self.character * masked + text[masked:]


AnyHierarchy = Annotated[TaxonomyLevels | LevelsFile | Intervals | MaskedText, Field(discriminator="kind")]


def default_hierarchy(column: Column) -> Hierarchy | None:
    """Where a policy names none: the taxonomy of a nominal column, intervals of numbers and ranks; flat: none."""
    if isinstance(column, NominalColumn):
        return TaxonomyLevels()
    if isinstance(column, NumericColumn):
        return Intervals()
    if isinstance(column, OrdinalColumn):
        return Intervals(width=2)
    return None


def levels_of(column: Column, hierarchy: Hierarchy | None) -> ColumnLevels:
    """The levels of a column: of the hierarchy chosen for it, or the default of its kind."""
    chosen = hierarchy or default_hierarchy(column)
    if chosen is not None:
        return chosen.column_levels(column)
    return ColumnLevels(column, (own_values(column), any_value(column)))
