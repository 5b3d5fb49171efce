"""Secrets of a steward: 32 random bytes that a file for its owner alone holds, and nothing else shows."""

from __future__ import annotations

import re
import secrets
from pathlib import Path
from typing import Any, ClassVar, Self

from ontomask.arguments import as_path
from ontomask.errors import DataError, MissingDataError, OptionError

#: Bytes of a secret.
LENGTH = 32
#: Fewer different bytes than this are not 32 random ones: the chance is below 1 in 10^20.
VARIED = 12
#: No file of a secret is longer.
LONGEST = 4096


class SecretBytes:
    """Random bytes. They are never shown: not in a repr, not in an error, not in a report.

    ``path``: the file they were read from. ``drawn``: were they drawn here, and are not known elsewhere?
    """

    __slots__ = ("_bytes", "drawn", "path")

    #: What it is called in messages, and the first line of its file.
    called: ClassVar[str]
    head: ClassVar[str]
    #: The file in which a saved result keeps it, and what happens if none is given.
    file: ClassVar[str]
    otherwise: ClassVar[str]

    def __init__(self, content: bytes, *, path: Path | None = None, drawn: bool = False) -> None:
        self._bytes, self.path, self.drawn = content, path, drawn

    @classmethod
    def fresh(cls) -> Self:
        """256 bits from the operating system."""
        return cls(secrets.token_bytes(LENGTH), drawn=True)

    @classmethod
    def of(cls, given: Any) -> Self:
        """32 bytes of the user's own, or the file that a result keeps them in."""
        if isinstance(given, cls):
            return given
        if isinstance(given, (bytes, bytearray)):
            return cls._checked(bytes(given), f"{cls.called}=")
        if isinstance(given, (str, Path)):
            return cls.read(given)
        raise OptionError(
            f"{cls.called}=: expected the path of a {cls.called} file or {LENGTH} bytes, got {type(given).__name__}",
            remedy=f"Give result/{cls.file}, or leave it out: {cls.otherwise}.",
        )

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """What a file holds that has the content of :meth:`text`."""
        file = as_path(path)
        if not file.is_file():
            raise MissingDataError(
                f"there is no such {cls.called} file",
                where=str(file),
                remedy=f"A result keeps its {cls.called} in {cls.file}.",
            )
        try:
            with file.open("rb") as stream:
                text = stream.read(LONGEST + 1).decode()
        except OSError as problem:
            raise DataError(
                f"the {cls.called} cannot be read ({problem.strerror})",
                where=str(file),
                remedy="Check your permissions.",
            ) from None
        except UnicodeDecodeError:
            text = ""
        lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
        found = cls._of_line(lines[0], str(file)) if len(lines) == 1 else None
        if found is None:
            raise DataError(
                f"there is no {cls.called} in it",
                where=str(file),
                remedy=f"One line must hold {2 * LENGTH} hexadecimal digits: give {cls.file} of a result.",
            )
        found.path = file
        return found

    @classmethod
    def _of_line(cls, line: str, where: str) -> Self | None:
        """What the only line of a file says; None if it is something else."""
        return cls._checked(bytes.fromhex(line), where) if re.fullmatch(rf"[0-9a-fA-F]{{{2 * LENGTH}}}", line) else None

    @classmethod
    def _checked(cls, content: bytes, where: str) -> Self:
        if len(content) != LENGTH or len(set(content)) < VARIED:
            raise OptionError(
                f"{where}: expected {LENGTH} random bytes"
                + (f", got {len(content)}" if len(content) != LENGTH else "; these follow a pattern"),
                remedy=f"Draw them with secrets.token_bytes({LENGTH}), or leave the {cls.called} out: {cls.otherwise}.",
            )
        return cls(content)

    def text(self) -> str:
        """The content of a file for the steward alone, which :meth:`read` reads."""
        return f"{self.head}\n{self.line()}\n"

    def line(self) -> str:
        """The line of the file that says what it is."""
        return self._bytes.hex()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"
