"""Random generators of a run, derived from its secret: nobody without it can repeat them.

Some methods only move values: rank swapping run again with the same generator moves them back, and an order of records can
be undone by whoever can draw it again. What keeps people safe is then the generator alone. It used to be PCG64 with a seed
from the policy: a policy is handed around, and small seeds were found from a release within seconds by trying them all.

So every run has a :class:`Secret` of 256 bits, drawn by the operating system. For each purpose a key of 128 bits is derived
from it with BLAKE2b and drives a Philox generator of its own. Philox is a cipher of a counter: nothing is known that finds
its key faster than trying, 2^128 times. The purposes have separate streams, so that what becomes known of one says nothing of
another. The data themselves go into the key as well: the same secret on other data, a release among them, or for another
way to mask them, gives other draws. So a run cannot be undone by running it again on what it released, and two releases of
one secret do not have their records in the same order.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import as_path, short
from ontomask.errors import DataError, MissingDataError, OptionError
from ontomask.settings import whole_number
from ontomask.statements import Statement

if TYPE_CHECKING:
    from ontomask.masking.method import Masked
    from ontomask.microdata.encoding import Rows, Table, Tuples

    Chunks = Callable[[], Iterable[Rows]]

#: Bytes of a secret, and of the key of a generator.
SECRET, KEY = 32, 16
#: Fewer different bytes than this are not 32 random ones: the chance is below 1 in 10^20.
VARIED = 12
HEAD = "# The secret of a run of ontomask. It repeats the random choices of the run. Never publish it."
#: Said of every result in which something random came from a seed that somebody named.
EXPLICIT_SEED = Statement(
    "warning",
    "Made with an explicit seed: whoever knows or guesses it can repeat the random choices, and so test guesses about the "
    "original data. Use a seed for experiments, not for a release.",
)
#: Values that are turned into text at a time.
BLOCK = 100_000
#: No secret file is longer.
LONGEST = 4096
#: What goes into a key, in pieces, and how many bytes it has in all.
Part = tuple[int, Iterable[bytes]]


class Secret:
    """What all that is random in a run comes from; ``seed`` is the number it was derived from, if one was given.

    It is never shown: not in a repr, not in an error, not in a report.

    >>> Secret.fresh()
    <Secret>
    """

    __slots__ = ("_bytes", "seed")

    def __init__(self, content: bytes, seed: int | None = None) -> None:
        self._bytes, self.seed = content, seed

    @classmethod
    def fresh(cls) -> Secret:
        """256 bits from the operating system."""
        return cls(secrets.token_bytes(SECRET))

    @classmethod
    def of_seed(cls, seed: Any) -> Secret:
        """Derived from a number, for experiments: whoever knows or guesses the number has it."""
        try:
            number = whole_number(seed)
        except ValueError:
            number = -1
        if number < 0:
            raise OptionError(f"seed={short(repr(seed), 40)}", remedy="Give a whole number from 0 up.")
        content = hashlib.blake2b(str(number).encode(), digest_size=SECRET, person=b"ontomask seed")
        return cls(content.digest(), number)

    @classmethod
    def of(cls, given: Any, where: str = "secret=") -> Secret:
        """32 bytes of the user's own, or the file that a result keeps its secret in."""
        if isinstance(given, Secret):
            return given
        if isinstance(given, (bytes, bytearray)):
            return cls._checked(bytes(given), where)
        if isinstance(given, (str, Path)):
            return cls.read(given)
        raise OptionError(
            f"{where}: expected the path of a secret file or {SECRET} bytes, got {type(given).__name__}",
            remedy="Give result/confidential/secret.txt, or leave it out: a fresh secret is drawn.",
        )

    @classmethod
    def read(cls, path: str | Path) -> Secret:
        """The secret of a file as :meth:`text` writes it."""
        file = as_path(path)
        if not file.is_file():
            raise MissingDataError(
                "there is no such secret file",
                where=str(file),
                remedy="A result keeps its secret in confidential/secret.txt.",
            )
        try:
            with file.open("rb") as stream:
                text = stream.read(LONGEST + 1).decode()
        except OSError as problem:
            raise DataError(
                f"the secret cannot be read ({problem.strerror})", where=str(file), remedy="Check your permissions."
            ) from None
        except UnicodeDecodeError:
            text = ""
        lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
        if len(lines) == 1 and re.fullmatch(r"seed \d{1,4000}", lines[0]):
            return cls.of_seed(int(lines[0][5:]))
        if len(lines) == 1 and re.fullmatch(rf"[0-9a-fA-F]{{{2 * SECRET}}}", lines[0]):
            return cls._checked(bytes.fromhex(lines[0]), str(file))
        raise DataError(
            "there is no secret in it",
            where=str(file),
            remedy=f"One line must hold {2 * SECRET} hexadecimal digits: give confidential/secret.txt of a result.",
        )

    @classmethod
    def _checked(cls, content: bytes, where: str) -> Secret:
        if len(content) != SECRET or len(set(content)) < VARIED:
            raise OptionError(
                f"{where}: expected {SECRET} random bytes"
                + (f", got {len(content)}" if len(content) != SECRET else "; these follow a pattern"),
                remedy="Draw them with secrets.token_bytes(32), or leave the secret out: a fresh one is drawn.",
            )
        return cls(content)

    @property
    def explicit(self) -> bool:
        """Was it derived from a seed that somebody named?"""
        return self.seed is not None

    def generator(self, purpose: str, about: Iterable[Part] = ()) -> np.random.Generator:
        """The generator for one purpose; what ``about`` holds goes into its key."""
        digest = hashlib.blake2b(digest_size=KEY, key=self._bytes, person=purpose.encode())
        for size, pieces in about:
            digest.update(size.to_bytes(8, "little"))
            for piece in pieces:
                digest.update(piece)
        return np.random.Generator(np.random.Philox(key=int.from_bytes(digest.digest(), "little")))

    def text(self) -> str:
        """The content of a file for the steward alone, which :meth:`read` reads."""
        return f"{HEAD}\n{self._bytes.hex() if self.seed is None else f'seed {self.seed}'}\n"

    def __repr__(self) -> str:
        return "<Secret>"


