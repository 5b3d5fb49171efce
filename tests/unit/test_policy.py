"""A policy says the same in Python and in its file, and every slip in it is named with the way out."""

from __future__ import annotations

import datetime as dt
import os
import pickle
import re
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
import polars as pl
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

import ontomask as om
from ontomask import errors
from ontomask.masking.published import PRESETS
from ontomask.policy.policy_file import policy_text

TAXONOMY = om.Taxonomy.from_edges(
    [("dog", "pet"), ("cat", "pet"), ("oak", "tree"), ("pet", "thing"), ("tree", "thing")]
)
AGE = {"age": om.Numeric()}


def text_of(policy: om.Policy) -> str:
    return policy_text(policy)


def write(folder: Path, text: str | bytes, name: str = "policy.yaml") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refused(folder: Path, text: str | bytes) -> str:
    """What is said about a policy file that cannot be meant."""
    path = write(folder, text)
    with pytest.raises(errors.PolicyError) as caught:
        om.Policy.load(path)
    said = str(caught.value)
    assert said.startswith(str(path)), "an error in a file begins with the file"
    assert_in_our_words(said)
    return said.removeprefix(str(path))


def refused_in_python(make: Any) -> str:
    with pytest.raises(errors.PolicyError) as caught:
        make()
    said = str(caught.value)
    assert_in_our_words(said)
    assert isinstance(caught.value, ValueError)
    return said


def assert_in_our_words(said: str) -> None:
    """Nobody should have to know what the policy is checked with."""
    for word in ("pydantic", "Input should", "valid dictionary", "valid string", "extract fields", "union", "[key]",
                 "json-or-python", "lax", "validation error", "dataclass", "Traceback", "unhashable"):  # fmt: skip
        assert word not in said, said


# ---- in Python ---------------------------------------------------------------------------------------------------


def test_every_field() -> None:
    policy = om.Policy(
        attributes={
            "name": om.Identifier(),
            "diag": om.Nominal(taxonomy="icd9cm", measure="wu_palmer", options={"depth": "edges"}),
            "job": om.Flat(missing="category"),
            "stage": om.Ordinal(order=["I", "II", "III"], weight=2),
            "age": om.Numeric(decimals=0),
            "charge": om.Numeric(role="sensitive", missing="drop_record"),
            "note": om.Flat(role="other"),
        },
        method=om.Microaggregation(k=5, centroid="lcs"),
        require=[om.KAnonymity(k=5)],
        unlisted="drop",
        row_order="shuffled",
    )
    assert policy.quasi_identifiers == ["diag", "job", "stage", "age"]
    assert policy.identifiers == ["name"]
    assert policy.method is not None
    assert policy.method.promised_k == 5
    assert [a.role for a in policy.attributes.values()] == ["identifier", *["quasi"] * 4, "sensitive", "other"]
    plain = om.Policy(attributes=AGE)
    assert (plain.method, plain.require, plain.unlisted, plain.row_order) == (None, [], "error", "kept")
    assert (AGE["age"].role, AGE["age"].missing, AGE["age"].weight, AGE["age"].decimals) == ("quasi", None, 1.0, None)


def test_every_field_is_explained() -> None:
    """The file that is written explains its keys with these words."""
    from ontomask.kinds.registry import AnyAttribute
    from ontomask.policy.policy import AnyMethod

    parts = [*get_args(get_args(AnyAttribute)[0]), *get_args(get_args(AnyMethod)[0]), om.KAnonymity, om.Policy]
    assert len(parts) >= 11
    for part in parts:
        assert issubclass(part, BaseModel)
        for name, field in part.model_fields.items():
            assert name in ("kind", "name") or field.description, f"{part.__name__}.{name}"


def test_the_same_as_a_dictionary() -> None:
    made = om.Policy(attributes=AGE, method=om.Recoding(k=3), require=[om.KAnonymity(k=3)])
    same = om.Policy(
        attributes={"age": {"kind": "numeric"}},
        method={"name": "recoding", "k": 3},
        require=[{"name": "k_anonymity", "k": 3}],
    )
    assert made == same
    assert pickle.loads(pickle.dumps(made)) == made
    frame = pl.DataFrame({"age": [1, 1, 1]})
    described = {"attributes": {"age": {"kind": "numeric"}}, "method": {"name": "recoding", "k": 3}}
    assert om.anonymize(frame, described).data.equals(frame)


def test_values_in_their_order() -> None:
    assert om.Microaggregation(5) == om.Microaggregation(k=5)
    assert om.KAnonymity(3).k == 3
    assert om.Numeric("sensitive").role == "sensitive"
    # What must be given comes first.
    assert om.Nominal("icd9cm") == om.Nominal(taxonomy="icd9cm")
    assert om.Nominal("icd9cm", "sensitive").role == "sensitive"
    assert "twice" in refused_in_python(lambda: om.Recoding(5, k=6))
    assert "They are: k" in refused_in_python(lambda: om.KAnonymity(5, 6))


