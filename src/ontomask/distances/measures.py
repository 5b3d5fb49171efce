"""The registry of measures: one name, one definition, declared options.

A measure turns a taxonomy and some concepts into a table of distances. The built-in ones live in
:mod:`~ontomask.distances.edge_counting`, :mod:`~ontomask.distances.features` and
:mod:`~ontomask.distances.information`; :func:`register_measure` adds a user's own.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import did_you_mean
from ontomask.arrays import TIE, Array
from ontomask.distances.closure import Closure
from ontomask.distances.sweep import Finish, Fold, by_rows, sweep
from ontomask.errors import MeasureError, OptionError
from ontomask.taxonomy.dag import Dag
from ontomask.taxonomy.taxonomy import Taxonomy


@dataclass(frozen=True)
class Table:
    """One request for distances: which concepts against which, where, and how the result is wanted.

    ``rows`` and ``columns`` are positions in ``dag``, which is the taxonomy's own or, with ``scope="attribute"``,
    the part at and below the LCS of all concepts asked for; ``kept`` leads back to positions in the taxonomy.
    ``counts`` says how often each concept of the taxonomy occurs in the request.
    """

    taxonomy: Taxonomy
    dag: Dag
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    kept: NDArray[np.int64] | None
    counts: NDArray[Any]
    dtype: np.dtype[Any]
    workers: int | None

    @cached_property
    def closure(self) -> Closure:
        return Closure(self.dag, np.concatenate((self.rows, self.columns)))

    @cached_property
    def inside(self) -> set[int]:
        """Positions in the taxonomy that are in scope."""
        return set(range(len(self.taxonomy)) if self.kept is None else map(int, self.kept))

    def sweep(self, fold: Fold, finish: Finish) -> Array:
        return sweep(fold, self.rows, self.columns, finish, dtype=self.dtype, workers=self.workers)

    def by_rows(self, rows_of: Callable[[slice], NDArray[np.float64]]) -> Array:
        return by_rows((len(self.rows), len(self.columns)), rows_of, dtype=self.dtype, workers=self.workers)

    def in_taxonomy(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        return positions if self.kept is None else self.kept[positions]


@dataclass(frozen=True)
class Option:
    """A declared option: its default, what it may be, and what it means."""

    default: Any
    meaning: str
    choices: tuple[Any, ...] | None = None
    check: Callable[[Any], str | None] | None = None  #: returns what is wrong, or None

    def validate(self, measure: str, name: str, value: Any) -> None:
        wrong = None
        if self.choices is not None and not (isinstance(value, str) and value in self.choices):
            wrong = "one of " + ", ".join(map(repr, self.choices))
        elif self.check is not None:
            wrong = self.check(value)
        if wrong is not None:
            raise OptionError(
                f"the option {name}={value!r} of the measure {measure!r} must be {wrong}", remedy=self.meaning
            )


Compute = Callable[..., Array]


@dataclass(frozen=True)
class Measure:
    """A distance between concepts. ``compute(table, **options)`` gives its table.

    ``largest`` is the upper end of its range, None where it has none. ``metric``: does it keep the axioms of a
    metric ("always", "on trees" or "no")? ``similarity`` is the published similarity it comes from, where that is
    more than 1 - distance; ``complement`` says that it is just that.
    """

    name: str
    summary: str
    source: str
    compute: Compute
    largest: float | None = 1.0
    metric: Literal["always", "on trees", "no", "unknown"] = "no"
    options: Mapping[str, Option] = field(default_factory=dict)
    similarity: Compute | None = None
    complement: bool = False

    def settle(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options with their defaults, checked.

        Parameters
        ----------
        options : mapping of str to object
            The options given.

        Returns
        -------
        dict of str to object
            All options of the measure.
        """
        for name, value in options.items():
            if name not in self.options:
                raise OptionError(
                    f"the measure {self.name!r} has no option {name!r}",
                    remedy=did_you_mean(name, self.options)
                    + (f"It takes: {', '.join(self.options)}." if self.options else "It takes none."),
                )
            self.options[name].validate(self.name, name, value)
        return {name: options.get(name, option.default) for name, option in self.options.items()}


_REGISTRY: dict[str, Measure] = {}
_USER = "registered by the user"
_BUILT_IN = ("edge_counting", "features", "information", "vectors")


def _registry() -> dict[str, Measure]:
    # The definitions import this module, so they are loaded on first use.
    for module in _BUILT_IN:
        importlib.import_module(f"ontomask.distances.{module}")
    return _REGISTRY


def add(measure: Measure) -> Measure:
    """Put a measure into the registry; a name is given once."""
    if measure.name in _REGISTRY:
        raise MeasureError(f"there is a measure {measure.name!r} already", remedy="Choose another name.")
    _REGISTRY[measure.name] = measure
    return measure


