"""Paths, expressions and what is computed of groups must be readable before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set

from ...language.expressions import read_aggregate, read_expression
from ...language.paths import read_paths
from ...language.query import Listing, Literal, Problem, Step, Value
from ..walking import bound

_READERS: dict[str, tuple[str, Callable[[str], object]]] = {
    "get_table": ("columns", read_paths),
    "calculate": ("expression", read_expression),
    "group_by": ("values", read_aggregate),
}
"""The parameter of each function whose texts are read, and what reads them."""


def tables(step: Step, earlier: Set[int], numbers: Set[int]) -> Iterator[Problem]:  # noqa: ARG001
    """Columns, expressions and values of groups that cannot be read."""
    for call in bound(step.value, *_READERS):
        wanted, reader = _READERS[call.function.name]
        for argument in call.given(wanted):
            for text, position in _texts(argument.value):
                if text is None:
                    message = f"{wanted} of {call.function.name} must be written in quotes"
                    yield Problem("unreadable", message, step.number, position)
                elif isinstance(read := reader(text), Problem):
                    message = f"{wanted} {text[:60]!r}: {read.message}"
                    yield Problem(read.kind, message, step.number, position)


def _texts(value: Value) -> list[tuple[str | None, int]]:
    """The texts that ``value`` gives; None for what is no text."""
    members = value.members if isinstance(value, Listing) else (value,)
    return [(m.text if isinstance(m, Literal) else None, m.position) for m in members]
