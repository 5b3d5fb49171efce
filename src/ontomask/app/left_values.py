"""Values that somebody put aside while repairing a column, kept in the project: the next visit begins where one ended."""

from __future__ import annotations

from ontomask.app.project_info import LEFT
from ontomask.app.projects import Project
from ontomask.app.storage import read_json, write_json


def left_values(project: Project, column: str) -> set[str]:
    """The values of a column that were left for now."""
    return set((read_json(project.folder / LEFT) or {}).get(column, ()))


def leave_value(project: Project, column: str, value: str) -> None:
    """Put a value of a column aside."""
    with project.locked():
        kept = read_json(project.folder / LEFT) or {}
        write_json(
            {**kept, column: [*(one for one in kept.get(column, ()) if one != value), value]}, project.folder / LEFT
        )


def take_up(project: Project, column: str) -> None:
    """Show the values of a column again that were left."""
    with project.locked():
        kept = read_json(project.folder / LEFT) or {}
        write_json({name: values for name, values in kept.items() if name != column}, project.folder / LEFT)
