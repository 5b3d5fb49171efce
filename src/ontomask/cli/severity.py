"""``ontomask severity``: show a severity file, and the severity numbers of values and records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.cli.console import remark_notes, say, say_json, say_table
from ontomask.errors import OptionError

if TYPE_CHECKING:
    import polars as pl

    from ontomask.severity.severity import Severity

EPILOG = """\b
Examples:
  ontomask severity                                   the classes that sets belong to
  ontomask severity severity.yaml                     describes a definition and checks it
  ontomask severity severity.yaml --data stays.csv --by facility --by year
  ontomask severity japan --data japan --by facility --weights patients     (S18, Tables 3 and 4)
  ontomask severity demo --print > severity.yaml      a file to start your own from
\b
Exit codes: 0 done; 2 the file, the data or the options are wrong (one message on stderr).
"""


def command(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE", help="A severity file (YAML), or a shipped example: japan, demo. Default: list the classes."
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data", metavar="TABLE", help="A table (CSV, Parquet, Excel, ...) to assign severity numbers to."
        ),
    ] = None,
    by: Annotated[
        list[str] | None, typer.Option("--by", metavar="COLUMN", help="Sums by this column; may be repeated.")
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option("--weights", metavar="COLUMN", help="A column of counts: how many patients a row stands for."),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="COLUMN", help="Use only this column of the definition; may be repeated."),
    ] = None,
    unknown: Annotated[
        str,
        typer.Option(metavar="error|zero", help="Values that are not in a taxonomy: an error, or severity number 0."),
    ] = "error",
    as_json: Annotated[bool, typer.Option("--json", help="Everything as JSON, for machines.")] = False,
    print_file: Annotated[
        bool, typer.Option("--print", help="Print the file itself, as a start for your own.")
    ] = False,
) -> None:
    """Severity numbers of values, records and groups.

    A severity number says how severe it is if others learn a value: it counts the special values sets that the value is
    in (S18). With --data: the number of every value, how many records have each number, and sums by group. Without it,
    the definition is checked and described.
    """
    from ontomask.severity.severity import Severity

    if file is None:
        _only_with("FILE", data=data, by=by, weights=weights, column=column, print=print_file)
        _classes(as_json)
        return
    severity = _severity(file)
    if print_file:
        _only_with("a bare FILE", data=data, by=by, weights=weights, column=column, json=as_json)
        say(Path(str(severity.path)).read_text(encoding="utf-8-sig").rstrip("\n"))
        return
    remark_notes(severity.notes)
    if data is None:
        _only_with("--data", by=by, weights=weights)
        _definition(severity, column, as_json)
        return
    frame: Any = Severity.example_data() if data == "japan" and not Path(data).exists() else data
    taken = severity.open_table(frame, [])
    _tables(severity, taken, by or [], {"weights": weights, "columns": column or None, "unknown": unknown}, as_json)


def _tables(severity: Severity, data: Any, groups: list[str], options: dict[str, Any], as_json: bool) -> None:
    """The severity number of every value, how many records have each number, and sums by group."""
    sums = severity.sums(data, groups or None, **options)
    distribution = severity.distribution(data, **options)
    values = severity.describe(data, **options)
    if as_json:
        say_json({"definition": _facts(severity)} | _dicts(values=values, distribution=distribution, sums=sums))
        return
    _values(values)
    say()
    say_table(
        f"Sum of {options['weights']} by severity number" if options["weights"] else "Records by severity number",
        ["severity", "m=1", "m=2", "m=3", "largest"],
        distribution.rows(),
    )
    say()
    heads = [*groups, "patients", "severity >= 1", "sum", "sum per patient"]
    # A year is the name of a group, no amount.
    rows = [
        [*(None if cell is None else str(cell) for cell in row[: len(groups)]), *row[len(groups) :]]
        for row in sums.rows()
    ]
    say_table(f"Sums by {', '.join(groups)}" if groups else "Sums", heads, rows)


def _severity(file: str) -> Severity:
    from ontomask.severity.severity import Severity

    shipped = file in Severity.EXAMPLES and not Path(file).exists()
    return Severity.example(file) if shipped else Severity.load(file)


def _only_with(what: str, **options: Any) -> None:
    """An option that has no effect here is an error."""
    for name, given in options.items():
        if given:
            raise OptionError(f"--{name} needs {what}", remedy="See ontomask severity --help.")


def _classes(as_json: bool) -> None:
    from ontomask.severity.classes import riopsi
    from ontomask.severity.severity import Severity

    known = riopsi()
    if as_json:
        say_json(_dicts(classes=known.table) | {"motivations": dict(known.motivations), "examples": Severity.EXAMPLES})
        return
    say(f"Classes of sensitive information ({known.source})")
    say(str(known))
    say("Shipped examples: " + "; ".join(f"{name}, {what}" for name, what in Severity.EXAMPLES.items()))


def _definition(severity: Severity, columns: list[str] | None, as_json: bool) -> None:
    """What a file says, without data."""
    if as_json:
        values = severity.describe(columns=columns or None)
        say_json({"definition": _facts(severity)} | _dicts(values=values))
        return
    facts = _facts(severity)
    for name in ("title", "institution", "date", "source"):
        if facts[name]:
            say(f"{name + ':':<13}{facts[name]}")
    say(f"{'columns:':<13}{', '.join(severity.columns)}")
    say(f"{'N:':<13}{severity.largest_in_class_2} (the largest number of a value outside large class 1)")
    say(f"{'N_max:':<13}{severity.largest} (the largest number at all)")
    say()
    rows = [
        (row["small_class"], row["set"], row["members"], row["size"]) for row in severity.table.iter_rows(named=True)
    ]
    say_table(f"{len(rows)} special values sets", ["class", "set", "members", "values"], rows)


def _values(values: pl.DataFrame) -> None:
    """Every value with a number above 0; of the others, how many there are."""
    heads = ["column", "value", "records", "m=1", "m=2", "m=3", "largest", "sets"]
    rows = []
    rest: dict[str, int] = {}
    for row in values.iter_rows(named=True):
        if not row["max"]:
            rest[row["column"]] = rest.get(row["column"], 0) + 1
            continue
        meaning = row["meaning"]
        named = "(missing)" if row["value"] is None else row["value"]
        shown = named if meaning in (None, named) else f"{named} {meaning}"
        rows.append((row["column"], shown, row["records"], row["s_1"], row["s_2"], row["s_3"], row["max"], row["sets"]))
    say_table("Values by severity number", heads, rows)
    for column, count in rest.items():
        say(f"  {column}: {count:,} other {'value' if count == 1 else 'values'} with severity number 0")


def _facts(severity: Severity) -> dict[str, Any]:
    said = severity.definition
    return {
        "title": said.title,
        "institution": said.institution,
        "date": said.date,
        "source": said.source,
        "columns": severity.columns,
        "N": severity.largest_in_class_2,
        "N_max": severity.largest,
        "sets": severity.table.to_dicts(),
        "notes": severity.notes,
    }


def _dicts(**tables: pl.DataFrame) -> dict[str, Any]:
    return {name: table.to_dicts() for name, table in tables.items()}
