"""``tuqa grammar``."""

from __future__ import annotations

import click

from ..language.gbnf import write_gbnf
from ..model.dataset import list_query_relations
from .connection import Neo4jOptions, connect, connection_options


@click.command()
@click.option(
    "--gbnf", "_gbnf", is_flag=True, help="Print GBNF, the notation of llama.cpp; the default."
)
@click.option(
    "--dataset", help="Allow only the relations and columns of this dataset.", metavar="NAME"
)
@connection_options
def command(
    _gbnf: bool,
    dataset: str | None,
    neo4j: Neo4jOptions,
) -> None:
    """Print a grammar of the query language for model servers.

    A server with the grammar lets a model write nothing else. llama.cpp takes the text as --grammar-file and
    in the field "grammar" of a request, vLLM in "guided_grammar": --extra-body of `tuqa ask` sends such a
    field.

    \b
    Example:
      tuqa grammar --gbnf > queries.gbnf
      tuqa grammar --dataset films > films.gbnf
    """
    relations: list[str] = []
    if dataset is not None:
        with connect(neo4j) as tuqa:
            relations = list_query_relations([tuqa.schema(dataset)])
    click.echo(write_gbnf(relations), nl=False)
