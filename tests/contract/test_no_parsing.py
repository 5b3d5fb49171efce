"""No code reads a text that the package wrote for people to find out what it says: it asks the object that wrote it.

Labels of figures and names of candidates are such texts, too: what a figure is, its declaration says. Looked at are the
packages that make or show statements. What they may take apart is what users and other packages write: options of the command
line, lines of a file, names of files and columns, and the few cases that ALLOWED lists.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ontomask

SOURCES = Path(ontomask.__file__).parent
PACKAGES = (
    "policy release report comparison assessment cli privacy masking profiling severity hierarchies kinds operators demo"
).split()
#: Methods of a text that look into it.
LOOKING = frozenset(
    "startswith endswith partition rpartition split rsplit splitlines removeprefix removesuffix find index count".split()
)
#: Functions of ``re`` that do so.
PATTERNS = frozenset("search match fullmatch sub split findall finditer".split())
#: Attributes and methods whose values are written for people.
TEXTS = frozenset(
    "text public_text open_text title reason sentence describe explain in_words summary what remedy message error "
    "statement public meaning interval lead caption".split()
)
#: Names of variables that hold one of them: elements of lists of notes, guarantees and the like.
NAMES = frozenset(
    "note guarantee statement caveat finding failure sentence message problem reading warning reason check hint".split()
)
#: Names of variables, and keys of rows, that hold the label of a figure or the name of a candidate.
LABELS = frozenset("name label figure head key".split())
#: Texts of others, each with the reason why it is read.
ALLOWED = {
    ("cli/__init__.py", "str(problem).lower()"): "Polars and NumPy say only in words that memory is short",
    ("cli/__init__.py", "str(problem)"): "the first line of such a text is shown",
    ("profiling/coverage.py", "source.text()"): "the content of a file",
    ("profiling/column_facts.py", "'telephone numbers'"): "one of the shapes that a text can have",
    ("severity/domains.py", "'leading zeros'"): "one of the ways to match a value",
    ("demo/population.py", "key"): "a range of codes in a table of the demo",
    ("demo/tour.py", "name"): "the path of a file",
    ("comparison/compare.py", "run.error"): "what is wrong with all candidates alike is said once",
    ("release/releases.py", "finding.text"): "what is found in all releases alike is said once",
    ("comparison/grid.py", "name"): "the names of candidates are made there",
}


def is_text_for_people(node: ast.expr) -> bool:
    """An expression whose value is such a text: ``finding.text``, ``model.describe()``, ``str(finding)``, ``note``."""
    if isinstance(node, ast.Call):
        called = node.func
        if isinstance(called, ast.Name) and called.id == "str" and node.args:
            return is_text_for_people(node.args[0])
        if isinstance(called, ast.Attribute) and called.attr in ("lower", "casefold", "strip", "rstrip"):
            return is_text_for_people(called.value)
        return isinstance(called, ast.Attribute) and called.attr in TEXTS
    return (isinstance(node, ast.Attribute) and node.attr in TEXTS) or (isinstance(node, ast.Name) and node.id in NAMES)


def is_label(node: ast.expr) -> bool:
    """A variable or a cell of a row that holds a label: ``name``, ``row["figure"]``, ``str(row["name"])``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str" and node.args:
        return is_label(node.args[0])
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and node.slice.value in LABELS
    return isinstance(node, ast.Name) and node.id in LABELS


def is_words(node: ast.expr) -> bool:
    """A text of several words: a kind of something has a name of one."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip()


def looks_into(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The lines that look into a text for people, and the text as the source writes it."""
    for node in ast.walk(tree):
        read: list[ast.expr] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in LOOKING:
                read = [node.func.value]
                yield from _labels(node, read)
            elif node.func.attr in PATTERNS:  # of re, or of a compiled pattern
                read = node.args
        elif isinstance(node, ast.Compare):
            for compared, operator in zip(node.comparators, node.ops, strict=True):
                if isinstance(operator, (ast.In, ast.NotIn)):
                    read.append(compared)
                    yield from _labels(node, [compared] if isinstance(node.left, ast.Constant) else [])
                elif isinstance(operator, (ast.Eq, ast.NotEq)):
                    both = (node.left, compared)
                    written = any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in both)
                    read += [one for one in both if written and isinstance(one, ast.Attribute)]
                    yield from ((node.lineno, ast.unparse(one)) for one in both if is_words(one))
        elif isinstance(node, ast.SetComp):  # things are told apart by their texts
            read = [node.elt]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("set", "frozenset"):
            read = [part.elt for part in node.args if isinstance(part, ast.GeneratorExp)]
        yield from ((node.lineno, ast.unparse(one)) for one in read if is_text_for_people(one))


def _labels(node: ast.expr, read: list[ast.expr]) -> Iterator[tuple[int, str]]:
    return ((node.lineno, ast.unparse(one)) for one in read if is_label(one))


FILES = [file for package in PACKAGES for file in sorted((SOURCES / package).rglob("*.py"))]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(SOURCES).as_posix())
def test_texts_for_people_are_not_read_back(file: Path) -> None:
    name = file.relative_to(SOURCES).as_posix()
    found = looks_into(ast.parse(file.read_text(encoding="utf-8")))
    assert not [f"line {line}: {text}" for line, text in found if (name, text) not in ALLOWED], "ask the object instead"


def test_what_is_allowed_is_there() -> None:
    for name, text in ALLOWED:
        found = looks_into(ast.parse((SOURCES / name).read_text(encoding="utf-8")))
        assert text in [said for _, said in found], (name, text)


@pytest.mark.parametrize(
    "source",
    [
        'str(finding).partition(":")[0]',
        'note.startswith("column ")',
        'any("k counts" in note for note in notes)',
        '"diversity" in model.describe().lower()',
        're.sub("sets", "set", problem)',
        'statement.text == "Records are in random order."',
        "run.error.removeprefix('the release is refused: ')",
        "{model.describe() for model in models}",
        "frozenset(model.describe() for model in models)",
        '"risk" in name',
        '"largest" not in row["figure"]',
        'name.endswith("before")',
        'figure == "smallest class"',
        'str(row["name"]).removeprefix(f"{row[\'method\']}, ")',
    ],
)
def test_the_guard_sees_what_it_should(source: str) -> None:
    assert list(looks_into(ast.parse(source)))


@pytest.mark.parametrize(
    "source",
    [
        'option.partition("=")',
        '"a" in columns',
        "note in notes",
        'note.kind == "note"',
        "name in columns",
        "{model for model in models}",
        'name == "method"',
        'file.name.startswith("release")',
        'figure.kind == "mean"',
    ],
)
def test_the_guard_lets_data_pass(source: str) -> None:
    assert not list(looks_into(ast.parse(source)))
