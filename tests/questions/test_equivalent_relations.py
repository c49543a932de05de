"""Questions over a graph with several relations of one meaning, answered by the server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from trustuqa_neo4j import TrustUQA

OFFICE = """Zoe\tmanages\tNora
Zoe\tmanagerOf\tHanna
Hugo\tmanages\tHanna
Nora\tis managed by\tHugo
Hanna\tis managed by\tHugo
Zoe\tlives in\tMalm
"""


@pytest.fixture(scope="module")
def office(client: TrustUQA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path: Path = tmp_path_factory.mktemp("office") / "office.tsv"
    path.write_text(OFFICE, encoding="utf-8")
    client.load("kg", path, dataset="managed office", embeddings=False)
    yield "managed office"
    client.drop("managed office")


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("Who manages Nora?", {"Zoe", "Hugo"}),
        ("Whom does Zoe manage?", {"Nora", "Hanna"}),
        ("How many people does Hugo manage?", {2}),
        ("Who is managed by both Zoe and Hugo?", {"Nora", "Hanna"}),
        ("Where does Hanna's manager live?", {"Malm"}),
    ],
)
def test_all_facts_count(client: TrustUQA, office: str, question: str, values: set[object]) -> None:
    answer = client.ask(question, office)
    assert (answer.outcome, set(answer.values)) == ("answered", values)
    assert not answer.problems
    assert answer.confidence is not None
    assert answer.confidence > 0.6


def test_each_fact_is_proof(client: TrustUQA, office: str) -> None:
    answer = client.ask("Who manages Nora?", office)
    assert {(fact.head, fact.relation) for fact in answer.evidence} == {
        ("Zoe", "manages"), ("Nora", "is managed by")
    }  # fmt: skip
