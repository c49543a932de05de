"""Checked query → execution query: which searching and reasoning operations each step is.

The paper's Table 1 as data: a row says which parameters of ``get_information`` were given and which search
that is. Searches are written as the paper writes them (``search_node(R, condition=H)``), and that text is
what *explain* and the trace show. Pure: what the catalogue knows of the relations is handed in, since
``key`` is a qualifier, a time or a second relation depending on the data, never on a single head.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from .language.binding import Bound, bind
from .language.query import (
    Argument, Call, Infix, Listing, Literal, LLMQuery, Problem, Reference, Step, Value,
)  # fmt: skip

TIMES = {
    "time": "time", "start time": "start time", "end time": "end time",
    "year": "time", "date": "time", "start": "start time", "end": "end time",
}  # fmt: skip
"""Keys that ask when facts held; only the first three where facts have a qualifier of that name."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the catalogue knows of a relation in the scope, however it was mapped.

    ``held``: facts with an interval. ``tables``: columns of tables have this name.
    """

    names: tuple[str, ...] = ()
    facts: int = 0
    numbers: int = 0
    dates: int = 0
    held: int = 0
    qualifiers: frozenset[str] = frozenset()
    tables: bool = False


Catalogue: TypeAlias = Mapping[str, Known]
"""What is known of each relation, by the name that the query gives it."""


@dataclass(frozen=True, slots=True)
class Test:
    """``operator`` any of ``terms``, which a tail, a qualifier or a time must fulfil."""

    operator: str
    terms: tuple[Operation, ...]
    position: int

    def __str__(self) -> str:
        return f"{self.operator} {_any(self.terms)}"


@dataclass(frozen=True, slots=True)
class Search:
    """Facts of ``relations`` out of any of ``heads`` into tails that pass all ``tests``.

    ``wanted``: which part of those facts is asked for. ``key`` is a qualifier or a time of the facts,
    ``values`` are tests on it. None as ``heads`` or no relation at all: whatever there is.
    """

    wanted: str
    position: int
    relations: tuple[Operation, ...] = ()
    heads: tuple[Operation, ...] | None = None
    tests: tuple[Test, ...] = ()
    key: str | None = None
    time: bool = False
    values: tuple[Test, ...] = ()

    def __str__(self) -> str:
        of = f"{_any(self.relations)}" if self.relations else ""
        if self.key is not None:
            held = f", {'time' if self.time else 'qualifier'} {self.key}"
            held += "".join(f" {test}" for test in self.values)
            fact = ", ".join(
                part for part in (_any(self.heads) if self.heads else "", of, _tested(self)) if part
            )
            return f"search_{'node' if self.wanted != 'heads' else 'condition'}([{fact}]{held})"
        if self.wanted == "relations":
            ends = ([_any(self.heads)] if self.heads else []) + (
                [f"node2 {_tested(self)}"] if self.tests else []
            )
            return f"search_node({', '.join(ends)})"
        if self.wanted == "heads":
            within = f", scope={_any(self.heads)}" if self.heads is not None else ""
            return f"search_condition({of}, {_tested(self)}{within})"
        return f"search_node({of}" + (
            f", condition={_any(self.heads)})" if self.heads is not None else ")"
        )


@dataclass(frozen=True, slots=True)
class Apply:
    """A reasoning function, by its name in the table, or an infix operator."""

    function: str
    operands: tuple[Operation, ...]
    position: int
    options: tuple[tuple[str, Argument], ...] = ()

    def __str__(self) -> str:
        given = [str(operand) for operand in self.operands]
        given += [f"{name} {a.operator} {_value(a.value)}" for name, a in self.options]
        return f"{self.function}({', '.join(given)})"


@dataclass(frozen=True, slots=True)
class Name:
    """A name or number as the query gives it."""

    text: str
    position: int

    def __str__(self) -> str:
        return repr(self.text)


@dataclass(frozen=True, slots=True)
class Result:
    """What an earlier step led to."""

    step: int
    position: int

    def __str__(self) -> str:
        return f"output_of_query{self.step}"


@dataclass(frozen=True, slots=True)
class Members:
    """Several operands as one set."""

    members: tuple[Operation, ...]
    position: int

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.members))}]"


Operation: TypeAlias = Search | Apply | Name | Result | Members


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A step and what it does."""

    number: int
    operation: Operation


@dataclass(frozen=True, slots=True)
class ExecutionQuery:
    """The operations in the order of the steps, and the columns that the answer is to have."""

    steps: tuple[PlannedStep, ...]
    target: tuple[str, ...] = ()


