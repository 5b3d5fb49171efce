"""A column kind is one object: the weekday, defined here and nowhere else, goes through masking, assessment and comparison.

Weekdays lie on a circle: from Sunday to Monday is one step. There is no line to put them on and no taxonomy; the distance is
a table, and the centre of a group is its most central day.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import ontomask as om
from ontomask.arrays import Floats, Longs
from ontomask.errors import DataError, PolicyError
from ontomask.microdata.attributes import Attribute, ConceptAttribute
from ontomask.microdata.column_distance import Centres, ColumnDistance
from ontomask.microdata.columns import Coded, Codes, Column, first_where
from ontomask.microdata.refusals import refuse_odd
from ontomask.microdata.released_values import ReleasedValues
from ontomask.statements import Statement

DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


class Weekday(Attribute):
    """Days of the week: distance by steps around the circle, centre = the most central day."""

    kind: Literal["weekday"] = "weekday"
    in_words: ClassVar[str] = "days of the week"

    def checked(self, name: str, values: pl.Series, rows: Longs | None) -> pl.Series:
        refuse_odd(name, ~values.is_in(DAYS), "no day of the week", rows)
        return values

    def odd(self, released: ReleasedValues) -> Counter[str]:
        return Counter({text: count for text, count in released.texts().items() if text not in DAYS})

    def column(
        self,
        name: str,
        codes: Codes,
        distinct: pl.Series,
        counts: Longs,
        missing: int | None,
        notes: list[Statement],
        rows: Longs | None,
    ) -> Coded:
        days = np.array([-1 if day is None else DAYS.index(day) for day in distinct.to_list()], dtype=np.int64)
        return Coded(WeekdayColumn(name, self, distinct, counts, missing, days=days), codes)


@dataclass(frozen=True, eq=False)
class WeekdayColumn(Column):
    """``days``: the number of each code, 0 for Monday; -1 for missing."""

    days: Longs = field(kw_only=True)

    @property
    def centre_of_code(self) -> NDArray[Any]:
        return self.days

    def is_missing(self, centres: NDArray[Any]) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = centres < 0
        return found

    def metric(self) -> WeekdayDistance:
        return WeekdayDistance(self)

    def of_centres(self, centres: NDArray[Any], counts: Longs) -> Self:
        missing = first_where(self.is_missing(centres))
        return replace(self, counts=counts, values=self.decode(centres), missing=missing, days=centres)

    def decode(self, centres: NDArray[Any]) -> pl.Series:
        return pl.Series(self.name, [None if day < 0 else DAYS[day] for day in centres], dtype=pl.String)


class WeekdayDistance(ColumnDistance):
    """Steps around the circle, 3 at most; a missing day is 3 away from all others."""

    largest = 3.0
    scale = 3.0

    def distance(self, a: Centres, b: Centres) -> Floats:
        steps = np.abs(a - b) % 7
        gone = self.column.is_missing(a), self.column.is_missing(b)
        raw: Floats = np.where(gone[0] | gone[1], 3.0 * (gone[0] != gone[1]), np.minimum(steps, 7 - steps))
        return raw

    def marginalities(self) -> Floats:
        sums: Floats = (self.between_codes * self.weights).sum(axis=1)
        return sums


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    rng = np.random.default_rng(7)
    return pl.DataFrame(
        {"day": rng.choice(DAYS, 120), "age": rng.integers(18, 90, 120), "sex": rng.choice(["f", "m"], 120)}
    )


def policy(method: Any, role: Literal["quasi", "sensitive"] = "quasi") -> om.Policy:
    attributes = {"day": Weekday(role=role), "age": om.Numeric(), "sex": om.Flat()}
    require = [om.KAnonymity(k=4)] if isinstance(method, om.Generalization) else []
    return om.Policy(attributes=attributes, method=method, require=require)


METHODS = {
    "mdav": om.Microaggregation(k=4, partition="mdav"),
    "adaptive": om.Microaggregation(k=4, partition="adaptive", distance="s"),
    "mode": om.Microaggregation(k=4, centroid="mode"),
    "hybrid": om.Microaggregation(k=4, replace="hybrid"),
    "swapping": om.RankSwapping(k=4),
    "noise": om.NoiseAddition(),
    "pram": om.PRAM(),
    "imputation": om.Imputation(columns=["day"]),
    "suppression": om.Suppression(k=2),
    "cells": om.Suppression(k=2, cells=True),
    "recoding": om.Generalization(search="full_domain"),
    "local": om.Generalization(search="local"),
}


@pytest.mark.parametrize("name", METHODS)
def test_masked_and_assessed(frame: pl.DataFrame, name: str) -> None:
    result = om.anonymize(frame, policy(METHODS[name]), seed=1)
    assert set(result.data["day"].drop_nulls().unique()) <= {*DAYS, "*"}
    found = result.assess()
    assert 0.0 <= found.loss.relative["day"] <= 1.0
    again = om.assess(frame, result.data, {"day": Weekday()}, records=result.records)
    assert again.loss.relative.keys() == {"day"}


def test_shuffled_where_it_is_sensitive(frame: pl.DataFrame) -> None:
    result = om.anonymize(frame, policy(om.Shuffling(), "sensitive"), seed=1)
    assert sorted(result.data["day"]) == sorted(frame["day"])


def test_groups_show_their_most_central_day() -> None:
    """Sunday and Monday are neighbours, so that Monday is between Sunday and Tuesday; by the order of the week it is first."""
    frame = pl.DataFrame({"day": ["Sun", "Mon", "Tue"]})
    attributes = {"day": Weekday()}
    assert om.central_record(frame, attributes) == {"day": "Mon"}
    assert om.record_distances(frame, attributes).tolist() == pytest.approx(
        np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]]) / 3
    )
    assert om.sort_records(frame, attributes, reference={"day": "Sun"}).tolist() == [0, 1, 2]


def test_compared_beside_other_methods(frame: pl.DataFrame) -> None:
    chosen = {name: policy(METHODS[name]) for name in ("mdav", "swapping", "noise")}
    found = om.compare(frame, chosen, seed=1, workers=1)
    assert {run.name for run in found.satisfied} == set(chosen)
    assert all(run.error is None for run in found.runs)


def test_reported_and_saved(frame: pl.DataFrame, tmp_path: Any) -> None:
    om.anonymize(frame, policy(METHODS["mdav"]), seed=1).save(tmp_path / "result", report=True)
    pages = "".join(page.read_text(encoding="utf-8") for page in (tmp_path / "result").rglob("*.html"))
    assert "days of the week" in pages


def test_values_of_another_kind_are_refused() -> None:
    with pytest.raises(DataError, match="no day of the week"):
        om.anonymize(
            pl.DataFrame({"day": ["Mon", "Xyz"]}), om.Policy(attributes={"day": Weekday()}, method=METHODS["mdav"])
        )


def test_values_that_do_not_fit_are_found_in_a_release() -> None:
    """What a kind does not take is a finding of the release; a kind that does not say what fits cannot be made."""
    rules = om.Policy(attributes={"day": Weekday()}, require=[om.KAnonymity(k=2)])
    data = pl.DataFrame({"day": ["Mon", "Mon", "Xyz", "Xyz", "*", "*"]})
    found = om.verify(data, rules)
    assert not found
    assert "1 value of 'day' (2 records) does not fit its kind" in str(found)
    assert om.verify(data.filter(pl.col("day") != "Xyz"), rules)


def test_a_kind_that_is_not_complete_is_not_made() -> None:
    with pytest.raises(TypeError, match="Silent is a kind and does not define column, in_words, odd"):

        class Silent(Attribute):
            kind: Literal["silent"] = "silent"

    with pytest.raises(TypeError, match="Nameless is a kind and does not define in_words"):

        class Nameless(Weekday):
            in_words: ClassVar[str] = " "

    with pytest.raises(
        TypeError,
        match="Meaningless is a kind and does not define column, language, load, mapping, named_taxonomy, odd, options, "
        "same_taxonomy, scope, without_meaning",
    ):

        class Meaningless(ConceptAttribute):
            kind: Literal["meaningless"] = "meaningless"
            in_words: ClassVar[str] = "concepts without a taxonomy"
            measure: str = "logsc"


def test_a_policy_file_names_registered_kinds_only() -> None:
    with pytest.raises(PolicyError, match="weekday"):
        om.Policy(attributes={"day": {"kind": "weekday"}}, method=METHODS["mdav"])
