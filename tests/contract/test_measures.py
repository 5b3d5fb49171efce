"""One suite that every measure passes, registered ones included."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ontomask as om
from ontomask import errors
from ontomask.distances import between

TAXONOMY = om.Taxonomy.from_edges(
    [
        ("dog", "canine"), ("dog", "pet"), ("cat", "pet"), ("cat", "feline"), ("canine", "animal"), ("feline", "animal"),
        ("pet", "animal"), ("wolf", "canine"), ("oak", "plant"), ("animal", "thing"), ("plant", "thing"),
        ("tail", "part"), ("part", "thing"),
    ],
    synonyms={"dog": ["hound"], "wolf": ["grey wolf"]},
    definitions={"dog": "a domestic canine that barks", "wolf": "a wild canine that howls", "cat": "a domestic feline"},
    relations={"has part": [("dog", "tail"), ("cat", "tail"), ("wolf", "tail")]},
)  # fmt: skip
VECTORS = {c: np.cos(np.arange(1, 5) * (i + 1)) for i, c in enumerate(TAXONOMY)}
MEASURES = sorted(om.list_measures())


def options(measure: str) -> dict[str, Any]:
    return {"vectors": VECTORS} if measure == "context_vector" else {}


@pytest.mark.parametrize("measure", MEASURES)
def test_contract(measure: str) -> None:
    chosen = om.get_measure(measure)
    concepts = list(TAXONOMY)
    table = om.distance_matrix(TAXONOMY, concepts, measure, **options(measure))
    assert table.dtype == np.float64
    assert table.shape == (len(concepts), len(concepts))
    assert np.isfinite(table).all()
    assert (table >= 0).all()
    assert (table == table.T).all()
    assert not np.diagonal(table).any()
    assert table.max() > 0
    if chosen.largest is not None:
        assert table.max() <= chosen.largest
    assert chosen.summary
    assert chosen.source
    # One at a time, in another order, against others, repeated: always the same numbers, except where distances depend
    # on the concepts asked for.
    turned = om.distance_matrix(TAXONOMY, concepts[::-1], measure, **options(measure))
    assert (turned == table[::-1, ::-1]).all()
    twice = om.distance_matrix(TAXONOMY, [*concepts, *concepts], measure, **options(measure))
    assert (twice == np.tile(table, (2, 2))).all()
    against = om.distance_matrix(TAXONOMY, concepts[:4], measure, against=concepts, **options(measure))
    assert (against == table[:4]).all()
    alone = om.distance(TAXONOMY, "dog", "oak", measure, **options(measure))
    if not chosen.relative_to_request:
        assert alone == table[0, concepts.index("oak")]
    single = om.distance_matrix(TAXONOMY, concepts, measure, dtype=np.float32, **options(measure))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, table, rtol=1e-6)
    assert om.distance_matrix(TAXONOMY, [], measure, **options(measure)).shape == (0, 0)


@pytest.mark.parametrize("measure", MEASURES)
def test_similarity(measure: str) -> None:
    chosen = om.get_measure(measure)
    if chosen.similarity is None and not chosen.complement:
        with pytest.raises(errors.MeasureError):
            om.similarity(TAXONOMY, "dog", "cat", measure)
        return
    concepts = list(TAXONOMY)
    similar = om.similarity_matrix(TAXONOMY, concepts, measure, **options(measure))
    distant = om.distance_matrix(TAXONOMY, concepts, measure, **options(measure))
    off = ~np.eye(len(concepts), dtype=bool)
    order = np.argsort(distant[off], kind="stable")
    assert (np.diff(similar[off][order]) <= 1e-12).all()  # the nearer, the more similar


def test_repeated_concepts_are_not_kept_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    repeated = [*TAXONOMY, "dog", "oak", "dog"]
    expected = om.distance_matrix(TAXONOMY, repeated)
    monkeypatch.setattr(between, "SPARE_BYTES", 0)
    assert (om.distance_matrix(TAXONOMY, repeated) == expected).all()


def test_corpus_content_counts_the_sample() -> None:
    sample = ["dog", "dog", "dog", "cat", "oak"]
    own = om.distance_matrix(TAXONOMY, sample, "lin", ic="corpus")
    given = om.distance_matrix(TAXONOMY, sample, "lin", ic="corpus", counts={"dog": 3, "cat": 1, "oak": 1})
    assert (own == given).all()
    assert (own != om.distance_matrix(TAXONOMY, sample, "lin")).any()


def test_information_content() -> None:
    for kind in ("intrinsic", "sanchez"):
        content = om.information_content(TAXONOMY, kind)
        assert content["thing"] == 0
        assert max(content, key=content.__getitem__) in ("dog", "cat", "wolf", "oak", "tail")
        for concept in TAXONOMY:
            assert all(content[p] < content[concept] for p in TAXONOMY.parents(concept))
    with pytest.raises(errors.OptionError, match="no information content 'seco'"):
        om.information_content(TAXONOMY, "seco")
    with pytest.raises(errors.OptionError, match="kind='corpus' needs counts"):
        om.information_content(TAXONOMY, "corpus")


def test_vectors_from_files(tmp_path: Any) -> None:
    import polars as pl

    expected = om.distance_matrix(TAXONOMY, ["dog", "cat", "oak"], "context_vector", vectors=VECTORS)
    matrix = np.array(list(VECTORS.values()))
    np.save(tmp_path / "v.npy", matrix)
    np.savez(tmp_path / "v.npz", concepts=np.array(list(VECTORS)), vectors=matrix)
    frame = pl.DataFrame({"concept": list(VECTORS), **{f"x{i}": matrix[:, i] for i in range(4)}})
    frame.write_parquet(tmp_path / "v.parquet")
    frame.write_csv(tmp_path / "v.csv")
    for source in (*sorted(tmp_path.iterdir()), (list(VECTORS), matrix)):
        found = om.distance_matrix(TAXONOMY, ["dog", "cat", "oak"], "context_vector", vectors=source)
        np.testing.assert_allclose(found, expected, atol=1e-15)


# ---- a user's own -----------------------------------------------------------------------------------------------


@pytest.fixture
def own() -> Iterator[str]:
    def letters(taxonomy: om.Taxonomy, concepts: list[str], power: float = 1) -> list[list[float]]:
        return [[abs(len(a) - len(b)) ** power for b in concepts] for a in concepts]

    om.register_measure("letters", letters, options={"power": 1})
    yield "letters"
    om.unregister_measure("letters")


def test_a_registered_measure_is_one_like_any_other(own: str) -> None:
    test_contract(own)
    assert own in om.list_measures()
    assert om.distance(TAXONOMY, "dog", "canine", own, power=2) == 9
    with pytest.raises(errors.MeasureError, match="a measure 'letters' already exists"):
        om.register_measure(own, lambda taxonomy, concepts: None)
    with pytest.raises(errors.OptionError, match="It takes: power"):
        om.distance(TAXONOMY, "dog", "cat", own, base=2)


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        (lambda n: np.zeros((n, n + 1)), "shape"),
        (lambda n: np.full((n, n), np.nan), "not finite"),
        (lambda n: -np.ones((n, n)), "negative"),
        (lambda n: np.ones((n, n)), "other than 0 from a concept to itself .at 'dog', 'dog'"),
        (lambda n: np.triu(np.ones((n, n)), 1), "not symmetric"),
    ],
)
def test_a_registered_measure_is_checked(wrong: Any, expected: str) -> None:
    om.register_measure("wrong", lambda taxonomy, concepts: wrong(len(concepts)))
    try:
        with pytest.raises(errors.MeasureError, match=expected):
            om.distance(TAXONOMY, "dog", "cat", "wrong")
    finally:
        om.unregister_measure("wrong")
    with pytest.raises(errors.MeasureError):
        om.get_measure("wrong")


def test_tables_can_be_made_in_several_threads_at_once() -> None:
    results: list[np.ndarray] = []
    threads = [
        threading.Thread(target=lambda: results.append(om.distance_matrix(TAXONOMY, list(TAXONOMY), "weighted_edge")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    assert all((r == results[0]).all() for r in results)
