"""A demo replaces what a demo made, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ontomask.demo.tour import FILES, MARKER, RESULT, TourFolder, make_tour
from ontomask.errors import OutputError

NAMES = (*FILES, RESULT)


def contents(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def a_demo(folder: Path) -> None:
    """What a demo leaves, without the work."""
    place = TourFolder(folder, NAMES)
    for name in FILES:
        (folder / name).write_text(f"demo {name}")
        place.keep(name)
    for name in ("release/release.csv", "confidential/records.csv"):
        (folder / RESULT / name).parent.mkdir(parents=True)
        (folder / RESULT / name).write_text(f"demo {name}")
    place.keep(RESULT)


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("name", ["stays.csv", "map.svg", "result/confidential/records.csv", "result/mine.txt"])
def test_files_of_the_user_with_names_that_the_demo_needs_stay(tmp_path: Path, name: str, force: bool) -> None:
    """Once it was: a folder with somebody's stays.csv and result/ was empty afterwards."""
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(OutputError, match=r"which was not made by a demo.*Name another folder") as caught:
        make_tour(tmp_path, 60, force=force)
    assert repr(name) in str(caught.value)
    assert contents(tmp_path) == {name: "mine"}


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("name", ["stays.csv", "result/release/release.csv"])
def test_changed_files_of_a_demo_stay(tmp_path: Path, name: str, force: bool) -> None:
    a_demo(tmp_path)
    (tmp_path / name).write_text("mine")
    before = contents(tmp_path)
    with pytest.raises(OutputError, match="changed since the demo made it"):
        TourFolder(tmp_path, NAMES, force=force)
    assert contents(tmp_path) == before


def test_an_unchanged_demo_is_replaced(tmp_path: Path) -> None:
    a_demo(tmp_path)
    assert set(json.loads((tmp_path / MARKER).read_text())["files"]) == set(contents(tmp_path)) - {MARKER}
    TourFolder(tmp_path, NAMES)
    assert list(tmp_path.iterdir()) == []


def test_other_files_need_force_and_stay(tmp_path: Path) -> None:
    a_demo(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "empty").mkdir()
    with pytest.raises(OutputError, match=r"'empty', which was not made by a demo \(and 1 more\).*force=True"):
        TourFolder(tmp_path, NAMES)
    TourFolder(tmp_path, NAMES, force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "notes.txt"]


def test_a_half_made_demo_is_replaced(tmp_path: Path) -> None:
    place = TourFolder(tmp_path, NAMES)
    (tmp_path / "stays.csv").write_text("demo")
    place.keep("stays.csv")
    TourFolder(tmp_path, NAMES)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["{}", "no JSON", '{"made_by": "somebody", "files": {"stays.csv": "00"}}', "[1]"])
def test_a_list_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / MARKER).write_text(text)
    with pytest.raises(OutputError, match="not made by a demo"):
        TourFolder(tmp_path, NAMES, force=True)
    assert contents(tmp_path) == {MARKER: text}


def test_links_are_not_followed(tmp_path: Path) -> None:
    """A link to a file with the right hash is no file of the demo, nor is a folder behind a link."""
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "demo"
    a_demo(elsewhere)
    a_demo(folder)
    (folder / "stays.csv").unlink()
    (folder / "stays.csv").symlink_to(elsewhere / "stays.csv")
    with pytest.raises(OutputError, match=r"'stays\.csv'"):
        TourFolder(folder, NAMES, force=True)
    (folder / "stays.csv").unlink()
    (folder / "linked").symlink_to(elsewhere)
    TourFolder(folder, NAMES, force=True)
    assert [path.name for path in folder.iterdir()] == ["linked"]
    assert (elsewhere / "stays.csv").read_text() == "demo stays.csv"


def test_a_list_cannot_point_outside(tmp_path: Path) -> None:
    folder, outside = tmp_path / "demo", tmp_path / "outside.csv"
    a_demo(folder)
    outside.write_text("demo stays.csv")
    marker = json.loads((folder / MARKER).read_text())
    marker["files"]["../outside.csv"] = marker["files"]["stays.csv"]
    (folder / MARKER).write_text(json.dumps(marker))
    TourFolder(folder, NAMES)
    assert outside.exists()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OutputError, match="this is a file"):
        TourFolder(tmp_path / "file", NAMES, force=True)


@pytest.mark.slow
def test_a_demo_can_be_made_again(tmp_path: Path) -> None:
    made = [make_tour(tmp_path / "demo", 60) for _ in range(2)]
    assert (made[1].folder / "stays.csv").exists()
    assert MARKER in [path.name for path in made[1].folder.iterdir()]
