"""Profiles: what is proposed for columns of every sort, why, and that the policy of a profile runs as it is."""

from __future__ import annotations

import datetime as dt
import random
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.column_names.names import topic_of, words_of
from ontomask.errors import OptionError
from ontomask.profiling import column_sources, taxonomy_candidates


def one(name: str, values: Any, **options: Any) -> Any:
    """The profile of a column in a frame that has an age as well."""
    frame = pl.DataFrame({name: values}).with_columns(pl.Series("age", np.arange(len(values)) % 7 + 30))
    return om.profile(frame, **options)[name]


def few(values: list[Any], n: int = 200) -> list[Any]:
    return [values[i % len(values)] for i in range(n)]


# ---- names -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("PatientID", ["patient", "id"]),
        ("fecha_nacimiento", ["fecha", "nacimiento"]),
        ("Código Postal", ["codigo", "postal"]),
        ("icd9", ["icd", "9"]),
        ("Straße", ["strasse"]),
        ("native-country", ["native", "country"]),
        ("", []),
    ],
)
def test_names_are_taken_apart_into_words(name: str, words: list[str]) -> None:
    assert words_of(name) == words


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("id", "identifier"),
        ("patient_name", "identifier"),
        ("Nº historia clínica", "identifier"),
        ("cognoms", "identifier"),
        ("prénom", "identifier"),
        ("Geburtsname Vorname", "identifier"),
        ("E-Mail", "identifier"),
        ("movil", "identifier"),
        ("edat", "quasi"),
        ("Geschlecht", "quasi"),
        ("Date of birth", "quasi"),
        ("code_postal", "quasi"),
        ("country_name", "quasi"),
        ("hospital_id", "quasi"),
        ("sex_code", "quasi"),
        ("paid", "sensitive"),
        ("salaire", "sensitive"),
        ("Schweregrad", "sensitive"),
        ("religió", "sensitive"),
        ("sexual_orientation", "sensitive"),
    ],
)
def test_names_tell_the_role_in_five_languages(name: str, role: str) -> None:
    topic = topic_of(name)
    assert topic is not None
    assert topic.role == role


@pytest.mark.parametrize("name", ["idle", "grid", "rename", "stage_coach_age_x".replace("_age", "age"), "xyz", "7"])
def test_words_inside_words_say_nothing(name: str) -> None:
    topic = topic_of(name)
    assert topic is None or topic.role != "identifier"


# ---- identifiers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        [f"p{i}@example.org" for i in range(50)],
        [f"+34 93 {i:03d} 4567" for i in range(50)],
        [f"ES{i:02d}21000418450200051332" for i in range(50)],
        [f"https://example.org/{i}" for i in range(50)],
        [f"patient {i} came with a headache and went home after two days" for i in range(50)],
        [f"X-{i * 7}" for i in range(50)],
        list(range(1000, 1050)),
        [1_000_000 + (i * 7919) % 999_983 for i in range(50)],
    ],
    ids=["mail", "phone", "iban", "web", "free text", "text", "running numbers", "long numbers"],
)
def test_values_that_name_persons(values: list[Any]) -> None:
    column = one("x", values)
    assert (column.role, column.kind) == ("identifier", "identifier")
    assert column.unique == 1


@pytest.mark.parametrize(
    "values",
    [
        [round(1234.56 + 17.31 * i, 2) for i in range(50)],  # measurements all differ
        [(i * i * 37) % 9973 for i in range(50)],
        few(["20-29", "30-39", "40-49"]),
        few([f"2024-05-{i:02d}" for i in range(1, 29)], 28),
        few(["a", "b"]),
    ],
    ids=["decimals", "whole numbers", "bands", "dates", "categories"],
)
def test_values_that_name_nobody(values: list[Any]) -> None:
    assert one("x", values).role == "quasi"


def test_an_identifier_by_name_that_repeats_is_to_be_checked() -> None:
    column = one("name", few(["a", "b", "c"]))
    assert column.role == "identifier"
    assert "only 3 values" in column.checks[0]
    assert one("name", [f"n{i}" for i in range(200)]).checks == ()


def test_a_note_that_is_a_number_is_no_free_text() -> None:
    assert one("note", few([1.0, 2.5, 3.5])).kind == "numeric"
    assert one("notes", few(["came late", "went home early"])).role == "identifier"


