"""All that a report says, as plain content: texts, numbers, lists. What an edition may show is decided here, nowhere else.

The *internal* edition tells everything and belongs with the original data. The *public* edition may go with the release: it
holds no value of the data, no distribution, no example, nothing that fixes or describes what was random, and figures by column
only in coarse steps. What was left out, and why, is part of it.
"""

from __future__ import annotations

import json
import platform
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal

import ontomask
from ontomask.arguments import counted, one_of, short
from ontomask.errors import OntomaskError, OptionError
from ontomask.randomness import EXPLICIT_SEED
from ontomask.report import sections
from ontomask.report.charts import writable
from ontomask.report.counts import studied
from ontomask.report.examples import branch, examples
from ontomask.report.words import glossary

if TYPE_CHECKING:
    from ontomask.result import Result

Edition = Literal["internal", "public"]
EDITIONS: tuple[Edition, ...] = ("internal", "public")
#: A suppressed share of records from which on a reader should be warned.
MANY_SUPPRESSED = 0.05
#: Branches of taxonomies that are shown, notes, and sentences on figures.
MOST_BRANCHES, MOST_NOTES, MOST_READINGS = 6, 200, 30

LEFT_OUT = [
    ["Values of the data, before and after masking", "Original values could be among them, also in masked columns."],
    ["Distributions of values", "The smallest, the largest and rare values point at single people."],
    ["Examples of records and groups", "They lead from released records back to original ones."],
    ["Branches of taxonomies with their counts", "They show which values the original holds."],
    ["Classes that fail a requirement, value by value", "They say where to look."],
    ["Notes of the run", "They may quote values and places of records."],
    [
        "The secret, the policy file and the settings of the method",
        "With them, what was random could be repeated or undone.",
    ],
    [
        "What the method measured of itself, beyond what the guarantees say",
        "It says how far values were moved, and so where to look for them.",
    ],
    [
        "Statistics of the original, and errors in units of a column",
        "With the release they give away original figures.",
    ],
    ["Kinds of record linkage one by one", "Only the most successful is told, rounded up to a whole percent."],
    ["Names of files, versions of other software", "They say where the original data are and how they are kept."],
]
LIMITS = [
    "It speaks of the columns as the policy describes them: a column that others can know after all may give people away.",
    "It speaks of this release alone. Another release of the same data, or data from elsewhere, can add what is missing here.",
    "Record linkage was tried as described; somebody with other knowledge may do better or worse.",
    "It does not say whether the original data are right, complete or representative, and masking does not make them so.",
    "It does not say whether a law is complied with. It gives those who must decide that what they need to know.",
]


def summarize(result: Result, edition: Edition = "internal", *, title: str | None = None) -> dict[str, Any]:
    """The content of a report: nothing but texts, numbers, truth values, lists and mappings of them."""
    one_of(edition, EDITIONS, "edition")
    if title is not None and (not isinstance(title, str) or not title.strip() or writable(title) != title):
        raise OptionError(f"{short(repr(title), 40)} is no title", remedy="Give some text, or leave title= out.")
    public = edition == "public"
    asked, done = sections.asked(result, public=public), sections.done(result, public=public)
    risk, loss = sections.risk(result, public=public), sections.loss(result, public=public)
    content: dict[str, Any] = {
        "title": title or "Anonymization report",
        "edition": edition,
        "public": public,
        "verdict": verdict(result),
        "key_figures": key_figures(done, risk, loss),
        "warnings": warnings(result, done, risk, public=public),
        "asked": asked,
        "done": done,
        "guarantees": guarantees(result),
        "findings": [] if public else findings(result),
        "risk": risk,
        "loss": loss,
        "readings": [] if public else result.assessment.readings[:MOST_READINGS],
        "distributions": None,
        "examples": None,
        "branches": [],
        "made": made(result, public=public),
        "limits": LIMITS,
        "left_out": LEFT_OUT if public else [],
    }
    content["glossary"] = glossary(json.dumps(content))
    if public:
        if result.assessment.loss.records < sections.FEW:
            few = f"There are fewer than {sections.FEW} records: figures might tell of single people."
            content["left_out"] = [*LEFT_OUT, ["Losses by column", few]]
        return content
    columns = list(studied(result))
    nominal = [column for column in columns if column.kind == "nominal"]
    return content | {
        "distributions": sections.distributions(columns),
        "examples": examples(result),
        "branches": [told for column in nominal[:MOST_BRANCHES] if (told := branch(column)) is not None],
    }


