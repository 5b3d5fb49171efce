"""Counts and shares in words: exact for the steward, coarse in what is published.

A count of few records, given exactly, points at them: "3 records were suppressed". So does its complement ("4,997 of 5,000"),
a percentage that it can be computed from, and the difference of two exact totals. In public every count is therefore rounded to
a multiple of one base and says so; a count below the base is "fewer than" the base. Differences of such figures are multiples
of the base as well, and shares are computed from rounded counts or rounded to steps of at least the base.

Whoever has the release counts its records exactly. A total of the original that is rounded for itself would then tell, where
the two fall on different sides of a multiple, how many records are missing. So totals are sums of what is said of their parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, isfinite

from ontomask.arguments import counted
from ontomask.arrays import TIE

#: Counts below this are never given exactly in public, whatever the policy promises.
LEAST = 5
#: Steps of shares in public, from the finest on; losses begin at 5%.
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0)


#: A share that was rounded to a coarser step than this is a range.
COARSEST = 0.2
#: A share of fewer than so many times the base is a range.
FINE = 20


@dataclass(frozen=True)
class Unit:
    """The words for what is counted: ``one`` of it, and ``many``; ``key``: the setting that says whose a record is."""

    one: str
    many: str
    key: str = ""

    def counted(self, number: int) -> str:
        """'1 record', '2 records'."""
        return counted(number, self.one, self.many)

    def instead(self, text: str) -> str:
        """A text on "k records", of what is counted instead."""
        return text.replace(f"k {RECORD.many}", f"k {self.many}")

    @property
    def owner(self) -> Unit:
        """Whom records belong to: a person where records are counted."""
        return self if self.key else PERSON


#: What is counted where nothing else is said: rows of the data.
RECORD = Unit("record", "records")
#: What is counted where a policy says whose each record is.
PERSON = Unit("person", "persons", key="person")


@dataclass(frozen=True)
class Counts:
    """How counts of records are written: exactly (``base`` 1), or rounded to multiples of ``base``."""

    base: int = 1

    @staticmethod
    def public(k: int) -> Counts:
        """For the public edition of a policy that promises or requires at most ``k``: a multiple of 5, at least 5 and k."""
        return Counts(LEAST * ceil(max(k, LEAST) / LEAST))

    @property
    def exact(self) -> bool:
        return self.base == 1

    def rounded(self, count: int) -> int:
        """The count, rounded to the nearest multiple of the base; fewer than the base are 0."""
        return 0 if count < self.base else self.base * floor(count / self.base + 0.5)

    def said(self, count: int) -> int:
        """The number that stands for a count in sums; in public nothing but what :meth:`number` tells goes into it."""
        return count if self.exact else (self.base + 1) // 2 if 0 < count < self.base else self.rounded(count)

    def number(self, count: int) -> str:
        """'4,997'; in public 'about 4,995', 'fewer than 5', '0'."""
        if self.exact or count == 0:
            return f"{count:,}"
        return f"fewer than {self.base:,}" if count < self.base else f"about {self.rounded(count):,}"

    def of(self, count: int, noun: str, plural: str | None = None) -> str:
        """'1 record', '3 records'; in public 'fewer than 5 records', 'about 20 records'."""
        if self.exact:
            return counted(count, noun, plural)
        return f"{self.number(count)} {plural or noun + 's'}"

    def units(self, count: int, unit: Unit) -> str:
        """The same of what is counted."""
        return self.of(count, unit.one, unit.many)

    def least(self, size: int) -> str:
        """A smallest size: '7'; in public 'at least 5', or 'fewer than 5'."""
        if self.exact or size == 0:
            return f"{size:,}"
        return self.number(size) if size < self.base else f"at least {self.base * (size // self.base):,}"

    def share(self, count: int, whole: int) -> str:
        """A percentage; in public computed from rounded counts, and none of so few records that it would be exact."""
        if self.exact:
            return percent(count / whole) if whole else "–"
        if count in (0, whole):
            return "all" if count else "none"
        all_ = self.rounded(whole)
        if not all_:
            return "some"
        part = self.rounded(count)
        half = self.base / 2  # rounded counts leave so much open; nothing but rounded counts is used
        if part / all_ < 0.01:
            most = part + half if part else self.base
            return f"under {floor(100 * most / (all_ - half)) + 1}%"
        if all_ >= FINE * self.base:
            return f"about {part / all_:.0%}"
        return (
            f"{floor(100 * (part - half) / (all_ + half))}% to {min(ceil(100 * (part + half) / (all_ - half)), 100)}%"
        )

    def step(self, whole: int, finest: float = 0.05) -> float | None:
        """The steps of a share of ``whole`` records in public: a step is at least as many records as the base."""
        return next((step for step in STEPS if step >= finest and step * whole >= self.base), None)

    def coarse(self, share: float | None, whole: int) -> str:
        """A mean over records: '12.3%'; in public 'about 10%', 'under 5%', of few records '50% to 100%'."""
        if share is None or not isfinite(share):
            return "–"
        if self.exact:
            return percent(share)
        step = self.step(whole)
        if step is None:
            return "not given"
        if step > COARSEST:
            low = step * floor(share / step)
            return "not given" if step == 1 else f"{low:.0%} to {low + step:.0%}"
        near = self.stepped(share, step)
        return f"about {near:.0%}" if near else f"under {step:.0%}"

    @staticmethod
    def stepped(share: float, step: float) -> float:
        """A share rounded to a step. Less than one step is 0: a few records that count in full may be all of it."""
        return 0.0 if share < step else step * floor(share / step + 0.5)

    def at_most(self, share: float, whole: int) -> str:
        """A risk: '47.2%'; in public 'at most 50%', rounded up to a step."""
        if self.exact or share == 0:
            return percent(share)
        step = self.step(whole, 0.01)
        return "not given" if step is None else f"at most {min(step * ceil(share / step - 1e-9), 1.0):.0%}"


def capital(text: str) -> str:
    """The text as the beginning of a sentence or a cell."""
    return text[:1].upper() + text[1:]


def percent(share: float, digits: int = 1) -> str:
    """A share as a percentage: '19.8%'; 0% only for nothing, 100% only for all."""
    least = 10.0 ** -(digits + 2)
    if share == 0 or abs(share - 1) < TIE:
        return f"{share:.0%}"
    if 0 < share < least:
        return f"under {least:.{digits}%}"
    return f"over {1 - least:.{digits}%}" if 1 - least / 2 <= share < 1 else f"{share:.{digits}%}"
