"""The REST interface: projects, uploads, policies, jobs and results, for programs and for the pages."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse
from pydantic import BaseModel, Field
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException

from ontomask.app import tables
from ontomask.app.answer_files import MAP
from ontomask.app.downloads import HTML, NeedsReason, download
from ontomask.app.job_files import Job, UnknownJob
from ontomask.app.projects import Outdated, Project, UnknownProject
from ontomask.app.receiving import Busy, store_body
from ontomask.app.results import RunInfo
from ontomask.app.uploads import TooLargeUpload
from ontomask.app.workspace import Workspace
from ontomask.errors import OntomaskError, OptionError

FileName = Annotated[str, Query(max_length=1000, description="what the file is called; its suffix tells the format")]
#: The part of a long list that is asked for.
Place = Annotated[int, Query(ge=0, le=2**31)]
#: A report that is shown in the browser can do nothing.
_SHOWN = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'none'; sandbox"


class Title(BaseModel):
    """A new project."""

    title: str = Field(default="", max_length=1000)


class Demo(BaseModel):
    """A new project with synthetic data."""

    records: int = Field(default=2000, ge=50, le=200_000)


class Changes(BaseModel):
    """What can be changed of a project."""

    title: str | None = Field(default=None, max_length=1000)
    step: str | None = None
    chosen_run: str | None = None


class PolicyText(BaseModel):
    """A policy file; ``expected``: the revision that it was made from."""

    text: str
    expected: int | None = None


class NewJob(BaseModel):
    """What to do."""

    kind: Literal["open", "match", "risk", "check", "run", "compare"]
    arguments: dict[str, Any] = Field(default_factory=dict)


class Reason(BaseModel):
    """Why a release that fails is handed out."""

    reason: str = Field(max_length=5000)


def _project(project: Project) -> dict[str, Any]:
    return {"id": project.id} | asdict(project.info)


def _run(run: RunInfo) -> dict[str, Any]:
    return asdict(run) | {"downloadable": run.downloadable}


def router(workspace: Workspace) -> APIRouter:
    """The interface of a workspace."""
    api = APIRouter(prefix="/api")
    _add_projects(api, workspace)
    _add_uploads(api, workspace)
    _add_jobs(api, workspace)
    _add_results(api, workspace)
    _add_tables(api, workspace)

    @api.api_route(
        "/{rest:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"], include_in_schema=False
    )
    def nothing(rest: str) -> None:
        raise HTTPException(404, "there is no such address; /api/openapi.json lists them")

    return api


# ---- projects and policies -----------------------------------------------------------------------------------------


def _add_projects(api: APIRouter, workspace: Workspace) -> None:
    @api.get("/projects", tags=["projects"])
    def list_projects() -> list[dict[str, Any]]:
        """All projects, the newest first."""
        return [_project(project) for project in workspace.projects()]

    @api.post("/projects", tags=["projects"], status_code=201)
    def create_project(given: Title) -> dict[str, Any]:
        """Make a new, empty project."""
        return _project(workspace.create(given.title))

    @api.post("/projects/demo", tags=["projects"], status_code=201)
    def create_demo(given: Demo) -> dict[str, Any]:
        """Make a new project with synthetic hospital discharges."""
        return _project(workspace.demo(given.records))

    @api.get("/projects/{project}", tags=["projects"])
    def get_project(project: str) -> dict[str, Any]:
        """One project."""
        return _project(workspace.project(project))

    @api.patch("/projects/{project}", tags=["projects"])
    def change_project(project: str, given: Changes) -> dict[str, Any]:
        """Change the title, the step or the chosen run."""
        found = workspace.project(project)
        found.update(**given.model_dump(exclude_none=True))
        return _project(found)

    @api.delete("/projects/{project}", tags=["projects"], status_code=204, response_class=Response)
    def delete_project(project: str) -> None:
        """Delete a project with its data, policies and results; its jobs are cancelled."""
        workspace.delete(workspace.project(project))

    @api.get("/projects/{project}/bar", tags=["projects"])
    def get_bar(project: str) -> dict[str, Any]:
        """Records, unique records, loss, linkage and requirements, of the chosen run."""
        return asdict(workspace.project(project).bar())

    @api.get("/projects/{project}/policy", tags=["policies"])
    def get_policy(project: str) -> dict[str, Any]:
        """The policy as YAML, and its revision."""
        found = workspace.project(project)
        return {"text": found.policy_text, "revision": found.policy_revision}

    @api.get("/projects/{project}/policy.yaml", tags=["policies"], response_class=PlainTextResponse)
    def get_policy_file(project: str) -> Response:
        """The policy as a file."""
        head = {"content-disposition": 'attachment; filename="policy.yaml"'}
        text = workspace.project(project).policy_text
        return PlainTextResponse(text, media_type="application/yaml", headers=head)

    @api.put("/projects/{project}/policy", tags=["policies"])
    def set_policy(project: str, given: PolicyText) -> dict[str, Any]:
        """Replace the policy, if the new one is valid."""
        found = workspace.project(project)
        revision = found.set_policy_text(given.text, given.expected)
        return {"text": found.policy_text, "revision": revision}


# ---- uploads -------------------------------------------------------------------------------------------------------


def _add_uploads(api: APIRouter, workspace: Workspace) -> None:
    @api.put("/projects/{project}/data", tags=["uploads"])
    async def put_data(project: str, request: Request, name: FileName) -> dict[str, Any]:
        """Upload a table as the body of the request: CSV, Excel, Parquet, SPSS, Stata or SAS."""
        found = workspace.project(project)
        return asdict(await store_body(request, found.max_upload, name, found.receive_data))

    @api.put("/projects/{project}/taxonomies", tags=["uploads"])
    async def put_taxonomy(project: str, request: Request, name: FileName) -> dict[str, str]:
        """Upload a taxonomy; a policy names it by what is stored."""
        found = workspace.project(project)
        stored = await store_body(request, found.max_upload, name, found.receive_taxonomy)
        return {"stored": stored}

    @api.put("/projects/{project}/severities", tags=["uploads"])
    async def put_severity(project: str, request: Request, name: FileName) -> dict[str, str]:
        """Upload a severity definition; a policy names it by what is stored."""
        found = workspace.project(project)
        stored = await store_body(request, found.max_upload, name, found.receive_severity)
        return {"stored": stored}

    @api.delete("/projects/{project}/taxonomies/{stored}", tags=["uploads"], status_code=204, response_class=Response)
    def delete_taxonomy(project: str, stored: str) -> None:
        """Remove an uploaded taxonomy that the policy does not use."""
        workspace.project(project).remove_taxonomy(stored)


# ---- jobs ----------------------------------------------------------------------------------------------------------


def _add_jobs(api: APIRouter, workspace: Workspace) -> None:
    def told(job: Job) -> dict[str, Any]:
        return job.to_dict() | {"position": workspace.queue.position(job)}

    @api.post("/projects/{project}/jobs", tags=["jobs"], status_code=202)
    def start_job(project: str, given: NewJob) -> dict[str, Any]:
        """Hand in a job; it begins when those before it are over."""
        return told(workspace.queue.start(workspace.project(project), given.kind, **given.arguments))

    @api.get("/projects/{project}/jobs", tags=["jobs"])
    def list_jobs(project: str) -> list[dict[str, Any]]:
        """The jobs of a project, the newest first."""
        return [told(job) for job in workspace.queue.jobs(workspace.project(project))]

    @api.get("/projects/{project}/jobs/{job}", tags=["jobs"])
    def get_job(project: str, job: str) -> dict[str, Any]:
        """A job: its state, how far it is, and what went wrong."""
        return told(workspace.queue.job(workspace.project(project), job))

    @api.get("/projects/{project}/jobs/{job}/answer", tags=["jobs"])
    def get_answer(project: str, job: str) -> dict[str, Any]:
        """What came of a job that is done."""
        return workspace.queue.job(workspace.project(project), job).answer()

    @api.get("/projects/{project}/jobs/{job}/map", tags=["jobs"])
    def get_map(project: str, job: str) -> Response:
        """The map of risk and loss of a comparison, as SVG."""
        path = workspace.queue.job(workspace.project(project), job).folder / MAP
        if not path.is_file():
            raise OptionError("this job drew no map", remedy="Only comparisons with figures have one.")
        return FileResponse(path, media_type="image/svg+xml")

    @api.delete("/projects/{project}/jobs/{job}", tags=["jobs"], status_code=202)
    def cancel_job(project: str, job: str) -> dict[str, Any]:
        """Ask a job to stop; what it wrote is removed."""
        found = workspace.project(project)
        workspace.queue.cancel(workspace.queue.job(found, job))
        return told(workspace.queue.job(found, job))


# ---- results -------------------------------------------------------------------------------------------------------


def _add_results(api: APIRouter, workspace: Workspace) -> None:
    @api.get("/projects/{project}/runs", tags=["results"])
    def list_runs(project: str) -> list[dict[str, Any]]:
        """The runs of a project, the newest first."""
        return [_run(run) for run in workspace.project(project).runs()]

    @api.get("/projects/{project}/runs/{run}", tags=["results"])
    def get_run(project: str, run: str) -> dict[str, Any]:
        """A run: its figures, requirements and guarantees."""
        return _run(workspace.project(project).run(run))

    @api.post("/projects/{project}/runs/{run}/reason", tags=["results"])
    def record_reason(project: str, run: str, given: Reason) -> dict[str, Any]:
        """Record in a sentence why a release that fails its requirements is handed out."""
        return _run(workspace.project(project).record_reason(run, given.reason))

    @api.get("/projects/{project}/runs/{run}/pairs", tags=["results"])
    def get_pairs(
        project: str, run: str, offset: Place = 0, limit: Place = 200, order: Literal["file", "changed"] = "file"
    ) -> dict[str, Any]:
        """Records before and after, side by side."""
        return tables.pairs(workspace.project(project), run, offset, limit, order)

    @api.get("/projects/{project}/runs/{run}/files/{what}", tags=["results"], response_class=FileResponse)
    def get_file(project: str, run: str, what: str, inline: bool = False) -> Response:
        """Download a file of a run; ``inline`` shows a report in the browser."""
        found = download(workspace.project(project), run, what)
        done = BackgroundTask(found.path.unlink, missing_ok=True) if found.passing else None
        shown = inline and found.type == HTML
        headers = {"content-security-policy": _SHOWN} if shown else {}
        kind = "inline" if shown else "attachment"
        return FileResponse(
            found.path,
            media_type=found.type,
            filename=found.name,
            content_disposition_type=kind,
            headers=headers,
            background=done,
        )


# ---- tables --------------------------------------------------------------------------------------------------------


def _add_tables(api: APIRouter, workspace: Workspace) -> None:
    @api.get("/projects/{project}/rows", tags=["tables"])
    def get_rows(project: str, offset: Place = 0, limit: Place = 200) -> dict[str, Any]:
        """Rows of the data as they were read, as texts."""
        return tables.rows(workspace.project(project), offset, limit)

    @api.post("/projects/{project}/sharing", tags=["tables"])
    def count_sharing(project: str, values: Annotated[dict[str, str], Body()]) -> dict[str, Any]:
        """How many records have all of these values, by column."""
        return tables.sharing(workspace.project(project), values)

    @api.get("/projects/{project}/columns/{column:path}/tree", tags=["tables"])
    def get_tree(
        project: str, column: str, concept: str | None = None, offset: Place = 0, limit: Place = 200
    ) -> dict[str, Any]:
        """The concepts below one, with the records at each or below."""
        return tables.tree(workspace.project(project), column, concept, offset, limit)

    @api.get("/projects/{project}/columns/{column:path}/search", tags=["tables"])
    def search_concepts(project: str, column: str, text: str, limit: Place = 50) -> list[dict[str, Any]]:
        """Concepts that have all words of a text."""
        return tables.search(workspace.project(project), column, text, limit)


# ---- errors --------------------------------------------------------------------------------------------------------

_STATUS: tuple[tuple[type[OntomaskError], int], ...] = (
    (UnknownProject, 404),
    (UnknownJob, 404),
    (TooLargeUpload, 413),
    (Outdated, 409),
    (Busy, 429),
    (NeedsReason, 409),
)


def add_error_handlers(app: FastAPI) -> None:
    """Every error is one message: {"error": "what, where, what to do"}."""

    @app.exception_handler(OntomaskError)
    def of_ours(_: Request, problem: OntomaskError) -> JSONResponse:
        status = next((status for kind, status in _STATUS if isinstance(problem, kind)), 400)
        return JSONResponse({"error": str(problem)}, status)

    @app.exception_handler(UnicodeError)
    def of_a_text(_: Request, problem: UnicodeError) -> JSONResponse:
        return JSONResponse({"error": "the request holds signs that are not text. Remove them."}, 400)

    @app.exception_handler(RequestValidationError)
    def of_a_request(_: Request, problem: RequestValidationError) -> JSONResponse:
        first = problem.errors()[0]
        place = ".".join(str(part) for part in first.get("loc", ()) if part not in ("body", "query", "path"))
        return JSONResponse({"error": f"{place or 'the request'}: {first.get('msg', 'not valid')}"}, 422)

    @app.exception_handler(HTTPException)
    def of_the_server(_: Request, problem: HTTPException) -> JSONResponse:
        return JSONResponse({"error": str(problem.detail)}, problem.status_code)

    @app.exception_handler(Exception)
    def of_nobody(_: Request, problem: Exception) -> JSONResponse:
        return JSONResponse({"error": f"an unexpected error ({type(problem).__name__}). Please report it."}, 500)
