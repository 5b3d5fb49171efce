"""Whole classifications as their publishers release them: counts known from elsewhere, read without loss."""

from __future__ import annotations

import csv
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import ontomask as om


def test_hpo(hpo: om.Taxonomy) -> None:
    assert len(hpo) == 19_034
    assert len(hpo.dag.parents.index) == 23_392
    assert int((hpo.dag.parents.lengths() > 1).sum()) == 3_627
    assert int(hpo.dag.depth.max()) - 1 == 16  # in links
    assert hpo.artificial_root is None
    assert hpo.root == "HP:0000001"
    assert hpo.label("HP:0004715") == "Multicystic kidney dysplasia"  # an alt_id
    assert "Multicystic renal dysplasia" in hpo.synonyms("HP:0000003")
    assert hpo.definition("HP:0000003").startswith("Multicystic dysplasia of the kidney")
    assert any("obsolete" in note for note in hpo.notes)


def test_mesh(data: Path) -> None:
    mesh = om.read_taxonomy(data / "taxonomies" / "mtrees2023.bin")
    categories = mesh.children(mesh.root)
    assert len(categories) == 16
    assert len(mesh) - len(categories) - 1 == 30_452
    assert len(mesh.aliases) == 63_056
    headings = [c for c in mesh if c not in categories and c != mesh.root]
    several = [c for c in headings if len([p for p in mesh.parents(c) if p not in categories]) > 1]
    assert len(several) == 9_059
    assert mesh.label("A01.236") == "Breast"
    assert mesh.parents("Breast") == mesh.parents("A01.236")


def test_wordnet(wordnet: om.Taxonomy) -> None:
    assert len(wordnet) == 82_115
    assert len(wordnet.dag.parents.index) == 84_427
    assert wordnet.artificial_root is None
    assert wordnet.root == "entity.n.01"
    assert wordnet.concepts[wordnet.senses["dog"][0]] == "dog.n.01"
    assert wordnet.position("02084071") == wordnet.position("dog.n.01")
    assert wordnet.synonyms("dog.n.01") == ["domestic dog", "Canis familiaris"]
    assert wordnet.parents("einstein.n.01") == ["physicist.n.01"]  # an instance
    assert ("part of", "car.n.01") in wordnet.related("accelerator.n.01")


def test_icd9cm_is_the_source_tree(data: Path, icd9cm: om.Taxonomy) -> None:
    assert len(icd9cm) == 17_727
    assert int(icd9cm.dag.leaves.sum()) == 14_567
    assert len(icd9cm.descendants("140-239")) == 1_167
    assert len(icd9cm.descendants("520-579")) == 764
    with (data / "taxonomies" / "icd9cm_2015_dx_tree.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            assert [p.replace(".", "") for p in icd9cm.parents(row["code"])] == [row["parent"]] * bool(row["parent"])
            if row["long_desc"]:
                assert icd9cm.label(row["code"]) == row["long_desc"]
                assert row["short_desc"] in (icd9cm.label(row["code"]), *icd9cm.synonyms(row["code"]))


def test_icd9cm_procedures_are_the_source_codes(data: Path) -> None:
    t = om.load_taxonomy("icd9cm_procedures")
    text = (data / "taxonomies" / "icd9cm_2015_procedures.txt").read_text(encoding="latin-1")
    rows = [line.split(" ", 1) for line in text.splitlines()]
    assert len(rows) == 3_882
    for code, title in rows:
        assert t.label(code) == title.strip()
        assert t.is_leaf(code)
        above = [a.replace(".", "") for a in t.ancestors(code) if "-" not in a and a != "ROOT"]
        assert above == [code[:n] for n in range(len(code) - 1, 1, -1)]  # its prefixes, down to the category
    assert len(t.children("ROOT")) == 18
    assert t.ancestors("47.01")[-2] == "42-54"


def test_icd10cm() -> None:
    pytest.importorskip("simple_icd_10_cm", reason="ICD-10-CM needs the extra icd10", exc_type=ImportError)
    t = om.load_taxonomy("icd10cm")
    assert len(t) - 1 >= 98_000  # the package follows the yearly releases
    assert t.label("A000") == t.label("A00.0")
    assert t.parents("A00.0") == ["A00"]
    assert t.parents("B99") == ["B99-B99"]  # a block of one category


@pytest.mark.parametrize(("file", "concepts"), [("nace2.csv", 997), ("isic4.csv", 767), ("naics2022.csv", 2126)])
def test_economic_activities(data: Path, file: str, concepts: int) -> None:
    t = om.read_taxonomy(data / "taxonomies" / file)
    assert (len(t), t.root, t.artificial_root) == (concepts, "ROOT", None)


def test_isco_by_its_prefixes(data: Path) -> None:
    t = om.read_taxonomy(data / "taxonomies" / "isco08.csv", "prefix", label="name_english")
    assert t.label("1111") == "Legislators"
    assert t.ancestors("1111") == ["111", "11", "1", t.root]


def test_adult_hierarchies(data: Path) -> None:
    for path in sorted((data / "adult").glob("adult_hierarchy_*.csv")):
        t = om.read_taxonomy(path)
        leaves = [line.split(";")[0] for line in path.read_text(encoding="utf-8").splitlines() if line]
        assert t.root == "*"
        assert all(leaf in t for leaf in leaves)


def test_round_trip_of_a_real_ontology(hpo: om.Taxonomy, tmp_path: Path) -> None:
    back = om.read_taxonomy(om.write_taxonomy(hpo, tmp_path / "hpo.csv.gz"))
    assert back.concepts == hpo.concepts
    assert back.fingerprint == hpo.fingerprint
    assert all(back.synonyms(c) == hpo.synonyms(c) for c in hpo.concepts[::50])


def test_a_whole_ontology_is_symmetric_and_the_same_with_any_number_of_threads(hpo: om.Taxonomy) -> None:
    some = hpo.concepts[::7]
    for measure in ("logsc", "wu_palmer", "path", "lin"):
        one = om.distance_matrix(hpo, some, measure, workers=1)
        assert (one == om.distance_matrix(hpo, some, measure, workers=3)).all()
        assert (one == one.T).all()
        assert not np.diagonal(one).any()


@pytest.mark.parametrize("measure", ["logsc", "wu_palmer", "lin", "weighted_edge", "rodriguez"])
@pytest.mark.parametrize("workers", [2, 16])
def test_memory_is_the_result_and_at_most_200_megabytes(hpo: om.Taxonomy, measure: str, workers: int) -> None:
    concepts = hpo.concepts[::5] if measure != "rodriguez" else hpo.concepts[::12]
    om.distance_matrix(hpo, concepts[:2], measure)  # what is worked out once per taxonomy is not counted
    tracemalloc.start()
    try:
        table = om.distance_matrix(hpo, concepts, measure, workers=workers)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak - table.nbytes < 200e6
