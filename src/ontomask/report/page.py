"""The report as one HTML file: content from the summary, layout from the template, charts as SVG. No script, no network."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from ontomask.arguments import as_path
from ontomask.errors import OptionError
from ontomask.files.writing import checked_target, write_text
from ontomask.report.elements import writable
from ontomask.report.summary import Edition, summarize

if TYPE_CHECKING:
    from ontomask.report.reportable import Reportable

#: Where a long word may be broken: within it, and after underscores.
_BREAK = re.compile(r"(\S{24})(?=\S)|(_+)(?=[^\s_])")
#: Key figures side by side.
MOST_TILES = 5
_TEMPLATES = Path(__file__).parent / "templates"


def write_report(
    result: Reportable,
    path: str | Path,
    edition: Edition = "internal",
    *,
    title: str | None = None,
    release: str | Path | Sequence[str | Path] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write what a run did, for people who do not program, as one HTML file that needs nothing else.

    Parameters
    ----------
    result : Result
        What :func:`ontomask.anonymize` gave.
    path : path
        The file.
    edition : {'internal', 'public'}, default 'internal'
        Internal tells everything and is as confidential as the original data; only its owner can read the file. Public
        holds no value of the data and nothing that helps to find people, and says what was left out.
    title : str, optional
        The heading.
    release : path or sequence of path, optional
        The file, or files, that the report belongs to: their SHA-256 hashes are in it.
    overwrite : bool, default False
        Replace a file that exists.

    Returns
    -------
    Path
        The file.

    Notes
    -----
    The same result gives the same bytes on the same day; the environment variable SOURCE_DATE_EPOCH fixes the day.

    Examples
    --------
    >>> import ontomask as om, pathlib, polars as pl, tempfile
    >>> frame = pl.DataFrame({"age": [30, 31, 52, 55]})
    >>> result = om.anonymize(frame, om.Policy(attributes={"age": om.Numeric()}, method=om.Microaggregation(k=2)))
    >>> om.write_report(result, pathlib.Path(tempfile.mkdtemp()) / "report.html").name
    'report.html'
    """
    target = as_path(path)
    if not hasattr(type(result), "public_guarantees"):
        raise OptionError(
            f"a {type(result).__name__} is not a result",
            remedy="Give what anonymize returned: write_report(result, path).",
        )
    checked_target(target, overwrite, result.prepared.source)  # before all the work
    text = render(result, edition, title=title, release=release)
    return write_text(text, target, overwrite=overwrite, private=edition != "public")


def prepare_drawing() -> None:
    """Load what draws charts: it takes a second, and can be done beside other work."""
    from ontomask.report import charts  # late: altair takes 0.3 s to load

    charts.prepare()


def render(
    result: Reportable,
    edition: Edition = "internal",
    *,
    title: str | None = None,
    release: str | Path | Sequence[str | Path] | None = None,
) -> str:
    """The report as HTML."""
    return render_summary(summarize(result, edition, title=title, release=release))


def render_summary(content: dict[str, Any]) -> str:
    """The HTML of a summary."""
    text: str = (
        _environment()
        .get_template("report.html.j2")
        .render(**content, style=_style(), tile_columns=tile_columns(len(content["key_figures"])))
    )
    return writable(text)


def tile_columns(tiles: int) -> int:
    """How many of the key figures stand side by side: all, or so many that no row has one by itself."""
    rows = -(-tiles // MOST_TILES)
    return -(-tiles // max(rows, 1))


@cache
def _environment() -> Environment:
    def draw(figure: dict[str, Any], name: str) -> Markup:
        from ontomask.report import charts  # late: altair takes 0.3 s to load

        chart = charts.KINDS[figure["chart"]["kind"]](figure["chart"]["rows"], **figure["chart"]["options"])  # type: ignore[operator]
        # Vega has escaped all texts in it.
        return Markup(charts.svg(chart, name, figure["question"], figure["description"]))

    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals["draw"] = draw
    made.filters["soft"] = _soft
    return made


def _soft(text: Any) -> Any:
    """Text that may be broken after underscores and within words that are longer than any line."""
    parts = _BREAK.sub(lambda found: found[0] + "\0", str(text)).split("\0")
    return Markup("<wbr>").join(escape(part) for part in parts)


def _style() -> Any:
    return Markup((_TEMPLATES / "style.css").read_text(encoding="utf-8"))
