"""Hypothesis for tests/property: the same cases on every run and machine, no time limit per case.

HYPOTHESIS_SCALE=10 in the environment runs ten times as many cases, for a longer search by hand.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "twins",
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("twins")
