"""The whole path over REST: upload, policy, run, download; and the same bytes as the command line."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import polars as pl
import pytest
import yaml

import ontomask as om
from ontomask.app.policy_edits import use_candidate
from ontomask.app.projects import Project
from tests.app.serving import Served

SECRET = "1f8e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e10a"


def ready(served: Served, stays: bytes, name: str = "stays.csv") -> str:
    project = served.new_project()
    assert served.upload(project, stays, name).status_code == 200
    served.do(project, "open")
    return project


def test_opening_tells_what_was_detected_and_proposes_a_policy(served: Served, stays: bytes) -> None:
    project = served.new_project()
    assert served.upload(project, stays.replace(b",", b";"), "Stays of May.CSV").json() == {
        "name": "Stays of May.CSV",
        "format": "csv",
        "size": len(stays),
        "stored": "data.csv",
    }
    found = served.do(project, "open")
    assert found["records"] == 300
    assert found["detected"]["delimiter"] == ";"
    columns = {column["name"]: column for column in found["columns"]}
    assert columns["diagnosis"]["taxonomy"] == "icd9cm"
    assert columns["age"]["numbers"]["max"] <= 110
    assert sum(count for _, count in columns["sex"]["frequent"]) == 300
    policy = served.api.get(f"/projects/{project}/policy").json()
    assert "Proposed from 300 records of Stays of May.CSV" in policy["text"]
    assert yaml.safe_load(policy["text"])["attributes"]["diagnosis"]["taxonomy"] == "icd9cm"


def test_corrected_reading_is_kept_in_the_policy(served: Served) -> None:
    project = served.new_project()
    lines = "zip;pay;job\n" + "".join(f"0{1000 + i};{i},5;{'nurse' if i % 3 else '-99'}\n" for i in range(60))
    served.upload(project, lines.encode())
    served.do(project, "open", reading={"text": ["zip"], "missing": ["-99"], "decimal": ","})
    text = served.api.get(f"/projects/{project}/policy").json()["text"]
    assert yaml.safe_load(text)["reading"] == {"missing": ["-99"], "decimal": ",", "text": ["zip"]}
    rows = served.api.get(f"/projects/{project}/rows", params={"offset": 57, "limit": 5}).json()
    assert rows["total"] == 60
    assert rows["rows"] == [["01057", "57,5", None], ["01058", "58,5", "nurse"], ["01059", "59,5", "nurse"]]
    failed = served.wait(project, served.start(project, "open", reading={"sheet": "x"}))
    assert "sheet has no effect on CSV files" in failed["error"]


@pytest.mark.slow
def test_a_run_has_the_bytes_of_the_command_line(served: Served, stays: bytes, tmp_path: Path) -> None:
    project = ready(served, stays)
    run = served.do(project, "run", secret=SECRET)
    job = run["job"]
    assert run["satisfied"]
    assert [one["state"] for one in run["requirements"]] == ["holds"]
    files = f"/projects/{project}/runs/{job}/files"
    archive = zipfile.ZipFile(io.BytesIO(served.api.get(f"{files}/release").content))
    assert sorted(archive.namelist()) == ["guarantees.txt", "release.csv", "report.html"]
    (tmp_path / "stays.csv").write_bytes(stays)
    (tmp_path / "policy.yaml").write_bytes(served.api.get(f"{files}/policy").content)
    (tmp_path / "secret.txt").write_text(SECRET, encoding="utf-8")
    command = [sys.executable, "-m", "ontomask", "run", "policy.yaml", "stays.csv", "-o", "result", "--no-report"]
    subprocess.run([*command, "--secret", "secret.txt", "--quiet"], cwd=tmp_path, check=True, timeout=120)
    assert archive.read("release.csv") == (tmp_path / "result" / "release" / "release.csv").read_bytes()
    data = served.api.get(f"{files}/data")
    assert data.content == archive.read("release.csv")
    assert data.headers["content-disposition"] == 'attachment; filename="release.csv"'
    assert b"<html" in served.api.get(f"{files}/report").content
    needless = served.api.post(f"/projects/{project}/runs/{job}/reason", json={"reason": "It is good as it is."})
    assert needless.status_code == 400
    assert served.api.patch(f"/projects/{project}", json={"chosen_run": job}).json()["chosen_run"] == job
    opened = served.api.get(f"/projects/{project}/jobs").json()[-1]["id"]
    assert served.api.patch(f"/projects/{project}", json={"chosen_run": opened}).status_code == 400
    shown = served.api.get(f"{files}/internal-report", params={"inline": True})
    assert shown.headers["content-disposition"].startswith("inline")
    assert "sandbox" in shown.headers["content-security-policy"]
    assert "script-src" not in shown.headers["content-security-policy"]


@pytest.mark.slow
def test_before_and_after_stand_side_by_side(served: Served, stays: bytes) -> None:
    project = ready(served, stays)
    run = served.do(project, "run")["job"]
    whole = served.api.get(f"/projects/{project}/runs/{run}/pairs", params={"limit": 1000}).json()
    original = pl.read_csv(io.BytesIO(stays), infer_schema=False)
    assert whole["columns"] == original.columns
    assert whole["before"] == [list(row) for row in original.rows()]
    released = pl.read_csv(
        io.BytesIO(served.api.get(f"/projects/{project}/runs/{run}/files/data").content), infer_schema=False
    )
    assert sorted(map(tuple, whole["after"])) == sorted(released.rows())
    for before, after, changed in zip(whole["before"], whole["after"], whole["changed"], strict=True):
        assert changed == [int(one != other) for one, other in zip(before, after, strict=True)]
    most = served.api.get(f"/projects/{project}/runs/{run}/pairs", params={"limit": 1000, "order": "changed"}).json()
    assert sorted(most["numbers"]) == list(range(1, 301))
    first, last = most["changed"][:30], most["changed"][-30:]
    assert sum(map(sum, first)) > sum(map(sum, last))
    window = served.api.get(
        f"/projects/{project}/runs/{run}/pairs", params={"offset": 7, "limit": 3, "order": "changed"}
    ).json()
    assert window["before"] == most["before"][7:10]
    assert window["after"] == most["after"][7:10]


def test_values_without_a_concept_are_repaired(served: Served) -> None:
    project = served.new_project()
    codes = ["250.00", "401.9", "diabtes mellitus", "V30.00"] * 25
    table = "age,diagnosis\n" + "".join(f"{20 + i % 40},{code}\n" for i, code in enumerate(codes))
    served.upload(project, table.encode())
    served.do(project, "open")
    found = served.do(project, "match", column="diagnosis", taxonomy="icd9cm")
    assert {one["how"]: one["records"] for one in found["by"]} == {"code": 75, "unmatched": 25}
    (one,) = found["unmatched"]
    assert one["value"] == "diabtes mellitus"
    assert "250" in [near["concept"] for near in one["near"]]
    text = served.api.get(f"/projects/{project}/policy").json()["text"]
    policy = yaml.safe_load(text)
    kind = {"kind": "nominal", "role": "quasi", "taxonomy": "icd9cm", "mapping": {"diabtes mellitus": "250"}}
    policy["attributes"]["diagnosis"] = kind
    answer = served.api.put(f"/projects/{project}/policy", json={"text": yaml.safe_dump(policy)})
    assert answer.status_code == 200, answer.text
    again = served.do(project, "match", column="diagnosis")
    assert again["unmatched"] == []
    assert {one["how"]: one["records"] for one in again["by"]} == {"mapping": 25, "code": 75}
    root = served.api.get(f"/projects/{project}/columns/diagnosis/tree").json()
    assert root["nodes"][0]["records"] == 100
    below = served.api.get(
        f"/projects/{project}/columns/diagnosis/tree", params={"concept": root["nodes"][0]["code"]}
    ).json()
    assert sum(node["records"] for node in below["nodes"]) == 100
    hits = served.api.get(f"/projects/{project}/columns/diagnosis/search", params={"text": "diabetes Mellitus"}).json()
    assert hits[0]["code"] == "250"


def test_an_uploaded_taxonomy_goes_with_the_policy(served: Served) -> None:
    project = served.new_project()
    jobs = ["nurse", "midwife", "baker", "butcher"]
    table = "age,job\n" + "".join(f"{20 + i % 9},{jobs[i % 4]}\n" for i in range(80))
    served.upload(project, table.encode())
    served.do(project, "open")
    edges = b"child,parent\nnurse,care\nmidwife,care\nbaker,food\nbutcher,food\ncare,work\nfood,work\n"
    stored = served.api.put(f"/projects/{project}/taxonomies", params={"name": "../../jobs.csv"}, content=edges).json()[
        "stored"
    ]
    assert stored == "taxonomy-1.csv"
    assert served.api.get(f"/projects/{project}").json()["taxonomies"] == {"taxonomy-1.csv": "jobs.csv"}
    policy = yaml.safe_load(served.api.get(f"/projects/{project}/policy").json()["text"])
    policy["attributes"]["job"] = {"kind": "nominal", "taxonomy": stored, "role": "quasi"}
    assert served.api.put(f"/projects/{project}/policy", json={"text": yaml.safe_dump(policy)}).status_code == 200
    found = served.do(project, "match", column="job")
    assert found["by"] == [{"how": "code", "values": 4, "records": 80}]
    assert "the policy uses this taxonomy" in served.api.delete(f"/projects/{project}/taxonomies/{stored}").text
    run = served.do(project, "run", report=False)["job"]
    packed = served.api.get(f"/projects/{project}/runs/{run}/files/policy-zip").content
    assert sorted(zipfile.ZipFile(io.BytesIO(packed)).namelist()) == ["policy.yaml", "taxonomy-1.csv"]
    policy["attributes"]["job"] = {"kind": "flat", "role": "quasi"}
    assert served.api.put(f"/projects/{project}/policy", json={"text": yaml.safe_dump(policy)}).status_code == 200
    assert served.api.delete(f"/projects/{project}/taxonomies/{stored}").status_code == 400, "the run was made with it"
    other = served.api.put(f"/projects/{project}/taxonomies", params={"name": "b.csv"}, content=edges).json()["stored"]
    assert other == "taxonomy-2.csv"
    assert served.api.delete(f"/projects/{project}/taxonomies/{other}").status_code == 204
    again = served.api.put(f"/projects/{project}/taxonomies", params={"name": "c.csv"}, content=edges).json()["stored"]
    assert again == "taxonomy-3.csv", "a name is never used again"
    assert served.api.get(f"/projects/{project}/runs/{run}/files/policy-zip").status_code == 200


def test_the_risk_of_the_original_and_who_shares_values(served: Served, stays: bytes) -> None:
    project = ready(served, stays)
    risk = served.do(project, "risk")
    original = pl.read_csv(io.BytesIO(stays))
    quasi = [one["column"] for one in risk["columns"]]
    assert risk["unique"] == original.select(quasi).is_unique().sum()
    for one in risk["columns"]:
        assert one["alone"] == original[one["column"]].is_unique().sum()
        assert one["without"] == original.select(c for c in quasi if c != one["column"]).is_unique().sum()
    sex, age = original["sex"][0], original["age"][0]
    given = {"sex": f" {sex.upper()} ", "age": f"{age}.0"}
    shared = served.api.post(f"/projects/{project}/sharing", json=given).json()
    expected = len(original.filter(pl.col("sex") == sex, pl.col("age") == age))
    assert shared == {"records": 300, "count": expected, "unknown": []}
    nobody = served.api.post(f"/projects/{project}/sharing", json={"sex": sex, "race": "martian"}).json()
    assert nobody == {"records": 300, "count": 0, "unknown": ["race"]}
    bar = served.api.get(f"/projects/{project}/bar").json()
    assert (bar["records"], bar["unique_before"], bar["unique_after"]) == (300, risk["unique"], None)
    assert [one["state"] for one in bar["requirements"]] == ["unknown"]


@pytest.mark.slow
def test_a_failing_release_needs_a_recorded_reason(served: Served) -> None:
    project = served.new_project()
    table = "age,sex,ill\n" + "".join(f"{20 + i},{'fm'[i % 2]},{'flu' if i % 9 else 'ulcer'}\n" for i in range(60))
    served.upload(project, table.encode())
    served.do(project, "open")
    policy = {
        "attributes": {
            "age": {"kind": "numeric", "role": "quasi"},
            "sex": {"kind": "flat", "role": "quasi"},
            "ill": {"kind": "flat", "role": "sensitive"},
        },
        "method": {"name": "rank_swapping", "k": 2},
        "require": [{"name": "k_anonymity", "k": 5}],
    }
    assert served.api.put(f"/projects/{project}/policy", json={"text": yaml.safe_dump(policy)}).status_code == 200
    run = served.do(project, "run")
    assert run["satisfied"] is False
    assert run["requirements"][0]["state"] == "fails"
    job = run["job"]
    files = f"/projects/{project}/runs/{job}/files"
    for what in ("release", "data", "confidential"):
        refused = served.api.get(f"{files}/{what}")
        assert refused.status_code == 409
        assert "record a sentence" in refused.json()["error"]
    assert served.api.get(f"{files}/internal-report").status_code == 200
    for poor in ("", "because", "a b c", "x " * 4000):
        assert served.api.post(f"/projects/{project}/runs/{job}/reason", json={"reason": poor}).status_code >= 400
    sentence = "The ethics board accepted <b>this</b> release for training."
    told = served.api.post(f"/projects/{project}/runs/{job}/reason", json={"reason": sentence}).json()
    assert told["reason"] == sentence
    again = "The board asked for it once more in May."
    assert served.api.post(f"/projects/{project}/runs/{job}/reason", json={"reason": again}).json()["reason"] == again
    names = zipfile.ZipFile(io.BytesIO(served.api.get(f"{files}/release").content)).namelist()
    assert "release-NOT-SATISFIED.csv" in names
    kept = zipfile.ZipFile(io.BytesIO(served.api.get(f"{files}/confidential").content))
    assert sentence in kept.read("reason.json").decode()


@pytest.mark.slow
def test_a_comparison_gives_points_and_a_candidate_to_use(served: Served, stays: bytes) -> None:
    project = ready(served, stays)
    found = served.do(project, "compare", methods=["microaggregation", "suppression"], k=[5, 8], seed=1)
    assert [run["name"] for run in found["runs"]] == found["candidates"]
    assert found["best"] in found["candidates"]
    map_ = served.api.get(f"/projects/{project}/jobs/{found['job']}/map")
    assert map_.text.startswith("<svg")
    own = Project(served.folder / project, 0)
    own.set_policy_text(own.policy_text.replace("method:\n", "method:\n  # agreed in May\n", 1))
    chosen = use_candidate(Project(served.folder / project, 0), "suppression, k=8")
    assert (chosen.method, chosen.required_k) == (om.Suppression(k=8), 5)
    text = served.api.get(f"/projects/{project}/policy").json()["text"]
    assert "name: suppression" in text
    assert "# agreed in May" in text
    assert "# The name suggests an age" in text, "the reasons stay"


def test_the_interface_describes_itself(served: Served) -> None:
    described = served.api.get("/openapi.json").json()
    assert described["info"]["title"] == "ontomask"
    assert {"/api/projects", "/api/projects/{project}/jobs"} <= set(described["paths"])
    assert not re.search(r"https?://(?!127)", str(described["paths"]))
