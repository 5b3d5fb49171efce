"""Re-identification attacks as shares of re-identified records, and the worst of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ontomask.assessment.linkage import Kind
    from ontomask.assessment.risk import Risk

#: What the intruder of each attack does, one of what is counted being ``{one}``; the first of equals is named.
WORDS = {
    "prosecutor": "recognizes the class of each record by its quasi-identifiers and picks a {one} of it",
    "matching": "links each original record to the released ones equal to it",
    "masked_matching": "links each released record to the original ones equal to it",
    "semantic": "links each original record to the nearest released one",
    "masked_distance": "links each released record to the nearest original one",
}


@dataclass(frozen=True)
class Attack:
    """An intruder's attempt to find out which released record belongs to whom.

    ``share``: the expected share of the *released* records (or other units) that it re-identifies, 0..1; ``words``: what the
    intruder does; ``estimated_on``: the number of them that the share was estimated on, None if it was computed on all.
    """

    name: str
    share: float
    words: str
    estimated_on: int | None = None


def attacks_of(
    linkage: Mapping[Kind, float],
    risk: Risk,
    records: int,
    released: int,
    *,
    recognizable: bool = True,
    estimated: Mapping[Kind, int] | None = None,
) -> list[Attack]:
    """Every attack, the most successful first.

    ``linkage`` holds shares of all ``records`` (or other units); here they count against those that were ``released``: what
    was removed is at no risk and must not make the risk of the others look smaller. ``risk`` is that of the release; the
    prosecutor's attack is one only where the classes of the release are ``recognizable``.
    """
    shares: dict[str, float] = {
        kind: share * records / released if released else 0.0 for kind, share in linkage.items()
    }
    if risk.columns and recognizable:
        shares["prosecutor"] = risk.prosecutor
    on: Mapping[Any, int] = estimated or {}
    found = [
        Attack(name, min(shares[name], 1.0), words.format(one=risk.unit.one), on.get(name))
        for name, words in WORDS.items()
        if name in shares
    ]
    return sorted(found, key=lambda attack: -attack.share)


def worst_of(each: Sequence[list[Attack]]) -> list[Attack]:
    """Of several releases, each attack where it finds most; the most successful first."""
    best: dict[str, Attack] = {}
    for attack in (attack for found in each for attack in found):
        if attack.name not in best or attack.share > best[attack.name].share:
            best[attack.name] = attack
    return sorted(best.values(), key=lambda attack: -attack.share)
