"""``Measure``: name, definition and declared options of a semantic measure; ``DistanceRequest``: what it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import did_you_mean
from ontomask.arrays import Array, Longs
from ontomask.distances.closure import Closure
from ontomask.distances.sweep import Finish, Fold, by_rows, sweep
from ontomask.errors import OptionError
from ontomask.taxonomy.dag import Dag
from ontomask.taxonomy.taxonomy import Taxonomy

#: Concepts, as positions in the taxonomy, and how often each occurs.
Corpus = tuple[Longs, NDArray[Any]]


@dataclass(frozen=True)
class DistanceRequest:
    """Which concepts against which, where, and how the result is wanted.

    ``rows`` and ``columns`` are positions in ``dag``, which is the taxonomy's own or, with ``scope="attribute"``,
    the part at and below the LCS of all concepts asked for; ``kept`` leads back to positions in the taxonomy.
    ``corpus`` is what information content from a corpus counts where no counts are given as an option.
    """

    taxonomy: Taxonomy
    dag: Dag
    rows: Longs
    columns: Longs
    kept: Longs | None
    corpus: Corpus
    dtype: np.dtype[Any]
    workers: int | None

    @cached_property
    def closure(self) -> Closure:
        return Closure(self.dag, np.concatenate((self.rows, self.columns)))

    @cached_property
    def inside(self) -> set[int]:
        """Positions in the taxonomy that are in scope."""
        return set(range(len(self.taxonomy)) if self.kept is None else map(int, self.kept))

    @cached_property
    def asked(self) -> Longs:
        """The concepts of rows and columns, each once, as positions in ``dag``."""
        return np.unique(np.concatenate((self.rows, self.columns)))

    @property
    def counts(self) -> NDArray[np.float64]:
        """How often each concept of the taxonomy occurs in the corpus."""
        concepts, times = self.corpus
        return np.bincount(concepts, weights=times, minlength=len(self.taxonomy)).astype(np.float64)

    def sweep(self, fold: Fold, finish: Finish) -> Array:
        return sweep(fold, self.rows, self.columns, finish, dtype=self.dtype, workers=self.workers)

    def by_rows(self, rows_of: Callable[[slice], NDArray[np.float64]]) -> Array:
        return by_rows((len(self.rows), len(self.columns)), rows_of, dtype=self.dtype, workers=self.workers)

    def in_taxonomy(self, positions: Longs) -> Longs:
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
    """A distance between concepts.

    Attributes
    ----------
    name : str
        What it is called.
    summary : str
        A sentence on it.
    source : str
        The paper.
    compute : callable
        ``compute(request, **options)`` gives the table of a request.
    largest : float or None
        The upper end of its range; None where it has none.
    metric : {'always', 'on trees', 'no', 'unknown'}
        Does it keep the axioms of a metric?
    options : mapping of str to Option
        Its options, with their defaults.
    similarity : callable or None
        The published similarity it comes from, where that is more than 1 - distance.
    complement : bool
        Is the published similarity just 1 - distance?
    relative_to_request : bool
        Does the distance of two concepts depend on what else is asked for? Then all that is to be compared has to be asked
        for at once.
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
    relative_to_request: bool = False

    def scale(self, farthest: float) -> float:
        """What distances are divided by to lie in 0..1: the end of the range or, where it has none, the farthest."""
        return farthest if self.largest is None else self.largest

    def resolve_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """All options of the measure: those of ``options``, checked, and the defaults of the others."""
        for name, value in options.items():
            if name not in self.options:
                raise OptionError(
                    f"the measure {self.name!r} has no option {name!r}",
                    remedy=did_you_mean(name, self.options)
                    + (f"It takes: {', '.join(self.options)}." if self.options else "It takes none."),
                )
            self.options[name].validate(self.name, name, value)
        return {name: options.get(name, option.default) for name, option in self.options.items()}
