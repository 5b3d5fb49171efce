"""Areas of random trees: what a name in a release stands for always has enough inhabitants; a plain twin agrees."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from ontomask.taxonomy.areas import Areas
from tests.places import areas_file


def table(seed: int) -> tuple[dict[str, str | None], dict[str, int]]:
    """Parents and populations of some areas; leaves have their own, others the sum of their parts."""
    chance = random.Random(seed)
    parents: dict[str, str | None] = {"a0": None}
    for i in range(1, chance.randint(2, 25)):
        parents[f"a{i}"] = f"a{chance.randrange(i)}"
    inner = set(parents.values())
    populations = {code: chance.choice((0, 1, 3, 5, 8, 20)) for code in parents if code not in inner}
    for code in reversed(parents):
        if code in inner:
            populations[code] = sum(populations[part] for part, above in parents.items() if above == code)
    return parents, populations


def plain_shown(parents: dict[str, str | None], populations: dict[str, int], least: int) -> dict[str, str]:
    """From the top down: an area goes into the one above it if it is small, or the smallest beside too few small ones."""
    shown: dict[str, str] = {}
    for code, above in parents.items():  # parents come first
        if above is None:
            shown[code] = code
            continue
        beside = [part for part, over in parents.items() if over == above]
        small = [part for part in beside if populations[part] < least]
        joined = set(small)
        large = [part for part in beside if part not in joined]
        if small and large and sum(populations[part] for part in small) < least:
            joined.add(min(large, key=lambda part: (populations[part], beside.index(part))))
        hidden = code in joined or shown[above] != above
        shown[code] = shown[above] if hidden else code
    return shown


@given(st.integers(0, 10**6), st.integers(1, 30))
def test_what_a_name_stands_for_has_enough_inhabitants(seed: int, least: int) -> None:
    parents, populations = table(seed)
    if populations["a0"] < least:
        return
    rows = "".join(f"{code},{above or ''},{populations[code]}\n" for code, above in parents.items())
    areas = Areas.read(areas_file(f"code,parent,population\n{rows}"))
    shown = areas.show(parents, least)
    assert shown == plain_shown(parents, populations, least)
    inner = set(parents.values())
    leaves = [code for code in parents if code not in inner]
    for name in {shown[leaf] for leaf in leaves}:
        assert sum(populations[leaf] for leaf in leaves if shown[leaf] == name) >= least
    for code, above in shown.items():
        assert above == code or above in areas.taxonomy.ancestors(code)
    released = areas.released(least)
    assert set(released.concepts) == {code for code in parents if shown[code] == code}
    for code in released.concepts:
        assert set(released.ancestors(code)) == set(areas.taxonomy.ancestors(code))