def get_measure(name: str) -> Measure:
    """A measure by its name.

    Parameters
    ----------
    name : str
        One of :func:`ontomask.list_measures`, or one of your own.

    Returns
    -------
    Measure
        What it is: range, options, whether it is a metric.

    Raises
    ------
    MeasureError
        If there is none of that name; the error lists the names.

    Examples
    --------
    >>> import ontomask as om
    >>> om.get_measure("wu_palmer").largest
    1.0
    """
    registry = _registry()
    if not isinstance(name, str) or name not in registry:
        raise MeasureError(
            f"no measure {name!r}", remedy=did_you_mean(name, registry) + f"There are: {', '.join(sorted(registry))}."
        )
    return registry[name]


def list_measures() -> dict[str, str]:
    """All measures with a sentence on each.

    Returns
    -------
    dict of str to str
        By name, measures of your own included.

    Examples
    --------
    >>> import ontomask as om
    >>> "wu_palmer" in om.list_measures()
    True
    """
    return {name: measure.summary for name, measure in sorted(_registry().items())}


def register_measure(
    name: str,
    function: Callable[..., Any],
    *,
    summary: str = "registered by the user",
    largest: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> Measure:
    """Add a measure of your own.

    Parameters
    ----------
    name : str
        What it is called; not the name of a measure that exists.
    function : callable
        ``function(taxonomy, concepts, **options)`` takes a list of codes and returns a len x len array: finite, not
        negative, symmetric, zero on the diagonal. That is checked each time it is used.
    summary : str, optional
        A sentence on it, for :func:`ontomask.list_measures`.
    largest : float, optional
        The upper end of its range if it has one.
    options : mapping of str to object, optional
        Its keyword arguments with their defaults.

    Returns
    -------
    Measure
        The measure, which every function and policy now knows by its name.

    Examples
    --------
    >>> import ontomask as om
    >>> def by_first_letter(taxonomy, concepts):
    ...     return [[float(a[0] != b[0]) for b in concepts] for a in concepts]
    >>> _ = om.register_measure("first_letter", by_first_letter, largest=1.0)
    >>> om.distance(om.Taxonomy.from_edges([("ant", "root"), ("bee", "root")]), "ant", "bee", measure="first_letter")
    1.0
    >>> om.unregister_measure("first_letter")
    """
    _registry()
    if not isinstance(name, str) or not name or not callable(function):
        raise MeasureError(f"register_measure({name!r}, ...)", remedy="Give a name and a function.")
    reserved = sorted({"measure", "against", "scope", "dtype", "workers"} & set(options or {}))
    if reserved:
        raise OptionError(f"the option name {reserved[0]!r} is taken", remedy="Call your option something else.")

    def compute(table: Table, **chosen: Any) -> Array:
        asked = np.unique(np.concatenate((table.rows, table.columns)))
        codes = [table.taxonomy.concepts[i] for i in table.in_taxonomy(asked)]
        taxonomy = table.taxonomy
        if table.kept is not None:  # scope="attribute": it sees nothing else
            taxonomy = taxonomy.subtree(taxonomy.concepts[int(table.kept[table.dag.root])])
        returned = function(taxonomy, codes, **chosen)
        try:
            numbers = np.asarray(returned, dtype=np.float64)
        except (TypeError, ValueError):
            numbers = np.zeros(0)
        whole = _checked(name, numbers, codes)
        at = np.ix_(np.searchsorted(asked, table.rows), np.searchsorted(asked, table.columns))
        return whole[at].astype(table.dtype, copy=False)

    declared = {key: Option(default, "an option of your own measure") for key, default in (options or {}).items()}
    return add(Measure(name, summary, _USER, compute, largest=largest, metric="unknown", options=declared))


def unregister_measure(name: str) -> None:
    """Remove a measure of your own from the registry.

    Parameters
    ----------
    name : str
        The name it was registered by.
    """
    if get_measure(name).source != _USER:
        raise MeasureError(f"{name!r} is built in", remedy="Only registered measures can be taken out.")
    del _REGISTRY[name]


def _checked(name: str, table: NDArray[np.float64], concepts: list[str]) -> NDArray[np.float64]:
    def refuse(wrong: str, at: tuple[Any, ...] | None = None) -> None:
        pair = "" if at is None else f" (at {concepts[int(at[0])]!r}, {concepts[int(at[-1])]!r})"
        raise MeasureError(f"the registered measure {name!r} returned {wrong}{pair}", remedy="Correct that function.")

    if table.shape != (len(concepts), len(concepts)):
        refuse(f"an array of shape {table.shape} for {len(concepts)} concepts")
    for wrong, bad in (
        ("values that are not finite", ~np.isfinite(table)),
        ("negative distances", table < 0),
        ("a distance other than 0 from a concept to itself", np.diag(np.diag(table) != 0)),
        ("a table that is not symmetric", ~np.isclose(table, table.T, rtol=TIE, atol=0)),
    ):
        if bad.any():
            refuse(wrong, tuple(np.argwhere(bad)[0]))
    return table
