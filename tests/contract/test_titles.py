"""Every method and every model says itself what it is: a report never guesses words for one that it does not know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import polars as pl
import pytest

import ontomask as om
from ontomask.kinds.numeric import Numeric
from ontomask.masking.method import Method
from ontomask.privacy.examined import Examined
from ontomask.privacy.models import Finding, Model
from ontomask.report.summary import summarize
from ontomask.settings import Spoken
from ontomask.wording import RECORD, Unit

MADE: dict[str, Any] = {
    "Microaggregation": om.Microaggregation(k=4),
    "Recoding": om.Recoding(k=4),
    "Resampling": om.Resampling(k=4),
    "Suppression": om.Suppression(k=4),
    "RankSwapping": om.RankSwapping(k=4),
    "Shuffling": om.Shuffling(),
    "Imputation": om.Imputation(m=3),
    "NoiseAddition": om.NoiseAddition(),
    "PRAM": om.PRAM(),
    "Generalization": om.Generalization(),
    "ProfileMicroaggregation": om.ProfileMicroaggregation(k=4),
    "ProfileAnonymity": om.ProfileAnonymity(k=4),
    "KAnonymity": om.KAnonymity(k=4),
    "KmAnonymity": om.KmAnonymity(k=4, m=2),
    "LDiversity": om.LDiversity(l=2),
    "TCloseness": om.TCloseness(t=0.3),
    "SeverityDiversity": om.SeverityDiversity(l=2, severity=om.Severity.example()),
    "SeverityCloseness": om.SeverityCloseness(t=0.3, severity=om.Severity.example()),
    "SafeHarbor": om.SafeHarbor(),
    "ProbabilisticKAnonymity": om.ProbabilisticKAnonymity(k=4),
}


def named(cls: type[Any]) -> Iterator[type[Any]]:
    """The subclasses that a policy can name."""
    for below in cls.__subclasses__():
        yield from named(below)
        if not below.model_fields["name"].is_required() and below.__module__.startswith("ontomask."):
            yield below


@pytest.mark.parametrize("cls", [*named(Method), *named(Model)], ids=lambda cls: cls.__name__)
def test_every_class_speaks_for_itself(cls: type[Any]) -> None:
    assert not cls.__abstractmethods__
    for word in ("title", "explain"):
        owner = next(base for base in cls.__mro__ if word in base.__dict__)
        assert owner not in (Spoken, Method, Model)
    if cls.__name__ in MADE:
        made = MADE[cls.__name__]
        assert made.title
        assert made.explain().endswith(".")


def test_no_two_classes_say_the_same() -> None:
    said = [made.explain() for made in MADE.values()] + [made.title for made in MADE.values()]
    assert len(set(said)) == len(said)


def test_a_class_without_words_cannot_be_made() -> None:
    with pytest.raises(
        TypeError,
        match="Silent has a name and does not define check_table, describe, explain, sensitive_columns, title",
    ):

        class Silent(Model):
            name: Literal["silent"] = "silent"

    with pytest.raises(
        TypeError,
        match="Mute has a name and does not define aims, assurances, draws, explain, mask, recognizable, title",
    ):

        class Mute(Method):
            name: Literal["mute"] = "mute"


class Even(Model):
    """A model that the report has never heard of."""

    name: Literal["even"] = "even"

    def sensitive_columns(self, attributes: Mapping[str, Any]) -> list[str]:
        return []

    def check_table(self, table: Examined, reference: Examined | None = None) -> Finding:
        return Finding(self, len(table) % 2 == 0, 0.0, f"even: {len(table)} records", pl.DataFrame(), 0)

    def describe(self) -> str:
        return "an even number"

    @property
    def title(self) -> str:
        return "Evenness"

    def explain(self, unit: Unit = RECORD) -> str:
        return "The release has an even number of records."

    @property
    def trivial(self) -> bool:
        return False


def test_a_report_says_the_words_of_a_model_it_does_not_know() -> None:
    from dataclasses import replace

    from ontomask.policy.verification import Verification

    frame = pl.DataFrame({"age": [30, 31, 52, 55]})
    policy = om.Policy(attributes={"age": Numeric()}, method=om.Microaggregation(k=2))
    result = om.anonymize(frame, policy)
    found = Even().check_table(result.released)
    result = replace(result, verification=Verification([found]))
    for edition in ("internal", "public"):
        (model,) = summarize(result, edition)["asked"]["models"]  # type: ignore[arg-type]
        assert model["meaning"] == "The release has an even number of records."
        assert model["title"] == "Evenness"


# ---- models that promise nothing --------------------------------------------------------------------------------------

TRIVIAL = [
    om.KAnonymity(k=1),
    om.ProbabilisticKAnonymity(k=1),
    om.KmAnonymity(k=1, m=1),
    om.LDiversity(l=1, attribute="pay"),
    om.LDiversity(l=1, variant="entropy", attribute="pay"),
    om.LDiversity(l=1, variant="recursive", c=1.5, attribute="pay"),
    om.TCloseness(t=1, attribute="pay"),
]
NOT_TRIVIAL = [
    om.KAnonymity(k=2),
    om.ProbabilisticKAnonymity(k=2),
    om.KmAnonymity(k=2, m=1),
    om.LDiversity(l=2, attribute="pay"),
    om.LDiversity(l=1.1, variant="entropy", attribute="pay"),
    om.LDiversity(l=2, variant="recursive", c=1e9, attribute="pay"),
    om.LDiversity(l=1, variant="recursive", c=0.9, attribute="pay"),
    om.TCloseness(t=0.7, attribute="pay"),
]
#: Every record is unique in age, and in one table every record has the same pay.
WORST = [
    pl.DataFrame({"age": [1, 2, 3, 4], "pay": [1, 2, 3, 4]}),
    pl.DataFrame({"age": [1, 2, 3, 4], "pay": [7, 7, 7, 7]}),
    pl.DataFrame({"age": [1, 1, 1, 2], "pay": [7, 7, 7, 8]}),
]


@pytest.mark.parametrize("model", TRIVIAL, ids=lambda model: model.describe())
def test_a_trivial_model_holds_of_the_worst_tables(model: Any) -> None:
    assert model.trivial
    for frame in WORST:
        found = model.check(frame, ["age"])
        assert found.holds
        assert "promises nothing" in str(found)


@pytest.mark.parametrize("model", NOT_TRIVIAL, ids=lambda model: model.describe())
def test_a_model_that_some_table_fails_is_not_trivial(model: Any) -> None:
    assert not model.trivial
    found = [model.check(frame, ["age"]) for frame in WORST]
    assert not all(finding.holds for finding in found)
    assert not any("promises nothing" in str(finding) for finding in found)


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
def test_settings_that_are_not_finite_are_refused(number: float) -> None:
    """With c infinite, 0 times c is not a number and every class would have passed."""
    with pytest.raises(om.errors.PolicyError, match="is not finite"):
        om.LDiversity(l=2, variant="recursive", c=number)
