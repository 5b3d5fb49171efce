"""The worst attack that an assessment knows of: one scale, no attack left out, none that is no attack."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.assessment import assess as module
from ontomask.assessment.attacks import attacks_of
from ontomask.assessment.risk import risk_of
from ontomask.privacy.examined import Examined
from ontomask.privacy.units import RECORDS

RNG = np.random.default_rng(5)
N = 120
FRAME = pl.DataFrame(
    {
        "age": RNG.integers(20, 60, N),
        "sex": RNG.choice(["f", "m"], N),
        "pay": RNG.integers(1, 1000, N),
    }
)
ATTRIBUTES = {"age": om.Numeric(), "sex": om.Flat(), "pay": om.Numeric(role="sensitive")}


def result_of(method: om.Method, **more: object) -> om.Result:
    return om.anonymize(FRAME, om.Policy(attributes=ATTRIBUTES, method=method, **more), seed=1)  # type: ignore[arg-type]


def test_quasi_identifiers_that_are_not_masked_are_the_worst_attack() -> None:
    """Once linkage over all columns, 26%, was the headline of shuffled data beside a prosecutor risk of 47%."""
    result = result_of(om.Shuffling())
    worst = result.assessment.worst_attack
    assert worst.name == "prosecutor"
    classes = FRAME.select("age", "sex").n_unique()
    assert worst.share == pytest.approx(classes / N)
    assert worst.share > max(result.assessment.linkage.values())
    told = next(text for text in result.assessment.readings if text.startswith("The most successful attack computed"))
    assert f"{worst.share:.1%} of the released records" in told
    assert any(
        f"the most successful attack computed re-identifies {worst.share:.1%}" in text
        for text in map(str, result.guarantees)
    )


def test_no_attack_beats_the_worst() -> None:
    methods = [om.Microaggregation(k=4), om.Recoding(k=4), om.Suppression(k=2), om.RankSwapping(k=4), om.Shuffling()]
    for method in methods:
        found = result_of(method).assessment
        shares = [attack.share for attack in found.attacks]
        assert shares == sorted(shares, reverse=True)
        assert found.worst_attack.share >= max(found.linkage.values())
        if method.recognizable:
            assert found.worst_attack.share >= found.risk_after.prosecutor
        assert found.to_dict()["worst_attack"]["share"] == found.worst_attack.share


def test_classes_of_exchanged_values_are_no_attack() -> None:
    """Swapped records are unique almost all, but not with values that somebody knows."""
    found = result_of(om.RankSwapping(k=20)).assessment
    assert "prosecutor" not in {attack.name for attack in found.attacks}
    assert found.worst_attack.share < found.risk_after.prosecutor
    hybrid = result_of(om.Microaggregation.preset("micro_hybrid", k=4)).assessment
    assert "prosecutor" not in {attack.name for attack in hybrid.attacks}


def test_removed_records_do_not_make_the_others_safer() -> None:
    """Shares are of the records that leave the house."""
    data = pl.DataFrame({"a": [*"xxyyz", *map(str, range(95))]})
    result = om.anonymize(data, om.Policy(attributes={"a": om.Flat()}, method=om.Suppression(k=2)))
    found = result.assessment
    assert found.linkage["matching"] == pytest.approx(0.02)
    assert found.worst_attack.share == pytest.approx(0.5)


def test_nothing_released_is_nothing_found() -> None:
    risk = risk_of(Examined(pl.DataFrame({"a": ["x"]}).head(0), ["a"], {}, RECORDS))
    assert [attack.share for attack in attacks_of({"matching": 0.0}, risk, 2, 0)] == [0.0, 0.0]


def test_generalized_values_are_recognized() -> None:
    policy = om.Policy(attributes=ATTRIBUTES, method=om.Generalization(), require=[om.KAnonymity(k=3)])
    found = om.anonymize(FRAME, policy).assessment
    assert "prosecutor" in {attack.name for attack in found.attacks}


def test_an_estimate_says_on_how_many_records(monkeypatch: pytest.MonkeyPatch) -> None:
    data = FRAME.select("age", "pay")
    attributes = {"age": om.Numeric(), "pay": om.Numeric()}
    policy = om.Policy(attributes=attributes, method=om.RankSwapping(k=2))
    monkeypatch.setattr(module, "MOST_TRIED", 30)
    found = om.assess(data, data.with_columns(pay=pl.col("pay") + 0.25), policy)
    assert found.tried == 30
    assert found.linkage["matching"] == found.linkage["masked_matching"] == 0
    worst = found.worst_attack
    assert worst.name in ("semantic", "masked_distance")
    assert worst.estimated_on == found.estimated[worst.name]  # type: ignore[index]
    told = [text for text in found.readings if "estimated on" in text]
    assert len(told) == 2
    assert f"estimated on {worst.estimated_on} records" in told[0]
    assert f"estimated on {found.estimated['semantic']} records" in told[1]


def test_identifiers_that_are_gone_protect_nobody_else() -> None:
    """Once the attacks were not told where the policy named an identifier: that none is left counted as a promise."""
    data = FRAME.with_columns(pl.Series("id", range(N)))
    policy = om.Policy(attributes={**ATTRIBUTES, "id": om.Identifier()}, method=om.Shuffling())
    assert any(
        text.startswith("Tried, not promised: the most successful attack")
        for text in map(str, om.anonymize(data, policy).guarantees)
    )
