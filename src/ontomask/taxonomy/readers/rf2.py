"""SNOMED CT releases in Release Format 2: a folder with sct2_Concept, sct2_Description and sct2_Relationship files.

Files of one kind, such as those of the international edition and of an extension, are taken together; the newest row
of an identifier counts. Only active components are read and only inferred relationships, so the hierarchy is the
classified one. Concepts stand in the order of their identifiers: snapshot and full files give the same taxonomy.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl

from ontomask.arrays import Longs
from ontomask.errors import OntomaskError, OptionError, UnknownParentError
from ontomask.files.source import Source
from ontomask.taxonomy.taxonomy import Taxonomy

IS_A = 116680003
FULLY_SPECIFIED = 900000000000003001
SYNONYM = 900000000000013009
INFERRED = 900000000000011006

_KINDS = ("Concept", "Description", "Relationship", "TextDefinition")
_FILE = re.compile(rf"x?sct2_({'|'.join(_KINDS)})_[^_]*?(Snapshot|Full)(?:-([A-Za-z]+)[^_]*)?_.*\.txt")
_NUMBERS = {
    "Concept": ("id", "effectiveTime", "active"),
    "Description": ("id", "effectiveTime", "active", "conceptId", "typeId"),
    "Relationship": ("id", "effectiveTime", "active", "sourceId", "destinationId", "typeId", "characteristicTypeId"),
}
_NUMBERS["TextDefinition"] = _NUMBERS["Description"]
_TEXTS = {"Description": ("languageCode", "term"), "TextDefinition": ("languageCode", "term")}

_LAST = "the last column"
_TAG = r"\s*\([^()]*\)$"


def read(
    source: Source,
    name: str | None = None,
    *,
    view: str | None = None,
    language: str = "en",
    unknown_parents: str = "error",
) -> Taxonomy:
    """``view`` is "snapshot" or "full" (default: snapshot where there is one). Concepts without a description in
    ``language`` show the English one. ``unknown_parents="drop"`` leaves out is-a links to concepts that are not
    active in the folder, as when an extension is read without the edition it extends."""
    for option, given, known in (
        ("view", view, ("snapshot", "full", None)),
        ("unknown_parents", unknown_parents, ("error", "drop")),
    ):
        if given not in known:
            raise OptionError(f"no {option}={given!r}", remedy=f"It is one of: {', '.join(map(repr, known))}.")
    language = language.lower().split("-")[0]
    view, files = _files(source, view, language)
    full = view == "full"
    concepts = _active(files["Concept"], "Concept", full)
    if len(concepts) == 0:
        raise source.error("no active concept", remedy="Check the sct2_Concept files.")
    ids = np.sort(concepts["id"].to_numpy())
    links = _active(files["Relationship"], "Relationship", full)
    ends, related = _links(source, ids, links, unknown_parents)
    descriptions = _placed(ids, _active(files["Description"], "Description", full), language)
    labels, synonyms = _names(source, len(ids), descriptions)
    definitions = _placed(ids, _active(files["TextDefinition"], "TextDefinition", full), language)
    return Taxonomy(
        [str(i) for i in ids.tolist()],
        ends,
        labels=labels,
        synonyms=synonyms,
        definitions=_first_texts(definitions),
        relations=_relations(ids, labels, related),
        name=name or source.stem,
        source=f"{source.path.name}, SNOMED CT RF2 {view}, version {concepts['effectiveTime'].to_numpy().max()}",
        notes=source.notes,
        where=source.where,
    )


# ---- files --------------------------------------------------------------------------------------------------------


def _files(source: Source, view: str | None, language: str) -> tuple[str, dict[str, list[Path]]]:
    """The files of each kind in the view asked for, or in the better one there is."""
    if not source.path.is_dir():
        raise source.error("a SNOMED CT release is a folder", remedy="Unpack it and give the folder.")
    found: dict[tuple[str, str], list[tuple[Path, str | None]]] = {}
    for path in sorted(source.path.rglob("*sct2_*.txt")):
        match = _FILE.fullmatch(path.name)
        if match:
            found.setdefault((match[2].lower(), match[1]), []).append((path, match[3] and match[3].lower()))
    if view is None:
        view = "snapshot" if ("snapshot", "Concept") in found else "full"
    missing = [kind for kind in _KINDS[:3] if (view, kind) not in found]
    if missing:
        looked = ", ".join(f"sct2_{kind}_{view.capitalize()}*.txt" for kind in missing)
        others = sorted({v for v, _ in found} - {view})
        raise source.error(
            f"no {looked} in the folder or below",
            remedy="Give the folder of a whole release"
            + (f", or read its other view: view={others[0]!r}." if others else " (delta files are not enough)."),
        )
    spoken = [tongue for _, tongue in found[view, "Description"]]
    if not {language, "en", None} & set(spoken):
        there = ", ".join(sorted({str(tongue) for tongue in spoken}))
        raise source.error(f"no descriptions in {language!r} or English", remedy=f"There are: {there}.")
    return view, {
        kind: [path for path, tongue in found.get((view, kind), []) if tongue in (language, "en", None)]
        for kind in _KINDS
    }


def _active(paths: list[Path], kind: str, full: bool) -> pl.DataFrame:
    """The active rows of all files of a kind, of each identifier the newest."""
    numbers, texts = _NUMBERS[kind], _TEXTS.get(kind, ())
    if not paths:
        return pl.DataFrame(schema={**dict.fromkeys(numbers, pl.Int64), **dict.fromkeys(texts, pl.String)})
    rows = pl.concat([_rows(path, numbers, texts) for path in paths])
    if full or len(paths) > 1:
        rows = rows.sort("effectiveTime", maintain_order=True).unique("id", keep="last", maintain_order=True)
    return rows.filter(pl.col("active") == 1)


def _rows(path: Path, numbers: tuple[str, ...], texts: tuple[str, ...]) -> pl.DataFrame:
    """One file: the columns needed, identifiers as numbers."""
    file = Source(path)
    header = _header(file)
    absent = [c for c in (*numbers, *texts) if c not in header]
    if absent:
        raise file.error(
            f"no column {', '.join(map(repr, absent))}",
            remedy=f"The columns are: {', '.join(map(repr, header[:12]))}. RF2 is tab-separated with one header line.",
        )
    try:
        rows = (
            pl.scan_csv(path, separator="\t", quote_char=None, infer_schema_length=0, comment_prefix="#")
            .filter(pl.col("id").is_not_null())  # blank lines
            .select(*(pl.col(c).cast(pl.Int64, strict=False) for c in numbers), *texts, pl.col(header[-1]).alias(_LAST))
            .collect()
        )
    except pl.exceptions.PolarsError as problem:
        raise _damage(file, header, numbers, str(problem).splitlines()[0]) from None
    if any(rows[c].null_count() for c in (*numbers, _LAST)):
        raise _damage(file, header, numbers, "a row is cut off")
    return rows.drop(_LAST)


def _header(file: Source) -> list[str]:
    """The cells of the first line that is neither empty nor a comment."""
    for line in file.head().decode("utf-8-sig", errors="replace").splitlines():
        if line.strip() and not line.startswith("#"):
            return line.split("\t")
    raise file.error("there is no header line", remedy="RF2 files begin with the names of their columns.")


def _damage(file: Source, header: list[str], numbers: tuple[str, ...], otherwise: str) -> OntomaskError:
    """What is wrong with a file that polars could not take, and in which line."""
    again = "The file is damaged or cut off: unpack the release again."
    at = [header.index(c) for c in numbers]
    in_header = True
    with file.path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if line.startswith(b"#") or not line.strip():
                continue
            if in_header:
                in_header = False
                continue
            try:
                cells = line.decode().rstrip("\r\n").split("\t")
            except UnicodeDecodeError:
                return file.error("the line is not UTF-8, which RF2 files are", line=number, remedy=again)
            if len(cells) != len(header):
                return file.error(f"{len(cells)} cells where {len(header)} are expected", line=number, remedy=again)
            bad = next((i for i in at if not cells[i].isdecimal()), None)
            if bad is not None:
                return file.error(f"{cells[bad]!r} is not a valid {header[bad]}", line=number, remedy=again)
    return file.error(otherwise, remedy=again)


# ---- links --------------------------------------------------------------------------------------------------------


def _positions(ids: Longs, wanted: Longs) -> Longs:
    """Where identifiers stand among the sorted ``ids``; -1 for those that do not."""
    at = np.searchsorted(ids, wanted)
    at[at == len(ids)] = 0
    at[ids[at] != wanted] = -1
    return at


def _links(
    source: Source, ids: Longs, rows: pl.DataFrame, unknown_parents: str
) -> tuple[Longs, tuple[Longs, Longs, Longs]]:
    """The is-a links as rows (child, parent) of positions; all else as (from, type identifier, to)."""
    rows = rows.filter(pl.col("characteristicTypeId") == INFERRED)
    kind, above = rows["typeId"].to_numpy(), rows["destinationId"].to_numpy()
    child, parent = _positions(ids, rows["sourceId"].to_numpy()), _positions(ids, above)
    is_a = (kind == IS_A) & (child >= 0)
    if not is_a.any():
        raise source.error(
            f"no active inferred is-a relationship (typeId {IS_A}) of an active concept",
            remedy="Check the sct2_Relationship files; stated relationships are not read.",
        )
    lost = np.flatnonzero(is_a & (parent < 0))
    if len(lost) and unknown_parents == "error":
        raise UnknownParentError(
            str(ids[child[lost[0]]]),
            str(above[lost[0]]),
            where=source.where,
            remedy=f"{len(lost):,} is-a links lead to concepts that are inactive or not in the folder. Put the edition "
            "that this release extends into the same folder, or read with unknown_parents='drop'.",
        )
    if len(lost):
        source.notes.append(f"{len(lost):,} is-a links to concepts that are inactive or not in the folder are dropped")
    inside = (child >= 0) & (parent >= 0)
    other = inside & (kind != IS_A)
    loose = len(kind) - len(lost) - int(inside.sum())
    if loose:
        source.notes.append(f"{loose:,} relationships from or to concepts that are not active are left out")
    is_a &= inside
    return np.stack((child[is_a], parent[is_a]), axis=1), (child[other], kind[other], parent[other])


def _relations(ids: Longs, labels: list[str], related: tuple[Longs, Longs, Longs]) -> dict[str, Longs]:
    """By the name of their type; one that role groups repeat counts once."""
    start, kind, end = related
    found = {}
    for identifier in np.unique(kind).tolist():
        at = int(_positions(ids, np.array([identifier]))[0])
        called = (_without_tag(labels[at]) if at >= 0 else "") or str(identifier)
        if called in found:
            called = f"{called} ({identifier})"
        here = kind == identifier
        pairs = np.unique(start[here] * len(ids) + end[here])
        found[called] = np.stack((pairs // len(ids), pairs % len(ids)), axis=1)
    return found


# ---- texts --------------------------------------------------------------------------------------------------------


def _without_tag(term: str) -> str:
    """A fully specified name without its semantic tag: "Asthma (disorder)" -> "Asthma"."""
    return re.sub(_TAG, "", term)


def _placed(ids: Longs, rows: pl.DataFrame, language: str) -> pl.DataFrame:
    """The texts of active concepts with their positions, in the language or else English (``other``)."""
    return (
        rows.with_columns(at=pl.Series(_positions(ids, rows["conceptId"].to_numpy()), dtype=pl.Int64))
        .with_columns(other=pl.col("languageCode").str.to_lowercase().str.split("-").list.first() != language)
        .filter(pl.col("at") >= 0, pl.col("term").is_not_null())
        .filter(~pl.col("other") | (pl.col("languageCode").str.to_lowercase().str.starts_with("en")))
        .select("at", "other", "typeId", term=pl.col("term").str.strip_chars())
    )


def _names(source: Source, n: int, rows: pl.DataFrame) -> tuple[list[str], dict[int, list[str]]]:
    """Labels are fully specified names. Synonyms are theirs without the tag, and the terms of the best language."""
    full_names = rows.filter(pl.col("typeId") == FULLY_SPECIFIED)
    terms = rows.filter(pl.col("typeId") == SYNONYM)
    terms = terms.filter(pl.col("other") == pl.col("other").min().over("at"))
    labels = [""] * n
    for rows_ in (terms, full_names):
        for at, term in _first_texts(rows_).items():
            labels[at] = term
    label = pl.Series("label", labels, dtype=pl.String)
    short = pl.DataFrame({"at": pl.Series(range(n), dtype=pl.Int64), "term": label.str.replace(_TAG, "")})
    every = pl.concat([short, terms.select("at", "term")]).unique(maintain_order=True)
    grouped = (
        every.filter(every["term"] != label.gather(every["at"]), every["term"] != "")
        .group_by("at", maintain_order=True)
        .agg("term")
    )
    foreign = rows.filter(pl.col("other").all().over("at"))["at"].n_unique()
    if foreign:
        source.notes.append(
            f"{foreign:,} concepts have no description in the language asked for and show the English one"
        )
    return labels, dict(zip(grouped["at"].to_list(), grouped["term"].to_list(), strict=True))


def _first_texts(rows: pl.DataFrame) -> dict[int, str]:
    """The first text of every concept, the language asked for before English."""
    first = rows.sort("other", maintain_order=True).unique("at", keep="first", maintain_order=True)
    return dict(zip(first["at"].to_list(), first["term"].to_list(), strict=True))
