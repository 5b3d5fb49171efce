"""What README claims about speed: every figure of the table is measured here and now.

    make bench

One process, warm (each job runs once before it is timed, the best of several runs counts) unless a row says that the
process is fresh. Rows that need data or a library that is not there are left out and say so.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import ontomask as om
from benchmarks import generate, peers
from benchmarks.generalizing import generalizing
from benchmarks.keeping import keeping
from benchmarks.masking import masking
from benchmarks.telling import telling
from benchmarks.timing import DATA, PEAK, Row, best, fresh

TAXONOMIES = DATA / "taxonomies"


def start_up() -> Iterator[Row]:
    code = "import time; t = time.perf_counter(); import ontomask; print(time.perf_counter() - t)"
    yield "import ontomask, fresh process", f"{min(fresh(code)[0] for _ in range(5)):.3f} s", "<= 0.3 s"
    code = (
        "import time; import ontomask as om; t = time.perf_counter(); d = om.load_taxonomy('icd9cm'); "
        "om.distance_matrix(d, d.concepts[1000:2000]); print(time.perf_counter() - t)"
    )
    seconds = min(fresh(code)[0] for _ in range(5))
    yield "first table of 1,000 ICD-9 codes, loading included, fresh process", f"{seconds:.2f} s", "<= 1.5 s"


def reading(folder: Path) -> Iterator[Row]:
    from ontomask.taxonomy import catalog

    if TAXONOMIES.is_dir():
        yield "hp.obo (10 MB) to Taxonomy", f"{best(lambda: om.read_taxonomy(TAXONOMIES / 'hp.obo')):.2f} s", "<= 0.6 s"
        mesh = best(lambda: om.read_taxonomy(TAXONOMIES / "mtrees2023.bin"))
        yield "MeSH tree file to Taxonomy", f"{mesh:.2f} s", ""
    yield "built-in ICD-9-CM", f"{best(catalog._icd9cm.__wrapped__):.2f} s", "<= 0.3 s"
    if (peers.DEBIAN_WORDNET / "data.noun").exists():
        yield "WordNet nouns to Taxonomy", f"{best(lambda: om.read_taxonomy(peers.DEBIAN_WORDNET)):.2f} s", "<= 2 s"
    owl = folder / "toy.owl"
    classes = generate.owl_file(owl)
    yield f"OWL, 100 MB ({classes:,} classes) to Taxonomy", f"{best(lambda: om.read_taxonomy(owl), 2):.1f} s", "<= 6 s"
    owl.unlink()


def building() -> Iterator[Row]:
    seconds, megabytes = fresh(
        "import time; from benchmarks import generate; import ontomask as om; c, links = generate.snomed_like(); "
        "t = time.perf_counter(); x = om.Taxonomy(c, links); x.dag.subsumers; "
        f"print(time.perf_counter() - t); {PEAK}"
    )
    what = "350,000 concepts, 600,000 links, with all ancestors: build"
    yield what, f"{seconds:.1f} s, {megabytes:,.0f} MB", "<= 10 s, 1,500 MB"
    seconds, megabytes = fresh(
        "import time; from benchmarks import generate; import ontomask as om; c, links = generate.snomed_like(); "
        "pairs = [(c[a], c[b]) for a, b in links]; t = time.perf_counter(); x = om.Taxonomy.from_edges(pairs); "
        f"print(time.perf_counter() - t); {PEAK}"
    )
    yield "the same from a list of pairs of codes", f"{seconds:.1f} s, {megabytes:,.0f} MB", "<= 10 s, 1,500 MB"


def tables() -> Iterator[Row]:
    wordnet = om.load_taxonomy("wordnet")
    rng = np.random.default_rng(1)
    nouns = [wordnet.concepts[i] for i in rng.choice(len(wordnet), 5000, replace=False)]
    for measure, options in [
        ("logsc", {}), ("wu_palmer", {}), ("lin", {}), ("path", {}), ("leacock_chodorow", {}), ("resnik", {}),
        ("jiang_conrath", {}), ("lin", {"ic": "sanchez"}), ("tversky", {}), ("weighted_edge", {}),
    ]:  # fmt: skip
        speed = 25 / best(lambda m=measure, o=options: om.distance_matrix(wordnet, nouns, m, **o))
        target = ">= 60" if measure in ("logsc", "wu_palmer", "lin") else ""
        name = measure + "".join(f", {k}={v}" for k, v in options.items())
        yield f"{name}: 5,000 x 5,000 WordNet nouns", f"{speed:.0f} million pairs/s", target
    one = 25 / best(lambda: om.distance_matrix(wordnet, nouns, workers=1))
    yield "logsc, one thread", f"{one:.0f} million pairs/s", ""


def whole_ontology() -> Iterator[Row]:
    for measure in ("logsc", "wu_palmer", "lin"):
        seconds, megabytes = fresh(
            f"import time; import ontomask as om; t = om.read_taxonomy({str(TAXONOMIES / 'hp.obo')!r}); "
            "s = time.perf_counter(); "
            f"d = om.distance_matrix(t, t.concepts, {measure!r}, dtype='float32'); "
            f"print(time.perf_counter() - s); {PEAK}"
        )
        result = 19_034**2 * 4 / 2**20
        yield (
            f"{measure}: all of HPO, 19,034 x 19,034 float32, fresh process",
            f"{seconds:.1f} s, {megabytes:,.0f} MB (the result alone: {result:,.0f})",
            "4,096 MB",
        )


def against_peers(folder: Path) -> Iterator[Row]:
    """The same pairs with other libraries; ours is the table of the same concepts."""
    rng = np.random.default_rng(2)
    if (peers.DEBIAN_WORDNET / "data.noun").exists():
        wordnet = om.load_taxonomy("wordnet")
        nouns = [wordnet.concepts[i] for i in rng.choice(len(wordnet), 2000, replace=False)]
        for measure, seconds, pairs in peers.time_nltk(folder, nouns[:40]):
            ours = best(lambda m=measure: om.distance_matrix(wordnet, nouns, m)) / len(nouns) ** 2
            yield _versus(f"{measure}: NLTK on WordNet", seconds / pairs, ours)
    if TAXONOMIES.is_dir():
        hpo = om.read_taxonomy(TAXONOMIES / "hp.obo")
        terms = [hpo.concepts[i] for i in rng.choice(len(hpo), 2000, replace=False)]
        ours = best(lambda: om.distance_matrix(hpo, terms, "lin", ic="sanchez")) / len(terms) ** 2
        for name, job in (("nxontology", peers.time_nxontology), ("hpo3 (its own copy of HPO)", peers.time_hpo3)):
            try:
                seconds, pairs = job(hpo, terms)
            except ImportError:
                yield f"lin: {name}", "not installed", ""
                continue
            yield _versus(f"lin: {name} on HPO", seconds / pairs, ours)


def _versus(what: str, theirs: float, ours: float) -> Row:
    return (
        what,
        f"{1e-6 / theirs:.4g} million pairs/s; ours {1e-6 / ours:.0f}: {theirs / ours:,.0f} times as fast",
        ">= 20 times",
    )


def main() -> None:
    sections: list[tuple[str, Callable[[Path], Iterator[Row]]]] = [
        ("starting", lambda folder: start_up()),
        ("reading", reading),
        ("building", lambda folder: building()),
        ("tables", lambda folder: tables()),
        ("whole ontology", lambda folder: whole_ontology()),
        ("masking", masking),
        ("keeping", keeping),
        ("generalizing", generalizing),
        ("telling", telling),
        ("peers", against_peers),
    ]
    chosen = [s for s in sections if len(sys.argv) == 1 or s[0].split()[0] in sys.argv[1:]]
    print("| what | measured | target |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, section in chosen:
            try:
                for what, measured, target in section(Path(folder)):
                    print(f"| {what} | {measured} | {target} |", flush=True)
            except (om.errors.MissingDataError, om.errors.TaxonomyFileError) as problem:
                print(f"| {name} | left out: {problem.what} | |", flush=True)


if __name__ == "__main__":
    main()
