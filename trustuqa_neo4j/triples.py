"""What a loader yields, and condition triples: plain data, no I/O.

A loader yields *items* in the order of its files: a ``Part`` where a source begins, a ``Thing`` before
the first fact that names it where a name alone does not say what it is, facts, and what an ontology or a
database's own schema declares of classes and relations. The paper stores each
fact as condition triples (TrustUQA, section 3.1). Only the fact is kept, since the triples follow from
it: storing them literally would triple the data and turn every relation into a node with millions of
edges.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["kg", "temporal-kg", "table"]
"""What a source is."""


class ConditionTriple(NamedTuple):
    """``node1`` leads to ``node2`` under ``condition`` (TrustUQA, definition 1)."""

    node1: str
    node2: str
    condition: tuple[str, ...] = ()


class Held(NamedTuple):
    """When a fact held: first and last day, both counted, and the two dates as written.

    Days are integers, year × 10000 + month × 100 + day; ``end`` may be ``values.OPEN``. A date that is
    not known is the empty text.
    """

    start: int
    end: int
    start_text: str = ""
    end_text: str = ""


class Part(NamedTuple):
    """From here on facts belong to ``source``, and their lines are lines of ``file``.

    ``columns`` are the relations of a table in their order, also those without any fact.
    """

    source: str
    file: str
    kind: Kind
    columns: tuple[str, ...] = ()


class Thing(NamedTuple):
    """A node that its key alone does not describe.

    What has a name and no id needs no Thing: its key is its name. ``name`` None is a node without a name:
    an id that a machine made, which answers nobody's question.
    ``position`` (from 1) is that of a row in its source; only rows have one.
    """

    key: str
    name: str | None
    aliases: tuple[str, ...] = ()
    position: int | None = None


class Fact(NamedTuple):
    """``head`` has ``relation`` to ``tail``, both keys; ``line`` is where the file says so, from 1.

    ``qualifiers`` are (key, value) pairs other than times: provenance, places, degrees of an n-ary fact.
    """

    head: str
    relation: str
    tail: str
    line: int
    held: Held | None = None
    qualifiers: tuple[tuple[str, str], ...] = ()

    def triples(self) -> tuple[ConditionTriple, ConditionTriple]:
        """The condition triples that the paper's translator makes of this fact without its times."""
        return (
            ConditionTriple(self.head, self.relation),
            ConditionTriple(self.relation, self.tail, (self.head,)),
        )


class ClassDeclared(NamedTuple):
    """A class as an ontology or a schema declares it, by the name that ``type`` facts lead to.

    Several of one name add up. ``parents`` are the classes it is a kind of, those equivalent to it
    included; nothing is both it and one of ``disjoint``. ``labels`` are other names.
    """

    name: str
    parents: tuple[str, ...] = ()
    disjoint: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    comment: str = ""


class RelationDeclared(NamedTuple):
    """A relation as an ontology or a schema declares it, by the name that its facts have.

    Several of one name add up. Each of ``domains`` is a union of classes, and what the relation starts from
    is in all of these unions; ``ranges`` are the same for what it leads to. ``values``: it leads to
    values (True), to nodes (False), or nobody says (None); ``datatypes`` are the kinds of values
    (``date``, ``number``, ``text``). ``inverses`` lead the other way round, ``parents`` hold whenever it
    holds.
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


Declared: TypeAlias = ClassDeclared | RelationDeclared
Item: TypeAlias = Part | Thing | Fact | Declared

_BETWEEN = "\x1f"
"""Unit separator: text files hold none, so no name is a row's key."""


KEY_LENGTH = 1000
"""Keys longer than this many characters are cut and completed by a hash (index entries are limited)."""


def key(name: str) -> str:
    """The key of a thing that has a name and no id."""
    if len(name) <= KEY_LENGTH:
        return name
    # One character longer than any name that is its own key, so that none can be mistaken for it.
    return name[: KEY_LENGTH - 64] + "#" + sha256(name.encode()).hexdigest()


def row_key(source: str, position: int) -> str:
    """The key of the row at ``position`` (from 1) of a table."""
    return f"{source}{_BETWEEN}{position}"


def row(source: str, position: int) -> Thing:
    """The row at ``position`` (from 1) of the table ``source``."""
    return Thing(row_key(source, position), f"row {position}", position=position)
