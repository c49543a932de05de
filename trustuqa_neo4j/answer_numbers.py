"""Computed numbers of an answer, in the style of the facts they come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .evidence import Evidence, Value, format_value
from .language.ast import Call, Literal, Problem, Query, walk
from .language.columns import Aggregate, read_aggregates, read_paths
from .language.function_names import find_function
from .language.functions import SUMMARIES
from .language.query_edits import TAIL, get_relation, get_search, read_query
from .matching import normalize_name
from .render.number_style import PLAIN, find_style


def format_rows(
    query: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Value]],
    facts: Sequence[Evidence],
    total: int,
) -> tuple[tuple[str, ...], ...]:
    """Write the rows of the answer to ``query``; numbers have the style of the facts they come from.

    ``total`` is the number of all facts, of which ``facts`` may be the first.
    """
    are_all = total <= len(facts)
    rows = tuple(rows)
    styles = [PLAIN] * len(columns)
    if any(not isinstance(cell, str) for row in rows for cell in row):
        read = read_query(query)
        names = (
            []
            if read is None
            else [_find_operand(read, columns, place) for place in range(len(columns))]
        )
        styles = [
            find_style([f.tail for f in facts if f.relation == name], are_all=are_all)
            for name in names
        ] or styles
    return tuple(
        tuple(format_value(cell, style) for cell, style in zip(row, styles, strict=True))
        for row in rows
    )


def _find_operand(query: Query, columns: Sequence[str], place: int) -> str | None:
    """Find the relation whose cells a column adds up; None for what is computed in another way."""
    if len(columns) == 1:
        call = query.steps[-1].value
        searches = [search for step in query.steps if (search := get_search(step.value))]
        read = [get_relation(search) for search in searches if TAIL not in search]
        return read[-1] if isinstance(call, Call) and _adds_up(call.function) and read else None
    relations: dict[str, str] = {}
    added: str | None = None
    for step in query.steps:
        for literal in walk(step.value):
            if not isinstance(literal, Literal):
                continue
            paths, values = read_paths(literal.text), read_aggregates(literal.text)
            if not isinstance(paths, Problem):
                relations |= {normalize_name(p.name): p.steps[-1].relation for p in paths}
            for value in () if isinstance(values, Problem) else values:
                if isinstance(value, Aggregate) and value.name == columns[place]:
                    added = value.column if _adds_up(value.function) else None
    return None if added is None else relations.get(normalize_name(added), added)


def _adds_up(name: str) -> bool:
    function = find_function(name)
    return function is not None and function.name in SUMMARIES
