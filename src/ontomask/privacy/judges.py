"""Judges: models made ready for a table, which searches for a release ask about the classes of candidates, over and over."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.arrays import Floats, Longs
from ontomask.privacy.transport import Pairs
from ontomask.privacy.units import RECORDS, Units


@dataclass(frozen=True, eq=False)
class ClassRows:
    """Rows by class: ``of`` gives the class of each row, ``sizes`` the records, or other ``units``, of each class.

    A row stands for ``weights`` records (None: for one); ``codes`` are the sensitive columns of the rows; ``quasi`` gives,
    where that is known, what class c shows of quasi-identifier a as [a, c].
    """

    of: Longs
    sizes: Longs
    weights: Longs | None
    codes: Mapping[str, Longs]
    quasi: Callable[[], Longs] | None = None
    units: Units = RECORDS

    def pairs(self, code: Longs, values: int, some: NDArray[np.bool_] | None = None, *, shared: bool) -> Pairs:
        """The pairs of class and value, with how many units have each (:meth:`Units.pairs`); ``some``: of which rows."""
        if some is None:
            return self.units.pairs(self.of, code, values, self.weights, shared=shared)
        weights = None if self.weights is None else self.weights[some]
        return self.units.take(some).pairs(self.of[some], code[some], values, weights, shared=shared)

    def joined(self, key: Longs) -> Longs:
        """How many units there are in classes that are joined where their keys are equal."""
        if self.units.of is None:
            return np.bincount(key, weights=self.sizes).astype(np.int64)
        return self.units.sizes(key[self.of], int(key.max()) + 1)


class Judge(ABC):
    """A model that was made ready for a table: figures of classes, however the table is cut into them."""

    @property
    def monotone(self) -> bool:
        """If the model is monotone, is it so with these values, too?"""
        return True

    @property
    def class_size(self) -> int | None:
        """Classes of so many units satisfy it and all others fail, whatever they show; None: sizes do not decide."""
        return None

    @abstractmethod
    def figures(self, rows: ClassRows) -> Floats:
        """The figure of each class."""

    @abstractmethod
    def fails(self, figures: Floats) -> NDArray[np.bool_]:
        """Which figures are not good enough."""

    def stays_failed(self, figures: Floats, joined: float) -> NDArray[np.bool_]:
        """Which classes with these figures fail whatever joins them, where that is then a part ``joined`` of their records?

        It is asked only where records are counted. False where it is not known.
        """
        return np.zeros(len(figures), dtype=np.bool_)
