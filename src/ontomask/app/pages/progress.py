"""Jobs on a page: their progress, the remaining time, a way to cancel; a page that is loaded again finds them again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nicegui import background_tasks

from ontomask.app.pages import parts
from ontomask.app.pages.view import View
from ontomask.app.pages.words import seconds

if TYPE_CHECKING:
    from ontomask.app.job_files import Job

LOOK = 0.35


def running(view: View, kinds: Sequence[str], title: str, column: str | None = None) -> bool:
    """Show the newest job of these kinds while it waits or works, and draw the step anew when it ends; whether there is one."""
    job = next((job for job in view.workspace.queue.jobs(view.project) if job.kind in kinds and _of(job, column)), None)
    if job is None or not job.open:
        if job is not None and job.state == "failed":
            parts.notice(job.error or "The job ended without an answer.", "bad")
        if job is not None and job.state == "cancelled":
            parts.notice("The last job was cancelled. Nothing of it was kept.")
        return False
    _panel(view, job, title)
    return True


def answered(view: View, kind: str, title: str, **arguments: str) -> bool:
    """Keep the answer of a kind of job up to date; whether it is there. What failed or was cancelled can be tried again."""
    view.fresh(kind, **arguments)
    if running(view, [kind], title, arguments.get("column")):
        return False
    jobs = view.workspace.queue.jobs(view.project)
    latest = next((job for job in jobs if job.kind == kind and job.arguments == arguments), None)
    if latest is not None and latest.state == "done":
        return True

    async def again() -> None:
        view.start(kind, **arguments)
        await view.draw()

    parts.button("Try again", view.safely(again), id="again")
    return False


def _of(job: Job, column: str | None) -> bool:
    return column is None or job.arguments.get("column") == column


def _panel(view: View, job: Job, title: str) -> None:
    queue = view.workspace.queue
    with parts.tag("section", None, "job", aria_label=title):
        with parts.tag("div", None, "row spread"):
            parts.heading(2, title)
            parts.button(
                "Cancel", view.safely(lambda: queue.cancel(queue.job(view.project, job.id))), "small", id="cancel"
            )
        shown = parts.tag("progress", None, max=1, aria_label="progress")
        told = parts.paragraph("", "help", aria_live="polite")

    def look() -> None:
        now = queue.job(view.project, job.id)
        if not now.open:
            clock.deactivate()
            # Not from within the clock: drawing removes it, and would be cancelled with it.
            background_tasks.create(view.draw())
            return
        _tell(now)

    def _tell(now: Job) -> None:
        if now.state == "queued":
            ahead = queue.position(now)
            told.text = "Waiting for another job to end." if ahead else "Starting."
            return
        if now.fraction is not None:
            shown.props["value"] = now.fraction
        left = seconds(now.remaining)
        words = [now.message or "Working", f"about {left} left" if left else ""]
        told.text = ", ".join(filter(None, words)) + "."

    _tell(job)
    clock = parts.timer(LOOK, view.safely(look))
