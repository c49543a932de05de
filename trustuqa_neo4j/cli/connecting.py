"""Options that say which database, and the connection they lead to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..settings import Settings

if TYPE_CHECKING:
    from ..client import TrustUQA

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--uri", help="Address of a Neo4j server.  [env: NEO4J_URI]", metavar="URI"),
    click.option("--username", help="User there.  [env: NEO4J_USERNAME]", metavar="NAME"),
    click.option("--database", help="Database there.  [env: NEO4J_DATABASE]", metavar="NAME"),
)


def connecting(command: F) -> F:
    """Add the options that ``connect`` takes."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def connect(uri: str | None, username: str | None, database: str | None) -> TrustUQA:
    """A client of the server meant; the embedded one is started if need be and left running.

    Raises:
        BadSettings, DatabaseError, MissingExtra
    """
    from ..client import TrustUQA

    return TrustUQA.connect(reached(uri, username, database))


def reached(uri: str | None, username: str | None, database: str | None) -> Settings:
    """The settings of the server meant, with its address; the embedded one is started if need be.

    Raises:
        BadSettings, DatabaseError, MissingExtra
    """
    settings = Settings.read(uri=uri, username=username, database=database)
    if settings.uri is None:
        from ..graph import embedded
        from .neo4j import jar_bar

        with jar_bar() as progress:
            settings = embedded.running(
                settings, notify=lambda what: click.echo(what, err=True), progress=progress
            )
    return settings
