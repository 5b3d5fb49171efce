"""Functions of SciPy that statistics and methods need. SciPy is loaded when one of them is called, not at the start."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def _late(package: str, name: str) -> Callable[..., Any]:
    """A function of a package of SciPy, which takes 0.2 s to load."""

    def call(*given: Any, **options: Any) -> Any:
        return getattr(import_module(package), name)(*given, **options)

    return call


#: The distribution function of the normal distribution, and its quantiles.
ndtr, ndtri = _late("scipy.special", "ndtr"), _late("scipy.special", "ndtri")
#: The quantiles of Student's t distribution, by degrees of freedom and probability.
stdtrit = _late("scipy.special", "stdtrit")
#: Eigenvalues and eigenvectors of a symmetric matrix.
eigh = _late("scipy.linalg", "eigh")
#: x with a x = b, from a and b.
solve = _late("scipy.linalg", "solve")
