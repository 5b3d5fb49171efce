"""Options and arguments that several commands have, worded once, and the end of their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

PolicyFile = Annotated[Path, typer.Argument(metavar="POLICY", help="A policy file (YAML).", show_default=False)]
DataFile = Annotated[
    str,
    typer.Argument(metavar="DATA", help="A table: CSV, TSV, Parquet, Excel, SPSS, Stata, SAS.", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Everything as JSON on stdout, for machines.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary; errors are still told.")]
Force = Annotated[bool, typer.Option("--force", help="Replace an earlier result; other files are never touched.")]

#: What every command ends with.
WRONG = "2 the input or the options are wrong; 130 interrupted (nothing is left behind)"


def epilog(*examples: str, codes: str = "0 done") -> str:
    """The end of a command's help: real examples and exit codes."""
    lines = "".join(f"  ontomask {line}\n" for line in examples)
    return f"\b\nExamples:\n{lines}\b\nExit codes: {codes}; {WRONG}.\n"
