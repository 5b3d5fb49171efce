"""What the user knows of a file: missing markers, sheet, encoding, delimiter, decimal sign, text columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xlsxwriter
from typer.testing import CliRunner

import ontomask as om
from ontomask import errors
from ontomask.cli import app
from ontomask.microdata.frames import NativeFrame
from ontomask.microdata.reading import read_table
from ontomask.policy.policy_file import policy_text


def book(path: Path, sheets: dict[str, list[list[Any]]]) -> Path:
    made = xlsxwriter.Workbook(str(path))
    for name, rows in sheets.items():
        sheet = made.add_worksheet(name)
        for at, row in enumerate(rows):
            sheet.write_row(at, 0, row)
    made.close()
    return path


def policy(**more: Any) -> om.Policy:
    return om.Policy(
        attributes={"age": om.Numeric(missing="category"), "job": om.Flat(missing="category")},
        method=om.Microaggregation(k=2),
        **more,
    )


# ---- the settings -----------------------------------------------------------------------------------------------


def test_the_policy_file_keeps_them_with_a_comment_on_each(tmp_path: Path) -> None:
    reading = om.Reading(missing=["NA", "?"], delimiter="tab", encoding="cp1252", decimal=",", sheet=2, text=["zip"])
    made = policy(reading=reading)
    text = policy_text(made)
    assert "reading:\n" in text
    for name in ("missing", "delimiter", "encoding", "decimal", "sheet", "text"):
        line = next(line for line in text.splitlines() if line.startswith(f"  {name}: "))
        assert "  # " in line
    made.save(tmp_path / "p.yaml")
    assert om.Policy.load(tmp_path / "p.yaml") == made
    assert "reading" not in policy_text(policy())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"delimiter": ";;"}, "one character"),
        ({"delimiter": "\n"}, "one character"),
        ({"encoding": "utf-nine"}, "unknown encoding"),
        ({"encoding": "zlib"}, "unknown encoding"),
        ({"decimal": "'"}, "is not one of"),
        ({"sheet": 0}, "number from 1"),
        ({"missing": [None]}, "in quotes"),
        ({"missing": [True]}, "in quotes"),
        ({"seperator": ";"}, "unknown key"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(errors.PolicyError, match=said):
        om.Reading(**options)


def test_a_number_in_yaml_may_be_a_marker(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("attributes: {age: {kind: numeric}}\nreading: {missing: [999, -9]}\n")
    assert om.Policy.load(tmp_path / "p.yaml").reading.missing == ["999", "-9"]


# ---- missing markers --------------------------------------------------------------------------------------------

ROWS = [["age", "job"], [30, "nurse"], ["?", " ? "], [32, "pilot"], [999, "nurse"]]
AGES, JOBS = [30, None, 32, None], ["nurse", None, "pilot", "nurse"]


def test_markers_become_missing_in_every_format(tmp_path: Path) -> None:
    csv = tmp_path / "t.csv"
    csv.write_text("\n".join(",".join(map(str, row)) for row in ROWS))
    excel = book(tmp_path / "t.xlsx", {"data": ROWS})
    for path in (csv, excel):
        table = read_table(path, missing=["?", "999"])
        assert table.data.to_dict(as_series=False) == {"age": AGES, "job": JOBS}, path
        assert "missing markers: 2 cells of 'age', 1 cell of 'job' became missing" in map(str, table.notes)
    frame = pl.DataFrame({"age": [30, None, 32, 999], "job": ["nurse", " ?", "pilot", "nurse"]})
    for name in ("t.parquet", "t.sav", "t.dta"):
        om.write_table(frame, tmp_path / name)
        table = read_table(tmp_path / name, missing=["?", "999"])
        assert table.data.to_dict(as_series=False) == {"age": AGES, "job": JOBS}, name


def test_markers_become_missing_in_every_frame() -> None:
    values = {"age": [30.0, 999.0, 32.0, 31.0], "job": ["nurse", "NA ", "pilot", "nurse"]}
    for frame in (pl.DataFrame(values), pd.DataFrame(values), pa.table(values)):
        taken = NativeFrame.of(frame, missing=["NA", "999"])
        assert taken.data["age"].to_list() == [30.0, None, 32.0, 31.0]
        assert taken.data["job"].to_list() == ["nurse", None, "pilot", "nurse"]
        assert list(map(str, taken.notes)) == ["missing markers: 1 cell of 'age', 1 cell of 'job' became missing"]
        result = om.anonymize(frame, policy(reading=om.Reading(missing=["NA", "999"])))
        assert type(result.data) is type(frame)
        assert any("missing markers" in note for note in map(str, result.notes))
        assert "NA " not in str(result.data)


def test_a_marker_leaves_the_list_of_categories_too() -> None:
    levels = ["low", "?", "high"]
    values = ["low", "?", "high", "low"]
    ordered = pd.DataFrame({"pain": pd.Categorical(values, categories=levels, ordered=True)})
    dictionary = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 0]), pa.array(levels), ordered=True)
    frames = (ordered, pl.DataFrame({"pain": pl.Series(values, dtype=pl.Enum(levels))}), pa.table({"pain": dictionary}))
    for frame in frames:
        taken = NativeFrame.of(frame, missing=["?"])
        assert taken.orders() == {"pain": ["low", "high"]}
        assert taken.data["pain"].to_list() == ["low", None, "high", "low"]


def test_the_original_frame_is_not_changed() -> None:
    frame = pl.DataFrame({"job": ["NA", "x"]})
    NativeFrame.of(frame, missing=["NA"])
    assert frame["job"].to_list() == ["NA", "x"]


# ---- reading with a policy --------------------------------------------------------------------------------------

TEXT = "age;zip;job\n30,5;01;früh\nNA;02;früh\n32,5;1;élu\n31,0;2;élu\n"


def german(tmp_path: Path, **more: Any) -> tuple[om.Policy, Path]:
    path = tmp_path / "t.csv"
    path.write_bytes(TEXT.encode("cp850"))
    reading = om.Reading(missing=["NA"], delimiter=";", encoding="cp850", decimal=",", text=["zip"])
    made = om.Policy(
        attributes={
            "age": om.Numeric(missing="category"),
            "zip": om.Flat(role="sensitive"),
            "job": om.Flat(),
        },
        method=om.Microaggregation(k=2),
        reading=reading,
        **more,
    )
    return made, path


def test_a_run_reads_the_file_as_the_policy_says_and_a_release_by_itself(tmp_path: Path) -> None:
    made, path = german(tmp_path)
    result = om.anonymize(path, made)
    assert result.prepared.data["age"].to_list() == [30.5, None, 32.5, 31.0]
    assert result.prepared.data["zip"].to_list() == ["01", "02", "1", "2"]
    assert set(result.prepared.data["job"]) == {"früh", "élu"}
    written = result.write(tmp_path / "release.csv")  # UTF-8, commas
    assert om.verify(written, made).holds
    found = om.assess(path, written, made)
    assert found.readings
    assert om.disclosure_risk(path, made).records == 4


def test_verify_takes_reading_options_for_the_release(tmp_path: Path) -> None:
    made, path = german(tmp_path)
    release = tmp_path / "elsewhere.csv"
    release.write_bytes("age|job|zip\n30|früh|1\n30|früh|2\n32|élu|1\n32|élu|2\n".encode("cp850"))
    with pytest.raises(errors.DataError, match="encoding"):
        om.verify(release, made)
    assert om.verify(release, made, reading=om.Reading(encoding="cp850", delimiter="|")).holds
    assert om.verify(release, made, original=path, reading=om.Reading(encoding="cp850")).holds


def test_an_option_of_another_format_is_noted(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [30, 31, 40, 41], "job": ["a", "a", "b", "b"]})
    path = om.write_table(frame, tmp_path / "t.parquet")
    result = om.anonymize(path, policy(reading=om.Reading(delimiter=";", sheet="data", missing=["NA"])))
    assert "reading options that this format does not use: delimiter, sheet" in map(str, result.notes)


def test_a_text_column_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("age,job\n1,a\n2,a\n")
    with pytest.raises(errors.DataError, match="no column 'jib' to read as text.*Did you mean 'job'"):
        om.anonymize(path, policy(reading=om.Reading(text=["jib"])))


def test_whole_numbers_of_excel_become_text_where_the_policy_says_so(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", {"data": [["age", "job"], [1, 7], [2, 7], [3, 8], [4, 8]]})
    result = om.anonymize(path, policy(reading=om.Reading(text=["job"])))
    assert result.prepared.data["job"].to_list() == ["7", "7", "8", "8"]
    assert any("taken as text" in note for note in map(str, result.notes))


def test_policies_that_read_differently_are_not_compared(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [30, 31, 40, 41], "job": ["a", "a", "b", "b"]})
    ways = {"one": policy(), "two": policy(reading=om.Reading(missing=["a"]))}
    with pytest.raises(errors.PolicyError, match="read the data differently"):
        om.compare(frame, ways)


def test_a_profile_reads_as_it_is_told_and_its_policy_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("age|city\n" + "".join(f"{20 + i % 7}|Ulm\n?|Bonn\n" for i in range(20)))
    found = om.profile(path, reading=om.Reading(missing=["?"]))
    assert found["age"].missing == 20
    assert found["age"].kind == "numeric"
    assert found.policy(k=2).reading == om.Reading(missing=["?"])
    frame = read_table(path).data
    om.write_table(frame, tmp_path / "t.parquet")
    assert om.profile(tmp_path / "t.parquet", reading=om.Reading(missing=["?"]))["age"].missing == 20
    assert om.profile(frame, reading=om.Reading(missing=["?"]))["age"].missing == 20


# ---- sheets -----------------------------------------------------------------------------------------------------


def test_sheets_are_named(tmp_path: Path) -> None:
    one, two = [["age", "job"], [1, "a"], [2, "b"]], [["code", "meaning"], ["a", "nurse"]]
    path = book(tmp_path / "t.xlsx", {"data": one, "codes": two, "2021": two})
    table = read_table(path)
    assert table.sheet == "data"
    assert "read from the sheet 'data'; not read: 'codes', '2021'" in map(str, table.notes)
    for name, sheet in (("codes", "codes"), (2, "codes"), ("2", "codes"), ("2021", "2021"), (2021, "2021")):
        assert read_table(path, sheet=name).sheet == sheet
    with pytest.raises(errors.DataError, match="no sheet 'Data'.*'data', 'codes', '2021'"):
        read_table(path, sheet="Data")


def test_records_spread_over_sheets_are_not_passed_over(tmp_path: Path) -> None:
    rows = [["age", "job"], [1, "a"], [2, "b"]]
    path = book(tmp_path / "t.xlsx", {"2020": rows, "2021": rows, "empty": []})
    with pytest.raises(errors.DataError, match="the sheets '2020' and '2021' have the same columns") as caught:
        read_table(path)
    assert "--sheet" in str(caught.value)
    assert read_table(path, sheet="2021").data.height == 2


# ---- encodings --------------------------------------------------------------------------------------------------


def test_mixed_encodings_are_an_error_with_a_line(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    plain = b"Ulm,1\n" * 200_000  # more than a MB before the first letter that tells
    cases = {
        "one": b"city,x\nK\xc3\xb6ln,1\n" + plain + b"K\xf6ln,1\n",
        "two": b"city,x\n" + plain + b"K\xf6ln,1\n" + plain + b"K\xc3\xb6ln,1\n",
        "three": b"city,x\nUlm,2\nK\xc3\xb6ln and M\xfcnchen,1\n",
    }
    lines = {"one": ("2", "200003"), "two": ("400003", "200002"), "three": ("3", "3")}
    for name, data in cases.items():
        path.write_bytes(data)
        utf8, other = lines[name]
        with pytest.raises(errors.DataError, match=f"line {utf8} holds UTF-8, line {other} does not") as caught:
            read_table(path)
        assert "encoding" in str(caught.value)
    assert read_table(path, encoding="cp1252").data.height == 2


def test_one_encoding_late_in_the_file_is_found(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"city,x\n" + b"Ulm,1\n" * 200_000 + b"K\xf6ln,1\n")
    table = read_table(path)
    assert table.encoding == "cp1252"
    assert table.data["city"][-1] == "Köln"


# ---- columns that nobody reads ----------------------------------------------------------------------------------


def nested_frames() -> list[Any]:
    lists = [[1], [2, 3], [], [4]]
    frame = pl.DataFrame({"age": [30, 31, 40, 41], "job": ["a", "a", "b", "b"], "tags": lists})
    mixed = pd.DataFrame({"age": [30, 31, 40, 41], "job": ["a", "a", "b", "b"], "tags": [1, "1", [2], {3}]})
    objects = frame.with_columns(pl.Series("tags", [object()] * 4, dtype=pl.Object))
    return [frame, frame.with_columns(tags=pl.struct("age")), objects, frame.to_arrow(), frame.to_pandas(), mixed]


@pytest.mark.parametrize("place", range(6))
def test_columns_that_the_policy_drops_may_hold_anything(place: int, tmp_path: Path) -> None:
    frame = nested_frames()[place]
    with_name = policy().changed(attributes={**policy().attributes, "tags": om.Identifier()})
    for made in (policy(unlisted="drop"), with_name):
        result = om.anonymize(frame, made)
        assert list(getattr(result.data, "column_names", None) or result.data.columns) == ["age", "job"]
        assert result.verification.holds
    assert not om.verify(frame, with_name).holds  # the identifier is still there
    with pytest.raises(errors.DataError, match="column 'tags'"):
        om.anonymize(frame, policy(unlisted="other"))


def test_a_file_with_a_nested_column_that_is_dropped(tmp_path: Path) -> None:
    nested_frames()[0].write_parquet(tmp_path / "t.parquet")
    assert om.anonymize(tmp_path / "t.parquet", policy(unlisted="drop")).verification.holds


# ---- on the command line ----------------------------------------------------------------------------------------


def command(*words: object) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_options_of_the_command_line_come_before_those_of_the_policy(tmp_path: Path) -> None:
    made, path = german(tmp_path)
    plain = made.changed(reading=om.Reading(delimiter="|")).save(tmp_path / "p.yaml")
    options = ["--missing", "NA", "--delimiter", ";", "--encoding", "cp850", "--decimal", ",", "--text", "zip"]
    done = command("check", plain, path, *options)
    assert done.exit_code == 0, done.output
    assert 'delimiter ";", encoding cp850, decimal comma' in done.output
    done = command("run", plain, path, "-o", tmp_path / "out", "--no-report", *options)
    assert done.exit_code == 0, done.output
    kept = om.Policy.load(tmp_path / "out" / "confidential" / "policy.yaml")
    assert kept.reading == made.reading
    release = tmp_path / "out" / "release" / "release.csv"
    assert command("verify", tmp_path / "out" / "confidential" / "policy.yaml", release).exit_code == 0
    assert command("verify", plain, release, "--encoding", "utf-8").exit_code == 0
    done = command("assess", plain, path, release, *options)
    assert done.exit_code == 0, done.output
    done = command("compare", plain, path, "--k", "2", "--workers", "1", *options)
    assert done.exit_code == 0, done.output


def test_init_keeps_what_it_is_given(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("age;zip;city\n" + "".join(f"{20 + i % 7};{i % 3};Ulm\n?;7;Bonn\n" for i in range(20)))
    done = command("init", path, "-o", tmp_path / "p.yaml", "--missing", "?", "--delimiter", ";", "--text", "zip")
    assert done.exit_code == 0, done.output
    made = om.Policy.load(tmp_path / "p.yaml")
    assert made.reading == om.Reading(missing=["?"], delimiter=";", text=["zip"])
    assert command("check", tmp_path / "p.yaml", path).exit_code == 0


def test_an_option_that_says_nothing_for_the_file_is_a_slip(tmp_path: Path) -> None:
    made, path = german(tmp_path)
    made.save(tmp_path / "p.yaml")
    done = command("check", tmp_path / "p.yaml", path, "--sheet", "2")
    assert isinstance(done.exception, errors.OptionError)
    assert "--sheet has no effect on t.csv" in str(done.exception)
