"""``anonymize`` and ``verify``: frame and policy to encoded table, masked table, verified release."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, overload

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ontomask.errors import Keyword, NotSatisfied, PolicyError
from ontomask.masking.goals import Goals
from ontomask.masking.method import Masked
from ontomask.masking.randomness import EXPLICIT_SEED, Secret, chosen_secret, masking_generator, random_order
from ontomask.microdata.dtypes import is_text, only_what_cells_show
from ontomask.microdata.encoding import Tuples, apply_missing_rules, require_columns, require_some_kept
from ontomask.microdata.formats import format_of
from ontomask.microdata.formulas import formula_note
from ontomask.microdata.frames import FrameT
from ontomask.microdata.open_table import open_table
from ontomask.microdata.reading_options import Reading
from ontomask.policy.policy import Policy, require_policy
from ontomask.policy.prepared import Prepared, prepare
from ontomask.policy.verification import NOTHING_PROMISED, Verification, check_contents, check_models
from ontomask.privacy.classes import as_written
from ontomask.privacy.contents import WholeFile
from ontomask.privacy.examined import Examined
from ontomask.privacy.k_anonymity import KAnonymity
from ontomask.privacy.models import Model
from ontomask.privacy.units import RECORDS
from ontomask.progress import Reporter
from ontomask.release.releases import together
from ontomask.release.result import Result
from ontomask.statements import Statement, note


@overload
def anonymize(
    frame: str | Path,
    policy: Policy | Mapping[str, Any] | str | Path,
    *,
    seed: int | None = ...,
    secret: str | Path | bytes | Secret | None = ...,
    progress: Callable[[float, str], Any] | None = ...,
    allow_unsatisfied: bool = ...,
) -> Result[pl.DataFrame]: ...


@overload
def anonymize(
    frame: FrameT,
    policy: Policy | Mapping[str, Any] | str | Path,
    *,
    seed: int | None = ...,
    secret: str | Path | bytes | Secret | None = ...,
    progress: Callable[[float, str], Any] | None = ...,
    allow_unsatisfied: bool = ...,
) -> Result[FrameT]: ...


def anonymize(
    frame: Any,
    policy: Policy | Mapping[str, Any] | str | Path,
    *,
    seed: int | None = None,
    secret: str | Path | bytes | Secret | None = None,
    progress: Callable[[float, str], Any] | None = None,
    allow_unsatisfied: bool = False,
) -> Result[Any]:
    """Mask a frame or a file as the policy says, and verify the outcome.

    Parameters
    ----------
    frame : DataFrame or path
        A pandas, Polars or PyArrow frame, or the path of a file.
    policy : Policy, mapping or path
        A policy, its settings as a mapping, or the path of a YAML file.
    seed : int, optional
        For experiments: whoever knows or guesses it can repeat what was random, and the result says so.
    secret : path, bytes or Secret, optional
        Repeats a run: its ``confidential/secret.txt``, or 32 bytes; not given: one is drawn.
    progress : callable, optional
        ``progress(fraction, message)`` is called between steps; it stops the work by returning False or raising.
    allow_unsatisfied : bool, default False
        Hand out a release that fails; the result says so wherever it is shown.

    Returns
    -------
    Result
        The release, of the kind of frame that came in, and what is known of it.

    Raises
    ------
    NotSatisfied
        If the release fails what it must satisfy, unless ``allow_unsatisfied``.
    DataError
        If the data do not fit the policy.
    PolicyError
        If something is wrong with the policy.

    Notes
    -----
    The release is checked against what the method promises and what the policy requires, on the decoded output itself.
    All that is random comes from the secret, which is saved in ``confidential/secret.txt``.

    Examples
    --------
    >>> import ontomask as om, polars as pl
    >>> frame = pl.DataFrame({"age": [30, 31, 52, 55], "pay": [1, 2, 3, 4]})
    >>> policy = om.Policy(
    ...     attributes={"age": om.Numeric(), "pay": om.Numeric(role="sensitive")}, method=om.Microaggregation(k=2)
    ... )
    >>> om.anonymize(frame, policy).data["age"].to_list()
    [30, 30, 54, 54]
    """
    policy, hidden = require_policy(policy), chosen_secret(seed, secret)
    reporter = Reporter(progress)
    if policy.method is None:
        raise PolicyError("the policy names no method", remedy="Add one, such as method=Microaggregation(k=5).")
    prepared = prepare(frame, policy, reporter.part(0.0, 0.1))
    for model in policy.require:
        model.require_enough(prepared.examined)
    rng = masking_generator(hidden, prepared.table, lambda: [prepared.table.rows])
    goals = Goals.of(policy.require, prepared.examined, prepared.table.rows)
    began = time.perf_counter()
    each = policy.method.mask_releases(goals, prepared.table, rng, reporter.part(0.1, 0.85))
    masking_seconds = time.perf_counter() - began
    reporter(0.85, "writing masked values")
    shuffled = policy.row_order == "shuffled"
    order = random_order(hidden, prepared.table, each[0], int((each[0].group_of >= 0).sum())) if shuffled else None
    reporter(0.9, "verifying the release")
    marks = [EXPLICIT_SEED] if hidden.explicit and policy.draws else []
    parts = [_released(prepared, masked, hidden, order, marks, allow_unsatisfied) for masked in each]
    result = replace(together(parts), masking_seconds=masking_seconds)
    if result.verification.failed and not allow_unsatisfied:  # what a run cannot check is not satisfied either
        raise NotSatisfied(
            "the release is refused: " + "; ".join(result.verification.failed),
            remedy=(
                "Choose a method that promises it, a larger k, or fewer quasi-identifiers. (",
                Keyword("allow_unsatisfied", "True"),
                " hands it out and marks it.)",
            ),
            verification=result.verification,
        )
    reporter(0.95, "handing out")
    reporter(1.0, "done")
    return result


def _released(
    prepared: Prepared,
    masked: Masked,
    secret: Secret,
    order: NDArray[np.int64] | None,
    marks: Sequence[Statement],
    allow_unsatisfied: bool,
) -> Result:
    """One release, verified; ``order``: that of its records, if it is not theirs."""
    policy = prepared.policy
    assert policy.method is not None
    stayed = np.flatnonzero(masked.group_of >= 0)
    data = _decoded(prepared, masked)
    if order is not None:
        data = data[order]
    data = _own_buffers(only_what_cells_show(data))
    promised: list[Model] = [KAnonymity(k=policy.method.promised_k)] if policy.method.promised_k > 1 else []
    models = _each_once([*promised, *policy.require])
    examined = prepared.examined.beside(data, stayed if order is None else stayed[order])
    verification = check_models(examined, models, policy, prepared.examined, masked.diagnostics)
    return Result(
        policy=policy,
        secret=secret,
        data=prepared.taken.restore(data),
        verification=verification,
        examined=examined,
        prepared=prepared,
        masked=masked,
        records=np.flatnonzero(prepared.kept)[stayed if order is None else stayed[order]],
        notes=[
            *verification.failures,
            *marks,
            *prepared.shared_identifiers,
            *prepared.notes,
            *masked.notes,
            *formula_note(data),
        ],
        allow_unsatisfied=allow_unsatisfied,
    )


def _each_once(models: Sequence[Model]) -> list[Model]:
    """What the method promises and what the policy requires may be the same."""
    return [model for place, model in enumerate(models) if model not in models[:place]]


def _decoded(prepared: Prepared, masked: Masked) -> pl.DataFrame:
    """The release: masked columns, every other one on its row as it was."""
    if masked.sources is not None:
        # Values exactly as they are written, only elsewhere.
        moved = zip(prepared.table.columns, masked.sources, strict=True)
        return prepared.data.with_columns(prepared.data[column.name].gather(source) for column, source in moved)
    return decode(prepared.data, masked, shown_values(prepared.policy, prepared.table, masked))


def shown_values(policy: Policy, table: Tuples, masked: Masked) -> list[pl.Series]:
    """What each group shows, of the columns that the policy masks; those that are only looked at stay as written."""
    columns, changed = zip(table.columns, masked.values(table), strict=True), set(policy.masked)
    return [values.alias(column.name) for column, values in columns if column.name in changed]


def decode(data: pl.DataFrame, masked: Masked, shown: Sequence[pl.Series]) -> pl.DataFrame:
    """The release of these records, all of them or a chunk: what their groups show, every other column as it was."""
    stayed = np.flatnonzero(masked.group_of >= 0)
    data = data if len(stayed) == len(data) else data[stayed]
    group_of = masked.group_of[stayed]
    return data.with_columns(values.gather(group_of) for values in shown)


def _own_buffers(data: pl.DataFrame) -> pl.DataFrame:
    """Texts copied out of the original's memory.

    Polars keeps texts in buffers that columns share: a masked column would still carry, unseen, the values it lost, and
    some file formats write them out.
    """
    copied: list[pl.Series] = []
    for column in data.iter_columns():
        if column.dtype == pl.String:
            copied.append(column + "")
        elif column.dtype == pl.Binary:
            copied.append(pl.Series(column.name, column.to_list(), dtype=pl.Binary))
        else:
            copied.append(column)
    return pl.DataFrame(copied)


def verify(
    frame: Any,
    policy: Policy | Mapping[str, Any] | str | Path,
    *,
    original: Any = None,
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
    opening: dict[str, Any] = {"release": reading is None, "unread": _unverified(policy)}
    reference = None if original is None else _reference(original, policy)
    # What is text in the original is text in a file of the release, even where only numbers are left of it.
    texts = [] if reference is None else [name for name, dtype in reference.schema.items() if is_text(dtype)]
    table = open_table(frame, policy.attributes, text=[*text, *texts], reading=how, **opening)
    path, data = table.source, as_written(table.data, text)
    if not any(name in data.columns for name in text):
        require_columns(data, dict.fromkeys(text))
    promised = policy.method.promised_k if policy.method is not None else 1
    models = _each_once([*([KAnonymity(k=promised)] if promised > 1 else []), *policy.require])
    shown = data
    if how.missing:  # markers are missing values to the policy, and different cells to an intruder
        unmarked = how.changed(missing=[])
        written = as_written(open_table(frame, policy.attributes, text=text, reading=unmarked, **opening).data, text)
        shown = data.with_columns(written[name] for name in text if name in written.columns)
    examined = Examined.of(data, policy.attributes, RECORDS)
    whole = None if reference is None else Examined.of(reference, policy.attributes, RECORDS, examined.meanings)
    verification = check_models(
        examined if shown is data else examined.beside(shown), models, policy, whole, readable=False
    )
    verification.findings.extend(check_contents(examined, policy))
    if path is not None:
        found = format_of(path).beside(path, table.data.columns, sheet=how.sheet, encoding=how.encoding)
        verification.findings.extend(WholeFile().check_file(found, text))
    told = [*([] if policy.promises else [NOTHING_PROMISED]), *table.notes]
    unlisted = [name for name in data.columns if name not in policy.attributes]
    if unlisted and policy.unlisted == "other":
        told.append(note(f"columns that the policy does not list were not checked: {', '.join(unlisted)}"))
    verification.notes.extend(told)
    return verification if path is None else verification.on("file")


def _unverified(policy: Policy) -> Callable[[str], bool]:
    """Columns whose values no model looks at: identifiers and what the policy does not list."""
    return lambda name: name not in policy.attributes or name in policy.identifiers


def _reference(original: Any, policy: Policy) -> pl.DataFrame:
    """The original table as masking saw it: without the records that the policy drops for missing values."""
    data = open_table(original, policy.attributes, reading=policy.reading, unread=policy.drops).data
    require_columns(data, policy.attributes)
    listed = {name: policy.attributes[name] for name in data.columns if name in policy.attributes}
    left, kept = apply_missing_rules(data, listed, policy.studied, [])
    require_some_kept(kept)
    return left
