"""``ontomask join``: the columns of a second table added to the records of a first one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ontomask.arguments import counted
from ontomask.cli.console import say
from ontomask.cli.options import DataFile, Quiet, epilog, one_answer, read_as, reads

EPILOG = epilog(
    "join stays.csv patients.csv --by patient_id", "join stays.csv sets.csv --by stay_id -o stays-with-sets.csv"
)


@reads
def command(
    data: DataFile,
    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="A second table: one row for each key.", show_default=False)
    ],
    by: Annotated[
        list[str], typer.Option("--by", metavar="COLUMN", help="The key that both tables have; may be repeated.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write; its suffix chooses the format.")
    ] = Path("joined.csv"),
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    quiet: Quiet = False,
    *,
    given: Mapping[str, Any],
) -> None:
    """Add the columns of a second table to every record of a first one.

    All records of the first table stay, in their order. If the second table does not have their key, its values are
    missing. The reading options apply to both tables.
    """
    from ontomask.microdata.joining import joined
    from ontomask.microdata.sql_sources import data_file
    from ontomask.microdata.writing import write_table

    one_answer(False, quiet)
    made = joined(data, table, by, read_as(given, data))
    write_table(made.data, output, overwrite=force, source=data_file(data))
    if not quiet:
        alone = f"; {made.alone:,} of them without a row in {table}" if made.alone else ""
        unused = f"; {counted(made.unused, 'row')} of {table} without a record" if made.unused else ""
        say(f"{counted(len(made.data), 'record')} with {counted(made.data.width, 'column')}: {output}{alone}{unused}")
