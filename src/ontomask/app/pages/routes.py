"""The addresses of the pages: the list of projects, and the six steps of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import app, ui

from ontomask.app.pages import data, meaning, method, parts, result, risk, roles, shell, start
from ontomask.app.pages.view import View
from ontomask.app.workspace import Workspace
from ontomask.errors import OntomaskError

BUILDERS: dict[str, Callable[[View], Any]] = {
    "data": data.build,
    "roles": roles.build,
    "meaning": meaning.build,
    "risk": risk.build,
    "method": method.build,
    "result": result.build,
}


def register(workspace: Workspace) -> None:
    """Define the pages for a workspace.

    Parameters
    ----------
    workspace : Workspace
        The folder of projects, and the queue of their jobs.
    """
    app.add_static_files("/assets", parts.ASSETS)

    @ui.page("/")
    async def _start() -> None:
        await start.build(View(workspace))

    @ui.page("/p/{project}/{step}")
    async def _step(project: str, step: str) -> None:
        try:
            found = workspace.project(project)
            assert step in BUILDERS or not step, step
        except (OntomaskError, AssertionError):
            _missing(View(workspace))
            return
        await shell.framed(View(workspace, found, step), BUILDERS[step])


def _missing(view: View) -> None:
    with shell.alone(view, "Not found · ontomask"):
        parts.heading(1, "There is no such page")
        parts.paragraph("The project may have been deleted.", "lead")
        parts.link("All projects", "/", "button primary")
