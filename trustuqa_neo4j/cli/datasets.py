"""``tuqa datasets``, ``tuqa drop``, ``tuqa rename``, ``tuqa export`` and ``tuqa triples``."""

from __future__ import annotations

from shlex import quote

import click

from ..errors import DataError, UsageError, format_count, format_list
from ..model.dataset import dataset_cells
from ..render.terminal import escape_controls
from ..wording import render_options
from .connection import Neo4jOptions, confirm_deletion, connect, connection_options
from .output import fits_terminal, format_json, make_table, print_renderable, progress_bars


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@connection_options
def datasets_command(
    as_json: bool,
    neo4j: Neo4jOptions,
) -> None:
    """List the datasets in the database.

    The table shows name, kind, number of sources, nodes, facts and embedded names, the time of the load and
    the files. A dataset whose load has not finished is marked "not complete" and cannot be queried.

    \b
    Example:
      tuqa datasets
      tuqa datasets --json
    """
    with connect(neo4j) as tuqa:
        datasets = tuqa.datasets()
    if as_json:
        click.echo(format_json([dataset.to_dict() for dataset in datasets], indent=2))
        return
    if not datasets:
        click.echo("nothing is loaded; load something with tuqa-load", err=True)
        return
    files = [
        format_list([file for source in dataset.sources for file in source.files], 3)
        for dataset in datasets
    ]
    rows = [
        (*map(escape_controls, dataset_cells(dataset)), escape_controls(names))
        for dataset, names in zip(datasets, files, strict=True)
    ]
    counts = ("sources", "nodes", "facts", "embedded")
    columns = ("dataset", "kind", *counts, "loaded", "from")
    widths = [max(map(len, column)) for column in zip(*rows, columns, strict=True)]
    if not fits_terminal(sum(widths) + 2 * len(widths)):
        # Two lines a dataset, so that no name is broken.
        for (name, kind, *_, embedded, loaded, origin), dataset in zip(rows, datasets, strict=True):
            sources = format_count(len(dataset.sources), "source")
            nodes, facts = format_count(dataset.nodes, "node"), format_count(dataset.facts, "fact")
            listed = f"{sources}, {nodes}, {facts}, {embedded} embedded"
            click.echo(f"{name} ({kind}): {listed}\n  {loaded}, from {origin}")
        return
    table = make_table(columns[:2], counts)
    table.add_column("loaded")
    table.add_column("from", overflow="fold")
    for row in rows:
        table.add_row(*row)
    print_renderable(table)


