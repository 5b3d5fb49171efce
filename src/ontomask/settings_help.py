"""``help()`` of settings: parameters from the field descriptions, and a plain signature.

Each text exists once: as the description of its field, which is also the comment on its key in a policy file.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

#: A section of a docstring, or a first example: parameters go before it.
_SECTION = re.compile(r"^(?:[A-Z]\w+\n-{3,}$|>>> )", re.MULTILINE)
#: Fields that tell in a file which settings these are; in Python the class does.
TAGS = ("name", "kind")
#: Unions of more settings than this are shown as the class that they derive from.
_FEW = 5


def fields_in_order(fields: Mapping[str, FieldInfo]) -> dict[str, FieldInfo]:
    """The fields as they are given without names: those that must be given come first, as in ``Nominal("icd9cm")``."""
    needed = {name: field for name, field in fields.items() if field.is_required() and name not in TAGS}
    return needed | {name: field for name, field in fields.items() if name not in TAGS}


def documented(doc: str | None, fields: Mapping[str, FieldInfo]) -> str | None:
    """A docstring, if there is one, with a numpydoc section on the parameters from the descriptions of the fields."""
    shown = fields_in_order(fields)
    if not doc or not shown:
        return doc
    text = inspect.cleandoc(doc)
    lines = ["Parameters", "----------"]
    for name, field in shown.items():
        kind = _type(field.annotation)
        lines += [f"{name} : {kind}{_default(field)}", f"    {_sentence(field.description or 'See below', kind)}"]
    first = _SECTION.search(text)
    place = len(text) if first is None else first.start()
    parts = (text[:place], "\n".join(lines), text[place:])
    return "\n\n".join(part.strip("\n") for part in parts if part.strip())


def signature(fields: Mapping[str, FieldInfo]) -> inspect.Signature:
    """How settings are made: names and defaults; the docstring has their types."""
    loose, named = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    return inspect.Signature(
        [
            inspect.Parameter(
                name,
                loose if field.kw_only is False else named,
                default=inspect.Parameter.empty if field.is_required() else _Shown(field),
            )
            for name, field in fields_in_order(fields).items()
        ]
    )


class _Shown:
    """The default of a field, as it is shown."""

    def __init__(self, field: FieldInfo) -> None:
        self.field = field

    def __repr__(self) -> str:
        return _written_default(self.field)


def _written_default(field: FieldInfo) -> str:
    made = field.get_default(call_default_factory=True, validated_data={})
    return f"{type(made).__name__}()" if isinstance(made, BaseModel) else repr(made)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return ""
    written = _written_default(field)
    return ", optional" if written == "None" else f", default {written}"


def _sentence(text: str, kind: str) -> str:
    """A description as a sentence; one that begins with a value of the parameter keeps it as it is written."""
    first = re.match(r"\w+", text)
    begun = text if first and repr(first[0]) in kind else text[0].upper() + text[1:]
    return begun if begun.endswith(".") else f"{begun}."


def _type(annotation: Any) -> str:
    """A type in the words of numpydoc: ``str or None``, ``{'mean', 's'}``, ``dict of str to float``."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type(inner[0])
    if origin is Literal:
        return "{" + ", ".join(map(repr, inner)) + "}"
    if origin in (Union, UnionType):
        return _either(inner)
    if origin is dict:
        return f"dict of {_type(inner[0])} to {_type(inner[1])}"
    if origin in (list, tuple, set):
        return f"{origin.__name__} of {_type(inner[0])}"
    if annotation is Any:
        return "object"
    return "None" if annotation is type(None) else str(getattr(annotation, "__name__", annotation))


def _either(choices: tuple[Any, ...]) -> str:
    if len(choices) > _FEW and all(isinstance(choice, type) for choice in choices):
        shared = next(cls for cls in choices[0].__mro__ if all(issubclass(choice, cls) for choice in choices))
        return str(shared.__name__)
    names = [_type(choice) for choice in choices if choice is not type(None)]
    named = " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"{named} or None" if type(None) in choices else named


def default_of(field: FieldInfo) -> Any:
    """The value of a field that is not given; pydantic's own way looks at the signature of the factory each time."""
    factory: Any = field.default_factory
    return field.default if factory is None else factory()
