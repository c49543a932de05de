"""The options --uri, --username and --database, and the client that they select."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextvars import copy_context
from functools import partial, wraps
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from ..errors import TimedOut, format_rest
from ..render.terminal import escape_controls
from ..settings import Settings

if TYPE_CHECKING:
    from ..client import TrustUQA
    from ..loading.request import Replacement
    from ..model.dataset import Source

T = TypeVar("T")

_MAX_SOURCES = 20
_GRACE = 5.0  # seconds in which a database that answers ends a statement whose time is over
_MIN_CONNECT = 10.0  # seconds to connect, which have nothing to do with the time of a question

_OPTIONS = (
    click.option("--uri", help="Address of a Neo4j server.  [env: NEO4J_URI]", metavar="URI"),
    click.option(
        "--username", help="User name on the server.  [env: NEO4J_USERNAME]", metavar="NAME"
    ),
    click.option(
        "--database", help="Database on the server.  [env: NEO4J_DATABASE]", metavar="NAME"
    ),
)


class Neo4jOptions(NamedTuple):
    """The values of the options; those that are not given stand in the settings."""

    uri: str | None
    username: str | None
    database: str | None

    def read_settings(self) -> Settings:
        return Settings.read(**self._asdict())


def connection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command, which gets them together as ``neo4j``."""

    @wraps(command)
    def call(*arguments: Any, uri: Any, username: Any, database: Any, **options: Any) -> Any:
        return command(*arguments, neo4j=Neo4jOptions(uri, username, database), **options)

    for option in reversed(_OPTIONS):
        call = option(call)
    return call


def connect(neo4j: Neo4jOptions, timeout: float | None = None) -> TrustUQA:
    # Without an address the embedded server is started and left running.
    return connect_within(timeout, resolve_server(neo4j, timeout))


def connect_within(timeout: float | None, settings: Settings) -> TrustUQA:
    """Connect to a server that must answer within ``timeout`` seconds, and some more."""
    from ..client import TrustUQA

    if timeout is None:
        return TrustUQA.connect(settings)
    return call_within(max(timeout, _MIN_CONNECT), partial(TrustUQA.connect, settings))


def call_within(seconds: float, work: Callable[..., T], /, *arguments: Any, **options: Any) -> T:
    """Call ``work`` in a thread that is left alone if the database hangs, also at the end of the command.

    The work ends after ``seconds`` by itself as long as the database answers.

    Raises:
        TimedOut
    """
    result: Future[T] = Future()
    call = partial(copy_context().run, work, *arguments, **options)
    Thread(target=_fulfil, args=(result, call), daemon=True).start()
    try:
        return result.result(seconds + _GRACE)
    except FutureTimeoutError as error:
        if result.done():  # the error is one of the work
            raise
        raise TimedOut(
            f"the database does not answer within {seconds + _GRACE:g} seconds",
            hint="see whether its server runs, or hangs: `tuqa neo4j status` shows the embedded one",
        ) from error


def _fulfil(result: Future[T], call: Callable[[], T]) -> None:
    try:
        result.set_result(call())
    except BaseException as error:  # noqa: BLE001 # it is raised where the result is waited for
        result.set_exception(error)


def resolve_server(neo4j: Neo4jOptions, timeout: float | None = None) -> Settings:
    # ``timeout``: seconds in which a server that runs already must answer.
    settings = neo4j.read_settings()
    if settings.uri is None:
        from .. import embedded
        from .output import download_progress

        with download_progress() as progress:
            settings = embedded.ensure_running(
                settings,
                notify=lambda message: click.echo(message, err=True),
                progress=progress,
                answer_timeout=None if timeout is None else max(timeout, _MIN_CONNECT),
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