@pytest.mark.parametrize("k", [0, -1, "five", 2.5, True, None, "5", 5.0, float("nan"), [5], np.float64(5), np.True_])
def test_k_is_a_whole_number_from_1(k: Any) -> None:
    for make in (om.Microaggregation, om.Recoding, om.Resampling, om.Suppression, om.KAnonymity):
        said = refused_in_python(lambda: make(k=k))  # noqa: B023
        assert said.startswith(f"{make.__name__}: k: ")
        assert "whole number" in said or "at least 1" in said
    for good in (1, np.int64(5), np.uint8(5)):
        assert type(om.Recoding(k=good).k) is int
    assert "k: is required" in refused_in_python(om.Recoding)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        # a wrong word
        (lambda: om.Numeric(role="quasy"), r"role: 'quasy' is not one of quasi, sensitive, other. Did you mean 'quasi'?"),
        (lambda: om.Numeric(role="identifier"), "Identifier()"),
        (lambda: om.Numeric(role="quasi-identifier"), "Did you mean 'quasi'"),
        (lambda: om.Numeric(role=None), "not one of quasi, sensitive, other"),
        (lambda: om.Numeric(missing="drop"), "error, category, drop_record"),
        (lambda: om.Recoding(5, guide="semantics"), "Did you mean 'semantic'"),
        (lambda: om.Microaggregation(5, partition="mdva"), "Did you mean 'mdav'"),
        (lambda: om.Microaggregation(5, centroid="lsc"), "Did you mean 'lcs'"),
        (lambda: om.Microaggregation(5, distance="euclid"), "mean, s"),
        (lambda: om.Resampling(5, variant="hear"), "Did you mean 'heer'"),
        (lambda: om.Policy(attributes=AGE, unlisted="keep"), "error, other, drop"),
        (lambda: om.Policy(attributes=AGE, row_order="random"), "kept, shuffled"),
        (lambda: om.Microaggregation.preset("sa_mdva", k=5), "Did you mean 'sa_mdav'"),
        (lambda: om.Microaggregation.preset(None, k=5), "There are: s_mdav"),
        (lambda: om.Microaggregation.preset(["a"], k=5), "There are: s_mdav"),
        (lambda: om.Nominal(taxonomy="icd9cm", measure="lni"), "Did you mean 'lin'"),
        (lambda: om.Nominal(taxonomy="icd9cm", language="klingon"), "english"),
        (lambda: om.Nominal(taxonomy="icd9cm", options={"depth": "edges"}), "no option 'depth'"),
        (lambda: om.Microaggregation(5, measure="logcs"), "Did you mean 'logsc'"),
        # an unknown key
        (lambda: om.Numeric(decimal=2), "decimal: unknown key. Did you mean 'decimals'"),
        (lambda: om.Microaggregation(5, centriod="lcs"), "Did you mean 'centroid'"),
        (lambda: om.Microaggregation.preset("abril", k=5, centriod="lcs"), "Did you mean 'centroid'"),
        (lambda: om.Policy(attributes=AGE, methd=om.Recoding(5)), "Did you mean 'method'"),
        (lambda: om.Policy(attributes={"age": {"kind": "numeric", "decimal": 2}}), "age.decimal: .*'decimals'"),
        (lambda: om.Policy(attributes=AGE, method={"name": "recoding", "k": 3, "giude": 1}), "method.giude: .*'guide'"),
        (lambda: om.Policy(attributes=AGE, require=[{"name": "k_anonymity", "kk": 3}]), "require.0.kk: .*'k'"),
        # a name in the place of a key
        (lambda: om.Policy(attributes=AGE, require=[{"k_anonymity": 5}]),
         r"require.0: .*is a name, not a key: write \{name: k_anonymity, k: 5\}"),
        (lambda: om.Policy(attributes=AGE, method={"recoding": {"k": 3}}), r"method: .*write \{name: recoding, k: 3\}"),
        (lambda: om.Policy(attributes={"age": {"numeric": None}}), r"age: .*write \{kind: numeric\}"),
        (lambda: om.Policy(attributes=AGE, method={"name": "recoding", "k": 3, "recoding": 1}),
         "method.recoding: unknown key"),
        # a wrong kind of value
        (lambda: om.Numeric(weight=0), "weight: 0 .*greater than 0"),
        (lambda: om.Numeric(weight=-1), "weight: -1 .*greater than 0"),
        (lambda: om.Numeric(weight=float("inf")), "weight: inf"),
        (lambda: om.Numeric(weight=float("nan")), "weight: nan"),
        (lambda: om.Numeric(weight=True), "weight: True is not a number"),
        (lambda: om.Numeric(weight="2"), "weight: '2' is not a number"),
        (lambda: om.Numeric(decimals=True), "decimals: True is not a whole number"),
        (lambda: om.Numeric(decimals=2.0), "decimals: 2.0 is not a whole number"),
        (lambda: om.Numeric(decimals="2"), "decimals: '2' is not a whole number"),
        (lambda: om.Numeric(decimals=-1), "decimals.*0 to 15"),
        (lambda: om.Numeric(decimals=16), "decimals.*0 to 15"),
        (lambda: om.Resampling(5, variant="heer", samples=0), "at least 1"),
        (lambda: om.Policy(attributes=AGE, seed=1), "seed: a policy is handed around and holds no secret: remove it"),
        (lambda: om.Policy(attributes=AGE).changed(seed=1), "result/confidential/secret.txt"),
        (om.Nominal, "taxonomy: is required"),
        (lambda: om.Nominal(taxonomy=5), "5 is not a taxonomy.*'icd9cm', a file, or a Taxonomy"),
        (lambda: om.Nominal(taxonomy=""), "not a taxonomy"),
        (lambda: om.Nominal(taxonomy="icd9"), "Did you mean 'icd9cm'"),
        (lambda: om.Nominal(taxonomy="x" * 5000), "no such file|no taxonomy"),
        (lambda: om.Nominal(taxonomy="icd9cm", mapping={401: "x"}), "text: write '401'"),
        (lambda: om.Nominal(taxonomy="icd9cm", mapping=[("a", "b")]), "{value: concept}"),
        # an order that is none
        (lambda: om.Ordinal(order={"low", "mid", "high"}), "order: .*from first to last"),
        (lambda: om.Ordinal(order="low, mid, high"), "order: .*from first to last"),
        (lambda: om.Ordinal(order={"low": 1}), "order: .*from first to last"),
        (lambda: om.Ordinal(order=[]), "order: .*from first to last"),
        (lambda: om.Ordinal(order=["low", "low"]), "'low' is twice"),
        (lambda: om.Ordinal(order=[1, 1.0]), "is twice"),
        (lambda: om.Ordinal(order=[["low"], ["high"]]), r"\['low'\] is not a value of an order"),
        (lambda: om.Ordinal(order=[None, "low"]), "None is not a value of an order"),
        # settings that contradict each other
        (lambda: om.Microaggregation(5, partition="mdav", comparison="weighted"), "no effect.*choose 'adaptive'"),
        (lambda: om.Microaggregation(5, measure_options={"depth": "edges"}), "without measure="),
        (lambda: om.Recoding(5, order="alphabetical"), "needs guide='random'"),
        (lambda: om.Resampling(5, samples=3), "variant='heer'"),
        # something else in the place of settings
        (lambda: om.Policy(attributes={"age": om.Numeric}), r"age: .*Numeric\(.*brackets"),
        (lambda: om.Policy(attributes={"age": "numeric"}), "age: .*kind: numeric"),
        (lambda: om.Policy(attributes={"age": None}), "age: .*kind"),
        (lambda: om.Policy(attributes={"age": {"role": "quasi"}}), "age: .*kind.*nominal, flat, ordinal, numeric"),
        (lambda: om.Policy(attributes={"age": {"kind": "numerical"}}), "age: .*Did you mean 'numeric'"),
        (lambda: om.Policy(attributes={1: om.Numeric()}), "text.*quotes"),
        (lambda: om.Policy(attributes={"": om.Numeric()}), "without a name"),
        (lambda: om.Policy(attributes=[om.Numeric()]), "attributes"),
        (lambda: om.Policy(attributes=None), "attributes"),
        (lambda: om.Policy(attributes={}), "no column"),
        (om.Policy, "attributes: is required"),
        (lambda: om.Policy(attributes={"age": om.Numeric(role="other")}), "no column is a quasi-identifier"),
        (lambda: om.Policy(attributes={"age": om.Identifier()}), "no column is a quasi-identifier"),
        (lambda: om.Policy(attributes=AGE, method=om.Recoding), r"method: .*Recoding\(.*brackets"),
        (lambda: om.Policy(attributes=AGE, method="recoding"), "method: .*name: recoding"),
        (lambda: om.Policy(attributes=AGE, method={"k": 5}), "method: .*name.*microaggregation, .*recoding"),
        (lambda: om.Policy(attributes=AGE, method={"name": "recodign", "k": 5}), "Did you mean 'recoding'"),
        (lambda: om.Policy(attributes=AGE, method=om.KAnonymity(5)), "method: .*name: generalization"),
        (lambda: om.Policy(attributes=AGE, require=[5]), "require.0: .*k_anonymity"),
        (lambda: om.Policy(attributes=AGE, require="k_anonymity"), "require: .*list"),
        (lambda: om.Policy(attributes=AGE, require=[{"name": "k_anonimity", "k": 3}]), "Did you mean 'k_anonymity'"),
    ],
)  # fmt: skip
def test_a_slip_is_named_with_the_way_out(make: Any, expected: str) -> None:
    said = refused_in_python(make)
    assert re.search(
        expected if "\\" in expected or ".*" in expected else re.escape(expected).replace(r"\|", "|"), said
    )


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(errors.PolicyError, match="3 problems") as caught:
        om.Policy(attributes={"age": {"kind": "numeric", "decimls": 1}}, seed=-1, unlisted="no")
    assert len(caught.value.problems) == 3
    assert all(problem in str(caught.value) for problem in caught.value.problems)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert again.problems == caught.value.problems


