"""The data of the experiments: the Adult census extract, and a synthetic stand-in for the thesis' answers of visitors.

T12 evaluates on two data sets. *Dataset 2* is UCI's Adult, columns occupation x native-country: it is public and used
here as it is. *Dataset 1*, 975 answers of visitors of a national park, is not public. :func:`answers` makes data of the
same shape from nothing but the figures that the thesis prints about them: **they are synthetic**, no visitor gave these
answers, and what comes out on them need not be what came out on the real ones.

M13, R17 and D12 evaluate on discharges of Californian hospitals, which cannot be had freely: :func:`discharges` are the
product's synthetic ones.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import ontomask as om

DATA = Path(os.environ.get("ONTOMASK_DATA", Path(__file__).parents[2] / "shared" / "data"))

#: T12 Table 12, with the senses that are meant; WordNet's first sense of "cleaner" is a cleansing agent.
OCCUPATIONS = {
    "Tech-support": "technician.n.01",
    "Craft-repair": "craftsman.n.03",
    "Other-service": "worker.n.01",
    "Exec-managerial": "executive.n.01",
    "Prof-specialty": "specialist.n.01",
    "Handlers-cleaners": "cleaner.n.03",
    "Machine-op-inspct": "operator.n.02",
    "Adm-clerical": "clerk.n.01",
    "Sales": "salesperson.n.01",
    "Farming-fishing": "skilled_worker.n.01",
    "Transport-moving": "carrier.n.01",
    "Priv-house-serv": "housekeeper.n.01",
    "Protective-serv": "guard.n.01",
    "Armed-Forces": "soldier.n.01",
}
#: Countries that their label does not place, or places wrongly: Columbia is a river, Japan a string of islands, and
#: Yugoslavia was another country when the census was taken. "South" is usually read as South Korea.
COUNTRIES = {
    "Outlying-US(Guam-USVI-etc)": "american_state.n.01",
    "Holand-Netherlands": "netherlands.n.01",
    "Hong": "hong_kong.n.01",
    "Columbia": "colombia.n.01",
    "Trinadad&Tobago": "trinidad_and_tobago.n.01",
    "Yugoslavia": "yugoslavia.n.02",
    "South": "south_korea.n.01",
    "Japan": "japan.n.02",
}

#: What visitors of a wetland might answer: the noun, its sense in WordNet, and how popular it is as a reason to come and
#: as an activity.
NOUNS: dict[str, tuple[str, float, float]] = {
    "nature": ("nature.n.03", 30, 12),
    "relaxation": ("rest.n.02", 12, 28),
    "landscape": ("landscape.n.01", 16, 6),
    "beach": ("beach.n.01", 10, 14),
    "bird": ("bird.n.01", 9, 5),
    "fishing": ("fishing.n.01", 5, 9),
    "sport": ("sport.n.01", 6, 8),
    "walking": ("walk.n.01", 3, 12),
    "bicycling": ("bicycling.n.01", 3, 9),
    "gastronomy": ("gastronomy.n.02", 5, 6),
    "culture": ("culture.n.02", 4, 5),
    "tranquillity": ("tranquillity.n.02", 7, 3),
    "holiday": ("vacation.n.01", 7, 2),
    "family": ("family.n.02", 5, 2),
    "ecology": ("ecology.n.01", 4, 1),
    "sea": ("sea.n.01", 4, 3),
    "river": ("river.n.01", 3, 2),
    "sun": ("sunlight.n.01", 3, 3),
    "photography": ("photography.n.01", 2, 4),
    "hiking": ("hike.n.01", 1, 4),
    "excursion": ("excursion.n.01", 2, 3),
    "visit": ("visit.n.01", 2, 4),
    "sightseeing": ("sightseeing.n.01", 1, 4),
    "swimming": ("swimming.n.01", 1, 4),
    "boat": ("boat.n.01", 1, 3),
    "wildlife": ("wildlife.n.01", 3, 1),
    "flora": ("vegetation.n.01", 2, 0.5),
    "residence": ("residence.n.01", 3, 0.5),
    "friendship": ("friendship.n.01", 2, 1),
    "work": ("work.n.01", 1.5, 1),
    "climate": ("climate.n.01", 2, 0.3),
    "curiosity": ("curiosity.n.01", 2, 0.3),
    "hunting": ("hunt.n.08", 1, 2),
    "sailing": ("sailing.n.02", 0.7, 2),
    "rowing": ("rowing.n.01", 0.5, 1.5),
    "surfing": ("surfing.n.01", 0.7, 1.5),
    "riding": ("riding.n.01", 0.5, 1.5),
    "jogging": ("jogging.n.01", 0.3, 1.5),
    "camping": ("camping.n.01", 0.7, 1.5),
    "picnic": ("picnic.n.03", 0.3, 2),
    "restaurant": ("restaurant.n.01", 0.7, 2),
    "seafood": ("seafood.n.01", 0.7, 1),
    "paella": ("paella.n.01", 0.3, 1),
    "rice": ("rice.n.01", 1, 0.5),
    "museum": ("museum.n.01", 0.5, 1.5),
    "history": ("history.n.03", 1, 0.5),
    "tradition": ("custom.n.02", 1, 0.5),
    "festival": ("festival.n.01", 0.7, 1),
    "church": ("church.n.02", 0.2, 0.7),
    "shopping": ("shopping.n.01", 0.2, 1.5),
    "education": ("education.n.01", 1, 0.5),
    "ornithology": ("ornithology.n.01", 1, 0.7),
    "research": ("research.n.01", 0.5, 0.5),
    "observation": ("observation.n.02", 0.3, 1.5),
    "painting": ("painting.n.02", 0.2, 0.7),
    "reading": ("reading.n.01", 0.2, 1.5),
    "sleep": ("sleep.n.01", 0.2, 1),
    "play": ("game.n.03", 0.3, 1),
    "silence": ("silence.n.02", 1.5, 0.5),
    "air": ("air.n.01", 1, 0.5),
    "health": ("health.n.01", 1, 0.5),
    "island": ("island.n.01", 0.7, 0.5),
    "lagoon": ("lagoon.n.01", 0.7, 0.5),
    "dune": ("dune.n.01", 0.5, 0.3),
    "cruise": ("cruise.n.01", 0.3, 1),
    "golf": ("golf.n.01", 0.2, 0.5),
    "honeymoon": ("honeymoon.n.01", 0.3, 0.2),
}
#: How often each of 211 pairs of answers occurs, so that all that the thesis prints of its data holds: 975 records,
#: 118 of the pairs unique, the most frequent 115 times (4.3.5.1); pairs of up to five are 31% of the records (6.3.1),
#: pairs of up to 15 about half of them.
FREQUENCIES = [
    115, 72, 58, 47, 39, 33, 28, 24, 21, 19, 17, 16,
    15, 13, 13, 13, 12, 11, 11, 10, 10, 9, 9, 8, 8, 7, 7, 7, 6, 6, 6,
    *[5] * 8, *[4] * 11, *[3] * 17, *[2] * 26, *[1] * 118,
]  # fmt: skip


@dataclass(frozen=True)
class Data:
    """A data set of the experiments: its records, and what their columns are."""

    name: str
    frame: pl.DataFrame
    attributes: dict[str, Any]

    def with_measure(self, measure: str, **options: Any) -> dict[str, Any]:
        """The attributes, compared by another measure."""
        return {name: a.changed(measure=measure, options=options) for name, a in self.attributes.items()}

    def mask(self, method: Any, seed: int = 0) -> om.Result:
        return om.anonymize(self.frame, om.Policy(attributes=self.attributes, method=method), seed=seed)

    def only(self, *columns: str) -> Data:
        """Some of the columns."""
        return Data(self.name, self.frame.select(columns), {name: self.attributes[name] for name in columns})


@cache
def adult() -> Data:
    """UCI Adult, 30,162 complete records: occupation x native-country, placed in WordNet (T12 6.3.1, Table 12)."""
    frame = om.read_table(DATA / "adult" / "adult.csv").data.select("occupation", "native-country")
    wordnet = om.load_taxonomy("wordnet")
    return Data(
        "Adult",
        frame,
        {
            "occupation": om.Nominal(taxonomy=wordnet, mapping=OCCUPATIONS, style="code"),
            "native-country": om.Nominal(taxonomy=wordnet, mapping=COUNTRIES, style="code"),
        },
    )


@cache
def answers(seed: int = 0) -> Data:
    """975 synthetic pairs of a reason to visit a park and an activity there; no visitor gave these answers.

    Pairs of two different nouns are drawn by their popularity, which with some noise also says which of them get the
    high frequencies. Then the records are shuffled.
    """
    rng = np.random.default_rng(seed)
    nouns = list(NOUNS)
    reason = np.array([NOUNS[noun][1] for noun in nouns])
    activity = np.array([NOUNS[noun][2] for noun in nouns])
    popularity = np.outer(reason, activity)
    np.fill_diagonal(popularity, 0.0)
    chance = popularity.ravel() / popularity.sum()
    pairs = rng.choice(len(chance), len(FREQUENCIES), replace=False, p=chance)
    pairs = pairs[np.argsort(-chance[pairs] * rng.lognormal(sigma=0.7, size=len(pairs)))]
    records = rng.permutation(np.repeat(pairs, FREQUENCIES))
    frame = pl.DataFrame(
        {
            "reason": [nouns[i] for i in records // len(nouns)],
            "activity": [nouns[i] for i in records % len(nouns)],
        }
    )
    wordnet = om.load_taxonomy("wordnet")
    senses = {noun: sense for noun, (sense, _, _) in NOUNS.items()}
    nominal = om.Nominal(taxonomy=wordnet, mapping=senses, style="code")
    return Data("answers (synthetic)", frame, {"reason": nominal, "activity": nominal})


NUMBERS = ("age", "length_of_stay", "charge")
FLAT = ("sex", "race")


@cache
def discharges(
    n: int, seed: int, columns: tuple[str, ...], chapter: str | None = None, *, role: str = "quasi", **nominal: Any
) -> Data:
    """Synthetic hospital discharges (`om.demo_data`): some columns, all in one role; ``nominal`` is for the coded ones."""
    frame = om.demo_data(n, seed=seed, chapter=chapter).select(columns)
    attributes: dict[str, Any] = {}
    for name in columns:
        if name in NUMBERS:
            attributes[name] = om.Numeric(role=role, decimals="exact")  # as the papers compute it
        elif name in FLAT:
            attributes[name] = om.Flat(role=role)
        else:
            taxonomy = "icd9cm_procedures" if name == "procedure" else "icd9cm"
            attributes[name] = om.Nominal(taxonomy=taxonomy, role=role, **nominal)
    return Data(f"discharges ({chapter})" if chapter else "discharges", frame, attributes)
