"""Files and policies of others: none hangs, floods or ends the process; each is one clear error."""

from __future__ import annotations

import gzip
import os
import socket
import subprocess
import sys
import textwrap
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask import errors
from ontomask.assessment.alignment import read_records
from ontomask.cli import app
from ontomask.files.yaml_files import LARGEST

SOME = "attributes: {age: {kind: numeric}}\n"
#: Seconds in which a hostile file must be refused, on a slow machine.
SOON = 60


def said(caught: pytest.ExceptionInfo[BaseException]) -> str:
    assert isinstance(caught.value, errors.OntomaskError)
    assert caught.value.remedy, "an error says what to do"
    return str(caught.value)


def python(code: str, *, limit: int | None = None, seconds: int = SOON) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, with so many bytes of memory; a hang is a failure."""
    bound = f"import resource\nresource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))\n" if limit else ""
    environment = os.environ | {"POLARS_MAX_THREADS": "2", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-c", bound + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
        env=environment,
    )


def read_with_little_memory(path: Path) -> subprocess.CompletedProcess[str]:
    """Read a file in a process that has 4 GB; what is wrong with it is printed."""
    code = f"""
    import ontomask as om
    try:
        om.read_table({str(path)!r})
    except om.errors.DataError as problem:
        print(problem)
    """
    return python(code, limit=4 << 30)


# ---- YAML -------------------------------------------------------------------------------------------------------

LAUGHS = "a: &a [x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
BAD_YAML = {
    "billion laughs": (LAUGHS, "anchors .* line 1|line 1: anchors"),
    "an alias": ("attributes: &all {age: {kind: numeric}}\n", "anchors"),
    "a merge": ("attributes: {age: {kind: numeric, <<: {role: quasi}}}\n", "merge keys"),
    "nesting": ("attributes: " + "[" * 100_000, "nested more than"),
    "nesting of blocks": ("".join(f"{' ' * at}a:\n" for at in range(300)), "nested more than"),
    "many keys": ("attributes: [" + "1," * 300_000 + "]", "more than 200,000"),
    "a large file": (SOME + "#" * LARGEST, "more than 5 MB"),
    "objects": ("attributes: !!python/object/apply:os.system [ls]\n", "not valid YAML"),
}


@pytest.mark.parametrize("case", BAD_YAML)
@pytest.mark.parametrize("load", [om.Policy.load, om.Severity.load], ids=["policy", "severity"])
def test_yaml_that_blows_up_is_refused_at_once(case: str, load: Callable[..., Any], tmp_path: Path) -> None:
    text, expected = BAD_YAML[case]
    path = tmp_path / "p.yaml"
    path.write_text(text)
    begin = time.perf_counter()
    if case == "objects" and load == om.Severity.load:
        expected = "attributes"  # there every value is the text that is written
    with pytest.raises(errors.PolicyError, match=expected) as caught:
        load(path)
    assert "p.yaml" in str(caught.value)
    assert time.perf_counter() - begin < SOON


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("method: {name: microaggregation, k: " + "9" * 5000 + "}", "line 2.*5,000 digits"),
        ("method: {name: microaggregation, k: " + "9" * 90 + "}", "too large"),
        ("method: {name: microaggregation, k: 1e400}", "not a whole number"),
        ("method: {name: microaggregation, k: .inf}", "not a whole number"),
        ("method: {name: microaggregation, k: .nan}", "not a whole number"),
        ("method: {name: microaggregation, k: 010}", "not a whole number"),
        ("method: {name: microaggregation, k: 12:30:45}", "not a whole number"),
        ("method: {name: microaggregation, k: 0x10}", "not a whole number"),
        ("method: {name: microaggregation, k: 1_000}", "not a whole number"),
        ("unlisted: 2024-02-31", "line 2.*is not a date or number"),
    ],
)
def test_odd_numbers_in_yaml(text: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(SOME + text + "\n")
    with pytest.raises(errors.PolicyError, match=expected):
        om.Policy.load(path)


def test_times_and_codes_in_yaml_are_the_text_they_are(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(
        "attributes: {at: {kind: ordinal, order: [08:00, 12:30, 010, 1_0]}, b: {kind: numeric, weight: 1.0e-1}}\n"
    )
    policy = om.Policy.load(path)
    assert policy.attributes["at"].order == ["08:00", "12:30", "010", "1_0"]
    assert policy.attributes["b"].weight == 0.1
    policy.save(tmp_path / "again.yaml")
    assert om.Policy.load(tmp_path / "again.yaml") == policy


# ---- regular files only -----------------------------------------------------------------------------------------


def generalized(path: Path) -> om.Result:
    method = om.Generalization(hierarchies={"x": om.LevelsFile(path=str(path))})
    policy = om.Policy(attributes={"x": om.Flat()}, method=method, require=[om.KAnonymity(k=2)])
    return om.anonymize(pl.DataFrame({"x": ["a", "b"]}), policy)


READERS: dict[str, Callable[[Path], Any]] = {
    "data.csv": om.read_table,
    "data.csv.gz": om.read_table,
    "data.parquet": om.read_table,
    "data.xlsx": om.read_table,
    "data.sav": om.read_table,
    "profile.csv": om.profile,
    "profile.parquet": om.profile,
    "records.csv": read_records,
    "policy.yaml": om.Policy.load,
    "severity.yaml": om.Severity.load,
    "taxonomy.csv": om.read_taxonomy,
    "taxonomy.obo": om.read_taxonomy,
    "taxonomy.owl": om.read_taxonomy,
    "mapping.csv": lambda path: om.match(["x"], om.load_taxonomy("icd9cm"), mapping=str(path)),
    "levels.csv": generalized,
}


def pipe(path: Path) -> None:
    os.mkfifo(path)


def zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def listening(path: Path) -> None:
    server = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(path.parent)  # names of sockets are short
    try:
        server.bind(path.name)
    finally:
        os.chdir(here)
    server.close()


def kernel(path: Path) -> None:
    path.symlink_to("/proc/kmsg")


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("make", [pipe, zeros, listening, kernel])
def test_only_regular_files_are_read(name: str, make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / name)
    begin = time.perf_counter()
    with pytest.raises(errors.OntomaskError) as caught:
        READERS[name](tmp_path / name)
    assert time.perf_counter() - begin < SOON
    if make is not kernel:
        assert "not a file" in said(caught)


# ---- what unpacks to too much -----------------------------------------------------------------------------------

SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="xml" '
    'ContentType="application/xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets><sheet name="data" sheetId="1" '
    'r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}
TABLE = (
    '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="B1" t="inlineStr"><is><t>b</t></is></c></row>'
    '<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c></row>'
)


def workbook(path: Path, rows: str, before: str = "", prologue: str = "") -> Path:
    sheet = f'{prologue}<worksheet xmlns="{SHEET}">{before}<sheetData>{rows}</sheetData></worksheet>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in PARTS.items():
            archive.writestr(name, text)
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
    return path


FAR = {
    "a cell": '<row r="1048576"><c r="XFD1048576"><v>2</v></c></row>',
    "a cell beyond": '<row r="4294967295"><c r="XFD4294967295"><v>2</v></c></row>',
    "no row": '<row><c r="XFD1048576"><v>2</v></c></row>',
    "no place": '<row r="1048576">' + "<c/>" * 16383 + "<c><v>2</v></c></row>",
    "another order": '<row r="1048576"><c t="n" r="XFD1048576"><v>2</v></c></row>',
    "other quotes": "<row r='1048576'><c r='XFD1048576'><v>2</v></c></row>",
}


@pytest.mark.parametrize("case", FAR)
def test_a_stray_cell_far_away_does_not_ask_for_all_memory(case: str, tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", TABLE + FAR[case])
    done = read_with_little_memory(path)
    assert "column 16,384" in done.stdout, done.stderr[-500:]
    assert done.stdout.count("\n") == 1


def test_sheets_that_only_claim_to_be_large_are_read(tmp_path: Path) -> None:
    declared = workbook(tmp_path / "t.xlsx", TABLE, '<dimension ref="A1:XFD1048576"/>')
    assert om.read_table(declared).data.rows() == [(1, 2)]
    styled = workbook(tmp_path / "s.xlsx", TABLE + '<row r="1048576"><c r="XFD1048576" s="1"/></row>')
    assert om.read_table(styled).data.rows() == [(1, 2)]


def test_a_workbook_with_a_document_type_or_a_bomb_is_refused(tmp_path: Path) -> None:
    doctype = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]>'
    far = FAR["no place"]
    with pytest.raises(errors.DataError, match="not an Excel workbook"):
        om.read_table(workbook(tmp_path / "t.xlsx", TABLE + far, prologue=doctype))
    bomb = workbook(tmp_path / "b.xlsx", TABLE + " " * 150_000_000)
    assert bomb.stat().st_size < 1_000_000
    with pytest.raises(errors.DataError, match="250 times its size") as caught:
        om.read_table(bomb)
    said(caught)


def test_packed_tables_that_unpack_to_too_much_are_refused(tmp_path: Path) -> None:
    packed = gzip.compress(b"child,parent\n" + b"a,b\n" * 60_000_000)  # 240 MB
    (tmp_path / "t.csv.gz").write_bytes(packed)
    terms = b"format-version: 1.2\n\n" + b"[Term]\nid: a\n\n" * 15_000_000
    (tmp_path / "u.obo.gz").write_bytes(gzip.compress(terms))
    code = f"""
    import ontomask as om
    for read, name in ((om.read_table, "t.csv.gz"), (om.read_taxonomy, "t.csv.gz"), (om.read_taxonomy, "u.obo.gz")):
        try:
            read({str(tmp_path)!r} + "/" + name)
        except om.errors.OntomaskError as problem:
            print(problem)
    """
    done = python(code, limit=3 << 30)
    assert done.stdout.count("250 times its size") == 3, done.stdout + done.stderr[-500:]


def test_a_parquet_file_of_a_few_bytes_and_very_many_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    chunk = pa.table({name: pa.array([7] * 1_000_000) for name in "abc"})
    with pq.ParquetWriter(path, chunk.schema) as writer:
        for _ in range(150):
            writer.write_table(chunk)
    assert path.stat().st_size < 3_000_000
    code = f"""
    import sys
    from ontomask.cli import main
    sys.argv = ["ontomask", "check", {str(tmp_path / "p.yaml")!r}, {str(path)!r}]
    main()
    """
    (tmp_path / "p.yaml").write_text("attributes: {a: {kind: numeric}, b: {kind: numeric}, c: {kind: numeric}}\n")
    done = python(code, limit=3 << 30)
    assert done.returncode == 2, done.stderr[-500:]
    assert "150,000,000 rows need at least 3.6 GB, and less memory is free" in done.stderr
    assert done.stderr.count("\n") == 1


# ---- low memory -------------------------------------------------------------------------------------------------


def test_low_memory_ends_in_one_sentence(tmp_path: Path) -> None:
    code = """
    import sys
    import numpy as np
    from ontomask.cli import check, main
    import ontomask.release.check
    def greedy(*_, **__):
        return np.ones(10**11)
    ontomask.release.check.check = greedy
    sys.argv = ["ontomask", "check", "p.yaml", "t.csv"]
    main()
    """
    (tmp_path / "p.yaml").write_text(SOME)
    done = python(f"import os\nos.chdir({str(tmp_path)!r})\n" + textwrap.dedent(code), limit=3 << 30)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "not enough memory" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_csv_that_cannot_fit_is_told_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    with path.open("wb") as stream:
        stream.write(b"a,b\n")
        stream.truncate(3 << 30)  # no room is taken on the disk
    done = read_with_little_memory(path)
    assert "less memory is free" in done.stdout, done.stderr[-500:]


def test_a_panic_of_a_library_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import ontomask.cli

    class PanicException(BaseException):
        pass

    for text, expected in (("capacity overflow", "not enough memory"), ("index out of bounds", "a library failed")):

        def panic(*_: Any, text: str = text, **__: Any) -> None:
            raise PanicException(text)

        monkeypatch.setattr(ontomask.cli, "app", panic)
        with pytest.raises(SystemExit) as ended:
            ontomask.cli.main()
        assert ended.value.code == 2
        assert expected in capsys.readouterr().err


# ---- forked processes -------------------------------------------------------------------------------------------

FORKED = """
import multiprocessing
import polars as pl
import ontomask as om
from ontomask.microdata.frames import NativeFrame

