"""Positions of labels beside the points of a chart, so that none covers another or a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: About how wide a letter is, how high a line, and how far names keep from other points, in pixels.
LETTER, LINE, POINT = 5.9, 12.0, 8.0
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Place:
    """Where a name stands, seen from its point: shifted by ``dx`` and ``dy``, beginning there or (``right``) ending."""

    dx: int
    dy: int
    right: bool = False

    def box(self, x: float, y: float, text: str) -> Box:
        """The room that a name takes here."""
        wide, low = LETTER * len(text) + 2, y + self.dy + 3
        begin = x + self.dx - wide if self.right else x + self.dx
        return begin, low - LINE, begin + wide, low


#: What is tried, in this order.
PLACES = (Place(7, -6), Place(7, 10), Place(-7, -6, right=True), Place(-7, 10, right=True), Place(8, 3))


def place_labels(
    points: Sequence[tuple[float, float, str]], width: float, height: float, first: Sequence[bool]
) -> list[Place | None]:
    """The place of each point's name, points being given as pixels from the upper left; None where none is free.

    Those that come ``first`` choose first, the others after them, in order.
    """
    taken: list[Box] = []
    marks = [(x - POINT, y - POINT, x + POINT, y + POINT) for x, y, _ in points]
    found: list[Place | None] = [None] * len(points)
    for i in sorted(range(len(points)), key=lambda i: not first[i]):
        x, y, text = points[i]
        others = [*taken, *(mark for j, mark in enumerate(marks) if j != i)]
        for place in PLACES:
            box = place.box(x, y, text)
            inside = box[0] >= 0 and box[2] <= width and box[1] >= -LINE and box[3] <= height
            if inside and not any(_overlap(box, other) for other in others):
                found[i] = place
                taken.append(box)
                break
    return found


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
