"""``ontomask assess``: a masked table beside its original."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ontomask.cli.console import say, say_json, say_table
from ontomask.cli.options import AsJson, DataFile, PolicyFile, Quiet, epilog, read_as, reads
from ontomask.cli.progress import shown_progress

EPILOG = epilog(
    "assess policy.yaml stays.csv masked.csv",
    "assess policy.yaml stays.csv result/release/release.csv --records result/confidential/records.csv",
    "assess policy.yaml stays.csv masked.csv --severity severity.yaml --json > assessment.json",
)


@reads
def command(
    policy: PolicyFile,
    original: DataFile,
    masked: Annotated[str, typer.Argument(metavar="MASKED", help="The masked table, row for row.", show_default=False)],
    records: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Which row of the original each masked row is: confidential/records.csv of a result."
        ),
    ] = None,
    measure: Annotated[
        str | None, typer.Option(metavar="MEASURE", help="Judges all nominal columns, in place of their own.")
    ] = None,
    severity: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A severity file: records count by their severity numbers.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Fixes the samples that are drawn.")] = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
    *,
    given: Mapping[str, Any],
) -> None:
    """Judge a masked table beside its original: what was lost, who could still be found, what is left.

    Rows belong together, one to one, unless --records says which is which. Reading options describe the original; of
    them, --missing and --text hold for MASKED as well.
    """
    from ontomask.assessment.assess import assess
    from ontomask.policy import Policy
    from ontomask.saving import read_records

    chosen = Policy.load(policy)
    chosen = chosen.changed(reading=read_as(given, original, chosen.reading))
    with shown_progress(quiet or as_json) as progress:
        found = assess(
            original,
            masked,
            chosen,
            measure=measure,
            records=None if records is None else read_records(records),
            severity=None if severity is None else str(severity),
            seed=seed,
            progress=progress,
        )
    if as_json:
        say_json(found.to_dict())
        return
    for reading in found.readings:
        say(reading)
    if not quiet:
        say()
        say_table("Figures", found.figures.columns, found.figures.rows())
