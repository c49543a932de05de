"""How a command ends when something is wrong: one line on stderr, the documented exit code, no traceback."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from ..errors import TrustUQAError

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""

_KEPT_OUT = ("numpy", "pandas", "pyarrow")


class Failing(click.Command):
    """Mixed into a command or group: turns our errors and Ctrl-C into messages and exit codes."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run as a console script."""
        _keep_out()
        kwargs["standalone_mode"] = False
        try:
            code = super().main(*args, **kwargs)
            sys.stdout.flush()
        except click.ClickException as error:
            error.show()
            code = error.exit_code
        except TrustUQAError as error:
            click.echo(str(error), err=True)
            code = error.exit_code
        except (click.Abort, KeyboardInterrupt):
            click.echo("interrupted", err=True)
            code = INTERRUPTED
        except BrokenPipeError:
            # The reader has had enough (`| head`); nothing may be written at exit either.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = 0
        sys.exit(code if isinstance(code, int) else 0)


class FailingCommand(Failing):
    """A single command that is a console script of its own."""


class FailingGroup(Failing, click.Group):
    """A group that is a console script of its own."""


def _keep_out() -> None:
    """Keep the driver from importing numpy and its kin, which it takes up wherever they are installed.

    They cost 0.2 s a command, and none of ours hands arrays to the driver. This process is ours alone;
    in a program that uses the package as a library nothing is kept out.
    """
    for name in _KEPT_OUT:
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]  # None makes the import fail


def let_in() -> None:
    """Undo ``_keep_out`` for a command that embeds."""
    for name in _KEPT_OUT:
        if sys.modules.get(name, ...) is None:
            del sys.modules[name]
