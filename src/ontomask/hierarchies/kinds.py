"""The hierarchies a policy can name: levels of a taxonomy, a file of levels, intervals, texts masked by position."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from ontomask.arguments import counted, short, some_of
from ontomask.errors import DataError
from ontomask.hierarchies.ladder import Ladder, Rung, make_rung, own_values
from ontomask.microdata.columns import Column, Floats, NominalColumn, NumericColumn, OrdinalColumn
from ontomask.settings import Settings, number, whole_number
from ontomask.taxonomy.readers.levels import read_rows
from ontomask.taxonomy.readers.source import Source

#: What stands for all values.
ANY = "*"


class Hierarchy(Settings):
    """How the values of a column are generalized, level by level; the last level always joins all of them."""

    kind: str

    def ladder(self, column: Column) -> Ladder:
        """The levels of a column."""
        rungs: list[Rung] = [own_values(column)]
        for rung in self.rungs(column):
            if len(rung) < len(rungs[-1]) or len(rungs) == 1:
                _require_nested(column, rungs[-1], rung)
            if len(rung) < len(rungs[-1]):  # a level that joins nothing is none
                rungs.append(rung)
        if len(rungs[-1]) > 1:
            rungs.append(make_rung(column, "any", [ANY] * len(column), [1.0] * len(column), spans=_whole(column)))
        return Ladder(column, tuple(rungs))

    def rungs(self, column: Column) -> list[Rung]:
        raise NotImplementedError

    def _refuse(self, column: Column, what: str, wanted: str) -> DataError:
        return DataError(f"{what} does not fit its kind", where=column.where, remedy=f"Use it on a {wanted} column.")


def _require_nested(column: Column, lower: Rung, upper: Rung) -> None:
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

    ``cut="depth"``: level i shows the ancestor at most so deep that i levels are gone from the deepest value up;
    ``cut="height"``: the lowest ancestor that has at least i levels below it. Of several parents the deepest counts.
    """

    kind: Literal["taxonomy"] = "taxonomy"
    cut: Literal["depth", "height"] = Field(
        default="depth", description="count levels from the root, or from the leaves"
    )

    def rungs(self, column: Column) -> list[Rung]:
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
        rungs = []
        for limit in limits:
            while True:
                low = known & ((dag.depth[at] > limit) if self.cut == "depth" else (dag.height[at] < limit))
                low &= at != dag.root
                if not low.any():
                    break
                at[low] = dag.first_parents(at[low])
            spelled = {int(c): column.spell(int(c)) for c in np.unique(at[known])}
            shown = [spelled.get(int(c)) for c in at]
            penalty = np.where(known, (leaves[at] - 1) / domain, 0.0)
            rung = make_rung(column, f"{self.cut} {limit}", shown, penalty, concepts=at.copy())
            rungs.append(rung)
            if len(rung) == 1:
                break
        return rungs


class LevelsFile(Hierarchy):
    """A file with a row for each value: value;level 1;level 2;...;top (as ARX writes it)."""

    kind: Literal["levels"] = "levels"
    path: str = Field(description="the file, one row for each value: value;level 1;...;top")
    delimiter: str | None = Field(default=None, description="what separates the levels, where it is not found out")
    header: bool = Field(default=False, description="the first row names the levels")

    def rungs(self, column: Column) -> list[Rung]:
        from pathlib import Path

        rows = {
            cells[0]: cells
            for _, cells in read_rows(Source(Path(self.path)), delimiter=self.delimiter, header=self.header)
        }
        texts = [_as_text(value) for value in column.values.to_list()]
        unknown = [text for text in texts if text is not None and text not in rows]
        if unknown:
            raise DataError(
                f"the hierarchy does not have {counted(len(unknown), 'value')} of the column: "
                f"{some_of([short(repr(text), 40) for text in unknown])}",
                where=column.where,
                remedy=f"Add them to {Path(self.path).name}, each with its levels.",
            )
        depth = len(next(iter(rows.values())))
        domain = max(len(rows) - 1, 1)
        rungs = []
        for level in range(1, depth):
            members: dict[str, list[str]] = {}
            for value, cells in rows.items():
                members.setdefault(cells[level], []).append(value)
            labels = [None if text is None else rows[text][level] for text in texts]
            penalty = [0.0 if label is None else (len(members[label]) - 1) / domain for label in labels]
            spans = _spans(labels, members) if isinstance(column, NumericColumn) else None
            rungs.append(make_rung(column, f"level {level}", labels, penalty, spans=spans))
        return rungs


