"""The part of one attribute in the distances of many tuples from a point, or of many points from a tuple.

These are small loops of their own, which the compiler turns into vector instructions.
"""

from __future__ import annotations

from ontomask.kernels.compiling import inner
from ontomask.kernels.space import Codes, Floats


@inner
def add_number(out: Floats, number: Floats, x: float, squared: bool) -> None:
    if squared:
        for i in range(out.size):
            out[i] += (number[i] - x) * (number[i] - x)
    else:
        for i in range(out.size):
            out[i] += abs(number[i] - x)


@inner
def add_row(out: Floats, code: Codes, row: Floats) -> None:
    for i in range(out.size):
        out[i] += row[code[i]]


@inner
def add_with_gap(out: Floats, number: Floats, absent: Floats, x: float, gone: float, gap: float, squared: bool) -> None:
    """Where one side is missing the distance is the gap, where both are it is 0."""
    for i in range(out.size):
        if gone > 0.0:
            out[i] += gap * (1.0 - absent[i])
        else:
            off = (number[i] - x) * (number[i] - x) if squared else abs(number[i] - x)
            out[i] += off * (1.0 - absent[i]) + gap * absent[i]
