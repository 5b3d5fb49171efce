"""Taxonomies by name, file or folder; and which built-in ones this machine has."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any, NamedTuple

from ontomask.arguments import as_path, did_you_mean, short_path
from ontomask.errors import OptionError, TaxonomyFileError
from ontomask.files.source import Source
from ontomask.taxonomy.catalog import _wordnet_places, list_taxonomies, load_taxonomy
from ontomask.taxonomy.readers import _detect, read_taxonomy
from ontomask.taxonomy.taxonomy import Taxonomy


class Entry(NamedTuple):
    """A taxonomy of the catalog; ``lacking`` says what this machine lacks for it, None where it can be loaded."""

    name: str
    what: str
    lacking: str | None


def catalog() -> list[Entry]:
    """The catalog, and which of it can be loaded on this machine; nothing is loaded to find out."""
    return [Entry(name, what, _lacking(name)) for name, what in list_taxonomies().items()]


def _lacking(name: str) -> str | None:
    if name == "icd10cm" and importlib.util.find_spec("simple_icd_10_cm") is None:
        return "pip install 'ontomask[icd10]'"
    if name == "wordnet" and not any((p / "data.noun").is_file() or p.is_file() for p in _wordnet_places()):
        return "install WordNet (Debian: wordnet-base; NLTK: wordnet), or give its folder"
    return None


def named_taxonomy(name: str, format: str | None = None, **options: Any) -> Taxonomy:
    """A taxonomy of the catalog, or else of a file or folder; ``format`` and ``options`` are for files.

    >>> named_taxonomy("icd9cm").label("250")
    'Diabetes mellitus'
    """
    known = list_taxonomies()
    if name in known:
        given = [*([] if format is None else ["format"]), *options]
        if given:
            raise OptionError(
                f"{name!r} is built in and takes no {', '.join(given)}",
                remedy=f"Leave it out; a file of that name is ./{name}.",
            )
        return load_taxonomy(name)
    path = as_path(name)
    if not _exists(path):
        built_in = f"Built in are: {', '.join(known)}."
        if not any(mark in name for mark in "./\\"):
            raise OptionError(
                f"no taxonomy {short_path(name)!r} is built in, and there is no such file",
                remedy=f"{did_you_mean(name, known)}{built_in} Else give the path of a file.",
            )
        beside = [p.name for p in path.parent.iterdir()] if _exists(path.parent) and path.parent.is_dir() else []
        raise TaxonomyFileError(
            "no such file or folder",
            where=short_path(name),
            remedy=f"{did_you_mean(path.name, beside)}Check the path. {built_in}",
        )
    return read_taxonomy(path, format, **options)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name the file system cannot have
        return False


def is_levels_file(name: str, format: str | None = None) -> bool:
    """Would :func:`named_taxonomy` read this as a CSV of levels?"""
    if format is not None or name in list_taxonomies():
        return format == "levels"
    source = Source(Path(name))
    return _exists(source.path) and source.path.is_file() and _detect(source) == "levels"
