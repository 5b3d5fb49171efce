"""Taxonomies by name: shipped with the package, found on this machine, or of a file or folder."""

from __future__ import annotations

import importlib.util
import lzma
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from ontomask.arguments import as_path, did_you_mean, short_path
from ontomask.errors import MissingDataError, OptionError, TaxonomyFileError
from ontomask.files.extras import load_extra
from ontomask.files.regular_files import exists
from ontomask.files.source import Source
from ontomask.taxonomy.readers import detected_format, read_taxonomy
from ontomask.taxonomy.taxonomy import Taxonomy


def load_taxonomy(name: str, folder: str | Path | None = None) -> Taxonomy:
    """A taxonomy by name. What is loaded once is kept.

    Parameters
    ----------
    name : str
        icd9cm or icd9cm_procedures, which are shipped; icd10cm, which needs the extra ``icd10``; or wordnet.
    folder : path, optional
        Where the files of wordnet are (default: where Debian and NLTK put them).

    Returns
    -------
    Taxonomy
        The taxonomy.

    Examples
    --------
    >>> import ontomask as om
    >>> om.load_taxonomy("icd9cm").label("250")
    'Diabetes mellitus'
    """
    if not isinstance(name, str) or name not in _CATALOG:
        raise OptionError(
            f"no taxonomy {name!r} in the catalog",
            remedy=did_you_mean(name, _CATALOG)
            + f"There are: {', '.join(_CATALOG)}. A file is read with read_taxonomy(path).",
        )
    if folder is None:
        if name not in _LOADED:
            _LOADED[name] = _CATALOG[name][0]()
        return _LOADED[name]
    if name != "wordnet":
        raise OptionError(f"{name!r} takes no folder", remedy="Leave it out; a file is read with read_taxonomy(path).")
    return read_taxonomy(folder, "wordnet")


def list_taxonomies() -> dict[str, str]:
    """The names of the catalog with what each is.

    Returns
    -------
    dict of str to str
        By name.
    """
    return {name: what for name, (_, what) in _CATALOG.items()}


def _shipped(file: str, name: str) -> Taxonomy:
    """A table in preorder: the parent of a line is the last line before it that is one level up."""
    packed = resources.files("ontomask.taxonomy").joinpath("data", f"{file}.tsv.xz").read_bytes()
    lines = lzma.decompress(packed).decode().split("\n")
    origin = [line[2:] for line in lines if line.startswith("# ")]
    codes: list[str] = []
    labels: list[str] = []
    synonyms: dict[int, list[str]] = {}
    parents: list[int] = []
    above: dict[int, int] = {}
    for at, line in enumerate(lines[len(origin) : -1]):
        depth, code, label, *short = line.split("\t")
        level = int(depth)
        above[level] = at
        codes.append(code)
        labels.append(label)
        parents.append(above.get(level - 1, -1))
        if short:
            synonyms[at] = short
    return Taxonomy(
        codes,
        list(enumerate(parents))[1:],
        labels=labels,
        synonyms=synonyms,
        name=name,
        source=" ".join(origin[:3]),
    )


def _icd10cm() -> Taxonomy:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package's own, at import
        icd = load_extra("simple_icd_10_cm", "ICD-10-CM")
    position: dict[str, int] = {}
    labels: list[str] = []
    synonyms: dict[int, list[str]] = {}
    links: list[tuple[int, int]] = []
    every = icd.get_all_codes(True)
    shared = {code for code in every if icd.get_parent(code) == code}
    for code in every:
        # A block of one category has that category's code; the block comes first and gets a range for a code.
        is_block = code in shared and f"{code}-{code}" not in position
        at = position.setdefault(f"{code}-{code}" if is_block else code, len(position))
        labels.append(icd.get_description(code, prioritize_blocks=is_block))
        parent = icd.get_parent(code, prioritize_blocks=is_block)
        if code in shared and not is_block:
            parent = f"{code}-{code}"
        if parent:
            links.append((at, position[parent]))
        terms = icd.get_inclusion_term(code, prioritize_blocks=is_block)
        if terms:
            synonyms[at] = terms
    return Taxonomy(
        list(position),
        links,
        labels=labels,
        synonyms=synonyms,
        name="ICD-10-CM",
        source="ICD-10-CM, National Center for Health Statistics (public domain), through simple-icd-10-cm",
    )


