"""A look at a packed table in a process of its own: ``python -m ontomask.app.upload_check FORMAT FILE``.

To unpack what somebody uploaded takes seconds of computing, in which the server would answer nobody. The exit code is 0 if
the file is reasonable; otherwise what is wrong stands on the standard output, as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

from ontomask.errors import DataError
from ontomask.files.regular_files import RATIO, SUSPICIOUS, free_memory
from ontomask.microdata.parquet_files import parquet_size, read_errors
from ontomask.microdata.workbook_size import require_reasonable_workbook

#: Bytes that a cell takes besides its own when data are opened: its text for the pages, and its copy in the profile.
OPENED = 32


def require_reasonable_parquet(file: Path) -> None:
    """An error if few bytes stand for more rows than a table has, or than can be opened here."""
    with read_errors(file, "Parquet"):
        rows, columns, needed = parquet_size(file)
        packed = file.stat().st_size
    if needed > SUSPICIOUS and needed > packed * RATIO:
        raise DataError(
            f"it unpacks to more than {RATIO} times its size ({rows:,} rows), which is not plausible for a table",
            remedy="Is it the right file? If it is, save it as CSV.",
        )
    opened = needed + rows * columns * OPENED
    if opened > free_memory():
        raise DataError(
            f"{rows:,} rows of {columns:,} columns need about {opened / 1e9:,.1f} GB, and less memory is free",
            remedy="Take fewer columns or a sample of the rows, or use a machine with more memory.",
        )


_LOOKS = {"excel": require_reasonable_workbook, "parquet": require_reasonable_parquet}


def main(arguments: list[str]) -> int:
    """Look at the file that is named."""
    format, file = arguments
    with suppress(OSError, AttributeError):
        os.nice(5)
    try:
        _LOOKS[format](Path(file))
    except DataError as problem:
        sys.stdout.write(json.dumps({"what": problem.what, "remedy": problem.remedy}))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
