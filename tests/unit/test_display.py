"""What terminals and notebooks show of the objects that users hold."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import polars as pl
import pytest

import ontomask as om
from ontomask.display import MOST_ROWS, figure, html_card, html_table, text_table

EVIL = "<script>alert('x')</script>"


class Checker(HTMLParser):
    """Tags that are opened and closed in their order, and no script."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag != "script"
        assert not [name for name, value in attrs if name.startswith("on") or "://" in (value or "")]
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def well_formed(text: str) -> str:
    checker = Checker()
    checker.feed(text)
    assert not checker.open
    return text


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    frame = pl.DataFrame({"age": [30, 31, 52, 55], EVIL: ["zebra", "zebra", "lion", "lion"], "pay": [1, 2, 3, 4]})
    policy = om.Policy(
        attributes={"age": om.Numeric(), EVIL: om.Flat(), "pay": om.Numeric(role="sensitive")},
        method=om.Microaggregation(2),
        require=[om.KAnonymity(2)],
    )
    result = om.anonymize(frame, policy)
    return {
        "Result": result,
        "Policy": policy,
        "Assessment": result.assessment,
        "Comparison": om.compare(frame, om.grid(policy, ["microaggregation", "suppression"], k=2), workers=1),
        "Check": om.check(frame, policy),
        "Verification": result.verification,
        "Loss": result.loss(),
        "Risk": om.disclosure_risk(frame, policy),
        "Taxonomy": om.Taxonomy.from_edges([(EVIL, "root")]),
        "Matching": om.match([EVIL, "b"], om.Taxonomy.from_edges([(EVIL, "root")])),
        "Profile": om.profile(frame),
    }


NAMES = "Result Policy Assessment Comparison Check Verification Loss Risk Taxonomy Matching Profile".split()


@pytest.mark.parametrize("name", NAMES)
def test_notebooks_show_html_in_which_texts_of_the_data_are_no_markup(made: dict[str, Any], name: str) -> None:
    shown = well_formed(made[name]._repr_html_())
    assert EVIL not in shown
    if name not in ("Verification", "Comparison", "Result", "Assessment"):
        assert "&lt;script&gt;" in shown


@pytest.mark.parametrize("name", NAMES)
def test_a_plain_repr_is_one_line(made: dict[str, Any], name: str) -> None:
    """Once it was: some printed all they hold, a Polars table inside a dataclass."""
    assert "\n" not in repr(made[name])
    assert len(repr(made[name])) < 300
    assert name in repr(made[name])


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("Taxonomy", "Matching")])
def test_nothing_shows_a_value_of_the_data(made: dict[str, Any], name: str) -> None:
    assert not re.search("zebra|lion", made[name]._repr_html_() + repr(made[name]))


def test_settings_show_what_was_given() -> None:
    assert repr(om.Microaggregation(5, partition="mdav")) == "Microaggregation(k=5, partition='mdav')"
    assert repr(om.Policy({"age": om.Numeric()})) == "Policy(attributes={'age': Numeric()})"


def test_a_policy_in_a_notebook_lists_no_value_of_a_mapping_or_order() -> None:
    taxonomy = om.Taxonomy.from_edges([("a", "b")], name="letters")
    policy = om.Policy(
        {"job": om.Nominal(taxonomy, mapping={"secretary": "a"}), "rank": om.Ordinal(order=["private", "general"])}
    )
    shown = policy._repr_html_()
    assert "letters" in shown
    assert not re.search("secretary|private|general", shown)


def test_tables_align_numbers_to_the_right() -> None:
    lines = text_table(["name", "count"], [("a", 1234), ("bcd", None), ("e", 5)])
    assert lines == ["name  count", "a     1,234", "bcd", "e         5"]
    shown = html_table(["name", "count"], [("a", 1234)])
    assert "text-align:right" in shown
    assert "1,234" in shown
    assert text_table(["name"], []) == ["name"]


def test_long_tables_say_what_is_left_out() -> None:
    shown = well_formed(html_card("long", html_table(["n"], [(i,) for i in range(MOST_ROWS + 3)])))
    assert "… 3 more" in shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, ""), (True, "yes"), (1234.5, "1,234.5"), (2.0, "2"), (["a", "b"], "a; b"), ("a\nb", "a\\nb")],
)
def test_a_cell_is_one_line(value: Any, shown: str) -> None:
    assert figure(value) == shown
