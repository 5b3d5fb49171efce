"""``ontomask app``: the workbench in a browser, on this machine."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from ontomask.cli.console import Interrupted, say
from ontomask.cli.options import epilog
from ontomask.errors import OptionError

EPILOG = epilog(
    "app",
    "app --folder projects --port 8080 --no-browser",
    "app --api-token token.txt --no-browser",
    codes="0 stopped",
)
#: Where a password is taken from, so that no list of processes shows it.
PASSWORD = "ONTOMASK_APP_PASSWORD"
LEAST_PASSWORD = 10


def command(
    folder: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="The folder of the projects. Default: in your user data folder."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 0,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="The address to listen on. An address other than this machine needs a password."
        ),
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
    max_upload: Annotated[
        float, typer.Option(metavar="MB", min=0.001, help="The most megabytes that an uploaded file may have.")
    ] = 2000.0,
    api_token: Annotated[
        Path | None,
        typer.Option("--api-token", metavar="FILE", help="Write a token for programs to FILE (docs/rest.md)."),
    ] = None,
) -> None:
    """Start the app: anonymize a file step by step in a browser.

    It runs on this machine alone and loads nothing from elsewhere. The link that opens the page works once. Projects
    and uploaded data stay in FOLDER until you delete them; only you can read them.
    """
    from ontomask.app.server import LOCAL, Settings, serve
    from ontomask.app.workspace import Workspace, default_folder
    from ontomask.files.extras import load_extra

    load_extra("nicegui", "the app")
    settings = Settings(host, port, browser, token_file=api_token)
    if not settings.local:
        settings = Settings(host, port, browser, _password(), api_token)
    elif host == "localhost":
        settings = Settings(LOCAL, port, browser, token_file=api_token)
    workspace = Workspace.open(folder or default_folder(), max_upload=int(max_upload * 1e6))
    with suppress(Interrupted):  # that is how it ends
        serve(workspace, settings, say)


def _password() -> str:
    """The password of the environment, or one that is typed; never an argument, which others can read."""
    given = os.environ.pop(PASSWORD, None) or typer.prompt("Password", hide_input=True, confirmation_prompt=True)
    if len(given) < LEAST_PASSWORD:
        raise OptionError(f"the password has fewer than {LEAST_PASSWORD} characters", remedy="Choose a longer one.")
    return str(given)
