"""SPARQL → ``QueryGraph``: the variables of its patterns, and what the patterns demand of them.

So the rules of validation check SPARQL too. A group that need not match (OPTIONAL, UNION, MINUS, EXISTS, a
subquery) has variables of its own that are subsets of those around it: what it demands binds no other group.
Only patterns are read; FILTER and BIND demand nothing. The syntax tree is that of rdflib.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from threading import Lock
from typing import Any

from pyparsing.exceptions import ParseBaseException
from rdflib.paths import InvPath, SequencePath
from rdflib.plugins.sparql import algebra
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.term import BNode, Literal, URIRef
from rdflib.term import Variable as NamedVariable

from ..errors import StatementFailed
from ..language.ast import Problem, ProblemKind
from ..matching import suggest_names
from ..ontology.join_statistics import EndRole
from ..ontology.schema_knowledge import SchemaKnowledge
from ..planning.operations import Constant, Plan, PlanStep
from ..validation.context import ValidationContext
from ..validation.query_graph import (
    ComparedValue,
    QueryGraph,
    ResultShape,
    TypeConstraint,
    Variable,
)
from ..validation.validate import check_schema
from .query_process import PREFIXES

_STANDARD = tuple(PREFIXES.values())
_TYPE = URIRef(f"{PREFIXES['rdf']}type")
# A digit before it need not part words, and a name or a variable may be called so.
_WORD = r"(?<![:?$])(?<![^\W\d])SERVICE"
_SERVICE = re.compile(
    rf"{_WORD}\s*(?:\bSILENT\s*)?(?:<[^<>\s]*>|[\w.-]*:[\w.-]*)\s*\{{", re.IGNORECASE
)
_SERVICE_WORD = re.compile(_WORD, re.IGNORECASE)
_ESCAPE = re.compile(r"\\u[0-9a-f]+", re.IGNORECASE)
_PARSER = Lock()  # it keeps state while it reads
_GROUPS = ("GroupGraphPatternSub", "SubSelect")
_STEP = 1
_HINT = "write one SELECT or ASK query over the graph"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """IRI → name in the schema, of the properties and classes of the ontology and of the graph."""

    relations: Mapping[str, str]
    classes: Mapping[str, str]


@lru_cache(maxsize=64)  # a query is checked, and then run
def read_sparql(text: str) -> tuple[str, Any]:
    """Return the text to run and its syntax tree; a service counts as the graph itself.

    Raises:
        StatementFailed: it is not one SELECT or ASK query, or asks another server.
    """
    # The parser here and that of the engine take escapes, and comments before \r, for different things:
    # what the tree does not have may run. So there are none, and no service is looked for in the tree.
    if escape := _ESCAPE.search(text):
        raise StatementFailed(
            f"the escape {escape[0]}", hint="write the character itself, in UTF-8"
        )
    local = _SERVICE.sub("{", text.replace("\r", "\n"))
    if _SERVICE_WORD.search(local):
        raise StatementFailed("SERVICE asks another server", hint="leave SERVICE out")
    try:
        with _PARSER:
            prologue, tree = parseQuery(local)
    except (ParseBaseException, RecursionError) as error:
        raise StatementFailed(
            f"not a SELECT or ASK query of SPARQL ({' '.join(str(error).split())})", hint=_HINT
        ) from error
    if tree.name not in ("SelectQuery", "AskQuery"):
        raise StatementFailed(f"a {tree.name.removesuffix('Query').upper()} query", hint=_HINT)
    names = algebra.translatePrologue(prologue, None, PREFIXES)
    for part in _walk(tree):
        if (
            part.name == "pname"
            and names.namespace_manager.store.namespace(part.prefix or "") is None
        ):
            raise StatementFailed(f"the prefix {part.prefix}: is not declared", hint="declare it")
    tree = algebra.traverse(tree, visitPost=partial(algebra.translatePName, prologue=names))
    return local, algebra.traverse(tree, visitPost=algebra.translatePath)


def check_sparql(tree: Any, vocabulary: Vocabulary, schema: SchemaKnowledge) -> tuple[Problem, ...]:
    """Return the errors of a query: unknown properties and classes, and those of the schema rules."""
    reader = _PatternReader(vocabulary)
    scope = _Scope()
    reader.read_group(tree.where, scope)
    columns = tuple((name, scope.variables.get(name)) for name in _list_projection(tree, scope))
    reader.graph.results[_STEP] = ResultShape(columns=columns)
    context = ValidationContext(
        reader.graph, schema, schema.find_relation, end_names=("subject", "object")
    )
    errors = (problem for problem in check_schema(context) if problem.severity == "error")
    return (*reader.unknown, *errors)


def _walk(tree: Any, closed: tuple[str, ...] = ()) -> Iterator[Any]:
    # An outer part comes before those inside it; ``closed`` are names of parts that are not looked into.
    if isinstance(tree, CompValue):
        yield tree
        tree = () if tree.name in closed else tree.values()
    if not isinstance(tree, str) and hasattr(tree, "__iter__"):
        for member in tree:
            yield from _walk(member, closed)


@dataclass
class _Scope:
    """Variables of one group by name; those that are ``shared`` (None: all) are known outside too."""

    outer: _Scope | None = None
    shared: frozenset[str] | None = None
    variables: dict[str, int] = field(default_factory=dict)


class _PatternReader:
    def __init__(self, vocabulary: Vocabulary) -> None:
        self.graph = QueryGraph(Plan((PlanStep(_STEP, Constant("", 0)),)))
        self.unknown: list[Problem] = []
        self._vocabulary = vocabulary
        self._facts = 0

    def read_group(self, group: Any, scope: _Scope) -> None:
        if group.name == "SubSelect":
            shared = frozenset(_list_projection(group, scope)) if group.projection else None
            self.read_group(group.where, _Scope(scope, shared))
            return
        for part in group.part or ():
            if part.name == "TriplesBlock":
                terms = [term for triples in part.triples for term in triples]
                for place in range(0, len(terms), 3):
                    self._add_triple(scope, *terms[place : place + 3])
            elif part.name == "GroupOrUnionGraphPattern" and len(part.graph) == 1:
                self.read_group(part.graph[0], scope)
            else:
                for nested in _walk(part, _GROUPS):
                    if nested.name in _GROUPS:
                        self.read_group(nested, _Scope(scope))

    def _add_triple(self, scope: _Scope, start: Any, path: Any, end: Any) -> None:
        head = self._find_variable(start, scope)
        if path == _TYPE and isinstance(end, URIRef):
            if self._is_known(ProblemKind.UNKNOWN_CLASS, end, self._vocabulary.classes):
                self._constrain("class", head, self._vocabulary.classes[str(end)])
            return
        self._add_path(head, path, self._find_variable(end, scope))
        if isinstance(end, Literal) and str(path) in self._vocabulary.relations:
            name = self._vocabulary.relations[str(path)]
            self.graph.comparisons.append(ComparedValue(name, "=", str(end), _STEP, 0))

    def _add_path(self, head: int, path: Any, tail: int) -> None:
        # What may be passed in several ways demands nothing of its ends.
        if isinstance(path, URIRef):
            self._add_fact(head, path, tail)
        elif isinstance(path, InvPath):
            self._add_path(tail, path.arg, head)
        elif isinstance(path, SequencePath):
            between = [self._new_variable("a node between") for _ in path.args[1:]]
            for start, part, end in zip([head, *between], path.args, [*between, tail], strict=True):
                self._add_path(start, part, end)
        elif not isinstance(path, NamedVariable):
            for part in getattr(path, "args", None) or [path.path]:
                self._add_path(self._new_variable("a node"), part, self._new_variable("a node"))

    def _add_fact(self, head: int, iri: str, tail: int) -> None:
        known = self._vocabulary.relations
        if not str(iri).startswith(_STANDARD) and self._is_known(
            ProblemKind.UNKNOWN_RELATION, iri, known
        ):
            self._constrain("start", head, known[str(iri)])
            self._constrain("end", tail, known[str(iri)])

    def _is_known(self, kind: ProblemKind, iri: str, known: Mapping[str, str]) -> bool:
        self._facts += 1
        if str(iri) not in known:
            iris = {name: known_iri for known_iri, name in known.items()}
            names = suggest_names(re.split("[#/]", iri)[-1], [*iris], most=1)
            hint = "".join(f"; is <{iris[name]}> meant?" for name in names)
            text = f"<{iri}> is neither in the ontology nor in the graph{hint}"
            self.unknown.append(Problem(kind, text))
        return str(iri) in known

    def _constrain(self, role: EndRole, variable: int, name: str) -> None:
        constraint = TypeConstraint(variable, role, name, self._facts, _STEP, 0)
        self.graph.constraints.append(constraint)

    def _new_variable(self, label: str, *supersets: int) -> int:
        self.graph.variables.append(Variable(label, supersets))
        return len(self.graph.variables) - 1

    def _find_variable(self, term: Any, scope: _Scope) -> int:
        if not isinstance(term, NamedVariable | BNode):
            return self._new_variable(str(term))
        if term not in scope.variables:
            is_named = isinstance(term, NamedVariable)
            is_shared = is_named and (scope.shared is None or term in scope.shared)
            outer = (scope.outer,) if scope.outer is not None and is_shared else ()
            supersets = [self._find_variable(term, around) for around in outer]
            label = f"?{term}" if is_named else "a blank node"
            scope.variables[term] = self._new_variable(label, *supersets)
        return scope.variables[term]


def _list_projection(query: Any, scope: _Scope) -> list[str]:
    if not query.projection:
        return [name for name in scope.variables if isinstance(name, NamedVariable)]
    return [entry.var or entry.evar for entry in query.projection]
