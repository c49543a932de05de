"""``tuqa export``."""

from __future__ import annotations

from shlex import quote

import click

from .connecting import connect, connecting


@click.command()
@click.argument("dataset")
@click.argument("folder", metavar="DIR")
@click.option("--quiet", is_flag=True, help="No progress bar.")
@connecting
def command(
    dataset: str, folder: str, quiet: bool,
    uri: str | None, username: str | None, database: str | None,
) -> None:  # fmt: skip
    """Write a dataset to files that load again to the same.

    DIR is made; if it is there, it must be empty. Each source is a CSV file, and manifest.json says what
    they are. An interrupted export leaves nothing behind.

    \b
    Example:
      tuqa export films films-2026
      tuqa-load exported films-2026 --dataset films
    """
    from ..exporting.manifest import options
    from .progress import bars

    with connect(uri, username, database) as tuqa, bars(quiet) as progress:
        done = tuqa.export(dataset, folder, progress)
    click.echo(done.summary())
    wanted = f" {options(done.values)}".rstrip()
    click.echo(f"load it with: tuqa-load exported {quote(folder)} --dataset NAME{wanted}")
