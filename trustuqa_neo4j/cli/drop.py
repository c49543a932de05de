"""``tuqa drop``."""

from __future__ import annotations

import click

from ..errors import NotBuilt
from .connecting import connect, connecting


@click.command()
@click.argument("dataset")
@click.option("--source", help="Delete this source only.", metavar="NAME")
@connecting
def command(
    dataset: str, source: str | None, uri: str | None, username: str | None, database: str | None
) -> None:
    """Delete a dataset.

    It is invisible at once; an interrupted drop is finished by running it again.

    \b
    Example:
      tuqa drop films
    """
    if source is not None:
        raise NotBuilt("--source is not built in this version", hint="drop the whole dataset")
    with connect(uri, username, database) as tuqa:
        dropped = tuqa.drop(dataset)
    click.echo(f"{dataset}: {dropped.facts:,} facts and {dropped.nodes:,} nodes deleted")
