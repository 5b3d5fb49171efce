"""docs/rest.md: its program runs as it stands, and its tables name what the interface has."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ontomask.app.downloads import DOWNLOADS
from ontomask.app.jobs import KINDS
from tests.app.serving import Served

PAGE = (Path(__file__).parents[2] / "docs" / "rest.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_program_of_the_page_makes_a_release(served: Served, stays: bytes, tmp_path: Path) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    text = program.replace("http://127.0.0.1:8080", served.address)
    assert text != program
    (tmp_path / "token.txt").write_bytes(served.token_file.read_bytes())
    (tmp_path / "stays.csv").write_bytes(stays)
    (tmp_path / "program.py").write_text(text, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert ended.returncode == 0, ended.stderr
    assert re.fullmatch(r"True .*300 records.*\n", ended.stdout), ended.stdout
    assert "release.csv" in zipfile.ZipFile(tmp_path / "release.zip").namelist()
    assert b"<html" in (tmp_path / "report.html").read_bytes()


def test_the_page_names_every_kind_argument_and_download() -> None:
    for kind, arguments in KINDS.items():
        (row,) = re.findall(rf"^\| `{kind}` \| (.*) \|$", PAGE, re.M)
        assert [name for name in arguments if f"`{name}`" not in row] == []
    assert [name for name in DOWNLOADS if f"`{name}`" not in PAGE] == []


def test_the_page_names_every_address(served: Served) -> None:
    paths = served.api.get("/openapi.json").json()["paths"]
    ends = {path.rpartition("/")[2] for path in paths if not path.endswith("}")}
    assert [end for end in ends if f"/{end}" not in PAGE] == []
