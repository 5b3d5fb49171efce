"""Microaggregation: near records form groups of at least k, and every group shows its centroid (T12 ch. 6, M13 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from ontomask.arguments import counted, did_you_mean
from ontomask.masking.blocks import BlockSize, Form, blocks_for, formed_in_blocks
from ontomask.masking.closeness_groups import Joined, closest
from ontomask.masking.goals import Goals
from ontomask.masking.hybrid import draw_hybrid
from ontomask.masking.method import AggregationMethod, Masked, MaskedTuples, TupleMethod
from ontomask.masking.optimal import has_optimum, optimal, refuses_optimum, require_optimum
from ontomask.masking.partitions import adaptive, mdav
from ontomask.masking.published import PRESETS
from ontomask.masking.refinement import refined_groups
from ontomask.masking.repair import merge_tuples_until, merge_until
from ontomask.microdata.encoding import Rows, Table, Tuples
from ontomask.operators.aggregation import Operators
from ontomask.operators.record_distance import AUTO, DISTANCE, ChosenDistance
from ontomask.progress import Progress, stretch
from ontomask.settings import validated
from ontomask.statements import Statement, caveat, note, promised
from ontomask.wording import RECORD, Unit

Partition = Literal["auto", "mdav", "adaptive", "adaptive_static", "optimal"]

#: These may put equal records into different groups.
ONE_BY_ONE = ("mdav", "optimal")

#: Changes for the worse that a descent tries: for each record or tuple, in all, and times those of a group.
EACH, IN_ALL, OF_LARGE = 8, 6_000, 500_000
#: Records or tuples, times those of a group, up to which a descent is made whatever k is: about half a minute. Of smaller
#: groups it is always made.
MOST_WORK, SMALL_GROUP = 10_000_000, 20


class Microaggregation(TupleMethod, AggregationMethod):
    """Groups of at least k near records, each replaced by its centre.

    Notes
    -----
    ``partition``: ``mdav`` forms groups of exactly k (T12 Alg. 3); ``adaptive`` keeps equal records together and follows the
    centre of a growing group (SA-MDAV, T12 Alg. 4), ``adaptive_static`` its first record; ``optimal``, of a single column on
    a line, has the least loss (Hansen & Mukherjee 2003); ``auto`` is optimal where that is known, else adaptive.
    ``distance``: ``auto`` is balanced, as IL measures. ``refine``: records, or tuples, move or change places, and groups
    dissolve or split, while that lowers the total distance from the centroids (after ONA, Soria-Comas et al. 2019). ``hybrid``
    draws for each value one at most as far away as the farthest of its group (M13 Alg. 1, D12 Alg. 2), without k-anonymity.

    Examples
    --------
    >>> Microaggregation.preset("sa_mdav", k=5).partition
    'adaptive'
    """

    name: Literal["microaggregation"] = "microaggregation"
    partition: Partition = Field(default="auto", description="auto, mdav, adaptive, adaptive_static or optimal")
    distance: ChosenDistance = Field(default="auto", description=DISTANCE)
    refine: Literal["none", "descent", "thorough"] = Field(
        default="descent",
        description="none, descent or thorough: how long groups are improved while that lowers the loss",
    )
    passes: int = Field(
        default=100, ge=1, description="tries of a thorough refinement, as a multiple of what is grouped"
    )
    block_size: BlockSize = Field(
        default="auto",
        description="distinct combinations in a block, at most; auto: 20,000; exact: one block",
    )
    replace: Literal["centroid", "hybrid"] = Field(
        default="centroid", description="a record shows its group's centre, or values drawn near its own"
    )

    @model_validator(mode="before")
    @classmethod
    def _with_preset(cls, given: Any) -> Any:
        if not isinstance(given, dict) or "preset" not in given:
            return given
        preset = given["preset"]
        if not isinstance(preset, str) or preset not in PRESETS:
            raise ValueError(f"no preset {preset!r}. {did_you_mean(preset, PRESETS)}There are: {', '.join(PRESETS)}")
        return PRESETS[preset] | {name: value for name, value in given.items() if name != "preset"}

    @model_validator(mode="after")
    def _comparison_has_a_meaning(self) -> Microaggregation:
        if self.partition in ONE_BY_ONE and self.comparison == "weighted":
            raise ValueError(
                f"comparison='weighted' has no effect with partition={self.partition!r}, which handles records one by one: "
                "leave it out, or choose 'adaptive'"
            )
        return self

    @model_validator(mode="after")
    def _refinement_has_a_meaning(self) -> Microaggregation:
        if self.replace == "hybrid" and self.refine != "none" and "refine" in self.model_fields_set:
            raise ValueError(
                f"refine={self.refine!r} brings records nearer to centres, which replace='hybrid' does not show: leave one out"
            )
        if self.partition == "optimal" and self.refine != "none" and "refine" in self.model_fields_set:
            raise ValueError(
                f"refine={self.refine!r} has no effect with partition='optimal': no other groups lose less. Leave one out"
            )
        if self.partition == "optimal" and "block_size" in self.model_fields_set and self.block_size != "exact":
            raise ValueError("block_size has no effect with partition='optimal', which sorts all records: leave it out")
        if self.refine != "thorough" and "passes" in self.model_fields_set:
            raise ValueError("passes have no effect without refine='thorough': leave them out")
        return self

    @classmethod
    def preset(cls, preset: str, k: int, **changes: Any) -> Microaggregation:
        """A published method by name.

        Parameters
        ----------
        preset : str
            Such as sa_mdav; a wrong name is answered with all of them.
        k : int
            The least size of a group.
        **changes
            Settings to replace.

        Returns
        -------
        Microaggregation
            The method with the settings of its paper.
        """
        made: Microaggregation = validated(cls, {"k": k, "preset": preset, **changes})
        return made

    @property
    def refuses_sets(self) -> str | None:
        return super().refuses_sets if self.replace == "centroid" else "hybrid values are single values"

    def refuses_columns(self, columns: Sequence[str]) -> str | None:
        return refuses_optimum(columns) if self.partition == "optimal" else None

    @property
    def aims(self) -> bool:
        return self.replace == "centroid"

    @property
    def promised_k(self) -> int:
        return self.k if self.replace == "centroid" else 1

    @property
    def recognizable(self) -> bool:
        return self.replace == "centroid"  # hybrid values are drawn at random

    @property
    def label(self) -> str:
        published = (name for name in PRESETS if self == self.preset(name, k=self.k))
        return next(published, super().label)

    @property
    def draws(self) -> bool:
        return self.replace == "hybrid" and self.k > 1

    def _effective_partition(self, table: Tuples) -> str:
        """The partition that ``auto`` means for a table."""
        if self.partition != "auto":
            return self.partition
        return "optimal" if has_optimum(table) else "adaptive"

    def by_tuple(self, table: Tuples) -> bool:
        return self._effective_partition(table) not in ONE_BY_ONE and not self.draws

    def mask_tuples(self, goals: Goals, table: Tuples, rng: np.random.Generator, progress: Progress) -> MaskedTuples:
        operators = self._begin(table, progress)
        notes = self._chosen(table)
        group_of, groups = self._adaptive(operators, notes, progress)
        joined = Joined(*merge_tuples_until(goals, operators, group_of, groups, stretch(progress, 0.9, 0.95)))
        return MaskedTuples(self._joined(operators, table.as_rows, joined, notes, progress))

    def mask_for(self, goals: Goals, table: Table, rng: np.random.Generator, progress: Progress) -> Masked:
        """Groups that fail a required model are joined with the nearest until it holds; a note says how many."""
        if self.by_tuple(table):
            return super().mask_for(goals, table, rng, progress)
        operators, notes = self._begin(table, progress), self._chosen(table)
        partition, formed = self._effective_partition(table), stretch(progress, 0.0, self._formed)
        if partition == "optimal":
            group_of, groups = optimal(operators, table.rows, self.k, formed)
        elif partition == "mdav":
            refines = self._begins_to_refine(operators, len(table.rows), notes)
            group_of, groups = self._form(operators, table.rows, self._mdav, notes, formed)
            if refines:
                group_of, groups = self._refined(operators, table.rows, group_of, groups, notes, progress)
        else:
            group_of, groups = self._adaptive(operators, notes, progress)
            group_of = group_of[table.rows.tuple_of]
        if self.draws:
            own = [table.codes_of(a) for a in range(len(table.columns))]
            codes = draw_hybrid(operators.distance.metrics, own, group_of, groups, rng, stretch(progress, 0.9, 1.0))
            notes = [*notes, note(f"values drawn within {counted(groups, 'group')}")]
            return Masked.of_codes(table, codes, notes=notes)
        joined = Joined(*merge_until(goals, operators, group_of, groups, stretch(progress, 0.9, 0.95)))
        if self._refines and partition in ONE_BY_ONE:  # elsewhere equal records stay together
            joined = closest(goals, operators, table.rows, self.k, joined, stretch(progress, 0.9, 0.95))
        return self._joined(operators, table.rows, joined, notes, progress)

    def _begin(self, table: Tuples, progress: Progress) -> Operators:
        self.require_enough(table)
        if self.partition == "optimal":
            require_optimum(table)
        progress(0.0, "measuring distances between values")
        return self.operators(table)

    def _chosen(self, table: Tuples) -> list[Statement]:
        """What ``auto`` has chosen."""
        partition = self._effective_partition(table)
        chosen = {"distance": AUTO, "partition": partition}
        notes = [note(f"{name}: {value}") for name, value in chosen.items() if getattr(self, name) == "auto"]
        if partition in ONE_BY_ONE and self.comparison == "weighted":
            notes.append(note(f"comparison='weighted' has no effect here: {partition} handles records one by one"))
        if partition == "optimal" and self.refine == "thorough":
            notes.append(note("refine='thorough' has no effect here: no other groups of this column lose less"))
        return notes

    def _adaptive(
        self, operators: Operators, notes: list[Statement], progress: Progress
    ) -> tuple[NDArray[np.int32], int]:
        """Adaptive groups of tuples, refined."""
        refines = self._begins_to_refine(operators, operators.tuples.p, notes)
        group_of, groups = self._form(
            operators, None, self._adaptive_groups, notes, stretch(progress, 0.0, self._formed)
        )
        return self._refined(operators, None, group_of, groups, notes, progress) if refines else (group_of, groups)

    def _mdav(self, operators: Operators, rows: Rows | None, progress: Progress) -> tuple[NDArray[np.int32], int]:
        return mdav(operators, operators.tuples.as_rows if rows is None else rows, self.k, progress)

    def _adaptive_groups(
        self, operators: Operators, rows: Rows | None, progress: Progress
    ) -> tuple[NDArray[np.int32], int]:
        weighted, static = self.comparison == "weighted", self.partition == "adaptive_static"
        return adaptive(operators, self.k, weighted=weighted, static=static, progress=progress)

    def _form(
        self, operators: Operators, rows: Rows | None, form: Form, notes: list[Statement], progress: Progress
    ) -> tuple[NDArray[np.int32], int]:
        """Groups of all rows, or tuples, at once, or in blocks; then a note says in how many."""
        blocks = blocks_for(operators, self.block_size, self.k, progress)
        if blocks is None:
            return form(operators, rows, progress)
        notes.append(
            note(f"groups formed in {len(blocks):,} blocks of at most {blocks.largest:,} distinct combinations")
        )
        return formed_in_blocks(operators, blocks, rows, form, progress)

    @property
    def _refines(self) -> bool:
        """Groups are refined where they show their centroids, and there are any."""
        return self.refine != "none" and self.replace == "centroid" and self.k > 1

    def _of_group(self, operators: Operators, items: int) -> float:
        """How many of the rows, or tuples, a group has."""
        return max(1.0, self.k * items / operators.tuples.size)

    def _begins_to_refine(self, operators: Operators, items: int, notes: list[Statement]) -> bool:
        """Will groups of so many rows, or tuples, be refined? A note says why not. What it needs is prepared meanwhile."""
        if not self._refines:
            return False
        if operators.space.sets is not None:
            notes.append(note("groups were not refined: refinement does not handle columns of sets"))
            return False
        of_group = self._of_group(operators, items)
        if self.refine == "descent" and of_group > SMALL_GROUP and items * of_group > MOST_WORK:
            notes.append(
                note("groups were not refined: so many groups of this size take too long to refine by descent")
            )
            return False
        operators.neighbours  # noqa: B018 - begins to look for them
        return True

    def _refined(
        self,
        operators: Operators,
        rows: Rows | None,
        group_of: NDArray[np.int32],
        groups: int,
        notes: list[Statement],
        progress: Progress,
    ) -> tuple[NDArray[np.int32], int]:
        """Groups of rows, or of tuples, refined; a note says what it gave."""
        items = len(group_of)
        few = min(EACH * items, IN_ALL, int(OF_LARGE / self._of_group(operators, items)))
        tries = self.passes * items if self.refine == "thorough" else few
        rest = stretch(progress, self._formed, 0.9)
        group_of, groups, left = refined_groups(operators, rows, group_of, groups, self.k, tries, rest)
        notes.append(note(f"refinement lowered the total distance from the centroids by {1 - left:.1%}"))
        return group_of, groups

    @property
    def _formed(self) -> float:
        """How far masking is when groups are formed."""
        return 0.5 if self._refines else 0.9

    def _joined(
        self, operators: Operators, rows: Rows, joined: Joined, notes: list[Statement], progress: Progress
    ) -> Masked:
        """Groups of rows, some of them joined until what is required held, as they are shown."""
        notes = [*notes, *joined.notes]
        if joined.joined:
            number = counted(joined.joined, "group")
            notes.append(
                note(f"{number} joined with the nearest one until the required models held, {joined.groups:,} left")
            )
        group_of, groups = joined.group_of, joined.groups
        return self.aggregated(operators, rows, group_of, groups, stretch(progress, 0.95, 1.0), notes)

    @property
    def title(self) -> str:
        return "Microaggregation"

    def explain(self, unit: Unit = RECORD) -> str:
        groups = f"Similar records were put into groups of at least {unit.counted(self.k)}. "
        if self.k == 1:
            return "k is 1: values were changed only as far as the requirements made it necessary, if at all."
        if self.replace == "hybrid":
            return (
                groups + "Each value was then replaced by one drawn at random near it, within the range of its group."
            )
        return groups + "Every record of a group now shows the same values: the centroid of the group."

    def assurances(self, unit: Unit = RECORD) -> list[Statement]:
        if self.k == 1:
            return [
                caveat("k is 1: the method by itself masks nothing. Records are protected only by what is required.")
            ]
        return self._assured(unit)

    def _assured(self, unit: Unit) -> list[Statement]:
        if self.replace == "hybrid":
            return [
                caveat(
                    "Hybrid data: every value was replaced by a random one, at most as far away as the farthest value of its "
                    f"group of at least {unit.counted(self.k)}. Such data are not k-anonymous: a record may show its own "
                    "values again, and may be unique. Judge the release by record linkage."
                )
            ]
        return [
            promised(
                f"Every combination of masked quasi-identifiers is shared by at least {unit.counted(self.k)}: all "
                "records of a group show its centroid."
            )
        ]
