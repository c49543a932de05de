"""``tuqa drop``."""

from __future__ import annotations

import click

from .connecting import connect, connecting


@click.command()
@click.argument("dataset")
@click.option("--source", help="Delete this source only.", metavar="NAME")
@connecting
def command(
    dataset: str, source: str | None, uri: str | None, username: str | None, database: str | None
) -> None:
    """Delete a dataset, or one source of it.

    A dataset is invisible at once; with --source, what other sources say too is kept. An interrupted drop
    is finished by running it again.

    \b
    Example:
      tuqa drop films
      tuqa drop films --source films.tsv
    """
    with connect(uri, username, database) as tuqa:
        dropped = tuqa.drop(dataset, source)
    what = dataset if source is None else f"{dataset}, {source}"
    click.echo(f"{what}: {dropped.facts:,} facts and {dropped.nodes:,} nodes deleted")
