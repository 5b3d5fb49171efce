"""The wheel: every file of the package is in it, tables, templates and taxonomies included."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_wheel_holds_every_file_of_the_package(tmp_path: Path) -> None:
    wheel = pytest.importorskip("hatchling.builders.wheel")
    tracked = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True, check=False)
    if tracked.returncode:
        pytest.skip("not a git checkout")
    [built] = wheel.WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(built) as archive:
        names = set(archive.namelist())
    wanted = {path.removeprefix("src/") for path in tracked.stdout.splitlines() if (ROOT / path).exists()}
    assert wanted <= names
    assert "ontomask/py.typed" in names
    assert {Path(name).suffix for name in wanted} >= {".py", ".toml", ".yaml", ".j2", ".css", ".xz"}
