"""Microaggregation of persons: near persons form groups of at least k, and all of a group show the same records."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from ontomask.arguments import counted
from ontomask.arrays import TIE, Floats, Longs
from ontomask.distances.sweep import available_cores
from ontomask.kernels.ordering import near_order
from ontomask.kernels.profiles import (
    Profiles,
    align_group,
    group_persons,
    new_assignment,
    profile_distances,
)
from ontomask.kernels.space import new_point
from ontomask.masking.method import AggregationMethod, Masked
from ontomask.microdata.encoding import Rows, Table
from ontomask.operators.aggregation import Operators
from ontomask.privacy.models import Model
from ontomask.privacy.profile_anonymity import ProfileAnonymity
from ontomask.progress import Progress, stretch
from ontomask.statements import Statement, note, promised
from ontomask.wording import RECORD, Unit, capital

#: Persons who are compared with each other, at most.
MOST_PERSONS = 512
#: Steps of assignments that each person may take on average; persons of many records are compared with fewer others.
STEPS = 1_000_000


class ProfileMicroaggregation(AggregationMethod):
    """Groups of at least k persons who show the same profile: as many records, with the same quasi-identifiers.

    Notes
    -----
    The distance of two persons is the cost of the cheapest assignment of their records to each other; a record without a
    partner costs as much as the largest distance of two records (after Tamersoy et al. 2012). Groups are formed by MDAV
    (T12 Alg. 3) among up to 512 persons of about as many records; fewer where persons have many. The records of a group
    are aligned with those of its most central person among those of fewest records, and records that are aligned show
    their centroid. What aligns with nothing is suppressed. Without ``person:`` in the policy every record is a person.

    Examples
    --------
    >>> import ontomask as om
    >>> om.ProfileMicroaggregation(5)
    ProfileMicroaggregation(k=5)
    """

    name: Literal["profile_microaggregation"] = "profile_microaggregation"

    @model_validator(mode="after")
    def _comparison_has_a_meaning(self) -> ProfileMicroaggregation:
        if self.comparison == "weighted":
            raise ValueError(
                "comparison='weighted' has no effect on profiles, which are compared one by one: leave it out"
            )
        return self

    @property
    def draws(self) -> bool:
        return False

    @property
    def aims(self) -> bool:
        return False

    @property
    def promised_models(self) -> list[Model]:
        return [*super().promised_models, ProfileAnonymity(k=self.k)] if self.k > 1 else []

    def mask(self, table: Table, rng: np.random.Generator, progress: Progress) -> Masked:
        self.require_enough(table)
        progress(0.0, "measuring distances between values")
        operators = self.operators(table)
        group_of, groups = ProfileGroups(operators, table.rows, self.k).form(stretch(progress, 0.0, 0.95))
        removed = int((group_of < 0).sum())
        kept = np.flatnonzero(group_of >= 0)
        notes = []
        if removed:
            text = f"{removed:,} of {counted(table.n, 'record')} suppressed: others of their group have fewer records"
            notes.append(note(text))
        own = self.aggregated(
            operators, table.rows.part(kept), group_of[kept], groups, stretch(progress, 0.95, 1.0), notes
        )
        return Masked(group_of, own.centres, own.notes, caveats=own.caveats)

    @property
    def title(self) -> str:
        return "Profile microaggregation"

    def explain(self, unit: Unit = RECORD) -> str:
        return (
            f"{capital(unit.owner.many)} with similar records were put into groups of at least {unit.counted(self.k)}. All of "
            "a group now show the same records: the centroids of records that correspond to each other. Records without a "
            "counterpart were left out."
        )

    def _assured(self, unit: Unit) -> list[Statement]:
        return [
            promised(
                f"Every profile (all records of one {unit.owner.one} together) is shared by at least {unit.counted(self.k)}: "
                "their masked quasi-identifiers are the same, record by record."
            )
        ]


class ProfileGroups:
    """The persons of a table in groups, and the records of each group aligned."""

    def __init__(self, operators: Operators, rows: Rows, k: int) -> None:
        self.operators, self.k = operators, k
        owner = np.arange(len(rows)) if rows.unit_of is None else rows.unit_of
        rank = np.empty(rows.p, dtype=np.int64)
        rank[near_order(operators.space)] = np.arange(rows.p)
        #: The records, those of a person together, near ones side by side.
        self.order: Longs = np.lexsort((rank[rows.tuple_of], owner))
        begins = np.flatnonzero(np.diff(owner[self.order], prepend=-1))
        at = np.append(begins, len(rows)).astype(np.int64)
        tuples = rows.tuple_of[self.order].astype(np.int64)
        self.sizes: Longs = np.diff(at)
        self.profiles = Profiles(at, tuples, operators.distance.farthest)
        self.persons = self._near_persons(rank[tuples])

    def _near_persons(self, rank: Longs) -> Longs:
        """Persons in an order that puts those of about as many and near records side by side."""
        at, most = self.profiles.at, int(self.sizes.max())
        keys = [rank[np.minimum(at[:-1] + place, at[1:] - 1)] for place in range(min(most, 8))]
        middle = rank[at[:-1] + self.sizes // 2]
        return np.lexsort((*keys[::-1], middle, self.sizes))

    def blocks(self) -> list[Longs]:
        """Persons who are compared with each other: consecutive ones, k at least."""
        found, begin, sizes = [], 0, self.sizes[self.persons]
        while begin < len(sizes):
            steps = int(STEPS / (sizes[min(begin + MOST_PERSONS, len(sizes)) - 1] + 2) ** 3)
            end = begin + min(max(steps, 8 * self.k), max(MOST_PERSONS, 2 * self.k))
            if len(sizes) - end < 2 * self.k:  # no block of too few persons is left behind
                end = len(sizes)
            found.append(self.persons[begin:end])
            begin = end
        return found

    def form(self, progress: Progress) -> tuple[NDArray[np.int32], int]:
        """The group of each record, -1 where it aligns with nothing, and how many groups there are."""
        blocks = self.blocks()
        threads = min(available_cores(), len(blocks))
        formed: list[list[tuple[Longs, int]]] = []
        with ThreadPoolExecutor(threads) as pool:
            for done, groups in enumerate(pool.map(self._block, blocks)):
                progress(done / len(blocks), "forming groups of persons")
                formed.append(groups)
        group_of, first = np.full(len(self.order), -1, dtype=np.int32), 0
        room = new_assignment(int(self.sizes.max()))
        slot_of = np.full(len(self.order), -1, dtype=np.int64)
        point = new_point(self.operators.space)
        for members, centre in (group for groups in formed for group in groups):
            align_group(self.operators.space, point, self.profiles, room, members, centre, slot_of)
            records = np.concatenate([np.arange(self.profiles.at[m], self.profiles.at[m + 1]) for m in members])
            aligned = records[slot_of[records] >= 0]
            group_of[self.order[aligned]] = first + slot_of[aligned]
            first += int(self.sizes[centre])
        return group_of, first

    def _block(self, persons: Longs) -> list[tuple[Longs, int]]:
        """Groups of some persons, each with its centre."""
        distances = np.zeros((len(persons), len(persons)))
        room = new_assignment(int(self.sizes[persons].max()))
        point = new_point(self.operators.space)
        profile_distances(self.operators.space, point, self.profiles, room, persons, distances)
        group = np.empty(len(persons), dtype=np.int64)
        groups = int(group_persons(distances, self.k, group))
        members = [np.flatnonzero(group == number) for number in range(groups)]
        return [(persons[own], int(persons[self._centre(own, persons, distances)])) for own in members]

    def _centre(self, own: Longs, persons: Longs, distances: Floats) -> int:
        """Of those of fewest records the person nearest to all: every other one has a record for each of its records."""
        sizes = self.sizes[persons[own]]
        few = own[sizes == sizes.min()]
        totals = distances[np.ix_(few, own)].sum(axis=1)
        return int(few[np.flatnonzero(totals <= totals.min() * (1 + TIE))[0]])
