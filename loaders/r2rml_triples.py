"""The triples that a mapping makes of a database, in the order of its triples maps and their rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from trustuqa_neo4j.loader import Reading

from .naming_rdf import TYPE
from .r2rml_mapping import Mapping, Reference, TermMap, TriplesMap
from .r2rml_rows import Rows, Tables
from .r2rml_terms import Maker, NoTerm, Term, lexical, maker
from .statements_rdf import Statement, is_blank

GRAPHS = "graphs are not told apart: what a mapping puts into one is a fact like all others"
_HINT = "see what the column holds; --skip-bad N passes over up to N bad rows"

_Row: TypeAlias = Sequence[Any]
_Terms: TypeAlias = Callable[[_Row], Sequence[Term]]
"""Row → the terms made of it: one, none, or all that a join finds."""


class Made(NamedTuple):
    """A triple; its line is that of ``file``. ``repaired``: what a repair changed about it."""

    file: str
    statement: Statement
    repaired: str = ""


class _Part(NamedTuple):
    """What makes one term of a triple, and what a repair changed about that."""

    terms: _Terms
    repaired: str = ""


class Triples:
    """All triples of ``mapping``."""

    def __init__(self, mapping: Mapping, tables: Tables, reading: Reading) -> None:
        self._mapping = mapping
        self.tables = tables
        self._reading = reading

    def check(self) -> None:
        """See that all tables and columns that the mapping names are there.

        Raises:
            UnreadableFile, UnreadableDatabase
        """
        for given in self._mapping.maps.values():
            self._rows(given)
            for said in given.said:
                for each in said.objects:
                    if isinstance(each, Reference) and each.joins:
                        self._parents(each)

    def __iter__(self) -> Iterator[Made]:
        for given in self._mapping.maps.values():
            if given.graphs:
                self._reading.remark(GRAPHS, f"{self._mapping.file}:{given.line}")
            yield from self.of(given)

    def of(
        self, given: TriplesMap, wanted: Callable[[TermMap], bool] | None = None
    ) -> Iterator[Made]:
        """The triples of one map; ``wanted``: only those with such a predicate.

        Raises:
            MalformedLine, UnreadableFile, UnreadableDatabase
        """
        rows = self._rows(given)
        subject = _Part(self._terms(given.subject, rows), given.subject.repaired)
        pairs = [
            (self._part(predicate, rows), self._part(each, rows))
            for said in given.said
            for predicate in said.predicates
            if wanted is None or wanted(predicate)
            for each in said.objects
        ]
        classes = [] if wanted is not None else [Term("iri", iri) for iri in given.classes]
        if not pairs and not classes:
            return
        for line, row in rows.read():
            try:
                found = list(self._of_row(row, subject, pairs, classes))
            except NoTerm as error:
                self._reading.malformed(str(error), f"{rows.file}:{line}", _HINT)
                continue
            for predicate, head, tail, repaired in found:
                statement = Statement(
                    line, head, predicate, self._key(tail), tail.kind == "literal", tail.language
                )
                yield Made(rows.file, statement, repaired)

    def _of_row(
        self,
        row: _Row,
        subject: _Part,
        pairs: Sequence[tuple[_Part, _Part]],
        classes: Sequence[Term],
    ) -> Iterator[tuple[str, str, Term, str]]:
        """Predicate, head, tail and repair of each triple of a row."""
        for head in map(self._key, subject.terms(row)):
            for one in classes:
                yield TYPE, head, one, subject.repaired
            for predicates, objects in pairs:
                repaired = subject.repaired or objects.repaired
                for predicate in predicates.terms(row):
                    for tail in objects.terms(row):
                        yield predicate.text, head, tail, repaired

    def _part(self, given: TermMap | Reference, rows: Rows) -> _Part:
        if isinstance(given, TermMap):
            return _Part(self._terms(given, rows), given.repaired)
        parent = self._mapping.maps[given.parent]
        if not given.joins:
            return _Part(self._terms(parent.subject, rows), parent.subject.repaired)
        return _Part(self._joined(given, parent, rows), parent.subject.repaired)

    def _terms(self, given: TermMap, rows: Rows) -> _Terms:
        make: Maker = maker(given, rows.columns, self._mapping.base)

        def terms(row: _Row) -> Sequence[Term]:
            term = make(row)
            return () if term is None else (term,)

        return terms

    def _joined(self, given: Reference, parent: TriplesMap, rows: Rows) -> _Terms:
        """The subjects of the rows of ``parent`` that have the same values; NULL is the same as nothing."""
        found = self._parents(given)
        make = maker(parent.subject, found.columns, self._mapping.base)
        there = [found.columns[name] for _, name in given.joins]
        here = [rows.columns[name] for name, _ in given.joins]
        by_values: defaultdict[tuple[str, ...], dict[Term, None]] = defaultdict(dict)
        for line, row in found.read():
            values = tuple(lexical(row[column.place], column.type) for column in there)
            try:
                term = make(row)
            except NoTerm as error:
                self._reading.malformed(str(error), f"{found.file}:{line}", _HINT)
                continue
            if term is not None and None not in values:
                by_values[values][term] = None  # type: ignore[index] # none is None

        def terms(row: _Row) -> Sequence[Term]:
            values = tuple(lexical(row[column.place], column.type) for column in here)
            return tuple(by_values.get(values, ()))  # type: ignore[arg-type] # None is in no key

        return terms

    def _parents(self, given: Reference) -> Rows:
        """The rows that ``given`` joins."""
        parent = self._mapping.maps[given.parent]
        return self._rows(parent, [(name, given.line) for _, name in given.joins])

    def _rows(self, given: TriplesMap, also: Sequence[tuple[str, int]] = ()) -> Rows:
        """The rows of ``given`` with all columns that its terms and joins need."""
        needed = [(name, term.line) for term in given.terms for name in term.columns]
        for said in given.said:
            for each in said.objects:
                if isinstance(each, Reference):
                    needed += [(child, each.line) for child, _ in each.joins]
                    if not each.joins:
                        parent = self._mapping.maps[each.parent].subject
                        needed += [(name, each.line) for name in parent.columns]
        return self.tables.rows(given, [*needed, *also])

    def _key(self, term: Term) -> str:
        """The key of a node; what is written down is its own."""
        if term.kind != "blank" or is_blank(term.text):
            return term.text
        return f"_:{term.text}@{self._mapping.file}"
