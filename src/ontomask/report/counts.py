"""Frequencies of values before and after masking, reduced to what a chart can show. Only counting, on distinct values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import counted, short
from ontomask.hierarchies.levels import ANY
from ontomask.microdata.columns import Column, counts_of
from ontomask.microdata.item_lists import count_items, split_items

if TYPE_CHECKING:
    from ontomask.report.reportable import Reportable

#: Values of a column that have bars of their own, and stretches of a scale.
MOST_VALUES, MOST_LEVELS, MOST_BINS = 10, 15, 20
MISSING = "(missing)"
#: Class sizes by where a stretch of them begins.
SIZES = (1, 2, 3, 5, 10, 20, 50, 100, 1_000, 10_000)


@dataclass(frozen=True, eq=False)
class Studied:
    """A column that the method worked on: the original, and what the groups of so many ``records`` show of it."""

    column: Column
    shown: pl.Series
    centres: NDArray[Any]
    records: NDArray[np.int64]
    decoded: bool  # is what is shown nothing but the centre?
    own: bool  # is what is shown a value of the column's own kind, rather than an interval or a masked text?

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def kind(self) -> str:
        return str(self.column.attribute.kind)

    def shown_centres(self) -> list[tuple[Any, Any]]:
        """Everything that is shown, each with the centre it stands for."""
        frame = pl.DataFrame({"value": self.shown, "centre": self.centres})
        return frame.unique("value", keep="first", maintain_order=True).rows()

    @property
    def holds_sets(self) -> bool:
        return self.column.attribute.separator is not None

    def after(self) -> dict[str, int]:
        """How many records show each text; of sets each item."""
        return self._tally(self._texts_after())

    def before(self) -> dict[str, int]:
        return self._tally(self._texts_before())

    def holding(self, texts: Collection[str]) -> tuple[int, int]:
        """How many records have one of these texts, or items, before and after; a record of several counts once."""
        separator, wanted = self.column.attribute.separator, set(texts)
        before, after = (
            sum(
                records
                for text, records in tally.items()
                if not wanted.isdisjoint([text] if separator is None else split_items(text, separator))
            )
            for tally in (self._texts_before(), self._texts_after())
        )
        return before, after

    def _texts_after(self) -> Counter[str]:
        frame = pl.DataFrame({"value": self.shown, "records": self.records})
        distinct = frame.group_by("value", maintain_order=True).agg(pl.col("records").sum())
        return self._texts(distinct["value"], distinct["records"])

    def _texts_before(self) -> Counter[str]:
        return self._texts(self.column.values, pl.Series(self.column.counts))

    def _texts(self, values: pl.Series, records: pl.Series) -> Counter[str]:
        tally: Counter[str] = Counter()
        for value, number in zip(values.to_list(), records.to_list(), strict=True):
            tally[text_in(self.column, value)] += int(number)
        return tally

    def _tally(self, texts: Counter[str]) -> dict[str, int]:
        separator = self.column.attribute.separator
        if separator is None:
            return dict(texts)
        missing = texts.pop(MISSING, 0)
        return dict(count_items(texts, separator)) | ({MISSING: missing} if missing else {})


def studied(result: Reportable) -> Iterator[Studied]:
    """The columns of a run, one after the other."""
    table, masked = result.prepared.table, result.masked
    inside = table.rows.part(np.flatnonzero(masked.group_of >= 0))
    records = counts_of(masked.group_of[masked.group_of >= 0], masked.groups, inside.counts)
    for column, shown, centres in zip(table.columns, masked.values(table), masked.centres, strict=True):
        own = masked.shown is None or _is_own(column, shown)
        yield Studied(column, shown, centres, records, masked.shown is None, own)


def _is_own(column: Column, shown: pl.Series) -> bool:
    if column.quantity:
        return shown.dtype.is_numeric()
    if column.continuous and column.line is not None:
        return None not in map(column.line.position_of, shown.drop_nulls().unique().cast(pl.String).to_list())
    if column.on_line:
        return set(map(text_of, shown.unique().to_list())) <= set(map(text_of, column.values.to_list()))
    return True


def text_of(value: Any) -> str:
    """A value for the eye."""
    if value is None:
        return MISSING
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def text_in(column: Column, value: Any) -> str:
    """The same of a value of a column, which may be the limit of an open class."""
    return text_of(column.attribute.shown(value))


def meanings(column: Column) -> Callable[[str], str]:
    """A function that adds to a value, or to an item of a set, if it is the code of a concept, what that is called."""
    labels = labels_of(column)

    def named(text: str) -> str:
        label = labels(text)
        return f"{text} {label}" if label else text

    return named


def labels_of(column: Column) -> Callable[[str], str]:
    """A function that gives what the concept of a value, or of an item of a set, is called; nothing if that is the value."""
    items = column.items
    if items is None:
        return lambda text: ""
    taxonomy = items.taxonomy
    own = {text_of(value): int(concept) for value, concept in zip(items.values, items.concepts, strict=True)}

    def label_of(text: str) -> str:
        place = own[text] if text in own else taxonomy.find(text)
        label = text if place is None or place < 0 else taxonomy.terms(place)[0]
        return "" if label == text else label

    return label_of


# ---- distributions -------------------------------------------------------------------------------------------------


def distribution(studied: Studied) -> list[dict[str, Any]]:
    """The charts of a column before and after, as plain rows: one on a common scale, or two where there is none."""
    if studied.column.continuous:
        return _numbers(studied)
    if studied.column.line is not None:
        return _levels(studied, studied.column.line.rank_values)
    return [_values(studied)]


def _values(studied: Studied) -> dict[str, Any]:
    """The most frequent values; the others together."""
    before, after = studied.before(), studied.after()
    both = {text: max(before.get(text, 0), after.get(text, 0)) for text in (*before, *after)}
    ranked = sorted((text for text in both if text != MISSING), key=lambda text: (-both[text], text))
    shown, others = ranked[:MOST_VALUES], ranked[MOST_VALUES:]
    named = meanings(studied.column)
    rows = [(named(text), before.get(text, 0), after.get(text, 0)) for text in shown]
    if MISSING in both:
        rows.append((MISSING, before.get(MISSING, 0), after.get(MISSING, 0)))
    told = _paired(rows)
    if others:
        # Not a bar: it would dwarf all others.
        sums = studied.holding(others)
        noun = "item" if studied.holds_sets else "value"
        name = counted(len(others), f"other {noun}")
        told["table"].append([name, *sums])
        told["note"] = (
            f"The {len(shown)} most frequent {noun}s. {name}: {counted(sums[0], 'record')} before, {sums[1]:,} after."
        )
    return told


def _paired(rows: Sequence[tuple[str, int, int]]) -> dict[str, Any]:
    bars = [
        {"name": name, "when": when, "value": value}
        for name, before, after in rows
        for when, value in (("before", before), ("after", after))
    ]
    return {"kind": "paired_bars", "rows": bars, "table": [[short(name, 200), b, a] for name, b, a in rows]}


def _named_bars(rows: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    """Bars before and after, or before alone."""
    if any(len(row) == 3 for row in rows):
        return _paired([(name, before, after) for name, before, after in rows])
    return {"kind": "single_bars", "when": "before", "rows": [{"name": name, "value": value} for name, value in rows]}


def _apart(studied: Studied, first: dict[str, Any]) -> list[dict[str, Any]]:
    """What came before, and beside it the intervals that are shown now, by their limits; what says nothing comes last."""
    line, after = studied.column.line, studied.after()
    assert line is not None
    place = {text_in(studied.column, value): float(centre) for value, centre in studied.shown_centres()}

    def order(text: str) -> tuple[Any, ...]:
        if text in (ANY, MISSING):
            return True, text == MISSING, 0.0, 0.0, text
        return False, False, *(line.limits_of(text) or (place[text], place[text])), text

    kept = sorted(after, key=lambda text: (-after[text], text))[:MOST_LEVELS]
    rows = [(text, after[text]) for text in sorted(kept, key=order)]
    left = sum(after.values()) - sum(records for _, records in rows)
    if left:
        rows.append((f"all {len(after) - len(kept):,} others", left))
    bars = [{"name": name, "value": value} for name, value in rows]
    return [first, {"kind": "single_bars", "rows": bars, "table": [[short(name, 200), None, v] for name, v in rows]}]


def _numbers(studied: Studied) -> list[dict[str, Any]]:
    """Histograms on the same bins."""
    parts = {"before": (studied.column.centre_of_code, studied.column.counts)}
    if studied.own:
        parts["after"] = (studied.centres.astype(np.float64), studied.records)
    known = {when: (x[~np.isnan(x)], n[~np.isnan(x)]) for when, (x, n) in parts.items()}
    gone = {when: int(n[np.isnan(x)].sum()) for when, (x, n) in parts.items()}
    there = np.concatenate([x[n > 0] for x, n in known.values()])
    if not len(there):
        return [_values(studied)]
    whole = bool((there == np.floor(there)).all())
    low, high = _most(np.concatenate([x for x, _ in known.values()]), np.concatenate([n for _, n in known.values()]))
    assert studied.column.line is not None
    own = studied.column.line.edges(low, high, MOST_BINS)
    start, step, bins = (low, 1.0, len(own) - 1) if own else _bins(low, high, whole)
    edges = own or [start + i * step for i in range(bins + 1)]
    below, above = float(there.min()) < edges[0], float(there.max()) >= edges[-1]

    def place(x: NDArray[np.float64]) -> NDArray[Any]:
        return np.searchsorted(own, x, side="right") - 1 if own else np.floor((x - start) / step + 1e-9)

    counts = {
        when: np.bincount(np.clip(place(x), 0, bins - 1).astype(np.int64), n, bins) for when, (x, n) in known.items()
    }
    rows = [
        {"low": edges[i], "high": edges[i + 1], "when": when, "value": int(counts[when][i])}
        for when in counts
        for i in range(bins)
    ]
    told = [studied.column.line.place_text(edge) for edge in edges]
    names = [f"{told[i]} to under {told[i + 1]}" for i in range(bins)]
    least, most = studied.column.line.ends
    names[0] = f"under {told[1]}" if below or float(there.min()) <= least else names[0]
    names[-1] = f"{told[-2]} and more" if above or float(there.max()) >= most else names[-1]
    table: list[list[Any]] = [[names[i], *(int(counts[when][i]) for when in parts)] for i in range(bins)]
    if any(gone.values()):
        table.append([MISSING, *(gone[when] for when in parts)])
    chart: dict[str, Any] = {"kind": "histograms", "rows": rows}
    if not studied.column.quantity:  # an axis of numbers would not show what the positions are
        chart = _named_bars([(name, *figures) for name, *figures in table])
    chart["table"] = [row + [None] * (3 - len(row)) for row in table]
    if below or above:
        ends = "first and last bars hold" if below and above else "first bar holds" if below else "last bar holds"
        chart["note"] = f"The {ends} all values beyond; a few are far from the others."
    return [chart] if studied.own else _apart(studied, chart)


def _most(numbers: NDArray[np.float64], records: NDArray[np.int64]) -> tuple[float, float]:
    """Between which numbers to draw: all of them, unless a few lie so far out that the others would be one bar."""
    order = np.argsort(numbers, kind="stable")
    numbers, share = numbers[order], np.cumsum(records[order]) / max(1, int(records.sum()))
    there = numbers[records[order] > 0]
    low, high = float(there[0]), float(there[-1])
    first, last = (float(numbers[min(int(np.searchsorted(share, q)), len(numbers) - 1)]) for q in (0.01, 0.99))
    if last <= first or high - low <= 2 * (last - first):
        return low, high
    reach = last - first
    return max(low, first - reach / 2), min(high, last + reach / 2)


def _bins(low: float, high: float, whole: bool) -> tuple[float, float, int]:
    """Where bins begin, how wide they are and how many there are, in round numbers."""
    if low == high:
        return low - 0.5, 1.0, 1
    raw = (high - low) / MOST_BINS
    power = 10.0 ** floor(log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw * (1 - 1e-9))
    step = max(step, 1.0) if whole else step
    start = floor(low / step) * step
    return start, step, floor((high - start) / step + 1e-9) + 1


def _levels(studied: Studied, values: Sequence[Any]) -> list[dict[str, Any]]:
    """Levels in their order; where there are many, stretches of them."""
    column = studied.column
    before = _by_rank(column.centre_of_code, column.counts, len(values))
    names = {rank: f"level {rank + 1}" if value is None else text_of(value) for rank, value in enumerate(values)}
    if not studied.own:
        rows = [(name, n) for name, n in _stretches(names, before) if n or name != MISSING]
        return _apart(studied, _named_bars(rows) | {"table": [[n, v, None] for n, v in rows]})
    after = _by_rank(studied.centres, studied.records, len(values))
    both = zip(_stretches(names, before), _stretches(names, after), strict=True)
    return [_paired([(name, b, a) for (name, b), (_, a) in both if name != MISSING or b or a])]


def _by_rank(ranks: NDArray[Any], records: NDArray[np.int64], levels: int) -> NDArray[np.int64]:
    """Records by rank, missing ones last."""
    place = np.where(ranks < 0, levels, ranks).astype(np.int64)
    return np.bincount(place, records, levels + 1).astype(np.int64)


def _stretches(names: Mapping[int, str], records: NDArray[np.int64]) -> list[tuple[str, int]]:
    levels = len(names)
    width = -(-levels // MOST_LEVELS)
    rows = []
    for begin in range(0, levels, width):
        end = min(begin + width, levels) - 1
        name = names[begin] if begin == end else f"{short(names[begin], 30)} to {short(names[end], 30)}"
        rows.append((name, int(records[begin : end + 1].sum())))
    return [*rows, (MISSING, int(records[levels]))]


# ---- classes -------------------------------------------------------------------------------------------------------


def by_size(sizes: pl.DataFrame, least: int = 1) -> dict[str, tuple[int, int]]:
    """Classes and records by ranges of class sizes, from a frame of ``size``, ``classes`` and ``records``.

    Classes of fewer than ``least`` records are one range.
    """
    begins = SIZES if least == 1 else (1, least, *(size for size in SIZES if size > least))
    by_class_size: dict[str, tuple[int, int]] = {}
    for place, low in enumerate(begins):
        high = begins[place + 1] - 1 if place + 1 < len(begins) else None
        inside = sizes.filter((pl.col("size") >= low) & (pl.col("size") <= (high or 2**62)))
        name = f"{low:,}" if high == low else f"{low:,}+" if high is None else f"{low:,}–{high:,}"
        name = f"under {least:,}" if low == 1 < least else name
        by_class_size[name] = (int(inside["classes"].sum()), int(inside["records"].sum()))
    return by_class_size
