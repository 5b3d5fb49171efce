"""Conversion of any format to the edge CSV, and what the CSV loses, found by reading it back."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ontomask.arguments import as_path, counted, some_of
from ontomask.errors import OptionError, OutputError
from ontomask.taxonomy.catalog import named_taxonomy
from ontomask.taxonomy.readers import read_taxonomy
from ontomask.taxonomy.taxonomy import Taxonomy
from ontomask.taxonomy.writing import write_taxonomy


@dataclass(frozen=True)
class Conversion:
    """A file that was written, the taxonomy it was made from, and what of it is ``lost`` in the file."""

    path: Path
    taxonomy: Taxonomy
    lost: list[str]


def convert_taxonomy(
    source: str, path: str | Path, format: str | None = None, *, overwrite: bool = False, **options: Any
) -> Conversion:
    """Write a taxonomy of the catalog or of a file as an edge CSV (child, parent, label, synonyms), packed if .csv.gz.

    ``format`` and ``options`` tell how ``source`` is read. The file is read back to see what is lost.
    """
    target = as_path(path)
    if not target.name.lower().removesuffix(".gz").endswith(".csv"):
        raise OptionError(
            f"{target.name!r} does not end in .csv or .csv.gz",
            remedy="Taxonomies are written as CSV (child, parent, label, synonyms); name the file so.",
        )
    try:
        same = os.path.samefile(source, target)
    except (OSError, ValueError):  # one of them is not a file
        same = False
    if same:
        raise OutputError(
            "this is the file the taxonomy comes from", where=str(target), remedy="Give the output a name of its own."
        )
    taxonomy = named_taxonomy(source, format, **options)
    write_taxonomy(taxonomy, target, overwrite=overwrite)
    return Conversion(target, taxonomy, differences(taxonomy, read_taxonomy(target, "edges", encoding="utf-8")))


def differences(before: Taxonomy, after: Taxonomy) -> list[str]:
    """What of one taxonomy another does not have, in words; nothing where they are the same."""
    told = _structure(before, after)
    labels = _changed(before, after, slice(1))
    if labels:
        told.append(f"line breaks or outer blanks in {counted(labels, 'label')}")
    synonyms = _changed(before, after, slice(1, None))
    if synonyms:
        told.append(f"repetitions, line breaks or outer blanks in the synonyms of {counted(synonyms, 'concept')}")
    definitions = len(before._definitions) - len(after._definitions)
    if definitions > 0:
        told.append(f"{counted(definitions, 'definition')} (the measures rodriguez and x_similarity use them)")
    relations = {name: len(links.index) for name, links in before.relations.items() if name not in after.relations}
    if relations:
        shown = some_of([f"{name} ({count:,})" for name, count in relations.items()])
        told.append(f"{counted(len(relations), 'relation')} other than is-a: {shown}")
    aliases = before.aliases.keys() - after.aliases.keys()
    if aliases:
        told.append(f"{counted(len(aliases), 'alternative code')}, such as {min(aliases)!r}")
    senses = sum(len(meant) > 1 for meant in before.senses.values())
    if senses and not after.senses:
        told.append(
            f"which meaning of {counted(senses, 'word')} is the most frequent: matching takes the first in the file"
        )
    return told


def _structure(before: Taxonomy, after: Taxonomy) -> list[str]:
    """Concepts, links and their order; the artificial root is made anew by reading and has no code of its own."""
    own = {before.artificial_root, after.artificial_root}
    codes, others = ([c for c in t.concepts if c not in own] for t in (before, after))
    gone = set(codes) ^ set(others)
    if gone:
        return [f"{counted(len(gone), 'concept')} that are read back otherwise, such as {min(gone)!r}"]
    sentences = []
    links = _links(before) ^ _links(after)
    if links:
        sentences.append(f"{counted(len(links), 'is-a link')} that are read back otherwise, such as {min(links)}")
    if codes != others:
        sentences.append("the order of the concepts, which breaks ties")
    return sentences


def _links(t: Taxonomy) -> set[tuple[str, str]]:
    return {
        (c, t.concepts[p]) for at, c in enumerate(t.concepts) for p in t.dag.parents.row(at) if at != t.dag.root
    } - {(c, t.root) for c in (t.children(t.root) if t.artificial_root else ())}


def _changed(before: Taxonomy, after: Taxonomy, part: slice) -> int:
    """How many concepts of both, but artificial roots, have another label or other synonyms, by the part of their terms."""
    old, new = (
        {c: t.terms(at)[part] for at, c in enumerate(t.concepts) if c != t.artificial_root} for t in (before, after)
    )
    return sum(new[code] != texts for code, texts in old.items() if code in new)
