"""How kept machine code is loaded, without what only compiling needs. Imported where numba is loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from llvmlite import binding
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys

#: Says, for what was kept, in which module of the machine code its entry points are.
_ENTRY = 'define void @"{}"() {{ ret void }}'


def load_lightly(kept: Any, otherwise: Callable[[], Any]) -> None:
    """Let the cache of a kernel load its code lightly; ``otherwise`` is called before numba compiles the kernel.

    By itself numba would load all that compiling needs, SciPy too, for half a second, and read the code once more in the
    form in which other kernels would link it, for up to 50 ms a kernel.
    """
    usual = kept.load_overload

    def load(signature: Any, context: Any) -> Any:
        rtsys.initialize(context)  # its functions may be called, also where the kernel counts no references
        with suppress(OSError):
            found = kept._load_overload(signature, context)
            if found is not None:
                return found
        otherwise()
        return usual(signature, context)

    if hasattr(kept, "_load_overload") and hasattr(kept._impl, "rebuild"):
        kept._impl.rebuild = partial(_rebuilt, kept._impl.rebuild)
        kept.load_overload = load


def _rebuilt(usual: Callable[[Any, Any], Any], context: Any, payload: tuple[Any, ...]) -> Any:
    """The kernel, from what was kept of it; what is there to be linked is read when a kernel that calls it is compiled."""
    (name, form, code), described, *rest = payload
    if form != "object" or not hasattr(CompileResult, "_rebuild"):
        return usual(context, payload)
    machine_code, linkable = code
    entries = binding.parse_assembly("\n".join(map(_ENTRY.format, _entry_points(described)))).as_bitcode()
    made = usual(context, ((name, form, (machine_code, entries)), described, *rest))
    read = list[Any]()

    def module() -> Any:
        if not read:
            read.append(binding.parse_bitcode(linkable))
        return read[0]

    made.library._get_module_for_linking = module
    return made


def _entry_points(described: Any) -> Iterator[str]:
    for kind in ("llvm_func_name", "llvm_cpython_wrapper_name", "llvm_cfunc_wrapper_name"):
        yield getattr(described, kind)
