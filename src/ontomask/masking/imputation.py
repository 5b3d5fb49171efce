"""Multiple imputation as a masking method: masked columns are drawn anew from regressions on the other columns.

D12's benchmark, sequential regression (SRMI, Raghunathan et al. 2001), for nominal columns through their marginality.
Nothing was missing: the result is what Reiter (2003) calls partially synthetic data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
import polars as pl
from pydantic import Field, model_validator

from ontomask.arguments import counted, some_of
from ontomask.distances.yardsticks import LineYardstick, Yardstick, yardstick
from ontomask.errors import DataError
from ontomask.masking.goals import Goals
from ontomask.masking.method import Choosing, Masked, Measuring
from ontomask.masking.posterior import (
    DonorResponse,
    NumberResponse,
    PlaceResponse,
    Response,
    middle_and_unit,
    normal_scores,
)
from ontomask.microdata.attributes import Role
from ontomask.microdata.columns import Column, Floats, Longs, NumericColumn
from ontomask.microdata.encoding import Table, make_table
from ontomask.progress import Progress, stretch
from ontomask.settings import Count
from ontomask.statistics.ordering import dense_ranks
from ontomask.statistics.regression import RECORDS_EACH, Predictors

Model = Literal["normal", "linear", "pmm"]
#: Releases at most.
MOST = 100
#: Donors where their number is not given.
DONORS = 5
#: A column of which the others explain more than this is all but determined by them.
DETERMINED = 0.9
#: A record whose own value has a larger weight in its prediction is followed by it.
FOLLOWED = 0.5


class Imputation(Choosing, Measuring):
    """Sensitive columns, or those named in ``columns``, are drawn anew for every record.

    One after the other, in the order of the data, each masked column is regressed on the columns that stay as they are and
    on the masked ones before it. The regression is fitted to the original records. For each release its parameters are drawn
    from their posterior distribution, and then a value for every record, given the columns that stay and the values
    already drawn. ``m`` releases of the same records let an analyst see how much the drawing adds to the uncertainty of a
    figure (:func:`ontomask.combine_estimates`).

    ``normal``: all columns as normal scores of their ranks, categories in the order of their marginality; what is drawn are
    values of the column. ``linear``: numbers as they are, with normal residuals, rounded like the column; other columns as
    in ``normal``. ``pmm``, predictive mean matching: a record takes the value of another one of which about the same is
    expected.
    """

    name: Literal["imputation"] = "imputation"
    masks: ClassVar[tuple[Role, ...]] = ("sensitive",)
    looks_at: ClassVar[tuple[Role, ...]] = ("quasi", "sensitive")

    m: Count = Field(default=1, description="how many releases are drawn of the same records")
    model: Model = Field(
        default="normal",
        description="normal: normal scores of ranks; linear: numbers as they are; pmm: values of records alike",
    )
    donors: Count = Field(
        default=DONORS, description="pmm: among how many of the nearest other records a value is drawn"
    )
    bounded: bool = Field(default=True, description="linear: numbers are drawn within the range of the original")

    @model_validator(mode="after")
    def _settings_fit(self) -> Self:
        if self.m > MOST:
            raise ValueError(f"m is {self.m:,}: at most {MOST} releases are drawn")
        if self.donors != DONORS and self.model != "pmm":
            raise ValueError(f"donors are of model: pmm, and the model is {self.model}")
        if not self.bounded and self.model != "linear":
            raise ValueError(f"bounded is of model: linear, and the model is {self.model}")
        return self

    @property
    def draws(self) -> bool:
        return True

    @property
    def releases(self) -> int:
        return self.m

    def require_enough(self, table: Table) -> None:
        if table.n < 3:
            raise DataError(
                f"there {'is' if table.n == 1 else 'are'} {counted(table.n, 'record')} to impute from",
                remedy="Regressions need at least three records: collect more, or choose another method.",
            )

    def mask(self, table: Table, rng: np.random.Generator, progress: Progress) -> Masked:
        return self._drawn(table, rng, progress, 1)[0]

    def mask_releases(self, goals: Goals, table: Table, rng: np.random.Generator, progress: Progress) -> list[Masked]:
        return self._drawn(table, rng, progress, self.m)

    def _drawn(self, table: Table, rng: np.random.Generator, progress: Progress, m: int) -> list[Masked]:
        """m releases; the first is the same whatever m."""
        self.require_enough(table)
        progress(0.0, "measuring distances between values")
        sticks = [yardstick(column) for column in self.measured(table).columns]
        columns = [Scored.of(stick, rng, raw=self.model == "linear") for stick in sticks]
        chosen = self.chosen(table)
        regressions = Regressions(columns, [i for i, masked in enumerate(chosen) if masked], self)
        regressions.fit(stretch(progress, 0.1, 0.4))
        made = []
        for release in range(m):
            step = stretch(progress, 0.4 + 0.6 * release / m, 0.4 + 0.6 * (release + 1) / m)
            shown = regressions.draw(rng, step, "" if m == 1 else f", release {release + 1} of {m}")
            made.append(self._masked(table, regressions, shown, chosen))
        return made

    @staticmethod
    def _masked(table: Table, regressions: Regressions, shown: list[Column], chosen: Sequence[bool]) -> Masked:
        told = make_table(shown)
        centres = [column.own[codes] for column, codes in zip(shown, told.codes, strict=True)]
        pairs = [(old, new) for old, new, masked in zip(table.columns, shown, chosen, strict=True) if masked]
        report = regressions.report([_changed(old, new) for old, new in pairs])
        return Masked(told.tuple_of, centres, list(regressions.notes), report=report, caveats=list(regressions.caveats))

    @property
    def title(self) -> str:
        return "Multiple imputation" if self.m > 1 else "Imputation"

    def explain(self) -> str:
        what = "The masked columns were" if self.columns else "Sensitive columns were"
        told = f"{what} drawn anew for every record, from what the other columns let expect. "
        if self.model == "pmm":
            told += "A record shows the value of another record of which about the same is expected."
        else:
            told += "A record shows its own value only by chance."
        return told + (f" There are {self.m} such releases of the same records." if self.m > 1 else "")

    def assurances(self) -> list[str]:
        what = f"The columns {', '.join(self.columns)}" if self.columns else "Sensitive columns"
        source = {
            "normal": "a regression on normal scores of ranks. Every value shown occurs in the original column: rare and "
            "extreme values can be in the release, on other records.",
            "linear": "a linear regression. Numbers need not occur in the original; every category shown does.",
            "pmm": "the values of other records of which a regression expects about the same (predictive mean matching): "
            "rare and extreme values can be in the release, on other records.",
        }[self.model]
        unmasked = "Columns that are not named" if self.columns else "Quasi-identifiers"
        told = [
            (
                f"{what} were drawn for every record, given its other columns, from {source} Means, spreads and relations "
                "are kept as far as the regression describes them."
            ),
            (
                "What a record shows in these columns does not depend on its own values, but for their part in a "
                "regression over all records. The better the other columns predict a value, the closer the drawn one "
                "comes to it: nothing bounds how close."
            ),
            (
                f"{unmasked} are not masked by imputation: records can be found by them. Imputation is not k-anonymous; "
                "judge the release by the worst attack known."
            ),
        ]
        if self.m > 1:
            told.append(
                f"There are {self.m} releases of the same records. Unmasked columns and the order of the records, which is "
                "the same in all of them, show which rows belong to one record. Averaged over the releases, its drawn values "
                "come nearer to what the regression expects of it than those of a single release: whoever has all releases "
                "knows more than whoever has one."
            )
        return told


def _changed(old: Column, new: Column) -> float:
    """The share of records that show another value than their own."""
    if isinstance(new, NumericColumn) and new.values is not old.values:
        one, other = old.own[old.codes], new.own[new.codes]
        return float(((one != other) & ~(np.isnan(one) & np.isnan(other))).mean())
    return float((old.codes != new.codes).mean())


@dataclass(frozen=True, eq=False)
class Scored:
    """A column on a line: its values in order, the place of each code (-1: missing), and what stands for it in regressions.

    ``signs``: for each code one or two numbers: the score of its value (0 where it is missing), and whether it is missing,
    where enough records are. ``raw``: numbers stand for themselves.
    """

    column: Column
    order: Longs
    place: Longs
    counts: Longs
    raw: bool

    @staticmethod
    def of(stick: Yardstick, rng: np.random.Generator, *, raw: bool) -> Scored:
        """Numbers and ranks by size, categories by marginality; equally marginal ones in random order."""
        column = stick.column
        keys: Floats = (
            stick.keys if isinstance(stick, LineYardstick) else dense_ranks(stick.marginalities()).astype(np.float64)
        )
        order = np.lexsort((rng.permutation(len(keys)), keys))
        order = order[(order != column.missing) & (column.counts[order] > 0)]
        place = np.full(len(column), -1, dtype=np.int64)
        place[order] = np.arange(len(order))
        return Scored(column, order, place, column.counts[order], raw and isinstance(column, NumericColumn))

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
            numbers = self.column.own[self.column.codes]
            middle, unit = middle_and_unit(numbers[~np.isnan(numbers)]) if len(self.order) else (0.0, 1.0)
            line[self.order] = (self.column.own[self.order] - middle) / unit
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
        self.n = len(columns[0].column.codes)
        self.notes: list[str] = []
        self.caveats: list[str] = []
        self.features: list[list[Floats]] = [c.features(c.column.codes) for c in columns]
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
                self.notes.append(f"{name}: all records have the same value: imputation changes nothing")
                continue
            known = [p for j, own in enumerate(self.places) if j not in self.masked or j < i for p in own if j != i]
            rows = np.flatnonzero(scored.place[scored.column.codes] >= 0)
            part = whole
            if scored.missing:
                absent = (scored.column.codes == scored.column.missing).astype(np.int64)
                self.gaps[i] = PlaceResponse(absent, np.bincount(absent), whole, known)
            if len(scored.order) > 1:
                part = whole if len(rows) == self.n else Predictors([feature[rows] for feature in every])
                self.values[i] = self._response(scored, part, known, rows)
            self._tell(i, known, part)

    def _response(self, scored: Scored, predictors: Predictors, known: list[int], rows: Longs) -> Response:
        codes = scored.column.codes[rows]
        if scored.raw:
            return NumberResponse(scored.column.own[codes], predictors, known, self.method.bounded)
        place = scored.place[codes]
        if self.method.model == "pmm":
            return DonorResponse(place, scored.counts, predictors, known, rows, self.method.donors)
        return PlaceResponse(place, scored.counts, predictors, known)

    def _tell(self, i: int, known: list[int], fitted: Predictors) -> None:
        """What should be known of the regressions of a column."""
        name = self.columns[i].column.name
        fits = [response.fit for response in (self.gaps.get(i), self.values.get(i)) if response is not None]
        if not known:
            self.notes.append(f"{name}: no other column predicts it: values are drawn from the column alone")
        crowded = self._names({place for fit in fits for place in fit.crowded})
        if crowded:
            self.notes.append(
                f"{name}: there are too few records ({RECORDS_EACH} to a coefficient) to use all predictors; not used: "
                f"{some_of(crowded)}"
            )
        repeated = self._names({place for fit in fits for place in fit.repeated})
        if repeated:
            self.notes.append(f"{name}: predictors that others determine are not used: {some_of(repeated)}")
        response = self.values.get(i)
        if response is None:
            return
        if response.explained > DETERMINED:
            self.caveats.append(
                f"{name} is all but determined by the other columns: drawn values come close to the original ones. Mask "
                "the columns that determine it, or leave it out."
            )
        if response.fit.used and response.fit.largest_leverage(fitted.features) > FOLLOWED:
            self.caveats.append(
                f"{name}: the regression follows single records that differ much from all others: what is drawn for them "
                "comes close to their own values. model: normal is less open to this."
            )

    def _names(self, places: set[int]) -> list[str]:
        return [c.column.name for c, own in zip(self.columns, self.places, strict=True) if places & set(own)]

    # ---- drawing -----------------------------------------------------------------------------------------------------

    def draw(self, rng: np.random.Generator, progress: Progress, which: str) -> list[Column]:
        """The columns of one release."""
        shown = [scored.column for scored in self.columns]
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
            shown[i] = replace(scored.column, codes=codes.astype(np.int32))
            features[i] = scored.features(codes)
        return shown

    @staticmethod
    def _numbers(scored: Scored, numbers: Floats, absent: Any) -> tuple[Column, list[Floats]]:
        """A column of numbers of its own, as precise as the original one, and what it says to later regressions."""
        column = scored.column
        assert isinstance(column, NumericColumn)
        rounded = np.where(absent, np.nan, column.rounded(numbers))
        distinct, codes = np.unique(rounded, return_inverse=True)  # NaN comes last, once
        gone = np.flatnonzero(np.isnan(distinct))
        made = replace(
            column,
            codes=codes.astype(np.int32),
            values=pl.Series(column.name, distinct).fill_nan(None),
            numbers=distinct,
            missing=int(gone[0]) if len(gone) else None,
        )
        known = column.own[column.codes]
        middle, unit = middle_and_unit(known[~np.isnan(known)])
        features = [np.where(absent, 0.0, (rounded - middle) / unit)]
        return made, features + ([absent.astype(np.float64)] if scored.tells_missing else [])

    def report(self, changed: Sequence[float]) -> pl.DataFrame:
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
        return pl.DataFrame(rows)
