"""Diagnostics: classes, names and results that the query needs and the data does not have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, NamedTuple

from ..errors import format_list
from ..language.ast import Problem, ProblemKind
from ..language.columns import ColumnPath
from ..language.functions import NEGATION, has_trait
from ..language.lexer import TEXT_OPERATORS
from ..language.signatures import Trait
from ..matching import normalize_name, sort_by_similarity
from ..model.dataset import Scope
from ..ontology.schema_knowledge import TYPE, SchemaKnowledge
from ..planning.operations import (
    Apply,
    Condition,
    Constant,
    Operation,
    Plan,
    Search,
    Traverse,
    Union,
    used_steps,
    walk_operations,
)
from ..reasoning.notes import Note, NoteKind
from ..reasoning.results import EvaluationError, StepOutcome
from ..values import read_value
from .context import ExecutionContext
from .executor import Executor
from .name_resolution import ResolvedNames
from .nearest_names import describe_near, describe_unknown, read_nearest, scope_pool, suggest_near


def unknown_classes(
    planned: Plan, names: ResolvedNames, scope: Scope, vocabulary: SchemaKnowledge | None
) -> list[Problem]:
    if vocabulary is None or not vocabulary.classes:
        return []
    problems = []
    for required in _required_names(planned):
        name = required.name
        if (
            required.relation is None
            or normalize_name(required.relation.text) != TYPE
            or required.end != "tail"
        ):
            continue
        if names.entities.get(name.text) or vocabulary.find_class(name.text) is not None:
            continue
        if not vocabulary.suggest_classes(name.text):
            classes = format_list(vocabulary.classes, 10)
            message = f"{scope} has no class {name.text!r}; there are {classes}"
            problems.append(
                Problem(ProblemKind.UNKNOWN_CLASS, message, required.step, name.position)
            )
    return problems


class _RequiredName(NamedTuple):
    """A name that must be at an end of ``relation``; without a relation it must only exist.

    ``operation`` is the search that finds it there, or a text that ``operator`` compares.
    """

    step: int
    name: Constant
    end: Literal["head", "tail"]
    relation: Constant | None
    operation: Search | Traverse | None
    operator: str = "="

    @property
    def table(self) -> str | None:
        return self.operation.table if self.operation else None


class UnmatchedName(NamedTuple):
    """A name that is not at its end of the relation; ``is_absent``: the scope does not have it at all."""

    problem: Problem
    is_absent: bool


def names_without_match(
    planned: Plan, context: ExecutionContext, knowledge: SchemaKnowledge
) -> list[UnmatchedName]:
    """Report names that are not at their end of a relation (rule 10): a doubt, since this may be true.

    Each name is searched alone, as its step would, so that a name that matches by value is not a problem. The
    faults of one name in one step are one problem.
    """
    executor = Executor(context)
    steps = contributing_steps(planned)
    groups: dict[tuple[int, Constant, str, bool, str], list[_RequiredName]] = {}
    for required in dict.fromkeys(_required_names(planned)):
        is_text_test = required.operator in TEXT_OPERATORS
        selects = not is_text_test and context.names.is_selector(required.name.text)
        if required.step in steps and not selects:
            is_general = required.relation is None
            key = (required.step, required.name, required.end, is_general, required.operator)
            groups.setdefault(key, []).append(required)
    unmatched: list[UnmatchedName] = []
    for (step, name, *_), group in groups.items():
        with context.in_table(group[0].table):
            message, is_absent = _find_fault(group, executor, knowledge)
        if message:
            problem = Problem(ProblemKind.UNKNOWN_NAME, message, step, name.position, "doubt")
            unmatched.append(UnmatchedName(problem, is_absent))
    return unmatched


def contributing_steps(planned: Plan) -> set[int]:
    steps = {planned.steps[-1].number}
    for step in reversed(planned.steps):
        if step.number in steps:
            steps.update(used_steps(step.operation))
    return steps


def _find_fault(
    group: Sequence[_RequiredName], executor: Executor, knowledge: SchemaKnowledge
) -> tuple[str, bool]:
    """Describe what is wrong with one name, and whether the scope does not have it at all."""
    context, first = executor.context, group[0]
    text = first.name.text
    nodes = [node for tier in context.names.entities.get(text, ()) for node in tier.nodes]
    is_value = read_value(text) is not None
    if first.relation is None and first.operation is not None and nodes:
        return _describe_other_end(first, nodes, context), False
    if first.relation is None:
        # What is only a number or a date may be compared with what is computed.
        if nodes or is_value or read_nearest(context, text, scope_pool(context)):
            return "", False
        return describe_unknown(context.scope, text, suggest_near(context, text)), True
    try:
        missing = [*_relations_without_facts(group, executor)]
    except EvaluationError as refused:
        return refused.message, False
    if not missing:
        return "", False
    if first.operator in TEXT_OPERATORS:
        return f"nothing in {', '.join(missing)} {first.operator} {text!r}", False
    leads = "start from" if first.end == "head" else "lead to"
    ends = _relations_at_ends(nodes, context)
    if not nodes and not any(ends.values()):
        verb = "is" if len(missing) == 1 else "are"
        message = f"{context.scope} has no {text!r}, which {', '.join(missing)} {verb} to {leads}"
        if is_value:
            return message, False
        return message + _suggest(first, context, knowledge), True
    if first.name in context.names.class_heads:
        return f"{_describe_not(missing, leads)} any member of {text!r}", False
    return _describe_elsewhere(first, missing, ends, leads, context), False


def _describe_other_end(
    required: _RequiredName, nodes: list[int], context: ExecutionContext
) -> str:
    """Describe a name that is only at the other end of facts."""
    ends = _relations_at_ends(nodes, context)
    opposite = "tail" if required.end == "head" else "head"
    if ends[required.end] or not ends[opposite]:
        return ""
    leads = "starts from" if required.end == "head" else "leads to"
    listed = format_list(ends[opposite], 5)
    text = required.name.text
    return f"no fact {leads} {text!r}; as {opposite}_entity it has {listed}"


def _relations_without_facts(group: Iterable[_RequiredName], executor: Executor) -> Iterator[str]:
    for required in group:
        relation, operation = required.relation, required.operation
        if relation is None or operation is None:
            continue
        # Without tiers it is declared and has no fact yet, or it is the place of rows.
        is_resolved = bool(executor.context.names.relations.get(relation.text))
        if is_resolved and not len(executor.evaluate(operation)):
            yield relation.text


def _suggest(required: _RequiredName, context: ExecutionContext, knowledge: SchemaKnowledge) -> str:
    text = required.name.text
    classes = knowledge.suggest_classes(text) if isinstance(required.operation, Traverse) else ()
    if classes:
        return f"; the nearest class is {classes[0]!r}"
    return describe_near(suggest_near(context, text), "the nearest are ")


def _describe_not(relations: Sequence[str], leads: str) -> str:
    return f"{', '.join(relations)} {'does' if len(relations) == 1 else 'do'} not {leads}"


def _relations_at_ends(nodes: list[int], context: ExecutionContext) -> dict[str, list[str]]:
    relations_at_ends: dict[str, list[str]] = {"head": [], "tail": []}
    ends = (("head", "relations_from", "heads"), ("tail", "relations_to", "tails"))
    for end, statement, parameter in ends if nodes else ():
        scope = {"datasets": context.datasets, "source": context.scope.source}
        parameters = {parameter: nodes, "with_facts": False, **scope}
        relations = context.reader.run(statement, **parameters)[0]["relations"]
        relations_at_ends[end] = [relation for relation, _ in relations]
    return relations_at_ends


def _describe_elsewhere(
    required: _RequiredName,
    missing: Sequence[str],
    ends: Mapping[str, list[str]],
    leads: str,
    context: ExecutionContext,
) -> str:
    opposite = "tail" if required.end == "head" else "head"
    relations = {
        name for text in missing for tier in context.names.relations[text] for name in tier.names
    }
    wrong = f"{_describe_not(missing, leads)} {required.name.text!r}"
    if relations & set(ends[opposite]):
        return f"{wrong}, and does the other way round: give it as {opposite}_entity"
    listed = format_list(sort_by_similarity(missing[0], ends[required.end]), 5)
    return f"{wrong}; these do: {listed}" if listed else wrong


def explain_missing_proof(planned: Plan, steps: AbstractSet[int]) -> tuple[Note, ...]:
    """Say why an answer that rests on what is not in a set has no facts."""
    message = (
        "no fact says what is not in a set, so none proves the answer: it is all others there are"
    )
    return tuple(
        Note(NoteKind.NO_PROOF, message, 0, 0, (), step.number)
        for step in planned.steps
        if step.number in steps
        and any(
            isinstance(part, Apply) and part.function == NEGATION
            for part in walk_operations(step.operation)
        )
    )


def _required_names(planned: Plan) -> Iterator[_RequiredName]:
    for step in planned.steps:
        for operation in walk_operations(step.operation):
            if isinstance(operation, Search) and len(operation.relations) == 1:
                yield from _required_by_search(step.number, operation, operation.relations[0])
            elif isinstance(operation, Search) and not operation.relations:
                yield from _required_by_any_relation(step.number, operation)
            elif isinstance(operation, Traverse):
                yield from _required_by_traverse(step.number, operation)
            elif isinstance(operation, Apply) and has_trait(
                operation.function, Trait.COMBINES_SETS
            ):
                for name in _names(operation.operands):
                    yield _RequiredName(step.number, name, "tail", None, None)


def _required_by_search(step: int, search: Search, relation: Operation) -> Iterator[_RequiredName]:
    if isinstance(relation, Constant):
        for name in _names(search.heads or ()):
            heads = Search("tails", name.position, (relation,), (name,), table=search.table)
            yield _RequiredName(step, name, "head", relation, heads)
        for test in search.conditions:
            if test.operator == "=" or test.operator in TEXT_OPERATORS:
                for name in _names(test.terms):
                    condition = Condition(test.operator, (name,), name.position)
                    tails = Search(
                        "heads", name.position, (relation,), None, (condition,), table=search.table
                    )
                    yield _RequiredName(step, name, "tail", relation, tails, test.operator)


def _required_by_any_relation(step: int, search: Search) -> Iterator[_RequiredName]:
    for name in _names(search.heads or ()):
        yield _RequiredName(step, name, "head", None, search)
    for test in search.conditions:
        for name in _names(test.terms):
            yield _RequiredName(step, name, "tail", None, search)


def _required_by_traverse(step: int, walk: Traverse) -> Iterator[_RequiredName]:
    """Yield the heads of a table, which must have the first relation of each path that is not optional.

    Of paths that are all optional, they need none, but must exist.
    """
    first = dict.fromkeys(path.steps[0] for path in walk.paths if not path.steps[0].optional)
    for name in _names(walk.heads or ()):
        if not first:
            yield _RequiredName(step, name, "head", None, None)
        for begin in first:
            relation = Constant(begin.relation, begin.position)
            path = ColumnPath((begin,), begin.relation)
            end: Literal["head", "tail"] = "tail" if begin.backwards else "head"
            table = Traverse((name,), (path,), walk.position, walk.table)
            yield _RequiredName(step, name, end, relation, table)


def _names(operations: Iterable[Operation]) -> Iterator[Constant]:
    for operation in operations:
        if isinstance(operation, Constant):
            yield operation
        elif isinstance(operation, Union):
            yield from _names(operation.members)


def first_empty_step(planned: Plan, results: Mapping[int, StepOutcome]) -> tuple[Problem, ...]:
    """Report the first step that is empty without an empty input (rule 13): a doubt, as it may be true."""
    for step in planned.steps:
        earlier = used_steps(step.operation)
        if len(results[step.number]) or any(not len(results[number]) for number in earlier):
            continue
        inputs = ", ".join(
            f"output_of_query{number} ({len(results[number]):,})" for number in earlier
        )
        message = f"{step.operation} found nothing"
        message += (
            f", though what it was given is not empty: {inputs}" if inputs else " in the data"
        )
        position = getattr(step.operation, "position", None)
        return (Problem(ProblemKind.EMPTY_STEP, message, step.number, position, "doubt"),)
    return ()
