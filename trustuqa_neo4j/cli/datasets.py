"""``tuqa datasets``."""

from __future__ import annotations

import click

from ..showing.plain import plain
from .connecting import connect, connecting
from .drawing import draw, json_of


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@connecting
def command(as_json: bool, uri: str | None, username: str | None, database: str | None) -> None:
    """List what is loaded.

    Name, kind, sources, nodes, facts, how many names are embedded and with which model, when it was
    loaded and from what. A dataset whose load has not finished says so and cannot be asked.

    \b
    Example:
      tuqa datasets
      tuqa datasets --json
    """
    with connect(uri, username, database) as tuqa:
        found = tuqa.datasets()
    if as_json:
        click.echo(json_of([dataset.to_dict() for dataset in found], indent=2))
        return
    if not found:
        click.echo("nothing is loaded; load something with tuqa-load", err=True)
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("dataset", "kind"):
        table.add_column(name, overflow="fold")
    for name in ("sources", "nodes", "facts", "embedded"):
        table.add_column(name, justify="right")
    table.add_column("loaded")
    table.add_column("from", overflow="fold")
    for dataset in found:
        files = [file for source in dataset.sources for file in source.files]
        more = f" and {len(files) - 3} more" if len(files) > 3 else ""
        loaded = (dataset.loaded or "")[:16].replace("T", " ")
        table.add_row(
            dataset.name,
            dataset.kind,
            f"{len(dataset.sources):,}",
            f"{dataset.nodes:,}",
            f"{dataset.facts:,}",
            f"{dataset.embedded:,}",
            loaded if dataset.complete else "not complete",
            plain(", ".join(files[:3]) + more),
        )
    draw(table)