class Unplannable(Exception):  # a way out of the recursion, never seen outside
    """No row of the table fits; says why."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem)


def plan(query: LLMQuery, catalogue: Catalogue) -> ExecutionQuery | tuple[Problem, ...]:
    """The execution query, or which combinations of parameters have no row in the table."""
    planned: list[PlannedStep] = []
    problems: list[Problem] = []
    for step in query.steps:
        try:
            planned.append(PlannedStep(step.number, _operation(step.value, catalogue)))
        except Unplannable as caught:
            problems.append(replace(caught.problem, step=step.number))
    return tuple(problems) if problems else ExecutionQuery(tuple(planned), query.target)


def _operation(value: Value, catalogue: Catalogue) -> Operation:
    if isinstance(value, Literal):
        return Name(value.text, value.position)
    if isinstance(value, Reference):
        return Result(value.step, value.position)
    if isinstance(value, Listing):
        return Members(tuple(_operation(m, catalogue) for m in value.members), value.position)
    if isinstance(value, Infix):
        sides = (_operation(value.left, catalogue), _operation(value.right, catalogue))
        return Apply(value.operator, sides, value.position)
    bound = bind(value)
    assert isinstance(bound, Bound)  # a rule of the check
    search = _SEARCHES.get(bound.function.name)
    if search is not None:
        return search(bound, catalogue)
    operands = tuple(_operation(operand, catalogue) for operand in bound.operands)
    return Apply(bound.function.name, operands, value.position, bound.parameters)


@dataclass(frozen=True)
class _Given:
    """The parameters of one ``get_information``, in the paper's letters."""

    position: int
    h: tuple[Operation, ...] | None = None
    r: tuple[Operation, ...] = ()
    k: tuple[Operation, ...] = ()
    t: tuple[Test, ...] = ()
    v: tuple[Test, ...] = ()

    @property
    def letters(self) -> str:
        """Which are given."""
        given = (self.h is not None, self.r, self.t, self.k, self.v)
        return "".join(letter for letter, there in zip("hrtkv", given, strict=True) if there)

    def search(self, wanted: str, **more: object) -> Search:
        """Facts of (h, r, t)."""
        parts = {"relations": self.r, "heads": self.h, "tests": self.t, **more}
        return Search(wanted, self.position, **parts)  # type: ignore[arg-type]  # names as declared

    def key(self, wanted: str, **more: object) -> Search:
        """Facts of k whose tails pass v."""
        return self.search(wanted, **{"relations": self.k, "heads": None, "tests": self.v, **more})


Row: TypeAlias = Callable[[_Given], Operation]


def _both(*searches: Operation, position: int) -> Operation:
    return Apply("set_intersection", searches, position)


# Which parameters are given → what is searched (the paper's Table 1, and what its text implies).
_TABLE: dict[str, Row] = {
    "h": lambda g: g.search("relations"),
    "t": lambda g: g.search("relations"),
    "r": lambda g: g.search("tails"),
    "k": lambda g: g.key("tails"),
    "hr": lambda g: g.search("tails"),
    "hk": lambda g: g.key("tails", heads=g.h),
    "rt": lambda g: g.search("heads"),
    "kv": lambda g: g.key("heads"),
    "ht": lambda g: g.search("relations"),
    "hrt": lambda g: g.search("heads"),
    "hkv": lambda g: g.key("heads", heads=g.h),
    "rtk": lambda g: g.search("tails", relations=g.k, heads=(g.search("heads"),), tests=()),
    "rkv": lambda g: g.search("tails", heads=(g.key("heads"),)),
    "rtkv": lambda g: _both(g.search("heads"), g.key("heads"), position=g.position),
    "hrk": lambda g: g.search("tails", relations=g.k, heads=(g.search("tails"),), tests=()),
    "hrtk": lambda g: g.search("tails", relations=g.k, heads=(g.search("tails"),), tests=()),
    "hrkv": lambda g: g.key("heads", heads=(g.search("tails"),)),
    "hrtkv": lambda g: g.key("heads", heads=(g.search("tails"),)),
}

