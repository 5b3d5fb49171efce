"""Sequential regressions of masked columns: fitted to the original records, drawn given earlier draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ontomask.arguments import some_of
from ontomask.arrays import Floats, Longs
from ontomask.masking.posterior import (
    DonorResponse,
    NumberResponse,
    PlaceResponse,
    Response,
    middle_and_unit,
    normal_scores,
)
from ontomask.microdata.column_distance import ColumnDistance
from ontomask.microdata.columns import Coded, Codes, Column, counts_of
from ontomask.privacy.diagnostics import Changes
from ontomask.progress import Progress
from ontomask.statements import Statement, caveat, note
from ontomask.statistics.regression import RECORDS_EACH, Predictors

if TYPE_CHECKING:
    from ontomask.masking.imputation import Imputation

#: A column of which others explain more than this is all but determined by them.
DETERMINED = 0.9
#: A record whose own value has a larger weight in its prediction is followed by it.
FOLLOWED = 0.5


@dataclass(frozen=True, eq=False)
class Scored:
    """A column on a line: the code of each record, its values in order, the place of each code (-1: missing), and what
    stands for it in regressions.

    ``signs``: for each code one or two numbers: the score of its value (0 where it is missing), and whether it is missing,
    where enough records are. ``raw``: numbers stand for themselves.
    """

    column: Column
    codes: Codes
    order: Longs
    place: Longs
    counts: Longs
    raw: bool

    @staticmethod
    def of(metric: ColumnDistance, codes: Codes, rng: np.random.Generator, *, raw: bool) -> Scored:
        """Numbers and ranks by size, categories by marginality; equally marginal ones in random order."""
        column = metric.column
        keys = metric.keys
        order = np.lexsort((rng.permutation(len(keys)), keys))
        order = order[(order != column.missing) & (column.counts[order] > 0)]
        place = np.full(len(column), -1, dtype=np.int64)
        place[order] = np.arange(len(order))
        return Scored(column, codes, order, place, column.counts[order], raw and column.continuous)

    @property
    def missing(self) -> int:
        """How many records have no value."""
        return 0 if self.column.missing is None else int(self.column.counts[self.column.missing])

    @property
    def constant(self) -> bool:
        return len(self.order) + (self.missing > 0) <= 1

    @cached_property
    def line(self) -> Floats:
        """What stands for the value of each code; 0 for a missing one."""
        line = np.zeros(len(self.column))
        if self.raw:
            numbers = self.column.centre_of_code[self.codes]
            middle, unit = middle_and_unit(numbers[~np.isnan(numbers)]) if len(self.order) else (0.0, 1.0)
            line[self.order] = (self.column.centre_of_code[self.order] - middle) / unit
        elif len(self.order):
            line[self.order] = normal_scores(self.counts)
        return line

    @property
    def tells_missing(self) -> bool:
        """Are there enough records with and without a value to tell how they differ?"""
        return min(self.missing, int(self.counts.sum())) >= RECORDS_EACH

    def features(self, codes: Any) -> list[Floats]:
        """The predictors that the column gives, of records that have these codes."""
        made = [self.line[codes]]
        if self.tells_missing:
            made.append((codes == self.column.missing).astype(np.float64))
        return made


class Regressions:
    """The masked columns one after the other: their regressions, and draws from them."""

    def __init__(self, columns: Sequence[Scored], masked: Sequence[int], method: Imputation) -> None:
        self.columns, self.masked, self.method = columns, masked, method
        self.n = len(columns[0].codes)
        self.notes: list[Statement] = []
        self.caveats: list[Statement] = []
        self.features: list[list[Floats]] = [c.features(c.codes) for c in columns]
        self.places: list[list[int]] = []
        for own in self.features:
            begin = self.places[-1][-1] + 1 if self.places else 0
            self.places.append(list(range(begin, begin + len(own))))
        self.values: dict[int, Response] = {}
        self.gaps: dict[int, PlaceResponse] = {}

    # ---- fitting -----------------------------------------------------------------------------------------------------

    def fit(self, progress: Progress) -> None:
        """Regress every masked column, on the original records."""
        every = [feature for own in self.features for feature in own]
        whole = Predictors(every)
        for done, i in enumerate(self.masked):
            scored = self.columns[i]
            name = scored.column.name
            progress(done / len(self.masked), f"regressing {name}")
            if scored.constant:
                self.notes.append(note(f"{name}: all records have the same value: imputation changes nothing", name))
                continue
            known = [p for j, own in enumerate(self.places) if j not in self.masked or j < i for p in own if j != i]
            rows = np.flatnonzero(scored.place[scored.codes] >= 0)
            part = whole
            if scored.missing:
                absent = (scored.codes == scored.column.missing).astype(np.int64)
                self.gaps[i] = PlaceResponse(absent, np.bincount(absent), whole, known)
            if len(scored.order) > 1:
                part = whole if len(rows) == self.n else Predictors([feature[rows] for feature in every])
                self.values[i] = self._response(scored, part, known, rows)
                self._warn(i, part, rows)
            self._tell(i, known)

    def _response(self, scored: Scored, predictors: Predictors, known: list[int], rows: Longs) -> Response:
        codes = scored.codes[rows]
        if scored.raw:
            return NumberResponse(scored.column.centre_of_code[codes], predictors, known, self.method.bounded)
        place = scored.place[codes]
        if self.method.model == "pmm":
            return DonorResponse(place, scored.counts, predictors, known, rows, self.method.donors)
        return PlaceResponse(place, scored.counts, predictors, known)

    def _tell(self, i: int, known: list[int]) -> None:
        """What should be known of the regressions of a column."""
        name = self.columns[i].column.name
        fits = [response.fit for response in (self.gaps.get(i), self.values.get(i)) if response is not None]
        if not known:
            self.notes.append(
                note(f"{name}: no other column predicts it: values are drawn from the column alone", name)
            )
        crowded = self._names({place for fit in fits for place in fit.crowded})
        if crowded:
            self.notes.append(
                note(
                    f"{name}: there are too few records ({RECORDS_EACH} to a coefficient) to use all predictors; not used: "
                    f"{some_of(crowded)}",
                    name,
                )
            )
        repeated = self._names({place for fit in fits for place in fit.repeated})
        if repeated:
            self.notes.append(
                note(f"{name}: predictors determined by other columns are not used: {some_of(repeated)}", name)
            )

    def _warn(self, i: int, fitted: Predictors, rows: Longs) -> None:
        """Where what is drawn comes close to the original. Only columns that stay as they are bring it there."""
        name, response = self.columns[i].column.name, self.values[i]
        unmasked = {p for j, own in enumerate(self.places) if j not in self.masked for p in own}
        if not self._follows(response, fitted):
            return
        if not set(response.fit.used) <= unmasked:
            response = self._response(self.columns[i], fitted, sorted(unmasked), rows)
        if response.explained > DETERMINED:
            text = (
                f"{name} is almost determined by columns that are not masked: drawn values come close to the original ones. "
                "Mask these columns, too, or leave it out."
            )
            self.caveats.append(caveat(text, name))
        if response.fit.largest_leverage(fitted.features) > FOLLOWED:
            text = (
                f"{name}: the regression follows single records that differ much from all others: what is drawn for them "
                "comes close to their own values. model: normal is less open to this."
            )
            self.caveats.append(caveat(text, name))

    @staticmethod
    def _follows(response: Response, fitted: Predictors) -> bool:
        fit = response.fit
        return response.explained > DETERMINED or (bool(fit.used) and fit.largest_leverage(fitted.features) > FOLLOWED)

    def _names(self, places: set[int]) -> list[str]:
        return [c.column.name for c, own in zip(self.columns, self.places, strict=True) if places & set(own)]

    # ---- drawing -----------------------------------------------------------------------------------------------------

    def draw(self, rng: np.random.Generator, progress: Progress, which: str) -> list[Coded]:
        """The columns of one release."""
        shown = [Coded(scored.column, scored.codes) for scored in self.columns]
        features = list(self.features)
        for done, i in enumerate(self.masked):
            scored = self.columns[i]
            progress(done / len(self.masked), f"drawing {scored.column.name}{which}")
            if scored.constant:
                continue
            before = [feature for own in features for feature in own]
            absent = self.gaps[i].draw(before, self.n, rng) > 0 if i in self.gaps else np.zeros(self.n, dtype=np.bool_)
            response = self.values.get(i)
            if isinstance(response, NumberResponse):
                shown[i], features[i] = self._numbers(scored, response.draw(before, self.n, rng), absent)
                continue
            codes = np.full(self.n, scored.order[0])
            if isinstance(response, PlaceResponse | DonorResponse):
                codes = scored.order[response.draw(before, self.n, rng)]
            if scored.column.missing is not None:
                codes[absent] = scored.column.missing
            shown[i] = Coded(scored.column, codes.astype(np.int32))
            features[i] = scored.features(codes)
        return shown

    @staticmethod
    def _numbers(scored: Scored, numbers: Floats, absent: Any) -> tuple[Coded, list[Floats]]:
        """A column of numbers of its own, as precise as the original one, and what it says to later regressions."""
        column = scored.column
        rounded = np.where(absent, np.nan, column.rounded(numbers))
        distinct, codes = np.unique(rounded, return_inverse=True)  # NaN comes last, once
        made = column.of_centres(distinct, counts_of(codes, len(distinct)))
        known = column.centre_of_code[scored.codes]
        middle, unit = middle_and_unit(known[~np.isnan(known)])
        features = [np.where(absent, 0.0, (rounded - middle) / unit)]
        return Coded(made, codes.astype(np.int32)), features + (
            [absent.astype(np.float64)] if scored.tells_missing else []
        )

    def measured(self, changed: Sequence[float]) -> Changes:
        """A row for each masked column: how many predictors it has, what they explain, how many values changed."""
        rows = []
        for i, share in zip(self.masked, changed, strict=True):
            response = self.values.get(i)
            rows.append(
                {
                    "attribute": self.columns[i].column.name,
                    "predictors": 0 if response is None else len(response.fit.used),
                    "explained": 0.0 if response is None else response.explained,
                    "changed": share,
                }
            )
        return Changes(pl.DataFrame(rows))
