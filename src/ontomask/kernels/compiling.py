"""How kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compiled, cached, without the interpreter's lock; the order of additions is as written."""
    return _compiled(function, fastmath=False)


def extremes_kernel(function: Function) -> Function:
    """Like :func:`kernel`; it may assume that no value is NaN, so that minima and maxima use vector instructions.

    This changes no result: only the sign of a zero is left open, and nothing here looks at it.
    """
    return _compiled(function, fastmath={"nnan", "nsz"})


def _compiled(function: Function, *, fastmath: Any) -> Function:
    try:
        return cast(Function, numba.njit(nogil=True, cache=True, fastmath=fastmath)(function))
    except RuntimeError:  # no folder to keep compiled code in: compile in each process
        return cast(Function, numba.njit(nogil=True, fastmath=fastmath)(function))
