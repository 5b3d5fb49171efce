"""What is known of a project: its title, its files, how far somebody came, and the numbers of its revisions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ontomask.errors import OntomaskError, PolicyError

#: The steps of the pages, in their order.
STEPS = ("data", "roles", "meaning", "risk", "method", "result")
UNTITLED = "Untitled project"
#: The file with the values that were left for now.
LEFT = "left.json"


class UnknownProject(OntomaskError, LookupError):
    """There is no such project."""


class Outdated(PolicyError):
    """Somebody else changed the policy meanwhile."""


class Differs(PolicyError):
    """A text does not say what it was made to say."""


@dataclass(frozen=True)
class FileInfo:
    """An uploaded table: its name as people see it, its format, its bytes, and the name it is stored under."""

    name: str
    format: str
    size: int
    stored: str


@dataclass(frozen=True)
class ProjectInfo:
    """What ``project.json`` holds.

    ``reading`` are options of reading; ``taxonomies`` and ``severities`` are uploaded files by stored name, with the names
    people see, and ``uploads`` is how many there ever were; ``revision`` grows with every change of this file and
    ``policy_revision`` with every change of the policy.
    """

    title: str = UNTITLED
    created: float = 0.0
    file: FileInfo | None = None
    reading: dict[str, Any] = field(default_factory=dict)
    step: str = "data"
    chosen_run: str | None = None
    taxonomies: dict[str, str] = field(default_factory=dict)
    severities: dict[str, str] = field(default_factory=dict)
    uploads: int = 0
    policy_revision: int = 0
    revision: int = 0
    demo: bool = False
