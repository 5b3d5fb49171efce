"""Combined estimates of several releases: Rubin's rules for missing data, Reiter's for partially synthetic data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ontomask.arguments import as_numbers, counted, is_number, one_of
from ontomask.errors import OptionError
from ontomask.statistics.scipy_functions import ndtri, stdtrit

Rule = Literal["reiter", "rubin"]
RULES: tuple[Rule, ...] = ("reiter", "rubin")


@dataclass(frozen=True)
class Combined:
    """An estimate over m releases.

    Attributes
    ----------
    estimate : float
        The mean of the estimates.
    within : float
        The mean variance of an analysis.
    between : float
        The variance of the estimates among the releases.
    total : float
        The variance of ``estimate``.
    degrees : float
        Degrees of freedom of Student's t; infinite where all releases agree.
    low, high : float
        The ends of the interval.
    m : int
        How many releases there are.
    rule : {'reiter', 'rubin'}
        How the variances were combined.
    confidence : float
        How certain the interval is to hold the true figure.
    """

    estimate: float
    within: float
    between: float
    total: float
    degrees: float
    low: float
    high: float
    m: int
    rule: Rule
    confidence: float

    @property
    def standard_error(self) -> float:
        """The square root of ``total``."""
        return math.sqrt(self.total)


def combine_estimates(
    estimates: Sequence[float], variances: Sequence[float], *, rule: Rule = "reiter", confidence: float = 0.95
) -> Combined:
    """Combine the estimates of one figure from m releases, and the variances that the analyses gave them.

    Parameters
    ----------
    estimates : sequence of float
        The estimate from each release.
    variances : sequence of float
        The variance of each estimate.
    rule : {'reiter', 'rubin'}, default 'reiter'
        For values that were replaced by drawn ones, or for missing values that were filled in; see the notes.
    confidence : float, default 0.95
        How certain the interval is to hold the true figure.

    Returns
    -------
    Combined
        The estimate with its variance and its interval.

    Notes
    -----
    With q the mean of the estimates, U the mean of the variances and B the variance of the estimates among the releases,
    the estimate is q with the variance

    * ``reiter``, of records whose values were replaced by drawn ones and of which none was missing, as in
      :class:`ontomask.Imputation`: T = U + B / m, with (m - 1) (1 + U / (B / m))^2 degrees of freedom (Reiter 2003). U alone
      is the variance that the original data leave; B / m is what drawing adds to the mean of m.
    * ``rubin``, of data that were incomplete and were filled in: T = U + (1 + 1/m) B, with
      (m - 1) (1 + U / ((1 + 1/m) B))^2 degrees of freedom (Rubin 1987). B stands for what is not known because it is
      missing, and adds to U in full.

    Examples
    --------
    >>> import ontomask as om
    >>> found = om.combine_estimates([10.0, 12.0, 11.0], [4.0, 4.0, 4.0])
    >>> found.estimate, found.within, found.between, round(found.total, 4), round(found.degrees)
    (11.0, 4.0, 1.0, 4.3333, 338)
    >>> round(om.combine_estimates([10.0, 12.0, 11.0], [4.0, 4.0, 4.0], rule="rubin").total, 4)
    5.3333
    """
    one_of(rule, RULES, "rule")
    q, u = as_numbers(estimates, "the estimates"), as_numbers(variances, "the variances")
    if len(q) != len(u) or len(q) < 2:
        raise OptionError(
            f"expected an estimate and a variance of each of at least two releases, got {counted(len(q), 'estimate')} and "
            f"{counted(len(u), 'variance')}",
            remedy="Analyze each release by itself: combine_estimates([q1, q2, ...], [u1, u2, ...]).",
        )
    if (u < 0).any():
        raise OptionError("a variance is negative", remedy="Give variances: squares of standard errors.")
    if not is_number(confidence) or not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence!r}", remedy="Give a number between 0 and 1, such as 0.95.")
    m = len(q)
    estimate, within, between = float(q.mean()), float(u.mean()), float(q.var(ddof=1))
    added = between / m if rule == "reiter" else (1 + 1 / m) * between
    total = within + added
    degrees = (m - 1) * (1 + within / added) ** 2 if added > 0 else math.inf
    share = (1 + confidence) / 2
    factor = float(ndtri(share) if math.isinf(degrees) else stdtrit(degrees, share))
    reach = factor * math.sqrt(total)
    return Combined(
        estimate, within, between, total, degrees, estimate - reach, estimate + reach, m, rule, float(confidence)
    )
