"""The axioms among the statements of one file of RDF, and the class expressions they are made of.

Axioms may stand in any order and are chained by nodes without names, so all are noted first; then
``settle`` says which nodes belong to them. A class expression is read as what must hold of its members:
classes of which each is in all (*and*) of several unions (*or*). What cannot be said so, such as
restrictions, is left out with a remark: to know less never makes a right query wrong.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import product
from typing import TypeAlias

from trustuqa_neo4j.loader import File, Reading

from .naming_rdf import FIRST, REST, TYPE
from .statements_rdf import Statement, is_blank

OWL = "http://www.w3.org/2002/07/owl#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_XSD = "http://www.w3.org/2001/XMLSchema#"

_NIL = f"{_RDF}nil"
SUB_CLASS, SUB_PROPERTY = f"{RDFS}subClassOf", f"{RDFS}subPropertyOf"
DOMAIN, RANGE = f"{RDFS}domain", f"{RDFS}range"
_AXIOMS = frozenset({SUB_CLASS, SUB_PROPERTY, DOMAIN, RANGE})
_OF_INDIVIDUALS = frozenset({f"{OWL}sameAs", f"{OWL}differentFrom"})
_KINDS = frozenset({f"{RDFS}Class", f"{RDFS}Datatype", f"{_RDF}Property"})
ANYTHING = frozenset({f"{OWL}Thing", f"{RDFS}Resource"})
_NOTES = frozenset(
    {
        f"{RDFS}comment",
        f"{RDFS}isDefinedBy",
        f"{RDFS}seeAlso",
        "http://www.w3.org/2004/02/skos/core#definition",
    }
)
COMMENTS = frozenset({f"{RDFS}comment", "http://www.w3.org/2004/02/skos/core#definition"})

_NUMBER = re.compile(
    "decimal|double|float|(?:non)?(?:positive|negative)?integer|(?:unsigned)?(?:long|int|short|byte)",
    re.IGNORECASE,
)
_DATE = re.compile("date(?:Time(?:Stamp)?)?|gYear(?:Month)?")
_TEXTS = frozenset({f"{_RDF}langString", f"{_RDF}PlainLiteral", f"{_RDF}XMLLiteral"})
_LITERAL = f"{RDFS}Literal"

_DEEPEST = 50
_WIDEST = 1000
"""Unions that an expression may come to; one of unions in intersections in unions grows fast."""

Unions: TypeAlias = tuple[tuple[str, ...], ...]


def is_kind(iri: str) -> bool:
    """Whether what has this type is declared by it, and no thing that facts speak of."""
    return iri in _KINDS or (iri.startswith(OWL) and iri not in ANYTHING)


def datatype(iri: str) -> str | None:
    """``date``, ``number``, ``text``, or nothing for any literal; None: it is no datatype."""
    if iri.startswith(_XSD):
        name = iri[len(_XSD) :]
        return "number" if _NUMBER.fullmatch(name) else "date" if _DATE.fullmatch(name) else "text"
    if iri == _LITERAL:
        return ""
    if iri in (f"{OWL}real", f"{OWL}rational"):
        return "number"
    return "text" if iri in _TEXTS else None


class Axioms:
    """The axioms of ``file``: noted one by one, settled, then asked."""

    def __init__(self, file: File, reading: Reading) -> None:
        self._file = file
        self._reading = reading
        self._said: defaultdict[str, list[Statement]] = defaultdict(list)
        self._lists: dict[str, tuple[str | None, str | None]] = {}
        self._within: set[str] = set()

    def note(self, statement: Statement) -> bool:
        """Keep it if it is an axiom, or may be part of one; whether it is one by itself."""
        _, head, predicate, tail, is_text, _ = statement
        if _is_axiom(predicate, tail):
            self._said[head].append(statement)
            return True
        if predicate == FIRST:
            self._lists[head] = (tail, self._lists.get(head, (None, None))[1])
        elif predicate == REST and not is_text:
            self._lists[head] = (self._lists.get(head, (None, None))[0], tail)
        return False

    def settle(self) -> None:
        """Find the nodes without names that axioms are chained by."""
        waiting = [head for head in self._said if is_blank(head)]
        for statements in self._said.values():
            waiting += [one.tail for one in statements if is_blank(one.tail) and not one.is_text]
        while waiting:
            node = waiting.pop()
            if node not in self._within:
                self._within.add(node)
                ends = self._lists.get(node, ())
                waiting += [end for end in ends if end is not None and is_blank(end)]

    def covers(self, statement: Statement) -> bool:
        """Whether it is an axiom or part of one; after ``settle``."""
        return _is_axiom(statement.predicate, statement.tail) or statement.head in self._within

    def __iter__(self) -> Iterator[Statement]:
        return (one for statements in self._said.values() for one in statements)

    def of(self, head: str) -> tuple[Statement, ...]:
        """The axioms about ``head``."""
        return tuple(self._said.get(head, ()))

    def members(self, axiom: Statement, node: str) -> list[str]:
        """The members of the list that begins at ``node``."""
        found: list[str] = []
        seen: set[str] = set()
        while node != _NIL:
            first, rest = self._lists.get(node, (None, None))
            if first is None or rest is None or node in seen:
                self.remark("a list that does not end is read as far as it goes", axiom)
                break
            seen.add(node)
            found.append(first)
            node = rest
        return found

    def unions(self, axiom: Statement, node: str, depth: int = 0) -> Unions:
        """What is known of the members of a class expression; nothing where it cannot be said.

        Classes are IRIs. ``axiom`` is where the expression stands, for remarks.
        """
        if not is_blank(node):
            return () if node in ANYTHING else ((node,),)
        said = {one.predicate: one for one in self._said.get(node, ())}
        union, both = said.get(f"{OWL}unionOf"), said.get(f"{OWL}intersectionOf")
        if depth > _DEEPEST or (union is None and both is None):
            self.remark(_left_out(said), axiom)
            return ()
        members = self.members(axiom, (union or both or axiom).tail)
        parts = [self.unions(axiom, member, depth + 1) for member in members]
        if union is None:
            return tuple(dict.fromkeys(one for part in parts for one in part))
        return self._any(axiom, parts)

    def _any(self, axiom: Statement, parts: list[Unions]) -> Unions:
        """The union of expressions: one of each, whichever is taken."""
        width = 1
        for part in parts:
            width *= len(part)
        if width > _WIDEST:
            self.remark("an expression of too many unions is left out", axiom)
            return ()
        found = (
            tuple(dict.fromkeys(one for union in choice for one in union))
            for choice in product(*parts)
        )
        return tuple(dict.fromkeys(union for union in found if union))

    def one_of(self, axiom: Statement, node: str) -> list[Unions]:
        """What a class expression is made of, each member of a union by itself."""
        for one in self._said.get(node, ()) if is_blank(node) else ():
            if one.predicate == f"{OWL}unionOf":
                return [self.unions(axiom, member) for member in self.members(axiom, one.tail)]
        return [self.unions(axiom, node)]

    def datatypes(self, node: str, depth: int = 0) -> set[str] | None:
        """The kinds of values of a range; None: it is no range of values."""
        if not is_blank(node):
            known = datatype(node)
            if known is None and any(
                one.tail == f"{RDFS}Datatype" for one in self._said.get(node, ())
            ):
                return self._defined(node, depth)
            return None if known is None else {known} - {""}
        return self._defined(node, depth)

    def _defined(self, node: str, depth: int) -> set[str] | None:
        """The kinds of values of a range that is put together."""
        if depth > _DEEPEST:
            return None
        for one in self._said.get(node, ()):
            name = one.predicate.removeprefix(OWL)
            if name in ("onDatatype", "onDataRange", "equivalentClass"):
                return self.datatypes(one.tail, depth + 1)
            if name in ("unionOf", "intersectionOf"):
                parts = [self.datatypes(end, depth + 1) for end in self.members(one, one.tail)]
                kinds = {kind for part in parts if part is not None for kind in part}
                return kinds if parts and all(part is not None for part in parts) else None
        is_datatype = any(one.tail == f"{RDFS}Datatype" for one in self._said.get(node, ()))
        return set() if is_datatype else None

    def remark(self, what: str, axiom: Statement) -> None:
        """Tell that part of an axiom is left out."""
        self._reading.remark(what, f"{self._file.name}:{axiom.line}")


def is_note(predicate: str) -> bool:
    """Whether it says something of a term to people, and is no fact when said of one."""
    return predicate in _NOTES


def datatypes_clash(kinds: Iterable[set[str]]) -> bool:
    """Whether no value is of all these ranges; an empty one is any literal."""
    known = [kind for kind in kinds if kind]
    return bool(known) and not set.intersection(*known)


def _is_axiom(predicate: str, tail: str) -> bool:
    if predicate == TYPE:
        return is_kind(tail)
    if predicate in _AXIOMS:
        return True
    return predicate.startswith(OWL) and predicate not in _OF_INDIVIDUALS


def _left_out(said: Iterable[str]) -> str:
    names = {iri.removeprefix(OWL) for iri in said}
    if "onProperty" in names:
        return "a restriction is no class that can be named, and left out"
    return "a class expression other than a union or an intersection is left out"
