"""``tuqa``: a group that imports a command only when it is called.

``tuqa --help`` must be fast, and importing every command imports the driver. So ``COMMANDS`` holds the
first sentence of each command; a test compares it with the command's help.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn

import click

from ..errors import InternalError, TrustUQAError
from ..slow_imports import allow_imports as allow_imports
from ..slow_imports import block_imports
from ..wording import use_words_of

EXIT_INTERRUPTED = 130
"""Exit code after Ctrl-C, as in shells."""

GARBAGE_THRESHOLD = 50_000
"""New objects between two garbage collections; Python's default is 700."""


class _OutputClosed(Exception):
    """The reader of stdout has closed it (``| head``)."""


class ErrorHandlingCommand(click.Command):
    """Turns errors of the package and Ctrl-C into a message on stderr and an exit code."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        block_imports()
        kwargs["standalone_mode"] = False
        run_in_process(lambda: super(ErrorHandlingCommand, self).main(*args, **kwargs))

    def invoke(self, ctx: click.Context) -> Any:
        # click itself would exit with code 1 after a broken pipe.
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _OutputClosed from error


def run_in_process(work: Callable[[], Any]) -> NoReturn:
    """Do the work of this process, and end it: errors become messages on stderr and an exit code."""
    # A tenth of a short command was the collector's, mostly while modules are imported.
    gc.set_threshold(GARBAGE_THRESHOLD)
    _ensure_streams()
    # The driver logs what it retries; what it gives up on arrives as an error.
    logging.getLogger("neo4j").addHandler(logging.NullHandler())
    with use_words_of("shell"):
        code = _exit_code(work)
    sys.exit(_exit_code(lambda: _flush_output(code)))


class ErrorHandlingGroup(ErrorHandlingCommand, click.Group):
    pass


def _exit_code(run: Callable[[], Any]) -> int:
    try:
        code = run()
    except SystemExit as error:
        code = error.code
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except TrustUQAError as error:
        click.echo(f"error: {error}", err=True)
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt) as error:
        cause = error.__cause__ if isinstance(error, click.Abort) else error
        click.echo(str(cause or "") or "interrupted", err=True)
        code = EXIT_INTERRUPTED
    except _OutputClosed:
        code = 0
    except OSError as error:
        # Errors of reading have messages of their own, so this one comes from writing.
        with suppress(OSError):
            click.echo(f"error: cannot write: {error.strerror or error}", err=True)
        code = 1
    except Exception as error:  # noqa: BLE001 # whatever is left is a fault of this package
        internal = record_fault(error)
        click.echo(f"error: {internal}", err=True)
        code = internal.exit_code
    return code if isinstance(code, int) else 0


def _flush_output(code: int) -> int:
    # If a flush fails, stdout is redirected, so that Python does not try again at its end.
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise
    return code


def _ensure_streams() -> None:
    # Streams may be closed (``>&-``), and no encoding may end a command.
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 # to the end
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


COMMANDS: dict[str, tuple[str, str, str]] = {
    "ask": ("ask", "command", "Ask a question in plain words."),
    "chat": ("chat", "command", "Ask questions that may follow each other."),
    "check": ("check", "command", "Check queries for errors without running them."),
    "datasets": ("datasets", "datasets_command", "List the datasets in the database."),
    "demo": ("demo", "command", "Load the sample data and ask questions of them."),
    "demonstrations": ("demonstrations", "command", "Manage example questions with their queries."),
    "doctor": ("doctor", "command", "Check versions, settings, server, store and disk."),
    "drop": ("datasets", "drop_command", "Delete a dataset, or one source of it."),
    "eval": ("evaluate", "command", "Run a benchmark and score the answers."),
    "export": (
        "datasets",
        "export_command",
        "Write a dataset to files, or to another Neo4j database.",
    ),
    "feedback": ("feedback", "command", "List or delete what people marked as wrong."),
    "grammar": ("grammar", "command", "Print a grammar of the query language for model servers."),
    "mcp": ("mcp", "command", "Serve agents by the Model Context Protocol."),
    "neo4j": ("neo4j", "command", "Start, stop and inspect the embedded Neo4j server."),
    "rename": ("datasets", "rename_command", "Give a dataset another name."),
    "run": ("run", "command", "Run queries of the query language, without an LLM."),
    "serve": ("serve", "command", "Serve a page, an API, and agents on one port."),
    "schema": ("schema", "command", "Show the classes, relations and columns of a dataset."),
    "triples": (
        "datasets",
        "triples_command",
        "Print facts of a dataset as condition triples of the paper.",
    ),
    "trust": (
        "trust",
        "command",
        "Trust the tuqa.toml of a working folder.",
    ),
}
"""Name → module of this package, name of the command in it, first sentence of its help."""


class _LazyGroup(ErrorHandlingGroup):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 # click's
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 # click's
        if cmd_name not in COMMANDS:
            return None
        name, attribute, _ = COMMANDS[cmd_name]
        module = import_module(f".{name}", __package__)
        command: click.Command = getattr(module, attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][2]) for name in self.list_commands(ctx)])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from ..matching import suggest_names

            similar = suggest_names(args[0], COMMANDS, 1, 0.6)
            hint = f"did you mean {similar[0]}?" if similar else f"there are {', '.join(COMMANDS)}"
            raise click.UsageError(f"no command {args[0]!r}; {hint}", ctx) from error


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="trustuqa-neo4j", prog_name="tuqa")
def main() -> None:
    """Answer questions over tables, knowledge graphs and temporal graphs in Neo4j, with evidence.

    \b
    Example:
      tuqa-load kg films.tsv --dataset films
      tuqa ask "who directed Alien" --dataset films
    """


# Faults of this package: their tracebacks go into a file of the home, and people read what to do.


FAULTS_FILE = "faults.log"
"""File under TUQA_HOME with the tracebacks of faults; the last ones stay."""

MAX_FAULTS_SIZE = 200_000
"""Characters of the file."""


def record_fault(error: Exception) -> InternalError:
    """Write the traceback of an exception into the file of faults; return the error that people read."""
    reason = str(error).strip().partition("\n")[0][:200]
    kind = type(error).__name__
    what = f"a fault of trustuqa-neo4j ({kind}{f': {reason}' if reason else ''})"
    trace = "".join(traceback.format_exception(error))
    try:
        file = _write_fault(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} {trace}\n")
    except (OSError, TrustUQAError):
        # The home cannot be written, or the settings that name it cannot be read.
        return InternalError(
            what, hint="please report it, with the query and how the data was loaded"
        )
    return InternalError(what, hint=f"please report it, with the traceback at the end of {file}")


def _write_fault(entry: str) -> Path:
    from ..settings import Settings

    home = Settings.read().home
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = home / FAULTS_FILE
    earlier = ""
    with suppress(FileNotFoundError):
        earlier = file.read_text(encoding="utf-8", errors="replace")
    file.touch(mode=0o600)
    text = (earlier + entry)[-MAX_FAULTS_SIZE:]
    file.write_text(text, encoding="utf-8", errors="backslashreplace")
    return file
