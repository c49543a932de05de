"""A small world to check queries against: books, their authors and publishers."""

from __future__ import annotations

from trustuqa_neo4j.checking.meetings import Alike, meetings
from trustuqa_neo4j.checking.ontology import Ontology
from trustuqa_neo4j.checking.vocabulary import Figures, Vocabulary
from trustuqa_neo4j.triples import ClassDeclared, RelationDeclared

DECLARED = Ontology.of(
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

MET = meetings(
    (
        Alike(("type", "name", "wrote", "won"), (), ("Author", "Person"), True, 3),
        Alike(("type", "name", "edited"), (), ("Editor", "Person"), True, 2),
        Alike(
            ("type", "title", "pages", "appeared", "publishedBy", "lent"),
            ("wrote",),
            ("Book",),
            True,
            6,
        ),
        Alike(("type", "title", "pages", "publishedBy"), ("wrote", "edited"), ("Book",), True, 1),
        Alike(("type", "name"), ("publishedBy",), ("Publisher",), True, 2),
        Alike((), ("won",), ("Prize",), False, 2),
        Alike((), ("title",), (), False, 7),
        Alike((), ("name",), (), False, 7),
        Alike((), ("pages",), (), False, 6),
        Alike((), ("appeared",), (), False, 6),
        Alike((), ("lent",), (), False, 4),
        Alike((), ("type",), (), False, 6),
    )
)

FIGURES = {
    "type": Figures(16),
    "title": Figures(7),
    "name": Figures(7),
    "pages": Figures(7, 7, 0, 7),
    "appeared": Figures(6, 0, 6, 6),
    "lent": Figures(6, 0, 6, 6),
    "wrote": Figures(7),
    "edited": Figures(1),
    "publishedBy": Figures(7),
    "won": Figures(3),
}

BOTH = Vocabulary(DECLARED, MET, FIGURES)
FOUND = Vocabulary(Ontology(), MET, FIGURES)
"""Without an ontology."""
