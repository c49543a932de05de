"""A small world to check queries against: books, their authors and publishers."""

from __future__ import annotations

from trustuqa_neo4j.model.facts import ClassDeclared, RelationDeclared
from trustuqa_neo4j.ontology.join_statistics import CharacteristicSet, count_joins
from trustuqa_neo4j.ontology.ontology import Ontology
from trustuqa_neo4j.ontology.schema_knowledge import SchemaKnowledge, TailStatistics

DECLARED = Ontology.from_declarations(
    (
        ClassDeclared("Person"),
        ClassDeclared("Author", parents=("Person",), labels=("writer",)),
        ClassDeclared("Editor", parents=("Person",)),
        ClassDeclared("Book", labels=("volume",)),
        ClassDeclared("Publisher"),
        ClassDeclared("Prize"),
    ),
    (
        RelationDeclared(
            "wrote", (("Author",),), (("Book",),), values=False, inverses=("writtenBy",)
        ),
        RelationDeclared("edited", (("Editor",),), (("Book",),), values=False),
        RelationDeclared("publishedBy", (("Book",),), (("Publisher",),), values=False),
        RelationDeclared("won", (("Author", "Book"),), (("Prize",),), values=False),
        RelationDeclared("title", (("Book",),), values=True),
        RelationDeclared("pages", (("Book",),), values=True, datatypes=("number",)),
        RelationDeclared("appeared", (("Book",),), values=True, datatypes=("date",)),
        RelationDeclared("name", (("Person", "Publisher"),), values=True, labels=("is called",)),
    ),
)

MET = count_joins(
    (
        CharacteristicSet(("type", "name", "wrote", "won"), (), ("Author", "Person"), True, 3),
        CharacteristicSet(("type", "name", "edited"), (), ("Editor", "Person"), True, 2),
        CharacteristicSet(
            ("type", "title", "pages", "appeared", "publishedBy", "lent"),
            ("wrote",),
            ("Book",),
            True,
            6,
        ),
        CharacteristicSet(
            ("type", "title", "pages", "publishedBy"), ("wrote", "edited"), ("Book",), True, 1
        ),
        CharacteristicSet(("type", "name"), ("publishedBy",), ("Publisher",), True, 2),
        CharacteristicSet((), ("won",), ("Prize",), False, 2),
        CharacteristicSet((), ("title",), (), False, 7),
        CharacteristicSet((), ("name",), (), False, 7),
        CharacteristicSet((), ("pages",), (), False, 6),
        CharacteristicSet((), ("appeared",), (), False, 6),
        CharacteristicSet((), ("lent",), (), False, 4),
        CharacteristicSet((), ("type",), (), False, 6),
    )
)

FIGURES = {
    "type": TailStatistics(16),
    "title": TailStatistics(7),
    "name": TailStatistics(7),
    "pages": TailStatistics(7, 7, 0, 7),
    "appeared": TailStatistics(6, 0, 6, 6),
    "lent": TailStatistics(6, 0, 6, 6),
    "wrote": TailStatistics(7),
    "edited": TailStatistics(1),
    "publishedBy": TailStatistics(7),
    "won": TailStatistics(3),
}

BOTH = SchemaKnowledge(DECLARED, MET, FIGURES)
FOUND = SchemaKnowledge(Ontology(), MET, FIGURES)
"""Without an ontology."""
