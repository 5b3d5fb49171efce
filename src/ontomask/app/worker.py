"""The worker: a process of its own that does the jobs of a workspace one after the other.

``python -m ontomask.app.worker FOLDER``. It outlives the server that started it, ends when nothing was to do for a while, and
has a lower priority than pages. Only one of a folder can be at work: it holds a lock.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
import warnings
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ontomask.app.discreet_log import place_of
from ontomask.app.job_files import CANCEL, Job, tell_progress, write_job
from ontomask.app.jobs import WORKER, WORKER_LOCK, Queue, finish, write_answer
from ontomask.app.memory_limit import limit_memory
from ontomask.app.projects import FileInfo, Project
from ontomask.app.storage import Locked, lock, started_at, write_json
from ontomask.app.work import Work
from ontomask.errors import Cancelled, OntomaskError
from ontomask.files.regular_files import free_memory

#: Seconds without a job after which the worker ends; how often it looks for one, and for a wish to stop.
IDLE, LOOK, WATCH = 60.0, 0.05, 0.1
#: Seconds between two reports of progress.
TELL = 0.15
#: A worker that held more bytes than this makes room after the job.
LARGE = 1 << 30
#: Bytes that opening a file may take, and how many more for each of its bytes: a few bytes must not fill the machine.
OPENING, UNPACKED = 4 << 30, 1000
#: Bytes that threads reserve and do not use.
RESERVED = 1 << 30
OUT_OF_MEMORY = "there is not enough memory for these data"
MEMORY_REMEDY = "Take fewer columns or a sample of the records, or close other programs. Nothing was written."


class Stopped(Cancelled):
    """Somebody cancelled the job."""

    def __init__(self) -> None:
        super().__init__("the job was cancelled", remedy="Nothing was written.")


class Watch:
    """Looks, beside the work, whether the job is to be stopped; interrupts the work, also between two reports."""

    def __init__(self) -> None:
        self._job: Job | None = None
        self.asked = False
        threading.Thread(target=self._look, daemon=True).start()
        if hasattr(signal, "SIGUSR1"):
            signal.signal(signal.SIGUSR1, self._interrupt)

    def begin(self, job: Job) -> None:
        self.asked, self._job = False, job

    def end(self) -> None:
        self._job = None

    def _look(self) -> None:
        while True:
            time.sleep(WATCH)
            job = self._job
            if job is not None and (job.folder / CANCEL).exists():
                self.asked = True
                if hasattr(signal, "pthread_kill"):
                    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
                time.sleep(1.0)

    def _interrupt(self, number: int, frame: object) -> None:
        if self._job is not None and self.asked:
            self._job = None  # once: what follows the job must not be interrupted
            raise Stopped


def serve(queue: Queue, watch: Watch, idle: float = IDLE) -> None:
    """Do jobs until there was none for a while. The lock of the worker is held."""
    queue.settle()
    last = time.monotonic()
    while time.monotonic() - last < idle:
        entry, job = next(((e, j) for e, j in queue.entries() if j is None or j.state != "running"), (None, None))
        if entry is None:
            time.sleep(LOOK)
            continue
        if job is not None and job.state == "queued":
            do(queue, job, watch, limited=True)
            last = time.monotonic()
        elif job is not None and job.state == "cancelled":
            finish(job, "cancelled")
        entry.unlink(missing_ok=True)
        if _most_memory() > LARGE:
            return


def do(queue: Queue, job: Job, watch: Watch, *, limited: bool = False) -> None:
    """Do one job; whatever happens, it is over afterwards. ``limited``: this process may take only so much memory for it."""
    job = replace(job, state="running", started=time.time())
    project = Project(queue.folder / job.project_id, 0)
    write_json({"pid": os.getpid(), "started": started_at(os.getpid()), "job": job.id}, queue.folder / WORKER)
    write_job(job)
    outcome: tuple[str, str | None, str | None]
    try:
        try:
            watch.begin(job)
            _perform(job, project, watch, limited=limited)
        finally:
            watch.end()
        outcome = ("done", None, None)
    except Stopped:
        outcome = ("cancelled", None, None)
    except OntomaskError as problem:
        project.rename_in(problem)
        outcome = ("failed", str(problem), problem.remedy)
    except MemoryError:
        outcome = ("failed", f"{OUT_OF_MEMORY}. {MEMORY_REMEDY}", MEMORY_REMEDY)
    except BaseException as problem:
        outcome = ("failed", *_unexpected(problem))
    if not job.folder.is_dir():  # the project was deleted
        return
    state, error, remedy = outcome
    if state == "done":
        part = job.arguments.get("column") if job.kind == "match" else None
        with suppress(OntomaskError):
            project.publish(job, part)
    with suppress(OntomaskError, OSError):  # deleted at this moment
        finish(job, state, error=error, remedy=remedy)  # type: ignore[arg-type]
    gc.collect()


def _perform(job: Job, project: Project, watch: Watch, *, limited: bool) -> None:
    from ontomask.app.tasks import perform  # late: the lock is held and the job is marked before seconds of loading

    if limited:
        limit_memory(_room(job, project.info.file))  # after loading: what libraries hold for themselves does not count
    last = 0.0

    def tell(fraction: float, message: str) -> None:
        nonlocal last
        if watch.asked:
            raise Stopped
        now = time.monotonic()
        if now - last >= TELL:
            last = now
            tell_progress(job, min(max(fraction, 0.0), 1.0), message)

    tell(0.0, "starting")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        answer = perform(Work(job, project, tell))
    said = [str(one.message) for one in told if type(one.message).__module__.startswith("ontomask")]
    write_answer(job, answer | ({"warnings": list(dict.fromkeys(said))} if said else {}))


def _room(job: Job, file: FileInfo | None) -> int:
    """The bytes that a job may take: those that are free, and to open a file as many as a plausible one needs."""
    room = free_memory() + RESERVED
    return min(room, OPENING + file.size * UNPACKED) if job.kind == "open" and file is not None else room


def _unexpected(problem: BaseException) -> tuple[str, str]:
    """What to say of an error that nobody foresaw: where it happened, and nothing that it says, which may be of the data."""
    name = type(problem).__name__
    if name == "PanicException" and any(word in str(problem).lower() for word in ("alloc", "memory", "capacity")):
        return f"{OUT_OF_MEMORY}. {MEMORY_REMEDY}", MEMORY_REMEDY
    remedy = "Check the file and the policy with ontomask check; if they are right, please report it."
    return f"an unexpected error ({place_of(problem)}). {remedy}", remedy


def _most_memory() -> int:
    """The most bytes that this process held."""
    try:
        import resource  # late: only Unix has it

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    except ImportError:
        return 0


def _step_back() -> None:
    """Let pages and others come first: for the processor, and where memory gets short."""
    with suppress(OSError, AttributeError):
        os.nice(10)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")


def main(arguments: list[str]) -> int:
    """Serve the folder that is named, unless another worker does."""
    (folder,) = arguments
    if not Path(folder).is_dir():
        return 2
    _step_back()
    os.umask(0o077)
    with suppress(Locked), lock(Path(folder) / WORKER_LOCK, wait=3.0):
        serve(Queue(Path(folder)), Watch(), float(os.environ.get("ONTOMASK_APP_IDLE", IDLE)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
