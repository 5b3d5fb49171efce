"""``ontomask compare``: several candidate releases of one table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.cli.console import say, say_json, say_table, shown_progress
from ontomask.cli.options import (
    AsJson,
    Confined,
    DataFile,
    Force,
    MeasureName,
    PolicyFile,
    Quiet,
    epilog,
    one_answer,
    read_as,
    reads,
)
from ontomask.errors import OptionError, OutputError

if TYPE_CHECKING:
    from ontomask.comparison.outcome import Comparison
    from ontomask.policy.policy import Policy

EPILOG = epilog(
    "compare policy.yaml stays.csv",
    "compare policy.yaml stays.csv --method microaggregation --method recoding --k 2-10",
    "compare policy.yaml stays.csv --with swapped.yaml --with coarse.yaml",
    "compare policy.yaml stays.csv --method microaggregation --method shuffling --k 5",
    "compare policy.yaml stays.csv --method sa_mdav --k 3,5,10 --memory runs --map map.svg",
    "compare policy.yaml stays.csv --method recoding --k 2-15 --baselines --scores --curve curve.svg",
    codes="0 done; 1 no candidate gives a release that satisfies what is required",
)
NOTHING = 1
#: What a stretch of --k may hold, and the digits of a number there.
MOST_LEVELS, MOST_DIGITS = 10_000, 15
#: Candidates without a release.
STATES = {
    "refused": "refused",
    "unmasked": "nothing masked",
    "invalid": "not possible",
    "incomparable": "not compared",
    "died": "not finished",
}


@reads
def command(
    policy: PolicyFile,
    data: DataFile,
    with_: Annotated[
        list[Path] | None,
        typer.Option("--with", metavar="POLICY", help="Another policy, with the same requirements; may be repeated."),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="The policy with this method, preset or variant, at every k; may be repeated."
        ),
    ] = None,
    k: Annotated[
        str | None,
        typer.Option(
            "--k",
            metavar="LIST",
            help="5, or 2-10, or 2,5,10. Default: the required k, and 1.5, 2 and 3 times as much.",
        ),
    ] = None,
    baselines: Annotated[
        bool,
        typer.Option("--baselines", help="Add each candidate without meaning: values as labels only."),
    ] = False,
    alpha: Annotated[float, typer.Option(metavar="0..1", help="The weight of loss against risk in the score.")] = 0.5,
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="RISK",
            help="The risk: linkage (semantic, matching, masked_matching, masked_distance), the worst of all attacks "
            "(worst), or sensitive values that are learned (disclosure). Default: semantic, or disclosure if a "
            "candidate masks other columns than quasi-identifiers.",
        ),
    ] = None,
    measure: MeasureName = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="The number of processes. Default: one for each core.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Fixes all random choices: repeats the same comparison.")
    ] = None,
    memory: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="A folder that keeps finished runs: an interrupted comparison continues."),
    ] = None,
    map_: Annotated[
        Path | None, typer.Option("--map", metavar="FILE", help="Write the map of risk and loss as SVG.")
    ] = None,
    scores: Annotated[
        bool, typer.Option("--scores", help="Show the score of each candidate at alpha 0, 0.1, ... 1, too.")
    ] = False,
    curve: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the scores over alpha as a chart, SVG.")
    ] = None,
    force: Force = False,
    confined: Confined = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
    *,
    given: Mapping[str, Any],
) -> None:
    """Mask a table by several candidates and compare them.

    Without --method and --with, the policy's own method is compared in several settings: the required k and larger
    ones; for generalization, several suppression limits; for rank swapping, several swapping distances. Every
    candidate must satisfy what the policy requires: one that fails, or cannot be run, is listed with the reason and
    never recommended.

    Candidates may mask different columns: loss covers all columns that any of them masks, and linkage uses the
    quasi-identifiers. The last column shows what each candidate promises, verified on its release.
    """
    from ontomask.comparison.baselines import with_baselines
    from ontomask.comparison.compare import compare
    from ontomask.policy.policy import Policy

    one_answer(as_json, quiet)
    _require_writable({"the map": map_, "the curve": curve}, force=force)
    first = Policy.load(policy, confined=confined)
    candidates = _candidates(first, method or [], k, alone=not with_)
    if with_ and first.method is not None:
        candidates[policy.stem] = first
    for other in with_ or []:
        name = other.stem if other.stem not in candidates else str(other)
        while name in candidates:
            name += " (again)"
        candidates[name] = _also_required(Policy.load(other, confined=confined), first)
    candidates = with_baselines(candidates) if baselines else candidates
    candidates = {n: one.changed(reading=read_as(given, data, one.reading)) for n, one in candidates.items()}
    with shown_progress(quiet or as_json) as progress:
        found = compare(
            data,
            candidates,
            kind=kind,  # type: ignore[arg-type]
            alpha=alpha,
            measure=measure,
            workers=workers,
            folder=memory,
            seed=seed,
            progress=progress,
        )
    charts = found.drawable and _write_charts(found, map_, curve, force=force)
    if as_json:
        say_json(found.to_dict())
    elif not quiet:
        print_comparison(found, scores=scores)
        if (map_ is not None or curve is not None) and not charts:
            say("No chart is written: no candidate has figures that could be drawn.")
    if found.best is None:
        raise typer.Exit(NOTHING)


def _write_charts(found: Comparison, map_: Path | None, curve: Path | None, *, force: bool) -> bool:
    """Write the charts that are wanted; was there one?"""
    if map_ is not None:
        found.write_map(map_, overwrite=force)
    if curve is not None:
        found.write_curve(curve, overwrite=force)
    return map_ is not None or curve is not None


def _require_writable(charts: Mapping[str, Path | None], *, force: bool) -> None:
    """What cannot be written is said before anything is masked."""
    from ontomask.comparison.outcome import svg_file
    from ontomask.files.writing import checked_target

    targets = [checked_target(svg_file(path, what), force, None) for what, path in charts.items() if path is not None]
    if len({target.resolve() for target in targets}) < len(targets):
        raise OutputError("both charts are to be written to one file", where=str(targets[0]), remedy="Name two files.")


def _candidates(policy: Policy, methods: list[str], k: str | None, *, alone: bool) -> dict[str, Policy]:
    """What is compared besides other policies; ``alone``: are there none?"""
    from ontomask.comparison.grid import grid, levels_of, variations

    if methods:
        return grid(policy, methods, levels_of(policy) if k is None else _levels(k))
    if k is not None:
        if policy.method is None:
            raise OptionError("the policy names no method", remedy="Name one with --method.")
        return grid(policy, [policy.method], _levels(k))
    return variations(policy) if alone else {}


def _also_required(other: Policy, first: Policy) -> Policy:
    """Another policy, of whose release all is required that the first one requires."""
    more = [model for model in first.require if model not in other.require]
    return other.changed(require=[*other.require, *more]) if more else other


def _levels(text: str) -> list[int]:
    """'5', '2-10' or '2,5,10' as numbers."""
    levels: list[int] = []
    for part in text.replace(" ", "").split(","):
        found = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if found is not None and max(len(number or "") for number in found.groups()) > MOST_DIGITS:
            raise OptionError("--k: a number is too large", remedy="No k can exceed the number of records.")
        first, last = (int(found[1]), int(found[2] or found[1])) if found is not None else (1, 0)
        if last < first:
            raise OptionError(f"--k {text!r}", remedy="Give numbers: 5, or 2-10, or 2,5,10.")
        if last - first >= MOST_LEVELS:
            raise OptionError(
                f"--k {text!r}: that is more than {MOST_LEVELS:,} candidates", remedy="Choose some of them: 2,5,10."
            )
        levels += range(first, last + 1)
    return levels


def print_comparison(found: Comparison, *, scores: bool = False) -> None:
    """The table of candidates, and what it speaks for."""
    from ontomask.assessment.loss import compared_losses

    losses = {compared.head: compared.key for _, compared in compared_losses() if compared.head}
    shown = {"candidate": "name"} | losses | {
        "risk %": "risk", "disclosure %": "disclosure", "score": "score", "frontier": "frontier",
        "smallest class": "smallest", "removed": "removed", "seconds": "seconds", "promises": "promised",
    }  # fmt: skip
    if found.kind == "disclosure" or found.guess is None:
        del shown["disclosure %"]
    if not any(run.removed for run in found.runs):
        del shown["removed"]
    if not any(run.seconds for run in found.runs):
        del shown["seconds"]
    rows = []
    for run, row in zip(found.runs, found.table.iter_rows(named=True), strict=True):
        row["frontier"] = "yes" if row["frontier"] else None
        row["seconds"] = row["seconds"] or None
        row["promised"] = STATES[run.failure] if run.failure is not None else row["promised"] or "nothing"
        rows.append([_two(row[name]) for name in shown.values()])
    say_table("Candidates", list(shown), rows)
    if scores:
        say()
        say_table("Score by the weight of loss (alpha)", *_scores(found))
    say()
    for text in (*found.notes, *found.recommendation):
        say(text)


def _scores(found: Comparison) -> tuple[list[str], list[list[Any]]]:
    """The score of each candidate over alpha."""
    from ontomask.comparison.outcome import ALPHAS

    rows = [[run.name, *(_two(found.score(run, alpha)) for alpha in ALPHAS)] for run in found.satisfied]
    return ["candidate", *(f"{alpha:g}" for alpha in ALPHAS)], rows


def _two(value: Any) -> Any:
    return round(value, 2) if isinstance(value, float) else value
