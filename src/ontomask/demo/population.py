"""The population that ``demo_data`` samples: weights of codes, made once per process from tables and taxonomies.

The tables are ``data/profile.toml`` (who is discharged) and ``data/care.toml`` (what is done).

Nothing here depends on a user's seed. Wherever codes must differ from each other without a figure in the tables (how
frequent a rare code is, which of the likely procedures a diagnosis prefers), the difference is a fixed function of the
codes' names, so the population is always the same and every table drawn is a sample of it. All weights are whole
numbers, so that what is drawn does not hang on the last bit of a float.
"""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Flags, Floats, Longs
from ontomask.files.packaged import Packaged, WordList
from ontomask.taxonomy.catalog import load_taxonomy
from ontomask.taxonomy.taxonomy import Taxonomy


class Chapter(Packaged):
    """A chapter of principal diagnoses; ``profile.toml`` explains the fields."""

    concept: str
    share: float
    spread: float
    male: float
    age: str
    stay: float
    charge: float
    general: float
    comorbid: float


class Profile(Packaged):
    """Who is discharged, and with what. Texts are lists of ``key:value``."""

    chapters: dict[str, Chapter]
    frequencies: dict[str, str]
    never: WordList
    labels: list[tuple[str, float]]
    ages: dict[str, list[tuple[float, float, float, int, int]]]
    age_of: str
    male: str
    stays: str
    races: tuple[str, ...]
    race_shares: list[list[float]]
    race_of: dict[str, list[float]]
    age_bands: tuple[int, ...]


class Care(Packaged):
    """What is done for whom, and what else the patients have."""

    procedures: dict[str, str]
    secondary: dict[str, str]
    general: str
    costs: str
    stay_factors: str
    comorbid: list[str]
    grave: str


@cache
def profile() -> Profile:
    """The figures of ``profile.toml``."""
    return Profile.load("demo/data/profile.toml")


@cache
def care() -> Care:
    """The figures of ``care.toml``."""
    return Care.load("demo/data/care.toml")


Keys = NDArray[np.uint64]

OLDEST = 105
#: How many procedures or secondary diagnoses are likely for one diagnosis, of how many that the tables offer.
LIKELY, OFFERED = 10, 40
#: Spread (of the logarithm) among the offers of a branch, the tastes of a category and those of a single code.
BRANCH_SPREAD, CATEGORY_SPREAD, CODE_SPREAD = 1.0, 0.8, 0.8


class Weights(NamedTuple):
    """Weighted lists, one after the other: row i has the items ``start[i]`` to ``start[i + 1]``."""

    start: Longs
    item: Longs
    running: Longs  # sum of all weights before each place; one longer than item

    @staticmethod
    def of(rows: Iterable[tuple[Sequence[int] | Longs, Floats]]) -> Weights:
        """From (items, weights) of each row."""
        listed = list(rows)
        row = np.repeat(np.arange(len(listed)), [len(weight) for _, weight in listed])
        item = np.concatenate([np.asarray(item, dtype=np.int64) for item, _ in listed])
        return Weights.flat(row, item, np.concatenate([weight for _, weight in listed]))

    @staticmethod
    def flat(row: Longs, item: Longs, weight: Floats) -> Weights:
        """From entries in any order; every row is scaled to a million and keeps what does not vanish."""
        total = np.bincount(row, weights=weight)
        whole = np.rint(1e6 * weight / total[row]).astype(np.int64)
        kept = np.flatnonzero(whole)
        kept = kept[np.argsort(row[kept], kind="stable")]
        start = np.concatenate(([0], np.cumsum(np.bincount(row[kept], minlength=len(total)))))
        return Weights(start, item[kept], np.concatenate(([0], np.cumsum(whole[kept]))))

    def draw(self, rng: np.random.Generator, row: Longs) -> Longs:
        """An item of each row asked for."""
        low = self.running[self.start[row]]
        width = self.running[self.start[row + 1]] - low
        at = low + (rng.random(len(row)) * width).astype(np.int64)
        found: Longs = self.item[np.searchsorted(self.running, at, side="right") - 1]
        return found


