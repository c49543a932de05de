"""The options --uri, --username and --database, and the client that they select."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import format_rest
from ..render.terminal import escape_controls
from ..settings import Settings

if TYPE_CHECKING:
    from ..client import TrustUQA
    from ..loading.request import Replacement
    from ..model.dataset import Source

F = TypeVar("F", bound=Callable[..., Any])

_MAX_SOURCES = 20

_OPTIONS = (
    click.option("--uri", help="Address of a Neo4j server.  [env: NEO4J_URI]", metavar="URI"),
    click.option(
        "--username", help="User name on the server.  [env: NEO4J_USERNAME]", metavar="NAME"
    ),
    click.option(
        "--database", help="Database on the server.  [env: NEO4J_DATABASE]", metavar="NAME"
    ),
)


def no_inference_option(command: F) -> F:
    return click.option(
        "--no-inference",
        is_flag=True,
        help="Count only stored facts, not those that follow from them by the ontology.",
    )(command)


def connection_options(command: F) -> F:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def connect(uri: str | None, username: str | None, database: str | None) -> TrustUQA:
    # Without an address the embedded server is started and left running.
    from ..client import TrustUQA

    return TrustUQA.connect(resolve_server(uri, username, database))


def resolve_server(uri: str | None, username: str | None, database: str | None) -> Settings:
    settings = Settings.read(uri=uri, username=username, database=database)
    if settings.uri is None:
        from .. import embedded
        from .output import download_progress

        with download_progress() as progress:
            settings = embedded.ensure_running(
                settings, notify=lambda message: click.echo(message, err=True), progress=progress
            )
    return settings


def check_start(tuqa: TrustUQA, datasets: Sequence[str]) -> None:
    """Check the options of a server at its start, not at the first question.

    Raises:
        BadSettings, UsageError, MissingExtra: the model cannot be used.
        UnknownDataset: one of ``datasets`` does not exist.
    """
    tuqa.asked_by()
    for dataset in datasets:
        tuqa.schema(dataset)


def is_interactive() -> bool:
    return sys.stdin.isatty()


def confirm_deletion(tuqa: TrustUQA, dataset: str, source: str | None, yes: bool) -> None:
    # List what a command deletes and ask, on a terminal and without --yes.
    stored = next((entry for entry in tuqa.datasets() if entry.name == dataset), None)
    if yes or stored is None or not is_interactive():
        return
    _print_sources([entry for entry in stored.sources if source in (None, entry.name)])
    if not click.confirm(f"delete this of {dataset!r}?", err=True):
        click.echo("nothing deleted", err=True)
        raise click.exceptions.Exit(1)


def confirm_replacement(replacement: Replacement, yes: bool) -> None:
    # List what a load deletes first; ask on a terminal and without --yes.
    click.echo(f"to be deleted from {replacement.dataset!r} before the load:", err=True)
    _print_sources(replacement.sources)
    if count := replacement.demonstrations:
        noun = "demonstration stays" if count == 1 else "demonstrations stay"
        click.echo(f"  {count:,} {noun}, to be verified again", err=True)
    if yes or not is_interactive():
        return
    if not click.confirm("replace this?", err=True):
        click.echo("nothing replaced", err=True)
        raise click.exceptions.Exit(1)


def _print_sources(sources: Sequence[Source]) -> None:
    for source in sources[:_MAX_SOURCES]:
        click.echo(f"  source {escape_controls(source.name)}: {source.facts:,} facts", err=True)
    if unlisted := sources[_MAX_SOURCES:]:
        facts = sum(source.facts for source in unlisted)
        rest = format_rest(len(sources), _MAX_SOURCES, "source")
        click.echo(f"  {rest}: {facts:,} facts", err=True)
