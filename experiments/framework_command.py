"""The tables of T12 chapter 9 by the command line: what is typed, and what is printed."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

#: Two columns of as many stays as T12 has, k at both ends and in the middle, with meaning and without.
ROLES = ("secondary_diagnosis=quasi", "age=other", "sex=other", "race=other", "length_of_stay=other", "charge=other")
INIT = "ontomask init tour/stays.csv -o two.yaml --k 2 --quiet "
COMPARE = (
    "ontomask compare two.yaml tour/stays.csv --method recoding --method sa_mdav --method resampling --method suppression "
    "--k 2,7,15 --baselines --measure logsc --seed 1 --scores --curve curve.svg --map map.svg"
)
COMMANDS = (
    "ontomask demo tour --records 3006 --quiet",
    INIT + " ".join(f"--role {role}" for role in (*ROLES, "procedure=other")),
    COMPARE,
)


def report() -> Iterator[str]:
    yield "### By one command"
    yield (
        "The same tables for one sample, typed on the command line: `compare` makes every method at every k, and "
        "`--baselines` the non-semantic baselines. `curve.svg` is Fig. 41, `map.svg` loss against risk. Loss and scores are by "
        "IL here, and by T12's L in the tables above."
    )
    yield console()


def console() -> str:
    """The commands and what they print, as a page shows them; seconds differ from run to run."""
    lines = ["```console"]
    with tempfile.TemporaryDirectory() as folder:
        for command in COMMANDS:
            lines += [f"$ {command}", *shown(typed(command, Path(folder)))]
    return "\n".join([*lines, "```"])


def typed(command: str, folder: Path) -> str:
    words = [sys.executable, "-m", "ontomask", *command.split()[1:]]
    return subprocess.run(words, cwd=folder, capture_output=True, encoding="utf-8", check=True).stdout


def shown(printed: str) -> list[str]:
    """Lines of what was printed, dots in the place of seconds."""
    lines = printed.rstrip("\n").split("\n") if printed else []
    heads = next((line for line in lines if line.rstrip().endswith("promises") and " seconds " in line), None)
    begin = 0 if heads is None else heads.index("seconds")
    end = begin + len("seconds")
    told = []
    inside = False  # the table that has seconds
    for line in lines:
        inside = bool(line) and (inside or line == heads)
        if line.startswith("Seconds are of masking alone."):
            told.append("Seconds are of masking alone. ...")
        elif inside and re.fullmatch(r"\s*[\d.]+\s*", line[begin:end]):
            told.append(line[:begin] + "...".ljust(end - begin) + line[end:])
        else:
            told.append(line)
    return told


if __name__ == "__main__":
    sys.stdout.write(console() + "\n")
