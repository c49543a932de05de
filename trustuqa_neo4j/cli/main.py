"""``tuqa``: one group whose commands are imported only when they are called.

``tuqa --help`` must answer at once, and importing every command takes the driver along. So the table
below holds each command's sentence, and a test compares it with the command's own.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from .failing import Failing

COMMANDS: dict[str, tuple[str, str]] = {
    "ask": ("ask", "Ask a question in plain words."),
    "check": ("check", "Show what is wrong with queries, without running them."),
    "datasets": ("datasets", "List what is loaded."),
    "demonstrations": ("demonstrations", "Teach questions with their queries."),
    "drop": ("drop", "Delete a dataset, or one source of it."),
    "eval": ("evaluate", "Score the answers to the questions of a benchmark."),
    "export": ("export", "Write a dataset to files that load again to the same."),
    "neo4j": ("neo4j", "Start, stop and look at the embedded Neo4j server."),
    "run": ("run", "Run queries of the query language, without an LLM."),
    "schema": ("schema", "Show what a dataset is made of: classes, relations, columns."),
}
"""Name → (module of this package with a ``command``, sentence)."""


class _Lazy(Failing, click.Group):
    """Imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 # click's
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 # click's
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f".{COMMANDS[cmd_name][0]}", __package__)
        return module.command  # type: ignore[no-any-return]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(ctx)])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            near = get_close_matches(args[0], [*COMMANDS], n=1)
            have = ", ".join(COMMANDS)
            hint = f"did you mean {near[0]}?" if near else f"there are {have}"
            raise click.UsageError(f"no command {args[0]!r}; {hint}", ctx) from error


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="trustuqa-neo4j", prog_name="tuqa")
def main() -> None:
    """Answers over tables, knowledge graphs and temporal graphs in Neo4j, with proof.

    \b
    Example:
      tuqa-load kg films.tsv --dataset films
      tuqa ask "who directed Alien" --dataset films
    """
