"""The tutorial as a reader follows it: its commands, its edits and what it says they print, in an empty folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorial.md"


def steps() -> list[tuple[str, str]]:
    """The blocks to be followed, in order: (console or diff, text)."""
    return re.findall(r"^```(console|diff)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)


def commands(block: str) -> list[tuple[str, str, int]]:
    """(command, what it prints, its exit code): 0 unless the page asks for ``$?``."""
    found: list[tuple[str, str, int]] = []
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, printed = part.partition("\n")
        if command == "echo $?":
            found[-1] = (*found[-1][:2], int(printed))
        else:
            found.append((command, printed, 0))
    return found


def edit(folder: Path, block: str) -> None:
    """Do what a diff says, where its old lines stand; the last of them may be the beginning of a line."""
    first, _, *lines = block.splitlines()
    old = "\n".join(line[1:] for line in lines if line[0] in " -")
    new = "\n".join(line[1:] for line in lines if line[0] in " +")
    file = folder / first.removeprefix("--- ")
    text = file.read_text(encoding="utf-8")
    assert old in text, f"{file.name} has no\n{old}"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def says(printed: str, shown: str) -> bool:
    """What was printed is what is shown, but for blanks and for what stands for dots."""
    words = [re.escape(word) for word in shown.split()]
    pattern = r"\s+".join(words).replace(re.escape("..."), ".*?")
    pattern = re.sub(r"\\s\+\.\*\?|\.\*\?\\s\+", ".*?", pattern)
    return re.fullmatch(pattern + r"\s*", printed.lstrip(), re.S) is not None


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("awk") is None, reason="awk is not here")
def test_the_tutorial_does_what_it_says(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "ontomask").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ontomask.cli "$@"\n', encoding="utf-8")
    (tools / "ontomask").chmod(0o755)
    here = tmp_path / "here"
    here.mkdir()
    paths = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    done = 0
    for kind, block in steps():
        if kind == "diff":
            edit(here, block)
            continue
        for command, shown, code in commands(block):
            ended = subprocess.run(
                ["sh", "-c", f"exec 2>&1; {command}"],
                cwd=here,
                env=os.environ | paths,
                capture_output=True,
                encoding="utf-8",
                check=False,
                timeout=300,
            )
            assert ended.returncode == code, f"$ {command}\n{ended.stdout}"
            assert says(ended.stdout, shown), f"$ {command}\n{ended.stdout}\n--- the page says\n{shown}"
            done += 1
    assert done >= 8
    assert sorted(os.listdir(here / "result" / "release")) == ["guarantees.txt", "release.csv", "report.html"]
    assert (here / "map.svg").exists()


@pytest.mark.parametrize("shown", ["a b\n", "a ...\n", "...\nd\n", "a\n...\nd\n", "a b c e\n", "a b\n...\ne\n"])
def test_what_is_shown_is_held_against_what_is_printed(shown: str) -> None:
    assert says("a b c\nd\n", shown) == (shown in ("a ...\n", "...\nd\n", "a\n...\nd\n"))
