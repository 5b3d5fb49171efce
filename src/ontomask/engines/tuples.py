"""``TupleEngine``: a table whose records are not in memory; what is, are its distinct combinations of values, counted."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl

from ontomask.arrays import Longs
from ontomask.column_names.repeated_identifiers import Repeating, repeating_column
from ontomask.direct_identifiers.cells import Cells
from ontomask.engines.engine import Engine, Verified, Written, shown_values
from ontomask.engines.steps import RecordStep, ReleaseStep, TuplePlaces
from ontomask.errors import DataError, PolicyError
from ontomask.masking.goals import Goals
from ontomask.masking.method import Masked, MaskedTuples, TupleMethod
from ontomask.masking.randomness import Secret
from ontomask.microdata.codes import count_pairs
from ontomask.microdata.columns import Codes
from ontomask.microdata.dtypes import restore_dtype
from ontomask.microdata.encoding import Rows
from ontomask.microdata.formulas import formulas_noted
from ontomask.microdata.keys import Key
from ontomask.microdata.open_table import markers_of, open_table
from ontomask.policy.policy import Policy
from ontomask.policy.prepared import Original, original_of, removed_columns, with_pseudonyms
from ontomask.policy.verification import Verification
from ontomask.privacy.column_models import ColumnModel
from ontomask.privacy.contents import ContentCheck, FittingValues, NoIdentifiers
from ontomask.privacy.examined import Examined
from ontomask.privacy.models import Finding
from ontomask.privacy.units import Units
from ontomask.progress import Progress
from ontomask.release.guarantees import guarantees, marks_of
from ontomask.statements import Statement, note
from ontomask.wording import RECORD


@dataclass(frozen=True, eq=False)
class Release:
    """What is known of a release that is not in memory."""

    policy: Policy
    secret: Secret
    verification: Verification
    notes: list[Statement]
    caveats: list[Statement]
    #: What pseudonyms were derived from. It is for the caller to keep, for its owner alone.
    key: Key | None = None

    @property
    def guarantees(self) -> list[Statement]:
        """What holds of the release and under which assumptions; what fails comes first. For the steward."""
        return guarantees(self.policy, self.verification, self.caveats, marks_of(self.policy, self.secret))


class TupleEngine(Engine[Release]):
    """Counts the combinations of values that occur, masks their tuples, and has the records of the release written.

    Combinations are of the columns that are masked or that a model looks at. Where the records are is known to a derived
    class alone: it counts and writes them, chunk by chunk or in other processes.
    """

    #: Can it write records in random order?
    shuffles: ClassVar[bool] = False
    original: Original
    #: Of each record, where the method decides by record.
    _combination_of: Codes | None = None

    def __init__(self, policy: Policy, secret: Secret, key: Key | None = None) -> None:
        super().__init__(policy, secret, key)
        if policy.unit != RECORD:
            raise PolicyError(
                f"{policy.unit.many} are not counted in a table that is read in chunks",
                remedy="Use anonymize, which has all records in memory.",
            )
        if policy.followers:
            raise PolicyError(
                f"{next(iter(policy.followers))!r} follows another column, which is not done in a table that is read in chunks",
                remedy="Use anonymize, which has all records in memory.",
            )
        if policy.row_order == "shuffled" and not self.shuffles:
            raise PolicyError(
                "records that are not in memory cannot be shuffled", remedy="Set row_order: kept, or use anonymize."
            )

    # ---- what a derived class does ---------------------------------------------------------------------------------------

    @abstractmethod
    def first(self) -> pl.DataFrame | None:
        """Some records as they are stored, or none of them: the columns with their types. None: there is no record."""

    @abstractmethod
    def count(self, step: RecordStep, names: Sequence[str]) -> tuple[pl.DataFrame, Longs]:
        """The distinct combinations of values of these columns in what the step makes of the table, and their counts.

        The step has then seen the whole table. Combinations are in the order of :meth:`rows`.
        """

    @abstractmethod
    def combination_of_records(self) -> Codes:
        """Which of the combinations each record has, in the order of :meth:`rows`: what methods that decide by record have of
        the table, four bytes a record."""

    @abstractmethod
    def write_records(self, step: ReleaseStep) -> None:
        """Write what the step makes of the table."""

    @abstractmethod
    def columns_written(self) -> list[str]:
        """The columns of the release, read back."""

    @abstractmethod
    def count_written(self, names: Sequence[str]) -> tuple[pl.DataFrame, Longs]:
        """The distinct combinations of values of these columns in the release, read back, and their counts."""

    def values_written(self, name: str) -> tuple[pl.DataFrame, Longs]:
        """The different values of a column of the release, and their counts; of pseudonyms, those that are none will do."""
        return self.count_written([name])

    @abstractmethod
    def formulas_written(self) -> Mapping[str, int]:
        """By column, how many cells of the release a spreadsheet would take for formulas (:func:`formula_cells`)."""

    # ---- the steps of a run ----------------------------------------------------------------------------------------------

    def study(self, progress: Progress) -> Original:
        progress(0.0, "counting combinations of values")
        some = self.first()
        if some is None:
            raise DataError("the table has no rows", remedy="Check the filter or the query that made it.")
        policy, notes = self.policy, list[Statement]()
        attributes = policy.attributes
        first = open_table(some, attributes, reading=policy.reading, unread=policy.drops, may_be_empty=True).native
        self._before, self._removed = first.data, removed_columns(first.data, policy, notes)
        self._columns = [name for name in first.data.columns if name not in self._removed]
        looked_at = {name for model in policy.require for name in model.sensitive_columns(attributes)}
        self._names = [n for n in self._columns if n in looked_at.union(policy.studied, policy.quasi_identifiers)]
        self._seen = self._step()
        data, counts = self.count(self._seen, self._names)
        try:
            original = original_of(
                data,
                policy,
                first,
                Units(counts=counts),
                counted_column=self._counted_column,
                repeating=self.repeating,
            )
        except DataError as problem:
            if problem.rows:
                self.tell_records(problem, data)
            raise
        for name in policy.pseudonyms:  # in chunks, two values with the same token might not meet
            self.require_distinct_pseudonyms(name)
        if markers_of(attributes, policy.reading):
            notes.append(note("missing markers became missing values"))
        self.original = replace(original, notes=[*notes, *self._seen.notes, *original.notes])
        return self.original

    def tell_records(self, problem: DataError, combinations: pl.DataFrame) -> None:
        """Let an error whose ``rows`` are combinations say so."""
        problem.add("These numbers count different combinations of values, not records.")
        problem.rows = []

    def repeating(self, name: str) -> Repeating | None:
        """An identifier, if several records share it."""
        values, counts = self._counted_column(name)
        return repeating_column(values.alias(name), counts)

    def require_distinct_pseudonyms(self, name: str) -> None:
        """An error if two values of an identifier get the same token."""
        if self.key is not None:
            with_pseudonyms(self._counted_column(name)[0].to_frame(), self.policy, self.key)

    def mask(self, goals: Goals, rng: np.random.Generator, progress: Progress) -> list[Masked]:
        table = self.original.table
        self._combination_of = None
        if not isinstance(self.method, TupleMethod) or not self.method.by_tuple(table):
            return self.mask_records(goals, rng, progress)
        return [self.method.mask_tuples(goals, table, rng, progress).tuples]

    def mask_records(self, goals: Goals, rng: np.random.Generator, progress: Progress) -> list[Masked]:
        """The same where the method decides by record: records of one combination are equal in all that it sees."""
        if self.method.releases > 1:
            raise PolicyError(
                f"{self.method.name} makes several releases, which is not done where records are not in memory",
                remedy="Choose another method, or give anonymize a frame or a file that fits into memory.",
            )
        table = self.original.table
        self._combination_of = self.combination_of_records()
        rows = Rows(table.rows.tuple_of[self._combination_of], table.p)
        goals = goals.of_records(self._combination_of, rows)
        return [self.method.mask_for(goals, replace(table, rows=rows), rng, progress)]

    def sources_of(self, masked: Masked) -> list[Codes] | None:
        """Of methods that only rearrange values: by column, the combination whose value each record shows."""
        if self._combination_of is None or masked.sources is None:
            return None
        return [self._combination_of[source] for source in masked.sources]

    def counted(self, masked: Masked) -> tuple[Original, Masked]:
        """The combinations and what became of each; one whose records are in several groups stands once for each of these."""
        original, of = self.original, self._combination_of
        table, examined = original.table, original.examined
        if of is None:
            return original, MaskedTuples(masked).on(table.rows)
        combination, place, counts = count_pairs(of, masked.group_of + 1, masked.groups + 1)
        units = Units(counts=counts)
        examined = Examined.of(original.data[combination], examined.attributes, units, examined.meanings)
        table = replace(table, rows=Rows(table.rows.tuple_of[combination], table.p, counts))
        group_of = (place - 1).astype(np.int32)
        return replace(original, examined=examined, table=table), replace(masked, group_of=group_of, sources=None)

    def write(self, each: Sequence[Masked]) -> list[Written]:
        (masked,) = each
        self.write_records(self.release_step(masked))
        data, counts = self.count_written(self._names)
        unread = pl.repeat(None, len(data), dtype=pl.Null, eager=True)
        every = self.columns_written()
        data = pl.DataFrame([data[name] if name in self._names else unread.alias(name) for name in every])
        meanings = self.original.examined.meanings
        examined = Examined.of(data, self.policy.attributes, Units(counts=counts), meanings)
        return [Written(examined, formulas_noted(self.formulas_written()))]

    def release_step(self, masked: Masked) -> ReleaseStep:
        """What makes the records of the release; ``masked``: what became of each tuple."""
        shown = [
            restore_dtype(values, self._before[values.name])
            for values in shown_values(self.policy, self.original.table, masked)
        ]
        attributes = {**self.policy.attributes, **self.read_as}
        masked_names = {values.name for values in shown}
        coded = {values.name for values in shown if attributes[values.name].shows_codes(values)}
        return ReleaseStep(
            records=self._step(),
            places=self.places,
            masked=MaskedTuples(masked),
            shown=shown,
            removed=self._removed,
            attributes=attributes,
            before=self._before,
            coded=self._seen.coded if masked.sources is not None else coded | (self._seen.coded - masked_names),
            key=self.key,
            moved=[column.name for column in self.original.table.columns],
        )

    def verify(self, table: Examined, original: Original, masked: Masked) -> Verification:
        """What the models say of what was written, and what else fails in it, also in columns that no model looks at."""
        found = [self._by_column(f) for f in super().verify(table, original, masked)]
        return Verification([*found, *(finding for finding in self._alone() if not finding.holds)])

    def _by_column(self, finding: Finding) -> Finding:
        """The finding, or what a model finds that looks at every column: each is counted by itself."""
        if not isinstance(finding.model, ColumnModel):
            return finding
        columns = (self.values_written(name) for name in self.columns_written())
        cells = (Cells.of(data.to_series(), counts) for data, counts in columns)
        return finding.model.check_columns(cells, self.policy.attributes)

    def _alone(self) -> Iterator[Finding]:
        """What is found in such columns, where it counts whatever their role: each is counted by itself."""
        attributes = self.policy.attributes
        for name in self._columns:
            pseudonym, attribute = name in self.policy.pseudonyms, attributes.get(name)
            if attribute is None or name in self._names:
                continue
            if attribute.converts or not attribute.all_fit(self._before[name].dtype):
                data, counts = self.values_written(name)
                check: ContentCheck = NoIdentifiers() if pseudonym else FittingValues()
                yield check.check_table(Examined.of(data, attributes, Units(counts=counts)))

    @property
    def read_as(self) -> dict[str, Any]:
        """The attributes of converted columns, with the form that most of their values have in the whole table."""
        return self._seen.conversions.as_read(self._before)

    def outcome(self, parts: Sequence[Verified], seconds: float, *, allow_unsatisfied: bool) -> Release:
        (part,) = parts
        caveats = [*part.masked.caveats, *self.original.shared_identifiers]
        return Release(self.policy, self.secret, part.verification, part.notes, caveats, self.key)

    @property
    def uncounted(self) -> list[str]:
        """The sensitive columns that are not among those whose combinations are counted."""
        others = set(self._columns).difference(self._names)
        return [
            name
            for name, attribute in self.policy.attributes.items()
            if attribute.role == "sensitive" and name in others
        ]

    @property
    def places(self) -> TuplePlaces:
        """Where the tuple of a record is found."""
        return TuplePlaces.of(self.original.data, self.original.table)

    def _step(self) -> RecordStep:
        return RecordStep(self.policy, self._columns)

    def _counted_column(self, name: str) -> tuple[pl.Series, Longs]:
        data, counts = self.count(self._step(), [name])
        return data[name], counts
