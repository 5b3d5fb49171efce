"""Windows on tables: rows of the data, records before and after, the tree of a taxonomy, and who shares some values.

What is looked into are Parquet files that jobs wrote, so nothing is computed here but which rows are meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import polars as pl
from polars import selectors

from ontomask.app.answer_files import AFTER, BEFORE, ORDER, TREE
from ontomask.app.job_files import job_of
from ontomask.app.projects import TABLE, Project
from ontomask.errors import DataError, OptionError
from ontomask.taxonomy.lexicon import fold

#: The most rows of a window, and the longest text of a cell.
MOST_ROWS, LONGEST_CELL = 1_000, 1_000


def _window(offset: int, limit: int) -> tuple[int, int]:
    return max(0, offset), min(max(0, limit), MOST_ROWS)


def _scan(path: Path, remedy: str) -> pl.LazyFrame:
    if not path.is_file():
        raise OptionError("there is nothing to look into yet", remedy=remedy)
    return pl.scan_parquet(path, glob=False)


def _length(frame: pl.LazyFrame) -> int:
    return int(frame.select(pl.len()).collect().item())


def _cells(frame: pl.DataFrame) -> list[list[Any]]:
    short = frame.select(pl.all().str.slice(0, LONGEST_CELL)) if frame.width else frame
    return [list(row) for row in short.rows()]


def rows(project: Project, offset: int = 0, limit: int = 200) -> dict[str, Any]:
    """Rows of the data as they were read, as texts.

    Parameters
    ----------
    project : Project
        Its data must have been opened.
    offset, limit : int
        The first row, from 0, and how many.

    Returns
    -------
    dict
        ``total``, ``columns`` and ``rows``.
    """
    frame = _scan(project.folder / TABLE, "Open the data first.")
    start, count = _window(offset, limit)
    names = frame.collect_schema().names()
    return {"total": _length(frame), "columns": names, "rows": _cells(frame.slice(start, count).collect())}


def pairs(
    project: Project, run: str, offset: int = 0, limit: int = 200, order: Literal["file", "changed"] = "file"
) -> dict[str, Any]:
    """Records before and after, side by side, with what changed.

    Parameters
    ----------
    project : Project
        Whose run it is.
    run : str
        The run.
    offset, limit : int
        The first record, from 0, and how many.
    order : {'file', 'changed'}
        As in the original, or those first that changed most; removed ones are the first of these.

    Returns
    -------
    dict
        ``total``, ``columns``, ``numbers`` (of the records, from 1), ``before``, ``after`` (None for a removed record) and
        ``changed``.
    """
    if order not in ("file", "changed"):
        raise OptionError(f"no order {order!r}", remedy="There are: file, changed.")
    folder = job_of(project.folder, run).folder
    before, after = (_scan(folder / name, "Wait until the run is done.") for name in (BEFORE, AFTER))
    start, count = _window(offset, limit)
    places = _scan(folder / ORDER, "Wait until the run is done.")
    total = _length(before)
    if order == "file":
        numbers = list(range(start, min(start + count, total)))
        old, new = (frame.slice(start, count).collect() for frame in (before, after))
        gone = _removed(places, numbers)
    else:
        found = places.slice(start, count).collect()
        numbers = found["row"].to_list()
        gone = set(found.filter(pl.col("distance").is_infinite())["row"].to_list())
        old, new = (_gathered(frame, numbers) for frame in (before, after))
    changed = old.select(
        (pl.col(name).ne_missing(new[name])).cast(pl.Int8).alias(f"{place}") for place, name in enumerate(old.columns)
    )
    shown = [None if number in gone else row for number, row in zip(numbers, _cells(new), strict=True)]
    return {
        "total": total,
        "columns": old.columns,
        "numbers": [number + 1 for number in numbers],
        "before": _cells(old),
        "after": shown,
        "changed": [list(row) for row in changed.rows()],
    }


def _removed(places: pl.LazyFrame, numbers: list[int]) -> set[int]:
    found = places.filter(pl.col("distance").is_infinite() & pl.col("row").is_in(numbers)).collect()
    return set(found["row"].to_list())


def _gathered(frame: pl.LazyFrame, numbers: list[int]) -> pl.DataFrame:
    """Rows by their places, in the order asked for."""
    place = "\0place"  # no column of a file can be called so
    wanted = pl.LazyFrame({place: pl.Series(numbers, dtype=pl.UInt32)})
    found = wanted.join(frame.with_row_index(place), on=place, how="left", maintain_order="left")
    return found.select(selectors.exclude(selectors.by_name(place))).collect()


# ---- taxonomies ----------------------------------------------------------------------------------------------------


def _tree(project: Project, column: str) -> pl.LazyFrame:
    folder = project.latest("match", column)
    if folder is None:
        raise OptionError(f"column {column!r} was not matched yet", remedy="Match its values with a taxonomy first.")
    return _scan(folder / TREE, "Match its values again.")


def tree(
    project: Project, column: str, concept: str | None = None, offset: int = 0, limit: int = 200
) -> dict[str, Any]:
    """The concepts below one, or the root; those with most records first.

    Parameters
    ----------
    project : Project
        Whose column it is.
    column : str
        A column that was matched.
    concept : str, optional
        A code of the taxonomy.
    offset, limit : int
        The first concept, from 0, and how many.

    Returns
    -------
    dict
        ``total`` and ``nodes``: code, label, children, and the records at it or below.
    """
    frame = _tree(project, column)
    parent = -1
    if concept is not None:
        found = frame.filter(pl.col("code") == concept).select("position").head(1).collect()
        if not len(found):
            raise DataError("the taxonomy has no such concept", remedy="Search for it.")
        parent = int(found.item())
    below = frame.filter(pl.col("parent") == parent).select("code", "label", "children", "records").collect()
    start, count = _window(offset, limit)
    ordered = below.sort(["records", "code"], descending=[True, False]).slice(start, count)
    return {"total": len(below), "nodes": ordered.to_dicts()}


def search(project: Project, column: str, text: str, limit: int = 50) -> list[dict[str, Any]]:
    """Concepts that have all words of a text in their code, label or synonyms: short labels and many records first.

    Parameters
    ----------
    project : Project
        Whose column it is.
    column : str
        A column that was matched.
    text : str
        Some words, or a code.
    limit : int
        How many at most.

    Returns
    -------
    list of dict
        Code, label and records.
    """
    words = fold(text[:LONGEST_CELL]).split()[:20]
    if not words:
        return []
    frame = _tree(project, column)
    holds = pl.all_horizontal(pl.col("terms").str.contains(word, literal=True) for word in words)
    found = frame.filter(holds).select("code", "label", "records").unique("code").collect()
    exact = pl.col("code").str.to_lowercase() == text.strip().lower()
    ordered = found.sort([exact, pl.col("records") > 0, pl.col("label").str.len_chars(), "code"],
                         descending=[True, True, False, False])  # fmt: skip
    return ordered.head(min(limit, MOST_ROWS)).to_dicts()


# ---- who shares some values ----------------------------------------------------------------------------------------


def sharing(project: Project, values: Mapping[str, str]) -> dict[str, Any]:
    """How many records have all of these values.

    Parameters
    ----------
    project : Project
        Its data must have been opened.
    values : mapping of str to str
        Texts by column, as they are typed; case and blanks around them do not count, and numbers are compared as numbers.

    Returns
    -------
    dict
        ``count``, the ``records`` there are, and the columns in which no record has the value (``unknown``).
    """
    frame = _scan(project.folder / TABLE, "Open the data first.")
    names = set(frame.collect_schema().names())
    wrong = next((name for name in values if name not in names), None)
    if wrong is not None:
        raise OptionError(f"the data have no column {wrong!r}", remedy="Check its name.")
    given = {name: text.strip() for name, text in values.items() if text.strip()}
    tests = {name: _same(name, text) for name, text in given.items()}
    counts = frame.select(
        pl.len().alias("records"),
        (pl.all_horizontal(tests.values()) if tests else pl.lit(True)).sum().alias("count"),
        *(test.sum().alias(f"of {place}") for place, test in enumerate(tests.values())),
    ).collect().row(0)  # fmt: skip
    unknown = [name for name, number in zip(tests, counts[2:], strict=True) if not number]
    return {"records": counts[0], "count": counts[1] if tests else counts[0], "unknown": unknown}


def _same(name: str, text: str) -> pl.Expr:
    cell = selectors.by_name(name).as_expr()  # a name may look like a pattern
    same = cell.str.strip_chars().str.to_lowercase() == text.lower()
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return same.fill_null(value=False)
    written = cell.str.strip_chars().str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
    return (same | (written == number)).fill_null(value=False)
