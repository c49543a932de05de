"""JSON values as a graph: an object is a node, and each of its members is a fact.

``JsonWindow`` reads a document in pieces, ``JsonGraph`` makes items. A document is read twice, because the
name of an object may follow its first reference and no node can be renamed later. The first pass learns
late names, classes and the nodes of objects that are too large for the window.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import PurePath
from typing import Any, NamedTuple, TypeAlias, Union

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loading.formats import ReadOptions
from trustuqa_neo4j.model.facts import Fact, Item, NodeDeclared

from ._number_texts import format_number
from ._record_labels import make_record_label
from ._text import MAX_LINE_LENGTH, TextLines

MAX_WHOLE_SIZE = 1 << 20
"""Characters up to which a value is always decoded as a whole."""

LINE_SUFFIXES = (".jsonl", ".ndjson")
PLAIN_SUFFIXES = (".json", *LINE_SUFFIXES)

MAX_DEPTH = 100
"""Levels of nesting; the decoder itself gives up at a thousand or more."""

_BLOCK_SIZE = 1 << 16
_SPACE = re.compile(r"[ \t\n\r]*")
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")
_MAX_WORD_LENGTH = 10
"""Characters that show whether a word or number begins correctly (``-Infinity`` has 9)."""


class JsonNumber(str):
    __slots__ = ()


class JsonConstant(JsonNumber):
    """JSON does not have ``NaN``, ``Infinity`` and ``-Infinity``, but many programs write them."""

    __slots__ = ()


class LargeValue(Enum):
    # An object or array too large for the window, of which only the bracket was read.
    OBJECT = "}"
    ARRAY = "]"


JsonMembers: TypeAlias = "tuple[tuple[str, JsonValue], ...]"
JsonValue: TypeAlias = Union[
    str, bool, "list[JsonValue]", "tuple[tuple[str, JsonValue], ...]", None
]
"""A decoded value. An object is a tuple of its members in order, so that repeated ones are not lost."""

_HOOKS: dict[str, Any] = {
    "object_pairs_hook": tuple,
    "parse_int": JsonNumber,
    "parse_float": JsonNumber,
    "parse_constant": JsonConstant,
}
_DECODER = json.JSONDecoder(**_HOOKS)
_BRACKETS = {"{": LargeValue.OBJECT, "[": LargeValue.ARRAY}

TOO_DEEP = f"objects and arrays nested more than {MAX_DEPTH} deep"


class JsonError(Exception):
    pass


def decode_json(line: str) -> JsonValue:
    try:
        value: JsonValue = _DECODER.decode(line)
    except json.JSONDecodeError as error:
        raise JsonError(f"not JSON: {_lower_first(error)}, column {error.pos + 1}") from error
    except RecursionError as error:
        raise JsonError(TOO_DEEP) from error
    return value


def may_have_half_character(text: str, start: int = 0, end: int = MAX_LINE_LENGTH) -> bool:
    # Usually the other half follows.
    return _HALF_CHARACTER.search(text, start, end) is not None


def format_scalar(value: str | bool) -> str:
    """The text of a value: as written, but ``1e5`` is 100000, since a text like it may be a code."""
    if type(value) is str:
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, JsonConstant) else format_number(str(value))


def _lower_first(error: json.JSONDecodeError) -> str:
    return error.msg[:1].lower() + error.msg[1:]


class JsonWindow:
    """The text of a document from the current position on.

    The compiled decoder of the standard library decodes a value that fits into the window. Of a larger
    value only the bracket is taken, and then its members. A streaming parser (ijson was tried) rewrites
    numbers (``1E5``, ``-0``), replaces half characters by ``?``, and has no line for an error.
    ``may_have_half_character`` describes all text that was taken.
    """

    def __init__(self, place: str, lines: TextLines) -> None:
        self._place = place
        self._lines = lines
        self._text = ""
        self._position = 0
        self._line = 1
        self._column = 1
        self._is_at_end = False
        self.may_have_half_character = False

    def peek(self) -> str:
        while True:
            space = _SPACE.match(self._text, self._position)
            self._position = space.end()  # type: ignore[union-attr]  # it always matches
            if self._position < len(self._text):
                return self._text[self._position]
            if self._is_at_end:
                return ""
            self._grow()

    def take(self, allowed: str) -> str:
        character = self.peek()
        if not character or character not in allowed:
            raise self.error(f"expecting {' or '.join(map(repr, allowed))}")
        self._position += 1
        return character

    def take_name(self) -> str:
        if self.peek() != '"':
            raise self.error("expecting the name of a member, in double quotes")
        name = self.take_value()
        assert isinstance(name, str)
        self.take(":")
        return name

    def take_value(self, max_size: int = MAX_WHOLE_SIZE) -> JsonValue | LargeValue:
        first = self.peek()
        while True:
            try:
                decoded, end = _DECODER.raw_decode(self._text, self._position)
            except json.JSONDecodeError as error:
                size = len(self._text) - self._position
                if self._is_at_end or (first not in '"{[' and size >= _MAX_WORD_LENGTH):
                    raise self.error(_lower_first(error), error.pos) from error
            except RecursionError as error:
                raise self.error(TOO_DEEP) from error
            else:
                # A number at the end of the window may continue after it.
                if end < len(self._text) or self._is_at_end:
                    start, self._position = self._position, end
                    if may_have_half_character(self._text, start, end):
                        self.may_have_half_character = True
                    value: JsonValue = decoded
                    return value
            size = len(self._text) - self._position
            if first in _BRACKETS and size >= max_size:
                self._position += 1
                return _BRACKETS[first]
            if size > MAX_LINE_LENGTH:
                raise self.error(f"a text of more than {MAX_LINE_LENGTH:,} characters")
            self._grow()

    def take_members(self) -> Iterator[tuple[str, JsonValue | LargeValue]]:
        # After the bracket of a large object.
        if self.peek() == "}":
            self.take("}")
            return
        while True:
            name = self.take_name()
            yield name, self.take_value()
            if self.take(",}") == "}":
                return

    def take_elements(self, max_size: int = MAX_WHOLE_SIZE) -> Iterator[JsonValue | LargeValue]:
        # After the bracket of a large array; values of up to ``max_size`` characters are whole.
        if self.peek() == "]":
            self.take("]")
            return
        while True:
            yield self.take_value(max_size)
            if self.take(",]") == "]":
                return

    def check_end(self) -> None:
        if self.peek():
            raise self.error(
                "text after the end of the document",
                hint="a file of one record a line is called .jsonl or .ndjson",
            )

    def error(self, what: str, position: int | None = None, hint: str = "") -> UnreadableFile:
        position = self._position if position is None else position
        if position >= len(self._text) and self._is_at_end:
            what = f"it ends too early ({what})"
        line, column = self._line_and_column(position)
        return UnreadableFile(
            f"not JSON: {what}",
            where=f"{self._place}, line {line}, column {column}",
            hint=hint or "correct the file, or write it again",
        )

    def _grow(self) -> None:
        self._line, self._column = self._line_and_column(self._position)
        blocks = [self._text[self._position :]]
        missing = max(MAX_WHOLE_SIZE, min(len(blocks[0]), MAX_LINE_LENGTH - len(blocks[0])))
        while missing > 0:
            block = self._lines.read_block(_BLOCK_SIZE)
            if not block:
                self._is_at_end = True
                break
            blocks.append(block)
            missing -= len(block)
        self._text, self._position = "".join(blocks), 0

    def _line_and_column(self, position: int) -> tuple[int, int]:
        breaks = self._text.count("\n", 0, position)
        if not breaks:
            return self._line, self._column + position
        return self._line + breaks, position - self._text.rfind("\n", 0, position)


# Items.

MANY_MEMBERS = 1000
"""If an object has more members, their names look like data."""

_SEPARATOR = "\x1f"  # as in the keys of rows: no text in a file can be such a key
_ID_MEMBERS = ("@id", "id", "_id")
_NAME_MEMBERS = ("name", "title", "label")
_TYPE_MEMBERS = ("@type", "type")
HALF_CHARACTER = "an escape sequence for half a character"
REPEATED_MEMBER = "an object has a member twice, and each is a fact"
NESTED_ARRAY = "an array in an array: its elements count as those of the outer one"
UNNAMED_MEMBER = "a member without a name, called unnamed"
NAMING_MEMBERS = frozenset((*_ID_MEMBERS, *_NAME_MEMBERS))
DESCRIBING_MEMBERS = frozenset((*_ID_MEMBERS, *_NAME_MEMBERS, *_TYPE_MEMBERS))
_LINE_BREAK = re.compile(r"\s*[\r\n]\s*")
_UNNAMED = "unnamed"


class JsonPlace(NamedTuple):
    # ``pointer`` is the file, ``#`` and the JSON Pointer; ``kind`` is the same without positions in arrays.
    # ``class_name`` is the last member on the way, else the name of the file, and ``number`` the positions in
    # arrays (``7.1``). ``record`` is the line, or the position in the outermost array, from 1; 0 outside of
    # any. ``depth`` counts the objects and arrays around it.

    pointer: str
    kind: str
    class_name: str
    number: str = ""
    record: int = 0
    depth: int = 0

    @classmethod
    def of_document(cls, name: str, options: ReadOptions) -> JsonPlace:
        # Other loads into the dataset may have a file of this name, but never a source of this name.
        source = options.part(name, name, "kg").source
        base = name if source == name else f"{source}:{name}"
        return cls(f"{base}#", f"{base}#", _make_class_name(name))

    @property
    def line(self) -> int:
        return self.record or 1

    def of_line(self, number: int) -> JsonPlace:
        # The record in this line of the document.
        pointer = f"{self.pointer.removesuffix('#')}:{number}#"
        return self._replace(pointer=pointer, number=str(number), record=number)

    @property
    def has_class(self) -> bool:
        # A document that is one object mostly wraps others, and may be called as they are.
        if not self.depth and not self.record:
            return False
        step = self.kind.rpartition("/")[2]
        return not step.startswith("@") or not self.pointer.endswith(step)

    def member(self, name: str) -> JsonPlace:
        step = "/" + name.replace("~", "~0").replace("/", "~1")
        # ``@graph`` and similar members belong to the notation.
        class_name = self.class_name if name.startswith("@") else clean_member_name(name)
        return JsonPlace(
            self.pointer + step,
            self.kind + step,
            class_name,
            self.number,
            self.record,
            _increase_depth(self.depth),
        )

    def element(self, index: int) -> JsonPlace:
        position = index + 1
        return JsonPlace(
            f"{self.pointer}/{index}",
            self.kind,
            self.class_name,
            f"{self.number}.{position}" if self.number else str(position),
            self.record or position,
            _increase_depth(self.depth),
        )


def _make_class_name(file_name: str) -> str:
    name = PurePath(file_name).name.removesuffix(".gz")
    suffix = next((suffix for suffix in PLAIN_SUFFIXES if name.lower().endswith(suffix)), "")
    return clean_member_name(name.removesuffix(name[len(name) - len(suffix) :]))


def clean_member_name(name: str) -> str:
    return _LINE_BREAK.sub(" ", name).strip() or _UNNAMED


def _increase_depth(depth: int) -> int:
    if depth >= MAX_DEPTH - 1:
        raise JsonError(TOO_DEEP)
    return depth + 1


class ObjectNode(NamedTuple):
    # ``label`` is what people read where there is no name.
    key: str
    label: str
    name: str | None = None
    classes: tuple[str, ...] = ()
    has_id: bool = False


class ValueOwner(NamedTuple):
    # The key is empty where the document is an array.
    key: str
    relation: str
    place: JsonPlace

    def element(self, index: int) -> ValueOwner:
        return ValueOwner(self.key, self.relation, self.place.element(index))


@dataclass(slots=True)
class JsonGraph:
    """``large_objects`` are the nodes of objects too large for the window, in their order."""

    options: ReadOptions
    is_survey: bool = True
    file: str = ""
    classes: dict[str, None] = field(default_factory=dict)
    large_objects: list[ObjectNode] = field(default_factory=list)
    _unnamed_keys: set[str] = field(default_factory=set)
    _late_names: dict[str, str] = field(default_factory=dict)
    _declared_keys: set[str] = field(default_factory=set)
    _relations: dict[str, str] = field(default_factory=dict)

    def second_pass(self, options: ReadOptions) -> JsonGraph:
        return JsonGraph(
            options, False, "", self.classes, self.large_objects, set(), self._late_names
        )

    def add_value(self, owner: ValueOwner, value: JsonValue, items: list[Item]) -> None:
        key, relation, place = owner
        if isinstance(value, tuple):
            tail = self.add_object(value, place, items)
            if key:
                items.append(Fact(key, relation, tail, place.line))
        elif isinstance(value, list):
            for index, element in enumerate(value):
                if isinstance(element, list):
                    self.remark_nested_array(place.line)
                if isinstance(element, (tuple, list)):
                    self.add_value(owner.element(index), element, items)
                else:
                    self._add_scalar(owner, element, place.record or index + 1, items)
        else:
            self._add_scalar(owner, value, place.line, items)

    def add_object(self, members: JsonMembers, place: JsonPlace, items: list[Item]) -> str:
        by_name = dict(members)
        if len(by_name) < len(members):
            self.remark_repeated_member(place.line)
        node = self.make_node(by_name, place)
        self.add_node(node, place, items)
        if len(members) == 1 and "@id" in by_name and node.has_id:
            return node.key  # it only refers to another object
        if len(members) > MANY_MEMBERS:
            self.remark_many_members(place.line)
        first = len(items)
        for name, value in members:
            self._add_member(node.key, place, name, value, items)
        if members and (self.is_survey or len(items) > first):
            self.add_class_of_place(node, place, items)
        return node.key

    def _add_member(
        self, key: str, place: JsonPlace, name: str, value: JsonValue, items: list[Item]
    ) -> None:
        if isinstance(value, (tuple, list)):
            if not names_class(name, value):  # add_node has added classes
                owner = ValueOwner(key, self.make_relation(name, place), place.member(name))
                self.add_value(owner, value, items)
        elif value is not None and not self.is_survey and not names_class(name, value):
            relation, line = self.make_relation(name, place), place.line
            items.append(Fact(key, relation, self._format_scalar(value, line), line))

    def _add_scalar(
        self, owner: ValueOwner, value: str | bool | None, line: int, items: list[Item]
    ) -> None:
        if not owner.key:
            raise JsonError("a record that is not an object")
        if value is not None and not self.is_survey:
            items.append(Fact(owner.key, owner.relation, self._format_scalar(value, line), line))

    def add_class_of_place(self, node: ObjectNode, place: JsonPlace, items: list[Item]) -> None:
        if node.classes or not place.has_class:
            return
        if self.is_survey:
            self.classes[place.class_name] = None
        items.append(Fact(node.key, "type", place.class_name, place.line))

    def make_node(self, members: Mapping[str, JsonValue], place: JsonPlace) -> ObjectNode:
        label = make_record_label(place.class_name, str(place.number))
        if members.keys().isdisjoint(DESCRIBING_MEMBERS):
            return ObjectNode(place.pointer, label)
        types = read_classes(members.get("@type")) + read_classes(members.get("type"))
        classes = tuple(dict.fromkeys(types))
        name = next((text for text in map(members.get, _NAME_MEMBERS) if _is_text(text)), None)
        assert name is None or isinstance(name, str)
        for member in _ID_MEMBERS:
            value = members.get(member)
            if isinstance(value, str) and value.strip():
                kind, class_name = place.kind, place.class_name
                if types:
                    kind = class_name = types[0]
                if member == "@id":
                    kind, class_name = member, ""
                label = make_record_label(class_name, value)
                return ObjectNode(f"{kind}{_SEPARATOR}{value}", label, name, classes, True)
        return ObjectNode(place.pointer, label, name, classes)

    def add_node(self, node: ObjectNode, place: JsonPlace, items: list[Item]) -> None:
        key, label, name, classes, has_id = node
        if key not in self._declared_keys:
            name_of_new = self._name_of_new(key, name) if has_id else name
            items.append(NodeDeclared(key, name_of_new, label="" if name_of_new else label))
            if has_id:
                self._declared_keys.add(key)
        elif self.is_survey and name is not None and key in self._unnamed_keys:
            self._late_names.setdefault(key, name)
        for class_name in classes:
            if self.is_survey:
                self.classes[class_name] = None
            items.append(Fact(key, "type", class_name, place.line))

    def _name_of_new(self, key: str, name: str | None) -> str | None:
        if name is None and self.is_survey:
            self._unnamed_keys.add(key)
        return self._late_names.get(key) if name is None else name

    def discard(self, items: list[Item]) -> None:
        # These items are not loaded, so their nodes can be declared again.
        self._declared_keys.difference_update(
            item.key for item in items if isinstance(item, NodeDeclared)
        )

    def make_relation(self, name: str, place: JsonPlace) -> str:
        relation = self._relations.get(name)
        if relation is None:
            relation = self._relations[name] = clean_member_name(name)
        if relation is _UNNAMED:
            self.remark(UNNAMED_MEMBER, place.line)
        return relation

    def _format_scalar(self, value: str | bool, line: int) -> str:
        if type(value) is JsonConstant:
            self.remark("NaN or Infinity, which JSON does not have, stored as text", line)
        return format_scalar(value)

    def remark_many_members(self, line: int) -> None:
        self.remark(
            f"an object of more than {MANY_MEMBERS:,} members: each name becomes a relation", line
        )

    def remark_columns(self, members: JsonMembers, line: int) -> None:
        if _are_columns(members):
            self.remark(
                "these members look like the columns of a table, and are read as lists; write a record for "
                "each row, in pandas with orient='records'",
                line,
            )

    def remark_repeated_member(self, line: int) -> None:
        self.remark(REPEATED_MEMBER, line)

    def remark_nested_array(self, line: int) -> None:
        self.remark(NESTED_ARRAY, line)

    def remark(self, what: str, line: int) -> None:
        if not self.is_survey:
            self.options.remark(what, f"{self.file}:{line}")


def names_class(name: str, value: JsonValue) -> bool:
    return name in _TYPE_MEMBERS and bool(read_classes(value))


def read_classes(value: JsonValue) -> tuple[str, ...]:
    if type(value) is str:
        return (value,) if value.strip() else ()
    if isinstance(value, list) and all(_is_text(element) for element in value):
        return tuple(map(str, value))
    return ()


def _is_text(value: JsonValue) -> bool:
    return type(value) is str and bool(value.strip())


def _are_columns(members: JsonMembers) -> bool:
    # As pandas writes them: two or more lists of the same length, or objects with the same numbers of rows;
    # or the names of the columns beside the rows.
    if {"columns", "data"} <= {name for name, _ in members}:
        return True
    heads: list[object] = []
    for _, value in members:
        if isinstance(value, list):
            heads.append(len(value))
        elif isinstance(value, tuple) and all(name.isdecimal() for name, _ in value):
            heads.append([name for name, _ in value])
        else:
            return False
    return (
        len(heads) > 1 and bool(heads[0]) and heads[0] != 1 and heads.count(heads[0]) == len(heads)
    )
