"""What the OWL and the SKOS reader share: parsing as a stream, and telling one from the other.

Only RDF/XML, Turtle and N-Triples are read. Everything else is refused by its first bytes, by name where it is known, so that
neither a gigabyte of junk nor a hostile DOCTYPE ever reaches the parser. The parser is pyoxigraph (the extra ``rdf``). It lets
three things pass that matter here, so the stream it reads is checked on the way: entities that grow without bound, RDF/XML that
is cut off, and encodings other than UTF-8.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple
from xml.parsers import expat

from ontomask.errors import OntomaskError, TaxonomyFileError
from ontomask.files.extras import load_extra
from ontomask.files.source import HEAD, Source

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"

_BLOCK = 1 << 20
#: RDF/XML without a tag for so long is not RDF; the parser would hold it all in memory.
_LONGEST_TEXT = 1 << 24
_DECLARED = re.compile(rb"<\?xml[^>]*?\bencoding\s*=\s*[\"']([\w.:-]+)")
_SKOS_CONCEPT = re.compile(rb"[:#]Concept\b")
_SKOS_PROPERTY = re.compile(rb"[:#](?:broader|narrower|prefLabel|inScheme|ConceptScheme|hasTopConcept)\b")
_OWL_CLASS = re.compile(rb"owl[:#]Class\b|;Class\b|[:#]subClassOf\b")
_OWL_PROPERTY = re.compile(rb"owl[:#](?:Annotation|Object|Datatype)Property\b")

#: Takes the subject and the object of a statement: IRIs, or blank nodes written ``_:...``.
OnNode = Callable[[str, str], None]
#: Takes the subject, the text of a literal and its language tag.
OnText = Callable[[str, str, str | None], None]


def is_skos(source: Source) -> bool:
    """Whether the head of an RDF file describes SKOS concepts and not classes."""
    head = next(_blocks(source, _encoding(source, source.head())))[:HEAD]
    if b"skos/core#" not in head or _OWL_CLASS.search(head):
        return False
    if _SKOS_CONCEPT.search(head):
        return True
    # An ontology may list its annotation properties, SKOS ones among them, at length before its first class.
    return bool(_SKOS_PROPERTY.search(head)) and not _OWL_PROPERTY.search(head)


def scan(source: Source, nodes: Mapping[str, OnNode], texts: Mapping[str, OnText]) -> None:
    """Parse the file as a stream; each statement goes to the handler of its predicate.

    Predicates may stand in ``nodes`` (for objects that are IRIs or blank nodes), in ``texts`` (literals), or in both.
    """
    encoding = _encoding(source, source.head())
    syntax = syntax_of(source, next(_blocks(source, encoding)))
    ox = load_extra("pyoxigraph", "reading RDF")
    named, literal, blank = ox.NamedNode, ox.Literal, ox.BlankNode
    kinds = {"xml": ox.RdfFormat.RDF_XML, "turtle": ox.RdfFormat.TURTLE, "ntriples": ox.RdfFormat.N_TRIPLES}
    stream = io.BufferedReader(_Stream(_checked(source, encoding, syntax)), _BLOCK)
    empty, last = True, ""
    try:
        # Lenient: real ontologies hold IRIs with blanks or without a base, and nothing here follows an IRI.
        for quad in ox.parse(stream, format=kinds[syntax.kind], lenient=True):
            empty = False
            predicate, target = quad.predicate.value, quad.object
            text = isinstance(target, literal)
            if predicate not in (texts if text else nodes):
                continue
            subject = quad.subject
            if isinstance(subject, named):
                about = subject.value
                # Statements about a subject stand together: one string for all of them is hashed and kept once.
                if about == last:
                    about = last
                else:
                    last = about
                if text:
                    texts[predicate](about, target.value, target.language)
                    continue
            else:
                about = str(subject)
            if isinstance(target, named):
                nodes[predicate](about, target.value)
            elif isinstance(target, blank):  # else a text about a blank node, or a quoted triple of RDF-star
                nodes[predicate](about, str(target))
    except SyntaxError as problem:
        raise _malformed(source, encoding, syntax, problem) from None
    if empty:
        raise source.error("the file holds no RDF statement", remedy="Check how it was written.")


# ---- the stream the parser reads ----------------------------------------------------------------------------------


def _encoding(source: Source, head: bytes) -> str | None:
    """The encoding to translate from; None for UTF-8, which needs no translation."""
    declared = _DECLARED.match(head.lstrip())
    wide = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    name = source.encoding or ("utf-16" if wide else declared[1].decode() if declared else "utf-8")
    try:
        known = codecs.lookup(name).name
        io.TextIOWrapper(io.BytesIO(), encoding=name)  # some codecs are not for text
    except LookupError:
        raise source.error(
            f"no encoding {name!r}", remedy="Give the right one: encoding='utf-8', for example."
        ) from None
    return None if known in ("utf-8", "utf-8-sig", "ascii") else known


def _blocks(source: Source, encoding: str | None) -> Iterator[bytes]:
    """The file as UTF-8, decompressed, without a byte order mark; at least one block."""
    try:
        with source.open() as raw:
            if encoding is None:
                yield raw.read(_BLOCK).removeprefix(codecs.BOM_UTF8)
                while block := raw.read(_BLOCK):
                    yield block
            else:
                text = io.TextIOWrapper(raw, encoding=encoding, newline="")
                yield text.read(_BLOCK).removeprefix("\ufeff").encode()
                while part := text.read(_BLOCK):
                    yield part.encode()
    except UnicodeError as problem:
        raise source.error(
            f"it is not valid {encoding}", remedy="Give the encoding it was written in: encoding='...'."
        ) from problem


def _checked(source: Source, encoding: str | None, syntax: Syntax) -> Iterator[bytes]:
    """The blocks with the file's head made safe; XML is watched for entities further down and for its end."""
    blocks = _blocks(source, encoding)
    first = next(blocks)
    if syntax.root is None:
        yield first
        yield from blocks
        return
    block = syntax.head + first[syntax.length :]
    lines, since, tail = 1, 0, b""
    declared = syntax.head
    while block:
        if b"<!ENTITY" in (tail[-8:] + block).removeprefix(declared):
            raise source.error(
                "an ENTITY is declared outside the head of the file",
                remedy="Write the file again with an RDF tool, which resolves entities.",
            )
        declared = b""
        since = 0 if b"<" in block else since + len(block)
        if since > _LONGEST_TEXT:
            raise source.error("a text runs on without an end", line=lines, remedy="Is it the right file?")
        lines += block.count(b"\n")
        tail = (tail + block)[-HEAD:]
        yield block
        block = next(blocks, b"")
    # The parser takes a file that ends early for a complete one.
    name = re.escape(syntax.root)
    closed = rb"(?:</%b\s*>|<%b\b[^<>]*/>)\s*(?:<!--.*?-->\s*|<\?.*?\?>\s*)*\Z" % (name, name)
    if not re.search(closed, tail, re.DOTALL):
        raise source.error(
            f"the file ends before its closing </{syntax.root.decode()}>",
            line=lines,
            remedy="It is cut off: get it again and compare its size with the source.",
        )


