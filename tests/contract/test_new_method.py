"""A masking method of one's own: the recipe of CONTRIBUTING in full, without a change in the package.

It is masked with, verified, assessed, reported and compared as any other. Policies made in Python take it; policy files
know the methods of the package.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import ontomask as om
from ontomask.errors import DataError, PolicyError
from ontomask.masking.method import Masked, Method
from ontomask.microdata.encoding import Table
from ontomask.privacy.examined import Examined
from ontomask.privacy.models import Finding, Model
from ontomask.progress import Progress
from ontomask.statements import Statement, note, promised
from ontomask.wording import RECORD, Unit

if TYPE_CHECKING:
    from ontomask.masking.candidates import ReadReleased


class MostFrequent(Method):
    """Every record shows the most frequent value of each column."""

    name: Literal["most_frequent"] = "most_frequent"

    @property
    def recognizable(self) -> bool:
        return True  # there is one class only

    @property
    def draws(self) -> bool:
        return False

    @property
    def aims(self) -> bool:
        return False

    def mask(self, table: Table, rng: np.random.Generator, progress: Progress) -> Masked:
        centres = [column.centre_of_code[[int(column.counts.argmax())]] for column in table.columns]
        said = [note(f"{column.name}: one value for all", column.name) for column in table.columns]
        return Masked(np.zeros(table.n, dtype=np.int32), centres, said)

    @property
    def title(self) -> str:
        return "Most frequent values"

    def explain(self, unit: Unit = RECORD) -> str:
        return "Every record shows the most frequent value of each masked column."

    def assurances(self, unit: Unit = RECORD) -> list[Statement]:
        return [promised("All records show the same values of the masked columns.")]


class FewColumns(Model):
    """The table has at most ten columns."""

    name: Literal["few_columns"] = "few_columns"

    @property
    def trivial(self) -> bool:
        return False

    def describe(self) -> str:
        return "at most ten columns"

    @property
    def title(self) -> str:
        return "Few columns"

    def explain(self, unit: Unit = RECORD) -> str:
        return "The table has at most ten columns."

    def sensitive_columns(self, attributes: Mapping[str, Any]) -> list[str]:
        return []

    def check_table(self, table: Examined, reference: Examined | None = None) -> Finding:
        width = table.data.width
        return Finding(self, width <= 10, float(width), f"{self.describe()}: {width}", pl.DataFrame(), 0)


FRAME = pl.DataFrame({"age": [30, 30, 31, 52, 55, 55], "job": list("aabbbb"), "ill": list("xyxyxy")})
ATTRIBUTES = {"age": om.Numeric(), "job": om.Flat(), "ill": om.Flat(role="sensitive")}
POLICY = om.Policy(attributes=ATTRIBUTES, method=MostFrequent(), require=[om.KAnonymity(k=6), FewColumns()])


def test_it_masks_and_its_release_is_verified() -> None:
    result = om.anonymize(FRAME, POLICY)
    assert result.data["age"].unique().to_list() == [30]
    assert result.data["job"].unique().to_list() == ["b"]
    assert [finding.holds for finding in result.verification] == [True, True]
    assert {statement.subject for statement in result.notes} >= {"age", "job"}
    assert "All records show the same values of the masked columns." in map(str, result.guarantees)


@pytest.mark.parametrize("edition", ["internal", "public"])
def test_its_report_uses_its_own_words(edition: str, tmp_path: Path) -> None:
    page = om.write_report(om.anonymize(FRAME, POLICY), tmp_path / "report.html", edition).read_text()
    assert "Most frequent values" in page
    assert "Every record shows the most frequent value of each masked column." in page
    assert "Few columns" in page


def test_it_is_compared_with_others() -> None:
    other = POLICY.changed(method=om.Suppression(k=2), require=[])
    compared = om.compare(FRAME, {"own": POLICY, "suppression": other}, workers=1, seed=1)
    assert compared.table["satisfied"].to_list() == [True, True]
    assert compared.table["method"].to_list() == ["most_frequent", "suppression"]


def test_a_policy_file_knows_the_methods_of_the_package(tmp_path: Path) -> None:
    folder = om.anonymize(FRAME, POLICY).save(tmp_path / "out", report=True)
    with pytest.raises(PolicyError, match=r"method: 'most_frequent' is not one of generalization, "):
        om.Policy.load(folder / "confidential" / "policy.yaml")


@pytest.mark.parametrize("left_out", ["recognizable", "draws", "aims", "mask", "title", "explain", "assurances"])
def test_what_it_does_not_say_is_an_error(left_out: str) -> None:
    body = {name: value for name, value in vars(MostFrequent).items() if name in MostFrequent.__dict__}
    said = {
        n: body[n] for n in ("recognizable", "draws", "aims", "mask", "title", "explain", "assurances") if n != left_out
    }
    with pytest.raises(TypeError, match=f"Mute has a name and does not define {left_out}"):
        type(Method)(
            "Mute", (Method,), said | {"__annotations__": {"name": str}, "name": "mute", "__module__": __name__}
        )


# ---- released values that are not values of their columns ------------------------------------------------------------


class Withheld(MostFrequent):
    """Every record shows the word "any" in each column."""

    name: Literal["withheld"] = "withheld"  # type: ignore[assignment]

    @property
    def read_released(self) -> ReadReleased:
        return self.read

    def read(self, table: Table, released: Mapping[str, pl.Series], stayed: NDArray[np.bool_]) -> Masked | None:
        if any(set(released[column.name]) != {"any"} for column in table.columns):
            return None
        centres = [column.centre_of_code[[int(column.counts.argmax())]] for column in table.columns]
        shown = [pl.Series(column.name, ["any"]) for column in table.columns]
        return Masked(np.where(stayed, 0, -1).astype(np.int32), centres, shown=shown)


def test_it_says_how_its_releases_are_read_back() -> None:
    release = FRAME.with_columns(age=pl.lit("any"), job=pl.lit("any"))
    with pytest.raises(DataError, match="age"):
        om.assess(FRAME, release, POLICY)  # "any" is not an age
    policy = POLICY.changed(method=Withheld())
    assert om.assess(FRAME, release, policy).loss.changed["age"] == 1
    values = FRAME.with_columns(age=pl.lit(30), job=pl.lit("b"))
    assert om.assess(FRAME, values, policy).loss.changed["age"] == 4 / 6  # what it cannot have made is read as values
