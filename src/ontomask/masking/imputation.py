"""Multiple imputation as a masking method: masked columns are drawn anew from regressions on the other columns.

D12's benchmark, sequential regression (SRMI, Raghunathan et al. 2001), for nominal columns through their marginality.
Nothing was missing: the result is what Reiter (2003) calls partially synthetic data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal, Self, get_args

import numpy as np
from pydantic import Field, model_validator

from ontomask.arguments import counted
from ontomask.errors import DataError
from ontomask.masking.goals import Goals
from ontomask.masking.method import DistanceMethod, Masked, RandomMethod, SelectiveMethod
from ontomask.masking.regressions import Regressions, Scored
from ontomask.microdata.attributes import Role
from ontomask.microdata.columns import Coded
from ontomask.microdata.encoding import Table, Tuples, make_table
from ontomask.privacy.diagnostics import Changes, Diagnostics
from ontomask.privacy.models import Model as PrivacyModel
from ontomask.progress import Progress, stretch
from ontomask.settings import Count
from ontomask.statements import Statement, caveat, promised, unchanged
from ontomask.wording import RECORD, Unit

Model = Literal["normal", "linear", "pmm"]
#: Releases at most.
MOST = 100
#: Donors where their number is not given.
DONORS = 5


class Imputation(RandomMethod, SelectiveMethod, DistanceMethod):
    """Sensitive columns, or those named in ``columns``, are drawn anew for every record.

    Notes
    -----
    One after the other, in the order of the data, each masked column is regressed on the columns that stay as they are and
    on the masked ones before it. The regression is fitted to the original records. For each release its parameters are drawn
    from their posterior distribution, and then a value for every record, given the columns that stay and the values
    already drawn. ``m`` releases of the same records let an analyst see how much the drawing adds to the uncertainty of a
    figure (:func:`ontomask.combine_estimates`).

    ``normal``: all columns as normal scores of their ranks, categories in the order of their marginality; what is drawn are
    values of the column. ``linear``: numbers as they are, with normal residuals, rounded like the column; other columns as
    in ``normal``. ``pmm``, predictive mean matching: a record takes the value of another one of which about the same is
    expected.

    Examples
    --------
    >>> import ontomask as om
    >>> om.Imputation(m=5, columns=["charge"])
    Imputation(columns=['charge'], m=5)
    """

    name: Literal["imputation"] = "imputation"
    masks: ClassVar[tuple[Role, ...]] = ("sensitive",)
    looks_at: ClassVar[tuple[Role, ...]] = ("quasi", "sensitive")

    m: Count = Field(default=1, description="number of releases of the same records")
    model: Model = Field(
        default="normal",
        description="normal: normal scores of ranks; linear: the numbers themselves; pmm: values of similar records",
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

    def variations(self, require: Sequence[PrivacyModel]) -> dict[str, Self]:
        # Settings of one model do not fit another.
        others = {model: self.changed(model=model, donors=DONORS, bounded=True) for model in get_args(Model)}
        return {f"model={model}": one for model, one in (others | {self.model: self}).items()}

    @property
    def releases(self) -> int:
        return self.m

    def require_enough(self, table: Tuples) -> None:
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
        metrics = [column.metric() for column in self.measured(table).columns]
        columns = [
            Scored.of(metric, table.codes_of(a), rng, raw=self.model == "linear") for a, metric in enumerate(metrics)
        ]
        chosen = self.chosen(table)
        regressions = Regressions(columns, [i for i, masked in enumerate(chosen) if masked], self)
        regressions.fit(stretch(progress, 0.1, 0.4))
        made = []
        for release in range(m):
            step = stretch(progress, 0.4 + 0.6 * release / m, 0.4 + 0.6 * (release + 1) / m)
            shown = regressions.draw(rng, step, "" if m == 1 else f", release {release + 1} of {m}")
            made.append(self._masked(table, regressions, shown, chosen))
        same = _unchanged([one.diagnostics for one in made])
        return [replace(one, caveats=[*one.caveats, *same]) for one in made]

    @staticmethod
    def _masked(table: Table, regressions: Regressions, shown: list[Coded], chosen: Sequence[bool]) -> Masked:
        told = make_table(shown)
        centres = [column.centre_of_code[codes] for column, codes in zip(told.columns, told.codes, strict=True)]
        old = [Coded(column, table.codes_of(a)) for a, column in enumerate(table.columns)]
        changed = [_changed(*pair) for *pair, masked in zip(old, shown, chosen, strict=True) if masked]
        changes = regressions.measured(changed)
        return Masked(
            told.rows.tuple_of, centres, list(regressions.notes), diagnostics=changes, caveats=list(regressions.caveats)
        )

    @property
    def title(self) -> str:
        return "Multiple imputation" if self.m > 1 else "Imputation"

    def explain(self, unit: Unit = RECORD) -> str:
        what = "The masked columns were" if self.columns else "Sensitive columns were"
        text = f"{what} replaced by new values for every record, drawn from what the other columns predict. "
        if self.model == "pmm":
            text += "A record shows the value of another record with a similar prediction."
        else:
            text += "A record shows its own value only by chance, or where the other columns determine it."
        return text + (f" There are {self.m} such releases of the same records." if self.m > 1 else "")

    def assurances(self, unit: Unit = RECORD) -> list[Statement]:
        what = f"The columns {', '.join(self.columns)}" if self.columns else "Sensitive columns"
        source = {
            "normal": "a regression on normal scores of ranks. Every value shown occurs in the original column: rare and "
            "extreme values can be in the release, on other records.",
            "linear": "a linear regression. Numbers need not occur in the original; every category shown does.",
            "pmm": "the values of other records with about the same prediction by a regression (predictive mean matching): "
            "rare and extreme values can be in the release, on other records.",
        }[self.model]
        unmasked = "Columns that are not named" if self.columns else "Quasi-identifiers"
        own = (
            "No record is its own donor. If, in many releases, similar records show a value and this record never does, the "
            "value is likely to be its own."
            if self.model == "pmm"
            else "What a record shows in these columns depends on its own values only through a regression over all records."
        )
        statements = [
            promised(
                f"{what} were drawn for every record, given its other columns, from {source} Means, spreads and relations "
                "are kept as far as the regression describes them."
            ),
            caveat(
                f"{own} The better the other columns predict a value, the closer the drawn one "
                "comes to it: nothing bounds how close."
            ),
            caveat(
                f"{unmasked} are not masked by imputation: records can be found by them. Imputation is not k-anonymous; "
                "judge the release by the most successful attack."
            ),
        ]
        if self.m > 1:
            text = (
                f"There are {self.m} releases of the same records. Unmasked columns and the order of the records, which is "
                "the same in all of them, show which rows belong to one record. The average of its drawn values over the "
                "releases is closer to the prediction of the regression than a single one: several releases together disclose "
                "more than one."
            )
            statements.append(caveat(text))
        return statements


def _unchanged(each: Sequence[Diagnostics | None]) -> list[Statement]:
    """Columns that came out as they went in, as constant ones do; said with every release, whichever it is in."""
    found: dict[str, list[int]] = {}
    for number, measured in enumerate(each, 1):
        for name in measured.unchanged if isinstance(measured, Changes) else ():
            found.setdefault(name, []).append(number)
    statements = []
    for name, numbers in found.items():
        where = f" in release {', '.join(map(str, numbers))}" if len(numbers) < len(each) else ""
        statements.append(unchanged(name, where))
    return statements


def _changed(old: Coded, new: Coded) -> float:
    """The share of records that show another value than their own."""
    if new.column.continuous and new.column.values is not old.column.values:
        one, other = (column.centre_of_code[codes] for column, codes in (old, new))
        return float(((one != other) & ~(np.isnan(one) & np.isnan(other))).mean())
    return float((old.codes != new.codes).mean())
