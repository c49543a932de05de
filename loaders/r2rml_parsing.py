"""A mapping in R2RML, from RDF: what is wrong with it is told before any row is read."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NoReturn

from trustuqa_neo4j.errors import UnreadableFile

from .naming_rdf import TYPE, local_name
from .r2rml_mapping import (
    RR,
    BadTemplate,
    Kind,
    LogicalTable,
    Mapping,
    Reference,
    Said,
    Template,
    TermMap,
    TriplesMap,
)
from .statements_rdf import Statement, is_blank

_KINDS: dict[str, Kind] = {f"{RR}IRI": "iri", f"{RR}BlankNode": "blank", f"{RR}Literal": "literal"}
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")
_HINT = "see the recommendation, https://www.w3.org/TR/r2rml/"


def is_mapping(found: Sequence[Statement]) -> bool:
    """Whether RDF is a mapping."""
    marks = (f"{RR}logicalTable", f"{RR}subjectMap", f"{RR}subject")
    return any(
        one.predicate in marks or (one.predicate == TYPE and one.tail == f"{RR}TriplesMap")
        for one in found
    )


def parsed(file: str, found: Sequence[Statement], base: str) -> Mapping:
    """The mapping that ``found`` is, those of ``file``.

    Raises:
        UnreadableFile: it is none that can be used.
    """
    return _Parser(file, found).mapping(base)


class _Parser:
    def __init__(self, file: str, found: Sequence[Statement]) -> None:
        self._file = file
        self._said: defaultdict[str, defaultdict[str, list[Statement]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for one in found:
            self._said[one.head][one.predicate].append(one)

    def mapping(self, base: str) -> Mapping:
        found = {
            head: self._triples_map(head)
            for head, said in tuple(self._said.items())
            if said.keys() & {f"{RR}logicalTable", f"{RR}subjectMap", f"{RR}subject"}
            or any(one.tail == f"{RR}TriplesMap" for one in said.get(TYPE, ()))
        }
        for each in found.values():
            for said in each.said:
                for reference in said.objects:
                    if isinstance(reference, Reference) and reference.parent not in found:
                        self._wrong(
                            f"a parent that is no triples map, {_called(reference.parent)}",
                            reference.line,
                        )
        return Mapping(self._file, found, base)

    def _triples_map(self, head: str) -> TriplesMap:
        line = min(one.line for said in self._said[head].values() for one in said)
        what = f"the triples map {_called(head)}"
        rows = self._one(head, "logicalTable", f"{what} has no logical table", line)
        subjects = self._terms(head, "subject", "subjectMap")
        if len(subjects) != 1:
            self._wrong(f"{what} has {len(subjects) or 'no'} subjects", line)
        if subjects[0].kind == "literal":
            self._wrong(f"{what} has texts for subjects", subjects[0].line)
        node = next((one.tail for one in self._get(head, "subjectMap")), "")
        classes = self._get(node, "class")
        for one in classes:
            if one.is_text or is_blank(one.tail):
                self._wrong("a class without an IRI", one.line)
        graphs = bool(self._graphs(node))
        said = []
        for one in self._get(head, "predicateObjectMap"):
            said.append(self._predicate_object(one))
            graphs = graphs or bool(self._graphs(one.tail))
        return TriplesMap(
            head,
            line,
            self._logical_table(rows),
            subjects[0],
            tuple(one.tail for one in classes),
            tuple(said),
            graphs,
        )

    def _logical_table(self, at: Statement) -> LogicalTable:
        tables, queries = self._get(at.tail, "tableName"), self._get(at.tail, "sqlQuery")
        if len(tables) + len(queries) != 1 or not (tables + queries)[0].is_text:
            self._wrong("a logical table needs one rr:tableName or one rr:sqlQuery", at.line)
        if tables:
            return LogicalTable(tables[0].line, table=tables[0].tail)
        return LogicalTable(queries[0].line, query=queries[0].tail)

    def _predicate_object(self, at: Statement) -> Said:
        predicates = self._terms(at.tail, "predicate", "predicateMap")
        for predicate in predicates:
            if predicate.kind != "iri":
                self._wrong("a predicate that is no IRI", predicate.line)
        objects: list[TermMap | Reference] = [*self._constants(at.tail, "object")]
        for one in self._get(at.tail, "objectMap"):
            parents = self._get(one.tail, "parentTriplesMap")
            objects.append(self._reference(one, parents) if parents else self._term(one, "object"))
        if not predicates or not objects:
            lacking = "object" if predicates else "predicate"
            self._wrong(f"a predicate-object map without {lacking}", at.line)
        return Said(tuple(predicates), tuple(objects))

    def _reference(self, at: Statement, parents: Sequence[Statement]) -> Reference:
        joins = []
        for one in self._get(at.tail, "joinCondition"):
            child = self._one(one.tail, "child", "a join without rr:child", one.line)
            parent = self._one(one.tail, "parent", "a join without rr:parent", one.line)
            joins.append((child.tail, parent.tail))
        if len(parents) > 1:
            self._wrong("an object with several parents", at.line)
        return Reference(parents[0].tail, parents[0].line, tuple(joins))

    def _terms(self, head: str, shortcut: str, full: str) -> list[TermMap]:
        """The term maps of ``head``: constants, which have a shortcut, and others."""
        return [
            *self._constants(head, shortcut),
            *(self._term(one, shortcut) for one in self._get(head, full)),
        ]

    def _constants(self, head: str, shortcut: str) -> list[TermMap]:
        return [_constant(one) for one in self._get(head, shortcut)]

    def _term(self, at: Statement, role: str) -> TermMap:
        sources = [
            one for name in ("constant", "column", "template") for one in self._get(at.tail, name)
        ]
        if len(sources) != 1:
            self._wrong(f"{role} map needs one rr:constant, rr:column or rr:template", at.line)
        (source,) = sources
        if source.predicate == f"{RR}constant":
            return _constant(source)
        languages, datatypes = self._get(at.tail, "language"), self._get(at.tail, "datatype")
        for one in languages:
            if not _LANGUAGE.fullmatch(one.tail):
                self._wrong(f"{one.tail!r} is no tag of a language", one.line)
        by_column = source.predicate == f"{RR}column"
        literal = role == "object" and (by_column or bool(languages or datatypes))
        kind: Kind = "literal" if literal else "iri"
        for one in self._get(at.tail, "termType"):
            if one.tail not in _KINDS or (role != "object" and one.tail == f"{RR}Literal"):
                self._wrong(f"{role} map with the term type {_called(one.tail)}", one.line)
            kind = _KINDS[one.tail]
        return TermMap(
            kind,
            source.line,
            column=source.tail if by_column else None,
            template=None if by_column else self._template(source),
            language=languages[0].tail if languages else None,
            datatype=datatypes[0].tail if datatypes else None,
        )

    def _template(self, at: Statement) -> Template:
        try:
            return Template.read(at.tail)
        except BadTemplate as error:
            self._wrong(f"{error} in the template {at.tail!r}", at.line)

    def _graphs(self, head: str) -> list[TermMap]:
        """The graphs of ``head`` other than the default one."""
        found = self._terms(head, "graph", "graphMap")
        for one in found:
            if one.kind != "iri":
                self._wrong("a graph that is no IRI", one.line)
        return [one for one in found if one.constant != f"{RR}defaultGraph"]

    def _get(self, head: str, name: str) -> list[Statement]:
        return self._said[head][RR + name] if head in self._said else []

    def _one(self, head: str, name: str, lacking: str, line: int) -> Statement:
        found = self._get(head, name)
        if len(found) != 1:
            self._wrong(lacking if not found else f"several rr:{name} where one is allowed", line)
        return found[0]

    def _wrong(self, what: str, line: int) -> NoReturn:
        raise UnreadableFile(what, where=f"{self._file}:{line}", hint=_HINT)


def _constant(one: Statement) -> TermMap:
    kind: Kind = "literal" if one.is_text else "blank" if is_blank(one.tail) else "iri"
    return TermMap(kind, one.line, constant=one.tail, language=one.language)


def _called(key: str) -> str:
    return "without a name" if is_blank(key) else repr(local_name(key))
