"""``ontomask taxonomy``: inspect and convert taxonomies and hierarchies, and check whether they fit a column."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.arguments import counted, short
from ontomask.cli import taxonomy_columns
from ontomask.cli.console import remark_notes, say, say_json, say_table
from ontomask.cli.taxonomy_options import (
    SHOWN,
    WRONG,
    AsJson,
    Force,
    Format,
    NamedTaxonomy,
    Options,
    command_line_hints,
    concept_of,
    examples,
    line,
    open_taxonomy,
    pairs,
    require_free,
)
from ontomask.errors import OptionError

if TYPE_CHECKING:
    from ontomask.taxonomy.taxonomy import Taxonomy

EPILOG = f"""\b
Examples:
  ontomask taxonomy show                              built-in taxonomies, and those on this machine
  ontomask taxonomy show icd9cm --concept 250
  ontomask taxonomy search wordnet "guide dog"
  ontomask taxonomy path icd9cm 250.00 401.9          how far apart, by several measures
  ontomask taxonomy convert hp.obo hp.csv
  ontomask taxonomy match icd9cm stays.csv --column diagnosis -o mapping.csv
  ontomask taxonomy cover hierarchy_job.csv people.csv --column job
\b
A TAXONOMY is a name (icd9cm, icd9cm_procedures, icd10cm, wordnet), or a file or folder: CSV of edges, levels or prefix
codes, OBO, OWL, SKOS, SNOMED CT (RF2), WordNet, MeSH. Each command has a --help of its own.
\b
Exit codes: 0 done; 1 (cover only) some values are not covered; {WRONG}
"""

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    epilog=EPILOG,
    help="Taxonomies and hierarchies: inspect and convert them, check whether they fit a column.",
)

# ---- looking ----------------------------------------------------------------------------------------------------


@app.command(
    epilog=examples(
        "show                                   what is built in",
        "show icd9cm --depth 1",
        "show wordnet --concept dog --depth 3",
        "show isco08.csv --format prefix --option label=name_english",
    )
)
def show(
    taxonomy: Annotated[
        str | None,
        typer.Argument(
            metavar="TAXONOMY", help="A name such as icd9cm, or a file or folder. Default: list what is built in."
        ),
    ] = None,
    concept: Annotated[
        str | None, typer.Option("--concept", metavar="CONCEPT", help="Show the branch at this code or word.")
    ] = None,
    depth: Annotated[int, typer.Option("--depth", min=0, help="Levels of the tree.")] = 2,
    width: Annotated[int, typer.Option("--width", min=1, help="Children shown of each concept.")] = 12,
    format: Format = None,
    option: Options = None,
    as_json: AsJson = False,
) -> None:
    """Show a taxonomy and its tree."""
    from ontomask.taxonomy.overview import about, branch, overview

    if taxonomy is None:
        if concept or format or option:
            raise OptionError("--concept, --format and --option need a TAXONOMY", remedy="Name one.")
        _catalog(as_json)
        return
    t = open_taxonomy(taxonomy, format, option)
    at = None if concept is None else concept_of(t, concept)
    facts, of = overview(t), None if at is None else about(t, at)
    if as_json:
        say_json({"taxonomy": facts, "concept": of, "tree": branch(t, at, depth, width)})
        return
    say(str(t))
    say()
    if of is not None:
        _about(of)
        say()
    say(t.tree(at, depth, width))


def _catalog(as_json: bool) -> None:
    from ontomask.taxonomy.catalog import catalog

    entries = catalog()
    if as_json:
        say_json({"catalog": [entry._asdict() | {"available": entry.lacking is None} for entry in entries]})
        return
    rows = [(entry.name, "yes" if entry.lacking is None else "no", entry.what) for entry in entries]
    say_table("Taxonomies by name", ["name", "here", "what"], rows)
    for entry in entries:
        if entry.lacking is not None:
            say(f"  {entry.name}: {entry.lacking}")
    say("Any other is given as a file or folder: see ontomask taxonomy show --help.")


def _about(of: dict[str, Any]) -> None:
    say(line(of))
    rows = [
        ("synonyms", "; ".join(of["synonyms"])),
        ("definition", of["definition"]),
        ("depth", f"{of['depth']} (root = 1)"),
        ("parents", "; ".join(map(line, of["parents"]))),
        ("children", f"{of['children']:,} ({counted(of['below'], 'concept')} below in all)"),
    ]
    for name, value in rows:
        if value:
            say(f"  {name + ':':<12}{value}")


@app.command(epilog=examples('search icd9cm "heart failure" --limit 5', "search hp.obo seizure", "search wordnet dog"))
def search(
    taxonomy: NamedTaxonomy,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Part of a code, a label or a synonym.")],
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many to show.")] = SHOWN,
    format: Format = None,
    option: Options = None,
    as_json: AsJson = False,
) -> None:
    """Find concepts by text.

    A concept is found if its code, its label or a synonym contains the text; case, accents and punctuation are
    ignored. The best matches come first.
    """
    from ontomask.taxonomy.overview import about

    t = open_taxonomy(taxonomy, format, option)
    codes = t.search(text, limit + 1)
    found = [about(t, code) for code in codes[:limit]]
    if as_json:
        say_json({"found": found, "more": len(codes) > limit})
        return
    if not found:
        near = "; ".join(s.text for s in t.lexicon.suggest(text))
        say(f"No concept of {t.name} contains {short(text)!r}." + (f" Near it: {near}." if near else ""))
        return
    rows = [(of["concept"], of["label"], _stands(of["way"])) for of in found]
    say_table(f"{counted(len(found), 'concept')} of {t.name}", ["code", "label", "ancestors"], rows)
    if len(codes) > limit:
        say("  ... and more; --limit shows them")


def _stands(way: list[dict[str, Any]]) -> str:
    """The nearest concepts above, the broadest first."""
    above = [short(step["label"], 40) for step in way[:-1]]
    return " > ".join([*(["..."] if len(above) > 3 else []), *above[-3:]])


@app.command(
    epilog=examples(
        "path icd9cm 250.00",
        "path icd9cm 250.00 401.9",
        "path wordnet dog cat --measure logsc,wu_palmer,path --measure lin",
    )
)
def path(
    taxonomy: NamedTaxonomy,
    concept: Annotated[str, typer.Argument(metavar="CONCEPT", help="A code, or a word.")],
    other: Annotated[
        str | None, typer.Argument(metavar="OTHER", help="A second concept: shows their common subsumer and distance.")
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            metavar="NAME",
            help="Measure of the distance; may be repeated, or a list with commas. Default: logsc,wu_palmer.",
        ),
    ] = None,
    format: Format = None,
    option: Options = None,
    as_json: AsJson = False,
) -> None:
    """Show the path from the root to a concept, and the distance between two.

    For one concept, the path from the root. For two, also their least common subsumer and their distances.
    """
    from ontomask.distances.measures import get_measure
    from ontomask.distances.tables import distance
    from ontomask.taxonomy.overview import about, named

    names = [name.strip() for part in measure or ["logsc,wu_palmer"] for name in part.split(",") if name.strip()]
    if measure and other is None:
        raise OptionError("--measure needs two concepts", remedy="Give another concept.")
    measures = [get_measure(name) for name in dict.fromkeys(names)]
    t = open_taxonomy(taxonomy, format, option)
    first = concept_of(t, concept)
    ways = [about(t, first)]
    if other is None:
        if as_json:
            say_json(ways[0])
            return
        _way(t, ways[0])
        return
    second = concept_of(t, other)
    ways.append(about(t, second))
    common = t.lcs([first, second])
    distances = {m.name: distance(t, first, second, m.name) for m in measures}
    if as_json:
        shared = named(t, common) | {"depth": t.depth(common)}
        say_json({"concepts": ways, "least_common_subsumer": shared, "distances": distances})
        return
    for of in ways:
        _way(t, of)
        say()
    place = "the root" if common == t.root else f"depth {t.depth(common)}, root = 1"
    say(f"Least common subsumer: {line(named(t, common))} ({place})")
    say()
    rows = [(m.name, distances[m.name], _range(m.largest), m.summary) for m in measures]
    say_table("Distances", ["measure", "distance", "range", "looks at"], rows)


def _way(t: Taxonomy, of: dict[str, Any]) -> None:
    say(t.path(of["concept"]))
    if len(of["parents"]) > 1:
        say(f"(the longest path; its {len(of['parents'])} parents: {'; '.join(map(line, of['parents']))})")


def _range(largest: float | None) -> str:
    return "from 0" if largest is None else f"0 to {largest:g}"


@app.command(
    epilog=examples(
        "convert hp.obo hp.csv",
        "convert icd9cm icd9cm.csv.gz",
        "convert isco08.csv isco.csv --format prefix --option label=name_english",
    )
)
def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A name such as icd9cm, or a file or folder.")],
    target: Annotated[
        str, typer.Argument(metavar="OUT", help="The file to write: .csv, or .csv.gz for a compressed one.")
    ],
    format: Format = None,
    option: Options = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write any taxonomy as a CSV.

    The columns are child, parent, label and synonyms; ontomask and any spreadsheet read it. The file is read back, and
    what it cannot hold is reported: definitions, other relations, alternative codes.
    """
    from ontomask.taxonomy.writing import convert_taxonomy

    require_free(target, force)
    with command_line_hints():
        t, lost = convert_taxonomy(source, target, format, overwrite=force, **pairs(option))
    remark_notes(t.notes)
    if as_json:
        links = len(t.dag.parents.index)
        say_json({"written": str(Path(target)), "concepts": len(t), "links": links, "lost": lost, "notes": t.notes})
        return
    say(f"{Path(target)}: {counted(len(t), 'concept')}, {counted(len(t.dag.parents.index), 'is-a link')} of {t.name}")
    if t.artificial_root:
        say(f"  the artificial root {t.artificial_root!r} is not in the file; reading adds it again")
    for text in lost:
        say(f"  not in the file: {text}")
    if not lost:
        say("  nothing is lost: read back, it is identical")


app.command("match", epilog=taxonomy_columns.MATCH)(taxonomy_columns.match)
app.command("cover", epilog=taxonomy_columns.COVER)(taxonomy_columns.cover)
