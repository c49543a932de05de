"""RDF for ``kg`` and ``rdf``: statements as facts, with names from their labels.

IRIs are keys. A label may stand anywhere, also in another file than what it names, and must be known
before the first fact; so each file is read twice, and only labels, keys and axioms are held in memory,
never the statements. The alternative, to change a name once its label comes, would make loads that cannot
be gone on with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from trustuqa_neo4j.loader import File, Reading
from trustuqa_neo4j.triples import Fact, Item, Thing

from .columns import no_fact
from .naming_rdf import Labels, Relations, is_label
from .ontologies import Ontologies
from .statements_rdf import Statement, statements


class Graphs:
    """RDF files that are loaded together: labels of one name things of all.

    ``declaring``: axioms in them are declarations instead of facts.
    """

    def __init__(self, files: Sequence[File], reading: Reading, declaring: bool = False) -> None:
        """Look through ``files`` for labels, predicates and axioms.

        Raises:
            MissingFile, UnreadableFile, MalformedLine, MissingExtra
        """
        self._reading = reading
        self._files = len(files)
        self._labels = Labels()
        self._labelled: set[File] = set()
        self._given: set[str] = set()
        self._ontologies = Ontologies(reading) if declaring else None
        predicates: set[str] = set()
        for file in files:
            predicates |= self._look(file)
        declared: set[str] = set()
        if self._ontologies is not None:
            self._ontologies.settle()
            declared = self._ontologies.relations
        self._relations = Relations(predicates, declared)

    def _look(self, file: File) -> set[str]:
        """Note what names and declares; the predicates of the rest."""
        # Bad lines and oddities are noted when the facts are read, and only then.
        quiet = replace(
            self._reading, skip_bad=1 << 62, bad=[], remarks={}, progress=lambda _file, _done: None
        )
        axioms = None if self._ontologies is None else self._ontologies.axioms(file)
        predicates: set[str] = set()
        for statement in statements(file, quiet):
            if is_label(statement):
                self._labels.note(statement)
                self._labelled.add(file)
            elif axioms is None or not axioms.note(statement):
                predicates.add(statement.predicate)
        return predicates

    def items(self, file: File) -> Iterator[Item]:
        """The facts of ``file``, each thing before the first that has it; then what it declares.

        Raises:
            MissingFile, UnreadableFile, MalformedLine
        """
        told = 0
        for statement in statements(file, self._reading):
            if is_label(statement) or self._declares(file, statement):
                continue
            line, head, predicate, tail, is_text, _ = statement
            if not tail.strip():
                self._reading.remark("an empty text is no tail", f"{file.name}:{line}")
                continue
            if head not in self._given:
                yield self._thing(head)
            if not is_text and tail not in self._given:
                yield self._thing(tail)
            told += 1
            yield Fact(head, self._relations[predicate], tail, line)
        if self._ontologies is not None:
            for declared in self._ontologies.items(file, self._relations, self._labels):
                told += 1
                yield declared
        # A file of labels alone is of use to the others.
        if not told and not (self._files > 1 and file in self._labelled):
            raise no_fact(file)

    def _declares(self, file: File, statement: Statement) -> bool:
        return self._ontologies is not None and self._ontologies.takes(file, statement)

    def _thing(self, key: str) -> Thing:
        self._given.add(key)
        if self._ontologies is not None and key in self._ontologies.classes:
            return Thing(key, *self._labels.term(key))
        return Thing(key, *self._labels.thing(key))
