"""What every part of a policy is made of: checked fields, unknown ones refused with the nearest there is.

A slip becomes one :class:`~ontomask.errors.PolicyError` that names every problem, wherever it is made: in Python, in a
dictionary or in a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic._internal._model_construction import ModelMetaclass

from ontomask.arguments import did_you_mean, short
from ontomask.errors import OntomaskError, PolicyError


class _Refusing(ModelMetaclass):
    """Turns pydantic's errors into ours, and lets the fields be given in their order as well as by name."""

    def __call__(cls, *values: Any, **named: Any) -> Any:  # noqa: N805 - a class is what it is called on
        fields = [name for name in cls.model_fields if name not in ("name", "kind")]  # type: ignore[attr-defined]
        if len(values) > len(fields):
            raise PolicyError(
                f"{cls.__name__} takes at most {len(fields)} values", remedy=f"They are: {', '.join(fields)}."
            )
        for name, value in zip(fields, values, strict=False):
            if name in named:
                raise PolicyError(f"{cls.__name__} is given {name!r} twice", remedy="Give it once.")
            named[name] = value
        return refuse(cls, named)


class Settings(BaseModel, metaclass=_Refusing):
    """A part of a policy. It cannot be changed; ``model_copy(update=...)`` gives another."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, protected_namespaces=())


def refuse(cls: Any, named: Mapping[str, Any], *, where: str | None = None) -> Any:
    """The settings, or an error that names every problem in them."""
    try:
        return cls.model_validate(dict(named))
    except ValidationError as wrong:
        error = translate(wrong, cls, where=where or cls.__name__)
    raise error


def translate(wrong: ValidationError, cls: type[BaseModel], *, where: str, lines: Any = None) -> PolicyError:
    """Every problem pydantic found, in our words. ``lines`` gives the place of a path in a file, where there is one."""
    problems = []
    for detail in wrong.errors():
        path = tuple(detail["loc"])
        place = lines(path) if lines else None
        said = _say(detail, cls)
        shown = ".".join(map(str, _readable(path)))
        problems.append(": ".join(part for part in (place, shown, said) if part))
    more = f" ({len(problems)} problems)" if len(problems) > 1 else ""
    text = problems[0] if len(problems) == 1 else "\n" + "\n".join(f"  {problem}" for problem in problems)
    return PolicyError(f"{where}{more}: {text}" if more else f"{where}: {text}", problems=problems)


def _readable(path: tuple[Any, ...]) -> list[Any]:
    """A path without the names that pydantic puts in for the kinds of a union."""
    return [part for part in path if not (isinstance(part, str) and part.startswith("kind="))]


def _say(detail: Any, cls: type[BaseModel]) -> str:
    kind, given, context = detail["type"], detail.get("input"), detail.get("ctx") or {}
    if kind == "extra_forbidden":
        known = _fields_at(cls, detail["loc"][:-1])
        name = str(detail["loc"][-1])
        return f"there is no such key. {did_you_mean(name, known)}There are: {', '.join(known)}"
    if kind == "missing":
        return "is needed and not given"
    if kind == "value_error" and isinstance(context.get("error"), OntomaskError):
        return str(context["error"])
    message = str(detail["msg"]).removeprefix("Value error, ").removeprefix("Input should be ")
    shown = short(repr(given), 40)
    if kind in ("literal_error", "union_tag_invalid"):
        expected = context.get("expected") or context.get("expected_tags", "")
        known = [part.strip().strip("'") for part in expected.replace(" or ", ", ").split(",")]
        tag = given.get(context.get("discriminator", "").strip("'")) if isinstance(given, Mapping) else given
        return f"{short(repr(tag), 40)} is none of {', '.join(known)}. {did_you_mean(tag, known)}".strip()
    if kind == "union_tag_not_found":
        return f"say which with the key {context.get('discriminator', '')}"
    if kind == "value_error":
        return message
    return f"{shown} should be {message}"


def _fields_at(cls: type[BaseModel], path: Iterable[Any]) -> list[str]:
    """The names of the fields that may stand at a path inside nested settings."""
    from ontomask.policy import settings_at

    found = settings_at(cls, tuple(path))
    return list((found or cls).model_fields)


def _whole(value: Any) -> Any:
    """A whole number as int; anything else unchanged, for the check to refuse."""
    return int(value) if isinstance(value, np.integer) else value


def _count(value: Any) -> Any:
    value = _whole(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{short(repr(value), 40)} is no whole number")
    if value < 1:
        raise ValueError(f"{value} is too small: it must be at least 1")
    return value


#: A whole number from 1 up; 5.0 and "5" are refused.
Count = Annotated[int, BeforeValidator(_count)]
#: Records that share their quasi-identifiers: the k of k-anonymity.
K = Annotated[int, BeforeValidator(_count), Field(description="every person hides among at least this many")]
