"""Where in a query something stands, each place with what puts something else there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from ...language.functions import find
from ...language.paths import Path, PathStep, read_path
from ...language.query import (
    Argument,
    Call,
    Infix,
    Listing,
    Literal,
    LLMQuery,
    Reference,
    Step,
    Value,
)
from .outline import Outline, Relation

Put: TypeAlias = Callable[[Value], LLMQuery]


@dataclass(frozen=True)
class Site:
    """A value somewhere in a step, and the query with another in its place."""

    step: int
    value: Value
    put: Put


def sites(query: LLMQuery) -> Iterator[Site]:
    """Every value of every step, the outer ones first."""
    for at, step in enumerate(query.steps):

        def put(value: Value, at: int = at, step: Step = step) -> LLMQuery:
            steps = (*query.steps[:at], replace(step, value=value), *query.steps[at + 1 :])
            return replace(query, steps=steps)

        yield from _within(Site(step.number, step.value, put))


def _within(site: Site) -> Iterator[Site]:
    yield site
    value = site.value
    if isinstance(value, Call):
        for at, argument in enumerate(value.arguments):

            def put(new: Value, at: int = at, argument: Argument = argument) -> LLMQuery:
                given = (*value.arguments[:at], replace(argument, value=new))
                return site.put(replace(value, arguments=(*given, *value.arguments[at + 1 :])))

            yield from _within(Site(site.step, argument.value, put))
    elif isinstance(value, Listing):
        for at, member in enumerate(value.members):

            def put_member(new: Value, at: int = at) -> LLMQuery:
                members = (*value.members[:at], new, *value.members[at + 1 :])
                return site.put(replace(value, members=members))

            yield from _within(Site(site.step, member, put_member))
    elif isinstance(value, Infix):
        yield from _within(
            Site(site.step, value.left, lambda new: site.put(replace(value, left=new)))
        )
        yield from _within(
            Site(site.step, value.right, lambda new: site.put(replace(value, right=new)))
        )


@dataclass(frozen=True)
class Called:
    """A call somewhere in a step, by the function's own name."""

    step: int
    call: Call
    function: str
    put: Put

    def given(self, *names: str) -> list[Argument]:
        """The arguments of these parameters, whatever they are called."""
        return [each for each in self.call.arguments if parameter(self.call, each) in names]

    def having(self, old: Argument, new: Argument | None) -> LLMQuery:
        """The query with ``new`` for the argument ``old``, or without it."""
        return self.changed((old, new))

    def changed(self, *pairs: tuple[Argument, Argument | None]) -> LLMQuery:
        """The query with other arguments, or without them."""
        arguments = []
        for each in self.call.arguments:
            kept: Argument | None = each
            for old, new in pairs:
                kept = new if each is old else kept
            if kept is not None:
                arguments.append(kept)
        return self.put(replace(self.call, arguments=tuple(arguments)))


def calls(query: LLMQuery, *functions: str) -> Iterator[Called]:
    """Every call of these functions, or of any."""
    for site in sites(query):
        if isinstance(site.value, Call):
            known = find(site.value.function)
            if known is not None and (not functions or known.name in functions):
                yield Called(site.step, site.value, known.name, site.put)


def parameter(call: Call, argument: Argument) -> str | None:
    """The name of the parameter that ``argument`` is for; None for an operand."""
    known = find(call.function)
    if known is None or argument.name is None:
        return None
    found = known.parameter(argument.name)
    return None if found is None else found.name


def argument(name: str, value: Value, operator: str = "=") -> Argument:
    """A new argument."""
    return Argument(name, operator, value, 0)


def literal(text: str) -> Literal:
    """A new name."""
    return Literal(text, 0)


def texts(value: Value) -> list[str] | None:
    """The names in a list, or the one that stands alone; None where there is anything else."""
    members = value.members if isinstance(value, Listing) else (value,)
    found = [member.text for member in members if isinstance(member, Literal)]
    return found if len(found) == len(members) else None


def text_value(found: Sequence[str]) -> Value:
    """Names as a list, one by itself."""
    if len(found) == 1:
        return literal(found[0])
    return Listing(tuple(map(literal, found)), 0)


