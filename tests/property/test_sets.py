"""Sets of one give what single values give, what groups show is true of all, rare items are found and recoded."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, event, given, note, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

import ontomask as om
from ontomask.errors import DataError
from ontomask.hierarchies.above_sets import AboveSets
from ontomask.hierarchies.kinds import levels_of
from ontomask.kinds.sets import SetColumn
from ontomask.microdata.item_lists import split_items
from ontomask.privacy.item_combinations import ItemRows
from ontomask.privacy.units import RECORDS, Units
from ontomask.wording import PERSON
from tests.oracle import plain_sets
from tests.property.strategies import cases
from tests.property.tables import Sheet, make_sheet, sheets, some_k
from tests.property.test_masking_twins import by_chance, some_groups

METHODS = st.sampled_from(
    (
        lambda k: om.Microaggregation(k, partition="mdav"),
        lambda k: om.Microaggregation(k, partition="adaptive", comparison="weighted"),
        lambda k: om.Microaggregation(k, partition="adaptive_static", distance="s"),
        lambda k: om.Microaggregation(k, centroid="mode", measure="wu_palmer"),
        om.Recoding,
        lambda k: om.Recoding(k, guide="random"),
        om.Suppression,
        om.Resampling,
        lambda k: om.Resampling(k, variant="heer"),
        om.ProfileMicroaggregation,
        lambda k: om.Generalization(),
        lambda k: om.Generalization(search="local"),
        lambda k: om.Generalization(search="local", loss="semantic"),
        lambda k: om.Generalization(hierarchies={}, loss="steps", suppression_limit=0.2),
    )
)


# ---- sets of one -------------------------------------------------------------------------------------------------------


@settings(max_examples=cases(150))
@given(st.data())
def test_sets_of_one_are_values(data: DataObject) -> None:
    """Whatever the method: the same release, the same bytes in a file, the same notes and the same assessment."""
    sheet = data.draw(sheets(kinds=("nominal", "nominal", "flat", "numeric"), widest=3))
    assume(sheet.n > 1 and any(a.kind == "nominal" for a in sheet.attributes))
    k, method = data.draw(some_k(sheet.n)), data.draw(METHODS)
    frame = sheet.frame(sheet.records)
    plain = {name: attribute.changed(missing="category") for name, attribute in sheet.real_attributes.items()}
    many = {n: a.changed(many="|") if isinstance(a, om.Nominal) else a for n, a in plain.items()}
    made = []
    for attributes in (plain, many):
        policy = om.Policy(attributes=attributes, method=method(k), require=[om.KAnonymity(k)])
        note(repr(policy.method))
        try:
            result = om.anonymize(frame, policy, seed=1, allow_unsatisfied=True)
        except DataError as problem:  # suppression leaves nothing
            made.append(str(problem))
            continue
        made.append((result.data.write_csv(), [str(n) for n in result.notes], result.assess().to_dict()))
    assert made[0] == made[1]


@pytest.mark.parametrize("values", [["410.01", "250.00", "0410.01"], [410, 250, 250], ["AMI NOS", "diabetes", "DM"]])
def test_one_item_is_spelled_as_it_was(values: list[Any]) -> None:
    """Types and spellings of the column stay."""
    taxonomy = om.Taxonomy.from_edges(
        [("410.01", "410"), ("410", "any"), ("250.00", "250"), ("250", "any")],
        labels={"410": "AMI NOS", "250": "diabetes"},
        synonyms={"250": ["DM"]},
    )
    frame = pl.DataFrame({"d": values})
    known = {"mapping": {"0410.01": "410.01"}} if "0410.01" in values else {}
    released = [
        om.anonymize(
            frame,
            om.Policy(attributes={"d": om.Nominal(taxonomy, **known, **more)}, method=om.Recoding(2)),
            allow_unsatisfied=True,
        ).data
        for more in ({}, {"many": "|"})
    ]
    assert released[0].equals(released[1])
    assert released[0].schema == released[1].schema


# ---- what groups show --------------------------------------------------------------------------------------------------


@settings(max_examples=cases(300))
@given(st.data())
def test_groups_show_what_is_true_of_all(data: DataObject) -> None:
    sheet = data.draw(sheets(kinds=("sets",), widest=1))
    column = sheet.table.columns[0]
    assert isinstance(column, SetColumn)
    assume(not column.single)
    groups = some_groups(data, sheet.n)
    above = AboveSets(levels_of(column, None))
    order = np.argsort(groups, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(groups))))
    shown = above.lowest(sheet.table.codes_of(0)[order], starts)
    taxonomy = sheet.attributes[0].taxonomy
    assert taxonomy is not None
    for node, group in zip(shown.tolist(), sheet.grouped(groups), strict=True):
        sets = [record[0] for record in group]
        if len(set(sets)) == 1:
            expected = sets[0]
        elif None in sets:
            expected = "*"
        else:
            found = plain_sets.cover(taxonomy, sets)
            expected = "*" if found is None else found
        assert _shown(above, column, node) == expected


def _shown(above: AboveSets, column: SetColumn, node: int) -> Any:
    if node == above.any:
        return "*"
    number = int(above.centres[node])
    return None if number < 0 else frozenset(column.taxonomy.concepts[c] for c in column.sets.members(number))


@settings(max_examples=cases(100))
@given(st.data())
def test_local_generalization_is_true_and_read_back(data: DataObject) -> None:
    """Every record has an item below each concept that it shows, and every item is below one of them."""
    sheet = data.draw(sheets(kinds=("sets", "sets", "numeric"), widest=2))
    assume(sheet.n > 1)
    k = data.draw(some_k(sheet.n))
    attributes = {name: attribute.changed(missing="category") for name, attribute in sheet.real_attributes.items()}
    loss = data.draw(st.sampled_from(("ncp", "semantic", "steps")))
    search = data.draw(st.sampled_from(("local", "full_domain")))
    method = om.Generalization(search=search, loss=loss)  # type: ignore[arg-type]
    policy = om.Policy(attributes=attributes, method=method, require=[om.KAnonymity(k)])
    frame = sheet.frame(sheet.records)
    result = om.anonymize(frame, policy)
    for i, attribute in enumerate(sheet.attributes):
        if attribute.kind != "sets":
            continue
        assert attribute.taxonomy is not None
        above = attribute.taxonomy.subsumers
        for own, text in zip((r[i] for r in sheet.records), result.data[f"c{i}"].to_list(), strict=True):
            if text == "*":
                continue
            shown = None if text is None else set(split_items(text, "|"))
            assert (shown is None) == (own is None)
            if shown is not None:
                assert all(above[item] & shown for item in own)
                assert all(any(concept in above[item] for item in own) for concept in shown)
    again = om.assess(frame, result.data, policy)
    assert again.ncp == pytest.approx(result.assessment.ncp)
    assert again.loss.semantic_loss == pytest.approx(result.assessment.loss.semantic_loss)


# ---- combinations of items ---------------------------------------------------------------------------------------------


def _sets(seed: int, n: int) -> Sheet:
    return make_sheet(seed, n, ["sets"])


@settings(max_examples=cases(400))
@given(st.integers(0, 2**32), st.sampled_from((1, 3, 8, 15, 30)), st.integers(1, 4), st.integers(1, 3), st.booleans())
def test_rare_combinations_are_those_of_a_count_of_all(seed: int, n: int, k: int, m: int, persons: bool) -> None:
    sheet = _sets(seed, n)
    sets = [record[0] for record in sheet.records]
    chance = random.Random(seed)
    owner = [chance.randrange(n) for _ in range(n)] if persons else list(range(n))
    units = Units(PERSON, np.array(owner)) if persons else RECORDS
    items = ItemRows.of(sheet.frame(sheet.records)["c0"], "|")
    least, rare, failing = items.rare(k, m, units)
    found = {frozenset(items.texts[i] for i in some) for some, _ in rare}
    expected = _rare_units(sets, owner, k, m)
    smallest = min((len(some) for some in expected), default=0)
    assert found == {some for some in expected if len(some) == smallest}
    hit = [own is not None and any(some <= own for some in found) for own in sets]
    assert [i for i, bad in enumerate(hit) if bad] == np.flatnonzero(failing).tolist()
    assert all(units == _units_with(frozenset(items.texts[i] for i in some), sets, owner) for some, units in rare)
    event(f"{'rare' if rare else 'all common'}, size {smallest}")
    if rare:
        assert least == min(units for _, units in rare)


def _units_with(some: frozenset[Any], sets: list[Any], owner: list[int]) -> int:
    return len({owner[i] for i, own in enumerate(sets) if own is not None and some <= own})


def _rare_units(sets: list[Any], owner: list[int], k: int, m: int) -> set[frozenset[Any]]:
    every = plain_sets.rare_combinations(sets, len(sets) + 1, m)  # all that occur
    return {some for some in every if _units_with(some, sets, owner) < k}


@settings(max_examples=cases(250))
@given(st.data())
def test_recoded_items_are_common(data: DataObject) -> None:
    """All combinations are counted; every item goes up to one concept, in all records."""
    seed, n = data.draw(st.integers(0, 2**32)), data.draw(st.sampled_from((4, 10, 20, 30)))
    k, m, persons = data.draw(st.integers(2, 4)), data.draw(st.integers(1, 3)), data.draw(st.booleans())
    sheet = _sets(seed, n)
    chance = by_chance(data)
    owner = [chance.randrange(n // 2 + 1) for _ in range(n)] if persons else list(range(n))
    frame = sheet.frame(sheet.records).with_columns(who=pl.Series(owner))
    attribute = sheet.real_attributes["c0"].changed(missing="category")
    policy = om.Policy(
        attributes={"c0": attribute, "who": om.Identifier()},
        person=["who"] if persons else [],
        method=om.Generalization(),
        require=[om.KmAnonymity(k, m, column="c0")],
    )
    sets = [record[0] for record in sheet.records]
    assume(len(set(owner)) >= k)
    if 0 < len({owner[i] for i, own in enumerate(sets) if own}) < k:
        with pytest.raises(DataError, match="have an item at all"):
            om.anonymize(frame, policy)
        return
    result = om.anonymize(frame, policy)
    shown = [None if text is None else frozenset(split_items(text, "|")) for text in result.data["c0"].to_list()]
    assert not _rare_units(shown, owner, k, m)
    assert om.verify(result.data, policy).holds or persons
    taxonomy = sheet.attributes[0].taxonomy
    assert taxonomy is not None
    became: dict[Any, set[Any]] = {}
    for own, now in zip(sets, shown, strict=True):
        assert (own is None) == (now is None)
        for item in own or ():
            above = {concept for concept in now or () if concept in taxonomy.subsumers[item]}
            became.setdefault(item, set(above)).intersection_update(above)
    assert all(became.values())  # there is one concept that it is shown as in every record