# ---- kinds and roles ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "values", "role", "kind"),
    [
        ("age", few([30, 31, 45, 52]), "quasi", "numeric"),
        ("sex", few([1, 2]), "quasi", "flat"),
        ("zip", few([8001, 8002, 43001]), "quasi", "flat"),
        ("region", few(list(range(30))), "quasi", "flat"),
        ("grade", few([1, 2, 3, 4]), "sensitive", "ordinal"),
        ("children", few([0, 1, 2, 3]), "quasi", "numeric"),
        ("income", few([10.5, 11.25]), "sensitive", "numeric"),
        ("birth", few([dt.date(1980, 1, 1), dt.date(1990, 2, 3)]), "quasi", "date"),
        ("admission", few(["2024-05-31", "2024-06-01"]), "quasi", "date"),
        ("test_date", few(["2024-05-31", "2024-06-01"]), "quasi", "date"),
        ("smoker", few([True, False]), "quasi", "flat"),
        ("x", few([1, 2, 3]), "quasi", "numeric"),
        ("x", few([1, 4, 11]), "quasi", "flat"),
        ("x", few(list(range(50))), "quasi", "numeric"),
        ("number_of_x", few([1, 2, 3]), "quasi", "numeric"),
    ],
)
def test_kinds_and_roles(name: str, values: list[Any], role: str, kind: str) -> None:
    frame = pl.DataFrame({name: values, "sexo": few(["a", "b"], len(values))})
    column = om.profile(frame)[name]
    assert (column.role, column.kind) == (role, kind)


def test_what_is_not_known_is_masked_and_to_be_checked() -> None:
    column = one("x", few(["red-ish thing 1", "blue-ish thing 2"]))
    assert (column.role, column.kind) == ("quasi", "flat")
    assert "the safer choice" in column.reason
    assert column.checks == ("decide the role: quasi, sensitive or other",)
    assert one("sex", few(["f", "m"])).checks == ()


def test_dates_that_can_be_read_in_two_ways() -> None:
    column = one("fecha", few(["05/05/2024", "01/06/2024"]))
    assert (column.role, column.kind) == ("quasi", "flat")
    assert "write kind: date and format: '%d/%m/%Y' or '%m/%d/%Y'" in column.checks[0]
    column = one("fecha", few(["31/05/2024", "01/06/2024"]))
    assert (column.role, column.kind) == ("quasi", "date")
    assert "format: '%d/%m/%Y' reads all dates" in column.checks[0]


def test_categories_with_an_order_of_their_own() -> None:
    frame = pl.DataFrame({"x": pl.Series(few(["low", "high"]), dtype=pl.Enum(["low", "high"])), "age": few([1, 2, 3])})
    assert om.profile(frame)["x"].kind == "ordinal"
    pandas = pytest.importorskip("pandas")
    ordered = pandas.Categorical(few(["low", "high"]), categories=["low", "high"], ordered=True)
    assert om.profile(pandas.DataFrame({"x": ordered, "age": few([1, 2, 3])}))["x"].kind == "ordinal"
    colours = pl.Series("x", few(["red", "blue"]), dtype=pl.Categorical)
    assert om.profile(frame.with_columns(colours))["x"].kind == "flat"


def test_columns_without_values_and_with_one() -> None:
    empty, constant = one("x", [None] * 60), one("x", ["a"] * 60)
    assert (empty.role, empty.distinct, empty.missing) == ("identifier", 0, 60)
    assert "nothing is lost" in empty.reason
    assert (constant.role, constant.checks) == ("quasi", ())
    assert "distinguishes none" in constant.reason


def test_marks_of_missing_values_are_told() -> None:
    column = one("habit", few(["smoker", "none", "drinker"], 300))
    assert any("100 records hold a mark" in check for check in column.checks)
    numbers = one("age2", few(["30", "31", "NA"], 300))
    assert (numbers.kind, numbers.missing) == ("flat", 100)
    assert any("stored as text" in check for check in numbers.checks)


@pytest.mark.parametrize(
    "values",
    [
        [float("nan"), 1.5, 2.5],
        [float("inf"), 1.5, 2.5],
        [1e200, 1.5, 2.5],
        [2**60 + 7 * i for i in range(100)],
        [*np.random.default_rng(1).random(3000).tolist(), float("nan")],
    ],
    ids=["nan", "inf", "huge", "long", "one nan among many"],
)
def test_numbers_that_cannot_be_computed_with_are_flat(values: list[Any]) -> None:
    column = one("cost", few(values, max(200, len(values))))
    assert column.kind == "flat"
    assert "cannot be used in computations" in column.checks[0]


