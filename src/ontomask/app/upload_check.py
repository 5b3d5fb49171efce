"""A look at a packed table in a process of its own: ``python -m ontomask.app.upload_check FORMAT FILE``.

To unpack what somebody uploaded takes seconds of computing, in which the server would answer nobody, and memory, of which this
process may take only as much as a plausible table needs. The exit code is 0 if the file is reasonable; otherwise what is wrong
stands on the standard output, as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from ontomask.app.memory_limit import limit_memory
from ontomask.errors import DataError
from ontomask.files.regular_files import RATIO, SUSPICIOUS, free_memory
from ontomask.microdata.parquet_files import parquet_size, parquet_texts, read_errors
from ontomask.microdata.stat_files import FORMATS as STATISTICAL
from ontomask.microdata.stat_files import stat_size
from ontomask.microdata.workbook_size import require_reasonable_workbook

#: Bytes that a cell takes besides its own when data are opened: its text for the pages, and its copy in the profile.
OPENED = 32
#: Bytes that the reader of a format itself may take.
READER = 1 << 30
BOMB = (
    f"it unpacks to more than {RATIO} times its size, which is not plausible for a table",
    "Is it the right file? If it is, save it as CSV.",
)


def require_reasonable_parquet(file: Path) -> None:
    """An error if few bytes stand for more rows or longer texts than a table has, or for more than can be opened here."""
    with read_errors(file, "Parquet"):
        rows, columns, needed = parquet_size(file)
        _require_plausible(file, rows, columns, needed)
        texts = parquet_texts(file)
    _require_plausible(file, rows, columns, needed + texts)


def require_reasonable_stat(file: Path, format: str) -> None:
    """The same of a file of SPSS or SAS, whose records can be packed, or of Stata, whose records can name one long text."""
    try:
        rows, columns, needed = stat_size(file, format)
    except DataError:  # perhaps its encoding must be named: whoever opens it is told
        return
    _require_plausible(file, rows, columns, needed)


def _require_plausible(file: Path, rows: int, columns: int, needed: float) -> None:
    if needed > SUSPICIOUS and needed > file.stat().st_size * RATIO:
        raise DataError(BOMB[0], remedy=BOMB[1])
    opened = needed + rows * columns * OPENED
    if opened > free_memory():
        raise DataError(
            f"{rows:,} rows of {columns:,} columns need about {opened / 1e9:,.1f} GB, and less memory is free",
            remedy="Take fewer columns or a sample of the rows, or use a machine with more memory.",
        )


#: The look at a file of each format that is not text.
LOOKS: dict[str, Callable[[Path], None]] = {
    "excel": require_reasonable_workbook,
    "parquet": require_reasonable_parquet,
    **{name: partial(require_reasonable_stat, format=name) for name in STATISTICAL},
}


def require_reasonable(file: Path, format: str) -> None:
    """An error if a file unpacks to too much, or if nobody can tell."""
    look = LOOKS.get(format)
    if look is None:
        raise DataError("the app cannot tell to how much a file of this format unpacks", remedy="Save it as CSV.")
    look(file)


def main(arguments: list[str]) -> int:
    """Look at the file that is named."""
    format, name = arguments
    file = Path(name)
    with suppress(OSError, AttributeError):
        os.nice(5)
    limit_memory(min(READER + max(SUSPICIOUS, file.stat().st_size * RATIO), free_memory()))
    try:
        require_reasonable(file, format)
    except DataError as problem:
        found = (problem.what, problem.remedy)
    except MemoryError:
        found = BOMB
    else:
        return 0
    sys.stdout.write(json.dumps({"what": found[0], "remedy": found[1]}))
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
