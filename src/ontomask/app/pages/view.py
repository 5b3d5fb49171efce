"""One open page of one project: what is drawn on it, and how its handlers act. The state itself is on disk."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from nicegui.element import Element

from ontomask.app.pages import parts
from ontomask.errors import OntomaskError

if TYPE_CHECKING:
    from ontomask.app.job_files import Job
    from ontomask.app.projects import Project
    from ontomask.app.workspace import Workspace

#: How long a message stays, in seconds; errors stay until they are closed.
SHORT = 5.0
Made = TypeVar("Made")


class View:
    """What the parts of one page share. ``draw`` fills the content of the step anew from what is on disk."""

    def __init__(self, workspace: Workspace, project: Project | None = None, step: str = "") -> None:
        self.workspace = workspace
        self._project = project
        self.step = step
        self._editing = asyncio.Lock()
        #: Kept while the page is open: which column is looked at, what was typed into a search.
        self.kept: dict[Any, Any] = {}
        self.content: Element | None = None
        self.toast: Element | None = None
        self.build: Callable[[View], Any] | None = None
        #: Called when the project changed: the bar and the drawer.
        self.listeners: list[Callable[[], None]] = []

    @property
    def project(self) -> Project:
        assert self._project is not None, "a page without a project"
        return self._project

    @property
    def address(self) -> str:
        """Where REST has this project."""
        return f"/api/projects/{self.project.id}"

    def page(self, step: str) -> str:
        """The address of a step."""
        return f"/p/{self.project.id}/{step}"

    def start(self, kind: str, **arguments: Any) -> Job:
        """Start a job of this project."""
        return self.workspace.queue.start(self.project, kind, **arguments)

    def fresh(self, kind: str, **arguments: Any) -> None:
        """Start a job unless one with the present policy, and these arguments, was handed in already."""
        now = self.project.policy_revision
        same = (
            job for job in self.workspace.queue.jobs(self.project) if job.kind == kind and job.arguments == arguments
        )
        latest = next(same, None)
        if latest is None or (not latest.open and latest.policy_revision != now):
            self.start(kind, **arguments)

    async def edit(self, change: Callable[..., Made], *given: Any, **named: Any) -> Made:
        """Change the policy: in a thread, as others wait for answers, and one change after the other."""
        async with self._editing:
            return await asyncio.to_thread(change, self.project, *given, **named)

    async def draw(self) -> None:
        """Draw the content of the step anew."""
        if self.content is None or self.build is None or self.content.is_deleted:
            return
        self.content.clear()
        with self.content:
            made = self.build(self)
            if inspect.isawaitable(made):
                await made
        self.changed()

    def changed(self) -> None:
        """Tell the bar and the drawer that the project changed."""
        for listener in self.listeners:
            listener()

    def say(self, text: str, tone: str = "") -> None:
        """Show a sentence at the foot of the page."""
        if self.toast is None or self.toast.is_deleted:
            return
        toast = self.toast
        toast.clear()
        with toast, parts.tag("div", None, f"notice {tone}", role="alert" if tone == "bad" else "status"):
            parts.tag("span", text, "wrap")
            parts.button("Close", toast.clear, "small")
            if tone != "bad":
                parts.timer(SHORT, toast.clear)

    def safely(self, handler: Callable[..., Any]) -> Callable[..., Any]:
        """The handler, whose errors become a sentence on the page."""

        async def act(*given: Any) -> None:
            try:
                made = handler(*given)
                if inspect.isawaitable(made):
                    await made
            except OntomaskError as error:
                self.say(str(error), "bad")

        return act
