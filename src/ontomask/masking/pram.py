"""PRAM by meaning: values are replaced at random, preferably by near ones, and counts are kept in expectation."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import polars as pl
from pydantic import BeforeValidator, Field

from ontomask.arguments import counted
from ontomask.arrays import Longs
from ontomask.errors import DataError
from ontomask.masking.displacement import measure_changes
from ontomask.masking.method import DistanceMethod, Masked, SelectiveMethod
from ontomask.masking.transitions import Transitions
from ontomask.microdata.encoding import Table, Tuples
from ontomask.privacy.diagnostics import Changes
from ontomask.progress import Progress
from ontomask.settings import number
from ontomask.statements import Statement, caveat, promised, unchanged

#: Different numbers of a numeric column at most: more are measurements, not categories.
MOST_NUMBERS = 1000
#: Values of a column whose whole transition matrix is listed for the steward.
MOST_LISTED = 300


class PRAM(SelectiveMethod, DistanceMethod):
    """Post-randomisation: each value is kept with a stated probability, else replaced by another of its column.

    Notes
    -----
    The probability of a replacement falls with its distance, by a factor e for each ``reach``. The matrix of all
    probabilities is invariant: the expected number of records with each value is what it was. Flat values are all
    equally near; ordered categories and numbers of few different values are as near as their ranks or numbers. Missing
    values stay missing.

    Examples
    --------
    >>> import ontomask as om
    >>> om.PRAM(keep=0.9)
    PRAM(keep=0.9)
    """

    name: Literal["pram"] = "pram"
    keep: Annotated[float, BeforeValidator(number), Field(ge=0, lt=1)] = Field(
        default=0.8, description="the probability that a value is kept"
    )
    reach: Annotated[float, BeforeValidator(number), Field(ge=0.01, le=100)] = Field(
        default=0.1,
        description="the distance, in units of the column's largest, over which a replacement gets less likely by a factor e",
    )

    @property
    def draws(self) -> bool:
        return True

    def require_enough(self, table: Tuples) -> None:
        for column, masked in zip(table.columns, self.chosen(table), strict=True):
            if masked and column.continuous and len(column) > MOST_NUMBERS:
                raise DataError(
                    f"holds {len(column):,} different numbers; PRAM replaces categories, and takes numbers for them up to "
                    f"{MOST_NUMBERS:,}",
                    where=column.where,
                    remedy="Mask it with noise_addition, round it, or name the columns to mask without it: columns=[...].",
                )

    def mask(self, table: Table, rng: np.random.Generator, progress: Progress) -> Masked:
        self.require_enough(table)
        chosen = self.chosen(table)
        measured = self.measured(table).columns
        codes = [table.codes_of(a).astype(np.int64) for a in range(len(table.columns))]
        rows: list[dict[str, object]] = []
        parts: list[pl.DataFrame] = []
        matrices: list[pl.DataFrame] = []
        notes: list[str] = []
        for place, column in enumerate(measured):
            if not chosen[place]:
                continue
            progress(place / len(measured), f"replacing values of {column.name}")
            made = Transitions.of(column.distance(), self.keep, self.reach)
            before, codes[place] = codes[place], made.draw(codes[place], rng.random(table.n))
            rows.append(self._row(made, before, codes[place]))
            parts.append(_categories(made, codes[place]))
            matrices += [_listed(made)] if len(made) <= MOST_LISTED else []
            notes += _notes(made)
        changes = Changes(pl.DataFrame(rows))
        details = {"categories": pl.concat(parts)} | ({"transitions": pl.concat(matrices)} if matrices else {})
        caveats = [*self.left_alone(table), *self._caveats(changes)]
        return Masked.of_codes(table, codes, notes=notes, diagnostics=changes, caveats=caveats, details=details)

    def transitions(self, table: Tuples) -> dict[str, Transitions]:
        """The transition matrices of the masked columns, by name: ``matrix()`` of one is the whole of it."""
        columns = zip(self.measured(table).columns, self.chosen(table), strict=True)
        return {c.name: Transitions.of(c.distance(), self.keep, self.reach) for c, masked in columns if masked}

    def _row(self, made: Transitions, before: Longs, codes: Longs) -> dict[str, object]:
        kept, counts = made.keep, made.counts
        after = np.bincount(codes, minlength=len(made.metric.column))[made.values]
        figures = {
            "categories": len(made),
            "keep": self.keep,
            "keep_min": float(kept.min(initial=1.0)),
            "keep_mean": float((kept * counts).sum() / counts.sum()) if len(counts) else 1.0,
            "keep_max": float(kept.max()) if len(kept) else 1.0,
            "count_change_max": int(np.abs(after - counts).max(initial=0)),
        }
        return measure_changes(made.metric, before, codes) | figures

    def _caveats(self, changes: Changes) -> list[Statement]:
        said = [unchanged(name) for name in changes.unchanged]
        for row in changes.table.iter_rows(named=True):
            if row["categories"] > 1 and row["keep_max"] > self.keep + 1e-6:
                told = f"{row['attribute']}: some values were kept with a higher probability than {self.keep:g}"
                figures = f"up to {row['keep_max']:.3f} (on average over records {row['keep_mean']:.3f})"
                said.append(caveat(f"{told}, {figures}.", row["attribute"], f"{told}."))
        return said

    @property
    def title(self) -> str:
        return "PRAM"

    def explain(self) -> str:
        return (
            f"Each value of the masked columns was kept with a probability of {self.keep:g}, and else replaced at random by "
            "another value of its column, preferably by one that is similar."
        )

    def assurances(self) -> list[Statement]:
        return [
            promised(
                f"Each value of a masked column was kept with probability {self.keep:g} at least, and else replaced by another "
                "value of the column, near ones being preferred. The probabilities are such that the expected number of "
                "records with each value is that of the original; the actual numbers differ by chance. Missing values stay "
                "missing."
            ),
            promised(
                "A released value is the original one with the probability that the value was kept with. This is what an "
                "intruder knows who has only this column and the transition matrix; other columns may tell more."
            ),
            caveat(
                "PRAM is not k-anonymous: a combination of values may be unique. Judge the release by record linkage. "
                "Relations between columns are weakened; the transition matrix, which the steward has, serves to correct it."
            ),
        ]


def _categories(made: Transitions, codes: Longs) -> pl.DataFrame:
    """A row for each value: how many records had it, which is also the expected number, and how many show it."""
    column = made.metric.column
    after = np.bincount(codes, minlength=len(column))[made.values]
    return pl.DataFrame(
        {
            "attribute": pl.Series([column.name] * len(made), dtype=pl.String),
            "value": _texts(made),
            "expected": pl.Series(made.counts.astype(np.int64)),
            "released": pl.Series(after.astype(np.int64)),
            "keep": pl.Series(made.keep),
        }
    )


def _listed(made: Transitions) -> pl.DataFrame:
    """The transition matrix, a row for each pair of values."""
    size, texts = len(made), _texts(made)
    return pl.DataFrame(
        {
            "attribute": pl.Series([made.metric.column.name] * size**2, dtype=pl.String),
            "original": texts.gather(np.repeat(np.arange(size), size)),
            "released": texts.gather(np.tile(np.arange(size), size)),
            "probability": pl.Series(made.matrix().ravel()),
        }
    )


def _texts(made: Transitions) -> pl.Series:
    return made.metric.column.values.gather(made.values).cast(pl.String)


def _notes(made: Transitions) -> list[str]:
    name, notes = made.metric.column.name, []
    if made.metric.column.missing is not None:
        notes.append(f"{name}: missing values stay missing")
    if len(made) < 2:
        notes.append(f"{name}: {counted(len(made), 'category', 'categories')}: no other value to replace it with")
    if len(made) > MOST_LISTED:
        notes.append(
            f"{name}: {len(made):,} categories; the transition matrix is not listed: method.transitions(result.prepared.table)"
            f"[{name!r}].matrix() has it"
        )
    return notes
