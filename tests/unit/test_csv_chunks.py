"""CSV files in blocks: the same cells, types and notes as of files that are read at once, and the same errors."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from ontomask.errors import DataError, OntomaskError
from ontomask.files import source
from ontomask.microdata import csv_chunks
from ontomask.microdata.csv_chunks import CsvChunks
from ontomask.microdata.csv_files import read_csv
from ontomask.microdata.csv_types import ColumnTypes, typed


def whole(file: Path, **options: Any) -> Any:
    found = read_csv(file, **options)
    return found.data, list(map(str, found.notes)), found.delimiter, found.encoding


def in_blocks(file: Path, block: int, **options: Any) -> Any:
    chunks = CsvChunks(file, block=block, **options)
    chunks.look()
    data = pl.concat(list(chunks.chunks()))
    assert len(data) == chunks.rows
    return data, chunks.source.notes, chunks.delimiter, chunks.encoding


def same(one: Callable[[], Any], other: Callable[[], Any]) -> None:
    """Both give the same table, or the same error."""
    found: list[Any] = []
    for read in (one, other):
        try:
            data, *rest = read()
            found.append((data.columns, data.rows(), rest))
        except OntomaskError as problem:
            found.append(str(problem))
    assert found[1] == found[0]


PLAIN = "a,b,c\n1,x,2\n3,,4\n5,y,\n"
FILES = {
    "plain": PLAIN,
    "no line end at the end": PLAIN.rstrip("\n"),
    "line ends of Windows": PLAIN.replace("\n", "\r\n"),
    "line ends of old": PLAIN.replace("\n", "\r"),
    "quotes": 'a,b\n"1, 2","x ""y"""\n"two\nlines",\n"",z\n' * 3,
    "quotes in the header": '"a\nb","c"",",d\n1,2,3\n',
    "stray quotes": 'a,b\n1,x"y\n2,"z"\n3,""\n4,5" 6\n',
    "a quote in a header": 'a"b,c\n1,2\n"x\ny",3\n',
    "blank lines": "\n\na,b\n\n1,2\n\n\n3,\n4,5\n\n\n",
    "blank lines in one column": "a\n\n1\n\n2\n\n\n",
    "one column of quotes": 'a\n""\n"x\ny"\n\n',
    "a hint": "sep=;\na;b\n1;2\n",
    "blanks everywhere": "a, b, c\n1, x, y\n2, , z\n",
    "blanks nowhere below": "a, b\n1,x\n2,y\n",
    "blanks somewhere": "a, b\n1, x\n2,y\n",
    "numbers in the header": "1,2\n3,4\n",
    "ragged": "a,b\n1,2\n3\n4,5,6\n7,8\n" + "9\n" * 9,
    "ragged with blank lines": "a,b\n\n1,2\n\n3\n",
    "an open quote": 'a,b\n1,"2\n3,4\n',
    "cp1252": PLAIN.replace("x", "é").encode("cp1252"),
    "utf-8": PLAIN.replace("x", "é€"),
    "a mark": PLAIN.replace("x", "é").encode("utf-8-sig"),
    "utf-16": PLAIN.replace("x", "é").encode("utf-16"),
    "mixed": b"a,b\n\xc3\xa9,1\n2,\xe9\n",
    "unknown": b"a,b\n1,2\n\x81,3\n",
    "zero": b"a,b\n1,2\n3,\0\n",
    "zero and returns": b"a,b\r1,2\r3,\0\r",
    "no rows": "a,b\n",
    "no name": "a,,c\n1,2,3\n",
    "twice": "a,a\n1,2\n",
    "tabs": PLAIN.replace(",", "\t"),
    "no delimiter": "a b\n1 2\n",
}


@pytest.mark.parametrize("block", [1, 3, 8, 1000])
@pytest.mark.parametrize("name", FILES)
def test_blocks_give_the_same_cells(tmp_path: Path, name: str, block: int) -> None:
    content = FILES[name]
    file = tmp_path / "t.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    same(lambda: whole(file), lambda: in_blocks(file, block))


def test_random_files_give_the_same_cells(tmp_path: Path) -> None:
    rng, file = np.random.default_rng(4), tmp_path / "t.csv"
    parts = ["1", "x", '"', '""', ",", ",", "\n", "\n", "\r\n", '"a,\n"', " ", "é"]
    for _ in range(300):
        file.write_text("h,i\n" + "".join(rng.choice(parts, rng.integers(1, 30))), encoding="utf-8", newline="")
        block = int(rng.integers(1, 12))
        same(lambda: whole(file), lambda: in_blocks(file, block))  # noqa: B023


