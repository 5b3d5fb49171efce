"""Records in another order, on disk: first into parts that fit into memory, then part by part."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.arguments import free_name
from ontomask.errors import OutputError
from ontomask.files.writing import create_folder


class Reordering:
    """The records that are added, given back in another order.

    ``position``: where each record goes, in the order in which they are added. ``size``: how many records a part holds.
    ``folder`` is for the parts; it is removed by :meth:`close`.
    """

    def __init__(self, folder: Path, position: NDArray[Any], size: int) -> None:
        self._folder, self._position, self._size = folder, position, size
        self._seen, self._chunks = 0, 0
        create_folder(folder)

    def add(self, chunk: pl.DataFrame) -> None:
        """Take the next records; there may be none."""
        if not len(chunk):
            return
        self._at = free_name("position", chunk.columns)
        here = self._position[self._seen : self._seen + len(chunk)]
        placed = chunk.with_columns(pl.Series(self._at, here)).sort(self._at)
        part = placed[self._at].to_numpy() // self._size
        first = np.flatnonzero(np.diff(part, prepend=-1))
        for start, end in zip(first.tolist(), [*first[1:].tolist(), len(part)], strict=True):
            try:
                placed[start:end].write_ipc(self._folder / f"{part[start]}-{self._chunks}.arrow", compression="lz4")
            except (OSError, pl.exceptions.PolarsError) as problem:
                raise self._failed(problem) from None
        self._seen, self._chunks = self._seen + len(chunk), self._chunks + 1

    def chunks(self) -> Iterator[pl.DataFrame]:
        """All records in their new order."""
        for part in range(-(-self._seen // self._size)):
            files = [self._folder / f"{part}-{chunk}.arrow" for chunk in range(self._chunks)]
            try:
                held = pl.concat([pl.read_ipc(file) for file in files if file.exists()])
            except (OSError, pl.exceptions.PolarsError) as problem:
                raise self._failed(problem) from None
            yield held.sort(self._at).drop(self._at)

    def close(self) -> None:
        """Remove the parts."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _failed(self, problem: Exception) -> OutputError:
        text = str(problem).lower()
        full = "no space" in text or "os error 28" in text
        what = "the disk is full" if full else f"records cannot be put in random order ({type(problem).__name__})"
        return OutputError(
            what,
            where=str(self._folder.parent),
            remedy="Free some space or choose another folder, since records in random order are written twice; or set "
            "row_order: kept.",
        )
