"""Other libraries on the same data, for comparison only; none of them is a dependency of the package."""

from __future__ import annotations

import shutil
import time
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

from ontomask import Taxonomy

DEBIAN_WORDNET = Path("/usr/share/wordnet")


def nltk_wordnet(folder: Path) -> Any:
    """NLTK's WordNet reader over Debian's files, laid out in ``folder`` as NLTK expects them.

    Debian leaves out the names of the lexicographer files. NLTK wants the list; nothing here uses it.
    """
    root = folder / "corpora" / "wordnet"
    root.mkdir(parents=True, exist_ok=True)
    for file in DEBIAN_WORDNET.iterdir():
        if file.is_file():
            shutil.copy(file, root)
    (root / "lexnames").write_text("".join(f"{i:02d}\tfile{i}\t1\n" for i in range(45)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import nltk.data
        from nltk.corpus.reader.wordnet import WordNetCorpusReader

        class Reader(WordNetCorpusReader):  # type: ignore[misc]
            def map_wn(self, version: str = "wordnet") -> None:
                """No mapping to other versions: it would want files that Debian packs apart."""

        nltk.data.path.append(str(folder))  # NLTK reads only from folders it has been told of
        return Reader(nltk.data.find("corpora/wordnet"), None)


def time_nltk(folder: Path, nouns: list[str], measure: str) -> tuple[float, int]:
    """Seconds and pairs, over all pairs of some nouns, after a first pass that fills NLTK's caches."""
    reader = nltk_wordnet(folder)
    synsets = [reader.synset(noun) for noun in nouns]
    ic = {"n": defaultdict(lambda: 1.0)}
    ic["n"][0] = 1e6
    jobs = {
        "path": lambda a, b: a.path_similarity(b),
        "wu_palmer": lambda a, b: a.wup_similarity(b),
        "lin": lambda a, b: a.lin_similarity(b, ic),
    }
    job = jobs[measure]
    for _ in range(2):
        start = time.perf_counter()
        for a in synsets:
            for b in synsets:
                job(a, b)
        seconds = time.perf_counter() - start
    return seconds, len(synsets) ** 2


def time_nxontology(taxonomy: Taxonomy, terms: list[str]) -> tuple[float, int]:
    from nxontology import NXOntology

    graph: Any = NXOntology()
    for concept in taxonomy:
        graph.add_node(concept)
    for concept in taxonomy:
        for parent in taxonomy.parents(concept):
            graph.add_edge(parent, concept)
    graph.freeze()
    some = terms[:60]
    for _ in range(2):
        start = time.perf_counter()
        for a in some:
            for b in some:
                _ = graph.similarity(a, b, ic_metric="intrinsic_ic_sanchez").lin
        seconds = time.perf_counter() - start
    return seconds, len(some) ** 2


def time_hpo3(taxonomy: Taxonomy, terms: list[str]) -> tuple[float, int]:
    from pyhpo import Ontology, helper

    Ontology()
    found = []
    for term in terms:
        try:
            found.append(Ontology.get_hpo_object(term))
        except RuntimeError:  # its copy is of another date
            continue
    some = found[:1000]
    pairs = [(a, b) for a in some for b in some]
    for _ in range(2):
        start = time.perf_counter()
        helper.batch_similarity(pairs, "omim", "lin")
        seconds = time.perf_counter() - start
    return seconds, len(pairs)
