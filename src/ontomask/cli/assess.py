"""``ontomask assess``: risk and loss of a masked table against its original."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ontomask.cli.console import remark_notes, say, say_json, say_table, shown_progress
from ontomask.cli.options import (
    AsJson,
    Confined,
    MeasureName,
    Quiet,
    epilog,
    is_folder,
    one_answer,
    read_as,
    reads,
)
from ontomask.errors import DataError, OptionError

EPILOG = epilog(
    "assess policy.yaml stays.csv result/release/release.csv",
    "assess result stays.csv",
    "assess policy.yaml stays.csv copy.csv --records result/confidential/records.csv",
    "assess policy.yaml stays.csv masked.csv --severity severity.yaml --json > assessment.json",
)


@reads
def command(
    policy: Annotated[
        Path, typer.Argument(metavar="POLICY", help="A policy file (YAML), or a result folder.", show_default=False)
    ],
    original: Annotated[str, typer.Argument(metavar="DATA", help="The original table.", show_default=False)],
    masked: Annotated[
        str | None,
        typer.Argument(
            metavar="MASKED", help="The masked table. Default: that of the result folder.", show_default=False
        ),
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The original row of each masked row: confidential/records.csv of a result."),
    ] = None,
    aligned: Annotated[
        bool, typer.Option("--aligned", help="Treat the rows as belonging together, one to one, even if checks fail.")
    ] = False,
    measure: MeasureName = None,
    severity: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A severity file: records count by their severity numbers.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Fixes the samples that are drawn.")] = 0,
    confined: Confined = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
    *,
    given: Mapping[str, Any],
) -> None:
    """Assess a masked table against its original: information loss, disclosure risk, preserved statistics.

    Row by row, both tables must describe the same records. If a run shuffled rows or left some out, its file
    confidential/records.csv gives the original row of each masked row. It is found in a result folder; otherwise name
    it with --records. Reading options describe the original; --missing and --text apply to MASKED as well.
    """
    from ontomask.assessment.alignment import read_records
    from ontomask.assessment.assess import assess
    from ontomask.policy.policy import Policy

    one_answer(as_json, quiet)
    file, tables = _meant(policy, masked)
    chosen = Policy.load(file, confined=confined)
    chosen = chosen.changed(reading=read_as(given, original, chosen.reading))
    with shown_progress(quiet or as_json) as progress:
        found = assess(
            original,
            tables,
            chosen,
            measure=measure,
            records=None if records is None else read_records(records),
            aligned=aligned,
            severity=None if severity is None else str(severity),
            seed=seed,
            progress=progress,
        )
    if as_json:
        say_json(found.to_dict())
    elif not quiet:
        remark_notes(found.notes)
        for reading in found.readings:
            say(reading)
        say()
        say_table("Figures", found.figures.columns, found.figures.rows())


def _meant(policy: Path, masked: str | None) -> tuple[Path, list[str]]:
    """The policy file and the masked tables; both may be those of a result folder."""
    if not policy.is_dir():
        if masked is None:
            raise OptionError(
                "no masked table is given", remedy="Write: assess POLICY DATA MASKED, or: assess RESULT_FOLDER DATA."
            )
        return policy, [masked] if not is_folder(masked) else _released(Path(masked))
    file = policy / "confidential" / "policy.yaml"
    if not file.is_file():
        raise DataError(
            "this folder is not a result: it lacks confidential/policy.yaml",
            where=str(policy),
            remedy="Give a policy file, or the folder that ontomask run wrote.",
        )
    return file, _released(policy) if masked is None else [masked]


def _released(folder: Path) -> list[str]:
    """The released tables of a result folder."""
    from ontomask.release.result_folder import released_files

    found = released_files(folder)
    if any(released.is_dir() for released in found):
        raise DataError(
            "the release is a folder of files, and nobody listed which record of the original each of its records is",
            where=str(folder),
            remedy="Read what the run computed: confidential/report.html and confidential/assessment.json.",
        )
    found = [file for file in found if file.is_file()]
    if not found:
        raise DataError("the folder holds no released table", where=str(folder), remedy="Give the masked table itself.")
    return [str(file) for file in found]
