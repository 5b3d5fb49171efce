"""A result is saved among its like only, is what its guarantees say, and takes the place of nothing else."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import ontomask as om
from ontomask import errors

AGES = {"age": om.Numeric()}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test works in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents() -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in Path().rglob("*")}


def refused(kind: type[errors.OntomaskError], work: Callable[[], Any]) -> str:
    """What is said; all files are as they were."""
    before = contents()
    with pytest.raises(kind) as caught:
        work()
    assert contents() == before
    assert ".part" not in str(caught.value), "nobody can find that"
    return str(caught.value)


def run(frame: Any, attributes: dict[str, Any] | None = None, k: int = 2, **settings: Any) -> om.Result:
    allow = settings.pop("allow_unsatisfied", False)
    settings = {"method": om.Microaggregation(k=k)} | settings
    policy = om.Policy(attributes=attributes or AGES, **settings)
    return om.anonymize(frame, policy, seed=1, allow_unsatisfied=allow)


def ages() -> pd.DataFrame:
    return pd.DataFrame({"age": [20, 21, 40, 41, 60, 61, 80, 81]})


# ---- what is replaced --------------------------------------------------------------------------------------------


def test_the_source_is_never_replaced() -> None:
    """A release is masked once more, more strictly."""
    run(ages()).save("out")
    stricter = run("out/release/release.csv", k=4)
    said = refused(errors.OutputError, lambda: stricter.save("out", overwrite=True))
    assert str(Path("out/release/release.csv")) in said
    assert "came from" in said
    os.link("out/release/release.csv", "same.csv")
    refused(errors.OutputError, lambda: run("same.csv", k=4).save("out", overwrite=True))
    Path("link.csv").symlink_to("out/release/release.csv")
    refused(errors.OutputError, lambda: run("link.csv", k=4).save("out", overwrite=True))
    stricter.save("other")
    assert om.verify("other/release/release.csv", stricter.policy)


def test_what_a_policy_names_is_never_replaced() -> None:
    taxonomy = om.Taxonomy.from_edges([("dog", "pet"), ("cat", "pet")])
    frame = pl.DataFrame({"pet": ["dog", "cat"]})
    run(frame, {"pet": om.Nominal(taxonomy)}).save("out")
    again = om.anonymize(frame, "out/confidential/policy.yaml")
    assert "taxonomy-1.csv" in refused(errors.OutputError, lambda: again.save("out", overwrite=True))
    again.save("other")
    assert om.Policy.load("other/confidential/policy.yaml").method == again.policy.method


@pytest.mark.parametrize(
    "file",
    ["release/thesis.txt", "release/release.csv", "confidential/manifest.json", "release/deep/er.txt", "release"],
)
def test_folders_of_others_are_never_replaced(file: str) -> None:
    Path("out", file).parent.mkdir(parents=True)
    Path("out", file).write_text("mine")
    assert "other files: " in refused(errors.OutputError, lambda: run(ages()).save("out", overwrite=True))


@pytest.mark.parametrize(
    "file",
    ["release/thesis.txt", "confidential/taxonomy-1.csv", "release/.hidden", "thesis.txt", "release/deep/er.txt"],
)
def test_a_foreign_file_among_ours_stays(file: str) -> None:
    run(ages()).save("out")
    Path("out", file).parent.mkdir(exist_ok=True)
    Path("out", file).write_text("mine")
    said = refused(errors.OutputError, lambda: run(ages()).save("out", overwrite=True))
    assert Path(file).name in said or "release/deep" in said
    assert "only an earlier result can be replaced" in said


def test_a_folder_behind_a_link_stays() -> None:
    run(ages()).save("out")
    os.rename("out/release", "elsewhere")
    Path("out/release").symlink_to(Path("elsewhere").absolute())
    assert "other files: release" in refused(errors.OutputError, lambda: run(ages()).save("out", overwrite=True))


def test_an_earlier_result_is_replaced_when_asked_for() -> None:
    run(ages()).save("out", format="parquet")
    os.unlink("out/confidential/notes.txt")  # a result that lost a file is still one
    assert "overwrite=True" in refused(errors.OutputError, lambda: run(ages()).save("out"))
    failed = run(ages(), method=om.Recoding(k=2), require=[om.KAnonymity(8)], allow_unsatisfied=True)
    with pytest.warns(errors.OntomaskWarning):
        failed.save("out", overwrite=True)
    assert sorted(os.listdir("out/release")) == ["guarantees.txt", "release-NOT-SATISFIED.csv"]
    run(ages(), k=4).save("out", overwrite=True)
    assert sorted(os.listdir("out/release")) == ["guarantees.txt", "release.csv"]
    listed = json.loads(Path("out/confidential/manifest.json").read_text())["files"]
    assert sorted(listed) == sorted(p.relative_to("out").as_posix() for p in Path("out").rglob("*") if p.is_file())


def test_what_an_interrupted_save_left_is_told_and_removed_when_asked_for() -> None:
    run(ages()).save("out")
    left = Path("out/.deadbeef.part")
    (left / "old confidential").mkdir(parents=True)
    (left / "old confidential" / "mapping.csv").write_text("leads back")
    with pytest.raises(
        errors.OutputError, match=r"interrupted save left something behind: \.deadbeef\.part.*lead back.*overwrite=True"
    ):
        run(ages()).save("out")
    assert left.exists()
    run(ages()).save("out", overwrite=True)
    assert sorted(os.listdir("out")) == ["confidential", "release"]
    # Only called so: whatever else is in it is not ours.
    (left / "thesis").mkdir(parents=True)
    with pytest.raises(errors.OutputError, match="other files"):
        run(ages()).save("out", overwrite=True)
    assert (left / "thesis").exists()


# ---- formats -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("format", "suffix"),
    [
        ("csv", "csv"),
        ("tsv", "tsv"),
        ("parquet", "parquet"),
        ("excel", "xlsx"),
        ("sav", "sav"),
        ("dta", "dta"),
        ("xpt", "xpt"),
    ],
)
def test_formats(format: str, suffix: str) -> None:
    result = run(ages())
    result.save("out", format=format)
    assert om.read_table(f"out/release/release.{suffix}").data["age"].to_list() == result.data["age"].tolist()


def test_no_such_format() -> None:
    assert "no format to write 'docx'" in refused(errors.OptionError, lambda: run(ages()).save("out", format="docx"))
    assert "sas7bdat" in refused(errors.OptionError, lambda: run(ages()).save("out", format="sas7bdat"))


def test_what_csv_cannot_hold_is_told_with_its_place() -> None:
    frame = pl.DataFrame({"age": [20, 21, 40, 41], "lab": [1.0, float("nan"), 2.0, 3.0]})
    result = run(frame, AGES | {"lab": om.Numeric("other")})
    said = refused(errors.DataError, lambda: result.save("out"))
    assert said.startswith(f"{Path('out/release/release.csv')}, column 'lab': NaN")
    assert "write Parquet" in said
    result.save("out", format="parquet")
    assert om.read_table("out/release/release.parquet").data["lab"].is_nan().sum() == 1


# ---- verified again ----------------------------------------------------------------------------------------------


def test_a_release_that_was_changed_is_verified_again() -> None:
    original = ages()
    changed: list[tuple[Callable[[pd.DataFrame], Any], str]] = [
        (lambda data: data.__setitem__("age", original["age"]), "4-anonymity: 8 of 8 classes"),
        (lambda data: data.loc.__setitem__((0, "age"), 1.0), "4-anonymity: 2 of 3 classes"),
        (lambda data: data.insert(0, "mrn", range(8)), "columns were added that the policy does not list: 'mrn'"),
        (lambda data: data.insert(0, "name", list("abcdefgh")), "identifiers are still in the data: name"),
    ]
    for change, expected in changed:
        result = run(original.assign(name="x"), AGES | {"name": om.Identifier()}, k=4)
        change(result.data)
        for write in (lambda: result.write("out.csv"), lambda: result.save("out")):  # noqa: B023
            assert expected in refused(errors.NotSatisfied, write)


def test_a_change_that_breaks_nothing_is_written() -> None:
    result = run(ages().assign(pay=1.0), AGES | {"pay": om.Numeric("other")}, k=4)
    result.data["pay"] = 2.0
    result.data["age"] = result.data["age"].round()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result.save("out")
        result.write("out.csv")
    assert "4-anonymity" in Path("out/release/guarantees.txt").read_text()
    # A policy that keeps what it does not list lets columns be added.
    result = run(ages(), k=4, unlisted="other")
    result.data["more"] = 1
    result.write("more.csv")


def test_who_allowed_it_gets_what_fails_marked() -> None:
    result = run(ages(), k=4, allow_unsatisfied=True)
    assert result.satisfied
    result.data["age"] = ages()["age"]
    with pytest.warns(errors.OntomaskWarning, match="does not satisfy its requirements: 4-anonymity: 8 of 8"):
        result.write("out.csv")
    with pytest.warns(errors.OntomaskWarning, match="4-anonymity"):
        result.save("out")
    assert sorted(os.listdir("out/release")) == ["guarantees.txt", "release-NOT-SATISFIED.csv"]
    told = Path("out/release/guarantees.txt").read_text()
    assert told.startswith("NOT SATISFIED: 4-anonymity\n")  # which classes fail, and how many, is for the steward
    assert "at least 4 records" not in told  # what the method assures is not true of these data


def test_what_the_error_carries() -> None:
    result = run(ages(), k=4)
    result.data["age"] = ages()["age"]
    with pytest.raises(errors.NotSatisfied, match="changed after they were verified") as caught:
        result.write("out.csv")
    assert isinstance(caught.value.verification, om.Verification)
    assert caught.value.verification.findings[0].records == 8


# ---- what a result is made of ------------------------------------------------------------------------------------


def test_the_manifest_says_what_went_in_and_came_out() -> None:
    import hashlib

    Path("ages.csv").write_text("age\n20\n21\n40\n41\n")
    result = run("ages.csv")
    result.save("out")
    said = json.loads(Path("out/confidential/manifest.json").read_text())
    assert said["input"] == {
        "file": "ages.csv",
        "sha256": hashlib.sha256(Path("ages.csv").read_bytes()).hexdigest(),
        "records": 4,
    }
    assert (said["explicit_seed"], said["satisfied"], said["ontomask"]) == (True, True, om.__version__)
    for name, digest in said["files"].items():
        if name == "confidential/secret.txt":
            assert digest is None, "the hash of a small seed tells the seed"
        elif name != "confidential/manifest.json":
            assert hashlib.sha256(Path("out", name).read_bytes()).hexdigest() == digest


def test_the_rows_of_the_original_are_kept() -> None:
    from ontomask.assessment.alignment import read_records

    result = run(ages(), row_order="shuffled")
    result.save("out")
    assert read_records(Path("out/confidential/records.csv")) == result.records.tolist()
    Path("odd.csv").write_text("a\n1\n")
    with pytest.raises(errors.DataError, match=r"confidential/records\.csv"):
        read_records(Path("odd.csv"))


def test_a_new_folder_appears_whole_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    from ontomask.release import saving

    def stop(*_: Any) -> None:
        assert not Path("out").exists(), "it is put together elsewhere"
        raise KeyboardInterrupt

    monkeypatch.setattr(saving, "manifest_of", stop)
    with pytest.raises(KeyboardInterrupt):
        run(ages()).save("out")
    assert os.listdir() == []


def test_what_a_kill_left_beside_a_new_folder_is_told() -> None:
    left = Path(".out.deadbeef.part")
    (left / "confidential").mkdir(parents=True)
    with pytest.raises(errors.OutputError, match=r"left something behind: \.out\.deadbeef\.part"):
        run(ages()).save("out")
    run(ages()).save("out", overwrite=True)
    assert os.listdir() == ["out"]
