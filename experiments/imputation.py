"""Sequential-regression multiple imputation, the benchmark of D12: numbers and flat categories made up from regressions.

D12 uses IVEware's SYNTHESIZE. Here a blank record stands beside every original one, and is filled in:

* flat columns one after the other, each drawn from a logistic regression on those before it (the first from its shares);
* numbers by scikit-learn's `IterativeImputer`: each is regressed on all other columns (categories as 0/1), blanks are
  drawn from what the regression predicts, within the range of the original, and so on in turn, some rounds.

Nothing of the original is in the result but what the regressions learnt. Taxonomies they do not know: 542 diagnoses would
be 541 columns of 0/1, which is D12's point.

It needs scikit-learn, which nothing else here does: `pip install 'ontomask[experiments]'`. (statsmodels' MICE knows only
predictive mean matching, which hands out values of real records: no synthesis as D12 means it.)
"""

from __future__ import annotations

import importlib.util

import numpy as np
import polars as pl
from numpy.typing import NDArray

ROUNDS = 10

Floats = NDArray[np.float64]


def require() -> None:
    """Say what is missing before anything runs."""
    if importlib.util.find_spec("sklearn") is None:
        raise SystemExit(
            "D12's benchmark, multiple imputation, needs scikit-learn: pip install 'ontomask[experiments]'"
        )


def impute(frame: pl.DataFrame, seed: int, *, bounded: bool = True) -> pl.DataFrame:
    """As many made-up records as there are, with the same columns; whole numbers stay whole.

    ``bounded``: numbers are drawn within the range of the original, else from all that the normal distribution gives.
    """
    require()
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401  (scikit-learn asks for it)
    from sklearn.impute import IterativeImputer

    rng = np.random.default_rng(seed)
    flat = [name for name in frame.columns if frame[name].dtype == pl.String]
    numbers = [name for name in frame.columns if name not in flat]
    drawn = _flat(frame.select(flat), rng)
    known = np.vstack((_indicators(frame.select(flat), frame), _indicators(drawn, frame)))
    values = frame.select(numbers).to_numpy().astype(np.float64)
    blank = np.full_like(values, np.nan)
    low, high = (np.full(len(numbers) + known.shape[1], bound) for bound in (-np.inf, np.inf))
    if bounded:
        low[: len(numbers)], high[: len(numbers)] = values.min(axis=0), values.max(axis=0)
    imputer = IterativeImputer(
        sample_posterior=True,
        max_iter=ROUNDS,
        skip_complete=True,
        min_value=low,
        max_value=high,
        random_state=int(rng.integers(2**31)),
    )
    filled = imputer.fit_transform(np.hstack((np.vstack((values, blank)), known)))[len(frame) :, : len(numbers)]
    made = {name: _like(frame[name], filled[:, i]) for i, name in enumerate(numbers)}
    return pl.DataFrame([made[name] if name in made else drawn[name] for name in frame.columns])


def _flat(frame: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Flat columns drawn one after the other, each from what those before it let expect."""
    from sklearn.linear_model import LogisticRegression

    drawn: list[pl.Series] = []
    for i, name in enumerate(frame.columns):
        column = frame[name]
        values = column.unique().sort()
        if i == 0 or len(values) == 1:
            chances = np.tile([float((column == value).mean()) for value in values], (len(frame), 1))
        else:
            before = frame.select(frame.columns[:i])
            model = LogisticRegression(max_iter=1000).fit(_indicators(before, frame), column.to_numpy())
            values = pl.Series(model.classes_)
            chances = model.predict_proba(_indicators(pl.DataFrame(drawn), frame))
        places = (chances.cumsum(axis=1) < rng.random((len(frame), 1))).sum(axis=1)
        drawn.append(values.gather(np.minimum(places, len(values) - 1)).alias(name))
    return pl.DataFrame(drawn)


def _indicators(flat: pl.DataFrame, original: pl.DataFrame) -> Floats:
    """A column of 0/1 for each category of each column but its first one."""
    every = [(flat[name] == value).to_numpy() for name in flat.columns for value in original[name].unique().sort()[1:]]
    return np.column_stack(every).astype(np.float64) if every else np.zeros((len(flat), 0))


def _like(column: pl.Series, values: Floats) -> pl.Series:
    return pl.Series(column.name, np.rint(values) if column.dtype.is_integer() else values).cast(column.dtype)
