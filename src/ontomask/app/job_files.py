"""Jobs as files: a folder for each, with what is asked, how far it is, and what came of it.

``job.json`` is written by whoever hands the job in, and afterwards only by the process that holds the lock of the worker;
``progress.json`` by the worker; an empty file ``cancel`` by whoever wants the job to stop. So no two processes write one file.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from ontomask.app.storage import is_id, read_json, write_json
from ontomask.errors import OntomaskError

State = Literal["queued", "running", "done", "failed", "cancelled"]
#: The states of a job that is not over.
OPEN: tuple[State, ...] = ("queued", "running")
#: Below this fraction, or before so many seconds, the time that remains is a guess of nothing.
_EARLY, _SOON = 0.05, 1.5

RUNS = "runs"
SECRET_GIVEN = "given"
JOB, PROGRESS, CANCEL, ANSWER = "job.json", "progress.json", "cancel", "answer.json"


class UnknownJob(OntomaskError, LookupError):
    """There is no such job in the project."""


@dataclass(frozen=True)
class Job:
    """A job as it was when its files were read.

    Attributes
    ----------
    id, project_id : str
        Random names.
    kind : str
        What it does: one of the tasks.
    arguments : dict
        What was asked for.
    folder : Path
        Where its files are.
    created, started, ended : float or None
        Seconds since 1970.
    state : str
        queued, running, done, failed or cancelled.
    error, remedy : str or None
        Of a job that failed: the whole message, and the part of it that says what to do.
    policy_revision : int
        Of the policy that it works with.
    fraction, message, remaining : float, str, float or None
        How far it is, what it does, and about how many seconds it still needs.
    stopping : bool
        Somebody asked it to stop, and it has not yet.
    """

    id: str
    project_id: str
    kind: str
    arguments: dict[str, Any]
    folder: Path
    created: float
    state: State = "queued"
    started: float | None = None
    ended: float | None = None
    error: str | None = None
    remedy: str | None = None
    policy_revision: int = 0
    fraction: float = 0.0
    message: str = ""
    remaining: float | None = None
    stopping: bool = field(default=False, compare=False)

    @property
    def open(self) -> bool:
        """Is it queued or running?"""
        return self.state in OPEN

    def answer(self) -> dict[str, Any]:
        """What came of a job that is done."""
        found = read_json(self.folder / ANSWER) if self.state == "done" else None
        if not isinstance(found, dict):
            raise OntomaskError(f"the job is {self.state} and has no answer", remedy="Wait until it is done.")
        return found

    def to_dict(self) -> dict[str, Any]:
        """Everything but the folder, and a secret that was given, as plain values."""
        found = {name: value for name, value in asdict(self).items() if name != "folder"}
        return found | {"arguments": without_secret(self.arguments)}


def without_secret(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments without the secret of a run, which nobody is shown."""
    return {name: SECRET_GIVEN if name == "secret" and value else value for name, value in arguments.items()}


#: What job.json holds.
_KEPT = tuple(f.name for f in fields(Job) if f.name not in ("folder", "fraction", "message", "remaining", "stopping"))


def write_job(job: Job) -> None:
    """Write what is known of a job, apart from its progress."""
    write_json({name: getattr(job, name) for name in _KEPT}, job.folder / JOB)


def read_job(folder: Path) -> Job | None:
    """The job in a folder, as it is now; None if there is none."""
    kept = read_json(folder / JOB)
    if not isinstance(kept, dict) or not is_id(kept.get("id")):
        return None
    job = Job(folder=folder, **{name: kept[name] for name in _KEPT if name in kept})
    if not job.open:
        return replace(job, fraction=1.0) if job.state == "done" else job
    stopping = (folder / CANCEL).exists()
    if job.state == "queued":
        return replace(job, state="cancelled") if stopping else replace(job, message="waiting for its turn")
    told = read_json(folder / PROGRESS) or {}
    message = "stopping" if stopping else told.get("message", "starting")
    fraction, remaining = told.get("fraction", 0.0), told.get("remaining")
    if remaining is not None:
        remaining = max(0.0, remaining - (time.time() - told["at"]))
    return replace(job, fraction=fraction, message=message, remaining=remaining, stopping=stopping)


def job_of(project: Path, id: str) -> Job:
    """The job of that name in a project."""
    found = read_job(project / RUNS / id) if is_id(id) else None
    if found is None:
        raise UnknownJob("there is no such job", remedy="It may have been removed: look at the list of jobs.")
    return found


def jobs_of(project: Path) -> list[Job]:
    """All jobs of a project, the newest first."""
    folder = project / RUNS
    found = [read_job(path) for path in folder.iterdir()] if folder.is_dir() else []
    return sorted((job for job in found if job is not None), key=lambda job: job.created, reverse=True)


def tell_progress(job: Job, fraction: float, message: str) -> None:
    """Write how far a running job is."""
    now = time.time()
    elapsed = now - (job.started or now)
    known = fraction >= _EARLY and elapsed >= _SOON
    content = {
        "fraction": fraction,
        "message": message,
        "remaining": elapsed * (1 - fraction) / fraction if known else None,
        "at": now,
    }
    write_json(content, job.folder / PROGRESS, lasting=False)
