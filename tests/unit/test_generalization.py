"""Generalization as users meet it: what is refused and in which words, repair by other methods, policies on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask import errors
from tests.oracle import plain_models as twin

FRAME = pl.DataFrame({"n": [1, 2, 3, 4, 5, 6], "s": ["x", "y", "x", "x", "z", "x"]})
SECRET: dict[str, Any] = {"n": om.Numeric(), "s": om.Flat(role="sensitive")}
BY_TWO = {"n": om.Intervals(levels=[[1, 3, 5, 7]])}


def run(
    require: list[Any],
    frame: pl.DataFrame = FRAME,
    attributes: dict[str, Any] = SECRET,
    method: Any = None,
    **settings: Any,
) -> om.Result:
    method = method or om.Generalization(**settings)
    return om.anonymize(frame, om.Policy(attributes=attributes, method=method, require=require), seed=1)


def severity(*members: str) -> om.Severity:
    """Each text lists the values of a set of class 2.1.1, letter by letter."""
    sets = [
        {"name": f"set {i}", "small_class": "2.1.1", "where": {"s": {"values": list(text)}}}
        for i, text in enumerate(members)
    ]
    head = {"title": "t", "institution": "i", "date": "2024-01-31", "source": "us"}
    return om.Severity({**head, "columns": {"s": {"kind": "flat"}}, "sets": sets})


# ---- settings -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: om.Generalization(suppression_limit=5), r"suppression_limit: 5 should be less than 1"),
        (
            lambda: om.Generalization(suppression_limit=-1),
            r"suppression_limit: -1 should be greater than or equal to 0",
        ),
        (lambda: om.Generalization(suppression_limit=float("nan")), r"suppression_limit: nan"),
        (
            lambda: om.Generalization(search="full"),
            r"search: 'full' is not one of full_domain, local, best_first, strategy",
        ),
        (
            lambda: om.Generalization(search="strategy"),
            r"search='strategy' needs strategy=, and no other search takes it",
        ),
        (lambda: om.Generalization(strategy=[{"n": 1}]), r"search='strategy' needs strategy="),
        (
            lambda: om.Generalization(search="local", suppression_limit=0.1),
            r"suppression_limit has no meaning with search='local'",
        ),
        (
            lambda: om.Generalization(search="best_first", suppression_limit=0.1),
            r"suppression_limit has no meaning with search='best_first'",
        ),
        (lambda: om.Generalization(budget=10), r"budget= needs search='best_first'"),
        (lambda: om.Generalization(search="best_first", budget=0), r"budget: 0 should be greater than or equal to 1"),
        (lambda: om.Generalization(loss="entropy"), r"loss: 'entropy' is not one of ncp, semantic, steps"),
        (lambda: om.LDiversity(l=0), r"l: 0 should be greater than or equal to 1"),
        (lambda: om.LDiversity(l=2.5), r"l is 2\.5: distinct l-diversity counts values, give a whole number"),
        (
            lambda: om.LDiversity(l=2, variant="recursive"),
            r"variant='recursive' needs c, and no other variant takes it",
        ),
        (lambda: om.LDiversity(l=2, c=1), r"variant='recursive' needs c"),
        (lambda: om.LDiversity(l=2, variant="recursive", c=0), r"c: 0 should be greater than 0"),
        (
            lambda: om.LDiversity(l=2, variant="entropic"),
            r"variant: 'entropic' is not one of distinct, entropy, recursive",
        ),
        (lambda: om.TCloseness(t=2), r"t: 2 should be less than or equal to 1"),
        (lambda: om.TCloseness(t=-0.1), r"t: -0\.1 should be greater than or equal to 0"),
        (
            lambda: om.TCloseness(t=0.1, ground="order"),
            r"ground: 'order' is not one of equal, ordered, hierarchical, semantic",
        ),
        (lambda: om.KmAnonymity(k=2, m=0), r"m: 0 should be greater than or equal to 1"),
        (lambda: om.SeverityDiversity(l=0, severity="x.yaml"), r"l: 0 should be greater than or equal to 1"),
        (lambda: om.SeverityDiversity(l=1, severity="x.yaml", middle_class=4), r"middle_class: 4"),
        (
            lambda: om.SeverityDiversity(l=1, severity=3),
            r"3 is not a severity definition: give a file, or an om.Severity",
        ),
        (
            lambda: om.SeverityDiversity(l=1, severity="x.yaml", downward=True, variant="entropy"),
            r"no meaning with downward",
        ),
        (lambda: om.SeverityDiversity(l=1, severity="x.yaml", variant="recursive"), r"variant='recursive' needs c"),
    ],
)
def test_settings(make: Any, expected: str) -> None:
    with pytest.raises(errors.PolicyError, match=expected):
        make()


@pytest.mark.parametrize(
    ("require", "settings", "expected"),
    [
        ([], {}, r"generalization needs at least one required model of classes\. Add a model"),
        (
            [om.KAnonymity(k=2)],
            {"search": "strategy", "strategy": [{"m": 1}]},
            r"step 1 of the strategy names 'm'.*There are: n",
        ),
        (
            [om.KAnonymity(k=2)],
            {"search": "strategy", "strategy": [{}, {"n": "depth 9"}]},
            r"step 2 of the strategy takes 'n' to 'depth 9'\. Its levels are: 0 \(value\), 1 \(",
        ),
        (
            [om.KAnonymity(k=2)],
            {"search": "strategy", "strategy": [{}]},
            r"no step of the strategy satisfies",
        ),
        (
            [om.KAnonymity(k=2)],
            {"hierarchies": {"m": om.MaskedText()}},
            r"a hierarchy is given for 'm', which is not a quasi-identifier",
        ),
        (
            [om.KAnonymity(k=2)],
            {"hierarchies": {"s": om.MaskedText()}},
            r"a hierarchy is given for 's', which is not a quasi-identifier",
        ),
        ([om.KAnonymity(k=9)], {}, r"9-anonymity is required and there are 6 records"),
        (
            [om.LDiversity(l=4, attribute="s")],
            {},
            r"distinct 4-diversity of s cannot hold: 's' has 3 different values\. Choose l up to 3",
        ),
        ([om.LDiversity(l=3.5, variant="entropy")], {}, r"cannot hold: 's' has 3 different values"),
        ([om.LDiversity(l=2, attribute="w")], {}, r"looks at 'w', which the data do not have"),
        (
            [om.LDiversity(l=2, attribute="n")],
            {},
            r"looks at 'n', which is a quasi-identifier.*give it the role sensitive",
        ),
        ([om.TCloseness(t=0.1, attribute="s", ground="ordered")], {}, r"column 's': ordered closeness needs an order"),
        (
            [om.TCloseness(t=0.1, attribute="s", ground="semantic")],
            {},
            r"column 's': semantic closeness needs a taxonomy",
        ),
        (
            [om.SeverityDiversity(l=3, severity=severity("xy"), middle_class=1)],
            {},
            r"O\(1\)-3-diversity cannot hold: .* takes 2 different numbers",
        ),
        (
            [om.SeverityDiversity(l=2, severity=severity("xy"), downward=True)],
            {},
            r"downward-O-2-diversity cannot hold: the largest severity number is 1",
        ),
    ],
)
def test_what_is_refused(require: list[Any], settings: dict[str, Any], expected: str) -> None:
    with pytest.raises(errors.OntomaskError, match=expected):
        run(require, **settings)


def test_nothing_sensitive() -> None:
    with pytest.raises(
        errors.DataError, match=r"needs a sensitive column, and there is none\. Give one the role sensitive"
    ):
        run([om.LDiversity(l=2)], attributes={"n": om.Numeric(), "s": om.Flat()})


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        # Four x in six: exp(entropy) = 2.381; r_1 = 4, the tail from the second on is 2.
        (
            om.LDiversity(l=2.5, variant="entropy", attribute="s"),
            r"entropy 2\.5-diversity of s fails at the top.*2\.38 equally frequent",
        ),
        (
            om.LDiversity(l=2, variant="recursive", c=2, attribute="s"),
            r"recursive \(2, 2\)-diversity of s fails at the top.* 0\.5 times",
        ),
    ],
)
def test_nothing_satisfies(model: Any, expected: str) -> None:
    """The error says which model fails where all is one class, and by how much; not the one that holds there."""
    with pytest.raises(errors.DataError, match=r"no generalization satisfies the requirements: " + expected) as raised:
        run([om.KAnonymity(k=2), model])
    assert "anonymity fails" not in str(raised.value)


def test_a_severity_file_with_an_unknown_code(tmp_path: Path) -> None:
    path = tmp_path / "severity.yaml"
    path.write_text(
        "title: t\ninstitution: i\ndate: 2024-01-01\nsource: x\ncolumns:\n  s: {kind: nominal, taxonomy: icd9cm}\n"
        "sets:\n  - {name: a, small_class: 2.1.1, where: {s: {values: [999x]}}}\n"
    )
    with pytest.raises(errors.PolicyError, match=r"severity\.yaml: line 8: set 'a': no concept '999x' in ICD-9-CM"):
        run([om.SeverityDiversity(l=2, severity=str(path))])


# ---- several models -----------------------------------------------------------------------------------------------


def test_two_severity_definitions_of_one_column() -> None:
    """Each model is judged by its own numbers: level 0 satisfies neither, all in one class satisfies both."""
    frame = pl.DataFrame({"q": ["1", "1", "2", "2"], "s": ["p", "q", "r", "t"]})
    models = [om.SeverityDiversity(l=2, severity=severity(text), middle_class=1) for text in ("pq", "pr")]
    assert [model.check(frame, ["q"]).records for model in models] == [4, 0]
    for require in (models, models[::-1]):
        result = run(require, frame, {"q": om.Flat(), "s": om.Flat(role="sensitive")})
        assert set(result.data["q"]) == {"*"}


def test_two_severity_definitions_are_not_taken_for_each_other() -> None:
    """Definitions of unequally many numbers: values stay where both models hold as it is, and only there."""
    frame = pl.DataFrame({"q": ["1", "1", "2", "2"], "s": ["p", "t", "q", "r"]})
    low, high = severity("pq"), severity("p", "pr", "q")
    models = [om.SeverityDiversity(l=2, severity=s, middle_class=1) for s in (low, high)]
    held = [model.check(frame, ["q"]).holds for model in models]
    result = run(models, frame, {"q": om.Flat(), "s": om.Flat(role="sensitive")})
    assert (set(result.data["q"]) == {"1", "2"}) == all(held)


@pytest.mark.parametrize("others", [[], [om.KAnonymity(k=1)]], ids=["alone", "with others"])
def test_km_anonymity_is_reached(others: list[Any]) -> None:
    """Issue 5: several models at once, any set from this step; k^m-anonymity is one of them, and is monotone."""
    frame = pl.DataFrame({"a": list("xxyz"), "b": list("pqpq")})
    result = run([*others, om.KmAnonymity(k=2, m=1)], frame, {"a": om.Flat(), "b": om.Flat()})
    assert om.KmAnonymity(k=2, m=1).check(result.data, ["a", "b"]).holds


def test_suppression_keeps_the_distribution_of_the_original(tmp_path: Path) -> None:
    """One record in nine is left out; the classes that stay are at 1/9 from the whole original, not at 0."""
    frame = pl.DataFrame({"q": ["a"] * 4 + ["b"] * 4 + ["c"], "s": list("xyxyxyxyz")})
    attributes = {"q": om.Flat(), "s": om.Flat(role="sensitive")}
    result = run([om.KAnonymity(k=2), om.TCloseness(t=0.12, attribute="s")], frame, attributes, suppression_limit=0.2)
    assert result.data["q"].to_list() == ["a"] * 4 + ["b"] * 4
    assert result.verification.findings[1].worst == pytest.approx(1 / 9)
    result.write(tmp_path / "release.csv")
    stricter = run([om.KAnonymity(k=2), om.TCloseness(t=0.11, attribute="s")], frame, attributes, suppression_limit=0.2)
    assert set(stricter.data["q"]) == {"*"}


def test_levels_of_a_strategy_are_those_of_the_file(tmp_path: Path) -> None:
    """Level 1 of the file joins nothing in these data; level 1 of a strategy is still level 1 of the file."""
    (tmp_path / "h.csv").write_text("a;x1;r;*\nb;x2;r;*\nc;x3;s;*\nd;x3;s;*\n")
    hierarchies = {"v": om.LevelsFile(path=str(tmp_path / "h.csv"))}
    frame = pl.DataFrame({"v": ["a", "b", "c"]})
    result = run(
        [om.KAnonymity(k=1)],
        frame,
        {"v": om.Flat()},
        search="strategy",
        strategy=[{"v": 1}],
        hierarchies=hierarchies,
    )
    assert not {"r", "s"} & set(result.data["v"])


def test_the_notes_count_who_was_left_out() -> None:
    result = run([om.KAnonymity(k=2)], FRAME[:5], hierarchies=BY_TWO, suppression_limit=0.2)
    assert result.data["n"].to_list() == ["1-2", "1-2", "3-4", "3-4"]
    assert result.removed.tolist() == [4]
    assert any("1 of 5 records suppressed" in note for note in map(str, result.notes))
    assert result.diagnostics is not None
    assert result.diagnostics.table.row(0, named=True)["loss"] == pytest.approx((4 * 2 / 4 + 1) / 5)


# ---- local search -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quasi", "model"),
    [
        ("abcd", om.LDiversity(l=1, attribute="s")),
        ("abcd", om.TCloseness(t=0.5, attribute="s")),
        ("aaaabbbb", om.KAnonymity(k=3)),
    ],
)
def test_local_search_loses_no_more_than_full_domain(quasi: str, model: Any) -> None:
    """Docs: "It loses much less than full-domain generalization". What satisfies as it is needs no generalization."""
    frame = pl.DataFrame({"q": list(quasi), "s": ["x", "y"] * (len(quasi) // 2)})
    attributes = {"q": om.Flat(), "s": om.Flat(role="sensitive")}
    full, local = (run([model], frame, attributes, search=search) for search in ("full_domain", "local"))
    assert full.diagnostics is not None
    assert local.diagnostics is not None
    assert full.diagnostics.table["loss"][0] == 0
    assert local.diagnostics.table["loss"].to_list() == [0]


def test_local_groups_stand_at_different_levels() -> None:
    frame = pl.DataFrame({"age": [20, 20, 31, 38, 60, 69], "zip": ["111", "112", "211", "211", "311", "392"]})
    hierarchies = {"age": om.Intervals(width=10), "zip": om.MaskedText()}
    result = run(
        [om.KAnonymity(k=2)], frame, {"age": om.Numeric(), "zip": om.Flat()}, search="local", hierarchies=hierarchies
    )
    assert result.data.rows() == [
        ("20", "11*"), ("20", "11*"), ("30-39", "211"), ("30-39", "211"), ("60-69", "3**"), ("60-69", "3**"),
    ]  # fmt: skip


# ---- other methods ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("partition", ["mdav", "adaptive"])
@pytest.mark.parametrize(
    "model",
    [
        om.LDiversity(l=2, attribute="s"),
        om.LDiversity(l=1.8, variant="entropy", attribute="s"),
        om.TCloseness(t=0.3, attribute="s"),
        om.SeverityDiversity(l=1, severity=severity("x"), downward=True),
    ],
    ids=lambda model: model.describe(),
)
def test_microaggregation_joins_groups_until_the_models_hold(partition: Any, model: Any) -> None:
    near = [1, 2, 3, 11, 12, 13, 21, 22, 23, 31, 32, 33, 41, 42]
    frame = pl.DataFrame({"n": near, "s": list("xxxyxyxxxyyxyx")})
    plain = run([om.KAnonymity(k=2)], frame, method=om.Microaggregation(k=3, partition=partition))
    assert not model.check(plain.data, ["n"]).holds
    result = run([om.KAnonymity(k=2), model], frame, method=om.Microaggregation(k=3, partition=partition))
    assert result.verification.holds
    assert model.check(result.data, ["n"]).holds
    before, after = plain.masked.group_of.tolist(), result.masked.group_of.tolist()
    joined = twin.classes(list(zip(before, after, strict=True)))
    assert len(joined) == len(set(before))  # groups are joined whole
    count = len(set(before)) - len(set(after))
    assert count > 0
    noun = "group" if count == 1 else "groups"
    assert any(
        f"{count} {noun} joined with the nearest one until the required models held" in note
        for note in map(str, result.notes)
    )
    # Neighbours on the line were joined: each group is a stretch of it.
    for rows in twin.classes([(g,) for g in after]).values():
        assert rows == list(range(rows[0], rows[-1] + 1))


@pytest.mark.parametrize(
    "method",
    [
        om.Recoding(k=2),
        om.Suppression(k=2),
        om.RankSwapping(k=2),
        om.Resampling(k=2),
        om.Microaggregation(k=2, replace="hybrid"),
    ],
    ids=lambda m: m.name,
)
def test_other_methods_are_refused_where_a_model_fails(method: Any) -> None:
    frame = pl.DataFrame({"n": [1, 1, 1, 9, 9, 9, 9, 9], "s": list("xxxyzyzx")})
    with pytest.raises(errors.NotSatisfied, match=r"the release is refused: .*distinct 3-diversity of s: .* fail"):
        run([om.LDiversity(l=3, attribute="s")], frame, method=method)
    policy = om.Policy(attributes=SECRET, method=method, require=[om.LDiversity(l=3, attribute="s")])
    result = om.anonymize(frame, policy, allow_unsatisfied=True)
    assert not result.satisfied


# ---- on disk ------------------------------------------------------------------------------------------------------


def test_policies_with_hierarchies_and_models_on_disk(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("x;X;*\ny;X;*\nz;Z;*\n")
    (tmp_path / "severity.yaml").write_text(
        "title: t\ninstitution: i\ndate: 2024-01-01\nsource: x\ncolumns:\n  s: {kind: flat}\n"
        "sets:\n  - {name: a, small_class: 2.1.1, where: {s: {values: [p]}}}\n"
    )
    frame = pl.DataFrame(
        {
            "n": [1, 2, 3, 4, 5, 6],
            "z": ["371", "372", "371", "372", "381", "382"],
            "v": list("xyzxyz"),
            "c": ["A11", "A12", "B1", "B1", "A11", "C"],
            "s": list("pqpqpq"),
        }
    )
    edges = pl.DataFrame({"child": ["A", "A11", "A12", "B", "B1", "C"], "parent": ["all", "A", "A", "all", "B", "all"]})
    edges.write_csv(tmp_path / "tree.csv")
    policy = om.Policy(
        attributes={
            "n": om.Numeric(),
            "z": om.Flat(),
            "v": om.Flat(),
            "c": om.Nominal(taxonomy=str(tmp_path / "tree.csv")),
            "s": om.Flat(role="sensitive"),
        },
        method=om.Generalization(
            hierarchies={
                "n": om.Intervals(levels=[[1, 3, 5, 7], [[1, 7]]]),
                "z": om.MaskedText(side="right"),
                "v": om.LevelsFile(path=str(tmp_path / "h.csv")),
                "c": om.TaxonomyLevels(cut="height"),
            },
            suppression_limit=0.2,
            loss="steps",
        ),
        require=[
            om.KAnonymity(k=2),
            om.LDiversity(l=2, attribute="s"),
            om.LDiversity(l=1.5, variant="entropy"),
            om.LDiversity(l=1, variant="recursive", c=3),
            om.TCloseness(t=0.4, attribute="s"),
            om.SeverityDiversity(l=1, severity=str(tmp_path / "severity.yaml"), middle_class=1, downward=True),
        ],
    )
    again = om.Policy.load(policy.save(tmp_path / "policy.yaml"))
    assert again.require == policy.require
    assert again.method == policy.method
    assert again.attributes == policy.attributes
    first, second = om.anonymize(frame, policy), om.anonymize(frame, again)
    assert first.data.equals(second.data)
    assert first.diagnostics is not None
    assert second.diagnostics is not None
    assert first.diagnostics.table.equals(second.diagnostics.table)


def test_a_policy_written_by_hand(tmp_path: Path) -> None:
    """The YAML of docs/methods/generalization.md, with relative paths beside it."""
    (tmp_path / "v.csv").write_text("x;X;*\ny;X;*\nz;Z;*\n")
    (tmp_path / "policy.yaml").write_text(
        """