# ---- verdict and warnings --------------------------------------------------------------------------------------------


def verdict(result: Result) -> dict[str, str]:
    """One sentence: satisfied, not satisfied, or that nothing was promised. Green is only what protects every record."""
    verification = result.verification
    checked = [finding for finding in verification.findings if not finding.model.trivial]
    if verification.failed:
        count = f"{len(verification.failed)} of {counted(len(verification.findings), 'requirement')}"
        told = count if len(verification.findings) > 1 else "its only requirement"
        return {
            "state": "failed",
            "word": "NOT SATISFIED",
            "text": f"The release fails {told}. Do not hand it out as it is.",
        }
    if not result.promises:
        trivial = [finding.model.describe() for finding in verification.findings if finding.model.trivial]
        why = "No privacy model was required of this release, and none was checked."
        if trivial:
            why = f"Every table satisfies what was required ({', '.join(trivial)}): it protects no record."
        text = f"{why} Judge the release by the risks below."
        return {"state": "unchecked", "word": "NOTHING WAS PROMISED", "text": text}
    met = f"all {len(checked)} requirements" if len(checked) > 1 else "its only requirement"
    text = f"The release meets {met}, verified on the released data."
    after = result.assessment.risk_after
    if after.columns and after.unique:
        text += " It still has records that are unique in the quasi-identifiers: see the warnings."
        return {"state": "unchecked", "word": "SATISFIED, WITH UNIQUE RECORDS", "text": text}
    return {"state": "satisfied", "word": "SATISFIED", "text": text}


def key_figures(done: dict[str, Any], risk: dict[str, Any], loss: dict[str, Any]) -> list[list[str]]:
    """What a reader wants to know first: name, figure, remark."""
    rows = [["Records released", f"{done['released']:,}", f"of {done['given']:,}"]]
    if risk["quasi"]:
        before, after = risk["smallest"]
        rows.append(["Smallest class", f"{after:,}", f"before: {before:,}"])
        before, after = risk["unique"]
        rows.append(["Unique records", f"{after:,}", f"before: {before:,}"])
    rows.append(["Linked correctly", risk["worst_linkage"], "of all records, by the best of four attempts"])
    rows.append(["Information loss", loss["overall"][0][1], "0%: nothing changed"])
    return rows


