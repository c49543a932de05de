"""JSON values as a graph: each object a node, each member a fact of it.

What an object is called may stand behind all else in it, and what only refers to it before it, while no
node can be named later. So all is walked twice: first to learn the names of what is met without one, the
classes, and the heads of objects too large for the window. In memory are these and the ids.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from trustuqa_neo4j.loader import Reading
from trustuqa_neo4j.triples import Fact, Item, Thing

from .json_window import DEEP, DEEPEST, Constant, Members, Value, Wrong

MANY = 1000
"""Members of an object from which on their names look like data."""

_BETWEEN = "\x1f"  # as in the keys of rows: what is written in files is the key of no such node
_IDS = ("@id", "id", "_id")
_NAMES = ("name", "title", "label")
_TYPES = ("@type", "type")
TELLING = frozenset((*_IDS, *_NAMES, *_TYPES))
"""Members that say what an object is."""
_BREAK = re.compile(r"\s*[\r\n]\s*")
_UNNAMED = "unnamed"


class Place(NamedTuple):
    """Where a value stands.

    ``pointer``: the file and, behind ``#``, the JSON Pointer; ``kind``: the same without places in arrays.
    ``record``: the line, or the place in the outermost array, from 1; 0 outside of any. ``depth`` counts
    what is around it.
    """

    pointer: str
    kind: str
    record: int = 0
    depth: int = 0

    @property
    def line(self) -> int:
        """The line of its facts."""
        return self.record or 1

    def member(self, name: str) -> Place:
        """The place of a member of the object here.

        Raises:
            Wrong: it is too deep.
        """
        step = "/" + name.replace("~", "~0").replace("/", "~1")
        return Place(self.pointer + step, self.kind + step, self.record, _below(self.depth))

    def element(self, index: int) -> Place:
        """The place of an element, from 0, of the array here.

        Raises:
            Wrong: it is too deep.
        """
        record = self.record or index + 1
        return Place(f"{self.pointer}/{index}", self.kind, record, _below(self.depth))


def _below(depth: int) -> int:
    if depth >= DEEPEST - 1:
        raise Wrong(DEEP)
    return depth + 1


class Head(NamedTuple):
    """What an object is: its key, its name, its classes, and whether its key is an id."""

    key: str
    name: str | None = None
    classes: tuple[str, ...] = ()
    is_id: bool = False


class Owner(NamedTuple):
    """What values stand in: the key of an object, the relation and place of its member.

    The key is empty where a document is an array. ``told_class`` is the class of objects that say none.
    """

    key: str
    relation: str
    place: Place
    told_class: str = ""

    def element(self, index: int) -> Owner:
        """The same for an element, from 0, of the array that stands here.

        Raises:
            Wrong: it is too deep.
        """
        key, relation, place, told = self
        if not place.record and not relation.startswith("@"):
            told = relation
        return Owner(key, relation, place.element(index), told)


@dataclass(slots=True)
class Graph:
    """Objects as items; ``surveying`` is the first time that all is walked."""

    reading: Reading
    surveying: bool = True
    file: str = ""
    classes: dict[str, None] = field(default_factory=dict)
    heads: list[Head] = field(default_factory=list)
    _bare: set[str] = field(default_factory=set)
    _late: dict[str, str] = field(default_factory=dict)
    _given: set[str] = field(default_factory=set)
    _relations: dict[str, str] = field(default_factory=dict)

    def known(self, reading: Reading) -> Graph:
        """A graph for the second walk, which knows what this one has learned."""
        return Graph(reading, False, "", self.classes, self.heads, set(), self._late)

    def object(self, members: Members, place: Place, told_class: str, out: list[Item]) -> Head:
        """Add the items of an object to ``out``; what it is.

        Raises:
            Wrong
        """
        known = dict(members)
        if len(known) < len(members):
            self.remark_twice(place.line)
        head = self.head(known, place, told_class)
        self.begin(head, place, out)
        if len(members) == 1 and "@id" in known:
            return head  # it only refers to another
        if len(members) > MANY:
            self.remark_many(place.line)
        for name, value in members:
            self.member(head.key, place, name, value, out)
        return head

    def member(self, key: str, place: Place, name: str, value: Value, out: list[Item]) -> None:
        """Add the facts of a member of the object ``key`` at ``place`` to ``out``.

        Raises:
            Wrong
        """
        if isinstance(value, (tuple, list)):
            if not tells_class(name, value):  # told with the object
                owner = Owner(key, self.relation(name, place), place.member(name))
                self.value(owner, value, out)
        elif value is not None and not self.surveying and not tells_class(name, value):
            line = place.line
            out.append(Fact(key, self.relation(name, place), self.text(value, line), line))

    def value(self, owner: Owner, value: Value, out: list[Item]) -> None:
        """Add the facts that lead to ``value`` to ``out``; of an array, those that lead to its elements.

        Raises:
            Wrong
        """
        key, relation, place, told_class = owner
        if isinstance(value, tuple):
            end = self.object(value, place, told_class, out).key
            if key:
                out.append(Fact(key, relation, end, place.line))
        elif isinstance(value, list):
            for index, element in enumerate(value):
                if isinstance(element, list):
                    self.remark_nested(place.line)
                if isinstance(element, (tuple, list)):
                    self.value(owner.element(index), element, out)
                else:
                    self._scalar(owner, element, place.record or index + 1, out)
        else:
            self._scalar(owner, value, place.line, out)

    def _scalar(self, owner: Owner, value: str | bool | None, line: int, out: list[Item]) -> None:
        if not owner.key:
            raise Wrong("a record that is no object")
        if value is not None and not self.surveying:
            out.append(Fact(owner.key, owner.relation, self.text(value, line), line))

    def head(self, known: Mapping[str, Value], place: Place, told_class: str = "") -> Head:
        """What an object with the members ``known`` is."""
        told = (told_class,) if told_class else ()
        if known.keys().isdisjoint(TELLING):
            return Head(place.pointer, None, told)
        typed = _classes(known.get("@type")) + _classes(known.get("type"))
        classes = tuple(dict.fromkeys(typed)) or told
        name = next((text for text in map(known.get, _NAMES) if _is_text(text)), None)
        assert name is None or isinstance(name, str)
        for member in _IDS:
            found = known.get(member)
            if isinstance(found, str) and found.strip():
                kind = member if member == "@id" else typed[0] if typed else place.kind
                return Head(f"{kind}{_BETWEEN}{found}", name, classes, True)
        return Head(place.pointer, name, classes)

    def begin(self, head: Head, place: Place, out: list[Item]) -> None:
        """Add an object itself to ``out``, and its classes."""
        key, name, classes, is_id = head
        if key not in self._given:
            out.append(Thing(key, self._named(key, name) if is_id else name))
            if is_id:
                self._given.add(key)
        elif self.surveying and name is not None and key in self._bare:
            self._late.setdefault(key, name)
        for told in classes:
            if self.surveying:
                self.classes[told] = None
            out.append(Fact(key, "type", told, place.line))

    def _named(self, key: str, name: str | None) -> str | None:
        """The name of what is met for the first time by its id, if need be one that comes later."""
        if name is None and self.surveying:
            self._bare.add(key)
        return self._late.get(key) if name is None else name

    def forget(self, out: list[Item]) -> None:
        """``out`` is not kept: what is in it may come again."""
        self._given.difference_update(item.key for item in out if isinstance(item, Thing))

    def relation(self, name: str, place: Place) -> str:
        """The relation that a member's name is: without line breaks, and blanks around it."""
        found = self._relations.get(name)
        if found is None:
            found = self._relations[name] = _BREAK.sub(" ", name).strip() or _UNNAMED
        if found is _UNNAMED:
            self.remark("a member without a name, called unnamed", place.line)
        return found

    def text(self, value: str | bool, line: int) -> str:
        """A scalar as text: a number as it is written."""
        if type(value) is str:
            return value
        if isinstance(value, bool):
            return "true" if value else "false"
        if type(value) is Constant:
            self.remark("NaN or Infinity, which JSON does not have, kept as text", line)
        return str(value)

    def remark_many(self, line: int) -> None:
        """Remark that names of members look like data."""
        self.remark(f"an object of more than {MANY:,} members, each name a relation", line)

    def remark_twice(self, line: int) -> None:
        """Remark a member that stands twice in an object."""
        self.remark("an object has a member twice, and each is a fact", line)

    def remark_nested(self, line: int) -> None:
        """Remark an array of arrays."""
        self.remark("an array in an array, whose members count as those of the outer one", line)

    def remark(self, what: str, line: int) -> None:
        """Remark something odd at ``line``."""
        if not self.surveying:
            self.reading.remark(what, f"{self.file}:{line}")


def tells_class(name: str, value: Value) -> bool:
    """Whether a member says the class of its object."""
    return name in _TYPES and bool(_classes(value))


def _classes(value: Value) -> tuple[str, ...]:
    """The classes that a ``type`` names: a text, or an array of texts; else none."""
    if type(value) is str:
        return (value,) if value.strip() else ()
    if isinstance(value, list) and all(_is_text(each) for each in value):
        return tuple(map(str, value))
    return ()


def _is_text(value: Value) -> bool:
    return type(value) is str and bool(value.strip())
