"""Whatever parameters a search has, every function of one operand takes its result, nested or in steps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import get_args

import pytest

from trustuqa_neo4j import Answer, TrustUQA
from trustuqa_neo4j.answer import Outcome
from trustuqa_neo4j.execution import grouping
from trustuqa_neo4j.language.functions import FUNCTIONS

DATA = {
    "tables": {
        "head_entity": "'Dundee'", "relation": "'Capacity'", "tail_entity": "'Perth'",
        "key": "'Town'", "value": "'Perth'",
    },
    "offices": {
        "head_entity": "'Ada'", "relation": "'holds office'", "tail_entity": "'mayor'",
        "key": "'time'", "value": "1990",
    },
    "prizes": {
        "head_entity": "'Ann'", "relation": "'won'", "tail_entity": "'Medal'",
        "key": "'field'", "value": "'physics'",
    },
}  # fmt: skip
"""Dataset → a value for each parameter; whether the data has it decides nothing."""

OPTIONS = {
    "keep": ", value='highest'",
    "group_by": ", by='Town', values='count() as n'",
    "calculate": ", expression='Capacity * 2', name='twice'",
    "get_table": ", columns='Town as town'",
}
FIRST = {"get_table": "head_entity"}
SEARCHES = ("get_information", "search_node", "search_condition")


def functions() -> list[str]:
    return [f.name for f in FUNCTIONS if f.name not in SEARCHES and f.min_operands <= 1]


def searches(dataset: str) -> Iterator[str]:
    parameters = DATA[dataset].items()
    for size in range(1, len(parameters) + 1):
        for shape in combinations(parameters, size):
            yield f"get_information({', '.join(f'{name}={value}' for name, value in shape)})"


def queries(world: TrustUQA, dataset: str) -> Iterator[str]:
    """Each search with each function; every other one is nested, so that each is seen in both forms."""
    for row, search in enumerate(searches(dataset)):
        if world.check(search, dataset).outcome == "rejected":
            continue  # the parameters alone decide: no function is reached
        for column, function in enumerate(functions()):
            name, options = FIRST.get(function, "set"), OPTIONS.get(function, "")
            if (row + column) % 2:
                yield f"{function}({name}={search}{options})"
            else:
                yield f"Query1: {search}\nQuery2: {function}({name}=output_of_query1{options})"


class Limit(int):
    """A number of rows that notes whether a size was compared with it."""

    is_compared = False

    def __le__(self, size: int) -> bool:  # of size >= limit, as Python asks a subclass first
        self.is_compared = True
        return int(self) <= size

    def __gt__(self, size: int) -> bool:  # of size < limit
        self.is_compared = True
        return int(self) > size


def describe(answer: Answer) -> tuple[object, ...]:
    problems = sorted({(problem.kind, problem.message) for problem in answer.problems})
    return answer.outcome, answer.values, answer.rows, problems


@pytest.mark.parametrize("dataset", DATA)
def test_every_search_can_be_an_operand(
    world: TrustUQA, monkeypatch: pytest.MonkeyPatch, dataset: str
) -> None:
    """By the ways that long columns take too: they find what the others find."""
    source = "clubs.csv" if dataset == "tables" else None
    compared = 0
    for query in queries(world, dataset):
        limits = {name: Limit(getattr(grouping, name)) for name in ("MIN_ROWS", "MIN_HEADS")}
        with monkeypatch.context() as patched:
            for name, limit in limits.items():
                patched.setattr(grouping, name, limit)
            answer = world.run(query, dataset, source=source, evidence=0)
        assert answer.outcome in get_args(Outcome), query
        if any(limit.is_compared for limit in limits.values()):
            compared += 1
            with monkeypatch.context() as patched:
                for name in limits:
                    patched.setattr(grouping, name, 1)
                by_database = world.run(query, dataset, source=source, evidence=0)
            assert describe(by_database) == describe(answer), query
    assert (compared > 0) == (source is not None)
