"""How kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """A kernel that Python calls: compiled, cached, without the interpreter's lock, additions in the order written."""
    return _compiled(function)


def inner(function: Function) -> Function:
    """A kernel that only kernels call. It needs no door to Python, which takes longer to compile than the kernel."""
    return _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def inner_extremes(function: Function) -> Function:
    """Like :func:`inner`; it may assume that no value is NaN, so that minima and maxima use vector instructions.

    This changes no result: only the sign of a zero is left open, and nothing here looks at it.
    """
    return _compiled(function, fastmath={"nnan", "nsz"}, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def is_kept(compiled: Any) -> bool:
    """Was the kernel compiled before, so that it only has to be loaded?"""
    kept: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    try:
        return bool(kept._load_index())
    except (AttributeError, OSError, ValueError):
        return False


def _compiled(function: Function, **options: Any) -> Function:
    options |= {"nogil": True, "error_model": "numpy"}
    try:
        compiled = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # no folder to keep compiled code in: compile in each process
        return cast(Function, numba.njit(**options)(function))
    # numba looks only at the file of a kernel itself to see whether what it kept is still good; kernels contain other
    # kernels, so all their files count.
    kept: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if hasattr(kept, "_source_stamp"):
        kept._source_stamp = _SOURCES
    return cast(Function, compiled)


def _stamp() -> tuple[tuple[str, float, int], ...]:
    files = sorted(Path(__file__).parent.glob("*.py"))
    return tuple((file.name, file.stat().st_mtime, file.stat().st_size) for file in files)


_SOURCES = _stamp()
