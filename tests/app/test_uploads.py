"""Uploads of others: sizes, bombs, wrong and empty files, hostile names; who can read what is kept; what deleting leaves."""

from __future__ import annotations

import gzip
import io
import json
import os
import socket
import stat
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import polars as pl
import pytest
import yaml

from ontomask.app.projects import Project, UnknownProject
from ontomask.app.receiving import AT_ONCE
from ontomask.app.workspace import Workspace
from tests.app.serving import Served

HOSTILE = [
    "../../../etc/passwd.csv",
    "..\\..\\windows\\system.csv",
    "/etc/cron.d/x.csv",
    "<script>alert(1)</script>.csv",
    '"; rm -rf ~; ".csv',
    "a\r\nSet-Cookie: x=1.csv",
    "nul\0byte.csv",
    "con.csv",
    ".csv",
    "\u202egnp.csv",
    "x" * 900 + ".csv",
    "=cmd|' /C calc'!A0.csv",
    ":onclick.csv",
]


def parts(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_never_paths(served: Served, stays: bytes, name: str) -> None:
    project = served.new_project(name[:300])
    before = {path for path in served.folder.parent.rglob("*") if project not in str(path)}
    answer = served.upload(project, stays, name)
    if answer.status_code == 200:
        assert parts(served.folder / project) == ["data.csv", "lock", "project.json"]
        shown = answer.json()["name"]
        assert "/" not in shown
        assert "\\" not in shown
        assert shown.isprintable()
        assert len(shown) <= 200
    else:
        assert answer.status_code == 400
        assert parts(served.folder / project) == ["project.json"]
    after = {path for path in served.folder.parent.rglob("*") if project not in str(path)}
    assert {path for path in after - before if "queue" not in path.parts} == set()
    title = served.api.get(f"/projects/{project}").json()["title"]
    assert title.isprintable()


@pytest.mark.parametrize(
    "project",
    ["%2e%2e", "..%2fprojects", "%2e%2e%2f%2e%2e", "queue", "0" * 15, "0" * 17, "A" * 16, "worker.json", "%00" * 16],
)
def test_projects_and_jobs_are_found_by_their_names_alone(served: Served, project: str) -> None:
    real = served.new_project()
    for address in (
        f"/projects/{project}",
        f"/projects/{project}/policy",
        f"/projects/{project}/rows",
        f"/projects/{real}/jobs/{project}",
        f"/projects/{real}/runs/{project}",
        f"/projects/{real}/runs/{project}/pairs",
        f"/projects/{real}/runs/{project}/files/data",
        f"/projects/{real}/runs/{'0' * 16}/files/{project}",
        f"/projects/{real}/columns/{project}/tree",
    ):
        answer = served.api.get(address)
        assert answer.status_code in (400, 403, 404, 405), address
        assert "root:" not in answer.text
    assert served.api.delete(f"/projects/{real}/taxonomies/{project}").status_code in (400, 404, 405)
    assert (served.folder / real / "project.json").exists()


@pytest.mark.parametrize("named", ["/etc/passwd", "../../x.csv", "../project.json", "data.csv/../../../etc/passwd"])
def test_a_policy_names_files_of_its_project_alone(served: Served, stays: bytes, named: str) -> None:
    project = served.new_project()
    served.upload(project, stays)
    served.do(project, "open")
    before = served.api.get(f"/projects/{project}/policy").json()
    text = before["text"].replace("taxonomy: icd9cm", f"taxonomy: {named}", 1)
    assert text != before["text"]
    answer = served.api.put(f"/projects/{project}/policy", json={"text": text})
    assert answer.status_code == 400
    assert "folder" in answer.json()["error"]
    assert str(served.folder) not in answer.json()["error"]
    assert served.api.get(f"/projects/{project}/policy").json() == before
    job = served.wait(project, served.start(project, "match", column="diagnosis", taxonomy=named))
    assert "no such taxonomy" in job["error"]


def test_an_upload_that_is_too_large_leaves_nothing(served: Served) -> None:
    project = served.new_project()
    row = b"1,2,3,4\n" * 1024

    def endless() -> Iterator[bytes]:
        yield b"a,b,c,d\n"
        for _ in range(20 * 1024 * 1024 // len(row) + 200):
            yield row

    answer = served.api.put(f"/projects/{project}/data", params={"name": "big.csv"}, content=endless())
    assert answer.status_code == 413
    assert answer.json()["error"].startswith("big.csv: the file has more than 20.0 MB.")
    assert parts(served.folder / project) == ["project.json"]


def test_an_upload_that_says_it_is_too_large_is_refused_before_it_is_sent(served: Served) -> None:
    project = served.new_project()
    head = (
        f"PUT /api/projects/{project}/data?name=big.csv HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n"
        f"Authorization: {served.api.headers['Authorization']}\r\nContent-Length: {21 << 20}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as connection:
        connection.sendall(head.encode())  # and not a byte of the file
        answer = connection.recv(1 << 16)
    assert answer.startswith(b"HTTP/1.1 413")
    assert parts(served.folder / project) == ["project.json"]


def test_a_project_that_is_deleted_during_an_upload_is_said_to_be_gone(place: Path) -> None:
    workspace = Workspace.open(place)
    for name in ("a.csv", "a.xlsx", "a.obo"):
        project = workspace.create()

        def chunks(project: Project = project) -> Iterator[bytes]:
            yield b"a,b\n1,2\n"
            workspace.delete(project)

        with pytest.raises(UnknownProject, match="deleted during the upload"):
            (project.receive_taxonomy if name == "a.obo" else project.receive_data)(name, chunks())
        assert not project.folder.exists()


def test_a_long_name_keeps_its_suffix(place: Path) -> None:
    project = Workspace.open(place).create()
    found = project.receive_data("x" * 240 + ".csv.gz", [gzip.compress(b"a,b\n1,2\n")])
    assert (found.format, found.stored) == ("csv", "data.csv.gz")
    assert found.name == "x" * 193 + ".csv.gz"


def test_an_interrupted_upload_leaves_nothing(served: Served) -> None:
    project = served.new_project()
    head = (
        f"PUT /api/projects/{project}/data?name=a.csv HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n"
        f"Authorization: {served.api.headers['Authorization']}\r\nContent-Length: 1000000\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as connection:
        connection.sendall(head.encode() + b"a,b\n" + b"1,2\n" * 1000)
        time.sleep(0.3)
    end = time.monotonic() + 10
    while parts(served.folder / project) != ["project.json"] and time.monotonic() < end:
        time.sleep(0.05)
    assert parts(served.folder / project) == ["project.json"]


def test_uploads_that_stall_keep_nobody_waiting(served: Served) -> None:
    """Once six of them took all threads of the server."""
    project = served.new_project()
    head = (
        f"PUT /api/projects/{project}/data?name=a.csv HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n"
        f"Authorization: {served.api.headers['Authorization']}\r\nContent-Length: 1000\r\n\r\na,"
    )
    stalled = [socket.create_connection(("127.0.0.1", served.port), timeout=10) for _ in range(AT_ONCE)]
    try:
        for connection in stalled:
            connection.sendall(head.encode())
        time.sleep(0.5)
        other = served.new_project()
        assert served.upload(other, b"a,b\n1,2\n").status_code == 429
        assert served.api.get("/projects").status_code == 200
    finally:
        for connection in stalled:
            connection.close()
    end = time.monotonic() + 10
    while served.upload(other, b"a,b\n1,2\n").status_code != 200:
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_bomb_is_one_message_of_the_server(served: Served) -> None:
    project = served.new_project()
    made = io.BytesIO()
    pl.DataFrame({"text": ["x" * 1_000_000] * 300}).write_parquet(made)
    answer = served.upload(project, made.getvalue(), "bomb.parquet")
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("bomb.parquet: it unpacks to more than 250 times its size")
    assert parts(served.folder / project) == ["project.json"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.csv", b"", "empty.csv: the file is empty"),
        ("picture.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "the content is not CSV"),
        ("book.csv", b"PK\x03\x04" + bytes(100), "the content is not CSV"),
        ("table.xlsx", b"a,b\n1,2\n", "the content is not Excel"),
        ("table.parquet", b"a,b\n1,2\n", "the content is not Parquet"),
        ("table.sav", b"a,b\n1,2\n", "the content is not SPSS"),
        ("table.csv.gz", b"a,b\n1,2\n", "the content is not CSV"),
        ("broken.xlsx", b"PK\x03\x04 and then something else", "not an Excel workbook"),
        ("broken.parquet", b"PAR1" + b"not a table" * 20, "broken.parquet: the file cannot be read as Parquet"),
        ("letter.docx", b"PK\x03\x04", "is not of a known format"),
        ("noname", b"a,b\n", "is not of a known format"),
        ("old.xls", b"\xd0\xcf\x11\xe0", "Save it as .xlsx"),
    ],
)
def test_wrong_files_are_one_message_and_leave_nothing(served: Served, name: str, content: bytes, said: str) -> None:
    project = served.new_project()
    answer = served.upload(project, content, name)
    assert answer.status_code == 400
    assert said in answer.json()["error"]
    assert str(served.folder) not in answer.text
    assert parts(served.folder / project) == ["project.json"]


def test_a_file_that_cannot_be_read_says_so_by_its_name(served: Served) -> None:
    project = served.new_project()
    served.upload(project, b"$FL2" + b"not a table" * 20, "Patients.sav")
    job = served.wait(project, served.start(project, "open"))
    assert job["state"] == "failed"
    assert "Patients.sav" in job["error"]
    assert str(served.folder) not in job["error"]
    assert served.upload(project, b"a,b\n" + b"1,2\n" * 50, "right.csv").status_code == 200
    assert served.do(project, "open")["records"] == 50
    assert "data.sav" not in parts(served.folder / project)


def test_every_format_is_taken(served: Served, stays: bytes, tmp_path: Path) -> None:
    frame = pl.read_csv(stays)
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_excel(tmp_path / "a.xlsx")
    (tmp_path / "a.tsv").write_bytes(stays.replace(b",", b"\t"))
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(stays))
    import pyreadstat

    pyreadstat.write_sav(frame.to_pandas(), str(tmp_path / "a.sav"))
    pyreadstat.write_dta(frame.to_pandas(), str(tmp_path / "a.dta"))
    pyreadstat.write_xport(frame.select("age", "sex").to_pandas(), str(tmp_path / "a.xpt"))
    for file in sorted(tmp_path.iterdir()):
        project = served.new_project()
        answer = served.upload(project, file.read_bytes(), file.name)
        assert answer.status_code == 200, (file.name, answer.text)
        assert served.do(project, "open")["records"] == 300, file.name


# ---- what is kept ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_everything_is_for_its_owner_alone_and_deleting_leaves_nothing(served: Served, stays: bytes) -> None:
    project = served.new_project("to be deleted")
    served.upload(project, stays, "secret-name.csv")
    served.do(project, "open")
    served.api.put(f"/projects/{project}/taxonomies", params={"name": "t.csv"}, content=b"child,parent\na,b\n")
    for kind in ("risk", "check", "run"):
        served.do(project, kind)
    served.do(project, "match", column="diagnosis")
    every = [served.folder, *served.folder.rglob("*")]
    assert len(every) > 40
    for path in every:
        found = path.lstat()
        assert not stat.S_ISLNK(found.st_mode)
        assert found.st_mode & 0o077 == 0, path
        assert found.st_uid == os.getuid()
    assert not any("secret-name" in path.name for path in every)
    running = served.start(project, "run")
    served.wait(project, running, until=("running",))
    assert served.api.delete(f"/projects/{project}").status_code == 204
    assert not (served.folder / project).exists()
    assert not any(project in path.name for path in served.folder.rglob("*"))
    assert served.api.get(f"/projects/{project}").status_code == 404
    assert served.api.get(f"/projects/{project}/jobs/{running}").status_code == 404
    assert project not in [one["id"] for one in served.api.get("/projects").json()]


def test_data_with_results_are_not_replaced(served: Served, stays: bytes) -> None:
    project = served.new_project()
    served.upload(project, stays)
    served.do(project, "open")
    assert served.upload(project, stays + stays.split(b"\n", 1)[1], "more.csv").status_code == 200
    assert served.api.get(f"/projects/{project}/jobs").json() == []  # answers hold values of the file that is gone
    assert not list((served.folder / project).glob("runs/*"))
    assert served.api.get(f"/projects/{project}/policy").json()["text"] == ""
    assert served.do(project, "open")["records"] == 600
    served.do(project, "run", report=False)
    refused = served.upload(project, stays)
    assert refused.status_code == 400
    assert "has results of its data" in refused.json()["error"]


# ---- what is handed out ------------------------------------------------------------------------------------------------


def test_formulas_are_text_in_what_is_handed_out(served: Served) -> None:
    project = served.new_project()
    rows = [
        f"{30 + i % 2},{'=1+2' if i % 2 else '@SUM(A1)'},{'=HYPERLINK(0)' if i % 3 else 'plain'}" for i in range(40)
    ]
    served.upload(project, ("age,job,note\n" + "\n".join(rows) + "\n").encode())
    served.do(project, "open")
    policy = {
        "attributes": {
            "age": {"kind": "numeric", "role": "quasi"},
            "job": {"kind": "flat", "role": "quasi"},
            "note": {"kind": "flat", "role": "other"},
        },
        "method": {"name": "microaggregation", "k": 5},
        "require": [{"name": "k_anonymity", "k": 5}],
    }
    assert served.api.put(f"/projects/{project}/policy", json={"text": json.dumps(policy)}).status_code == 200
    run = served.do(project, "run", report=False)
    files = f"/projects/{project}/runs/{run['job']}/files"
    text = served.api.get(f"{files}/data").text
    cells = [cell for line in text.splitlines()[1:] for cell in line.split(",")]
    assert any(cell.startswith("'=") for cell in cells)
    assert not any(cell.startswith(("=", "@", "+")) for cell in cells)
    kept = zipfile.ZipFile(io.BytesIO(served.api.get(f"{files}/confidential").content))
    mapping = [cell for line in kept.read("mapping.csv").decode().splitlines() for cell in line.split(",")]
    assert not any(cell.startswith(("=", "@")) for cell in mapping)
    book = served.do(project, "run", report=False, format="excel")
    packed = served.api.get(f"/projects/{project}/runs/{book['job']}/files/data").content
    sheet = openpyxl.load_workbook(io.BytesIO(packed)).active
    types = {cell.data_type for row in sheet.iter_rows(min_row=2) for cell in row}
    assert "f" not in types, "no cell is a formula"


def test_a_column_name_that_is_a_formula_is_told_before_the_work(served: Served) -> None:
    project = served.new_project()
    rows = "".join(f"{30 + i % 4},{i % 3}\n" for i in range(40))
    served.upload(project, ("age,=cmd|' /C calc'!A1\n" + rows).encode())
    found = served.do(project, "open")
    assert any("as a formula" in note for note in found["notes"])
    assert any("as a formula" in check for check in found["columns"][1]["checks"])
    run = served.wait(project, served.start(project, "run", report=False))
    assert run["state"] == "failed"
    assert run["error"].startswith("a spreadsheet would run the column name")
    assert "runs/" not in run["error"]
    text = served.api.get(f"/projects/{project}/policy").json()["text"]
    policy = yaml.safe_load(text)
    policy["attributes"]["=cmd|' /C calc'!A1"] = {"kind": "identifier"}
    assert served.api.put(f"/projects/{project}/policy", json={"text": yaml.safe_dump(policy)}).status_code == 200
    assert served.do(project, "run", report=False)["satisfied"]
