"""Generalization: more general values until the release satisfies the requirements (S18 4, T12 8)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, model_validator

from ontomask.arguments import did_you_mean
from ontomask.errors import PolicyError
from ontomask.hierarchies.above_sets import above_of
from ontomask.hierarchies.kinds import AnyHierarchy, levels_of
from ontomask.hierarchies.levels import ColumnLevels, Hierarchy, LossKind
from ontomask.masking.best_first import generalize_best_first
from ontomask.masking.candidates import levels_from
from ontomask.masking.full_domain import Search
from ontomask.masking.goals import Goals
from ontomask.masking.item_recoding import with_common_items
from ontomask.masking.local_generalization import generalize_groups
from ontomask.masking.method import DistanceMethod, Masked, MaskedTuples, TupleMethod
from ontomask.microdata.encoding import Table, Tuples
from ontomask.privacy.models import Model
from ontomask.progress import Progress, stretch
from ontomask.settings import DictOf, number, whole_number
from ontomask.statements import Statement, promised
from ontomask.wording import RECORD, Unit

if TYPE_CHECKING:
    from ontomask.masking.candidates import ReadReleased


def _level(asked: Any) -> int | str:
    """A level by its number, from 0 (the values themselves) up, or by its name, such as 'depth 4'."""
    if isinstance(asked, str) and not asked.strip().lstrip("+-").isdigit():
        return asked.strip()
    level = int(whole_number(asked))
    if level < 0:
        raise ValueError(f"{level} is not a level: 0 is the values themselves")
    return level


#: Suppression limits that a comparison tries.
SUPPRESSED = (0.0, 0.01, 0.05, 0.1)


class Generalization(TupleMethod, DistanceMethod):
    """Columns climb their hierarchies until every model that the policy requires holds.

    Notes
    -----
    ``search``: ``full_domain`` takes every column to one level and finds the least loss over all combinations of levels
    that satisfy the models, leaving out at most ``suppression_limit`` of the records; ``strategy`` takes the first of a
    list of combinations that does (S18 section 4); ``local`` forms groups of near records and shows of each what its
    values have in common: their lowest common subsumer; ``best_first`` searches for the grouping that loses least, by
    branch and bound, and expands at most ``budget`` states (T12 8.4.2).

    Examples
    --------
    >>> import ontomask as om
    >>> om.Generalization(hierarchies={"age": om.Intervals(width=5)}, suppression_limit=0.02)
    Generalization(hierarchies={'age': Intervals(width=5.0)}, suppression_limit=0.02)
    """

    name: Literal["generalization"] = "generalization"
    search: Literal["full_domain", "local", "best_first", "strategy"] = Field(
        default="full_domain",
        description="one level for a whole column (full_domain, strategy) or what a group has in common (local, best_first)",
    )
    hierarchies: DictOf[str, AnyHierarchy] = Field(
        default_factory=dict,
        description="by column; not given: its taxonomy, doubling intervals, or one level with all values",
    )
    suppression_limit: Annotated[float, BeforeValidator(number), Field(ge=0, lt=1)] = Field(
        default=0.0, description="the share of records that may be suppressed: 0.05 is one in twenty"
    )
    loss: LossKind = Field(
        default="ncp", description="what is minimized: ncp (part of the domain), semantic (distance), steps (levels)"
    )
    strategy: list[dict[str, Annotated[int | str, BeforeValidator(_level)]]] | None = Field(
        default=None, description="search strategy: levels by column, number or name, to be tried in this order"
    )

    budget: Annotated[int, BeforeValidator(whole_number), Field(ge=1)] | None = Field(
        default=None, description="search best_first: how many states it expands at most; not given: 20,000"
    )

    @model_validator(mode="after")
    def _strategy_has_a_meaning(self) -> Generalization:
        if (self.search == "strategy") != (self.strategy is not None):
            raise ValueError("search='strategy' needs strategy=, and no other search takes it")
        if self.strategy == []:
            raise ValueError("strategy: give at least one step, such as [{'age': 1}]")
        if self.in_groups and self.suppression_limit > 0:
            raise ValueError(
                f"suppression_limit has no meaning with search={self.search!r}, which suppresses no records"
            )
        if self.budget is not None and self.search != "best_first":
            raise ValueError("budget= needs search='best_first'")
        return self

    @property
    def in_groups(self) -> bool:
        """Do groups of records show what their values have in common, each group by itself?"""
        return self.search in ("local", "best_first")

    @property
    def refuses_sets(self) -> str | None:
        single = "search='best_first' takes single values: choose 'full_domain' or 'local'"
        return single if self.search == "best_first" else None

    @property
    def aims(self) -> bool:
        return True

    @property
    def draws(self) -> bool:
        return False

    @property
    def recognizable(self) -> bool:
        return True  # values are true, only less exact

    @property
    def named_hierarchies(self) -> Mapping[str, Hierarchy]:
        return self.hierarchies

    @property
    def takes_required_k(self) -> bool:
        return True

    def levels(self, required: int) -> list[int]:
        return levels_from(required) if required > 1 else []

    def variations(self, require: Sequence[Model]) -> dict[str, Self]:
        if self.in_groups or not all(model.suppressible for model in require):
            return {}  # nothing may be suppressed
        limits = sorted({self.suppression_limit, *SUPPRESSED})
        return {f"suppression_limit={limit:g}": self.changed(suppression_limit=limit) for limit in limits}

    def leaves_unmasked(self, require: Sequence[Model]) -> bool:
        """It goes no further than what is required."""
        return self.search != "strategy" and bool(require) and all(model.trivial for model in require)

    @property
    def no_baseline(self) -> str | None:
        named = "its strategy names levels that labels do not have" if self.search == "strategy" else None
        return super().no_baseline or named

    def on_labels(self, columns: Collection[str]) -> Self:
        """Labels have no levels: a label is shown, or no value at all."""
        kept = {name: levels for name, levels in self.hierarchies.items() if name not in columns}
        return super().on_labels(columns).changed(hierarchies=kept)

    def column_levels(self, table: Tuples) -> list[ColumnLevels]:
        """The levels of every quasi-identifier."""
        unknown = [name for name in self.hierarchies if name not in {column.name for column in table.columns}]
        if unknown:
            names = [column.name for column in table.columns]
            raise PolicyError(
                f"a hierarchy is given for {unknown[0]!r}, which is not a quasi-identifier",
                remedy=did_you_mean(unknown[0], names) + f"There are: {', '.join(names)}.",
            )
        return [levels_of(column, self.hierarchies.get(column.name)) for column in table.columns]

    def by_tuple(self, table: Tuples) -> bool:
        return not self.in_groups

    def mask_tuples(self, goals: Goals, table: Tuples, rng: np.random.Generator, progress: Progress) -> MaskedTuples:
        levels = self._levels_for(goals, table, progress)
        levels, notes = with_common_items(goals, table, levels, self.hierarchies, stretch(progress, 0.0, 0.3))
        search = Search(self, table, levels, goals, stretch(progress, 0.3, 1.0) if notes else progress)
        search.notes += notes
        return search.run()

    def mask_for(self, goals: Goals, table: Table, rng: np.random.Generator, progress: Progress) -> Masked:
        if self.by_tuple(table):
            return super().mask_for(goals, table, rng, progress)
        search = generalize_groups if self.search == "local" else generalize_best_first
        return search(self, table, self._levels_for(goals, table, progress), goals, progress)

    def _levels_for(self, goals: Goals, table: Tuples, progress: Progress) -> list[ColumnLevels]:
        """The levels that are searched; an error where the search cannot aim at what is required."""
        goals.require_some("generalization")
        items = next((model for model in goals.models if model.item_column is not None), None)
        if self.in_groups and items is not None:
            raise PolicyError(
                f"search={self.search!r} cannot aim at {items.describe()}: it does not recode items in all records",
                remedy="Choose search='full_domain'.",
            )
        whole = next((model for model in goals.models if not model.suppressible), None)
        if self.suppression_limit > 0 and whole is not None:
            raise PolicyError(
                f"{whole.title} cannot be combined with suppression: removing a record makes other combinations smaller, too",
                remedy="Set suppression_limit to 0, or require k-anonymity.",
            )
        progress(0.0, "building hierarchies")
        return self.column_levels(table)

    @property
    def read_released(self) -> ReadReleased:
        return self._read_levels

    def _read_levels(self, table: Table, released: Mapping[str, pl.Series], stayed: NDArray[np.bool_]) -> Masked | None:
        """Intervals, concepts and masked texts, read by the hierarchies; None where a record shows what no level shows."""
        nodes = []
        columns = [above_of(levels, levels=not self.in_groups) for levels in self.column_levels(table)]
        for above, codes in zip(columns, table.codes, strict=True):
            own = codes[table.rows.tuple_of][stayed]
            found = above.read(own, released[above.column.name], one=not self.in_groups)
            if found is None:
                return None
            nodes.append(found)
        group_of = np.full(table.n, -1, dtype=np.int32)
        _, first, of = np.unique(np.array(nodes), axis=1, return_index=True, return_inverse=True)
        group_of[stayed] = of.reshape(-1)
        shown = [found[first] for found in nodes]
        return Masked(
            group_of,
            [above.centres[own] for above, own in zip(columns, shown, strict=True)],
            shown=[above.shown(own).cast(pl.String) for above, own in zip(columns, shown, strict=True)],
            penalty=[above.penalty[own] for above, own in zip(columns, shown, strict=True)],
        )

    @property
    def title(self) -> str:
        return "Generalization"

    def explain(self, unit: Unit = RECORD) -> str:
        how = {
            "local": "Similar records show what their values have in common; the search kept the loss small",
            "best_first": "A search for the least loss put records into groups, which show what their values have in common",
        }.get(self.search, "Each column shows one level of its hierarchy; the search kept the loss small")
        left = (
            f" Up to {self.suppression_limit:.1%} of the records could be suppressed." if self.suppression_limit else ""
        )
        return f"Values were replaced by more general ones. {how}.{left}"

    def assurances(self, unit: Unit = RECORD) -> list[Statement]:
        what = (
            "Every column shows one level of its hierarchy in all records"
            if not self.in_groups
            else "Every group of records shows what its values have in common"
        )
        left = (
            f"; at most {self.suppression_limit:.1%} of the records are suppressed (without those dropped for missing values)"
            if self.suppression_limit > 0
            else ""
        )
        counting = "" if unit == RECORD else f" and counted {unit.many}"
        search = f"the search aimed at what is required{counting}"
        return [promised(f"Values are true, only less exact. {what}{left}; {search}.")]
