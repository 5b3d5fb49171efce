"""Errors and warnings for users.

Each says three things in one message: what is wrong, where (file, line, column, concept) and what to do.
All derive from :class:`OntomaskError`, so one ``except`` catches whatever this package raises on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Keyword:
    """A keyword argument that a message names: ``overwrite=True`` in Python; the command line has its own name for it."""

    name: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.name}={self.value}"


#: The keyword that allows an output to be replaced.
OVERWRITE = Keyword("overwrite", "True")
#: A text in one piece, or in several of which some are keywords.
Text: TypeAlias = str | tuple[str | Keyword, ...]


class OntomaskError(Exception):
    """What is wrong, where, and what to do about it. ``what`` and ``remedy`` may name keywords (:class:`Keyword`)."""

    def __init__(self, what: Text, *, where: str | None = None, remedy: Text | None = None) -> None:
        self._what = (what,) if isinstance(what, str) else what
        self._remedy = (remedy or "",) if remedy is None or isinstance(remedy, str) else remedy
        self.where = where
        super().__init__(self.message())

    @property
    def what(self) -> str:
        return "".join(map(str, self._what))

    @property
    def remedy(self) -> str | None:
        return "".join(map(str, self._remedy)) or None

    @property
    def keywords(self) -> list[Keyword]:
        """The keywords that the message names."""
        return [part for part in (*self._what, *self._remedy) if isinstance(part, Keyword)]

    def message(self, spell: Callable[[Keyword], str] = str) -> str:
        """The whole message. ``spell``: how a keyword is written; the default is as a keyword in Python."""
        what, remedy = (
            "".join(spell(part) if isinstance(part, Keyword) else part for part in text)
            for text in (self._what, self._remedy)
        )
        message = what if self.where is None else f"{self.where}: {what}"
        if not remedy:
            return message
        if not message.endswith("..."):  # a list that goes on ends with its dots
            message = message.rstrip(".") + "."
        between = "\n" if "\n" in what else " "  # what was said in lines ends with its last
        return f"{message}{between}{remedy}"

    def relocate(self, old: str, new: str) -> None:
        """Let the message name another place, such as the target of a file instead of a passing one."""
        self._what, self._remedy = (
            tuple(part.replace(old, new) if isinstance(part, str) else part for part in text)
            for text in (self._what, self._remedy)
        )
        self.where = self.where and self.where.replace(old, new)
        self.args = (self.message(),)

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions cross process borders; keyword-only arguments need help to be pickled.
        return (_rebuild, (type(self), self.args, self.__dict__.copy()))


def _short(value: object) -> object:
    """A long text cut for a message."""
    return f"{value[:77]}..." if isinstance(value, str) and len(value) > 80 else value


def _rebuild(kind: type[OntomaskError], args: tuple[object, ...], state: dict[str, object]) -> OntomaskError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error


class TaxonomyError(OntomaskError):
    """The concepts and links given do not form a taxonomy."""


class CycleError(TaxonomyError):
    """Following is-a upwards comes back to where it started."""

    def __init__(self, cycle: Sequence[str], *, where: str | None = None) -> None:
        self.cycle = list(cycle)
        shown = self.cycle if len(self.cycle) <= 12 else [*self.cycle[:6], "...", *self.cycle[-5:]]
        super().__init__(
            f"the is-a links run in a circle of {len(self.cycle) - 1}: " + " -> ".join(shown),
            where=where,
            remedy="Remove or reverse one of these links; a concept cannot be its own ancestor.",
        )


class SelfLinkError(TaxonomyError):
    """A concept is given as its own parent."""

    def __init__(self, concept: str, *, where: str | None = None) -> None:
        self.concept = concept
        super().__init__(
            f"{concept!r} is given as its own parent",
            where=where,
            remedy="Remove that link; leave the parent empty if the concept is a root.",
        )


class DuplicateLinkError(TaxonomyError):
    """The same (child, parent) link stands twice."""

    def __init__(self, child: str, parent: str, *, first: str, again: str, where: str | None = None) -> None:
        self.child, self.parent = child, parent
        super().__init__(
            f"the link {child!r} -> {parent!r} of {first} is repeated in {again}",
            where=where,
            remedy="Remove one of the two. (A concept with several different parents is fine: "
            "give one link for each parent.)",
        )


class UnknownParentError(TaxonomyError):
    """A link goes to a parent that is not declared."""

    def __init__(
        self,
        child: str,
        parent: str,
        *,
        where: str | None = None,
        suggestions: Iterable[str] = (),
        remedy: str | None = None,
    ) -> None:
        self.child, self.parent, self.suggestions = child, parent, list(suggestions)
        near = f" Near it: {', '.join(map(repr, self.suggestions))}." if self.suggestions else ""
        super().__init__(
            f"the parent {parent!r} of {child!r} is not among the concepts",
            where=where,
            remedy=(remedy or "Add the missing concept or correct the link.") + near,
        )


class ConceptError(OntomaskError):
    """Something about a concept asked for."""


class UnknownConceptError(ConceptError, LookupError):
    """A concept that the taxonomy does not have."""

    def __init__(self, concept: object, *, taxonomy: str | None = None, suggestions: Sequence[str] = ()) -> None:
        self.concept = concept
        self.suggestions = list(suggestions)
        if not isinstance(concept, str):
            remedy = f"Concepts are text, this is {type(concept).__name__}: write it as in the taxonomy."
        elif self.suggestions:
            remedy = f"Near it: {'; '.join(self.suggestions)}."
        else:
            remedy = "Nothing is near it; try the taxonomy's search('...')."
        super().__init__(f"no concept {_short(concept)!r} in {taxonomy or 'this taxonomy'}", remedy=remedy)


class TaxonomyFileError(TaxonomyError):
    """A file that cannot be read as the taxonomy it should be."""


class MissingExtraError(OntomaskError, ImportError):
    """An optional part is not installed."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(
            f"{what} needs the package {package!r}, which is not installed",
            remedy=f"Install it with: pip install 'ontomask[{extra}]'",
        )


