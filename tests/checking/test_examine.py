"""What a query asks of the data, rule by rule, with an ontology and without one."""

from __future__ import annotations

from typing import Any

import pytest
from golden import cases, given, query
from library import BOTH, FOUND

from trustuqa_neo4j.checking.building import pattern_of
from trustuqa_neo4j.checking.check import examine
from trustuqa_neo4j.checking.inquiry import Inquiry
from trustuqa_neo4j.checking.vocabulary import Vocabulary
from trustuqa_neo4j.language.query import Problem
from trustuqa_neo4j.language.selectors import EXTREMES, MOST
from trustuqa_neo4j.planning import ExecutionQuery, plan

VOCABULARIES = {"declared": BOTH, "found": FOUND}


def examined(text: str, vocabulary: Vocabulary) -> tuple[Problem, ...]:
    planned = plan(query(text), {})
    assert isinstance(planned, ExecutionQuery), planned
    pattern = pattern_of(planned, lambda word: word in EXTREMES or word in MOST)
    return examine(Inquiry(pattern, vocabulary, vocabulary.relation_named))


@cases("examine")
@pytest.mark.parametrize("which", VOCABULARIES)
def test_a_query_has_these_problems(case: dict[str, Any], which: str) -> None:
    text = given(case)
    found = examined(text, VOCABULARIES[which])
    told = [[p.severity, p.kind, p.step, _at(text, p), p.message] for p in found]
    assert told == case[which]


def _at(text: str, problem: Problem) -> str | None:
    """The beginning of what the position points at."""
    return None if problem.position is None else text[problem.position :][:20]