def test_a_policy_cannot_be_changed_by_accident() -> None:
    policy = om.Policy(attributes=AGE)
    with pytest.raises(errors.PolicyError, match=r"changed\(row_order=\.\.\.\)"):
        policy.row_order = "shuffled"
    with pytest.raises(errors.PolicyError, match="changed"):
        policy.attributes["age"].role = "other"
    other = policy.changed(row_order="shuffled")
    assert (policy.row_order, other.row_order, other.attributes) == ("kept", "shuffled", policy.attributes)
    with pytest.raises(errors.PolicyError, match="row_order"):
        policy.changed(row_order="sorted")
    with pytest.raises(errors.PolicyError, match="Did you mean 'row_order'"):
        policy.changed(row_ordr="kept")


def test_one_requirement_need_not_stand_in_a_list() -> None:
    assert om.Policy(attributes=AGE, require=om.KAnonymity(3)).require == [om.KAnonymity(3)]


# ---- to the file and back ----------------------------------------------------------------------------------------

COLUMNS = st.one_of(
    st.sampled_from(
        ["age", "note...", "...", "a: b", "# x", "no", "2020", "null", "~", " lead", "trail ", "a\nb", "é", "日本", "😀",
         "😀\n", "'", '"', "- x", "? x", "a\tb", "{a}", "[b", "*a", "&a", "!a", "%a", "@a", "<<", "=", "1e5", "12:30",
         "2020-01-01", "a\x85b", "a\u2028b", "\ufeffa", "a\x00b", "a\x7f", "yes", "kind", "numeric", "attributes",
         "x" * 200, "x" * 1500, "a\\nb", "on", ".inf", "0o7", "--- a"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(str.strip),
)  # fmt: skip
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
COMMON: dict[str, Any] = {
    "role": st.sampled_from(["quasi", "sensitive", "other"]),
    "missing": st.sampled_from([None, "error", "category", "drop_record"]),
    "weight": st.one_of(st.just(1.0), st.floats(1e-300, 1e300)),
}
SCALARS = st.one_of(
    TEXT,
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False),
    st.dates(),
    st.datetimes(),
    st.sampled_from(["no", "1"]),
)
NOMINALS = st.builds(
    om.Nominal,
    taxonomy=st.just("icd9cm"),
    measure=st.sampled_from(["logsc", "lin", "path"]),
    scope=st.sampled_from(["taxonomy", "attribute"]),
    mapping=st.one_of(st.none(), st.dictionaries(TEXT, TEXT, max_size=3)),
    language=st.sampled_from(["english", "german", None]),
    style=st.sampled_from(["auto", "code", "label"]),
    format=st.sampled_from([None, "edges"]),
    **COMMON,
)
ATTRIBUTES = st.one_of(
    NOMINALS,
    st.builds(om.Flat, **COMMON),
    st.builds(om.Ordinal, order=st.one_of(st.none(), st.lists(SCALARS, min_size=1, max_size=4, unique=True)), **COMMON),
    st.builds(om.Numeric, decimals=st.one_of(st.none(), st.just("exact"), st.integers(0, 15)), **COMMON),
    st.builds(om.Identifier),
)
KS = st.integers(1, 10**9)
METHODS = st.one_of(
    st.none(),
    st.builds(om.Suppression, k=KS),
    st.builds(lambda name, k: om.Microaggregation.preset(name, k=k), st.sampled_from(sorted(PRESETS)), KS),
    st.builds(om.Recoding, k=KS, guide=st.sampled_from(["semantic", "discernibility", "random"])),
    st.builds(om.Resampling, k=KS, variant=st.just("heer"), samples=st.one_of(st.none(), KS)),
)


@pytest.mark.parametrize("odd", ["\x85", "\u2028", "\n", "\t", "\ufeff", "\xa0", "a\x85b"])
def test_unprintable_values_inside_mappings_and_lists_survive_the_file(tmp_path: Path, odd: str) -> None:
    nominal = om.Nominal(taxonomy="icd9cm", mapping={odd: "250", "sugar": "250"})
    policy = om.Policy(attributes={"diagnosis": nominal, "job": om.Ordinal(order=["a", odd])})
    assert om.Policy.load(policy.save(tmp_path / "policy.yaml")) == policy


@given(
    attributes=st.dictionaries(COLUMNS, ATTRIBUTES, max_size=4),
    method=METHODS,
    require=st.lists(st.builds(om.KAnonymity, k=KS), max_size=2),
    unlisted=st.sampled_from(["error", "other", "drop"]),
    row_order=st.sampled_from(["kept", "shuffled"]),
)
@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_to_the_file_and_back(tmp_path: Path, attributes: dict[str, Any], **rest: Any) -> None:
    policy = om.Policy(attributes={**attributes, "quasi": om.Flat()}, **rest)
    path = policy.save(tmp_path / "policy.yaml", overwrite=True)
    back = om.Policy.load(path)
    assert back == policy
    assert list(back.attributes) == list(policy.attributes)
    assert back.save(tmp_path / "again.yaml", overwrite=True).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_presets_come_back(tmp_path: Path, preset: str) -> None:
    policy = om.Policy(attributes=AGE, method=om.Microaggregation.preset(preset, k=4))
    assert om.Policy.load(policy.save(tmp_path / "p.yaml")) == policy


@pytest.mark.parametrize(
    "order",
    [
        list(np.array([3, 1, 2])),
        list(np.array(["a", "b"])),
        [np.float32(0.5), 1.0],
        (1, 2, 3),
        ["no", "yes"],
        [False, True],
        [dt.date(2020, 1, 1)],
    ],
)
def test_orders_of_any_plain_values_come_back(tmp_path: Path, order: Any) -> None:
    policy = om.Policy(attributes={"x": om.Ordinal(order=order)})
    back = om.Policy.load(policy.save(tmp_path / "p.yaml"))
    assert back == policy
    assert [type(v) for v in back.attributes["x"].order] == [type(v) for v in policy.attributes["x"].order]


def test_options_come_back(tmp_path: Path) -> None:
    options: dict[str, Any] = {"weights": (0.2, 0.3, np.float64(0.5))}
    policy = om.Policy(attributes={"x": om.Nominal(taxonomy="icd9cm", measure="rodriguez", options=options)})
    assert om.Policy.load(policy.save(tmp_path / "p.yaml")) == policy


@pytest.mark.parametrize(
    "attribute",
    [
        om.Ordinal(order=[Decimal("1.5")]),
        om.Ordinal(order=[dt.time(1, 2)]),
        om.Nominal(taxonomy="icd9cm", measure="context_vector", options={"vectors": {"401": np.ones(2)}}),
    ],
)
def test_what_a_file_cannot_hold_is_said(tmp_path: Path, attribute: Any) -> None:
    said = refused_in_python(lambda: om.Policy(attributes={"x": attribute}).save(tmp_path / "p.yaml"))
    assert "'x'" in said
    assert os.listdir(tmp_path) == []


def test_the_file_explains_itself() -> None:
    policy = om.Policy(
        attributes={"id": om.Identifier(), "diag": om.Nominal(taxonomy="icd9cm"), "age": om.Numeric(decimals=0)},
        method=om.Microaggregation(k=5, centroid="lcs"),
        require=[om.KAnonymity(k=5)],
        row_order="shuffled",
        unlisted="drop",
    )
    text = text_of(policy)
    lines = text.splitlines()
    assert lines[0].startswith("# An ontomask policy")
    for key in ("attributes:", "method:", "require:", "row_order:", "unlisted:"):
        at = next(i for i, line in enumerate(lines) if line.startswith(key))
        assert lines[at - 1].startswith("# "), f"a comment stands above {key}"
    for line in lines:
        if line.startswith("    ") and not line.strip().startswith(("kind:", "- name:")):
            assert "  # " in line, f"a comment stands beside {line.strip()}"
    assert max(map(len, lines)) < 200
    # What has its default is not repeated; what a reader looks for is.
    assert "weight" not in text
    assert "role: quasi" in text
    assert text == text_of(policy)


def test_a_minimal_file(tmp_path: Path) -> None:
    policy = om.Policy.load(write(tmp_path, "attributes: {age: {kind: numeric}}\n"))
    assert policy == om.Policy(attributes=AGE)
    with_mark = write(tmp_path, "\ufeffattributes: {age: {kind: numeric}}\r\n")
    assert om.Policy.load(str(with_mark)) == policy


def test_saving_never_writes_over_a_file_unasked(tmp_path: Path) -> None:
    path = write(tmp_path, "precious")
    policy = om.Policy(attributes=AGE)
    with pytest.raises(errors.OutputError, match="overwrite=True"):
        policy.save(path)
    assert path.read_text() == "precious"
    assert policy.save(path, overwrite=True) == path
    with pytest.raises(errors.OutputError, match="folder"):
        policy.save(tmp_path / "absent" / "p.yaml")
    with pytest.raises(errors.OutputError, match="folder"):
        policy.save(tmp_path)
    assert os.listdir(tmp_path) == ["policy.yaml"]


# ---- files with slips --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "   \n\n", "# only a comment\n", "just words", "- a\n- b\n", "42"])
def test_a_file_without_a_policy(tmp_path: Path, text: str) -> None:
    said = refused(tmp_path, text)
    assert "this is not a policy file" in said
    assert "attributes" in said


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("attributes:\n\tage: {kind: numeric}\n", 2),
        ("attributes:\n  age: {kind: numeric\n", 3),
        ("attributes: a: b\n", 1),
        ('attributes:\n  age: {kind: "numeric}\n', 3),
        ("attributes: !!python/object/apply:os.system [ls]\n", 1),
    ],
)
def test_no_yaml(tmp_path: Path, text: str, line: int) -> None:
    said = refused(tmp_path, text)
    assert f"line {line}: this is not valid YAML" in said
    assert "indented" in said


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("attributes:\n  größe: {kind: numeric}\n".encode("latin-1"), "not UTF-8"),
        ("attributes:\n  age: {kind: numeric}\n".encode("utf-16"), "not UTF-8"),
        (b"attributes:\n  a\x01b: {kind: flat}\n", "not valid YAML"),
        (b"a: \0", "not valid YAML"),
        (b"[a, b]: {kind: flat}\n", "line 1"),
        (b"attributes:\n  {a: b}: {kind: flat}\n", "line 2"),
        (b"attributes: &x\n  a: *x\n", "line 1"),
        (b"a: 1\n---\nb: 1\n", "document"),
    ],
)
def test_files_that_are_something_else(tmp_path: Path, content: bytes, expected: str) -> None:
    assert expected in refused(tmp_path, content)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(errors.MissingDataError, match="no such policy file"):
        om.Policy.load(tmp_path / "absent.yaml")
    with pytest.raises(errors.MissingDataError, match="no such policy file"):
        om.anonymize(pl.DataFrame({"age": [1]}), str(tmp_path / "absent.yaml"))
    with pytest.raises(errors.PolicyError, match="this is a folder"):
        om.Policy.load(tmp_path)
    for odd in (None, "", 3):
        with pytest.raises(errors.OptionError, match="not a path"):
            om.Policy.load(odd)  # type: ignore[arg-type]
    for odd in (None, 3, pl.DataFrame({"age": [1]})):
        with pytest.raises(errors.PolicyError, match="is not a policy"):
            om.anonymize(pl.DataFrame({"age": [1]}), odd)  # type: ignore[arg-type]


