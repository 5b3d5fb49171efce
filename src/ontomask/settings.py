"""Base of all parts of a policy: validated settings; unknown fields are refused with the nearest known one.

Bad input becomes one :class:`~ontomask.errors.PolicyError` that names every problem, wherever it is made: in Python, in a
dictionary or in a file.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Self,
    TypeAlias,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
)

import numpy as np
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from ontomask.arguments import did_you_mean, is_number, is_whole, short
from ontomask.errors import OntomaskError, PolicyError
from ontomask.settings_help import TAGS, documented, fields_in_order, signature
from ontomask.wording import RECORD, Unit

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

if TYPE_CHECKING:
    # To a checker any mapping and any sequence will do: {"age": Numeric()} is a dict of Numeric, not of all kinds.
    from pydantic._internal._model_construction import ModelMetaclass as _ModelMetaclass

    DictOf: TypeAlias = Mapping[_Key, _Value]
    ListOf: TypeAlias = Sequence[_Value]
else:
    DictOf, ListOf = dict, list
    _ModelMetaclass = type(BaseModel)


@dataclass_transform(kw_only_default=True, field_specifiers=(Field,))
class _SettingsMeta(_ModelMetaclass):
    """Turns pydantic's errors into ours, and lets the fields be given in their order as well as by name.

    Type checkers see the fields as keyword arguments; those with ``kw_only=False`` may go without their name.
    """

    def __call__(cls, *values: Any, **named: Any) -> Any:  # noqa: N805 - a class is what it is called on
        fields = list(fields_in_order(cls.model_fields))  # type: ignore[attr-defined]
        if len(values) > len(fields):
            raise PolicyError(
                f"{cls.__name__} takes at most {len(fields)} values", remedy=f"They are: {', '.join(fields)}."
            )
        for name, value in zip(fields, values, strict=False):
            if name in named:
                raise PolicyError(f"{cls.__name__} is given {name!r} twice", remedy="Give it once.")
            named[name] = value
        return validated(cls, named)

    def __dir__(cls) -> list[str]:  # noqa: N805
        """The names that settings add to those of pydantic: ``help()`` and completion show no others."""
        return [name for name in super().__dir__() if not _of_pydantic(cls, name)]


def _of_pydantic(cls: type, name: str) -> bool:
    if name in ("__signature__", "__class_vars__", "__private_attributes__", "model_config", "gone"):
        return True
    home = next((base for base in cls.__mro__ if name in vars(base)), object)
    return name.startswith("__pydantic") or home is BaseModel or (name.startswith("_") and home is not object)


class Settings(BaseModel, metaclass=_SettingsMeta):
    """A part of a policy. It cannot be changed; :meth:`changed` gives another."""

    #: Keys that there were once, and what to do in their place.
    gone: ClassVar[Mapping[str, str]] = {}

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, protected_namespaces=())

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        """The descriptions of the fields become the parameters of the docstring."""
        super().__pydantic_init_subclass__(**options)
        cls.__doc__ = documented(cls.__doc__, cls.model_fields)
        cls.__signature__ = signature(cls.model_fields)

    def __repr_args__(self) -> list[tuple[str | None, Any]]:
        """What was given; the class says its own name and kind."""
        given = self.model_fields_set - set(TAGS)
        return [(name, value) for name, value in super().__repr_args__() if name in given]

    def __dir__(self) -> list[str]:
        return [*dir(type(self)), *type(self).model_fields]

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            super().__setattr__(name, value)
            return
        raise PolicyError(
            f"{type(self).__name__} cannot be changed", remedy=f"Make another one: changed({name}=...) gives it."
        )

    def __hash__(self) -> int:
        """Equal settings have equal hashes; dictionaries count without their order, as they do when compared."""
        return hash((type(self), *(_hashable(getattr(self, name)) for name in type(self).model_fields)))

    def with_files(self, folder: Path) -> Self:
        """The same, naming new files in the folder for what a file cannot name, as it exists in memory only."""
        return self

    def changed(self, **changes: Any) -> Self:
        """The same with some settings replaced, checked as if it were made anew."""
        made: Self = validated(type(self), given_settings(self) | changes)
        return made


class Spoken(Settings):
    """A part of a policy that a reader meets by name: it says itself what it is called and what it does or asks for."""

    #: The entries of the glossary of a report that explain its words, beside those that every report has.
    terms: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        """A class that policies can name is complete, or it is not made: a report must never guess its words."""
        super().__pydantic_init_subclass__(**options)
        missing = sorted(getattr(cls, "__abstractmethods__", ()))
        named = "name" in cls.model_fields and not cls.model_fields["name"].is_required()
        if named and missing:
            raise TypeError(f"{cls.__name__} has a name and does not define {', '.join(missing)}")

    @property
    @abstractmethod
    def title(self) -> str:
        """What it is called."""

    @abstractmethod
    def explain(self, unit: Unit = RECORD) -> str:
        """What it does or asks for, in a sentence or two for readers who do not program; ``unit``: what is counted."""


def _hashable(value: Any) -> Any:
    """Something to hash in place of a value."""
    if isinstance(value, Mapping):
        return frozenset((key, _hashable(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(_hashable(item) for item in value)
    try:
        hash(value)
    except TypeError:
        return type(value)
    return value


def given_settings(settings: BaseModel) -> dict[str, Any]:
    """The settings that were given, in the order of the fields."""
    return {name: getattr(settings, name) for name in type(settings).model_fields if name in settings.model_fields_set}


def validated(cls: Any, named: Mapping[str, Any], *, where: str | None = None) -> Any:
    """The settings, or an error that names every problem in them."""
    try:
        return cls.model_validate(dict(named))
    except ValidationError as wrong:
        error = translate(wrong, cls, where=where or cls.__name__)
    raise error


def either(base: type[Settings], classes: tuple[type[Settings], ...], key: str) -> Any:
    """The type of a setting that is one of several classes, which files tell apart by ``key``."""

    def ready(part: Any, by_key: ValidatorFunctionWrapHandler) -> Any:
        return part if isinstance(part, base) else by_key(part)  # what was made in Python was checked when it was made

    return Annotated[Union[classes], Field(discriminator=key), WrapValidator(ready)]  # noqa: UP007 - of a tuple


def dotted(path: Sequence[Any]) -> str:
    """A path in a file: ``attributes.age.role``."""
    return ".".join(short(str(part), 100) for part in path)


def translate(
    wrong: ValidationError,
    cls: type[BaseModel],
    *,
    where: str,
    lines: Any = None,
    in_words: Callable[[Sequence[Any]], str] = dotted,
) -> PolicyError:
    """Every problem pydantic found, in our words.

    ``lines`` gives the place of a path in a file, where there is one; ``in_words`` says the path.
    """
    problems: list[str] = []
    for detail in wrong.errors():
        path = (*detail["loc"], *getattr((detail.get("ctx") or {}).get("error"), "setting_path", ()))
        said = _say(detail, cls)
        _, shown = _walk(cls, path, key=detail["type"] == "extra_forbidden")
        place = lines(tuple(shown)) if lines else None
        problem = ": ".join(part for part in (place, in_words(shown), said) if part)
        if problem not in problems:
            problems.append(problem)
    return all_problems(problems, where)


def all_problems(problems: Sequence[str], where: str) -> PolicyError:
    """One error that names every problem."""
    if len(problems) == 1:
        return PolicyError(f"{where}: {problems[0]}", problems=problems)
    listed = "\n".join(f"  {problem}" for problem in problems)
    return PolicyError(f"{where} ({len(problems)} problems):\n{listed}", problems=problems)


def _walk(
    cls: type[BaseModel], path: tuple[Any, ...], *, key: bool = False
) -> tuple[type[BaseModel] | None, list[Any]]:
    """The settings class at the end of a path, and the path as a person would write it.

    pydantic puts the kinds of a union into its paths; in a file there is no such level. ``key``: the last part is what
    somebody wrote, whatever it is called.
    """
    current: Any = cls
    shown: list[Any] = []
    for place, part in enumerate(path):
        if key and place == len(path) - 1:
            return None, [*shown, part]
        choices = _alternatives(current)
        tagged = [c for c in choices if _is_settings(c) and part in (_tag(c), c.__name__)]
        if tagged and (len(choices) > 1 or part == _tag(tagged[0])):
            current = tagged[0]
            continue
        if part == "[key]":
            continue
        shown.append(part)
        current = next((step for c in choices if (step := _step(c, part)) is not None), None)
    found = [c for c in _alternatives(current) if _is_settings(c)]
    return (found[0] if len(found) == 1 else None), shown


def _step(choice: Any, part: Any) -> Any:
    """What stands one level further down."""
    if _is_settings(choice):
        field = choice.model_fields.get(str(part))
        return None if field is None else field.annotation
    if get_origin(choice) is dict:
        return get_args(choice)[1]
    return get_args(choice)[0] if get_origin(choice) is list else None


def _alternatives(annotation: Any) -> list[Any]:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _alternatives(get_args(annotation)[0])
    if origin in (Union, UnionType):
        return [c for inner in get_args(annotation) for c in _alternatives(inner) if c is not type(None)]
    return [annotation]


def _is_settings(choice: Any) -> bool:
    return isinstance(choice, type) and issubclass(choice, BaseModel)


def _tag(cls: type[BaseModel]) -> Any:
    """What names a kind of attribute, method or model in a file."""
    return next((cls.model_fields[key].default for key in ("kind", "name") if key in cls.model_fields), None)


def _say(detail: Any, cls: type[BaseModel]) -> str:
    kind, given, context = detail["type"], detail.get("input"), detail.get("ctx") or {}
    path = tuple(detail["loc"])
    if path and path[-1] == "[key]":
        return "names of columns are text: put it in quotes"
    if kind == "extra_forbidden":
        found = _walk(cls, path[:-1])[0] or cls
        if path[-1] == _tag(found) and path[-1] not in path[-2:-1]:  # in a union, the kind stands before its keys
            return f"this is a name, not a key: {_written(found, given)}"
        gone = getattr(found, "gone", {})
        if path[-1] in gone:
            return str(gone[path[-1]])
        known = list(found.model_fields)
        return f"unknown key. {did_you_mean(path[-1], known)}There are: {', '.join(known)}"
    if kind == "missing":
        return "is required"
    if kind == "value_error":
        problem = context.get("error")
        return str(problem) if isinstance(problem, OntomaskError) else str(detail["msg"]).removeprefix("Value error, ")
    if kind in ("model_type", "model_attributes_type", "union_tag_not_found", "union_tag_invalid"):
        return _say_which(cls, path, given, context)
    shown = short(repr(given), 40)
    if kind == "literal_error":
        known = [part.strip().strip("'") for part in context["expected"].replace(" or ", ", ").split(",")]
        hint = _HINTS.get(given, "") if isinstance(given, str) else "Give one of them."
        return f"{shown} is not one of {', '.join(known)}. {did_you_mean(given, known)}{hint}".strip()
    if kind == "dict_type":
        return f"{shown} is not a mapping: give each entry as name: settings"
    if kind == "invalid_key":
        return "keys are text: put it in quotes"
    if kind == "list_type":
        return f"{shown} is not a list: in a file, begin each entry with a dash"
    return f"{shown} should be {str(detail['msg']).removeprefix('Input should be ')}"


#: What newcomers write, and what they mean.
_HINTS = {
    "identifier": "A column that names a person has the kind identifier: Identifier().",
    "quasi-identifier": "Did you mean 'quasi'?",
    "quasi_identifier": "Did you mean 'quasi'?",
}


def _say_which(cls: type[BaseModel], path: tuple[Any, ...], given: Any, context: Mapping[str, Any]) -> str:
    """Something stands where one of several settings should: say how these are written."""
    parent: Any = cls
    for part in path:
        parent = next((s for c in _alternatives(parent) if (s := _step(c, part)) is not None), parent)
    choices = [c for c in _alternatives(parent) if _is_settings(c)]
    if isinstance(given, type):
        return f"{given.__name__} is a class: write {given.__name__}(...), with brackets"
    key = "kind" if any("kind" in c.model_fields for c in choices) else "name"
    known = [str(_tag(c)) for c in choices]
    if isinstance(given, Mapping):
        if key not in given:
            named = next((c for c in choices if _tag(c) in given), None)
            if named is not None:
                return f"{_tag(named)!r} is a name, not a key: {_written(named, given[_tag(named)])}"
            return f"say which it is with the key {key}: {', '.join(known)}"
        near = did_you_mean(given[key], known)
        return f"{short(repr(given[key]), 40)} is not one of {', '.join(known)}. {near}".strip()
    written = given if given in known else known[0] if known else "..."
    return f"{short(repr(given), 40)} is not a group of settings: write {{{key}: {written}, ...}}"


def _written(cls: type[BaseModel], given: Any) -> str:
    """How settings are written that somebody gave as ``name: given``."""
    key = "kind" if "kind" in cls.model_fields else "name"
    needed = [name for name, field in cls.model_fields.items() if field.is_required()]
    parts = {key: _tag(cls)}
    if isinstance(given, Mapping):
        parts |= {str(name): value for name, value in given.items()}
    elif needed:
        parts[needed[0]] = "..." if given is None else given
    return "write {" + ", ".join(f"{name}: {short(str(value), 40)}" for name, value in parts.items()) + "}"


def whole_number(value: Any) -> int:
    if not is_whole(value):
        raise ValueError(f"{short(repr(value), 40)} is not a whole number")
    return int(value)


def plain(value: Any) -> Any:
    """Options as a file can hold them: NumPy's scalars as Python's, tuples as lists."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return {k: plain(v) for k, v in value.items()} if isinstance(value, dict) else value


def number(value: Any) -> float:
    if not is_number(value):
        raise ValueError(f"{short(repr(value), 40)} is not a number")
    if not math.isfinite(value):
        raise ValueError(f"{value} is not finite: give a finite number")
    return float(value)


#: No table has more records.
_MOST = 10**15


def _count(value: Any) -> int:
    count = whole_number(value)
    if count < 1:
        raise ValueError(f"{count} is too small: it must be at least 1")
    if count > _MOST:
        raise ValueError(f"it is too large: at most {_MOST:,}")
    return count


#: A whole number from 1 up; 5.0 and "5" are refused.
Count = Annotated[int, BeforeValidator(_count)]
