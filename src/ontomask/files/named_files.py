"""Settings that name files.

A setting says so where it is defined: ``path: Annotated[str, NamesFile("levels")]``. From that follows that the file is looked
for beside the file that names it, that a confined policy may name it only in its own folder, that a saved policy names it as
seen from its new place, that no output replaces it, and that manifests and fingerprints know it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, GetCoreSchemaHandler, ValidationInfo
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, core_schema

from ontomask.arguments import short
from ontomask.errors import PolicyError


def _nothing(*_: Any) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class NamesFile:
    """Marks a setting that may name a file, in its annotation, behind all validators.

    ``role``: what the file is, in a list of files, such as "taxonomy". ``key``: where the setting is a mapping of options, the
    option that names the file. ``known`` gives the names that are not files, such as those of the catalog. ``inside`` gives the
    names of files that the file itself names, without opening them; they are looked for beside it.
    """

    role: str
    key: str | None = None
    known: Callable[[], Collection[str]] = _nothing
    inside: Callable[[Path], Iterable[str]] = _nothing

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_before_validator_function(self._looked_up, handler(source))

    def _looked_up(self, value: Any, info: ValidationInfo) -> Any:
        """The setting with the file as it is found from the file that names it, if there is one."""
        name = self.name_in(value)
        if name is None or not isinstance(info.context, NamedIn):
            return value
        found = info.context.find(self, name)
        return found if self.key is None else {**value, self.key: found}

    def name_in(self, value: Any) -> str | None:
        """The name of the file in the value of the setting; None if it names none."""
        if self.key is not None:
            value = value.get(self.key) if isinstance(value, Mapping) else None
        if isinstance(value, Path):
            return str(value)
        return value if isinstance(value, str) and value and value not in self.known() else None


class OutsideError(Exception):
    """A file that a confined policy may not name. It is not a ValueError: pydantic lets it through at once."""

    def __init__(self, problem: PolicyError) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass(frozen=True)
class NamedIn:
    """Where settings are read from: the files that they name are looked for beside ``file``.

    ``confined``: they must lie in its folder or below, links followed. A policy can name any file that its reader may read,
    and messages about a file can show some of it; so this is checked before a named file is opened.
    """

    file: Path
    confined: bool = False

    def find(self, marker: NamesFile, name: str) -> str:
        """The path of a named file beside ``file``, or the name as it is if there is no such file."""
        folder = self.file.parent.resolve()
        if self.confined:
            inner = _require_inside(folder, folder, name, self.file)
            for other in marker.inside(inner):
                _require_inside(folder, inner.parent, other, inner)
        with suppress(OSError):  # a name too long for a file
            if (folder / name).exists():
                return str(folder / name)
        return name


def _require_inside(folder: Path, beside: Path, name: str, where: Path) -> Path:
    """The file, behind all links."""
    try:
        file = (beside / name).resolve()
        there = file.exists()
        own = file.is_relative_to(folder)  # only then is a folder walked through: another may be the whole disk
        inside = [file, *file.rglob("*")] if there and own and file.is_dir() else [file]
        outside = [path for path in inside if not path.resolve().is_relative_to(folder)]
    except (OSError, ValueError, RuntimeError):  # a name that no file can have, or links in a circle
        there, outside = False, []
    if outside:
        what = f"it names {short(repr(name))}, which is not in its folder"
        remedy = "Put the file beside the policy, or load the policy unconfined if you trust it."
    elif not there:
        what = f"it names {short(repr(name))}, and there is no such file in its folder"
        remedy = "Put the file beside the policy. A confined policy finds no others."
    else:
        return file
    raise OutsideError(PolicyError(what, where=str(where), remedy=remedy))


def marker_of(field: FieldInfo) -> NamesFile | None:
    """The mark of a field that may name a file."""
    return next((mark for mark in field.metadata if isinstance(mark, NamesFile)), None)


def named_files(settings: BaseModel) -> Iterator[tuple[str, Path]]:
    """The part that each file plays, and the file: of the settings, and of all settings inside them.

    Settings may have a method ``inner_files``, with what their files name in turn.
    """
    for name, field in type(settings).model_fields.items():
        value, marker = getattr(settings, name), marker_of(field)
        file = None if marker is None else marker.name_in(value)
        if marker is not None and file is not None:
            yield marker.role, Path(file)
        for label, part in _settings_in(value):
            yield from ((f"{role}{label}", file) for role, file in named_files(part))
    inner: Callable[[], Iterator[tuple[str, Path]]] = getattr(settings, "inner_files", lambda: iter(()))
    yield from inner()


def _settings_in(value: Any) -> Iterator[tuple[str, BaseModel]]:
    """Settings inside a value, with what is said of where they are."""
    if isinstance(value, BaseModel):
        yield "", value
    elif isinstance(value, Mapping):
        yield from ((f" of {key}", part) for key, part in value.items() if isinstance(part, BaseModel))
    elif isinstance(value, (list, tuple)):
        yield from (("", part) for part in value if isinstance(part, BaseModel))
