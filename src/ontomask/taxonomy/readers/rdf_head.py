"""The first bytes of an RDF file: which syntax it is in, and whether its entities are harmless.

Only RDF/XML, Turtle and N-Triples are read. Everything else is refused here, by name where it is known, so that
neither a gigabyte of junk nor a hostile DOCTYPE ever reaches the parser.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ontomask.files.source import HEAD, Source

#: Entities stand for namespaces. Longer ones, used often, would make a small file a huge one.
LONGEST_ENTITY = 256

_CONVERT = "Save it as RDF/XML or Turtle: in Protege 'Save as', or robot convert --input FILE --output FILE.ttl"
_NOT_READ: tuple[tuple[bytes, str, str], ...] = (
    (rb"(?:Prefix|Ontology)\s*\(", "OWL in functional syntax", _CONVERT),
    (rb"(?:Prefix|Ontology):\s", "OWL in Manchester syntax", _CONVERT),
    (rb"\(", "OWL in KRSS or another Lisp-like syntax", _CONVERT),
    (rb"format-version:|\[(?:Term|Typedef)\]", "an OBO flat file", "Read it with format='obo'."),
    (rb"\{|\[\s*[\{\]]", "JSON (JSON-LD?)", _CONVERT),
    (rb"(?i:<!doctype\s+html|<html)", "a web page", "Download the file itself; the address led to a page."),
)
_XML = re.compile(rb"<\?xml\b|<!--|(?i:<!doctype\s)|<rdf:RDF\b|<[A-Za-z_][\w.-]*(?::[\w.-]+)?\s+[\w.:-]+\s*=")
_TURTLE = re.compile(rb"(?i:@prefix|@base|prefix|base)\s|_:|\[|<[^<>\"{}|^`\\\x00-\x20]*>\s*(?:<|a\s|[\w.-]*:)")
_COMMENTS = re.compile(rb"(?:\s|#[^\n]*\n)*+")
_DOCTYPE = re.compile(
    rb"<!DOCTYPE\s+[^\s\[>]+\s*([^\[>]*)(?:\[((?:<!--.*?-->|\"[^\"]*\"|'[^']*'|[^\]\"'])*+)\]\s*)?>",
    re.DOTALL | re.IGNORECASE,
)
_ENTITY = re.compile(rb"<!ENTITY\s+([\w.:-]+)\s+(?:\"([^\"]*)\"|'([^']*)')\s*>")
_ROOT = re.compile(rb"<((?:[\w.-]+:)?([\w.-]+))[\s/>]")


class Syntax(NamedTuple):
    """``kind``: xml, turtle or ntriples. For XML the name of the root element, and what to put in place of the
    first ``length`` bytes: a prologue that declares the plain entities and nothing else."""

    kind: str
    called: str
    root: bytes | None = None
    head: bytes = b""
    length: int = 0


def syntax_of(source: Source, start: bytes) -> Syntax:
    """The syntax of a file that begins with ``start`` (UTF-8)."""
    start = start[:HEAD]
    begin = len(start) - len(start.lstrip())
    text = start[_COMMENTS.match(start).end() :]  # type: ignore[union-attr]
    for pattern, what, remedy in _NOT_READ:
        if re.match(pattern, text):
            raise source.error(f"this is {what}, which is not read here", remedy=remedy)
    if _XML.match(start, begin):
        return _xml(source, start, begin)
    if _TURTLE.match(text):
        plain = source.suffix == ".nt" and text.startswith((b"<", b"_:"))
        return Syntax("ntriples", "N-Triples") if plain else Syntax("turtle", "Turtle")
    shown = text[:40].decode(errors="replace")
    raise source.error(
        f"the file begins like no RDF: {shown!r}",
        remedy="RDF/XML, Turtle and N-Triples are read; is it the right file?",
    )


def _xml(source: Source, start: bytes, at: int) -> Syntax:
    """Walk over declaration, comments and DOCTYPE to the root element."""
    entities = b""
    while True:
        at += len(start[at:]) - len(start[at:].lstrip())
        if start.startswith((b"<?", b"<!--"), at):
            close = b"?>" if start.startswith(b"<?", at) else b"-->"
            end = start.find(close, at) + len(close)
            if end < len(close):
                break
            at = end
        elif start[at : at + 9].upper() == b"<!DOCTYPE":
            doctype = _DOCTYPE.match(start, at)
            if doctype is None:
                break
            entities += _entities(source, doctype)
            at = doctype.end()
        else:
            root = _ROOT.match(start, at)
            if root is None:
                break
            _refuse_other_roots(source, root)
            # The lines stay where they are, so that errors further down name the right one.
            doctype_made = b"<!DOCTYPE rdf:RDF [%b]>" % entities if entities else b""
            return Syntax("xml", "RDF/XML", root[1], doctype_made + b"\n" * start.count(b"\n", 0, at), at)
    raise source.error(
        f"no element begins within the first {HEAD:,} bytes: the DOCTYPE or a comment is too long or never ends",
        remedy="Write the file again with an RDF tool, without a DOCTYPE.",
    )


def _entities(source: Source, doctype: re.Match[bytes]) -> bytes:
    """The plain entity declarations of a DOCTYPE, in double quotes; an error for any other."""
    line = doctype.string.count(b"\n", 0, doctype.start()) + 1
    again = (
        "Write the file again with an RDF tool, which needs no such entity; nothing is ever fetched or expanded here."
    )
    if re.search(rb"\b(?:SYSTEM|PUBLIC)\b", doctype[1]):
        raise source.error("the DOCTYPE refers to an external file, which is refused", line=line, remedy=again)
    made = []
    subset = re.sub(rb"<!--.*?-->", b"", doctype[2] or b"", flags=re.DOTALL)
    for found in re.finditer(rb"<!ENTITY\b[^>]*", subset):
        entity = _ENTITY.match(subset, found.start())
        if entity is None:
            external = re.search(rb"\b(?:SYSTEM|PUBLIC)\b", found[0])
            what = "an external entity" if external else "a parameter entity or one that cannot be read"
            shown = found[0][:60].decode(errors="replace")
            raise source.error(f"the DOCTYPE declares {what}, which is refused: {shown}", line=line, remedy=again)
        name, value = entity[1], entity[2] if entity[2] is not None else entity[3]
        if re.search(rb"<|&(?!#x?[0-9A-Fa-f]+;)", value):
            raise source.error(
                f"the entity {name.decode()!r} is made of other entities or of markup, which is refused",
                line=line,
                remedy=again,
            )
        if len(value) > LONGEST_ENTITY:
            raise source.error(
                f"the entity {name.decode()!r} is {len(value):,} bytes long, more than {LONGEST_ENTITY}",
                line=line,
                remedy=again,
            )
        made.append(b'<!ENTITY %b "%b">' % (name, value.replace(b'"', b"&#34;")))
    return b"".join(made)


def _refuse_other_roots(source: Source, root: re.Match[bytes]) -> None:
    name = root[2]
    if name == b"RDF":
        return
    if name == b"Ontology":
        raise source.error("this is OWL/XML, which is not read here", remedy=_CONVERT)
    if name.lower() == b"html":
        raise source.error("this is a web page", remedy="Download the file itself; the address led to a page.")
    raise source.error(
        f"the first element of this XML file is <{root[1].decode(errors='replace')}>, not <rdf:RDF>",
        remedy="RDF/XML, Turtle and N-Triples are read; is it the right file?",
    )