def test_roles_that_are_given() -> None:
    frame = pl.DataFrame({"name": [f"n{i}" for i in range(30)], "age": range(30), "pay": few([1.5, 2.5, 7], 30)})
    found = om.profile(frame, roles={"name": "quasi", "age": "other", "pay": "identifier"})
    assert [column.role for column in found] == ["quasi", "other", "identifier"]
    assert found["name"].kind == "flat"
    with pytest.raises(om.errors.OptionError, match="no column 'agee'. Did you mean 'age'"):
        om.profile(frame, roles={"agee": "quasi"})
    with pytest.raises(om.errors.OptionError, match="no role 'secret'"):
        om.profile(frame, roles={"age": "secret"})


# ---- taxonomies --------------------------------------------------------------------------------------------------


def test_a_system_of_codes_is_found_by_its_values() -> None:
    found = om.profile(om.demo_data(500, seed=1).rename({"diagnosis": "a", "procedure": "b"}))
    assert (found["a"].taxonomy, found["b"].taxonomy) == ("icd9cm", "icd9cm_procedures")
    assert found.candidates.filter(column="a")["records"].to_list()[0] == 1


def test_bare_numbers_are_codes_only_by_name() -> None:
    codes = few(["25000", "4019", "4280", "41401"])
    assert one("zip", codes).taxonomy is None
    assert one("x", codes).taxonomy is None
    assert one("dx1", codes).taxonomy == "icd9cm"
    assert one("month", few(["01", "02", "12"])).taxonomy is None


def test_codes_stored_as_numbers_are_told_loudly() -> None:
    column = one("diagnosis", few([25000, 4019, 845, 99]))
    assert (column.kind, column.taxonomy) == ("nominal", "icd9cm")
    assert any(
        "CODES WRITTEN AS NUMBERS" in check and "(1 code had to be completed)" in check for check in column.checks
    )
    odd = one("diagnosis", few([1234567, 7654321, 9999999]))
    assert odd.kind == "flat"
    assert any("CODES WRITTEN AS NUMBERS" in check for check in odd.checks)


def test_codes_of_a_csv_are_taken_as_they_are_written(tmp_path: Path) -> None:
    pl.DataFrame({"icd": few(["250.10", "401.90", "428.00"]), "age": few([1, 2, 3])}).write_csv(tmp_path / "a.csv")
    (tmp_path / "b.csv").write_text("icd;age\n" + "250.01;30\n401.01;31\n250.03;32\n" * 20, encoding="utf-8")
    assert om.read_table(tmp_path / "b.csv").data["icd"].dtype == pl.Float64
    found = om.profile(tmp_path / "b.csv")
    assert found["icd"].candidates[0].taxonomy == "icd9cm"
    assert found["icd"].candidates[0].values == pytest.approx(2 / 3), "401.01 is no code, as text and as number"


@pytest.mark.parametrize("sign", ["|", ";", ", "])
def test_sets_of_codes_are_proposed_with_their_separator(sign: str, tmp_path: Path) -> None:
    """Texts that nearly all differ are neither keys nor free text where their items are codes; the policy runs as it is."""
    chance = random.Random(1)
    codes = ["250.00", "428.0", "486", "410.01", "V30.00", "401.9", "584.9", "038.9"]
    rows = [sign.join(chance.sample(codes, chance.choice((1, 2, 3, 8)))) for _ in range(60)]
    frame = pl.DataFrame({"diagnoses": rows, "age": [chance.randrange(20, 90) for _ in rows]})
    frame.write_csv(tmp_path / "stays.csv")
    for data in (frame, tmp_path / "stays.csv"):
        found = om.profile(data)
        assert (found["diagnoses"].kind, found["diagnoses"].taxonomy) == ("nominal", "icd9cm")
        assert f"separated by {sign.strip()!r}" in found["diagnoses"].reason
        found.save(tmp_path / "policy.yaml", k=3, overwrite=True)
        policy = om.Policy.load(tmp_path / "policy.yaml")
        assert policy.separators == {"diagnoses": sign.strip()}
        assert om.anonymize(data, policy).satisfied


