"""Places: a release shows no area with too few inhabitants, whatever the role and the method."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask import errors
from ontomask.policy.policy import METHODS
from ontomask.taxonomy.areas import Areas, has_populations
from tests.places import AREAS, areas_file

CODES = ["01001", "01002", "01003", "01101", "01102", "020", "021", "02101"]
#: As a release shows them: 021 has 19,000; without 01101 nobody but the hamlet would be left of 011.
SHOWN = ["010", "01002", "010", "011", "011", "02", "02", "02"]
RELEASED = {"US", "01", "02", "010", "01002", "011"}
FRAME = pl.DataFrame(
    {"zip": CODES * 5, "age": range(40), "home": CODES[::-1] * 5, "birthplace": (CODES[3:] + CODES[:3]) * 5}
)
METHODS_TRIED = [
    om.Microaggregation(k=3),
    om.Microaggregation(k=3, replace="hybrid"),
    om.Microaggregation(k=3, centroid="lcs"),
    om.ProfileMicroaggregation(k=3),
    om.Recoding(k=3),
    om.Resampling(k=3),
    om.Suppression(k=1),
    om.RankSwapping(k=3),
    om.Shuffling(),
    om.Imputation(),
    om.NoiseAddition(share=5.0),
    om.PRAM(keep=0.0),
    om.Generalization(),
    om.Generalization(search="local"),
    om.Generalization(search="best_first", budget=50),
]


def place(**settings: Any) -> om.Place:
    made: om.Place = om.Place(areas_file(), **settings)
    return made


def policy(method: Any = None, **settings: Any) -> om.Policy:
    attributes = {
        "zip": place(),
        "age": om.Numeric(),
        "home": place(role="sensitive"),
        "birthplace": place(role="other"),
    }
    require = [om.KAnonymity(k=3)] if isinstance(method, om.Generalization) else []
    chosen = om.Recoding(k=3) if method is None else method
    made: om.Policy = om.Policy(attributes=attributes, **({"method": chosen, "require": require} | settings))
    return made


def test_which_areas_are_shown() -> None:
    areas = Areas.read(areas_file())
    shown = areas.show(CODES, 20_000)
    assert [shown[code] for code in CODES] == SHOWN
    assert set(areas.released(20_000).concepts) == RELEASED
    assert areas.taxonomy.label("01001") == "Agawam"
    assert dict(zip(areas.taxonomy.concepts, areas.populations.tolist(), strict=True))["US"] == 146_000
    assert areas.show(CODES, 1) == dict(zip(CODES, CODES, strict=True))
    assert set(areas.show(CODES, 146_000).values()) == {"US"}
    assert areas.show(["elsewhere"], 1) == {}


@pytest.mark.parametrize("method", METHODS_TRIED, ids=repr)
def test_no_method_shows_a_smaller_area_in_any_role(method: Any, tmp_path: Path) -> None:
    chosen = policy(method)
    result = om.anonymize(FRAME, chosen, seed=3)
    for released in result.releases:
        for name in ("zip", "home", "birthplace"):
            assert set(released[name]) <= RELEASED | {"*"}
    file = result.write(tmp_path / "release.csv")
    found = om.verify(file if len(result.releases) == 1 else result.data, chosen)
    assert not [finding.text for finding in found if finding.checked and not finding.holds]
    assert result.assess().readings
    if method.name not in ("shuffling", "imputation"):
        assert result.data["birthplace"].to_list() == [SHOWN[CODES.index(code)] for code in FRAME["birthplace"]]


def test_every_method_is_tried() -> None:
    assert {method.name for method in METHODS_TRIED} == set(METHODS)


def test_the_note_counts_values_and_records() -> None:
    notes = [str(note) for note in om.anonymize(FRAME, policy()).notes if "replaced by larger ones" in str(note)]
    assert notes[0] == (
        "zip: 7 areas were replaced by larger ones before masking, in 35 records: alone, or as what is left of the larger "
        "one, fewer than 20,000 inhabitants; loss is measured from there"
    )
    assert len(notes) == 3
    assert om.check(FRAME, policy()).notes[: len(notes)]


def test_a_smaller_area_in_a_file_fails(tmp_path: Path) -> None:
    chosen = policy(require=[om.KAnonymity(k=3)])
    data = om.anonymize(FRAME, chosen).data
    for name in ("zip", "home", "birthplace"):
        for wrong in ("01001", "01101", "elsewhere", "Massachusetts"):
            file = tmp_path / "release.csv"
            om.write_table(data.with_columns(pl.lit(wrong).alias(name)), file, overwrite=True)
            found = om.verify(file, chosen)
            assert f"1 value of {name!r} (40 records) is not an area of its table that may be released" in str(found)
            assert wrong not in str(found)
    result = om.anonymize(FRAME.to_pandas(), chosen)
    result.data.loc[0, "birthplace"] = "01001"
    with pytest.raises(errors.NotSatisfied, match="'birthplace'"):
        result.write(tmp_path / "changed.csv")


def test_other_hierarchies_show_nothing_that_is_not_an_area() -> None:
    towns = "".join(f"1{i},1,30000\n2{i},1,30000\n" for i in range(4))
    attributes = {"zip": om.Place(areas_file(f"code,parent,population\n1,,\n{towns}"))}
    frame = pl.DataFrame({"zip": [f"{i}{j}" for i in (1, 2) for j in range(4)]})
    method = om.Generalization(hierarchies={"zip": om.MaskedText()})
    masked = om.Policy(attributes=attributes, method=method, require=[om.KAnonymity(k=4)])
    with pytest.raises(
        errors.NotSatisfied, match="2 values of 'zip' .* are not areas of its table that may be released"
    ):
        om.anonymize(frame, masked)  # 1* and 2*: nobody knows how many live there
    assert set(om.anonymize(frame, masked.changed(require=[om.KAnonymity(k=8)])).data["zip"]) == {"*"}
    climbing = om.Policy(attributes=attributes, method=om.Generalization(), require=[om.KAnonymity(k=4)])
    assert set(om.anonymize(frame, climbing).data["zip"]) == {"1"}


def test_original_and_release_are_compared_and_verified_by_the_areas_that_may_be_shown() -> None:
    chosen = policy(om.Microaggregation(k=3), require=[om.TCloseness(t=0.9, attribute="home", ground="hierarchical")])
    result = om.anonymize(FRAME, chosen)
    assert om.verify(result.data, chosen, original=FRAME).holds
    assert om.assess(FRAME, result.data, chosen).loss.values == result.assessment.loss.values
    found = om.compare(FRAME, om.grid(policy(), ["microaggregation", "recoding"], [3], baselines=True), workers=1)
    assert found.table["loss"].is_finite().all()
    assert len(found.table) == 4


def test_codes_are_texts(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "t.csv")
    assert om.anonymize(tmp_path / "t.csv", policy()).data["birthplace"].to_list()[0] == "011"
    attributes = {"zip": om.Place(areas_file("code,parent,population\n1,,50000\n11,1,30000\n12,1,20000\n"))}
    chosen = om.Policy(attributes=attributes, method=om.Suppression(k=1))
    for frame in (pl.DataFrame({"zip": [11, 12, None]}), pl.DataFrame({"zip": [11.0, 12.0, float("nan")]})):
        kept = chosen.changed(attributes={"zip": attributes["zip"].changed(missing="category")})
        assert om.anonymize(frame, kept).data["zip"].to_list() == ["11", "12", None]
    numbers = FRAME.with_columns(pl.col("zip").cast(pl.Int64))
    with pytest.raises(
        errors.DataError, match=r"column 'zip': holds 8 values \(40 records\) that are not in areas.csv"
    ):
        om.anonymize(numbers, policy())


def test_zip_codes_are_shortened_to_three_digits() -> None:
    """45 CFR 164.514(b)(2)(i)(B): 000 for the areas of 20,000 inhabitants or fewer."""
    codes = ["02139", "02139-4307", "021394307", "03601", "036", "036**", "99501", "000", None]
    frame = pl.DataFrame({"zip": codes, "age": range(9)})
    attributes = {"zip": om.Place("us_zip3", missing="category"), "age": om.Numeric(role="other")}
    chosen = om.Policy(attributes=attributes, method=om.Suppression(k=1), require=[om.SafeHarbor()])
    result = om.anonymize(frame, chosen)
    assert result.data["zip"].to_list() == ["021", "021", "021", "000", "000", "000", "995", "000", None]
    assert any("ZIP codes were shortened to three digits in 7 records" in str(one) for one in result.notes)
    assert om.verify(result.data, chosen).holds
    assert om.verify(frame, chosen).verdict == "fails"
    joined = om.anonymize(frame.drop_nulls(), chosen.changed(method=om.Microaggregation(k=3))).data["zip"]
    assert set(joined) <= set(om.Place("us_zip3").load().concepts)
    assert chosen.named_files() == {}
    with pytest.raises(errors.DataError, match="'2139'"):
        om.anonymize(pl.DataFrame({"zip": ["2139"], "age": [1]}), chosen)
    with pytest.raises(errors.PolicyError, match="knows no other bound"):
        om.Place("us_zip3", least_population=10)


def test_missing_values_and_markers() -> None:
    frame = FRAME.with_columns(pl.when(pl.col("age") < 10).then(pl.lit("?")).otherwise("zip").alias("zip"))
    with pytest.raises(errors.DataError, match="'?'"):
        om.anonymize(frame, policy())
    chosen = policy()
    chosen = chosen.changed(attributes=chosen.attributes | {"zip": place(missing="category", missing_markers=["?"])})
    assert om.anonymize(frame, chosen).prepared.data["zip"].null_count() == 10


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("code,parent\n1,\n", "no column of populations among 'code', 'parent'"),
        ("code,parent,population\n1,,5\n2,1,x\n", "line 3: the population 'x' of '2' is not a whole number"),
        ("code,parent,population\n1,,5\n2,1,1.000\n", "is not a whole number"),
        ("code,parent,population\n1,,5\n2,1,-3\n", "is not a whole number"),
        ("code,parent,population\n1,,9\n2,1,\n", "the area '2' has no population"),
        ("code,parent,population\n1,,5\n2,1,7\n", "the area '1' has 5 inhabitants, and '2' in it has 7"),
        ("code,parent,population\n1,,90000\n2,,90000\n3,1,5\n3,2,5\n", "the area '3' is in several others"),
        ("code,parent,population\n1,,19999\n", "all areas together have 19,999 inhabitants, fewer than 20,000"),
        ("code,parent,population\n1,2,90000\n2,1,90000\n", "run in a circle"),
    ],
)
def test_tables_that_are_wrong(text: str, expected: str) -> None:
    attributes = {"zip": om.Place(areas_file(text))}
    with pytest.raises(errors.OntomaskError, match=expected):
        om.anonymize(pl.DataFrame({"zip": ["1", "1"]}), om.Policy(attributes=attributes, method=om.Recoding(k=2)))


def test_a_table_that_changed_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "areas.csv"
    file.write_text("code,parent,population\n1,,50000\n11,1,30000\n")
    assert Areas.read(file).populations.tolist() == [50_000, 30_000]
    file.write_text("code,parent,population\n1,,500000\n11,1,30000\n")
    assert Areas.read(file).populations.tolist() == [500_000, 30_000]
    with pytest.raises(errors.OntomaskError, match="cannot be read|no such file"):
        Areas.read(tmp_path / "nowhere.csv")


def test_the_policy_names_the_table_and_a_result_knows_it(tmp_path: Path) -> None:
    (tmp_path / "areas.csv").write_text(AREAS)
    attributes = {
        "zip": om.Place(tmp_path / "areas.csv", least_population=30_000, measure="wu_palmer"),
        "age": om.Numeric(),
    }
    chosen = om.Policy(attributes=attributes, method=om.Recoding(k=3))
    assert list(chosen.named_files()) == ["areas of zip"]
    assert om.Policy.load(chosen.save(tmp_path / "policy.yaml")).attributes == attributes
    text = (tmp_path / "policy.yaml").read_text()
    assert "    table: areas.csv  # the areas" in text
    assert "    least_population: 30000  # an area with fewer" in text
    with pytest.raises(errors.OutputError, match="the policy or the key came from"):
        om.anonymize(FRAME.select("zip", "age"), chosen).write(tmp_path / "areas.csv", overwrite=True)
    for wrong, expected in (({"table": 7}, "is not a file"), ({"table": "a.csv", "least_population": 0}, "too small")):
        with pytest.raises(errors.PolicyError, match=expected):
            om.Place(**wrong)
    with pytest.raises(errors.OntomaskError, match="measure"):
        om.Place("areas.csv", measure="nonsense")


def test_init_proposes_a_place_where_the_taxonomy_has_populations() -> None:
    found = om.profile(FRAME.select("zip", "age"), taxonomies={"zip": areas_file()})
    assert (found["zip"].kind, found["zip"].role) == ("place", "quasi")
    assert found.policy(k=3).attributes["zip"] == om.Place(areas_file(), role="quasi")
    assert om.anonymize(FRAME.select("zip", "age"), found.policy(k=3)).satisfied
    assert has_populations(areas_file())
    assert not has_populations("icd9cm")
