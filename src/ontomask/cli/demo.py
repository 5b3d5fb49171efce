"""``ontomask demo``: a first run on synthetic data that ship with the package."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from ontomask.cli.compare import print_comparison
from ontomask.cli.console import say, say_table, shown_progress
from ontomask.cli.options import Quiet, epilog, one_answer

EPILOG = epilog("demo", "demo my-demo --records 5000", "demo tables --hospital 500")


def command(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The folder to write; an unchanged earlier demo in it is replaced.")
    ] = Path("ontomask-demo"),
    records: Annotated[int, typer.Option(metavar="N", min=50, help="How many discharges are made.")] = 20_000,
    hospital: Annotated[
        int | None,
        typer.Option(metavar="N", min=10, help="Only write tables of N patients, their stays and their diagnoses."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Use a folder that holds other files too; they are never touched.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Mask synthetic hospital discharges by two candidates, compare them, and write a report.

    No record describes a real person. The first run on a machine compiles code, which takes up to two minutes.
    """
    from ontomask.demo.stays import DEMO_NOTICE
    from ontomask.demo.tour import make_tour

    one_answer(False, quiet)
    if hospital is not None:
        _write_hospital(folder, hospital, force=force, quiet=quiet)
        return
    started = time.perf_counter()
    with shown_progress(quiet) as progress:
        tour = make_tour(folder, records, force=force, progress=progress)
    if quiet:
        return
    say(f"{records:,} hospital discharges. {DEMO_NOTICE}")
    say()
    print_comparison(tour.comparison)
    say()
    names = [column.name for column in tour.result.prepared.table.columns]
    rows = tour.before_and_after()
    middle = len(names)
    say_table("Some records of one group, as they were", names, [row[:middle] for row in rows])
    say_table("and as they are released", names, [row[middle:] for row in rows])
    say()
    for text in (*tour.result.guarantees, *tour.result.assessment.readings):
        say(f"- {text}")
    say()
    result = tour.folder / "result"
    say(f"Written to {tour.folder} in {time.perf_counter() - started:.0f} s. Open in a browser:")
    say(f"  {(result / 'confidential' / 'report.html').resolve()}   everything, for the steward")
    say(f"  {(result / 'release' / 'report.html').resolve()}   the public edition")
    say(f"  {(tour.folder / 'map.svg').resolve()}   information loss and risk of each candidate")
    say()
    here = Path(sys.argv[0])
    hidden = here.stem == "ontomask" and shutil.which("ontomask") is None  # in an environment that is not active
    say("Next, three commands to try" + (f" (ontomask is {here} here):" if hidden else ":"))
    say(f"  ontomask verify {tour.folder / tour.policy} {result / 'release' / 'release.csv'}")
    say(f"  ontomask compare {tour.folder / tour.policy} {tour.folder / 'stays.csv'} --method recoding --k 3,10")
    say("  ontomask init your-table.csv")


def _write_hospital(folder: Path, patients: int, *, force: bool, quiet: bool) -> None:
    from ontomask.demo.hospital import demo_hospital
    from ontomask.demo.stays import DEMO_NOTICE
    from ontomask.microdata.writing import write_table

    folder.mkdir(parents=True, exist_ok=True)
    tables = demo_hospital(patients)._asdict()
    for name, table in tables.items():
        write_table(table, folder / f"{name}.csv", overwrite=force)
    if not quiet:
        say(f"A hospital with {', '.join(f'{len(table):,} {name}' for name, table in tables.items())}. {DEMO_NOTICE}")
        say(f"Written to {folder}: {', '.join(f'{name}.csv' for name in tables)}")
