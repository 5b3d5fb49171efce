"""``verify``: whether a table, from wherever it comes, satisfies what a policy requires."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ontomask.arrays import Longs
from ontomask.assessment.alignment import read_units, records_file
from ontomask.errors import DataError, OptionError
from ontomask.microdata.dtypes import is_text
from ontomask.microdata.encoding import Conversions, MissingRules, require_columns, require_some_kept
from ontomask.microdata.formats import format_of
from ontomask.microdata.missing_markers import MissingMarkers
from ontomask.microdata.open_table import markers_of, open_table
from ontomask.microdata.reading_options import Reading
from ontomask.policy.policy import Policy, require_policy
from ontomask.policy.verification import NOTHING_PROMISED, Verification, check_contents, check_models, models_of
from ontomask.privacy.classes import as_written, classes_of
from ontomask.privacy.column_models import ColumnModel
from ontomask.privacy.contents import WholeFile
from ontomask.privacy.examined import Examined
from ontomask.privacy.units import RECORDS, Units
from ontomask.statements import note


def verify(
    frame: Any,
    policy: Policy | Mapping[str, Any] | str | Path,
    *,
    original: Any = None,
    persons: Sequence[Any] | None = None,
    reading: Reading | None = None,
) -> Verification:
    """Does a frame or file, from wherever it comes, satisfy what the policy requires?

    Parameters
    ----------
    frame : DataFrame or path
        A pandas, Polars or PyArrow frame, or the path of a file.
    policy : Policy, mapping or path
        A policy, its settings as a mapping, or the path of a YAML file.
    original : DataFrame or path, optional
        The original, which t-closeness compares classes with; not given: the frame itself.
    persons : sequence, optional
        Where the policy counts persons: whose each row is. A release does not say it, unless it keeps pseudonyms; a
        result does, in ``confidential/records.csv``. Not given: the file is looked for where the release was saved.
    reading : Reading, optional
        How the file is read, in place of the policy's missing markers and text columns.

    Returns
    -------
    Verification
        A finding for each model and check; true if all of them hold.

    Notes
    -----
    Checked are the models of ``require`` and the k that the policy's method promises; that no identifier is left; that
    the columns are those of the policy, all of them and (unless it says ``unlisted: other``) no others; and that values
    fit their columns. Quasi-identifiers are compared as they are written, those of a CSV as texts. What cannot be looked
    at, because a taxonomy is missing or because it is a property of how the table was made, is reported as not checked.

    t-closeness with and without ``original`` differs where records were suppressed; the finding says which it was. The
    other reading options of the policy describe the file of the original.

    Examples
    --------
    >>> import ontomask as om, polars as pl
    >>> frame = pl.DataFrame({"age": [30, 30, 54, 54]})
    >>> policy = om.Policy(attributes={"age": om.Numeric()}, require=[om.KAnonymity(2)])
    >>> om.verify(frame, policy).holds
    True
    """
    policy = require_policy(policy)
    how = policy.reading.of_release() if reading is None else reading
    # As text: an intruder compares cells, and 0.0 beside -0.0 are two.
    text = policy.quasi_identifiers
    listed = {name for name, attribute in policy.attributes.items() if attribute.released}
    by_column = any(isinstance(model, ColumnModel) for model in policy.require)  # else nothing looks at other columns
    opening: dict[str, Any] = {"release": reading is None, "unread": lambda name: name not in listed and not by_column}
    reference = None if original is None else _reference(original, policy)
    # What is text in the original is text in a file of the release, even where only numbers are left of it.
    texts = [] if reference is None else [name for name, dtype in reference.schema.items() if is_text(dtype)]
    table = open_table(frame, policy.attributes, text=[*text, *texts], reading=how, **opening)
    path, data = table.source, as_written(table.data, text)
    if not any(name in data.columns for name in text):
        require_columns(data, dict.fromkeys(text))
    shown = data
    if markers_of(policy.attributes, how):  # missing values to the policy, and different cells to an intruder
        opening |= {"reading": how, "missing": MissingMarkers()}
        written = as_written(open_table(frame, policy.attributes, text=text, **opening).data, text)
        shown = data.with_columns(written[name] for name in text if name in written.columns)
    told_itself = all(name in data.columns for name in policy.unit_columns)  # true as well where records are counted
    beside = records_file(frame) if persons is None and not told_itself else None
    if beside is not None:
        found_persons = read_units(beside, policy.unit)
        persons = found_persons if found_persons is not None and len(found_persons) == len(data) else None
    examined = Examined.of(data, policy.attributes, _units(policy, data, persons))
    whole = None
    if reference is not None:
        whole = Examined.of(reference, policy.attributes, policy.units_of(reference), examined.meanings)
    verification = check_models(
        examined if shown is data else examined.beside(shown), models_of(policy), policy, whole, readable=False
    )
    verification.findings.extend(check_contents(examined, policy))
    if path is not None:
        found = format_of(path).beside(path, table.data.columns, sheet=how.sheet, encoding=how.encoding)
        verification.findings.extend(WholeFile().check_file(found, text))
    told = [*([] if policy.promises else [NOTHING_PROMISED]), *table.notes]
    if beside is not None and persons is not None:
        told.append(note(f"whose each row is comes from {beside}, the list of records of the same result"))
    unlisted = [name for name in data.columns if name not in policy.attributes]
    if unlisted and policy.unlisted == "other":
        besides = ", but for identifiers" if by_column else ""
        told.append(note(f"columns that the policy does not list were not checked{besides}: {', '.join(unlisted)}"))
    verification.notes.extend(told)
    return verification if path is None else verification.on("file")


def _units(policy: Policy, data: pl.DataFrame, persons: Sequence[Any] | None) -> Units:
    """What is counted in a released table: as it says itself, by its pseudonyms, or as is known besides; else records."""
    if not policy.unit_columns:
        return RECORDS
    shown = policy.units_of(data) if all(name in data.columns for name in policy.unit_columns) else None
    if persons is None:
        return RECORDS if shown is None else shown
    known = Units(policy.unit, classes_of(pl.DataFrame({policy.unit.one: list(persons)}), [policy.unit.one]).of)
    known.require_rows(len(data))
    if shown is not None and not _same(shown.of, known.of):
        raise DataError(
            f"the table says by its pseudonyms ({', '.join(policy.unit_columns)}) that other records belong together than the "
            f"{policy.unit.many} that are given",
            remedy=f"Give the {policy.unit.many} of this very table, in its order, or leave them out. If they are right, the "
            "pseudonyms were changed after the release was made.",
        )
    return known


def _same(one: Longs | None, other: Longs | None) -> bool:
    """Do two numberings put the same records together?"""
    assert one is not None
    assert other is not None
    pairs = np.unique(np.stack((one, other)), axis=1).shape[1]
    return bool(pairs == len(np.unique(one)) == len(np.unique(other)))


def _reference(original: Any, policy: Policy) -> pl.DataFrame:
    """The original table as masking saw it: without the records that the policy drops for missing values."""
    compared = {model.named_attribute for model in policy.require} & set(policy.shifted)
    if compared:
        raise OptionError(
            f"the dates of {', '.join(sorted(map(str, compared)))} were shifted, and the original has those before",
            remedy="Leave the original out: what is required of these dates is then compared with the release itself.",
        )
    data = open_table(original, policy.attributes, reading=policy.reading, unread=policy.drops).data
    require_columns(data, policy.attributes)
    listed = {name: policy.attributes[name] for name in data.columns if name in policy.attributes}
    left, _ = MissingRules(listed, policy.studied).apply(Conversions(listed).apply(data))
    require_some_kept(len(left))
    return left