@dataclass(frozen=True)
class Population:
    """Everything that is known about diagnoses and procedures, by their position in the taxonomy."""

    diagnoses: Taxonomy
    procedures: Taxonomy
    weight: Longs  # how frequent each principal diagnosis is
    chapter: Longs
    male: Longs  # percent
    ages: Weights
    age_model: Longs
    youngest: Longs  # by model
    oldest: Longs
    stay: Floats  # logarithm of the median days
    charge: Floats  # dollars besides those of procedure and days
    treatment: Weights
    treatment_row: Longs  # row of each diagnosis; -1 where it is never principal
    companion: Weights
    general: Weights
    comorbid: Weights
    races: Weights
    race_row: Longs  # -1: by age
    male_only: Flags  # procedures
    cost: Floats  # of procedures
    stay_factor: Floats  # logarithm, of procedures
    grave: Floats  # of secondary diagnoses


def leaves_of(taxonomy: Taxonomy, key: str) -> Longs:
    """Positions of the leaves below a concept, or of all codes from one to another (``a-b``)."""
    place, codes, at = _places(taxonomy)
    if key in place:  # the tables stand in preorder: what is below a concept follows it
        first = place[key]
        below = np.arange(first, first + 1 + int(taxonomy.dag.descendant_counts[first]))
        return below[taxonomy.dag.leaves[below]]
    first_code, last_code = key.split("-")
    found = at[bisect_left(codes, first_code) : bisect_right(codes, last_code + "~")]  # ~ sorts behind all digits
    if not len(found):
        raise KeyError(key)
    return found


@cache
def _places(taxonomy: Taxonomy) -> tuple[dict[str, int], list[str], Longs]:
    """Where every concept stands; the codes of the leaves sorted, and where they stand."""
    place = {code: at for at, code in enumerate(taxonomy.concepts)}
    codes = sorted(taxonomy.concepts[at] for at in np.flatnonzero(taxonomy.dag.leaves))
    return place, codes, np.array([place[code] for code in codes])


@cache
def population() -> Population:
    """The one population there is."""
    diagnoses, procedures = load_taxonomy("icd9cm"), load_taxonomy("icd9cm_procedures")
    figures, treatments = profile(), care()
    chapters = list(figures.chapters.values())
    chapter = _owners(diagnoses, [c.concept for c in chapters])
    weight = _frequencies(diagnoses, chapter)
    male = _values(diagnoses, figures.male, [c.male for c in chapters], chapter)
    models = list(figures.ages)
    model = {name: place for place, name in enumerate(models)}
    age_model = np.array([model[c.age] for c in chapters])[chapter]
    covered, names = zip(*(entry.rsplit(":", 1) for entry in figures.age_of.split()), strict=True)
    owner = _owners(diagnoses, covered)
    age_model[owner >= 0] = np.array([model[name] for name in names])[owner[owner >= 0]]

    by_race = _owners(diagnoses, figures.race_of)
    keys = _keys(diagnoses)
    principal = np.flatnonzero(weight)
    row = np.full(len(diagnoses), -1)
    row[principal] = np.arange(len(principal))
    sex = np.where(male == 100, 1, np.where(male == 0, -1, 0))
    sex_of_procedure = np.zeros(len(procedures), dtype=np.int64)
    for key, which in (("60-64", 1), ("65-71", -1), ("72-75", -1)):
        sex_of_procedure[leaves_of(procedures, key)] = which
    circumcision = procedures.position("64.0")  # of newborns, whose codes know no sex
    offered = sex_of_procedure.copy()
    offered[circumcision] = 0
    # A chapter's stay is the median of all; its procedures' factors come on top of it.
    stay = np.log(_values(diagnoses, figures.stays, [c.stay for c in chapters], chapter))
    cost = np.log(_values(procedures, treatments.costs, [1.0], np.zeros(len(procedures), dtype=np.int64)))
    return Population(
        diagnoses=diagnoses,
        procedures=procedures,
        weight=weight,
        chapter=chapter,
        male=np.rint(male).astype(np.int64),
        ages=Weights.of((range(OLDEST + 1), _bells(figures.ages[name])) for name in models),
        age_model=age_model,
        youngest=np.array([min(part[3] for part in figures.ages[name]) for name in models]),
        oldest=np.array([max(part[4] for part in figures.ages[name]) for name in models]),
        stay=stay + 0.15 * _normal(keys),
        charge=np.array([c.charge for c in chapters])[chapter] * np.exp(0.2 * _normal(keys[_categories(diagnoses)])),
        treatment=_likely(diagnoses, principal, sex, treatments.procedures, procedures, offered),
        treatment_row=row,
        companion=_likely(diagnoses, principal, sex, treatments.secondary, diagnoses, sex),
        general=Weights.of([_branches(procedures, treatments.general)]),
        comorbid=Weights.of(_branches(diagnoses, text) for text in treatments.comorbid),
        races=Weights.of(
            (range(len(figures.races)), np.array(shares))
            for shares in (*figures.race_shares, *figures.race_of.values())
        ),
        race_row=np.where(by_race >= 0, by_race + len(figures.race_shares), -1),
        male_only=sex_of_procedure == 1,
        cost=np.exp(cost + 0.2 * _normal(_keys(procedures))),
        stay_factor=np.log(
            _values(procedures, treatments.stay_factors, [1.0], np.zeros(len(procedures), dtype=np.int64))
        ),
        grave=_values(diagnoses, treatments.grave, [0.0], np.zeros(len(diagnoses), dtype=np.int64)),
    )