attributes:
  zip: {kind: flat}
  age: {kind: numeric}
  v: {kind: flat}
  s: {kind: flat, role: sensitive}
method:
  name: generalization
  suppression_limit: 0.05
  hierarchies:
    zip: {kind: masked_text}
    age: {kind: intervals, levels: [[0, 20, 40, 60, 120], [0, 60, 120]]}
    v: {kind: levels, path: v.csv}
require:
  - {name: k_anonymity, k: 2}
  - {name: l_diversity, l: 2, attribute: s}
"""
    )
    frame = pl.DataFrame({"zip": ["37185", "37186"] * 2, "age": [3, 5, 70, 80], "v": list("xyzz"), "s": list("pqpq")})
    result = om.anonymize(frame, tmp_path / "policy.yaml")
    assert result.data["age"].to_list() == ["0-19", "0-19", "60-119", "60-119"]
    assert result.data["zip"].to_list() == ["3718*"] * 4
    assert result.data["v"].to_list() == ["X", "X", "Z", "Z"]


PAIRS = {
    "title": "x",
    "institution": "i",
    "date": "2024-01-01",
    "columns": {"disease": {"kind": "flat"}, "treatment": {"kind": "flat"}},
    "sets": [
        {"name": "d", "small_class": "2.1.1", "where": {"disease": {"values": ["cancer"]}}},
        {
            "name": "p",
            "small_class": "2.1.2",
            "where": [{"disease": {"values": ["cancer"]}, "treatment": {"values": ["none"]}}],
        },
    ],
}


def test_severity_looks_at_combinations_of_sensitive_columns() -> None:
    """What a column says with others counts; one that the definition speaks of must be sensitive."""
    frame = pl.DataFrame({"q": list("aaaabbbb"), "disease": ["cancer"] * 4 + ["flu"] * 4, "treatment": ["none"] * 8})
    model = om.SeverityDiversity(l=1, severity=om.Severity(PAIRS), downward=True)
    attributes = {"q": om.Flat(), "disease": om.Flat(role="sensitive"), "treatment": om.Flat(role="sensitive")}
    assert not model.check(frame, ["q"], attributes).holds
    assert set(run([om.KAnonymity(k=2), model], frame, attributes).data["q"]) == {"*"}
    with pytest.raises(om.errors.PolicyError, match="covers 'treatment', which has the role other"):
        run([om.KAnonymity(k=2), model], frame, attributes | {"treatment": om.Flat(role="other")})
    known = {"q": om.Flat(), "disease": om.Flat(role="sensitive"), "treatment": om.Flat()}
    with pytest.raises(om.errors.PolicyError, match="one column is a quasi-identifier"):
        run([om.KAnonymity(k=2), model], frame, known)


def test_too_many_combinations_of_levels_are_refused() -> None:
    frame = pl.DataFrame({f"x{i}": range(100) for i in range(12)})
    with pytest.raises(om.errors.DataError, match=r"combinations of levels .*search='local'"):
        run([om.KAnonymity(k=5)], frame, {name: om.Numeric() for name in frame.columns})


def test_missing_numbers_are_one_value() -> None:
    frame = pl.DataFrame({"q": ["a"] * 4, "x": [float("nan"), float("nan"), 1.0, None]})
    assert om.LDiversity(l=3, attribute="x", missing="value").check(frame, ["q"]).worst == 2


# ---- strategies mean the same on every extract -----------------------------------------------------------------------

ICD = {"dx": om.Nominal(taxonomy="icd9cm")}
AGE_SEX: dict[str, Any] = {"age": om.Numeric(), "sex": om.Flat()}
BY_FIFTY = {"age": om.Intervals(levels=[[0, 50, 100]])}


def released(frame: Any, attributes: dict[str, Any], strategy: list[Any], **settings: Any) -> om.Result:
    return run([om.KAnonymity(k=1)], pl.DataFrame(frame), attributes, search="strategy", strategy=strategy, **settings)


@pytest.mark.parametrize(
    ("values", "level", "expected"),
    [
        (["250.00", "250.01"], "depth 4", ["250", "250"]),
        (["250.0", "250.1"], "depth 4", ["250", "250"]),
        (["250", "251"], "depth 4", ["250", "251"]),
        (["250", "251"], "depth 6", ["250", "251"]),
        (["250.00", "250.01"], "value", ["250.00", "250.01"]),
    ],
)
def test_a_depth_means_the_same_whatever_values_there_are(values: list[str], level: str, expected: list[str]) -> None:
    assert released({"dx": values}, ICD, [{"dx": level}]).data["dx"].to_list() == expected


@pytest.mark.parametrize("ages", [[30, 31, 62, 63], [30, 31, 32, 33], [30, 30, 30, 30]])
@pytest.mark.parametrize("level", [2, "any", 7])
def test_the_last_level_hides_also_what_all_have_in_common(ages: list[int], level: Any) -> None:
    result = released({"age": ages, "sex": ["m"] * 4}, AGE_SEX, [{"age": level, "sex": 1}], hierarchies=BY_FIFTY)
    assert set(result.data.rows()) == {("*", "*")}
    assert any("level 7 of the strategy is its last here" in note for note in map(str, result.notes)) == (level == 7)


def test_names_of_levels() -> None:
    frame = {"age": [30, 31, 62, 63], "zip": ["37185", "37186", "37287", "37288"]}
    attributes = {"age": om.Numeric(), "zip": om.Flat()}
    hierarchies = {"age": om.Intervals(width=10), "zip": om.MaskedText()}
    for step, shown in (
        ({"age": "width 20", "zip": "2 characters masked"}, ("20-39", "371**")),
        ({"age": "width 640", "zip": "1 character masked"}, ("*", "3718*")),
        ({"age": "level 0", "zip": "9 characters masked"}, None),
        ({"age": "value", "zip": "9 characters masked"}, (30, "*")),
    ):
        if shown is None:
            with pytest.raises(
                errors.PolicyError, match=r"takes 'age' to 'level 0'. Its levels are: 0 \(value\), 1 \(width 10"
            ):
                released(frame, attributes, [step], hierarchies=hierarchies)
        else:
            assert released(frame, attributes, [step], hierarchies=hierarchies).data.row(0) == shown


def test_every_step_is_checked_before_the_first_is_tried() -> None:
    frame = {"age": [30, 31, 62, 63], "sex": ["m"] * 4}
    with pytest.raises(errors.PolicyError, match="step 2 of the strategy names 'agee'"):
        released(frame, AGE_SEX, [{"age": 0}, {"agee": 1}])
    with pytest.raises(errors.PolicyError, match="-1 is not a level"):
        om.Generalization(search="strategy", strategy=[{"age": -1}])


def test_the_steps_that_were_tried_are_listed() -> None:
    frame = pl.DataFrame({"age": [30, 31, 62, 63], "sex": ["m", "m", "m", "f"]})
    strategy = [{"age": 1}, {"age": 1, "sex": 1}, {"age": 2, "sex": 1}]
    result = run([om.KAnonymity(k=2)], frame, AGE_SEX, search="strategy", strategy=strategy, hierarchies=BY_FIFTY)
    assert result.diagnostics is not None
    rows = result.diagnostics.table.to_dicts()
    assert [row["chosen"] for row in rows] == [True, False]
    assert rows[0]["loss"] > 0.5
    assert rows[1]["loss"] is None
    assert "minimal" not in rows[0]


def test_a_strategy_needs_no_lattice() -> None:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({f"x{i}": rng.integers(0, 100, 50) for i in range(12)})
    attributes = {name: om.Numeric() for name in frame.columns}
    step = dict.fromkeys(frame.columns, "any")
    result = run([om.KAnonymity(k=5)], frame, attributes, search="strategy", strategy=[step])
    assert result.data.n_unique() == 1


def test_nodes_are_counted_once() -> None:
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"a": rng.integers(0, 9, 60), "b": rng.integers(0, 9, 60), "s": rng.integers(0, 3, 60)})
    attributes = {"a": om.Numeric(), "b": om.Numeric(), "s": om.Flat(role="sensitive")}
    require = [om.KAnonymity(k=2), om.TCloseness(t=0.3, attribute="s")]
    note = next(n for n in map(str, run(require, frame, attributes, suppression_limit=0.2).notes) if "evaluated" in n)
    evaluated, of = (int(part.replace(",", "")) for part in note.split(" nodes")[0].split(" of "))
    assert 0 < evaluated <= of


def test_a_header_that_was_not_declared(tmp_path: Path) -> None:
    file = tmp_path / "ages.csv"
    file.write_text("n;pair;all\n" + "".join(f"{i};{i // 2};*\n" for i in range(1, 7)))
    with pytest.raises(errors.DataError, match="header: true"):
        run([om.KAnonymity(k=2)], hierarchies={"n": om.LevelsFile(path=str(file))})
    assert run([om.KAnonymity(k=2)], hierarchies={"n": om.LevelsFile(path=str(file), header=True)}).satisfied


def test_uncovered_values_are_listed_in_order(tmp_path: Path) -> None:
    file = tmp_path / "ages.csv"
    file.write_text("1;*\n")
    frame = pl.DataFrame({"n": list(range(40, 0, -1)), "s": ["x"] * 40})
    with pytest.raises(errors.DataError, match=r"39 values of the column: '10', '11', .*, \.\.\. Add them"):
        run([om.KAnonymity(k=2)], frame, hierarchies={"n": om.LevelsFile(path=str(file))})
