"""Small files that stand for very much: each is refused with one message, and nothing of it is left."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
import xlsxwriter

from ontomask.app import upload_check, uploads, worker
from ontomask.app.jobs import Queue
from ontomask.app.projects import Project
from ontomask.app.workspace import Workspace
from ontomask.errors import DataError, OptionError
from ontomask.files.source import Source
from ontomask.microdata.excel_files import read_excel
from ontomask.microdata.formats import FORMATS
from ontomask.microdata.parquet_files import parquet_texts
from ontomask.microdata.workbook_size import require_reasonable_workbook
from ontomask.taxonomy.readers import FORMATS as READERS
from ontomask.taxonomy.readers import SUFFIXES, detected_format

BOMB = "it unpacks to more than 250 times its size"
MEMORY = "takes more memory than is plausible"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Workspace.open(tmp_path / "projects").create()


def parquet(column: Any, **options: object) -> bytes:
    made = io.BytesIO()
    pq.write_table(pa.table({"t": column}), made, compression="zstd", **options)
    return made.getvalue()


def sheet_of_blanks() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            for _ in range(30):
                sheet.write(b" " * (4 << 20))
    return made.getvalue()


def workbook(texts: list[str], cells: list[int]) -> bytes:
    """A sheet of one column whose cells name shared texts by their number; a text is longer than Excel's own would be."""
    made = io.BytesIO()
    with xlsxwriter.Workbook(made, {"in_memory": True}) as book:
        sheet = book.add_worksheet()
        for row, text in enumerate(cells):
            sheet.write_string(row, 0, texts[text])
    return made.getvalue()


def apart(packed: bytes) -> bytes:
    """The workbook with blanks around the signs between names and values of attributes."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(packed)) as book, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in book.namelist():
            archive.writestr(name, book.read(name).replace(b' t="s"', b' t = "s"'))
    return made.getvalue()


def stat(suffix: str, frame: pl.DataFrame, folder: Path) -> bytes:
    file = folder / f"made.{suffix}"
    if suffix == "dta":
        pyreadstat.write_dta(frame, str(file), version=14)
    else:
        pyreadstat.write_sav(frame, str(file), compress=True)
    return file.read_bytes()


BOMBS: dict[str, Callable[[Path], bytes]] = {
    "rows.parquet": lambda _: parquet(["a"] * 10_000_000),
    "dictionary.parquet": lambda _: parquet(["x" * 1_000_000] * 150),
    "list.parquet": lambda _: parquet([["x" * 100_000] * 10] * 120),
    "map.parquet": lambda _: parquet(pa.array([[("k", "x" * 1_000_000)]] * 150, pa.map_(pa.string(), pa.string()))),
    "json.parquet": lambda _: parquet(pa.array(['"' + "x" * 1_000_000 + '"'] * 150, pa.json_())),
    "blanks.xlsx": lambda _: sheet_of_blanks(),
    "shared.xlsx": lambda _: workbook(["head", "x" * 30_000], [0] + [1] * 20_000),
    "apart.xlsx": lambda _: apart(workbook(["head", "x" * 30_000], [0] + [1] * 20_000)),
    "zeros.zsav": lambda folder: stat(
        "zsav", pl.DataFrame({f"c{i}": pl.zeros(700_000, eager=True) for i in range(20)}), folder
    ),
    "long.dta": lambda folder: stat("dta", pl.DataFrame({"t": ["x" * 300_000] * 400}), folder),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_and_leaves_nothing(project: Project, tmp_path: Path, name: str) -> None:
    packed = BOMBS[name](tmp_path)
    assert len(packed) < 700_000
    with pytest.raises(DataError, match=f"^{name}: {BOMB}.* Is it the right file"):
        project.receive_data(name, [packed])
    assert {path.name for path in project.folder.iterdir()} <= {"project.json", "lock"}


#: The look, with so little memory for the reader that a small bomb is a large one.
LOOK = "import sys; from ontomask.app import upload_check as u; u.READER = 60 << 20; sys.exit(u.main(sys.argv[1:]))"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux limits the memory of a process")
def test_a_page_that_unpacks_to_very_much_ends_the_look_and_not_the_app(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long text that stands a hundred times in one packed page: it must be unpacked as a whole before it is counted."""
    monkeypatch.setattr(uploads, "own_process", lambda _, *given: [sys.executable, "-c", LOOK, *given])
    packed = parquet(["x" * 3_000_000] * 100, use_dictionary=False)
    with pytest.raises(DataError, match=f"^page.parquet: to read it as Parquet {MEMORY}.* Is it the right file"):
        project.receive_data("page.parquet", [packed])
    assert {path.name for path in project.folder.iterdir()} <= {"project.json", "lock"}


def test_texts_of_a_parquet_file_are_counted_as_often_as_they_stand_there(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "text": ["ab", None, "ab", "é"],
            "few": pl.Series(["xyz", "xyz", None, "q"], dtype=pl.Categorical),
            "lists": [["a", "bc"], [], None, ["d"]],
            "numbers": [[1, 2], [3], None, []],
            "parts": [{"name": "abc", "at": 1}] * 4,
            "raw": [b"12", b"", None, b"3"],
            "plain": [1, 2, 3, 4],
        },
    )
    expected = {"text": 6, "few": 7, "lists": 3 * 16 + 4, "numbers": 3 * 8, "parts": 4 * 3, "raw": 3, "plain": 0}
    for name, size in expected.items():
        frame.select(name).write_parquet(tmp_path / "one.parquet")
        found = parquet_texts(tmp_path / "one.parquet")
        assert size <= found <= size + 4 * 9, name
    assert parquet_texts(tmp_path / "one.parquet") == 0


