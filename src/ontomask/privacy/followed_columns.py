"""The check that columns which follow another say no more than it does."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Literal

import polars as pl

from ontomask.arguments import counted
from ontomask.errors import DataError
from ontomask.microdata.dtypes import aligned, as_texts
from ontomask.microdata.formulas import escaped
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
            shown = table.as_read.select(leader=leader, value=name)
            wrong = _says_more(shown)
            if reference is not None:
                wrong = wrong | _unknown(shown, reference.as_read.select(leader=leader, value=name))
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
        return "The released value of a column determines the values of the columns that follow it."


def _says_more(shown: pl.DataFrame) -> pl.Series:
    """Which records show a value beside a blank leader, or one of several values beside equal leaders."""
    texts = pl.DataFrame([as_texts(column) for column in shown.iter_columns()])
    several = pl.col("value").n_unique().over("leader") > 1
    unfounded = pl.col("leader").is_null() & pl.col("value").is_not_null()
    return texts.select((several | unfounded).alias("wrong"))["wrong"]


def _unknown(shown: pl.DataFrame, original: pl.DataFrame) -> pl.Series:
    """Which records show a value that goes with that of the leader nowhere in the original."""
    both = [_in_one_form(original[name], shown[name]) for name in shown.columns]
    known, read = (pl.DataFrame(columns) for columns in zip(*both, strict=True))
    known = pl.concat([known, escaped(known, "")]).drop_nulls()  # a file may have formulas escaped
    known, read = (table.select(_number(name) for name in table.columns) for table in (known, read))
    there = read.join(known.unique().with_columns(there=True), on=read.columns, how="left", maintain_order="left")
    return read["value"].is_not_null() & there["there"].is_null()


def _in_one_form(original: pl.Series, read: pl.Series) -> tuple[pl.Series, pl.Series]:
    """A column of the original and of a release as texts, equal values as equal: a file may know fewer types."""
    if isinstance(original.dtype, pl.Float32):
        short = read.cast(pl.Float32, strict=False)
        read = short if short.null_count() == read.null_count() else read
    with suppress(DataError):  # numbers that a file holds as texts
        original, read = aligned(original, read)
    return as_texts(original), as_texts(read)


def _number(name: str) -> pl.Expr:
    """Texts, those of equal numbers as equal: 1 and 1.0. Whole numbers are compared by all their digits."""
    number = pl.col(name).cast(pl.Float64, strict=False)
    whole = pl.when(number == number.floor()).then(number.cast(pl.Int128, strict=False))
    exact = pl.coalesce(pl.col(name).cast(pl.Int128, strict=False), whole)
    return pl.coalesce(exact.cast(pl.String), number.cast(pl.String), pl.col(name)).alias(name)
