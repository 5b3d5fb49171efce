"""Columns that hold sets: frames and files of every kind, spellings, refusals, gathering, loss and reports."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.cli import app
from ontomask.errors import DataError, OptionError, PolicyError, UnmatchedValuesError
from ontomask.masking.partitions import mdav
from ontomask.microdata.encoding import encode
from ontomask.microdata.formats import written_formats
from ontomask.microdata.item_lists import lists_as_text, split_items
from ontomask.operators.aggregation import Operators
from ontomask.operators.record_distance import RecordDistance
from ontomask.policy.consistency import take_sets
from ontomask.policy.policy import METHODS
from ontomask.progress import silent

EDGES = [
    ("flu", "infection"), ("cold", "infection"), ("pneumonia", "infection"), ("infection", "disease"),
    ("fracture", "injury"), ("burn", "injury"), ("injury", "disease"),
]  # fmt: skip
LISTS: list[Any] = [
    ["flu", "fracture"], ["fracture", "cold"], ["pneumonia"], ["flu"], ["burn", "cold", "burn"], [], ["cold"], None,
]  # fmt: skip
TEXTS = ["flu|fracture", "fracture | cold", "pneumonia", "flu", "burn|cold|burn", "|", "cold", None]


@pytest.fixture
def diagnoses() -> om.Nominal:
    return om.Nominal(om.Taxonomy.from_edges(EDGES), many="|", missing="category")


def make_policy(diagnoses: om.Nominal, method: Any = None, *models: Any) -> om.Policy:
    return om.Policy(attributes={"d": diagnoses}, method=method or om.Microaggregation(k=2), require=list(models))


# ---- frames and files --------------------------------------------------------------------------------------------------


def _pandas() -> Any:
    return pd.DataFrame({"d": LISTS})


FRAMES = {
    "polars": lambda: pl.DataFrame({"d": LISTS}),
    "pandas": _pandas,
    "pandas with sets and arrays": lambda: pd.DataFrame({"d": [None if v is None else np.array(v) for v in LISTS]}),
    "pyarrow": lambda: pa.table({"d": pa.array(LISTS, type=pa.list_(pa.string()))}),
    "pyarrow, large": lambda: pa.table({"d": pa.array(LISTS, type=pa.large_list(pa.large_string()))}),
    "pandas of arrow": lambda: pd.DataFrame({"d": pd.array(LISTS, dtype=pd.ArrowDtype(pa.list_(pa.string())))}),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_lists_come_back_as_lists(kind: str, diagnoses: om.Nominal) -> None:
    """The same sets as of texts, in the kind and type of frame that came in; the input is not changed."""
    frame = FRAMES[kind]()
    policy = make_policy(diagnoses)
    expected = om.anonymize(pl.DataFrame({"d": TEXTS}), policy).data["d"].to_list()
    released = om.anonymize(frame, policy).data
    assert type(released) is type(frame)
    column = released["d"]
    found = column.to_pylist() if isinstance(released, pa.Table) else list(column)
    assert [None if own is None else "|".join(own) or "|" for own in found] == expected
    if isinstance(released, pa.Table):
        assert released.schema == frame.schema
    elif isinstance(released, pl.DataFrame):
        assert released.schema == frame.schema
        assert frame["d"].to_list() == LISTS
    else:
        assert released.dtypes["d"] == frame.dtypes["d"]


def test_lists_of_numbers_are_codes() -> None:
    taxonomy = om.Taxonomy.from_edges([("410", "heart"), ("428", "heart"), ("heart", "any"), ("486", "any")])
    frame = pl.DataFrame({"d": [[410, 486], [410, 486], [428], [428]]})
    released = om.anonymize(frame, make_policy(om.Nominal(taxonomy, many="|"), om.Recoding(2))).data
    assert released.equals(frame)
    general = om.anonymize(
        frame, make_policy(om.Nominal(taxonomy, many="|"), om.Generalization(), om.KAnonymity(4))
    ).data
    assert general["d"].dtype == pl.List(pl.String)  # what is shown are no numbers any more


@pytest.mark.parametrize("format", written_formats())
@pytest.mark.parametrize("lists", [True, False])
def test_every_format_is_read_back(format: str, lists: bool, diagnoses: om.Nominal, tmp_path: Path) -> None:
    """A saved release is verified and assessed as the run knew it; empty sets and missing ones stay apart."""
    frame = pl.DataFrame({"d": LISTS if lists else TEXTS}).sample(40, with_replacement=True, seed=1)
    frame = frame.with_columns(n=pl.int_range(pl.len()))
    policy = om.Policy(attributes={"d": diagnoses, "n": om.Numeric(role="other")}, method=om.Recoding(2))
    result = om.anonymize(frame, policy)
    result.save(tmp_path / "result", format=format, report=False)
    file = next((tmp_path / "result" / "release").glob("release.*"))
    assert om.verify(file, policy).holds
    again = om.assess(frame, file, policy, records=result.records.tolist())
    assert again.loss.semantic_loss == pytest.approx(result.assessment.loss.semantic_loss)
    if format == "parquet":
        assert pl.read_parquet(file)["d"].equals(result.data["d"])


def test_a_written_file_of_lists_is_read_as_it_was(diagnoses: om.Nominal, tmp_path: Path) -> None:
    frame = pl.DataFrame({"d": LISTS})
    frame.write_parquet(tmp_path / "lists.parquet")
    om.write_table(frame, tmp_path / "texts.csv", separators={"d": "|"})
    assert (tmp_path / "texts.csv").read_text().splitlines()[1:7] == [
        "flu|fracture", "fracture|cold", "pneumonia", "flu", "burn|cold|burn", "|",
    ]  # fmt: skip
    policy = make_policy(diagnoses)
    from_lists = om.anonymize(tmp_path / "lists.parquet", policy).data["d"].to_list()
    from_texts = om.anonymize(tmp_path / "texts.csv", policy).data["d"].to_list()
    assert [None if own is None else "|".join(own) or "|" for own in from_lists] == from_texts


def test_a_policy_file_keeps_the_separator(diagnoses: om.Nominal, tmp_path: Path) -> None:
    om.Taxonomy.from_edges(EDGES)
    policy = om.Policy(
        attributes={"d": om.Nominal("icd9cm", many="|")},
        method=om.Generalization(),
        require=[om.KmAnonymity(2, 2, column="d")],
    )
    assert om.Policy.load(policy.save(tmp_path / "policy.yaml")) == policy


# ---- values ------------------------------------------------------------------------------------------------------------


def test_items_are_split_and_joined() -> None:
    assert split_items("a| b ||a", "|") == ["a", "b", "a"]
    assert split_items(" a b ", "|") == [" a b "]  # as it stands
    assert split_items("|", "|") == split_items("  ", "|") == []
    assert split_items("a -- b", "--") == ["a", "b"]
    assert lists_as_text(pl.Series([["a", "b"], [], None]), "|").to_list() == ["a|b", "|", None]


def test_equal_sets_are_one_value(diagnoses: om.Nominal) -> None:
    """Order, repetitions, blanks and spellings of items do not matter; a release shows items in taxonomy order."""
    frame = pl.DataFrame({"d": ["flu|cold", "cold | FLU", "cold|flu|cold"]})
    result = om.anonymize(frame, make_policy(diagnoses, om.Suppression(3)))
    assert result.data["d"].unique().to_list() == ["flu|cold"]
    assert "spelled in several ways" in " ".join(map(str, result.notes))


def test_an_empty_set_is_not_missing(diagnoses: om.Nominal) -> None:
    frame = pl.DataFrame({"d": ["|", None, "flu"]})
    distances = om.record_distances(frame, {"d": diagnoses})
    assert distances.tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    with pytest.raises(DataError, match="1 missing value"):
        om.anonymize(frame, make_policy(diagnoses.changed(missing=None)))


@pytest.mark.parametrize("measure", ["path", "weighted_edge"])
def test_unbounded_measures_put_empty_sets_at_the_largest_distance(measure: str, diagnoses: om.Nominal) -> None:
    frame = pl.DataFrame({"d": ["|", "flu|burn", "flu", "burn"]})
    distances = om.record_distances(frame, {"d": diagnoses.changed(measure=measure)})
    assert distances[0].tolist() == [0, 1, 1, 1]
    assert distances.max() == 1
    alone = om.record_distances(pl.DataFrame({"d": ["|", "flu"]}), {"d": diagnoses.changed(measure=measure)})
    assert alone.tolist() == [[0, 1], [1, 0]]


def test_an_item_without_a_concept_is_named_with_near_ones(diagnoses: om.Nominal) -> None:
    with pytest.raises(UnmatchedValuesError, match="pneumonja") as problem:
        om.anonymize(pl.DataFrame({"d": ["flu|pneumonja", "flu"]}), make_policy(diagnoses))
    assert "pneumonia" in str(problem.value)
    assert "flu" not in str(problem.value).replace("'d'", "")


def test_a_reference_is_a_set(diagnoses: om.Nominal) -> None:
    frame = pl.DataFrame({"d": ["flu|burn", "cold|fracture", "flu"]})
    assert om.sort_records(frame, {"d": diagnoses}, reference={"d": "flu|cold"}).tolist()[0] == 2
    assert om.sort_records(frame, {"d": diagnoses}, reference={"d": ["burn", "flu"]}).tolist()[0] == 0
    assert om.central_record(frame, {"d": diagnoses}) == {"d": "flu|fracture"}


# ---- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("separator", ["", " ", "a", "1", "*", "'", '"', "x|"])
def test_separators_that_cannot_be(separator: str) -> None:
    with pytest.raises(PolicyError, match="cannot separate items"):
        om.Nominal("icd9cm", many=separator)


@pytest.mark.parametrize(
    "method",
    [
        om.RankSwapping(k=2),
        om.PRAM(columns=["d"], keep=0.8),
        om.NoiseAddition(columns=["d"], share=0.1),
        om.Microaggregation(k=2, replace="hybrid"),
        om.Microaggregation(k=2, centroid="lcs"),
        om.Resampling(k=2, centroid="consensus"),
        om.Generalization(search="best_first"),
    ],
    ids=lambda method: method.label,
)
def test_methods_that_take_no_sets_say_so(method: Any, diagnoses: om.Nominal) -> None:
    with pytest.raises(PolicyError, match=r"cannot be used on 'd', which holds sets"):
        make_policy(diagnoses, method)


def test_the_message_names_the_methods_that_take_sets() -> None:
    made = {name: kind(k=2) if "k" in kind.model_fields else kind() for name, kind in METHODS.items()}
    assert {name for name, method in made.items() if method.refuses_sets is None} == set(take_sets(METHODS))


@pytest.mark.parametrize("method", [om.Shuffling(), om.Imputation()])
def test_methods_that_look_at_sets_say_so(method: Any, diagnoses: om.Nominal) -> None:
    attributes = {"age": om.Numeric(), "d": diagnoses.changed(role="sensitive")}
    with pytest.raises(PolicyError, match=r"cannot be used on 'd', which holds sets"):
        om.Policy(attributes=attributes, method=method)


@pytest.mark.parametrize("model", [om.LDiversity(2, "d"), om.TCloseness(0.5, "d")])
def test_models_of_sensitive_values_refuse_sets(model: Any, diagnoses: om.Nominal) -> None:
    """Two different sets may hold one and the same item."""
    frame = pl.DataFrame({"age": [30, 30, 30, 30], "d": ["flu|burn", "flu|cold", "flu", "flu|fracture"]})
    attributes = {"age": om.Numeric(), "d": diagnoses.changed(role="sensitive")}
    policy = om.Policy(attributes=attributes, method=om.Microaggregation(k=2), require=[model])
    with pytest.raises(PolicyError, match="holds sets"):
        om.anonymize(frame, policy)


def test_sensitive_sets_are_released_and_assessed(diagnoses: om.Nominal) -> None:
    frame = pl.DataFrame({"age": [30, 31, 50, 54], "d": ["flu|burn", "burn | flu", "flu", "cold"]})
    attributes = {"age": om.Numeric(), "d": diagnoses.changed(role="sensitive")}
    policy = om.Policy(attributes=attributes, method=om.Microaggregation(k=2))
    result = om.anonymize(frame, policy)
    assert result.data["d"].equals(frame["d"])
    assert result.assessment.readings
    learned = om.attribute_disclosure(frame, result.data, policy).learned["d"]
    assert learned == pytest.approx((2 * 1 + 2 * 0.5) / 4)  # equal sets are one value


def test_hierarchies_of_sets_climb_the_taxonomy(diagnoses: om.Nominal) -> None:
    method = om.Generalization(hierarchies={"d": om.MaskedText()})
    with pytest.raises(PolicyError, match="given for sets"):
        om.anonymize(pl.DataFrame({"d": TEXTS}), make_policy(diagnoses, method, om.KAnonymity(2)))


@pytest.mark.parametrize(
    ("cells", "what"),
    [([["a|b"]], "separator"), ([["a", None]], "missing item"), ([[1.5]], "lists of Float64")],
)
def test_lists_that_cannot_be_taken(cells: Any, what: str, diagnoses: om.Nominal) -> None:
    with pytest.raises(DataError, match=what):
        om.anonymize(pl.DataFrame({"d": cells}), make_policy(diagnoses))
    with pytest.raises(DataError):
        om.anonymize(pd.DataFrame({"d": cells}), make_policy(diagnoses))


def test_lists_and_texts_are_not_mixed(diagnoses: om.Nominal) -> None:
    with pytest.raises(DataError, match="mixes lists"):
        om.anonymize(pd.DataFrame({"d": [["flu"], "cold"]}), make_policy(diagnoses))


def test_lists_of_other_columns_are_refused_as_before() -> None:
    with pytest.raises(DataError, match="several values in one cell"):
        om.anonymize(
            pl.DataFrame({"d": LISTS}), om.Policy(attributes={"d": om.Flat()}, method=om.Microaggregation(k=2))
        )


def test_a_code_with_the_separator_in_it_needs_another() -> None:
    taxonomy = om.Taxonomy.from_edges([("a", "x|y"), ("b", "x|y"), ("x|y", "top"), ("c", "top")])
    frame = pl.DataFrame({"d": ["a|c", "b|c"]})
    with pytest.raises(DataError, match="Choose another separator"):
        om.anonymize(
            frame, make_policy(om.Nominal(taxonomy, many="|"), om.Generalization(search="local"), om.KAnonymity(2))
        )


# ---- items -------------------------------------------------------------------------------------------------------------


def test_rare_items_are_found(diagnoses: om.Nominal) -> None:
    frame = pl.DataFrame({"d": ["flu|burn", "flu|burn", "flu|cold", "cold"]})
    model = om.KmAnonymity(2, 2, column="d")
    finding = model.check(frame, ["d"], {"d": diagnoses})
    assert (finding.holds, finding.worst, finding.records) == (False, 1.0, 1)
    assert finding.violations.rows() == [("cold|flu", 1)]
    assert "1 combination of 2 items" in finding.text
    assert om.KmAnonymity(2, 1, column="d").check(frame, ["d"], {"d": diagnoses}).holds
    with pytest.raises(PolicyError, match="not known to hold sets"):
        model.check(frame, ["d"])


@pytest.mark.parametrize("attribute", [om.Nominal("icd9cm"), om.Nominal("icd9cm", many="|", role="other"), om.Flat()])
def test_items_are_those_of_a_quasi_identifier(attribute: Any) -> None:
    with pytest.raises(PolicyError, match="not a quasi-identifier that holds sets"):
        om.Policy(attributes={"a": om.Numeric(), "d": attribute}, require=[om.KmAnonymity(2, 2, column="d")])


def test_recoding_items_goes_with_other_models(diagnoses: om.Nominal) -> None:
    """Items are recoded first; levels of all columns then reach what else is required."""
    chance = random.Random(1)
    leaves = ["flu", "cold", "pneumonia", "fracture", "burn"]
    sets = ["|".join(chance.sample(leaves, chance.choice((1, 2, 2, 3)))) for _ in range(60)]
    frame = pl.DataFrame({"d": sets, "age": [chance.choice((20, 30, 40)) for _ in sets]})
    attributes = {"d": diagnoses, "age": om.Numeric()}
    models = [om.KmAnonymity(8, 2, column="d"), om.KAnonymity(12)]
    policy = om.Policy(attributes=attributes, method=om.Generalization(), require=models)
    result = om.anonymize(frame, policy)
    assert result.satisfied
    assert any("items recoded to" in str(n) for n in result.notes)
    alone = om.anonymize(frame, om.Policy(attributes=attributes, method=om.Generalization(), require=models[:1]))
    assert (alone.assessment.ncp or 0.0) < (result.assessment.ncp or 0.0)


def test_a_search_of_groups_recodes_no_items(diagnoses: om.Nominal) -> None:
    """What they show may leave items of other records rare: refused before anything is masked."""
    frame = pl.DataFrame({"d": ["flu", "cold", "flu", "burn"]})
    policy = make_policy(diagnoses, om.Generalization(search="local"), om.KmAnonymity(2, 1, column="d"))
    with pytest.raises(PolicyError, match="cannot aim at 2\\^1-anonymity of items of d"):
        om.anonymize(frame, policy)


def test_a_rare_root_takes_all_items_up(diagnoses: om.Nominal) -> None:
    policy = make_policy(diagnoses, om.Generalization(), om.KmAnonymity(2, 1, column="d"))
    released = om.anonymize(pl.DataFrame({"d": ["flu|burn", "flu", "burn", "disease"]}), policy).data
    assert released["d"].to_list() == ["disease"] * 4


def test_fewer_than_k_with_an_item_cannot_be_helped(diagnoses: om.Nominal) -> None:
    policy = make_policy(diagnoses, om.Generalization(), om.KmAnonymity(3, 1, column="d"))
    with pytest.raises(DataError, match="fewer than 3 have an item at all"):
        om.anonymize(pl.DataFrame({"d": ["flu", "cold", "|", "|"]}), policy)


# ---- loss --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def related() -> tuple[om.Taxonomy, pl.DataFrame]:
    """Sets of diagnoses in profiles: those of one profile have related codes, seldom the same."""
    chance = random.Random(0)
    edges = [(f"{c}.{d}", c) for c in "ABCDEFGH" for d in range(6)]
    edges += [(f"{c}.{d}{e}", f"{c}.{d}") for c in "ABCDEFGH" for d in range(6) for e in range(8)]
    edges += [(c, "any") for c in "ABCDEFGH"]
    profiles = [chance.sample([f"{c}.{d}" for c in "ABCDEFGH" for d in range(6)], 3) for _ in range(12)]
    rows = []
    for _ in range(300):
        own = chance.choice(profiles)
        rows.append("|".join(f"{chance.choice(own)}{chance.randrange(8)}" for _ in range(chance.choice((2, 3, 4)))))
    return om.Taxonomy.from_edges(edges), pl.DataFrame({"d": rows})


@pytest.mark.parametrize("partition", ["mdav", "adaptive"])
def test_groups_by_meaning_lose_less_than_groups_by_equal_items(
    partition: Any, related: tuple[om.Taxonomy, pl.DataFrame]
) -> None:
    """The same centres of groups, formed by best matches in meaning and by equal items (as a Jaccard index does)."""
    taxonomy, frame = related
    attributes = {"d": om.Nominal(taxonomy, many="|")}
    losses = {}
    for measure in (None, "equality"):
        method = om.Microaggregation(k=5, partition=partition, measure=measure)
        released = om.anonymize(frame, om.Policy(attributes=attributes, method=method)).data
        losses[measure] = om.information_loss(frame, released, attributes).semantic_loss
    assert losses[None] < 0.9 * losses["equality"]


def test_groups_by_meaning_lose_less_than_groups_by_jaccard(related: tuple[om.Taxonomy, pl.DataFrame]) -> None:
    """MDAV on the Jaccard distance, in plain loops; the groups of both show the same kind of centre, and lose by logsc."""
    taxonomy, frame = related
    attributes = {"d": om.Nominal(taxonomy, many="|")}
    table = encode(frame, attributes, ["d"])
    distance = RecordDistance.of(table)
    operators = Operators.of(table, distance)
    by_meaning, _ = mdav(operators, table.rows, 5, silent)
    by_jaccard = _jaccard_mdav([frozenset(text.split("|")) for text in frame["d"]], 5)
    losses = []
    for groups in (by_meaning, np.array(by_jaccard)):
        assert np.bincount(groups).min() >= 5
        centres = operators.centres(table.rows, groups, int(groups.max()) + 1)[0]
        own = table.columns[0].centre_of_code[table.codes[0][table.rows.tuple_of]]
        losses.append(distance.pairs([own], [centres[groups]]).mean())
    assert losses[0] < 0.9 * losses[1]


def _jaccard_mdav(sets: list[frozenset[str]], k: int) -> list[int]:
    """Groups of k by MDAV; the centre of records is the one with the least sum of distances."""
    far = [[1 - len(a & b) / len(a | b) for b in sets] for a in sets]
    left, group_of, group = list(range(len(sets))), [0] * len(sets), 0
    while len(left) >= 2 * k:
        centre = min(left, key=lambda i: sum(far[i][j] for j in left))
        seed = max(left, key=lambda j: far[centre][j])
        for _ in range(2):  # around the record far from the centre, then around the one far from that
            if len(left) < 2 * k:
                break
            near = sorted(left, key=lambda j: far[seed][j])[:k]
            left = [i for i in left if i not in near]
            for i in near:
                group_of[i] = group
            group, seed = group + 1, max(left, key=lambda j: far[seed][j])
    for i in left:
        group_of[i] = group
    return group_of


def test_a_comparison_has_a_baseline_of_equal_items(related: tuple[om.Taxonomy, pl.DataFrame]) -> None:
    taxonomy, frame = related
    policy = om.Policy(attributes={"d": om.Nominal(taxonomy, many="|")}, method=om.Microaggregation(k=5))
    lists = frame.with_columns(pl.col("d").str.split("|"))
    for data in (frame, lists):
        found = om.compare(data, om.grid(policy, ["microaggregation"], k=[5], baselines=True), seed=1)
        loss = dict(zip(found.table["name"], found.table["loss"], strict=True))
        assert loss["microaggregation, k=5"] < loss["microaggregation, k=5, labels only"]


def test_a_report_shows_items(related: tuple[om.Taxonomy, pl.DataFrame], tmp_path: Path) -> None:
    taxonomy, frame = related
    policy = om.Policy(attributes={"d": om.Nominal(taxonomy, many="|")}, method=om.Microaggregation(k=5))
    om.anonymize(frame, policy).save(tmp_path / "result", report=True)
    page = (tmp_path / "result" / "confidential" / "report.html").read_text()
    assert "B.00" in page or "A.00" in page


# ---- gathering ---------------------------------------------------------------------------------------------------------

LONG = pl.DataFrame(
    {"stay": [7, 8, 7, 9, 7], "age": [71, 30, 71, 55, 71], "code": ["486", "V30", "428.0", None, "486"]}
)


@pytest.mark.parametrize("convert", [lambda f: f, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow])
def test_a_long_table_is_gathered(convert: Any) -> None:
    frame = convert(LONG)
    made = om.gather(frame, by="stay", set="code")
    assert type(made) is type(frame)
    rows = pl.DataFrame(made).rows() if not isinstance(made, pa.Table) else pl.from_arrow(made).rows()  # type: ignore[union-attr]
    assert rows == [(7, 71, "428.0|486"), (8, 30, "V30"), (9, 55, "|")]


def test_the_order_of_rows_does_not_matter_within_a_key() -> None:
    made = om.gather(LONG, by=["stay", "age"], set="code")
    again = om.gather(pl.concat([LONG[:1], LONG[1:].reverse()]), by=["stay", "age"], set="code")
    assert made.sort("stay").equals(again.sort("stay"))


@pytest.mark.parametrize(
    ("frame", "arguments", "what"),
    [
        (
            LONG.with_columns(age=pl.Series([71, 30, 72, 55, 71])),
            {},
            "1 of 3 keys have different values, the first of them 2",
        ),
        (LONG, {"by": "stey"}, "no column 'stey'"),
        (LONG, {"set": "stay"}, "named twice"),
        (LONG.with_columns(code=pl.lit("a|b")), {}, "separator"),
        (LONG.with_columns(stay=pl.lit(None)), {}, "no key"),
    ],
)
def test_what_cannot_be_gathered(frame: pl.DataFrame, arguments: dict[str, Any], what: str) -> None:
    with pytest.raises((DataError, OptionError), match=what) as problem:
        om.gather(frame, **({"by": "stay", "set": "code"} | arguments))
    assert "71" not in str(problem.value)


def test_a_column_can_be_left_out_and_texts_stay_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "long.csv"
    file.write_text("stay,seq,ward,code\n007,1,1.50,250.00\n007,2,1.50,428.0\n8,1,2,486\n")
    with pytest.raises(DataError, match="drop"):
        om.gather(file, by="stay", set="code")
    assert om.gather(file, by="stay", set="code", drop="seq").rows() == [
        ("007", "1.50", "250.00|428.0"),
        ("8", "2", "486"),
    ]
    with pytest.raises(OptionError, match="'stay' is named twice"):
        om.gather(file, by="stay", set="code", drop=["stay"])


def test_the_command_gathers(tmp_path: Path) -> None:
    LONG.write_csv(tmp_path / "long.csv")
    out = tmp_path / "sets.csv"
    ran = CliRunner().invoke(
        app, ["gather", str(tmp_path / "long.csv"), "--by", "stay", "--set", "code", "-o", str(out)]
    )
    assert ran.exit_code == 0, ran.output
    assert "5 rows became 3 records with sets of code" in ran.output
    assert out.read_text() == "stay,age,code\n7,71,428.0|486\n8,30,V30\n9,55,|\n"
