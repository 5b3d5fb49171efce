"""Every measure against human judgement of similarity (T12 section 3.2.4), on WordNet nouns.

    python -m benchmarks.human_judgement docs/human-judgement.md

The two classic lists of word pairs, Rubenstein & Goodenough's 65 and Miller & Charles' 30, carry the mean judgement of
people. A word is taken in the sense that suits best: of all pairs of noun senses of two words, the most similar one
counts. The figure is the absolute Pearson correlation with the judgements.
"""

from __future__ import annotations

import csv
import os
import sys
from pathlib import Path

import numpy as np

import ontomask as om

DATA = Path(os.environ.get("ONTOMASK_DATA", Path(__file__).parents[2] / "shared" / "data"))
LISTS = {"Rubenstein-Goodenough": "rubenstein-goodenough-65.csv", "Miller-Charles": "miller-charles-30.csv"}

#: name -> (measure, options, as similarity?)
SETTINGS: dict[str, tuple[str, dict[str, object], bool]] = {
    "logsc": ("logsc", {}, False),
    "wu_palmer": ("wu_palmer", {}, False),
    "wu_palmer, depth in edges": ("wu_palmer", {"depth": "edges"}, False),
    "path": ("path", {}, False),
    "leacock_chodorow (similarity)": ("leacock_chodorow", {}, True),
    "weighted_edge": ("weighted_edge", {}, False),
    "lin, Seco": ("lin", {"ic": "intrinsic"}, False),
    "lin, Sanchez": ("lin", {"ic": "sanchez"}, False),
    "jiang_conrath, Seco": ("jiang_conrath", {"ic": "intrinsic"}, False),
    "jiang_conrath, Sanchez": ("jiang_conrath", {"ic": "sanchez"}, False),
    "resnik, Seco (similarity)": ("resnik", {"ic": "intrinsic"}, True),
    "resnik, Sanchez (similarity)": ("resnik", {"ic": "sanchez"}, True),
    "tversky, ancestors": ("tversky", {"features": "ancestors"}, False),
    "tversky, synonyms": ("tversky", {"features": "synonyms"}, False),
    "rodriguez": ("rodriguez", {}, False),
    "x_similarity": ("x_similarity", {}, False),
    "equality": ("equality", {}, False),
}
#: What the thesis collects from the literature (T12 Table 4): Miller-Charles, Rubenstein-Goodenough.
THESIS = {
    "path": ("0.59", ""),
    "wu_palmer": ("0.74", ""),
    "leacock_chodorow (similarity)": ("0.74", "0.77"),
    "rodriguez": ("0.71", ""),
    "tversky, synonyms": ("0.73", ""),
    "x_similarity": ("0.74", ""),
    "logsc": ("0.85", "0.86"),
    "resnik, Seco (similarity)": ("0.72", "0.72"),
    "lin, Seco": ("0.70", "0.72"),
    "jiang_conrath, Seco": ("0.73", "0.75"),
}


def word_pairs(path: Path) -> list[tuple[str, str, float]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [(row["word1"], row["word2"], float(row["similarity"])) for row in csv.DictReader(file)]


def correlations(wordnet: om.Taxonomy, pairs: list[tuple[str, str, float]]) -> dict[str, float]:
    """|Pearson| of each setting with the judgements."""
    senses = {w: [wordnet.concepts[i] for i in wordnet.senses[w]] for a, b, _ in pairs for w in (a, b)}
    concepts = list(dict.fromkeys(c for found in senses.values() for c in found))
    place = {c: i for i, c in enumerate(concepts)}
    judged = [judgement for _, _, judgement in pairs]
    result = {}
    for name, (measure, options, similar) in SETTINGS.items():
        table = (om.similarity_matrix if similar else om.distance_matrix)(wordnet, concepts, measure, **options)
        best = np.max if similar else np.min
        values = [
            best(table[np.ix_([place[c] for c in senses[a]], [place[c] for c in senses[b]])]) for a, b, _ in pairs
        ]
        result[name] = 0.0 if np.ptp(values) == 0 else abs(float(np.corrcoef(values, judged)[0, 1]))
    return result


def page(tables: dict[str, dict[str, float]]) -> str:
    lines = [
        "# Measures against human judgement",
        "",
        "Made by `make docs` (`benchmarks/human_judgement.py`) on the WordNet 3.0 nouns of Debian's `wordnet-base`.",
        "",
        "People rated how similar two nouns are: Rubenstein and Goodenough (1965) for 65 pairs, Miller and Charles (1991)",
        "for 30 of them. The figures are absolute Pearson correlations with the mean ratings. If the words have several noun",
        "senses, the most similar pair of senses is used. The last two columns are the figures that T12 (Table 4) collects",
        "from the literature, for older versions of WordNet, with corpus-based information content and other settings.",
        "",
        "| measure | R&G 65 | M&C 30 | T12: R&G | T12: M&C |",
        "|---|---:|---:|---:|---:|",
    ]
    rg, mc = (tables[name] for name in LISTS)
    for name in sorted(rg, key=lambda n: -rg[n]):
        thesis_mc, thesis_rg = THESIS.get(name, ("", ""))
        lines.append(f"| {name} | {rg[name]:.3f} | {mc[name]:.3f} | {thesis_rg} | {thesis_mc} |")
    lines += [
        "",
        "How to read it: measures that use all ancestors (`logsc`) or information content agree with people more closely than",
        "measures that count links. `logsc` needs no corpus and is a metric on every taxonomy; therefore it is the default.",
        "`weighted_edge` doubles its weights towards the root and is designed for the shallow, regular hierarchies of D12; on",
        "a deep lexical taxonomy it agrees less than `path`. `equality` is what tools without semantics use: it only tests",
        "whether two words can have the same meaning.",
        "",
        "`rodriguez`, `x_similarity` and `tversky` on synonyms compare words and definitions. Our definitions of features and",
        "neighbourhood (see their pages) differ from those of the studies that T12 cites, and so do the figures.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    wordnet = om.load_taxonomy("wordnet")
    text = page({name: correlations(wordnet, word_pairs(DATA / "similarity" / file)) for name, file in LISTS.items()})
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
