"""Writing a taxonomy as an edge CSV that :func:`ontomask.read_taxonomy` reads back unchanged; and mapping files to edit."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

from ontomask.arguments import as_path
from ontomask.errors import OVERWRITE, TaxonomyFileError, UnmatchedValuesError
from ontomask.files.regular_files import exists
from ontomask.files.writing import replacing
from ontomask.taxonomy.match_result import Match, Matching
from ontomask.taxonomy.matching import SCORES
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
