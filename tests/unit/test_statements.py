"""What guarantees, readings and reports state is true of the released records, and of no more than them."""

from __future__ import annotations

import random
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask.report.summary import summarize
from ontomask.wording import Counts

KINDS: dict[str, Any] = {
    "age": om.Numeric(missing="drop_record"),
    "town": om.Flat(),
    "ill": om.Flat(role="sensitive"),
    "pay": om.Numeric(role="sensitive"),
}


def stays(n: int = 120, gone: int = 12, seed: int = 1) -> pl.DataFrame:
    """Records of which some have no age."""
    chance = random.Random(seed)
    return pl.DataFrame(
        {
            "age": [None if i < gone else chance.randrange(20, 90) for i in range(n)],
            "town": [chance.choice("abc") for _ in range(n)],
            "ill": [chance.choice(["flu", "gout", "tb"]) for _ in range(n)],
            "pay": [chance.randrange(1, 9) * 100 for _ in range(n)],
        }
    )


def policy(method: Any, *require: Any, **kinds: Any) -> om.Policy:
    return om.Policy(attributes=KINDS | kinds, method=method, require=list(require))


@pytest.mark.parametrize(("method", "column"), [(om.RankSwapping(k=3), "town"), (om.Shuffling(), "pay")])
def test_kept_values_are_those_of_the_released_records(method: Any, column: str) -> None:
    frame = stays()
    result = om.anonymize(frame, policy(method))
    stated = next(text for text in map(str, result.guarantees) if "holds exactly the values" in text)
    assert "that the released records had in it" in stated
    assert "it held before" not in stated
    assert result.data[column].sort().to_list() != frame[column].sort().to_list()
    assert result.data[column].sort().to_list() == frame[column][result.records.tolist()].sort().to_list()


def test_shuffled_records_may_show_their_own_values() -> None:
    frame = stays(60, 0)
    result = om.anonymize(frame, policy(om.Shuffling()))
    assert (result.data["ill"] == frame["ill"]).any()
    assert "only by chance" in " ".join(map(str, result.guarantees))
    assert not [text for text in map(str, result.guarantees) if "not with their own" in text]
    assert "no longer belong" not in om.Shuffling().explain()
    row = result.assessment.disclosed.row(0, named=True)
    reading = next(text for text in result.assessment.readings if text.startswith(f"{row['column']} was masked"))
    assert f"{row['records']:,} of 60 released records" in reading


def test_suppressed_records_are_not_all_that_are_left_out() -> None:
    frame = stays(200, 40)
    result = om.anonymize(frame, policy(om.Generalization(suppression_limit=0.02), om.KAnonymity(k=2)))
    assert len(result.records) < 0.98 * len(frame)
    stated = next(text for text in map(str, result.public_guarantees) if "2.0%" in text)
    assert "suppressed (without those dropped for missing values)" in stated
    assert "left out" not in stated
    told = [warning["text"] for warning in summarize(result, "public")["warnings"]]
    assert "About 20% of the records were left out because a value is missing" in " ".join(told)


def test_dominance_is_of_the_two_largest_values() -> None:
    frame = pl.DataFrame({"age": [20, 21, 60, 62]})
    result = om.anonymize(frame, om.Policy(attributes={"age": om.Numeric()}, method=om.Microaggregation(k=2)))
    caveat = next(text for text in map(str, result.guarantees) if text.startswith("Dominance"))
    assert "the two largest values make up nearly all of the total of age" in caveat


def test_k_of_one_with_requirements_masks_and_says_so() -> None:
    result = om.anonymize(stays(60, 0), policy(om.Microaggregation(k=1), om.KAnonymity(k=3)))
    stated = " ".join(map(str, result.guarantees))
    assert "3-anonymity" in stated
    assert "nothing is masked" not in stated
    assert "no record is protected" not in stated
    found = result.assessment
    assert found.worst_attack.share >= found.risk_after.prosecutor
    alone = om.anonymize(stays(60, 0), policy(om.Microaggregation(k=1), om.LDiversity(l=1, attribute="ill")))
    assert "minimality" not in " ".join(map(str, alone.guarantees))
    assert not [text for text in map(str, alone.guarantees) if text.startswith("Dominance")]
    assert "groups of at least 1" not in summarize(alone)["asked"]["sentence"]


def test_groups_that_requirements_join_can_be_dominated() -> None:
    frame = pl.DataFrame({"age": [1, 1, 1, 1, 90, 91], "ill": list("ababab")})
    kinds = {"age": om.Numeric(), "ill": om.Flat(role="sensitive")}
    need = om.Policy(attributes=kinds, method=om.Microaggregation(k=1), require=[om.KAnonymity(k=2)])
    assert any(text.startswith("Dominance") for text in map(str, om.anonymize(frame, need).guarantees))


def test_the_error_of_a_column_is_that_of_released_values() -> None:
    frame = pl.DataFrame({"age": [20, 22, 40, 42, None, None]})
    kinds = {"age": om.Numeric(missing="drop_record")}
    result = om.anonymize(frame, om.Policy(attributes=kinds, method=om.Microaggregation(k=2)))
    assert result.loss().rmse_released == {"age": 1.0}
    assert result.loss().rmse["age"] > 1
    [column] = summarize(result)["loss"]["columns"]
    assert column["reading"] == "The root mean square difference from the original is 1, in the unit of the column."


