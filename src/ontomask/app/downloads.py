"""Downloads of a run: which files there are, and which need a recorded reason."""

from __future__ import annotations

import os
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ontomask.app.job_files import Job, job_of
from ontomask.app.projects import Project
from ontomask.app.results import REASON, RunInfo, result_folder
from ontomask.app.storage import new_id
from ontomask.errors import OptionError
from ontomask.files.writing import create_file
from ontomask.severity.file import names_in

HTML, YAML, ZIP, JSON = "text/html; charset=utf-8", "application/yaml", "application/zip", "application/json"
#: Types of released data by suffix; what is not known is bytes.
_TYPES = {".csv": "text/csv; charset=utf-8", ".tsv": "text/tab-separated-values; charset=utf-8"}
BYTES = "application/octet-stream"


class NeedsReason(OptionError):
    """A release that fails what its policy requires is handed out only with a recorded reason."""


@dataclass(frozen=True)
class Download:
    """A file to hand out: where it is, what it is called, its type; ``passing`` ones are removed afterwards."""

    path: Path
    name: str
    type: str
    passing: bool = False


#: What can be downloaded of a run, and what it is.
DOWNLOADS = {
    "release": "the release as a zip file: data, guarantees, public report",
    "data": "the released data alone",
    "report": "the public report",
    "internal-report": "the internal report, for the steward",
    "policy": "the policy of the run",
    "policy-zip": "the policy with the files that it names",
    "confidential": "the confidential part as a zip file: it shows the original of each released record",
    "manifest": "versions and hashes",
}
#: What holds released records, and so needs a reason where the release fails.
_GATED = ("release", "data", "confidential")


def download(project: Project, run: str, what: str) -> Download:
    """A file of a run.

    Parameters
    ----------
    project : Project
        Whose run it is.
    run : str
        The run.
    what : str
        One of :data:`DOWNLOADS`.

    Returns
    -------
    Download
        A zip file is made anew, and to be removed afterwards.
    """
    if what not in DOWNLOADS:
        raise OptionError("there is no such download", remedy=f"There are: {', '.join(DOWNLOADS)}.")
    info, job = project.run(run), job_of(project.folder, run)
    if info.state != "done":
        raise OptionError(f"the run is {info.state}", remedy="Wait until it is done.")
    if what in _GATED:
        _require_reason(info)
    folder = result_folder(job)
    if what == "policy":
        return Download(project.policy_of(info.policy_revision), "policy.yaml", YAML)
    if what == "policy-zip":
        return _zipped(job, "policy.zip", _policy_files(project, info))
    if what == "manifest":
        return Download(folder / "confidential" / "manifest.json", "manifest.json", JSON)
    if what == "report":
        return _present(Download(folder / "release" / "report.html", "report.html", HTML))
    if what == "internal-report":
        return _present(Download(folder / "confidential" / "report.html", "internal-report.html", HTML))
    if what == "confidential":
        return _zipped(job, "confidential.zip", _folder_files(folder / "confidential", job))
    if what == "release":
        return _zipped(job, "release.zip", _folder_files(folder / "release", None))
    data = [path for path in sorted((folder / "release").iterdir()) if path.stem.startswith("release")]
    if len(data) > 1:
        return _zipped(job, "releases.zip", iter([(path, path.name) for path in data]))
    return Download(data[0], data[0].name, _TYPES.get(data[0].suffix, BYTES))


def _require_reason(info: RunInfo) -> None:
    if not info.downloadable:
        raise NeedsReason(
            "this release fails what its policy requires",
            remedy="To download it all the same, record a sentence that says why.",
        )


def _present(found: Download) -> Download:
    if not found.path.is_file():
        raise OptionError("the run wrote no report", remedy="Run it again with a report.")
    return found


def _policy_files(project: Project, run: RunInfo) -> Iterator[tuple[Path, str]]:
    """The policy, and what lies in the project and is named by it."""
    snapshot = project.policy_of(run.policy_revision)
    yield snapshot, "policy.yaml"
    info, text = project.info, snapshot.read_text(encoding="utf-8")
    severities = [stored for stored in info.severities if stored in text]
    named = {name for stored in severities for name in names_in(project.folder / stored)}  # definitions name taxonomies
    taxonomies = [stored for stored in info.taxonomies if stored in text or stored in named]
    yield from ((project.folder / stored, stored) for stored in (*taxonomies, *severities))


def _folder_files(folder: Path, job: Job | None) -> Iterator[tuple[Path, str]]:
    """The files of a folder, and with a job the recorded reason."""
    yield from ((path, path.name) for path in sorted(folder.iterdir()) if path.is_file())
    if job is not None and (job.folder / REASON).is_file():
        yield job.folder / REASON, REASON


def _zipped(job: Job, name: str, files: Iterator[tuple[Path, str]]) -> Download:
    """A zip file beside the job, for its owner alone."""
    remove_left(job)
    path = job.folder / f"part-{new_id()}.zip"
    create_file(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive:
        for file, inside in files:
            archive.write(file, inside)
    return Download(path, name, ZIP, passing=True)


def remove_left(job: Job) -> None:
    """Remove zip files that an interrupted download left behind more than an hour ago."""
    before = time.time() - 3600
    for path in job.folder.glob("part-*.zip"):
        if os.path.getmtime(path) < before:
            path.unlink(missing_ok=True)