@dataclass(frozen=True)
class Table:
    """A ``get_table`` with its paths, and the query with other paths."""

    called: Called
    paths: tuple[Path, ...]
    put: Callable[[Sequence[Path]], LLMQuery]

    def having(self, at: int, *paths: Path) -> LLMQuery:
        """The query with these paths for that at ``at``."""
        return self.put((*self.paths[:at], *paths, *self.paths[at + 1 :]))


def tables(query: LLMQuery) -> Iterator[Table]:
    """Every ``get_table`` whose paths can be read."""
    for called in calls(query, "get_table"):
        given = called.given("columns")
        found = texts(given[0].value) if len(given) == 1 else None
        if found is None:
            continue
        columns = given[0]
        paths = [read_path(text) for text in found]
        known = tuple(path for path in paths if isinstance(path, Path))

        def put(new: Sequence[Path], called: Called = called, old: Argument = columns) -> LLMQuery:
            value = text_value([written(path) for path in new])
            return called.having(old, replace(old, value=value))

        if len(known) == len(paths):
            yield Table(called, known, put)


def written(path: Path) -> str:
    """A path as text."""
    steps = " > ".join(_step(step) for step in path.steps)
    return steps if path.name == path.steps[-1].relation else f"{steps} as {path.name}"


def _step(step: PathStep) -> str:
    name = step.relation
    if not name.replace("_", "").isalnum():
        name = f'"{name}"'
    walk = f"#{step.walk}" if step.walk > 1 else ""
    return f"{'^' * step.backwards}{name}{walk}{'?' * step.optional}"


@dataclass(frozen=True)
class Mention:
    """A relation of the data that a query names, and the query with another name in its place."""

    relation: Relation
    put: Callable[[str], LLMQuery]


def mentions(query: LLMQuery, outline: Outline) -> Iterator[Mention]:
    """Every relation that a search or a path names."""
    for called in calls(query, "get_information"):
        for each in called.given("relation", "key"):
            relation = (
                outline.relation(each.value.text) if isinstance(each.value, Literal) else None
            )
            if relation is not None:
                yield Mention(
                    relation,
                    lambda name, called=called, each=each: called.having(  # type: ignore[misc]
                        each, replace(each, value=literal(name))
                    ),
                )
    for table in tables(query):
        for at, path in enumerate(table.paths):
            for place, step in enumerate(path.steps):
                relation = outline.relation(step.relation)
                if relation is not None:
                    yield Mention(relation, _renaming(table, at, place))


def _renaming(table: Table, at: int, place: int) -> Callable[[str], LLMQuery]:
    path = table.paths[at]

    def put(name: str) -> LLMQuery:
        step = replace(path.steps[place], relation=name)
        steps = (*path.steps[:place], step, *path.steps[place + 1 :])
        return table.having(at, replace(path, steps=steps))

    return put


def replacing(query: LLMQuery, number: int, instead: Value) -> LLMQuery:
    """The query without the step ``number``, whose result is ``instead`` wherever it is used."""
    steps = [
        replace(step, value=_with(step.value, number, instead))
        for step in query.steps
        if step.number != number
    ]
    return replace(query, steps=tuple(steps))


def _with(value: Value, number: int, instead: Value) -> Value:
    if isinstance(value, Reference):
        return instead if value.step == number else value
    if isinstance(value, Listing):
        return replace(value, members=tuple(_with(m, number, instead) for m in value.members))
    if isinstance(value, Infix):
        left, right = _with(value.left, number, instead), _with(value.right, number, instead)
        return replace(value, left=left, right=right)
    if isinstance(value, Call):
        given = (replace(a, value=_with(a.value, number, instead)) for a in value.arguments)
        return replace(value, arguments=tuple(given))
    return value


def references(value: Value) -> list[int]:
    """The steps whose results ``value`` uses, each as often as it does."""
    if isinstance(value, Reference):
        return [value.step]
    parts: Sequence[Value] = ()
    if isinstance(value, Listing):
        parts = value.members
    elif isinstance(value, Infix):
        parts = (value.left, value.right)
    elif isinstance(value, Call):
        parts = [argument.value for argument in value.arguments]
    return [number for part in parts for number in references(part)]
