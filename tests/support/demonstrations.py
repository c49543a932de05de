"""What tests of demonstrations share: a small dataset, pairs to teach it, and models of meanings."""

from __future__ import annotations

import numpy as np

from support.samples import FILMS
from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.graph import demonstrations
from trustuqa_neo4j.loading.inputs import shorten_path
from trustuqa_neo4j.model.demonstration import Demonstration, QuestionPattern

SOURCE = shorten_path(str(FILMS))


def directed(film: str, *answers: str, **given: object) -> Demonstration:
    """Who directed a film."""
    query = f"get_information(head_entity={film!r}, relation='directed by')"
    return Demonstration(f"who directed {film}", query, answers or None, **given)  # type: ignore[arg-type]


def starring(film: str, *answers: str, **given: object) -> Demonstration:
    """Who is in a film."""
    query = f"get_information(head_entity={film!r}, relation='starring')"
    return Demonstration(f"which actors are in {film}", query, answers or None, **given)  # type: ignore[arg-type]


def patterns(tuqa: TrustUQA, dataset: str = "films") -> dict[str, tuple[int, str]]:
    """Template → how many are like it, and the question that shows it; checked against what there is."""
    with tuqa.connection.driver.session() as session:
        rows = session.run(
            "MATCH (p:Pattern {dataset: $d}) RETURN p.template AS t, p.count AS n, p.question AS q, "
            "COUNT { (p)<-[:LIKE]-() } AS like, "
            "COLLECT { MATCH (p)<-[:LIKE]-(d) RETURN d.question ORDER BY d.key LIMIT 1 } AS first, "
            "COLLECT { MATCH (p)<-[:LIKE]-(d) RETURN DISTINCT d.state } AS states",
            d=dataset,
        ).data()
    for row in rows:
        assert row["like"] == row["n"] > 0, row
        assert row["first"] == [row["q"]], row
        assert set(row["states"]) <= {"verified", "runs"}, row
    return {row["t"]: (row["n"], row["q"]) for row in rows}


def states(tuqa: TrustUQA, dataset: str = "films") -> dict[str, str]:
    """Question → the state of its demonstration."""
    found = demonstrations.list_demonstrations(tuqa.connection, dataset)
    return {each.question: each.state for each in found}


SAME = {"director": 0, "directed": 0, "made": 0, "actors": 1, "played": 1}


class Meanings:
    """A model of our own: texts of one meaning have one vector."""

    def __init__(self, name: str = "meanings", size: int = 4) -> None:
        self.name, self.size = name, size

    def encode(self, texts: list[str]) -> object:
        """A vector for each text: what its words mean."""
        found = np.zeros((len(texts), self.size), np.float32)
        for row, text in zip(found, texts, strict=True):
            row[-1] = 0.1
            for word in text.casefold().split():
                row[SAME.get(word, 2)] += 1 if word in SAME else 0.1
        return found


def templates(found: list[QuestionPattern]) -> list[str]:
    """The templates of patterns."""
    return [pattern.template for pattern in found]
