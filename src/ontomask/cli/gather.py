"""``ontomask gather``: a long table, a row for each item, as one record for each key with a column of sets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ontomask.arguments import counted
from ontomask.cli.console import say
from ontomask.cli.options import DataFile, Quiet, epilog, one_answer, read_as, reads

EPILOG = epilog(
    "gather diagnoses.csv --by admission_id --set icd9_code",
    "gather diagnoses.csv --by admission_id --set icd9_code -o admissions.parquet",
)


@reads
def command(
    data: DataFile,
    by: Annotated[
        list[str], typer.Option("--by", metavar="COLUMN", help="The key: its rows become one record; may be repeated.")
    ],
    items: Annotated[str, typer.Option("--set", metavar="COLUMN", help="The column of items.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write; its suffix chooses the format.")
    ] = Path("gathered.csv"),
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A column to leave out, such as the number of an item; may be repeated."),
    ] = None,
    separator: Annotated[str, typer.Option(metavar="SIGN", help="What separates the items of a set.")] = "|",
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    quiet: Quiet = False,
    *,
    given: Mapping[str, Any],
) -> None:
    """Gather the rows of a long table into records with sets.

    Every other column must be the same in all rows of a key, or be left out with --drop. In a policy the column of sets
    is nominal, and many is the separator.
    """
    from ontomask.microdata.gathering import gathered
    from ontomask.microdata.sql_sources import data_file
    from ontomask.microdata.writing import write_table

    one_answer(False, quiet)
    made = gathered(data, by, items, separator, drop or (), read_as(given, data))
    write_table(made.data, output, overwrite=force, source=data_file(data))
    if not quiet:
        say(f"{counted(made.rows, 'row')} became {counted(made.records, 'record')} with sets of {items}: {output}")
