"""Tables and word lists in the package: TOML files, checked and read when first used."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict

#: Words with blanks between them, as a set; ``WordList`` keeps their order.
Words = Annotated[frozenset[str], BeforeValidator(str.split)]
WordList = Annotated[tuple[str, ...], BeforeValidator(str.split)]


class Packaged(BaseModel):
    """What a TOML file of the package holds; a key without a field is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def load(cls, path: str) -> Self:
        """The file at ``path`` inside the package, such as ``demo/data/care.toml``."""
        return cls.model_validate(tomllib.loads(resources.files("ontomask").joinpath(path).read_text(encoding="utf-8")))
