"""The server: REST and pages on one port, behind the guard, and a look at the queue twice a second."""

from __future__ import annotations

import asyncio
import errno
import html
import os
import socket
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ontomask.app.discreet_log import log_discreetly
from ontomask.app.sessions import Visitors
from ontomask.app.workspace import Workspace
from ontomask.errors import OntomaskError, OptionError
from ontomask.files.extras import load_extra

LOCAL = "127.0.0.1"
_LOCAL_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
#: Seconds between two looks at the queue.
TEND = 0.5
#: The page that a browser is sent to first: a link on a command line could be read by other users of the machine.
OPENING = "open.html"


@dataclass(frozen=True)
class Settings:
    """How to serve: ``password`` is needed for hosts other than this machine; ``token_file`` gets a token for programs."""

    host: str = LOCAL
    port: int = 0
    browser: bool = True
    password: str | None = None
    token_file: Path | None = None

    @property
    def local(self) -> bool:
        return self.host in _LOCAL_NAMES


def bound(settings: Settings) -> socket.socket:
    """The socket of the server; an error if the port is used or the host is not one of this machine."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # The protocol is named, or asyncio does not send at once what is small: each answer would take 40 ms more.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere the option lets two programs share a port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((settings.host, settings.port))
    except OSError as problem:
        made.close()
        if problem.errno in (errno.EADDRINUSE, errno.EACCES):
            what = "is used by another program" if problem.errno == errno.EADDRINUSE else "is not free for you"
            raise OptionError(
                f"the port {settings.port} {what}", remedy="Choose another with --port, or leave it out for a free one."
            ) from None
        raise OptionError(
            f"the server cannot listen on {settings.host!r} ({problem.strerror})",
            remedy="Give an address of this machine with --host.",
        ) from None
    made.listen(128)
    return made


def make_application(workspace: Workspace) -> Any:
    """The application without its guard: REST, and the pages."""
    os.environ["NICEGUI_STORAGE_PATH"] = str(workspace.folder / ".pages")  # not in the current folder
    load_extra("nicegui", "the app")
    from fastapi import FastAPI  # late: a part of the extra
    from nicegui import ui  # late: as above

    from ontomask import __version__  # late: with the extra
    from ontomask.app.pages.routes import register  # late: it needs the extra
    from ontomask.app.rest import add_error_handlers, router  # late: as above

    @asynccontextmanager
    async def tended(_: FastAPI) -> AsyncIterator[None]:
        looking = asyncio.create_task(_tend(workspace))
        yield
        looking.cancel()

    app = FastAPI(
        title="ontomask",
        version=__version__,
        description="Projects, policies, jobs and results of the app.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=tended,
        redirect_slashes=False,
    )
    app.include_router(router(workspace))
    add_error_handlers(app)
    register(workspace)
    ui.run_with(
        app,
        title="ontomask",
        dark=None,
        language="en-US",
        binding_refresh_interval=None,
        reconnect_timeout=10.0,
        tailwind=False,
        show_welcome_message=False,
        gzip_middleware_factory=None,
    )
    return app


async def _tend(workspace: Workspace) -> None:
    """Look after the queue as long as the server runs."""
    while True:
        with suppress(OntomaskError, OSError):
            await asyncio.to_thread(workspace.queue.tend)
        await asyncio.sleep(TEND)


def serve(workspace: Workspace, settings: Settings, say: Callable[[str], None]) -> None:
    """Serve until somebody stops it. ``say`` prints a line: the link, and a new one after each use."""
    if not settings.local and not settings.password:
        raise OptionError(
            "other machines may reach this host, and no password is set",
            remedy="Type one when you are asked, or set ONTOMASK_APP_PASSWORD.",
        )
    listening = bound(settings)
    port = int(listening.getsockname()[1])
    load_extra("nicegui", "the app")
    import uvicorn  # late: a part of the extra

    from ontomask.app.security import Guard  # late: with the rest
    from ontomask.report.page import prepare_drawing  # late: as above

    prepare_drawing()  # half a second, in which nobody would be answered when the first chart is drawn
    visitors = Visitors(workspace.folder, port, password=settings.password)
    if settings.token_file is not None:
        visitors.new_program_token(settings.token_file)
    app = make_application(workspace)
    guard = Guard(app, visitors, names=_names(settings), port=port, local=settings.local)
    guard.max_upload = workspace.max_upload
    address = f"http://{f'[{settings.host}]' if ':' in settings.host else settings.host}:{port}/"

    def link() -> str:
        return address if settings.password else f"{address}?token={visitors.new_link()}"

    visitors.on_used = lambda: say(f"For another browser: {link()}")
    config = uvicorn.Config(
        guard,
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="on",
        ws_max_size=4 << 20,
        timeout_graceful_shutdown=2,
        proxy_headers=False,
    )
    server = _Server(config, lambda: _tell(workspace, settings, link(), say))
    log_discreetly()
    os.umask(0o077)  # whatever a library writes is for the owner alone
    try:
        asyncio.run(server.serve(sockets=[listening]))
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()
        (workspace.folder / OPENING).unlink(missing_ok=True)


def _names(settings: Settings) -> frozenset[str]:
    """The names that requests may call this server by."""
    if settings.local:
        return _LOCAL_NAMES
    return _LOCAL_NAMES | {name.lower() for name in (settings.host, socket.gethostname(), socket.getfqdn())}


def _tell(workspace: Workspace, settings: Settings, link: str, say: Callable[[str], None]) -> None:
    say(f"Open {link}")
    if settings.token_file is not None:
        say(f"Token for programs: {settings.token_file}")
    say("Stop with Ctrl-C; jobs that run go on.")
    if settings.browser:
        from ontomask.app.storage import write_private  # late: only where a browser is opened

        text = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={html.escape(link)}">'
        write_private(text.encode(), workspace.folder / OPENING)
        with suppress(Exception):  # a machine without a browser
            webbrowser.open((workspace.folder / OPENING).as_uri())


def _Server(config: Any, started: Callable[[], None]) -> Any:  # noqa: N802 - a class, made where its base is loaded
    """A server of uvicorn that says when it can be reached."""
    import uvicorn  # late: a part of the extra

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets=sockets)
            if self.started:
                await asyncio.to_thread(started)

    return Server(config)
