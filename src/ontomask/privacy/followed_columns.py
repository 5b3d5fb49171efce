"""The check that columns which follow another say no more than it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import polars as pl

from ontomask.arguments import counted
from ontomask.privacy.contents import ContentCheck
from ontomask.privacy.models import Finding
from ontomask.wording import RECORD, Unit

if TYPE_CHECKING:
    from ontomask.privacy.examined import Examined


class FollowedColumns(ContentCheck):
    """A column that follows another shows one value, or none, wherever the other shows the same; none where it is blank.

    Where the original is known, it also shows no value that does not go with the released one there.
    """

    name: Literal["followed_columns"] = "followed_columns"

    def check_table(self, table: Examined, reference: Examined | None = None) -> Finding:
        found, told, records = [], [], 0
        for name, attribute in table.attributes.items():
            leader = attribute.follows
            if leader is None or name not in table.data or leader not in table.data:
                continue
            pairs = table.as_read.select(leader=_texts(table.as_read[leader]), value=_texts(table.as_read[name]))
            wrong = _wrong(pairs, None if reference is None else _pairs(reference.as_read, leader, name))
            if wrong.any():
                records += int(wrong.sum())
                told.append(
                    f"{name} shows more than {leader}, which it follows, in {counted(int(wrong.sum()), 'record')}"
                )
                found.append((name, leader, int(wrong.sum())))
        schema = {"column": pl.String, "follows": pl.String, "records": pl.Int64}
        text = "; ".join(told) or "columns that follow others show what goes with these"
        return self.finding(text, pl.DataFrame(found, schema=schema, orient="row"), records)

    def describe(self) -> str:
        return "columns that follow others"

    @property
    def title(self) -> str:
        return "Columns that follow others"

    def explain(self, unit: Unit = RECORD) -> str:
        return "A column that follows another is a function of what the other shows."


def _texts(values: pl.Series) -> pl.Series:
    """Values as texts, equal ones as equal, whether they come from a frame or from a file."""
    texts = (values.cast(pl.Float64) if values.dtype.is_numeric() else values).cast(pl.String)
    return texts.str.strip_prefix("'")  # which escapes formulas in files


def _pairs(original: pl.DataFrame, leader: str, name: str) -> pl.DataFrame:
    """The pairs of values in the original, numbers as numbers: a file may hold them as texts."""
    pairs = original.select(leader=_texts(original[leader]), value=_texts(original[name]))
    return pairs.drop_nulls().select(_as_numbers("leader"), _as_numbers("value")).unique()


def _as_numbers(name: str) -> pl.Expr:
    number = pl.col(name).cast(pl.Float64, strict=False).cast(pl.String)
    return pl.coalesce(number, pl.col(name)).alias(name)


def _wrong(pairs: pl.DataFrame, known: pl.DataFrame | None) -> pl.Series:
    """Which records show what does not follow; ``known``: the pairs of the original."""
    several = pl.col("value").n_unique().over("leader") > 1
    unfounded = pl.col("leader").is_null() & pl.col("value").is_not_null()
    wrong = pairs.select((several | unfounded).alias("wrong"))["wrong"]
    if known is None:
        return wrong
    read = pairs.select(_as_numbers("leader"), _as_numbers("value"))
    there = read.join(known.with_columns(there=True), on=["leader", "value"], how="left", maintain_order="left")[
        "there"
    ]
    return wrong | (pairs["value"].is_not_null() & there.is_null())
