"""docs/departures.md, row by row: what a paper prints, worked out as it is printed, beside what is computed here."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from experiments.marginality import PRINTED
from ontomask.assessment.pairing import pair_frames
from ontomask.statistics.correlation import copula_correlations
from tests.golden.test_t12_thesis import SYMPTOMS

FLAT = {"x": om.Flat()}


def frame(*values: Any) -> pl.DataFrame:
    return pl.DataFrame({"x": list(values)})


# ---- T12: measures ---------------------------------------------------------------------------------------------------


def test_tversky_as_printed_is_not_symmetric() -> None:
    """T12 eq. 3.4-3.5 on ancestors: lumbago (symptom, pain, ache, lumbago) and colic (symptom, pain, colic)."""
    a, b = {"symptom", "pain", "ache", "lumbago"}, {"symptom", "pain", "colic"}

    def printed(one: set[str], other: set[str]) -> float:
        depth, depth_other = len(one), len(other)
        gamma = depth / (depth + depth_other)
        gamma = gamma if depth <= depth_other else 1 - gamma
        common = len(one & other)
        return common / (common + gamma * len(one - other) + (1 - gamma) * len(other - one))

    there, back = printed(a, b), printed(b, a)
    assert (round(there, 4), round(back, 4)) == (0.5833, 0.56)
    ours = om.distance(SYMPTOMS, "lumbago", "colic", "tversky")
    assert ours == om.distance(SYMPTOMS, "colic", "lumbago", "tversky") == pytest.approx(1 - (there + back) / 2)


def test_wu_palmer_with_links_puts_branches_of_the_root_at_1() -> None:
    """T12 eq. 3.3 counts links from the LCS to the root, R17 eq. 3 nodes: 0 and 1 where the LCS is the root."""
    lumbago, gastritis = "lumbago", "gastritis"  # 3 and 2 links below the root, which is their LCS
    assert om.distance(SYMPTOMS, lumbago, gastritis, "wu_palmer", depth="edges") == 1 - 2 * 0 / (3 + 2 + 2 * 0) == 1
    assert om.distance(SYMPTOMS, lumbago, gastritis, "wu_palmer") == pytest.approx(1 - 2 * 1 / (3 + 2 + 2 * 1))
    assert om.distance(SYMPTOMS, "symptom", "symptom", "wu_palmer", depth="edges") == 0  # 0 / 0 as printed


def test_similarities_become_distances() -> None:
    """T12 eq. 3.2, 3.11 and 3.13 have no fixed end; as distances they lie in 0..1 and are 0 from a concept to itself."""
    leaf, other = "lumbago", "gastritis"
    longest = math.log(2 * 4)  # the path of one node, in a taxonomy of four nodes from root to leaf
    assert om.similarity(SYMPTOMS, leaf, leaf, "leacock_chodorow") == pytest.approx(longest)
    away = 1 - om.similarity(SYMPTOMS, leaf, other, "leacock_chodorow") / longest
    assert om.distance(SYMPTOMS, leaf, other, "leacock_chodorow") == pytest.approx(away)
    # Resnik's similarity of an inner concept with itself is its content, which is not the largest.
    own = om.similarity(SYMPTOMS, "ache", "ache", "resnik")
    assert 0 < own < om.similarity(SYMPTOMS, leaf, leaf, "resnik")
    assert om.distance(SYMPTOMS, "ache", "ache", "resnik") == 0
    # Two leaves that share nothing but the root are 2 apart by content, and at 1.
    assert om.distance(SYMPTOMS, leaf, other, "jiang_conrath") == 1


# ---- T12: assessment -------------------------------------------------------------------------------------------------


def test_discernibility_sums_over_classes() -> None:
    """T12 eq. 5.2 prints the sum from 1 to n, the number of records; its text gives each record the size of its group."""
    masked = ["a", "a", "a", "b", "b"]
    size = Counter(masked)
    printed = sum(size[x] ** 2 for x in masked)
    told = sum(size[x] for x in masked)
    found = om.information_loss(frame(*masked), frame(*masked), FLAT).discernibility
    assert (printed, told, found) == (35, 13, 13)
    assert found == sum(count**2 for count in size.values())


def test_matching_linkage_is_printed_upside_down() -> None:
    """T12 eq. 8.6 puts equal records at 1 and others at 0; the linked records are the least distant ones (eq. 8.1)."""
    original = masked = ["a", "b", "c"]

    def linked(distance: Any) -> float:
        chances = []
        for k, known in enumerate(original):
            away = [distance(known, shown) for shown in masked]
            closest = [i for i, d in enumerate(away) if d == min(away)]
            chances.append(1 / len(closest) if k in closest else 0.0)
        return sum(chances) / len(chances)

    assert linked(lambda r, a: 1 if r == a else 0) == 0.0  # data that are not masked at all would be safe
    assert linked(lambda r, a: 0 if r == a else 1) == 1.0
    assert om.record_linkage(frame(*original), frame(*masked), FLAT, "matching") == 1.0


def test_matching_links_nobody_where_nothing_matches() -> None:
    """Turned round, eq. 8.1 would link a record that nothing equals to all of them: 1 in n. The text asks for equal ones."""
    before, after = frame("a", "b", "c", "d"), frame("x", "x", "y", "y")
    assert om.record_linkage(before, after, FLAT, "matching") == 0.0
    assert om.record_linkage(before, after, FLAT, "semantic") == 0.25


def test_divergence_as_printed_is_infinite_where_a_combination_is_gone() -> None:
    """T12 eq. 9.2: ln(f / 0). Half a record more of each makes it finite; nothing changes the value where all are there."""
    before, after = frame("a", "a", "b", "c"), frame("a", "a", "a", "c")
    with pytest.raises(ZeroDivisionError):
        (1 / 4) * math.log((1 / 4) / (0 / 4))
    loss = om.information_loss(before, after, FLAT)
    expected = (2.5 * math.log(2.5 / 3.5) + 1.5 * math.log(1.5 / 0.5)) / (4 + 3 * 0.5)
    assert loss.divergence == pytest.approx(expected, abs=1e-15)
    removed = om.information_loss(before, frame("a", "a", "c"), FLAT, records=[0, 1, 3])
    assert removed.divergence == pytest.approx(1.5 * math.log(3) / (4 + 3 * 0.5), abs=1e-15)


def test_partitions_of_one_cluster_are_the_same() -> None:
    """T12 eq. 5.3 is 0 / 0 where both partitions have one cluster."""
    same = frame("a", "a", "a")
    assert om.clustering_distance(same, same, FLAT).distance == 0.0


# ---- T12: algorithms -------------------------------------------------------------------------------------------------


def sa_mdav(values: Sequence[float], k: int, *, among_all: bool, forget: bool) -> list[list[int]]:
    """T12 Algorithm 4 on different numbers. ``among_all``: lines 8 and 16 look in D^A, which is never emptied, as printed,
    and not in D. ``forget``: line 14 does not remove s from D, as printed."""
    left = list(range(len(values)))

    def centre(members: Sequence[int]) -> float:
        return sum(values[i] for i in members) / len(members)

    def near(at: float, some: Sequence[int]) -> int:
        return min(some, key=lambda i: abs(values[i] - at))

    def far(at: float) -> int:
        return max(left, key=lambda i: abs(values[i] - at))

    def grow(first: int) -> list[int]:
        group = [first]
        while len(group) < k:
            new = near(centre(group), range(len(values)) if among_all else left)
            group.append(new)
            if new in left:
                left.remove(new)
        return group

    groups: list[list[int]] = []
    while len(left) >= k:
        r = far(centre(left))
        left.remove(r)
        groups.append(grow(r))
        if len(left) >= k:
            s = far(values[r])
            if not forget:
                left.remove(s)
            groups.append(grow(s))
    for i in list(left):
        min(groups, key=lambda group: abs(centre(group) - values[i])).append(i)
    return groups


NUMBERS = [0.0, 1.0, 2.5, 4.5, 11.0, 14.0, 18.0, 25.0]


def test_algorithm_4_as_printed_is_not_k_anonymous() -> None:
    """Line 14 forgets to take s out of D: the group around s counts s twice and has k - 1 records."""
    k = 3
    forgetful = sa_mdav(NUMBERS, k, among_all=False, forget=True)
    assert min(len(set(group)) for group in forgetful) == k - 1
    # Lines 8 and 16 look for the closest tuple in D^A, where r itself is the closest of all.
    literal = sa_mdav(NUMBERS, k, among_all=True, forget=False)
    assert [0] not in literal
    assert min(len(set(group)) for group in literal) == 1
    meant = sa_mdav(NUMBERS, k, among_all=False, forget=False)
    assert sorted(i for group in meant for i in group) == list(range(len(NUMBERS)))
    assert min(map(len, meant)) >= k


def test_algorithm_4_as_meant_is_what_is_computed() -> None:
    policy = om.Policy(
        attributes={"x": om.Numeric(decimals="exact")},
        method=om.Microaggregation(k=3, partition="adaptive", distance="mean", refine="none"),
    )
    rng = random.Random(1)
    for _ in range(60):
        values = [round(rng.uniform(0, 100), 6) for _ in range(rng.randint(6, 14))]
        groups = sa_mdav(values, 3, among_all=False, forget=False)
        shown = {i: sum(values[j] for j in group) / len(group) for group in groups for i in group}
        # Leftovers join the closest of the centres as they were before line 22; here each group takes one at a time.
        if len(groups) * 3 < len(values) - 1:
            continue
        result = om.anonymize(frame(*values), policy).data["x"].to_list()
        assert result == pytest.approx([shown[i] for i in range(len(values))])


def test_mdav_seeks_s_after_the_group_of_r_is_taken() -> None:
    """T12 Algorithm 3 line 5 finds s before line 7 removes the group of r: among equal records s may be in that group."""
    equal = [7.0] * 9
    r = max(range(9), key=lambda i: abs(equal[i] - 7.0))
    s = max(range(9), key=lambda i: abs(equal[i] - equal[r]))
    group = sorted(range(9), key=lambda i: abs(equal[i] - equal[r]))[:3]
    assert s in group
    policy = om.Policy(attributes={"x": om.Numeric()}, method=om.Microaggregation(k=3, partition="mdav", refine="none"))
    assert sorted(om.anonymize(frame(*equal), policy).groups["records"].to_list()) in ([9], [3, 3, 3])


def test_recoding_where_no_record_is_above_the_least_frequency() -> None:
    """The text below T12 Algorithm 2 looks for non-minimal records; where all are unique there is none."""
    values = ["lumbago", "migraine", "colic", "gastritis"]
    assert set(Counter(values).values()) == {1}
    policy = om.Policy(attributes={"x": om.Nominal(taxonomy=SYMPTOMS)}, method=om.Recoding(k=2))
    released = om.anonymize(frame(*values), policy).data["x"].to_list()
    assert min(Counter(released).values()) >= 2
    assert set(released) <= set(values)


def test_resampling_where_k_does_not_divide_n() -> None:
    """T12 Algorithm 6 line 1 takes samples of n / k records: 7 / 3 of them. The whole part, and line 2 takes the rest."""
    policy = om.Policy(attributes={"x": om.Numeric()}, method=om.Resampling(k=3))
    result = om.anonymize(frame(20, 21, 40, 41, 60, 61, 80), policy, seed=0)
    assert sorted(result.groups["records"].to_list()) == [3, 4]


def test_sorting_begins_at_the_far_end() -> None:
    """T12 Algorithm 1 sorts from the record farthest from the centroid; 4.5 and 7.2.1 speak of the centroid itself."""
    numbers = frame(10, 50, 0, 49, 12)
    order = om.sort_records(numbers, {"x": om.Numeric()})
    centroid = 121 / 5
    values = numbers["x"].to_list()
    by_algorithm = sorted(range(5), key=lambda i: abs(values[i] - 50))
    by_centroid = sorted(range(5), key=lambda i: abs(values[i] - centroid))
    assert list(order) == by_algorithm != by_centroid


# ---- M13 -------------------------------------------------------------------------------------------------------------


def test_the_published_s_distance_loses_nominal_columns_as_n_grows() -> None:
    """M13 eq. 5 and 7: Var_M is a mean of sums over all records, so it grows with n; the variance of a number does not."""
    values = ["lumbago", "migraine", "colic", "gastritis"]
    attributes = {"x": om.Nominal(taxonomy=SYMPTOMS), "age": om.Numeric()}
    part = {}
    for times in (1, 10, 100):
        many = pl.DataFrame({"x": values * times, "age": [20, 40, 40, 60] * times})
        for how in ("published", "pairwise"):
            away = om.record_distances(many, attributes, "s", normalize=how)  # type: ignore[arg-type]
            part[how, times] = float(away[1, 2] ** 2)  # these two differ in the diagnosis alone
        assert om.marginality_variance(SYMPTOMS, values * times) == pytest.approx(
            times * om.marginality_variance(SYMPTOMS, values)
        )
    assert part["published", 1] == pytest.approx(10 * part["published", 10])
    assert part["published", 1] == pytest.approx(100 * part["published", 100])
    assert part["pairwise", 100] == pytest.approx(part["pairwise", 10], rel=0.03)


def test_the_tables_of_m13_show_centroids() -> None:
    """M13 3.1 ends in random draws (Algorithm 1); Tables 2 and 3 print the same numeric loss for both methods."""
    for classic_age, age, classic_stay, stay, classic_charge, charge, *_ in PRINTED["digestive"].values():
        assert (classic_age, classic_stay, classic_charge) == (age, stay, charge)
    rng = np.random.default_rng(0)
    table = pl.DataFrame({"x": rng.choice(["lumbago", "migraine", "colic"], 60), "age": rng.integers(18, 90, 60)})
    attributes = {"x": om.Nominal(taxonomy=SYMPTOMS), "age": om.Numeric(decimals="exact")}

    def losses(preset: str) -> set[float]:
        policy = om.Policy(attributes=attributes, method=om.Microaggregation.preset(preset, k=4))
        return {om.anonymize(table, policy, seed=seed).loss().sse["age"] for seed in range(3)}

    assert len(losses("marginality")) == 1
    assert len(losses("marginality_hybrid")) == 3  # no two runs that draw have the same


# ---- D12 -------------------------------------------------------------------------------------------------------------


def test_the_copula_of_d12_is_misprinted() -> None:
    """D12 2.1 prints rho = 2 pi sin(r) / 6: a column would have a correlation of 0.88 with itself."""
    printed = 2 * math.pi * math.sin(1) / 6
    assert printed == pytest.approx(0.881, abs=0.0005)
    assert 2 * math.sin(math.pi * 1 / 6) == pytest.approx(1)
    rng = np.random.default_rng(0)
    for r in (0.2, 0.5, 0.8):
        rho = float(copula_correlations(np.array([[1, r], [r, 1]]))[0, 1])
        assert rho == pytest.approx(2 * math.sin(math.pi * r / 6))
        x, e = rng.normal(size=(2, 200_000))
        ranks = [np.argsort(np.argsort(v)) for v in (x, rho * x + math.sqrt(1 - rho**2) * e)]
        assert np.corrcoef(*ranks)[0, 1] == pytest.approx(r, abs=0.01)
        if r > 0.3:
            wrong = 2 * math.pi * math.sin(r) / 6
            ranks = [np.argsort(np.argsort(v)) for v in (x, wrong * x + math.sqrt(1 - wrong**2) * e)]
            assert abs(np.corrcoef(*ranks)[0, 1] - r) > 0.01


def test_equal_marginalities_are_kept_apart() -> None:
    """D12 3.1 takes the map from categories to marginalities for one-to-one: not where categories are alike."""
    values = ["lumbago", "migraine", "colic"] * 4
    found = om.marginality(SYMPTOMS, values)
    assert found["lumbago"] == found["migraine"]
    table = pl.DataFrame({"x": values, "age": range(12)})
    attributes = {"x": om.Nominal(taxonomy=SYMPTOMS, role="sensitive"), "age": om.Numeric()}
    result = om.anonymize(table, om.Policy(attributes=attributes, method=om.Shuffling()), seed=1)
    assert sorted(result.data["x"]) == sorted(values)


def test_delta_is_an_absolute_value() -> None:
    """D12 prints (theta' - theta) / theta; a fall would be negative, and a mean over samples could hide it."""
    kept = om.preservation(frame(10, 20), frame(8, 16), {"x": om.Numeric()}, samples=0)
    assert kept.statistics.filter(pl.col("statistic") == "mean")["delta"].to_list() == pytest.approx([0.2])


# ---- R17 -------------------------------------------------------------------------------------------------------------


def algorithm_3(records: Sequence[tuple[int, ...]], k: int, chance: random.Random, *, literal: bool) -> list[list[int]]:
    """R17 Algorithm 3 on numbers. ``literal``: line 9 swaps every value of the reference, swapped before or not; X* takes
    original values (lines 20 and 21 of Algorithm 1)."""
    n, width = len(records), len(records[0])
    released = [list(record) for record in records]
    done = [[False] * width for _ in records]

    def distance(i: int, j: int) -> float:
        return sum(abs(a - b) for a, b in zip(records[i], records[j], strict=True)) / width

    reference = max(range(n), key=lambda i: sum(distance(i, j) for j in range(n)))
    while True:
        interval = sorted((i for i in range(n) if i != reference), key=lambda i: distance(i, reference))[:k]
        for a in range(width):
            if not literal and done[reference][a]:
                continue
            free = [i for i in interval if not done[i][a]]
            if free:
                partner = chance.choice(free)
                released[reference][a], released[partner][a] = records[partner][a], records[reference][a]
                done[partner][a] = True
            done[reference][a] = True
        open_ = [i for i in range(n) if not all(done[i])]
        if not open_:
            return released
        last = reference
        reference = max(open_, key=lambda i: distance(i, last))


def is_permutation(records: Sequence[Sequence[int]], released: Sequence[Sequence[int]]) -> bool:
    columns = zip(zip(*records, strict=True), zip(*released, strict=True), strict=True)
    return all(sorted(one) == sorted(other) for one, other in columns)


def test_algorithm_3_as_printed_is_no_permutation() -> None:
    """A value that was swapped as a partner is swapped again when its record is the reference, and one is lost."""
    broken = 0
    for seed in range(300):
        chance = random.Random(seed)
        records = [(chance.randrange(100), chance.randrange(100)) for _ in range(8)]
        broken += not is_permutation(records, algorithm_3(records, 3, chance, literal=True))
        assert is_permutation(records, algorithm_3(records, 3, chance, literal=False))
        policy = om.Policy(
            attributes={"a": om.Numeric(), "b": om.Numeric()}, method=om.RankSwapping(k=3, variant="multivariate")
        )
        if seed < 30:
            table = pl.DataFrame(records, schema=["a", "b"], orient="row")
            assert is_permutation(records, om.anonymize(table, policy, seed=seed).data.rows())
    assert broken > 150


def test_fewer_than_k_candidates_are_free() -> None:
    """R17 3.5 bounds the chance to find a value by 1/k; that takes k free candidates for every value."""
    table = pl.DataFrame({"a": [(i * i) % 401 for i in range(400)]})
    policy = om.Policy(attributes={"a": om.Numeric()}, method=om.RankSwapping(k=10, variant="dynamic"))
    report = om.anonymize(table, policy, seed=1).diagnostics.table
    assert report["candidates_mean"][0] < 10
    assert report["chance"][0] > 1 / 10
    assert report["realised_k"][0] < 10


def test_distance_covariance_below_zero_counts_as_0() -> None:
    """R17: sdCov >= 0 for every measure; wu_palmer and path in a DAG are no metrics, and the sum may fall below 0."""
    from ontomask.statistics.dependence import CategoryColumn, covariance_of

    # Not a metric: a and c are far apart though b is at 0 from both.
    table = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    other = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    codes = np.array([0, 1, 2])

    def centred(d: Any) -> Any:
        return d - d.mean(0) - d.mean(1)[:, None] + d.mean()

    assert (centred(table) * centred(other)).sum() < 0
    with pytest.warns(UserWarning, match="negative"):
        assert covariance_of(CategoryColumn(codes, table), CategoryColumn(codes, other)) == 0


# ---- S18 -------------------------------------------------------------------------------------------------------------


def test_the_two_n_of_s18() -> None:
    """Definition 1 calls N the largest number outside large class 1, definition 3 the largest of all."""
    japan = om.Severity.example()
    assert (japan.largest_in_class_2, japan.largest) == (3, 4)


def test_costs_of_a_disease_and_costs_of_a_treatment() -> None:
    """Section 5 (iii) puts renal failure into 2.2.2; by Table 2 that class is about treatments, and 2.2.1 about diseases."""
    classes = om.riopsi()
    assert "disease" in str(classes).split("2.2.1")[1].splitlines()[0]
    assert "treatment, medicine" in str(classes).split("2.2.2")[1].splitlines()[0]
    table = om.Severity.example().table
    assert table.filter(pl.col("members").str.contains("renal"))["small_class"].to_list() == ["2.2.1"]


def test_congenital_abnormalities_by_the_mean_of_three_classes() -> None:
    """Section 5 (iv) names three classes and takes the mean of two numbers, 2.5; the mean over classes would be 3."""
    patients = om.Severity.example_data()
    congenital = patients.filter(pl.col("disease") == "congenital and chromosome abnormalities")
    by_facility = dict(zip(congenital["facility"], congenital["patients"], strict=True))
    sums = {"hospital": 1219.75, "clinic": 437.85}
    other = {name: sums[name] + (3 - 2.5) * by_facility[name] for name in sums}
    assert other == pytest.approx({"hospital": 1227.1, "clinic": 440.5})
    numbers = om.Severity.example().of_values("disease", ["congenital and chromosome abnormalities"])[:, 0]
    assert numbers.tolist() == [2, 2, 2.5]


def test_a_column_without_a_set_can_never_be_diverse() -> None:
    """Definition 2 is about every sensitive attribute; values in no set all have number 0, which is one number."""
    severity = om.Severity.example()
    table = pl.DataFrame({"q": [1, 1], "disease": ["flu", "cancer of the liver"], "income": [1, 2]})
    roles = {"q": om.Numeric(), "disease": om.Flat(role="sensitive"), "income": om.Numeric(role="sensitive")}
    model = om.SeverityDiversity(l=2, severity=severity, middle_class=1)
    with pytest.raises(om.errors.PolicyError, match="does not cover 'income'"):
        model.check(table, ["q"], roles)
    assert model.changed(columns=["disease"]).check(table, ["q"], roles).holds


# ---- beyond the papers -------------------------------------------------------------------------------------------------


def test_removed_records_count_in_every_loss() -> None:
    """The papers release every record; suppression (T12 9.2) and dropped records do not."""
    before, after = frame("a", "a", "b"), frame("a", "a")
    pairing = pair_frames(before, after, FLAT, [0, 1])
    assert pairing.gone == 1
    loss = om.information_loss(before, after, FLAT, records=[0, 1])
    assert (loss.sse_record, loss.semantic_loss, loss.changed["x"]) == (1.0, 1 / 3, 1 / 3)
    assert om.record_linkage(before, after, FLAT, "matching", records=[0, 1]) == 1 / 3


def test_a_long_tail_that_is_cut_off() -> None:
    """T12 eq. 6.4: nobody sees by L that all of a skewed column is gone, half of what there was."""
    chance = random.Random(1)
    stays = [chance.choice((1, 2, 3)) for _ in range(99)] + [400]
    before = pl.DataFrame({"stay": stays, "sex": [chance.choice("fm") for _ in stays]})
    after = before.with_columns(stay=pl.lit(sum(stays) / len(stays)))
    loss = om.information_loss(before.cast({"stay": pl.Float64}), after, {"stay": om.Numeric(), "sex": om.Flat()})
    assert loss.record_loss < 3
    assert loss.variance_lost == {"stay": pytest.approx(100), "sex": 0}
    assert loss.information_loss == pytest.approx(50)
