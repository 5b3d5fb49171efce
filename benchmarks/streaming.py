"""Streaming: files of 10^5 to 10^8 records through adaptive microaggregation, with the largest memory of the process."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.timing import Job, own_process

#: Records of each row of the table; different values of the two columns.
SIZES = (10**5, 10**6, 10**7, 10**8)
VALUES = (200, 100)

#: In a process of its own, which takes less memory than a run: two columns of ICD-9 codes, the frequent ones by Zipf's law.
GENERATE = """
import sys
from pathlib import Path
import numpy as np
import polars as pl
import ontomask as om
n, folder = int({n}), Path({folder!r})
rng, codes = np.random.default_rng(0), om.load_taxonomy("icd9cm").concepts
columns = {{}}
for name, size in zip(("diagnosis", "second"), {values!r}):
    weights = 1 / np.arange(1, size + 1)
    columns[name] = pl.Series(rng.choice(codes, size, replace=False).tolist()), np.cumsum(weights / weights.sum())
for number, start in enumerate(range(0, n, 1_000_000)):
    m = min(1_000_000, n - start)
    part = {{k: v.gather(np.searchsorted(c, rng.random(m)).clip(0, len(v) - 1)) for k, (v, c) in columns.items()}}
    pl.DataFrame(part).write_parquet(folder / f"part{{number:03d}}.parquet")
print(0.0)
"""


def streaming(folder: Path) -> Iterator[Job]:
    for n in SIZES:
        target = "<= 6,000 MB" if n == 10**8 else ""
        yield Job(
            f"streaming, {n:,} records x 2 nominal columns in Parquet: adaptive microaggregation, k = 5",
            partial(run, n),
            target,
            times=0,
            processes=1 if n >= 10**7 else 3,
            memory=True,
            own_clock=True,
        )


def run(n: int) -> float:
    """The seconds that a run takes from files to the saved and verified folder; the files are removed afterwards."""
    import ontomask as om

    policy = om.Policy(
        attributes={"diagnosis": om.Nominal("icd9cm"), "second": om.Nominal("icd9cm")},
        method=om.Microaggregation(k=5, partition="adaptive"),
        require=[om.KAnonymity(k=5)],
        row_order="kept",
    )
    with TemporaryDirectory() as name:
        place = Path(name)
        data = place / "data"
        data.mkdir()
        own_process(GENERATE.format(n=n, folder=str(data), values=VALUES))
        began = time.perf_counter()
        om.anonymize_files(data, policy, place / "result", memory="4GB")
        return time.perf_counter() - began
