"""``tuqa-load``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from .connecting import connect, connecting, reached
from .failing import FailingCommand, let_in
from .teaching import read, remarks, store, summary

if TYPE_CHECKING:
    from ..asking.recorded import Recorded
    from ..embedding import Encoder
    from ..graph.connection import Connection
    from ..graph.loads import Mode
    from ..loading import Job, Report
    from .teaching import Told


@click.command(cls=FailingCommand, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("format", required=False)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--list", "list_formats", is_flag=True, help="List the formats.")
@click.option("--dataset", help="Name of the dataset.  [default: after the file]", metavar="NAME")
@click.option(
    "--source", help="Name for what is read.  [default: each file's path]", metavar="NAME"
)
@click.option("--replace", is_flag=True, help="Replace what the dataset holds.")
@click.option("--append", is_flag=True, help="Add new sources to the dataset.")
@click.option("--dry-run", is_flag=True, help="Read everything, write nothing.")
@click.option("--no-embeddings", is_flag=True, help="Embed no names.")
@click.option("--bulk", is_flag=True, help="Fill an empty embedded database, much faster.")
@click.option("--batch-size", type=click.IntRange(1, 1_000_000), help="Facts a transaction.")
@click.option("--encoding", default="utf-8-sig", help="Encoding of the files.  [default: UTF-8]")
@click.option("--skip-bad", type=click.IntRange(0), default=0, help="Bad lines to pass over.")
@click.option(
    "--dates", type=click.Choice(["dmy", "mdy", "iso"]), help="Order of day and month in dates."
)
@click.option("--decimal", type=click.Choice([".", ","]), help="Decimal sign of numbers.")
@click.option("--null", multiple=True, help="A word that stands for no value.", metavar="WORD")
@click.option(
    "--demonstrations",
    type=click.File("rb"),
    help="Questions with their queries, as JSON lines.",
    metavar="FILE.jsonl",
)
@click.option("--quiet", is_flag=True, help="No progress bars.")
@click.option("--json", "as_json", is_flag=True, help="Print the totals as JSON.")
@click.version_option(package_name="trustuqa-neo4j", prog_name="tuqa-load")
@connecting
def main(format: str | None, paths: tuple[str, ...], **options: Any) -> None:  # noqa: A002
    """Load files as a dataset that can be asked.

    FORMAT is one of --list; PATH is a file, "-" for standard input, or the address of a database.
    An interrupted load is gone on with by running the same command again; nothing of it can be seen
    before it is complete.

    \b
    Example:
      tuqa-load kg films.tsv --dataset films
      zcat kb.txt.gz | tuqa-load kg - --dataset films --source kb
    """
    if options["list_formats"]:
        _list()
        return
    if format is None:
        raise click.UsageError("FORMAT and PATH are missing; --list shows the formats")
    _load(format, paths, options)


def _list() -> None:
    from ..loader import loaders

    for loader in loaders().values():
        click.echo(f"{loader.name:<20}{loader.summary}")


def _load(format_name: str, paths: tuple[str, ...], options: dict[str, Any]) -> None:
    from ..loader import loader
    from ..loading import BATCH, Request, load
    from ..values import ValueOptions
    from .progress import bars

    found = loader(format_name)
    if not paths:
        raise click.UsageError('PATH is missing: give files, or "-" for standard input')
    request = Request(
        loader=found,
        paths=paths,
        dataset=_dataset(paths, options["dataset"]),
        source=options["source"],
        mode=_mode(options),
        values=ValueOptions(options["dates"], options["decimal"], frozenset(options["null"])),
        encoding=options["encoding"],
        skip_bad=options["skip_bad"],
        batch_size=options["batch_size"] or BATCH,
        dry_run=options["dry_run"],
    )
    write = _way(options)
    recorded = _recorded(options, request.dataset)
    with bars(options["quiet"]) as progress:
        report = load(lambda: _connection(options), request, progress, _embedding(options), write)
    taught = _taught(options, recorded) if recorded and not request.dry_run else {}
    _tell(report, taught, options["as_json"])
    if recorded:
        remarks(recorded)


def _recorded(options: dict[str, Any], dataset: str) -> Recorded | None:
    """The demonstrations to be stored, read before anything is loaded.

    Raises:
        UnreadableFile, MalformedLine
    """
    return read(options["demonstrations"], dataset) if options["demonstrations"] else None


def _taught(options: dict[str, Any], recorded: Recorded) -> Told:
    """Store demonstrations of what is loaded by now, and run them."""
    with connect(options["uri"], options["username"], options["database"]) as tuqa:
        return store(tuqa.demonstrations, recorded, quiet=options["quiet"])


def _way(options: dict[str, Any]) -> Callable[[Job], None]:
    """How the data get into the database.

    Raises:
        UsageError: only the embedded server is stopped and started by this command.
    """
    from ..settings import Settings

    if not options["bulk"]:
        from ..loading import by_batches

        return by_batches
    settings = Settings.read(uri=options["uri"], database=options["database"])
    if settings.uri is not None:
        raise UsageError(
            "--bulk fills the embedded database only",
            where=settings.uri,
            hint="load without --bulk, or without --uri and NEO4J_URI",
        )
    let_in("numpy")
    from ..graph import embedded
    from ..loading import Bulk

    return Bulk(embedded.server_of(settings))


def _embedding(options: dict[str, Any]) -> Callable[[], Encoder] | None:
    """Opens the encoder, in this process, which otherwise keeps out what is slow to import."""
    from ..embedding import NONE, open_embedder
    from ..settings import Settings

    settings = Settings.read()
    if options["no_embeddings"] or settings.embedder == NONE:
        return None

    def opened() -> Encoder:
        let_in()
        settings.home.mkdir(parents=True, exist_ok=True)
        return open_embedder(settings.embedder, settings.home)

    return opened


@contextmanager
def _connection(options: dict[str, Any]) -> Iterator[Connection]:
    from ..graph.connection import Connection

    where = reached(options["uri"], options["username"], options["database"])
    with closing(Connection.open(where)) as connection:
        yield connection


def _dataset(paths: tuple[str, ...], given: str | None) -> str:
    if given is not None:
        return given
    if len(paths) == 1 and paths[0] != "-":
        from ..loading.addresses import dataset_of, is_address

        if not is_address(paths[0]):
            return Path(paths[0]).name.split(".")[0]
        if named := dataset_of(paths[0]):
            return named
    raise UsageError("several files or standard input need a name", hint="give --dataset NAME")


def _mode(options: dict[str, Any]) -> Mode:
    if options["append"] and options["replace"]:
        raise UsageError("--append and --replace contradict each other", hint="give one of them")
    return "append" if options["append"] else "replace" if options["replace"] else "new"


def _tell(report: Report, taught: Told, as_json: bool) -> None:
    for error in report.bad:
        click.echo(f"passed over {error.where}: {error.what}", err=True)
    for what, remark in report.remarks.items():
        more = (
            f" and {remark.times - len(remark.places):,} more"
            if remark.times > len(remark.places)
            else ""
        )
        click.echo(f"note: {what}: {', '.join(remark.places)}{more}", err=True)
    if report.embedding:
        click.echo(f"note: names are not embedded: {report.embedding}", err=True)
    if as_json:
        from .drawing import json_of

        told = report.to_dict()
        click.echo(json_of(told | ({"demonstrations": taught} if taught else {})))
        return
    click.echo(report.summary())
    for dataset, became in taught.items():
        click.echo(f"demonstrations of {summary(dataset, became)}")
