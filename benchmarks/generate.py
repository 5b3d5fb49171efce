"""Large inputs of realistic shape, made on the spot with fixed seeds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

#: Words to write labels and definitions with.
WORDS = (
    "abnormality acute anterior aplasia artery atrophy bilateral bone cardiac chronic congenital cortical defect deficiency "
    "dysplasia elevated enlarged facial familial fibrosis focal function hepatic hypoplasia increased joint lateral lesion "
    "mild morphology muscle neonatal nerve ocular pattern pelvic posterior progressive pulmonary reduced renal severe "
    "skeletal skin spinal syndrome tissue valve vascular vertebral visceral"
).split()


def snomed_like(concepts: int = 350_000, links: int = 600_000, seed: int = 7) -> tuple[list[str], NDArray[np.int64]]:
    """Codes and (child, parent) positions of a DAG as large, deep and entangled as SNOMED CT.

    Concepts lie on 15 levels, most of them in the middle. A parent stands one level up, further parents one or two,
    all at about the same place along their level, so that relatives share ancestors as they do in a real ontology.
    """
    rng = np.random.default_rng(seed)
    level = np.sort(np.minimum(2 + rng.poisson(5, concepts), 15))
    level[:20] = 2
    level[0] = 1
    start = np.searchsorted(level, np.arange(1, 18))

    def above(child: NDArray[np.int64], up: NDArray[np.int64]) -> NDArray[np.int64]:
        to = np.maximum(level[child] - up, 1)
        low, size = start[to - 1], start[to] - start[to - 1]
        own = start[level[child] - 1]
        along = (child - own) / (start[level[child]] - own) + rng.normal(0, 3e-4, len(child))
        return low + np.clip((along * size).astype(np.int64), 0, size - 1)

    child = np.arange(1, concepts)
    first = np.stack((child, above(child, np.ones(len(child), dtype=np.int64))), 1)
    more = rng.choice(child[level[1:] > 3], 2 * (links - len(child)), replace=True)
    further = np.stack((more, above(more, rng.integers(1, 3, len(more)))), 1)
    _, place = np.unique(np.concatenate((first, further)), axis=0, return_index=True)
    pairs = np.concatenate((first, further))[np.sort(place)[:links]]
    return [str(100_000_000 + 7 * i) for i in range(concepts)], pairs


def owl_file(path: Path, megabytes: int = 100, seed: int = 5) -> int:
    """An ontology in RDF/XML in the manner of HPO; returns its number of classes."""
    rng = np.random.default_rng(seed)

    def text(words: int) -> str:
        return " ".join(WORDS[i] for i in rng.integers(len(WORDS), size=words))

    size, classes = 0, 0
    with path.open("w", encoding="utf-8") as file:
        file.write(
            '<?xml version="1.0"?>\n<rdf:RDF xmlns="http://example.org/toy.owl#" '
            'xmlns:owl="http://www.w3.org/2002/07/owl#" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
            'xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" '
            'xmlns:obo="http://purl.obolibrary.org/obo/" '
            'xmlns:oboInOwl="http://www.geneontology.org/formats/oboInOwl#">\n'
            '<owl:Ontology rdf:about="http://example.org/toy.owl"/>\n'
            '<owl:ObjectProperty rdf:about="http://purl.obolibrary.org/obo/BFO_0000050">'
            "<rdfs:label>part of</rdfs:label></owl:ObjectProperty>\n"
        )
        while size < megabytes * 1_000_000:
            lines = [f'<owl:Class rdf:about="http://purl.obolibrary.org/obo/TOY_{classes:07d}">']
            first = int(classes * rng.random())
            parents = {first, max(0, first - int(rng.integers(5)))} if rng.random() < 0.25 else {first}
            lines += [
                f'    <rdfs:subClassOf rdf:resource="http://purl.obolibrary.org/obo/TOY_{p:07d}"/>'
                for p in sorted(parents)
                if classes
            ]
            if classes and rng.random() < 0.2:
                lines.append(
                    "    <rdfs:subClassOf><owl:Restriction>"
                    '<owl:onProperty rdf:resource="http://purl.obolibrary.org/obo/BFO_0000050"/>'
                    "<owl:someValuesFrom "
                    f'rdf:resource="http://purl.obolibrary.org/obo/TOY_{int(rng.integers(classes)):07d}"/>'
                    "</owl:Restriction></rdfs:subClassOf>"
                )
            lines.append(f"    <obo:IAO_0000115>{text(25).capitalize()}.</obo:IAO_0000115>")
            for _ in range(int(rng.integers(4))):
                lines.append(f"    <oboInOwl:hasExactSynonym>{text(3)}</oboInOwl:hasExactSynonym>")
            lines += [
                f"    <oboInOwl:hasDbXref>UMLS:C{int(rng.integers(10**7)):07d}</oboInOwl:hasDbXref>",
                f"    <oboInOwl:id>TOY:{classes:07d}</oboInOwl:id>",
                f'    <rdfs:label xml:lang="en">{text(4).capitalize()}</rdfs:label>',
                "</owl:Class>\n",
            ]
            block = "\n".join(lines)
            file.write(block)
            size += len(block)
            classes += 1
        file.write("</rdf:RDF>\n")
    return classes
