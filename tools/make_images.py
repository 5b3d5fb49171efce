"""Make the picture of README.md, and print its table of records before and after masking.

    python tools/make_images.py

Both come from synthetic discharges and fixed seeds: the same version gives the same bytes, but for where the fonts of a
machine let labels stand. Takes about 20 seconds, and up to two minutes more where the loops are not compiled yet.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

import ontomask as om

ROOT = Path(__file__).parents[1]
RECORDS, SEED = 5_000, 1
#: What the picture shows: generalization is the local one, whose groups differ in level.
METHODS = {
    "microaggregation": "microaggregation",
    "recoding": "recoding",
    "rank_swapping": "rank_swapping",
    "generalization": om.Generalization(search="local"),
}
#: More would be on the map than its labels have room for; README says what k = 20 changes.
K = (3, 5, 10)
#: The group of the table is the first whose release shows this code, asthma: chosen by hand, as it is easy to read.
SHOWN = "493.9"


def compared() -> om.Comparison:
    """The discharges masked by every method of the picture at every k."""
    ways = om.grid(om.demo_policy(), METHODS, k=K)
    return om.compare(om.demo_data(RECORDS, seed=SEED), ways, workers=1, seed=SEED)


def before_and_after() -> str:
    """Five records that became one group of microaggregation, in Markdown; charge is sensitive and stays."""
    stays = om.demo_data(RECORDS, seed=SEED)
    policy = om.demo_policy(om.Microaggregation(k=5), require=[om.KAnonymity(k=5)])
    result = om.anonymize(stays, policy)
    group = result.groups.filter(pl.col("diagnosis") == SHOWN).row(0, named=True)
    same = pl.all_horizontal(pl.col(name) == group[name] for name in policy.quasi_identifiers)
    found = result.data.with_row_index("row").filter(same)["row"]
    lines = ["| | age | sex | days | diagnosis | procedure | charge |", "|---|---|---|---|---|---|---|"]
    lines += [_row("before", stays.row(row, named=True)) for row in found]
    after = [result.data.row(row, named=True) for row in found]
    assert [record["charge"] for record in after] == stays["charge"].gather(found).to_list()
    lines.append(_row("**after**, all of them", after[0] | {"charge": None}))
    return "\n".join(lines)


def _row(when: str, record: dict[str, Any]) -> str:
    cells = [
        when,
        record["age"],
        record["sex"],
        record["length_of_stay"],
        _told("icd9cm", record["diagnosis"]),
        _told("icd9cm_procedures", record["procedure"]),
        "as before" if record["charge"] is None else f"{record['charge']:,}",
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def _told(taxonomy: str, code: str) -> str:
    return f"{code} {om.load_taxonomy(taxonomy).label(code)}"


if __name__ == "__main__":
    found = compared()
    print(found.write_map(ROOT / "docs" / "images" / "risk-utility-map.svg", overwrite=True).relative_to(ROOT))
    print(found)
    print(before_and_after())
