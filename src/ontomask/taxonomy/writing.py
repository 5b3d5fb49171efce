"""Writing a taxonomy as an edge CSV that :func:`ontomask.read_taxonomy` reads back unchanged, from any format; what the CSV
loses is found by reading it back. And mapping files to edit.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
from pathlib import Path
from typing import Any

from ontomask.arguments import as_path, counted, some_of
from ontomask.errors import OVERWRITE, OptionError, OutputError, TaxonomyFileError, UnmatchedValuesError
from ontomask.files.regular_files import exists
from ontomask.files.writing import replacing
from ontomask.taxonomy.catalog import named_taxonomy
from ontomask.taxonomy.match_result import Match, Matching
from ontomask.taxonomy.matching import SCORES
from ontomask.taxonomy.readers import read_taxonomy
from ontomask.taxonomy.taxonomy import Taxonomy, require_taxonomy


def write_taxonomy(taxonomy: Taxonomy, path: str | Path, *, overwrite: bool = False, private: bool = False) -> Path:
    """Write a taxonomy as a CSV that :func:`ontomask.read_taxonomy` reads, whole or not at all.

    Parameters
    ----------
    taxonomy : Taxonomy
        What to write.
    path : path
        The file; gzip by the suffix ``.gz``.
    overwrite : bool, default False
        Replace a file that exists.
    private : bool, default False
        Only the owner can read the file.

    Returns
    -------
    Path
        The file.

    Notes
    -----
    Columns child, parent, label, synonyms; a row for each link, an empty parent for a root. An artificial root is left
    out (reading joins the roots again). Definitions and other relations cannot be stored in the format, nor can
    line breaks and outer blanks in labels.
    """
    target = as_path(path)
    require_taxonomy(taxonomy)
    if exists(target) and not overwrite:
        raise TaxonomyFileError(
            "the file exists", where=str(target), remedy=("Choose another name, or ", OVERWRITE, ".")
        )
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("child", "parent", "label", "synonyms"))
    dag, artificial = taxonomy.dag, taxonomy.artificial_root
    for at, concept in enumerate(taxonomy.concepts):
        if concept == artificial:
            continue
        label, *synonyms = map(_one_line, taxonomy.terms(at))
        escaped = (s.replace("\\", "\\\\").replace("|", "\\|") for s in synonyms if s)
        cells = (label if label != concept else "", "|".join(escaped))
        parents = [taxonomy.concepts[p] for p in dag.parents.row(at)]
        for parent in parents or [""]:
            writer.writerow((concept, "" if parent == artificial else parent, *cells))
            cells = ("", "")  # once is enough
    data = text.getvalue().encode()
    if target.suffix.lower() == ".gz":
        data = gzip.compress(data, mtime=0)
    try:
        with replacing(target, private=private) as part:
            part.write_bytes(data)
    except OSError as problem:
        raise TaxonomyFileError(
            f"the file cannot be written ({problem.strerror})",
            where=str(target),
            remedy="Check the folder and your rights.",
        ) from problem
    return target


def _one_line(text: str) -> str:
    return " ".join(text.splitlines()).strip()


# ---- conversion ----------------------------------------------------------------------------------------------------


def convert_taxonomy(
    source: str, path: str | Path, format: str | None = None, *, overwrite: bool = False, **options: Any
) -> tuple[Taxonomy, list[str]]:
    """Write a taxonomy of the catalog or of a file as an edge CSV (child, parent, label, synonyms), packed if .csv.gz.

    ``format`` and ``options`` tell how ``source`` is read. Returns the taxonomy, and what of it is lost in the file, which is
    read back to see it.
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
    return taxonomy, differences(taxonomy, read_taxonomy(target, "edges", encoding="utf-8"))


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


# ---- mapping files -------------------------------------------------------------------------------------------------


def mapping_text(matching: Matching) -> str:
    """A CSV with the columns value and concept, which ``mapping=`` reads, and label, how, records and near to judge by.

    Values without a place come first, their concept empty: fill it in. (An empty concept decides nothing: the value is
    matched as if it were not in the file.) Then values with several meanings, then those placed by a less certain way.
    ``near`` holds suggestions, or the other meanings.

    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("lumbago", "ache"), ("ache", "pain")])
    >>> print(mapping_text(om.match(["lumbago", "ake", "aches"], t)), end="")
    value,concept,label,how,records,near
    ake,,,not placed,1,ache
    aches,ache,ache,stem,1,
    lumbago,lumbago,lumbago,code,1,
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("value", "concept", "label", "how", "records", "near"))
    taxonomy = matching.taxonomy
    for place, unmatched in enumerate(sorted(matching.unmatched, key=lambda u: -u.count)):
        wanted = place < UnmatchedValuesError.SUGGESTED  # each takes a look at the whole taxonomy
        near = "; ".join(s.text for s in unmatched.suggestions) if wanted else ""
        writer.writerow((unmatched.value, "", "", "not placed", unmatched.count, near))

    def certainty(row: Match) -> tuple[bool, float]:
        return not row.others, SCORES[row.how]

    for row in sorted(matching.rows, key=certainty):
        others = "; ".join(f"{code} ({taxonomy.label(code)})" for code in row.others)
        writer.writerow((row.value, row.concept, taxonomy.label(row.concept), row.how, row.count, others))
    return text.getvalue()