class MissingDataError(OntomaskError, FileNotFoundError):
    """Data that is not shipped was not found on this machine."""


class OptionError(OntomaskError, ValueError):
    """An option that does not exist or a value it cannot take."""


class MeasureError(OptionError):
    """An unknown measure, or one that cannot be computed on this taxonomy."""


class PolicyError(OntomaskError, ValueError):
    """A policy that cannot be meant: an unknown key, a value out of range, settings that contradict each other.

    ``problems`` holds every one of them as text.
    """

    def __init__(
        self,
        what: Text,
        *,
        where: str | None = None,
        remedy: Text | None = None,
        problems: Sequence[str] = (),
    ) -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.problems = list(problems)


class DataError(OntomaskError, ValueError):
    """Data that cannot be used as they are; ``rows`` are the records concerned, counted from 1."""

    def __init__(
        self, what: Text, *, where: str | None = None, remedy: Text | None = None, rows: Iterable[int] = ()
    ) -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.rows = list(rows)

    def add(self, sentence: str) -> None:
        """Let the message end with one more sentence."""
        self._remedy = (*self._remedy, f" {sentence}" if self.remedy else sentence)
        self.args = (self.message(),)


class OutputError(OntomaskError, OSError):
    """A file that could not be written; nothing is left of it."""

    def __str__(self) -> str:
        return str(self.args[0])


class EngineError(OntomaskError, RuntimeError):
    """Work that other processes or machines could not finish; nothing is left of it."""


class NotSatisfied(OntomaskError):
    """A release that fails a model it is required to satisfy. ``verification`` holds the findings."""

    def __init__(self, what: Text, *, remedy: Text | None = None, verification: object = None) -> None:
        super().__init__(what, remedy=remedy)
        self.verification = verification


class Cancelled(OntomaskError):
    """The caller's progress function stopped the work; nothing was written."""


class OntomaskWarning(UserWarning):
    """A result that comes with a reservation."""


class UnmatchedValuesError(OntomaskError):
    """Values of a column that are not in the taxonomy.

    ``values`` holds every one of them as ``(value, count, suggestions)``, the most frequent first; the message shows
    20 of them, and suggestions are computed for 200.
    """

    SHOWN = 20
    SUGGESTED = 200

    def __init__(
        self,
        values: Sequence[tuple[str, int, Sequence[str]]],
        *,
        taxonomy: str,
        column: str | None = None,
    ) -> None:
        self.values = list(values)
        lines = []
        for value, count, suggestions in self.values[: self.SHOWN]:
            near = "; ".join(suggestions) or "nothing near"
            lines.append(f"  {_short(value)!r} ({count} record{'s' if count != 1 else ''}) - {near}")
        if len(self.values) > len(lines):
            lines.append(f"  ... and {len(self.values) - len(lines)} more")
        one = len(self.values) == 1
        some, them = ("1 value has", "it") if one else (f"{len(self.values)} values have", "them")
        super().__init__(
            f"{some} no concept in {taxonomy}",
            where=f"column {column!r}" if column else None,
            remedy=f"Correct {them}, map {them} in a mapping file (value, concept), or choose another taxonomy. "
            "Nearest concepts, as suggestions:\n" + "\n".join(lines),
        )


#: The errors and warnings, by their names.
__all__ = [name for name, found in vars().items() if isinstance(found, type) and issubclass(found, Exception)]
