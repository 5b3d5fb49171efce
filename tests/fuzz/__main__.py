"""``python -m tests.fuzz 123 456``: run single cases again and show them."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.fuzz.cases import make_case
from tests.fuzz.running import run_case

for number in map(int, sys.argv[1:]):
    case = make_case(number)
    sys.stdout.write(f"case {number}: {case.file} {case.options} {case.library}\n{case.polars}\n{case.policy!r}\n")
    with tempfile.TemporaryDirectory() as folder:
        outcome, problems = run_case(number, Path(folder))
    sys.stdout.write("\n".join([outcome, *problems, ""]))