@pytest.mark.parametrize(
    "values",
    [
        ["Pneumonia, organism NOS", "Septicemia NOS", "Hy kid NOS w cr kid I-IV, or unspecified"],  # labels
        ["red|green", "red|blue", "green"],  # no taxonomy has these
        ["anna@x.org|ben@x.org", "carl@x.org|dora@x.org", "eve@x.org"],
    ],
)
def test_a_sign_alone_makes_no_sets(values: list[str]) -> None:
    column = om.profile(pl.DataFrame({"what": values * 10, "age": list(range(30))}))["what"]
    assert "separated by" not in column.reason


def test_lists_are_left_out_with_a_hint() -> None:
    found = om.profile(pl.DataFrame({"diagnoses": [["486"], ["428.0", "486"]] * 10, "age": list(range(20))}))
    assert found["diagnoses"].role == "identifier"
    assert any("many: '|'" in check for check in found["diagnoses"].checks)


def test_where_some_values_have_no_place() -> None:
    # 1 value of 6 and 4% of the records
    codes = few(["250.00", "401.9", "428.0", "V27.0", "008.45"] * 5, 192) + ["999.999"] * 8
    column = one("dx", codes, unmatched="stop")
    assert (column.kind, column.taxonomy) == ("nominal", "icd9cm")
    assert "83.3% of the values and 96.0% of the records" in column.reason
    assert any(
        "masking stops at 1 value (8 records)" in check and "add mapping: mapping.csv" in check
        for check in column.checks
    )
    frame = pl.DataFrame({"dx": codes, "age": few([30, 31, 45])})
    with pytest.raises(om.errors.UnmatchedValuesError):
        om.anonymize(frame, om.profile(frame, unmatched="stop").policy())
    found = om.profile(frame)  # a proposal runs
    assert (found["dx"].kind, found["dx"].taxonomy) == ("flat", None)
    assert any("icd9cm covers 83.3% of the values" in check for check in found["dx"].checks)
    assert om.anonymize(frame, found.policy()).verification.holds
    with pytest.raises(om.errors.OptionError, match="no way with unmatched values 'drop'"):
        om.profile(frame, unmatched="drop")  # type: ignore[arg-type]
    below = one("dx", few(["250.00", "401.9", "junk", "zzz"]))
    assert (below.kind, below.taxonomy) == ("flat", None)
    assert "icd9cm covers 50.0% of the values" in below.hints[-1]


def test_a_given_taxonomy(tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text("child,parent\nnurse,care\ncook,kitchen\ncare,work\nkitchen,work\n")
    frame = pl.DataFrame({"job": few(["nurse", "cook"]), "age": few([1, 2, 3])})
    found = om.profile(frame, taxonomies={"job": tmp_path / "jobs.csv"})
    assert (found["job"].kind, found["job"].taxonomy) == ("nominal", str(tmp_path / "jobs.csv"))
    assert "jobs.csv covers all 2 values" in found["job"].reason
    found.save(tmp_path / "policy.yaml")
    assert "taxonomy: jobs.csv  #" in (tmp_path / "policy.yaml").read_text()
    assert om.anonymize(frame, tmp_path / "policy.yaml").verification.holds
    other = om.profile(frame.with_columns(job=pl.lit("pilot")), taxonomies={"job": tmp_path / "jobs.csv"})["job"]
    assert other.kind == "flat"
    assert "0.0% of the values" in other.hints[0]
    with pytest.raises(om.errors.OntomaskError, match=r"gone\.csv"):
        om.profile(frame, taxonomies={"job": tmp_path / "gone.csv"})


def test_wordnet_is_asked_for_more(wordnet: om.Taxonomy) -> None:
    animals = few(["zebra", "giraffe", "hyena", "walrus", "moose", "wombat"])
    column = one("animal", animals)
    assert (column.kind, column.taxonomy) == ("nominal", "wordnet")
    assert any("check that the senses are those meant" in check for check in column.checks)
    assert one("animal", [*animals, "qwrtz"]).kind == "flat"
    many_senses = few(["bank", "bar", "table", "plant", "crane", "spring"])
    assert one("word", many_senses).kind == "flat"
    assert one("animal", few(["zebra", "giraffe"])).candidates == (), "two words are not worth a dictionary"


def test_what_is_not_on_the_machine_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> om.Taxonomy:
        raise om.errors.MissingExtraError("ICD-10-CM", "simple-icd-10-cm", "icd10")

    monkeypatch.setattr(taxonomy_candidates, "load_taxonomy", missing)
    found = om.profile(pl.DataFrame({"x": few(["E11.65", "I10", "J18.9"]), "age": few([1, 2, 3])}))
    assert found["x"].kind == "flat"
    assert "icd10cm was not tried: ICD-10-CM needs the package" in found.notes[0]


def test_no_taxonomy_is_loaded_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taxonomy_candidates, "load_taxonomy", lambda name: pytest.fail(f"{name} was loaded"))
    frame = pl.DataFrame({"age": few([30, 41]), "sex": few(["male", "female"]), "name": [f"n{i}" for i in range(200)]})
    assert len(om.profile(frame.with_columns(pay=pl.lit(3.5)))) == 4


