"""HIPAA safe harbor: each of the eighteen kinds of identifiers is found where it was planted, and hardly where it was not."""

from __future__ import annotations

import datetime as dt
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask import errors
from ontomask.direct_identifiers.kinds import identifiers, suggested
from ontomask.masking.randomness import Secret
from tests.clean_columns import clean_columns
from tests.contract.test_new_engine import ToyEngine

N = 60
CHANCE = random.Random(7)
GIVEN = "James Mary Robert Linda Susan Karen Anna Paul Mark Laura".split()
FAMILY = "Smith Johnson Brown Davis Garcia Lee Clark".split()
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


def number(low: int, high: int) -> int:
    return CHANCE.randint(low, high)


def digits(length: int) -> str:
    return "".join(CHANCE.choice("0123456789") for _ in range(length))


def day() -> dt.date:
    return dt.date(2019, 3, 2) + dt.timedelta(number(0, 900))


#: Planted columns: the letter, the name, and a value. Those called ``v`` are found by the shape of values alone.
PLANTED: list[tuple[str, str, Callable[[], Any]]] = [
    ("A", "v", lambda: f"{CHANCE.choice(GIVEN)} {CHANCE.choice(FAMILY)}"),
    ("A", "v", lambda: f"{CHANCE.choice(FAMILY)}, {CHANCE.choice(GIVEN)} Q."),
    ("A", "v", lambda: CHANCE.choice(GIVEN)),
    ("A", "v", lambda: f"Mrs. {CHANCE.choice(['Okafor', 'Nakamura'])}"),
    ("A", "last_name", lambda: CHANCE.choice(["Okafor", "Nakamura", "Oyelaran"])),
    ("A", "name", lambda: CHANCE.choice(["Okafor", "Nakamura", "Oyelaran"])),
    (
        "B",
        "v",
        lambda: f"{number(1, 9999)} {CHANCE.choice(['Main', 'Oak Hill'])} {CHANCE.choice(['St', 'Avenue', 'Rd.'])}",
    ),
    ("B", "v", lambda: f"P.O. Box {number(1, 999)}"),
    ("B", "v", lambda: f"Springfield, MA {number(10000, 99999)}"),
    ("B", "v", lambda: f"{number(10000, 99999)}-{digits(4)}"),
    ("B", "v", lambda: f"42.{digits(4)}, -71.{digits(4)}"),
    ("B", "zip", lambda: f"0{number(1001, 2799)}"),
    ("B", "zip_code", lambda: number(10000, 99999)),
    ("B", "zip", lambda: number(1001, 2799)),
    ("B", "zip3", lambda: CHANCE.choice(["021", "036"])),
    ("B", "zip3", lambda: CHANCE.choice([21, 36])),
    ("B", "city", lambda: CHANCE.choice(["Boston", "Worcester", "Lowell"])),
    ("B", "county", lambda: CHANCE.choice(["Suffolk", "Essex"])),
    ("B", "county_fips", lambda: number(25001, 25027)),
    ("B", "latitude", lambda: 42 + CHANCE.random()),
    ("C", "v", day),
    ("C", "v", lambda: dt.datetime.combine(day(), dt.time(10))),
    ("C", "v", lambda: day().isoformat()),
    ("C", "v", lambda: f"{day():%m/%d/%Y}"),
    ("C", "v", lambda: f"{day():%d.%m.%Y}"),
    ("C", "v", lambda: f"{day():%B %d, %Y}"),
    ("C", "v", lambda: int(f"{day():%Y%m%d}")),
    ("C", "v", lambda: f"{day():%Y-%m}"),
    ("C", "v", lambda: f"{day().year}-Q{number(1, 4)}"),
    ("C", "v", lambda: f"{day():%m/%d/%y}"),
    ("C", "v", lambda: f"{day()} to {day()}"),
    ("C", "admission_month", lambda: number(1, 12)),
    ("C", "birth_month", lambda: CHANCE.choice(["January", "May"])),
    ("C", "admission_date", lambda: number(17000, 18000)),
    ("C", "age", lambda: number(40, 99)),
    ("C", "age", lambda: CHANCE.choice(["80-89", "90-94", "95+"])),
    ("C", "age", lambda: CHANCE.choice([50, 91.5])),
    ("C", "age", lambda: CHANCE.choice([50, 90])),
    ("C", "age", lambda: CHANCE.choice(["80-89", "91+"])),
    ("C", "age", lambda: CHANCE.choice(["80-95", "*"])),
    ("C", "age", lambda: CHANCE.choice(["<=95", "30"])),
    ("C", "age_months", lambda: number(1000, 1200)),
    ("C", "birth_year", lambda: CHANCE.choice([1915, 1960, 2020])),
    ("D", "v", lambda: f"({number(200, 989)}) {number(200, 999)}-{digits(4)}"),
    ("D", "v", lambda: f"{number(200, 989)}.{number(200, 999)}.{digits(4)}"),
    ("D", "v", lambda: f"+49 {number(100, 999)} {number(10**6, 10**7)}"),
    ("D", "phone", lambda: number(2 * 10**9, 9 * 10**9)),
    ("E", "fax", lambda: f"555{digits(7)}"),
    ("F", "v", lambda: f"u{number(1, 999)}@mail.example.org"),
    ("G", "v", lambda: f"{number(1, 665):03d}-{number(1, 99):02d}-{number(1, 9999):04d}"),
    ("G", "ssn", lambda: digits(9)),
    ("G", "ssn", lambda: digits(4)),
    ("H", "v", lambda: f"MRN {digits(7)}"),
    ("H", "mrn", lambda: number(10**5, 10**6)),
    ("I", "v", lambda: f"1EG4-TE5-MK{digits(2)}"),
    ("I", "member_id", lambda: f"W{digits(9)}"),
    ("J", "v", lambda: "DE89 3704 0044 0532 0130 00"),
    ("J", "v", lambda: CHANCE.choice(["4111 1111 1111 1111", "5500-0000-0000-0004"])),
    ("J", "account_number", lambda: digits(8)),
    ("K", "v", lambda: "AB1234563"),
    ("K", "drivers_license", lambda: f"S{digits(8)}"),
    ("L", "v", lambda: CHANCE.choice(["1HGCM82633A004352", "1M8GDM9AXKP042788"])),
    ("L", "license_plate", lambda: f"{CHANCE.choice('ABC')}XY {digits(3)}"),
    ("M", "v", lambda: f"00:1b:{digits(2)}:3c:4d:{digits(2)}"),
    ("M", "v", lambda: f"(01){digits(14)}(21){digits(5)}"),
    ("M", "device_serial", lambda: f"SN{digits(6)}"),
    ("N", "v", lambda: f"https://example.org/p/{digits(3)}"),
    ("N", "website", lambda: "www.example.org"),
    ("O", "v", lambda: f"{number(1, 255)}.{number(0, 255)}.{number(0, 255)}.{number(0, 255)}"),
    ("O", "v", lambda: f"2001:db8::{number(1, 9999):x}"),
    ("P", "v", lambda: bytes(CHANCE.randbytes(40))),
    ("P", "v", lambda: "".join(CHANCE.choice("ABCDEFgh0123/+") for _ in range(240))),
    ("P", "fingerprint", lambda: digits(12)),
    ("Q", "v", lambda: PNG),
    ("Q", "v", lambda: f"photos/p{digits(3)}.JPG"),
    ("Q", "photo", lambda: f"p{digits(3)}"),
    ("R", "patient_id", lambda: f"S{digits(6)}"),
    ("R", "v", lambda: f"{digits(8)}-{digits(4)}-4{digits(3)}-8{digits(3)}-{digits(12)}"),
    ("R", "v", lambda: f"X-{digits(9)}"),
    ("R", "v", lambda: number(10**9, 10**10)),
]


