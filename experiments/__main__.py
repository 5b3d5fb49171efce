"""Run experiments and write their pages: `python -m experiments [part ...]`.

Without a part all are run. A part that is not run keeps the section that its page has; a part stands for itself
(`resampling`) or is a whole page (`experiments`, `experiments-discharges`).
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from experiments import (
    centroids,
    framework,
    generalization,
    marginality,
    microaggregation,
    rank_swapping,
    recoding,
    resampling,
    shuffling,
)
from experiments.data import answers
from experiments.reporting import table, wrapped

DOCS = Path(__file__).parents[1] / "docs"
#: The sentences of `comes_out`, by what they say.
VERDICTS = {
    "in every case": re.compile(r"\bReproduced here (?:at|in) every"),
    "in some cases": re.compile(r"\*\*Reproduced here"),
    "in none": re.compile(r"\*\*Not reproduced here"),
}


def thesis() -> list[str]:
    frame = answers().frame
    distinct = frame.group_by(frame.columns).len()["len"]
    return [
        "# The experiments of the thesis",
        (
            "Made by `python -m experiments`, which runs `experiments/` and writes this page: every figure and every "
            "sentence on reproduction is computed from the runs. T12 is the thesis whose recoding, microaggregation, "
            "resampling and generalization the product implements. Each of its findings is stated, followed by whether it "
            "is reproduced here."
        ),
        "## The data",
        (
            "**Adult** is real: UCI's census extract, 30,162 complete records, occupation x native-country, mapped to "
            "WordNet 3.0 (the thesis: 2.1) by T12 Table 12 with chosen senses; see `experiments/data.py`. **Answers** is "
            f"synthetic. The thesis' first data set, 975 answers of visitors of a park, is not public. Ours has "
            f"{len(frame)} records of a reason and an activity, {len(distinct)} distinct pairs, {int((distinct == 1).sum())} "
            f"of them unique, the most frequent {distinct.max()} times, like the data of the thesis; the nouns and the "
            "frequencies of pairs are invented, with a seed. Results on these data only show how the methods behave on data "
            "of that shape. **Discharges** are also synthetic; only the last section uses them, and says how they compare "
            "with those of the thesis."
        ),
    ]


def papers() -> list[str]:
    return [
        "# The experiments of three papers, on synthetic discharges",
        (
            "Made by `python -m experiments experiments-discharges`: every figure and every sentence on reproduction is "
            "computed from the runs. M13 is the paper on marginality and [microaggregation](methods/microaggregation.md), "
            "R17 the one on semantic [rank swapping](methods/rank_swapping.md), D12 the one on "
            "[shuffling](methods/shuffling.md) and MicroHybrid. Each finding of a paper is stated, followed by whether it is "
            "reproduced here; printed figures are shown beside ours. The thesis' experiments have a "
            "[page of their own](experiments.md)."
        ),
        "## The data",
        (
            "**All data here are synthetic.** The papers use discharges of Californian hospitals, which may not be "
            "distributed. Ours are drawn by [`om.demo_data`](demo-data.md), whose chapters of neoplasms and digestive diseases "
            "have as many records and about as many codes as the data of M13; the numbers of unique tuples agree for neoplasms "
            "only (digestive: a third, in M13 nearly all). So figures need not agree; one can compare which method is better, "
            "and roughly by how much. R17 uses SNOMED-CT, we use ICD-9-CM: a tree of few levels, in which many codes are "
            "equally far from each other."
        ),
    ]


@dataclass(frozen=True)
class Page:
    """``head`` is what comes before the sections; ``papers``: whose findings are tested."""

    name: str
    head: Callable[[], list[str]]
    papers: str
    parts: Sequence[ModuleType]

    @property
    def path(self) -> Path:
        return DOCS / f"{self.name}.md"

    def kept(self) -> dict[str, str]:
        """The sections of the page as it stands, by their headings."""
        if not self.path.exists():
            return {}
        sections = re.split(r"(?m)^(?=## )", self.path.read_text(encoding="utf-8"))
        return {section.partition("\n")[0]: section.strip() for section in sections}

    def write(self, sections: dict[str, str]) -> None:
        """The page: what it is about, how many findings come out, and the sections of all parts that there are."""
        rows = []
        for heading, section in sections.items():
            said = [len(verdict.findall(" ".join(section.split()))) for verdict in VERDICTS.values()]
            rows.append([heading.removeprefix("## "), sum(said), *said])
        counted = [
            "## How many findings are reproduced",
            table(["part", f"findings of {self.papers} tested", *VERDICTS], rows),
            (
                "A finding that is tested on two data sets counts twice, and so does one that is tested with the published "
                "and with the product's own setting. *In some cases*: the sections below say in which."
            ),
        ]
        text = [*map(wrapped, [*self.head(), *counted]), *sections.values()]
        self.path.write_text("\n\n".join(text) + "\n", encoding="utf-8")


PAGES = (
    Page("experiments", thesis, "T12", (centroids, recoding, microaggregation, resampling, generalization, framework)),
    Page("experiments-discharges", papers, "M13, R17, D12", (marginality, rank_swapping, shuffling)),
)


def name_of(part: ModuleType) -> str:
    return part.__name__.rpartition(".")[2]


def main() -> None:
    names = [page.name for page in PAGES] + [name_of(part) for page in PAGES for part in page.parts]
    parser = argparse.ArgumentParser(prog="python -m experiments", description="Run experiments and write their pages.")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"all, unless some are named: {', '.join(names)}")
    chosen = set(parser.parse_args().parts or names)
    if unknown := chosen - set(names):
        parser.error(f"no part {', '.join(sorted(unknown))}. There are: {', '.join(names)}")
    running = {page: [p for p in page.parts if {page.name, name_of(p)} & chosen] for page in PAGES}
    for page, parts in running.items():
        if not parts:
            continue
        kept, sections = page.kept(), {}
        for part in page.parts:
            heading = next(part.report())
            if part in parts:
                began = time.perf_counter()
                sections[heading] = "\n\n".join(map(wrapped, part.report()))
                sys.stderr.write(f"{name_of(part)}: {time.perf_counter() - began:.0f} s\n")
            elif heading in kept:
                sections[heading] = kept[heading]
        page.write(sections)


if __name__ == "__main__":
    main()
