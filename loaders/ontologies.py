"""Classes and relations as ontologies in OWL or RDFS declare them, by the names that facts have.

What is said of classes and relations is declared; what is said of anything else are facts. An ontology is
small beside what it is about, so it is held in memory, and facts are not.
"""

from __future__ import annotations

from collections.abc import Iterator

from trustuqa_neo4j.loader import File, Reading
from trustuqa_neo4j.triples import Declared

from .axioms import Axioms, is_note
from .declaring import Declaring
from .naming_rdf import Labels, Relations
from .statements_rdf import Statement


class Ontologies:
    """The axioms of files that are loaded together; a term of one is a term of all."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._axioms: dict[File, Axioms] = {}
        self._declaring: dict[File, Declaring] = {}
        self.classes: set[str] = set()
        self.relations: set[str] = set()
        self._headers: set[str] = set()

    def axioms(self, file: File) -> Axioms:
        """Where the axioms of ``file`` are to be noted."""
        return self._axioms.setdefault(file, Axioms(file, self._reading))

    def settle(self) -> None:
        """All axioms have been noted."""
        for file, axioms in self._axioms.items():
            axioms.settle()
            found = self._declaring[file] = Declaring(axioms)
            self.classes |= found.classes.keys()
            self.relations |= found.relations.keys()
            self._headers |= found.headers

    def takes(self, file: File, statement: Statement) -> bool:
        """Whether it is no fact: an axiom, or said of a relation, or to people of a class."""
        head = statement.head
        if self._axioms[file].covers(statement) or head in self._headers:
            return True
        if head in self.relations or (head in self.classes and is_note(statement.predicate)):
            self._declaring[file].comment(statement)
            return True
        return False

    def items(self, file: File, relations: Relations, labels: Labels) -> Iterator[Declared]:
        """What ``file`` declares; after its statements have been shown to ``takes``."""
        yield from self._declaring[file].items(relations, labels)
        declared = self._declaring[file].relations
        if declared and not relations.are_used(declared):
            what = "none of the relations that it declares has a fact here"
            self._reading.remark(what, file.name)
