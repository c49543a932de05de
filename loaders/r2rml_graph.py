"""Facts of the triples that a mapping makes: what things and relations are called, and what stands where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from trustuqa_neo4j.loader import File, Reading
from trustuqa_neo4j.triples import Fact, Item, Thing

from . import databases
from .columns import no_fact
from .naming_rdf import LABELS, Labels, Relations, is_label, local_name
from .ontologies import Ontologies
from .r2rml_mapping import Mapping, TermMap
from .r2rml_repairs import REPAIRS
from .r2rml_rows import Tables
from .r2rml_triples import Made, Triples
from .statements_rdf import Statement, is_blank

_OF_INSTANCES = "what an ontology says of single things is left out"


def items(
    mapping: Mapping,
    ontologies: dict[File, list[Statement]],
    data: Sequence[File],
    reading: Reading,
) -> Iterator[Item]:
    """The facts that ``mapping`` makes of ``data``, then what ``ontologies`` declare.

    Raises:
        UsageError, MissingFile, MissingExtra, UnreadableFile, UnreadableDatabase, MalformedLine
    """
    for repair in REPAIRS:
        mapping = repair(mapping)
    with databases.opened(data, reading) as database:
        triples = Triples(mapping, Tables(database, mapping.file, reading), reading)
        triples.check()
        yield from _Graph(mapping, ontologies, reading).items(triples)


class _Graph:
    """Facts of triples: what things and relations are called, and what stands where."""

    def __init__(
        self, mapping: Mapping, ontologies: dict[File, list[Statement]], reading: Reading
    ) -> None:
        self._mapping = mapping
        self._said = ontologies
        self._reading = reading
        self._labels = Labels()
        self._ontologies = Ontologies(reading)
        self._given: set[str] = set()
        for file, found in ontologies.items():
            axioms = self._ontologies.axioms(file)
            for statement in found:
                if is_label(statement):
                    self._labels.note(statement)
                else:
                    axioms.note(statement)
        self._ontologies.settle()
        maps = mapping.maps.values()
        self._classes = {iri for each in maps for iri in each.classes} | self._ontologies.classes
        terms = [term for each in maps for term in each.terms]
        self._written = {term.constant for term in terms if term.constant is not None}

    def items(self, triples: Triples) -> Iterator[Item]:
        """All items; labels are looked for before the first fact."""
        relations = Relations(self._look(triples), self._ontologies.relations)
        file = self._mapping.file
        yield self._reading.part(self._mapping.file, file, "kg")
        facts = 0
        for made in triples:
            statement = made.statement
            if is_label(statement):
                continue
            if not statement.tail.strip():
                where = f"{made.file}:{statement.line}"
                self._reading.remark("an empty text is no tail", where)
                continue
            if made.file != file:
                file = made.file
                yield self._reading.part(self._mapping.file, file, "kg")
            yield from self._fact(made, relations)
            facts += 1
        if not facts:
            raise no_fact(File(Path(), self._mapping.file))
        yield from self._declared(relations)

    def _fact(self, made: Made, relations: Relations) -> Iterator[Item]:
        line, head, predicate, tail, is_text, _ = made.statement
        if made.repaired:
            self._reading.remark(made.repaired, f"{made.file}:{line}")
        if head not in self._given:
            yield self._thing(head)
        if not is_text and tail not in self._given:
            yield self._thing(tail)
        yield Fact(head, relations[predicate], tail, line)

    def _declared(self, relations: Relations) -> Iterator[Item]:
        for file, found in self._said.items():
            for statement in found:
                if not is_label(statement) and not self._ontologies.takes(file, statement):
                    self._reading.remark(_OF_INSTANCES, f"{file.name}:{statement.line}")
            yield self._reading.part(self._mapping.file, file.name, "kg")
            yield from self._ontologies.items(file, relations, self._labels)

    def _look(self, triples: Triples) -> set[str]:
        """Note the labels that the mapping makes; all its predicates but those."""
        quiet = Triples(
            self._mapping,
            triples.tables,
            replace(self._reading, skip_bad=1 << 62, bad=[], remarks={}),
        )
        predicates = set()
        for given in self._mapping.maps.values():
            for said in given.said:
                predicates |= {term.constant for term in said.predicates if term.constant}
            for made in quiet.of(given, _may_label):
                if is_label(made.statement):
                    self._labels.note(made.statement)
                else:
                    predicates.add(made.statement.predicate)
        return predicates - LABELS

    def _thing(self, key: str) -> Thing:
        """A node: those that rows make are ids, those that somebody wrote down have names."""
        self._given.add(key)
        if key in self._classes:
            return Thing(key, *self._labels.term(key))
        if key in self._labels:
            return Thing(key, *self._labels.thing(key))
        written = key in self._written and not is_blank(key)
        return Thing(key, local_name(key) if written else None)


def _may_label(predicate: TermMap) -> bool:
    return predicate.constant is None or predicate.constant in LABELS
