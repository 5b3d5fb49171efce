"""The folder of a demo: a list with the hashes of the files that the demo made, and the rule that only those are replaced."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from ontomask.errors import Keyword, OutputError, Text
from ontomask.files.fingerprints import sha256
from ontomask.microdata.writing import write_text

#: The list of what a demo made: path in the folder -> SHA-256.
MARKER = "demo-files.json"
_MADE_BY = "ontomask demo"


class TourFolder:
    """A folder that a demo fills. ``keep`` every file as it is made: a later demo replaces nothing else."""

    def __init__(self, path: Path, names: tuple[str, ...], *, force: bool = False) -> None:
        """Take a new or empty folder, or one with an unchanged earlier demo, which is removed.

        Files that no demo made are refused. With ``force`` they stay beside the demo, unless one of them has a name
        (``names``) that the demo needs.
        """
        self.path = path
        self._hashes: dict[str, str] = {}
        try:
            if path.exists() and not path.is_dir():
                raise OutputError("this is a file", where=str(path), remedy="Name a folder for the demo.")
            path.mkdir(parents=True, exist_ok=True)
            listed = _listed(path / MARKER)
            present = list(_files(path))
            made = [name for name in present if name in listed and _hash(path / name) == listed[name]]
            _refuse([name for name in present if name not in made and name != MARKER], listed, path, names, force)
            self._remove(made)
        except OutputError:
            raise
        except OSError as problem:
            raise OutputError(
                "the folder cannot be used", where=str(path), remedy="Choose another folder."
            ) from problem

    def keep(self, name: str) -> None:
        """Note a file, or all files of a folder, as made by this demo."""
        made = self.path / name
        for file in [name] if made.is_file() else [f"{name}/{inner}" for inner in _files(made)]:
            self._hashes[file] = str(_hash(self.path / file))
        content = {"made_by": _MADE_BY, "files": self._hashes}
        write_text(json.dumps(content, indent=2) + "\n", self.path / MARKER, overwrite=True)

    def _remove(self, made: list[str]) -> None:
        """Remove files of an earlier demo, the folders that are empty then, and their list."""
        for name in made:
            (self.path / name).unlink()
        folders = {self.path / parent for name in made for parent in Path(name).parents if parent != Path()}
        for folder in sorted(folders, key=lambda each: len(each.parts), reverse=True):
            if not any(folder.iterdir()):
                folder.rmdir()
        (self.path / MARKER).unlink(missing_ok=True)


def _refuse(others: list[str], listed: dict[str, str], path: Path, names: tuple[str, ...], force: bool) -> None:
    """An error if there are files that no demo made."""
    in_the_way = [name for name in others if name.split("/")[0] in names]
    if not in_the_way and (force or not others):
        return
    first = (in_the_way or others)[0]
    changed = "changed since the demo made it" if first in listed else "not made by a demo"
    more = f" (and {len(others) - 1:,} more)" if len(others) > 1 else ""
    remedy: Text = ("Name another folder, or give ", Keyword("force", "True"), ": the file stays there.")
    if in_the_way:
        remedy = "Name another folder, or move it: a demo never replaces files of others."
    raise OutputError(f"the folder holds {first!r}, which was {changed}{more}", where=str(path), remedy=remedy)


def _listed(marker: Path) -> dict[str, str]:
    """What an earlier demo noted; nothing if there is no such list."""
    if not marker.exists() and not marker.is_symlink():
        return {}
    try:
        content = None if marker.is_symlink() else json.loads(marker.read_text(encoding="utf-8"))
    except ValueError:
        content = None
    files = content.get("files") if isinstance(content, dict) and content.get("made_by") == _MADE_BY else None
    if not isinstance(files, dict):
        raise OutputError("this file was not made by a demo", where=str(marker), remedy="Name another folder.")
    return {str(name): str(digest) for name, digest in files.items()}


def _files(folder: Path) -> Iterator[str]:
    """Everything in a folder but folders, and folders that are empty, as paths in it. Links are not followed."""
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and not entry.is_symlink() and any(entry.iterdir()):
            for inner in _files(entry):
                yield f"{entry.name}/{inner}"
        else:
            yield entry.name


def _hash(file: Path) -> str | None:
    """The hash of a plain file; a link or a folder has none and is never a demo's."""
    return sha256(file) if file.is_file() and not file.is_symlink() else None
