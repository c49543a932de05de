"""The items that a loader yields, and condition triples: plain data, no I/O.

A loader yields a ``SourceStart`` at the beginning of a source, then facts, a ``NodeDeclared`` before the
first fact of a node that has more than a name, and declarations of classes and relations. The database stores
facts, not the triples of the paper (section 3.1), which would triple the data.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Literal, NamedTuple, TypeAlias

SourceKind: TypeAlias = Literal["kg", "temporal-kg", "table"]

UNION_SEPARATOR = "\x1f"
"""Separates the classes of a union in the database."""


class ConditionTriple(NamedTuple):
    """``node1`` leads to ``node2`` under ``condition`` (TrustUQA, definition 1)."""

    node1: str
    node2: str
    condition: tuple[str, ...] = ()


class ValidTime(NamedTuple):
    """The valid time of a fact: first and last day, both included, and the two dates as in the source.

    Days are integers, year × 10000 + month × 100 + day; ``end`` may be ``values.OPEN``. The text of an
    unknown date is empty.
    """

    start: int
    end: int
    start_text: str = ""
    end_text: str = ""


Readings: TypeAlias = tuple[tuple[str, str], ...]
"""Relations whose values are read in a way of their own, each with the text of its value options."""

ALL_RELATIONS = ""
"""In ``Readings``: all relations that are not named."""


class SourceStart(NamedTuple):
    """The facts after it belong to ``source``, and their lines are lines of ``file``.

    ``columns`` are the relations of a table in their order, also those without a fact. ``readings`` are for
    values that are read otherwise than those of the dataset.
    """

    source: str
    file: str
    kind: SourceKind
    columns: tuple[str, ...] = ()
    readings: Readings = ()


class NodeDeclared(NamedTuple):
    """A node that has more than a name.

    A node without an id needs none: its key is its name. ``name`` is None for a node whose only name is an id
    made by a machine; people then read ``label`` (``customer 9``), else the key. ``position`` (from 1) is
    that of a row in its source; other nodes have none.
    """

    key: str
    name: str | None
    aliases: tuple[str, ...] = ()
    position: int | None = None
    label: str = ""


class Fact(NamedTuple):
    """``head`` has ``relation`` to ``tail``, both keys; ``line`` is the line in the file, from 1.

    ``held`` is its valid time. ``qualifiers`` are (key, value) pairs other than times: provenance, places,
    parts of an n-ary fact. ``cell`` is the whole cell of a table if ``tail`` is only a part of it.
    """

    head: str
    relation: str
    tail: str
    line: int
    held: ValidTime | None = None
    qualifiers: tuple[tuple[str, str], ...] = ()
    cell: str = ""

    def triples(self) -> tuple[ConditionTriple, ConditionTriple]:
        """The condition triples of this fact without its times, as in the paper."""
        return (
            ConditionTriple(self.head, self.relation),
            ConditionTriple(self.relation, self.tail, (self.head,)),
        )


class ClassDeclared(NamedTuple):
    """The declaration of a class in an ontology or a schema; ``name`` is the tail of ``type`` facts.

    Several declarations of one name add up. ``parents`` are its superclasses, equivalent classes included;
    no node is in the class and in one of ``disjoint``. ``labels`` are other names.
    """

    name: str
    parents: tuple[str, ...] = ()
    disjoint: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    comment: str = ""


class RelationDeclared(NamedTuple):
    """The declaration of a relation in an ontology or a schema; ``name`` is that in its facts.

    Several declarations of one name add up. Each of ``domains`` is a union of classes, and heads are in all
    of these unions; ``ranges`` are the same for tails. ``values``: tails are values (True), nodes (False), or
    unknown (None); ``datatypes`` are the kinds of values (``date``, ``number``, ``text``). ``inverses`` lead
    the other way round; a relation that is its own inverse is symmetric. A fact of the relation is also one
    of its ``parents``. ``is_transitive``: from a to b and from b to c is from a to c.
    """

    name: str
    domains: tuple[tuple[str, ...], ...] = ()
    ranges: tuple[tuple[str, ...], ...] = ()
    values: bool | None = None
    datatypes: tuple[str, ...] = ()
    inverses: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    comment: str = ""
    is_transitive: bool = False


Declaration: TypeAlias = ClassDeclared | RelationDeclared
Item: TypeAlias = SourceStart | NodeDeclared | Fact | Declaration

_BETWEEN = "\x1f"
"""The unit separator: text files do not contain it, so that no name is the key of a row."""


_KEY_SEPARATORS = re.compile("[\x1e\x1f]+")


def make_label(node: NodeDeclared) -> str:
    """Return the text for people of a node without a name: its label, else its formatted key."""
    return node.label or format_key(node.key)


def format_key(key: str) -> str:
    """Format a key for people: that of a record without its place, with blanks between the parts."""
    return describe_record(key) or flatten_key(key)


def flatten_key(key: str) -> str:
    """All parts of a key, with blanks between them."""
    return _KEY_SEPARATORS.sub(" ", key).strip()


MAX_KEY_LENGTH = 1000
"""Longer keys are cut and completed by a hash, since index entries are limited."""


def make_node_key(name: str) -> str:
    """The key of a node that has a name and no id."""
    if len(name) <= MAX_KEY_LENGTH:
        return name
    # One character longer than any name that is its own key, so that it equals no name.
    return name[: MAX_KEY_LENGTH - 64] + "#" + sha256(name.encode()).hexdigest()


_VALUE_MARK = "\x1f="


def make_value_key(name: str, value: str) -> str:
    """The key of a value that its column reads as ``value``, otherwise than the dataset does."""
    return f"{name}{_VALUE_MARK}{value}"


def is_value_key(key: str, name: str) -> bool:
    """Return True if ``make_value_key`` made ``key`` for ``name``."""
    return key.startswith(name + _VALUE_MARK)


def make_row_key(source: str, position: int) -> str:
    """The key of the row at ``position`` (from 1) of a table."""
    return f"{source}{_BETWEEN}{position}"


_PLACE_MARK = "@"


def make_record_key(parts: Sequence[str], place: str) -> str:
    """The key of a record in a database at ``place``; ``parts`` are what finds it there."""
    return _BETWEEN.join((*parts, f"{_PLACE_MARK}{place}"))


def describe_record(key: str) -> str:
    """Describe how to find the record with this key in its database; empty for other keys."""
    *parts, place = key.split(_BETWEEN)
    return " ".join(parts) if parts and place.startswith(_PLACE_MARK) else ""


def make_row_node(source: str, position: int) -> NodeDeclared:
    """The row at ``position`` (from 1) of the table ``source``."""
    return NodeDeclared(make_row_key(source, position), f"row {position}", position=position)