def chosen_secret(seed: Any, secret: Any) -> Secret:
    """The secret of a run: fresh, unless one or a seed is given."""
    if seed is not None and secret is not None:
        raise OptionError("both a seed and a secret are given", remedy="Give only one: each fixes all random choices.")
    if seed is not None:
        return Secret.of_seed(seed)
    return Secret.fresh() if secret is None else Secret.of(secret)


def masking_generator(secret: Secret, table: Tuples, chunks: Chunks | None) -> np.random.Generator:
    """For a method to draw from, on this table; ``chunks`` gives all its records, once for each column (None: the method
    draws nothing)."""
    return secret.generator("masking", () if chunks is None else _content(table, chunks))


def random_order(secret: Secret, table: Table, masked: Masked, n: int) -> NDArray[np.int64]:
    """An order of n released records, of its own for each release."""
    where: list[NDArray[Any]] = [masked.group_of, *(masked.sources if masked.sources is not None else ())]
    made = (_part(_numbers(array)) for array in where)
    return secret.generator("row order", chain(_content(table, lambda: [table.rows]), made)).permutation(n)


def _content(table: Tuples, chunks: Chunks) -> Iterator[Part]:
    """The values of the table, record by record, whatever kind of frame or file they came from."""
    for column, codes in zip(table.columns, table.codes, strict=True):
        yield 4 * table.n, (_numbers(codes[rows.tuple_of]) for rows in chunks())
        yield from map(_part, column.content())


def _part(content: bytes) -> Part:
    return len(content), [content]


def _numbers(array: NDArray[Any]) -> bytes:
    return np.ascontiguousarray(array, dtype="<i4").tobytes()
