"""``tuqa trust``."""

from __future__ import annotations

from pathlib import Path

import click

from ..consent import Consents
from ..errors import BadSettings, UsageError
from ..render.terminal import escape_controls
from ..settings import FILE, SettingsFile, read_settings_file
from .connection import is_interactive


@click.command()
@click.argument("path", type=click.Path(path_type=Path), default=Path(), metavar="[PATH]")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--forget", is_flag=True, help="Take back what was allowed.")
@click.option("--list", "as_list", is_flag=True, help="List the allowed files.")
def command(path: Path, yes: bool, forget: bool, as_list: bool) -> None:
    """Trust the tuqa.toml of a working folder.

    PATH is the file or its folder, the working folder by default. The file counts with the content that is
    shown: after a change it is held back again.

    \b
    Example:
      tuqa trust
      tuqa trust ~/films/tuqa.toml --yes
      tuqa trust --list
    """
    consents = Consents.of_user()
    if as_list:
        for file_path in sorted({str(allowed) for _, allowed in consents}):
            click.echo(escape_controls(file_path))
        return
    path = (path / FILE if path.is_dir() and path.name != FILE else path).absolute()
    if forget:
        count = consents.remove(path)
        click.echo(f"{path}: {'not allowed any more' if count else 'was not allowed'}", err=True)
        return
    file = read_settings_file(path)
    _show(file, is_allowed=consents.has(file.digest))
    if not file.held_back or consents.has(file.digest):
        return
    if not yes and not _confirm(path):
        click.echo("nothing allowed", err=True)
        raise click.exceptions.Exit(1)
    try:
        consents.add(file.digest, path)
    except OSError as error:
        raise BadSettings(
            f"the consent cannot be stored ({error.strerror})",
            where=str(error.filename or consents.folder),
            hint=getattr(error, "hint", "") or "make the folder one that you can write",
        ) from error
    click.echo(f"{escape_controls(str(path))}: allowed", err=True)


def _show(file: SettingsFile, *, is_allowed: bool) -> None:
    click.echo(escape_controls(str(file.path)))
    for line in file.describe():
        key = line.partition(" ")[0]
        mark = "needs consent" if key in file.held_back and not is_allowed else "counts"
        click.echo(f"  {escape_controls(line)}  ({mark})")


def _confirm(path: Path) -> bool:
    if not is_interactive():
        raise UsageError(
            "consent is asked for on a terminal", where=str(path), hint="--yes allows it unasked"
        )
    return click.confirm("use these settings whenever a command runs in this folder?", err=True)
