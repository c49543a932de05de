"""The operations of a plan: Search, Apply, Traverse and the others.

Each operation prints itself in the notation of the paper, as in ``search_node(R, condition=H)``. The trace
and *explain* show that text, which parses to the same operation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..language.columns import ColumnPath, Expression, GroupValue
from ..language.printer import escape_name


@dataclass(frozen=True, slots=True)
class RelationStats:
    """Statistics of the relations that one name means.

    ``timed`` counts facts with an interval. ``is_column`` is True if tables have a column of this name;
    ``column_index`` is the place of the first such column, from 0.
    """

    names: tuple[str, ...] = ()
    facts: int = 0
    numbers: int = 0
    dates: int = 0
    timed: int = 0
    qualifiers: frozenset[str] = frozenset()
    is_column: bool = False
    column_index: int | None = None


RelationCatalog: TypeAlias = Mapping[str, RelationStats]
"""Relations by the name that the query uses."""


@dataclass(frozen=True, slots=True)
class TableChoice:
    """The source that a name of a table in a query means, and the relations in it."""

    source: str
    catalog: RelationCatalog


@dataclass(frozen=True, slots=True)
class Condition:
    """A tail, a qualifier or a time must be in the relation ``operator`` to one of ``terms``."""

    operator: str
    terms: tuple[Operation, ...]
    position: int

    def __str__(self) -> str:
        return f"{self.operator} {_format_terms(self.terms)}"


@dataclass(frozen=True, slots=True)
class Search:
    """Search facts by relation, head and conditions on the tail.

    ``output`` names the part of the facts that is returned: heads, tails, relations or key. ``key`` is a
    qualifier or (``is_time``) a time of the facts. No ``relations`` or None as ``heads`` means any.
    ``table`` is the source that is searched alone; None: that of the scope.
    """

    output: str
    position: int
    relations: tuple[Operation, ...] = ()
    heads: tuple[Operation, ...] | None = None
    conditions: tuple[Condition, ...] = ()
    key: str | None = None
    is_time: bool = False
    key_conditions: tuple[Condition, ...] = ()
    table: str | None = None

    def __str__(self) -> str:
        relations = _format_terms(self.relations) if self.relations else ""
        heads = "" if self.heads is None else _format_terms(self.heads)
        tails = _format_conditions("node2", self.conditions)
        if self.key is None:
            key = ""
        else:
            name = "time" if self.is_time else "qualifier"
            conditions = _format_conditions("key_value", self.key_conditions)
            key = _join(f"{name}={escape_name(self.key)}", conditions)
        table = _format_table(self.table)
        if self.output == "heads":
            if relations and len(self.conditions) == 1 and self.conditions[0].operator == "=":
                tails = _format_terms(self.conditions[0].terms)
            return f"search_condition({_join(relations, tails, heads and f'scope={heads}', key, table)})"
        if relations and not heads:  # without a condition, node1 may also be a head
            relations = f"relation={relations}"
        return f"search_node({_join(relations, heads and f'condition={heads}', tails, key, table)})"


@dataclass(frozen=True, slots=True)
class Option:
    name: str
    operator: str
    value: Operation

    def __str__(self) -> str:
        return f"{self.name} {self.operator} {self.value}"


@dataclass(frozen=True, slots=True)
class Apply:
    function: str
    operands: tuple[Operation, ...]
    position: int
    options: tuple[Option, ...] = ()
    is_undefined: bool = False
    """True for a function that the language does not have: only a judgment can compute it."""

    def __str__(self) -> str:
        if not self.function.isidentifier() or self.function in ("and", "or", "in"):
            return f"({f' {self.function} '.join(map(str, self.operands))})"
        return f"{self.function}({', '.join(map(str, (*self.operands, *self.options)))})"


@dataclass(frozen=True, slots=True)
class Constant:
    text: str
    position: int

    def __str__(self) -> str:
        return escape_name(self.text)


@dataclass(frozen=True, slots=True)
class StepResult:
    step: int
    position: int

    def __str__(self) -> str:
        return f"output_of_query{self.step}"


@dataclass(frozen=True, slots=True)
class Union:
    members: tuple[Operation, ...]
    position: int

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.members))}]"


@dataclass(frozen=True, slots=True)
class Traverse:
    """``get_table``: one row for each way along the paths from one of ``heads``.

    None as ``heads``: from every head of the first relation of the first path. ``table`` as in ``Search``.
    """

    heads: tuple[Operation, ...] | None
    paths: tuple[ColumnPath, ...]
    position: int
    table: str | None = None

    def __str__(self) -> str:
        heads = "" if self.heads is None else _format_terms(self.heads)
        paths = _format_texts(map(_format_path, self.paths))
        return f"get_table({_join(heads, paths, _format_table(self.table))})"

    @property
    def relations(self) -> tuple[Constant, ...]:
        positions: dict[str, int] = {}
        for path in self.paths:
            for step in path.steps:
                positions.setdefault(step.relation, step.position)
        return tuple(Constant(name, at or self.position) for name, at in positions.items())


@dataclass(frozen=True, slots=True)
class Calculate:
    of: Operation
    expression: Expression
    name: str
    position: int
    text: str

    def __str__(self) -> str:
        return f"calculate({self.of}, {escape_name(self.text)}, {escape_name(self.name)})"


@dataclass(frozen=True, slots=True)
class GroupBy:
    of: Operation
    by: tuple[str, ...]
    values: tuple[GroupValue, ...]
    position: int

    def __str__(self) -> str:
        by, values = _format_texts(self.by), _format_texts(map(str, self.values))
        return f"group_by({self.of}, by={by}, values={values})"


Operation: TypeAlias = (
    Search | Apply | Constant | StepResult | Union | Traverse | Calculate | GroupBy
)


@dataclass(frozen=True, slots=True)
class PlanStep:
    number: int
    operation: Operation


@dataclass(frozen=True, slots=True)
class Plan:
    steps: tuple[PlanStep, ...]
    target: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "; ".join(str(step.operation) for step in self.steps)


_PLAIN_NAME = re.compile(r"\w+(?: (?!as\b)\w+)*", re.IGNORECASE)


def _format_texts(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(escape_name, texts))}]"


def _format_conditions(name: str, conditions: tuple[Condition, ...]) -> str:
    return _join(
        *(
            f"{name}={_format_terms(c.terms)}" if c.operator == "=" else f"{name} {c}"
            for c in conditions
        )
    )


def _quote_in_path(name: str, always: bool = False) -> str:
    # Without quotes, the question mark of an optional step may be part of the name.
    if not always and _PLAIN_NAME.fullmatch(name):
        return name
    return f"'{name}'" if '"' in name else f'"{name}"'


def _format_path(path: ColumnPath) -> str:
    steps = (
        ("^" if step.backwards else "")
        + _quote_in_path(step.relation, always=step.optional)
        + (f"#{step.walk}" if step.walk > 1 else "")
        + ("?" if step.optional else "")
        for step in path.steps
    )
    return f"{' > '.join(steps)} as {_quote_in_path(path.name)}"


def _format_table(table: str | None) -> str:
    return "" if table is None else f"table={escape_name(table)}"


def _format_terms(terms: tuple[Operation, ...]) -> str:
    texts = [str(term) for term in terms]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _join(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def walk_operations(operation: Operation) -> Iterator[Operation]:
    pending = [operation]
    while pending:
        current = pending.pop(0)
        yield current
        pending += _children(current)


def _children(operation: Operation) -> tuple[Operation, ...]:
    if isinstance(operation, Search):
        conditions = (*operation.conditions, *operation.key_conditions)
        terms = (term for condition in conditions for term in condition.terms)
        return (*operation.relations, *(operation.heads or ()), *terms)
    if isinstance(operation, Apply):
        return (*operation.operands, *(option.value for option in operation.options))
    if isinstance(operation, Traverse):
        return (*operation.relations, *(operation.heads or ()))
    if isinstance(operation, Calculate | GroupBy):
        return (operation.of,)
    return operation.members if isinstance(operation, Union) else ()


def used_steps(operation: Operation) -> tuple[int, ...]:
    results = (part for part in walk_operations(operation) if isinstance(part, StepResult))
    return tuple(sorted({result.step for result in results}))
