"""How numba compiles a kernel that only kernels call: it becomes part of them, and has no machine code of its own.

By itself numba optimizes every function that it compiles, and makes machine code of it, each time with all functions that
it calls; yet only the code of the outermost is ever run. That took half of the time. Imported where numba is loaded.
"""

from __future__ import annotations

from typing import Any

from numba.core import cpu
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


class LinkedLibrary(JITCodeLibrary):
    """Code that is linked to that of its callers, and optimized there."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class LinkedLowering(NativeLowering):
    """Numba's lowering, but for what would run the kernel by itself."""

    _name = "linked_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = LinkedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        made = state["cr"]
        # What callers know the kernel by; it has no address.
        parts: Any = cpu
        name = made.fndesc.qualname.split(".")[-1]
        known = parts._dynfunc.make_function(made.fndesc.lookup_module(), name, name, 0, made.env, (state.library,))
        state.targetctx.insert_user_function(known, made.fndesc, [state.library])
        state["cr"] = made._replace(cfunc=known)
        return True


class LinkedCompiler(Compiler):
    """The compiler of kernels that only kernels call."""

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(LinkedLowering if made is NativeLowering else made, about) for made, about in passes.passes]
        passes.finalize()
        return [passes]