# ---- policies ----------------------------------------------------------------------------------------------------


def test_the_policy_of_the_demo_data_runs_as_it_is(tmp_path: Path) -> None:
    data = om.demo_data(2000)
    found = om.profile(data)
    policy = om.Policy.load(found.save(tmp_path / "policy.yaml"))
    assert policy == found.policy()
    assert policy.quasi_identifiers == [
        "age", "sex", "race", "length_of_stay", "diagnosis", "secondary_diagnosis", "procedure",
    ]  # fmt: skip
    assert (policy.require, policy.row_order) == ([om.KAnonymity(k=5)], "shuffled")
    assert om.anonymize(data, policy).verification.holds


def test_the_policy_of_adult_runs_as_it_is(data: Path, tmp_path: Path) -> None:
    file = data / "adult" / "adult.csv"
    om.profile(file).save(tmp_path / "policy.yaml")
    result = om.anonymize(file, tmp_path / "policy.yaml")
    assert result.verification.holds
    assert result.policy.attributes["salary-class"].role == "sensitive"


def messy(folder: Path, n: int = 120) -> Path:
    """A file as files are: blanks, accents and signs in names, missing values, dates in two ways, codes."""
    rng = np.random.default_rng(3)
    pick = lambda *values: [values[i] for i in rng.integers(0, len(values), n)]  # noqa: E731
    frame = pl.DataFrame(
        {
            "Nº Historia Clínica": [f"{i:06d}" for i in rng.permutation(n)],
            " edad (años)": pick(None, *range(18, 90)),
            "Código Postal": pick("08001", "43002", None),
            "fecha ingreso": pick("2024-05-31", "2024-06-02", "2024-07-01"),
            "fecha: alta": pick("31/05/2024", "02/06/2024"),
            "diagnóstico #1": pick("250.00", "401.9", "008.45", "V27.0"),
            "importe €": rng.random(n).round(4) * 1000,
            "no": pick("sí", "no"),
            "2024-01-01": pick(1, 2, 3),
            "vacío": [None] * n,
            "комментарий": pick("да", "нет"),
        }
    )
    frame.write_csv(folder / "messy.csv")
    return folder / "messy.csv"


def test_the_policy_of_a_messy_file_runs_as_it_is(tmp_path: Path) -> None:
    file = messy(tmp_path)
    found = om.profile(file)
    found.save(tmp_path / "policy.yaml")
    result = om.anonymize(file, tmp_path / "policy.yaml")
    assert result.verification.holds
    assert found["diagnóstico #1"].taxonomy == "icd9cm"
    assert "Nº Historia Clínica" not in result.data.columns
    policy = om.Policy.load(tmp_path / "policy.yaml")
    assert policy.attributes[" edad (años)"].missing == "category"
    assert list(policy.attributes) == om.read_table(file).data.columns


def test_every_type_of_column_runs() -> None:
    rng = np.random.default_rng(1)
    n = 60
    frame = pl.DataFrame(
        {
            "nan": np.where(rng.random(n) < 0.1, np.nan, rng.random(n)),
            "long": rng.integers(2**54, 2**60, n),
            "bool": rng.random(n) < 0.5,
            "date": [dt.date(2020, 1, 1) + dt.timedelta(int(i)) for i in rng.integers(0, 900, n)],
            "time": [dt.time(int(i)) for i in rng.integers(0, 23, n)],
            "span": [dt.timedelta(int(i)) for i in rng.integers(0, 23, n)],
            "category": pl.Series(few(["a", "b"], n), dtype=pl.Categorical),
            "enum": pl.Series(few(["a", None, "b"], n), dtype=pl.Enum(["b", "a"])),
            "nothing": pl.Series([None] * n),
            "bytes": [bytes([int(i)]) for i in rng.integers(0, 3, n)],
            "empty text": few(["", "x"], n),
            "small": pl.Series(few([1.5, None], n), dtype=pl.Float32),
        }
    )
    assert om.anonymize(frame, om.profile(frame).policy(k=3)).verification.holds
    everything = om.profile(frame, roles=dict.fromkeys(frame.columns, "quasi"))
    assert om.anonymize(frame, everything.policy(k=3)).verification.holds


