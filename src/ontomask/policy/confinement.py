"""Policies of others, confined: every file that one names must lie in its folder or below, links followed.

A policy can name any file that its reader may read, and messages about a file can show some of it. Checked here, before
any named file is opened for more than its own list of names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ontomask.arguments import short
from ontomask.errors import PolicyError
from ontomask.severity.file import named_columns
from ontomask.taxonomy.catalog import list_taxonomies


def require_confined(policy: Path, parts: Iterable[Mapping[Any, Any]], keys: Iterable[str]) -> None:
    """An error if a part of the policy names a file outside the policy's folder. Names of the catalog are not files."""
    folder = policy.parent.resolve()
    for part in parts:
        for key, name in _names(part, keys):
            file = _require_inside(folder, folder, name, policy)
            if key == "severity":
                _require_confined_severity(folder, file)


def _require_confined_severity(folder: Path, severity: Path) -> None:
    """A severity file names taxonomies and mappings, beside it."""
    for column in named_columns(severity):
        for _, name in _names(column, ("taxonomy", "mapping")):
            _require_inside(folder, severity.parent, name, severity)


def _names(part: Mapping[Any, Any], keys: Iterable[str]) -> Iterator[tuple[str, str]]:
    for key in keys:
        name = part.get(key)
        if isinstance(name, str) and name and name not in list_taxonomies():
            yield key, name


def _require_inside(folder: Path, beside: Path, name: str, where: Path) -> Path:
    """The file, behind all links."""
    try:
        file = (beside / name).resolve()
        there = file.exists()
        inside = [file, *file.rglob("*")] if there and file.is_dir() else [file]
        outside = [path for path in inside if not path.resolve().is_relative_to(folder)]
    except (OSError, ValueError, RuntimeError):  # a name that no file can have, or links in a circle
        there, outside = False, []
    if outside:
        raise PolicyError(
            f"it names {short(repr(name))}, which is not in its folder",
            where=str(where),
            remedy="Put the file beside the policy, or load the policy unconfined if you trust it.",
        )
    if not there:
        raise PolicyError(
            f"it names {short(repr(name))}, and there is no such file in its folder",
            where=str(where),
            remedy="Put the file beside the policy. A confined policy finds no others.",
        )
    return file