def test_shared_texts_of_a_plausible_workbook_are_no_bomb(tmp_path: Path) -> None:
    """One long text among two hundred thousand short cells: what counts is what stands in the cells."""
    file = tmp_path / "book.xlsx"
    file.write_bytes(workbook(["head", "x" * 30_000, "y"], [0, 1] + [2] * 100_000))
    require_reasonable_workbook(file)
    assert read_excel(file, sheet=None).data.height == 100_001


def test_lists_of_gzip_that_unpack_to_very_much_are_refused_when_they_are_read(project: Project) -> None:
    from ontomask.microdata.reading import read_table

    packed = gzip.compress(b"a,b\n") + gzip.compress(b"1,2\n" * (1 << 20)) * 30
    project.receive_data("bomb.csv.gz", [packed])
    with pytest.raises(DataError, match=f"bomb.csv.gz|{BOMB}"):
        read_table(project.data)


def test_a_parquet_file_that_memory_cannot_hold_open_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.parquet"
    pl.DataFrame({"a": range(1000), "b": ["x"] * 1000}).write_parquet(file)
    needed = 1000 * (8 + 16 + 1 + 2 * upload_check.OPENED)
    monkeypatch.setattr(upload_check, "free_memory", lambda: needed)
    upload_check.require_reasonable_parquet(file)
    monkeypatch.setattr(upload_check, "free_memory", lambda: needed - 1)
    with pytest.raises(DataError, match="1,000 rows of 2 columns need about .* less memory is free"):
        upload_check.require_reasonable_parquet(file)


# ---- the limit of memory ---------------------------------------------------------------------------------------------

LIMITED = """
from ontomask.app.memory_limit import limit_memory
limit_memory(300 << 20)
small = bytearray(100 << 20)
try:
    bytearray(400 << 20)
except MemoryError:
    print("refused")
limit_memory(900 << 20)
print(len(bytearray(400 << 20)) >> 20)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux limits the memory of a process")
def test_a_process_takes_no_more_memory_than_it_may() -> None:
    ended = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["refused", "400"]


def test_the_worker_limits_itself_before_it_opens_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening may take what a plausible file of its size takes, other jobs what is free."""
    workspace = Workspace.open(tmp_path / "projects")
    made = workspace.create()
    made.receive_data("a.csv", [b"age,sex\n" + b"30,f\n41,m\n" * 20])
    monkeypatch.setattr(workspace.queue, "tend", lambda: None)
    limits: list[int] = []
    monkeypatch.setattr(worker, "limit_memory", limits.append)
    monkeypatch.setattr(worker, "free_memory", lambda: 1 << 40)

    class Nobody(worker.Watch):
        def __init__(self) -> None:
            self.asked = False

        def begin(self, job: object) -> None: ...
        def end(self) -> None: ...

    queue = Queue(workspace.folder)
    for kind in ("open", "check"):
        job = workspace.queue.start(made, kind)
        worker.serve(queue, Nobody(), idle=0.2)
        assert workspace.queue.job(made, job.id).state == "done"
    assert limits == [worker.OPENING + made.data.stat().st_size * worker.UNPACKED, (1 << 40) + worker.RESERVED]


def test_every_format_that_is_not_text_is_looked_at(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = {row.name for row in FORMATS.values() if row.suffixes and not row.text}
    assert packed == set(upload_check.LOOKS) == set(uploads._BEGINNINGS)
    assert {".pq", ".csv", ".gz"} <= set(uploads.data_suffixes())
    assert set(uploads.data_suffixes()) == {".gz", *(suffix for row in FORMATS.values() for suffix in row.suffixes)}
    row = replace(FORMATS["parquet"], name="toy", title="Toy", suffixes=(".toy",))
    monkeypatch.setitem(FORMATS, "toy", row)
    assert ".toy" in uploads.data_suffixes()
    with pytest.raises(DataError, match=r"^a.toy: the app cannot tell to how much .* unpacks. Save it as CSV"):
        project.receive_data("a.toy", [b"a toy"])
    assert {path.name for path in project.folder.iterdir()} <= {"project.json", "lock"}


def test_every_taxonomy_that_is_recognized_is_taken(tmp_path: Path) -> None:
    for suffix in SUFFIXES:
        (tmp_path / f"a{suffix}").write_text("child,parent\na,b\n", encoding="utf-8")
        assert detected_format(Source(tmp_path / f"a{suffix}")) in READERS
        assert uploads.stored_taxonomy(f"A{suffix.upper()}.gz") == f"{suffix}.gz"
    assert {*uploads.taxonomy_suffixes()} == {*SUFFIXES, ".gz"}
    with pytest.raises(OptionError, match=r"'.xls' of 'a.xls' is not of a known taxonomy format"):
        uploads.stored_taxonomy("a.xls")


def test_a_look_that_ends_without_a_word_is_one_message(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "own_process", lambda *_: [sys.executable, "-c", "import os; os.abort()"])
    with pytest.raises(DataError, match=f"^a.parquet: to read it as Parquet {MEMORY}"):
        project.receive_data("a.parquet", [parquet(["a", "b"])])