def test_a_loss_beyond_all_is_explained() -> None:
    frame = pl.DataFrame({"age": [20, 20, 20, 20, 60, 61, 62, 63, 64]})
    kinds = {"age": om.Numeric(role="sensitive")}
    exchanged = om.anonymize(frame, om.Policy(attributes=kinds, method=om.Shuffling()), seed=1)
    name, value, meaning = summarize(exchanged)["loss"]["overall"][0]
    assert name == "Information loss"
    assert float(value.rstrip("%")) > 100
    assert "can exceed 100%" in meaning
    [text] = (text for text in exchanged.assessment.readings if text.startswith("age: "))
    assert text.endswith(
        "of the variance is lost (above 100%: the centre of the column would be closer to the original values)."
    )
    result = om.anonymize(frame, om.Policy(attributes={"age": om.Numeric()}, method=om.Suppression(k=2)))
    assert "left out count as replaced by the centre" in summarize(result)["loss"]["overall"][0][2]
    whole = om.anonymize(frame, om.Policy(attributes={"age": om.Numeric()}, method=om.Microaggregation(k=2)))
    assert "left out" not in str(summarize(whole)["loss"]["overall"])


@pytest.mark.parametrize("base", [5, 10, 15, 100])
def test_public_shares_hold(base: int) -> None:
    counts, chance = Counts(base), random.Random(base)
    for _ in range(3_000):
        whole = chance.randrange(base, 40 * base)
        count = chance.randrange(1, whole)
        text, share = counts.share(count, whole), 100 * count / whole
        if text.startswith("under "):
            assert share < float(text[6:-1])
        elif " to " in text:
            low, high = (float(part.rstrip("%")) for part in text.split(" to "))
            assert low <= share <= high
        else:
            assert abs(share - float(text[6:-1])) <= 6, (count, whole, text)
        near = whole - 1 if counts.rounded(whole - 1) == counts.rounded(whole) else whole
        if count < near and counts.rounded(count) == counts.rounded(min(count + 1, near - 1)):
            assert text == counts.share(count, near), "an exact number of records cannot be read from it"


def test_means_over_few_records_are_ranges() -> None:
    public = Counts(5)
    assert public.coarse(0.741, 10) == "50% to 100%"
    assert public.coarse(0.486, 5) == public.coarse(0.588, 9) == "not given"
    assert public.coarse(0.31, 1_000) == "about 30%"


def test_long_lists_say_that_they_are_cut() -> None:
    chance = random.Random(3)
    frame = pl.DataFrame({f"c{i}": [chance.randrange(40) for _ in range(60)] for i in range(20)})
    codes = [chance.choice(["250.00", "401.9", "162.9"]) for _ in range(60)]
    frame = frame.with_columns(pl.Series(f"d{i}", codes) for i in range(8))
    kinds: dict[str, Any] = {name: om.Numeric() for name in frame.columns if name[0] == "c"}
    kinds |= {name: om.Nominal(taxonomy="icd9cm") for name in frame.columns if name[0] == "d"}
    result = om.anonymize(frame, om.Policy(attributes=kinds, method=om.Microaggregation(k=3)))
    content = summarize(result)
    rest = len(result.assessment.readings) - 30
    assert rest > 0
    assert content["readings"][-1] == f"... and {rest} more sentences, in assessment.json."
    assert len(content["branches"]) == 6
    assert content["more_branches"] == 2


def test_swapped_classes_disclose_only_where_they_are_found() -> None:
    result = om.anonymize(stays(60, 0), policy(om.RankSwapping(k=5)))
    told = " ".join(warning["text"] for warning in summarize(result)["warnings"])
    assert "ill is disclosed for" not in told
    assert "An attack that finds the class of a record discloses its value" in told
    assert not any("discloses ill" in text or "disclose ill" in text for text in result.assessment.readings)
    assert "cannot tell for certain" in summarize(result)["risk"]["classes"]
    grouped = om.anonymize(stays(60, 0), policy(om.Microaggregation(k=2)))
    assert "can find its class" in summarize(grouped)["risk"]["classes"]


def test_checked_columns_count_values_and_not_missing_ones() -> None:
    frame = stays(30, 4).with_columns(town=pl.when(pl.int_range(30) == 9).then(None).otherwise("town"))
    need = policy(om.Microaggregation(k=2), town=om.Flat(missing="category"))
    found = om.check(frame, need)
    town = found.columns.filter(pl.col("column") == "town").row(0, named=True)
    assert (town["values"], town["missing"]) == (3, 1)
    assert (found.records, found.dropped) == (30, 4)


def test_nothing_of_a_note_is_public() -> None:
    frame = pl.DataFrame({"age": [30, 31, None, 52, 55]})
    attributes = {"age": om.Numeric(missing="drop_record")}
    result = om.anonymize(frame, om.Policy(attributes=attributes, method=om.Microaggregation(k=2)))
    private = [note for note in result.notes if note.kind == "note"]
    assert any("1 record without a value dropped" in str(note) for note in private)
    assert not any("1 record" in note.public.text for note in private)