def test_a_column_that_is_listed_twice(tmp_path: Path) -> None:
    """The second would win in silence: a quasi-identifier would be released as it is."""
    said = refused(
        tmp_path,
        "attributes:\n  age:\n    kind: numeric\n    role: quasi\n  job: {kind: flat}\n"
        "  age:\n    kind: numeric\n    role: sensitive\n",
    )
    assert "line 6" in said
    assert "'age' is already in line 2" in said
    assert "one role" in said
    said = refused(tmp_path, "attributes:\n  a: {kind: flat}\nmethod:\n  name: recoding\n  k: 5\n  k: 2\n")
    assert "line 6" in said
    assert "'k' is already in line 5" in said
    twice = "unlisted: drop\nattributes:\n  a: {kind: flat}\nunlisted: other\n"
    assert "'unlisted' is already in line 1" in refused(tmp_path, twice)
    assert "'a' is already in line 1" in refused(tmp_path, 'attributes: {a: {kind: flat}, "a": {kind: numeric}}')


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("attributes:\n  age: {kind: numeric}\nmethd:\n  name: recoding\n", 3, "methd: .*Did you mean 'method'"),
        ("attributes:\n  age:\n    kind: numeric\n    decimls: 2\n", 4, "attributes.age.decimls: .*'decimals'"),
        ("attributes:\n  age: {kind: numeric}\nmethod:\n  name: recoding\n  k: 3\n  giude: x\n", 6, "method.giude: .*'guide'"),
        ("attributes:\n  age: {kind: numeric}\nmethod:\n  name: recoding\n  k: five\n", 5, "method.k: 'five' is not a whole"),
        ("attributes:\n  age: {kind: numeric}\nmethod:\n  name: recoding\n  k: 0\n", 5, "method.k: 0 is too small"),
        ("attributes:\n  age: {kind: numeric}\nmethod:\n  name: recoding\n  k: 2.5\n", 5, "2.5 is not a whole number"),
        ("attributes:\n  age: {kind: numeric}\nmethod:\n  name: recoding\n  k: yes\n", 5, "True is not a whole number"),
        ("attributes:\n  age: {kind: numeric}\nmethod:\n  name: recoding\n", 3, "method.k: is required"),
        ("attributes:\n  age: {kind: numeric}\nmethod:\n  k: 3\n", 3, "name.*microaggregation, .*recoding"),
        ("attributes:\n  age: {kind: numeric}\nmethod: recoding\n", 3, "name: recoding"),
        ("attributes:\n  age: {kind: numeric}\n  job:\n    kind: flat\n    role: quasy\n", 5, "attributes.job.role: .*'quasi'"),
        ("attributes:\n  age: {kind: numeric}\n  id:\n    kind: flat\n    role: identifier\n", 5, "kind identifier"),
        ("attributes:\n  age:\n    kind: numerc\n", 2, "Did you mean 'numeric'"),
        ("attributes:\n  age:\n    role: quasi\n", 2, "kind.*nominal, flat, ordinal, numeric"),
        ("attributes:\n  age: numeric\n", 2, "kind: numeric"),
        ("attributes:\n  age:\n", 2, "kind"),
        ("attributes:\n", 1, "attributes"),
        ("attributes:\n  - age\n", 1, "attributes"),
        ("unlisted: drop\n", 1, "attributes: is required"),
        ("attributes:\n  age: {kind: numeric}\n  no: {kind: flat}\n", 3, "text.*quotes"),
        ("attributes:\n  age: {kind: numeric}\n  2020: {kind: flat}\n", 3, "text.*quotes"),
        ("attributes:\n  age: {kind: numeric}\n  ~: {kind: flat}\n", 3, "text.*quotes"),
        ("attributes:\n  age: {kind: numeric}\n  2020-01-01: {kind: flat}\n", 3, "text.*quotes"),
        ("1: 2\nattributes:\n  age: {kind: numeric}\n", 1, "text|unknown key"),
        ("attributes:\n  age: {kind: numeric}\nrequire:\n  name: k_anonymity\n  k: 3\n", 3, "dash"),
        ("attributes:\n  age: {kind: numeric}\nrequire:\n  - name: k_anonymity\n    k: 3\n  - k: -1\n", 6, "with the key name"),
        ("attributes:\n  age: {kind: numeric}\nseed: 1\n", 3, "seed: a policy is handed around.*remove it.*secret.txt"),
        ("attributes:\n  age: {kind: numeric, role: other}\n", 1, "no column is a quasi-identifier"),
        ("attributes:\n  a: {kind: nominal, taxonomy: icd9}\n", 2, "Did you mean 'icd9cm'"),
        ("attributes:\n  a: {kind: nominal, taxonomy: icd9cm, mapping: {401: x}}\n", 2, "'401'"),
        (f"attributes:\n  a: {{kind: nominal, taxonomy: {'x' * 5000}}}\n", 2, "no taxonomy"),
    ],
)  # fmt: skip
def test_the_line_of_a_slip(tmp_path: Path, text: str, line: int, expected: str) -> None:
    said = refused(tmp_path, text)
    assert re.search(expected, said), said
    assert f"line {line}: " in said, said