def _wordnet() -> Taxonomy:
    looked = list(_wordnet_places())
    for place in looked:
        if (place / "data.noun").is_file() or (place.suffix == ".zip" and place.is_file()):
            return read_taxonomy(place, "wordnet")
    raise MissingDataError(
        "WordNet is not on this machine",
        remedy="Install it (Debian: apt-get install wordnet-base; or NLTK: python -m nltk.downloader wordnet) or give "
        "its folder: load_taxonomy('wordnet', folder='.../dict'). Looked in: " + ", ".join(map(str, looked)),
    )


def _wordnet_places() -> Iterator[Path]:
    """Where WordNet itself, Debian and NLTK put the files."""
    if "WNSEARCHDIR" in os.environ:
        yield Path(os.environ["WNSEARCHDIR"])
    if "WNHOME" in os.environ:
        yield Path(os.environ["WNHOME"]) / "dict"
    for folder in ("/usr/share/wordnet", "/usr/local/WordNet-3.0/dict", "/usr/local/share/wordnet"):
        yield Path(folder)
    nltk = [Path(p) for p in os.environ.get("NLTK_DATA", "").split(os.pathsep) if p]
    nltk += [Path.home() / "nltk_data", Path(sys.prefix) / "nltk_data", Path(sys.prefix) / "share" / "nltk_data"]
    nltk += [Path("/usr/share/nltk_data"), Path("/usr/local/share/nltk_data"), Path("/usr/lib/nltk_data")]
    for folder_ in nltk:
        yield folder_ / "corpora" / "wordnet"
        yield folder_ / "corpora" / "wordnet.zip"


_CATALOG: dict[str, tuple[Callable[[], Taxonomy], str]] = {
    "icd9cm": (
        partial(_shipped, "icd9cm", "ICD-9-CM diagnoses"),
        "ICD-9-CM diagnoses, fiscal year 2015: 17,727 concepts; shipped",
    ),
    "icd9cm_procedures": (
        partial(_shipped, "icd9cm_procedures", "ICD-9-CM procedures"),
        "ICD-9-CM procedures, fiscal year 2015: 3,882 codes; shipped",
    ),
    "icd10cm": (_icd10cm, "ICD-10-CM diagnoses; needs the extra 'icd10'"),
    "wordnet": (_wordnet, "WordNet nouns, where Debian or NLTK installed them"),
}
_LOADED: dict[str, Taxonomy] = {}


def catalog_name(taxonomy: Taxonomy) -> str | None:
    """The name a taxonomy of the catalog was loaded by; None for others."""
    return next((name for name, loaded in _LOADED.items() if loaded is taxonomy), None)


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
    if not exists(path):
        built_in = f"Built in are: {', '.join(known)}."
        if not any(mark in name for mark in "./\\"):
            raise OptionError(
                f"no taxonomy {short_path(name)!r} is built in, and there is no such file",
                remedy=f"{did_you_mean(name, known)}{built_in} Else give the path of a file.",
            )
        beside = [p.name for p in path.parent.iterdir()] if exists(path.parent) and path.parent.is_dir() else []
        raise TaxonomyFileError(
            "no such file or folder",
            where=short_path(name),
            remedy=f"{did_you_mean(path.name, beside)}Check the path. {built_in}",
        )
    return read_taxonomy(path, format, **options)


def is_levels_file(name: str, format: str | None = None) -> bool:
    """Would :func:`named_taxonomy` read this as a CSV of levels?"""
    if format is not None or name in list_taxonomies():
        return format == "levels"
    source = Source(Path(name))
    return exists(source.path) and source.path.is_file() and detected_format(source) == "levels"
