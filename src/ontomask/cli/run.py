"""``ontomask run``: mask, verify, assess, and write the result completely or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.cli.console import remark, say, say_json, shown_progress
from ontomask.cli.options import (
    AsJson,
    Confined,
    DataFile,
    Force,
    PolicyFile,
    Quiet,
    epilog,
    one_answer,
    read_as,
    reads,
)
from ontomask.progress import stretch

if TYPE_CHECKING:
    from ontomask.release.result import Result

EPILOG = epilog(
    "run policy.yaml stays.csv -o result",
    "run policy.yaml stays.parquet -o result --force --quiet",
    "run policy.yaml stays.csv -o result --format parquet --json",
    "run policy.yaml stays.csv -o again --secret result/confidential/secret.txt",
    "run visits.yaml visits.csv -o visits --key result/confidential/key.txt",
    codes="0 done; 1 the release fails what the policy requires and is refused",
)


@reads
def command(
    policy: PolicyFile,
    data: DataFile,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the result goes.", show_default=False)
    ],
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="Format of the released data: csv, tsv, parquet, excel, sav, zsav, dta, xpt. "
            "Default: Parquet if the data are Parquet, otherwise CSV.",
        ),
    ] = None,
    secret: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Repeat an earlier run with its secret (confidential/secret.txt). Default: a new random secret.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER", help="For experiments only: whoever guesses the number can repeat the random choices."
        ),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The key of an earlier result (confidential/key.txt): identifiers with keep: pseudonym get the same "
            "pseudonyms as there, and dates with shift the same shifts. Default: a new random key.",
        ),
    ] = None,
    report: Annotated[bool, typer.Option(help="Write the reports and the assessment, which take extra time.")] = True,
    allow_unsatisfied: Annotated[
        bool, typer.Option("--allow-unsatisfied", help="Write a release that fails its requirements, marked as such.")
    ] = False,
    escape_formulas: Annotated[
        bool,
        typer.Option(
            "--escape-formulas", help="In CSV files, put a quote before cells that a spreadsheet would run as formulas."
        ),
    ] = False,
    force: Force = False,
    confined: Confined = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
    *,
    given: Mapping[str, Any],
) -> None:
    """Mask a table as a policy says, verify the release, and write it.

    FOLDER/release is what you hand out: the data, the guarantees and a public report. FOLDER/confidential shows the
    original of each released record; keep it with the original data. It contains the internal report, the policy, the
    secret behind all random choices, a new key of pseudonyms and shifts of dates, the mapping of original to released
    values, the assessment, and a manifest with versions and hashes. FOLDER appears only when it is complete.
    """
    from ontomask.background import Background
    from ontomask.distances.kept_tables import tables_kept
    from ontomask.engines.memory import anonymize
    from ontomask.masking.randomness import EXPLICIT_SEED, chosen_secret
    from ontomask.microdata.keys import Key
    from ontomask.policy.policy import Policy
    from ontomask.release.saving import inputs_of, require_place
    from ontomask.report.page import prepare_drawing

    one_answer(as_json, quiet)
    chosen = Policy.load(policy, confined=confined)
    chosen = chosen.changed(reading=read_as(given, data, chosen.reading))
    hidden = chosen_secret(seed, secret)
    given_key = None if key is None else Key.read(key)
    if report:
        Background(prepare_drawing)
    require_place(output, overwrite=force, inputs=inputs_of(chosen, Path(data), given_key))  # before the work is done
    with shown_progress(quiet or as_json) as progress:
        with tables_kept():
            result = anonymize(
                data,
                chosen,
                secret=hidden,
                key=given_key,
                progress=stretch(progress, 0.0, 0.5),
                allow_unsatisfied=allow_unsatisfied,
            )
            if report:
                result.assess(stretch(progress, 0.5, 0.9))
        progress(0.9, "writing")
        result.save(output, overwrite=force, format=format, report=report, escape_formulas=escape_formulas)
    if as_json:
        say_json(_facts(result, output, report))
    elif not quiet:
        _print(result, output, report)
    if result.reproducible:
        remark(EXPLICIT_SEED.text)
    for failure in result.verification.failures:
        remark(failure.text)


def _print(result: Result, output: Path, report: bool) -> None:
    times = f", in {len(result.each)} releases of the same records" if result.parts else ""
    say(f"{len(result.records):,} of {len(result.prepared.kept):,} records released{times}.")
    for text in result.guarantees:
        say(f"  {text}")
    notes = [note for note in result.notes if note not in result.guarantees]
    if notes:
        say("Notes")
        for note in notes:
            say(f"  {note}")
    if report:
        say("Assessment")
        for reading in result.assessment.readings:
            say(f"  {reading}")
    say(f"Written to {output}:")
    purpose = "to hand out" if result.promises else "NOTHING WAS PROMISED: judge it before you hand it out"
    if not result.satisfied:
        purpose = "NOT SATISFIED: do not hand it out as it is"
    say(f"  release/       {purpose}" + (": open report.html in a browser" if report and result.satisfied else ""))
    say("  confidential/  shows the original of each released record: keep it with the original data")


def _facts(result: Result, output: Path, report: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "folder": str(output),
        "satisfied": result.satisfied,
        "promises": result.promises,
        "records": len(result.prepared.kept),
        "released": len(result.records),
        "releases": len(result.each),
        "explicit_seed": result.secret.explicit,
        "guarantees": [statement.to_dict() for statement in result.guarantees],
        "notes": [note.to_dict() for note in result.notes],
        "files": sorted(path.relative_to(output).as_posix() for path in output.rglob("*") if path.is_file()),
    }
    if report:
        found["assessment"] = result.assessment.to_dict()
    return found
