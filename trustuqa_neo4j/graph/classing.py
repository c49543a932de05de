"""What classes a dataset has, and which of them its relations start from and lead to.

Beside ``describing``, since what is exported, and most datasets, have none.
"""

from __future__ import annotations

from dataclasses import replace

from ..checking.meetings import Side
from ..checking.vocabulary import Vocabulary
from ..compiling import Program
from ..dataset import Schema, SchemaClass, SchemaRelation
from ..triples import ClassDeclared
from . import describing
from .vocabularies import asked, vocabulary


def describe(dataset: str, source: str | None) -> Program[Schema | None]:
    """As ``describing.describe``, with classes; they belong to a dataset, so one source has none.

    Raises:
        IncompleteDataset
    """
    found = yield from describing.describe(dataset, source)
    if found is None or source is not None:
        return found
    return _classed(found, vocabulary((yield asked(dataset))))


def _classed(schema: Schema, known: Vocabulary) -> Schema:
    if not known.classes:
        return schema
    found = [_class(name, known) for name in known.classes]
    return replace(
        schema,
        relations=tuple(_with_ends(each, known) for each in schema.relations),
        classes=tuple(sorted(found, key=lambda each: (-(each.members or 0), each.name))),
    )


def _class(name: str, known: Vocabulary) -> SchemaClass:
    said = known.ontology.classes.get(name, ClassDeclared(name))
    # A dataset of very many facts is not looked through, so nobody knows.
    counted = known.met.places or not known.relations
    members = known.met.size(Side("class", name)) if counted else None
    return SchemaClass(name, said.parents, members, said.labels, said.comment)


def _with_ends(relation: SchemaRelation, known: Vocabulary) -> SchemaRelation:
    if relation.name not in known.relations:
        return relation  # of tables
    start, end = (known.classes_at(Side(which, relation.name)) for which in ("start", "end"))
    said = known.ontology.relations.get(relation.name)
    comment = said.comment if said else ""
    return replace(relation, starts_from=start, leads_to=end, comment=comment)
