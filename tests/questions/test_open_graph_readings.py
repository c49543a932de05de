"""Every reading of a graph means what its query answers, against a real server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.model.dataset import Scope
from trustuqa_neo4j.questions.options import AskRequest
from trustuqa_neo4j.questions.with_semantic_parser import parse_question
from trustuqa_neo4j.semantic_parser import graph_open_proposals, graph_parser

SHIPS = """\
Marrow\tship type\tferry
Marrow\tlength\t120
Marrow\tyear built\t1974
Marrow\tcalls at\tOster
Marrow\tcalls at\tLindow
Marrow\tcommanded by\tEdda Rolm
Halcyon\tship type\ttanker
Halcyon\tlength\t310
Halcyon\tyear built\t1999
Halcyon\tcalls at\tOster
Halcyon\tcommanded by\tPer Sand
Corvid\tship type\ttanker
Corvid\tlength\t250
Corvid\tyear built\t2015
Corvid\tcalls at\tOster
Corvid\tcalls at\tLindow
Corvid\tcalls at\tVelm
Edda Rolm\ttrained by\tPer Sand
Marrow\tweight\t400
Halcyon\tweight\t900
Oster\tlocated in\tNorvane
Lindow\tlocated in\tNorvane
"""
CLUBS = """\
Oster United\tmanaged by\tPer Sand\t1981\t1987
Oster United\tmanaged by\tEdda Rolm\t1987\t1990
Oster United\tmanaged by\tPer Sand\t1990\t1994
Oster United\tsponsored by\tLinden Bank\t1982\t1988
Oster United\tsponsored by\tVelm Tyres\t1988\t1999
Oster United\twon\tNorvane Cup\t1984\t1984
Oster United\twon\tNorvane Cup\t1991\t1991
Velm Rovers\twon\tNorvane Cup\t1986\t1986
Velm Rovers\tmanaged by\tIlka Brandt\t1980\t1989
"""


@pytest.fixture(scope="module")
def graphs(client: TrustUQA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustUQA]:
    folder = tmp_path_factory.mktemp("graphs")
    (folder / "ships.tsv").write_text(SHIPS, encoding="utf-8")
    (folder / "clubs.tsv").write_text(CLUBS, encoding="utf-8")
    # A table in the same dataset has no part in the readings of the graph.
    fees = "Port,Fee,Weight\nOster,12,3\nLindow,9,5\n"
    (folder / "fees.csv").write_text(fees, encoding="utf-8")
    client.load("kg", folder / "ships.tsv", dataset="open-ships")
    client.load("table", folder / "fees.csv", dataset="open-ships", mode="append")
    client.load("temporal-kg", folder / "clubs.tsv", dataset="open-clubs")
    yield client
    for dataset in ("open-ships", "open-clubs"):
        client.drop(dataset)


ANSWERS = [
    ("open-ships", "What is the longest ship?", {"Halcyon"}),
    ("open-ships", "ships built before 1995", {"Marrow"}),
    # The year is a node too, but *before* makes it a bound.
    ("open-ships", "ships built before 1999", {"Marrow"}),
    ("open-ships", "ships without a captain", {"Corvid"}),
    ("open-ships", "Which tanker does not call at Lindow?", {"Halcyon"}),
    ("open-ships", "In which year was the shortest ship built?", {"1974"}),
    ("open-ships", "Is the Halcyon longer than the Marrow?", {"yes"}),
    ("open-ships", "who trained Edda Rolm", {"Per Sand"}),
    ("open-clubs", "Who sponsored Oster United while Edda Rolm was manager?",
     {"Linden Bank", "Velm Tyres"}),
    ("open-clubs", "How many times has Oster United won the Norvane Cup?", {2}),
    ("open-clubs", "Who managed Oster United the longest?", {"Per Sand"}),
    ("open-clubs", "When did Edda Rolm take charge of Oster United?", {"1987"}),
]  # fmt: skip


@pytest.mark.parametrize(("dataset", "question", "values"), ANSWERS)
def test_a_graph_is_asked_of_all_facts_of_a_relation(
    graphs: TrustUQA, dataset: str, question: str, values: set[str | int]
) -> None:
    answer = graphs.ask(question, dataset)
    assert (answer.outcome, set(answer.values)) == ("answered", values), answer


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("What is the longest ship?", {"Halcyon"}),
        ("oldest ship", {"Marrow"}),
        ("ships built before 1990", {"Marrow"}),
        ("how many ships are longer than 130", {2}),
        ("Which tanker is the newest?", {"Corvid"}),
    ],
)
def test_of_a_large_relation_only_the_values_asked_for_are_read(
    graphs: TrustUQA, question: str, values: set[str | int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (graph_open_proposals, graph_parser):
        monkeypatch.setattr(module, "MAX_FACTS", 2)
    answer = graphs.ask(question, "open-ships")
    assert (answer.outcome, set(answer.values)) == ("answered", values), answer


def test_a_relation_that_is_a_column_too_is_not_asked_of_all(graphs: TrustUQA) -> None:
    # Its query would answer rows of the table.
    request = AskRequest("total weight of the ships", Scope(("open-ships",), None))
    parsed = graphs.connection.read(lambda reader: parse_question(reader, request))
    assert not any("tail_entity!=''" in reading.query for reading in parsed.readings)
    answer = graphs.ask("which is the highest ship by weight?", "open-ships")
    assert not any(str(value).startswith("row") for value in answer.values)


@pytest.mark.parametrize(
    ("dataset", "question"),
    [*(entry[:2] for entry in ANSWERS), ("open-ships", "which ship calls at the most ports")],
)
def test_the_query_of_a_reading_answers_what_was_read(
    graphs: TrustUQA, dataset: str, question: str
) -> None:
    request = AskRequest(question, Scope((dataset,), None))
    parsed = graphs.connection.read(lambda reader: parse_question(reader, request))
    assert parsed.readings
    for reading in parsed.readings:
        answer = graphs.run(reading.query, dataset)
        assert {str(value) for value in answer.values} == {
            str(int(member)) if isinstance(member, float) and member.is_integer() else str(member)
            for member in reading.members
        }, reading.query
