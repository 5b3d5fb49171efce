"""WordNet's ``dict`` folder: the noun hierarchy from data.noun and index.noun (Princeton format, wndb(5)).

Hypernyms and instance hypernyms are is-a: without the latter 7,726 nouns would be roots. Only parents are read;
children follow from them. A concept's code is the usual name of the synset, ``dog.n.01``: first word, part of
speech, number of the sense; its eight-digit offset works too. The index lists the senses of a word by frequency.
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from ontomask.files.regular_files import require_reasonable
from ontomask.files.source import Source
from ontomask.taxonomy.taxonomy import Taxonomy

_POINTER = re.compile(r" (@i?|#[mps]) (\d{8}) n 0000")
_RELATIONS = {"#m": "member of", "#p": "part of", "#s": "substance of"}
_EXAMPLE = re.compile(r';\s*"')


def read(source: Source, name: str | None = None) -> Taxonomy:
    """From the folder that holds data.noun and index.noun, or NLTK's wordnet.zip."""
    data, index = (_lines(source, file) for file in ("data.noun", "index.noun"))
    offsets: list[str] = []
    words: list[list[str]] = []
    definitions: dict[int, str] = {}
    pointers: list[tuple[int, str, str]] = []
    for number, line in data:
        head, _, gloss = line.partition(" | ")
        fields = head.split(" ", 4)
        try:
            count = 2 * int(fields[3], 16)
            rest = fields[4].split(" ", count)
        except (IndexError, ValueError):
            raise source.error(
                "not a line of WordNet's data.noun", line=number, remedy="Is the folder complete?"
            ) from None
        at = len(offsets)
        offsets.append(fields[0])
        words.append(rest[:count:2])
        pointers += [(at, kind, target) for kind, target in _POINTER.findall(" " + rest[count])]
        definition = _EXAMPLE.split(gloss, maxsplit=1)[0].strip()
        if definition:
            definitions[at] = definition
    position = {offset: at for at, offset in enumerate(offsets)}
    senses = _senses(source, index, position)
    concepts = _names(offsets, words, senses)
    links: dict[str, list[tuple[int, int]]] = {}
    for at, kind, target in pointers:
        if target not in position:
            raise source.error(f"{concepts[at]} points to {target}, which data.noun does not hold")
        links.setdefault(_RELATIONS.get(kind, "is-a"), []).append((at, position[target]))
    return Taxonomy(
        concepts,
        links.pop("is-a", []),
        labels=[w[0].replace("_", " ") for w in words],
        synonyms={at: [word.replace("_", " ") for word in w[1:]] for at, w in enumerate(words) if len(w) > 1},
        definitions=definitions,
        relations=links,
        aliases=position,
        senses=senses,
        name=name or "WordNet nouns",
        source="WordNet, Princeton University (data.noun)",
        notes=source.notes,
        where=source.where,
    )


def _lines(source: Source, file: str) -> list[tuple[int, str]]:
    """The numbered lines of a file of the folder or archive, without the licence at its head."""
    if source.path.is_dir():
        part = Source(source.path / file)
        if not part.path.exists():
            raise source.error(f"no file {file} in this folder", remedy="Give WordNet's dict folder.")
        text = part.text()
    else:
        text = _from_archive(source, file)
    lines = [(i, line) for i, line in enumerate(text.split("\n"), 1) if line and not line.startswith(" ")]
    if not lines:
        raise source.error(f"{file} is empty", remedy="Is the folder complete?")
    return lines


def _from_archive(source: Source, file: str) -> str:
    try:
        with source.open() as stream, zipfile.ZipFile(stream) as archive:
            inside = next((n for n in archive.namelist() if Path(n).name == file), None)
            if inside is None:
                raise source.error(
                    f"no {file} in this archive", remedy="Give WordNet's dict folder or NLTK's wordnet.zip."
                )
            entry = archive.getinfo(inside)  # no more than it declares is unpacked
            require_reasonable(entry.file_size, source.path.stat().st_size)
            return archive.read(entry).decode("utf-8", errors="replace").replace("\r\n", "\n")
    except zipfile.BadZipFile:
        raise source.error("not a WordNet folder and no zip archive", remedy="Give WordNet's dict folder.") from None


def _senses(source: Source, index: list[tuple[int, str]], position: dict[str, int]) -> dict[str, list[int]]:
    """word -> its synsets, most frequent first: the last fields of an index line are their offsets."""
    senses: dict[str, list[int]] = {}
    for number, line in index:
        fields = line.split()
        try:
            senses[fields[0]] = [position[offset] for offset in fields[-int(fields[2]) :]]
        except (IndexError, ValueError, KeyError):
            raise source.error(
                "not a line of WordNet's index.noun, or of another version than data.noun", line=number
            ) from None
    return senses


def _names(offsets: list[str], words: list[list[str]], senses: dict[str, list[int]]) -> list[str]:
    names: list[str] = []
    taken: set[str] = set()
    for at, (offset, synonyms) in enumerate(zip(offsets, words, strict=True)):
        first = synonyms[0].lower()
        known = senses.get(first, [])
        # A word the index does not list, or a name given away already, leaves the offset, which is unique.
        called = f"{first}.n.{known.index(at) + 1:02d}" if at in known else offset
        names.append(offset if called in taken else called)
        taken.add(names[-1])
    return names
