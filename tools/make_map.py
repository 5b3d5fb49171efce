"""The map of the sources in CONTRIBUTING.md, from the first sentence of every package and top-level module.

python tools/make_map.py          writes the map into CONTRIBUTING.md
"""

from __future__ import annotations

import ast
import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "ontomask"
PAGE = ROOT / "CONTRIBUTING.md"
BLOCK = re.compile(r"(?<=```\nsrc/ontomask/\n).*?(?=\ntests/)", re.DOTALL)
WIDTH = 126


def sentence(module: Path) -> str:
    """The first sentence of a module's docstring, without its full stop and without markup."""
    text = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    plain = re.sub(r"``|:\w+:`~?(?=[^`]*`)|`", "", text.split("\n\n")[0].replace("\n", " "))
    return plain.strip().removesuffix(".")


def packages() -> list[Path]:
    return sorted(path.parent for path in SOURCES.glob("*/__init__.py"))


def modules() -> list[Path]:
    return sorted(path for path in SOURCES.glob("*.py") if path.stem != "__init__")


def entry(name: str, text: str) -> list[str]:
    indent = " " * 20
    return textwrap.wrap(text, WIDTH, initial_indent=f"  {name:<17} ", subsequent_indent=indent, break_on_hyphens=False)


def source_map() -> str:
    """Packages with their modules, then the modules beside them."""
    lines = entry("__init__.py", "the public names, which __init__.pyi lists; each is loaded on first use")
    for package in packages():
        inner = sorted(path.stem for path in package.glob("*.py") if path.stem != "__init__")
        folders = sorted(f"{path.parent.name}/" for path in package.glob("*/__init__.py"))
        lines += entry(f"{package.name}/", f"{sentence(package / '__init__.py')} ({', '.join([*inner, *folders])})")
    for module in modules():
        lines += entry(module.name, sentence(module))
    return "\n".join(lines)


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(BLOCK.sub(lambda _: source_map(), page, count=1), encoding="utf-8")
