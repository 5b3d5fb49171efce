"""What a task is given: its job, its project, the policy as it was, and a progress function that stops it when asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from ontomask.app.job_files import Job
from ontomask.app.projects import Project
from ontomask.errors import OptionError
from ontomask.files.writing import create_file
from ontomask.microdata.formulas import formula_cells
from ontomask.policy.policy import Policy
from ontomask.progress import Progress

#: Rows of a group in Parquet files that pages look into: few, so that a window is read fast.
GROUP = 10_000


@dataclass(frozen=True)
class Work:
    """A job that is being done."""

    job: Job
    project: Project
    progress: Progress

    @property
    def folder(self) -> Path:
        return self.job.folder

    @property
    def data(self) -> Path:
        return self.project.data

    def argument(self, name: str, kind: type | tuple[type, ...], default: Any = None) -> Any:
        """An argument of the job, if it is of the kind that it must be."""
        value = self.job.arguments.get(name)
        if value is None:
            return default
        wanted = kind if isinstance(kind, tuple) else (kind,)
        if not isinstance(value, kind) or (isinstance(value, bool) and bool not in wanted):
            named = " or ".join(each.__name__ for each in wanted)
            raise OptionError(f"{name}: expected {named}, got {type(value).__name__}", remedy="Correct the argument.")
        return value

    def policy(self) -> Policy:
        """The policy of the project when the job was handed in."""
        return Policy.load(self.project.policy_of(self.job.policy_revision), confined=True)


def write_rows(frame: pl.DataFrame, path: Path) -> None:
    """Write a table that pages look into, for its owner alone."""
    path.unlink(missing_ok=True)
    create_file(path)
    frame.write_parquet(path, compression="lz4", row_group_size=GROUP, statistics=True)


def as_texts(frame: pl.DataFrame) -> pl.DataFrame:
    """Every cell as the text that a reader sees; lists as their items."""
    return frame.select(_text(column) for column in frame.iter_columns())


def formula_names(names: Sequence[str]) -> list[str]:
    """The names of columns that a spreadsheet would take for formulas."""
    return list(formula_cells([pl.DataFrame(schema=dict.fromkeys(names, pl.String))])) if names else []


def _text(column: pl.Series) -> pl.Series:
    if column.dtype == pl.String:
        return column
    if isinstance(column.dtype, (pl.List, pl.Array)):
        return column.list.eval(pl.element().cast(pl.String)).list.join(" | ").alias(column.name)
    if column.dtype in (pl.Null, pl.Object) or column.dtype.is_nested() or column.dtype == pl.Binary:
        return pl.Series(column.name, [None if cell is None else str(cell) for cell in column], dtype=pl.String)
    return column.cast(pl.String)
