"""The figures behind ``demo_data``: ``data/profile.toml`` (who is discharged) and ``data/care.toml`` (what is done)."""

from __future__ import annotations

from functools import cache

from ontomask.files.packaged import Listed, Packaged


class Chapter(Packaged):
    """A chapter of principal diagnoses; ``profile.toml`` explains the fields."""

    concept: str
    share: float
    spread: float
    male: float
    age: str
    stay: float
    charge: float
    general: float
    comorbid: float


class Profile(Packaged):
    """Who is discharged, and with what. Texts are lists of ``key:value``."""

    chapters: dict[str, Chapter]
    frequencies: dict[str, str]
    never: Listed
    labels: list[tuple[str, float]]
    ages: dict[str, list[tuple[float, float, float, int, int]]]
    age_of: str
    male: str
    stays: str
    races: tuple[str, ...]
    race_shares: list[list[float]]
    race_of: dict[str, list[float]]
    age_bands: tuple[int, ...]


class Care(Packaged):
    """What is done for whom, and what else the patients have."""

    procedures: dict[str, str]
    secondary: dict[str, str]
    general: str
    costs: str
    stay_factors: str
    comorbid: list[str]
    grave: str


@cache
def profile() -> Profile:
    """The figures of ``profile.toml``."""
    return Profile.load("demo/data/profile.toml")


@cache
def care() -> Care:
    """The figures of ``care.toml``."""
    return Care.load("demo/data/care.toml")
