"""Execution query → pattern, step by step: what has to meet for its steps to find anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ..language.expressions import Applied, Column, DaysBetween, Expression
from ..language.expressions import Operation as Computed
from ..language.formulas import aggregates_in
from ..language.paths import Branch, branches
from ..mapping import fold
from ..planning import (
    Apply,
    Calculate,
    ExecutionQuery,
    Group,
    Members,
    Name,
    Operation,
    Result,
    Search,
    Test,
    Walk,
    uses,
)
from ..values import read_value
from .pattern import (
    Asked,
    Columns,
    Compared,
    Lacking,
    Merged,
    Output,
    Pattern,
    Shape,
    Used,
    Variable,
)
from .vocabulary import TYPE

_SAME = frozenset(("keep", "max", "min", "sort", "first", "last", "distinct", "mode"))
"""Functions whose result is some of their first operand."""


class _Builder:
    """Walks the steps."""

    def __init__(self, selects: Callable[[str], bool], classes: Callable[[str], bool]) -> None:
        self.pattern = Pattern()
        self.selects = selects
        self.classes = classes
        self.step = 0
        self.facts = 0

    def new(self, called: str, within: Sequence[int | None] = ()) -> int:
        """A variable."""
        number = len(self.pattern.variables)
        inside = tuple(each for each in within if each is not None)
        self.pattern.variables.append(Variable(number, called, self.step, inside))
        return number

    def fact(self, start: int | None, relation: Operation, end: int | None) -> None:
        """The ends of a relation; None is one of which nothing is asked."""
        if isinstance(relation, Name):
            self.facts += 1
            place = (relation.text, self.facts, self.step, relation.position)
            if start is not None:
                self.pattern.asked.append(Asked(start, "start", *place))
            if end is not None:
                self.pattern.asked.append(Asked(end, "end", *place))

    def shape(self, operation: Operation) -> Shape:
        """What an operation leads to."""
        if isinstance(operation, Result):
            return self.pattern.results.get(operation.step, Shape())
        if isinstance(operation, Search):
            return Shape(self.search(operation))
        if isinstance(operation, Apply):
            return self.apply(operation)
        if isinstance(operation, Members):
            for member in operation.members:
                self.shape(member)
            return Shape(
                self.shape(operation.members[0]).variable if len(operation.members) == 1 else None
            )
        if isinstance(operation, Walk):
            return self.walk(operation)
        if isinstance(operation, Calculate):
            return self.calculate(operation)
        if isinstance(operation, Group):
            return self.group(operation)
        return Shape()

    def set_of(self, operation: Operation) -> int | None:
        """The variable of a set; a table of one column is one."""
        shape = self.shape(operation)
        if shape.columns is not None and len(shape.columns) == 1:
            return shape.columns[0][1]
        return shape.variable

    def any_of(self, operations: Sequence[Operation]) -> int | None:
        """The variable of what may be any of several: none where they are."""
        found = [self.set_of(operation) for operation in operations]
        return found[0] if len(found) == 1 else None

    def search(self, search: Search) -> int | None:
        """What is asked of heads and tails; which of them is the result."""
        heads = None if search.heads is None else self.any_of(search.heads)
        told = "what it is asked of" if heads is None else self._called(search.heads)
        start = self.new(told, (heads,))
        end = self.new("what it leads to", self._tails(search))
        for test in search.values:
            self.any_of(test.terms)
        if len(search.relations) == 1 and search.wanted != "relations":
            relation = search.relations[0]
            self.set_of(relation)
            if self._classes(search, start):
                return start if search.wanted == "heads" else None
            self.fact(start, relation, end)
            self._compare(relation, search.tests)
        if search.wanted in ("relations", "key"):
            return None
        return start if search.wanted == "heads" else end

    def _called(self, heads: Sequence[Operation] | None) -> str:
        if heads and len(heads) == 1 and isinstance(heads[0], Result | Name):
            return str(heads[0])
        return "what it is asked of"

    def _tails(self, search: Search) -> tuple[int | None, ...]:
        """What tails must lie within: results that they have to equal."""
        found = []
        for test in search.tests:
            variable = self.any_of(test.terms)
            if test.operator == "=":
                found.append(variable)
        return tuple(found)

    def _classes(self, search: Search, start: int) -> bool:
        """Whether the search is for members of a class, which is then noted."""
        relation, tests = search.relations[0], search.tests
        if not (isinstance(relation, Name) and self.classes(relation.text) and len(tests) == 1):
            return False
        terms = tests[0].terms
        if tests[0].operator != "=" or len(terms) != 1 or not isinstance(terms[0], Name):
            return False
        self.facts += 1
        self.pattern.asked.append(
            Asked(start, "class", terms[0].text, self.facts, self.step, terms[0].position)
        )
        return True

    def _compare(self, relation: Operation, tests: Sequence[Test]) -> None:
        for test in tests:
            for term in test.terms:
                if (
                    isinstance(relation, Name)
                    and isinstance(term, Name)
                    and not self.selects(term.text)
                ):
                    self.pattern.compared.append(
                        Compared(relation.text, test.operator, term.text, self.step, term.position)
                    )

    def apply(self, apply: Apply) -> Shape:
        """What is asked of operands, each by itself."""
        shapes = [self.shape(operand) for operand in apply.operands]
        for option in apply.options:
            self.shape(option.value)
        sets = [shape.variable for shape in shapes]
        first = shapes[0] if shapes else Shape()
        for option in apply.options:
            if first.columns and option.name in ("column", "by") and isinstance(option.value, Name):
                place = option.value.position
                self._column(apply.function, option.value.text, first.columns, place)
        self._use(apply, shapes)
        if apply.function == "set_intersection" and len(sets) > 1:
            return Shape(self.new("what is in all of them", sets), merged=True)
        if apply.function == "set_difference":
            return replace(first, merged=True)
        if apply.function == "set_union":
            return Shape(merged=True)
        if apply.function in _SAME:
            return first if len(shapes) == 1 else Shape()
        return Shape()

    def _use(self, apply: Apply, shapes: Sequence[Shape]) -> None:
        if apply.function in ("sum", "mean") and any(shape.merged for shape in shapes):
            self.pattern.merged.append(Merged(apply.function, self.step, apply.position))
        for shape in shapes:
            if shape.variable is not None:
                self.pattern.used.append(
                    Used(apply.function, shape.variable, self.step, apply.position)
                )

    def walk(self, walk: Walk) -> Shape:
        """What the paths of a table ask: steps that several share lead to one node."""
        heads = None if walk.heads is None else self.any_of(walk.heads)
        shown: dict[int, int] = {}
        self._branch(branches(walk.paths), self.new(self._called(walk.heads), (heads,)), shown)
        return Shape(columns=tuple((p.name, shown[place]) for place, p in enumerate(walk.paths)))

    def _branch(self, branch: Branch, node: int, shown: dict[int, int]) -> None:
        shown |= dict.fromkeys(branch.columns, node)
        for step, further in branch.further.items():
            there = self.new(f"what {step.relation} leads {'back ' * step.backwards}to")
            here = None if step.optional else node  # which need not be at its end of the relation
            start, end = (there, here) if step.backwards else (here, there)
            self.fact(start, Name(step.relation, step.position), end)
            self._branch(further, there, shown)

    def calculate(self, calculate: Calculate) -> Shape:
        """The columns with a further one, which shows no node."""
        columns = self.shape(calculate.of).columns
        if columns is None:
            return Shape()
        self._computed(calculate.expression, columns, calculate.position)
        return Shape(columns=(*columns, (calculate.name, None)))

    def group(self, group: Group) -> Shape:
        """Columns that are grouped by stay what they are, what is computed shows no node."""
        columns = self.shape(group.of).columns
        if columns is None:
            return Shape()
        kept = tuple(
            (name, self._column("group_by", name, columns, group.position)) for name in group.by
        )
        there = {fold(name) for name, _ in columns}
        for each in aggregates_in(group.values):
            if each.expression is not None and fold(each.column or "") not in there:
                self._computed(each.expression, columns, group.position)
            elif each.column is not None:
                self._column(each.function, each.column, columns, group.position)
        return Shape(columns=(*kept, *((each.name, None) for each in group.values)))

    def _computed(self, expression: Expression, columns: Columns, position: int) -> None:
        """The columns that an expression looks at; a number or date that none is called is itself."""
        there = {fold(name) for name, _ in columns}
        for function, column in _operands(expression):
            if fold(column) in there or read_value(column) is None:
                self._column(function, column, columns, position)

    def _column(self, function: str, column: str, columns: Columns, position: int) -> int | None:
        """What a column shows; noted where it is not there, or has to be of a kind."""
        known = {fold(name): variable for name, variable in columns}
        if fold(column) not in known:
            names = tuple(name for name, _ in columns)
            self.pattern.lacking.append(Lacking(function, column, names, self.step, position))
            return None
        variable = known[fold(column)]
        if variable is not None:
            self.pattern.used.append(Used(function, variable, self.step, position))
        return variable


def _operands(expression: Expression, function: str = "calculate") -> Iterator[tuple[str, str]]:
    """Columns of an expression, each with what is done to it."""
    if isinstance(expression, Column):
        yield function, expression.name
    elif isinstance(expression, DaysBetween):
        yield from _operands(expression.start, "days_between")
        yield from _operands(expression.end, "days_between")
    elif isinstance(expression, Computed):
        yield from _operands(expression.left, expression.operator)
        yield from _operands(expression.right, expression.operator)
    elif isinstance(expression, Applied):
        yield from _operands(expression.of, expression.function)


def pattern_of(
    query: ExecutionQuery,
    selects: Callable[[str], bool],
    classes: Callable[[str], bool] = lambda name: fold(name) == TYPE,
) -> Pattern:
    """The pattern of a query.

    ``selects`` tells words that select instead of naming, ``classes`` relations that lead to classes.
    """
    builder = _Builder(selects, classes)
    pattern = builder.pattern
    for step in query.steps:
        builder.step = step.number
        pattern.results[step.number] = builder.shape(step.operation)
    last = query.steps[-1]
    used = {number for step in query.steps for number in uses(step.operation)}
    pattern.unused = [s.number for s in query.steps[:-1] if s.number not in used]
    shape = pattern.results[last.number]
    position = getattr(last.operation, "position", 0)
    columns = (("", shape.variable),) if shape.columns is None else _of_target(shape.columns, query)
    pattern.outputs = [Output(name, variable, last.number, position) for name, variable in columns]
    return pattern


def _of_target(columns: Columns, query: ExecutionQuery) -> Columns:
    """The columns of a table that the answer shows: those that the target names, if it has them all."""
    known = {fold(name): (name, variable) for name, variable in reversed(columns)}
    names = [fold(name) for name in query.target]
    if len(columns) == 1 or not names or not known.keys() >= {*names}:
        return columns
    return tuple(known[name] for name in names)
