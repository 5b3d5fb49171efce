"""The nearest tuples of each tuple, found in a k-d tree: candidates for changes of a partition, never a promise.

Numbers are coordinates of the tree as they are. What is not a number has the distances from a few tuples, landmarks, as
coordinates: near tuples are about as far from each of them. Of more candidates than are wanted the nearest are kept.
"""

from __future__ import annotations

import numpy as np

from ontomask.arrays import Floats, Longs
from ontomask.background import Background
from ontomask.kernels.groups import distances_from
from ontomask.kernels.regrouping import keep_nearest
from ontomask.kernels.space import Space, new_point, number_of_tuples, set_point, take_tuples

#: Tuples near each, itself included, whose groups are looked at.
NEAR = 11
#: Landmarks, where some column is not a number.
LANDMARKS = 5
#: Coordinates of the tree at most: with more it would look through most of the tuples.
COORDINATES = 16
#: Candidates for each tuple that is kept, where coordinates are not all there is.
MORE = 3


class Neighbours:
    """The tuples in ``order``, near ones side by side, their ``rank`` in it, and the nearest of each."""

    def __init__(self, space: Space, order: Longs) -> None:
        self.order = order
        self.rank = np.empty(len(order), dtype=np.int64)
        self.rank[order] = np.arange(len(order))
        self.space = take_tuples(space, order)
        self._nearest = Background(lambda: nearest_tuples(self.space, NEAR))

    @property
    def nearest(self) -> Longs:
        """For each tuple, in the order, itself and others near it, by their ranks (-1: none is left)."""
        return self._nearest.result()


def nearest_tuples(space: Space, most: int) -> Longs:
    """For each tuple itself and the nearest others, ``most`` in all (-1: none is left)."""
    from scipy.spatial import KDTree  # late: it takes 0.1 s to load

    p = number_of_tuples(space)
    near = np.full((p, most), -1, dtype=np.int64)
    coordinates = _coordinates(space, p)
    whole = len(space.numbers) == coordinates.shape[1] and not len(space.codes)
    wanted = min(p, most if whole else MORE * most)
    found = KDTree(coordinates).query(coordinates, wanted, p=2 if space.squared else 1)[1]
    candidates = np.asarray(found, dtype=np.int64).reshape(p, wanted)
    keep_nearest(space, new_point(space), candidates, near)
    return near


def _coordinates(space: Space, p: int) -> Floats:
    numbers = space.numbers.T if len(space.numbers) else np.zeros((p, 0))
    if len(space.codes):
        numbers = np.hstack((numbers, _landmark_distances(space, p)))
    if numbers.shape[1] > COORDINATES:
        widest = np.argsort(-numbers.var(axis=0), kind="stable")[:COORDINATES]
        numbers = numbers[:, np.sort(widest)]
    return np.ascontiguousarray(numbers)


def _landmark_distances(space: Space, p: int) -> Floats:
    """Of each tuple, in the columns that are not numeric: its distances from landmarks, each far from those before."""
    none = np.zeros((0, p))
    rest = space._replace(numbers=none, absent=none, gap=np.zeros(0), lacks=none)
    point, every = new_point(rest), np.arange(p)
    found, least, landmark = np.empty((LANDMARKS, p)), np.full(p, np.inf), 0
    for off in found:
        set_point(rest, point, landmark)
        distances_from(rest, point, every, off)
        least = np.minimum(least, off)
        landmark = int(np.argmax(least))
    # Together the landmarks weigh as much as one distance.
    return np.sqrt(found.T / LANDMARKS) if space.squared else found.T / LANDMARKS
