"""Every kind of column is where the recipe of CONTRIBUTING.md says it must be."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

import ontomask as om
from ontomask.column_names.names import Topic
from ontomask.kinds.registry import KINDS
from ontomask.microdata.attributes import ConceptAttribute, Listed
from ontomask.profiling.outcome import Kind
from tests.contract import test_methods, test_new_engine
from tests.property import tables

ROOT = Path(__file__).parents[2]
NAMES = [str(kind.model_fields["kind"].default) for kind in KINDS]
#: Kinds that are masked.
MASKED = [name for name in NAMES if name != "identifier"]
#: Those with columns of their own. A place is encoded as a nominal column; ``tests/property/test_places.py`` has its rule.
ENCODED = [name for name in MASKED if name != "place"]


def test_a_profile_can_propose_every_kind() -> None:
    assert sorted(get_args(Kind)) == sorted(NAMES)
    topics = [name for part in get_args(Topic.model_fields["kind"].annotation) for name in get_args(part)]
    assert set(topics) - {"text"} <= set(NAMES)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_kind_is_public_and_in_the_docs(kind: type[Listed]) -> None:
    assert getattr(om, kind.__name__) is kind
    assert f"| `{kind.__name__}` |" in (ROOT / "docs" / "policy.md").read_text(encoding="utf-8")
    assert str(kind.model_fields["kind"].default) in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_models_know_a_kind_with_a_taxonomy_by_its_base(kind: type[Listed]) -> None:
    """What has a taxonomy is asked for all that ``ConceptAttribute`` declares."""
    assert issubclass(kind, ConceptAttribute) == (kind.named_taxonomy is not Listed.named_taxonomy)


def test_the_suites_have_every_kind() -> None:
    assert sorted(test_methods.KINDS) == sorted(ENCODED)
    assert sorted([*tables.KINDS, "date"]) == sorted(ENCODED)
    assert {attribute.kind for attribute in test_new_engine.ATTRIBUTES.values()} == set(NAMES)
    help_text = (ROOT / "src" / "ontomask" / "cli" / "init.py").read_text(encoding="utf-8")
    assert all(name in help_text for name in MASKED)
