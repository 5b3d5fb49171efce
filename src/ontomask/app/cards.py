"""Cards: what pages show of methods, models and built-in taxonomies, in the words that each has for itself."""

from __future__ import annotations

from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from ontomask.policy.policy import METHODS, MODELS
from ontomask.settings import Spoken
from ontomask.taxonomy.catalog import catalog as built_in

#: What each method keeps of the data, as docs/methods says it.
KEPT = {
    "microaggregation": "Means and the broad shape are kept; detail within a group is lost.",
    "recoding": "Common records are unchanged; a release shows only combinations that occur in the data.",
    "resampling": "The distribution along the sorting order is kept.",
    "generalization": "Every value stays true: it is only less precise.",
    "rank_swapping": "Each column keeps exactly its values, and most of the relations between columns.",
    "shuffling": "Each column keeps exactly its values, and the rank correlations.",
    "imputation": "Means, spreads and the relations that a regression describes are kept.",
    "noise_addition": "The broad shape of each column is kept, and with correlated noise the correlations.",
    "pram": "The counts of each column are kept in expectation, and relations after a correction.",
    "profile_microaggregation": "As microaggregation, for persons with several records.",
    "suppression": "What is not removed is unchanged.",
}
#: Settings that a card does not offer: they name the method itself.
_OWN = ("name",)


def method_cards() -> list[dict[str, Any]]:
    """A card for each method: its name, title, what it does, what it keeps, whether it promises a k, and its settings."""
    cards = []
    for name, cls in METHODS.items():
        made = _example(cls)
        cards.append(
            _card(name, made)
            | {
                "kept": KEPT.get(name, ""),
                "promises": made.promised_k > 1 or made.takes_required_k,
                "masks": made.masks,
            }
        )
    return cards


def model_cards() -> list[dict[str, Any]]:
    """A card for each privacy model that can be required."""
    return [_card(name, _example(cls)) for name, cls in MODELS.items()]


def catalog() -> list[dict[str, Any]]:
    """The built-in taxonomies; ``lacking`` says what this machine lacks for one."""
    return [{"name": entry.name, "what": entry.what, "lacking": entry.lacking} for entry in built_in()]


#: Settings without which an example cannot be made.
_NEEDED: dict[str, Any] = {"k": 5, "l": 2, "t": 0.3, "m": 2}


def _example(cls: type[Any]) -> Any:
    """The settings with the least that must be said, of which the words are taken."""
    needed = {n: _NEEDED[n] for n, f in cls.model_fields.items() if n in _NEEDED and f.is_required()}
    fields = set(cls.model_fields)
    if cls.model_fields["name"].default == "rank_swapping":
        needed["k"] = 5
    values = {n: f.default for n, f in cls.model_fields.items() if not f.is_required() and n not in needed}
    try:
        return cls(**needed)
    except (TypeError, ValueError):  # it names a file or a column, which no example has
        return cls.model_construct(**values | needed | dict.fromkeys(fields - set(values) - set(needed)))


def _card(name: str, made: Spoken) -> dict[str, Any]:
    return {"name": name, "title": made.title, "text": made.explain(), "settings": _settings(type(made))}


def _settings(cls: type[BaseModel]) -> list[dict[str, Any]]:
    """What can be set: the name, what kind of value, its default and what it means."""
    found = []
    for name, field in cls.model_fields.items():
        if name in _OWN:
            continue
        default = None if field.default is PydanticUndefined else field.default
        plain = default if isinstance(default, (str, int, float, bool, type(None), list)) else None
        found.append(
            {
                "name": name,
                "type": _type(field.annotation),
                "choices": _choices(field.annotation),
                "required": field.is_required(),
                "default": plain,
                "description": field.description or "",
            }
        )
    return found


def _parts(annotation: Any) -> list[Any]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is None or not arguments:
        return [annotation]
    return [annotation, *(part for argument in arguments for part in _parts(argument))]


def _choices(annotation: Any) -> list[str]:
    """The texts that a setting can be, where these are few."""
    literals = [part for part in _parts(annotation) if get_origin(part) is not None and _is_literal(part)]
    return [text for part in literals for text in get_args(part) if isinstance(text, str)]


def _is_literal(annotation: Any) -> bool:
    return str(get_origin(annotation)) == "typing.Literal"


def _type(annotation: Any) -> str:
    """What a page asks for: one of several texts, yes or no, a whole number, a number, a list or a text."""
    if _choices(annotation):
        return "choice"
    parts = _parts(annotation)
    for kind, name in ((bool, "flag"), (int, "whole"), (float, "number")):
        if kind in parts:
            return name
    return "list" if any(get_origin(part) in (list, dict) for part in parts) else "text"
