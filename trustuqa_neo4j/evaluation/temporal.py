"""Queries for the kinds of temporal questions, as an LLM would write them; nobody recorded any.

``before``, ``first`` and ``last`` go by the starts of facts, since that is what the labels go by; the last
*year* of something goes by its ends. Two facts that start in one year are as early as each other whatever
their months: hence years where starts are compared across facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from ..answer import Value
from ..demonstrating.demonstration import Demonstration
from . import metrics
from .benchmark import Asked, Case, Prepared, Scores

METRICS = ("exact", "contains")
_KNOWN = "2099"
"""A year that every end which is known at all precedes."""


def score(case: Case, values: Sequence[Value]) -> Scores:
    """By the texts as they are; years as digits."""
    labels = set(case.labels)
    given = [{metrics.spelled(value)} for value in values]
    return {"exact": metrics.exact(labels, given), "contains": metrics.contains(labels, given)}


def halved(prepared: Prepared, taught: int | None = None) -> Asked:
    """One half of the cases as questions, and the other one, ``taught`` of them, as demonstrations.

    Which is which, and which are taught, is drawn by a hash of the question: the same each time.
    """
    drawn = {case: sha256(case.question.encode()).digest() for case in prepared.cases}
    asked = [case for case in prepared.cases if drawn[case][0] % 2 == 0]
    shown = sorted((case for case in prepared.cases if drawn[case][0] % 2), key=drawn.__getitem__)
    questions = tuple(replace(case, query="") for case in asked)
    demonstrations = tuple(
        Demonstration(case.question, case.query, case.labels) for case in shown[:taught]
    )
    return Asked(replace(prepared, cases=questions), demonstrations)


def years(head: str, relation: str, tail: str) -> str:
    """In which years it held."""
    return _query(_get(head=head, relation=relation, tail=tail, key="time"))


def at(year: str, relation: str, *, head: str | None = None, tail: str | None = None) -> str:
    """What the head leads to in a year, or what leads to the tail then."""
    if head is not None:
        return _query(_get(head=head, relation=relation, key="time", value=year))
    return _query(_get(relation=relation, tail=tail, key="time", value=year))


def first_or_last(which: str, head: str, relation: str) -> str:
    """What the head came to first or last."""
    return _query(
        _get(head=head, relation=relation, key="start time"),
        f"{_extreme(which)}(set='output_of_query1')",
        _get(head=head, relation=relation, key="start time", value="output_of_query2"),
    )


def first_or_last_year(which: str, head: str, relation: str, tail: str | None) -> str:
    """The year in which it began first, or ended last."""
    key = "start time" if which == "first" else "end time"
    return _query(
        _get(head=head, relation=relation, tail=tail, key=key),
        f"{_extreme(which)}(set='output_of_query1')",
    )


def before(head: str, relation: str, tail: str) -> str:
    """What the head came to in an earlier year than to the tail."""
    return _query(
        _get(head=head, relation=relation, tail=tail, key="time"),
        "min(set='output_of_query1')",
        _get(head=head, relation=relation, key="start time", value="output_of_query2", op="<"),
    )


def together(head: str, relation: str, tail: str) -> str:
    """Who else led to the tail in a year in which the head did.

    Kept to those of whom it is known when it ended: the labels take no others.
    """
    return _query(
        _get(head=head, relation=relation, tail=tail, key="time"),
        _get(relation=relation, tail=tail, key="time", value="output_of_query1"),
        _get(relation=relation, tail=tail, key="end time", value=_KNOWN, op="<="),
        "set_intersection(set1='output_of_query2', set2='output_of_query3')",
        f"set_difference(set1='output_of_query4', set2={_quoted(head)})",
    )


def _extreme(which: str) -> str:
    return "min" if which == "first" else "max"


def _get(
    *,
    relation: str,
    key: str,
    head: str | None = None,
    tail: str | None = None,
    value: str | None = None,
    op: str = "=",
) -> str:
    given = {"head_entity": head, "relation": relation, "tail_entity": tail, "key": key}
    said = [f"{name}={_quoted(text)}" for name, text in given.items() if text is not None]
    if value is not None:
        said.append(f"value{op}{_quoted(value)}")
    return f"get_information({', '.join(said)})"


def _quoted(name: str) -> str:
    quote = '"' if "'" in name else "'"
    return f"{quote}{name}{quote}"


def _query(*calls: str) -> str:
    return "\n".join(f"Query{number}: {call}" for number, call in enumerate(calls, 1))
