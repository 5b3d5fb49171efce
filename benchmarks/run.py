"""What README claims about speed: every figure of the table is measured here and now.

    make bench                                  all of it
    make bench ARGS="tables masking"            some sections
    make bench ARGS="masking --processes 3"     fewer processes for each row

Every row is measured in several fresh processes, one after the other. In each the first call is timed, then some more, the
warm ones. *Warm call* is the median over the processes of the median of the warm calls, with the fastest and the slowest
process behind it; *first call* is the median over the processes. Compiling the loops, which happens once on a machine, is in
neither. Rows that need data or a library that is not there are left out and say so.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import numpy as np

import ontomask as om
from benchmarks import generate, peers
from benchmarks.generalizing import generalizing
from benchmarks.keeping import keeping
from benchmarks.masking import masking
from benchmarks.streaming import streaming
from benchmarks.telling import telling
from benchmarks.timing import DATA, Job, in_fresh_processes, measure, own_process, told
from benchmarks.tools import beside_tools

TAXONOMIES = DATA / "taxonomies"


def starting(folder: Path) -> Iterator[Job]:
    code = "import time; t = time.perf_counter(); import ontomask; print(time.perf_counter() - t)"
    yield Job("import ontomask", lambda: own_process(code), "<= 0.3 s", times=0, own_clock=True)

    def first_table() -> None:
        codes = om.load_taxonomy("icd9cm")
        om.distance_matrix(codes, codes.concepts[1000:2000])

    yield Job("table of 1,000 ICD-9 codes, loading included in the first call", first_table, "<= 1.5 s")


def reading(folder: Path) -> Iterator[Job]:
    from ontomask.taxonomy import catalog

    if TAXONOMIES.is_dir():
        yield Job("hp.obo (10 MB) to Taxonomy", lambda: om.read_taxonomy(TAXONOMIES / "hp.obo"), "<= 0.6 s")
        yield Job("MeSH tree file to Taxonomy", lambda: om.read_taxonomy(TAXONOMIES / "mtrees2023.bin"))
    yield Job("built-in ICD-9-CM", catalog._CATALOG["icd9cm"][0], "<= 0.3 s")
    if (peers.DEBIAN_WORDNET / "data.noun").exists():
        yield Job("WordNet nouns to Taxonomy", lambda: om.read_taxonomy(peers.DEBIAN_WORDNET), "<= 2 s", times=3)
    owl = folder / "toy.owl"
    classes = generate.owl_file(owl)
    what = f"OWL, 100 MB ({classes:,} classes) to Taxonomy"
    yield Job(what, lambda: om.read_taxonomy(owl), "<= 6 s", times=2, processes=3, memory=True)


def building(folder: Path) -> Iterator[Job]:
    concepts, links = generate.snomed_like()
    what = "350,000 concepts, 600,000 links, with all ancestors: build"
    yield Job(what, lambda: om.Taxonomy(concepts, links).dag.subsumers, "<= 10 s, 1,500 MB", times=2, memory=True)
    pairs = [(concepts[a], concepts[b]) for a, b in links]
    what = "the same from a list of pairs of codes"
    yield Job(what, lambda: om.Taxonomy.from_edges(pairs).dag.subsumers, "<= 10 s, 1,500 MB", times=2, memory=True)


def tables(folder: Path) -> Iterator[Job]:
    wordnet = om.load_taxonomy("wordnet")
    rng = np.random.default_rng(1)
    nouns = [wordnet.concepts[i] for i in rng.choice(len(wordnet), 5000, replace=False)]
    for measure_, options in [
        ("logsc", {}), ("wu_palmer", {}), ("lin", {}), ("path", {}), ("leacock_chodorow", {}), ("resnik", {}),
        ("jiang_conrath", {}), ("lin", {"ic": "sanchez"}), ("tversky", {}), ("weighted_edge", {}),
    ]:  # fmt: skip
        target = ">= 60" if measure_ in ("logsc", "wu_palmer", "lin") else ""
        name = measure_ + "".join(f", {k}={v}" for k, v in options.items())
        yield Job(
            f"{name}: 5,000 x 5,000 WordNet nouns",
            lambda m=measure_, o=options: om.distance_matrix(wordnet, nouns, m, **o),
            target,
            pairs=25_000_000,
        )
    yield Job("logsc, one thread", lambda: om.distance_matrix(wordnet, nouns, workers=1), pairs=25_000_000)


def whole(folder: Path) -> Iterator[Job]:
    hpo = om.read_taxonomy(TAXONOMIES / "hp.obo")
    result = len(hpo) ** 2 * 4 / 2**20
    for name in ("logsc", "wu_palmer", "lin"):
        yield Job(
            f"{name}: all of HPO, {len(hpo):,} x {len(hpo):,} float32",
            lambda m=name: om.distance_matrix(hpo, hpo.concepts, m, dtype="float32") is None,
            "4,096 MB",
            times=1,
            memory=True,
            note=lambda _: f"the result alone: {result:,.0f} MB",
        )


def against_peers(folder: Path) -> Iterator[Job]:
    """The same pairs with other libraries; ours is the table of the same concepts."""
    rng = np.random.default_rng(2)
    if (peers.DEBIAN_WORDNET / "data.noun").exists():
        wordnet = om.load_taxonomy("wordnet")
        nouns = [wordnet.concepts[i] for i in rng.choice(len(wordnet), 2000, replace=False)]
        for name in ("path", "wu_palmer", "lin"):
            yield _versus(
                f"{name}: NLTK on WordNet",
                lambda m=name: peers.time_nltk(folder, nouns[:40], m),
                lambda m=name: om.distance_matrix(wordnet, nouns, m),
                len(nouns) ** 2,
            )
    if TAXONOMIES.is_dir():
        hpo = om.read_taxonomy(TAXONOMIES / "hp.obo")
        terms = [hpo.concepts[i] for i in rng.choice(len(hpo), 2000, replace=False)]
        for name, theirs in (("nxontology", peers.time_nxontology), ("hpo3 (its own copy of HPO)", peers.time_hpo3)):
            yield _versus(
                f"lin: {name} on HPO",
                lambda job=theirs: job(hpo, terms),
                lambda: om.distance_matrix(hpo, terms, "lin", ic="sanchez"),
                len(terms) ** 2,
            )


def _versus(what: str, theirs: Callable[[], tuple[float, int]], ours: Callable[[], object], pairs: int) -> Job:
    """Their seconds for a million pairs, shown as speed; ours in the same process."""

    def call() -> float:
        seconds, compared = theirs()
        return seconds / compared * 1e6

    def note(_: float) -> str:
        own = measure(Job(what, ours)).usual / pairs
        return f"ours, all pairs in one table: {1e-6 / own:.0f} million pairs/s"

    return Job(what, call, ">= 20 times", times=1, processes=3, pairs=1_000_000, own_clock=True, note=note)


SECTIONS: dict[str, Callable[[Path], Iterator[Job]]] = {
    "starting": starting,
    "reading": reading,
    "building": building,
    "tables": tables,
    "whole": whole,
    "masking": masking,
    "keeping": keeping,
    "streaming": streaming,
    "generalizing": generalizing,
    "telling": telling,
    "tools": beside_tools,
    "peers": against_peers,
}


def one_row(section: str, place: int) -> str:
    """The answer of a fresh process: a row measured, or a reason why there is none; no reason behind the last."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            for number, job in enumerate(SECTIONS[section](Path(folder))):
                if number == place:
                    return told(measure(job))
        except (om.errors.MissingDataError, om.errors.TaxonomyFileError) as problem:
            return json.dumps({"reason": f"left out: {problem.what}" if place == 0 else ""})
        except ImportError as problem:
            return json.dumps({"reason": f"left out: {problem.name} is not installed"})
    return json.dumps({"reason": ""})


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what README claims about speed.")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of: {', '.join(SECTIONS)} (all)")
    parser.add_argument("--processes", type=int, default=5, help="fresh processes for each row (5)")
    parser.add_argument("--row", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.row:
        print(one_row(options.row[0], int(options.row[1])))
        return
    unknown = [name for name in options.sections if name not in SECTIONS]
    if unknown or options.processes < 1:
        parser.error(f"no section {unknown[0]!r}: {', '.join(SECTIONS)}" if unknown else "--processes: at least 1")
    print(
        f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}; "
        f"{options.processes} fresh processes for each row\n"
    )
    print(
        "| what | warm call (fastest to slowest process) | first call | memory, remarks | target |\n|---|---|---|---|---|"
    )
    for section in options.sections or SECTIONS:
        for place in count():
            row = in_fresh_processes(section, place, options.processes)
            if row is None:
                break
            cells = [section, row, "", "", ""] if isinstance(row, str) else row.cells()
            print(f"| {' | '.join(cells)} |", flush=True)
            if isinstance(row, str) and section != "peers":
                break


if __name__ == "__main__":
    main()
