"""A real server in a process of its own, on a free port of this machine, and a program that talks to it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from ontomask.app.storage import read_json, started_at

#: Seconds that anything may take here.
PATIENCE = 400.0


class Served:
    """``ontomask app`` on a folder. ``link`` is the one-time link; ``api`` sends the token of programs."""

    def __init__(self, folder: Path, *options: str, **environment: str) -> None:
        self.folder = folder
        self.clients: list[httpx.Client] = []
        self.token_file = folder.with_name(f"{folder.name}-token")
        command = [sys.executable, "-m", "ontomask", "app", "--folder", str(folder), "--no-browser"]
        command += ["--api-token", str(self.token_file), *options]
        began = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {"ONTOMASK_APP_IDLE": "300"} | environment,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.seconds = time.perf_counter() - began
        found = re.fullmatch(r"Open ((http://[^/]+)/\S*)", line.strip())
        assert found, line + (self.process.stdout.read() if self.process.poll() is not None else "")
        self.link, self.address = found[1], found[2]
        assert self.process.stdout.readline().startswith("Token for programs")
        token = self.token_file.read_text(encoding="utf-8").strip()
        self.api = httpx.Client(
            base_url=f"{self.address}/api", headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE
        )

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def browser(self) -> httpx.Client:
        """A client that came in by the link and has its cookie."""
        client = self.stranger()
        client.headers["Origin"] = self.address
        assert client.get(self.link).status_code == 200
        return client

    def stranger(self, **headers: str) -> httpx.Client:
        """A client that nobody let in."""
        client = httpx.Client(base_url=self.address, headers=headers, timeout=PATIENCE)
        self.clients.append(client)
        return client

    def stop(self) -> None:
        """Stop the server and the worker."""
        self.close()
        self.process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        self.kill()
        self.end_worker()

    def close(self) -> None:
        """Close all connections."""
        for client in (self.api, *self.clients):
            client.close()

    def kill(self) -> None:
        """End the server as if the machine had lost its power."""
        self.process.kill()
        self.process.wait(10)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def worker(self) -> int | None:
        """The worker, if it is alive."""
        kept = read_json(self.folder / "worker.json") or {}
        pid = kept.get("pid", 0)
        return pid if pid and started_at(pid) == kept["started"] else None

    def end_worker(self) -> None:
        pid = self.worker()
        if pid is not None:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    # ---- what tests do again and again ---------------------------------------------------------------------------

    def new_project(self, title: str = "a project") -> str:
        answer = self.api.post("/projects", json={"title": title})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def upload(self, project: str, content: bytes, name: str = "stays.csv") -> httpx.Response:
        return self.api.put(f"/projects/{project}/data", params={"name": name}, content=content)

    def start(self, project: str, kind: str, **arguments: Any) -> str:
        answer = self.api.post(f"/projects/{project}/jobs", json={"kind": kind, "arguments": arguments})
        assert answer.status_code == 202, answer.text
        return str(answer.json()["id"])

    def job(self, project: str, job: str) -> dict[str, Any]:
        found: dict[str, Any] = self.api.get(f"/projects/{project}/jobs/{job}").json()
        return found

    def wait(
        self, project: str, job: str, *, until: tuple[str, ...] = ("done", "failed", "cancelled")
    ) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while (found := self.job(project, job))["state"] not in until:
            assert time.monotonic() < end, found
            assert found["state"] in ("queued", "running"), found
            time.sleep(0.03)
        return found

    def do(self, project: str, kind: str, **arguments: Any) -> dict[str, Any]:
        """Hand in a job and wait for its answer."""
        job = self.start(project, kind, **arguments)
        found = self.wait(project, job)
        assert found["state"] == "done", found
        answer: dict[str, Any] = self.api.get(f"/projects/{project}/jobs/{job}/answer").json()
        return answer | {"job": job}
