"""Questions over events: facts of one day, whose relations say what somebody did."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.data_packs import lines

from bench.semantic_parser.memory_graph import MemoryGraph, load_graph
from trustuqa_neo4j.semantic_parser.graph_parser import parse_for_graph
from trustuqa_neo4j.semantic_parser.question import read_question

FACTS = """
head / relation / tail / time
Orland / Make a visit / Velda / 2006-03-04
Velda / Host a visit / Quarn / 2006-03-05
Orland / Make a visit / Velda / 2009-11-20
Quarn / Make a visit / Velda / 2010-02-01
Tessin / Make a visit / Velda / 2011-05-06
Velda / Praise or endorse / Orland / 2010-01-01
Orland / Praise or endorse / Tessin / 2007-06-30
Velda / Threaten / Tessin / 2008-04-02
Velda / Threaten with sanctions / Quarn / 2008-04-09
Citizen (Orland) / Threaten / Velda / 2012-01-15
Citizen (Quarn) / Threaten / Velda / 2013-07-07
Tessin / Sign formal agreement / Velda / 2008-04-02
Velda / Sign formal agreement / Quarn / 2008-04-03
"""
LIVES = """
head / relation / tail / time
Ann Lee / won / Nobel Prize / 1999-12-10
Ann Lee / born in / Oslo / 1950-02-03
Ann Lee / married / Bo Ek / 1980-06-07
Bo Ek / born in / Bergen / 1948-01-02
Acme / founded by / Di Fox / 1990-05-05
Di Fox / born in / Turku / 1960-09-09
"""


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> MemoryGraph:
    folder: Path = tmp_path_factory.mktemp("events")
    return load_graph("temporal-kg", [lines(folder / "kg.tsv", FACTS)])


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("In which month did Orland first visit Velda?", ("2006-03",)),
        ("In which year did Orland last visit Velda?", ("2009",)),
        ("When did Orland last visit Velda?", ("2009-11-20",)),
        ("Who visited Velda in May 2011?", ("Tessin",)),
        ("Who visited Velda in 2011-05?", ("Tessin",)),
        ("Who praised Orland?", ("Velda",)),
        ("Whom did Orland praise?", ("Tessin",)),
        ("Who was threatened by Velda in 2008?", ("Tessin",)),
        ("Who signed a formal agreement with Velda on 2 April 2008?", ("Tessin",)),
        ("Who first visited Velda after Orland?", ("Quarn",)),
        ("When did the citizens of Orland threaten Velda?", ("2012-01-15",)),
        ("In which years did Orland visit Velda?", ("2006", "2009")),
        ("How many times did Orland visit Velda?", (2.0,)),
    ],
)
def test_best_reading(events: MemoryGraph, text: str, answer: tuple[str, ...]) -> None:
    best = parse_for_graph(read_question(text), events).readings[0]
    assert best.is_explained
    assert best.members == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Where was the winner of the Nobel Prize born?", "Oslo"),
        ("Where was the husband of Ann Lee born?", "Bergen"),
        ("Where was the founder of Acme born?", "Turku"),
    ],
)
def test_two_events_that_are_said_are_two_steps(tmp_path: Path, text: str, answer: str) -> None:
    graph = load_graph("temporal-kg", [lines(tmp_path / "kg.tsv", LIVES)])
    best = parse_for_graph(read_question(text), graph).readings[0]
    assert (best.is_sure, best.members) == (True, (answer,))
