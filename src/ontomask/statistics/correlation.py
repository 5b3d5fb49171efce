"""Rank correlations, correlations of the Gaussian copula, nearest correlation matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ontomask.arrays import Floats, Longs
from ontomask.statistics.scipy_functions import eigh, ndtri

#: The least eigenvalue a matrix of correlations may have here: less cannot be distinguished from 0.
FLOOR = 1e-9


def correlations(columns: Sequence[Floats]) -> Floats:
    """Pearson's r of columns, none of them constant; of average ranks it is Spearman's."""
    off = [column - column.mean() for column in columns]
    # Sums in a fixed order: a matrix product would depend on the number of threads.
    products = np.array([[(x * y).sum() for y in off] for x in off])
    scale = np.sqrt(np.diag(products))
    matrix: Floats = products / np.outer(scale, scale)
    np.fill_diagonal(matrix, 1.0)
    return matrix


# ---- from rank correlations to those of a Gaussian copula ---------------------------------------------------------


def copula_correlations(ranked: Floats, counts: Sequence[Longs] | None = None) -> Floats:
    """The correlations of normal scores that belong to rank correlations.

    rho = 2 sin(pi r / 6) where no two records are equal (D12 2.1, whose formula is misprinted). Equal records weaken a
    rank correlation: with ``counts``, how many records have each value, by column and in the order of the values, rho
    is such that columns with just these ties have the rank correlation r.
    """
    rho: Floats = 2 * np.sin(np.pi * ranked / 6)
    if counts is not None:
        series = [_hermite(c) for c in counts]
        tied = [bool((c > 1).any()) for c in counts]
        for i in range(len(counts)):
            for j in range(i):
                if tied[i] or tied[j]:
                    rho[i, j] = rho[j, i] = _solve(series[i], series[j], ranked[i, j])
    np.fill_diagonal(rho, 1.0)
    return rho


#: Steps that a column's distribution is reduced to, and terms of its series, at most.
STEPS, TERMS = 1024, 1000


def _hermite(counts: Longs) -> Floats:
    """Coefficients of the standardized rank, a step function of the normal score, in normalized Hermite polynomials.

    a_k = integral of g h_k phi = sum over the steps t of (jump of g at t) h_(k-1)(t) phi(t) / sqrt(k).
    """
    n = counts.sum()
    middle = np.cumsum(counts) - counts / 2
    step = np.floor(middle * STEPS / n).astype(np.int64)
    sizes = np.bincount(step, weights=counts)
    sizes = sizes[sizes > 0]
    ends = np.cumsum(sizes)
    level = ends - sizes / 2 - n / 2
    level = level / np.sqrt((sizes * level**2).sum() / n)
    at, jump = ndtri(ends[:-1] / n), np.diff(level)
    terms = int(np.clip(60_000 // len(sizes), 60, TERMS))  # the finer the steps, the faster coefficients vanish
    coefficients = np.empty(terms)
    last, now = np.zeros_like(at), np.exp(-at * at / 2) / np.sqrt(2 * np.pi)
    for k in range(1, terms + 1):
        coefficients[k - 1] = (jump * now).sum() / np.sqrt(k)
        last, now = now, (at * now - np.sqrt(k - 1) * last) / np.sqrt(k)
    return coefficients


def _solve(one: Floats, other: Floats, ranked: float) -> float:
    """rho with sum_k a_k b_k rho^k = r (Mehler), which grows with rho; the end of the range where r is out of reach."""
    terms = min(len(one), len(other))
    coefficients = one[:terms] * other[:terms]
    felt = np.flatnonzero(np.abs(coefficients) > 1e-15)
    powers = felt + 1
    low, high = -1.0, 1.0
    for _ in range(50):
        rho = (low + high) / 2
        low, high = (rho, high) if (coefficients[felt] * rho**powers).sum() < ranked else (low, rho)
    return (low + high) / 2


# ---- repair -------------------------------------------------------------------------------------------------------


def nearest_correlation(matrix: Floats, rounds: int = 200) -> tuple[Floats, float]:
    """The nearest positive definite matrix with ones on its diagonal (Higham 2002), and the largest change.

    Projections on the two sets take turns, with Dykstra's correction; a matrix that is one already stays as it is.
    """
    if eigh(matrix, eigvals_only=True)[0] >= FLOOR:
        return matrix, 0.0
    near, correction = matrix.copy(), np.zeros_like(matrix)
    for _ in range(rounds):
        shifted = near - correction
        positive = _positive(shifted)
        correction = positive - shifted
        last, near = near, positive.copy()
        np.fill_diagonal(near, 1.0)
        if np.abs(near - last).max() < 1e-12:
            break
    near = _positive(near)
    scale = np.sqrt(np.diag(near))
    near = near / np.outer(scale, scale)
    return near, float(np.abs(near - matrix).max())


def _positive(matrix: Floats) -> Floats:
    """Eigenvalues below the floor are raised to it."""
    values, vectors = eigh(matrix)
    raised: Floats = (vectors * np.maximum(values, FLOOR)) @ vectors.T
    return (raised + raised.T) / 2