# The same where k is a qualifier of r's facts, or asks when they held.
_OF_FACTS: dict[str, Row] = {
    "hrk": lambda g: g.search("key"),
    "hrtk": lambda g: g.search("key"),
    "hrkv": lambda g: g.search("tails"),
    "hrtkv": lambda g: g.search("tails"),
    "rtk": lambda g: g.search("key"),
    "rtkv": lambda g: g.search("heads"),
    "rkv": lambda g: g.search("tails"),
    "rk": lambda g: g.search("key"),
    "hk": lambda g: g.search("key"),
    "tk": lambda g: g.search("key"),
    "htk": lambda g: g.search("key"),
}


def _information(bound: Bound, catalogue: Catalogue) -> Operation:
    given = _read(bound, catalogue)
    if isinstance(given, tuple):
        return given[0]
    letters = given.letters
    if kind := _of_facts(given, catalogue):
        row = _OF_FACTS.get(letters)
        if row is not None:
            found = row(given)
            assert isinstance(found, Search)  # rows of that table are
            assert isinstance(given.k[0], Name)
            key = given.k[0].text
            time = kind == "time"
            name = TIMES[_spaced(key)] if time else key
            return replace(found, key=name, time=time, values=given.v)
    row = _TABLE.get(letters)
    if row is None:
        raise Unplannable(_no_row(given, bound))
    return row(given)


def _no_row(given: _Given, bound: Bound) -> Problem:
    named = ", ".join(dict.fromkeys(name for name, _ in bound.parameters)) or "no parameter"
    if given.t and given.v:
        message = (
            "tail_entity and value clash: two values need two relations, given as relation and key"
        )
    else:
        rows = " · ".join(", ".join(letters) for letters in _TABLE)
        message = f"get_information with {named} means nothing; these do: {rows}"
    return Problem("unknown combination", message, None, bound.position)


def _read(bound: Bound, catalogue: Catalogue) -> _Given | tuple[Operation]:
    """The parameters; where relations come in pairs with their values, the whole operation."""
    relations = bound.given("relation")
    keys = bound.given("key")
    heads = _terms(bound.given("head_entity"), catalogue)
    t = _tests(bound.given("tail_entity"), catalogue)
    v = _tests(bound.given("value"), catalogue)
    if len(relations) > 1 and len(relations) == len(t):
        pairs = tuple(
            Search("heads", bound.position, _terms((r,), catalogue), heads or None, (test,))
            for r, test in zip(relations, t, strict=True)
        )
        return (_both(*pairs, position=bound.position),)
    r = _terms(relations, catalogue)
    k = _terms(keys, catalogue)
    # Where only one of a pair is given, both names mean the same.
    if k and not r and not (t and v) and not _asks_time(k, catalogue):
        r, k = k, ()
    if v and not k and not t:
        t, v = v, ()
    for argument in bound.given("head_entity"):
        if argument.operator != "=":
            message = f"head_entity takes = only, not {argument.operator}"
            raise Unplannable(Problem("unknown operator", message, None, argument.position))
    return _Given(bound.position, heads if bound.given("head_entity") else None, r, k, t, v)


def _asks_time(k: tuple[Operation, ...], catalogue: Catalogue) -> bool:
    """Whether k alone asks for a time: it must not be a relation of the data itself."""
    if len(k) != 1 or not isinstance(k[0], Name) or _spaced(k[0].text) not in TIMES:
        return False
    return not catalogue.get(k[0].text, Known()).facts


def _of_facts(given: _Given, catalogue: Catalogue) -> str | None:
    """Whether k is a ``time`` or a ``qualifier`` of r's facts; None: a relation like any other."""
    if len(given.k) != 1 or not isinstance(given.k[0], Name):
        return None
    key = given.k[0].text
    known = [catalogue.get(r.text, Known()) for r in given.r if isinstance(r, Name)]
    if any(_is(key, name) for of in known for name in of.qualifiers):
        return "qualifier"
    word = _spaced(key)
    if word not in TIMES:
        return None
    if given.r and not any(of.held for of in known):
        return None
    if word not in ("time", "start time", "end time") and (
        not given.r or catalogue.get(key, Known()).facts
    ):
        return None
    return "time" if given.r or _asks_time(given.k, catalogue) else None


def _spaced(key: str) -> str:
    return " ".join(key.replace("_", " ").split()).casefold()


def _is(key: str, name: str) -> bool:
    return _spaced(key) == _spaced(name)


def _terms(arguments: tuple[Argument, ...], catalogue: Catalogue) -> tuple[Operation, ...]:
    return tuple(term for a in arguments for term in _flat(_operation(a.value, catalogue)))


def _tests(arguments: tuple[Argument, ...], catalogue: Catalogue) -> tuple[Test, ...]:
    return tuple(
        Test(a.operator, _flat(_operation(a.value, catalogue)), a.position) for a in arguments
    )


