"""Paths, expressions and what is computed of groups must be readable before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set

from ...language.binding import Bound, bind
from ...language.expressions import read_aggregate, read_expression
from ...language.paths import read_path
from ...language.query import Listing, Literal, Problem, Step, Value
from ..walking import calls

_READERS: dict[tuple[str, str], Callable[[str], object]] = {
    ("get_table", "columns"): read_path,
    ("calculate", "expression"): read_expression,
    ("group_by", "values"): read_aggregate,
}


def tables(step: Step, earlier: Set[int], numbers: Set[int]) -> Iterator[Problem]:  # noqa: ARG001
    """Columns, expressions and values of groups that cannot be read."""
    for call in calls(step.value):
        bound = bind(call)
        if not isinstance(bound, Bound):
            continue
        for name, argument in bound.parameters:
            reader = _READERS.get((bound.function.name, name))
            for text, position in _texts(argument.value) if reader else ():
                read = reader(text) if reader and text is not None else None
                if text is None:
                    message = f"{name} of {bound.function.name} must be written in quotes"
                    yield Problem("unreadable", message, step.number, position)
                elif isinstance(read, Problem):
                    shown = f"{name} {text[:60]!r}: {read.message}"
                    yield Problem(read.kind, shown, step.number, position)


def _texts(value: Value) -> list[tuple[str | None, int]]:
    """The texts that ``value`` gives; None for what is no text."""
    members = value.members if isinstance(value, Listing) else (value,)
    return [(m.text if isinstance(m, Literal) else None, m.position) for m in members]
