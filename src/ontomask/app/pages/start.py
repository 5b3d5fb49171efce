"""The first page: the projects on this machine, a new one, the demo, and deleting for good."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from nicegui import ui

from ontomask.app.pages import parts, shell
from ontomask.app.pages.view import View
from ontomask.app.pages.words import moment, size
from ontomask.app.projects import Project, ProjectInfo, UnknownProject
from ontomask.arguments import counted

#: Records of the demo.
DEMO = 2_000


async def build(view: View) -> None:
    """Draw the list of projects."""

    async def new() -> None:
        made = view.workspace.create()
        ui.navigate.to(f"/p/{made.id}/data")

    async def demo() -> None:
        made = await asyncio.to_thread(view.workspace.demo, DEMO)
        view.workspace.queue.start(made, "open")
        ui.navigate.to(f"/p/{made.id}/data")

    with shell.alone(view, "ontomask"):
        parts.heading(1, "Anonymize a table by meaning")
        parts.paragraph(
            "A table of records goes in; a release with its report comes out. Everything stays on this machine, in one folder "
            "per project.",
            "lead",
        )
        with parts.tag("div", None, "row"):
            parts.button("New project", view.safely(new), "primary", id="new")
            parts.button("Open the demo", view.safely(demo), id="demo")
        parts.paragraph(f"The demo has {DEMO:,} synthetic hospital stays. No record describes a real person.", "help")
        with parts.tag("section", None, "stack", aria_label="Projects").style("margin-top: 2.5rem"):
            view.content = parts.Keep()
    view.build = _projects
    await view.draw()


async def _projects(view: View) -> None:
    projects = await asyncio.to_thread(_listed, view)
    parts.heading(2, "Projects")
    if not projects:
        parts.paragraph("None yet.", "soft")
        return
    for project, info, runs in projects:
        _project(view, project, info, runs)


def _listed(view: View) -> list[tuple[Project, ProjectInfo, int]]:
    """All projects, with what is known of them and how many runs they have."""
    found = []
    for project in view.workspace.projects():
        with suppress(UnknownProject):  # somebody deletes it just now
            found.append((project, project.info, len(project.runs())))
    return found


def _project(view: View, project: Project, info: ProjectInfo, runs: int) -> None:
    with parts.tag("div", None, "card row spread", data_project=project.id):
        with parts.tag("div").style("min-width: 0; flex: 1 1 16rem"):
            parts.link(info.title, f"/p/{project.id}/{info.step}", "wrap").style("font-weight: 600")
            what = f"{info.file.name}, {size(info.file.size)}" if info.file else "no data yet"
            parts.paragraph(f"{what} · made {moment(info.created)} · {counted(runs, 'run')}", "help")
        with parts.tag("div", None, "row"):
            parts.link("Open", f"/p/{project.id}/{info.step}", "button small", aria_label=f"Open {info.title}")
            _delete(view, project, info.title)


def _delete(view: View, project: Project, title: str) -> None:
    dialog = parts.dressed(parts.Dialog(), "", {"label": "Delete a project", "open": False})

    async def act() -> None:
        dialog.props["open"] = False
        await asyncio.to_thread(view.workspace.delete, project)
        await view.draw()
        view.say("Deleted, with all its data.")

    parts.button("Delete", lambda: dialog.props.update(open=True), "small danger quiet", aria_label=f"Delete {title}")
    parts.on(dialog, "close", lambda: dialog.props.update(open=False))
    with dialog:
        parts.heading(2, "Delete this project?")
        parts.paragraph(
            f"{title}: its data, its policy and all its runs are removed from this machine. This cannot be undone.",
            "wrap",
        )
        with parts.tag("div", None, "row"):
            parts.button("Delete for good", view.safely(act), "danger")
            parts.button("Keep it", lambda: dialog.props.update(open=False), "primary")
