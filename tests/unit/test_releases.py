"""Several releases of the same records: each verified, written, read back and assessed, and all of them listed."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask import errors
from ontomask.cli import app
from ontomask.release.saving import numbered
from ontomask.report.summary import summarize

N, M = 120, 3


def table(n: int = N, seed: int = 4) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, n)
    sick = np.where(rng.random(n) < age / 100, "yes", "no")
    return pl.DataFrame(
        {"id": [f"p{i}" for i in range(n)], "age": age, "pay": (20 * age + rng.normal(0, 300, n)).round(), "sick": sick}
    )


def policy(m: int = M, **more: Any) -> om.Policy:
    attributes = {
        "id": om.Identifier(),
        "age": om.Numeric(),
        "pay": om.Numeric(role="sensitive"),
        "sick": om.Flat(role="sensitive"),
    }
    made: om.Policy = om.Policy(attributes=attributes, method=om.Imputation(m=m), **more)
    return made


@pytest.fixture
def result() -> om.Result:
    return om.anonymize(table(), policy(row_order="shuffled"))


# ---- in memory -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_releases_are_of_the_same_records_in_the_same_order(kind: str) -> None:
    frame = table()
    given = {"polars": frame, "pandas": frame.to_pandas(), "pyarrow": frame.to_arrow()}[kind]
    result = om.anonymize(given, policy(row_order="shuffled"))
    assert len(result.releases) == M
    assert result.releases[0] is result.data
    ages = frame["age"].gather(result.records).to_list()
    for release in result.releases:
        assert type(release) is type(given)
        cells = release["age"].to_pylist() if kind == "pyarrow" else release["age"].to_list()
        assert cells == ages
    pays = [tuple(pl.DataFrame(release)["pay"]) for release in result.releases]
    assert len(set(pays)) == M
    assert result.diagnostics is not None
    assert result.diagnostics.table["release"].to_list() == [1, 1, 2, 2, 3, 3]


def test_the_first_release_does_not_depend_on_how_many_there_are() -> None:
    frame = table()
    one, many = (om.anonymize(frame, policy(m), seed=5) for m in (1, 4))
    assert one.data.equals(many.data)
    assert one.parts == ()
    assert one.releases == [one.data]
    assert not [text for text in map(str, one.guarantees) if "releases of the same records" in text]
    assert [text for text in map(str, many.guarantees) if text.startswith("There are 4 releases of the same records.")]
    assert repr(many).startswith("<Result: 4 releases, 120 records")


def test_every_release_must_hold_what_is_required() -> None:
    """Two values of a sensitive column in every class: some draws have them, some have not."""
    frame = table().with_columns(age=pl.lit(40), sick=pl.Series(["yes"] + ["no"] * (N - 1)))
    required = policy(20, require=[om.LDiversity(l=2, attribute="sick")])
    with pytest.raises(errors.NotSatisfied, match=r"release \d+ of 20: ") as caught:
        om.anonymize(frame, required, seed=3)
    assert "the release is refused" in str(caught.value)
    marked = om.anonymize(frame, required, seed=3, allow_unsatisfied=True)
    failing = [i for i, part in enumerate(marked.parts, 1) if not part.satisfied]
    assert 0 < len(failing) < 20, "the case must have both"
    assert not marked.satisfied
    text = marked.verification.failed[0]
    assert all((f"release {i} of 20: " in text) == (i in failing) for i in range(1, 21))
    assert marked.guarantees[0].text.startswith("NOT SATISFIED: release ")
    # Where all hold, it is said of all.
    held = om.anonymize(table(), policy(require=[om.KAnonymity(k=1)]), seed=3)
    assert "(in each of 3 releases)" in held.verification.findings[-1].text


# ---- files ---------------------------------------------------------------------------------------------------------


def test_names_of_files() -> None:
    path = Path("folder/stays.v2.csv.gz")
    assert numbered(path, 1, 1) == path
    assert numbered(Path("stays.csv"), 2, 9) == Path("stays-2.csv")
    assert numbered(Path("stays.csv.gz"), 2, 10) == Path("stays-02.csv.gz")
    assert numbered(Path("stays"), 2, 3) == Path("stays-2")


def test_a_saved_result_lists_every_release(result: om.Result, tmp_path: Path) -> None:
    folder = result.save(tmp_path / "out", report=True)
    files = [f"release/release-{i}.csv" for i in (1, 2, 3)]
    manifest = json.loads((folder / "confidential" / "manifest.json").read_text())
    assert manifest["releases"] == files
    assert "release" not in manifest
    assert set(files) <= set(manifest["files"])
    assert {f"confidential/{name}-{i}.csv" for name in ("mapping", "groups") for i in (1, 2, 3)} <= set(
        manifest["files"]
    )
    for file, release in zip(files, result.releases, strict=True):
        assert pl.read_csv(folder / file).rows() == release.rows()
    found = om.verify_result(folder)
    assert found.holds
    assert [note for note in map(str, found.notes) if note.startswith("verified: ")] == [
        f"verified: {file} against confidential/policy.yaml" for file in files
    ]
    for edition in ("release", "confidential"):
        page = (folder / edition / "report.html").read_text()
        assert page.count("SHA-256") >= M
        assert "Several releases" in page
    stored = json.loads((folder / "confidential" / "assessment.json").read_text())
    assert stored["releases"]["releases"] == M


@pytest.mark.parametrize("format", ["tsv", "parquet", "excel", "sav", "dta"])
def test_every_format(result: om.Result, tmp_path: Path, format: str) -> None:
    folder = result.save(tmp_path / "out", format=format)
    files = sorted((folder / "release").glob("release-*"))
    assert len(files) == M
    for file, release in zip(files, result.releases, strict=True):
        read = om.read_table(file).data
        assert [tuple(map(str, row)) for row in read.cast({"age": pl.Float64, "pay": pl.Float64}).rows()] == [
            tuple(map(str, row)) for row in release.cast({"age": pl.Float64}).rows()
        ]
    assert om.verify_result(folder).holds


@pytest.mark.parametrize("which", [1, 2, 3])
def test_any_changed_or_missing_release_is_noticed(result: om.Result, tmp_path: Path, which: int) -> None:
    folder = result.save(tmp_path / "out")
    file = folder / "release" / f"release-{which}.csv"
    content = file.read_text()
    file.write_text(content.replace("pay", "name", 1))
    found = om.verify_result(folder)
    assert found.verdict == "fails"
    text = str(found)
    assert f"release/release-{which}.csv" in text
    assert f"release {which}" in text
    file.unlink()
    missing = om.verify_result(folder)
    assert missing.verdict == "fails"
    assert f"not verified: release/release-{which}.csv is missing" in map(str, missing.notes)


def test_a_manifest_that_names_other_files_is_refused(result: om.Result, tmp_path: Path) -> None:
    folder = result.save(tmp_path / "out")
    file = folder / "confidential" / "manifest.json"
    content = json.loads(file.read_text())
    for names in (
        ["release/../confidential/mapping-1.csv"],
        [],
        ["release/release-4.csv"],
        "release/release-1.csv",
        [7],
    ):
        file.write_text(json.dumps(content | {"releases": names}))
        with pytest.raises(errors.DataError, match="is not one of the released files that it lists"):
            om.verify_result(folder)


def test_only_the_release_handed_on(result: om.Result, tmp_path: Path) -> None:
    folder = result.save(tmp_path / "out")
    (folder / "release").rename(tmp_path / "handed")
    found = om.verify_result(tmp_path / "handed", result.policy)
    assert not found.complete
    assert sum(note.startswith("verified: release-") for note in map(str, found.notes)) == M
    (tmp_path / "handed" / "release-2.csv").unlink()
    with pytest.raises(errors.DataError, match="expected one released table"):
        om.verify_result(tmp_path / "handed", result.policy)


def test_writing_all_or_none(result: om.Result, tmp_path: Path) -> None:
    first = result.write(tmp_path / "stays.csv")
    assert first == tmp_path / "stays-1.csv"
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"stays-{i}.csv" for i in (1, 2, 3)]
    before = [path.read_bytes() for path in sorted(tmp_path.iterdir())]
    (tmp_path / "stays-1.csv").unlink()
    with pytest.raises(errors.OutputError, match=r"stays-2\.csv: the file exists"):
        result.write(tmp_path / "stays.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["stays-2.csv", "stays-3.csv"]
    result.write(tmp_path / "stays.csv", overwrite=True)
    assert [path.read_bytes() for path in sorted(tmp_path.iterdir())] == before
    # A file that does not read back as it should refuses all of them.
    long = result.parts[2].data.rename({"pay": "p" * 40})
    spoiled = om.anonymize(table(), policy(), seed=1)
    object.__setattr__(spoiled.parts[2], "data", long)
    with pytest.raises(errors.OntomaskError) as caught:
        spoiled.write(tmp_path / "other.csv")
    assert ".part" not in str(caught.value)
    assert len(list(tmp_path.iterdir())) == M


def test_a_failing_release_marks_all_files(tmp_path: Path) -> None:
    frame = table().with_columns(age=pl.lit(40), sick=pl.Series(["yes"] + ["no"] * (N - 1)))
    required = policy(12, require=[om.LDiversity(l=2, attribute="sick")])
    marked = om.anonymize(frame, required, seed=3, allow_unsatisfied=True)
    with pytest.warns(errors.OntomaskWarning, match="does not satisfy"):
        folder = marked.save(tmp_path / "out")
    names = sorted(path.name for path in (folder / "release").glob("release*"))
    assert names == [f"release-{i:02d}-NOT-SATISFIED.csv" for i in range(1, 13)]
    assert om.verify_result(folder).verdict == "fails"


# ---- assessment ----------------------------------------------------------------------------------------------------


def test_combined_means_are_those_of_the_releases(result: om.Result) -> None:
    several = result.assessment.several
    assert several is not None
    rows = {row["attribute"]: row for row in several.estimates.iter_rows(named=True)}
    assert set(rows) == {"pay", "sick"}
    frame = table()
    means = [float(release["pay"].mean()) for release in result.releases]
    errors_ = [float(release["pay"].var()) / N for release in result.releases]
    expected = om.combine_estimates(means, errors_)
    assert rows["pay"]["estimate"] == pytest.approx(expected.estimate)
    assert rows["pay"]["standard_error"] == pytest.approx(expected.standard_error)
    assert (rows["pay"]["low"], rows["pay"]["high"]) == pytest.approx((expected.low, expected.high))
    assert rows["pay"]["original"] == pytest.approx(float(frame["pay"].mean()))
    assert rows["pay"]["original_error"] == pytest.approx(float(frame["pay"].std()) / math.sqrt(N))
    share = {value: float((frame["sick"] == value).mean()) for value in ("yes", "no")}
    shown = [float(np.mean([1 - share[v] for v in release["sick"]])) for release in result.releases]
    assert rows["sick"]["statistic"] == "mean marginality"
    assert rows["sick"]["estimate"] == pytest.approx(float(np.mean(shown)))
    assert rows["sick"]["original"] == pytest.approx(1 - sum(s * s for s in share.values()))


def test_figures_over_all_releases(result: om.Result) -> None:
    several = result.assessment.several
    assert several is not None
    losses = [part.assessment.loss.information_loss for part in result.parts]
    row = several.figures.filter(pl.col("figure") == "information loss IL (%)").row(0, named=True)
    assert (row["least"], row["largest"]) == (min(losses), max(losses))
    assert row["mean"] == pytest.approx(float(np.mean(losses)))
    worst = [part.assessment.worst_attack.share for part in result.parts]
    assert result.assessment.worst_attack.share == max(worst)
    for attack in result.assessment.attacks:
        each = [a.share for part in result.parts for a in part.assessment.attacks if a.name == attack.name]
        assert attack.share == max(each)
    told = " ".join(result.assessment.readings)
    assert "There are 3 releases of the same records." in told
    assert "The mean of pay, combined over the releases, is" in told


def test_files_are_assessed_as_the_run(result: om.Result, tmp_path: Path) -> None:
    folder = result.save(tmp_path / "out")
    files = [folder / "release" / f"release-{i}.csv" for i in (1, 2, 3)]
    again = om.assess(table(), files, result.policy)
    assert again.several is not None
    assert result.assessment.several is not None
    assert again.several.estimates.equals(result.assessment.several.estimates)
    assert again.several.figures.equals(result.assessment.several.figures)
    with pytest.raises(errors.OptionError, match="no masked table is given"):
        om.assess(table(), [], result.policy)


def test_public_sentences_are_true_of_all_releases() -> None:
    frame = table(60)
    result = om.anonymize(frame, policy(6), seed=2)
    told = summarize(result, "public")
    pays = frame["pay"].to_numpy()
    lacking = [float(release["pay"].max()) < pays.max() for release in result.releases]
    assert any(lacking), "the case must have one"
    assert "Columns whose highest original values do not occur in every release: pay." in told["loss"]["gone"]
    assert told["several"]["estimates"] == []
    assert [warning for warning in told["warnings"] if "one release at a time" in warning["text"]]
    inside = summarize(result, "internal")["several"]
    assert [row[0] for row in inside["estimates"]] == ["mean of pay", "mean marginality of sick"]


# ---- the command line ------------------------------------------------------------------------------------------------


def test_from_a_file_to_verified_releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table().write_csv("stays.csv")
    run = CliRunner().invoke
    begun = run(app, ["init", "stays.csv", "--method", "imputation", "--role", "pay=sensitive", "--role", "id=identifier",
                      "--role", "age=quasi", "--role", "sick=sensitive"])  # fmt: skip
    assert begun.exit_code == 0, begun.output
    text = Path("policy.yaml").read_text()
    assert "name: imputation" in text
    Path("policy.yaml").write_text(text.replace("name: imputation", "name: imputation\n  m: 3\n  model: pmm"))
    assert run(app, ["check", "policy.yaml", "stays.csv"]).exit_code == 0
    done = run(app, ["run", "policy.yaml", "stays.csv", "-o", "result"])
    assert done.exit_code == 0, done.output
    assert "120 of 120 records released, in 3 releases of the same records." in done.output
    assert run(app, ["verify", "result"]).exit_code == 3  # nothing was promised
    judged = run(app, ["assess", "result", "stays.csv", "--json"])
    assert judged.exit_code == 0, judged.output
    assert json.loads(judged.stdout)["releases"]["releases"] == 3
    again = run(app, ["run", "policy.yaml", "stays.csv", "-o", "again", "--secret", "result/confidential/secret.txt"])
    assert again.exit_code == 0, again.output
    for i in (1, 2, 3):
        name = f"release/release-{i}.csv"
        assert Path("result", name).read_bytes() == Path("again", name).read_bytes()


def test_columns_that_came_out_as_they_went_in_are_told() -> None:
    """One value for all, a copy of an unmasked column; and the explanation claims no chance where there is none."""
    frame = table().with_columns(
        pl.lit("flu").alias("ill"), pl.when(pl.col("age") > 50).then(pl.lit("b")).otherwise(pl.lit("a")).alias("band")
    )
    frame = frame.with_columns(pl.col("band").alias("copy"))
    attributes = {
        **policy().attributes,
        "ill": om.Flat(role="sensitive"),
        "band": om.Flat(),
        "copy": om.Flat(role="sensitive"),
    }
    result = om.anonymize(frame, om.Policy(attributes=attributes, method=om.Imputation(m=M)), seed=1)
    for told in (result.guarantees, result.public_guarantees):
        same = {one.subject for one in told if "no value was changed; the column is released as it was" in one.text}
        assert "ill" in same
        assert "pay" not in same
    for name in ("ill", "pay", "sick", "copy"):
        kept = [release[name].equals(frame[name]) for release in result.releases]
        told_of = [text for text in map(str, result.guarantees) if text.startswith(f"{name}: no value was changed")]
        assert len(told_of) == any(kept)
    assert "or where the other columns determine it" in om.Imputation(m=M).explain()


def test_a_column_that_one_release_alone_shows_as_it_was() -> None:
    """Said with its number: what holds of the first release is not said of all."""
    frame = pl.DataFrame({"q": [1, 2, 3], "s": ["a", "b", "a"]})
    made = om.Policy(attributes={"q": om.Numeric(), "s": om.Flat(role="sensitive")}, method=om.Imputation(m=6))
    seen = set()
    for seed in range(12):
        result = om.anonymize(frame, made, seed=seed)
        same = [number for number, release in enumerate(result.releases, 1) if release["s"].equals(frame["s"])]
        told = [text for text in map(str, result.guarantees) if text.startswith("s: no value was changed")]
        if 0 < len(same) < 6:
            numbers = ", ".join(map(str, same))
            assert told == [f"s: no value was changed in release {numbers}; the column is released as it was."]
        seen.add(len(same))
    assert seen & set(range(1, 6))


def test_numbered_files_of_an_earlier_run_are_told(tmp_path: Path) -> None:
    om.anonymize(table(), policy(5)).write(tmp_path / "stays.csv")
    earlier = (tmp_path / "stays-4.csv").read_bytes()
    with pytest.warns(errors.OntomaskWarning, match=r"other numbered files: stays-4\.csv, stays-5\.csv\. They are not"):
        om.anonymize(table(), policy(3)).write(tmp_path / "stays.csv", overwrite=True)
    assert (tmp_path / "stays-4.csv").read_bytes() == earlier
    with pytest.warns(errors.OntomaskWarning, match=r"stays-1\.csv, stays-2\.csv"):
        om.anonymize(table(), policy(10)).write(tmp_path / "stays.csv")


def guessed(model: str, m: int) -> float:
    """How many values are found as those that records with the same unmasked column show most and the record never does."""
    n, found = 60, 0
    frame = pl.DataFrame({"a": [i // 6 for i in range(n)], "s": [float(i) for i in range(n)]})
    attributes = {"a": om.Numeric(), "s": om.Numeric(role="sensitive")}
    made = om.Policy(attributes=attributes, method=om.Imputation(model=model, m=m))
    for seed in range(8):
        shown = [release["s"].to_list() for release in om.anonymize(frame, made, seed=seed).releases]
        for i in range(n):
            own = {values[i] for values in shown}
            near = [j for j in range(n) if j // 6 == i // 6 and j != i]
            others = Counter(values[j] for values in shown for j in near if values[j] not in own)
            found += bool(others) and others.most_common(1)[0][0] == float(i)
    return found / (8 * n)


def test_what_releases_of_donated_values_disclose_is_said() -> None:
    """The figures of docs/methods/imputation.md: a record is never its own donor, which several releases give away."""
    for m, share in ((1, 0.26), (3, 0.42), (10, 0.83)):
        assert guessed("pmm", m) == pytest.approx(share, abs=0.05)
        assert guessed("normal", m) < 1 / 6
    said = " ".join(map(str, om.Imputation(model="pmm").assurances()))
    assert "No record is its own donor" in said
    assert "depends on its own values only through a regression" not in said
    assert "depends on its own values only through a regression" in " ".join(map(str, om.Imputation().assurances()))
