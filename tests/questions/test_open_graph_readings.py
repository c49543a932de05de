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
MILLS = """\
Odd Mill\tkind\tmill
Odd Mill\tlies in\tBrakel
Odd Mill\theight\t14
Odd Mill\tbuilt\t1790
Odd Mill\trun by\tTamo Brand
Even Mill\tkind\tmill
Even Mill\tlies in\tBrakel
Even Mill\theight\t18
Even Mill\tbuilt\t1812
Even Mill\trun by\tIvo Senn
Tower Mill\tkind\tmill
Tower Mill\tlies in\tOrne
Tower Mill\theight\t25
Tower Mill\tbuilt\t1850
Brakel\tkind\tvillage
Brakel\tpart of\tWestshire
Orne\tkind\tvillage
Orne\tpart of\tWestshire
Hale\tkind\tvillage
Hale\tpart of\tEastshire
Westshire\tkind\tcounty
Eastshire\tkind\tcounty
Tamo Brand\tkind\tmiller
Tamo Brand\ttaught by\tIvo Senn
Ivo Senn\tkind\tmiller
Lea Senn\tkind\tmiller
"""
PAPERS = """\
Ann Dorr\teditor of\tThe Lantern\t1960-02-01\t1971-06-30
Bo Lisk\teditor of\tThe Lantern\t1971-07-01\t1984-03-31
Bo Lisk\teditor of\tDaily Quill\t1985-01-01\t1990-05-31
Cy Marl\teditor of\tThe Lantern\t1984-04-01\t1992-08-15
The Lantern\towned by\tHolm Press\t1950-01-01\t1971-09-30
The Lantern\towned by\tVire Group\t1971-10-01\t1995-12-31
The Lantern\twon\tGolden Pen\t1971-05-20\t1971-05-20
Ann Dorr\tmarried to\tEd Dorr\t1964-08-08\t1980-01-31
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
    (folder / "mills.tsv").write_text(MILLS, encoding="utf-8")
    (folder / "papers.tsv").write_text(PAPERS, encoding="utf-8")
    client.load("kg", folder / "mills.tsv", dataset="open-mills")
    client.load("temporal-kg", folder / "papers.tsv", dataset="open-papers")
    yield client
    for dataset in ("open-ships", "open-clubs", "open-mills", "open-papers"):
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
    # The nouns name classes.
    ("open-mills", "Which village has no mill?", {"Hale"}),
    ("open-mills", "Which village has the most mills?", {"Brakel"}),
    ("open-mills", "Which mills are taller than Odd Mill?", {"Even Mill", "Tower Mill"}),
    ("open-mills", "how many mills were built before Tower Mill?", {2}),
    ("open-mills", "In which county does Odd Mill lie?", {"Westshire"}),
    ("open-mills", "millers who don't run a mill", {"Lea Senn"}),
    # Times are compared to the day.
    ("open-papers", "When did Ann Dorr marry Ed Dorr?", {"1964-08-08"}),
    ("open-papers", "Who was the editor of The Lantern when it won the Golden Pen?", {"Ann Dorr"}),
    ("open-papers", "Who edited The Lantern when Vire Group took it over?", {"Bo Lisk"}),
    ("open-papers", "Who took over from Ann Dorr as editor of The Lantern?", {"Bo Lisk"}),
    ("open-papers", "Was Ann Dorr editor of The Lantern before Cy Marl?", {"yes"}),
    ("open-papers", "How many years did Bo Lisk edit The Lantern?", {13}),
    ("open-papers", "What did the wife of Ed Dorr edit in 1965?", {"The Lantern"}),
    ("open-papers", "Which editors took over between 1970 and 1985?", {"Bo Lisk", "Cy Marl"}),
    ("open-papers", "Who edited The Lantern longer, Ann Dorr or Cy Marl?", {"Ann Dorr"}),
    ("open-papers", "Who succeeded Bo Lisk as editor of The Lantern?", {"Cy Marl"}),
    ("open-mills", "Which was built first, Odd Mill or Tower Mill?", {"Odd Mill"}),
    ("open-mills", "the pupils of Ivo Senn", {"Tamo Brand"}),
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