def _as_text(value: Any) -> str | None:
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

    def rungs(self, column: Column) -> list[Rung]:
        if isinstance(column, NumericColumn):
            at = column.numbers
        elif isinstance(column, OrdinalColumn):
            at = np.where(column.ranks < 0, np.nan, column.ranks.astype(np.float64))
        else:
            raise self._refuse(column, "a hierarchy of intervals", "numeric or ordinal")
        known = at[~np.isnan(at)]
        if not len(known):
            return []
        low, high = float(known.min()), float(known.max())
        levels = [_bounds(level, "") for level in self.levels] if self.levels is not None else self._built(low, high)
        return [self._rung(column, at, place, bounds, high - low) for place, bounds in enumerate(levels, 1)]

    def _built(self, low: float, high: float) -> list[list[tuple[float, float]]]:
        width = self.width or _round_width((high - low) / 16)
        levels = []
        while True:
            begin = self.origin + np.floor((low - self.origin) / width) * width
            count = int(np.floor((high - begin) / width)) + 1
            levels.append([(begin + i * width, begin + (i + 1) * width) for i in range(count)])
            if count == 1:
                return levels
            width *= self.factor

    def _rung(self, column: Column, at: Floats, place: int, bounds: list[tuple[float, float]], extent: float) -> Rung:
        begins, ends = np.array([b for b, _ in bounds]), np.array([e for _, e in bounds])
        inside = np.searchsorted(begins, at, side="right") - 1
        missing = np.isnan(at)
        outside = ~missing & ((inside < 0) | (at > ends[np.clip(inside, 0, None)]))
        # The last number of the last interval belongs to it; elsewhere an upper end is the next interval's.
        outside |= ~missing & (at == ends[np.clip(inside, 0, None)]) & (inside < len(bounds) - 1)
        if outside.any():
            shown = some_of([short(repr(column.values[int(i)]), 40) for i in np.flatnonzero(outside)])
            raise DataError(
                f"the intervals of level {place} do not have {counted(int(outside.sum()), 'value')} of the column: {shown}",
                where=column.where,
                remedy="Let the intervals reach over all values.",
            )
        whole = bool(column.values.dtype.is_integer()) or isinstance(column, OrdinalColumn)
        shown_as = [_interval(b, e, whole, last=i == len(bounds) - 1) for i, (b, e) in enumerate(bounds)]
        if isinstance(column, OrdinalColumn):
            shown_as = [_ranks(column, b, e) for b, e in bounds]
        labels = [None if gone else shown_as[i] for i, gone in zip(inside, missing, strict=True)]
        spread = np.minimum((ends - begins)[np.clip(inside, 0, None)] / extent, 1.0) if extent > 0 else np.ones(len(at))
        spans = [bounds[max(int(i), 0)] for i in inside]
        return make_rung(column, f"level {place}", labels, np.where(missing, 0.0, spread), spans=spans)


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


def _interval(low: float, high: float, whole: bool, *, last: bool) -> str:
    if whole and float(low).is_integer() and float(high).is_integer():
        return f"{int(low)}-{int(high) - 1}" if high - low > 1 else f"{int(low)}"
    return f"[{low:g}, {high:g}{']' if last else ')'}"


def _ranks(column: OrdinalColumn, low: float, high: float) -> str:
    """An interval of ranks by the first and last value in it."""
    inside = np.flatnonzero((column.ranks >= low) & (column.ranks < high))
    ends = sorted(inside, key=lambda code: column.ranks[code])
    if not ends:
        return f"{low:g}-{high:g}"
    first, last = column.values[int(ends[0])], column.values[int(ends[-1])]
    return str(first) if len(ends) == 1 else f"{first} - {last}"


class MaskedText(Hierarchy):
    """Texts whose characters are masked one after the other, such as zip codes: 37185, 3718*, 371**, ..."""

    kind: Literal["masked_text"] = "masked_text"
    side: Literal["right", "left"] = Field(default="right", description="where masking begins")
    character: str = Field(default="*", min_length=1, max_length=1, description="what stands for a masked character")

    def rungs(self, column: Column) -> list[Rung]:
        texts = [None if value is None else str(value) for value in column.values.to_list()]
        longest = max((len(text) for text in texts if text is not None), default=0)
        rungs = []
        domain = max(len({text for text in texts if text is not None}) - 1, 1)
        for masked in range(1, longest):
            labels = [None if text is None else self._masked(text, masked) for text in texts]
            sizes = {label: labels.count(label) for label in set(labels)}
            penalty = [0.0 if label is None else (sizes[label] - 1) / domain for label in labels]
            rungs.append(make_rung(column, f"{counted(masked, 'character')} masked", labels, penalty))
        return rungs

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


def ladder_of(column: Column, hierarchy: Hierarchy | None) -> Ladder:
    """The ladder of a column by the hierarchy named for it, or by its kind."""
    chosen = hierarchy or default_hierarchy(column)
    if chosen is not None:
        return chosen.ladder(column)
    rungs = [own_values(column)]
    if len(column) > 1:
        rungs.append(make_rung(column, "any", [ANY] * len(column), [1.0] * len(column)))
    return Ladder(column, tuple(rungs))