def found_in(name: str, values: list[Any], **settings: Any) -> list[tuple[str, str, int]]:
    """The letters that are found in a column, why, and in how many records."""
    rows = om.SafeHarbor(**settings).check(pl.DataFrame({name: values}, strict=False)).violations.rows(named=True)
    return [(row["identifier"][-2], row["why"], row["records"]) for row in rows]


# ---- planted ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", range(len(PLANTED)), ids=lambda place: "-".join(PLANTED[place][:2]) + f"-{place}")
def test_planted_identifiers_are_found(place: int) -> None:
    letter, name, draw = PLANTED[place]
    CHANCE.seed(place)
    found = found_in(name, [draw() for _ in range(N)])
    assert letter in [one for one, _, _ in found]
    assert len(found) == 1, "and nothing else is"


#: One column of each kind in one table.
TABLE = {letter: (name if name != "v" else f"v_{letter}", draw) for letter, name, draw in reversed(PLANTED)}


def planted_table() -> pl.DataFrame:
    CHANCE.seed(1)
    return pl.DataFrame({name: [draw() for _ in range(N)] for name, draw in TABLE.values()}, strict=False)


def test_a_table_of_all_eighteen_kinds(tmp_path: Path) -> None:
    frame = planted_table().with_columns(ill=pl.Series(["flu", "gout"] * (N // 2)))
    assert {letter: name for name, letter in letters_in(frame)} == {letter: name for letter, (name, _) in TABLE.items()}
    written = frame.with_columns(pl.selectors.binary().bin.encode("base64"))  # a CSV has no bytes
    written.write_csv(tmp_path / "planted.csv")
    told = {name for name, _ in letters_in(tmp_path / "planted.csv")}
    assert told >= set(frame.columns) - {"ill", TABLE["P"][0], TABLE["Q"][0]}
    assert "ill" not in told


def test_findings_name_columns_and_kinds_and_no_values() -> None:
    frame = planted_table()
    finding = om.SafeHarbor().check(frame)
    assert finding.text.count("because") == 18
    values = {text for column in frame.iter_columns() for text in map(str, column.to_list()) if len(text) > 4}
    assert not [value for value in values if value in finding.text or value in str(finding.violations.rows())]


def letters_in(data: Any) -> list[tuple[str, str]]:
    rows = om.SafeHarbor().check(data).violations.rows(named=True)
    return [(row["column"], row["identifier"][-2]) for row in rows]


def test_all_eighteen_kinds_are_planted() -> None:
    letters = {letter for letter, _, _ in PLANTED}
    assert letters == {kind.letter for kind in identifiers().kinds} == set("ABCDEFGHIJKLMNOPQR")
    by_shape = {letter for letter, name, _ in PLANTED if name == "v"}
    assert by_shape == letters - {"E"}, "a fax number is written as a telephone number"


@pytest.mark.parametrize(
    ("letter", "value"),
    [
        ("F", "write to Jane at jane.doe@example.org about the results"),
        ("D", "call the daughter at (617) 555-0123 before noon please"),
        ("G", "the number on the card is 123-45-6789 as she said"),
        ("C", "she was seen on 2021-05-03 and again some weeks later"),
        ("C", "seen on the 3rd, that is May 3, 2021, in the clinic"),
        ("N", "see www.example.org/patient/77 for the whole story"),
        ("A", "spoke with Mr. Okafor and his wife about the operation"),
    ],
)
def test_one_mention_in_free_text_is_enough(letter: str, value: str) -> None:
    texts = [f"came back with a mild pain in the {side} knee" for side in ("left", "right")] * 20
    assert found_in("comment", texts) == []
    assert [(one, records) for one, _, records in found_in("comment", [*texts, value])] == [(letter, 1)]
    finding = om.SafeHarbor().check(pl.DataFrame({"comment": texts}))
    assert "Free text was searched for shapes only, names in it are not found: comment" in finding.text


def test_a_single_address_in_a_column_is_enough() -> None:
    assert found_in("contact", ["yes"] * 50 + ["a@b.org"]) == [("F", "values look like e-mail addresses", 1)]


# ---- what is not one -------------------------------------------------------------------------------------------------------


def test_a_thousand_clean_columns() -> None:
    wrong = [(name, found) for name, values in clean_columns(1200) if (found := found_in(name, values))]
    assert wrong == []


def test_a_thousand_clean_columns_as_texts() -> None:
    columns = ((name, [None if v is None else str(v) for v in values]) for name, values in clean_columns(1200))
    assert [(name, found) for name, values in columns if (found := found_in(name, values))] == []


def test_columns_of_real_files(data: Path) -> None:
    expected = {
        "adult/adult.csv": [("age", "C")],
        "casc/CASCrefmicrodata.csv": [],
        "casc/Tarragona.csv": [],
        "casc/EIA.csv": [("MONTH", "C")],
        "casc/testdata.csv": [("age", "C"), ("ori_hid", "R")],
        "casc/free1.csv": [],
    }
    for file, found in expected.items():
        rows = om.SafeHarbor().check(data / file).violations.rows(named=True)
        assert [(row["column"], row["identifier"][-2]) for row in rows] == found, file


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("age", [20, 55, 89]),
        ("age", ["20", "55", "90+"]),
        ("age", ["<=18", "19-64", "65-89", "90 or older"]),
        ("age", ["0-79", "80+"]),
        ("age", ["[80-90)", ">=90"]),
        ("age", ["80-89", "over 89"]),
        ("age", ["18-64", "65-120"]),
        ("age_months", ["1079", "1080+"]),
        ("admission_date", [2019, 2020]),
        ("admitted", [dt.date(2019, 1, 1), dt.date(2020, 1, 1)]),
        ("admitted", ["2019-01-01 to 2019-12-31", "2020-01-01 to 2020-12-31"]),
        ("dob", ["*", "*"]),
        ("birth_year", [1935, 2020]),
        ("zip", ["021", "000", "606**", "*"]),
        ("zip", [21, 606]),
        ("zip", ["021", "0", "US", "unknown"]),
        ("city", ["*"]),
        ("county_fips", [25, 36]),
        ("email", ["yes", "no", None]),
        ("email", [True, False]),
        ("patient_id", [None, None]),
        ("row_year", list(range(1950, 2010))),
    ],
)
def test_values_that_the_rule_permits(name: str, values: list[Any]) -> None:
    assert found_in(name, values) == []


def test_years_of_birth_are_judged_by_the_latest_year_of_the_release_or_the_one_given() -> None:
    births = {"birth_year": [1915, 1960, 1970]}
    assert found_in("birth_year", births["birth_year"]) == []
    both = pl.DataFrame(births | {"admission_year": [2005, 2006, 2004]})
    assert om.SafeHarbor().check(both).violations["why"].to_list() == ["values are years of birth of ages above 89"]
    assert found_in("birth_year", births["birth_year"], year=2010)
    assert om.SafeHarbor(year=2000).check(both).holds
    for wrong in (1700, "2020", 3000):
        with pytest.raises(errors.PolicyError):
            om.SafeHarbor(year=wrong)


def test_names_of_columns() -> None:
    letters = {name: kind.letter for name in NAMES if (kind := suggested(name)) is not None}
    assert letters == {name: letter for name, letter in NAMES.items() if letter}


NAMES = {
    "ip_address": "O", "email_address": "F", "mac_address": "M", "home_address": "B", "ZipCode": "B", "zip5": "B",
    "PatientName": "A", "drug_name": None, "dob": "C", "date_of_birth": "C", "update_count": None, "member_id": "I",
    "policy_number": "I", "license_plate": "L", "license_number": "K", "serial_number": "M", "cell_count": None,
    "telephone": "D", "fax_number": "E", "SSN": "G", "MRN": "H", "vin": "L", "state": None, "country": None, "stage": None,
}  # fmt: skip


# ---- as a model of a policy ---------------------------------------------------------------------------------------------

FRAME = pl.DataFrame(
    {
        "patient_id": [f"P{i // 2:04d}" for i in range(N)],
        "age": [30 + i for i in range(N)],
        "zip": ["02139", "03601", "60601"] * (N // 3),
        "ill": ["flu", "gout"] * (N // 2),
        "site": ["north", "south"] * (N // 2),
    }
)


def policy(**settings: Any) -> om.Policy:
    attributes = {
        "patient_id": om.Identifier(),
        "age": om.Numeric(),
        "zip": om.Place("us_zip3"),
        "ill": om.Flat(role="sensitive"),
        "site": om.Flat(role="other"),
    }
    given = {"attributes": attributes, "method": om.Microaggregation(k=5), "require": [om.SafeHarbor()]}
    made: om.Policy = om.Policy(**(given | settings))
    return made


def test_a_release_that_satisfies_it_is_verified_and_one_that_does_not_is_refused(tmp_path: Path) -> None:
    result = om.anonymize(FRAME, policy())
    told = [statement.text for statement in result.guarantees if statement.subject == "HIPAA safe harbor"]
    assert told[0] == (
        "Verified on the release itself: HIPAA safe harbor: none of the eighteen kinds of identifiers found in 4 columns."
    )
    folder = result.save(tmp_path / "result", report=True)
    assert "Verified on the released file: HIPAA safe harbor." in (folder / "release" / "guarantees.txt").read_text()
    assert om.verify_result(folder).holds
    older = FRAME.with_columns(age=pl.col("age") + 10)
    with pytest.raises(
        errors.NotSatisfied, match=r"age: dates finer than a year, and ages above 89 \(C\), because values are"
    ):
        om.anonymize(older, policy())
    raw = policy(attributes=policy().attributes | {"zip": om.Flat()})
    with pytest.raises(
        errors.NotSatisfied, match=r"zip: geographic subdivisions .* \(40 records\); remove the column, gen"
    ):
        om.anonymize(FRAME.filter(pl.col("zip") != "60601"), raw)


def test_ages_from_90_to_120_become_one_class(tmp_path: Path) -> None:
    ages = FRAME.with_columns(age=pl.Series(range(61, 61 + N)))
    assert ages["age"].max() == 120
    for role in ("quasi", "other"):
        coded = policy(attributes=policy().attributes | {"age": om.Numeric(role=role, top=90)})
        result = om.anonymize(ages, coded)
        assert "90+" in result.data["age"].to_list()
        assert om.verify(result.write(tmp_path / f"{role}.csv"), coded).holds
        raw = coded.changed(attributes=coded.attributes | {"age": om.Numeric(role=role)})
        with pytest.raises(errors.NotSatisfied, match=r"values are ages above 89"):
            om.anonymize(ages, raw)
    alone = {age: found_in("age", [40, 50, age]) for age in range(80, 121)}
    assert [age for age, found in alone.items() if found] == list(range(90, 121))


def test_columns_that_the_policy_does_not_list_are_looked_at() -> None:
    more = FRAME.with_columns(contact=pl.lit("a@b.org"))
    chosen = policy(unlisted="other")
    with pytest.raises(errors.NotSatisfied, match=r"contact: electronic mail addresses \(F\)"):
        om.anonymize(more, chosen)
    released = om.anonymize(FRAME, policy()).data
    assert om.verify(released, chosen).holds
    found = om.verify(released.with_columns(contact=pl.lit("a@b.org")), chosen)
    assert found.verdict == "fails"


def test_a_policy_of_nothing_else_verifies_a_file(tmp_path: Path) -> None:
    chosen = om.Policy(attributes={"ill": om.Flat()}, require=[om.SafeHarbor()], unlisted="other")
    FRAME.select("ill", "site").write_csv(tmp_path / "clean.csv")
    found = om.verify(tmp_path / "clean.csv", chosen)
    assert (found.verdict, found.promises) == ("holds", True)
    FRAME.write_csv(tmp_path / "raw.csv")
    failed = om.verify(tmp_path / "raw.csv", chosen).findings[0]
    assert failed.violations["column"].to_list() == ["patient_id", "zip"]
    assert failed.violations["records"].to_list() == [N, N]


def test_comparisons_leave_out_what_does_not_satisfy_it() -> None:
    coded = policy(attributes=policy().attributes | {"age": om.Numeric(top=90)})
    older = FRAME.with_columns(age=pl.col("age") + 10)
    found = om.compare(older, {"raw": policy(), "coded": coded})
    assert [run.name for run in found.satisfied] == ["coded"]
    assert found.best == "coded"


def test_what_is_cleared_is_not_looked_at_and_said() -> None:
    chosen = policy(attributes=policy().attributes | {"zip": om.Flat()}, require=[om.SafeHarbor(cleared=["zip"])])
    result = om.anonymize(FRAME, chosen)
    assert "Cleared by the policy, and not looked at: zip" in result.verification.findings[-1].text
    assert om.Policy.load is not None
    assert not om.verify(result.data, chosen.changed(require=[om.SafeHarbor()])).holds


def test_pseudonyms_are_reported_and_other_codes_in_their_column_fail() -> None:
    kept = policy(attributes=policy().attributes | {"patient_id": om.Identifier(keep="pseudonym")})
    result = om.anonymize(FRAME, kept, key=bytes(range(32)))
    finding = next(f for f in result.verification if f.model.name == "safe_harbor")
    assert finding.holds
    assert (
        "patient_id: pseudonyms, derived from identifiers with a secret key; 164.514(c) permits codes that are not"
        in finding.text
    )
    caveats = [s.text for s in result.guarantees if s.kind == "caveat" and s.subject == "pseudonyms"]
    assert any("164.514(c)" in text for text in caveats)
    found = om.verify(result.data.with_columns(patient_id=FRAME["patient_id"]), kept)
    assert "patient_id: other unique identifying numbers or codes (R)" in str(found)


def test_what_the_rule_leaves_to_people_is_said() -> None:
    assumed = [s.text for s in om.anonymize(FRAME, policy()).guarantees if s.kind == "assumed"]
    assert any("164.514(b)(2)(ii)" in text for text in assumed)


def test_linkage_is_still_tried_where_no_k_is_promised() -> None:
    result = om.anonymize(FRAME, policy(method=om.RankSwapping(k=5)))
    assert any(statement.kind == "tried" for statement in result.guarantees)
    assert result.promises


def test_persons_do_not_matter_to_it() -> None:
    chosen = policy(person="patient_id")
    result = om.anonymize(FRAME, chosen)
    found = om.verify(result.data, chosen)
    assert next(f for f in found if f.model.name == "safe_harbor").holds
    assert found.verdict == "not everything could be checked", "k of persons cannot be seen in the file"


def test_the_written_file_is_looked_at(tmp_path: Path) -> None:
    result = om.anonymize(FRAME.to_pandas(), policy())
    result.data.loc[0, "site"] = "call 617-555-0123"
    with pytest.raises(errors.NotSatisfied, match=r"site: telephone numbers \(D\)"):
        result.write(tmp_path / "release.csv")
    assert list(tmp_path.iterdir()) == []


def test_chunks_are_looked_at_column_by_column() -> None:
    chosen = policy(method=om.Recoding(k=5), attributes=policy().attributes | {"age": om.Numeric(role="other")})
    engine = ToyEngine(FRAME, 7, chosen, Secret.of_seed(1))
    release = engine.run()
    whole = om.anonymize(FRAME, chosen, seed=1)
    assert [str(finding) for finding in release.verification] == [str(finding) for finding in whole.verification]
    bad = ToyEngine(FRAME.with_columns(site=pl.lit("a@b.org")), 7, chosen, Secret.of_seed(1))
    with pytest.raises(errors.NotSatisfied, match=r"site: electronic mail addresses \(F\)"):
        bad.run()


RAW = FRAME.with_columns(
    age=pl.Series(range(61, 61 + N)),
    born=pl.Series([f"19{10 + i}-05-03" for i in range(N)]),
    city=pl.Series(["Boston", "Berlin", "Chicago"] * (N // 3)),
)


def test_a_policy_is_proposed_that_satisfies_it() -> None:
    found = om.profile(RAW, preset="safe_harbor")
    proposed = found.policy(k=3)
    assert proposed.require == [om.KAnonymity(3), om.SafeHarbor()]
    assert proposed.attributes["age"] == om.Numeric(decimals=0, top=90)
    assert proposed.attributes["zip"] == om.Place("us_zip3")
    assert [name for name, a in proposed.attributes.items() if a.role == "identifier"] == ["patient_id", "born", "city"]
    assert found["born"].reason.startswith("dates finer than a year, and ages above 89 (C): values look like dates")
    assert "2 columns left out, which the safe harbor rule refuses: born, city" in found.notes
    result = om.anonymize(RAW, proposed)
    assert result.satisfied
    assert set(result.data["zip"].to_list()) <= {"021", "000", "606", "0", "6", "US"}
    with pytest.raises(errors.OptionError, match="no preset 'hipaa'"):
        om.profile(RAW, preset="hipaa")  # type: ignore[arg-type]


def test_roles_that_are_given_stay_and_are_marked() -> None:
    found = om.profile(RAW, preset="safe_harbor", roles={"city": "quasi"})
    assert found["city"].role == "quasi"
    assert any("the safe harbor rule refuses it" in check for check in found["city"].checks)


def test_zip_codes_that_lost_their_zeros_are_left_out() -> None:
    numbers = RAW.with_columns(zip=pl.col("zip").cast(pl.Int64))
    assert om.profile(numbers, preset="safe_harbor")["zip"].role == "identifier"


def test_on_the_command_line(tmp_path: Path) -> None:
    policy().save(tmp_path / "policy.yaml")
    assert "  - name: safe_harbor" in (tmp_path / "policy.yaml").read_text()
    FRAME.write_csv(tmp_path / "stays.csv")

    def command(*arguments: str, code: int) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "ontomask", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done.stdout

    RAW.write_csv(tmp_path / "raw.csv")
    command("init", "raw.csv", "--preset", "safe_harbor", "-o", "proposed.yaml", code=0)
    command("run", "proposed.yaml", "raw.csv", "-o", "proposed", "--no-report", code=0)
    assert "holds: HIPAA safe harbor" in command("verify", "proposed", code=0)
    assert "kind: place" in (tmp_path / "proposed.yaml").read_text()
    command("run", "policy.yaml", "stays.csv", "-o", "result", "--no-report", code=0)
    assert "holds: HIPAA safe harbor" in command("verify", "policy.yaml", "result/release/release.csv", code=0)
    told = json.loads(command("verify", "policy.yaml", "stays.csv", "--json", code=1))
    text = next(finding["text"] for finding in told["findings"] if finding["model"] == "HIPAA safe harbor")
    assert "patient_id: other unique identifying numbers or codes (R), because a key by its name" in text
    assert "P0001" not in text
    assert os.listdir(tmp_path / "result")