def _flat(operation: Operation) -> tuple[Operation, ...]:
    if isinstance(operation, Members):
        return tuple(term for member in operation.members for term in _flat(member))
    return (operation,)


def _node(bound: Bound, catalogue: Catalogue) -> Operation:
    """The paper's ``search_node(n1, condition)``: a relation under a condition, or what n1 leads to."""
    first = _terms(bound.given("node1"), catalogue)
    condition = bound.given("condition")
    if not condition:
        names = [term for term in first if isinstance(term, Name)]
        relation = len(names) == len(first) and all(
            catalogue.get(name.text, Known()).facts for name in names
        )
        if relation:
            return Search("tails", bound.position, first)
        return Search("relations", bound.position, (), first)
    return Search("tails", bound.position, first, _terms(condition, catalogue))


def _condition(bound: Bound, catalogue: Catalogue) -> Operation:
    """The paper's ``search_condition(n1, n2, op)``."""
    tests = _tests(bound.given("node2"), catalogue)
    if (op := bound.one("op")) is not None and isinstance(op.value, Literal):
        tests = tuple(replace(test, operator=op.value.text) for test in tests)
    return Search("heads", bound.position, _terms(bound.given("node1"), catalogue), None, tests)


_SEARCHES: dict[str, Callable[[Bound, Catalogue], Operation]] = {
    "get_information": _information,
    "search_node": _node,
    "search_condition": _condition,
}


def _tested(search: Search) -> str:
    return " and ".join(
        _any(test.terms) if test.operator == "=" else str(test) for test in search.tests
    )


def _any(terms: tuple[Operation, ...] | None) -> str:
    members = [str(term) for term in terms or ()]
    return members[0] if len(members) == 1 else f"[{', '.join(members)}]"


def _value(value: Value) -> str:
    if isinstance(value, Literal):
        return repr(value.text)
    if isinstance(value, Reference):
        return f"output_of_query{value.step}"
    if isinstance(value, Listing):
        return f"[{', '.join(map(_value, value.members))}]"
    if isinstance(value, Call):
        return f"{value.function}(…)"
    return f"{_value(value.left)} {value.operator} {_value(value.right)}"


def within(operation: Operation) -> Iterator[Operation]:
    """``operation`` and all operations in it, outer ones first."""
    waiting = [operation]
    while waiting:
        each = waiting.pop(0)
        yield each
        if isinstance(each, Search):
            waiting += (*each.relations, *(each.heads or ()))
            waiting += (term for test in (*each.tests, *each.values) for term in test.terms)
        elif isinstance(each, Apply):
            waiting += each.operands
            waiting += (_plain(a.value) for _, a in each.options)
        elif isinstance(each, Members):
            waiting += each.members


def uses(operation: Operation) -> tuple[int, ...]:
    """The steps whose results ``operation`` uses, in order."""
    return tuple(sorted({each.step for each in within(operation) if isinstance(each, Result)}))


def _plain(value: Value) -> Operation:
    """A parameter's value as an operation, as far as names, results and lists go."""
    if isinstance(value, Reference):
        return Result(value.step, value.position)
    if isinstance(value, Listing):
        return Members(tuple(map(_plain, value.members)), value.position)
    text = value.text if isinstance(value, Literal) else ""
    return Name(text, value.position)


def names(query: LLMQuery) -> tuple[set[str], set[str]]:
    """The names of relations and of things that have to be looked up, as the query gives them."""
    relations: set[str] = set(query.target)
    things: set[str] = set()
    for step in query.steps:
        _names(step, relations, things)
    return relations, things


_RELATIONS = frozenset(("relation", "key", "node1", "column"))


def _names(step: Step, relations: set[str], things: set[str]) -> None:
    waiting: list[tuple[Value, bool]] = [(step.value, False)]
    while waiting:
        value, relation = waiting.pop()
        if isinstance(value, Literal):
            (relations if relation else things).add(value.text)
        elif isinstance(value, Listing):
            waiting += [(member, relation) for member in value.members]
        elif isinstance(value, Infix):
            waiting += [(value.left, False), (value.right, False)]
        elif isinstance(value, Call):
            bound = bind(value)
            assert isinstance(bound, Bound)  # a rule of the check
            waiting += [(operand, False) for operand in bound.operands]
            waiting += [(a.value, name in _RELATIONS) for name, a in bound.parameters]
