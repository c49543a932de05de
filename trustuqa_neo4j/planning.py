"""Checked query → execution query: which searching operation each step is.

The paper's Table 1 as data: a row says which parameters were given and what is searched. An operation
is written as the paper writes it (``search_node(R, condition=H)``), and that text is what *explain* and
the trace show.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from .language.functions import find
from .language.query import Argument, Listing, Literal, LLMQuery, Problem, Reference, Step, Value

Term: TypeAlias = Literal | Reference
"""Something that stands for nodes: a name, or the result of an earlier step."""


@dataclass(frozen=True, slots=True)
class Search:
    """One searching operation: ``operation`` follows ``relation`` out of or into any of ``terms``."""

    step: int
    operation: str
    relation: Literal
    terms: tuple[Term, ...]

    def __str__(self) -> str:
        members = ", ".join(_written(term) for term in self.terms)
        given = f"[{members}]" if len(self.terms) != 1 else members
        if self.operation == "search_node":
            return f"search_node({self.relation.text!r}, condition={given})"
        return f"search_condition({self.relation.text!r}, {given})"


@dataclass(frozen=True, slots=True)
class ExecutionQuery:
    """The operations in the order of the steps."""

    searches: tuple[Search, ...]


# Given parameters → (operation, which of them holds the relation, which the other node).
_TABLE: dict[frozenset[str], tuple[str, str, str]] = {
    frozenset({"head_entity", "relation"}): ("search_node", "relation", "head_entity"),
    frozenset({"relation", "tail_entity"}): ("search_condition", "relation", "tail_entity"),
}

# Where only one of a pair is given, both names mean the same.
_PAIRS = {"key": "relation", "value": "tail_entity"}


def plan(query: LLMQuery) -> ExecutionQuery | tuple[Problem, ...]:
    """The execution query, or which combinations of parameters have no row in the table."""
    searches: list[Search] = []
    problems: list[Problem] = []
    for step in query.steps:
        planned = _search(step)
        if isinstance(planned, Problem):
            problems.append(planned)
        else:
            searches.append(planned)
    return tuple(problems) if problems else ExecutionQuery(tuple(searches))


def _search(step: Step) -> Search | Problem:
    given = _given(step)
    row = _TABLE.get(frozenset(given))
    if row is None:
        named = ", ".join(given) or "no parameter"
        rows = " · ".join(" and ".join(sorted(names)) for names in _TABLE)
        message = f"get_information with {named} is not built in this version; these are: {rows}"
        return Problem("not built", message, step.number, step.call.position)
    operation, relation, other = row
    name = given[relation].value
    assert isinstance(name, Literal)  # a rule of the check
    return Search(step.number, operation, name, _terms(given[other].value))


def _given(step: Step) -> dict[str, Argument]:
    function = find(step.call.function)
    assert function is not None  # a rule of the check
    given: dict[str, Argument] = {}
    for argument in step.call.arguments:
        parameter = function.parameter(argument.name or "")
        assert parameter is not None  # a rule of the check
        given[parameter.name] = argument
    for second, first in _PAIRS.items():
        if second in given and first not in given:
            given[first] = given.pop(second)
    return given


def _terms(value: Value) -> tuple[Term, ...]:
    if isinstance(value, Listing):
        return tuple(term for member in value.members for term in _terms(member))
    assert isinstance(value, Literal | Reference)  # a rule of the check
    return (value,)


def _written(term: Term) -> str:
    return repr(term.text) if isinstance(term, Literal) else f"output_of_query{term.step}"
