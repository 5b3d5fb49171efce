"""Run all experiments and write docs/experiments.md: `python -m experiments`."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

from experiments import centroids, microaggregation, recoding, resampling
from experiments.data import answers
from experiments.reporting import table, wrapped

PAGE = Path(__file__).parents[1] / "docs" / "experiments.md"
PARTS = (centroids, recoding, microaggregation, resampling)
#: The sentences of `comes_out`, by what they say.
VERDICTS = {
    "in every case": re.compile(r"\bIt comes out here (?:at|in) every"),
    "in some cases": re.compile(r"\*\*It comes out here"),
    "in none": re.compile(r"\*\*It does not come out here"),
}


def page(sections: list[list[str]]) -> str:
    """The page: what it is about, how many findings come out, and the reports of all parts."""
    frame = answers().frame
    distinct = frame.group_by(frame.columns).len()["len"]
    rows = []
    for section in sections:
        text = "\n".join(section)
        said = [len(verdict.findall(text)) for verdict in VERDICTS.values()]
        rows.append([section[0].removeprefix("## "), sum(said), *said])
    head = [
        "# The experiments of the thesis, on data at hand",
        (
            "Made by `python -m experiments`, which runs `experiments/` and writes this page: every figure and every "
            "sentence on what comes out is worked out from the runs. T12 is the thesis whose recoding, microaggregation and "
            "resampling the product has; what it found is stated, then whether it comes out here."
        ),
        "## The data",
        (
            "**Adult** is real: UCI's census extract, 30,162 complete records, occupation x native-country, placed in "
            "WordNet 3.0 (the thesis: 2.1) by T12 Table 12 with chosen senses; see `experiments/data.py`. **Answers** is "
            f"synthetic. The thesis' first data set, 975 answers of visitors of a park, is not public. Ours has "
            f"{len(frame)} records of a reason and an activity, {len(distinct)} distinct pairs, {int((distinct == 1).sum())} "
            f"of them unique, the most frequent {distinct.max()} times, as the thesis prints of its own; the nouns and which "
            "pairs are frequent are invented, with a seed. What comes out on it says how the methods behave on data of that "
            "shape, and no more."
        ),
        "## How much comes out",
        table(["part", "findings of T12 tested", *VERDICTS], rows),
        (
            "A finding that is tested on two data sets counts twice, one that is tested for the published and for the "
            "product's own setting likewise. *In some cases* says no more than that: read where, in the sections below."
        ),
    ]
    return "\n\n".join(wrapped(part) for part in [*head, *(part for section in sections for part in section)]) + "\n"


def main() -> None:
    sections = []
    for part in PARTS:
        began = time.perf_counter()
        sections.append(list(part.report()))
        sys.stderr.write(f"{part.__name__}: {time.perf_counter() - began:.0f} s\n")
    PAGE.write_text(page(sections), encoding="utf-8")


if __name__ == "__main__":
    main()
