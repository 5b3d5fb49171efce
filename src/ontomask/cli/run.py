"""``ontomask run``: mask, verify, assess, and write the result completely or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

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
from ontomask.errors import OptionError
from ontomask.progress import stretch

if TYPE_CHECKING:
    from ontomask.engines.counted_result import CountedResult
    from ontomask.release.result import Result

EPILOG = epilog(
    "run policy.yaml stays.csv -o result",
    "run policy.yaml stays.parquet -o result --force --quiet",
    "run policy.yaml stays.csv -o result --format parquet --json",
    "run policy.yaml stays.csv -o again --secret result/confidential/secret.txt",
    "run policy.yaml 'stays/*.parquet' -o result --engine stream --memory 4GB",
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
    engine: Annotated[
        Literal["auto", "memory", "stream", "spark"],
        typer.Option(
            help="Where the work is done: in memory, chunk by chunk (CSV or Parquet, also a folder or a pattern in quotes), or "
            "on Spark (Parquet; the release is a folder of Parquet files). auto: chunk by chunk where the "
            "table is large against free memory, else in memory."
        ),
    ] = "auto",
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", help="For stream: how much memory to take, such as 4GB. Default: half of what is free."
        ),
    ] = None,
    master: Annotated[
        str | None,
        typer.Option(
            metavar="MASTER", help="Where Spark runs: local[2], spark://host:7077, yarn. Default: as it is configured."
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
    from ontomask.engines.streaming import anonymize_files, should_stream
    from ontomask.masking.randomness import EXPLICIT_SEED, chosen_secret
    from ontomask.microdata.keys import Key
    from ontomask.microdata.sql_sources import data_file, data_source
    from ontomask.microdata.table_chunks import files_of
    from ontomask.policy.policy import Policy
    from ontomask.release.saving import inputs_of, require_place
    from ontomask.report.page import prepare_drawing

    one_answer(as_json, quiet)
    options = {"--format": format, "--escape-formulas": escape_formulas, "--memory": memory, "--master": master}
    _require_taken(engine, options)
    chosen = Policy.load(policy, confined=confined)
    source = data_source(data)
    files = files_of(source) if isinstance(source, Path) else []
    chosen = chosen.changed(reading=read_as(given, str(files[0]) if files else data, chosen.reading))
    hidden = chosen_secret(seed, secret)
    given_key = None if key is None else Key.read(key)
    if report:
        Background(prepare_drawing)
    inputs = [*files, *inputs_of(chosen, data_file(data), given_key)]
    require_place(output, overwrite=force, inputs=inputs)  # before the work is done
    saved: dict[str, Any] = {"overwrite": force, "format": format, "report": report, "escape_formulas": escape_formulas}
    result: Result | CountedResult
    with shown_progress(quiet or as_json) as progress, tables_kept():
        more: dict[str, Any] = {"secret": hidden, "key": given_key, "allow_unsatisfied": allow_unsatisfied}
        if engine == "auto":
            engine = "stream" if files and should_stream(data, chosen, memory) else "memory"
        if engine == "spark":
            from ontomask.engines.spark_files import run_in_folder

            more |= {"master": master, "report": report, "overwrite": force}
            result = run_in_folder(data, chosen, output, progress=progress, **more)
        elif engine == "stream":
            result = anonymize_files(data, chosen, output, memory=memory, progress=progress, **more, **saved)
        else:
            result = anonymize(data, chosen, progress=stretch(progress, 0.0, 0.5), **more)
            if report:
                result.assess(stretch(progress, 0.5, 0.9))
            progress(0.9, "writing")
            result.save(output, **saved)
    if as_json:
        say_json(_facts(result, output, report))
    elif not quiet:
        _print(result, output, report)
    if result.reproducible:
        remark(EXPLICIT_SEED.text)
    for failure in result.verification.failures:
        remark(failure.text)


#: The options that an engine of its own does not take, and why.
_NOT_TAKEN = {
    "memory": {"--memory": "it is for the engine stream", "--master": "it is for the engine spark"},
    "stream": {"--master": "it is for the engine spark"},
    "auto": {"--master": "it is for the engine spark"},
    "spark": {
        "--format": "the engine spark writes Parquet files",
        "--escape-formulas": "the engine spark writes Parquet files",
        "--memory": "it is for the engine stream; Spark has settings of its own",
    },
}


def _require_taken(engine: str, options: Mapping[str, Any]) -> None:
    """An error where an option is given that the engine would ignore."""
    for name, why in _NOT_TAKEN[engine].items():
        if options[name]:
            raise OptionError(f"{name}: {why}", remedy="Leave it out.")


def _print(result: Result | CountedResult, output: Path, report: bool) -> None:
    times = f", in {len(result.each)} releases of the same records" if result.parts else ""
    say(f"{result.released_records:,} of {result.given:,} records released{times}.")
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


def _facts(result: Result | CountedResult, output: Path, report: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "folder": str(output),
        "satisfied": result.satisfied,
        "promises": result.promises,
        "records": result.given,
        "released": result.released_records,
        "releases": len(result.each),
        "explicit_seed": result.secret.explicit,
        "guarantees": [statement.to_dict() for statement in result.guarantees],
        "notes": [note.to_dict() for note in result.notes],
        "files": sorted(path.relative_to(output).as_posix() for path in output.rglob("*") if path.is_file()),
    }
    if report:
        found["assessment"] = result.assessment.to_dict()
    return found
