"""OBO flat files: ``[Term]`` stanzas of tag-value lines.

Obsolete terms stay out of the graph. ``alt_id`` and a single ``replaced_by`` of an obsolete term lead to the living
term; ``consider`` is a hint for people and is not followed. Other stanzas, such as ``[Instance]``, are counted in a note.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from ontomask.arguments import counted, short
from ontomask.errors import UnknownParentError
from ontomask.files.source import Source
from ontomask.taxonomy.taxonomy import Taxonomy

#: The tags that matter; a real file consists mostly of others (cross references, comments, dates).
_TAGS = re.compile(r"^(synonym|is_a|def|name|id|alt_id|relationship|is_obsolete|replaced_by):[ \t]+(.+)$", re.MULTILINE)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPED = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "W": " "}


def read(source: Source, name: str | None = None, *, unknown_parents: str = "error") -> Taxonomy:
    """``unknown_parents``: a link to a term the file does not hold is an "error", or "drop" leaves it out."""
    if unknown_parents not in ("error", "drop"):
        raise source.error(f"unknown_parents={unknown_parents!r}", remedy="Choose 'error' or 'drop'.")
    head = source.head()
    if b"[Term]" not in head and b"format-version:" not in head and b"[Typedef]" not in head:
        raise source.error("no OBO header and no [Term] in its beginning", remedy="Is it an OBO file?")
    header, *stanzas = source.text().split("\n[")
    line = header.count("\n") + 2
    if header.startswith("["):
        stanzas.insert(0, header[1:])
        header, line = "", 1
    reading = _Reading(source)
    others: Counter[str] = Counter()
    for stanza in stanzas:
        kind, _, body = stanza.partition("]")
        if kind == "Term":
            reading.term(body, line)
        elif kind == "Typedef":
            reading.typedef(body)
        else:
            others[kind] += 1
        line += stanza.count("\n") + 1
    for kind, times in others.items():
        are = "is" if times == 1 else "are"
        source.notes.append(f"{counted(times, 'stanza')} [{short(kind)}] {are} left out: only terms are concepts")
    facts = dict(row.split(": ", 1) for row in header.split("\n") if ": " in row)
    return reading.finish(name or facts.get("ontology", source.stem).removesuffix(".obo"), facts, unknown_parents)


class _Reading:
    """What has been read so far."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.position: dict[str, int] = {}
        self.labels: list[str] = []
        self.parents: list[tuple[int, str, int]] = []
        self.related: list[tuple[int, str, str]] = []
        self.synonyms: dict[int, list[str]] = {}
        self.definitions: dict[int, str] = {}
        self.alternatives: list[tuple[str, int]] = []
        self.obsolete: dict[str, list[str]] = {}
        self.relation_names: dict[str, str] = {}

    def term(self, body: str, first_line: int) -> None:
        code = label = ""
        parents: list[str] = []
        related: list[tuple[str, str]] = []
        synonyms: list[str] = []
        alternatives: list[str] = []
        replaced: list[str] = []
        definition = None
        obsolete = False
        for tag, value in _TAGS.findall(body):
            if tag == "synonym":
                text, scope = self._quoted(value, first_line)
                if scope.startswith((" EXACT", " RELATED")):  # broader and narrower ones mean something else
                    synonyms.append(text)
            elif tag == "is_a":
                parents.append(_value(value))
            elif tag == "def":
                definition = self._quoted(value, first_line)[0]
            elif tag == "name":
                label = _unescape(value.strip())
            elif tag == "id":
                code = _value(value)
            elif tag == "alt_id":
                alternatives.append(_value(value))
            elif tag == "relationship":
                parts = _value(value).split()
                if len(parts) >= 2:
                    related.append((parts[0], parts[1]))
            elif tag == "is_obsolete":
                obsolete = value.strip().startswith("true")
            elif tag == "replaced_by":
                replaced.append(_value(value))
        if not code:
            raise self.source.error("a [Term] without an id", line=first_line, remedy="Give it an id: line.")
        if obsolete:
            self.obsolete[code] = replaced
            return
        if code in self.position:
            raise self.source.error(
                f"the term {code!r} occurs twice", line=first_line, remedy="Remove or merge one of the stanzas."
            )
        at = self.position[code] = len(self.position)
        self.labels.append(label or code)
        self.parents += [(at, parent, first_line) for parent in parents]
        self.related += [(at, relation, target) for relation, target in related]
        self.alternatives += [(a, at) for a in alternatives]
        if synonyms:
            self.synonyms[at] = list(dict.fromkeys(synonyms))
        if definition:
            self.definitions[at] = definition

    def typedef(self, body: str) -> None:
        facts = dict(row.split(": ", 1) for row in body.split("\n") if ": " in row)
        if "id" in facts and "name" in facts:
            self.relation_names[_value(facts["id"])] = _unescape(facts["name"].strip())

    def _quoted(self, value: str, line: int) -> tuple[str, str]:
        """The text in quotes, and what follows it."""
        if "\\" not in value:  # no escapes: the text ends at the second quote
            before, _, rest = value.partition('"')
            text, quote, after = rest.partition('"')
            if quote and not before:
                return text, after
        found = _QUOTED.match(value)
        if found is None:
            raise self.source.error(
                "a text of this stanza is not in quotes", line=line, remedy='Write it as tag: "text" [].'
            )
        return _unescape(found[1]), value[found.end() :]

    def finish(self, name: str, facts: Mapping[str, str], unknown_parents: str) -> Taxonomy:
        if not self.position:
            raise self.source.error("there is no [Term] that is not obsolete", remedy="Is it the right file?")
        notes = self.source.notes
        aliases = {a: at for a, at in self.alternatives if a not in self.position}
        resolved = 0
        for code, replaced in self.obsolete.items():
            if len(replaced) == 1 and replaced[0] in self.position and code not in self.position:
                aliases[code] = self.position[replaced[0]]
                resolved += 1
        if self.obsolete:
            notes.append(
                f"{len(self.obsolete):,} obsolete terms are left out; {resolved:,} of them lead to their replacement"
            )
        links = []
        for at, parent, line in self.parents:
            target = self._target(parent, at, line, aliases, unknown_parents)
            if target is not None:
                links.append((at, target))
        if len(links) < len(self.parents):
            notes.append(f"{len(self.parents) - len(links):,} links to terms that the file does not hold are dropped")
        relations: dict[str, list[tuple[int, int]]] = {}
        for at, relation, other in self.related:
            if other in self.position:
                called = self.relation_names.get(relation, relation)
                relations.setdefault(called, []).append((at, self.position[other]))
        return Taxonomy(
            list(self.position),
            links,
            labels=self.labels,
            synonyms=self.synonyms,
            definitions=self.definitions,
            relations=relations,
            aliases=aliases,
            **self.source.origin(name, facts.get("data-version")),
        )

    def _target(self, parent: str, at: int, line: int, aliases: Mapping[str, int], unknown: str) -> int | None:
        target = self.position.get(parent)
        if target is None:
            target = aliases.get(parent)
        if target is None and unknown == "error":
            raise UnknownParentError(
                list(self.position)[at],
                parent,
                where=self.source.at(line),
                remedy="It is obsolete or in another file; join the files, or read with unknown_parents='drop'.",
            )
        return target


def _value(text: str) -> str:
    """A value without its trailing modifiers ``{...}`` and comment ``! ...``."""
    cut = text.find(" !")
    if cut >= 0:
        text = text[:cut]
    cut = text.find(" {")
    if cut >= 0:
        text = text[:cut]
    return text.strip()


def _unescape(text: str) -> str:
    return _ESCAPED.sub(lambda m: _ESCAPES.get(m[1], m[1]), text) if "\\" in text else text
