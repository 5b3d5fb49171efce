"""How the default microaggregation grows with the table: time of processors and memory, and the chart of docs/images.

    python -m benchmarks.growth 100000 1000000 10000000

Every table is masked in a fresh process: age, length of stay, charge and diagnosis of synthetic stays, k = 5, from a Polars
frame to a verified one. Tables of more than a million stays are several of a million, one behind the other.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl

import ontomask as om

CHART = Path(__file__).parents[1] / "docs" / "images" / "growth.svg"
COLUMNS = ("age", "length_of_stay", "charge", "diagnosis")
MOST, K = 1_000_000, 5


def stays(n: int) -> pl.DataFrame:
    parts = [om.demo_data(min(MOST, n - begin), seed=begin // MOST) for begin in range(0, n, MOST)]
    return pl.concat([part.select(COLUMNS) for part in parts])


def policy() -> om.Policy:
    demo = om.demo_policy().attributes
    attributes: dict[str, Any] = {name: demo[name] for name in COLUMNS}
    attributes["charge"] = om.Numeric(decimals=0)
    return om.Policy(attributes=attributes, method=om.Microaggregation(k=K))


def one(n: int) -> dict[str, Any]:
    """A table masked here and now, once the loops are loaded."""
    om.anonymize(stays(30_000), policy())
    frame = stays(n)
    wall, processor = time.perf_counter(), time.process_time()
    result = om.anonymize(frame, policy())
    return {
        "records": n,
        "combinations": result.prepared.table.p,
        "processor": round(time.process_time() - processor, 1),
        "wall": round(time.perf_counter() - wall, 1),
        "gigabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }


def chart(measured: pl.DataFrame) -> Any:
    """Both axes are logarithmic: what grows in proportion is parallel to the dashed line."""
    import altair as alt

    each = measured["processor"][0] / measured["records"][0]
    proportion = measured.select("records", processor=pl.col("records") * each)
    x = alt.X("records:Q", scale=alt.Scale(type="log"), title="records")
    y = alt.Y("processor:Q", scale=alt.Scale(type="log"), title="seconds of processors")
    line = alt.Chart(measured).mark_line(point=True).encode(x=x, y=y)
    dashed = alt.Chart(proportion).mark_line(strokeDash=[4, 4], color="gray").encode(x=x, y=y)
    return (dashed + line).properties(width=420, height=260)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", type=int)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        print(json.dumps(one(options.records[0])))
        return
    rows = []
    print(f"{os.cpu_count()} cores\n| records | combinations | processor | wall | memory |\n|---:|---:|---:|---:|---:|")
    for n in options.records:
        command = [sys.executable, "-m", "benchmarks.growth", str(n), "--here"]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        row = json.loads(done.stdout)
        rows.append(row)
        cells = f"{n:,} | {row['combinations']:,} | {row['processor']} s | {row['wall']} s | {row['gigabytes']} GB"
        print(f"| {cells} |", flush=True)
    chart(pl.DataFrame(rows)).save(str(CHART))


if __name__ == "__main__":
    main()
