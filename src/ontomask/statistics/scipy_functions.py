"""Functions of SciPy that statistics and methods need. SciPy is loaded when one of them is called, not at the start."""

from __future__ import annotations

from typing import Any


def ndtr(x: Any) -> Any:
    """The distribution function of the normal distribution."""
    from scipy import special  # late: it takes 0.2 s to load

    return special.ndtr(x)


def ndtri(p: Any) -> Any:
    """The quantiles of the normal distribution."""
    from scipy import special  # late: it takes 0.2 s to load

    return special.ndtri(p)


def stdtrit(freedom: Any, p: Any) -> Any:
    """The quantiles of Student's t distribution."""
    from scipy import special  # late: it takes 0.2 s to load

    return special.stdtrit(freedom, p)


def eigh(matrix: Any, **options: Any) -> Any:
    """Eigenvalues and eigenvectors of a symmetric matrix."""
    from scipy import linalg  # late: it takes 0.2 s to load

    return linalg.eigh(matrix, **options)


def solve(a: Any, b: Any, **options: Any) -> Any:
    """x with a x = b."""
    from scipy import linalg  # late: it takes 0.2 s to load

    return linalg.solve(a, b, **options)
