"""``tuqa-load``."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError, format_list, format_rest
from ..model.demonstration import format_group, name_group
from . import background, output
from .connection import confirm_replacement, connect, connection_options, resolve_server
from .demonstrations import (
    format_counts,
    print_skipped_lines,
    read_demonstrations,
    store_demonstrations,
)
from .main import ErrorHandlingCommand, allow_imports

if TYPE_CHECKING:
    from ..embedding import Encoder
    from ..graph.connection import Connection
    from ..graph.load_journal import LoadMode
    from ..loading.formats import DetectedFormat
    from ..loading.load import LoadJob
    from ..loading.load_inputs import LoadInputs
    from ..loading.request import LoadReport, LoadRequest, Replacement
    from ..loading.table_options import TableOptions
    from ..values import ValueOptions
    from .demonstrations import CountsByDataset


MAX_DETECTED = 5
"""Inputs whose formats are printed one by one."""


@click.command(cls=ErrorHandlingCommand, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("words", nargs=-1, metavar="[FORMAT] PATH...")
@click.option("--list", "list_formats", is_flag=True, help="List the formats and their names.")
@click.option("--dataset", help="Name of the dataset.  [default: name of the file]", metavar="NAME")
@click.option("--source", help="Name of the source.  [default: path of each file]", metavar="NAME")
@click.option(
    "--replace",
    "--replace-source",
    is_flag=True,
    help="Replace the sources that are loaded; keep others.",
)
@click.option("--replace-all", is_flag=True, help="Replace the contents of the dataset.")
@click.option("--yes", is_flag=True, help="Replace without asking.")
@click.option("--append", is_flag=True, help="Add new sources to the dataset.")
@click.option(
    "--refresh", is_flag=True, help="Load the files of a dataset anew that have changed; no PATH."
)
@click.option("--dry-run", is_flag=True, help="Read and check the files; write nothing.")
@click.option("--no-embeddings", is_flag=True, help="Do not embed names.")
@click.option(
    "--wait", is_flag=True, help="Wait until names are embedded, also those of large files."
)
@click.option("--vectors-of", hidden=True, metavar="NAME")
@click.option("--no-class-labels", is_flag=True, help="Do not label nodes with their classes.")
@click.option(
    "--bulk/--no-bulk",
    default=None,
    help="Load with the import tool, faster, into an empty embedded database.  [default: large files]",
)
@click.option("--batch-size", type=click.IntRange(1, 1_000_000), help="Facts in a transaction.")
@click.option(
    "--encoding",
    default="auto",
    help="Encoding of the files.  [default: UTF-8, or another one that is beyond doubt]",
)
@click.option(
    "--skip-bad", type=click.IntRange(0), default=0, help="Number of malformed lines to skip."
)
@click.option(
    "--dates",
    multiple=True,
    help="Order of day and month: dmy, mdy or iso; what Jan-24 is: my or dm; repeatable for single columns.",
    metavar="[COLUMN=]ORDER",
)
@click.option(
    "--decimal",
    multiple=True,
    help='Decimal sign: "." or ","; repeatable for single columns.',
    metavar="[COLUMN=]SIGN",
)
@click.option(
    "--null",
    multiple=True,
    help='A word that means "no value"; repeatable.',
    metavar="[COLUMN=]WORD",
)
@click.option(
    "--header", help="Line of the header of a table, its lines (1-2), or none.", metavar="N"
)
@click.option("--skip", type=int, help="Lines above the header that are not read.", metavar="N")
@click.option("--skip-end", type=int, help="Rows at the end to leave out.", metavar="N")
@click.option(
    "--delimiter", help="Sign between the cells of a table as text, or its name.", metavar="SIGN"
)
@click.option("--sheet", multiple=True, help="Sheet to read; repeatable.", metavar="NAME")
@click.option("--columns", multiple=True, help="Columns to read; repeatable.", metavar="A,B")
@click.option(
    "--rename", multiple=True, help="New name of a column; repeatable.", metavar="OLD=NEW"
)
@click.option(
    "--type",
    "types",
    multiple=True,
    help="Type of a column: text, number or date; repeatable.",
    metavar="COLUMN=TYPE",
)
@click.option(
    "--split",
    multiple=True,
    help="Separator of several values in the cells of a column; repeatable.",
    metavar="COLUMN=SIGN",
)
@click.option(
    "--demonstrations",
    type=click.File("rb"),
    help="Questions with queries to store, as JSON lines.",
    metavar="FILE.jsonl",
)
@click.option("--quiet", is_flag=True, help="Show no progress bars and no detected format.")
@click.option("--json", "as_json", is_flag=True, help="Print the totals as JSON.")
@click.version_option(package_name="trustuqa-neo4j", prog_name="tuqa-load")
@connection_options
def main(words: tuple[str, ...], **options: Any) -> None:
    """Load files into a dataset.

    PATH is a file or folder, "-" for standard input, or the address of a database. The content shows the
    format, and the command prints which one it is. To choose another one, or a benchmark, give FORMAT;
    --list shows the formats.
    The data becomes visible when the load is complete. To continue an interrupted load, run the same
    command again. --replace and --replace-all first list what they delete, and ask on a terminal.

    \b
    Example:
      tuqa-load films.csv
      tuqa-load kg films.tsv --dataset films
      zcat kb.txt.gz | tuqa-load - --dataset films --source kb
    """
    if options["list_formats"]:
        _print_formats()
        return
    if options["vectors_of"] is not None:
        _embed(options["vectors_of"], options)
        return
    if options["refresh"]:
        _refresh(words, options)
        return
    _load(words, options)


def _print_formats() -> None:
    from ..loading.formats import list_loaders

    loaders = list_loaders().values()
    for loader in loaders:
        if not loader.benchmark:
            click.echo(f"{loader.name:<20}{loader.summary}")
            if loader.aliases:
                click.echo(f"{'':<20}also called {', '.join(loader.aliases)}")
            if loader.suffixes:
                click.echo(f"{'':<20}suffixes {' '.join(loader.suffixes)}")
    click.echo("\nbenchmarks:")
    for loader in loaders:
        if loader.benchmark:
            click.echo(f"{loader.name:<20}{loader.summary}")


def _load(words: tuple[str, ...], options: dict[str, Any]) -> None:
    # The driver has to come before the packages that it would import; Parquet needs them.
    from ..graph import connection  # noqa: F401

    allow_imports()
    from ..loading.load_inputs import LoadInputs
    from ..loading.table_options import DEFAULT_TABLE_OPTIONS

    with ExitStack() as copies:
        prefers_tables = _table_options(options) != DEFAULT_TABLE_OPTIONS
        inputs = LoadInputs.from_words(words, options["encoding"], copies, prefers_tables)
        dataset = _dataset_name(inputs.words, options["dataset"])
        if not (options["quiet"] or options["as_json"]):  # JSON has a field for it
            _print_detected(inputs.detected)
        _load_inputs(inputs, dataset, options)


def _refresh(words: tuple[str, ...], options: dict[str, Any]) -> None:
    from ..graph import connection  # noqa: F401

    allow_imports()
    from ..loading.refresh import choose_dataset, plan_refresh
    from ..loading.table_options import TableOptions
    from ..values import ValueOptions

    has_options = (
        _table_options(options) != TableOptions() or _value_options(options) != ValueOptions()
    )
    if words or has_options or _load_mode(options) != "new" or options["source"] is not None:
        raise UsageError(
            "--refresh reads the files again that a dataset was loaded from",
            hint="give --dataset alone: format and options are those of the first load; to load other "
            "files or with other options, leave out --refresh",
        )
    with output.progress_bars(options["quiet"]) as progress, _open_connection(options) as opened:
        dataset = choose_dataset(opened, options["dataset"])
        refresh = plan_refresh(opened, dataset, progress)
    if options["as_json"] and not refresh.requests:
        click.echo(output.format_json({"dataset": dataset, "unchanged": [*refresh.unchanged]}))
    elif refresh.unchanged and not options["as_json"]:
        click.echo(f"{dataset}: unchanged: {format_list([*refresh.unchanged], 10)}")
    for request in refresh.requests:
        own = {
            "skip_bad": options["skip_bad"],
            "batch_size": options["batch_size"],
            "dry_run": options["dry_run"],
            "class_labels": not options["no_class_labels"],
        }
        _run_load(replace(request, **own), options | {"yes": True, "bulk": False})


def _embed(dataset: str, options: dict[str, Any]) -> None:
    # The names of a dataset that was loaded by another process.
    allow_imports()
    from ..graph import load_journal
    from ..loading.embed_names import embed_names
    from ..loading.request import Progress

    open_encoder = _encoder_opener(options)
    if open_encoder is None:
        return
    owner = load_journal.make_owner()
    with _open_connection(options) as opened:
        embed_names(opened, dataset, open_encoder(), Progress(), lambda: None, owner)


def _print_detected(detected: Sequence[DetectedFormat]) -> None:
    # Those with an alternative first.
    ordered = sorted(detected, key=lambda source: not source.alternative)
    for source in ordered[:MAX_DETECTED]:
        click.echo(str(source), err=True)
    if len(ordered) > MAX_DETECTED:
        rest = format_rest(len(ordered), MAX_DETECTED, "file")
        click.echo(f"{rest}: {ordered[0].format}", err=True)


def _load_inputs(inputs: LoadInputs, dataset: str, options: dict[str, Any]) -> None:
    from ..loading.request import LoadRequest

    request = LoadRequest(
        loader=inputs.loader,
        paths=inputs.paths,
        given=inputs.files,
        detected=inputs.detected,
        dataset=dataset,
        source=options["source"],
        mode=_load_mode(options),
        values=_value_options(options),
        table=_table_options(options),
        encoding=options["encoding"],
        skip_bad=options["skip_bad"],
        batch_size=options["batch_size"],
        dry_run=options["dry_run"],
        class_labels=not options["no_class_labels"],
    )
    _run_load(request, options)


def _run_load(request: LoadRequest, options: dict[str, Any]) -> None:
    from ..loading.load import load

    write = _choose_writer(options)
    file = options["demonstrations"]
    demonstrations = read_demonstrations(file, request.dataset) if file else None
    with output.progress_bars(options["quiet"]) as progress:

        def confirm(replacement: Replacement) -> None:
            with progress.suspend():
                confirm_replacement(replacement, options["yes"])

        report = load(
            lambda: _open_connection(options),
            request,
            progress,
            _encoder_opener(options),
            write,
            confirm,
            None if options["wait"] else lambda: _embed_later(request.dataset, options),
        )
    counts: CountsByDataset = {}
    if request.mode in ("replace", "replace-all") and not request.dry_run:
        counts = _verify_again(request.dataset, options)
    if demonstrations and not request.dry_run:
        with connect(options["neo4j"]) as tuqa:
            counts |= store_demonstrations(
                tuqa.demonstrations, demonstrations, quiet=options["quiet"]
            )
    _print_report(report, counts, options["as_json"])
    if demonstrations:
        print_skipped_lines(demonstrations)


def _verify_again(dataset: str, options: dict[str, Any]) -> CountsByDataset:
    # Verify the demonstrations that a replacement made candidates; returns how many work.
    with (
        connect(options["neo4j"]) as tuqa,
        output.progress_bars(options["quiet"]) as progress,
    ):
        verified = tuqa.demonstrations.verify_replaced(dataset, progress)
    return {name_group(datasets): asdict(counts) for datasets, counts in verified.items()}


def _choose_writer(options: dict[str, Any]) -> Callable[[LoadJob], None]:
    # The import tool needs the embedded server, since it stops and starts it.
    from ..loading.load import write_by_batches

    if not options["bulk"] and (
        options["bulk"] is False or options["batch_size"] or options["dry_run"]
    ):
        return write_by_batches
    settings = options["neo4j"].read_settings()
    if settings.uri is not None:
        if not options["bulk"]:
            return write_by_batches
        raise UsageError(
            "--bulk fills the embedded database only",
            where=settings.uri,
            hint="load without --bulk, or without --uri and NEO4J_URI",
        )
    from .. import embedded
    from ..embedded.home import embedded_extra

    with embedded_extra():
        from ..bulk.bulk_load import BulkLoad

    is_required = options["bulk"] is True
    return BulkLoad(embedded.EmbeddedServer.from_settings(settings), is_required=is_required)


def _encoder_opener(options: dict[str, Any]) -> Callable[[], Encoder] | None:
    from ..embedding import NO_EMBEDDER, open_embedder
    from ..private_folder import make_private_folder
    from ..settings import Settings

    settings = Settings.read()
    if options["no_embeddings"] or settings.embedder == NO_EMBEDDER:
        return None

    def open_encoder() -> Encoder:
        make_private_folder(settings.home)
        return open_embedder(settings.embedder, settings.home)

    return open_encoder


def _embed_later(dataset: str, options: dict[str, Any]) -> None:
    from ..settings import Settings

    background.start(dataset, Settings.read().home, options["neo4j"])


@contextmanager
def _open_connection(options: dict[str, Any]) -> Iterator[Connection]:
    from ..graph.connection import Connection

    settings = resolve_server(options["neo4j"])
    with closing(Connection.open(settings)) as connection:
        yield connection


def _dataset_name(paths: tuple[str, ...], name: str | None) -> str:
    from ..loading.inputs import name_dataset

    name = name_dataset(paths) if name is None else name
    if name is None:
        hint = "give --dataset NAME"
        raise UsageError("several files or standard input need a name", hint=hint)
    return name


def _value_options(options: dict[str, Any]) -> ValueOptions:
    from ..loading.table_options import add_types
    from ..values import ValueOptions

    dates = _settings_by_column("dates", options["dates"], ("dmy", "mdy", "iso", "my", "dm"))
    decimal = _settings_by_column("decimal", options["decimal"], (".", ","))
    null: dict[str, set[str]] = {}
    for text in options["null"]:
        column, equals, word = text.partition("=")
        is_of_column = column and equals
        null.setdefault(column if is_of_column else "", set()).add(word if is_of_column else text)
    columns = {
        name: ValueOptions(dates.get(name), decimal.get(name), frozenset(null.get(name, ())))
        for name in sorted({*dates, *decimal, *null} - {""})
    }
    values = ValueOptions(
        dates.get(""), decimal.get(""), frozenset(null.get("", ())), columns=columns
    )
    return add_types(values, _pairs("type", options["types"], "COLUMN=TYPE"))


def _table_options(options: dict[str, Any]) -> TableOptions:
    from ..loading.table_options import TableOptions, parse_delimiter, parse_header

    header = options["header"]
    return TableOptions(
        header=None if header is None else parse_header(header),
        skip=options["skip"],
        skip_end=options["skip_end"],
        delimiter=parse_delimiter(options["delimiter"] or ""),
        sheets=options["sheet"],
        columns=tuple(name for text in options["columns"] for name in next(csv.reader([text]))),
        rename=_pairs("rename", options["rename"], "OLD=NEW"),
        split=_pairs("split", options["split"], "COLUMN=SIGN"),
    )


def _pairs(option: str, texts: tuple[str, ...], form: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, setting = text.partition("=")
        if not (name and equals and setting):
            raise UsageError(f"--{option} {text!r}", hint=f"write it as {form}")
        if pairs.setdefault(name, setting) != setting:
            where = f"column {name!r}"
            raise UsageError(f"two settings of --{option}", where=where, hint="give one of them")
    return pairs


def _settings_by_column(option: str, texts: tuple[str, ...], settings: tuple[str, ...]) -> Any:
    # Column → setting; the empty name is for all columns without a setting of their own.
    by_column: dict[str, str] = {}
    for text in texts:
        column, equals, setting = text.rpartition("=")
        if setting not in settings or (equals and not column):
            raise UsageError(
                f"--{option} {text!r}",
                hint=f"give {' or '.join(settings)}; COLUMN={settings[0]} is for one column",
            )
        if by_column.setdefault(column, setting) != setting:
            where = f"column {column!r}" if column else ""
            raise UsageError(f"two settings of --{option}", where=where, hint="give one of them")
    return by_column


def _load_mode(options: dict[str, Any]) -> LoadMode:
    modes: list[LoadMode] = ["append", "replace", "replace-all"]
    chosen: list[LoadMode] = [mode for mode in modes if options[mode.replace("-", "_")]]
    if len(chosen) > 1:
        names = " and ".join(f"--{mode}" for mode in chosen)
        raise UsageError(f"{names} contradict each other", hint="give one of them")
    return chosen[0] if chosen else "new"


def _print_report(report: LoadReport, counts: CountsByDataset, as_json: bool) -> None:
    for error in report.bad:
        click.echo(f"skipped {error.where}: {error.what}", err=True)
    for text, remark in report.remarks.items():
        places = format_list(remark.places, len(remark.places), total=remark.times)
        click.echo(f"note: {text}: {places}", err=True)
    if report.embedding:
        click.echo(f"note: names are not embedded: {report.embedding}", err=True)
    if as_json:
        fields = report.to_dict()
        labelled = {format_group(group): group_counts for group, group_counts in counts.items()}
        click.echo(output.format_json(fields | ({"demonstrations": labelled} if counts else {})))
        return
    click.echo(report.summary())
    if report.tables:
        from .preview import print_previews

        print_previews(report.tables)
    for group, group_counts in counts.items():
        click.echo(f"demonstrations of {format_counts(group, group_counts)}")
