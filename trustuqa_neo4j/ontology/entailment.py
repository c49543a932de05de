"""Entailed facts: which facts follow from which by the axioms of an ontology.

The axioms are subclasses, subrelations, inverses, symmetry (a relation that is its own inverse) and
transitivity. Rules are collected for one relation at a time, so that an ontology without such axioms costs
nothing, and a large one only what a query needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias

from .join_statistics import CharacteristicSet
from .ontology import Ontology


class RelationUse(NamedTuple):
    """The facts of a relation, read from tail to head if ``is_inverted``."""

    relation: str
    is_inverted: bool = False


Neighbours: TypeAlias = Callable[[str], Iterable[RelationUse]]


class Entailments:
    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self._premises: dict[str, tuple[RelationUse, ...]] = {}
        self._conclusions: dict[str, tuple[RelationUse, ...]] = {}

    @cached_property
    def has_axioms(self) -> bool:
        return self.has_class_axioms or any(
            declared.parents or declared.inverses or declared.is_transitive
            for declared in self.ontology.relations.values()
        )

    @cached_property
    def has_class_axioms(self) -> bool:
        return any(declared.parents for declared in self.ontology.classes.values())

    @cached_property
    def has_inverses(self) -> bool:
        return any(declared.inverses for declared in self.ontology.relations.values())

    def premises(self, relation: str) -> tuple[RelationUse, ...]:
        """List the other uses of relations whose facts are facts of ``relation``, transitivity aside."""
        if relation not in self._premises:
            self._premises[relation] = _collect_uses(relation, self._direct_premises)
        return self._premises[relation]

    def conclusions(self, relation: str) -> tuple[RelationUse, ...]:
        """List the other uses of relations that have the facts of ``relation``, transitivity aside."""
        if relation not in self._conclusions:
            self._conclusions[relation] = _collect_uses(relation, self._direct_conclusions)
        return self._conclusions[relation]

    def chains(self, relation: str) -> tuple[RelationUse, ...]:
        """List the transitive relations whose chains of facts are facts of ``relation``, both ways round.

        Where ``relation`` is symmetric, its own chains have both directions of its facts already.
        """
        premises = (use for use in self.premises(relation) if use.relation != relation)
        uses = (RelationUse(relation), *premises)
        return tuple(use for use in uses if self.is_transitive(use.relation))

    def is_transitive(self, relation: str) -> bool:
        declared = self.ontology.relations.get(relation)
        return declared is not None and declared.is_transitive

    def superclasses(self, name: str) -> frozenset[str]:
        return self.ontology.superclasses(name) - {name}

    def subclasses(self, name: str) -> frozenset[str]:
        return self.ontology.subclasses(name) - {name}

    def entail(self, group: CharacteristicSet) -> CharacteristicSet:
        """Add the relations and classes that a group of nodes has by inference."""
        starts, ends = dict.fromkeys(group.starts), dict.fromkeys(group.ends)
        classes = dict.fromkeys(group.classes)
        for names, opposite, relations in (
            (starts, ends, group.starts),
            (ends, starts, group.ends),
        ):
            for name in relations:
                for use in self.conclusions(name):
                    (opposite if use.is_inverted else names)[use.relation] = None
        for name in group.classes:
            classes |= dict.fromkeys(self.superclasses(name))
        return group._replace(starts=[*starts], ends=[*ends], classes=[*classes])

    def explain(
        self, stored: str, stored_tail: str, relations: Sequence[str], tail: str
    ) -> tuple[str, str]:
        """Return the one of ``relations`` that follows from a stored fact, and the axiom in words."""
        for relation in relations:
            uses = [use for use in self.premises(relation) if use.relation == stored]
            if uses and stored != relation:
                return relation, self.describe(uses[0], relation)
        if stored_tail != tail and tail in self.ontology.superclasses(stored_tail):
            return stored, f"{stored_tail} is a subclass of {tail}"
        is_symmetric = RelationUse(stored, is_inverted=True) in self.premises(stored)
        relation = stored if stored in relations else relations[0]
        return relation, f"{stored} is {'symmetric' if is_symmetric else 'transitive'}"

    def describe(self, premise: RelationUse, relation: str) -> str:
        """Say in words why the facts of a premise are facts of ``relation``."""
        axiom = "the inverse" if premise.is_inverted else "a kind"
        return f"{premise.relation} is {axiom} of {relation}"

    def _direct_premises(self, relation: str) -> Iterable[RelationUse]:
        for child in self._children.get(relation, ()):
            yield RelationUse(child)
        yield from self._inverses.get(relation, ())

    def _direct_conclusions(self, relation: str) -> Iterable[RelationUse]:
        declared = self.ontology.relations.get(relation)
        for parent in declared.parents if declared else ():
            yield RelationUse(parent)
        yield from self._inverses.get(relation, ())

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        children: dict[str, list[str]] = {}
        for name, declared in self.ontology.relations.items():
            for parent in declared.parents:
                children.setdefault(parent, []).append(name)
        return children

    @cached_property
    def _inverses(self) -> dict[str, dict[RelationUse, None]]:
        # An inverse is declared on either side.
        inverses: dict[str, dict[RelationUse, None]] = {}
        for name, declared in self.ontology.relations.items():
            for inverse in declared.inverses:
                for relation, opposite in ((name, inverse), (inverse, name)):
                    use = RelationUse(opposite, is_inverted=True)
                    inverses.setdefault(relation, {})[use] = None
        return inverses


def _collect_uses(relation: str, neighbours: Neighbours) -> tuple[RelationUse, ...]:
    start = RelationUse(relation)
    uses = {start: None}
    pending = [start]
    while pending:
        use = pending.pop()
        for neighbour in neighbours(use.relation):
            added = RelationUse(neighbour.relation, neighbour.is_inverted != use.is_inverted)
            if added not in uses:
                uses[added] = None
                pending.append(added)
    del uses[start]
    return tuple(uses)