def work(queue):
    try:
        queue.put(str(NativeFrame.of(pl.DataFrame({{"a": ["x", "y"] * 1000}})).data["a"].n_unique()))
    except om.errors.OntomaskError as problem:
        queue.put(str(problem))

context = multiprocessing.get_context("fork")
queue = context.Queue()
{before}
process = context.Process(target=work, args=(queue,))
process.start()
print(queue.get(timeout=30))
process.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_does_not_wait_for_ever() -> None:
    used = "pl.DataFrame({'a': list(range(100_000)) * 2}).group_by('a').len()"
    done = python(FORKED.format(before=used))
    assert "multiprocessing.get_context('spawn')" in done.stdout, done.stderr
    unused = python(FORKED.format(before=""))
    assert unused.stdout.strip() == "2", unused.stdout + unused.stderr
    again = (
        used
        + "\nimport os\nif os.fork() == 0:\n    os._exit(0)\nos.wait()\nprint(NativeFrame.of(pl.DataFrame({'a': [1]})).kind)"
    )
    assert python(FORKED.format(before=again)).stdout.startswith("polars\n")  # the parent goes on


# ---- odd tables -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a,b\n" + b"1,x\n" * 50_000 + b"1,\x00y\n", "line 50002: the file holds zero bytes"),
        ("a,b\n1,\x00\n".encode("utf-16"), "line 2: the file holds zero bytes"),
        (b"a," + b"n" * 20_000 + b"\n1,2\n", "a column name has 20,000 characters"),
        (b"a," + b"n" * 1_000_000 + b"\n1,2\n", "a cell is too long"),
        (b"," * 5_000_000, "no line end"),
        (b'a,b\n"' + b"x" * 10_000_000 + b'",1\n5" y,2\n', "no cell may have more than 131,072 characters"),
    ],
)
def test_odd_csv_files_are_one_clear_error(content: bytes, expected: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(errors.DataError, match=expected) as caught:
        om.read_table(tmp_path / "t.csv")
    assert len(said(caught)) < 500


def test_a_cell_of_ten_million_characters(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"x,y\n" + b"x" * 10_000_000 + b",1\na,2\nb,3\nb,4\n")
    begin = time.perf_counter()
    policy = om.Policy(attributes={"x": om.Flat(), "y": om.Numeric()}, method=om.Microaggregation(k=2))
    assert om.anonymize(tmp_path / "t.csv", policy).verification.holds
    nominal = policy.changed(attributes={"x": om.Nominal("icd9cm"), "y": om.Numeric()})
    with pytest.raises(errors.UnmatchedValuesError) as caught:
        om.anonymize(tmp_path / "t.csv", nominal)
    assert len(str(caught.value)) < 5000
    assert time.perf_counter() - begin < 4 * SOON


def test_thousands_of_columns_take_reasonable_time(tmp_path: Path) -> None:
    names = [f"c{at}" for at in range(3000)]
    frame = pl.DataFrame({name: [1, 2, 3, 4] for name in names})
    roles = {name: om.Numeric(role="quasi" if at < 3 else "other") for at, name in enumerate(names)}
    policy = om.Policy(attributes=roles, method=om.Microaggregation(k=2))
    begin = time.perf_counter()
    assert om.anonymize(frame, policy).verification.holds
    assert time.perf_counter() - begin < SOON


def test_long_names_do_not_flood_messages(tmp_path: Path) -> None:
    with pytest.raises(errors.DataError, match="1,000,000 characters") as caught:
        om.check(pl.DataFrame({"n" * 1_000_000: [1]}), om.Policy(attributes={"a": om.Numeric()}))
    assert len(str(caught.value)) < 500
    (tmp_path / "p.yaml").write_text("attributes:\n  ? " + "a" * 100_000 + "\n  : {kind: numeric, rol: 3}\n")
    with pytest.raises(errors.PolicyError, match="unknown key") as wrong:
        om.Policy.load(tmp_path / "p.yaml")
    assert len(str(wrong.value)) < 1000


def test_names_of_a_file_give_no_orders_to_a_terminal(tmp_path: Path) -> None:
    data = tmp_path / "t.csv"
    data.write_text('"a\x1b[31m","b\nc",d\n1,2,3\n2,3,4\n3,4,5\n')
    names = '"a\\e[31m": {kind: numeric}, "b\\nc": {kind: numeric}, d: {kind: identifier}'
    (tmp_path / "p.yaml").write_text(f"attributes: {{{names}}}\n")
    done = CliRunner().invoke(app, ["check", str(tmp_path / "p.yaml"), str(data)])
    assert done.exit_code == 0, done.output
    assert "\x1b" not in done.output
    assert "a\\x1b[31m" in done.output
    assert "b\\nc" in done.output
