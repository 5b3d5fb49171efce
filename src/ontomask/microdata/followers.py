"""Columns that follow another: the label of a code, the group of a diagnosis. They show what goes with the released value.

What a follower shows is a function of what its leader shows and of the whole table, never of the record's own value. A value of
the leader that is not released even where it is not masked, such as one beyond an open class, has nothing that goes with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import polars as pl

from ontomask.arguments import counted
from ontomask.errors import DataError
from ontomask.microdata.dtypes import aligned as in_one_type
from ontomask.microdata.dtypes import as_texts, is_text
from ontomask.microdata.encoding import written_column
from ontomask.statements import Statement, note


class Followed(NamedTuple):
    """A follower as it is released, and how many values of its leader have several values of it."""

    values: pl.Series
    several: int


def follow(name: str, leader: str, original: pl.DataFrame, released: pl.DataFrame) -> Followed:
    """The column ``name`` of a release, whose masked columns are there already.

    A value of the leader that occurs in the original (:func:`as_given`) shows the follower's most frequent value there, of
    equals the first in order. Any other value, such as an interval, a concept above all values or a blank, shows none.
    """
    one, other = comparable(original[leader], released[leader])
    pairs = pl.DataFrame({"leader": one, "value": original[name]}).drop_nulls()
    counts = pairs.with_columns(as_texts(pairs["value"]).alias("text")).group_by("leader", "text")
    found = counts.agg(pl.col("value").first(), pl.len().alias("records"))
    found = found.sort("leader", -pl.col("records").cast(pl.Int64), "text")
    several = found.filter(pl.col("leader").is_duplicated())["leader"].n_unique()
    first = found.unique("leader", keep="first", maintain_order=True).select("leader", "value")
    shown = other.to_frame("leader").join(first, on="leader", how="left", maintain_order="left")
    return Followed(shown["value"].alias(name), several)


def comparable(one: pl.Series, other: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Two columns whose equal values are equal, and no others: in one type that holds both, or as texts."""
    try:
        return in_one_type(one, other)
    except DataError:
        return as_texts(one), as_texts(other)


def as_given(leader: pl.Series, attribute: Any, before: pl.Series) -> pl.Series:
    """The values of a leader as methods see them, missing where a release without masking would not show what came in.

    Codes of open classes, larger areas and shifted dates stand for other values; what goes with those would tell them.
    """
    if not attribute.converts:
        return leader
    shown = written_column(leader, attribute, before)
    if before.dtype.is_numeric() and is_text(shown.dtype):  # beside codes, numbers are texts
        shown = shown.cast(before.dtype, strict=False)
    given, shown = (_bare(values) for values in comparable(before, shown))
    return leader.set((given != shown).fill_null(True), None)


def _bare(values: pl.Series) -> pl.Series:
    """Texts without blanks around them, which do not count where values are converted."""
    return values.str.strip_chars() if values.dtype == pl.String else values


def followers_of(
    attributes: Mapping[str, Any], original: pl.DataFrame, before: pl.DataFrame, released: pl.DataFrame
) -> tuple[pl.DataFrame, list[Statement]]:
    """The release with every follower as its leader wants it; ``released`` has the followers as they were.

    ``original``: the records as methods see them; ``before``: the same as they came in.
    """
    changed, notes = [], []
    followers = {name: attribute.follows for name, attribute in attributes.items() if attribute.follows is not None}
    given = {leader: as_given(original[leader], attributes[leader], before[leader]) for leader in followers.values()}
    original = original.with_columns(given.values())
    for name, leader in followers.items():
        values, several = follow(name, leader, original, released)
        blank = int((values.is_null() & released[name].is_not_null()).sum())
        other = int((values != released[name]).fill_null(False).sum())
        notes.append(
            note(
                f"{name} follows {leader}: the value changed in {counted(other, 'record')}, and was blanked in {blank:,}",
                name,
            )
        )
        if several:
            have = "has" if several == 1 else "have"
            text = (
                f"{counted(several, 'value')} of {leader} {have} several values of {name}: the most frequent is shown"
            )
            notes.append(note(f"{name}: {text}", name))
        changed.append(values)
    return released.with_columns(changed), notes
