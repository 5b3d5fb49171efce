"""``partition="optimal"``: where it applies, what it says elsewhere, and what it releases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask.errors import PolicyError

PAY = [21, 23, 290, 24, 22, 26, 25, 250]


def run(columns: dict[str, Any], attributes: dict[str, Any], require: Any = (), **settings: Any) -> om.Result:
    method = om.Microaggregation(**({"k": 3} | settings))
    policy = om.Policy(attributes=attributes, method=method, require=list(require), row_order="kept")
    return om.anonymize(pl.DataFrame(columns), policy)


def test_auto_takes_it_for_one_column_on_a_line() -> None:
    result = run({"pay": PAY}, {"pay": om.Numeric()})
    assert "partition: optimal" in map(str, result.notes)
    assert result.data["pay"].to_list() == [23, 23, 189, 23, 23, 189, 23, 189]
    named = run({"pay": PAY}, {"pay": om.Numeric()}, partition="optimal")
    assert named.data.equals(result.data)


@pytest.mark.parametrize(
    ("columns", "attributes", "settings", "partition"),
    [
        ({"grade": list("aabbbcca")}, {"grade": om.Ordinal(order=list("abc"))}, {}, "optimal"),
        ({"job": list("aabbbcca")}, {"job": om.Flat()}, {}, "adaptive"),
        ({"pay": [None, *PAY[1:]]}, {"pay": om.Numeric(missing="category")}, {}, "adaptive"),
        ({"pay": PAY, "age": PAY}, {"pay": om.Numeric(), "age": om.Numeric()}, {}, "adaptive"),
        ({"pay": PAY}, {"pay": om.Numeric()}, {"replace": "hybrid"}, "optimal"),
    ],
)
def test_what_auto_takes(columns: Any, attributes: Any, settings: Any, partition: str) -> None:
    assert f"partition: {partition}" in map(str, run(columns, attributes, **settings).notes)


@pytest.mark.parametrize(
    ("columns", "attributes", "why"),
    [
        ({"job": list("aabbbcca")}, {"job": om.Flat()}, "'job' do not lie on a line"),
        ({"pay": [None, *PAY[1:]]}, {"pay": om.Numeric(missing="category")}, "'pay' has missing values"),
        ({"pay": PAY, "age": PAY}, {"pay": om.Numeric(), "age": om.Numeric()}, "there are 2 quasi-identifiers"),
    ],
)
def test_it_is_refused_elsewhere(columns: Any, attributes: Any, why: str) -> None:
    with pytest.raises(PolicyError, match=f"needs one numeric, ordinal or date.*{why}.*partition='auto'"):
        run(columns, attributes, partition="optimal")


def test_persons_with_several_records_are_refused() -> None:
    frame = pl.DataFrame({"who": list("abcdefga"), "pay": PAY})
    policy = om.Policy(
        attributes={"who": om.Identifier(), "pay": om.Numeric()}, person="who", method=om.Microaggregation(k=3)
    )
    assert "partition: adaptive" in map(str, om.anonymize(frame, policy).notes)
    with pytest.raises(PolicyError, match="some persons have several records"):
        om.anonymize(frame, policy.changed(method=om.Microaggregation(k=3, partition="optimal")))
    single = frame.with_columns(who=pl.Series(list("abcdefgh")))
    assert "partition: optimal" in map(str, om.anonymize(single, policy).notes)


def test_weights_have_no_effect() -> None:
    with pytest.raises(ValueError, match="no effect with partition='optimal'"):
        om.Microaggregation(k=3, partition="optimal", comparison="weighted")


def test_several_columns_are_refused_before_there_are_data() -> None:
    attributes = {"pay": om.Numeric(), "age": om.Numeric()}
    with pytest.raises(PolicyError, match="there are 2 quasi-identifiers.*partition='auto'"):
        om.Policy(attributes=attributes, method=om.Microaggregation(k=3, partition="optimal"))


def test_optimal_groups_are_not_refined() -> None:
    with pytest.raises(ValueError, match="no other groups lose less"):
        om.Microaggregation(k=3, partition="optimal", refine="thorough")
    notes = " ".join(map(str, run({"pay": PAY}, {"pay": om.Numeric()}, refine="thorough").notes))
    assert "refine='thorough' has no effect here" in notes
    assert "has no effect" not in " ".join(map(str, run({"pay": PAY}, {"pay": om.Numeric()}).notes))


def test_groups_that_fail_a_model_are_joined() -> None:
    columns = {"pay": [1, 2, 3, 11, 12, 13, 21, 22, 23], "ill": list("aaabbbabc")}
    attributes = {"pay": om.Numeric(), "ill": om.Flat(role="sensitive")}
    result = run(columns, attributes, [om.LDiversity(l=2, attribute="ill")])
    assert result.satisfied
    assert "joined with the nearest one" in " ".join(map(str, result.notes))


def test_a_file_names_it(tmp_path: Path) -> None:
    policy = om.Policy(attributes={"pay": om.Numeric()}, method=om.Microaggregation(k=3, partition="optimal"))
    saved = policy.save(tmp_path / "policy.yaml")
    assert "partition: optimal" in saved.read_text()
    assert om.Policy.load(saved) == policy
