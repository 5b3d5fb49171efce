"""Tasks: what jobs do. Each calls the functions that the command line calls, and gives back plain values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from ontomask.app.answer_files import CANDIDATES, MAP, PROPOSED
from ontomask.app.matching import match_column
from ontomask.app.projects import TABLE, Outdated
from ontomask.app.reopening import reopened
from ontomask.app.results import risk_key
from ontomask.app.running import run_policy
from ontomask.app.storage import write_json, write_private
from ontomask.app.work import Work, as_texts, formula_names, write_rows
from ontomask.arguments import counted, short
from ontomask.assessment.pairing import require_quasi_identifiers
from ontomask.assessment.readings import risk_readings
from ontomask.assessment.risk import risk_of, severity_numbers
from ontomask.comparison.baselines import with_baselines
from ontomask.comparison.compare import compare
from ontomask.comparison.grid import grid, levels_of, variations
from ontomask.distances.sweep import available_cores
from ontomask.errors import DataError, OptionError, OutputError
from ontomask.files.writing import write_text
from ontomask.microdata.formats import FORMATS
from ontomask.microdata.reading import TableFile, read_table
from ontomask.microdata.reading_options import Reading
from ontomask.policy.policy import Policy
from ontomask.policy.policy_file import policy_text
from ontomask.policy.policy_patch import patched_text
from ontomask.policy.prepared import prepare
from ontomask.privacy.examined import Examined
from ontomask.profiling.outcome import DEFAULT_K, ColumnProfile, Profile
from ontomask.profiling.profile import profile
from ontomask.progress import stretch
from ontomask.release.check import check
from ontomask.settings import validated

#: What is said of a column whose name a spreadsheet would run.
FORMULA_NAME = (
    "a spreadsheet would run the name of this column as a formula. Rename it in the file, or leave the column out: a release "
    "as CSV cannot have it"
)
#: Records that a file must have.
LEAST = 2
#: Values that a profile lists of a column, and what is shown of each: a cell may hold a book.
FREQUENT, LONGEST_SHOWN = 8, 200


# ---- open ----------------------------------------------------------------------------------------------------------


def open_data(work: Work) -> dict[str, Any]:
    """Read the data, profile the columns and propose a policy, as ``ontomask init`` does."""
    project = work.project
    info = project.info
    assert info.file is not None
    given = work.argument("reading", dict, info.reading)
    reading: Reading = validated(Reading, given)
    options, unused = reading.for_format(FORMATS[info.file.format])
    if unused:
        raise OptionError(
            f"{unused[0]} has no effect on {FORMATS[info.file.format].title} files", remedy="Leave it out."
        )
    work.progress(0.02, "reading the file")
    table = read_table(work.data, **options)
    work.progress(0.3, "keeping a copy for the table")
    write_rows(_as_written(work, table, options), work.folder / TABLE)
    work.progress(0.45, "looking at the columns")
    found = profile(work.data, reading=reading)
    if found.records < LEAST:
        raise DataError(
            f"the file has {counted(found.records, 'record')}",
            where=info.file.name,
            remedy="Masking makes records alike: upload a file with more of them.",
        )
    work.progress(0.9, "proposing a policy")
    answer = _opened(table, found)
    answer |= _write_policy(work, found, reading)  # first: if it cannot be written, nothing else is of the new reading
    (work.folder / TABLE).replace(project.folder / TABLE)
    with project.locked():
        project.write_info(reading=reading.given)
    return answer


def _write_policy(work: Work, found: Profile, reading: Reading) -> dict[str, Any]:
    """Write the policy that is proposed, with what somebody decided until now; what is said of that."""
    project, told = work.project, dict[str, Any]()
    fresh, proposed = _proposed(work, found)
    while True:
        revision = project.policy_revision
        if work.argument("propose", bool, True) or not project.policy_text:
            text, told = _text_with_decisions(work, fresh, proposed)
        else:
            comments = {column.name: column.comments(("quasi",)) for column in found}
            policy = project.policy().changed(reading=reading)
            text = policy_text(policy, project.folder.resolve(), comments=comments)
        try:
            project.set_policy_text(text, revision)
        except Outdated:  # somebody changed it in this moment
            continue
        return told


def _proposed(work: Work, found: Profile) -> tuple[str, Policy]:
    """The proposed policy, as text and as it is read; a copy stays with the job."""
    file = work.project.info.file
    assert file is not None
    few = {"k": found.records} if found.records < DEFAULT_K else {}
    text = found.policy_text(folder=work.project.folder.resolve(), **few)
    text = text.replace(f" of {file.stored}.", f" of {file.name}.")
    write_private(text.encode(), work.folder / PROPOSED)
    return text, Policy.load(work.folder / PROPOSED)


def _text_with_decisions(work: Work, fresh: str, proposed: Policy) -> tuple[str, dict[str, Any]]:
    """The text of the proposal with what somebody decided since an earlier one, and which columns that concerns."""
    project, latest = work.project, work.project.latest("open")
    earlier = None if latest is None else latest / PROPOSED
    if earlier is None or not earlier.is_file() or not project.policy_text:
        return fresh, {}
    made = reopened(project.policy(), Policy.load(earlier), proposed)
    told = {"kept": list(made.kept), "anew": list(made.anew), "fits": made.fits}
    folder = project.folder.resolve()
    return patched_text(fresh, proposed, made.policy, folder) or policy_text(made.policy, folder), told


def _as_written(work: Work, table: TableFile, options: dict[str, Any]) -> pl.DataFrame:
    """The cells as they stand in the file, as far as it is text."""
    if not FORMATS[table.format].text:
        return as_texts(table.data)
    given = options | {"text": table.data.columns, "delimiter": table.delimiter, "encoding": table.encoding}
    return as_texts(read_table(work.data, **given).data)


def _opened(table: TableFile, found: Profile) -> dict[str, Any]:
    names = ("format", "delimiter", "encoding", "decimal", "sheet")
    odd = [f"{short(repr(name), 40)}: {FORMULA_NAME}" for name in formula_names([column.name for column in found])]
    if found.records < DEFAULT_K:
        odd.append(f"the file has {found.records} records, so that k can be at most {found.records}")
    detected = {"summary": table.summary(), "notes": list(map(str, table.notes))}
    return {
        "records": found.records,
        "detected": detected | {name: getattr(table, name) for name in names},
        "columns": [_column(column, table.data[column.name], found) for column in found],
        "person": list(found.person),
        "notes": [*found.notes, *odd],
        "missing_markers": {c.name: c.proposal.missing_markers for c in found if c.proposal.missing_markers},
    }


def _column(column: ColumnProfile, values: pl.Series, found: Profile) -> dict[str, Any]:
    """What is known of a column, and what is proposed."""
    candidates = [
        {"taxonomy": c.taxonomy, "values": c.values, "records": c.records, "unmatched": c.unmatched, "fits": c.fits}
        for c in column.candidates
    ]
    settings: dict[str, Any] = {}
    if column.role != "identifier":
        settings = column.proposal.attribute().model_dump(mode="json", exclude_defaults=True)
    return {
        "name": column.name,
        "type": column.type,
        "distinct": column.distinct,
        "missing": column.missing,
        "unique": column.unique,
        "role": column.role,
        "kind": column.kind,
        "taxonomy": column.taxonomy,
        "settings": settings,
        "reason": column.reason,
        "checks": [*column.checks, *([FORMULA_NAME] if formula_names([column.name]) else [])],
        "hints": list(column.hints),
        "comments": column.comments(("quasi",)),
        "candidates": candidates,
        "examples": [short(str(value), LONGEST_SHOWN) for value in column.examples],
        "numeric": bool(values.dtype.is_numeric()),
        "numbers": _numbers(values),
        "frequent": _frequent(values),
    }


def _numbers(values: pl.Series) -> dict[str, float] | None:
    """The range and the middle of a column of numbers."""
    if not values.dtype.is_numeric() or values.null_count() == len(values):
        return None
    finite = values.cast(pl.Float64).drop_nulls()
    finite = finite.filter(finite.is_finite())
    if not len(finite):
        return None
    return {name: float(getattr(finite, name)()) for name in ("min", "max", "mean", "median")}


def _frequent(values: pl.Series) -> list[list[Any]]:
    """The most frequent values of a column, with their records."""
    texts = as_texts(values.drop_nulls().to_frame()).to_series().alias("value")
    if not len(texts):
        return []
    counted = texts.to_frame().group_by("value").len("records").sort(["records", "value"], descending=[True, False])
    return [[short(value, LONGEST_SHOWN), records] for value, records in counted.head(FREQUENT).rows()]


# ---- risk and check ------------------------------------------------------------------------------------------------


def original_risk(work: Work) -> dict[str, Any]:
    """The risk of the original under the quasi-identifiers of the policy, and what each column adds to it."""
    policy = work.policy()
    require_quasi_identifiers(policy.quasi_identifiers)
    prepared = prepare(work.data, policy, stretch(work.progress, 0.0, 0.5), shifting=False)
    examined = prepared.examined
    found = risk_of(examined, severity=severity_numbers(policy.severity, prepared.data))
    quasi = list(found.columns)
    columns = []
    for place, name in enumerate(quasi):
        work.progress(0.5 + 0.5 * place / len(quasi), f"the part of {name}")
        others = [other for other in quasi if other != name]
        columns.append(
            {
                "column": name,
                "distinct": prepared.data[name].n_unique(),
                "alone": _unique(examined, [name]),
                "without": _unique(examined, others) if others else 0,
            }
        )
    return {
        "records": found.records,
        "counted": found.unit.many,
        "of": risk_key(policy),
        "unique": found.unique,
        "below_5": found.below(5),
        "smallest": found.smallest,
        "classes": found.classes,
        "figures": found.figures,
        "readings": risk_readings(found),
        "sizes": found.sizes.to_dicts(),
        "columns": columns,
    }


def _unique(table: Examined, columns: list[str]) -> int:
    return risk_of(Examined(table.data, columns, table.attributes, table.units, table.meanings)).unique


def check_policy(work: Work) -> dict[str, Any]:
    """Does the policy fit the data? As ``ontomask check`` answers it."""
    return check(work.data, work.policy(), progress=work.progress).to_dict()


# ---- compare -------------------------------------------------------------------------------------------------------


def compare_candidates(work: Work) -> dict[str, Any]:
    """Mask by several candidates and compare them, as ``ontomask compare`` does."""
    policy = work.policy()
    candidates = _candidates(policy, work.argument("methods", list, []), work.argument("k", (list, int)))
    if work.argument("baselines", bool, False):
        candidates = with_baselines(candidates)
    found = compare(
        work.data,
        candidates,
        alpha=work.argument("alpha", (int, float), 0.5),
        workers=max(1, available_cores() - 1),  # pages are answered by what is left
        seed=work.argument("seed", int),
        progress=stretch(work.progress, 0.0, 0.97),
    )
    place = work.project.folder.resolve()
    write_json({name: policy_text(one, place) for name, one in candidates.items()}, work.folder / CANDIDATES)
    drawn = found.drawable
    if drawn:
        write_text(found.map_svg(), work.folder / MAP)
    return found.to_dict() | {"map": MAP if drawn else None, "candidates": list(candidates)}


def _candidates(policy: Policy, methods: list[Any], k: list[Any] | int | None) -> dict[str, Policy]:
    if methods:
        return grid(policy, methods, levels_of(policy) if k is None else k)
    if k is not None:
        if policy.method is None:
            raise OptionError("the policy names no method", remedy="Choose one first.")
        return grid(policy, [policy.method], k)
    return variations(policy)


#: The tasks by the kinds of jobs.
TASKS: dict[str, Callable[[Work], dict[str, Any]]] = {
    "open": open_data,
    "match": match_column,
    "risk": original_risk,
    "check": check_policy,
    "run": run_policy,
    "compare": compare_candidates,
}


def perform(work: Work) -> dict[str, Any]:
    """Do what the job asks for; the answer."""
    if not work.data.is_file():
        raise OutputError("the data of the project are gone", remedy="Upload the file again.")
    return TASKS[work.job.kind](work)
