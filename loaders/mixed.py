"""``mixed``: files of several formats, each in the one that its content shows, as one load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trustuqa_neo4j.errors import UsageError
from trustuqa_neo4j.loading.format_detection import MIXED, choose_loader, detect_formats
from trustuqa_neo4j.loading.formats import File, Loader, ReadOptions
from trustuqa_neo4j.loading.table_options import DEFAULT_TABLE_OPTIONS
from trustuqa_neo4j.model.facts import Item
from trustuqa_neo4j.wording import CallOption


def read_items(files: Sequence[File], options: ReadOptions) -> Iterator[Item]:
    prefers_tables = options.table != DEFAULT_TABLE_OPTIONS
    parts: dict[str, tuple[Loader, list[File]]] = {}
    for file, detected in zip(files, detect_formats(files, options.encoding), strict=True):
        loader, _ = choose_loader([detected], prefers_tables)
        parts.setdefault(loader.name, (loader, []))[1].append(file)
    if len(parts) > 1 and options.source is not None:
        hint = f"leave {CallOption.SOURCE} out, or load the files of each format by themselves"
        raise UsageError("one source of several formats", where=", ".join(parts), hint=hint)
    for loader, part in parts.values():
        yield from loader.read(part, options)


LOADER = Loader(
    name=MIXED,
    summary="files of several formats, each in its own",
    kind="kg",
    read=read_items,
    has_table_options=True,
    reads=frozenset({"table", "kg", "temporal-kg", "rdf", "json", "sql"}),
)
