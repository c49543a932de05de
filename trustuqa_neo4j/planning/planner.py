"""Query → Plan: the search and reasoning operations of each step.

Pure: the caller passes what the catalog knows of the relations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from ..language.ast import (
    BinaryOp,
    Call,
    ListValue,
    Literal,
    Problem,
    ProblemKind,
    Query,
    Reference,
    Step,
    Value,
    walk,
)
from ..language.binder import BoundCall, bind_call
from ..language.columns import (
    ColumnPath,
    GroupValue,
    PathStep,
    read_aggregates,
    read_expression,
    read_path,
    read_paths,
)
from ..language.function_names import find_function
from ..language.functions import TABLE, TIMES
from ..language.lexer import COMMAS, OPERATOR_NAMES, TEXT_OPERATORS
from ..matching import normalize_name
from .get_information import (
    PlanError,
    plan_conditions,
    plan_facts_at_time,
    plan_get_information,
    plan_key_of_fact,
    plan_terms,
)
from .operations import (
    Apply,
    Calculate,
    Condition,
    Constant,
    GroupBy,
    Operation,
    Option,
    Plan,
    PlanStep,
    RelationCatalog,
    RelationStats,
    Search,
    StepResult,
    TableChoice,
    Traverse,
    Union,
)

Paths: TypeAlias = "tuple[ColumnPath, ...]"
_COMMAS = frozenset(COMMAS)


def make_plan(
    query: Query, catalog: RelationCatalog, tables: Mapping[str, TableChoice] | None = None
) -> Plan | tuple[Problem, ...]:
    """Plan the steps of a query; return problems of what has no meaning.

    ``tables`` are the sources that calls name, by the name in the query.
    """
    planner = _Planner(catalog, tables or {})
    steps: list[PlanStep] = []
    problems: list[Problem] = []
    for step in query.steps:
        try:
            steps.append(PlanStep(step.number, planner.plan_value(step.value)))
        except PlanError as error:
            problems.append(replace(error.problem, step=step.number))
    return tuple(problems) if problems else Plan(tuple(steps), query.target)


class _Planner:
    def __init__(self, catalog: RelationCatalog, tables: Mapping[str, TableChoice]) -> None:
        self.catalog = catalog
        self.tables = tables
        self.functions = {
            "search_node": self.plan_search_node,
            "search_condition": self.plan_search_condition,
            "get_table": self.plan_get_table,
            "calculate": self.plan_calculate,
            "group_by": self.plan_group_by,
        }

    def plan_value(self, value: Value) -> Operation:
        if isinstance(value, Literal):
            return Constant(value.text, value.position)
        if isinstance(value, Reference):
            return StepResult(value.step, value.position)
        if isinstance(value, ListValue):
            return Union(tuple(map(self.plan_value, value.members)), value.position)
        if isinstance(value, BinaryOp):
            operands = (self.plan_value(value.left), self.plan_value(value.right))
            if value.operator in TEXT_OPERATORS:
                fitting = Option("value", value.operator, operands[1])
                kept = Apply("keep", operands[:1], value.position, (fitting,))
                return Apply("exists", (kept,), value.position)
            return Apply(value.operator, operands, value.position)
        if find_function(value.function) is None:
            return self.plan_undefined(value)
        call = bind_call(value)
        assert isinstance(call, BoundCall)  # validation has checked it
        argument = call.get_argument(TABLE.name)
        table = argument.value if argument else None
        if argument is not None and not isinstance(table, Literal):
            message = f"{TABLE.name} takes the name of one table"
            kind = ProblemKind.UNKNOWN_COMBINATION
            raise PlanError(Problem(kind, message, None, argument.position))
        if not isinstance(table, Literal) or table.text not in self.tables:
            return self.plan_call(call)  # without a table, or the only one of the query
        choice = self.tables[table.text]
        planner = _Planner(choice.catalog, self.tables)
        return _search_table(planner.plan_call(call), choice.source)

    def plan_call(self, call: BoundCall) -> Operation:
        name = call.function.name
        if name == "get_information":
            return plan_get_information(call, self.catalog, self.plan_value)
        if name in self.functions:
            return self.functions[name](call)
        options = tuple(
            Option(parameter, argument.operator, self.plan_value(argument.value))
            for parameter, argument in call.parameters
        )
        return Apply(name, tuple(map(self.plan_value, call.operands)), call.position, options)

    def plan_undefined(self, call: Call) -> Operation:
        """Plan a function that only a judgment can compute: validation lets it pass if there may be one."""
        operands = [argument for argument in call.arguments if argument.name is None]
        options = tuple(
            Option(argument.name, argument.operator, self.plan_value(argument.value))
            for argument in call.arguments
            if argument.name is not None
        )
        values = tuple(self.plan_value(argument.value) for argument in operands)
        return Apply(call.function, values, call.position, options, is_undefined=True)

    def plan_search_node(self, call: BoundCall) -> Operation:
        """Plan the paper's ``search_node(n1, condition)``.

        n1 is a relation, or without a condition also a head. A scope (the facts of some heads) is the same
        as a condition on these heads (Table 1). A time or qualifier as n1 has the condition [h, r, t].
        """
        nodes = plan_terms(call.get_arguments("node1"), self.plan_value)
        relations = plan_terms(call.get_arguments("relation"), self.plan_value) or nodes
        condition, scope = call.get_argument("condition"), call.get_argument("scope")
        if condition and scope is not None:
            message = "search_node with a condition allows only scope=all"
            raise PlanError(Problem(ProblemKind.UNKNOWN_COMBINATION, message, None, scope.position))
        arguments = call.get_arguments("condition") or call.get_arguments("scope")
        heads = plan_terms(arguments, self.plan_value) if arguments else None
        tails = plan_conditions(call.get_arguments("node2"), self.plan_value)
        of_fact = plan_key_of_fact(call.position, nodes, heads or (), self.catalog)
        if of_fact is not None and not tails:
            return of_fact
        if relations and (
            at_time := plan_facts_at_time(heads or (), relations, tails, self.catalog)
        ):
            return at_time
        if nodes and heads is None and not all(map(self.is_relation, nodes)):
            relations, heads = (), nodes
        if not relations and heads is None and not tails:
            raise PlanError(_missing(call, "search_node", "node1, condition or node2"))
        output = "tails" if relations else "relations"
        search = Search(output, call.position, relations, heads, tails)
        return self.add_key_of_facts(search, call)

    def plan_search_condition(self, call: BoundCall) -> Operation:
        conditions = plan_conditions(call.get_arguments("node2"), self.plan_value)
        if (op := call.get_argument("op")) is not None and isinstance(op.value, Literal):
            sign = op.value.text.strip()
            if sign not in OPERATOR_NAMES:
                allowed = ", ".join(dict.fromkeys(OPERATOR_NAMES.values()))
                message = f"op is one of {allowed}, not {sign[:40]!r}"
                raise PlanError(Problem(ProblemKind.UNKNOWN_OPERATOR, message, None, op.position))
            conditions = tuple(replace(c, operator=OPERATOR_NAMES[sign]) for c in conditions)
        scope = call.get_arguments("scope")
        heads = plan_terms(scope, self.plan_value) if scope else None
        relations = plan_terms(call.get_arguments("node1"), self.plan_value)
        if not relations and not call.get_arguments("time"):
            raise PlanError(_missing(call, "search_condition", "node1"))
        if at_time := plan_facts_at_time(heads or (), relations, conditions, self.catalog):
            return replace(at_time, output="heads")
        search = Search("heads", call.position, relations, heads, conditions)
        return self.add_key_of_facts(search, call)

    def add_key_of_facts(self, search: Search, call: BoundCall) -> Search:
        """Add the time or qualifier of the facts; without conditions on it, it is what is asked for."""
        conditions = plan_conditions(call.get_arguments("key_value"), self.plan_value)
        times = tuple(_literals(call, "time"))
        keys = times or tuple(_literals(call, "qualifier"))
        if not keys:
            if conditions:
                raise PlanError(_missing(call, call.function.name, "time or qualifier"))
            return search
        key = keys[0].text
        if times:
            word = TIMES.get(normalize_name(key))
            if word is None:
                raise PlanError(_missing(call, call.function.name, f"a time: {', '.join(TIMES)}"))
            key = word
        output = search.output
        if output != "heads":
            output = "tails" if conditions else "key"
        return replace(
            search, output=output, key=key, is_time=bool(times), key_conditions=conditions
        )

    def is_relation(self, term: Operation) -> bool:
        return isinstance(term, Constant) and self.has_facts(term.text)

    def plan_get_table(self, call: BoundCall) -> Operation:
        paths = _agree_on_optional_steps(
            self.replace_marked_names(path)
            for as_one_path, split in _read_paths(call)
            for path in (as_one_path if self.has_comma_names(as_one_path) else split)
        )
        if not paths:
            raise PlanError(
                _missing(call, "get_table", "columns, such as 'relation > relation as name'")
            )
        heads = call.get_arguments("head_entity")
        terms = plan_terms(heads, self.plan_value) if heads else None
        return Traverse(terms, paths, call.position)

    def plan_calculate(self, call: BoundCall) -> Operation:
        for literal in _literals(call, "expression"):
            expression = read_expression(literal.text)
            if isinstance(expression, Problem):
                raise PlanError(_shift_problem(expression, literal))
            name = next(iter(_literals(call, "name")), literal).text
            table = self.plan_table(call)
            return Calculate(table, expression, name, call.position, literal.text)
        raise PlanError(_missing(call, "calculate", "an expression, such as 'paid - reserve'"))

    def plan_group_by(self, call: BoundCall) -> Operation:
        values: list[GroupValue] = []
        for literal in _literals(call, "values"):
            aggregates = read_aggregates(literal.text)
            if isinstance(aggregates, Problem):
                raise PlanError(_shift_problem(aggregates, literal))
            values += aggregates
        by = tuple(literal.text for literal in _literals(call, "by") if literal.text)
        if not values and not by:
            raise PlanError(_missing(call, "group_by", "columns to group by, or values"))
        return GroupBy(self.plan_table(call), by, tuple(values), call.position)

    def plan_table(self, call: BoundCall) -> Operation:
        if not call.operands:
            raise PlanError(_missing(call, call.function.name, "a table"))
        return self.plan_value(call.operands[0])

    def has_facts(self, relation: str) -> bool:
        return self.catalog.get(relation, RelationStats()).facts > 0

    def has_comma_names(self, paths: Paths) -> bool:
        names = (step.relation for path in paths for step in path.steps)
        with_comma = [name for name in names if not _COMMAS.isdisjoint(name)]
        return bool(with_comma) and all(map(self.has_facts, with_comma))

    def replace_marked_names(self, path: ColumnPath) -> ColumnPath:
        """Take a question mark as part of the name where the data has a relation of that name."""
        steps = tuple(
            replace(step, relation=step.marked, optional=False)
            if step.marked in self.catalog.get(step.marked, RelationStats()).names
            else step
            for step in path.steps
        )
        is_named_by_relation = path.name == path.steps[-1].marked
        return replace(
            path, steps=steps, name=steps[-1].relation if is_named_by_relation else path.name
        )


def _search_table(operation: Operation, source: str) -> Operation:
    """Let all searches of ``operation`` that name no table read ``source`` alone."""
    if isinstance(operation, Traverse):
        return replace(operation, table=operation.table or source)
    if isinstance(operation, Union):
        members = tuple(_search_table(member, source) for member in operation.members)
        return replace(operation, members=members)
    if isinstance(operation, Apply):
        operands = tuple(_search_table(operand, source) for operand in operation.operands)
        return replace(operation, operands=operands)
    if not isinstance(operation, Search):
        return operation

    def in_table(terms: tuple[Operation, ...]) -> tuple[Operation, ...]:
        return tuple(_search_table(term, source) for term in terms)

    def conditions_in_table(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
        return tuple(
            replace(condition, terms=in_table(condition.terms)) for condition in conditions
        )

    return replace(
        operation,
        heads=None if operation.heads is None else in_table(operation.heads),
        conditions=conditions_in_table(operation.conditions),
        key_conditions=conditions_in_table(operation.key_conditions),
        table=operation.table or source,
    )


def find_tables(query: Query) -> tuple[list[tuple[int, Literal]], bool]:
    """Return the tables that calls name, with their steps, and whether all calls that could name one do."""
    tables: list[tuple[int, Literal]] = []
    are_all = True
    for step in query.steps:
        for value in walk(step.value):
            if not isinstance(value, Call):
                continue
            call = bind_call(value)
            # A function that only a judgment can compute is not bound, and names no table.
            if isinstance(call, BoundCall) and TABLE in call.function.parameters:
                argument = call.get_argument(TABLE.name)
                if argument is not None and isinstance(argument.value, Literal):
                    tables.append((step.number, argument.value))
                else:
                    are_all = False
    return tables, are_all


def _read_paths(call: BoundCall) -> Iterator[tuple[Paths, Paths]]:
    """Read each text among the columns in two ways: as one path (if it is one), and split at commas."""
    for literal in _literals(call, "columns"):
        whole, split = read_path(literal.text), read_paths(literal.text)
        if isinstance(split, Problem):
            raise PlanError(_shift_problem(split, literal))
        as_one_path = () if isinstance(whole, Problem) else (_shift_path(whole, literal),)
        yield as_one_path, tuple(_shift_path(path, literal) for path in split)


def _agree_on_optional_steps(paths: Iterable[ColumnPath]) -> Paths:
    """Make paths with a common step agree on it: it is required if one of them requires it.

    In a path where it was optional, the next step becomes optional instead.
    """
    original = list(paths)
    walks = [list(path.steps) for path in original]
    for depth in range(max(map(len, walks), default=0)):
        by_prefix: dict[tuple[object, ...], list[list[PathStep]]] = {}
        for steps in walks:
            if depth < len(steps):
                prefix = tuple((s.relation, s.backwards, s.walk) for s in steps[: depth + 1])
                by_prefix.setdefault(prefix, []).append(steps)
        for group in by_prefix.values():
            is_required = not all(steps[depth].optional for steps in group)
            for steps in group if is_required else ():
                following = depth + 1
                if steps[depth].optional and following < len(steps):
                    steps[following] = replace(steps[following], optional=True)
                steps[depth] = replace(steps[depth], optional=False)
    return tuple(
        replace(path, steps=tuple(steps)) for path, steps in zip(original, walks, strict=True)
    )


def _shift_path(path: ColumnPath, literal: Literal) -> ColumnPath:
    start = literal.position + 1  # after the quote
    return replace(
        path, steps=tuple(replace(step, position=start + step.position) for step in path.steps)
    )


def _shift_problem(problem: Problem, literal: Literal) -> Problem:
    return Problem(
        problem.kind, f"{problem.message} (in {literal.text[:60]!r})", None,
        literal.position + 1 + (problem.position or 0),
    )  # fmt: skip


def _literals(call: BoundCall, parameter: str) -> Iterator[Literal]:
    for argument in call.get_arguments(parameter):
        pending: list[Value] = [argument.value]
        while pending:
            value = pending.pop(0)
            if isinstance(value, Literal):
                yield value
            elif isinstance(value, ListValue):
                pending = [*value.members, *pending]
            else:
                message = f"{parameter} takes texts, not results of other steps"
                raise PlanError(
                    Problem(ProblemKind.UNKNOWN_COMBINATION, message, None, value.position)
                )


def _missing(call: BoundCall, function: str, what: str) -> Problem:
    return Problem(ProblemKind.UNKNOWN_COMBINATION, f"{function} needs {what}", None, call.position)


_RELATION_PARAMETERS = frozenset(("relation", "key", "node1", "column", "qualifier"))


class FirstStep(NamedTuple):
    """A first step that searches the facts of one relation from, or to, one name."""

    name: str
    relation: str
    from_head: bool


def find_first_step(query: Query) -> FirstStep | None:
    """The first step if it is as simple as that; None for any other."""
    value = query.steps[0].value
    call = bind_call(value) if isinstance(value, Call) and find_function(value.function) else None
    if not isinstance(call, BoundCall) or call.function.name != "get_information":
        return None
    texts = {
        parameter: argument.value.text
        for parameter, argument in call.parameters
        if argument.operator == "=" and isinstance(argument.value, Literal)
    }
    if call.operands or len(texts) != len(call.parameters) or len(texts) != 2:
        return None
    relation = texts.pop("relation", None)
    ((end, name),) = [*texts.items()][:1]
    if relation is None or end not in ("head_entity", "tail_entity"):
        return None
    return FirstStep(name, relation, end == "head_entity")


def names_to_resolve(query: Query) -> tuple[set[str], set[str]]:
    relations: set[str] = set(query.target)
    things: set[str] = set()
    for step in query.steps:
        _collect_names(step, relations, things)
    return relations, things


def _collect_names(step: Step, relations: set[str], things: set[str]) -> None:
    pending: list[tuple[Value, bool]] = [(step.value, False)]
    while pending:
        value, is_relation = pending.pop()
        if isinstance(value, Literal):
            (relations if is_relation else things).add(value.text)
        elif isinstance(value, ListValue):
            pending += [(member, is_relation) for member in value.members]
        elif isinstance(value, BinaryOp):
            pending += [(value.left, False), (value.right, False)]
        elif isinstance(value, Call) and find_function(value.function) is None:
            pending += [(argument.value, False) for argument in value.arguments]
        elif isinstance(value, Call):
            call = bind_call(value)
            assert isinstance(call, BoundCall)  # validation has checked it
            function = call.function.name
            pending += [(operand, False) for operand in call.operands]
            pending += [
                (a.value, name in _RELATION_PARAMETERS)
                for name, a in call.parameters
                if name != TABLE.name
            ]
            if function == "get_table":
                relations |= _path_relations(call)
            if function == "search_node" and not call.get_arguments("condition"):
                # node1 is a relation or a head: the catalog decides later.
                pending += [(argument.value, False) for argument in call.get_arguments("node1")]
            elif function == "search_node":
                # The condition may be a fact [h, r, t].
                conditions = (argument.value for argument in call.get_arguments("condition"))
                pending += [
                    (condition.members[1], True)
                    for condition in conditions
                    if isinstance(condition, ListValue) and len(condition.members) in (2, 3)
                ]


def _path_relations(call: BoundCall) -> set[str]:
    """Return the relations of all paths, in both readings; none if the planner will refuse the paths."""
    try:
        paths = [path for readings in _read_paths(call) for paths in readings for path in paths]
    except PlanError:
        return set()
    steps = [step for path in paths for step in path.steps]
    return {name for step in steps for name in (step.relation, step.marked) if name}
