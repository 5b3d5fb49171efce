"""Options, arguments and help texts that several commands share."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.errors import OptionError

if TYPE_CHECKING:
    from ontomask.microdata.reading_options import Reading

PolicyFile = Annotated[Path, typer.Argument(metavar="POLICY", help="A policy file (YAML).", show_default=False)]
DataFile = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A table: CSV, TSV, Parquet, Excel, SPSS, Stata, SAS; or duckdb:FILE?table=NAME, "
        "postgresql://USER@HOST/DATABASE?table=NAME, ?query=SELECT ...",
        show_default=False,
    ),
]
Confined = Annotated[
    bool,
    typer.Option("--confined", help="Accept only files in the folder of the policy; use it for policies from others."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Everything as JSON on stdout, for machines.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors; the exit code gives the outcome.")]
Force = Annotated[bool, typer.Option("--force", help="Replace an earlier result; other files are never touched.")]

MeasureName = Annotated[
    str | None, typer.Option(metavar="MEASURE", help="A measure for all nominal columns, in place of their own.")
]

#: How a file is read, where what is detected is not enough: the options by the names of their settings.
READING: dict[str, Any] = {
    "missing": Annotated[
        list[str] | None,
        typer.Option("--missing", metavar="TEXT", help="A marker of missing values, such as NA; may be repeated."),
    ],
    "sheet": Annotated[
        str | None, typer.Option(metavar="NAME", help="The sheet of an Excel file: its name or its number (from 1).")
    ],
    "encoding": Annotated[
        str | None, typer.Option(metavar="NAME", help="The encoding of a text file: utf-8, cp1252, ...")
    ],
    "delimiter": Annotated[str | None, typer.Option(metavar="SIGN", help="The delimiter of a CSV: ';' or tab.")],
    "decimal": Annotated[str | None, typer.Option(metavar="SIGN", help="The decimal mark of a CSV: '.' or ','.")],
    "text": Annotated[
        list[str] | None,
        typer.Option(
            "--text", metavar="COLUMN", help="A column that is text even if it looks like numbers; may be repeated."
        ),
    ],
}


def reads(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options of :data:`READING`; it is called with those given as ``given``, by name."""
    signature = inspect.signature(command, eval_str=True)
    own = [parameter for name, parameter in signature.parameters.items() if name != "given"]
    more = [
        inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=a) for n, a in READING.items()
    ]

    @wraps(command)
    def made(**values: Any) -> None:
        given = {name: value for name in READING if (value := values.pop(name)) not in (None, [])}
        command(**values, given=given)

    kept = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
    made.__signature__ = signature.replace(parameters=[*kept, *more])  # type: ignore[attr-defined]
    made.__annotations__ = {parameter.name: parameter.annotation for parameter in [*kept, *more]}
    return made


def read_as(given: Mapping[str, Any], data: str, before: Reading | None = None) -> Reading:
    """The reading options of the command line in place of those ``before``; each must make sense for the file."""
    from ontomask.microdata.formats import format_of
    from ontomask.microdata.reading_options import Reading
    from ontomask.microdata.sql_sources import data_source

    chosen, source = Reading(**given), data_source(data)
    unused = chosen.for_format(format_of(source))[1] if given else []
    if unused:
        raise OptionError(f"--{unused[0]} has no effect on {source.name}", remedy="Leave it out.")
    return (before or Reading()).changed(**chosen.given)


def is_folder(text: str) -> bool:
    """Does the text name a folder? A query of a database does not, and may be too long for a path."""
    from ontomask.microdata.sql_sources import data_source

    source = data_source(text)
    return isinstance(source, Path) and source.is_dir()


def one_answer(as_json: bool, quiet: bool) -> None:
    """--quiet prints nothing but errors, so it cannot go with --json; warnings are kept back as well."""
    if quiet and as_json:
        raise OptionError("--quiet prints nothing", remedy="Leave it out to see --json.")
    if quiet:
        warnings.simplefilter("ignore")


#: What every command ends with.
WRONG = "2 the input or the options are wrong; 130 interrupted (nothing is left behind)"


def epilog(*examples: str, codes: str = "0 done") -> str:
    """The end of a command's help: real examples and exit codes."""
    lines = "".join(f"  ontomask {line}\n" for line in examples)
    return f"\b\nExamples:\n{lines}\b\nExit codes: {codes}; {WRONG}.\n"
