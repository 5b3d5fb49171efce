"""``ontomask taxonomy match`` and ``cover``: the values of a column against a taxonomy or a hierarchy."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.arguments import counted, one_of, short
from ontomask.cli.console import remark, remark_notes, say, say_json, say_table
from ontomask.cli.taxonomy_options import (
    SHOWN,
    AsJson,
    Force,
    Format,
    NamedTaxonomy,
    Options,
    command_line_hints,
    examples,
    open_taxonomy,
    pairs,
    require_free,
)
from ontomask.errors import OptionError, OutputError, UnmatchedValuesError

if TYPE_CHECKING:
    from ontomask.profiling.coverage import ColumnValues, Coverage
    from ontomask.taxonomy.match_result import Matching

#: The two letters of a language -> the name of its stemmer.
_LANGUAGES = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "et": "estonian", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali",
    "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

File = Annotated[str, typer.Argument(metavar="FILE", help="A table (CSV, Parquet, Excel, ...), or a list (.txt).")]
Column = Annotated[
    str | None,
    typer.Option("--column", metavar="COLUMN", help="The column; not needed if the table has only one."),
]
PlainList = Annotated[
    bool,
    typer.Option(
        "--list", help="FILE is a list: one value per line, no header. A .txt file is a list, without --column."
    ),
]
Mapping = Annotated[
    str | None,
    typer.Option("--mapping", metavar="CSV", help="A CSV with the columns value and concept; takes precedence."),
]
Language = Annotated[
    str,
    typer.Option("--language", metavar="LANGUAGE", help="Language of the values, as en or english; none: no stems."),
]
All = Annotated[bool, typer.Option("--all", help=f"List all, not only the first {SHOWN}.")]

MATCH = examples(
    "match icd9cm stays.csv --column diagnosis",
    "match wordnet people.csv --column job -o mapping.csv        then edit mapping.csv, and",
    "match wordnet people.csv --column job --mapping mapping.csv",
    "match hp.obo findings.txt                                   a list, a value on each line",
)


def match(
    taxonomy: NamedTaxonomy,
    file: File,
    column: Column = None,
    plain_list: PlainList = False,
    mapping: Mapping = None,
    language: Language = "english",
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="CSV", help="Write a mapping file to edit; a policy's mapping: reads it."
        ),
    ] = None,
    force: Force = False,
    show_all: All = False,
    format: Format = None,
    option: Options = None,
    as_json: AsJson = False,
) -> None:
    """Match the values of a column with concepts.

    Values are matched as in masking. The output shows how each value was found (mapping, code, label, synonym, ...,
    stem), which values can mean several concepts, and which were not found, with near matches. Codes of a CSV are
    read as text: leading zeros count.
    """
    from ontomask.files.writing import write_text
    from ontomask.profiling.coverage import read_values
    from ontomask.taxonomy.writing import mapping_text

    if output is not None:
        require_free(output, force)
        _require_other(output, file, taxonomy)
    elif force:
        raise OptionError("--force needs --output", remedy="Name the file to write: -o mapping.csv.")
    t = open_taxonomy(taxonomy, format, option)
    values = read_values(file, column, plain_list=plain_list)
    found = values.match(t, mapping, _language(language))
    if output is not None:
        write_text(mapping_text(found), Path(output), overwrite=force)
    remark_notes(values.notes)
    if as_json:
        say_json(_facts(values, found, output))
        return
    _how(values, found)
    _unclear(found, show_all)
    remark_notes(found.other_notes)
    if output is not None:
        say()
        unmatched = len(found.unmatched)
        rest = f", {unmatched:,} of them with an empty concept to fill in" if unmatched else ""
        say(f"{output}: {counted(len(found.rows) + unmatched, 'value')}{rest}. Edit it, and name it as mapping.")


def _unclear(found: Matching, show_all: bool) -> None:
    """The values that were not found, and those with several meanings."""
    unmatched = sorted(found.unmatched, key=lambda u: -u.count)
    if unmatched:
        say()
        rows = [
            (_value(u.value), u.count, "; ".join(s.text for s in u.suggestions)) for u in unmatched[: _most(show_all)]
        ]
        say_table("Not found", ["value", "records", "near matches, suggested only"], rows)
        _more(unmatched, show_all)
    if found.ambiguous:
        say()
        several = sorted(found.ambiguous, key=lambda row: -row.count)
        meant = [
            (
                _value(row.value),
                row.count,
                f"{row.concept} ({found.taxonomy.label(row.concept)})",
                short(", ".join(row.others), 60),
            )
            for row in several[: _most(show_all)]
        ]
        say_table("Several meanings: the first is used", ["value", "records", "taken as", "or"], meant)
        _more(several, show_all)


def _how(values: ColumnValues, found: Matching) -> None:
    from ontomask.taxonomy.matching import SCORES

    distinct = Counter(row.how for row in found.rows)
    records: Counter[str] = Counter()
    for row in found.rows:
        records[row.how] += row.count
    placed = records.total()
    missing = f"; {counted(values.missing, 'record')} without a value" if values.missing else ""
    say(f"{values.where} in {found.taxonomy.name}{missing}")
    say()
    rows: list[tuple[Any, ...]] = [(how, distinct[how], records[how]) for how in SCORES if distinct[how]]
    rows.append(("not found", len(found.unmatched), values.records - placed))
    rows.append(("in all", len(found.rows) + len(found.unmatched), values.records))
    say_table("How values were matched", ["by", "values", "records"], rows)


def _facts(values: ColumnValues, found: Matching, output: str | None) -> dict[str, Any]:
    t = found.taxonomy
    unmatched = sorted(found.unmatched, key=lambda u: -u.count)
    return {
        "taxonomy": t.name,
        "column": values.where,
        "values": len(found.rows) + len(unmatched),
        "records": values.records,
        "missing": values.missing,
        "matched": [
            {
                "value": row.value,
                "concept": row.concept,
                "label": t.label(row.concept),
                "how": row.how,
                "records": row.count,
                "others": list(row.others),
            }
            for row in found.rows
        ],
        "not_found": [
            {
                "value": u.value,
                "records": u.count,
                "near": [{"concept": s.concept, "label": s.label, "score": s.score} for s in u.suggestions]
                if place < UnmatchedValuesError.SUGGESTED
                else None,
            }
            for place, u in enumerate(unmatched)
        ],
        "notes": [str(note) for note in (*values.notes, *found.notes)],
        "written": output,
    }


COVER = examples(
    "cover adult_hierarchy_workclass.csv adult.csv --column workclass",
    "cover icd9cm stays.csv --column diagnosis --all",
    "cover wordnet people.csv --column job --mapping mapping.csv && echo ready",
    codes="0 every value is covered; 1 some are not",
)


def cover(
    taxonomy: Annotated[
        str,
        typer.Argument(
            metavar="TAXONOMY_OR_LEVELS",
            help="A name such as icd9cm, a file or folder, or a CSV of levels: value;level1;...;*.",
        ),
    ],
    file: File,
    column: Column = None,
    plain_list: PlainList = False,
    kind: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="hierarchy|taxonomy",
            help="How masking would use a CSV of levels. hierarchy (default): each value needs a row, with the same spelling. "
            "taxonomy: a value may be of any level; case and punctuation are ignored.",
        ),
    ] = None,
    mapping: Mapping = None,
    language: Language = "english",
    show_all: All = False,
    format: Format = None,
    option: Options = None,
    as_json: AsJson = False,
) -> None:
    """Show which values of a column are not covered.

    Lists the values of a column that a taxonomy, or a hierarchy in a CSV of levels, does not cover: masking would
    refuse them. The exit code is 0 if all values are covered and 1 if not, for use in scripts.
    """
    from ontomask.hierarchies.levels_file import LevelsFile
    from ontomask.profiling.coverage import covered_by_levels, covered_by_taxonomy, read_values
    from ontomask.taxonomy.catalog import is_levels_file

    if kind is not None:
        one_of(kind, ("hierarchy", "taxonomy"), "--as")
        if kind == "hierarchy" and format not in (None, "levels"):
            raise OptionError(
                f"--as hierarchy is for CSVs of levels, not for {format}", remedy="Leave one of both out."
            )
    with command_line_hints():
        levels = kind == "hierarchy" or (kind is None and is_levels_file(taxonomy, format))
    if levels:
        if mapping is not None:
            raise OptionError("--mapping is for taxonomies", remedy="Leave it out, or add --as taxonomy.")
        values = read_values(file, column, plain_list=plain_list)
        result = covered_by_levels(values, LevelsFile(path=taxonomy, **pairs(option)))
    else:
        t = open_taxonomy(taxonomy, format, option)
        values = read_values(file, column, plain_list=plain_list)
        result = covered_by_taxonomy(values, t, mapping, _language(language))
    _tell(values, result, show_all, as_json)
    if not result.complete:
        raise typer.Exit(1)


def _tell(values: ColumnValues, result: Coverage, show_all: bool, as_json: bool) -> None:
    uncovered = result.uncovered
    if as_json:
        say_json(
            {
                "by": result.by,
                "column": values.where,
                "covered": result.complete,
                "values": result.values,
                "records": result.records,
                "missing": result.missing,
                "uncovered_values": len(uncovered),
                "uncovered_records": result.uncovered_records,
                "uncovered": [
                    {
                        "value": u.value,
                        "records": u.records,
                        "near": u.near if place < UnmatchedValuesError.SUGGESTED else None,
                    }
                    for place, u in enumerate(uncovered)
                ],
                "several_meanings": result.ambiguous,
                "notes": list(map(str, result.notes)),
            }
        )
        return
    remark_notes(result.notes)
    if result.ambiguous:
        remark(f"note: {counted(result.ambiguous, 'value')} with several meanings; ontomask taxonomy match lists them")
    say(f"{values.where} in {result.by}")
    good, kept = result.values - len(uncovered), result.records - result.uncovered_records
    say(
        f"  covered: {good:,} of {counted(result.values, 'value')}, "
        f"{kept:,} of {counted(result.records, 'record')}" + ("" if uncovered else ": all of them")
    )
    if result.missing:
        say(f"  {counted(result.missing, 'record')} without a value, not counted")
    if uncovered:
        say()
        rows = [(_value(u.value), u.records, "; ".join(u.near)) for u in uncovered[: _most(show_all)]]
        title = f"Not covered: {counted(len(uncovered), 'value')}, {counted(result.uncovered_records, 'record')}"
        say_table(title, ["value", "records", "near"], rows)
        _more(uncovered, show_all)


# ---- what both share --------------------------------------------------------------------------------------------


def _most(show_all: bool) -> int | None:
    return None if show_all else SHOWN


def _more(listed: list[Any], show_all: bool) -> None:
    if not show_all and len(listed) > SHOWN:
        say(f"  ... and {len(listed) - SHOWN:,} more; --all lists them")


def _value(value: str) -> str:
    """A value as it is; quoted where blanks would not be seen."""
    return short(repr(value) if value != value.strip() or not value else value, 60)


def _language(language: str) -> str | None:
    name = language.strip().lower()
    return None if name == "none" else _LANGUAGES.get(name, name)


def _require_other(output: str, *inputs: str) -> None:
    """The output must not be one of the files that are read."""
    for name in inputs:
        if Path(name).exists() and Path(output).exists() and Path(name).samefile(output):
            raise OutputError("this is a file that is read", where=output, remedy="Give the output a name of its own.")
