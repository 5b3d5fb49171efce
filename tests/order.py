"""The order of the tests where several processes share them: kernels are compiled once, and the last tests are short ones.

Workers get equal parts of the list, from its beginning on; who has done his part takes from the end of another's. In a
fresh checkout nothing is compiled yet. If two workers come to the same kernels at the same time, both compile them: numba
knows only what was compiled and kept. So the first worker begins with tests that need no kernel, the second with those that
compile most kernels, followed by whole pages of the docs, each of which is one long test.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, TypeVar


class Item(Protocol):
    """What is known of a test: the file that it is in."""

    @property
    def path(self) -> Path: ...


SomeItem = TypeVar("SomeItem", bound=Item)

#: Modules of tests/contract that read sources and texts, and compute nothing.
WITHOUT_KERNELS = {
    f"test_{name}.py"
    for name in "docstrings glossary house layers no_parsing person_sentences references titles words".split()
}
#: Whose releases take kernels of all kinds: of records with and without sets, of groups, classes and linkage.
COMPILING = ("test_releases.py", "test_balanced_distance.py")


def shared_out(items: list[SomeItem], workers: int) -> list[SomeItem]:
    """The tests in the order in which so many workers do them best; for one worker as they are."""
    if workers < 2:
        return items
    first, second, last = list[SomeItem](), list[SomeItem](), list[SomeItem]()
    for item in items:
        folder, name = item.path.parent.name, item.path.name
        if folder == "contract" and name in WITHOUT_KERNELS:
            first.append(item)
        elif (folder in ("fuzz", "property") and name in COMPILING) or (folder == "docs" and item.path.suffix == ".md"):
            second.append(item)
        else:
            last.append(item)
    second.sort(key=lambda item: item.path.suffix == ".md")
    share = len(items) // workers
    before = max(share - len(first), 0)
    return [*first, *last[:before], *second, *last[before:]]
