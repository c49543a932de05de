"""The walk through a JSON document, a record at a time, whether its values fit into the window or not."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import TypeAlias

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.triples import Fact, Item, Thing

from .json_graph import MANY, TELLING, Graph, Head, Owner, Place, tells_class
from .json_window import Opened, Value, Window, Wrong

_HINT = "records are objects; --skip-bad N passes over up to N bad ones"

Member: TypeAlias = "tuple[str, Value | Opened]"


def record(graph: Graph, owner: Owner, value: Value, halved: bool) -> list[Item]:
    """The items of a value that stands at ``owner``; none where it is malformed.

    ``halved``: it may hold half a character.

    Raises:
        MalformedLine
    """
    return _kept(graph, owner.place, lambda out: graph.value(owner, value, out), halved)


def _kept(
    graph: Graph, place: Place, add: Callable[[list[Item]], None], halved: bool
) -> list[Item]:
    """What ``add`` adds to a list; nothing where that is malformed or holds no fact."""
    out: list[Item] = []
    try:
        add(out)
        if halved:
            _check_characters(out)
    except Wrong as error:
        graph.forget(out)
        graph.reading.malformed(str(error), f"{graph.file}:{place.line}", _HINT)
        return []
    if not graph.surveying and len(out) == 1 and isinstance(out[0], Thing):
        graph.forget(out)
        graph.remark("a record without a fact, passed over", place.line)
        return []
    return out


def _check_characters(items: Iterable[Item]) -> None:
    try:
        for item in items:
            for text in item:
                if isinstance(text, str):
                    text.encode()
    except UnicodeEncodeError as error:
        raise Wrong("an escape that is half a character") from error


class Walk:
    """One walk through a document; ``base`` is what its places begin with."""

    def __init__(self, graph: Graph, window: Window, base: str) -> None:
        self._graph = graph
        self._window = window
        self._root = Place(f"{base}#", f"{base}#")

    def items(self) -> Iterator[Item]:
        """The items of the document, in its order.

        Raises:
            UnreadableFile, MalformedLine
        """
        try:
            yield from self._document()
        except Wrong as error:  # of what does not fit, nothing can be passed over
            raise self._window.wrong(str(error)) from error
        self._window.close()

    def _document(self) -> Iterator[Item]:
        value = self._window.value()
        if isinstance(value, tuple):
            head = self._graph.head(dict(value), self._root)
            yield from self._object(value, self._root, head)
        elif value is Opened.OBJECT:
            yield from self._opened(self._root, "")
        elif isinstance(value, list):
            yield from self._array(value, Owner("", "", self._root))
        elif value is Opened.ARRAY:
            yield from self._array(self._elements(), Owner("", "", self._root))
        else:
            raise UnreadableFile(
                "a single value, and no record",
                where=self._graph.file,
                hint="give an object, or an array of objects",
            )

    def _opened(self, place: Place, told_class: str) -> Generator[Item, None, Head]:
        """An object that does not fit: what it is, its end may tell; so the first walk learns it."""
        graph = self._graph
        if not graph.surveying:
            head = graph.heads.pop(0)
            yield from self._object(self._members(), place, head)
            return head
        known: dict[str, Value] = {}
        slot = len(graph.heads)
        graph.heads.append(Head(place.pointer))
        yield from self._object(self._members(known), place, graph.heads[slot])
        graph.heads[slot] = graph.head(known, place, told_class)
        out: list[Item] = []
        graph.begin(graph.heads[slot], place, out)
        return graph.heads[slot]

    def _object(
        self, members: Iterable[Member], place: Place, head: Head
    ) -> Generator[Item, None, None]:
        graph = self._graph
        begun: list[Item] = []
        graph.begin(head, place, begun)
        yield from begun
        names: set[str] = set()
        for count, (name, value) in enumerate(members, 1):
            if name in names:
                graph.remark_twice(place.line)
            names.add(name)
            if count == MANY + 1:
                graph.remark_many(place.line)
            if isinstance(value, Opened) or not tells_class(name, value):
                relation = graph.relation(name, place)
                if isinstance(value, (tuple, list, Opened)):
                    yield from self._value(Owner(head.key, relation, place.member(name)), value)
                else:
                    yield from record(
                        graph, Owner(head.key, relation, place), value, self._window.halved
                    )

    def _value(self, owner: Owner, value: Value | Opened) -> Generator[Item, None, None]:
        if isinstance(value, list):
            yield from self._array(value, owner)
        elif value is Opened.ARRAY:
            yield from self._array(self._elements(), owner)
        elif value is Opened.OBJECT:
            head = yield from self._opened(owner.place, owner.told_class)
            if owner.key:
                yield Fact(owner.key, owner.relation, head.key, owner.place.line)
        else:
            yield from record(self._graph, owner, value, self._window.halved)

    def _array(
        self, elements: Iterable[Value | Opened], owner: Owner
    ) -> Generator[Item, None, None]:
        for index, element in enumerate(elements):
            if isinstance(element, list) or element is Opened.ARRAY:
                self._graph.remark_nested(owner.place.line)
            yield from self._value(owner.element(index), element)

    def _members(self, known: dict[str, Value] | None = None) -> Iterator[Member]:
        """Members of an opened object up to its end; those that tell what it is are noted in ``known``."""
        window = self._window
        if window.next() == "}":
            window.take("}")
            return
        while True:
            name = window.name()
            value = window.value()
            if known is not None and name in TELLING and not isinstance(value, Opened):
                known[name] = value
            yield name, value
            if window.take(",}") == "}":
                return

    def _elements(self) -> Iterator[Value | Opened]:
        """Elements of an opened array up to its end."""
        window = self._window
        if window.next() == "]":
            window.take("]")
            return
        while True:
            yield window.value()
            if window.take(",]") == "]":
                return
