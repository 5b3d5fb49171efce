"""t-closeness (Li et al. 2007): sensitive values of every class are distributed nearly as in the whole table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ontomask.arrays import TIE, Floats, Longs
from ontomask.distances.measures import get_measure
from ontomask.errors import DataError
from ontomask.privacy.apart import semantic_distances
from ontomask.privacy.judges import ClassRows, Judge
from ontomask.privacy.l_diversity import sensitive_names
from ontomask.privacy.models import WholeTableModel
from ontomask.privacy.transport import EqualGround, OrderedGround, TableGround, TreeGround, least_after
from ontomask.privacy.value_order import own_places, semantic_places
from ontomask.taxonomy.dag import Dag
from ontomask.wording import RECORD, Unit

if TYPE_CHECKING:
    from ontomask.privacy.sensitive import Sensitive, Values

Ground = Literal["equal", "ordered", "hierarchical", "semantic"]


class TCloseness(WholeTableModel):
    """The earth mover's distance between the sensitive values of a class and those of the whole table is at most t.

    Notes
    -----
    ``ground`` says how far apart two values are: ``equal``, 1; ``ordered``, their ranks' difference over the number of
    values less one (numbers, ordered categories); ``hierarchical``, the height of what subsumes both over the height of
    the taxonomy (Li et al. 4.3); ``semantic``, the measure of the column. Distances are exact. Spellings of one text are
    one value, missing values and texts such as NA another. The whole table is the original where that is at hand, as in
    a run; suppression does not change it.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [50, 50, 25, 25], "pay": [1, 2, 3, 4]})
    >>> print(TCloseness(t=0.2, attribute="pay", ground="ordered").check(frame, ["age"]))
    FAILS: 0.2-closeness of pay (ordered): 2 of 2 classes fail (4 records in all); the farthest is at 0.333
    (from the table itself)
    """

    terms: ClassVar[tuple[str, ...]] = ("t-closeness",)
    name: Literal["t_closeness"] = "t_closeness"
    attribute: str | None = Field(
        default=None, kw_only=False, description="the sensitive column; not given: every sensitive one"
    )
    ground: Ground = Field(default="equal", description="equal, ordered, hierarchical or semantic")

    @property
    def named_attribute(self) -> str | None:
        return self.attribute

    def sensitive_columns(self, attributes: Mapping[str, Any]) -> list[str]:
        return sensitive_names(self.attribute, attributes, self.describe())

    def judge(self, sensitive: Sensitive) -> TClosenessJudge:
        grounds = {
            name: ground_of(column, self.ground, sensitive.weights(column))
            for name, column in sensitive.columns.items()
        }
        values = {name: len(column) for name, column in sensitive.columns.items()}
        ordered = sensitive.columns.items() if self.ground == "ordered" else ()
        places = {name: _places(column) for name, column in ordered}
        return TClosenessJudge(self, grounds, values, places, sensitive.columns)

    def aside_parts(self, sensitive: Sensitive) -> list[str]:
        missing = sensitive.missing_in_words("counted as one value") if sensitive.silent else []
        return [*missing, *sensitive.spellings()]

    def describe(self) -> str:
        return f"{self.t:g}-closeness" + (f" of {self.attribute}" if self.attribute else "") + f" ({self.ground})"

    @property
    def title(self) -> str:
        return "t-closeness"

    def explain(self, unit: Unit = RECORD) -> str:
        of = f"of {self.attribute}" if self.attribute else "of each sensitive column"
        return (
            f"In every class the values {of} are distributed as in the whole table, up to a distance of {self.t:g} "
            "(0: the same, 1: the largest)."
        )

    @property
    def trivial(self) -> bool:
        return self.t >= 1


@dataclass(frozen=True)
class TClosenessJudge(Judge):
    """The distance of each class from the whole, of the farthest column."""

    model: TCloseness
    grounds: Mapping[str, Any]
    values: Mapping[str, int]
    places: Mapping[str, Longs]
    columns: Mapping[str, Values]

    def order(self, name: str) -> Longs:
        """The rank of each value of a column, whatever the ground is: by size, or by meaning."""
        places = self.places.get(name)
        return semantic_places(self.columns[name]) if places is None else places

    def figures(self, rows: ClassRows) -> Floats:
        found = []
        for name, ground in self.grounds.items():
            code = rows.codes[name]
            places = self.places.get(name)
            code = code if places is None else places[code]
            found.append(ground.distances(rows.pairs(code, self.values[name], shared=True)))
        most: Floats = np.maximum.reduce(found)
        return most

    def fails(self, figures: Floats) -> NDArray[np.bool_]:
        return figures > self.model.t + TIE

    def stays_failed(self, figures: Floats, joined: float) -> NDArray[np.bool_]:
        return self.fails(least_after(figures, joined, self.grounds.values()))


def ground_of(column: Values, ground: Ground, weights: NDArray[Any]) -> Any:
    """How far apart the values of a column are; ``weights`` of each in the whole table."""
    if ground == "equal":
        return EqualGround(weights / weights.sum())
    if ground == "ordered":
        return OrderedGround((weights / weights.sum())[np.argsort(_places(column))])
    if column.concepts is None:
        raise DataError(
            f"{ground} closeness needs a taxonomy",
            where=f"column {column.name!r}",
            remedy="Call it Nominal(taxonomy=...) in the policy, or choose ground equal or ordered.",
        )
    if (column.concepts < 0).any():
        raise DataError(
            "holds values that are not in the taxonomy, or missing ones",
            where=f"column {column.name!r}",
            remedy="Correct them, or choose ground='equal'.",
        )
    return _hierarchical(column, weights) if ground == "hierarchical" else _semantic(column, weights)


def _places(column: Values) -> Longs:
    """The rank of each value: by the order of an ordinal column, else by size."""
    places = own_places(column)
    if places is None:
        raise DataError(
            "ordered closeness needs an order",
            where=f"column {column.name!r}",
            remedy="Call it Ordinal(order=[...]) in the policy, or choose another ground.",
        )
    return places


def _hierarchical(column: Values, weights: NDArray[Any]) -> Any:
    """height(LCS) / height(root): a tree whose edges are as long as the heights they span, halved.

    A concept that is a value itself hangs below itself like a leaf. Where concepts have several parents it is not a tree:
    the lowest concept that subsumes both counts, and the transport problem is solved.
    """
    taxonomy = column.nominal.load()
    dag = taxonomy.dag
    assert column.concepts is not None
    height = (dag.height - 1).astype(np.float64)
    top = float(height[dag.root])
    if top == 0:
        return EqualGround(weights / weights.sum())
    marked = np.flatnonzero(dag.mark_ancestors(column.concepts))
    if (dag.parents.lengths()[marked] > 1).any():
        return TableGround(weights, _lowest_in_common(dag, column.concepts, height / top, marked))
    place = {int(c): i for i, c in enumerate(marked)}
    parents = dag.first_parents(marked)
    length = np.where(parents >= 0, height[np.maximum(parents, 0)] - height[marked], 0.0) / (2 * top)
    own = height[column.concepts] / (2 * top)
    above = []
    for i, concept in enumerate(column.concepts.tolist()):
        edges, here = [len(marked) + i], concept
        while here != dag.root:
            edges.append(place[here])
            here = int(parents[place[here]])
        above.append(np.array(edges, dtype=np.int64))
    return TreeGround(weights / weights.sum(), above, np.concatenate((length, own)))


def _lowest_in_common(dag: Dag, concepts: Longs, height: Floats, marked: Longs) -> Floats:
    """For every two concepts the least height of a concept that subsumes both."""
    above = np.array([dag.mark_ancestors(concepts[i : i + 1])[marked] for i in range(len(concepts))])
    table = np.zeros((len(concepts), len(concepts)))
    for place in np.argsort(-height[marked], kind="stable"):  # the lower ones come last, and stay
        below = np.flatnonzero(above[:, place])
        table[np.ix_(below, below)] = height[marked[place]]
    np.fill_diagonal(table, 0.0)
    return table


def _semantic(column: Values, weights: NDArray[Any]) -> TableGround:
    """The measure of the column between all its values, scaled to 0..1 where it is not bounded by 1."""
    table = semantic_distances(column, np.arange(len(column)))
    whole = get_measure(column.nominal.measure).scale(float(table.max()))
    return TableGround(weights, table / whole if whole > 0 else table)
