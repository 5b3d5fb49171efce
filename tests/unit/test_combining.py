"""Combining estimates of several releases: an example worked by hand, and what cannot be combined."""

from __future__ import annotations

import math
from typing import Any

import pytest
from scipy.stats import norm, t

import ontomask as om
from ontomask import errors

# Worked by hand. m = 4 estimates 20, 22, 23, 27 with variances 8, 10, 9, 13.
#   q = 92 / 4 = 23. U = 40 / 4 = 10. Deviations -3, -1, 0, 4: squares 9 + 1 + 0 + 16 = 26, B = 26 / 3.
#   Reiter: B / m = 26 / 12 = 2.1667. T = 12.1667, standard error 3.4881.
#           degrees 3 (1 + 10 / 2.1667)^2 = 3 (5.615385)^2 = 94.5976.
#   Rubin:  (1 + 1/4) B = 10.8333. T = 20.8333, standard error 4.5644.
#           degrees 3 (1 + 10 / 10.8333)^2 = 3 (1.923077)^2 = 11.0947.
ESTIMATES, VARIANCES = [20.0, 22.0, 23.0, 27.0], [8.0, 10.0, 9.0, 13.0]


def test_reiter_s_rule_by_hand() -> None:
    found = om.combine_estimates(ESTIMATES, VARIANCES)
    assert (found.m, found.rule, found.confidence) == (4, "reiter", 0.95)
    assert (found.estimate, found.within) == (23.0, 10.0)
    assert found.between == pytest.approx(26 / 3)
    assert found.total == pytest.approx(12.166667, abs=1e-6)
    assert found.standard_error == pytest.approx(3.4881, abs=1e-4)
    assert found.degrees == pytest.approx(94.5976, abs=1e-3)
    # Student's t at 97.5% with 94.6 degrees of freedom is 1.9854 (tables: 1.9855 at 94, 1.9853 at 95).
    assert (found.low, found.high) == pytest.approx((23 - 1.9854 * 3.4881, 23 + 1.9854 * 3.4881), abs=1e-3)


def test_rubin_s_rule_by_hand() -> None:
    found = om.combine_estimates(ESTIMATES, VARIANCES, rule="rubin")
    assert found.total == pytest.approx(20.833333, abs=1e-6)
    assert found.degrees == pytest.approx(11.0947, abs=1e-3)
    assert found.high - 23 == pytest.approx(2.1989 * 4.5644, abs=2e-3)  # tables: 2.2010 at 11, 2.1788 at 12


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
def test_intervals_are_student_s(confidence: float) -> None:
    found = om.combine_estimates(ESTIMATES, VARIANCES, confidence=confidence)
    reach = t.ppf((1 + confidence) / 2, found.degrees) * found.standard_error
    assert (found.low, found.high) == pytest.approx((23 - reach, 23 + reach))


def test_releases_that_agree_leave_the_normal_distribution() -> None:
    found = om.combine_estimates([5.0, 5.0], [4.0, 4.0])
    assert found.degrees == math.inf
    assert found.high == pytest.approx(5 + 2 * norm.ppf(0.975))
    assert om.combine_estimates([1, 2], [0, 0]).degrees == 1


@pytest.mark.parametrize(
    ("estimates", "variances", "options", "message"),
    [
        ([1.0], [1.0], {}, "at least two releases, got 1 estimate and 1 variance"),
        ([1.0, 2.0], [1.0], {}, "got 2 estimates and 1 variance"),
        ([1.0, 2.0], [1.0, -1.0], {}, "negative"),
        ([1.0, math.nan], [1.0, 1.0], {}, "finite numbers"),
        (["1", "2"], [1.0, 1.0], {}, "finite numbers"),
        ([[1.0], [2.0]], [1.0, 1.0], {}, "finite numbers"),
        ([1.0, 2.0], [1.0, 1.0], {"rule": "fisher"}, "rule"),
        ([1.0, 2.0], [1.0, 1.0], {"confidence": 1}, "confidence=1"),
        ([1.0, 2.0], [1.0, 1.0], {"confidence": "95%"}, "confidence="),
    ],
)
def test_what_cannot_be_combined(estimates: Any, variances: Any, options: Any, message: str) -> None:
    with pytest.raises(errors.OptionError, match=message):
        om.combine_estimates(estimates, variances, **options)
