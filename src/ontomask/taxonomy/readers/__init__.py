"""Taxonomy readers: one module per format, chosen by suffix, content or name."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from ontomask.arguments import as_path, did_you_mean, short_path
from ontomask.errors import OptionError, TaxonomyFileError
from ontomask.files.regular_files import exists, refuse_special
from ontomask.files.source import Source
from ontomask.taxonomy.readers.rdf import is_skos
from ontomask.taxonomy.readers.table import looks_like_levels
from ontomask.taxonomy.taxonomy import Taxonomy

#: Every format has the name of the module that reads it.
FORMATS = ("edges", "prefix", "levels", "obo", "owl", "skos", "rf2", "wordnet", "mesh")
_BY_SUFFIX = {".obo": "obo", ".bin": "mesh", ".skos": "skos"}
_TABLES = (".csv", ".tsv", ".txt", ".tab")
_RDF = (".owl", ".rdf", ".xml", ".ttl", ".nt")
#: Suffixes by which a file of a taxonomy is recognized; .gz may follow.
SUFFIXES = (*_TABLES, *_BY_SUFFIX, *_RDF)


def read_taxonomy(
    path: str | Path, format: str | None = None, *, name: str | None = None, encoding: str | None = None, **options: Any
) -> Taxonomy:
    """Read a taxonomy from a file or folder; ``.gz`` is unpacked on the way.

    Parameters
    ----------
    path : path
        The file or folder.
    format : str, optional
        edges, prefix, levels, obo, owl, skos, rf2, wordnet or mesh; not given: by the suffix (for ``.csv`` and RDF files
        also by the content).
    name : str, optional
        What the taxonomy is called.
    encoding : str, optional
        The encoding of a text file; not given: detected.
    **options
        Options of the format; see docs/formats.md.

    Returns
    -------
    Taxonomy
        ``notes`` say what was noticed.

    Raises
    ------
    TaxonomyFileError
        If the file cannot be read as a taxonomy.
    """
    source = Source(as_path(path), encoding)
    refuse_special(source.path, TaxonomyFileError)
    if not exists(source.path):
        raise TaxonomyFileError("no such file or folder", where=short_path(source.where), remedy="Check the path.")
    if format is not None and (not isinstance(format, str) or format not in FORMATS):
        raise OptionError(
            f"no taxonomy format {format!r}",
            remedy=did_you_mean(format, FORMATS) + f"There are: {', '.join(FORMATS)}.",
        )
    chosen = format or detected_format(source)
    read: Callable[..., Taxonomy] = import_module(f"ontomask.taxonomy.readers.{chosen}").read
    known = [p for p in inspect.signature(read).parameters if p not in ("source", "name")]
    for option in options:
        if option not in known:
            raise OptionError(
                f"the format {chosen!r} has no option {option!r}",
                remedy=f"It takes: {', '.join(known)}." if known else "It takes none.",
            )
    with _collector_paused():
        return read(source, name=name, **options)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Reading makes millions of small objects, all of which stay: the collector would walk them again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def detected_format(source: Source) -> str:
    if source.path.is_dir():
        if (source.path / "data.noun").exists():
            return "wordnet"
        if any(source.path.rglob("sct2_Concept_*.txt")):
            return "rf2"
        raise TaxonomyFileError(
            "the folder holds neither WordNet (data.noun) nor a SNOMED CT release (sct2_Concept_*.txt)",
            where=source.where,
            remedy="Give the folder that holds these files, or a file.",
        )
    if source.path.name in ("data.noun", "index.noun"):
        source.path = source.path.parent
        return "wordnet"
    suffix = source.suffix
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    if suffix in _RDF:
        return "skos" if is_skos(source) else "owl"
    if suffix in _TABLES:
        if not looks_like_levels(source):
            return "edges"
        source.notes.append(
            "read as levels (leaf;...;root), because no child and parent column is named and the last column is constant"
        )
        return "levels"
    raise TaxonomyFileError(
        f"the suffix {suffix or '(none)'!r} tells no format",
        where=source.where,
        remedy="Name it: format=" + ", ".join(map(repr, FORMATS)) + ".",
    )
