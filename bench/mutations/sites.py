"""Places in a query (values, calls, tables, relations), each with a function that replaces what is there.

The second part reads the columns of each step, as far as the text of the query shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal as Either
from typing import TypeAlias

from bench.mutations.data_profile import DataProfile, RelationProfile
from trustuqa_neo4j.language.ast import (
    Argument,
    BinaryOp,
    Call,
    ListValue,
    Literal,
    Query,
    Reference,
    Step,
    Value,
)
from trustuqa_neo4j.language.columns import (
    Aggregate,
    Arithmetic,
    ColumnPath,
    ColumnReference,
    DaysBetween,
    Expression,
    FunctionCall,
    NumberLiteral,
    PathStep,
    read_aggregate,
    read_expression,
    read_path,
)
from trustuqa_neo4j.language.function_names import find_function

Replacement: TypeAlias = Callable[[Value], Query]


@dataclass(frozen=True)
class ValueSite:
    """A value in a step; ``put`` returns the query with another value in its place."""

    step: int
    value: Value
    put: Replacement


def value_sites(query: Query) -> Iterator[ValueSite]:
    """Every value of every step; outer values first."""
    for index, step in enumerate(query.steps):

        def put(value: Value, index: int = index, step: Step = step) -> Query:
            steps = (
                *query.steps[:index],
                replace(step, value=value),
                *query.steps[index + 1 :],
            )
            return replace(query, steps=steps)

        yield from _nested_sites(ValueSite(step.number, step.value, put))


def _nested_sites(site: ValueSite) -> Iterator[ValueSite]:
    yield site
    value = site.value
    if isinstance(value, Call):
        for index, argument in enumerate(value.arguments):

            def put(new: Value, index: int = index, argument: Argument = argument) -> Query:
                before, after = value.arguments[:index], value.arguments[index + 1 :]
                arguments = (*before, replace(argument, value=new), *after)
                return site.put(replace(value, arguments=arguments))

            yield from _nested_sites(ValueSite(site.step, argument.value, put))
    elif isinstance(value, ListValue):
        for index, member in enumerate(value.members):

            def put_member(new: Value, index: int = index) -> Query:
                members = (*value.members[:index], new, *value.members[index + 1 :])
                return site.put(replace(value, members=members))

            yield from _nested_sites(ValueSite(site.step, member, put_member))
    elif isinstance(value, BinaryOp):
        yield from _nested_sites(
            ValueSite(site.step, value.left, lambda new: site.put(replace(value, left=new)))
        )
        yield from _nested_sites(
            ValueSite(site.step, value.right, lambda new: site.put(replace(value, right=new)))
        )


@dataclass(frozen=True)
class CallSite:
    """A call in a step; ``function`` is the canonical name."""

    step: int
    call: Call
    function: str
    put: Replacement

    def arguments_of(self, *names: str) -> list[Argument]:
        """The arguments for these parameters, also under their synonyms."""
        return [arg for arg in self.call.arguments if find_parameter(self.call, arg) in names]

    def literals_of(self, *names: str) -> list[str]:
        """The texts of the literals among these arguments."""
        values = (argument.value for argument in self.arguments_of(*names))
        return [value.text for value in values if isinstance(value, Literal)]

    def replace_argument(self, old: Argument, new: Argument | None) -> Query:
        """The query with ``new`` instead of ``old``; None removes it."""
        return self.replace_arguments((old, new))

    def replace_arguments(self, *pairs: tuple[Argument, Argument | None]) -> Query:
        arguments = []
        for argument in self.call.arguments:
            replacement: Argument | None = argument
            for old, new in pairs:
                replacement = new if argument is old else replacement
            if replacement is not None:
                arguments.append(replacement)
        return self.put(replace(self.call, arguments=tuple(arguments)))


def call_sites(query: Query, *functions: str) -> Iterator[CallSite]:
    """Every call of these functions, or of all functions."""
    for site in value_sites(query):
        if isinstance(site.value, Call):
            function = find_function(site.value.function)
            if function is not None and (not functions or function.name in functions):
                yield CallSite(site.step, site.value, function.name, site.put)


def find_parameter(call: Call, argument: Argument) -> str | None:
    """The name of the parameter of an argument; None for an operand."""
    function = find_function(call.function)
    if function is None or argument.name is None:
        return None
    parameter = function.parameter(argument.name)
    return None if parameter is None else parameter.name


def make_argument(name: str, value: Value, operator: str = "=") -> Argument:
    return Argument(name, operator, value, 0)


def make_literal(text: str) -> Literal:
    return Literal(text, 0)


def literal_texts(value: Value) -> list[str] | None:
    """The texts of a literal or a list of literals; None for other values."""
    members = value.members if isinstance(value, ListValue) else (value,)
    literals = [member.text for member in members if isinstance(member, Literal)]
    return literals if len(literals) == len(members) else None


def make_text_value(literals: Sequence[str]) -> Value:
    """A list of literals; a single literal stands alone."""
    if len(literals) == 1:
        return make_literal(literals[0])
    return ListValue(tuple(map(make_literal, literals)), 0)


@dataclass(frozen=True)
class TableSite:
    """A ``get_table`` with its paths; ``put`` returns the query with other paths."""

    call_site: CallSite
    paths: tuple[ColumnPath, ...]
    put: Callable[[Sequence[ColumnPath]], Query]

    def replace_path(self, index: int, *paths: ColumnPath) -> Query:
        """The query with ``paths`` instead of the path at ``index``."""
        return self.put((*self.paths[:index], *paths, *self.paths[index + 1 :]))


def table_sites(query: Query) -> Iterator[TableSite]:
    """Every ``get_table`` whose paths can be parsed."""
    for call_site in call_sites(query, "get_table"):
        arguments = call_site.arguments_of("columns")
        path_texts = literal_texts(arguments[0].value) if len(arguments) == 1 else None
        if path_texts is None:
            continue
        columns = arguments[0]
        paths = [read_path(text) for text in path_texts]
        valid = tuple(path for path in paths if isinstance(path, ColumnPath))

        def put(
            new: Sequence[ColumnPath], call_site: CallSite = call_site, old: Argument = columns
        ) -> Query:
            value = make_text_value([write_path(path) for path in new])
            return call_site.replace_argument(old, replace(old, value=value))

        if len(valid) == len(paths):
            yield TableSite(call_site, valid, put)


def write_path(path: ColumnPath) -> str:
    """Write a path as text."""
    steps = " > ".join(_write_path_step(step) for step in path.steps)
    return steps if path.name == path.steps[-1].relation else f"{steps} as {path.name}"


def _write_path_step(step: PathStep) -> str:
    name = step.relation
    if not name.replace("_", "").isalnum():
        name = f'"{name}"'
    walk = f"#{step.walk}" if step.walk > 1 else ""
    return f"{'^' * step.backwards}{name}{walk}{'?' * step.optional}"


@dataclass(frozen=True)
class RelationSite:
    """A relation name in a query; ``put`` returns the query with another name."""

    relation: RelationProfile
    put: Callable[[str], Query]


def relation_sites(query: Query, profile: DataProfile) -> Iterator[RelationSite]:
    """Every relation name in a search or a path."""
    for call_site in call_sites(query, "get_information"):
        for argument in call_site.arguments_of("relation", "key"):
            if not isinstance(argument.value, Literal):
                continue
            relation = profile.relation(argument.value.text)

            def put(name: str, site: CallSite = call_site, old: Argument = argument) -> Query:
                return site.replace_argument(old, replace(old, value=make_literal(name)))

            if relation is not None:
                yield RelationSite(relation, put)
    for table in table_sites(query):
        for index, path in enumerate(table.paths):
            for place, step in enumerate(path.steps):
                relation = profile.relation(step.relation)
                if relation is not None:
                    yield RelationSite(relation, _relation_replacement(table, index, place))


def _relation_replacement(table: TableSite, index: int, place: int) -> Callable[[str], Query]:
    path = table.paths[index]

    def put(name: str) -> Query:
        step = replace(path.steps[place], relation=name)
        steps = (*path.steps[:place], step, *path.steps[place + 1 :])
        return table.replace_path(index, replace(path, steps=steps))

    return put


def replace_step(query: Query, number: int, instead: Value) -> Query:
    """Remove the step ``number`` and put ``instead`` for each use of its result."""
    steps = [
        replace(step, value=_replace_references(step.value, number, instead))
        for step in query.steps
        if step.number != number
    ]
    return replace(query, steps=tuple(steps))


def _replace_references(value: Value, number: int, instead: Value) -> Value:
    if isinstance(value, Reference):
        return instead if value.step == number else value
    if isinstance(value, ListValue):
        members = (_replace_references(member, number, instead) for member in value.members)
        return replace(value, members=tuple(members))
    if isinstance(value, BinaryOp):
        return replace(
            value,
            left=_replace_references(value.left, number, instead),
            right=_replace_references(value.right, number, instead),
        )
    if isinstance(value, Call):
        arguments = (
            replace(a, value=_replace_references(a.value, number, instead)) for a in value.arguments
        )
        return replace(value, arguments=tuple(arguments))
    return value


def list_references(value: Value) -> list[int]:
    """The steps whose results a value uses, once for each use."""
    if isinstance(value, Reference):
        return [value.step]
    parts: Sequence[Value] = ()
    if isinstance(value, ListValue):
        parts = value.members
    elif isinstance(value, BinaryOp):
        parts = (value.left, value.right)
    elif isinstance(value, Call):
        parts = [argument.value for argument in value.arguments]
    return [number for part in parts for number in list_references(part)]


ColumnKind: TypeAlias = Either["node", "text", "number", "date"]
ColumnKinds: TypeAlias = Mapping[str, ColumnKind | None]
"""Column → kind of its values; None if unknown."""


def kind_of(relation: RelationProfile | None, backwards: bool = False) -> ColumnKind | None:
    """The kind of the tails of a relation, or of its heads if ``backwards``."""
    if relation is None:
        return None
    if backwards or relation.leads_to_nodes:
        return "node"
    return "number" if relation.is_numeric else "date" if relation.is_dated else "text"


def path_kind(path: ColumnPath, profile: DataProfile) -> ColumnKind | None:
    last = path.steps[-1]
    return kind_of(profile.relation(last.relation), last.backwards)


def step_columns(query: Query, profile: DataProfile) -> dict[int, ColumnKinds]:
    """The columns of each step that returns a table."""
    columns: dict[int, ColumnKinds] = {}
    by_call = {
        id(t.call_site.call): {p.name: path_kind(p, profile) for p in t.paths}
        for t in table_sites(query)
    }
    for number, value in ((step.number, step.value) for step in query.steps):
        if not isinstance(value, Call):
            continue
        if id(value) in by_call:
            columns[number] = by_call[id(value)]
            continue
        call_site = next(c for c in (*call_sites(query), None) if c is None or c.call is value)
        before = None if call_site is None else columns.get(find_operand(call_site) or 0)
        if call_site is not None and before is not None:
            after = _columns_after(call_site, before)
            if after is not None:
                columns[number] = after
    return columns


def find_operand(call_site: CallSite) -> int | None:
    """The first step whose result a call uses."""
    for argument in call_site.call.arguments:
        if isinstance(argument.value, Reference):
            return argument.value.step
    return None


def _columns_after(call_site: CallSite, before: ColumnKinds) -> ColumnKinds | None:
    if call_site.function in ("keep", "sort", "distinct"):
        return before
    if call_site.function == "calculate":
        return {**before, **dict.fromkeys(parameter_texts(call_site, "name"), "number")}
    if call_site.function == "group_by":
        names = parameter_texts(call_site, "by")
        groups: dict[str, ColumnKind | None] = {name: before.get(name) for name in names}
        return {**groups, **{aggregate.name: "number" for aggregate in list_aggregates(call_site)}}
    return None


def parameter_texts(call_site: CallSite, name: str) -> list[str]:
    """The texts of a parameter."""
    values = (argument.value for argument in call_site.arguments_of(name))
    return [text for value in values for text in literal_texts(value) or ()]


def list_aggregates(call_site: CallSite) -> list[Aggregate]:
    """The aggregates of a ``group_by``."""
    read = (read_aggregate(text) for text in parameter_texts(call_site, "values"))
    return [aggregate for aggregate in read if isinstance(aggregate, Aggregate)]


def expression_of(call_site: CallSite) -> Expression | None:
    """The expression of a ``calculate``."""
    for text in parameter_texts(call_site, "expression"):
        read = read_expression(text)
        if isinstance(
            read, ColumnReference | NumberLiteral | Arithmetic | DaysBetween | FunctionCall
        ):
            return read
    return None


def write_expression(expression: Expression) -> str:
    if isinstance(expression, ColumnReference):
        return _quote_name(expression.name)
    if isinstance(expression, NumberLiteral):
        return str(expression.value)
    if isinstance(expression, DaysBetween):
        return f"days_between({write_expression(expression.start)}, {write_expression(expression.end)})"
    if isinstance(expression, FunctionCall):
        digits = f", {expression.digits}" if expression.digits else ""
        return f"{expression.function}({write_expression(expression.of)}{digits})"
    left, right = write_expression(expression.left), write_expression(expression.right)
    left = f"({left})" if isinstance(expression.left, Arithmetic) else left
    right = f"({right})" if isinstance(expression.right, Arithmetic) else right
    return f"{left} {expression.operator} {right}"


def write_aggregate(aggregate: Aggregate) -> str:
    return f"{aggregate.function}({aggregate.column or ''}) as {aggregate.name}"


def _quote_name(name: str) -> str:
    return name if name.replace("_", "").isalnum() and not name[0].isdigit() else f'"{name}"'


def column_uses(expression: Expression) -> Iterator[tuple[str, str]]:
    """Operator or function, and column, for each use of a column."""
    if isinstance(expression, ColumnReference | NumberLiteral):
        return
    if isinstance(expression, DaysBetween):
        operation = "days_between"
    else:
        operation = (
            expression.function if isinstance(expression, FunctionCall) else expression.operator
        )
    for operand in _operands(expression):
        if isinstance(operand, ColumnReference):
            yield operation, operand.name
        else:
            yield from column_uses(operand)


def rename_columns(expression: Expression, names: Mapping[str, str]) -> Expression:
    if isinstance(expression, ColumnReference):
        return ColumnReference(names.get(expression.name, expression.name))
    if isinstance(expression, NumberLiteral):
        return expression
    if isinstance(expression, FunctionCall):
        return replace(expression, of=rename_columns(expression.of, names))
    first, last = (rename_columns(operand, names) for operand in _operands(expression))
    if isinstance(expression, DaysBetween):
        return DaysBetween(first, last)
    return replace(expression, left=first, right=last)


def _operands(expression: Arithmetic | DaysBetween | FunctionCall) -> Sequence[Expression]:
    if isinstance(expression, FunctionCall):
        return (expression.of,)
    if isinstance(expression, DaysBetween):
        return (expression.start, expression.end)
    return (expression.left, expression.right)


def used_columns(query: Query) -> set[str]:
    """Columns that steps use, without the paths of a table."""
    names: set[str] = set(query.target)
    for call_site in call_sites(query):
        if call_site.function == "get_table":
            continue
        names |= {*parameter_texts(call_site, "column"), *parameter_texts(call_site, "by")}
        names |= {a.column for a in list_aggregates(call_site) if a.column is not None}
        expression = expression_of(call_site)
        if expression is not None:
            names |= _column_names(expression)
    return names


def _column_names(expression: Expression) -> set[str]:
    if isinstance(expression, ColumnReference):
        return {expression.name}
    if isinstance(expression, NumberLiteral):
        return set()
    return {name for operand in _operands(expression) for name in _column_names(operand)}
