"""``ontomask check``: does a policy fit the data, and which records are unique in them?"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ontomask.arguments import counted
from ontomask.cli.console import REFUSED, say, say_json, say_table, shown_progress
from ontomask.cli.options import AsJson, Confined, DataFile, PolicyFile, Quiet, epilog, one_answer, read_as, reads

if TYPE_CHECKING:
    from ontomask.release.check import Check

EPILOG = epilog(
    "check policy.yaml stays.csv",
    "check policy.yaml stays.parquet --json",
    codes="0 the policy fits the data; 1 it does, but every release would be refused",
)


@reads
def command(
    policy: PolicyFile,
    data: DataFile,
    confined: Confined = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
    *,
    given: Mapping[str, Any],
) -> None:
    """Check a policy against the data without masking anything.

    It checks columns, kinds, taxonomies, missing values, and whether the requirements can be satisfied at all; then
    it counts the unique records of the data. For every required model it says whether the unmasked data
    satisfy it, or that it is checked after masking.
    """
    from ontomask.policy.policy import Policy
    from ontomask.release.check import check

    one_answer(as_json, quiet)
    chosen = Policy.load(policy, confined=confined)
    chosen = chosen.changed(reading=read_as(given, data, chosen.reading))
    with shown_progress(quiet or as_json) as progress:
        found = check(data, chosen, progress=progress)
    if as_json:
        say_json(found.to_dict())
    elif not quiet:
        _print(found, policy, data)
    if found.foreseen:
        raise typer.Exit(REFUSED)


def _print(found: Check, policy: Path, data: str) -> None:
    rows: list[list[Any]] = [list(row) for row in found.columns.rows()]
    left = f"; figures are of the {found.records - found.dropped:,} that are not dropped" if found.dropped else ""
    say_table(f"{counted(found.records, 'record')}{left}", found.columns.columns, rows)
    for note in found.notes:
        say(f"note: {note}")
    say()
    say("The data as they are")
    for reading in found.readings:
        say(f"  {reading}")
    for finding in found.verification:
        say(f"  {finding}".replace("\n", "\n  "))
    say()
    if found.foreseen:
        models = " and ".join(finding.model.describe() for finding in found.foreseen)
        say(
            f"A run would be refused: columns that are not masked fail {models}. Change the policy as the lines above say."
        )
        return
    say(f"The policy fits the data. Next: ontomask run {shlex.quote(str(policy))} {shlex.quote(data)} -o result")