@pytest.mark.parametrize(
    "method",
    [
        *("generalization", "recoding", "resampling", "suppression", "rank_swapping", "shuffling", "imputation"),
        *("noise_addition", "pram"),
    ],
)
def test_every_method_can_be_chosen(method: str) -> None:
    data = om.demo_data(300, seed=1).select("age", "sex", "charge")
    policy = om.profile(data).policy(method, k=3)
    assert policy.method is not None
    assert policy.method.name == method
    without_k = ("rank_swapping", "shuffling", "imputation", "noise_addition", "pram")
    assert bool(policy.require) == (method not in without_k)
    assert len(om.anonymize(data, policy).data) > 0


def test_a_method_brings_its_k() -> None:
    found = om.profile(om.demo_data(100, seed=1).select("age", "sex"))
    assert found.policy(om.Microaggregation(k=7)).require == [om.KAnonymity(k=7)]
    assert found.policy() == found.policy(), "nothing in it is drawn"
    with pytest.raises(om.errors.OptionError, match="no method 'magic'"):
        found.policy("magic")
    with pytest.raises(om.errors.DataError, match="k is 101 and there are 100 records"):
        found.policy(k=101)


def test_something_is_always_masked_or_it_is_an_error() -> None:
    frame = pl.DataFrame({"name": [f"n{i}" for i in range(30)], "income": few([1.5, 2.5, 7.25], 30)})
    found = om.profile(frame)
    assert found["income"].role == "quasi"
    assert any("no other column would be" in check for check in found["income"].checks)
    with pytest.raises(om.errors.PolicyError, match="no column has a role that microaggregation masks"):
        om.profile(frame.select("name")).policy()
    with pytest.raises(om.errors.PolicyError, match=r"shuffling masks \(sensitive\)"):
        om.profile(om.demo_data(50).select("age", "sex")).policy("shuffling")


# ---- privacy, files, display -------------------------------------------------------------------------------------


def test_no_value_of_the_data_is_written_or_shown(tmp_path: Path) -> None:
    values = few(["Wonderland", "Utopia", "Atlantis", "Eldorado"])
    frame = pl.DataFrame(
        {"place": values, "scale": values, "diagnosis": few(["zzz-1", "250.00", "401.9"]), "year": 1987}
    )
    found = om.profile(frame)
    text = found.save(tmp_path / "policy.yaml").read_text()
    shown = text + str(found) + repr(found) + repr(found["place"]) + str(found.table.to_dicts()) + found._repr_html_()
    for value in ("Wonderland", "Utopia", "Atlantis", "Eldorado", "zzz", "250.00", "401.9", "1987"):
        assert value not in shown
    assert found["place"].examples == ("Wonderland", "Utopia", "Atlantis")


def test_a_name_cannot_break_out_of_a_comment(tmp_path: Path) -> None:
    folder = tmp_path / "a\nkind: b"
    folder.mkdir()
    file = tmp_path / "odd\nseed: 1.csv"
    pl.DataFrame({"age": few([1, 2, 3]), "a\nb: c": few(["x", "y"])}).write_csv(file)
    found = om.profile(file)
    assert om.Policy.load(found.save(tmp_path / "p.yaml")) == found.policy()


def test_the_table_and_the_text() -> None:
    found = om.profile(om.demo_data(200, seed=1))
    assert found.table.columns == [
        "column", "type", "distinct", "missing", "unique", "role", "kind", "taxonomy", "reason", "check",
    ]  # fmt: skip
    assert len(found.table) == len(found) == 8
    assert str(found).splitlines()[0].split() == [
        "column", "type", "values", "missing", "unique", "role", "kind", "taxonomy",
    ]  # fmt: skip
    assert "check diagnosis, secondary_diagnosis, procedure: if nobody can know it" in str(found)
    with pytest.raises(om.errors.OptionError, match="Did you mean 'charge'"):
        found["chargee"]


