"""Content of a report: texts, numbers, lists. What an edition may show is decided here and nowhere else.

The *internal* edition tells everything and belongs with the original data. The *public* edition may go with the release: it
holds no value of the data, no distribution, no example, nothing that fixes or describes what was random, and figures by column
only in coarse steps. What was left out, and why, is part of it.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from ontomask.arguments import as_path, counted, one_of, short
from ontomask.assessment.disclosed import agreement, most_disclosed
from ontomask.assessment.loss import HEADLINE
from ontomask.errors import OntomaskError, OptionError
from ontomask.files.fingerprints import sha256, versions
from ontomask.masking.randomness import EXPLICIT_SEED
from ontomask.policy.policy_file import policy_text
from ontomask.policy.verification import NOTHING_PROMISED, ORDERS
from ontomask.report import sections
from ontomask.report.counts import studied
from ontomask.report.elements import near_original, writable
from ontomask.report.examples import branch, examples
from ontomask.report.loss import FEW
from ontomask.report.loss import loss as loss_section
from ontomask.report.risk import risk as risk_section
from ontomask.report.sections import note as about_several
from ontomask.report.sections import several as several_section
from ontomask.report.words import checked_in_words, glossary
from ontomask.statements import Statement
from ontomask.wording import RECORD, Counts, capital

if TYPE_CHECKING:
    from ontomask.privacy.models import Finding
    from ontomask.report.reportable import Reportable

Edition = Literal["internal", "public"]
EDITIONS: tuple[Edition, ...] = ("internal", "public")
#: A suppressed share of records from which on a reader should be warned.
MANY_SUPPRESSED = 0.05
#: Branches of taxonomies that are shown, notes, and sentences on figures.
MOST_BRANCHES, MOST_NOTES, MOST_READINGS = 6, 200, 30

LEFT_OUT = [
    ["Values of the data, before and after masking", "Values of masked columns, too, can be original values."],
    ["Distributions of values", "The smallest, the largest and rare values can point to single records."],
    ["Examples of records and groups", "They lead from released records back to original ones."],
    ["Branches of taxonomies with their counts", "They show which values the original holds."],
    ["Classes that fail a requirement, value by value", "They show which records are not protected."],
    ["Exact counts and percentages", "A small count, or the difference of two counts, can point to single records."],
    ["Notes of the run", "They may quote values and positions of records."],
    [
        "The secret, the content of the policy file and the settings of the method",
        "With them, random choices could be repeated or undone.",
    ],
    [
        "Figures of the method about its own run, beyond those in the guarantees",
        "They show how far values were moved, which helps to find the originals.",
    ],
    ["Statistics of the original, errors in units of a column", "With the release they reveal original figures."],
    ["Attacks one by one", "Only the most successful is given, rounded up."],
    [
        "The name of the original file, versions of other software",
        "They say where the original data are and how they are kept.",
    ],
]
LIMITS = [
    "The report relies on the roles in the policy. A column that others know can identify records, whatever its role.",
    "It covers this release alone. More can be disclosed together with another release of the same data, or with other data.",
    "The attacks were computed as described. An intruder with other knowledge may find more or fewer records.",
    "It does not say whether the original data are correct, complete or representative.",
    "It does not say whether the release complies with the law. It informs those who must decide that.",
]


def summarize(
    result: Reportable,
    edition: Edition = "internal",
    *,
    title: str | None = None,
    release: str | Path | Sequence[str | Path] | None = None,
) -> dict[str, Any]:
    """The content of a report: nothing but texts, numbers, truth values, lists and mappings of them.

    ``release``: the file, or files, that the report belongs to; it gives their SHA-256 hashes.
    """
    one_of(edition, EDITIONS, "edition")
    if title is not None and (not isinstance(title, str) or not title.strip() or writable(title) != title):
        raise OptionError(
            f"{short(repr(title), 40)} is not a valid title", remedy="Give some text, or leave title= out."
        )
    result.require_unchanged()
    public = edition == "public"
    counts = result.counts if public else Counts()
    asked, done = sections.asked(result, counts), sections.done(result, counts)
    risk, loss = risk_section(result, counts), loss_section(result, counts)
    content: dict[str, Any] = {
        "title": title or "Anonymization report",
        "about": about(result, release),
        "edition": edition,
        "public": public,
        "rounding": "" if counts.exact else rounding(counts),
        "verdict": verdict(result, risk),
        "key_figures": key_figures(result, risk, loss, counts),
        "warnings": warnings(result, counts),
        "asked": asked,
        "done": done,
        "guarantees": guarantees([_edition(statement, public) for statement in result.guarantees]),
        "findings": [] if public else findings(result),
        "risk": risk,
        "loss": loss,
        "several": several_section(result, counts),
        "readings": [] if public else cut(result.assessment.readings, MOST_READINGS, "sentence", "assessment.json"),
        "distributions": None,
        "examples": None,
        "branches": [],
        "more_branches": 0,
        "made": made(result, public=public),
        "limits": LIMITS,
        "left_out": LEFT_OUT if public else [],
    }
    content["glossary"] = glossary(result.policy, [finding.model for finding in result.verification.findings])
    if public:
        if result.released_records < FEW:
            few = f"There are fewer than {FEW} records: figures could describe single ones."
            content["left_out"] = [*LEFT_OUT, ["Losses by column", few]]
        elif near_original(result.assessment, counts):
            near = "The release is the original without a few records. With such figures they could be counted."
            content["left_out"] = [*LEFT_OUT, ["Risk before masking, losses by column", near]]
        return content
    columns = list(studied(result))
    nominal = [one for one in columns if one.column.items is not None]
    return content | {
        "distributions": sections.distributions(columns),
        "examples": examples(result),
        "branches": [told for column in nominal[:MOST_BRANCHES] if (told := branch(column)) is not None],
        "more_branches": max(len(nominal) - MOST_BRANCHES, 0),
    }


def cut(texts: list[str], most: int, noun: str, where: str) -> list[str]:
    """The first of many texts, and how many more there are."""
    rest = len(texts) - most
    return texts if rest <= 0 else [*texts[:most], f"... and {counted(rest, f'more {noun}')}, in {where}."]


# ---- which report this is ------------------------------------------------------------------------------------------


def about(result: Reportable, release: Any) -> dict[str, Any]:
    """The day, the policy by name, and the hashes of the files that the report belongs to."""
    listed = [] if release is None else [release] if isinstance(release, (str, Path)) else list(release)
    files = [as_path(file) for file in listed]
    path = result.policy.path
    return {
        "date": today(),
        "policy": "" if path is None else writable(path.name),
        "release": [[writable(file.name), _hash(file)] for file in files],
    }


def today() -> str:
    """The day of the report; SOURCE_DATE_EPOCH fixes it, so that the same run gives the same bytes on any day."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    if not fixed:
        return datetime.datetime.now(datetime.UTC).date().isoformat()
    try:
        return datetime.datetime.fromtimestamp(int(fixed), datetime.UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise OptionError(
            f"the environment variable SOURCE_DATE_EPOCH is {short(repr(fixed), 40)}",
            remedy="Set it to a whole number of seconds since 1970, or remove it.",
        ) from None


def _hash(file: Path) -> str:
    found = sha256(file)
    if found is None:
        raise OptionError(
            "the release cannot be read", where=str(file), remedy="Name the released file as it was written."
        )
    return found


def rounding(counts: Counts) -> str:
    """What the public must know of counts."""
    return (
        f"Counts of records, classes and groups are rounded to multiples of {counts.base:,}. Smaller counts, "
        f'except 0, are given as "fewer than {counts.base:,}". Totals are sums of rounded parts. '
        "Percentages are rounded as well."
    )


# ---- verdict and warnings --------------------------------------------------------------------------------------------


def verdict(result: Reportable, risk: dict[str, Any]) -> dict[str, str]:
    """The state of the release in a word, with the most successful attack. Green is only what protects every record."""
    verification = result.verification
    checked = [finding for finding in verification.findings if not finding.model.trivial]
    worst = risk["worst"]
    estimated = f" ({worst['estimated']})" if worst["estimated"] else ""
    attack = (
        f"The most successful attack computed ({worst['name']}) re-identifies {worst['share']} of the released "
        f"{result.policy.unit.many}{estimated}."
    )
    if verification.failed:
        failed = [finding for finding in verification.findings if not finding.holds]
        count = f"{len(failed)} of {counted(len(verification.findings), 'check')}"
        text = f"The release fails {count} ({_models(failed)}). Do not hand it out as it is. {attack}"
        return {"state": "failed", "word": "NOT SATISFIED", "text": text}
    if not result.promises:
        trivial = [finding.model.describe() for finding in verification.findings if finding.model.trivial]
        why = "No privacy model was required of this release, and none was checked."
        if trivial:
            why = f"Every table satisfies what was required ({', '.join(trivial)}), so it protects no record."
        return {"state": "unchecked", "word": "NOTHING WAS PROMISED", "text": f"{why} {attack}"}
    met = f"({_models(checked)}), {checked_in_words(checked)}"
    text = f"The release satisfies all that was required or promised {met}. {attack}"
    after = result.assessment.risk_after
    if after.columns and after.unique:
        text += f" It still has {after.unit.many} that are unique in the quasi-identifiers: see the warnings."
        return {"state": "unchecked", "word": f"SATISFIED, WITH UNIQUE {after.unit.many.upper()}", "text": text}
    return {"state": "satisfied", "word": "SATISFIED", "text": text}


def _models(findings: Sequence[Finding]) -> str:
    return ", ".join(finding.model.describe() for finding in findings)


def key_figures(result: Reportable, risk: dict[str, Any], loss: dict[str, Any], counts: Counts) -> list[list[str]]:
    """What a reader wants to know first: name, figure, remark."""
    released, given = counts.number(result.released_records), counts.number(sections.original_records(result, counts))
    rows = [["Records released", released, f"of {given}"]]
    if (unit := result.policy.unit) != RECORD:
        persons = result.assessment.risk_after.records
        rows.append([f"{unit.many.capitalize()} in them", counts.number(persons), f"{unit.many} are counted"])
    if risk["quasi"]:
        for name, key in (("Smallest class", "smallest"), (f"Unique {result.policy.unit.many}", "unique")):
            before, after = risk[key]
            rows.append([name, after, f"before: {before}"])
    worst = risk["worst"]
    remark = f"of the released {result.policy.unit.many} re-identified ({worst['name']})"
    rows.append(
        ["Most successful attack", worst["share"], f"{remark}, {worst['estimated']}" if worst["estimated"] else remark]
    )
    rows.append([HEADLINE.head, loss["headline"], "0%: as if no value had changed"])
    return rows


def warnings(result: Reportable, counts: Counts) -> list[dict[str, str]]:
    """What a reader must not overlook: failures first, then what weakens the release, then notes of the run."""
    public = not counts.exact
    sentences = [("bad", _edition(failure, public).text) for failure in result.verification.failures]
    if not result.promises:
        sentences.append(("bad", NOTHING_PROMISED.text))
    sentences += [("care", EXPLICIT_SEED.text)] if result.reproducible else []
    sentences += [("care", about_several(result))] if result.parts else []
    sentences += [("care", text) for text in (*_about_classes(result, counts), *_about_records(result, counts))]
    sentences += [("care", _edition(statement, public).text) for statement in result.caveats]
    sentences += [("care", text) for text in result.assessment.notes]
    sentences += [("care", text) for text in _about_sensitive(result, counts)]
    if result.policy.row_order == "kept":
        sentences.append(("care", ORDERS["kept"].text))
    if not public:
        notes = [note for note in result.notes if note.kind == "note"]  # all others are said above
        sentences += [("note", short(note.text, 600)) for note in notes[:MOST_NOTES]]
        if len(notes) > MOST_NOTES:
            sentences.append(("note", f"... and {counted(len(notes) - MOST_NOTES, 'more note')}"))
    return [{"level": level, "text": text} for level, text in sentences]


def _edition(statement: Statement, public: bool) -> Statement:
    return statement.public if public else statement


def _about_classes(result: Reportable, counts: Counts) -> list[str]:
    """Unique records, and classes that disclose sensitive values."""
    told, after = [], result.assessment.risk_after
    unit = after.unit
    if after.columns and after.unique:
        share = counts.share(after.unique, after.records)
        unique = counts.of(after.unique, f"released {unit.one}", f"released {unit.many}")
        told.append(f"{capital(unique)} ({share}) {_is(after.unique, counts)} unique in the quasi-identifiers.")
    masked = set(result.policy.masked)
    rows, more = most_disclosed(result.assessment.disclosed.filter(pl.col("records") > 0))
    for row in rows.iter_rows(named=True):
        same = agreement(row["column"] in result.assessment.numbers)
        if row["column"] in masked:
            told.append(
                f"{row['column']} is masked; {counts.units(row['records'], unit)} "
                f"{'shows its' if row['records'] == 1 and counts.exact else 'show their'} own value in a class whose values "
                f"are {same}."
            )
            continue
        classes = counts.of(row["classes"], "class", "classes")
        if not result.assessment.recognizable:
            told.append(
                f"{row['column']} is not masked: in {classes} ({counts.units(row['records'], unit)}) the values are {same}. "
                "An attack that finds the class of a record discloses its value."
            )
            continue
        told.append(
            f"{row['column']} is disclosed for {counts.units(row['records'], unit)}: in {classes} the values are {same}. "
            "Anyone who knows the class knows the value."
        )
    if more > 0:
        told.append(f"The same holds for {counted(more, 'more sensitive column')}; section Disclosure risk lists them.")
    return told


def _about_records(result: Reportable, counts: Counts) -> list[str]:
    """Many suppressed records, and columns of which nothing is left."""
    sentences = []
    given, kept = sections.original_records(result, counts), result.kept_records
    left_out = {
        "suppressed": kept - result.released_records,
        "left out because a value is missing": result.given - kept,
    }
    for why, number in left_out.items():
        if counts.said(number) > MANY_SUPPRESSED * given:
            share = capital(counts.share(number, given))
            sentences.append(
                f"{share} of the records were {why}: totals and rates of the release differ from the original."
            )
    for name in result.assessment.collapsed:
        sentences.append(f"{name} has the same value in all released records: its information is lost.")
    return sentences


def _is(number: int, counts: Counts) -> str:
    return "is" if number == 1 and counts.exact else "are"


def _about_sensitive(result: Reportable, counts: Counts) -> list[str]:
    """Sensitive columns that no model looks at, and those whose values are missing in the release."""
    policy, data = result.policy, result.prepared.data
    sensitive = [name for name, attribute in policy.attributes.items() if attribute.role == "sensitive"]
    assert policy.method is not None
    sentences = []
    looked_at = {c for f in result.verification.findings for c in f.model.sensitive_columns(policy.attributes)}
    free = [name for name in sensitive if name not in looked_at and name not in policy.masked]
    if free:
        text = f"No model protects the sensitive {'column' if len(free) == 1 else 'columns'} {', '.join(free)}: "
        sentences.append(text + "a class whose values are all the same discloses them.")
    stayed, weights = result.masked.group_of >= 0, result.prepared.table.rows.weights
    for name in sensitive:
        gone = int(weights[data[name].is_null().to_numpy() & stayed].sum()) if name in data.columns else 0
        if gone:
            sentences.append(f"The sensitive column {name} has no value in {counts.of(gone, 'released record')}.")
    return sentences


def guarantees(statements: Sequence[Statement]) -> list[dict[str, str]]:
    """What holds and what is assumed, each with its kind."""
    return [{"kind": statement.kind, "text": statement.text} for statement in statements]


def findings(result: Reportable) -> list[dict[str, Any]]:
    """The classes that fail, the worst first, value by value; for the steward."""
    tables = []
    for finding in result.verification.findings:
        if finding.holds or not len(finding.violations):
            continue
        worst = finding.violations.select(finding.violations.columns[:12]).head(10)
        rows = [["" if value is None else short(str(value), 60) for value in row] for row in worst.rows()]
        tables.append({"text": finding.text, "head": worst.columns, "rows": rows, "all": len(finding.violations)})
    return tables


def _source(result: Reportable) -> str | None:
    """Where the data came from, if not from a frame."""
    found = result.prepared.database or result.prepared.source
    return None if found is None else str(found)


def made(result: Reportable, *, public: bool) -> dict[str, Any]:
    """What is needed to do it again."""
    own, python, libraries = versions()
    if public:
        return {"versions": [["ontomask", own]], "seed": None, "policy": None, "source": None, "taxonomies": []}
    try:
        policy = policy_text(result.policy)
    except OntomaskError as problem:
        policy = f"# The policy cannot be written as a file: {problem}"
    used = {id(taxonomy): taxonomy for taxonomy in result.prepared.taxonomies.values()}
    return {
        "versions": [["ontomask", own], ["Python", python], *map(list, libraries.items())],
        "seed": None if result.seed is None else str(result.seed),
        "policy": policy,
        "source": _source(result),
        "taxonomies": [[t.name or "taxonomy", f"{len(t):,} concepts", t.source or ""] for t in used.values()],
    }
