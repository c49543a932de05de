"""``tuqa demo``."""

from __future__ import annotations

from shlex import quote

import click

from ..errors import DatasetExists
from ..loading.sample import DATASET, QUESTIONS, list_sample_files
from . import output
from .connection import Neo4jOptions, connect, connection_options
from .main import allow_imports
from .output import progress_bars


@click.command()
@click.option(
    "--dataset", default=DATASET, show_default=True, help="Name of the dataset.", metavar="NAME"
)
@connection_options
def command(dataset: str, neo4j: Neo4jOptions) -> None:
    """Load the sample data and ask questions of them.

    The sample is a knowledge graph, a table and a temporal graph about the missions of Apollo. It needs no
    files and no key. What is loaded already is asked again.

    \b
    Example:
      tuqa demo
      tuqa drop apollo
    """
    with connect(neo4j) as tuqa, progress_bars(quiet=False) as progress:
        allow_imports()
        files = list_sample_files()
        stored = {entry.name: entry for entry in tuqa.datasets()}
        names = {source.name for source in stored[dataset].sources} if dataset in stored else set()
        if names - {file.name for _, file in files}:
            raise DatasetExists(
                f"there is a dataset {dataset!r} with other sources",
                hint="take another name: tuqa demo --dataset NAME",
            )
        for kind, file in files:
            if file.name not in names:
                report = tuqa.load(kind, file, dataset=dataset, mode="append", progress=progress)
                click.echo(report.summary())
        answers = [(question, tuqa.ask(question, dataset)) for question in QUESTIONS]
    for question, answer in answers:
        click.echo(f'\n$ tuqa ask "{question}" --dataset {quote(dataset)}')
        output.print_answer(answer)
    click.echo("\nAsk on: tuqa chat, or on a page: tuqa serve --open")
