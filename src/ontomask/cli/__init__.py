"""The command ``ontomask``: one module for each subcommand. They print and do not compute.

Imports inside functions are late: a command loads only what it needs, so that --help and errors come at once.
"""

from __future__ import annotations

import atexit
import gc
import sys
import warnings
from io import TextIOWrapper
from typing import Annotated

import typer

from ontomask.cli import app as app_command
from ontomask.cli import assess, check, compare, demo, gather, init, join, run, severity, taxonomy, verify
from ontomask.cli.console import REFUSED, Interrupted, fail, listen, remark
from ontomask.errors import NotSatisfied, OntomaskError
from ontomask.microdata.sql_sources import refuse_password

app = typer.Typer(
    name="ontomask",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        from ontomask import __version__

        typer.echo(__version__)
        raise typer.Exit


OUT_OF_MEMORY = (
    "there is not enough memory for these data. Take fewer columns or a sample of the records, close other programs, "
    "or use a machine with more memory. Nothing was written."
)


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Anonymize microdata by meaning."""


COMMANDS = {
    "demo": demo,
    "gather": gather,
    "join": join,
    "init": init,
    "check": check,
    "run": run,
    "verify": verify,
    "assess": assess,
    "compare": compare,
    "severity": severity,
    "app": app_command,
}
for name, module in COMMANDS.items():
    app.command(name, epilog=module.EPILOG)(module.command)
app.add_typer(taxonomy.app, name="taxonomy")


def main() -> None:
    """Run the command; what is wrong with its input is one message and exit code 2, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # the code page of a terminal need not have every sign
            stream.reconfigure(errors="backslashreplace")
    warnings.showwarning = _remark
    gc.set_threshold(100_000)  # what a command loads stays until it ends, and its tables are no cycles
    atexit.register(gc.freeze)  # all goes with the process: the collector need not search it first
    listen()
    try:
        for word in sys.argv[1:]:
            refuse_password(word)  # wherever it stands: no later message may show it
        app(prog_name="ontomask")
    except Interrupted as problem:
        sys.exit(fail(str(problem), problem.code))
    except NotSatisfied as problem:
        sys.exit(fail(problem, REFUSED))
    except OntomaskError as problem:
        sys.exit(fail(problem))
    except MemoryError:
        sys.exit(fail(OUT_OF_MEMORY))
    except BrokenPipeError:  # the reader, such as head, has seen enough
        sys.stderr.close()
        sys.exit(0)
    except BaseException as problem:
        if type(problem).__name__ != "PanicException":  # how libraries in Rust give up
            raise
        text = str(problem).splitlines()[0] if str(problem) else "no reason given"
        memory = any(word in str(problem).lower() for word in ("alloc", "memory", "capacity"))
        sys.exit(fail(OUT_OF_MEMORY if memory else f"a library failed ({text[:200]}). Check the file, or report it."))


def _remark(message: Warning | str, *_: object, **__: object) -> None:
    """A warning of the library as a line on stderr, without the place in its code."""
    remark(f"warning: {message}")
