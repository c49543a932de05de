"""Items that are left out between a loader and the database: missing values, and names that fit no index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..errors import UnreadableFile
from ..model.facts import ClassDeclared, Fact, Item, NodeDeclared, RelationDeclared, SourceStart
from ..values import ValueOptions
from ..wording import CallOption
from .formats import ReadOptions
from .request import MAX_NAME_LENGTH, LoadRequest

MAX_RELATION_LENGTH = 1000
"""Characters in the name of a relation or a declared class, which are stored in index entries."""


def filter_items(
    items: Iterator[Item], request: LoadRequest, options: ReadOptions
) -> Iterator[Item]:
    items = _filter_long_names(items, options)
    values = request.default_values
    has_null = values.null or any(column.null for column in values.columns.values())
    if not (has_null or request.missing):
        return items
    return _filter_missing_values(items, values, request.missing)


def _filter_missing_values(
    items: Iterator[Item],
    values: ValueOptions,
    missing: Mapping[str, Mapping[str, frozenset[str]]],
) -> Iterator[Item]:
    # Leave out facts and qualifiers whose value is a word for a missing value, and rows without a fact.
    own_words = {name: values.of_column(name).null for name in values.columns}
    words = own_words
    row: NodeDeclared | None = None
    for item in items:
        if isinstance(item, SourceStart):
            words = {**own_words, **missing.get(item.source, {})}
        if isinstance(item, NodeDeclared) and item.position is not None:
            row = item
            continue
        if isinstance(item, Fact):
            if item.tail.strip() in words.get(item.relation, values.null):
                continue
            if row is not None and row.key == item.head:
                yield row
                row = None
            if item.qualifiers:
                qualifiers = tuple(
                    (name, text)
                    for name, text in item.qualifiers
                    if text.strip() not in words.get(name, values.null)
                )
                item = item._replace(qualifiers=qualifiers)
        yield item


def _filter_long_names(items: Iterator[Item], options: ReadOptions) -> Iterator[Item]:
    # Facts and declarations whose names do not fit into an index entry are left out.
    file = ""
    for item in items:
        if isinstance(item, Fact):
            if len(item.relation) <= MAX_RELATION_LENGTH:
                yield item
                continue
            options.malformed(
                f"a relation of {len(item.relation):,} characters, and {MAX_RELATION_LENGTH:,} are allowed",
                f"{file}:{item.line}",
                "see that this is a relation; "
                f"{CallOption.SKIP_BAD.with_value('N')} passes over up to N bad lines",
            )
            continue
        if (
            isinstance(item, ClassDeclared | RelationDeclared)
            and len(item.name) > MAX_RELATION_LENGTH
        ):
            what = (
                f"is declared by a name of more than {MAX_RELATION_LENGTH:,} characters: left out"
            )
            options.remark(what, file)
            continue
        if isinstance(item, SourceStart):
            _check_source_name(item)
            file = item.file
        yield item


def _check_source_name(start: SourceStart) -> None:
    limit = MAX_NAME_LENGTH["source"]
    if len(start.source) > limit:
        raise UnreadableFile(
            f"the source's name has {len(start.source):,} characters, and {limit:,} are allowed",
            where=f"{start.file[:100]}…",
            hint="rename it",
        )
