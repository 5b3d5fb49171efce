"""``ontomask init``: profile a file and write a proposed policy."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.cli.console import remark_notes, say, say_json, say_table
from ontomask.cli.options import DataFile, read_as, reads
from ontomask.errors import OptionError, OutputError

if TYPE_CHECKING:
    from ontomask.profiling.outcome import Profile

EPILOG = """\b
Examples:
  ontomask init patients.csv                                      writes policy.yaml
  ontomask init patients.parquet -o patients.yaml --k 10
  ontomask init staff.xlsx --taxonomy job=isco08.csv --role ward=quasi --role bonus=sensitive
  ontomask init patients.csv --method generalization --force
  ontomask init patients.csv --preset safe_harbor                 for 45 CFR 164.514(b)(2)
\b
The policy contains no values of the data except the order of ordinal columns and (possible) markers of missing values.
--show-values prints frequent values and does not write them.
Exit codes: 0 done; 2 the file or the options are wrong, or the policy exists already (one message on stderr).
"""

#: Columns that one line names.
MOST_NAMES = 8


@reads
def command(
    data: DataFile,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The policy to write.")] = Path(
        "policy.yaml"
    ),
    k: Annotated[int, typer.Option("--k", help="Every class of the release has at least k records.")] = 5,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="microaggregation, profile_microaggregation, generalization, recoding, resampling, suppression, "
            "rank_swapping, shuffling, imputation, noise_addition or pram.",
        ),
    ] = "microaggregation",
    taxonomy: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=FILE", help="A taxonomy to try for a column; may be repeated."),
    ] = None,
    role: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=ROLE", help="identifier, quasi, sensitive or other: sets a role; may be repeated."
        ),
    ] = None,
    person: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="The column that identifies the person; may be repeated. Persons are counted."
        ),
    ] = None,
    unmatched: Annotated[
        str,
        typer.Option(
            metavar="flat|stop",
            help="If a taxonomy does not cover some values: treat the column as flat, or stop at them.",
        ),
    ] = "flat",
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="safe_harbor: require the HIPAA safe harbor rule, and leave out or coarsen what it refuses.",
        ),
    ] = None,
    show_values: Annotated[
        bool, typer.Option("--show-values", help="Print the most frequent values of each column.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a policy that exists already.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Everything as JSON, for machines.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Write the policy and print nothing.")] = False,
    *,
    given: Mapping[str, Any],
) -> None:
    """Propose a policy for a file.

    Every column gets a role (identifier, quasi, sensitive, other), a kind (nominal, ordinal, flat, numeric, date, place)
    and, if one covers its values, a taxonomy. What is uncertain is proposed as the safer choice and marked CHECK in the
    policy; somebody who knows the data must read it before it is used. The policy keeps the reading options given
    here.
    """
    from ontomask.profiling.profile import profile

    if quiet and (as_json or show_values):
        raise OptionError("--quiet prints nothing", remedy="Leave it out to see --json or --show-values.")
    if output.exists() and not force:
        raise OutputError("the file exists", where=str(output), remedy="Choose another name with -o, or give --force.")
    found = profile(
        data,
        taxonomies=_pairs(taxonomy, "--taxonomy", "COLUMN=FILE"),
        roles=_pairs(role, "--role", "COLUMN=ROLE", last=True),
        person=person,
        unmatched=unmatched,  # type: ignore[arg-type]
        preset=preset,  # type: ignore[arg-type]
        reading=read_as(given, data),
    )
    found.save(output, overwrite=force, method=method, k=k)
    chosen = found.policy(method=method, k=k).method
    masks = ("quasi",) if chosen is None else chosen.masks
    if quiet:
        return
    following = [
        f"ontomask check {shlex.quote(str(output))} {shlex.quote(data)}",
        f"ontomask run {shlex.quote(str(output))} {shlex.quote(data)} -o result",
    ]
    if as_json:
        say_json(_facts(found, show_values) | {"policy": str(output), "next": following})
        return
    _print(found, show_values, masks)
    say()
    say(f"Written: {output}. Read it, decide what is marked CHECK, then:")
    for line in following:
        say(f"  {line}")


def _pairs(given: list[str] | None, option: str, form: str, *, last: bool = False) -> dict[str, str]:
    """Options of the form COLUMN=VALUE; ``last``: the column may hold the sign, too."""
    pairs: dict[str, str] = {}
    for text in given or []:
        column, sign, value = text.rpartition("=") if last else text.partition("=")
        if not sign or not column or not value:
            raise OptionError(f"{option} {text!r} is not of the form {form}", remedy=f"Write {option} {form}.")
        if column in pairs:
            raise OptionError(f"{option} is given twice for {column!r}", remedy="Give it once.")
        pairs[column] = value
    return pairs


def _print(found: Profile, show_values: bool, masks: Sequence[str]) -> None:
    remark_notes(found.notes)
    heads = ["column", "type", "values", "missing", "unique", "role", "kind", "taxonomy", "check"]
    heads += ["most frequent"] if show_values else []
    rows: list[list[Any]] = []
    for c in found:
        row = [c.name, c.type, c.distinct, c.missing, f"{c.unique:.1%}", c.role, c.kind, c.taxonomy]
        row.append("CHECK" if c.checks else None)
        rows.append([*row, [str(value) for value in c.examples]] if show_values else row)
    say_table(f"{found.records:,} records, {len(found):,} columns", heads, rows)
    to_check = found.to_check(masks)
    if to_check:
        say()
        say("To check")
        for what, names in to_check.items():
            more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
            say(f"  {', '.join(names[:MOST_NAMES])}{more}: {what}")


def _facts(found: Profile, show_values: bool) -> dict[str, Any]:
    columns = found.table.to_dicts()
    if show_values:
        columns = [
            row | {"examples": [str(value) for value in c.examples]} for row, c in zip(columns, found, strict=True)
        ]
    return {
        "records": found.records,
        "looked_at": found.looked,
        "columns": columns,
        "taxonomies": found.candidates.to_dicts(),
        "person": list(found.person),
        "notes": found.notes,
    }
