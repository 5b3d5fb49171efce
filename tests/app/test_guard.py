"""Who is let in: tokens, sessions, hosts, origins, passwords; and the headers that every answer has."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ontomask.app import sessions
from ontomask.app.security import Guard
from ontomask.app.server import Settings, bound
from ontomask.app.sessions import ATTEMPTS, Visitors
from ontomask.app.workspace import Workspace
from ontomask.errors import OutputError
from tests.app.serving import Served

ADDRESSES = ("/", "/api/projects", "/api/openapi.json", "/p/x/data", "/_nicegui_ws/socket.io/?EIO=4&transport=polling")


@pytest.mark.parametrize("address", ADDRESSES)
def test_nobody_is_let_in_without_a_token(served: Served, address: str) -> None:
    answer = served.stranger().get(address)
    assert answer.status_code in (401, 403)
    assert "nicegui" not in answer.text
    wrong = served.stranger(Authorization="Bearer wrong", Cookie=f"ontomask-{served.port}=wrong")
    assert wrong.get(address).status_code in (401, 403)


@pytest.mark.parametrize("twice", ["Host", "Origin", "Authorization"])
def test_a_header_that_says_who_asks_stands_once(served: Served, twice: str) -> None:
    own = {
        "Host": f"127.0.0.1:{served.port}",
        "Origin": served.address,
        "Authorization": served.api.headers["Authorization"],
    }
    lines = [f"{name}: {value}" for name, value in own.items()]

    def status(*more: str) -> int:
        with socket.create_connection(("127.0.0.1", served.port), timeout=30) as line:
            asked = ["GET /api/projects HTTP/1.1", *more, *lines, "Connection: close", "", ""]
            line.sendall("\r\n".join(asked).encode())
            return int(line.recv(1000).split()[1])

    assert status() == 200
    assert status(f"{twice}: evil.example") == 400


def test_a_token_of_programs_opens_no_websocket() -> None:
    async def nothing(*_: Any) -> None: ...

    guard = Guard(nothing, None, names=frozenset({"localhost"}), port=80, local=True)  # type: ignore[arg-type]
    headers = {"host": "localhost", "authorization": "Bearer x"}
    for path, refused in (("/_nicegui_ws/socket.io/", True), ("/api/projects", False)):
        scope = {"type": "http", "method": "POST", "path": path, "headers": []}
        assert (guard._refused(scope, headers) is not None) == refused
    socket_ = {"type": "websocket", "path": "/_nicegui_ws/socket.io/", "headers": []}
    assert guard._refused(socket_, headers) is not None
    assert guard._refused(socket_, headers | {"origin": "http://localhost"}) is None


def test_a_link_works_once(place: Path) -> None:
    server = Served(place)
    try:
        visitor = server.stranger()
        wrong = server.stranger().get("/?token=wrong")
        assert wrong.status_code == 403
        assert "set-cookie" not in wrong.headers
        first = visitor.get(server.link)
        assert first.status_code == 200
        cookie = first.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        token = server.link.rpartition("=")[2]
        assert token not in cookie
        again = server.stranger().get(server.link)
        assert again.status_code == 403
        assert "was used before" in again.text
        assert visitor.get("/api/projects").status_code == 200
        assert server.process.stdout is not None
        lines = [server.process.stdout.readline() for _ in range(2)]
        fresh = lines[1].removeprefix("For another browser: ").strip()
        other = server.stranger()
        assert other.get(fresh).status_code == 200
        assert other.get("/api/projects").status_code == 200
    finally:
        server.stop()


def test_the_token_of_programs_is_for_its_owner_and_for_the_interface_alone(served: Served) -> None:
    assert served.token_file.stat().st_mode & 0o777 == 0o600
    token = served.api.headers["Authorization"]
    assert served.stranger(Authorization=token).get("/").status_code == 403
    assert served.stranger(Authorization=token).get("/api/projects").status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "localhost.evil.example:{port}",
        "",
        "a@127.0.0.1:{port}",
        "127.0.0.1:{port}#evil.example",
    ],
)
def test_other_names_for_this_machine_are_refused(served: Served, host: str) -> None:
    """DNS rebinding: a page of another site reaches this server by its own name."""
    name = host.format(port=served.port)
    answer = served.api.get("/projects", headers={"Host": name})
    assert answer.status_code in (400, 421)
    assert "projects" not in answer.text


def test_the_names_of_this_machine_are_known(served: Served) -> None:
    for name in ("localhost", "127.0.0.1", "LOCALHOST"):
        assert served.api.get("/projects", headers={"Host": f"{name}:{served.port}"}).status_code == 200


def test_other_origins_change_nothing(served: Served) -> None:
    origins = [
        "http://evil.example",
        "null",
        f"http://localhost:{served.port}",
        "http://127.0.0.1:1",
        "https://127.0.0.1",
    ]
    for origin in origins:
        answer = served.api.post("/projects", json={"title": "x"}, headers={"Origin": origin})
        assert answer.status_code == 403, origin
    other_site = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert served.api.get("/projects", headers=other_site).status_code == 403
    assert served.api.get("/projects", headers=other_site | {"Sec-Fetch-Site": "same-site"}).status_code == 403
    assert served.api.get("/projects", headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200
    preflight = served.stranger().options("/api/projects", headers={"Origin": "http://evil.example"})
    assert preflight.status_code == 403
    assert "access-control-allow-origin" not in preflight.headers


def test_a_session_needs_its_origin(place: Path) -> None:
    server = Served(place)
    try:
        browser = server.browser()
        assert browser.post("/api/projects", json={"title": "mine"}).status_code == 201
        ours = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        for odd in ('foo={"x":1}', "theme=dark mode", "name=Jos\xe9", "a[b]=1", "foo", "ontomask-1=x", "="):
            cookie = f"{odd}; {ours}; {odd}".encode("latin-1")
            assert server.stranger().get("/api/projects", headers={b"Cookie": cookie}).status_code == 200, odd
        del browser.headers["Origin"]
        assert browser.post("/api/projects", json={"title": "no origin"}).status_code == 403
        assert browser.get("/api/projects").status_code == 200
        page = browser.get("/")
        assert page.status_code == 200
        _check_headers(page.headers)
        nonce = page.headers["content-security-policy"].split("'nonce-")[1].split("'")[0]
        assert page.text.count("<script") == page.text.count(f'<script nonce="{nonce}"') > 0
        assert "unsafe-eval" not in page.headers["content-security-policy"]
        assert browser.get("/").headers["content-security-policy"] != page.headers["content-security-policy"]
        _websockets(server, dict(browser.cookies))
    finally:
        server.stop()


def _check_headers(headers: Any) -> None:
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert headers["x-frame-options"] == "DENY"
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy
    assert "*" not in policy


def _websockets(server: Served, cookies: dict[str, str]) -> None:
    """Only a page of this server with a session can open a websocket."""
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    address = f"ws://127.0.0.1:{server.port}/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())

    def opened(origin: str | None, cookie: str | None) -> bool:
        headers = {} if cookie is None else {"Cookie": cookie}
        try:
            with connect(address, origin=origin, additional_headers=headers, open_timeout=10) as socket_:  # type: ignore[arg-type]
                return str(socket_.recv(timeout=10)).startswith("0{")
        except InvalidStatus as problem:
            return problem.response.status_code != 403

    assert opened(server.address, cookie)
    assert not opened("http://evil.example", cookie)
    assert not opened(f"http://localhost:{server.port}", cookie)
    assert not opened(None, cookie)
    assert not opened(server.address, None)
    assert not opened(server.address, f"ontomask-{server.port}=wrong")


def test_answers_of_the_interface_have_the_headers_too(served: Served) -> None:
    for address in ("/projects", "/projects/nothing", "/openapi.json"):
        answer = served.api.get(address)
        _check_headers(answer.headers)
        assert "sandbox" in answer.headers["content-security-policy"]
        assert "server" not in answer.headers


def test_texts_that_are_no_texts_are_refused(served: Served, stays: bytes) -> None:
    project = served.new_project()
    served.upload(project, stays)
    served.do(project, "open")
    odd = b'"\\udcff"'
    for method, address, body in [
        ("PUT", "policy", b'{"text": %s}' % odd),
        ("POST", "jobs", b'{"kind": "match", "arguments": {"column": %s}}' % odd),
        ("POST", "jobs", b'{"kind": "compare", "arguments": {"alpha": NaN}}'),
        ("POST", "sharing", b'{"sex": %s}' % odd),
        ("PATCH", "", b'{"step": %s}' % odd),
        ("PATCH", "", b'{"title": %s}' % odd),
    ]:
        answer = served.api.request(method, f"/projects/{project}/{address}".rstrip("/"), content=body)
        assert answer.status_code in (400, 422), (address, answer.text)


def test_addresses_that_do_not_exist_are_errors_of_the_interface(served: Served) -> None:
    for method, address in (("GET", "/nonsense"), ("OPTIONS", "/projects"), ("POST", "/projects/x/y/z"), ("PUT", "/")):
        answer = served.api.request(method, address, headers={"Origin": served.address})
        assert answer.status_code == 404
        assert list(answer.json()) == ["error"]


@pytest.mark.parametrize("asked", ["offset=99999999999999999999999", "offset=-1", "limit=99999999999999999999999"])
def test_places_that_no_list_has_are_refused(served: Served, asked: str) -> None:
    project = served.new_project()
    for address in ("rows", f"runs/{'0' * 16}/pairs", "columns/a/tree"):
        answer = served.api.get(f"/projects/{project}/{address}?{asked}")
        assert answer.status_code == 422
        assert answer.json()["error"].startswith(asked.partition("=")[0])


def test_requests_that_are_too_large_are_refused(served: Served) -> None:
    large = b'{"title": "' + b"x" * (7 << 20) + b'"}'
    assert served.api.post("/projects", content=large).status_code == 413
    assert served.api.post("/projects", json={"title": "x" * 1001}).status_code == 422

    def chunks() -> Any:
        for _ in range(200):
            yield b"x" * (1 << 17)

    answer = served.api.post("/projects", content=chunks())  # nobody says how large it is
    assert answer.status_code in (400, 413, 422)


# ---- passwords -----------------------------------------------------------------------------------------------------


def test_a_password_lets_in_and_attempts_are_limited(place: Path) -> None:
    workspace = Workspace.open(place)
    visitors = Visitors(workspace.folder, 1, password="correct horse")

    async def attempts() -> list[tuple[str | None, int]]:
        found = [await visitors.log_in("wrong", "1.2.3.4") for _ in range(ATTEMPTS)]
        return [
            *found,
            await visitors.log_in("correct horse", "1.2.3.4"),
            await visitors.log_in("correct horse", "5.6.7.8"),
        ]

    *wrong, limited, other = asyncio.run(attempts())
    assert wrong == [(None, 0)] * ATTEMPTS
    assert limited[0] is None
    assert limited[1] > 0
    assert other[0] is not None
    assert visitors.knows(other[0])
    assert not visitors.knows("wrong")
    again = Visitors(workspace.folder, 1, password="correct horse")
    assert again.knows(other[0]), "it goes on after a restart"
    assert not Visitors(workspace.folder, 1, password="another horse").knows(other[0])
    assert not Visitors(workspace.folder, 1).knows(other[0])
    kept = (place / "sessions.json").read_text(encoding="utf-8")
    assert other[0] not in kept


def test_a_full_disk_keeps_nobody_out(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the link was used up, and nobody was let in."""

    def full(*_: object, **__: object) -> None:
        raise OutputError("no space is left")

    monkeypatch.setattr(sessions, "write_json", full)
    visitors = Visitors(Workspace.open(place).folder, 1)
    token = visitors.new_link()
    session = visitors.enter(token)
    assert session is not None
    assert visitors.knows(session)
    assert visitors.enter(token) is None
    monkeypatch.setattr(sessions, "NOTED", -1.0)  # its use is noted each time
    assert visitors.knows(session)


