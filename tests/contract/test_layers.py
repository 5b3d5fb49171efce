"""The packages are a strict stack: every import points down, also late ones and those for type checkers.

An import inside a function says why it is there; modules do not import each other in circles.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import ontomask

SOURCES = Path(ontomask.__file__).parent
#: From the ground up. A package or module may import what stands before it, and itself.
ORDER = (
    "errors loading background arrays arguments display wording statements progress fork_safety settings_help settings "
    "files kernels taxonomy distances microdata column_names direct_identifiers statistics hierarchies kinds operators "
    "severity privacy masking policy profiling assessment report release engines comparison demo app cli"
).split()
#: The public names and the command sit on top of everything.
TOP = ("__init__", "__main__")
#: The version of the package, which is not a part of the stack.
VERSION = ("ontomask", "__version__")


def modules() -> list[Path]:
    return sorted(SOURCES.rglob("*.py"))


def layer(module: str) -> str:
    return module.split(".")[1]


def imports(file: Path) -> Iterator[tuple[int, str, str]]:
    """The line, the module and the name of every import of our own."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, "") for alias in node.names if alias.name.startswith("ontomask"))
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file}:{node.lineno}: imports are absolute"
            if node.module and node.module.split(".")[0] == "ontomask":
                yield from ((node.lineno, node.module, alias.name) for alias in node.names)


def test_every_package_has_its_place() -> None:
    here = {path.relative_to(SOURCES).parts[0].removesuffix(".py") for path in modules()} - set(TOP)
    assert here == set(ORDER)


@pytest.mark.parametrize("file", modules(), ids=lambda path: str(path.relative_to(SOURCES)))
def test_imports_point_down(file: Path) -> None:
    own = file.relative_to(SOURCES).parts[0].removesuffix(".py")
    if own in TOP:
        return
    for line, module, name in imports(file):
        if (module, name) == VERSION:
            continue
        target = layer(f"{module}.{name}" if module == "ontomask" else module)
        assert ORDER.index(target) <= ORDER.index(own), f"line {line}: {own} imports {module}, which is above it"
        if target != own:
            assert not name.startswith("_"), f"line {line}: {name} is private to {module}"


# ---- imports inside functions ------------------------------------------------------------------------------------

#: How such an import says why it is not at the top: it saves time at the start, or serves an optional part.
REASON = re.compile(r"# late: \S.+")


def late_imports(file: Path) -> Iterator[tuple[int, str]]:
    """The line and the text of every import inside a function."""
    text = file.read_text(encoding="utf-8")
    functions = (n for n in ast.walk(ast.parse(text)) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)))
    inside = {n for function in functions for n in ast.walk(function) if isinstance(n, (ast.Import, ast.ImportFrom))}
    lines = text.splitlines()
    for node in sorted(inside, key=lambda n: n.lineno):
        yield node.lineno, "\n".join(lines[node.lineno - 1 : node.end_lineno])


@pytest.mark.parametrize("file", modules(), ids=lambda path: str(path.relative_to(SOURCES)))
def test_an_import_inside_a_function_says_why(file: Path) -> None:
    if file.parent == SOURCES / "cli":  # the docstring of the package gives the reason for all of them
        return
    for line, text in late_imports(file):
        assert REASON.search(text), f"line {line}: put it at the top, or say why it is late: # late: ..."


def test_the_command_line_says_why_its_imports_are_late() -> None:
    docstring = ast.get_docstring(ast.parse((SOURCES / "cli" / "__init__.py").read_text(encoding="utf-8")))
    assert docstring is not None
    assert REASON.search(f"# {docstring[docstring.index('late:') :]}")


# ---- circles -----------------------------------------------------------------------------------------------------


def name_of(file: Path) -> str:
    parts = file.relative_to(SOURCES.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def for_type_checkers(tree: ast.Module) -> set[int]:
    """The lines that only a type checker reads."""
    blocks = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.If) and isinstance(n.test, ast.Name) and n.test.id == "TYPE_CHECKING"
    ]
    return {line for block in blocks for line in range(block.lineno, (block.end_lineno or block.lineno) + 1)}


def test_no_circle_of_imports() -> None:
    """Take away modules that import nothing that is left, until nothing changes: what is left imports in circles."""
    names = {name_of(file): file for file in modules() if name_of(file) != "ontomask"}
    needs: dict[str, set[str]] = {}
    for own, file in names.items():
        hidden = for_type_checkers(ast.parse(file.read_text(encoding="utf-8")))
        found = [(f"{module}.{name}", module) for line, module, name in imports(file) if line not in hidden]
        needs[own] = {full if full in names else module for full, module in found} & set(names)
        assert own not in needs[own], own
    while free := {own for own, wanted in needs.items() if not wanted}:
        needs = {own: wanted - free for own, wanted in needs.items() if own not in free}
    assert not needs, f"in a circle, or above one: {sorted(needs)}"


# ---- public names ------------------------------------------------------------------------------------------------


def test_type_checkers_and_python_find_public_names_in_the_same_place() -> None:
    """Checkers parse the stub, Python reads its lines: a line that only one of them understands would part the two."""
    tree = ast.parse((SOURCES / "__init__.pyi").read_text(encoding="utf-8"))
    listed = [(node.module, alias) for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert all(alias.asname == alias.name for _, alias in listed), "a stub hands on what is imported as itself"
    assert {alias.name: module for module, alias in listed} == ontomask._HOME
    for module, alias in listed:
        found = getattr(ontomask, alias.name)
        assert getattr(found, "__module__", module) == module or found is ontomask.errors, "listed where it is defined"
