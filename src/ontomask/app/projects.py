"""A project: a folder with the data, the policy, the answers of jobs and the runs. Names that people give are never paths."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from ontomask.app.job_files import ANSWER, RUNS, Job, job_of, jobs_of
from ontomask.app.kept_policies import keep_policy, policy_in
from ontomask.app.project_info import LEFT, STEPS, UNTITLED, Differs, FileInfo, Outdated, ProjectInfo, UnknownProject
from ontomask.app.results import Bar, RunInfo, bar_of, run_info, with_reason
from ontomask.app.storage import (
    file_name,
    is_id,
    lock,
    read_json,
    shown_name,
    write_json,
    write_private,
)
from ontomask.app.uploads import checked_text, receive, stored_name, stored_taxonomy
from ontomask.arguments import short
from ontomask.errors import OntomaskError, OptionError, PolicyError
from ontomask.files.yaml_files import LARGEST
from ontomask.microdata.formats import Format
from ontomask.policy.policy import Policy
from ontomask.severity.file import names_in
from ontomask.severity.severity import Severity

__all__ = ["UNTITLED", "FileInfo", "Outdated", "Project", "ProjectInfo", "UnknownProject"]

PROJECT, POLICY, TABLE, LATEST, LOCK = "project.json", "policy.yaml", "table.parquet", "latest.json", "lock"


class Project:
    """A folder of the workspace. Everything is read from disk when it is asked for: pages, REST and jobs see the same."""

    def __init__(self, folder: Path, max_upload: int) -> None:
        self.folder = folder
        self.id = folder.name
        self.max_upload = max_upload

    def __repr__(self) -> str:
        return f"<Project {self.id}>"

    # ---- what is known of it -------------------------------------------------------------------------------------

    @property
    def info(self) -> ProjectInfo:
        """The project as it is now."""
        kept = read_json(self.folder / PROJECT)
        if not isinstance(kept, dict):
            raise UnknownProject("there is no such project", remedy="It may have been deleted.")
        known = {f.name: kept[f.name] for f in fields(ProjectInfo) if f.name in kept}
        file = known.get("file")
        return ProjectInfo(**known | {"file": FileInfo(**file) if file else None})

    def update(
        self, *, title: str | None = None, step: str | None = None, chosen_run: str | None = None
    ) -> ProjectInfo:
        """Change the title, the step that is shown, or the run that is chosen."""
        changes: dict[str, Any] = {}
        if title is not None:
            changes["title"] = shown_name(title, UNTITLED)
        if step is not None:
            if step not in STEPS:
                raise OptionError(f"no step {step!r}", remedy=f"There are: {', '.join(STEPS)}.")
            changes["step"] = step
        if chosen_run is not None:
            run = self.run(chosen_run)
            if run.state != "done":
                raise OptionError(f"the run is {run.state}", remedy="Choose one that is done.")
            changes["chosen_run"] = run.id
        with self.locked():
            return self.write_info(**changes)

    def locked(self) -> Any:
        """Hold the lock of the project: for changes that depend on what is there."""
        if not self.folder.is_dir():
            raise UnknownProject("there is no such project", remedy="It may have been deleted.")
        return lock(self.folder / LOCK)

    def write_info(self, **changes: Any) -> ProjectInfo:
        """Change ``project.json``; the lock is held."""
        info = self.info
        info = replace(info, **changes, revision=info.revision + 1)
        write_json(asdict(info), self.folder / PROJECT)
        return info

    # ---- files that are uploaded ---------------------------------------------------------------------------------

    @property
    def data(self) -> Path:
        """The uploaded table."""
        file = self.info.file
        if file is None:
            raise OptionError("the project has no data yet", remedy="Upload a file first.")
        return self.folder / file.stored

    def receive_data(self, name: str, chunks: Iterable[bytes]) -> FileInfo:
        """Store an uploaded table, as a whole or not at all; the policy and the answers of an earlier one go.

        Parameters
        ----------
        name : str
            What the file is called; its suffix tells the format.
        chunks : iterable of bytes
            Its content.

        Returns
        -------
        FileInfo
            What is stored.
        """
        shown = file_name(name, "data")
        stored, format = stored_name(shown)
        self._require_no_results()
        with self._received(chunks, self.max_upload, shown, format) as (part, size):
            self._require_no_results()
            before = self.info.file
            self._forget(before)
            part.replace(self.folder / stored)
            made = FileInfo(shown, format.name, size, stored)
            self.write_info(file=made, reading={}, step="data", policy_revision=self.policy_revision + 1)
        return made

    @contextmanager
    def _received(
        self, chunks: Iterable[bytes], most: int, shown: str, format: Format | None
    ) -> Iterator[tuple[Path, int]]:
        """An uploaded file and its bytes, to be moved to its place, with the lock held."""
        try:
            with receive(self.folder, chunks, most, shown, format) as found, self.locked():
                yield found
        except (OSError, OntomaskError):
            if (self.folder / PROJECT).is_file():
                raise
            raise UnknownProject(
                "the project was deleted during the upload", remedy="Upload the file to another one."
            ) from None

    def _require_no_results(self) -> None:
        if any(job.open for job in jobs_of(self.folder)):
            raise OptionError(
                "a job of this project is not over yet", remedy="Wait for it, or cancel it; then upload the file again."
            )
        if any(job.kind == "run" and job.state == "done" for job in jobs_of(self.folder)):
            raise OptionError(
                "the project has results of its data", remedy="Make a new project for another file, or delete this one."
            )

    def _forget(self, before: FileInfo | None) -> None:
        """Remove what is of an earlier file: it, its policies, and the answers of jobs, which hold values of it."""
        names = [TABLE, LATEST, POLICY, LEFT, *([] if before is None else [before.stored])]
        for path in (*(self.folder / name for name in names), *self.folder.glob("policy-*.yaml")):
            path.unlink(missing_ok=True)
        shutil.rmtree(self.folder / RUNS, ignore_errors=True)

    def receive_taxonomy(self, name: str, chunks: Iterable[bytes]) -> str:
        """Store an uploaded taxonomy; the name that a policy gives it."""
        shown = file_name(name, "taxonomy")
        suffix = stored_taxonomy(shown)
        with self._received(chunks, self.max_upload, shown, None) as (part, _):
            stored = self._new_name("taxonomy", suffix)
            part.replace(self.folder / stored)
            self.write_info(taxonomies=self.info.taxonomies | {stored: shown})
        return stored

    def receive_severity(self, name: str, chunks: Iterable[bytes]) -> str:
        """Store an uploaded severity definition, if it can be read; the name that a policy gives it."""
        shown = file_name(name, "severity")
        if not shown.lower().endswith((".yaml", ".yml")):
            raise OptionError(f"{shown!r} is not a YAML file", remedy="Severity definitions end in .yaml.")
        most = min(self.max_upload, LARGEST)
        with self._received(chunks, most, shown, None) as (part, _):
            stored = self._new_name("severity", ".yaml")
            part.replace(self.folder / stored)
            try:
                self._require_uploaded(names_in(self.folder / stored))  # before any of them is opened
                Severity.load(self.folder / stored)
            except OntomaskError as problem:
                (self.folder / stored).unlink(missing_ok=True)
                problem.relocate(str(self.folder / stored), shown)
                self.rename_in(problem)
                raise
            self.write_info(severities=self.info.severities | {stored: shown})
        return stored

    def _require_uploaded(self, names: Iterable[str]) -> None:
        """An error if a file is named that is not an upload of this project."""
        info = self.info
        known = {**info.taxonomies, **info.severities}
        foreign = next((name for name in names if name not in known), None)
        if foreign is not None:
            raise PolicyError(
                f"it names {short(repr(foreign))}, which is not an upload of this project",
                remedy=f"Upload the file first and name it as it is stored: {', '.join(known) or 'none yet'}.",
            )

    def _new_name(self, kind: str, suffix: str) -> str:
        """A name that no upload had before: a run keeps naming what it was made with. The lock is held."""
        number = self.info.uploads + 1
        self.write_info(uploads=number)
        return f"{kind}-{number}{suffix}"

    def remove_taxonomy(self, stored: str) -> None:
        """Remove an uploaded taxonomy that neither the policy nor an earlier job uses."""
        with self.locked():
            known = dict(self.info.taxonomies)
            if stored not in known:
                raise OptionError("there is no such taxonomy in the project", remedy="Look at the list of them.")
            for kept in (*self.folder.glob("policy*.yaml"), *self.folder.glob("severity-*.yaml")):
                if stored in kept.read_text(encoding="utf-8"):
                    raise OptionError(
                        "the policy uses this taxonomy, or that of an earlier job does",
                        remedy="It goes with the project. For a column you can choose another one.",
                    )
            del known[stored]
            self.write_info(taxonomies=known)
            (self.folder / stored).unlink(missing_ok=True)

    # ---- the policy ----------------------------------------------------------------------------------------------

    @property
    def policy_text(self) -> str:
        """The policy as YAML; nothing before one was proposed."""
        try:
            return (self.folder / POLICY).read_text(encoding="utf-8")
        except OSError:
            return ""

    @property
    def policy_revision(self) -> int:
        return self.info.policy_revision

    def policy(self) -> Policy:
        """The policy; files that it names must lie in the project."""
        if not self.policy_text:
            raise OptionError("the project has no policy yet", remedy="Open the data first.")
        with self.naming():
            return policy_in(self.folder / POLICY)

    def set_policy_text(self, text: str, expected: int | None = None, like: Policy | None = None) -> int:
        """Replace the policy, if the new one is valid; otherwise nothing changes.

        Parameters
        ----------
        text : str
            A whole policy file.
        expected : int, optional
            The revision that the change is made from: an error if there is a newer one.
        like : Policy, optional
            What the text must say: an error if it says something else.

        Returns
        -------
        int
            The new revision.
        """
        part = self.folder / f"part-{secrets.token_hex(8)}.yaml"
        content = checked_text(text)
        with self.locked():
            now = self.info.policy_revision
            if expected is not None and expected != now:
                raise Outdated(
                    "the policy was changed elsewhere meanwhile", remedy="Load it again, and repeat your change."
                )
            try:
                write_private(content, part)
                try:
                    policy = Policy.load(part, confined=True)
                    named = policy.named_files()
                    self._require_uploaded(file.name for role, file in named.items() if role != "policy")
                    if like is not None and policy != like:
                        raise Differs("the text says something else", remedy="Write it anew.")
                except OntomaskError as problem:
                    problem.relocate(str(part), POLICY)
                    self.rename_in(problem)
                    raise
                part.replace(self.folder / POLICY)
                keep_policy(self.folder / POLICY, policy)
            finally:
                part.unlink(missing_ok=True)
            return self.write_info(policy_revision=now + 1).policy_revision

    def keep_policy(self) -> None:
        """Keep the policy of this revision, for jobs that later changes must not touch. The lock is held."""
        path = self.policy_of(self.info.policy_revision)
        if self.policy_text and not path.exists():
            write_private(self.policy_text.encode(), path)

    def policy_of(self, revision: int) -> Path:
        """Where the policy of a revision is kept: beside the policy, so that it finds the same files."""
        return self.folder / f"policy-{int(revision)}.yaml"

    # ---- messages ------------------------------------------------------------------------------------------------

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Errors inside it name files as people know them."""
        try:
            yield
        except OntomaskError as problem:
            self.rename_in(problem)
            raise

    def rename_in(self, problem: OntomaskError) -> None:
        """Let a message name files as people know them, and no folder of this machine."""
        with suppress(UnknownProject):
            info = self.info
            names = {**info.taxonomies, **info.severities} | (
                {} if info.file is None else {info.file.stored: info.file.name}
            )
            for base in dict.fromkeys((str(self.folder), str(self.folder.resolve()))):
                for stored, shown in names.items():
                    problem.relocate(f"{base}/{stored}", shown)
                problem.relocate(f"{base}/", "")
            if info.file is not None:
                problem.relocate(info.file.stored, info.file.name)

    # ---- answers and runs ----------------------------------------------------------------------------------------

    def publish(self, job: Job, part: str | None = None) -> None:
        """Let a finished job be the latest of its kind, or of its kind for one ``part``, such as a column."""
        with self.locked():
            latest = read_json(self.folder / LATEST) or {}
            latest[job.kind] = job.id if part is None else {**latest.get(job.kind, {}), part: job.id}
            write_json(latest, self.folder / LATEST)

    def latest(self, kind: str, part: str | None = None) -> Path | None:
        """The folder of the latest finished job of a kind."""
        found = (read_json(self.folder / LATEST) or {}).get(kind)
        found = found.get(part) if isinstance(found, dict) and part is not None else found
        return self.folder / RUNS / found if is_id(found) else None

    def _answer(self, kind: str, part: str | None = None) -> dict[str, Any] | None:
        folder = self.latest(kind, part)
        return None if folder is None else read_json(folder / ANSWER)

    @property
    def opened(self) -> dict[str, Any] | None:
        """What the last opening of the data found."""
        return self._answer("open")

    def matched(self, column: str) -> dict[str, Any] | None:
        """How the values of a column were matched last."""
        return self._answer("match", column)

    @property
    def risk(self) -> dict[str, Any] | None:
        """The risk of the original, as it was computed last."""
        return self._answer("risk")

    @property
    def checked(self) -> dict[str, Any] | None:
        """What the last check of the policy against the data found."""
        return self._answer("check")

    @property
    def compared(self) -> dict[str, Any] | None:
        """What the last comparison found."""
        return self._answer("compare")

    def runs(self) -> list[RunInfo]:
        """All runs, the newest first."""
        return [run_info(job) for job in jobs_of(self.folder) if job.kind == "run"]

    def run(self, id: str) -> RunInfo:
        """One run."""
        job = job_of(self.folder, id)
        if job.kind != "run":
            raise OptionError("this job is not a run", remedy="Look at the list of runs.")
        return run_info(job)

    def record_reason(self, id: str, sentence: str) -> RunInfo:
        """Record why a release that fails its requirements is downloaded all the same."""
        self.run(id)
        return with_reason(job_of(self.folder, id), sentence)

    def bar(self) -> Bar:
        """What is always in view: of the chosen run, or else of the newest that is done."""
        done = [run for run in self.runs() if run.state == "done"]
        chosen = self.info.chosen_run
        run = next((run for run in done if run.id == chosen), done[0] if done else None)
        policy = self.policy() if self.policy_text else None
        return bar_of(
            self.opened, self.risk, run, policy, outdated=run is not None and self._changed_since(run, policy)
        )

    def _changed_since(self, run: RunInfo, policy: Policy | None) -> bool:
        """Was the policy changed after a run, and not back again?"""
        kept = self.policy_of(run.policy_revision)
        if run.policy_revision == self.policy_revision or not kept.is_file():
            return False
        return policy is None or policy_in(kept) != policy