def test_comments_stand_at_their_columns() -> None:
    text = om.profile(om.demo_data(200, seed=1)).policy_text()
    lines = text.splitlines()
    at = lines.index("  charge:")
    assert lines[at + 1].startswith("    # The name suggests money, which must not be disclosed; whole numbers.")
    assert all(len(line) <= 118 for line in lines if line.lstrip().startswith("#"))
    assert "# Look for CHECK: 3 columns need a decision by somebody" in text


def test_the_data_are_never_overwritten(tmp_path: Path) -> None:
    file = messy(tmp_path)
    before = file.read_bytes()
    with pytest.raises(om.errors.OutputError, match="the file the data came from"):
        om.profile(file).save(file, overwrite=True)
    assert file.read_bytes() == before
    om.profile(file).save(tmp_path / "p.yaml")
    with pytest.raises(om.errors.OutputError, match="the file exists"):
        om.profile(file).save(tmp_path / "p.yaml")


@pytest.mark.parametrize("suffix", ["tsv", "parquet", "xlsx", "dta", "sav"])
def test_every_format_of_files(tmp_path: Path, suffix: str) -> None:
    data = om.demo_data(200, seed=1)
    file = om.write_table(data, tmp_path / f"data[1].{suffix}")
    found = om.profile(file)
    assert found.records == 200
    assert [c.role for c in found] == [c.role for c in om.profile(data)]
    assert found["diagnosis"].taxonomy == "icd9cm"


