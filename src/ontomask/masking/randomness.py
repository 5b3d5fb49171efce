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
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import short
from ontomask.errors import OptionError
from ontomask.files.secret_bytes import LENGTH, SecretBytes
from ontomask.settings import whole_number
from ontomask.statements import Statement

if TYPE_CHECKING:
    from ontomask.masking.method import Masked
    from ontomask.microdata.encoding import Rows, Table, Tuples

    Chunks = Callable[[], Iterable[Rows]]

#: Bytes of the key of a generator.
KEY = 16
#: Said of every result in which something random came from a seed that somebody named.
EXPLICIT_SEED = Statement(
    "warning",
    "Made with an explicit seed: whoever knows or guesses it can repeat the random choices, and so test guesses about the "
    "original data. Use a seed for experiments, not for a release.",
)
#: Values that are turned into text at a time.
BLOCK = 100_000
#: What goes into a key, in pieces, and how many bytes it has in all.
Part = tuple[int, Iterable[bytes]]


class Secret(SecretBytes):
    """What all that is random in a run comes from; ``seed`` is the number it was derived from, if one was given.

    >>> Secret.fresh()
    <Secret>
    """

    __slots__ = ("seed",)

    called = "secret"
    head = "# The secret of a run of ontomask. It repeats the random choices of the run. Never publish it."
    file = "confidential/secret.txt"
    otherwise = "a fresh one is drawn"

    def __init__(self, content: bytes, seed: int | None = None, **origin: Any) -> None:
        super().__init__(content, **origin)
        self.seed = seed

    @classmethod
    def of_seed(cls, seed: Any) -> Self:
        """Derived from a number, for experiments: whoever knows or guesses the number has it."""
        try:
            number = whole_number(seed)
        except ValueError:
            number = -1
        if number < 0:
            raise OptionError(f"seed={short(repr(seed), 40)}", remedy="Give a whole number from 0 up.")
        content = hashlib.blake2b(str(number).encode(), digest_size=LENGTH, person=b"ontomask seed")
        return cls(content.digest(), number)

    @classmethod
    def _of_line(cls, line: str, where: str) -> Self | None:
        if re.fullmatch(r"seed \d{1,4000}", line):
            return cls.of_seed(int(line[5:]))
        return super()._of_line(line, where)

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

    def line(self) -> str:
        return super().line() if self.seed is None else f"seed {self.seed}"


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
