"""A table of areas for tests: a country of two states, with regions and towns."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

AREAS = """\
code,parent,population,label
US,,,United States
01,US,,Massachusetts
010,01,70000,Springfield region
01001,010,16000,Agawam
01002,010,30000,Amherst
01003,010,12000,Amherst campus
011,01,36000,Lone region
01101,011,30000,Big town
01102,011,6000,Hamlet
02,US,40000,Small state
020,02,21000,North
021,02,19000,South
02101,021,10000,South village
"""


@cache
def areas_file(text: str = AREAS) -> str:
    """The path of the table."""
    file = Path(tempfile.mkdtemp()) / "areas.csv"
    file.write_text(text, encoding="utf-8")
    return str(file)
