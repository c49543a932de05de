"""MetaQA as a whole: the counts that its README names, and facts found again from both ends."""

from __future__ import annotations

import random
from typing import Any

import pytest

from trustuqa_neo4j import TrustUQA

pytestmark = [pytest.mark.packs, pytest.mark.long]

RELATIONS = {
    "starred_actors": 33_718,
    "has_tags": 28_719,
    "written_by": 19_127,
    "release_year": 16_715,
    "directed_by": 15_957,
    "has_genre": 15_485,
    "in_language": 3_428,
    "has_imdb_rating": 314,
    "has_imdb_votes": 119,
}


def test_counts(client: TrustUQA, metaqa: Any) -> None:
    assert (metaqa.report.facts, metaqa.report.repeated, metaqa.report.bad) == (133_582, 0, [])
    (dataset,) = [dataset for dataset in client.datasets() if dataset.name == metaqa.dataset]
    assert dataset.complete
    assert (dataset.facts, dataset.nodes, dataset.relations) == (133_582, 43_234, 9)
    assert [(source.name, source.facts) for source in dataset.sources] == [
        (str(metaqa.path), 133_582)
    ]
    rows = client.connection.read_one("list_relations", datasets=[metaqa.dataset], source=None)
    assert {row["name"]: row["facts"] for row in rows} == RELATIONS


def test_loading_it_again_changes_nothing(client: TrustUQA, metaqa: Any) -> None:
    again = client.load("kg", metaqa.path, dataset=metaqa.dataset, embeddings=False)
    assert (again.begun, again.facts, again.total) == ("unchanged", 0, 133_582)


def chosen(metaqa: Any) -> list[tuple[int, str, str, str]]:
    """300 facts with their lines, the same ones each time."""
    lines = random.Random(11).sample(range(len(metaqa.facts)), 300)
    return [(line + 1, *metaqa.facts[line]) for line in lines]


def test_facts_are_found_by_their_heads(client: TrustUQA, metaqa: Any) -> None:
    for line, head, relation, tail in chosen(metaqa):
        query = f"get_information(head_entity='{head}', relation='{relation}')"
        answer = client.run(query, metaqa.dataset, evidence=10_000)
        assert (answer.outcome, answer.mapped) == ("answered", ()), query
        assert set(answer.values) == metaqa.tails[head, relation], query
        assert {fact.line: (fact.head, fact.relation, fact.tail) for fact in answer.evidence}[line] == (
            head, relation, tail,
        )  # fmt: skip


def test_facts_are_found_by_their_tails(client: TrustUQA, metaqa: Any) -> None:
    """With all their proof where that is not thousands of facts."""
    for line, head, relation, tail in chosen(metaqa):
        query = f"get_information(relation='{relation}', tail_entity='{tail}')"
        heads = metaqa.heads[relation, tail]
        answer = client.run(query, metaqa.dataset, evidence=500)
        assert (answer.outcome, answer.mapped) == ("answered", ()), query
        assert set(answer.values) == heads, query
        assert answer.evidence_total == len(heads)
        assert len(answer.evidence) == min(500, len(heads))
        for fact in answer.evidence:
            assert metaqa.facts[fact.line - 1] == (fact.head, fact.relation, fact.tail)
        assert len(heads) > 500 or (line, head) in {
            (fact.line, fact.head) for fact in answer.evidence
        }
