"""The queue: jobs are handed in here, and done by one worker process at a time, in the order they came.

The folder ``queue`` has an entry for each job that is not over; its name holds its place. The worker is a process of its own
that holds the lock ``worker.lock``: whoever finds open jobs and the lock free starts one, and two servers on one folder start
one worker. A job that is marked as running while nobody holds the lock has lost its process, and has failed.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ontomask.app.job_files import (
    ANSWER,
    CANCEL,
    JOB,
    PROGRESS,
    RUNS,
    Job,
    State,
    job_of,
    jobs_of,
    read_job,
    without_secret,
    write_job,
)
from ontomask.app.projects import Project
from ontomask.app.storage import (
    Locked,
    is_id,
    is_locked,
    lock,
    make_private,
    new_id,
    own_process,
    read_json,
    started_at,
    write_json,
)
from ontomask.errors import OptionError
from ontomask.files.writing import create_file, create_folder

__all__ = ["Job", "Queue"]

ENTRIES, WORKER_LOCK, WORKER, ORDER_LOCK = "queue", "worker.lock", "worker.json", "order.lock"
#: What jobs can do, and the arguments that each takes.
KINDS: dict[str, frozenset[str]] = {
    "open": frozenset({"reading", "propose"}),
    "match": frozenset({"column", "taxonomy"}),
    "risk": frozenset(),
    "check": frozenset(),
    "run": frozenset({"secret", "format", "escape_formulas", "allow_unsatisfied", "report"}),
    "compare": frozenset({"methods", "k", "alpha", "baselines", "seed"}),
}
#: Kinds that need no policy.
_WITHOUT_POLICY = ("open",)
#: Seconds that a job has to stop by itself, before its process is ended.
GRACE = 4.0
#: Seconds that a process has to start, before another one is started.
STARTING = 20.0
DIED = "the process of this job ended before the job was done"
DIED_REMEDY = (
    "Perhaps there was not enough memory, or the machine was restarted. Start it again; if it ends again, take fewer columns "
    "or records. Nothing was written."
)


class Queue:
    """The jobs of a workspace."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._starting: tuple[subprocess.Popen[bytes], float] | None = None
        self._tending = threading.Lock()
        make_private(folder / ENTRIES)

    # ---- handing in and looking ----------------------------------------------------------------------------------

    def start(self, project: Project, kind: str, /, **arguments: Any) -> Job:
        """Hand in a job.

        Parameters
        ----------
        project : Project
            Whose data it works on.
        kind : str
            open, match, risk, check, run or compare.
        **arguments
            What the task of that kind takes.

        Returns
        -------
        Job
            It is queued, and begins when those before it are over.
        """
        if kind not in KINDS:
            raise OptionError(f"no kind of job {kind!r}", remedy=f"There are: {', '.join(KINDS)}.")
        unknown = sorted(set(arguments) - KINDS[kind])
        if unknown:
            takes = ", ".join(sorted(KINDS[kind])) or "nothing"
            raise OptionError(f"{kind} has no argument {unknown[0]!r}", remedy=f"It takes: {takes}.")
        try:
            json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError):
            raise OptionError(
                "the arguments cannot be stored", remedy="Give texts, numbers, lists and mappings."
            ) from None
        _ = project.data  # an error if there are none
        with project.locked():
            if kind not in _WITHOUT_POLICY:
                project.policy()
            info = project.info
            make_private(project.folder / RUNS)
            id = new_id()
            folder = project.folder / RUNS / id
            create_folder(folder)
            project.keep_policy()
            job = Job(id, project.id, kind, arguments, folder, time.time(), policy_revision=info.policy_revision)
            write_job(job)
        with lock(self.folder / ORDER_LOCK):
            last = max((int(entry.name[:20]) for entry in self._entries()), default=0)
            create_file(self.folder / ENTRIES / f"{max(time.time_ns(), last + 1):020}-{project.id}-{id}")
        self.tend()
        return job_of(project.folder, id)

    def jobs(self, project: Project) -> list[Job]:
        """The jobs of a project, the newest first."""
        return jobs_of(project.folder)

    def job(self, project: Project, id: str) -> Job:
        """A job of a project as it is now."""
        return job_of(project.folder, id)

    def latest(self, project: Project, kind: str, state: State | None = None) -> Job | None:
        """The newest job of a kind, in that state if one is given."""
        found = (job for job in self.jobs(project) if job.kind == kind and (state is None or job.state == state))
        return next(found, None)

    def position(self, job: Job) -> int:
        """How many jobs come before it: 0 if it runs or is over."""
        if job.state != "queued":
            return 0
        names = [entry.name for entry in self._entries()]
        return next((place for place, name in enumerate(names) if name.endswith(job.id)), 0)

    def cancel(self, job: Job) -> None:
        """Ask a job to stop; one that is over stays as it is. What it wrote so far is removed."""
        if job.open and job.folder.is_dir():
            with suppress(FileExistsError):
                create_file(job.folder / CANCEL)
        self.tend()

    def cancel_all(self, project: Project, *, wait: float = GRACE + 6.0) -> None:
        """Cancel the jobs of a project, and wait until none of them runs."""
        for job in self.jobs(project):
            self.cancel(job)
        end = time.monotonic() + wait
        while any(job.open for job in self.jobs(project)) and time.monotonic() < end:
            time.sleep(0.05)
            self.tend()
        for entry in self._entries():
            if entry.name.split("-")[1] == project.id:
                entry.unlink(missing_ok=True)

    # ---- looking after the worker --------------------------------------------------------------------------------

    def tend(self) -> None:
        """Look after the queue: end what does not stop, note what died, and see that a worker is there for open jobs.

        To be called now and then; it takes a few milliseconds.
        """
        if not self._tending.acquire(blocking=False):
            return  # another thread does it
        try:
            self._tend()
        finally:
            self._tending.release()

    def _tend(self) -> None:
        self._reap_child()
        if not self._entries():
            return
        if is_locked(self.folder / WORKER_LOCK):
            self._end_stubborn()
            return
        with suppress(Locked), lock(self.folder / WORKER_LOCK, wait=0.0):
            self.settle()
        if self._entries() and self._starting is None:
            self._start_worker()

    def settle(self) -> None:
        """Note jobs that lost their process, and take away entries of jobs that are over. The lock of the worker is held."""
        for entry, job in self.entries():
            if job is None or not job.open:
                if job is not None and job.state == "cancelled":
                    finish(job, "cancelled")
                entry.unlink(missing_ok=True)
            elif job.state == "running":
                if job.stopping:
                    finish(job, "cancelled")
                else:
                    finish(job, "failed", error=f"{DIED}. {DIED_REMEDY}", remedy=DIED_REMEDY)
                entry.unlink(missing_ok=True)

    def entries(self) -> Iterator[tuple[Path, Job | None]]:
        """The open jobs in their order, each with its entry; None where the job is gone."""
        for entry in self._entries():
            _, project, id = entry.name.split("-")
            yield entry, read_job(self.folder / project / RUNS / id)

    def _entries(self) -> list[Path]:
        found = sorted((self.folder / ENTRIES).iterdir(), key=lambda path: path.name)
        return [path for path in found if path.name.count("-") == 2 and all(map(is_id, path.name.split("-")[1:]))]

    def recover(self) -> None:
        """Give entries to jobs that were handed in and have none: the server was stopped in between."""
        known = {entry.name.split("-")[2] for entry in self._entries()}
        found = [read_job(path.parent) for path in self.folder.glob(f"*/{RUNS}/*/{JOB}")]
        for job in sorted((job for job in found if job is not None and job.open), key=lambda job: job.created):
            if job.id not in known:
                create_file(self.folder / ENTRIES / f"{int(job.created * 1e9):020}-{job.project_id}-{job.id}")
        self.tend()

    def _start_worker(self) -> None:
        """Start a process that outlives this one, with nothing of this one but its environment."""
        command = own_process("ontomask.app.worker", str(self.folder))
        nothing = subprocess.DEVNULL
        child = subprocess.Popen(
            command,
            cwd=self.folder,
            stdin=nothing,
            stdout=nothing,
            stderr=nothing,
            start_new_session=True,
            close_fds=True,
        )
        self._starting = (child, time.monotonic())

    def _reap_child(self) -> None:
        """Forget a worker that has ended; it may also be one that found another at work."""
        if self._starting is None:
            return
        child, begun = self._starting
        ended = child.poll() is not None
        if ended or (time.monotonic() - begun > STARTING and not is_locked(self.folder / WORKER_LOCK)):
            self._starting = None

    def _end_stubborn(self) -> None:
        """End the process of a job that was asked to stop and does not; its own processes, too."""
        working = read_json(self.folder / WORKER) or {}
        for _, job in self.entries():
            if job is None or job.state != "running" or not job.stopping:
                continue
            with suppress(OSError):
                asked = (job.folder / CANCEL).stat().st_mtime
                if time.time() - asked > GRACE and working.get("job") == job.id:
                    end_process(working)


def end_process(working: dict[str, Any]) -> None:
    """End a worker, and the processes that it started, if it is still the one that is meant."""
    pid = working.get("pid")
    if isinstance(pid, int) and started_at(pid) == working.get("started"):
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(pid, signal.SIGKILL)
            else:
                os.kill(pid, signal.SIGTERM)


def finish(job: Job, state: State, *, error: str | None = None, remedy: str | None = None) -> None:
    """Note that a job is over, and remove what it wrote if it is not done. The lock of the worker is held."""
    if state != "done":
        for path in job.folder.iterdir():
            if path.name in (JOB, CANCEL):
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
    (job.folder / PROGRESS).unlink(missing_ok=True)
    kept = without_secret(job.arguments)
    write_job(replace(job, state=state, ended=time.time(), error=error, remedy=remedy, arguments=kept))
    (job.folder / CANCEL).unlink(missing_ok=True)


def write_answer(job: Job, answer: dict[str, Any]) -> None:
    """Write what came of a job."""
    write_json(answer, job.folder / ANSWER)
