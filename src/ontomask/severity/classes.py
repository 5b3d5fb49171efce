"""The classes of sensitive information that special values sets belong to: RIOPSI (S18 Table 2), read from its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

import polars as pl
import yaml

#: Rows of every table of severity numbers: the middle class types m = 1, 2, 3 (S18 def. 1).
MIDDLE_TYPES = (1, 2, 3)
#: Pairs of a disease and its treatment are in every set that the disease is in (S18 Remark 2).
PAIRS = "2.1.2"


@dataclass(frozen=True)
class SmallClass:
    """A small class: ``number`` such as 2.1.1, what it is ``about``, the attributes and the sets that belong to it."""

    number: str
    about: str
    attributes: tuple[str, ...]
    sets: str

    @property
    def large(self) -> int:
        return int(self.number[0])

    @property
    def middle(self) -> str:
        return self.number.rpartition(".")[0]

    @property
    def middle_type(self) -> int | None:
        """The m of middle class 2.m; none in the first large class, where numbers do not depend on m."""
        return int(self.middle[2:]) if self.large == 2 else None


@dataclass(frozen=True)
class Riopsi:
    """The classes, large to small, and what attackers want (S18 2.1)."""

    source: str
    large: Mapping[str, str]
    middle: Mapping[str, str]
    small: Mapping[str, SmallClass]
    motivations: Mapping[str, str]
    objectives: Mapping[str, str]

    @property
    def table(self) -> pl.DataFrame:
        """One row for each small class."""
        rows = [
            (c.number, c.about, ", ".join(c.attributes), c.sets, self.middle[c.middle], self.large[c.number[0]])
            for c in self.small.values()
        ]
        names = ("small_class", "about", "attributes", "sets", "middle_class", "large_class")
        return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")

    def __str__(self) -> str:
        """The classes as an indented list."""
        lines = []
        for large, about in self.large.items():
            lines.append(f"{large}  {about}")
            for middle, meaning in self.middle.items():
                if middle.startswith(large):
                    lines.append(f"  {middle}  {meaning}")
                    inside = [c for c in self.small.values() if c.middle == middle]
                    lines += [f"    {c.number}  {c.about} ({', '.join(c.attributes)})" for c in inside]
        return "\n".join(lines)


@cache
def riopsi() -> Riopsi:
    """RIOPSI's classes of sensitive information with their descriptions (S18 Table 2, section 2.1).

    Returns
    -------
    Riopsi
        ``large``, ``middle`` and ``small`` classes, by number.

    Examples
    --------
    >>> from ontomask.severity.classes import riopsi
    >>> riopsi().small["2.1.1"].about, riopsi().middle["2.1"]
    ('diseases that shorten life much', 'tells how long the patient may live')
    """
    content: dict[str, Any] = yaml.safe_load(
        resources.files("ontomask.severity").joinpath("data", "riopsi.yaml").read_text(encoding="utf-8")
    )
    small = {
        number: SmallClass(number, said["about"], tuple(said["attributes"]), said["sets"])
        for number, said in content["small"].items()
    }
    motivations = {}
    for number, group in content["motivations"].items():
        motivations[number] = group["about"]
        motivations |= group["kinds"]
    return Riopsi(
        content["source"],
        MappingProxyType(content["large"]),
        MappingProxyType(content["middle"]),
        MappingProxyType(small),
        MappingProxyType(motivations),
        MappingProxyType(content["objectives"]),
    )
