"""R17, Figure 4: the nervous system's disorders, their most distant value and two printed distances."""

from __future__ import annotations

import polars as pl

import ontomask as om

TAXONOMY = om.Taxonomy.from_edges([
    ("Coma", "Disorder of nervous system"),
    ("Neuropathy", "Disorder of nervous system"),
    ("Neurological varicella", "Disorder of nervous system"),
    ("Hepatic coma", "Coma"),
    ("Hypoglycemic coma", "Coma"),
    ("Herpes zoster ophthalmicus", "Neurological varicella"),
    ("Herpes zoster auricularis", "Neurological varicella"),
])  # fmt: skip
VALUES = [
    "Disorder of nervous system", "Neurological varicella", "Coma", "Neuropathy", "Herpes zoster ophthalmicus",
    "Herpes zoster auricularis", "Hepatic coma", "Hypoglycemic coma",
]  # fmt: skip


def test_the_most_distant_value_is_neuropathy() -> None:
    # R17 eq. 5: the greatest sum of distances to all values.
    table = om.distance_matrix(TAXONOMY, VALUES, "wu_palmer", scope="attribute")
    assert VALUES[int(table.sum(axis=1).argmax())] == "Neuropathy"


def test_distance_between_hepatic_coma_and_zoster() -> None:
    assert round(om.distance(TAXONOMY, "Hepatic coma", "Herpes zoster ophthalmicus", "wu_palmer"), 2) == 0.67


def test_the_two_nearest_of_neuropathy() -> None:
    # The interval of the first swap at k = 2: the disorder itself and coma (Neurological varicella ties with coma).
    row = dict(zip(VALUES, om.distance_matrix(TAXONOMY, VALUES, "wu_palmer", scope="attribute")[3], strict=True))
    ranked = sorted(row, key=row.__getitem__)
    assert ranked[:2] == ["Neuropathy", "Disorder of nervous system"]
    assert row["Coma"] == row["Neurological varicella"] < row["Hepatic coma"]


#: R17 Figures 2 and 3 rank five values; the distances follow from eq. 3 by hand: coma and hepatic coma 1 - 4/5.
FIVE = ["Disorder of nervous system", "Coma", "Neuropathy", "Hepatic coma", "Hypoglycemic coma"]


def test_figure_2_the_order_from_coma() -> None:
    ranked = om.sort_values(TAXONOMY, FIVE, "Coma", "wu_palmer", scope="attribute")
    assert ranked == ["Coma", "Hepatic coma", "Hypoglycemic coma", "Disorder of nervous system", "Neuropathy"]
    far = om.weighted_distances(TAXONOMY, "Coma", FIVE, measure="wu_palmer", scope="attribute")
    assert [round(far[v], 4) for v in ranked] == [0, 0.2, 0.2, 0.3333, 0.5]


def test_figure_3_the_order_from_neuropathy() -> None:
    ranked = om.sort_values(TAXONOMY, FIVE, "Neuropathy", "wu_palmer", scope="attribute")
    assert ranked == ["Neuropathy", "Disorder of nervous system", "Coma", "Hepatic coma", "Hypoglycemic coma"]
    far = om.weighted_distances(TAXONOMY, "Neuropathy", FIVE, measure="wu_palmer", scope="attribute")
    assert [round(far[v], 4) for v in ranked] == [0, 0.3333, 0.5, 0.6, 0.6]


def test_figure_4_the_order_from_the_most_distant_value() -> None:
    ranked = om.sort_values(TAXONOMY, VALUES, measure="wu_palmer", scope="attribute")
    assert ranked[:4] == ["Neuropathy", "Disorder of nervous system", "Neurological varicella", "Coma"]
    frame = pl.DataFrame({"disorder": VALUES})
    attributes = {"disorder": om.Nominal(taxonomy=TAXONOMY, measure="wu_palmer", scope="attribute")}
    for reference in ("most_distant", VALUES.index("Neuropathy"), {"disorder": "Neuropathy"}):
        rows = om.sort_records(frame, attributes, reference=reference)
        assert [VALUES[i] for i in rows] == ranked


def test_attribute_taxonomy_cuts_what_is_above() -> None:
    whole = om.Taxonomy.from_edges([
        *((c, p) for c in TAXONOMY for p in TAXONOMY.parents(c)),
        ("Disorder of nervous system", "Disorder of body system"),
        ("Disorder of body system", "Clinical finding"),
    ])  # fmt: skip
    inside = om.distance_matrix(whole, VALUES, "wu_palmer", scope="attribute")
    assert (inside == om.distance_matrix(TAXONOMY, VALUES, "wu_palmer")).all()
    assert (inside >= om.distance_matrix(whole, VALUES, "wu_palmer")).all()
    assert len(whole.attribute_taxonomy(VALUES)) == len(TAXONOMY)
