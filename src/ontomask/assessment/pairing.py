"""Original and masked tables paired: which tuple became which, and in how many records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arrays import Flags, Floats, Longs
from ontomask.assessment.alignment import rows_of
from ontomask.distances.measures import get_measure
from ontomask.errors import PolicyError
from ontomask.hierarchies.levels import ANY
from ontomask.masking.method import Masked
from ontomask.microdata.codes import count_pairs
from ontomask.microdata.columns import Coded, Column, counts_of
from ontomask.microdata.dtypes import is_text
from ontomask.microdata.encoding import Conversions, Table, encode, make_table, read_any, remeasured, require_columns
from ontomask.microdata.frames import NativeFrame
from ontomask.microdata.open_table import open_table, with_own_orders
from ontomask.operators.record_distance import RecordDistance
from ontomask.policy.policy import Policy, as_policy
from ontomask.privacy.examined import Examined
from ontomask.privacy.units import Units

Found = TypeVar("Found")


@dataclass(frozen=True, eq=False)
class Pairing:
    """``before[i]`` of the original tuples became ``after[i]`` of the masked ones in ``records[i]`` records.

    Rows are records, or stand for several each (``original.rows.counts``). ``stayed`` are the rows of the original table
    that have a masked record; ``removed[t]`` counts the others of each tuple. ``dropped`` records, which the policy left
    out for missing values, are not even in the original table: they count as removed. ``general``: by column, which codes
    of the masked table show what is not a single value, such as an interval: it equals no value, whatever stands in its
    middle. ``hidden``: which of them say nothing of the value they stand for, such as ``*``. ``limits``: by code, from where
    to where its interval goes, NaN where it shows none. Columns have no weights here: these steer masking, and one distance
    evaluates all that is masked. ``weights`` are those of the policy, for a mean over columns that needs them. ``ncp``: of a
    generalization, its normalized certainty penalty.
    """

    original: Table
    masked: Table
    before: Longs
    after: Longs
    records: Longs
    removed: Longs
    stayed: Longs
    general: Sequence[Flags]
    hidden: Sequence[Flags]
    limits: Sequence[Floats]
    weights: Sequence[float]
    dropped: int = 0
    ncp: float | None = None
    _found: dict[Any, Any] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """All records there were."""
        return self.original.n + self.dropped

    @property
    def size(self) -> int:
        """All records there were, or the other units of those that were not dropped."""
        return self.n if self.original.units is None else self.original.units.number

    @property
    def released(self) -> int:
        """The records, or other units, that have a masked record."""
        unit_of = self.original.rows.unit_of
        return self.masked.n if unit_of is None else int(np.count_nonzero(np.bincount(unit_of[self.stayed])))

    @property
    def gone(self) -> int:
        """The records that have no masked record, for whatever reason."""
        return int(self.removed.sum()) + self.dropped

    @cached_property
    def distance(self) -> RecordDistance:
        """How far apart records are, on the scale of the original: made once for all that is assessed."""
        return RecordDistance.of(self.original)

    def once(self, what: Any, work: Callable[[], Found]) -> Found:
        """A figure that several assessments ask for, computed once."""
        if what not in self._found:
            self._found[what] = work()
        found: Found = self._found[what]
        return found

    def equal(self, column: int) -> Flags:
        """Which pairs show the same value in a column; a missing number equals another."""
        one, other = self.centres("original")[column], self.centres("masked")[column]
        same: Flags = one == other
        if one.dtype.kind == "f":
            same |= np.isnan(one) & np.isnan(other)
        same &= ~self.general[column][self.masked.codes[column][self.after]]
        return same

    def taken_away(self, column: int) -> Flags:
        """Which pairs show nothing in a column of a value that was there: it is hidden, or missing now."""
        before, after = self.original.columns[column], self.masked.columns[column]
        was_missing = before.is_missing(before.centre_of_code)[self.original.codes[column]][self.before]
        shown = self.masked.codes[column][self.after]
        is_missing = after.is_missing(after.centre_of_code)[shown]
        taken: Flags = self.hidden[column][shown] | (is_missing & ~was_missing)
        return taken

    def within(self, column: int, position: Any) -> Flags:
        """Which pairs show an interval of a column that holds a position of its line."""
        low, high = self.limits[column][:, self.masked.codes[column][self.after]]
        inside: Flags = (low <= position) & (position < high)
        return inside

    def weighted(self, attributes: Mapping[str, Any]) -> Pairing:
        """The same pairs, with the weights of other attributes."""
        weights = tuple(attributes[column.name].weight for column in self.original.columns)
        return self if weights == tuple(self.weights) else replace(self, weights=weights, _found={})

    def centres(self, of: str) -> list[NDArray[Any]]:
        """The values of each pair, by column."""
        table, tuples = (self.original, self.before) if of == "original" else (self.masked, self.after)
        return [column.centre_of_code[codes[tuples]] for column, codes in zip(table.columns, table.codes, strict=True)]

    def measured(self, measure: str | None, options: Mapping[str, Any]) -> Pairing:
        """The same pairs, nominal columns compared by another measure."""
        if measure is None:
            if options:
                raise PolicyError("measure options are given without a measure", remedy="Name it with measure=.")
            return self
        get_measure(measure).resolve_options(options)  # wrong options are an error, also if no column is nominal
        return replace(self, original=remeasured(self.original, measure=measure, options=dict(options)), _found={})


def pair_result(table: Table, masked: Masked, dropped: int = 0) -> Pairing:
    """The table of a run and what its method made of it; ``dropped`` records never came into the table."""
    stayed = masked.group_of >= 0
    group_of = masked.group_of[stayed]
    shown: Sequence[pl.Series | None] = masked.shown or [None] * len(table.columns)
    parts = zip(table.columns, masked.centres, shown, strict=True)
    counts = table.rows.part(np.flatnonzero(stayed)).counts
    made = [released(column, centres, text, group_of, counts) for column, centres, text in parts]
    columns = [column.coded for column in made]
    known = tuple(column.with_values_of(new.column) for column, new in zip(table.columns, columns, strict=True))
    pairing = paired(replace(table, columns=known), made, stayed, dropped)
    return replace(pairing, ncp=_certainty_penalty(masked.penalty, group_of, counts, pairing))


class Released(NamedTuple):
    """A column of a release: ``general``, ``hidden`` and ``limits`` are those of its codes, as in :class:`Pairing`."""

    coded: Coded
    general: Flags
    hidden: Flags
    limits: Floats | None = None

    @staticmethod
    def read(column: Column, coded: Coded, values: pl.Series) -> Released:
        """A column as it was read: only ``*`` is known to be no value."""
        hidden = np.zeros(len(coded.column), dtype=np.bool_)
        if is_text(values.dtype):
            hidden[coded.codes[_shows_nothing(column, values)]] = True
        return Released(coded, np.zeros(len(coded.column), dtype=np.bool_), hidden)


def released(
    column: Column,
    centres: NDArray[Any],
    shown: pl.Series | None,
    group_of: NDArray[Any],
    counts: Longs | None = None,
) -> Released:
    """What a method made of a column: ``centres`` of its groups, and what they show, where that is not their centre.

    ``counts``: how many records each row stands for, if it is not one. Where values are only equal or not, what is shown
    for several of them says as little as ``*``.
    """
    coded, general = column.released(centres, shown, group_of, counts)
    hidden = np.zeros(len(general), dtype=np.bool_) if column.graded else general.copy()
    if shown is not None:
        hidden[coded.codes[_shows_nothing(column, shown)[group_of]]] = True
    return Released(coded, general, hidden, _limits(column, coded, general, shown, group_of))


def _limits(
    column: Column, coded: Coded, general: Flags, shown: pl.Series | None, group_of: NDArray[Any]
) -> Floats | None:
    """Where the interval that a code shows begins, and where it ends, as numbers do on a line; NaN: it shows none.

    One of whole numbers goes up to the next.
    """
    line = column.line
    if line is None or shown is None or not general.any():
        return None
    limits = np.full((2, len(general)), np.nan)
    codes, first = np.unique(coded.codes, return_index=True)
    for code, text in zip(codes.tolist(), shown.cast(pl.String).gather(group_of[first]).to_list(), strict=True):
        ends = line.limits_of(text) if general[code] and text is not None else None
        if ends is not None:
            limits[:, code] = ends[0], ends[1] + 1 if line.whole else np.nextafter(ends[1], np.inf)
    return limits


def _shows_nothing(column: Column, shown: pl.Series) -> Flags:
    """Which texts are ``*``, in a column that has no such value."""
    if is_text(column.values.dtype) and (column.values.cast(pl.String) == ANY).any():
        return np.zeros(len(shown), dtype=np.bool_)
    return (shown.cast(pl.String) == ANY).fill_null(value=False).to_numpy()


def _certainty_penalty(
    penalty: Sequence[Floats] | None, group_of: NDArray[np.int32], counts: Longs | None, pairing: Pairing
) -> float | None:
    """NCP of a generalization: the mean over records and columns of the part of its domain that a value covers, 1 for a
    removed record; None for other methods."""
    if penalty is None:
        return None
    weights = 1 if counts is None else counts
    lost = sum(float((covered[group_of] * weights).sum()) for covered in penalty)
    return (lost + len(penalty) * pairing.gone) / (len(penalty) * pairing.n)


@dataclass(frozen=True, eq=False)
class Frames:
    """An original and a masked frame as they were opened: row ``kept[i]`` of ``before`` became row i of ``after``.

    ``policy`` says what the columns are, and ``studied`` which are compared; ``notes``: how rows were matched, where it
    should be known.
    """

    taken: NativeFrame
    after: pl.DataFrame
    kept: Longs
    policy: Policy
    studied: list[str]
    notes: list[str] = field(default_factory=list)

    @property
    def before(self) -> pl.DataFrame:
        return self.taken.data

    @cached_property
    def there(self) -> NDArray[np.bool_]:
        """The rows of the original that were not dropped."""
        stayed = np.zeros(len(self.before), dtype=np.bool_)
        stayed[self.kept] = True
        return stayed | ~_dropped(self.before, self.policy.attributes)

    @cached_property
    def places(self) -> Longs:
        """Which of these rows each masked row is."""
        return (np.cumsum(self.there) - 1)[self.kept]

    @property
    def examined(self) -> tuple[Examined, Examined]:
        """The original without dropped rows, and the masked table, as models look at them."""
        before = Examined.of(self.before.filter(pl.Series(self.there)), self.policy.attributes, self.units)
        return before, before.beside(self.after, self.places)

    @cached_property
    def units(self) -> Units:
        """What is counted in the original without dropped rows: the original says whose its records are."""
        return self.policy.units_of(self.before).take(self.there)


def pair_frames(
    original: Any, masked: Any, attributes: Any, records: Sequence[int] | None = None, *, aligned: bool = False
) -> Pairing:
    """Two frames or files whose rows belong together.

    ``records``: the rows of the original that the masked one kept; ``aligned``: rows belong together whatever speaks
    against it.
    """
    return pair_opened(open_frames(original, masked, attributes, records, aligned=aligned))


def open_frames(
    original: Any, masked: Any, attributes: Any, records: Sequence[int] | None = None, *, aligned: bool = False
) -> Frames:
    """Both tables, read once, and checked against each other; an error where rows do not belong together."""
    policy = as_policy(attributes)
    given, studied = policy.attributes, require_quasi_identifiers(policy.studied)
    taken = open_table(original, given, reading=policy.reading, unread=policy.drops).native
    before = taken.data
    # What is text in the original is text in a masked file, even where only numbers are left of it.
    text = [name for name, dtype in before.schema.items() if is_text(dtype)]
    after = open_table(masked, given, text=text, reading=policy.reading, release=True, unread=policy.drops).data
    after, before = read_any(after, given), Conversions(given).apply(before)
    after = after.with_columns(_without_values(after, before))
    for table in (before, after):
        require_columns(table, {name: given[name] for name in studied})
    kept, notes = rows_of(before, after, policy, records, aligned, masked)
    return Frames(replace(taken, data=before), after, kept, policy, studied, notes)


def _without_values(after: pl.DataFrame, before: pl.DataFrame) -> list[pl.Series]:
    """The columns of a masked table that have no value left, in the type of the original: a text file does not tell it."""
    none = [name for name in after.columns if name in before.columns and after[name].null_count() == len(after)]
    return [pl.repeat(None, len(after), dtype=before.schema[name], eager=True).alias(name) for name in none]


def require_quasi_identifiers(names: list[str]) -> list[str]:
    """The columns that are known to an intruder or masked; an error if there are none."""
    if not names:
        raise PolicyError("no column is a quasi-identifier", remedy="Give at least one column the role quasi.")
    return names


def pair_opened(frames: Frames) -> Pairing:
    """Opened frames, encoded on one scale."""
    stayed = np.zeros(len(frames.before), dtype=np.bool_)
    stayed[frames.kept] = True
    after = frames.after[np.argsort(frames.kept)]
    there = frames.there
    before, method = frames.before.filter(pl.Series(there)), frames.policy.method
    listed = with_own_orders({name: frames.policy.attributes[name] for name in frames.studied}, frames.taken)
    names = [name for name in before.columns if name in listed]
    read = None if method is None else method.read_released
    if read is not None:
        table = encode(before, listed, names, np.flatnonzero(there), unit_of=frames.units.of, word=frames.units.word)
        masked = read(table, after.to_dict(), stayed[there])
        if masked is not None:
            return pair_result(table, masked, int((~there).sum()))
    for name in names:
        pair = listed[name].paired(before[name], after[name])
        before, after = before.with_columns(pair[0]), after.with_columns(pair[1])
    table = encode(before, listed, names, np.flatnonzero(there), unit_of=frames.units.of, word=frames.units.word)
    columns = [column.encode_like(after[column.name]) for column in table.columns]
    made = [Released.read(column, new, after[column.name]) for column, new in zip(table.columns, columns, strict=True)]
    known = [column.with_values_of(new.column) for column, new in zip(table.columns, columns, strict=True)]
    return paired(replace(table, columns=tuple(known)), made, stayed[there], int((~there).sum()))


def _dropped(data: pl.DataFrame, attributes: Mapping[str, Any]) -> NDArray[np.bool_]:
    """The records that a policy leaves out because a value is missing."""
    out = np.zeros(len(data), dtype=np.bool_)
    for name, attribute in attributes.items():
        if attribute.missing == "drop_record" and name in data.columns:
            out |= data[name].is_null().to_numpy()
    return out


def paired(
    original: Table,
    made: Sequence[Released],
    stayed: Flags,
    dropped: int,
) -> Pairing:
    """The records of a table, and what those that ``stayed`` became."""
    there, gone = (original.rows.part(np.flatnonzero(rows)) for rows in (stayed, ~stayed))
    masked = make_table([column.coded for column in made], counts=there.counts)
    before, after, records = count_pairs(there.tuple_of, masked.rows.tuple_of, masked.p, there.counts)
    return Pairing(
        replace(original, columns=tuple(_unweighted(column) for column in original.columns)),
        masked,
        before=before,
        after=after,
        records=records.astype(np.int64),
        removed=counts_of(gone.tuple_of, original.p, gone.counts),
        stayed=np.flatnonzero(stayed),
        general=[column.general for column in made],
        hidden=[column.hidden for column in made],
        limits=[np.full((2, len(m.general)), np.nan) if m.limits is None else m.limits for m in made],
        weights=tuple(column.attribute.weight for column in original.columns),
        dropped=dropped,
    )


def _unweighted(column: Column) -> Column:
    return replace(column, attribute=column.attribute.model_copy(update={"weight": 1.0}))
