"""The context of the schema rules: resolved constraints, their conflicts, and texts for messages.

Each variable must fulfil the constraints of its own step and of its supersets. Two that cannot be true of one
node are a conflict; the rule for their pair of roles reports it. If a relation only fits in the other
direction, its conflicts have one cause and are reported as one problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property

from ..errors import format_list
from ..language.ast import Problem, ProblemKind
from ..matching import normalize_name, sort_by_similarity
from ..ontology.join_statistics import RelationEnd
from ..ontology.schema_knowledge import TYPE, SchemaKnowledge
from .query_graph import QueryGraph, TypeConstraint

_MAX_LISTED_NAMES = 6


@dataclass(frozen=True, slots=True)
class ResolvedConstraint:
    constraint: TypeConstraint
    end: RelationEnd

    @property
    def name(self) -> str:
        return self.constraint.name

    def problem(self, kind: ProblemKind, message: str) -> Problem:
        return Problem(kind, message, self.constraint.step, self.constraint.position)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two constraints on a variable that (nearly) no node fulfils; ``later`` is of its own step."""

    variable: int
    earlier: ResolvedConstraint
    later: ResolvedConstraint

    @property
    def roles(self) -> tuple[str, ...]:
        return tuple(sorted((self.earlier.end.role, self.later.end.role)))

    def ordered(self) -> tuple[ResolvedConstraint, ResolvedConstraint]:
        """Return both constraints: a class after a relation, an end after a start."""
        first, second = sorted(
            (self.earlier, self.later), key=lambda c: ("start", "end", "class").index(c.end.role)
        )
        return first, second


