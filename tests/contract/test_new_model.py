"""A privacy model can be added: toys that searches aim at, releases are verified against, and reports explain.

The models of the package are listed where readers and tests look for them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from pydantic import Field

import ontomask as om
from ontomask.arrays import Floats
from ontomask.errors import DataError, PolicyError
from ontomask.policy.policy import _METHODS, _MODELS
from ontomask.privacy.contents import ContentCheck
from ontomask.privacy.diagnostics import Diagnostics, Nodes
from ontomask.privacy.examined import Examined
from ontomask.privacy.judges import ClassRows, Judge
from ontomask.privacy.k_anonymity import KAnonymityJudge
from ontomask.privacy.models import ClassModel, Finding, Model
from ontomask.privacy.sensitive import Sensitive
from ontomask.wording import RECORD, Unit
from tests.contract.test_titles import MADE


class LargestShare(ClassModel):
    """No sensitive value has more than a share of its class (alpha of (alpha, k)-anonymity, Wong et al. 2006)."""

    name: Literal["largest_share"] = "largest_share"
    alpha: float = Field(description="the largest share of a value in a class")
    attribute: str = Field(description="the sensitive column")

    @property
    def named_attribute(self) -> str:
        return self.attribute

    def sensitive_columns(self, attributes: Mapping[str, Any]) -> list[str]:
        return [self.attribute]

    def judge(self, sensitive: Sensitive) -> LargestShareJudge:
        return LargestShareJudge(self, len(sensitive.columns[self.attribute]))

    def monotone(self, *, suppressing: bool, several: bool = False) -> bool:
        return not suppressing and not several

    def figure_name(self) -> str:
        return "largest share"

    def tell(self, figure: float) -> str:
        return f"the largest share is {figure:.1%}"

    def largest_is_worst(self) -> bool:
        return True

    def describe(self) -> str:
        return f"shares up to {self.alpha:g} of {self.attribute}"

    @property
    def title(self) -> str:
        return "Largest share"

    def explain(self, unit: Unit = RECORD) -> str:
        return f"In no class more than {self.alpha:.0%} of the {unit.many} have the same {self.attribute}."

    @property
    def trivial(self) -> bool:
        return self.alpha >= 1


@dataclass(frozen=True)
class LargestShareJudge(Judge):
    model: LargestShare
    values: int

    def figures(self, rows: ClassRows) -> Floats:
        pairs = rows.pairs(rows.codes[self.model.attribute], self.values, shared=True)
        return np.maximum.reduceat(pairs.share, pairs.starts)

    def fails(self, figures: Floats) -> NDArray[np.bool_]:
        return figures > self.model.alpha + 1e-9


class Crowd(ClassModel):
    """Every class has enough units: k-anonymity under another name and with another setting."""

    name: Literal["crowd"] = "crowd"
    units: int = Field(description="how many")
    sizes_only: ClassVar[bool] = True

    @property
    def stated_k(self) -> int:
        return self.units

    @property
    def class_size(self) -> int:
        return self.units

    def judge(self, sensitive: Sensitive) -> KAnonymityJudge:
        return KAnonymityJudge(self.units)

    def monotone(self, *, suppressing: bool, several: bool = False) -> bool:
        return True

    def figure_name(self) -> str:
        return ""

    def tell(self, figure: float) -> str:
        return f"the smallest has {int(figure)}"

    def describe(self) -> str:
        return f"crowds of {self.units}"

    @property
    def title(self) -> str:
        return "Crowds"

    def explain(self, unit: Unit = RECORD) -> str:
        return f"Every class has {unit.counted(self.units)}."

    @property
    def trivial(self) -> bool:
        return self.units <= 1


class WholeCrowd(Crowd):
    """The same, which leaving records out does not help."""

    name: Literal["whole_crowd"] = "whole_crowd"  # type: ignore[assignment]
    suppressible: ClassVar[bool] = False


class FewMinimal(Model):
    """At most so many nodes of the lattice are minimal: a property of the run that the release does not show."""

    name: Literal["few_minimal"] = "few_minimal"
    most: int = Field(description="how many")

    def sensitive_columns(self, attributes: Mapping[str, Any]) -> list[str]:
        return []

    def check_table(self, table: Examined, reference: Examined | None = None) -> Finding:
        text = f"{self.describe()}: a table does not show it"
        return Finding(self, False, float("nan"), text, pl.DataFrame(), 0, checked=False)

    def check_made(self, table: Examined, reference: Examined | None, diagnostics: Diagnostics | None) -> Finding:
        if not isinstance(diagnostics, Nodes):
            return self.check_table(table)
        found = int(diagnostics.table["minimal"].sum())
        text = f"{self.describe()}: {found}"
        return Finding(self, found <= self.most, float(found), text, pl.DataFrame(), 0, checked_on="run")

    def describe(self) -> str:
        return f"at most {self.most} minimal nodes"

    @property
    def title(self) -> str:
        return "Few minimal nodes"

    def explain(self, unit: Unit = RECORD) -> str:
        return f"At most {self.most} combinations of levels are minimal."

    @property
    def trivial(self) -> bool:
        return False


QUASI = ["age", "job"]
ATTRIBUTES = {"age": om.Numeric(), "job": om.Flat(), "ill": om.Flat(role="sensitive")}
HIERARCHIES = {"age": om.Intervals(width=2)}
ALPHA = LargestShare(alpha=0.6, attribute="ill")


def frame(seed: int) -> pl.DataFrame:
    rng = np.random.default_rng([seed, 3])
    n = int(rng.integers(12, 30))
    values = {"age": rng.integers(20, 30, n), "job": rng.choice(["cook", "pilot"], n)}
    return pl.DataFrame({**values, "ill": rng.choice(["flu", "gout", "ulcer"], n)})


def policy(*require: Model, **settings: Any) -> om.Policy:
    method = om.Generalization(hierarchies=HIERARCHIES, **settings)
    return om.Policy(attributes=ATTRIBUTES, method=method, require=list(require))


def largest_shares(data: pl.DataFrame) -> list[float]:
    """Of each class, in plain lists."""
    classes: dict[Any, list[str]] = defaultdict(list)
    for *key, ill in data.select(*QUASI, "ill").rows():
        classes[tuple(key)].append(ill)
    return [max(Counter(values).values()) / len(values) for values in classes.values()]


SEARCHES: list[dict[str, Any]] = [
    {},
    {"suppression_limit": 0.2},
    {"search": "local"},
    {"search": "best_first", "budget": 200},
]


@pytest.mark.parametrize("settings", SEARCHES, ids=repr)
def test_searches_aim_at_it(settings: dict[str, Any]) -> None:
    released = 0
    for seed in range(6):
        data = frame(seed)
        assert max(largest_shares(data)) > ALPHA.alpha  # it is not satisfied already
        try:
            result = om.anonymize(data, policy(om.KAnonymity(2), ALPHA, **settings), seed=1)
        except DataError as problem:
            assert "shares up to 0.6 of ill fails at the top" in str(problem)  # noqa: PT017 - of some seeds only
            continue
        worst = max(largest_shares(result.data))
        assert worst <= ALPHA.alpha
        (found,) = (finding for finding in result.verification if finding.model == ALPHA)
        assert (found.holds, found.worst) == (True, pytest.approx(worst))
        released += 1
    assert released > 3


@pytest.mark.parametrize("settings", SEARCHES, ids=repr)
def test_its_sizes_are_known_to_searches_as_those_of_k_anonymity(settings: dict[str, Any]) -> None:
    for seed in range(3):
        mine, known = (
            om.anonymize(frame(seed), policy(model, **settings), seed=1) for model in (Crowd(units=3), om.KAnonymity(3))
        )
        assert mine.data.equals(known.data)


def test_its_k_is_known_to_comparisons_and_guarantees() -> None:
    required = policy(Crowd(units=4), Crowd(units=3))
    assert (required.stated_k, required.required_k) == (4, 4)
    candidates = om.grid(required, ["microaggregation", om.Generalization(hierarchies=HIERARCHIES)], k=[3, 5])
    few, enough, *general = om.compare(frame(1), candidates, seed=1).runs
    assert few.error == "it promises k=3, and 4-anonymity is required"
    assert (enough.promised_k, enough.promised) == (5, "5-anonymity")  # it says all that smaller sizes say
    assert [(run.name, run.k, run.promised_k) for run in general] == [
        ("generalization, k=4", 4, 4),
        ("generalization, k=5", 5, 5),
    ]
    result = om.anonymize(frame(1), policy(Crowd(units=11)), seed=1)
    assert result.counts.base == 15
    assert "k-anonymity" in [statement.subject for statement in result.guarantees]


def test_a_model_that_suppression_does_not_help_is_not_aimed_at_with_it() -> None:
    with pytest.raises(PolicyError, match="Crowds cannot be combined with suppression"):
        om.anonymize(frame(1), policy(WholeCrowd(units=2), suppression_limit=0.1), seed=1)
    assert not policy(WholeCrowd(units=2)).method.variations([WholeCrowd(units=2)])  # type: ignore[union-attr]


def test_it_cannot_look_at_an_identifier() -> None:
    with pytest.raises(PolicyError, match="shares up to 0.6 of ill looks at 'ill', an identifier"):
        om.Policy(attributes={"age": om.Numeric(), "ill": om.Identifier()}, require=[ALPHA])


def test_a_table_that_fails_is_told_by_its_classes() -> None:
    data = frame(1)
    found = ALPHA.check(data, QUASI, ATTRIBUTES)
    bad = sorted((share for share in largest_shares(data) if share > ALPHA.alpha), reverse=True)
    assert not found.holds
    assert found.violations["largest share"].to_list() == pytest.approx(bad)
    assert f"{len(bad)} of {len(largest_shares(data))} classes" in found.text


@pytest.mark.parametrize("edition", ["internal", "public"])
def test_reports_explain_it(edition: Any, tmp_path: Path) -> None:
    result = om.anonymize(frame(1), policy(ALPHA, FewMinimal(most=99)), seed=1)
    page = om.write_report(result, tmp_path / "report.html", edition).read_text()
    for model in (ALPHA, FewMinimal(most=99)):
        assert model.title in page
        assert model.explain() in page


def test_what_is_checked_on_the_run_says_so_and_nothing_of_other_models() -> None:
    model = FewMinimal(most=99)
    result = om.anonymize(frame(1), policy(om.KAnonymity(2), model), seed=1)
    (said,) = (statement for statement in result.guarantees if statement.subject == model.describe())
    assert said.kind == "recorded"
    assert str(said).startswith(
        "Checked on what the run recorded of itself, which the release does not show: at most 99"
    )
    assert "swap" not in str(said)
    (found,) = (finding for finding in om.verify(result.data, result.policy) if finding.model == model)
    assert found.state == "NOT CHECKED"


# ---- the models of the package ----------------------------------------------------------------------------------------------


def below(cls: type[Any]) -> set[type[Any]]:
    return {cls} | {found for sub in cls.__subclasses__() for found in below(sub)}


def test_every_model_is_one_that_policies_name_and_whose_words_are_tested() -> None:
    ours = {cls for cls in below(Model) if cls.__module__.startswith("ontomask.")}  # tests define some, too
    # What every verification asks of a release has no place in a policy.
    concrete = {cls for cls in ours if not cls.__abstractmethods__ and not issubclass(cls, ContentCheck)}
    assert concrete == set(_MODELS)
    assert concrete == {type(made) for made in MADE.values() if isinstance(made, Model)}


@pytest.mark.parametrize("kind", [kind for kind in _MODELS if "k" in kind.model_fields], ids=lambda kind: kind.__name__)
def test_a_model_with_a_k_states_it(kind: type[Model]) -> None:
    """What is handed out counts no fewer records exactly (``Result.counts``)."""
    model = MADE[kind.__name__]
    assert model.stated_k == model.k


def test_no_public_count_is_below_the_k_of_profiles() -> None:
    data = pl.DataFrame({"age": [30, 40] * 20, "job": ["cook"] * 40, "ill": ["flu", "gout"] * 20})
    required = om.Policy(attributes=ATTRIBUTES, method=om.Microaggregation(2), require=[om.ProfileAnonymity(20)])
    assert om.anonymize(data, required, seed=1).counts.base == 20


def test_every_model_and_method_is_among_those_whose_words_are_tested() -> None:
    assert {type(made) for made in MADE.values()} == {*_METHODS, *_MODELS}


@pytest.mark.parametrize("model", _MODELS, ids=lambda model: model.__name__)
def test_every_model_is_public_in_the_readme_and_on_the_page_of_models(model: type[Model]) -> None:
    assert getattr(om, model.__name__) is model
    root = Path(__file__).parents[2]
    assert f"`{model.__name__}(" in (root / "docs" / "privacy.md").read_text(encoding="utf-8")
    assert f"\n| `{model.__name__}` |" in (root / "README.md").read_text(encoding="utf-8")
