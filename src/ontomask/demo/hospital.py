"""A synthetic hospital in three tables: patients, their stays, and the diagnoses of every stay.

Made of the records of :func:`ontomask.demo_data`: no record describes a real person. Real files look like this: several stays
of a patient, dates, keys that join the tables, and several diagnoses of a stay.
"""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

import numpy as np
import polars as pl

from ontomask.arguments import whole_from
from ontomask.arrays import Longs
from ontomask.demo.population import population, profile
from ontomask.demo.stays import demo_data

#: The first day of an admission, and how many days there are to be admitted on.
FIRST, DAYS = date(2021, 1, 1), 4 * 365 + 1
#: The chance that a patient comes back once more, and the most stays of one.
RETURNS, MOST_STAYS = 0.28, 40
#: The chance that a patient comes back for what was a secondary diagnosis before.
RELATED = 0.4
#: How codes of newborns begin.
NEWBORN = "V3"
#: Further diagnoses of a stay, at most and on average.
MOST_FURTHER, MEAN_FURTHER = 7, 2.0


class Hospital(NamedTuple):
    """Three tables that belong together: ``patient_id`` joins the first two, ``stay_id`` the last two."""

    patients: pl.DataFrame
    stays: pl.DataFrame
    diagnoses: pl.DataFrame


def demo_hospital(patients: int = 5_000, seed: int = 0) -> Hospital:
    """Draw a synthetic hospital with patients, stays and diagnoses.

    Parameters
    ----------
    patients : int, default 5000
        How many patients.
    seed : int, default 0
        The same arguments give the same tables everywhere.

    Returns
    -------
    Hospital
        ``patients``: patient_id, birth_date, sex, race. ``stays``: stay_id, patient_id, admitted, discharged, diagnosis
        (principal; ICD-9-CM), procedure (ICD-9-CM procedures), charge (dollars). ``diagnoses``: stay_id, place (1: principal),
        icd9_code.

    Notes
    -----
    About a quarter of the patients have several stays, which do not overlap. Some come back for what was a secondary
    diagnosis before; nobody is born twice.

    Examples
    --------
    >>> import ontomask as om
    >>> hospital = om.demo_hospital(100, seed=1)
    >>> hospital.patients.columns
    ['patient_id', 'birth_date', 'sex', 'race']
    >>> hospital.stays["patient_id"].n_unique()
    100
    """
    patients, seed = whole_from(1, patients, "patients"), whole_from(0, seed, "seed")
    rng = np.random.Generator(np.random.PCG64([seed, 3]))
    several = np.minimum(rng.geometric(1 - RETURNS, patients), MOST_STAYS)
    total = int(several.sum())
    # Records of one sex and race, and of nearly one age, are the stays of one patient.
    pool = demo_data(total, seed).with_columns(order=pl.Series(rng.random(total)))
    pool = pool.sort("sex", "race", "age", "order")
    own = rng.permutation(patients)
    of = np.repeat(own, several[own])
    first = np.concatenate(([0], np.cumsum(several[own])[:-1]))
    admitted, stay = _dates(rng, of, pool["length_of_stay"].to_numpy())
    # By patient, and by date.
    order = np.lexsort((admitted, of))
    pool, of, admitted, stay = pool[order], of[order], admitted[order], stay[order]
    first = np.flatnonzero(np.diff(of, prepend=-1))
    numbers = rng.permutation(np.arange(100_000, 100_000 + 9 * patients, 9))
    stays = pl.DataFrame(
        {
            "stay_id": pl.Series([f"S{number:07d}" for number in rng.permutation(total) + 1]),
            "patient_id": pl.Series([f"P{number}" for number in numbers[of]]),
            "admitted": _as_dates(admitted),
            "discharged": _as_dates(admitted + stay),
            "diagnosis": _related(rng, of, pool),
            "procedure": pool["procedure"],
            "charge": pool["charge"],
        }
    )
    diagnoses = _diagnoses(rng, stays, pool)
    at_first = pool[first]
    born = admitted[first] - (365.2425 * (at_first["age"].to_numpy() + rng.random(patients))).astype(np.int64)
    born = np.where(at_first["diagnosis"].str.starts_with(NEWBORN), admitted[first], born)  # on the day of birth
    found = pl.DataFrame(
        {
            "patient_id": stays["patient_id"][first],
            "birth_date": _as_dates(born),
            "sex": at_first["sex"],
            "race": at_first["race"],
        }
    )
    return Hospital(found.sort("patient_id"), stays.sort("admitted", "stay_id"), diagnoses)


def _dates(rng: np.random.Generator, of: Longs, length: Longs) -> tuple[Longs, Longs]:
    """The day of each admission, in days since 1970, and the days of each stay: the stays of a patient follow each other."""
    day = rng.integers(0, DAYS, len(of))
    order = np.lexsort((day, of))
    begins = np.flatnonzero(np.diff(of[order], prepend=-1))
    for begin, end in zip(begins, [*begins[1:], len(of)], strict=True):
        free = 0
        for place in order[begin:end]:
            day[place] = max(day[place], free)
            free = day[place] + length[place] + 1
    return day + (FIRST - date(1970, 1, 1)).days, length


def _as_dates(days: Longs) -> pl.Series:
    return pl.Series(days.astype(np.int32)).cast(pl.Date)


def _related(rng: np.random.Generator, of: Longs, pool: pl.DataFrame) -> pl.Series:
    """Principal diagnoses: some are what was secondary in the stay before, and so is that of whoever was born already."""
    born = pool["diagnosis"].str.starts_with(NEWBORN).to_numpy()
    again = (np.diff(of, prepend=-1) == 0) & ((rng.random(len(of)) < RELATED) | born)
    before = pool["secondary_diagnosis"].shift(1)
    return pool.select(pl.when(pl.Series(again)).then(before).otherwise(pl.col("diagnosis")).alias("d")).to_series()


def _diagnoses(rng: np.random.Generator, stays: pl.DataFrame, pool: pl.DataFrame) -> pl.DataFrame:
    """The principal diagnosis of every stay, the secondary one, and some that come with age; each once."""
    people, n = population(), len(stays)
    further = np.minimum(rng.poisson(MEAN_FURTHER, n), MOST_FURTHER)
    band = np.searchsorted(profile().age_bands, pool["age"].to_numpy(), side="right")
    codes = pl.Series(people.diagnoses.concepts)
    row = np.repeat(np.arange(n), further)
    drawn = codes.gather(people.comorbid.draw(rng, band[row]))
    parts = [
        pl.DataFrame({"row": np.arange(n), "place": 1, "icd9_code": stays["diagnosis"]}),
        pl.DataFrame({"row": np.arange(n), "place": 2, "icd9_code": pool["secondary_diagnosis"]}),
        pl.DataFrame({"row": row, "place": 3, "icd9_code": drawn}),
    ]
    once = pl.concat([part.cast({"row": pl.Int64, "place": pl.Int64}) for part in parts]).sort(
        "row", "place", maintain_order=True
    )
    once = once.unique(["row", "icd9_code"], keep="first", maintain_order=True)
    numbered = once.with_columns(place=pl.int_range(1, pl.len() + 1).over("row"))
    return numbered.select(stay_id=stays["stay_id"].gather(numbered["row"]), place="place", icd9_code="icd9_code")
