"""``tuqa mcp``."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import require_extra
from ..wording import use_words_of
from .connection import check_start, connection_options, resolve_server
from .main import allow_imports
from .question_options import table_option


@click.command()
@click.option(
    "--dataset",
    multiple=True,
    help="Let agents read only this dataset; repeatable.",
    metavar="NAME",
)
@click.option(
    "--private", is_flag=True, help="Tell agents outcomes and counts, but no values of the data."
)
@click.option("--allow-teach", is_flag=True, help="Let agents store demonstrations.")
@click.option(
    "--agent-loads",
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    help="Let agents load the files in this folder.",
    metavar="FOLDER",
)
@table_option("llm")
@table_option("timeout", help="Maximum time for one call but `load`, in seconds.")
@connection_options
def command(
    dataset: tuple[str, ...],
    private: bool,
    allow_teach: bool,
    agent_loads: Path | None,
    llm: str | None,
    timeout: float,
    uri: str | None,
    username: str | None,
    database: str | None,
) -> None:
    """Serve agents by the Model Context Protocol.

    The program with the agent starts this command and speaks with it on standard input and output, until it
    closes the input. Agents only read, unless they are allowed more.

    \b
    Example:
      tuqa mcp --dataset films
      tuqa mcp --private
    """
    with require_extra("serve", "agents need"):
        from ..mcp.server import make_server
    from ..client import TrustUQA

    settings = resolve_server(uri, username, database)
    with TrustUQA.connect(settings, llm=llm, datasets=list(dataset) or None) as tuqa:
        check_start(tuqa, () if agent_loads else dataset)
        allow_imports()
        server = make_server(
            tuqa,
            private=private,
            allow_teach=allow_teach,
            load_folder=agent_loads,
            timeout=timeout,
        )
        with use_words_of("mcp"):
            server.run("stdio")
