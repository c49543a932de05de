"""``tuqa grammar``."""

from __future__ import annotations

import click

from ..language.gbnf import write_gbnf


@click.command()
@click.option(
    "--gbnf", "_gbnf", is_flag=True, help="Print GBNF, the notation of llama.cpp; the default."
)
def command(_gbnf: bool) -> None:
    """Print a grammar of the query language for model servers.

    A server with the grammar lets a model write nothing else. llama.cpp takes the text as --grammar-file and
    in the field "grammar" of a request, vLLM in "guided_grammar": --extra-body of `tuqa ask` sends such a
    field.

    \b
    Example:
      tuqa grammar --gbnf > queries.gbnf
    """
    click.echo(write_gbnf(), nl=False)