def test_every_slip_of_a_file_at_once(tmp_path: Path) -> None:
    said = refused(
        tmp_path,
        "attributes:\n  age: {kind: numeric, role: x}\n  b: {kind: zzz}\n  c: {}\n"
        "method: {name: recoding, k: 0}\nseed: -1\nfoo: 1\n",
    )
    assert "6 problems" in said
    assert all(f"line {line}: " in said for line in range(2, 8))


# ---- taxonomies and files beside the policy ----------------------------------------------------------------------


def test_a_taxonomy_made_in_python_has_no_name_for_a_file(tmp_path: Path) -> None:
    policy = om.Policy(attributes={"pet": om.Nominal(taxonomy=TAXONOMY)})
    said = refused_in_python(lambda: policy.save(tmp_path / "p.yaml"))
    assert "'pet'" in said
    assert "write_taxonomy" in said
    assert os.listdir(tmp_path) == []
    # What it says works.
    om.write_taxonomy(TAXONOMY, tmp_path / "taxonomy.csv")
    policy = om.Policy(attributes={"pet": om.Nominal(taxonomy=tmp_path / "taxonomy.csv")})
    assert om.Policy.load(policy.save(tmp_path / "p.yaml")).attributes["pet"].load() == TAXONOMY


def test_a_taxonomy_of_the_catalog_is_saved_by_its_name(tmp_path: Path, icd9cm: om.Taxonomy) -> None:
    policy = om.Policy(attributes={"diag": om.Nominal(taxonomy=icd9cm)})
    back = om.Policy.load(policy.save(tmp_path / "p.yaml"))
    assert back.attributes["diag"].taxonomy == "icd9cm"
    assert back.attributes["diag"].load() == icd9cm


