"""Following a page of the documentation: its commands, run in a folder, held against what it says they print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path


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


def says(printed: str, shown: str) -> bool:
    """What was printed is what is shown, but for blanks and for what stands for dots."""
    words = [re.escape(word) for word in shown.split()]
    pattern = r"\s+".join(words).replace(re.escape("..."), ".*?")
    pattern = re.sub(r"\\s\+\.\*\?|\.\*\?\\s\+", ".*?", pattern)
    return re.fullmatch(pattern + r"\s*", printed.lstrip(), re.S) is not None


class Reader:
    """Somebody who types what a page says, in an empty folder."""

    def __init__(self, place: Path) -> None:
        tools = place / "bin"
        tools.mkdir()
        script = tools / "ontomask"
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ontomask "$@"\n', encoding="utf-8")
        script.chmod(0o755)
        self.here = place / "here"
        self.here.mkdir()
        self._paths = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}

    def follow(self, block: str) -> int:
        """Run the commands of a block; how many there were."""
        typed = commands(block)
        for command, shown, code in typed:
            ended = subprocess.run(
                ["sh", "-c", f"exec 2>&1; {command}"],
                cwd=self.here,
                env=os.environ | self._paths,
                capture_output=True,
                encoding="utf-8",
                check=False,
                timeout=300,
            )
            assert ended.returncode == code, f"$ {command}\n{ended.stdout}"
            assert says(ended.stdout, shown), f"$ {command}\n{ended.stdout}\n--- the page says\n{shown}"
        return len(typed)
