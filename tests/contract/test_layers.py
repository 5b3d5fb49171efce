"""The packages are a strict stack: every import points down, also late ones and those for type checkers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ontomask

SOURCES = Path(ontomask.__file__).parent
#: From the ground up. A package or module may import what stands before it, and itself.
ORDER = (
    "errors arrays arguments showing wording progress fork_safety settings_help settings files kernels taxonomy "
    "distances microdata kinds column_names statistics operators hierarchies severity privacy masking policy profiling "
    "assessment report release comparison demo cli"
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