def test_files_beside_the_policy_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner, elsewhere = tmp_path / "inner", tmp_path / "elsewhere"
    inner.mkdir()
    elsewhere.mkdir()
    write(inner, "child,parent\ndog,pet\ncat,pet\n", "pets.csv")
    write(inner, "value,concept\nRex,dog\n", "names.csv")
    text = "attributes:\n  x: {kind: nominal, taxonomy: pets.csv, mapping: names.csv}\nmethod: {name: recoding, k: 2}\n"
    path = write(inner, text)
    frame = pl.DataFrame({"x": ["Rex", "Rex", "cat", "cat"]})
    for where, given_path in ((inner, path.name), (tmp_path, "inner/policy.yaml"), (elsewhere, path)):
        monkeypatch.chdir(where)
        policy = om.Policy.load(given_path)
        assert om.anonymize(frame, policy).data.equals(frame)
    # Another file of that name in the working folder is not taken for it.
    write(elsewhere, "child,parent\nrose,flower\n", "pets.csv")
    assert "dog" in om.Policy.load(path).attributes["x"].load()
    # A copy of the policy finds them too, from wherever it is read, and so does a moved folder.
    monkeypatch.chdir(tmp_path)
    policy = om.Policy.load("inner/policy.yaml")
    beside, away = policy.save("inner/copy.yaml"), policy.save("elsewhere/copy.yaml")
    assert "taxonomy: pets.csv" in beside.read_text()
    monkeypatch.chdir("/")
    for copy in (tmp_path / beside, tmp_path / away):
        assert om.anonymize(frame, copy).data.equals(frame)
        assert om.Policy.load(copy) == policy
    inner.rename(tmp_path / "moved")
    assert om.anonymize(frame, tmp_path / "moved" / "copy.yaml").data.equals(frame)


