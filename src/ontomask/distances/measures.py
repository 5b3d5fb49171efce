"""The registry of measures: those of the four families, and a user's own (:func:`register_measure`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import did_you_mean
from ontomask.arrays import TIE, Array
from ontomask.distances import edge_counting, features, information, vectors
from ontomask.distances.measure import DistanceRequest, Measure, Option
from ontomask.errors import MeasureError, OptionError

_REGISTRY: dict[str, Measure] = {
    measure.name: measure for family in (edge_counting, features, information, vectors) for measure in family.MEASURES
}
_USER = "registered by the user"


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
    if not isinstance(name, str) or name not in _REGISTRY:
        raise MeasureError(
            f"no measure {name!r}", remedy=did_you_mean(name, _REGISTRY) + f"There are: {', '.join(sorted(_REGISTRY))}."
        )
    return _REGISTRY[name]


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
    return {name: measure.summary for name, measure in sorted(_REGISTRY.items())}


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
    if not isinstance(name, str) or not name or not callable(function):
        raise MeasureError(f"register_measure({name!r}, ...)", remedy="Give a name and a function.")
    if name in _REGISTRY:
        raise MeasureError(f"a measure {name!r} already exists", remedy="Choose another name.")
    reserved = sorted({"measure", "against", "scope", "dtype", "workers"} & set(options or {}))
    if reserved:
        raise OptionError(f"the option name {reserved[0]!r} is already used", remedy="Call your option something else.")

    def compute(request: DistanceRequest, **chosen: Any) -> Array:
        codes = [request.taxonomy.concepts[i] for i in request.in_taxonomy(request.asked)]
        taxonomy = request.taxonomy
        if request.kept is not None:  # scope="attribute": it sees nothing else
            taxonomy = taxonomy.subtree(taxonomy.concepts[int(request.kept[request.dag.root])])
        returned = function(taxonomy, codes, **chosen)
        try:
            numbers = np.asarray(returned, dtype=np.float64)
        except (TypeError, ValueError):
            numbers = np.zeros(0)
        whole = _checked(name, numbers, codes)
        at = np.ix_(*(np.searchsorted(request.asked, places) for places in (request.rows, request.columns)))
        return whole[at].astype(request.dtype, copy=False)

    declared = {key: Option(default, "an option of your own measure") for key, default in (options or {}).items()}
    _REGISTRY[name] = Measure(name, summary, _USER, compute, largest=largest, metric="unknown", options=declared)
    return _REGISTRY[name]


def unregister_measure(name: str) -> None:
    """Remove a measure of your own from the registry.

    Parameters
    ----------
    name : str
        The name it was registered by.

    Examples
    --------
    >>> import ontomask as om
    >>> _ = om.register_measure("none", lambda taxonomy, concepts: [[0.0] * len(concepts)] * len(concepts))
    >>> om.unregister_measure("none")
    >>> "none" in om.list_measures()
    False
    """
    if get_measure(name).source != _USER:
        raise MeasureError(f"{name!r} is built in", remedy="Only registered measures can be removed.")
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
