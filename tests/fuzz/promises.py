"""What was promised, recounted on rows of plain values; written from the definitions, sharing no code with the product."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable
from typing import Any

from tests.fuzz.cases import Case, Column, Promise
from tests.fuzz.reading import Rows

#: Texts that say that nothing is known, as everybody writes them.
NOTHING = {"", "na", "n/a", "nan", "null", "unknown", "?", "-", "#n/a"}
_INVISIBLE = {"\u200b", "\u200c", "\u200d", "\ufeff", "\u2060"}


def broken(case: Case, rows: Rows, original: Rows, kinds: Collection[str]) -> list[str]:
    """Every promise of these kinds that the rows do not keep."""
    quasi = case.with_role("quasi")
    classes: dict[tuple[Any, ...], Rows] = defaultdict(list)
    for row in rows:
        classes[tuple(row[name] for name in quasi)].append(row)
    told = []
    for promise in (promise for promise in case.promises if promise.kind in kinds):
        for key, members in classes.items():
            problem = _problem(case, promise, members, original)
            if problem:
                told.append(f"{promise.kind} {promise.number} {promise.column or ''}: class {key}: {problem}")
    return told


def _problem(case: Case, promise: Promise, members: Rows, original: Rows) -> str | None:
    if promise.kind == "k":
        return None if len(members) >= promise.number else f"{len(members)} records"
    assert promise.column is not None
    column = case.columns[promise.column]
    meaning = _meaning(column)
    values = [meaning(row[promise.column]) for row in members]
    known = Counter(value for value in values if value is not None)
    if promise.kind == "distinct":
        different = len(_most_specific(known, column) if column.kind == "nominal" else known)
        return None if different >= promise.number else f"{different} different values"
    if promise.kind == "entropy":
        total = sum(known.values())
        entropy = -sum(c / total * math.log(c / total) for c in known.values()) if total else 0.0
        return None if entropy >= math.log(promise.number) - 1e-9 else f"entropy {entropy:.4f}"
    if promise.kind.startswith("severity"):
        return _severity_problem(promise, values, [meaning(row[promise.column]) for row in original])
    here, there = Counter(values), Counter(meaning(row[promise.column]) for row in original)
    n, m = sum(here.values()), sum(there.values())
    distance = sum(abs(here[v] / n - there[v] / m) for v in {*here, *there}) / 2
    return None if distance <= promise.number + 1e-9 else f"distance {distance:.4f}"


def _severity_problem(promise: Promise, values: list[Any], original: list[Any]) -> str | None:
    """Numbers 0, 1 and 2 for m = 1; without the 1 for the other types. Some record below 2; or close to the original."""
    some, most = ({fold(value) for value in part} for part in promise.grave)

    def number(value: Any, m: int) -> int:
        return 2 if value in most else int(value in some and m == 1)

    for m in (1, 2):
        here, there = ([number(value, m) for value in part] for part in (values, original))
        if promise.kind == "severity" and min(here) > 2 - promise.number:
            return f"every record has severity {min(here)}"
        # On a line with numbers 0, 1, 2 the distance is the sum of the differences of what is up to 0 and up to 1.
        away = (
            sum(abs(sum(x <= i for x in here) / len(here) - sum(x <= i for x in there) / len(there)) for i in (0, 1))
            / 2
        )
        if promise.kind == "severity closeness" and away > promise.number + 1e-9:
            return f"severity at {away:.4f}"
    return None


def _meaning(column: Column) -> Callable[[Any], Any]:
    """A cell as what it says: a concept, a number, a folded text; None for nothing."""

    def read(cell: Any) -> Any:
        if cell is None or (isinstance(cell, float) and math.isnan(cell)):
            return None
        if column.kind == "numeric":
            text = str(cell).strip().replace(",", ".")
            return float(text) if text else None
        folded = fold(cell)
        if column.kind == "nominal":
            return {fold(text): concept for text, concept in column.concept_of.items()}.get(folded, folded or None)
        return None if folded in NOTHING else folded

    return read


def fold(cell: Any) -> str:
    """Blanks, case and Unicode form do not make two values of one."""
    text = "".join(sign for sign in unicodedata.normalize("NFKC", str(cell)) if sign not in _INVISIBLE)
    return " ".join(unicodedata.normalize("NFKC", text.casefold()).split())


def _most_specific(concepts: Iterable[str], column: Column) -> set[str]:
    """The concepts that have none of the others below them: in a tree, the largest set without a parent and its child."""
    there = set(concepts)
    above: set[str] = set()
    for concept in there:
        climbed = concept
        while climbed in column.parents:
            climbed = column.parents[climbed]
            above.add(climbed)
    return there - above