def test_other_hosts_need_a_password(place: Path) -> None:
    server = Served(place, "--host", "0.0.0.0", ONTOMASK_APP_PASSWORD="correct horse")
    try:
        address = f"http://127.0.0.1:{server.port}"
        visitor = server.stranger(Origin=address)
        visitor.base_url = address  # type: ignore[assignment]
        assert "password" in visitor.get("/").text
        assert visitor.get("/api/projects").status_code == 401
        assert visitor.get("/?token=").status_code == 403
        assert visitor.post("/login", data={"password": "wrong"}).status_code == 403
        assert visitor.get("/api/projects").status_code == 401
        assert visitor.post("/login", data={"password": "correct horse"}).status_code == 200
        assert visitor.get("/api/projects").status_code == 200
        assert visitor.get("/", headers={"Host": "evil.example"}).status_code == 421
        assert server.stranger().post(f"{address}/login", data={"password": "correct horse"}).status_code == 403
    finally:
        server.stop()


def started(place: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ontomask", "app", "--folder", str(place), "--no-browser", *options],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | environment,
    )


def test_what_cannot_be_served_is_one_message(place: Path, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ended = started(place, "--port", port)
    assert ended.returncode == 2
    assert ended.stderr.strip() == (
        f"ontomask: the port {port} is used by another program. Choose another with --port, or leave it out for a free one."
    )
    ended = started(place, "--host", "0.0.0.0", ONTOMASK_APP_PASSWORD="short")
    assert "fewer than 10 characters" in ended.stderr
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert "holds no token" in started(place, "--api-token", str(tmp_path / "file")).stderr
    assert (tmp_path / "file").read_text(encoding="utf-8") == "x"
    assert "this is a file" in started(tmp_path / "file").stderr
    (tmp_path / "full").mkdir(mode=0o755)
    (tmp_path / "full" / "letter.txt").write_text("x", encoding="utf-8")
    ended = started(tmp_path / "full")
    assert "others can look into the folder" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_answers_are_sent_at_once() -> None:
    """Once they were not: asyncio looks at the protocol of the socket before it turns off waiting for more to send."""
    with bound(Settings()) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.proto == socket.IPPROTO_TCP


def test_a_folder_that_cannot_be_made_is_named() -> None:
    ended = started(Path("/proc/nothing/projects"))
    assert ended.returncode == 2
    assert "cannot be made" in ended.stderr
    assert "--folder" in ended.stderr


def test_without_the_extra_it_says_how_to_install_it(place: Path, tmp_path: Path) -> None:
    (tmp_path / "nicegui.py").write_text("raise ImportError", encoding="utf-8")
    ended = started(place, PYTHONPATH=str(tmp_path))
    assert ended.returncode == 2
    assert "pip install 'ontomask[app]'" in ended.stderr
    assert not place.exists()


def test_hosts_behind_the_guard() -> None:
    async def nothing(*_: Any) -> None: ...

    local = Guard(
        nothing, Visitors(Path("/nowhere"), 80), names=frozenset({"127.0.0.1", "localhost"}), port=80, local=True
    )
    assert local._is_own("localhost")
    assert not local._is_own("192.168.0.7")
    assert not local._is_own("localhost:99999999")
    wide = Guard(nothing, Visitors(Path("/nowhere"), 80), names=frozenset({"ward7"}), port=80, local=False)
    assert wide._is_own("192.168.0.7:8080")
    assert wide._is_own("[fe80::1]:8080")
    assert wide._is_own("WARD7")
    assert not wide._is_own("ward7.evil.example")
