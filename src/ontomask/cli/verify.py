"""``ontomask verify``: does a table satisfy what a policy requires?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.cli.console import remark, say, say_json
from ontomask.cli.options import AsJson, Confined, Quiet, epilog, is_folder, one_answer, read_as, reads
from ontomask.errors import MissingDataError, OptionError

if TYPE_CHECKING:
    from ontomask.policy.verification import Verification

EPILOG = epilog(
    "verify policy.yaml result/release/release.csv",
    "verify result",
    "verify result/confidential/policy.yaml result/release/release.csv --original stays.csv",
    codes="0 everything required holds; 1 something fails; 3 nothing fails, but not everything could be checked, or "
    "nothing was promised",
)
#: Something fails; nothing fails, and something was not checked or nothing was promised.
FAILS, INCOMPLETE = 1, 3
#: Of what fails, so many are listed.
MOST_SHOWN = 20


@reads
def command(
    policy: Annotated[
        Path,
        typer.Argument(metavar="POLICY", help="A policy file (YAML), or the folder of a result.", show_default=False),
    ],
    data: Annotated[
        str | None,
        typer.Argument(metavar="DATA", help="A table, or the folder of a result.", show_default=False),
    ] = None,
    original: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="The original data, the reference for t-closeness, as in a run."),
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The person of each row, for policies that count persons. Default: confidential/records.csv beside release/.",
        ),
    ] = None,
    confined: Confined = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
    *,
    given: Mapping[str, Any],
) -> None:
    """Verify a released table, or the folder of a result.

    It checks the models of the policy and the k that its method promises; that no identifier is left; that the
    columns are those of the policy; that values fit their columns. For a result, every file is compared with the
    manifest, and the release with the policy saved with it. Reading options describe DATA; the original is read as
    the policy says.
    """
    one_answer(as_json, quiet)
    found = _found(policy, data, original, records, given, confined)
    if as_json:
        say_json(
            {
                "verdict": found.verdict,
                "holds": found.holds,
                "complete": found.complete,
                "promises": found.promises,
                "findings": [_facts(f) for f in found],
                "notes": list(map(str, found.notes)),
            }
        )
    elif not quiet:
        say(str(found))
        if any(len(finding.violations) for finding in found):
            remark("note: to see the classes, columns or values that fail: --json")
    if found.verdict != "holds":
        raise typer.Exit(FAILS if found.verdict == "fails" else INCOMPLETE)


def _found(
    policy: Path,
    data: str | None,
    original: str | None,
    records: Path | None,
    given: Mapping[str, Any],
    confined: bool,
) -> Verification:
    from ontomask.assessment.alignment import read_units
    from ontomask.policy.policy import Policy
    from ontomask.release.result_folder import verify_result
    from ontomask.release.verify import verify

    if data is None and not policy.exists():
        raise MissingDataError("no such file or folder", where=str(policy), remedy="Check the path.")
    if data is None and not policy.is_dir():
        raise OptionError(
            "there is nothing to verify",
            remedy="Give a policy and a table: verify POLICY DATA; or the folder of a result.",
        )
    if data is None or is_folder(data):
        if given or records is not None:
            raise OptionError(
                f"--{next(iter(given), 'records')} is for a single file", remedy="Name the file: verify POLICY DATA."
            )
        if data is None:
            if confined:
                raise OptionError("--confined is for a policy", remedy="Name it: verify POLICY RESULT --confined.")
            return verify_result(policy, original=original)
        meant = Policy.load(policy, confined=True) if confined else policy
        return verify_result(data, meant, original=original)
    chosen = Policy.load(policy, confined=confined)
    how = read_as(given, data, chosen.reading.of_release()) if given else None
    persons = None if records is None else read_units(records, chosen.unit)
    return verify(data, chosen, original=original, persons=persons, reading=how)


def _facts(finding: Any) -> dict[str, Any]:
    return {
        "model": finding.model.describe(),
        "holds": finding.holds,
        "checked": finding.checked,
        "checked_on": finding.checked_on,
        "worst": None if math.isnan(finding.worst) else finding.worst,
        "text": finding.text,
        "violations": len(finding.violations),
        "worst_violations": [_plain(row) for row in finding.violations.head(MOST_SHOWN).iter_rows(named=True)],
    } | ({} if finding.records is None else {f"failing_{finding.unit.many}": finding.records})


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as JSON has it: numbers and truth values as they are, all else as text."""
    return {name: _text(value) for name, value in row.items()}


def _text(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)