def test_a_file_of_a_policy_that_is_gone(tmp_path: Path) -> None:
    path = write(tmp_path, "attributes:\n  x: {kind: nominal, taxonomy: gone.csv}\nmethod: {name: recoding, k: 1}\n")
    policy = om.Policy.load(path)  # may be written on one machine and used on another
    with pytest.raises(errors.OntomaskError, match=r"gone\.csv: no such file"):
        om.anonymize(pl.DataFrame({"x": ["dog"]}), policy)


def test_paths_compare_as_text() -> None:
    assert om.Nominal(taxonomy=Path("a/b.csv")) == om.Nominal(taxonomy="a/b.csv")
    assert om.Nominal(taxonomy="icd9cm", mapping=Path("m.csv")) == om.Nominal(taxonomy="icd9cm", mapping="m.csv")


# ---- against the data --------------------------------------------------------------------------------------------

FRAME = pl.DataFrame(
    {"age": [30, 31, 31, 60], "pet": ["dog", "cat", "dog", None], "city": ["Bonn"] * 4, "pay": [1, 2, 3, 4]}
)
CHECKED = om.Policy(
    attributes={
        "age": om.Numeric(),
        "pet": om.Nominal(taxonomy=TAXONOMY, missing="category"),
        "city": om.Flat(),
        "pay": om.Numeric(role="sensitive"),
    },
    method=om.Microaggregation(k=2),
)


