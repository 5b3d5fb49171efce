"""What is not public in other packages and used all the same: it must still be there."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ontomask import arrays
from ontomask.kernels import compiling, space
from ontomask.kernels.linkage import linkage_range
from ontomask.kernels.linked import LinkedCompiler

SOURCES = sorted((Path(__file__).parents[2] / "src" / "ontomask").rglob("*.py"))


@pytest.mark.parametrize("name", ["_source_stamp", "_load_index"])
def test_numba_still_has_what_keeping_kernels_needs(name: str) -> None:
    """Without them kernels work; those that contain a changed kernel would not be compiled again."""
    kept = compiling.compiled(linkage_range)._cache._cache_file
    assert hasattr(kept, name)
    assert kept._source_stamp == compiling._SOURCES


@pytest.mark.parametrize("name", ["load_overload", "_load_overload"])
def test_numba_still_has_what_quick_loading_needs(name: str) -> None:
    """Without them kernels are loaded all the same, with all that only compiling needs."""
    assert callable(getattr(compiling.compiled(linkage_range)._cache, name))


def test_numba_still_has_what_linking_kernels_needs() -> None:
    """Without it kernels that only kernels call are compiled by themselves, too, which takes twice as long."""
    assert compiling.compiled(linkage_range) is not None
    assert compiling.compiled(space.between)._compiler.pipeline_class is LinkedCompiler


#: What a kernel returns that does not count references: no array, which nobody would let go of.
NUMBERS = {"int", "float", "bool"}


def kernels() -> Iterator[tuple[bool, ast.FunctionDef]]:
    """Every kernel, and whether it says that it makes arrays."""
    for path in SOURCES:
        if path.parent.name == "kernels":
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.FunctionDef):
                    marks = {mark.id for mark in node.decorator_list if isinstance(mark, ast.Name)}
                    if marks & {"kernel", "inner", "inner_extremes"}:
                        yield "makes_arrays" in marks, node


def test_kernels_that_return_arrays_say_so() -> None:
    """So do those that call them: what is returned is counted there."""
    found = list(kernels())
    giving = set()
    for mark, node in found:
        names = {name.id for name in ast.walk(node.returns or node) if isinstance(name, ast.Name)} - {"tuple"}
        if node.returns is not None and not (names <= NUMBERS):
            giving.add(node.name)
            assert mark, f"{node.name} returns arrays"
    assert giving
    for mark, node in found:
        called = {
            call.func.id for call in ast.walk(node) if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        }
        assert mark or not called & giving, f"{node.name} calls {called & giving}"


KEPT = """
import sys
import polars as pl
import ontomask as om
policy = om.Policy(attributes={"x": om.Numeric()}, method=om.Microaggregation(k=2))
om.anonymize(pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]}), policy)
print("numba" in sys.modules, "scipy.linalg" in sys.modules)
"""


def test_a_kept_kernel_is_loaded_without_what_only_compiling_needs() -> None:
    """In the second process nothing is left to compile: numba's mathematics of arrays would bring SciPy."""
    for _ in range(2):
        answer = subprocess.run([sys.executable, "-c", KEPT], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["True", "False"]


def test_a_kernel_that_cannot_be_asked_counts_as_not_kept() -> None:
    assert compiling.is_kept(object()) is False
    assert compiling.is_kept(linkage_range) in (True, False)


def run_time_imports(tree: ast.Module) -> list[str]:
    """Modules that are imported when the program runs, not only by a type checker."""
    hidden = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for statement in node.body
        for inner in ast.walk(statement)
    }
    nodes = [node for node in ast.walk(tree) if id(node) not in hidden]
    froms = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return froms + [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]


@pytest.mark.parametrize("module", SOURCES, ids=lambda path: path.stem)
def test_no_private_module_of_another_package_is_imported(module: Path) -> None:
    imported = run_time_imports(ast.parse(module.read_text(encoding="utf-8")))
    private = [
        name for name in imported if name.split(".")[0] != "ontomask" and any(p[:1] == "_" for p in name.split("."))
    ]
    assert [name for name in private if name != "__future__"] == []


def test_kernels_and_everything_else_agree_on_ties() -> None:
    """Kernels have the tolerance compiled in, so they keep it in a file of their own."""
    assert space.TIE == arrays.TIE