@click.command()
@click.argument("dataset")
@click.option("--source", help="Delete only this source.", metavar="NAME")
@click.option(
    "--unfinished",
    is_flag=True,
    help="Delete only what an interrupted --replace or --append has written.",
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@connection_options
def drop_command(
    dataset: str, source: str | None, unfinished: bool, yes: bool,
    neo4j: Neo4jOptions,
) -> None:  # fmt: skip
    """Delete a dataset, or one source of it.

    On a terminal the command lists what it deletes and asks first. Scripts are not asked.

    The dataset becomes invisible immediately. With --source, facts that other sources contain too are kept.
    If the command is interrupted, run it again.

    \b
    Example:
      tuqa drop films
      tuqa drop films --source films.tsv
    """
    if unfinished and source is not None:
        raise UsageError("--unfinished and --source contradict each other", hint="give one of them")
    if unfinished:
        with connect(neo4j) as tuqa:
            is_dropped = tuqa.drop_unfinished(dataset)
        outcome = (
            "what the unfinished load has written is deleted"
            if is_dropped
            else "nothing is unfinished"
        )
        click.echo(f"{dataset}: {outcome}")
        return
    with connect(neo4j) as tuqa:
        confirm_deletion(tuqa, dataset, source, yes)
        dropped = tuqa.drop(dataset, source)
    name = dataset if source is None else f"{dataset}, {source}"
    click.echo(f"{name}: {dropped.facts:,} facts and {dropped.nodes:,} nodes deleted")
    if dropped.demonstrations:
        demonstrations = format_count(dropped.demonstrations, "demonstration")
        click.echo(f"also deleted: {demonstrations} of {dataset} together with other datasets")


@click.command()
@click.argument("dataset")
@click.argument("name")
@connection_options
def rename_command(
    dataset: str,
    name: str,
    neo4j: Neo4jOptions,
) -> None:
    """Give a dataset another name.

    Its demonstrations, wrong answers, synonyms and notes go along. A dataset that is being loaded cannot be
    renamed.

    \b
    Example:
      tuqa rename films movies
    """
    with connect(neo4j) as tuqa:
        tuqa.rename(dataset, name)
    click.echo(f"{dataset} is now {name}")


@click.command()
@click.argument("dataset")
@click.argument("folder", metavar="[DIR]", required=False)
@click.option(
    "--neo4j", "address", help="Write a property graph to this database.", metavar="ADDRESS"
)
@click.option("--replace", is_flag=True, help="With --neo4j: delete an earlier export first.")
@click.option("--quiet", is_flag=True, help="No progress bar.")
@connection_options
def export_command(
    dataset: str, folder: str | None, address: str | None, replace: bool, quiet: bool,
    neo4j: Neo4jOptions,
) -> None:  # fmt: skip
    """Write a dataset to files, or to another Neo4j database.

    tuqa-load reads the files again. DIR is created; if it exists, it must be empty. Each source becomes a CSV
    file; manifest.json describes the files. An interrupted export leaves no files.

    With --neo4j, the dataset becomes nodes with classes as labels and values as properties, and relationships
    with relations as types. NEO4J_SOURCE_USERNAME and NEO4J_SOURCE_PASSWORD are used if ADDRESS has none.

    \b
    Example:
      tuqa export films films-2026
      tuqa export films --neo4j bolt://neo4j:secret@graphs.example:7687
      tuqa-load exported films-2026 --dataset films
    """
    from ..export.manifest import format_value_options

    if (folder is None) == (address is None) or (replace and address is None):
        raise UsageError(
            "an export goes to DIR, or to the database of --neo4j",
            hint="give one of them; --replace belongs to --neo4j",
        )
    if address is not None:
        with connect(neo4j) as tuqa, progress_bars(quiet) as progress:
            report = tuqa.export_graph(dataset, address, replace=replace, progress=progress)
        click.echo(report.summary())
        return
    assert folder is not None
    with connect(neo4j) as tuqa, progress_bars(quiet) as progress:
        exported = tuqa.export(dataset, folder, progress)
    click.echo(exported.summary())
    load_options = render_options(f" {format_value_options(exported.values)}".rstrip())
    click.echo(f"load it with: tuqa-load exported {quote(folder)} --dataset NAME{load_options}")


@click.command()
@click.argument("dataset")
@click.option("--head", help="Print only facts of this entity or row.", metavar="NAME")
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, metavar="N",
    help="Maximum number of facts.",
)  # fmt: skip
@connection_options
def triples_command(
    dataset: str, head: str | None, limit: int,
    neo4j: Neo4jOptions,
) -> None:  # fmt: skip
    """Print facts of a dataset as condition triples of the paper.

    A fact has the triples (head, relation, []) and (relation, tail, [head]), and more for its time and its
    qualifiers. A row of a table is the entity [line_i]; the first row below the header is line 1.

    \b
    Example:
      tuqa triples films --head Alien
    """
    from ..export.triples import format_triple, list_triples

    with connect(neo4j) as tuqa:
        triples = list_triples(tuqa.connection, dataset, head, limit)
    if not triples:
        raise DataError(
            f"{dataset!r} has no fact of {head!r}",
            hint=f"tuqa schema {quote(dataset)} shows names of it",
        )
    for triple in triples:
        click.echo(escape_controls(format_triple(triple)))
