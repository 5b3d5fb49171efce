"""The task ``run``: mask, verify, assess and save as ``ontomask run`` does, and the records before and after for pages."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from ontomask.app.answer_files import AFTER, BEFORE, ORDER
from ontomask.app.projects import POLICY
from ontomask.app.results import RESULT
from ontomask.app.storage import all_private, write_private
from ontomask.app.work import Work, as_texts, formula_names, write_rows
from ontomask.arguments import short
from ontomask.arrays import Floats, Longs
from ontomask.assessment.pairing import Pairing
from ontomask.distances.kept_tables import tables_kept
from ontomask.engines.memory import anonymize
from ontomask.errors import DataError, OntomaskError, OptionError
from ontomask.masking.randomness import chosen_secret
from ontomask.microdata.formats import FORMATS, format_of
from ontomask.microdata.formulas import FORMULAS
from ontomask.policy.policy import Policy
from ontomask.progress import stretch
from ontomask.release.result import Result


def run_policy(work: Work) -> dict[str, Any]:
    """Mask the data as the policy says. A release that fails is kept and marked, and needs a reason to be downloaded."""
    policy = _as_downloaded(work)
    given = work.argument("secret", str)
    secret = chosen_secret(None, None if given is None else _bytes(given))
    report = work.argument("report", bool, True)
    written = work.argument("format", str) or _like_source(work)
    known = FORMATS.get(written)
    text = known is not None and known.text
    escape = work.argument("escape_formulas", bool, text)  # stewards open files in spreadsheets
    if escape:
        _require_plain_names(work, policy)
    with tables_kept():
        result = anonymize(
            work.data,
            policy,
            secret=secret,
            progress=stretch(work.progress, 0.0, 0.45),
            allow_unsatisfied=work.argument("allow_unsatisfied", bool, True),
        )
        assessment = result.assess(stretch(work.progress, 0.45, 0.85))
    work.progress(0.86, "writing")
    try:
        result.save(work.folder / RESULT, format=written, report=report, escape_formulas=escape)
    except OntomaskError as problem:
        problem.relocate(f"{work.folder / RESULT}/", "")
        raise
    all_private(work.folder / RESULT)
    work.progress(0.97, "records before and after")
    _write_pairs(work, result)
    files = sorted(
        p.relative_to(work.folder / RESULT).as_posix() for p in (work.folder / RESULT).rglob("*") if p.is_file()
    )
    return {
        "method": "" if policy.method is None else policy.method.name,
        "title": _title(policy),
        "k": None if policy.method is None else policy.method.stated_k,
        "records": len(result.prepared.kept),
        "released": len(result.records),
        "releases": len(result.each),
        "satisfied": result.satisfied,
        "promises": result.promises,
        "loss": assessment.loss.headline,
        "linkage": 100 * assessment.linkage["semantic"] if "semantic" in assessment.linkage else None,
        "unique": assessment.risk_after.unique,
        "unique_before": assessment.risk_before.unique,
        "counted": assessment.risk_after.unit.many,
        "units": assessment.risk_before.records,
        "requirements": _requirements(result),
        "guarantees": [statement.to_dict() for statement in result.guarantees],
        "notes": [_true_of_file(note.to_dict(), escaped=escape) for note in result.notes],
        "readings": list(assessment.readings),
        "files": files,
        "escape_formulas": escape,
        "assessment": assessment.to_dict(),
    }


def _true_of_file(note: dict[str, str], *, escaped: bool) -> dict[str, str]:
    """A note on the table, as it is of the file that is handed out: cells that would be formulas are text in it."""
    told, formula, _ = note["text"].partition(FORMULAS)
    if not escaped or not formula:
        return note
    return note | {"text": f"{told}{formula}; in the release a quote stands before each, which makes it text"}


def _as_downloaded(work: Work) -> Policy:
    """The policy of the job under the name that it is downloaded with: reports tell the name."""
    copy = work.folder / POLICY
    write_private(work.project.policy_of(work.job.policy_revision).read_bytes(), copy)
    return work.policy().read_from(copy.resolve())


def _require_plain_names(work: Work, policy: Policy) -> None:
    """An error, before the work and not after it, if the name of a released column would be a formula."""
    names = [column["name"] for column in (work.project.opened or {"columns": []})["columns"]]
    odd = formula_names([name for name in names if not policy.drops(name)])
    if odd:
        raise DataError(
            f"a spreadsheet would run the column name {short(repr(odd[0]), 40)} as a formula",
            remedy="Rename the column in the file, give it the role identifier, which leaves it out, or choose Excel or "
            "Parquet as the format of the release.",
        )


def _like_source(work: Work) -> str:
    """The format of a release if nobody asks for one, as the library chooses it."""
    own = format_of(work.data)
    return own.name if own.kept else "csv"


def _bytes(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise OptionError(
            "the secret is not a row of hexadecimal digits", remedy="Give the 64 digits of confidential/secret.txt."
        ) from None


def _title(policy: Policy) -> str:
    if policy.method is None:
        return "No masking"
    return policy.method.title


def _requirements(result: Result[Any]) -> list[dict[str, str]]:
    """What the policy requires, and whether the release satisfies it."""
    found = []
    for finding in result.verification:
        if finding.model in result.policy.require or not finding.holds:
            state = "holds" if finding.holds else "fails" if finding.checked else "unknown"
            found.append({"title": finding.model.describe(), "state": state, "sentence": finding.text})
    return found


# ---- before and after ----------------------------------------------------------------------------------------------


def _write_pairs(work: Work, result: Result[Any]) -> None:
    """The records of the original and what was released of them, in the order of the original."""
    before = result.prepared.taken.data
    records = np.asarray(result.records, dtype=np.int64)
    place = np.full(len(before), -1, dtype=np.int64)
    place[records] = np.arange(len(records))
    released = as_texts(result.examined.data)
    shown = as_texts(before)
    rows = pl.Series(place).replace(-1, None).cast(pl.UInt32)
    after = pl.DataFrame(
        [
            released[name].gather(rows)
            if name in released.columns
            else pl.Series(name, [None] * len(before), dtype=pl.String)
            for name in shown.columns
        ]
    )
    write_rows(shown, work.folder / BEFORE)
    write_rows(after, work.folder / AFTER)
    far = np.full(len(before), np.inf)  # a record that was removed changed most
    far[records] = distances(result)
    order = np.argsort(-far, kind="stable")
    write_rows(pl.DataFrame({"row": order.astype(np.uint32), "distance": far[order]}), work.folder / ORDER)


def distances(result: Result[Any]) -> Floats:
    """How far each released record is from what it was, on the scale of the loss."""
    pairing: Pairing = result.pairing
    inside = np.flatnonzero(result.prepared.kept)
    in_table = np.searchsorted(inside, result.records)
    stayed: Longs = np.searchsorted(pairing.stayed, in_table)
    apart = pairing.distance.pairs(pairing.centres("original"), pairing.centres("masked"))
    width = pairing.masked.p
    keys = pairing.before.astype(np.int64) * width + pairing.after
    order = np.argsort(keys)
    own = pairing.original.rows.tuple_of[in_table].astype(np.int64) * width + pairing.masked.rows.tuple_of[stayed]
    found: Floats = np.asarray(apart, dtype=np.float64)[order[np.searchsorted(keys[order], own)]]
    return found
