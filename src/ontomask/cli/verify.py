"""``ontomask verify``: does a table, from wherever it comes, satisfy what a policy requires?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from ontomask.cli.console import say, say_json
from ontomask.cli.options import AsJson, DataFile, PolicyFile, Quiet, epilog, one_answer, read_as, reads

EPILOG = epilog(
    "verify policy.yaml result/release/release.csv",
    "verify result/confidential/policy.yaml result/release/release.csv --original stays.csv",
    codes="0 everything required holds; 1 something fails; 3 nothing fails, but not everything could be checked, or "
    "nothing was promised",
)
#: Something fails; nothing fails, and something was not checked or nothing was promised.
FAILS, INCOMPLETE = 1, 3


@reads
def command(
    policy: PolicyFile,
    data: DataFile,
    original: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="The original data: t-closeness is measured from them, as in a run."),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    *,
    given: Mapping[str, Any],
) -> None:
    """Verify a released table: the models of the policy, the k its method promises, and that no identifier is left.

    Reading options describe DATA; the original is read as the policy says.
    """
    from ontomask.policy import Policy
    from ontomask.run import verify

    one_answer(as_json, quiet)
    chosen = Policy.load(policy)
    how = read_as(given, data, chosen.reading.of_release()) if given else None
    found = verify(data, chosen, original=original, reading=how)
    if as_json:
        say_json(
            {
                "holds": found.holds,
                "complete": found.complete,
                "promises": found.promises,
                "findings": [_facts(f) for f in found],
                "notes": found.notes,
            }
        )
    elif not quiet:
        say(str(found))
    if not found.holds and any(finding.checked for finding in found):
        raise typer.Exit(FAILS)
    if not found.complete or not found.promises:
        raise typer.Exit(INCOMPLETE)


def _facts(finding: Any) -> dict[str, Any]:
    return {
        "model": finding.model.describe(),
        "holds": finding.holds,
        "checked": finding.checked,
        "worst": finding.worst,
        "text": finding.text,
        "failing_classes": len(finding.violations),
        "failing_records": finding.records,
    }
