"""The queue: nothing is lost, mixed or done twice, whoever is stopped or killed."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

import ontomask as om
from ontomask.app.discreet_log import Discreet, place_of
from ontomask.app.job_files import CANCEL, write_job
from ontomask.app.jobs import DIED, GRACE, end_process
from ontomask.app.storage import read_json, started_at
from ontomask.app.workspace import Workspace
from tests.app.serving import Served

#: A table that takes some seconds to mask.
LARGE = 8_000


def table(records: int) -> bytes:
    return ("age,sex\n" + "".join(f"{20 + i % 50},{'fm'[i % 2]}\n" for i in range(records))).encode()


def large(served: Served) -> str:
    project = served.new_project()
    served.upload(project, om.demo_data(LARGE, seed=1).write_csv().encode())
    served.do(project, "open")
    return project


@pytest.mark.slow
def test_a_hundred_jobs_are_all_done_and_none_is_mixed_up(served: Served) -> None:
    sizes = {served.new_project(str(size)): size for size in range(40, 50)}
    for project, size in sizes.items():
        served.upload(project, table(size))
        served.start(project, "open")
    jobs = []
    for project in sizes:
        served.wait(project, served.api.get(f"/projects/{project}/jobs").json()[0]["id"])
    with ThreadPoolExecutor(8) as threads:
        asked = [(project, kind) for kind in ("check", "risk") * 5 for project in sizes]
        jobs = list(threads.map(lambda one: (one[0], served.start(*one)), asked))
    assert len({job for _, job in jobs}) == 100
    for project, job in jobs:
        found = served.wait(project, job)
        assert found["state"] == "done", found
        assert served.api.get(f"/projects/{project}/jobs/{job}/answer").json()["records"] == sizes[project]
    every = [job for project in sizes for job in served.api.get(f"/projects/{project}/jobs").json()]
    assert sorted(job["id"] for job in every if job["kind"] != "open") == sorted(job for _, job in jobs)
    spans = sorted((job["started"], job["ended"]) for job in every)
    assert all(end <= begin for (_, end), (begin, _) in pairwise(spans)), "one at a time"
    end = time.monotonic() + 10
    while list((served.folder / "queue").iterdir()):  # the entry of the last job goes after it is done
        assert time.monotonic() < end
        time.sleep(0.02)


def test_jobs_are_done_in_the_order_they_came(served: Served) -> None:
    project = served.new_project()
    served.upload(project, table(50))
    served.do(project, "open")
    jobs = [served.start(project, kind) for kind in ("check", "risk", "check", "open", "risk")]
    ended = [served.wait(project, job)["started"] for job in jobs]
    assert ended == sorted(ended)


@pytest.mark.slow
def test_a_running_job_is_cancelled_and_leaves_nothing(served: Served) -> None:
    project = large(served)
    before = {path.name for path in (served.folder / project).iterdir()}
    job = served.start(project, "run")
    queued = served.start(project, "risk")
    served.wait(project, job, until=("running",))
    while served.job(project, job)["fraction"] < 0.05:
        time.sleep(0.02)
    assert served.job(project, queued)["position"] == 1
    assert served.api.delete(f"/projects/{project}/jobs/{job}").status_code == 202
    found = served.wait(project, job)
    assert found["state"] == "cancelled"
    folder = served.folder / project / "runs" / job
    assert [path.name for path in folder.iterdir()] == ["job.json"]
    names = {path.name for path in (served.folder / project).iterdir()}
    # Runs keep the policy that they were started with.
    assert {name for name in names if not re.fullmatch(r"policy-\d+\.yaml", name)} == before
    assert served.wait(project, queued)["state"] == "done", "the next one is not stopped with it"


def test_a_queued_job_is_cancelled_and_never_begins(served: Served) -> None:
    project = served.new_project()
    served.upload(project, table(3000))
    served.do(project, "open")
    jobs = [served.start(project, "risk") for _ in range(12)]
    last = jobs[-1]
    assert served.api.delete(f"/projects/{project}/jobs/{last}").json()["state"] in ("cancelled", "queued")
    found = served.wait(project, last)
    assert (found["state"], found["started"]) == ("cancelled", None)
    assert all(served.wait(project, job)["state"] == "done" for job in jobs[:-1])


@pytest.mark.slow
def test_a_worker_that_dies_is_reported_and_the_rest_goes_on(served: Served) -> None:
    project = large(served)
    job, after = served.start(project, "run"), served.start(project, "risk")
    served.wait(project, job, until=("running",))
    while served.job(project, job)["fraction"] == 0:
        time.sleep(0.02)
    pid = served.worker()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    found = served.wait(project, job)
    assert found["state"] == "failed"
    assert DIED in found["error"]
    assert "Start it again" in found["remedy"]
    assert [path.name for path in (served.folder / project / "runs" / job).iterdir()] == ["job.json"]
    assert served.wait(project, after)["state"] == "done"


@pytest.mark.slow
def test_a_job_survives_the_server(place: Path) -> None:
    """The server is killed while a job runs and another waits: a new server finds the first running or done, and both end."""
    first = Served(place)
    try:
        project = large(first)
        running, waiting = first.start(project, "run"), first.start(project, "risk")
        first.wait(project, running, until=("running",))
        worker = first.worker()
        browser = first.browser()
        first.kill()
        assert worker is not None
        assert started_at(worker) is not None, "the worker outlives the server"
        second = Served(place, "--port", str(first.port))
    except BaseException:
        first.stop()
        raise
    try:
        assert second.wait(project, running)["state"] == "done"
        assert second.wait(project, waiting)["state"] == "done"
        assert browser.get(f"/api/projects/{project}").status_code == 200, "the page goes on with its session"
    finally:
        first.close()
        second.stop()


@pytest.mark.slow
def test_two_servers_do_no_job_twice(place: Path) -> None:
    one = Served(place)
    try:
        other = Served(place)
    except BaseException:
        one.stop()
        raise
    try:
        project = one.new_project()
        one.upload(project, table(60))
        jobs = [one.start(project, "open")]
        one.wait(project, jobs[0])
        jobs += [other.start(project, "check") for _ in range(10)]
        found = [other.wait(project, job) for job in jobs]
        assert {job["state"] for job in found} == {"done"}
        spans = sorted((job["started"], job["ended"]) for job in found)
        assert all(end <= begin for (_, end), (begin, _) in pairwise(spans))
    finally:
        one.stop()
        other.stop()


# ---- without a server ----------------------------------------------------------------------------------------------


def test_a_job_whose_process_is_gone_has_failed(place: Path) -> None:
    workspace = Workspace.open(place)
    project = workspace.demo(60)
    workspace.queue.tend = lambda: None  # type: ignore[method-assign] # nobody starts a worker
    job = workspace.queue.start(project, "open")
    kept = read_json(job.folder / "job.json")
    kept["state"] = "running"
    (job.folder / "job.json").write_text(json.dumps(kept), encoding="utf-8")
    (job.folder / "half.csv").write_text("partial", encoding="utf-8")
    workspace.queue.settle()
    found = workspace.queue.job(project, job.id)
    assert (found.state, found.remedy is None) == ("failed", False)
    assert not (job.folder / "half.csv").exists()
    assert not list((place / "queue").iterdir())


def test_a_job_without_an_entry_is_found_again(place: Path) -> None:
    workspace = Workspace.open(place)
    project = workspace.demo(60)
    workspace.queue.tend = lambda: None  # type: ignore[method-assign]
    job = workspace.queue.start(project, "open")
    for entry in (place / "queue").iterdir():
        entry.unlink()
    workspace.queue.recover()
    assert [entry.name.rpartition("-")[2] for entry in (place / "queue").iterdir()] == [job.id]
    workspace.queue.cancel(job)
    assert (job.folder / CANCEL).exists()
    assert workspace.queue.job(project, job.id).state == "cancelled"


HOLDER = """
import sys, time
from pathlib import Path
from ontomask.app.storage import lock
with lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_job_that_does_not_stop_is_ended(place: Path) -> None:
    """A process that holds the lock of the worker and never looks up is ended some seconds after somebody cancelled its job."""
    workspace = Workspace.open(place)
    project = workspace.demo(60)
    tend = workspace.queue.tend
    workspace.queue.tend = lambda: None  # type: ignore[method-assign]
    job = workspace.queue.start(project, "open")
    command = [sys.executable, "-c", HOLDER, str(place / "worker.lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as stubborn:
        assert stubborn.stdout is not None
        assert stubborn.stdout.readline() == "held\n"
        kept = {"pid": stubborn.pid, "started": started_at(stubborn.pid), "job": job.id}
        (place / "worker.json").write_text(json.dumps(kept), encoding="utf-8")
        write_job(replace(job, state="running", started=time.time()))
        workspace.queue.cancel(workspace.queue.job(project, job.id))
        tend()
        assert stubborn.poll() is None, "it is given some seconds"
        long_ago = time.time() - GRACE - 1
        os.utime(job.folder / CANCEL, (long_ago, long_ago))
        tend()
        assert stubborn.wait(10) == -signal.SIGKILL
    tend()
    assert workspace.queue.job(project, job.id).state == "cancelled"


def test_another_process_of_the_same_number_is_left_alone() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True) as other:
        end_process({"pid": other.pid, "started": "1"})
        assert other.poll() is None
        end_process({"pid": other.pid, "started": started_at(other.pid)})
        assert other.wait(10) == -signal.SIGKILL


def test_unforeseen_errors_say_where_and_no_values() -> None:
    with pytest.raises(KeyError) as raised:
        {}["patient Smith"]
    problem = raised.value
    assert place_of(problem).startswith("KeyError in test_queue.py, line ")
    record = logging.LogRecord("x", logging.ERROR, "f.py", 1, "of patient Smith", (), (KeyError, problem, None))
    assert "Smith" not in Discreet().format(record)
    assert "Smith" not in Discreet().format(logging.LogRecord("x", 40, "f.py", 1, problem, (), None))
    assert "Smith" not in Discreet().format(logging.LogRecord("x", 40, "f.py", 1, "patient Smith", (), None))


def test_wrong_jobs_are_refused_at_once(served: Served) -> None:
    project = served.new_project()

    def refused(**job: object) -> str:
        answer = served.api.post(f"/projects/{project}/jobs", json=job)
        assert answer.status_code in (400, 422)
        return str(answer.json()["error"])

    assert "no data yet" in refused(kind="open")
    served.upload(project, table(40))
    assert "no policy yet" in refused(kind="run")
    assert "kind" in refused(kind="delete")
    assert "no argument 'folder'" in refused(kind="open", arguments={"folder": "/etc"})
    job = served.wait(project, served.start(project, "open", propose="yes"))
    assert job["error"] == "propose: expected bool, got str. Correct the argument."