def test_of_a_large_parquet_file_a_part_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    n = 20_000
    frame = pl.DataFrame({"age": few(list(range(20, 90)), n), "sex": ["f"] * (n // 2) + ["m"] * (n // 2)})
    file = om.write_table(frame, tmp_path / "large.parquet")
    assert om.profile(file).looked == n
    monkeypatch.setattr(column_sources, "MOST_CELLS", 4000)
    found = om.profile(file)
    assert (found.records, found.looked) == (n, 2000)
    assert found["sex"].distinct == 2, "from its whole length"
    assert any("only 2,000 of 20,000 records were examined" in note for note in found.notes)
    policy = found.policy()
    assert {a.missing for a in policy.attributes.values()} == {"category"}, "elsewhere values may be missing"
    assert om.anonymize(file, policy).verification.holds


def test_values_that_stand_elsewhere_in_a_large_file_do_not_stop_masking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = 20_000
    codes, bands = few(["250.00", "401.9", "428.0"], n), few(["20-29", "30-39"], n)
    codes[123], bands[123] = "no code", "40-49"  # in none of the blocks
    frame = pl.DataFrame({"dx": codes, "good": few(["250.00", "401.9"], n), "age": bands})
    file = om.write_table(frame, tmp_path / "large.parquet")
    monkeypatch.setattr(column_sources, "MOST_CELLS", 6000)
    found = om.profile(file)
    assert found.looked < n
    assert [found[name].kind for name in ("dx", "good", "age")] == ["flat", "nominal", "ordinal"]
    assert om.anonymize(file, found.policy()).verification.holds


@pytest.mark.parametrize("name", ["*", "^a.*$"])
def test_names_that_stand_for_patterns(name: str, tmp_path: Path) -> None:
    """A policy for them could not be used: masking refuses such names, so a profile does, too."""
    frame = pl.DataFrame({name: few([30, 31, 45]), "age": few([1, 2, 3])})
    frame.write_parquet(tmp_path / "odd.parquet")
    for data in (frame, tmp_path / "odd.parquet"):
        with pytest.raises(om.errors.DataError, match="pattern of names.*Rename it"):
            om.profile(data)


def test_bad_input(tmp_path: Path) -> None:
    with pytest.raises(om.errors.DataError, match="no such file"):
        om.profile(tmp_path / "gone.csv")
    with pytest.raises(om.errors.DataError, match="expected a DataFrame"):
        om.profile([1, 2])
    with pytest.raises(om.errors.DataError, match="no rows"):
        om.profile(pl.DataFrame({"a": []}))
    (tmp_path / "twice.csv").write_text("a,a\n1,2\n")
    with pytest.raises(om.errors.DataError, match="several columns are called 'a'"):
        om.profile(tmp_path / "twice.csv")
    (tmp_path / "bad.parquet").write_bytes(b"no parquet")
    with pytest.raises(om.errors.DataError, match="cannot be read as Parquet"):
        om.profile(tmp_path / "bad.parquet")
    pl.DataFrame({"a": []}, schema={"a": pl.Int64}).write_parquet(tmp_path / "none.parquet")
    with pytest.raises(om.errors.DataError, match="no records"):
        om.profile(tmp_path / "none.parquet")
    pl.DataFrame({"a": [[1]]}).write_parquet(tmp_path / "nested.parquet")
    with pytest.raises(om.errors.DataError, match="several values in one cell"):
        om.profile(tmp_path / "nested.parquet", roles={"a": "quasi"})


@pytest.mark.parametrize("method", ["imputation", "shuffling"])
def test_where_sensitive_columns_are_masked_the_policy_says_so(method: str, tmp_path: Path) -> None:
    found = om.profile(om.demo_data(200, seed=1))
    text = found.policy_text(method=method)
    assert "# how the sensitive columns are masked\n" in text
    assert "# quasi, sensitive (masked) or other\n" in text
    assert "quasi (masked)" not in text
    assert "write role: sensitive; it is then masked" in " ".join(text.split())
    assert "released unchanged" not in " ".join(text.split()).replace("role: quasi; it is then released unchanged", "")
    saved = (
        found.policy(method=method).changed(method={"name": "imputation", "columns": ["age"]}).save(tmp_path / "p.yaml")
    )
    assert "# how the named columns are masked\n" in saved.read_text(encoding="utf-8")
    assert "# quasi, sensitive or other\n" in saved.read_text(encoding="utf-8")
    with pytest.raises(om.errors.PolicyError, match="ontomask init --role charge=sensitive"):
        om.profile(om.demo_data(50, seed=1).select("age", "sex")).policy(method)


# ---- whose the records are ---------------------------------------------------------------------------------------------


def several_stays(**more: Any) -> pl.DataFrame:
    return pl.DataFrame({"age": [30 + i % 7 for i in range(60)], **more})


def test_a_repeated_key_of_persons_is_proposed_and_asked_about() -> None:
    found = om.profile(several_stays(patient_nbr=[f"P{i % 40}" for i in range(60)]))
    assert found.person == ("patient_nbr",)
    assert found["patient_nbr"].checks == (
        (
            "40 patients have 60 records, so patients are counted and not records (person: patient_nbr); "
            "if records are to be counted, delete that line"
        ),
    )
    assert found.policy().person == ["patient_nbr"]
    assert not any("k counts records" in note for note in found.notes)
    assert "\nperson: [patient_nbr]\n" in found.policy_text()
    assert "k: 5  # every class has at least k persons" in found.policy_text()


@pytest.mark.parametrize(
    "columns",
    [
        {"patient_nbr": [f"P{i}" for i in range(60)]},  # it does not repeat
        {"patient_nbr": [f"P{i % 40}" if i else None for i in range(60)]},  # one record is nobody's
        {"patient_nbr": [f"P{i % 9}" for i in range(60)]},  # too few for k of them
        {"encounter_id": [f"P{i % 40}" for i in range(60)]},  # not of persons
        {
            "patient_nbr": [f"P{i % 40}" for i in range(60)],
            "member_no": [f"M{i % 30}" for i in range(60)],
        },  # which one?
    ],
)
def test_no_person_is_proposed_where_it_is_not_clear(columns: dict[str, list[str | None]]) -> None:
    found = om.profile(several_stays(**columns))
    assert found.person == ()
    assert found.policy().person == []
    repeats = any(len(set(values) - {None}) < len([v for v in values if v]) for values in columns.values())
    assert any("k counts records" in note for note in found.notes) is repeats


def test_a_person_that_is_named_is_an_identifier() -> None:
    found = om.profile(several_stays(who=[i % 10 for i in range(60)]), person="who")
    assert (found.person, found["who"].role) == (("who",), "identifier")
    assert found.policy().unit.many == "persons"
    with pytest.raises(OptionError, match="no column 'whom'"):
        om.profile(several_stays(), person="whom")


def test_values_that_differ_only_in_case_are_asked_about() -> None:
    frame = pl.DataFrame({"sex": ["male", "Male", "MALE", "female"] * 10, "age": list(range(40))})
    (check,) = om.profile(frame)["sex"].checks
    assert check.startswith("3 spellings differ from another only in case")
    assert check.endswith("To make them one, write each in one way in the data")
    notes = om.check(frame, om.profile(frame).policy(k=3)).notes
    assert any(str(note).endswith("To make them one, write each in one way in the data") for note in notes)
