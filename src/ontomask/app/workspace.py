"""The workspace: the app's folder, with a folder for each project, and the queue of their jobs."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import asdict
from pathlib import Path

from ontomask.app.jobs import Queue
from ontomask.app.projects import PROJECT, UNTITLED, FileInfo, Project, ProjectInfo, UnknownProject
from ontomask.app.storage import is_id, lock, make_private, new_id, shown_name, write_json
from ontomask.errors import OutputError
from ontomask.files.writing import create_folder

#: Bytes of an upload, unless somebody allows more.
MAX_UPLOAD = 2_000_000_000
#: Seconds after which what was left behind is removed.
LEFT = 6 * 3600.0
DEMO_TITLE, DEMO_FILE = "Demo: hospital discharges", "stays.csv"


def default_folder() -> Path:
    """Where projects are kept unless somebody names a folder: with the data of the user."""
    if os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    else:
        given = os.environ.get("XDG_DATA_HOME", "")
        base = Path(given) if given.startswith("/") else Path.home() / ".local" / "share"
    return base / "ontomask" / "projects"


class Workspace:
    """All projects of a folder, which belongs to its owner alone."""

    def __init__(self, folder: Path, max_upload: int = MAX_UPLOAD) -> None:
        self.folder = folder
        self.max_upload = max_upload
        self.queue = Queue(folder)

    @classmethod
    def open(cls, folder: Path, *, max_upload: int = MAX_UPLOAD) -> Workspace:
        """The workspace in a folder, which is made if there is none.

        Parameters
        ----------
        folder : Path
            The folder of the app.
        max_upload : int
            The most bytes that an uploaded file may have.

        Returns
        -------
        Workspace
            Jobs that were open when a server was stopped go on.
        """
        place = folder.expanduser().absolute()
        if place.exists() and not place.is_dir():
            raise OutputError("this is a file", where=str(folder), remedy="Name a folder with --folder.")
        make_private(place)
        try:
            if os.name == "posix" and place.stat().st_mode & 0o077:
                if any(not is_id(path.name) and path.name not in _OWN for path in place.iterdir()):
                    raise OutputError(
                        "others can look into the folder, and it holds other files",
                        where=str(folder),
                        remedy="Name a new folder with --folder: the data of projects are kept in it.",
                    )
                place.chmod(0o700)
            with lock(place / "order.lock"):
                pass
        except OutputError:
            raise
        except OSError as problem:
            raise OutputError(
                f"the folder cannot be written ({problem.strerror})",
                where=str(folder),
                remedy="Name another with --folder, or check your permissions.",
            ) from None
        made = cls(place, max_upload)
        made._sweep()
        made.queue.recover()
        return made

    def _sweep(self) -> None:
        """Remove what an interrupted deletion or upload left behind some hours ago."""
        before = time.time() - LEFT
        for folder in (path for path in self.folder.iterdir() if is_id(path.name)):
            if not _is_project(Project(folder, 0)):
                if folder.stat().st_mtime < before:
                    shutil.rmtree(folder, ignore_errors=True)
                continue
            for part in folder.glob("part-*"):
                if part.stat().st_mtime < before:
                    part.unlink(missing_ok=True)

    def projects(self) -> list[Project]:
        """All projects, the newest first."""
        found = [Project(path, self.max_upload) for path in self.folder.iterdir() if is_id(path.name)]
        return sorted((p for p in found if _is_project(p)), key=lambda p: p.info.created, reverse=True)

    def project(self, id: str) -> Project:
        """The project of that name."""
        found = Project(self.folder / id, self.max_upload) if is_id(id) else None
        if found is None or not _is_project(found):
            raise UnknownProject("there is no such project", remedy="It may have been deleted: look at the list.")
        return found

    def create(self, title: str = "", *, demo: bool = False) -> Project:
        """A new, empty project."""
        folder = self.folder / new_id()
        create_folder(folder)
        info = ProjectInfo(shown_name(title, UNTITLED), time.time(), demo=demo)
        write_json(asdict(info), folder / PROJECT)
        return Project(folder, self.max_upload)

    def demo(self, records: int = 2000) -> Project:
        """A new project with the demo data: synthetic hospital discharges."""
        from ontomask.demo.stays import demo_data  # late: Polars and the demo are needed by this alone
        from ontomask.microdata.writing import write_table  # late: as above

        project = self.create(DEMO_TITLE, demo=True)
        stored = project.folder / "data.csv"
        write_table(demo_data(records), stored, private=True)
        with project.locked():
            project.write_info(file=FileInfo(DEMO_FILE, "csv", stored.stat().st_size, stored.name))
        return project

    def delete(self, project: Project) -> None:
        """Delete a project with everything in it; its jobs are cancelled first."""
        self.queue.cancel_all(project)
        (project.folder / PROJECT).unlink(missing_ok=True)  # from now on nobody finds it
        for _ in range(20):  # a process that is just being ended may still write
            shutil.rmtree(project.folder, ignore_errors=True)
            if not project.folder.exists():
                return
            time.sleep(0.1)
        raise OutputError(
            "some files of the project could not be deleted", remedy="Close what uses them, and delete it again."
        )


#: Files of the workspace itself.
_OWN = ("queue", "worker.lock", "worker.json", "order.lock", "api-token", "sessions.json", "open.html", ".pages")


def _is_project(project: Project) -> bool:
    return (project.folder / PROJECT).is_file()