def test_packed_files(tmp_path: Path) -> None:
    file = tmp_path / "t.csv.gz"
    file.write_bytes(gzip.compress(PLAIN.encode() * 50))
    same(lambda: whole(file), lambda: in_blocks(file, 64))
    file.write_bytes(file.read_bytes()[:-9])
    same(lambda: whole(file), lambda: in_blocks(file, 64))


def test_given_options(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes(PLAIN.replace("x", "é").replace(",", "~").encode("cp850"))
    options = {"delimiter": "~", "encoding": "cp850"}
    same(lambda: whole(file, **options), lambda: in_blocks(file, 5, **options))
    bad = {"delimiter": "~", "encoding": "ascii"}
    same(lambda: whole(file, **bad), lambda: in_blocks(file, 5, **bad))


def test_rows_of_the_slower_parser_come_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_chunks, "SLOW_ROWS", 2)
    file = tmp_path / "t.csv"
    file.write_text('a,b\n1,x"y\n2,3\n\n4,5\n6,7\n', encoding="utf-8")
    same(lambda: whole(file), lambda: in_blocks(file, 5))
    chunks = CsvChunks(file)
    chunks.look()
    assert max(map(len, chunks.chunks())) == 2


def test_a_line_that_never_ends_is_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_chunks, "_LONGEST", 1000)
    file = tmp_path / "t.csv"
    file.write_text('a,b\n"' + "1,2\n" * 1000, encoding="utf-8")
    with pytest.raises(DataError, match="quote that is not closed"):
        in_blocks(file, 100)


def test_a_file_need_not_fit_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "SUSPICIOUS", 10)
    monkeypatch.setattr(source, "free_memory", lambda: 20)
    file = tmp_path / "t.csv"
    file.write_text(PLAIN, encoding="utf-8")
    with pytest.raises(DataError, match="less memory is free"):
        whole(file)
    assert len(in_blocks(file, 5)[0]) == 3


# ---- types ---------------------------------------------------------------------------------------------------------

SORTS = [
    ["1", "2", "30", "-4", " 5 "],
    ["0123", "12"],
    ["1.5", "2.25", "1e-3", ".5"],
    ["1.50", "2.25"],
    ["1.0", "2"],
    ["1,5", "2,25"],
    ["1,234", "5,678"],
    ["1.234,50", "12,50", "1.000.000,00"],
    ["0,00", "-0,00", "1.234,50"],
    ["9007199254740993", "9007199254740992.0"],
    ["9.007.199.254.740.993,0", "9.007.199.254.740.992,0", "1.234,5"],
    ["99999999999999999999", "1"],
    ["1e999", "1e-3"],
    ["-0", "1"],
    ["NA", "?", "12", "13"],
    ["NA", "x"],
    ["NA", "1,5", "2,7"],
    ["", " ", None],
    ["1234567890.12345678901", "1.5"],
    ["E10", "1E50"],
]


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("decimal", [None, ".", ","])
def test_types_are_decided_on_all_parts(delimiter: str, decimal: str | None) -> None:
    rng = np.random.default_rng(7)
    for case in range(150):
        n, columns = int(rng.integers(1, 12)), {}
        for place in range(3):
            sort = SORTS[int(rng.integers(len(SORTS)))]
            sort = sort + SORTS[int(rng.integers(len(SORTS)))] if rng.random() < 0.3 else sort
            columns[f"c{place}"] = [sort[i] for i in rng.integers(0, len(sort), n)]
        data = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
        types = ColumnTypes(delimiter=delimiter, decimal=decimal, text=["c2"] if case % 5 == 0 else [])
        expected, mark, notes = typed(data, delimiter=delimiter, decimal=decimal, text=["c2"] if case % 5 == 0 else [])
        parts = list(data.iter_slices(int(rng.integers(1, 5))))
        for part in parts:
            types.add(part)
        assert list(map(str, types.decide())) == list(map(str, notes))
        assert types.mark == mark
        found = pl.concat([types.convert(part) for part in parts])
        assert found.equals(expected)
        assert found.schema == expected.schema
