"""Queries in which the engine once differed from the page: their values and the lines of their proof."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from trustuqa_neo4j import TrustUQA

FILES = {
    "graph": {
        "boats.tsv": """head	relation	tail
Alca	sails with	Brisa
Brisa	sails with	Alca
Cobo	sails with	Brisa
Alca	length	9 m
Brisa	length	12 m
Cobo	length	7 m
Alca	painted	red
Brisa	painted	blue
Cobo	painted	red
Dorn	sails with	BRISA
"""
    },
    "tables": {
        "boats.csv": "boat,harbour,crew,mast\nAlca,Vik,3,9 m\nBrisa,Moss,5,80 cm\nCobo,Vik,4,7 m\n",
        "crews.csv": "sailor,boat\nPia,Alca\nTom,Cobo\n",
    },
}
CASES = {
    "cells of a graph do not stand for their heads": (
        "graph",
        (
            "get_table(head_entity=get_information(head_entity='Cobo', relation='sails with'), "
            "columns=['length'])"
        ),
        ["12 m"],
        {4, 6},
    ),
    "nothing proves a count of nothing": (
        "graph",
        "count(keep(get_information(relation='length'), value>'20 m'))",
        [0],
        set(),
    ),
    "a number of no members is an answer if each search found some": (
        "graph",
        (
            "count(set_difference(get_information(head_entity='Alca', relation='painted'), "
            "get_information(relation='painted'), "
            "get_information(head_entity=['Xqzzwj Kkvvb', 'Alca'], relation='length')))"
        ),
        [0],
        set(),
    ),
    "the other case proves nothing": (
        "graph",
        (
            "if(exists(get_information(head_entity='Cobo', relation='length')), "
            "get_information(head_entity='Alca', relation='painted'), "
            "get_information(head_entity='Brisa', relation='painted'))"
        ),
        ["red"],
        {7, 8},
    ),
    "no fact says what a member is not": (
        "graph",
        (
            "get_information(relation='painted', "
            "tail_entity!=get_information(head_entity='Alca', relation='painted'))"
        ),
        ["Brisa"],
        {9},
    ),
    "all bounds of an order decide": (
        "graph",
        (
            "keep(get_information(relation='length'), "
            "value>=get_information(head_entity='Brisa', relation='length'))"
        ),
        ["12 m"],
        {6},
    ),
    "all facts that lead to a member of a union prove it": (
        "graph",
        "set_union(get_information(relation='painted', head_entity=['Alca', 'Cobo']), 'blue')",
        ["blue", "red"],
        {8, 10},
    ),
    "what is taken away from a computed value does not prove it": (
        "graph",
        (
            "difference(count(get_information(head_entity='Alca', relation='painted')), "
            "get_information(relation='length'))"
        ),
        [1],
        {8},
    ),
    "heads of a graph are not taken away with their tails": (
        "graph",
        (
            "set_difference(get_information(head_entity='Brisa', relation='sails with'), "
            "get_information(head_entity='Alca', relation='sails with'))"
        ),
        ["Alca"],
        {3},
    ),
    "a sum of several units that fit has a unit": (
        "tables",
        "sum(get_information(relation='mast'))",
        ["16.8 m"],
        {("boats.csv", 2), ("boats.csv", 3), ("boats.csv", 4)},
    ),
    "each name of a list is matched by itself": (
        "graph",
        "get_information(head_entity=['Alca', 'COBO'], relation='length')",
        ["9 m", "7 m"],
        {5, 7},
    ),
    "each name of a list is matched by itself, also for its relations": (
        "graph",
        "get_information(head_entity=['Dorn', 'BRISA'])",
        ["length", "painted", "sails with"],
        {3, 6, 9, 11},
    ),
    "and between two lists": (
        "graph",
        "get_information(head_entity=['DORN', 'BRISA'], tail_entity=['BRISA', 'ALCA'])",
        ["sails with"],
        {3, 11},
    ),
    "a name that differs in case is another name": (
        "graph",
        "get_information(relation='sails with', tail_entity!='Brisa')",
        ["Brisa", "Dorn"],
        {3, 11},
    ),
    "both facts of a truth prove it": (
        "graph",
        (
            "count(get_information(head_entity='Alca', relation='length')) = 1 or "
            "count(get_information(head_entity='Cobo', relation='length')) = 1"
        ),
        ["yes"],
        {5, 7},
    ),
    "a name is the rows that hold it in tables too": (
        "tables",
        "get_table(head_entity='Vik', columns=['boat', 'crew'])",
        ["Alca", "3", "Cobo", "4"],
        {("boats.csv", 2), ("boats.csv", 4)},
    ),
    "the rows above are proved by the rows below": (
        "tables",
        (
            "## Target type: {boat}\n## Query:\n"
            "Query1: previous_row(get_information(relation='crew', tail_entity='5'))"
        ),
        ["Alca"],
        {("boats.csv", 2), ("boats.csv", 3)},
    ),
    "the cells that are shown prove rows of several tables": (
        "tables",
        "## Target type: {boat}\n## Query:\nQuery1: get_information(relation='sailor', tail_entity='Tom')",
        ["Cobo"],
        {("crews.csv", 3)},
    ),
}


@pytest.fixture(scope="module")
def boats(client: TrustUQA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustUQA]:
    folder = tmp_path_factory.mktemp("boats")
    for dataset, files in FILES.items():
        for name, content in files.items():
            (folder / name).write_text(content)
        loader = "kg" if dataset == "graph" else "table"
        client.load(loader, *(str(folder / name) for name in files), dataset=f"boats {dataset}")
    yield client
    for dataset in FILES:
        client.drop(f"boats {dataset}")


@pytest.mark.parametrize("case", CASES)
def test_values_and_proof(boats: TrustUQA, case: str) -> None:
    dataset, query, values, lines = CASES[case]
    answer = boats.run(query, f"boats {dataset}", evidence=100)
    assert answer.outcome == "answered", answer.problems
    assert sorted(map(str, answer.values)) == sorted(map(str, values))
    files = {(fact.file.rpartition("/")[2], fact.line) for fact in answer.evidence}
    assert (files if dataset == "tables" else {line for _, line in files}) == lines


EMPTY = (
    # A head that the data does not have has no table, and a number of it is not an answer.
    "count(get_table(head_entity='Xqzzwj Kkvvb', columns=['length? as length']))",
    # Of nothing, a condition leaves nothing, whatever it compares with.
    (
        "Query1: get_information(relation='length', tail_entity>'20 m')\n"
        "Query2: get_information(head_entity='Alca', relation='painted')\n"
        "Query3: get_information(head_entity=output_of_query1, relation='length', "
        "tail_entity>output_of_query2)"
    ),
    (
        "keep(get_information(head_entity='Dorn', relation='length'), "
        "value>get_information(head_entity='Alca', relation='painted'))"
    ),
)


@pytest.mark.parametrize("query", EMPTY)
def test_nothing_is_found(boats: TrustUQA, query: str) -> None:
    assert (answer := boats.run(query, "boats graph")).outcome == "empty", answer.problems


def test_the_columns_that_are_shown_are_facts_of_the_proof(boats: TrustUQA) -> None:
    query = "## Target type: {boat}\n## Query:\nQuery1: get_information(relation='sailor', tail_entity='Tom')"
    facts = boats.run(query, "boats tables").evidence
    assert {(fact.relation, fact.tail) for fact in facts} == {("sailor", "Tom"), ("boat", "Cobo")}
