"""A setting that names a file says so where it is defined, and everything that deals with named files follows.

A toy model shows it: nothing but its own definition mentions its file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import polars as pl
import pytest
from pydantic import Field

import ontomask as om
from ontomask.comparison.memory import _fingerprint
from ontomask.errors import OutputError, PolicyError
from ontomask.files.named_files import NamesFile, named_files
from ontomask.policy.policy_file import load_policy
from ontomask.privacy.examined import Examined
from ontomask.privacy.models import Finding, Model
from ontomask.settings import ListOf
from ontomask.wording import RECORD, Unit


class Bounded(Model):
    """A release has at most as many records as a file says."""

    name: Literal["bounded"] = "bounded"
    limits: Annotated[str, NamesFile("limits")] = Field(description="a file with the largest number of records")

    def sensitive_columns(self, attributes: Mapping[str, Any]) -> list[str]:
        return []

    def check_table(self, table: Examined, reference: Examined | None = None) -> Finding:
        data = table.data
        most = int(Path(self.limits).read_text())
        return Finding(self, len(data) <= most, float(len(data)), f"{self.describe()}: {len(data)}", pl.DataFrame(), 0)

    def describe(self) -> str:
        return "a bounded number of records"

    @property
    def title(self) -> str:
        return "Boundedness"

    def explain(self, unit: Unit = RECORD) -> str:
        return "The release has no more records than a file says."

    @property
    def trivial(self) -> bool:
        return False


class ToyPolicy(om.Policy):
    """A policy that may require it."""

    require: ListOf[Bounded] = Field(default_factory=list)  # type: ignore[assignment]


FRAME = pl.DataFrame({"age": [30, 31, 52, 55]})
TEXT = """\
attributes:
  age: {kind: numeric}
method: {name: microaggregation, k: 2}
require:
  - {name: bounded, limits: LIMITS}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "policies"
    place.mkdir()
    (place / "limits.txt").write_text("9")
    (tmp_path / "limits.txt").write_text("9")
    return place


def loaded(folder: Path, limits: str = "limits.txt", *, confined: bool = False) -> om.Policy:
    (folder / "policy.yaml").write_text(TEXT.replace("LIMITS", limits))
    return load_policy(ToyPolicy, folder / "policy.yaml", confined=confined)


def test_it_is_looked_for_beside_the_policy_and_listed(folder: Path) -> None:
    policy = loaded(folder)
    assert policy.named_files() == {"policy": folder / "policy.yaml", "limits": folder / "limits.txt"}
    both = policy.changed(require=[*policy.require, Bounded(limits="other.txt")])
    assert list(both.named_files()) == ["policy", "limits 1", "limits 2"]


def test_a_confined_policy_names_it_in_its_folder_only(folder: Path) -> None:
    assert loaded(folder, confined=True).named_files()["limits"] == folder / "limits.txt"
    for outside in ("../limits.txt", str(folder.parent / "limits.txt")):
        with pytest.raises(PolicyError, match=r"which is not in its folder\. Put the file beside"):
            loaded(folder, outside, confined=True)
        assert loaded(folder, outside).named_files()["limits"].samefile(folder.parent / "limits.txt")
    with pytest.raises(PolicyError, match="there is no such file in its folder"):
        loaded(folder, "gone.txt", confined=True)


def test_a_saved_policy_names_it_from_its_new_place(folder: Path) -> None:
    policy = loaded(folder)
    beside, elsewhere = policy.save(folder / "again.yaml"), policy.save(folder.parent / "elsewhere.yaml")
    assert "limits: limits.txt " in beside.read_text()
    assert "limits: policies/limits.txt " in elsewhere.read_text()
    assert load_policy(ToyPolicy, elsewhere).named_files()["limits"] == folder / "limits.txt"


def test_a_result_lists_it_and_never_replaces_it(folder: Path, tmp_path: Path) -> None:
    result = om.anonymize(FRAME, loaded(folder))
    saved = result.save(tmp_path / "result")
    manifest = json.loads((saved / "confidential" / "manifest.json").read_text())
    assert manifest["named_files"]["limits"]["file"] == "limits.txt"
    with pytest.raises(OutputError, match="a file that the data, the policy or the key came from"):
        result.write(folder / "limits.txt", format="csv", overwrite=True)
    inside = saved / "confidential" / "notes.txt"
    inside.write_text("9")
    with pytest.raises(OutputError, match="a file that the data, the policy or the key came from"):
        om.anonymize(FRAME, loaded(folder, str(inside))).save(saved, overwrite=True)
    (folder / "limits.txt").write_text("8")
    with pytest.warns(om.errors.OntomaskWarning, match="changed on disk after the run read them: .*limits"):
        result.save(tmp_path / "later")


def test_a_comparison_makes_its_runs_again_when_it_changed(folder: Path) -> None:
    policy = loaded(folder)
    before = _fingerprint(policy)
    assert before == _fingerprint(loaded(folder))
    (folder / "limits.txt").write_text("8")
    assert before != _fingerprint(policy)


def test_every_kind_of_file_that_a_policy_can_name_is_listed(tmp_path: Path) -> None:
    """Taxonomies, mappings, vectors, levels and severity definitions, with what these name."""
    taxonomy = str(tmp_path / "ills.csv")
    coded = om.Nominal(taxonomy=taxonomy, mapping="map.csv", measure="context_vector", options={"vectors": "v.npz"})
    assert dict(named_files(coded)) == {
        "taxonomy": Path(taxonomy),
        "mapping": Path("map.csv"),
        "vectors": Path("v.npz"),
    }
    assert dict(named_files(om.Nominal(taxonomy="icd9cm", mapping={"flu": "487"}))) == {}
    method = om.Generalization(
        hierarchies={"age": om.LevelsFile(path="ages.csv"), "job": om.LevelsFile(path="jobs.csv")}
    )
    assert dict(named_files(method)) == {"levels of age": Path("ages.csv"), "levels of job": Path("jobs.csv")}
    measured = om.RankSwapping(k=2, measure="context_vector", measure_options={"vectors": "v.npz"})
    assert dict(named_files(measured)) == {"vectors of the method": Path("v.npz")}
