"""Files as hospitals and institutes outside of the English-speaking world write them, and as spreadsheets leave them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.column_names.names import topic_of
from ontomask.errors import OntomaskError
from ontomask.microdata.dtypes import read_dates

N = 300


def german(folder: Path) -> Path:
    """Semicolons, decimal commas, points for thousands, cp1252, days with points, ``k.A.`` among numbers and words."""
    rng = np.random.default_rng(3)
    lines = [
        "Patientennummer;Geburtsdatum;Familienstand;Aufnahmegrund;Größe (cm);Raucher;Pflegegrad;Kosten (€);Bemerkung"
    ]
    for i in range(N):
        size = "k.A." if i % 20 == 0 else f"{rng.normal(170, 9):.1f}".replace(".", ",")
        cost = f"{rng.gamma(2, 2000) + 1000:,.2f}".replace(",", "x").replace(".", ",").replace("x", ".")
        words = [
            ("ledig", "verheiratet", "k.A.")[i % 3],
            f"0{i % 4 + 1}",
            size,
            ("ja", "nein")[i % 2],
            str(i % 6),
            cost,
        ]
        remark = f"klagt über Schmerzen links, Bericht {i % 250}"
        lines.append(f"{i % 200 + 7000};{i % 28 + 1:02d}.{i % 12 + 1:02d}.{1930 + i % 80};{';'.join(words)};{remark}")
    file = folder / "faelle.csv"
    file.write_bytes(("\n".join(lines) + "\n").encode("cp1252"))
    return file


def test_a_german_file(tmp_path: Path) -> None:
    file = german(tmp_path)
    found = om.profile(file)
    kinds = {column.name: (column.role, column.kind) for column in found}
    assert kinds == {
        "Patientennummer": ("identifier", "identifier"),
        "Geburtsdatum": ("quasi", "date"),
        "Familienstand": ("quasi", "flat"),
        "Aufnahmegrund": ("quasi", "flat"),
        "Größe (cm)": ("quasi", "numeric"),
        "Raucher": ("quasi", "flat"),
        "Pflegegrad": ("quasi", "ordinal"),
        "Kosten (€)": ("sensitive", "numeric"),
        "Bemerkung": ("identifier", "identifier"),
    }
    marked = {column.name: column.proposal.missing_markers for column in found if column.proposal.missing_markers}
    assert marked == {"Familienstand": ["k.A."], "Größe (cm)": ["k.A."]}
    assert "column 'Kosten (€)' has points for thousands: 1.234,50 is read as 1234.50" in map(str, found.notes)
    assert found.person == ("Patientennummer",)
    assert found["Patientennummer"].checks[0].startswith(f"200 patients have {N} records, so patients are counted")
    assert not found["Aufnahmegrund"].checks
    result = om.anonymize(file, found.policy(k=5))
    assert result.verification.holds
    days = result.data["Geburtsdatum"]
    assert days.str.contains(r"^[0-9]{2}\.[0-9]{2}\.[0-9]{4}$").all()


def test_a_mark_of_surveys() -> None:
    frame = pl.DataFrame(
        {
            "voto": ["A", "B", "NS/NC"] * 40,
            "horas_semana": ["40", "38", "NS/NC", "35", "37", "36"] * 20,
            "cnae": list(range(111, 131)) * 6,
        }
    )
    found = om.profile(frame)
    assert [column.proposal.missing_markers for column in found] == [["NS/NC"], ["NS/NC"], []]
    assert found["voto"].role == "sensitive"
    assert "lost leading zeros" in found["cnae"].checks[0]


def test_a_text_among_numbers_is_asked_about(tmp_path: Path) -> None:
    values = ["weiss nicht" if i % 9 == 0 else str(150 + i % 40) for i in range(90)]
    (tmp_path / "a.csv").write_text("bmi;age\n" + "\n".join(f"{v};{20 + i % 50}" for i, v in enumerate(values)) + "\n")
    column = om.profile(tmp_path / "a.csv")["bmi"]
    (check,) = column.checks
    assert check.startswith(
        "all values but one are numbers, and 10 records hold this one: if it stands for a missing value"
    )
    again = om.profile(tmp_path / "a.csv", reading=om.Reading(missing=["weiss nicht"]))["bmi"]
    assert (again.kind, again.checks) == ("numeric", ())


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("Entlassgrund", "how or when a stay began or ended"),
        ("Fallkosten", "money"),
        ("Operationsdatum", "a date"),
        ("Aufnahmegewicht", "the body"),
        ("Telefonnummer", "an address for letters, calls or messages"),
        ("peso_muestral", "a weight of the sample"),
        ("sample_weight", "a weight of the sample"),
        ("weight", "the body"),
        ("cno11", "work"),
        ("situació_laboral", "work"),
        ("antigüedad", "how long or how much somebody works"),
        ("lugar_nacimiento", "a place"),
        ("fumeur", "smoking"),
        ("estado_salud", "how somebody's health is"),
        ("exitus", "a death"),
    ],
)
def test_what_a_name_says(name: str, what: str) -> None:
    topic = topic_of(name)
    assert topic is not None
    assert topic.what == what


@pytest.mark.parametrize("name", ["Standort", "Sport", "Transport", "verdauert", "kosten_los_x", "Aufnahm"])
def test_a_part_of_a_word_alone_says_nothing_wrong(name: str) -> None:
    topic = topic_of(name)
    assert topic is None or topic.what in ("money", "the length of a stay")


@pytest.mark.parametrize(
    ("texts", "iso"),
    [
        (["31.05.2024", "01.06.2024"], ["2024-05-31", "2024-06-01"]),
        (["1.5.2024", "31.12.1999", None], ["2024-05-01", "1999-12-31", None]),
        (["31.05.2024 12:30", "01.06.2024 00:00"], ["2024-05-31", "2024-06-01"]),
    ],
)
def test_days_with_points(texts: list[str | None], iso: list[str | None]) -> None:
    times = read_dates(pl.Series(texts))
    assert times is not None
    assert times.dt.strftime("%Y-%m-%d").to_list() == iso


@pytest.mark.parametrize(
    "texts", [["31.02.2024", "01.06.2024"], ["05.31.2024"], ["31.05.24"], ["31.05.2024", "2024-06-01"], ["31/05/2024"]]
)
def test_what_is_no_day_with_points(texts: list[str]) -> None:
    assert read_dates(pl.Series(texts)) is None


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1.234,50", "812,40", "0,00", "-12.345.678,90"], [1234.5, 812.4, 0.0, -12345678.9]),
        (["1.234,50", "812,4", "7,00"], None),  # not one number of decimals
        (["1234,50", "1.234,50", "7,00"], None),  # two ways to write one number
        (["01.234,50", "812,40", "7,00"], None),
        (["1.23,50", "812,40", "7,00"], None),
        (["1.234", "2.345", "3.456"], [1.234, 2.345, 3.456]),  # points alone are decimals
    ],
)
def test_points_for_thousands(tmp_path: Path, cells: list[str], numbers: list[float] | None) -> None:
    (tmp_path / "a.csv").write_text("cost;x\n" + "".join(f"{cell};a\n" for cell in cells))
    column = om.read_table(tmp_path / "a.csv").data["cost"]
    assert column.to_list() == (cells if numbers is None else numbers)


def test_thousands_of_the_other_sort_are_asked_about() -> None:
    frame = pl.DataFrame({"cost": [f"{1000 + 7 * i:,}.50" for i in range(60)], "age": list(range(60))})
    assert "numbers that are stored as text" in om.profile(frame)["cost"].checks[0]


ROWS = [f"P{i},{20 + i % 40},{100 + i}" for i in range(30)]


@pytest.mark.parametrize(
    ("last", "told"),
    [
        ("Total,,3435", True),
        ("Summe:,39,3435", True),
        (",,3435", True),
        ("P31,33,160", False),
        ("P31,,160", False),
    ],
)
def test_a_row_of_totals_is_told(tmp_path: Path, last: str, told: bool) -> None:
    (tmp_path / "a.csv").write_text("\n".join(["patient,age,cost", *ROWS, last]) + "\n")
    notes = list(map(str, om.read_table(tmp_path / "a.csv").notes))
    assert any("the last row looks like totals" in note for note in notes) == told


def test_total_as_a_value_is_none_of_a_last_row(tmp_path: Path) -> None:
    rows = [f"{('total', 'partial')[i % 2]},{i}" for i in range(31)]
    (tmp_path / "a.csv").write_text("\n".join(["resection,age", *rows]) + "\n")
    assert om.read_table(tmp_path / "a.csv").notes == []


def test_other_sheets_are_named_where_the_first_is_no_table(tmp_path: Path) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    pytest.importorskip("fastexcel")
    book = xlsxwriter.Workbook(str(tmp_path / "a.xlsx"))
    about, stays = book.add_worksheet("Info"), book.add_worksheet("Stays")
    about.write_row(0, 0, ["Export of the department"])
    about.write_row(1, 0, ["Contact", "somebody"])
    stays.write_row(0, 0, ["age", "sex"])
    stays.write_row(1, 0, [30, "F"])
    book.close()
    with pytest.raises(OntomaskError, match=r"names no column at place 2.*there are 'Stays' as well"):
        om.read_table(tmp_path / "a.xlsx")
    with pytest.raises(OntomaskError) as named:
        om.read_table(tmp_path / "a.xlsx", sheet="Info")
    assert "as well" not in str(named.value)


def test_a_column_left_out_is_no_key_that_repeats() -> None:
    frame = pl.DataFrame(
        {"grund": ["a", "b", "c"] * 40, "person": [i // 2 for i in range(120)], "age": list(range(120))}
    )
    policy = om.Policy(
        attributes={"grund": om.Identifier(), "person": om.Identifier(), "age": om.Numeric()},
        method=om.Microaggregation(k=3),
        require=[om.KAnonymity(k=3)],
    )
    result = om.anonymize(frame, policy)
    said = [*map(str, result.notes), *map(str, result.guarantees)]
    assert not [sentence for sentence in said if "grund" in sentence and "k counts" in sentence]
    assert [sentence for sentence in said if "person" in sentence and "k counts" in sentence]


def test_a_taxonomy_that_is_none_is_named_with_those_there_are() -> None:
    frame = om.demo_data(50, seed=1)
    with pytest.raises(OntomaskError, match=r"no taxonomy 'icd9' is built in.*icd9cm"):
        om.profile(frame, taxonomies={"diagnosis": "icd9"})
    with pytest.raises(OntomaskError, match=r"no column 'agee'. Did you mean 'age'\? Check the name of the column.$"):
        om.profile(frame, roles={"agee": "quasi"})
