"""Plan → QueryGraph: variables, and the constraints that the steps put on them.

A variable stands for the nodes at one place of a step. It is a subset of other variables if it can only hold
nodes of these, so that a constraint on a result binds no other step that uses the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeAlias

from ..language.columns import (
    Arithmetic,
    ColumnReference,
    DaysBetween,
    Expression,
    FunctionCall,
    PathNode,
    build_path_tree,
    find_aggregates,
)
from ..language.functions import DIFFERENCE, INTERSECTION, UNION, has_trait
from ..language.signatures import Trait
from ..matching import normalize_name
from ..ontology.join_statistics import EndRole
from ..ontology.schema_knowledge import TYPE
from ..planning.operations import (
    Apply,
    Calculate,
    Condition,
    Constant,
    GroupBy,
    Operation,
    Plan,
    Search,
    StepResult,
    Traverse,
    Union,
    used_steps,
)
from ..values import read_value

ColumnVariables: TypeAlias = "tuple[tuple[str, int | None], ...]"
"""Columns of a table by name, each with its variable if it shows nodes."""


@dataclass(frozen=True, slots=True)
class Variable:
    label: str
    supersets: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TypeConstraint:
    """A variable is at one end of a relation, or is a member of a class.

    The constraints on the two ends of one relation have the same ``fact``.
    """

    variable: int
    role: EndRole
    name: str
    fact: int
    step: int
    position: int


@dataclass(frozen=True, slots=True)
class ComparedValue:
    """The tails of a relation are compared with a name or number of the query."""

    relation: str
    operator: str
    text: str
    step: int
    position: int


@dataclass(frozen=True, slots=True)
class FunctionInput:
    """A function gets an operand; equal values count once in it if ``is_set``."""

    function: str
    variable: int | None
    is_set: bool
    step: int
    position: int


@dataclass(frozen=True, slots=True)
class MissingColumn:
    column: str
    columns: tuple[str, ...]
    step: int
    position: int


@dataclass(frozen=True, slots=True)
class ResultShape:
    """The result of an operation: a set of one variable, if it is known, or columns of a table.

    ``is_set`` is True if a set function made it, so that equal values count once.
    """

    variable: int | None = None
    columns: ColumnVariables | None = None
    is_set: bool = False


@dataclass
class QueryGraph:
    plan: Plan
    variables: list[Variable] = field(default_factory=list)
    constraints: list[TypeConstraint] = field(default_factory=list)
    comparisons: list[ComparedValue] = field(default_factory=list)
    inputs: list[FunctionInput] = field(default_factory=list)
    missing_columns: list[MissingColumn] = field(default_factory=list)
    results: dict[int, ResultShape] = field(default_factory=dict)

    def supersets(self, variable: int) -> Iterator[int]:
        visited = {variable}
        pending = [variable]
        while pending:
            current = pending.pop()
            yield current
            new = [number for number in self.variables[current].supersets if number not in visited]
            visited |= {*new}
            pending += new

    def constraints_of(self, fact: int) -> list[TypeConstraint]:
        return [constraint for constraint in self.constraints if constraint.fact == fact]

    def unused_steps(self) -> list[int]:
        steps = self.plan.steps
        used_numbers = {number for step in steps for number in used_steps(step.operation)}
        return [step.number for step in steps[:-1] if step.number not in used_numbers]

    def answer_columns(self) -> ColumnVariables:
        """Return the columns of the answer: those of the target, if the table has all of them.

        An answer that is a set has one column without a name.
        """
        shape = self.results[self.plan.steps[-1].number]
        if shape.columns is None:
            return (("", shape.variable),)
        by_name = {normalize_name(column[0]): column for column in reversed(shape.columns)}
        names = [normalize_name(name) for name in self.plan.target]
        if len(shape.columns) == 1 or not names or not by_name.keys() >= {*names}:
            return shape.columns
        return tuple(by_name[name] for name in names)


def build_query_graph(
    plan: Plan,
    is_selector: Callable[[str], bool],
    is_type: Callable[[str], bool] = lambda name: normalize_name(name) == TYPE,
    class_heads: Mapping[Constant, str] = MappingProxyType({}),
) -> QueryGraph:
    """Build the graph of a plan.

    ``is_selector`` recognizes words such as ``highest``, ``is_type`` relations that lead to classes.
    ``class_heads`` are the heads of tables that stand for the members of a class, each with the class.
    """
    builder = _GraphBuilder(plan, is_selector, is_type, class_heads)
    for step in plan.steps:
        builder.step = step.number
        builder.graph.results[step.number] = builder.add(step.operation)
    return builder.graph


class _GraphBuilder:
    """Adds operations to a graph; each ``add`` returns the shape of the result."""

    def __init__(
        self,
        plan: Plan,
        is_selector: Callable[[str], bool],
        is_type: Callable[[str], bool],
        class_heads: Mapping[Constant, str],
    ) -> None:
        self.graph = QueryGraph(plan)
        self.is_selector = is_selector
        self.is_type = is_type
        self.class_heads = class_heads
        self.step = 0
        self.facts = 0

    def new_variable(self, label: str, *supersets: int | None) -> int:
        numbers = tuple(number for number in supersets if number is not None)
        self.graph.variables.append(Variable(label, numbers))
        return len(self.graph.variables) - 1

    def constrain(self, role: EndRole, variable: int, name: Constant) -> None:
        self.graph.constraints.append(
            TypeConstraint(variable, role, name.text, self.facts, self.step, name.position)
        )

    def add_fact(self, start: int | None, relation: Operation, end: int | None) -> None:
        """Constrain the ends of a relation; None stands for an end without a constraint."""
        if isinstance(relation, Constant):
            self.facts += 1
            if start is not None:
                self.constrain("start", start, relation)
            if end is not None:
                self.constrain("end", end, relation)

    def add(self, operation: Operation) -> ResultShape:
        if isinstance(operation, StepResult):
            return self.graph.results.get(operation.step, ResultShape())
        if isinstance(operation, Search):
            return ResultShape(self.add_search(operation))
        if isinstance(operation, Apply):
            return self.add_apply(operation)
        if isinstance(operation, Union):
            shapes = [self.add(member) for member in operation.members]
            return ResultShape(shapes[0].variable if len(shapes) == 1 else None)
        if isinstance(operation, Traverse):
            return self.add_traverse(operation)
        if isinstance(operation, Calculate):
            return self.add_calculate(operation)
        if isinstance(operation, GroupBy):
            return self.add_group_by(operation)
        return ResultShape()

    def add_set(self, operation: Operation) -> int | None:
        shape = self.add(operation)
        if shape.columns is not None and len(shape.columns) == 1:
            return shape.columns[0][1]
        return shape.variable

    def add_terms(self, operations: Sequence[Operation]) -> int | None:
        variables = [self.add_set(operation) for operation in operations]
        return variables[0] if len(variables) == 1 else None

    def add_search(self, search: Search) -> int | None:
        heads = None if search.heads is None else self.add_terms(search.heads)
        label = "the head" if heads is None else _label(search.heads)
        start = self.new_variable(label, heads)
        tails = [(c.operator, self.add_terms(c.terms)) for c in search.conditions]
        end = self.new_variable("the tail", *(v for sign, v in tails if sign == "="))
        for condition in search.key_conditions:
            self.add_terms(condition.terms)
        if len(search.relations) == 1 and search.output != "relations":
            relation = search.relations[0]
            self.add_set(relation)
            if self.add_class(search, start):
                return start if search.output == "heads" else None
            self.add_fact(start, relation, end)
            self.add_comparisons(relation, search.conditions)
        if search.output in ("relations", "key"):
            return None
        return start if search.output == "heads" else end

    def add_class(self, search: Search, variable: int) -> bool:
        """Add the constraint of a search for members of one class; return whether it is such a search."""
        relation = search.relations[0]
        if not (isinstance(relation, Constant) and self.is_type(relation.text)):
            return False
        if len(search.conditions) != 1 or search.conditions[0].operator != "=":
            return False
        terms = search.conditions[0].terms
        if len(terms) != 1 or not isinstance(terms[0], Constant):
            return False
        self.facts += 1
        self.constrain("class", variable, terms[0])
        return True

    def add_comparisons(self, relation: Operation, conditions: Sequence[Condition]) -> None:
        if not isinstance(relation, Constant):
            return
        for condition in conditions:
            for term in condition.terms:
                if isinstance(term, Constant) and not self.is_selector(term.text):
                    value = (relation.text, condition.operator, term.text, self.step, term.position)
                    self.graph.comparisons.append(ComparedValue(*value))

    def add_apply(self, apply: Apply) -> ResultShape:
        shapes = [self.add(operand) for operand in apply.operands]
        for option in apply.options:
            self.add(option.value)
        self.use_operands(apply, shapes)
        first = shapes[0] if shapes else ResultShape()
        if apply.function == INTERSECTION and len(shapes) > 1:
            supersets = (shape.variable for shape in shapes)
            variable = self.new_variable("the intersection", *supersets)
            return ResultShape(variable, is_set=True)
        if apply.function == DIFFERENCE:
            return replace(first, is_set=True)
        if apply.function == UNION:
            return ResultShape(is_set=True)
        if has_trait(apply.function, Trait.IS_SUBSET) and len(shapes) == 1:
            return first
        return ResultShape()

    def use_operands(self, apply: Apply, shapes: Sequence[ResultShape]) -> None:
        columns = shapes[0].columns if shapes else None
        for option in apply.options:
            value = option.value
            if columns and option.name in ("column", "by") and isinstance(value, Constant):
                self.use_column(apply.function, value.text, columns, value.position)
        for shape in shapes:
            self.add_input(apply.function, shape.variable, apply.position, shape.is_set)

    def add_input(
        self, function: str, variable: int | None, position: int, is_set: bool = False
    ) -> None:
        self.graph.inputs.append(FunctionInput(function, variable, is_set, self.step, position))

    def add_traverse(self, traverse: Traverse) -> ResultShape:
        heads = None if traverse.heads is None else self.add_terms(traverse.heads)
        class_head = self.find_class_head(traverse)
        root = self.new_variable("the head" if class_head else _label(traverse.heads), heads)
        if class_head is not None:
            self.facts += 1
            self.constrain("class", root, class_head)
        variables: dict[int, int] = {}
        self.add_paths(build_path_tree(traverse.paths), root, variables)
        return ResultShape(
            columns=tuple((p.name, variables[place]) for place, p in enumerate(traverse.paths))
        )

    def find_class_head(self, traverse: Traverse) -> Constant | None:
        """Return the class whose members are the heads of a table."""
        head = traverse.heads[0] if traverse.heads and len(traverse.heads) == 1 else None
        if not isinstance(head, Constant) or head not in self.class_heads:
            return None
        return replace(head, text=self.class_heads[head])

    def add_paths(self, node: PathNode, variable: int, variables: dict[int, int]) -> None:
        """Add the subtree of ``node``; enter the variable of each column in ``variables``."""
        variables |= dict.fromkeys(node.columns, variable)
        for step, child in node.children.items():
            target = self.new_variable(f"what {step.relation} leads {'back ' * step.backwards}to")
            # The node before an optional step need not be at an end of the relation.
            source = None if step.optional else variable
            start, end = (target, source) if step.backwards else (source, target)
            self.add_fact(start, Constant(step.relation, step.position), end)
            self.add_paths(child, target, variables)

    def add_calculate(self, calculate: Calculate) -> ResultShape:
        columns = self.add(calculate.of).columns
        if columns is None:
            return ResultShape()
        self.use_expression(calculate.expression, columns, calculate.position)
        return ResultShape(columns=(*columns, (calculate.name, None)))

    def add_group_by(self, group: GroupBy) -> ResultShape:
        columns = self.add(group.of).columns
        if columns is None:
            return ResultShape()
        group_columns = tuple(
            (name, self.use_column("group_by", name, columns, group.position)) for name in group.by
        )
        names = {normalize_name(name) for name, _ in columns}
        for aggregate in find_aggregates(group.values):
            column, expression = aggregate.column, aggregate.expression
            if expression is not None and normalize_name(column or "") not in names:
                self.use_expression(expression, columns, group.position)
            elif column is not None:
                self.use_column(aggregate.function, column, columns, group.position)
        return ResultShape(
            columns=(*group_columns, *((value.name, None) for value in group.values))
        )

    def use_expression(
        self, expression: Expression, columns: ColumnVariables, position: int
    ) -> None:
        """Use the columns of an expression; a number or date that no column is called is a constant."""
        names = {normalize_name(name) for name, _ in columns}
        for function, column in _column_operands(expression):
            if normalize_name(column) in names or read_value(column) is None:
                self.use_column(function, column, columns, position)

    def use_column(
        self, function: str, column: str, columns: ColumnVariables, position: int
    ) -> int | None:
        variables = {normalize_name(name): variable for name, variable in columns}
        if normalize_name(column) not in variables:
            names = tuple(name for name, _ in columns)
            self.graph.missing_columns.append(MissingColumn(column, names, self.step, position))
            return None
        variable = variables[normalize_name(column)]
        self.add_input(function, variable, position)
        return variable


def _label(heads: Sequence[Operation] | None) -> str:
    if heads and len(heads) == 1 and isinstance(heads[0], StepResult | Constant):
        return str(heads[0])
    return "the head"


def _column_operands(
    expression: Expression, function: str = "calculate"
) -> Iterator[tuple[str, str]]:
    if isinstance(expression, ColumnReference):
        yield function, expression.name
    elif isinstance(expression, DaysBetween):
        yield from _column_operands(expression.start, "days_between")
        yield from _column_operands(expression.end, "days_between")
    elif isinstance(expression, Arithmetic):
        yield from _column_operands(expression.left, expression.operator)
        yield from _column_operands(expression.right, expression.operator)
    elif isinstance(expression, FunctionCall):
        yield from _column_operands(expression.of, expression.function)
