"""Columns written and read again."""

from __future__ import annotations

import polars as pl

import ontomask as om


def test_a_label_that_would_be_read_as_another_concept_gives_way_to_the_code() -> None:
    taxonomy = om.Taxonomy.from_edges(
        [("s1", "root"), ("s2", "root"), ("a", "s2"), ("b", "s2"), ("c", "s1"), ("d", "s1")],
        labels={"s1": "state", "s2": "state", "a": "Ohio", "b": "Iowa", "c": "Peru", "d": "Chile", "root": "place"},
    )
    frame = pl.DataFrame({"place": ["Ohio", "Iowa", "Peru", "Chile"]})
    attributes = {"place": om.Nominal(taxonomy=taxonomy)}
    method = om.Microaggregation(k=2, centroid="lcs")
    result = om.anonymize(frame, om.Policy(attributes=attributes, method=method))
    assert result.data["place"].to_list() == ["s2", "s2", "state", "state"]
    read_again = om.information_loss(frame, result.data, attributes)
    assert read_again == result.loss()
