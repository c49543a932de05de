"""``QueryForm``: all that the text of a query says without any data, remembered with its plans.

The same texts come again, as those of demonstrations and programs do. Everything here depends on the text
alone, but a plan also on the statistics of its relations, so nothing that is remembered grows old.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ..language.ast import Literal, Problem, ProblemKind, Query
from ..language.parser import parse_query
from ..planning.operations import Plan, RelationStats, TableChoice
from ..planning.planner import FirstStep, find_first_step, find_tables, make_plan, names_to_resolve
from .validate import check_form

REMEMBERED = 512
"""Texts, and plans."""

MAX_REMEMBERED_LENGTH = 2_000
"""Characters of a text that is remembered; queries have some hundred."""


@dataclass(frozen=True, slots=True, eq=False)
class QueryForm:
    """A query with its problems of form, the names in it, and the tables that its calls name.

    ``are_tables_named``: all calls that could name a table do. Names and tables are left out if the query
    cannot be planned.
    """

    text: str
    query: Query
    problems: tuple[Problem, ...] = ()
    tables: tuple[tuple[int, Literal], ...] = ()
    are_tables_named: bool = False
    relations: frozenset[str] = frozenset()
    entities: frozenset[str] = frozenset()
    first_step: FirstStep | None = None


def parse(text: str) -> Query | tuple[Problem, ...]:
    """Parse as ``parse_query`` does."""
    return (parse_query if len(text) > MAX_REMEMBERED_LENGTH else _parse)(text)


def read_form(text: str, query: Query) -> QueryForm:
    """Read the form of a text that was parsed to ``query``."""
    if len(text) > MAX_REMEMBERED_LENGTH:
        return _make_form(text, query)
    return _read_form(text)


def plan_query(
    form: QueryForm, statistics: Mapping[str, RelationStats], tables: Mapping[str, TableChoice]
) -> Plan | tuple[Problem, ...]:
    """Plan as ``make_plan`` does; plans over several tables are not remembered."""
    if tables or len(form.text) > MAX_REMEMBERED_LENGTH:
        return make_plan(form.query, statistics, tables)
    return _plan(form, tuple(statistics.items()))


_parse = lru_cache(REMEMBERED)(parse_query)


@lru_cache(REMEMBERED)
def _read_form(text: str) -> QueryForm:
    query = _parse(text)
    assert isinstance(query, Query), "a text without a query has no form"
    return _make_form(text, query)


def _make_form(text: str, query: Query) -> QueryForm:
    problems = check_form(query)
    # Judgments may compute undefined functions; no other problem leaves anything to plan.
    if any(problem.kind is not ProblemKind.UNKNOWN_FUNCTION for problem in problems):
        return QueryForm(text, query, problems)
    tables, are_tables_named = find_tables(query)
    relations, entities = map(frozenset, names_to_resolve(query))
    step = find_first_step(query)
    return QueryForm(
        text, query, problems, tuple(tables), are_tables_named, relations, entities, step
    )


@lru_cache(REMEMBERED)
def _plan(
    form: QueryForm, statistics: tuple[tuple[str, RelationStats], ...]
) -> Plan | tuple[Problem, ...]:
    return make_plan(form.query, dict(statistics))