class _Stream(io.RawIOBase):
    """An iterator of blocks as a file."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._left:
            self._left = memoryview(next(self._blocks, b""))
        size = min(len(buffer), len(self._left))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size


def _malformed(source: Source, encoding: str | None, syntax: Syntax, problem: SyntaxError) -> OntomaskError:
    """What the parser says, with the line; for XML, where it tells none, expat finds it."""
    what, line = str(problem.msg), problem.lineno
    what = re.sub(r"^Parser error at line .*?: ", "", what)
    if syntax.root is not None:
        what, line = _xml_fault(_checked(source, encoding, syntax)) or (what, line)
    if "utf-8" in what.lower():
        remedy = "Give the encoding the file was written in, for example encoding='latin-1'."
    else:
        remedy = "Correct it there, or write the file again with an RDF tool; it may be damaged."
    return source.error(f"no valid {syntax.called}: {what}", line=line, remedy=remedy)


def _xml_fault(blocks: Iterable[bytes]) -> tuple[str, int] | None:
    """The first place where the file is not well-formed XML; None if the fault lies in the RDF."""
    parser = expat.ParserCreate("utf-8")
    try:
        for block in blocks:
            parser.Parse(block, False)
        parser.Parse(b"", True)
    except expat.ExpatError as problem:
        return expat.errors.messages[problem.code], problem.lineno
    except TaxonomyFileError:
        pass
    return None


# ---- the first bytes: which syntax it is, and whether its entities are harmless ---------------------------------------

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
