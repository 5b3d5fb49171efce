"""The nearest tuples of each tuple: candidates for changes of a partition, never a promise.

Of numbers alone they are found in a k-d tree. With other columns they are looked for along orders that are drawn
(:mod:`ontomask.kernels.near_tuples`), which finds most of them, in a time proportional to the tuples; of few tuples all.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from ontomask.arrays import Ints, Longs
from ontomask.background import Background
from ontomask.distances.sweep import available_cores
from ontomask.kernels.near_tuples import draw_order, look_along, look_around
from ontomask.kernels.regrouping import keep_nearest
from ontomask.kernels.space import Space, new_point, number_of_tuples, take_tuples
from ontomask.progress import Progress

#: Tuples near each, itself included, whose groups are looked at.
NEAR = 11
#: Coordinates of the tree at most: with more it would look through most of the tuples.
COORDINATES = 16
#: Candidates for each tuple that is kept, where coordinates are not all there is.
MORE = 3
#: Up to so many tuples all are compared.
ALL = 512
#: Orders that are drawn, the tuples that each is compared with along them, and rounds of looking at near ones of near ones.
ORDERS, WIDTH, ROUNDS = 4, 32, 2
#: Seconds between two reports of progress.
PAUSE = 0.5
#: Tuples that one thread handles at a time.
CHUNK = 1 << 16


class Neighbours:
    """The tuples in ``order``, near ones side by side, their ``rank`` in it, and the nearest of each."""

    def __init__(self, space: Space, order: Longs) -> None:
        self.order = order
        self.rank = np.empty(len(order), dtype=np.int64)
        self.rank[order] = np.arange(len(order))
        self.space = take_tuples(space, order)
        self._nearest = Background(lambda: nearest_tuples(self.space, NEAR))

    def wait(self, progress: Progress) -> None:
        """Until they are found; whoever reports progress may stop it."""
        progress(0.0, "looking for near combinations")
        while not self._nearest.done(PAUSE):
            progress(0.0, "looking for near combinations")

    @property
    def nearest(self) -> Ints:
        """For each tuple, in the order, itself and others near it, by their ranks (-1: none is left)."""
        return self._nearest.result()


def nearest_tuples(space: Space, most: int) -> Ints:
    """For each tuple itself and the nearest others, ``most`` in all (-1: none is left)."""
    p = number_of_tuples(space)
    near = np.full((p, most), -1, dtype=np.int32)
    near[:, 0] = np.arange(p)
    if len(space.codes):
        _look_for(space, near)
    else:
        _look_in_tree(space, near)
    return near


def _look_in_tree(space: Space, near: Ints) -> None:
    """Those of numbers alone, with a k-d tree of the coordinates that vary most."""
    from scipy.spatial import KDTree  # late: it takes 0.1 s to load

    p, numbers = len(near), space.numbers.T
    if numbers.shape[1] > COORDINATES:
        widest = np.argsort(-numbers.var(axis=0), kind="stable")[:COORDINATES]
        numbers = numbers[:, np.sort(widest)]
    coordinates = np.ascontiguousarray(numbers)
    wanted = min(p, near.shape[1] if numbers.shape[1] == len(space.numbers) else MORE * near.shape[1])
    tree = KDTree(coordinates)

    def look(begin: int, end: int) -> None:
        found = tree.query(coordinates[begin:end], wanted, p=2 if space.squared else 1)[1]
        candidates = np.asarray(found, dtype=np.int64).reshape(end - begin, wanted)
        keep_nearest(space, new_point(space), candidates, near, begin)

    _in_chunks(look, p)


def _look_for(space: Space, near: Ints) -> None:
    """Those of any columns, along orders that are drawn."""
    p = len(near)
    apart = np.full(near.shape, np.inf, dtype=np.float32)
    rows = (
        np.ascontiguousarray(space.numbers.T),
        np.array(space.lacks.T, order="C"),
        np.ascontiguousarray(space.codes.T),
    )
    if p <= ALL:
        look_along(space, *rows, np.arange(p, dtype=np.int32), p, near, apart, 0, p)
        return
    for order in _orders(space, rows[2], p):
        _in_chunks(lambda begin, end, o=order: look_along(space, *rows, o, WIDTH, near, apart, begin, end), p)
    for _ in range(ROUNDS):
        found = near.copy()
        _in_chunks(lambda begin, end, f=found: look_around(space, *rows, f, near, apart, begin, end), p)


def _orders(space: Space, codes: Any, p: int) -> list[Ints]:
    """Orders that put near tuples side by side, each drawn by itself."""
    homes = [space.home[begin:end] for begin, end in pairwise(space.home_at)]
    places = [home[own] for home, own in zip(homes, space.codes, strict=True)]
    keys = np.empty((p, len(space.numbers) + len(places)), dtype=np.float32)
    for a, key in enumerate([*space.numbers, *places]):
        keys[:, a] = key

    def drawn(seed: int) -> Ints:
        order = np.arange(p, dtype=np.int32)
        draw_order(space, keys, codes, order, WIDTH, seed)
        return order

    with ThreadPoolExecutor(min(available_cores(), ORDERS)) as pool:
        return list(pool.map(drawn, range(1, ORDERS + 1)))


def _in_chunks(look: Any, p: int) -> None:
    """Look for the near tuples of some tuples at a time, in several threads: what is found of one depends on no other."""
    chunks = [(begin, min(begin + CHUNK, p)) for begin in range(0, p, CHUNK)]
    if len(chunks) == 1:
        look(*chunks[0])
        return
    with ThreadPoolExecutor(min(available_cores(), len(chunks))) as pool:
        for _ in pool.map(lambda chunk: look(*chunk), chunks):
            pass
