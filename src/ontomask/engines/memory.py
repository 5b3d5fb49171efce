"""``anonymize``: a frame or a file that fits into memory, masked and verified."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import polars as pl

from ontomask.arguments import is_a
from ontomask.arrays import Longs
from ontomask.engines.engine import Engine, Verified, Written, decode, shown_values
from ontomask.masking.goals import Goals
from ontomask.masking.method import Masked
from ontomask.masking.randomness import Secret, chosen_secret, random_order
from ontomask.microdata.dtypes import only_what_cells_show
from ontomask.microdata.encoding import Rows, written
from ontomask.microdata.followers import followers_of
from ontomask.microdata.formulas import formula_note
from ontomask.microdata.frames import FrameT
from ontomask.microdata.keys import Key
from ontomask.policy.policy import Policy, require_policy
from ontomask.policy.prepared import Prepared, prepare
from ontomask.progress import Progress
from ontomask.release.releases import together
from ontomask.release.result import Result
from ontomask.statements import Statement

if TYPE_CHECKING:
    from ontomask.engines.spark import SparkRelease
    from ontomask.engines.spark_jobs import SparkTable


@overload
def anonymize(
    frame: str | Path,
    policy: Policy | Mapping[str, Any] | str | Path,
    *,
    seed: int | None = ...,
    secret: str | Path | bytes | Secret | None = ...,
    key: str | Path | bytes | Key | None = ...,
    progress: Callable[[float, str], Any] | None = ...,
    allow_unsatisfied: bool = ...,
) -> Result[pl.DataFrame]: ...


@overload
def anonymize(  # type: ignore[overload-overlap]  # the frame of Spark is one of the frames
    frame: SparkTable,
    policy: Policy | Mapping[str, Any] | str | Path,
    *,
    seed: int | None = ...,
    secret: str | Path | bytes | Secret | None = ...,
    key: str | Path | bytes | Key | None = ...,
    progress: Callable[[float, str], Any] | None = ...,
    allow_unsatisfied: bool = ...,
) -> SparkRelease: ...


@overload
def anonymize(
    frame: FrameT,
    policy: Policy | Mapping[str, Any] | str | Path,
    *,
    seed: int | None = ...,
    secret: str | Path | bytes | Secret | None = ...,
    key: str | Path | bytes | Key | None = ...,
    progress: Callable[[float, str], Any] | None = ...,
    allow_unsatisfied: bool = ...,
) -> Result[FrameT]: ...


def anonymize(
    frame: Any,
    policy: Policy | Mapping[str, Any] | str | Path,
    *,
    seed: int | None = None,
    secret: str | Path | bytes | Secret | None = None,
    key: str | Path | bytes | Key | None = None,
    progress: Callable[[float, str], Any] | None = None,
    allow_unsatisfied: bool = False,
) -> Result[Any] | SparkRelease:
    """Mask a frame or a file as the policy says, and verify the outcome.

    Parameters
    ----------
    frame : DataFrame or path
        A pandas, Polars or PyArrow frame, the path of a file, or a frame of Spark.
    policy : Policy, mapping or path
        A policy, its settings as a mapping, or the path of a YAML file.
    seed : int, optional
        For experiments: whoever knows or guesses it can repeat what was random, and the result says so.
    secret : path, bytes or Secret, optional
        Repeats a run: its ``confidential/secret.txt``, or 32 bytes; not given: one is drawn.
    key : path, bytes or Key, optional
        What pseudonyms and shifts of dates are derived from: the key file of an earlier result, or 32 bytes; not given: one is
        drawn.
    progress : callable, optional
        ``progress(fraction, message)`` is called between steps; it stops the work by returning False or raising.
    allow_unsatisfied : bool, default False
        Hand out a release that fails; the result says so wherever it is shown.

    Returns
    -------
    Result or SparkRelease
        The release, of the kind of frame that came in, and what is known of it; of a frame of Spark, whose records are not in
        memory, a :class:`SparkRelease`.

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
    All that is random comes from the secret, which is saved in ``confidential/secret.txt``. A key that was drawn is saved in
    ``confidential/key.txt``; one that was given is not.

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
    chosen, hidden = require_policy(policy), chosen_secret(seed, secret)
    given = None if key is None else Key.of(key)
    if is_a(frame, "pyspark.sql", "DataFrame"):
        from ontomask.engines.spark import SparkEngine  # late: pyspark is optional

        return SparkEngine(frame, chosen, hidden, given).run(progress, allow_unsatisfied=allow_unsatisfied)
    engine = MemoryEngine(frame, chosen, hidden, given)
    return engine.run(progress, allow_unsatisfied=allow_unsatisfied)


class MemoryEngine(Engine[Result[Any]]):
    """All records are in memory, and so is the release."""

    prepared: Prepared

    def __init__(self, frame: Any, policy: Policy, secret: Secret, key: Key | None = None) -> None:
        super().__init__(policy, secret, key)
        self._frame = frame
        self._order: Longs | None = None

    def study(self, progress: Progress) -> Prepared:
        self.prepared = prepare(self._frame, self.policy, progress, key=self.key)
        return self.prepared

    def rows(self) -> Iterable[Rows]:
        return [self.prepared.table.rows]

    def mask(self, goals: Goals, rng: np.random.Generator, progress: Progress) -> list[Masked]:
        return self.method.mask_releases(goals, self.prepared.table, rng, progress)

    def write(self, each: Sequence[Masked]) -> list[Written]:
        if self.policy.row_order == "shuffled":
            released = int((each[0].group_of >= 0).sum())
            self._order = random_order(self.secret, self.prepared.table, each[0], released)
        return [self._written(masked) for masked in each]

    def _written(self, masked: Masked) -> Written:
        attributes, before = self.policy.attributes, self.prepared.taken.data
        data, notes = _decoded(self.prepared, masked), list[Statement]()
        if leaders := set(self.policy.followers.values()):
            given = before.select(leaders).filter(pl.Series(self.prepared.kept))
            data, notes = followers_of(attributes, self.prepared.data, given, data)
        data = written(data, attributes, before)
        if self._order is not None:
            data = data[self._order]
        data = _own_buffers(only_what_cells_show(data))
        return Written(self.prepared.examined.beside(data, self._stayed(masked)), [*notes, *formula_note([data])])

    def _stayed(self, masked: Masked) -> Longs:
        """The released records, in their order in the release."""
        stayed = np.flatnonzero(masked.group_of >= 0)
        return stayed if self._order is None else stayed[self._order]

    def discard(self) -> None:
        """Nobody has the frame."""

    def outcome(self, parts: Sequence[Verified], seconds: float, *, allow_unsatisfied: bool) -> Result[Any]:
        results = [
            Result(
                policy=self.policy,
                secret=self.secret,
                data=self.prepared.taken.restore(part.examined.data),
                verification=part.verification,
                examined=part.examined,
                prepared=self.prepared,
                masked=part.masked,
                records=np.flatnonzero(self.prepared.kept)[self._stayed(part.masked)],
                notes=part.notes,
                allow_unsatisfied=allow_unsatisfied,
                key=self.key,
            )
            for part in parts
        ]
        return replace(together(results), masking_seconds=seconds)


def _decoded(prepared: Prepared, masked: Masked) -> pl.DataFrame:
    """The release: masked columns, every other one on its row as it was."""
    if masked.sources is not None:
        # Values exactly as they are written, only elsewhere.
        moved = zip(prepared.table.columns, masked.sources, strict=True)
        return prepared.data.with_columns(prepared.data[column.name].gather(source) for column, source in moved)
    return decode(prepared.data, masked, shown_values(prepared.policy, prepared.table, masked))


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