def warnings(result: Result, done: dict[str, Any], risk: dict[str, Any], *, public: bool) -> list[dict[str, str]]:
    """What a reader must not overlook: failures first, then what weakens the release, then notes of the run."""
    told = [("bad", f"NOT SATISFIED: {text}") for text in result.verification.failed]
    if not result.promises:
        told.append(("bad", "Nothing was promised of this release: no verified property protects a record."))
    told += [("care", EXPLICIT_SEED)] if result.reproducible else []
    if risk["quasi"] and risk["unique"][1]:
        unique, all_ = risk["unique"][1], risk["records"][1]
        share = sections.percent(unique / all_)
        told.append(
            ("care", f"{counted(unique, 'released record')} ({share}) {_is(unique)} unique in the quasi-identifiers.")
        )
    if done["suppressed"] > MANY_SUPPRESSED * done["given"]:
        share = sections.percent(done["suppressed"] / done["given"])
        told.append(
            ("care", f"{share} of the records were suppressed: totals and rates no longer hold for those left.")
        )
    told += [("care", text) for text in result.caveats if public or text in result.masked.caveats]
    shared = [] if public else [identifier.sentence(result.policy.counting) for identifier in result.prepared.repeating]
    told += [("care", text) for text in shared]
    told += _about_sensitive(result)
    if result.policy.row_order == "kept":
        told.append(("care", "Records stand in their original order: whoever knows that order knows who is who."))
    if not public:
        said = (*shared, EXPLICIT_SEED)
        notes = [note for note in result.notes if not note.startswith("NOT SATISFIED") and note not in said]
        told += [("note", short(note, 600)) for note in notes[:MOST_NOTES]]
        if len(notes) > MOST_NOTES:
            told.append(("note", f"... and {counted(len(notes) - MOST_NOTES, 'more note')}"))
    return [{"level": level, "text": text} for level, text in told]


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _about_sensitive(result: Result) -> list[tuple[str, str]]:
    """Sensitive columns that no model looks at, and those whose values are missing in the release."""
    policy, data = result.policy, result.prepared.data
    sensitive = [name for name, attribute in policy.attributes.items() if attribute.role == "sensitive"]
    assert policy.method is not None
    told = []
    looked_at = {c for f in result.verification.findings for c in f.model.sensitive_columns(policy.attributes)}
    free = [name for name in sensitive if name not in looked_at]
    if free and "sensitive" not in policy.method.masks:
        text = f"Nothing was required of the sensitive {'column' if len(free) == 1 else 'columns'} {', '.join(free)}: "
        told.append(("care", text + "a class whose records agree in it gives the value away."))
    stayed = result.masked.group_of >= 0
    for name in sensitive:
        gone = int((data[name].is_null().to_numpy() & stayed).sum()) if name in data.columns else 0
        if gone:
            told.append(("care", f"{name} is sensitive and has no value in {counted(gone, 'released record')}."))
    return told


def guarantees(result: Result) -> list[dict[str, str]]:
    """What holds and what is assumed, each with a word on which it is."""
    begins = {
        "NOT SATISFIED": "fails",
        "Verified on the release": "verified",
        EXPLICIT_SEED: "care",
        "Assumed": "assumed",
        "Not promised": "assumed",
        "NOTHING WAS PROMISED": "fails",
    }
    told = []
    for text in result.guarantees:
        kind = next((kind for begin, kind in begins.items() if text.startswith(begin)), "stated")
        told.append({"kind": kind, "text": text})
    return told


def findings(result: Result) -> list[dict[str, Any]]:
    """The classes that fail, the worst first, value by value; for the steward."""
    told = []
    for finding in result.verification.findings:
        if finding.holds or not len(finding.violations):
            continue
        worst = finding.violations.select(finding.violations.columns[:12]).head(10)
        rows = [["" if value is None else short(str(value), 60) for value in row] for row in worst.rows()]
        told.append({"text": finding.text, "head": worst.columns, "rows": rows, "all": len(finding.violations)})
    return told


def made(result: Result, *, public: bool) -> dict[str, Any]:
    """What is needed to do it again."""
    own = [["ontomask", ontomask.__version__]]
    if public:
        return {"versions": own, "seed": None, "policy": None, "source": None, "taxonomies": []}
    from ontomask.policy_file import policy_text

    others = [[name, version(name)] for name in ("numpy", "polars", "scipy", "numba")]
    try:
        policy = policy_text(result.policy)
    except OntomaskError as problem:
        policy = f"# The policy cannot be written as a file: {problem}"
    taxonomies = {}
    for column in result.prepared.table.columns:
        taxonomy = getattr(column, "taxonomy", None)
        if taxonomy is not None:
            taxonomies[taxonomy.name or "taxonomy"] = [f"{len(taxonomy):,} concepts", taxonomy.source or ""]
    return {
        "versions": [*own, ["Python", platform.python_version()], *others],
        "seed": None if result.seed is None else str(result.seed),
        "policy": policy,
        "source": None if result.prepared.source is None else str(result.prepared.source),
        "taxonomies": [[name, *facts] for name, facts in taxonomies.items()],
    }