def test_check_says_what_should_be_known() -> None:
    notes = om.check(FRAME, CHECKED).notes
    assert any(note.text.startswith("city: all records have the same value") for note in notes)
    assert any(note.text.startswith("pet: 1 missing value") for note in notes)
    for kind in (FRAME.to_pandas(), FRAME.to_arrow()):
        assert om.check(kind, CHECKED).notes == notes


def test_check_reads_files_and_changes_nothing(tmp_path: Path) -> None:
    path = om.write_table(FRAME, tmp_path / "in.csv")
    before = path.read_bytes()
    notes = om.check(path, CHECKED).notes
    assert "CSV" in notes[0].text
    assert os.listdir(tmp_path) == ["in.csv"]
    assert path.read_bytes() == before
    frame = FRAME.to_pandas()
    om.check(frame, CHECKED)
    pd.testing.assert_frame_equal(frame, FRAME.to_pandas())


@pytest.mark.parametrize(
    ("change", "frame", "expected"),
    [
        ({}, FRAME.drop("age"), "'age', which the data do not have"),
        ({}, FRAME.rename({"city": "town"}), "'city', which the data do not have"),
        ({}, FRAME.with_columns(more=1), "does not list 'more'"),
        ({}, FRAME.with_columns(age=pl.Series(["30", "x", "31", "y"])), r"text in 2 of 4 records \(records 2, 4\)"),
        ({}, FRAME.with_columns(pet=pl.lit("dgo")), "'dgo'"),
        ({}, FRAME.with_columns(city=None), "4 missing values"),
        ({}, FRAME.head(1), "k is 2 and there is 1 record"),
        ({"method": om.Suppression(k=5)}, FRAME, "k is 5 and there are 4 records"),
        ({"method": om.Suppression(k=2)}, FRAME, "nothing would be left"),
        ({"method": None, "require": [om.KAnonymity(5)]}, FRAME, "5-anonymity is required and there are 4 records"),
        ({"require": [om.KAnonymity(50)]}, FRAME, "50-anonymity is required and there are 4 records"),
    ],
)
def test_check_refuses_what_anonymize_would_refuse(change: Any, frame: pl.DataFrame, expected: str) -> None:
    policy = CHECKED.changed(**change)
    with pytest.raises(errors.OntomaskError, match=expected):
        om.check(frame, policy)
    if policy.method is not None:
        with pytest.raises(errors.OntomaskError, match=expected):
            om.anonymize(frame, policy)


def test_check_needs_no_method() -> None:
    assert om.check(FRAME, CHECKED.changed(method=None)).notes == om.check(FRAME, CHECKED).notes


def test_what_is_written_is_what_yaml_reads() -> None:
    """Any other YAML reader sees the same policy: the file is a contract, not a private format."""
    content = yaml.safe_load(text_of(om.Policy(attributes=AGE, method=om.Recoding(k=3), require=om.KAnonymity(3))))
    assert content == {
        "attributes": {"age": {"kind": "numeric", "role": "quasi"}},
        "method": {"name": "recoding", "k": 3},
        "require": [{"name": "k_anonymity", "k": 3}],
    }


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        (
            "person: [patient]\n",
            r"line 7: person: 'patient' is not one of the attributes\. Did you mean 'patient_no'\?",
        ),
        ("household: [street]\n", r"line 7: household: 'street' is not one of the attributes: list it, with kind: id"),
        ("person: [age]\n", r"line 7: person: age would be released"),
        ("person: [patient_no, patient_no]\n", r"line 7: person: a column is named twice"),
        (
            "require:\n- {name: l_diversity, l: 2, attribute: patient_no}\n",
            r"line 8: require\.0: .*'patient_no', an ident",
        ),
        ("method: {name: pram, columns: [age, sex]}\n", r"line 7: method\.columns: 'sex' is not one of the"),
    ],
)
def test_what_is_seen_of_the_whole_policy_names_its_line(tmp_path: Path, end: str, expected: str) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(f"# one\n# two\nattributes:\n  patient_no: {{kind: identifier}}\n  age: {{kind: numeric}}\n\n{end}")
    with pytest.raises(errors.PolicyError, match=expected):
        om.Policy.load(file)


def test_dates_that_cannot_be_shifted_name_their_line(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text("attributes:\n  age: {kind: numeric}\n  seen:\n    kind: date\n    role: other\n    shift: 9\n")
    with pytest.raises(errors.PolicyError, match=r"line 6: attributes\.seen\.shift: dates are shifted by person"):
        om.Policy.load(file)
