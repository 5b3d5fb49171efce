"""Rank swapping, shuffling and hybrid data: wrong settings and data end in one clear error, or in nothing done and told."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask import errors

FRAME = pl.DataFrame({"a": [1, 2, 3, 4, 5, 6], "b": ["x", "y", "x", "z", "y", "x"]})
QUASI: dict[str, Any] = {"a": om.Numeric(), "b": om.Flat()}
SECRET: dict[str, Any] = {"a": om.Numeric(), "b": om.Flat(role="sensitive")}
VARIANTS = ("multivariate", "dynamic", "fixed", "distributional")


def run(method: Any, frame: pl.DataFrame = FRAME, attributes: dict[str, Any] = QUASI, **settings: Any) -> om.Result:
    return om.anonymize(frame, om.Policy(attributes=attributes, method=method, **settings), seed=1)


# ---- settings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"k": 0}, r"k: 0 is too small: it must be at least 1"),
        ({"k": -1}, r"k: -1 is too small"),
        ({"k": 2.5}, r"k: 2\.5 is not a whole number"),
        ({"k": "five"}, r"k: 'five' is not a whole number"),
        ({"k": True}, r"k: True is not a whole number"),
        ({"k": 5, "percent": 5}, r"give k.*or percent, and not both"),
        ({}, r"give k.*or percent"),
        ({"k": None}, r"give k.*or percent"),
        ({"variant": "fixed"}, r"give k.*or percent"),
        ({"percent": 0}, r"percent: 0 should be greater than 0"),
        ({"percent": 100}, r"percent: 100 should be less than 100"),
        ({"percent": 150}, r"percent: 150 should be less than 100"),
        ({"percent": -3}, r"percent: -3 should be greater than 0"),
        ({"percent": float("nan")}, r"percent: nan"),
        ({"percent": float("inf")}, r"percent: inf"),
        ({"percent": "5"}, r"percent: '5' is not a number"),
        ({"percent": True}, r"percent: True is not a number"),
        ({"k": 3, "variant": "multivariat"}, r"Did you mean 'multivariate'\?"),
        ({"k": 3, "variant": "fixd"}, r"variant: 'fixd' is not one of .*Did you mean 'fixed'\?"),
        ({"k": 3, "variant": "random"}, r"k has no meaning with variant='random'"),
        ({"percent": 3, "variant": "random"}, r"percent has no meaning with variant='random'"),
        ({"ties": "random", "variant": "random"}, r"ties has no meaning with variant='random'"),
        ({"k": 3, "ties": "togeter"}, r"ties: 'togeter' is not one of together, random. Did you mean 'together'\?"),
        ({"k": 3, "ties": None}, r"ties: None"),
        ({"k": 3, "scope": "column"}, r"scope: 'column' is not one of attribute, taxonomy"),
        ({"k": 3, "measure": "logs"}, r"Did you mean 'logsc'"),
        ({"k": 3, "measure_options": {"depth": "edges"}}, r"without measure="),
        ({"k": 3, "distance": "s"}, r"distance: unknown key"),
    ],
    ids=str,
)
def test_settings_of_rank_swapping(settings: dict[str, Any], expected: str) -> None:
    with pytest.raises(errors.PolicyError, match=expected):
        om.RankSwapping(**settings)
    with pytest.raises(errors.PolicyError, match=expected):
        om.Policy(attributes=QUASI, method={"name": "rank_swapping", **settings})


def test_good_settings() -> None:
    assert om.RankSwapping(k=np.int64(3)).k == 3
    assert om.RankSwapping(percent=np.float64(2.5)).percent == 2.5
    assert om.RankSwapping(percent=5).percent == 5
    assert om.RankSwapping(variant="random").k is None
    assert om.RankSwapping(k=3).variant == "multivariate"
    assert om.RankSwapping(k=3).scope == "attribute"  # specification 1: the default in rank swapping
    assert om.Shuffling().ties == "corrected"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"k": 3}, r"k: unknown key"),
        ({"ties": "random"}, r"ties: 'random' is not one of corrected, published"),
        ({"measure": "wu_palmr"}, r"Did you mean 'wu_palmer'"),
    ],
)
def test_settings_of_shuffling(settings: dict[str, Any], expected: str) -> None:
    with pytest.raises(errors.PolicyError, match=expected):
        om.Shuffling(**settings)


def test_settings_of_hybrid_data() -> None:
    with pytest.raises(
        errors.PolicyError, match="replace: 'hybird' is not one of centroid, hybrid. Did you mean 'hybrid'"
    ):
        om.Microaggregation(k=3, replace="hybird")  # type: ignore[arg-type]
    with pytest.raises(errors.PolicyError, match="Did you mean 'micro_hybrid'"):
        om.Microaggregation.preset("microhybrid", k=3)
    with pytest.raises(errors.DataError, match="k is 7 and there are 6 records"):
        run(om.Microaggregation(k=7, replace="hybrid"))


def test_policies_go_to_a_file_and_back(tmp_path: Any) -> None:
    for place, (method, attributes) in enumerate(
        [
            (om.RankSwapping(k=3), QUASI),
            (om.RankSwapping(percent=2.5, variant="dynamic", scope="taxonomy", measure="wu_palmer"), QUASI),
            (om.RankSwapping(variant="random"), QUASI),
            (om.Shuffling(ties="published", measure="weighted_edge"), SECRET),
            (om.Microaggregation.preset("micro_hybrid", k=3), QUASI),
        ]
    ):
        policy = om.Policy(attributes=attributes, method=method)
        assert om.Policy.load(policy.save(tmp_path / f"{place}.yaml")) == policy


# ---- too few records -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("k", [6, 7, 10**12])
def test_k_as_large_as_the_data(variant: str, k: int) -> None:
    method = om.RankSwapping(k=k, variant=variant)
    expected = rf"k is {k:,} and there are 6 records: each has only 5 others\. Choose k from 1 to 5"
    with pytest.raises(errors.DataError, match=expected):
        run(method)
    with pytest.raises(errors.DataError, match=expected):
        om.check(FRAME, om.Policy(attributes=QUASI, method=method))
    run(om.RankSwapping(k=5, variant=variant))


def test_percent_beyond_both_ends() -> None:
    with pytest.raises(errors.DataError, match=r"5 percent of 6 records is less than one record.*larger percent.*or k"):
        run(om.RankSwapping(percent=5))
    with pytest.raises(errors.DataError, match=r"6 records.*5 others"):
        run(om.RankSwapping(percent=99))
    assert "50 percent of 6 records: k is 3" in map(str, run(om.RankSwapping(percent=50)).notes)


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize(
    "method", [*(om.RankSwapping(k=1, variant=v) for v in VARIANTS), om.RankSwapping(variant="random"), om.Shuffling()]
)
def test_fewer_than_three_records(method: Any, n: int) -> None:
    attributes = SECRET if isinstance(method, om.Shuffling) else QUASI
    few = f"there {'is 1 record' if n == 1 else 'are 2 records'} to (swap|shuffle).*collect more"
    with pytest.raises(errors.DataError, match=few):
        run(method, FRAME[:n], attributes)
    with pytest.raises(errors.DataError, match=few):
        om.check(FRAME[:n], om.Policy(attributes=attributes, method=method))
    # Records that are dropped do not count.
    holes = FRAME.with_columns(a=pl.when(pl.int_range(6) < n).then("a"))
    dropping = attributes | {"a": om.Numeric(missing="drop_record")}
    with pytest.raises(errors.DataError, match=few):
        run(method, holes, dropping)
    with pytest.raises(errors.DataError, match="no rows"):
        run(method, FRAME[:0], attributes)
    assert len(run(method, FRAME[:3], attributes).data) == 3


# ---- nothing to do -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method", [*(om.RankSwapping(k=2, variant=v) for v in VARIANTS), om.RankSwapping(variant="random")]
)
def test_a_single_value_is_left_and_told(method: Any) -> None:
    frame = FRAME.with_columns(a=pl.lit(7), b=pl.lit("x"))
    result = run(method, frame)
    assert result.data.equals(frame)
    assert sum("swapping changes nothing" in note for note in map(str, result.notes)) == 2
    # One column only: the other is swapped all the same.
    result = run(method, FRAME.with_columns(b=pl.lit("x")))
    assert ["b" in note for note in map(str, result.notes) if "swapping changes nothing" in note] == [True]
    assert sorted(result.data["a"]) == [1, 2, 3, 4, 5, 6]


def test_confidential_columns_that_are_constant_are_left_and_told() -> None:
    frame = FRAME.with_columns(a=pl.lit(7), b=pl.lit("x"))
    all_secret = {"a": om.Numeric(role="sensitive"), "b": om.Flat(role="sensitive")}
    result = run(om.Shuffling(), frame, all_secret)
    assert result.data.equals(frame)
    assert [note for note in map(str, result.notes) if "shuffling changes nothing" in note] == [
        "a: all records have the same value: shuffling changes nothing",
        "b: all records have the same value: shuffling changes nothing",
    ]
    # A quasi-identifier is not shuffled and not reported.
    result = run(om.Shuffling(), FRAME.with_columns(b=pl.lit("x")), SECRET)
    assert result.diagnostics is None or "a" not in result.diagnostics.table["attribute"].to_list()


def test_a_column_of_nothing_but_missing_values() -> None:
    empty = FRAME.with_columns(b=pl.lit(None, dtype=pl.String))
    kept = {"a": om.Numeric(), "b": om.Flat(missing="category")}
    assert run(om.RankSwapping(k=2), empty, kept).data["b"].null_count() == 6
    secret = {"a": om.Numeric(), "b": om.Flat(missing="category", role="sensitive")}
    assert run(om.Shuffling(), empty, secret).data.equals(empty)


# ---- roles and missing values --------------------------------------------------------------------------------------


def test_roles() -> None:
    with pytest.raises(errors.PolicyError, match="no column has a role that the method masks: sensitive"):
        om.Policy(attributes=QUASI, method=om.Shuffling())
    with pytest.raises(errors.PolicyError, match="no column is a quasi-identifier"):
        om.Policy(attributes={"a": om.Numeric(role="sensitive")}, method=om.RankSwapping(k=2))
    with pytest.raises(errors.PolicyError, match=r"'rank_swaping' is not one of .*Did you mean 'rank_swapping'\?"):
        om.Policy(attributes=QUASI, method={"name": "rank_swaping", "k": 2})
    # No other column than confidential ones is fine.
    result = run(om.Shuffling(), FRAME, {"a": om.Numeric(role="sensitive"), "b": om.Flat(role="sensitive")})
    assert sorted(result.data["a"]) == [1, 2, 3, 4, 5, 6]


def test_missing_values_are_an_error_unless_the_policy_says_what_they_are() -> None:
    holes = FRAME.with_columns(b=pl.Series(["x", None, "x", "z", "y", None]))
    expected = r"column 'b': has 2 missing values \(records 2, 6\).*missing: category"
    with pytest.raises(errors.DataError, match=expected):
        run(om.Shuffling(), holes, SECRET)
    with pytest.raises(errors.DataError, match=expected):
        run(om.RankSwapping(k=2), holes)
    with pytest.raises(errors.DataError, match=expected):
        run(om.Microaggregation(k=2, replace="hybrid"), holes)
    # Swapping does not look at sensitive columns: they are left alone.
    assert run(om.RankSwapping(k=2), holes, SECRET).data["b"].equals(holes["b"])
    # What steers must be known, too.
    with pytest.raises(errors.DataError, match=r"column 'a': has 1 missing value"):
        run(om.Shuffling(), FRAME.with_columns(a=pl.Series([1, 2, 3, 4, 5, None])), SECRET)
    kept = {"a": om.Numeric(), "b": om.Flat(role="sensitive", missing="category")}
    assert run(om.Shuffling(), holes, kept).data["b"].null_count() == 2


# ---- what is required all the same ---------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [om.RankSwapping(k=2), om.RankSwapping(variant="random"), om.Shuffling()])
def test_k_anonymity_is_checked_where_it_is_required(method: Any) -> None:
    attributes = SECRET if isinstance(method, om.Shuffling) else QUASI
    with pytest.raises(errors.NotSatisfied, match="2-anonymity"):
        run(method, FRAME, attributes, require=[om.KAnonymity(2)])
    handed = om.anonymize(
        FRAME,
        om.Policy(attributes=attributes, method=method, require=[om.KAnonymity(2)]),
        seed=1,
        allow_unsatisfied=True,
    )
    assert not handed.satisfied
    assert "NOT SATISFIED" in str(handed)
    # It may hold by itself.
    same = FRAME.with_columns(a=pl.lit(7), b=pl.lit("x"))
    assert run(method, same, attributes, require=[om.KAnonymity(6)]).satisfied
    with pytest.raises(errors.OntomaskError, match="7"):
        run(method, FRAME, attributes, require=[om.KAnonymity(7)])


def test_words_on_k_are_whole_sentences() -> None:
    """Also where it was given in percent."""
    for method in (
        om.RankSwapping(k=1000),
        om.RankSwapping(percent=50),
        om.RankSwapping(percent=2.5, variant="dynamic"),
    ):
        said = " ".join(map(str, method.assurances()))
        assert "records nearest" not in said
        assert "not k-anonymous" in said
    assert "1,000 nearest records" in " ".join(map(str, om.RankSwapping(k=1000).assurances()))
