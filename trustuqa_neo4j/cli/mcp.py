"""``tuqa mcp``."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ..errors import require_extra
from ..settings import Settings
from ..wording import use_words_of
from .connection import Neo4jOptions, check_start, connection_options, resolve_server
from .main import allow_imports
from .question_options import agent_folder, table_option

# The file that a program reads, and the object in it that lists its servers.
_PROGRAMS = {
    "claude": ("", ""),
    "cursor": (".cursor/mcp.json", "mcpServers"),
    "vscode": (".vscode/mcp.json", "servers"),
}


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
@agent_folder
@click.option(
    "--register",
    "program",
    type=click.Choice([*_PROGRAMS]),
    help="Print what makes this server known to a program, and serve nothing.",
)
@table_option("llm")
@table_option("timeout", help="Maximum time for one call but `load`, in seconds.")
@connection_options
def command(
    dataset: tuple[str, ...],
    private: bool,
    allow_teach: bool,
    agent_loads: Path | None,
    program: str | None,
    llm: str | None,
    timeout: float,
    neo4j: Neo4jOptions,
) -> None:
    """Serve agents by the Model Context Protocol.

    The program with the agent starts this command and speaks with it on standard input and output, until it
    closes the input. Agents only read, unless they are allowed more.

    \b
    Example:
      tuqa mcp --dataset films
      tuqa mcp --private
      tuqa mcp --dataset films --register cursor
    """
    if program is not None:
        if "@" in (neo4j.uri or ""):
            raise click.UsageError("--uri has a password, which is not printed; use NEO4J_PASSWORD")
        _register(program)
        return
    with require_extra("serve", "agents need"):
        from ..mcp.server import make_server
        from ..server.agent_loads import open_changes
    from ..client import TrustUQA

    settings = resolve_server(neo4j)
    with ExitStack() as stack:
        client = TrustUQA.connect(settings, llm=llm, datasets=list(dataset) or None)
        tuqa = stack.enter_context(client)
        check_start(tuqa, () if agent_loads else dataset)
        allow_imports()
        server = make_server(
            tuqa,
            private=private,
            allow_teach=allow_teach,
            load_folder=agent_loads,
            changes=stack.enter_context(open_changes(tuqa, timeout)) if agent_loads else None,
            timeout=timeout,
        )
        with use_words_of("mcp"):
            server.run("stdio")


def _register(program: str) -> None:
    """Print the command or the file that makes the server with these options known to ``program``."""
    # The program starts it in another folder, and with another PATH.
    words = [str(Path(sys.argv[0]).absolute()), "mcp", *_list_options(click.get_current_context())]
    file, key = _PROGRAMS[program]
    if not file:
        click.echo(f"claude mcp add tuqa -- {shlex.join(words)}")
        click.echo("Run this command.", err=True)
    else:
        server = {"type": "stdio", "command": words[0], "args": words[1:]}
        click.echo(json.dumps({key: {"tuqa": server}}, indent=2, ensure_ascii=False))
        click.echo(f"Write this to {file} in the folder of your project.", err=True)
    if Settings.read().password is not None:
        click.echo(
            "The program needs NEO4J_PASSWORD in its environment: it is not printed.", err=True
        )


def _list_options(context: click.Context) -> Iterator[str]:
    """The options that were given, without --register."""
    for option in context.command.params:
        name = option.name or ""
        is_given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if not is_given or name == "program":
            continue
        value: Any = context.params[name]
        for text in value if isinstance(value, tuple) else (value,):
            yield option.opts[0]
            if text is not True:
                yield str(text)
