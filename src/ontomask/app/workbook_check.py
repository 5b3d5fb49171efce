"""A look at a workbook in a process of its own: ``python -m ontomask.app.workbook_check FILE``.

To unpack what somebody uploaded takes seconds of computing, in which the server would answer nobody. The exit code is 0 if
the workbook is reasonable; otherwise what is wrong stands on the standard output, as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

from ontomask.errors import DataError
from ontomask.microdata.workbook_size import require_reasonable_workbook


def main(arguments: list[str]) -> int:
    """Look at the file that is named."""
    (file,) = arguments
    with suppress(OSError, AttributeError):
        os.nice(5)
    try:
        require_reasonable_workbook(Path(file))
    except DataError as problem:
        sys.stdout.write(json.dumps({"what": problem.what, "remedy": problem.remedy}))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
