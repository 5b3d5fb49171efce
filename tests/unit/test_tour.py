"""What ``make demo`` runs."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from ontomask import tour


def test_tour(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tour.main(tmp_path / "demo")
    printed = capsys.readouterr().out
    assert "14 of 15 values placed" in printed
    assert "8.45 as 008.45" in printed
    assert str(tmp_path / "demo") in printed
    with (tmp_path / "demo" / "matching.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert sum(int(row["count"]) for row in rows) == len(tour.COLUMN)
    distances = (tmp_path / "demo" / "distances.csv").read_text(encoding="utf-8")
    assert distances.count("\n") == 1 + len(tour.MEASURES) * len(tour.COMPARED)
    assert "Every record shares its masked quasi-identifiers with at least 4 others" in printed
    release = (tmp_path / "demo" / "masked" / "release" / "release.csv").read_text(encoding="utf-8")
    assert "P0" not in release
    assert (tmp_path / "demo" / "masked" / "confidential" / "mapping.csv").is_file()
    page = (tmp_path / "demo" / "tour.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "http" not in page.replace("https://semver.org", "")
