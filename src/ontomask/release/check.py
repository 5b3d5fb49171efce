"""``check``: the policy against the data before masking, and the unique records in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from ontomask.arguments import counted
from ontomask.assessment.readings import risk_readings
from ontomask.assessment.risk import Risk, risk_of, severity_numbers
from ontomask.display import html_card, html_list, html_table
from ontomask.masking.goals import Goals
from ontomask.microdata.encoding import written
from ontomask.policy.dependent_columns import dependent_columns
from ontomask.policy.policy import Policy, require_policy
from ontomask.policy.prepared import Prepared, prepare
from ontomask.policy.verification import NOTHING_PROMISED, Verification
from ontomask.privacy.column_models import ColumnModel
from ontomask.privacy.models import Finding
from ontomask.progress import Reporter
from ontomask.statements import Statement


@dataclass(frozen=True, eq=False)
class Check:
    """A policy that fits its data: what should be known of them. What does not fit is an error.

    Attributes
    ----------
    records : int
        The records of the data.
    columns : polars.DataFrame
        Role, kind, taxonomy, number of different values and of missing ones, without the records that are dropped.
    notes : list of Statement
        What was noticed.
    risk : Risk
        Unique records and small classes.
    verification : Verification
        Which models hold of the data as they are: a finding for every required model.
    dropped : int
        Records that the policy drops for missing values.
    """

    records: int
    columns: pl.DataFrame
    notes: list[Statement]
    risk: Risk
    verification: Verification
    dropped: int = 0

    @property
    def foreseen(self) -> list[Finding]:
        """What a release will fail whatever its masking does: columns fail it that are released as they are."""
        return [f for f in self.verification if isinstance(f.model, ColumnModel) and f.checked and not f.holds]

    @cached_property
    def readings(self) -> list[str]:
        """Unique records and small classes of the data as they are, in words."""
        return risk_readings(self.risk)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, texts and lists."""
        return {
            "records": self.records,
            "dropped": self.dropped,
            "columns": self.columns.to_dicts(),
            "notes": list(map(str, self.notes)),
            "readings": self.readings,
            "risk": self.risk.figures,
            "class_sizes": self.risk.sizes.to_dicts(),
            "models": [
                {"model": f.model.describe(), "holds": f.holds, "checked": f.checked, "text": f.text}
                for f in self.verification
            ],
            "foreseen": [f.model.describe() for f in self.foreseen],
        }

    def __str__(self) -> str:
        with pl.Config(tbl_rows=-1, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True, fmt_str_lengths=40):
            table = str(self.columns)
        return "\n".join(
            [table, *(f"note: {note}" for note in self.notes), *self.readings, *map(str, self.verification)]
        )

    def __repr__(self) -> str:
        told = [counted(self.records, "record"), counted(len(self.columns), "column"), counted(len(self.notes), "note")]
        return f"<Check: {', '.join(told)}>"

    def _repr_html_(self) -> str:
        table = html_table(self.columns.columns, self.columns.rows())
        told = html_list([*self.readings, *map(str, self.verification)])
        return html_card(counted(self.records, "record"), table, told, notes=map(str, self.notes))


def check(
    frame: Any,
    policy: Policy | Mapping[str, Any] | str | Path,
    *,
    progress: Callable[[float, str], Any] | None = None,
) -> Check:
    """Check a policy against a frame or file without masking anything.

    Parameters
    ----------
    frame : DataFrame or path
        A pandas, Polars or PyArrow frame, or the path of a file.
    policy : Policy, mapping or path
        A policy, its settings as a mapping, or the path of a YAML file.
    progress : callable, optional
        ``progress(fraction, message)`` is called between steps; it stops the work by returning False or raising.

    Returns
    -------
    Check
        What should be known of the data: columns, unique records, which models hold already. Dates that the policy shifts
        are counted before they are shifted.

    Raises
    ------
    DataError
        If the data do not fit the policy.
    PolicyError
        If something is wrong with the policy.

    Examples
    --------
    >>> import ontomask as om, polars as pl
    >>> frame = pl.DataFrame({"age": [30, 30, 52, 55], "pay": [1, 2, 3, 4]})
    >>> policy = om.Policy(
    ...     attributes={"age": om.Numeric(), "pay": om.Numeric(role="sensitive")},
    ...     method=om.Microaggregation(k=2), require=[om.KAnonymity(k=2)])
    >>> om.check(frame, policy).readings[0]
    '2 of 4 records are unique on age.'
    """
    policy = require_policy(policy)
    reporter = Reporter(progress)
    prepared = prepare(frame, policy, reporter.part(0.0, 0.6), shifting=False)
    if policy.method is not None:
        policy.method.require_enough(prepared.table)
    for model in policy.require:
        model.require_enough(prepared.examined)
    Goals.of(policy.require, prepared.examined, prepared.table.rows)
    reporter(0.7, "computing classes")
    numbers = severity_numbers(policy.severity, prepared.data)
    risk = risk_of(prepared.examined, severity=numbers)
    reporter(0.85, "checking models")
    examined = prepared.examined  # columns by themselves are judged as a release writes them: ages as 90+
    shown = examined.beside(written(prepared.data, policy.attributes, prepared.taken.data))
    findings = [
        model.check_original(shown if isinstance(model, ColumnModel) else examined, policy.masked)
        for model in policy.require
    ]
    verification = Verification(findings).on("original")
    reporter(1.0, "done")
    unprotected = not policy.promises and (policy.method is not None or policy.require)
    notes = [*([NOTHING_PROMISED] if unprotected else []), *prepared.notes, *prepared.shared_identifiers]
    notes += dependent_columns(prepared.data, policy)
    dropped = int((~prepared.kept).sum())
    return Check(len(prepared.kept), _columns(prepared), notes, risk, verification, dropped)


def _columns(prepared: Prepared) -> pl.DataFrame:
    rows, columns = [], set(prepared.data.columns)
    for name, attribute in prepared.policy.attributes.items():
        values, named = prepared.data[name] if name in columns else None, attribute.named_taxonomy
        rows.append(
            {
                "column": name,
                "role": attribute.role,
                "kind": attribute.kind,
                "taxonomy": Path(named).name if isinstance(named, str) else named and named.name,
                "values": None if values is None else values.drop_nulls().n_unique(),
                "missing": None if values is None else values.null_count(),
            }
        )
    text, whole = ("column", "role", "kind", "taxonomy"), ("values", "missing")
    return pl.DataFrame(rows, schema=dict.fromkeys(text, pl.String) | dict.fromkeys(whole, pl.Int64))
