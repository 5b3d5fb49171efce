"""Docstrings of the public names: numpydoc sections that say of every parameter what it is, and of no other."""

from __future__ import annotations

import inspect
import pydoc
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import pytest

import ontomask as om
from ontomask.settings import Settings

PUBLIC = {name: getattr(om, name) for name in om.__all__ if callable(getattr(om, name))}
SETTINGS = {name: value for name, value in PUBLIC.items() if isinstance(value, type) and issubclass(value, Settings)}
FUNCTIONS = {name: value for name, value in PUBLIC.items() if inspect.isfunction(value)}
CLASSES = {name: value for name, value in PUBLIC.items() if isinstance(value, type) and name not in SETTINGS}
SECTIONS = ("Parameters", "Attributes", "Returns", "Raises", "Warns", "See Also", "Notes", "References", "Examples")


def sections(doc: str) -> dict[str, str]:
    """The text of each section, by its heading; the summary has none."""
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}$", inspect.cleandoc(doc), flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def listed(section: str) -> dict[str, str]:
    """The parameters of a section, with the line below each."""
    found = re.findall(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: : .*)?\n((?: {4}.*\n?)+)", section, re.MULTILINE)
    return {name.strip("*"): text.strip() for names, text in found for name in names.split(", ")}


def members(cls: type) -> dict[str, Any]:
    """What a class has of ours, its own or inherited."""
    ours = [base for base in reversed(cls.__mro__) if base.__module__.startswith("ontomask")]
    return {name: value for base in ours for name, value in vars(base).items()}


def public_methods() -> Iterator[tuple[str, Any]]:
    """Methods that the public classes define themselves, settings included, and what results inherit."""
    for owner, cls in {**CLASSES, **SETTINGS}.items():
        for name, value in members(cls).items() if owner in CLASSES else vars(cls).items():
            inner = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
            if not name.startswith("_") and inspect.isfunction(inner):
                yield f"{owner}.{name}", inner


@pytest.mark.parametrize("name", PUBLIC)
def test_sections_are_those_of_numpydoc_and_in_its_order(name: str) -> None:
    found = [heading for heading in sections(PUBLIC[name].__doc__) if heading]
    assert found == [heading for heading in SECTIONS if heading in found]


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_document_every_field(name: str) -> None:
    fields = {key: field for key, field in SETTINGS[name].model_fields.items() if key not in ("name", "kind")}
    shown = listed(sections(SETTINGS[name].__doc__ or "")["Parameters"])
    assert set(shown) == set(fields)
    for key, field in fields.items():
        assert field.description, key
        assert shown[key].casefold().startswith(field.description.casefold()), key


@pytest.mark.parametrize("name", SETTINGS)
def test_help_shows_settings_and_nothing_of_pydantic(name: str) -> None:
    """Once it was: 600 lines, with ``BeforeValidator(func=<function _count at 0x7f...>)`` in the signature."""
    text = pydoc.render_doc(SETTINGS[name], renderer=pydoc.plaintext)
    for noise in ("BeforeValidator", "__pydantic", "model_dump", "model_fields", "Annotated", " at 0x"):
        assert noise not in text
    assert text.count("\n") < 260
    assert "changed" in dir(SETTINGS[name])
    signature = inspect.signature(SETTINGS[name])
    needed = [key for key, field in SETTINGS[name].model_fields.items() if field.is_required()]
    assert [key for key, value in signature.parameters.items() if value.default is inspect.Parameter.empty] == needed


def test_completion_shows_the_fields_of_settings() -> None:
    shown = dir(om.Numeric(role="sensitive"))
    assert {"role", "weight", "changed"} <= set(shown)
    assert not [name for name in shown if name.startswith("model_")]


def parameters(function: Any) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_document_their_parameters_and_no_others(name: str) -> None:
    found = sections(FUNCTIONS[name].__doc__ or "")
    assert list(listed(found.get("Parameters", ""))) == parameters(FUNCTIONS[name])
    assert all(listed(found.get("Parameters", "")).values())
    if inspect.signature(FUNCTIONS[name]).return_annotation != "None":
        assert found["Returns"].strip()
    assert (
        ">>> " in found.get("Examples", "") or "path" in parameters(FUNCTIONS[name]) or not parameters(FUNCTIONS[name])
    )


METHODS = dict(public_methods())
#: Settings whose methods are called by the library: CONTRIBUTING.md has recipes for further ones.
EXTENDED = set(SETTINGS) - {"Policy"}


@pytest.mark.parametrize("name", METHODS)
def test_methods_document_their_parameters_and_no_others(name: str) -> None:
    """A method with one parameter may name it in its sentence. What another class defines first is documented there.

    Methods of settings are for those who write further ones, but for what makes settings.
    """
    owner, own = name.split(".")
    doc = inspect.getdoc(getattr(PUBLIC[owner], own))
    assert doc, "a method says what it does"
    inherited = owner in SETTINGS and any(own in vars(base) for base in PUBLIC[owner].__mro__[1:])
    found, taken = sections(doc), parameters(METHODS[name])
    if "Parameters" in found:
        assert list(listed(found["Parameters"])) == taken
    elif not inherited and taken and owner not in EXTENDED:
        assert len(taken) == 1
        assert re.search(rf"\b{taken[0]}\b", doc), f"{taken[0]} is not named"


@pytest.mark.parametrize("name", CLASSES)
def test_classes_document_their_fields_and_properties(name: str) -> None:
    fields = [key for key in getattr(CLASSES[name], "__dataclass_fields__", {}) if not key.startswith("_")]
    assert list(listed(sections(CLASSES[name].__doc__ or "").get("Attributes", ""))) == fields
    for own, value in members(CLASSES[name]).items():
        if not own.startswith("_") and isinstance(value, (property, cached_property)):
            assert inspect.getdoc(value), own


@pytest.mark.parametrize("name", PUBLIC)
def test_errors_that_docstrings_name_exist(name: str) -> None:
    found = sections(PUBLIC[name].__doc__)
    for heading in ("Raises", "Warns"):
        for error in listed(found.get(heading, "")):
            assert hasattr(om.errors, error), error
