"""The data files of the package, read strictly."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path

import pytest
from pydantic import ValidationError

import ontomask
from ontomask.column_names.names import Vocabulary, vocabulary
from ontomask.demo.population import Care, Profile
from ontomask.direct_identifiers.kinds import Identifiers
from ontomask.files.packaged import Packaged

PACKAGE = Path(ontomask.__file__).parent
FILES: dict[str, type[Packaged]] = {
    "demo/data/profile.toml": Profile,
    "demo/data/care.toml": Care,
    "column_names/data/words.toml": Vocabulary,
    "direct_identifiers/data/identifiers.toml": Identifiers,
}


def test_every_file_has_a_model() -> None:
    assert {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.toml")} == set(FILES)


@pytest.mark.parametrize("path", FILES)
def test_a_key_that_no_field_has_is_refused(path: str) -> None:
    content = tomllib.loads(resources.files("ontomask").joinpath(path).read_text(encoding="utf-8"))
    assert FILES[path].load(path) == FILES[path].model_validate(content)
    with pytest.raises(ValidationError, match="extra_forbidden"):
        FILES[path].model_validate({**content, "unheard": 1})
    for key in content:
        with pytest.raises(ValidationError, match=key):
            FILES[path].model_validate({name: value for name, value in content.items() if name != key})


def test_an_entry_with_an_unknown_key_is_refused() -> None:
    content = tomllib.loads((PACKAGE / "demo/data/profile.toml").read_text(encoding="utf-8"))
    content["chapters"]["blood"]["mail"] = 45
    with pytest.raises(ValidationError, match=r"chapters\.blood\.mail"):
        Profile.model_validate(content)


def test_every_age_model_exists() -> None:
    figures = Profile.load("demo/data/profile.toml")
    named = {entry.rsplit(":", 1)[1] for entry in figures.age_of.split()} | {c.age for c in figures.chapters.values()}
    assert named == set(figures.ages)
    assert set(figures.frequencies) == set(figures.chapters)
    assert len(figures.race_shares) == len(figures.age_bands) + 1


def test_words_are_plain() -> None:
    """Names of columns are folded to small letters without accents; a word with others would never be found."""
    words = vocabulary()
    lists = [words.scales, words.coded, words.times, words.keys.persons, words.keys.events, *words.units.values()]
    assert all(word.isascii() and word.islower() for known in lists for word in known)
    assert all(word.isascii() for entry in words.topics for word in entry.words)