def _owners(taxonomy: Taxonomy, keys: Iterable[str]) -> Longs:
    """Which key covers each leaf, the narrowest first; -1 where none does. A key may list several: ``a, b``."""
    spans = [(leaves_of(taxonomy, part), number) for number, key in enumerate(keys) for part in key.split(", ")]
    owner = np.full(len(taxonomy), -1)
    for leaves, number in sorted(spans, key=lambda entry: (-len(entry[0]), entry[1])):
        owner[leaves] = number
    return owner


def _table(text: str) -> tuple[list[str], Floats]:
    """``key:number key:number`` as keys and numbers."""
    entries = [entry.rsplit(":", 1) for entry in text.split()]
    return [key for key, _ in entries], np.array([float(number) for _, number in entries])


def _values(taxonomy: Taxonomy, text: str, default: Sequence[float], group: Longs) -> Floats:
    """A number for every concept: of the narrowest key of a table, else of its group."""
    keys, numbers = _table(text)
    owner = _owners(taxonomy, keys)
    found: Floats = np.where(owner >= 0, numbers[owner], np.array(default, dtype=np.float64)[group])
    return found


@cache
def _keys(taxonomy: Taxonomy) -> Keys:
    """64 bits of every code, the same on every machine."""
    digests = b"".join(hashlib.blake2b(code.encode(), digest_size=8).digest() for code in taxonomy.concepts)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def _mixed(a: Keys, b: Keys) -> Keys:
    """64 bits of every pair (the finalizer of SplitMix64)."""
    x = a * np.uint64(0x9E3779B97F4A7C15) + b
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _normal(keys: Keys) -> Floats:
    """Nearly a standard normal number of 64 bits: four parts of 16 bits added up, at most 3.5."""
    total = sum(((keys >> np.uint64(shift)) & np.uint64(0xFFFF)).astype(np.int64) for shift in (0, 16, 32, 48))
    return (np.asarray(total) / 65536 - 2) * math.sqrt(3)


@cache
def _commonness(taxonomy: Taxonomy) -> Floats:
    """How frequent a code is for what its label says."""
    labels = profile().labels
    found = np.ones(len(taxonomy))
    for place, code in enumerate(taxonomy.concepts):
        label = taxonomy.label(code).lower()
        found[place] = next((factor for words, factor in labels if words in label), 1.0)
    return found


