"""``json``: from one document, or from one record a line.

A list of records is a table, joined to a graph of what is nested in them; all else is a graph.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loading.formats import File, Loader, ReadOptions
from trustuqa_neo4j.model.facts import Fact, Item, NodeDeclared

from . import _inputs
from ._inputs import FileFilter
from ._json_graph import (
    DESCRIBING_MEMBERS,
    HALF_CHARACTER,
    LINE_SUFFIXES,
    MANY_MEMBERS,
    MAX_WHOLE_SIZE,
    PLAIN_SUFFIXES,
    JsonError,
    JsonGraph,
    JsonPlace,
    JsonValue,
    JsonWindow,
    LargeValue,
    ObjectNode,
    ValueOwner,
    decode_json,
    may_have_half_character,
    names_class,
)
from ._json_nested import start_graph
from ._json_tables import (
    LINE_HINT,
    RECORD_HINT,
    RecordTable,
    check_record_options,
    find_record_tables,
    read_nested_facts,
    read_record_tables,
)
from ._table_items import InputTable, table_items
from ._text import open_lines, without_reports
from ._triples import no_fact_error

_Member: TypeAlias = "tuple[str, JsonValue | LargeValue]"


def _record_items(
    graph: JsonGraph, owner: ValueOwner, value: JsonValue, may_have_halves: bool
) -> list[Item]:
    # None where the value is malformed or has no fact. If ``may_have_halves``, the text may contain
    # half characters.
    items: list[Item] = []
    try:
        graph.add_value(owner, value, items)
        if may_have_halves:
            _check_characters(items)
    except JsonError as error:
        graph.discard(items)
        graph.options.malformed(str(error), f"{graph.file}:{owner.place.line}", RECORD_HINT)
        return []
    if not graph.is_survey and len(items) == 1 and isinstance(items[0], NodeDeclared):
        graph.discard(items)
        graph.remark("a record without a fact, skipped", owner.place.line)
        return []
    return items


def _check_characters(items: Iterable[Item]) -> None:
    try:
        for item in items:
            for text in item:
                if isinstance(text, str):
                    text.encode()
    except UnicodeEncodeError as error:
        raise JsonError(HALF_CHARACTER) from error


class _DocumentReader:
    def __init__(self, graph: JsonGraph, window: JsonWindow, root: JsonPlace) -> None:
        self._graph = graph
        self._window = window
        self._root = root

    def items(self) -> Iterator[Item]:
        try:
            yield from self._document()
        except JsonError as error:  # in a value too large for the window nothing can be skipped
            raise self._window.error(str(error)) from error
        self._window.check_end()

    def _document(self) -> Iterator[Item]:
        value = self._window.take_value()
        if isinstance(value, tuple):
            self._graph.remark_columns(value, self._root.line)
            node = self._graph.make_node(dict(value), self._root)
            yield from self._object(value, self._root, node)
        elif value is LargeValue.OBJECT:
            yield from self._large_object(self._root)
        elif isinstance(value, list):
            yield from self._array(value, ValueOwner("", "", self._root))
        elif value is LargeValue.ARRAY:
            yield from self._array(self._window.take_elements(), ValueOwner("", "", self._root))
        else:
            raise UnreadableFile(
                "a single value, not a record",
                where=self._graph.file,
                hint="give an object, or an array of objects",
            )

    def _large_object(self, place: JsonPlace) -> Generator[Item, None, ObjectNode]:
        # The last member may describe the node. So the first pass learns the nodes of large objects
        # for the second.
        graph = self._graph
        if not graph.is_survey:
            node = graph.large_objects.pop(0)
            yield from self._object(self._take_members(), place, node)
            return node
        describing: dict[str, JsonValue] = {}
        slot = len(graph.large_objects)
        graph.large_objects.append(ObjectNode(place.pointer, ""))
        yield from self._object(self._take_members(describing), place, graph.large_objects[slot])
        node = graph.large_objects[slot] = graph.make_node(describing, place)
        graph.add_node(node, place, [])
        return node

    def _object(
        self, members: Iterable[_Member], place: JsonPlace, node: ObjectNode
    ) -> Iterator[Item]:
        graph = self._graph
        node_items: list[Item] = []
        graph.add_node(node, place, node_items)
        yield from node_items
        names: set[str] = set()
        has_facts = False
        for count, (name, value) in enumerate(members, 1):
            if name in names:
                graph.remark_repeated_member(place.line)
            names.add(name)
            if count == MANY_MEMBERS + 1:
                graph.remark_many_members(place.line)
            if isinstance(value, LargeValue) or not names_class(name, value):
                relation = graph.make_relation(name, place)
                is_nested = isinstance(value, (tuple, list, LargeValue))
                owner = ValueOwner(node.key, relation, place.member(name) if is_nested else place)
                for item in self._value(owner, value):
                    has_facts = True
                    yield item
        if names and (graph.is_survey or has_facts):
            class_items: list[Item] = []
            graph.add_class_of_place(node, place, class_items)
            yield from class_items

    def _value(self, owner: ValueOwner, value: JsonValue | LargeValue) -> Iterator[Item]:
        if isinstance(value, list):
            yield from self._array(value, owner)
        elif value is LargeValue.ARRAY:
            yield from self._array(self._window.take_elements(), owner)
        elif value is LargeValue.OBJECT:
            node = yield from self._large_object(owner.place)
            if owner.key:
                yield Fact(owner.key, owner.relation, node.key, owner.place.line)
        else:
            yield from _record_items(
                self._graph, owner, value, self._window.may_have_half_character
            )

    def _array(
        self, elements: Iterable[JsonValue | LargeValue], owner: ValueOwner
    ) -> Iterator[Item]:
        for index, element in enumerate(elements):
            if isinstance(element, list) or element is LargeValue.ARRAY:
                self._graph.remark_nested_array(owner.place.line)
            yield from self._value(owner.element(index), element)

    def _take_members(self, describing: dict[str, JsonValue] | None = None) -> Iterator[_Member]:
        # Members that describe the object are also stored in ``describing``.
        for name, value in self._window.take_members():
            if (
                describing is not None
                and name in DESCRIBING_MEMBERS
                and not isinstance(value, LargeValue)
            ):
                describing[name] = value
            yield name, value


_SUFFIXES = tuple(name + gzip for name in PLAIN_SUFFIXES for gzip in ("", ".gz"))
_DOCUMENTS = FileFilter(
    lambda path: path.lower().endswith(_SUFFIXES),
    "document",
    f"a document in it needs one of these suffixes: {' '.join(_SUFFIXES)}",
)


def read_items(files: Sequence[File], options: ReadOptions) -> Iterator[Item]:
    silent_options = without_reports(options)
    has_line_records = {file: _has_line_records(file, silent_options) for file in files}
    survey = JsonGraph(silent_options)
    tables = {
        file: find_record_tables(file, silent_options, has_line_records[file], survey)
        for file in files
    }
    record_files = {file: names for file, names in tables.items() if names}
    yield from _table_items(record_files, options, has_line_records, survey.second_pass(options))
    yield from _nested_items(record_files, silent_options, has_line_records, survey)
    yield from _graph_items([file for file in files if not tables[file]], options, has_line_records)


def _table_items(
    tables: Mapping[File, Sequence[RecordTable]],
    options: ReadOptions,
    has_line_records: Mapping[File, bool],
    graph: JsonGraph,
) -> Iterator[Item]:
    check_record_options(options, [file.name for file in tables])
    if not tables:
        return

    def read_tables() -> Iterator[InputTable]:
        for file, names in tables.items():
            graph.file = file.name
            yield from read_record_tables(file, options, has_line_records[file], names, graph)

    yield from table_items(read_tables(), options)


def _nested_items(
    tables: Mapping[File, Sequence[RecordTable]],
    options: ReadOptions,
    has_line_records: Mapping[File, bool],
    survey: JsonGraph,
) -> Iterator[Item]:
    graph = survey.second_pass(options)
    classes = [NodeDeclared(name, name) for name in graph.classes]
    rows: dict[str, int] = {}  # of several tables that are one source
    for file, names in tables.items():
        graph.file = file.name
        for table in names:
            source = options.part(table.name, file.name, "table").source
            first_row = rows.get(source, 0) + 1
            rows[source] = first_row + table.rows - 1
            if table.nested:
                yield start_graph(table.name, file.name, options)
                yield from classes
                classes = []
                yield from read_nested_facts(
                    file, options, has_line_records[file], table, graph, first_row
                )


def _graph_items(
    files: Sequence[File], options: ReadOptions, has_line_records: Mapping[File, bool]
) -> Iterator[Item]:
    survey = JsonGraph(without_reports(options))
    for file in files:
        for _ in _file_items(file, has_line_records[file], survey):
            pass
    graph = survey.second_pass(options)
    del survey
    for file in files:
        yield options.part(file.name, file.name, "kg")
        if file is files[0]:
            yield from (NodeDeclared(name, name) for name in graph.classes)
        is_empty = True
        for item in _file_items(file, has_line_records[file], graph):
            is_empty = is_empty and not isinstance(item, Fact)
            yield item
        if is_empty:
            raise no_fact_error(file)


def expand_folder(folder: Path) -> Sequence[Path]:
    return _inputs.list_files(folder, _DOCUMENTS)


def _has_line_records(file: File, options: ReadOptions) -> bool:
    # The suffix decides, else the first line: a record is an object.
    if file.name.lower().removesuffix(".gz").endswith(LINE_SUFFIXES):
        return True
    with open_lines(file, options) as lines:
        first, _, rest = lines.read_block(MAX_WHOLE_SIZE).lstrip().partition("\n")
    try:
        return bool(rest.strip()) and isinstance(decode_json(first), tuple)
    except JsonError:
        return False


def _file_items(file: File, has_line_records: bool, graph: JsonGraph) -> Iterator[Item]:
    graph.file = file.name
    document = JsonPlace.of_document(file.name, graph.options)
    with open_lines(file, graph.options) as lines:
        if has_line_records:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield from _line_items(line, document.of_line(number), graph)
        else:
            yield from _DocumentReader(graph, JsonWindow(file.name, lines), document).items()


def _line_items(line: str, place: JsonPlace, graph: JsonGraph) -> list[Item]:
    try:
        value = decode_json(line)
    except JsonError as error:
        graph.options.malformed(str(error), f"{graph.file}:{place.line}", LINE_HINT)
        return []
    return _record_items(graph, ValueOwner("", "", place), value, may_have_half_character(line))


LOADER = Loader(
    name="json",
    summary="lists of records are tables joined to what is nested in them, other JSON is a graph; .gz too",
    kind="table",
    read=read_items,
    expand=expand_folder,
    aliases=("jsonl", "ndjson", "records"),
    suffixes=PLAIN_SUFFIXES,
    has_table_options=True,
    reads=frozenset(),
)
