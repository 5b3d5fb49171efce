"""``ontomask compare``: several ways to mask one table, side by side."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.cli.console import say, say_json, say_table
from ontomask.cli.options import AsJson, DataFile, Force, PolicyFile, Quiet, epilog, one_answer, read_as, reads
from ontomask.cli.progress import shown_progress
from ontomask.errors import OptionError

if TYPE_CHECKING:
    from ontomask.comparison.compare import Comparison

EPILOG = epilog(
    "compare policy.yaml stays.csv --method microaggregation --method recoding --k 2-10",
    "compare policy.yaml stays.csv --with swapped.yaml --with coarse.yaml",
    "compare policy.yaml stays.csv --method sa_mdav --k 3,5,10 --memory runs --map map.svg",
    codes="0 done; 1 no way gives a release that satisfies what is required",
)
NOTHING = 1


@reads
def command(
    policy: PolicyFile,
    data: DataFile,
    with_: Annotated[
        list[Path] | None, typer.Option("--with", metavar="POLICY", help="Another policy; may be repeated.")
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="The policy with this method, or preset, at every k; may be repeated."),
    ] = None,
    k: Annotated[str, typer.Option("--k", metavar="LIST", help="With --method: 5, or 2-10, or 2,5,10.")] = "5",
    alpha: Annotated[float, typer.Option(metavar="0..1", help="The weight of loss against risk in the score.")] = 0.5,
    kind: Annotated[
        str, typer.Option(metavar="LINKAGE", help="The risk: semantic, matching, masked_matching, masked_distance.")
    ] = "semantic",
    measure: Annotated[
        str | None, typer.Option(metavar="MEASURE", help="Judges all nominal columns, in place of their own.")
    ] = None,
    workers: Annotated[int | None, typer.Option(metavar="N", help="Processes; not given: one for each core.")] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Fixes all that is random: the same comparison again.")
    ] = None,
    memory: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where runs are remembered: a stopped comparison goes on.")
    ] = None,
    map_: Annotated[
        Path | None, typer.Option("--map", metavar="FILE", help="Write the map of risk and loss as SVG.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
    *,
    given: Mapping[str, Any],
) -> None:
    """Mask a table in several ways and judge them by one yardstick.

    Without --method and --with, the policy stands beside itself with every other k of --k. A way whose release is refused
    is listed with its reason.
    """
    from ontomask.comparison.compare import compare
    from ontomask.comparison.grid import grid
    from ontomask.policy import Policy

    one_answer(as_json, quiet)
    first = Policy.load(policy)
    ways: dict[str, Any] = {}
    if method:
        ways |= grid(first, method, _levels(k))
    elif first.method is not None and not with_:
        ways |= grid(first, [first.method], _levels(k))
    if first.method is not None and not (ways and not with_):
        ways[policy.stem] = first
    for other in with_ or []:
        name = other.stem if other.stem not in ways else str(other)
        ways[name] = Policy.load(other)
    ways = {name: way.changed(reading=read_as(given, data, way.reading)) for name, way in ways.items()}
    with shown_progress(quiet or as_json) as progress:
        found = compare(
            data,
            ways,
            kind=kind,  # type: ignore[arg-type]
            alpha=alpha,
            measure=measure,
            workers=workers,
            folder=memory,
            seed=seed,
            progress=progress,
        )
    if map_ is not None:
        found.write_map(map_, overwrite=force)
    if as_json:
        say_json({"runs": found.table.to_dicts(), "best": found.best, "recommendation": found.recommendation})
    elif not quiet:
        print_comparison(found)
    if found.best is None:
        raise typer.Exit(NOTHING)


def _levels(text: str) -> list[int]:
    """'5', '2-10' or '2,5,10' as numbers."""
    levels: list[int] = []
    for part in text.replace(" ", "").split(","):
        found = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if found is None or (found[2] and int(found[2]) < int(found[1])):
            raise OptionError(f"--k {text!r}", remedy="Give numbers: 5, or 2-10, or 2,5,10.")
        levels += range(int(found[1]), int(found[2] or found[1]) + 1)
    return levels


def print_comparison(found: Comparison) -> None:
    """The table of ways, and what it speaks for."""
    shown = found.table.select(
        "name", "loss", "risk", "score", "frontier", "smallest", "removed", "seconds", "promises", "satisfied"
    )
    heads = ["way", "loss %", "risk %", "score", "frontier", "smallest class", "removed", "seconds", ""]
    rows = [
        (
            name,
            *map(_two, figures),
            "yes" if frontier else "",
            smallest,
            removed,
            _two(seconds),
            "refused" if not good else "" if promises else "nothing promised",
        )
        for name, *figures, frontier, smallest, removed, seconds, promises, good in shown.rows()
    ]
    say_table("Ways to mask the table", heads, rows)
    say()
    for text in found.recommendation:
        say(text)


def _two(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