def _frequencies(taxonomy: Taxonomy, chapter: Longs) -> Longs:
    """The weight of every code as principal diagnosis: 0 for what is not a leaf and for what nobody is in hospital for."""
    chapters = profile().chapters
    keys, shares = [], []
    for name, text in profile().frequencies.items():
        of_chapter, percent = _table(text)
        rest = max(100 - percent.sum(), 2.0)
        scale = chapters[name].share / (percent.sum() + rest)
        keys += [*of_chapter, chapters[name].concept]
        shares += [*(percent * scale), rest * scale]
    never = len(keys)
    owner = _owners(taxonomy, [*keys, *profile().never])
    leaf = taxonomy.dag.leaves & (owner >= 0) & (owner < never)
    spread = np.array([c.spread for c in chapters.values()])[chapter]
    size = np.exp(spread * _normal(_keys(taxonomy))) * _commonness(taxonomy) * leaf
    total = np.bincount(owner[leaf], weights=size[leaf], minlength=never)
    weight = np.zeros(len(taxonomy), dtype=np.int64)
    weight[leaf] = np.rint(1e10 * np.array(shares)[owner[leaf]] * size[leaf] / total[owner[leaf]]).astype(np.int64)
    return weight


def _branches(taxonomy: Taxonomy, text: str) -> tuple[Longs, Floats]:
    """The leaves below the branches of a table, each with its part of the branch's weight."""
    keys, weights = _table(text)
    owner = _owners(taxonomy, keys)
    leaf = np.flatnonzero(taxonomy.dag.leaves & (owner >= 0))
    size = _sizes(taxonomy)[leaf]
    total = np.bincount(owner[leaf], weights=size, minlength=len(keys))
    return leaf, weights[owner[leaf]] * size / total[owner[leaf]]


@cache
def _sizes(taxonomy: Taxonomy) -> Floats:
    found: Floats = np.exp(BRANCH_SPREAD * _normal(_keys(taxonomy))) * _commonness(taxonomy)
    return found


def _likely(
    diagnoses: Taxonomy, principal: Longs, sex: Longs, table: Mapping[str, str], offers: Taxonomy, sex_of_offer: Longs
) -> Weights:
    """For every principal diagnosis the few codes that go with it.

    A rule offers branches to all diagnoses below its key; each category and each code has its own tastes among them.
    What belongs to one sex is offered only to diagnoses of that sex.
    """
    owner = _owners(diagnoses, table)
    keys, offer_keys = _keys(diagnoses), _keys(offers)
    category = _categories(diagnoses)
    rows, items, weights = [], [], []
    for number, text in enumerate(table.values()):
        item, weight = _branches(offers, text)
        for which in (-1, 0, 1):
            at = np.flatnonzero((owner[principal] == number) & (sex[principal] == which))
            if not len(at):
                continue
            code = principal[at]
            fit = (sex_of_offer[item] == 0) | (sex_of_offer[item] == which)
            best = np.argsort(-weight[fit], kind="stable")[:OFFERED]
            some, base = item[fit][best], weight[fit][best]
            taste = CATEGORY_SPREAD * _normal(_mixed(keys[category[code]][:, None], offer_keys[some]))
            taste += CODE_SPREAD * _normal(_mixed(keys[code][:, None], offer_keys[some]))
            liking = base * np.exp(taste)
            if offers is diagnoses:
                liking *= some != code[:, None]
            order = np.argsort(-liking, axis=1, kind="stable")[:, :LIKELY]
            rows.append(np.repeat(at, order.shape[1]))
            items.append(some[order].ravel())
            weights.append(np.take_along_axis(liking, order, axis=1).ravel())
    return Weights.flat(np.concatenate(rows), np.concatenate(items), np.concatenate(weights))


def _categories(taxonomy: Taxonomy) -> Longs:
    """The position of each code's category: what stands before the dot."""
    place = _places(taxonomy)[0]
    return np.array([place.get(code.split(".")[0], at) for at, code in enumerate(taxonomy.concepts)])


def _bells(parts: Sequence[tuple[float, float, float, int, int]]) -> Floats:
    """The share of each age from 0 up."""
    total = np.zeros(OLDEST + 1)
    for share, mean, deviation, least, most in parts:
        bell = [
            math.exp(-(((age - mean) / deviation) ** 2) / 2) if least <= age <= most else 0.0
            for age in range(OLDEST + 1)
        ]
        total += share * np.array(bell) / sum(bell)
    return total
