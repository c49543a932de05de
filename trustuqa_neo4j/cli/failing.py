"""How a command ends when something is wrong: one line on stderr, the documented exit code, no traceback."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import click

from ..errors import TrustUQAError

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""

_KEPT_OUT = ("numpy", "pandas", "pyarrow")


class _NobodyReads(Exception):
    """The reader of the output has had enough (``| head``)."""


class Failing(click.Command):
    """Mixed into a command or group: turns our errors and Ctrl-C into messages and exit codes."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run as a console script."""
        _keep_out()
        _have_streams()
        # What the driver retries by itself is no news; what it gives up comes as an error.
        logging.getLogger("neo4j").addHandler(logging.NullHandler())
        kwargs["standalone_mode"] = False
        code = _code(lambda: super(Failing, self).main(*args, **kwargs))
        sys.exit(_code(lambda: _flushed(code)))

    def invoke(self, ctx: click.Context) -> Any:
        """Run what was asked for; click itself would end with code 1 where nobody reads on."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _NobodyReads from error


def _code(work: Callable[[], Any]) -> int:
    """The exit code of ``work``, once what is wrong has been said."""
    try:
        code = work()
    except SystemExit as error:
        code = error.code
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except TrustUQAError as error:
        click.echo(str(error), err=True)
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt) as error:
        told = error.__cause__ if isinstance(error, click.Abort) else error
        click.echo(str(told or "") or "interrupted", err=True)
        code = INTERRUPTED
    except _NobodyReads:
        code = 0
    except OSError as error:
        # Every file that is read has its own message, so this is what is written.
        with suppress(OSError):
            click.echo(f"cannot write: {error.strerror or error}", err=True)
        code = 1
    return code if isinstance(code, int) else 0


def _flushed(code: int) -> int:
    """``code``, once all output has gone; what cannot go is not tried again when Python ends."""
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise
    return code


class FailingCommand(Failing):
    """A single command that is a console script of its own."""


class FailingGroup(Failing, click.Group):
    """A group that is a console script of its own."""


def _have_streams() -> None:
    """Python has none where they were closed (``>&-``); and no encoding is to end a command."""
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 # to the end
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _keep_out() -> None:
    """Keep the driver from importing numpy and its kin, which it takes up wherever they are installed.

    They cost 0.2 s a command, and none of ours hands arrays to the driver. This process is ours alone;
    in a program that uses the package as a library nothing is kept out.
    """
    for name in _KEPT_OUT:
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]  # None makes the import fail


def let_in(*names: str) -> None:
    """Undo ``_keep_out``, for all or some, in a command that embeds or loads in bulk."""
    for name in names or _KEPT_OUT:
        if sys.modules.get(name, ...) is None:
            del sys.modules[name]
