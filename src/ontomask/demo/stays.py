"""Synthetic hospital discharges, for demonstrations, tutorials and experiments.

No record is of a person: all are drawn from a made-up population (:mod:`ontomask.demo.population`) with the
shape of the papers' data, which cannot be shipped: discharges of Californian hospitals in 2010 (M13 section 3.2; D12).

Of 19,502 neoplasms about as many codes are distinct as there (542), about as many occur once (129), and nearly as many
tuples of age, stay, charge and diagnosis are unique (12,304). That so few are unique takes charges that mostly follow
from the case: agreed rates. M13's 143,472 digestive discharges were nearly all unique (142,897); no rule that gives the
one figure gives the other, so that one is not met.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import did_you_mean, short, whole_from
from ontomask.arrays import Longs
from ontomask.demo.population import Population, leaves_of, population, profile
from ontomask.errors import OptionError
from ontomask.kinds.flat import Flat
from ontomask.kinds.nominal import Nominal
from ontomask.kinds.numeric import Numeric
from ontomask.policy.policy import Policy

#: What to say wherever these data are shown.
DEMO_NOTICE = (
    "Synthetic data: hospital discharges made up by ontomask. No record is of a person; shares, stays and charges "
    "are plausible, not measured."
)
#: Percent of the stays that are charged at the agreed rate, which does not know how severe a case is.
USUAL = 93
MINOR, MAJOR = 0.8, 2.0  # what a rate takes a procedure to cost
ROUNDING = 100  # dollars
LONGEST_STAY = 365


def demo_data(n: int = 20_000, seed: int = 0, *, chapter: str | None = None) -> pl.DataFrame:
    """Draw synthetic hospital discharges.

    Parameters
    ----------
    n : int, default 20000
        How many records.
    seed : int, default 0
        The same arguments give the same records everywhere; a longer table does not begin with a shorter one.
    chapter : str, optional
        Keep to principal diagnoses of one chapter, by name (``"neoplasms"``, ``"digestive"``, ...), or of any branch of
        ICD-9-CM, by code (``"140-239"``, ``"250"``).

    Returns
    -------
    polars.DataFrame
        Columns: age (years), sex, race, length_of_stay (days), charge (dollars), diagnosis (principal; ICD-9-CM),
        secondary_diagnosis (ICD-9-CM) and procedure (ICD-9-CM procedures).

    Notes
    -----
    Columns depend on each other: age, sex, procedure and secondary diagnosis on the diagnosis, code by code; stay and
    charge on all of them.

    Examples
    --------
    >>> import ontomask as om
    >>> om.demo_data(1000, seed=1).shape
    (1000, 8)
    """
    n, seed = whole_from(1, n, "n"), whole_from(0, seed, "seed")
    people = population()
    branch = _branch(people, chapter)
    rng = np.random.Generator(np.random.PCG64(seed))
    running = np.cumsum(people.weight[branch])
    at = (rng.random(n) * running[-1]).astype(np.int64)
    diagnosis = branch[np.searchsorted(running, at, side="right")]

    male = rng.random(n) * 100 < people.male[diagnosis]
    age = people.ages.draw(rng, people.age_model[diagnosis])
    band = np.searchsorted(profile().age_bands, age, side="right")
    by_code = people.race_row[diagnosis]
    race = people.races.draw(rng, np.where(by_code >= 0, by_code, band))
    secondary = _secondary(people, rng, diagnosis, age, band)
    procedure = _procedure(people, rng, diagnosis, male)
    severity = rng.standard_normal(n) + people.grave[secondary]
    stay = _stay(people, rng, diagnosis, procedure, severity, age)
    charge = _charge(people, rng, diagnosis, procedure, severity, stay)
    return pl.DataFrame(
        {
            "age": age,
            "sex": _texts(("female", "male"), male.astype(np.int64)),
            "race": _texts(profile().races, race),
            "length_of_stay": stay,
            "charge": charge,
            "diagnosis": _texts(people.diagnoses.concepts, diagnosis),
            "secondary_diagnosis": _texts(people.diagnoses.concepts, secondary),
            "procedure": _texts(people.procedures.concepts, procedure),
        }
    )


def demo_policy(method: Any = None, *, require: Any = ()) -> Policy:
    """A policy for the columns of :func:`ontomask.demo_data`: what each is, and its role.

    Parameters
    ----------
    method : Method, optional
        How the quasi-identifiers are masked.
    require : Model or sequence of Model, optional
        What a release must satisfy.

    Returns
    -------
    Policy
        What others may know of a stay is a quasi-identifier; charge and secondary diagnosis are sensitive.

    Examples
    --------
    >>> import ontomask as om
    >>> om.demo_policy(om.Microaggregation(k=5)).quasi_identifiers
    ['age', 'sex', 'race', 'length_of_stay', 'diagnosis', 'procedure']
    """
    attributes = {
        "age": Numeric(decimals=0),
        "sex": Flat(),
        "race": Flat(),
        "length_of_stay": Numeric(decimals=0),
        "charge": Numeric(role="sensitive"),
        "diagnosis": Nominal(taxonomy="icd9cm"),
        "secondary_diagnosis": Nominal(taxonomy="icd9cm", role="sensitive"),
        "procedure": Nominal(taxonomy="icd9cm_procedures"),
    }
    return Policy(attributes=attributes, method=method, require=require or [])


def _branch(people: Population, chapter: Any) -> Longs:
    """The positions of the diagnoses asked for."""
    if chapter is None:
        return np.flatnonzero(people.weight)
    chapters = profile().chapters
    known = f"There are: {', '.join(chapters)}; or a code of ICD-9-CM such as '140-239' or '250'."
    if not isinstance(chapter, str):
        raise OptionError(f"chapter={short(repr(chapter))} is not text", remedy=known)
    if chapter in chapters:
        # By the chapter's number: newborns have a chapter of their own among the supplementary codes.
        inside = people.chapter == list(chapters).index(chapter)
        return np.flatnonzero(inside & (people.weight > 0))
    place = people.diagnoses.find(chapter)
    if place is None:
        near = did_you_mean(chapter, chapters)
        raise OptionError(f"no chapter {short(repr(chapter))}", remedy=near + known)
    leaves = leaves_of(people.diagnoses, people.diagnoses.concepts[place])
    found: Longs = leaves[people.weight[leaves] > 0]
    if not len(found):
        raise OptionError(f"nobody is in hospital for {chapter!r} in these data", remedy=known)
    return found


def _secondary(people: Population, rng: np.random.Generator, diagnosis: Longs, age: Longs, band: Longs) -> Longs:
    """What goes with the diagnosis, or what comes with age."""
    share = np.array([chapter.comorbid for chapter in profile().chapters.values()])[people.chapter[diagnosis]]
    from_age = rng.random(len(diagnosis)) * 100 < share
    going_with = people.companion.draw(rng, people.treatment_row[diagnosis])
    comorbid = people.comorbid.draw(rng, band)
    model = people.age_model[going_with]
    from_age |= (age < people.youngest[model]) | (age > people.oldest[model])
    # Nobody has the same diagnosis twice: what goes with it never is the diagnosis itself.
    return np.where(from_age & (comorbid != diagnosis), comorbid, going_with)


def _procedure(people: Population, rng: np.random.Generator, diagnosis: Longs, male: NDArray[np.bool_]) -> Longs:
    """What is done for the diagnosis, or what anybody may get."""
    share = np.array([chapter.general for chapter in profile().chapters.values()])[people.chapter[diagnosis]]
    general = rng.random(len(diagnosis)) * 100 < share
    own = people.treatment.draw(rng, people.treatment_row[diagnosis])
    drawn = np.where(general, people.general.draw(rng, np.zeros(len(diagnosis), dtype=np.int64)), own)
    # Only newborns' codes leave open whether an operation on boys fits; girls are vaccinated instead.
    return np.where(people.male_only[drawn] & ~male, people.procedures.position("99.55"), drawn)


def _stay(
    people: Population,
    rng: np.random.Generator,
    diagnosis: Longs,
    procedure: Longs,
    severity: NDArray[np.float64],
    age: Longs,
) -> Longs:
    """Whole days, lognormal: longer for the severely ill, the old and after what keeps in bed."""
    grown = np.maximum(age, 40) - 55
    middle = people.stay[diagnosis] + people.stay_factor[procedure] + 0.004 * grown
    # Short stays are planned ones: they vary less.
    spread = np.clip(0.27 + 0.14 * people.stay[diagnosis], 0.25, 0.6)
    days = np.exp(middle + spread * (0.5 * severity + rng.standard_normal(len(age))))
    return np.minimum(np.floor(days + 0.5), LONGEST_STAY).astype(np.int64)


def _charge(
    people: Population,
    rng: np.random.Generator,
    diagnosis: Longs,
    procedure: Longs,
    severity: NDArray[np.float64],
    stay: Longs,
) -> Longs:
    """Dollars: the procedure, the days, and how severe it was; most stays at the rate agreed for such a case."""
    base = people.charge[diagnosis]
    usual = rng.random(len(stay)) * 100 < USUAL
    # The rate knows whether there was an operation; what a procedure costs beyond that shows in the others.
    cost = people.cost[procedure]
    cost = np.where(usual, np.where(cost < 1, MINOR, MAJOR), cost)
    plain = base * cost + (1_200 + 0.2 * base) * np.maximum(stay, 0.5)
    own = np.exp(0.12 * severity + 0.38 * rng.standard_normal(len(stay)))
    dollars = np.where(usual, plain, plain * own)
    return (np.maximum(np.floor(dollars / ROUNDING + 0.5), 1) * ROUNDING).astype(np.int64)


def _texts(texts: Sequence[str], places: Longs) -> pl.Series:
    return pl.Series(list(texts), dtype=pl.String).gather(places)
