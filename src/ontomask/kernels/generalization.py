"""Classes of records at a node of a generalization lattice, and what many groups of values or sets have in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.compiling import inner, kernel
from ontomask.kernels.space import Longs, copy_values

Ints = NDArray[np.int32]


@kernel
def classes_at(
    codes: Ints,
    weights: Longs,
    maps: Ints,
    map_at: Longs,
    radix: Longs,
    keys: Longs,
    table: Longs,
    found: Ints,
    of: Longs,
    sizes: Longs,
    first: Longs,
) -> int:
    """Put rows with equal generalized values into classes; how many there are.

    Attribute a of row i shows ``maps[map_at[a] + codes[a, i]]``, and its digit in the key is worth ``radix[a]``. The
    class of each row goes to ``of``; ``sizes`` adds up the weights of each class and ``first`` is its first row.
    ``keys`` is room for as many rows, ``table`` and ``found`` are a hash table of at least twice as many places.
    """
    rows = codes.shape[1]
    keys[:rows] = 0
    for a in range(map_at.size):
        if radix[a] > 0:
            _add_digit(keys[:rows], codes[a], maps[map_at[a] :], radix[a])
    room = 16
    while room < 2 * rows:
        room *= 2
    found[:room] = -1
    room -= 1
    classes = 0
    for i in range(rows):
        key = keys[i]
        place = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(33)) & room
        while found[place] >= 0 and table[place] != key:
            place = (place + 1) & room
        if found[place] < 0:
            table[place] = key
            found[place] = classes
            sizes[classes] = 0
            first[classes] = i
            classes += 1
        c = found[place]
        of[i] = c
        sizes[c] += weights[i]
    return classes


@inner
def _add_digit(keys: Longs, codes: Ints, shown: Ints, worth: int) -> None:
    for i in range(keys.size):
        keys[i] += shown[codes[i]] * worth


@kernel
def pairs_in_order(of: Longs, code: Longs, ends: Longs, order: Longs, into: Longs, first: Longs) -> int:
    """Number the distinct pairs of ``of`` and ``code`` in their order; how many there are.

    The pair of row i goes to ``into[i]``, the first row of each pair to ``first``. Rows are put in order by counting, first
    by code and then by ``of``. ``ends`` is room for every code and every ``of`` and one more, ``order`` for every row.
    """
    _count_up(code, ends)
    for i in range(of.size):
        first[ends[code[i]]] = i
        ends[code[i]] += 1
    _count_up(of, ends)
    for j in range(of.size):
        i = first[j]
        order[ends[of[i]]] = i
        ends[of[i]] += 1
    found, before = 0, np.int64(-1)
    for j in range(of.size):
        i = order[j]
        if before < 0 or of[i] != of[before] or code[i] != code[before]:
            first[found] = i
            found += 1
        into[i] = found - 1
        before = i
    return found


@inner
def _count_up(keys: Longs, starts: Longs) -> None:
    """Where each key begins once all are in order."""
    starts[:] = 0
    for i in range(keys.size):
        starts[keys[i] + 1] += 1
    for key in range(1, starts.size):
        starts[key] += starts[key - 1]


@kernel
def first_in_common(at: Longs, nodes: Ints, codes: Ints, starts: Longs, room: Ints, into: Longs) -> None:
    """The first node that all codes of each group have.

    ``nodes[at[c]:at[c + 1]]`` are those of code c, in ascending order. Group g is ``codes[starts[g]:starts[g + 1]]``. The
    nodes in common are kept in ``room`` while codes join: what a group costs grows with its codes' nodes and nothing else.
    """
    for g in range(starts.size - 1):
        last = codes[starts[g]]
        held = at[last + 1] - at[last]
        copy_values(nodes[at[last] : at[last + 1]], room[:held])
        for i in range(starts[g] + 1, starts[g + 1]):
            if codes[i] == last:
                continue
            last = codes[i]
            kept, other, end = 0, at[last], at[last + 1]
            for x in range(held):
                while other < end and nodes[other] < room[x]:
                    other += 1
                if other < end and nodes[other] == room[x]:
                    room[kept] = room[x]
                    kept += 1
            held = kept
        into[g] = room[0]


@kernel
def covers_in_common(
    at: Longs,
    nodes: Ints,
    set_at: Longs,
    items: Longs,
    codes: Ints,
    starts: Longs,
    times: Longs,
    stamp: Longs,
    into: Longs,
    into_at: Longs,
) -> None:
    """Of each item of each group of sets the first node that an item of every set of the group has.

    ``nodes[at[i]:at[i + 1]]`` are those of item i, in ascending order; set c has ``items[set_at[c]:set_at[c + 1]]``.
    Group g is the sets ``codes[starts[g]:starts[g + 1]]``, in ascending order; what it shows goes to ``into`` from
    ``into_at[g]`` on, an entry for each item of each different set. ``times`` and ``stamp`` are room for all nodes, zeros.
    """
    member = 0
    for g in range(starts.size - 1):
        members, last = 0, np.int64(-1)
        for i in range(starts[g], starts[g + 1]):
            if codes[i] == last:
                continue
            last = np.int64(codes[i])
            members += 1
            member += 1
            for j in range(set_at[last], set_at[last + 1]):
                for x in range(at[items[j]], at[items[j] + 1]):
                    if stamp[nodes[x]] != member:
                        stamp[nodes[x]] = member
                        times[nodes[x]] += 1
        place, last = into_at[g], np.int64(-1)
        for i in range(starts[g], starts[g + 1]):
            if codes[i] == last:
                continue
            last = np.int64(codes[i])
            for j in range(set_at[last], set_at[last + 1]):
                into[place] = -1
                for x in range(at[items[j]], at[items[j] + 1]):
                    if times[nodes[x]] == members:
                        into[place] = nodes[x]
                        break
                place += 1
        for i in range(starts[g], starts[g + 1]):
            for j in range(set_at[codes[i]], set_at[codes[i] + 1]):
                for x in range(at[items[j]], at[items[j] + 1]):
                    times[nodes[x]] = 0
