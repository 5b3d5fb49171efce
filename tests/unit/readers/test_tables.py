"""The CSV readers: what they detect, tolerate and tell."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import ontomask as om


def write(folder: Path, data: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


EDGES = "code,parent,label\nA,,Activities\n01,A,Crops\n01.1,01,\n"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_delimiters_line_ends_and_encodings(tmp_path: Path, delimiter: str, end: str, encoding: str) -> None:
    text = EDGES.replace("Crops", "Cultures maraîchères").replace(",", delimiter).replace("\n", end)
    t = om.read_taxonomy(write(tmp_path, text.encode(encoding)))
    assert t.concepts == ("A", "01", "01.1")
    assert t.label("01") == "Cultures maraîchères"
    assert t.parents("01.1") == ["01"]
    assert t.name == "t"


def test_gzip_and_names(tmp_path: Path) -> None:
    path = write(tmp_path, gzip.compress(EDGES.encode()), "activities.csv.gz")
    assert om.read_taxonomy(path).name == "activities"
    assert om.read_taxonomy(path, name="NACE").name == "NACE"


def test_columns_by_usual_names_and_by_given_ones(tmp_path: Path) -> None:
    path = write(tmp_path, "Parent ID;Concept-ID;Title\n;r;Root\nr;a;Apple\n")
    assert om.read_taxonomy(path).label("a") == "Apple"
    path = write(tmp_path, "who;under;called\nr;;Root\na;r;Apple\n")
    assert om.read_taxonomy(path, "edges", child="who", parent="under", label="called").label("a") == "Apple"
    path = write(tmp_path, "a,r\nb,r\n")
    assert om.read_taxonomy(path, "edges", header=False).children("r") == ["a", "b"]


def test_quoted_cells(tmp_path: Path) -> None:
    t = om.read_taxonomy(write(tmp_path, 'child,parent,label\na,r,"one, two ""three"""\nr,,"line\nbreak"\n'))
    assert t.label("a") == 'one, two "three"'
    assert t.label("r") == "line\nbreak"


def test_parents_without_a_row_are_roots_unless_roots_are_declared(tmp_path: Path) -> None:
    t = om.read_taxonomy(write(tmp_path, "child,parent\na,x\nb,y\n"))
    assert t.artificial_root
    assert "2 parents have no row of their own and are taken as roots: 'x', 'y'" in t.notes[0]
    assert om.read_taxonomy(write(tmp_path, "child,parent\na,x\nb,x\n")).root == "x"


def test_levels(tmp_path: Path) -> None:
    t = om.read_taxonomy(write(tmp_path, "1;0-4;0-9;*\n2;0-4;0-9;*\n7;5-9;0-9;*\nunknown;unknown;unknown;*\n"))
    assert t.root == "*"
    assert t.ancestors("7") == ["5-9", "0-9", "*"]
    assert t.parents("unknown") == ["*"]  # stays as it is until the top
    headed = write(tmp_path, "age;five;all\n1;0-4;*\n")
    assert "age" not in om.read_taxonomy(headed, "levels", header=True)


def test_levels_of_one_value(tmp_path: Path) -> None:
    assert om.read_taxonomy(write(tmp_path, "Male;*\nFemale;*\n")).children("*") == ["Male", "Female"]


def test_prefixes(tmp_path: Path) -> None:
    path = write(tmp_path, "code,name\n1,Managers\n11,Chief executives\n111,Legislators\n2,Professionals\n25,ICT\n")
    t = om.read_taxonomy(path, "prefix")
    assert t.ancestors("111") == ["11", "1", t.root]
    assert t.label("25") == "ICT"
    for text, expected in [
        ("code,name\n1,a\n1,b\n", "line 3: the code '1' occurs twice"),
        ("code,name\n1\n", "line 2: cells are missing"),
        ("code,name\n", "no rows below the header"),
    ]:
        with pytest.raises(om.errors.TaxonomyFileError, match=expected):
            om.read_taxonomy(write(tmp_path, text), "prefix")
    with pytest.raises(om.errors.TaxonomyFileError, match="no column 'title'"):
        om.read_taxonomy(path, "prefix", label="title")