@dataclass
class ValidationContext:
    """The query graph with the schema.

    ``resolve_relation`` finds the relation of a graph that a name in the query means. ``keys`` are the names
    in the query that are ids or aliases of nodes. ``nearest`` maps names that no relation has to the nearest
    relation, which the query uses instead. ``end_names`` are what the language of the query calls the ends of
    a fact.
    """

    graph: QueryGraph
    schema: SchemaKnowledge
    resolve_relation: Callable[[str], str | None]
    keys: Set[str] = frozenset()
    nearest: Mapping[str, str] = field(default_factory=dict)
    end_names: tuple[str, str] = ("head_entity", "tail_entity")

    def explain(self, problem: Problem) -> Problem:
        notes = [
            f"{name!r} was read as {relation!r}"
            for name, relation in self.nearest.items()
            if name in problem.message
        ]
        if not notes:
            return problem
        return replace(problem, message=f"{problem.message} ({'; '.join(notes)})")

    def _resolve(self, constraint: TypeConstraint) -> RelationEnd | None:
        if constraint.role != "class":
            name = self.resolve_relation(constraint.name)
        else:
            name = self.schema.find_class(constraint.name)
            if name is None:
                name = next(iter(self.schema.suggest_classes(constraint.name)), None)
        return None if name is None else RelationEnd(constraint.role, name)

    @cached_property
    def _own_constraints(self) -> dict[int, list[ResolvedConstraint]]:
        by_variable: dict[int, list[ResolvedConstraint]] = {}
        for constraint in self.graph.constraints:
            end = self._resolve(constraint)
            if end is not None:
                resolved = ResolvedConstraint(constraint, end)
                by_variable.setdefault(constraint.variable, []).append(resolved)
        return by_variable

    def constraints_on(self, variable: int) -> list[ResolvedConstraint]:
        numbers = self.graph.supersets(variable)
        return [constraint for n in numbers for constraint in self._own_constraints.get(n, ())]

    @cached_property
    def _pairs(self) -> list[Conflict]:
        pairs: dict[tuple[TypeConstraint, TypeConstraint], Conflict] = {}
        for variable in range(len(self.graph.variables)):
            constraints = self.constraints_on(variable)
            for place, later in enumerate(constraints):
                for earlier in constraints[place + 1 :]:
                    key = (earlier.constraint, later.constraint)
                    pairs.setdefault(key, Conflict(variable, earlier, later))
        return list(pairs.values())

    @cached_property
    def _all_conflicts(self) -> list[Conflict]:
        is_impossible = self.schema.is_impossible_join
        return [pair for pair in self._pairs if is_impossible(pair.earlier.end, pair.later.end)]

    @cached_property
    def conflicts(self) -> list[Conflict]:
        reversed_facts = self.reversed_facts
        return [
            conflict
            for conflict in self._all_conflicts
            if conflict.later.constraint.fact not in reversed_facts
            and conflict.earlier.constraint.fact not in reversed_facts
        ]

    @property
    def rare_joins(self) -> list[tuple[Conflict, int]]:
        count = self.schema.count_rare_matches
        pairs = ((pair, count(pair.earlier.end, pair.later.end)) for pair in self._pairs)
        return [(pair, shared) for pair, shared in pairs if shared]

    @cached_property
    def reversed_facts(self) -> tuple[int, ...]:
        """The facts that have conflicts and fit only in the other direction."""
        facts: dict[int, None] = {}
        for conflict in self._all_conflicts:
            for resolved in (conflict.later, conflict.earlier):
                fact = resolved.constraint.fact
                if resolved.end.role != "class" and fact not in facts and self._fits_reversed(fact):
                    facts[fact] = None
                    break
        return tuple(facts)

    def _fits_reversed(self, fact: int) -> bool:
        """Return whether all constraints on the two variables of a fact fit if its ends are exchanged."""
        has_fitting_end = False
        for constraint in self.graph.constraints_of(fact):
            relation = self.resolve_relation(constraint.name) or ""
            exchanged = RelationEnd("start" if constraint.role == "end" else "end", relation)
            for neighbour in self._neighbours(constraint):
                if self.schema.is_impossible_join(exchanged, neighbour.end):
                    return False
                if self.schema.is_possible_join(exchanged, neighbour.end):
                    has_fitting_end = True
        return has_fitting_end

    def _neighbours(self, constraint: TypeConstraint) -> Iterator[ResolvedConstraint]:
        for variable in range(len(self.graph.variables)):
            supersets = set(self.graph.supersets(variable))
            if constraint.variable not in supersets:
                continue
            for number in supersets if variable == constraint.variable else {variable}:
                for resolved in self._own_constraints.get(number, ()):
                    if resolved.constraint != constraint:
                        yield resolved

    def label(self, variable: int) -> str:
        return self.graph.variables[variable].label

    def describe_nodes(self, end: RelationEnd) -> str:
        """Describe the nodes at an end by their class, or by the relation if no class is known."""
        description = self.schema.describe_nodes(end)
        if description:
            return description
        return (
            f"something that has {end.name}" if end.role == "start" else f"what {end.name} leads to"
        )

    def path_hint(self, start: RelationEnd, target: ResolvedConstraint) -> str:
        """Suggest a path from nodes at an end to the relation of ``target``; empty if there is none."""
        path = self.schema.find_path(start, target.end)
        steps = (*[start.name] * (start.role == "end"), *path, target.name)
        return f" Try {' > '.join(steps)}." if path else ""

    def relations_from_hint(self, end: RelationEnd, name: str) -> str:
        """List the relations from nodes at an end as a sentence, nearest to ``name`` first.

        Empty if none is known.
        """
        relations = self.schema.relations_from(end)
        names = [name for name in relations if normalize_name(name) != TYPE]
        nodes = self.schema.describe_nodes(end) or "there"
        listed = list_names(sort_by_similarity(name, names))
        return f" Relations that start from {nodes}: {listed}." if names else ""

    def relations_to_hint(self, end: RelationEnd, name: str) -> str:
        """List the relations to nodes at an end as a sentence, nearest to ``name`` first.

        Empty for values, or if none is known.
        """
        names = [] if self.schema.has_values(end) else self.schema.relations_to(end)
        nodes = self.schema.describe_nodes(end) or "there"
        listed = list_names(sort_by_similarity(name, names))
        return f" Relations that lead to {nodes}: {listed}." if names else ""


def list_names(names: Sequence[str]) -> str:
    return format_list(names, _MAX_LISTED_NAMES)
