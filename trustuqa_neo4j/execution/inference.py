"""Facts that follow from stored facts by the axioms of the ontology, computed while a query runs.

Nothing is stored for them: a search also reads the facts that entail those it needs. An entailed fact has the
ids of the stored facts that it follows from, so that these prove it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias

from ..deadline import watch
from ..language.ast import ProblemKind
from ..matching import normalize_name
from ..ontology.entailment import Entailments, RelationUse
from ..ontology.schema_knowledge import TYPE
from ..reads.reader import Reader
from ..reasoning.results import EvaluationError
from .derivation import Facts

MAX_CHAIN_FACTS = 3_000_000
"""Stored facts in the chains of transitive relations that one search follows, each chain counted."""

Read: TypeAlias = Callable[[Sequence[str]], Facts]  # of the facts of relations
Edges: TypeAlias = dict[int, dict[int, Sequence[int]]]  # head → tail → ids of a stored fact


class StoredFacts(Protocol):
    def stored_from(self, heads: Sequence[int], relations: Sequence[str]) -> Facts: ...

    def stored_to(self, tails: Sequence[int], relations: Sequence[str]) -> Facts: ...

    def all_stored(self, relations: Sequence[str]) -> Facts: ...


class Inference:
    def __init__(
        self, entailments: Entailments, datasets: Sequence[str], reader: Reader, stored: StoredFacts
    ) -> None:
        self._entailments = entailments
        self._datasets = list(datasets)
        self._reader = reader
        self._stored = stored

    def entails(self, relations: Iterable[str]) -> bool:
        """Return whether facts of one of the relations can follow from others."""
        return any(self._has_class_facts(name) or self._has_rules(name) for name in relations)

    def _has_rules(self, relation: str) -> bool:
        entailments = self._entailments
        return bool(entailments.premises(relation)) or entailments.is_transitive(relation)

    def _has_class_facts(self, relation: str) -> bool:
        return normalize_name(relation) == TYPE and self._entailments.has_class_axioms

    def facts_from(self, heads: Sequence[int], relations: Sequence[str]) -> Facts:
        return self._facts_at(heads, relations, is_backward=False)

    def facts_to(self, tails: Sequence[int], relations: Sequence[str]) -> Facts:
        return self._facts_at(tails, relations, is_backward=True)

    def _facts_at(
        self, nodes: Sequence[int], relations: Sequence[str], *, is_backward: bool
    ) -> Facts:
        # The facts whose heads are nodes; backward: whose tails are.
        read, read_inverted = self._readers(nodes, is_backward=is_backward)
        facts = read(relations)
        for relation in relations:
            facts = self._add_premises(facts, relation, read, read_inverted)
            for use in self._entailments.chains(relation):
                edges = self._collect_edges(use, nodes, is_backward=use.is_inverted != is_backward)
                chains = _follow_chains(edges, nodes)
                facts = _add_entailed(facts, chains, relation, is_inverted=is_backward)
            if is_backward and self._has_class_facts(relation):
                facts = self._add_members_of_subclasses(facts, nodes, relation)
            elif not is_backward:
                facts = self._add_superclasses(facts, relation, relations, read)
        return facts

    def all_facts(self, relations: Sequence[str]) -> Facts:
        read: Read = self._stored.all_stored
        facts = read(relations)
        for relation in relations:
            facts = self._add_premises(facts, relation, read, read)
            for use in self._entailments.chains(relation):
                edges: Edges = {}
                single = self._add_premises(read([use.relation]), use.relation, read, read)
                for head, tail, ids in _rows(single):
                    edges.setdefault(head, {}).setdefault(tail, ids)
                chains = _follow_chains(edges, tuple(edges))
                facts = _add_entailed(facts, chains, relation, is_inverted=use.is_inverted)
            facts = self._add_superclasses(facts, relation, relations, read)
        return facts

    def _readers(self, nodes: Sequence[int], *, is_backward: bool) -> tuple[Read, Read]:
        # What reads the facts of relations at nodes, and those the other way round.
        read_from: Read = lambda names: self._stored.stored_from(nodes, names)  # noqa: E731
        read_to: Read = lambda names: self._stored.stored_to(nodes, names)  # noqa: E731
        return (read_to, read_from) if is_backward else (read_from, read_to)

    def add_premises(self, facts: Facts, relations: Sequence[str], read: Read) -> Facts:
        """Add the facts that ``read`` finds of relations whose facts are facts of ``relations``."""
        for relation in relations:
            facts = self._add_premises(facts, relation, read, read)
        return facts

    def _add_premises(self, facts: Facts, relation: str, read: Read, read_inverted: Read) -> Facts:
        uses = self._entailments.premises(relation)
        names = [use.relation for use in uses if not use.is_inverted]
        inverted = [use.relation for use in uses if use.is_inverted]
        if names:
            facts = _add_entailed(facts, _rows(read(names)), relation)
        if inverted:
            entailed = _rows(read_inverted(inverted))
            facts = _add_entailed(facts, entailed, relation, is_inverted=True)
        return facts

    def _collect_edges(self, use: RelationUse, nodes: Sequence[int], *, is_backward: bool) -> Edges:
        # The facts of a transitive relation that can be reached from nodes; backward: tail → head.
        edges: Edges = {}
        visited = set(nodes)
        frontier: Sequence[int] = list(nodes)
        while frontier:
            reached: dict[int, None] = {}
            single = self._read_single(use.relation, frontier, is_backward=is_backward)
            for head, tail, ids in _rows(single):
                begin, end = (tail, head) if is_backward else (head, tail)
                edges.setdefault(begin, {}).setdefault(end, ids)
                if end not in visited:
                    reached[end] = None
            visited.update(reached)
            frontier = list(reached)
        return edges

    def _read_single(self, relation: str, nodes: Sequence[int], *, is_backward: bool) -> Facts:
        # The facts of a relation at nodes, without chains.
        read, read_inverted = self._readers(nodes, is_backward=is_backward)
        return self._add_premises(read([relation]), relation, read, read_inverted)

    # Members of a class are members of its superclasses.

    def _add_superclasses(
        self, facts: Facts, relation: str, relations: Sequence[str], read: Read
    ) -> Facts:
        # ``facts`` are those of ``relations``.
        if not self._has_class_facts(relation):
            return facts
        memberships = facts if len(relations) == 1 else read([relation])
        names = self._read_names(memberships.tails)
        superclasses = {node: self._entailments.superclasses(name) for node, name in names.items()}
        nodes = self._find_classes({name for names in superclasses.values() for name in names})
        parents = {
            node: [parent for name in sorted(names) for parent in nodes.get(name, ())]
            for node, names in superclasses.items()
        }
        entailed = (
            (head, parent, ids)
            for head, tail, ids in _rows(memberships)
            for parent in parents.get(tail, ())
        )
        return _add_entailed(facts, entailed, relation)

    def _add_members_of_subclasses(
        self, facts: Facts, classes: Sequence[int], relation: str
    ) -> Facts:
        parents = self._find_parents(classes)
        if not parents:
            return facts
        members = self._stored.stored_to(list(parents), [relation])
        entailed = (
            (head, parent, ids) for head, tail, ids in _rows(members) for parent in parents[tail]
        )
        return _add_entailed(facts, entailed, relation)

    def find_subclasses(self, classes: Sequence[int]) -> list[int]:
        """List the nodes of the subclasses of classes."""
        return list(self._find_parents(classes)) if self._entailments.has_class_axioms else []

    def _find_parents(self, classes: Sequence[int]) -> dict[int, list[int]]:
        # Node of a subclass → those of ``classes`` that it is a subclass of.
        names = self._read_names(classes)
        subclasses = {node: self._entailments.subclasses(name) for node, name in names.items()}
        nodes = self._find_classes({name for names in subclasses.values() for name in names})
        parents: dict[int, list[int]] = {}
        for parent, names_of_subclasses in subclasses.items():
            for name in sorted(names_of_subclasses):
                for node in nodes.get(name, ()):
                    parents.setdefault(node, []).append(parent)
        return parents

    def _read_names(self, nodes: Iterable[int]) -> dict[int, str]:
        distinct = list(dict.fromkeys(nodes))
        if not distinct:
            return {}
        row = self._reader.run("node_values", nodes=distinct)[0]
        return dict(zip(row["ids"], row["names"], strict=True))

    def _find_classes(self, names: Iterable[str]) -> dict[str, list[int]]:
        # Class → its node in each dataset.
        rows = [[name, normalize_name(name)] for name in sorted(names)]
        if not rows:
            return {}
        row = self._reader.run("nodes_by_name", datasets=self._datasets, names=rows)[0]
        classes: dict[str, list[int]] = {}
        for name, node in row["nodes"]:
            classes.setdefault(name, []).append(node)
        return classes

    def relations_of(
        self, stored: Mapping[str, list[int]], reversed_facts: Callable[[], Mapping[str, list[int]]]
    ) -> dict[str, list[int]]:
        """Add the relations that follow from ``stored``, or from facts the other way round."""
        relations = {name: dict.fromkeys(facts) for name, facts in stored.items()}
        groups = [(stored, False)]
        if self._entailments.has_inverses:
            groups.append((reversed_facts(), True))
        for group, is_inverted in groups:
            for name, facts in group.items():
                for use in self._entailments.conclusions(name):
                    if use.is_inverted == is_inverted:
                        relations.setdefault(use.relation, {}).update(dict.fromkeys(facts))
        return {name: list(facts) for name, facts in relations.items()}


def _rows(facts: Facts) -> Iterator[tuple[int, int, Sequence[int]]]:
    return watch(zip(facts.heads, facts.tails, facts.ids, strict=True))


def _follow_chains(edges: Edges, starts: Sequence[int]) -> Iterator[tuple[int, int, Sequence[int]]]:
    """Follow shortest chains from each start; yield start, end and the facts between, without circles."""
    followed = 0
    for start in watch(dict.fromkeys(starts)):
        chains: dict[int, tuple[int, ...]] = {start: ()}
        frontier = [start]
        while frontier:
            reached = []
            for node in frontier:
                for end, ids in edges.get(node, {}).items():
                    if end in chains:
                        continue
                    chains[end] = (*chains[node], *ids)
                    followed += len(chains[end])
                    reached.append(end)
                    if followed > MAX_CHAIN_FACTS:
                        message = (
                            f"the chains of a transitive relation have more than {MAX_CHAIN_FACTS:,} "
                            "facts: name the head or the tail"
                        )
                        raise EvaluationError(ProblemKind.TOO_LARGE, message)
                    yield start, end, chains[end]
            frontier = reached


def _add_entailed(
    facts: Facts,
    entailed: Iterable[tuple[int, int, Sequence[int]]],
    relation: str,
    *,
    is_inverted: bool = False,
) -> Facts:
    # A fact that is stored, or entailed already, is not entailed again. Inverted: tails stand first.
    pairs = set(zip(facts.heads, facts.tails, strict=True))
    heads, tails, ids = array("q"), array("q"), list[Sequence[int]]()
    for first, second, premises in watch(entailed):
        head, tail = (second, first) if is_inverted else (first, second)
        if (head, tail) not in pairs:
            pairs.add((head, tail))
            heads.append(head)
            tails.append(tail)
            ids.append(premises)
    if not ids:
        return facts
    return facts.extended(Facts(heads, tails, ids, (relation,), [True] * len(ids)))
