"""Compilation of kernels by numba, which is loaded when the first of them is called."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial, update_wrapper
from pathlib import Path
from typing import Any, TypeVar, cast

from ontomask.loading import collector_paused

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """A kernel that Python calls: compiled, cached, without the interpreter's lock, additions in the order written."""
    return _waiting(function)


def inner(function: Function) -> Function:
    """A kernel that only kernels call. It needs no door to Python, which takes longer to compile than the kernel."""
    return _waiting(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def inner_extremes(function: Function) -> Function:
    """Like :func:`inner`; it may assume that no value is NaN, so that minima and maxima use vector instructions.

    This changes no result: only the sign of a zero is left open, and nothing here looks at it.
    """
    return _waiting(function, fastmath={"nnan", "nsz"}, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def makes_arrays(function: Function) -> Function:
    """Says of a kernel that it makes arrays, or calls one that returns them.

    All others are compiled without numba's counting of references. It would count at every call, for each array of each
    argument, and that can take longer than the kernel itself.
    """
    vars(function)["makes_arrays"] = True
    return function


def stay_apart() -> None:
    """Called in a kernel that is large: it is not copied to the places where it is called.

    LLVM would copy it if there are few of them. What comes of several large kernels with hundreds of arguments takes minutes
    to compile.
    """


class Kernel:
    """Stands for a kernel until it is called: modules can be imported without numba."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.function, self.options = function, options
        self.compiled: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return (self.compiled or self.made())(*arguments)

    def made(self) -> Any:
        """What numba makes of it alone; the kernels that it calls are made when it has to be compiled."""
        with _LOCK:
            if self.compiled is None:
                self.compiled = _compiled(self.function, self.options)
        return self.compiled


_LOCK = threading.Lock()
_WAITING: list[Kernel] = []


def _waiting(function: Function, **options: Any) -> Function:
    _WAITING.append(Kernel(function, options))
    return cast(Function, _WAITING[-1])


def compiled(function: Any) -> Any:
    """What numba makes of a kernel, which other kernels may call; it compiles, or loads what it kept, at the first call."""
    with _LOCK:
        for waiting in _WAITING:
            if waiting.compiled is None:
                waiting.compiled = _compiled(waiting.function, waiting.options)
        _WAITING.clear()
        # Kernels call kernels by their names: numba has to find there what it made itself.
        for name, module in list(sys.modules.items()):
            if name.startswith("ontomask.kernels."):
                names = {key: value.compiled for key, value in vars(module).items() if isinstance(value, Kernel)}
                vars(module).update({key: made for key, made in names.items() if made is not None})
                if name != __name__ and vars(module).get("stay_apart") is stay_apart:
                    vars(module)["stay_apart"] = _made_apart()
    return function.compiled if isinstance(function, Kernel) else function


def is_kept(function: Any) -> bool:
    """Was the kernel compiled before, so that it only has to be loaded?"""
    kept: Any = getattr(getattr(compiled(function), "_cache", None), "_cache_file", None)
    try:
        return bool(kept._load_index())
    except (AttributeError, OSError, ValueError):
        return False


def _compiled(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    with collector_paused():
        import numba  # late: it takes 0.2 s to load, and most commands never need it

    counts = hasattr(function, "makes_arrays")
    options = options | {"nogil": True, "error_model": "numpy", "_nrt": counts}
    if "no_cpython_wrapper" in options:
        with suppress(ImportError):  # numba has moved what it is made of: kernels take longer to compile
            from ontomask.kernels.linked import LinkedCompiler  # late: numba is

            return numba.njit(pipeline_class=LinkedCompiler, **options)(function)
    try:
        made = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # no folder to keep compiled code in: compile in each process
        made = numba.njit(**options)(function)
    kept: Any = getattr(made, "_cache", None)
    if kept is None:  # kernels are interpreted
        return made
    with suppress(ImportError):  # numba has moved what it is made of: kernels take longer to load
        from ontomask.kernels.loading import load_lightly  # late: numba is

        load_lightly(kept, partial(compiled, None))
    # numba looks only at the file of a kernel itself to see whether what it kept is still good; kernels contain other
    # kernels, so all their files count.
    file: Any = getattr(kept, "_cache_file", None)
    if hasattr(file, "_source_stamp"):
        file._source_stamp = _SOURCES
    return made


@cache
def _made_apart() -> Any:
    """What numba makes of :func:`stay_apart`: it marks the kernel that it is called in."""
    from numba import types  # late: numba is
    from numba.core import config  # late: numba is
    from numba.extending import intrinsic  # late: numba is

    if getattr(config, "DISABLE_JIT", 0):  # kernels are interpreted
        return stay_apart

    def mark(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return intrinsic(lambda context: (types.none(), mark))


def _stamp() -> tuple[tuple[str, float, int], ...]:
    files = sorted(Path(__file__).parent.glob("*.py"))
    return tuple((file.name, file.stat().st_mtime, file.stat().st_size) for file in files)


_SOURCES = _stamp()
