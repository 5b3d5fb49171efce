"""Options that the commands of ``ontomask taxonomy`` share, and how taxonomies and concepts are named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.arguments import short, some_of
from ontomask.cli.console import remark
from ontomask.errors import OptionError, OutputError, TaxonomyFileError

if TYPE_CHECKING:
    from ontomask.taxonomy.taxonomy import Taxonomy

#: How many lines of a list are shown unless all are asked for.
SHOWN = 20
WRONG = "2 the input or the options are wrong (one message on stderr)."

NamedTaxonomy = Annotated[
    str, typer.Argument(metavar="TAXONOMY", help="A name such as icd9cm, or a file or folder.", show_default=False)
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="Format of the taxonomy file, if its name does not show it: edges, prefix, levels, obo, owl, skos, rf2, wordnet, "
        "mesh.",
    ),
]
Options = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="NAME=VALUE",
        help="An option of the format, such as child=Code, delimiter=';', header=no or encoding=cp1252; may be repeated.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Everything as JSON, for machines.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the output file if it exists.")]


def examples(*lines: str, codes: str = "0 done") -> str:
    """The end of a command's help."""
    return (
        "\b\nExamples:\n"
        + "".join(f"  ontomask taxonomy {line}\n" for line in lines)
        + f"\b\nExit codes: {codes}; {WRONG}"
    )


@contextmanager
def command_line_hints() -> Iterator[None]:
    """What the library says of its keywords, said for the command line as well."""
    try:
        yield
    except TaxonomyFileError as problem:
        if "=" not in (problem.remedy or ""):
            raise
        remedy = f"{problem.remedy} (Here: --format levels or prefix, --option child=Code and the like.)"
        raise TaxonomyFileError(problem.what, where=problem.where, remedy=remedy) from None


def open_taxonomy(name: str, format: str | None, option: list[str] | None) -> Taxonomy:
    from ontomask.taxonomy.catalog import named_taxonomy

    with command_line_hints():
        return named_taxonomy(name, format, **pairs(option))


#: What is not an option of a format: arguments and options of the command say it.
_OWN = ("format", "kind", "name", "overwrite", "path", "source")


def pairs(option: list[str] | None) -> dict[str, Any]:
    """--option name=value as keywords; yes and no are truth values."""
    pairs: dict[str, Any] = {}
    for text in option or []:
        name, sign, value = text.partition("=")
        if not sign or not name.isidentifier() or name in pairs or name in _OWN:
            raise OptionError(
                f"--option {short(text)!r} is not a NAME=VALUE of a format, or is given twice",
                remedy="Write --option delimiter=';', and each name once.",
            )
        pairs[name] = {"yes": True, "true": True, "no": False, "false": False}.get(value.lower(), value)
    return pairs


def concept_of(t: Taxonomy, text: str) -> str:
    """A concept by its code, or by a word that names it; what was read into the word is reported."""
    from ontomask.taxonomy.matching import match

    found = match([text], t, language=None)
    if not found.rows:
        return t.concepts[t.position(text)]  # an error with suggestions
    row = found.rows[0]
    if row.how != "code" or row.others:
        others = f" (else {some_of(row.others)})" if row.others else ""
        remark(f"note: {text!r} is taken as {row.concept} by its {row.how}{others}")
    return row.concept


def require_free(target: str, force: bool) -> None:
    """Before long work: an output that must not be replaced."""
    try:
        there, folder = Path(target).exists(), Path(target).is_dir()
    except (OSError, ValueError):
        return  # writing says what is wrong with the name
    if folder:
        raise OutputError("this is a folder", where=target, remedy="Name a file in it.")
    if there and not force:
        raise OutputError("the file exists", where=target, remedy="Choose another name, or --force to replace it.")


def line(of: dict[str, Any]) -> str:
    return str(of["concept"] if of["label"] == of["concept"] else f"{of['concept']}  {of['label']}")
