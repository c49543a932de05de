"""Which values and rows of an answer each fact of its proof produced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from trustuqa_neo4j import Answer, TrustUQA
from trustuqa_neo4j.answer import Evidence, _picture_content
from trustuqa_neo4j.render.evidence_graph import build_graph

# What West sold once, 17, is what North sold in all; two shops sold 5, and 9 is a count of days and a price.
SALES = """\
shop,item,sold,price,day,weight
North,bread,5,3,2024-01-02,500 g
South,milk,7,2,2024-01-03,1000 g
North,milk,12,2,2024-01-04,2 kg
West,eggs,17,4,2024-02-05,
South,bread,5,3,2024-02-06,500 g
West,bread,12,3,2023-03-07,
East,eggs,9,4,2023-03-08,1 kg
"""
GRAPH = """\
Ada\tbakes\trye
Ada\tbakes\twheat
Bo\tbakes\trye
Cy\tbakes\tspelt
rye\tgrows in\tNorthland
wheat\tgrows in\tNorthland
spelt\tgrows in\tSouthland
"""


@pytest.fixture(scope="module")
def shops(client: TrustUQA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustUQA]:
    folder = tmp_path_factory.mktemp("shops")
    (folder / "sales.csv").write_text(SALES)
    (folder / "bakers.tsv").write_text(GRAPH)
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        client.load("table", "sales.csv", dataset="shops")
        client.load("kg", "bakers.tsv", dataset="bakers")
    yield client
    client.drop("shops")
    client.drop("bakers")


def run(client: TrustUQA, *steps: str, dataset: str = "shops", evidence: int = 60) -> Answer:
    query = "\n".join(f"Query{n}: {step}" for n, step in enumerate(steps, 1))
    return client.run(query, dataset, evidence=evidence)


def linked(answer: Answer) -> dict[object, set[tuple[str, str]]]:
    """The lines and relations of the facts of each value or row."""
    answers = answer.values if answer.rows is None else answer.rows
    facts: dict[object, set[tuple[str, str]]] = {}
    for fact in answer.evidence:
        for place in fact.answers:
            facts.setdefault(answers[place], set()).add((str(fact.line), fact.relation))
    return facts


def cells(*lines: int, columns: tuple[str, ...] = ("shop", "sold")) -> set[tuple[str, str]]:
    return {(str(line), column) for line in lines for column in columns}


TABLE = "get_table(columns=['shop', 'sold'])"
TOTALS = "group_by(output_of_query1, by=['shop'], values=['sum(sold) as total'])"


def test_a_group_has_the_facts_of_its_rows(shops: TrustUQA) -> None:
    answer = run(shops, TABLE, TOTALS)
    assert linked(answer) == {
        ("North", 17): cells(2, 4),
        ("South", 12): cells(3, 6),
        ("West", 29): cells(5, 7),
        ("East", 9): cells(8),
    }
    assert answer.rows == (("East", 9), ("North", 17), ("South", 12), ("West", 29))
    assert answer.evidence_counts == (2, 4, 4, 4)


@pytest.mark.parametrize(
    ("step", "row", "lines"),
    [
        ("keep(output_of_query2, column='total', value=17)", ("North", 17), (2, 4)),
        ("sort(output_of_query2, column='total', order='descending')", ("West", 29), (5, 7)),
        ("first(sort(output_of_query2, column='total', order='descending'))", ("West", 29), (5, 7)),
        ("calculate(output_of_query2, 'total * 2', 'twice')", ("North", 17, 34), (2, 4)),
    ],
)
def test_groups_keep_their_facts(
    shops: TrustUQA, step: str, row: tuple[object, ...], lines: tuple[int, ...]
) -> None:
    answer = run(shops, TABLE, TOTALS, step)
    assert linked(answer)[row] == cells(*lines)
    assert len(answer.evidence) == (4 if answer.rows and len(answer.rows) == 1 else 14)


def test_groups_by_a_computed_column_have_their_facts(shops: TrustUQA) -> None:
    answer = run(
        shops,
        "get_table(columns=['day', 'sold'])",
        "calculate(output_of_query1, 'year(day)', 'y')",
        "group_by(output_of_query2, by=['y'], values=['sum(sold) as total'])",
    )
    columns = ("day", "sold")
    assert linked(answer) == {
        (2024, 46): cells(2, 3, 4, 5, 6, columns=columns),
        (2023, 21): cells(7, 8, columns=columns),
    }


def test_one_group_of_all_has_all_facts(shops: TrustUQA) -> None:
    answer = run(shops, TABLE, "group_by(output_of_query1, values=['max(sold) as most'])")
    assert (answer.rows, answer.evidence_total) == (((("17"),),), 14)


def test_a_group_without_numbers_has_the_facts_of_its_rows(shops: TrustUQA) -> None:
    answer = run(
        shops,
        "get_table(columns=['shop', 'weight'])",
        "group_by(output_of_query1, by=['shop'], values=['sum(weight) as total'])",
    )
    facts = linked(answer)
    assert answer.rows
    assert ("West", "") in answer.rows
    assert facts["West", ""] == cells(5, 7, columns=("shop", "weight"))


@pytest.mark.parametrize(
    ("step", "milk", "eggs", "columns"),
    [
        ("keep(get_information(relation='weight'), value=output_of_query1)", "1000 g", "1 kg", ()),
        (
            "keep(get_table(columns=['item', 'weight']), column='weight', value=output_of_query1)",
            ("milk", "1000 g"),
            ("eggs", "1 kg"),
            ("item",),
        ),
        (
            (
                "keep(get_information(relation='price', tail_entity=['2', '4']), column='weight', "
                "value=output_of_query1)"
            ),
            "South",
            "East",
            ("price", "shop"),
        ),
    ],
)
def test_an_equal_value_proves_however_it_is_written(
    shops: TrustUQA, step: str, milk: object, eggs: object, columns: tuple[str, ...]
) -> None:
    answer = run(shops, "get_information(relation='weight', head_entity=['East', 'North'])", step)
    columns = (*columns, "weight")
    assert linked(answer)[milk] == cells(3, columns=columns) | {("8", "weight")}
    assert linked(answer)[eggs] == cells(8, columns=columns)


def test_counted_members_have_their_facts(shops: TrustUQA) -> None:
    answer = run(shops, "get_information(relation='price')", "count_by(output_of_query1)")
    columns = ("price",)
    assert linked(answer) == {
        ("3", 3): cells(2, 6, 7, columns=columns),
        ("2", 2): cells(3, 4, columns=columns),
        ("4", 2): cells(5, 8, columns=columns),
    }


def test_computed_values_have_the_facts_that_they_were_computed_from(shops: TrustUQA) -> None:
    answer = run(
        shops,
        "get_information(relation='sold', head_entity=get_information(relation='shop', tail_entity='North'))",
        "get_information(relation='sold', head_entity=get_information(relation='shop', tail_entity='West'))",
        "[sum(output_of_query1), sum(output_of_query2), count(output_of_query2)]",
    )
    assert answer.values == (17, 29, 2)
    assert linked(answer) == {17: cells(2, 4), 29: cells(5, 7), 2: cells(5, 7)}
    assert answer.evidence_counts == (4, 4, 4)


def test_rows_have_the_facts_of_their_own_cells(shops: TrustUQA) -> None:
    query = "## Target type: {sold}\n## Query:\nQuery1: get_information(relation='item', tail_entity='bread')"
    answer = shops.run(query, "shops")
    columns = ("item", "sold")
    assert linked(answer) == {"5": cells(2, 6, columns=columns), "12": cells(7, columns=columns)}


def test_names_of_a_graph_have_their_ways(shops: TrustUQA) -> None:
    answer = run(
        shops,
        "get_information(relation='bakes', head_entity=['Ada', 'Cy'])",
        "get_information(relation='grows in', head_entity=output_of_query1)",
        dataset="bakers",
    )
    assert linked(answer) == {
        "Northland": {("1", "bakes"), ("2", "bakes"), ("5", "grows in"), ("6", "grows in")},
        "Southland": {("4", "bakes"), ("7", "grows in")},
    }
    assert answer.evidence_counts == (4, 2)


def test_relations_have_their_facts(shops: TrustUQA) -> None:
    answer = run(shops, "get_information(head_entity='rye')", dataset="bakers")
    both = run(shops, "get_information(tail_entity=['rye', 'Northland'])", dataset="bakers")
    assert linked(answer) == {"grows in": {("5", "grows in")}}
    assert linked(both) == {
        "bakes": {("1", "bakes"), ("3", "bakes")},
        "grows in": {("5", "grows in"), ("6", "grows in")},
    }


def test_what_a_qualifier_alone_leads_to_has_its_own_facts(
    client: TrustUQA, tmp_path: Path
) -> None:
    """Bo is a member too, but no fact leads to him as the head."""
    path = tmp_path / "jobs.tsv"
    path.write_text(
        "head\trelation\ttail\trole\nBo\truns\tmill\towner\nBo\tknows\tBo\tfriend\nBo\truns\tinn\tcook\n"
    )
    client.load("kg", str(path), dataset="jobs")
    try:
        answer = run(
            client, "get_information(head_entity='Bo', key='role', value!='cook')", dataset="jobs"
        )
    finally:
        client.drop("jobs")
    facts = {name: {line for line, _ in lines} for name, lines in linked(answer).items()}
    assert facts == {"mill": {"2"}, "Bo": {"3"}}


def test_the_facts_of_the_first_answers_are_shown_first(shops: TrustUQA) -> None:
    answer = run(shops, "get_information(relation='bakes')", dataset="bakers", evidence=2)
    assert answer.values == ("rye", "spelt", "wheat")
    assert [fact.answers for fact in answer.evidence] == [(0,), (1,)]
    assert answer.evidence_counts == (2, 1, 1)


def test_more_answers_than_are_attributed_keep_their_proof(
    shops: TrustUQA, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("attribution", "answer", "proof"):
        monkeypatch.setattr(f"trustuqa_neo4j.execution.{module}.MAX_ANSWERS", 2)
    answer = run(shops, TABLE, TOTALS)
    assert (answer.evidence_total, answer.evidence_counts) == (14, (2, 4))
    assert Counter(fact.answers for fact in answer.evidence) == {(0,): 2, (1,): 4, (): 8}


def test_a_limit_cuts_the_answers_of_facts(shops: TrustUQA) -> None:
    answer = shops.run(f"Query1: {TABLE}\nQuery2: {TOTALS}", "shops", limit=1)
    assert (answer.rows, answer.evidence_counts) == ((("East", 9),), (2,))
    assert {place for fact in answer.evidence for place in fact.answers} == {0}


def test_a_picture_links_no_fact_by_its_text(shops: TrustUQA) -> None:
    answer = run(shops, TABLE, TOTALS)
    graph = build_graph(_picture_content(answer))
    sources = {
        node.text: {edge.start.text for edge in graph.edges_into(node)}
        for node in graph.nodes
        if node.kind == "answer"
    }
    # A cell that is the total itself leads to it, of the own group alone.
    assert sources == {
        "North, 17": {"North"},
        "South, 12": {"South"},
        "West, 29": {"West"},
        "East, 9": {"East", "9"},
    }
    tree = answer.to_text(tree=True)
    west = tree.index("West, 29")
    assert tree.index("row 4 sold 17") > west
    assert tree.index("row 1 sold 5") < tree.index("South, 12") < tree.index("row 2 sold 7") < west


def test_a_long_proof_says_what_selected_it_and_how_to_see_all(shops: TrustUQA) -> None:
    answer = run(shops, TABLE, TOTALS, evidence=3)
    assert len(answer.evidence) == 3
    for text in (str(answer), answer.to_text(tree=True)):
        lines = text.splitlines()
        assert lines[-3:] == [
            "selected by:",
            "  step 1, 14 facts: get_table(['shop as shop', 'sold as sold'])",
            "… 11 more facts (evidence=14 shows all)",
        ]
    whole = run(shops, TABLE, TOTALS, evidence=14)
    assert len(whole.evidence) == 14
    assert "selected by" not in str(whole)


def test_facts_are_shown_with_the_answers_that_they_prove(shops: TrustUQA) -> None:
    lines = str(run(shops, TABLE, TOTALS)).splitlines()
    head = next(line for line in lines if line.split() == ["shop", "sold", "where", "proves"])
    facts = lines[lines.index(head) + 1 :]
    assert [line[head.index("proves") :] for line in facts[:4]] == [
        "North, 17",
        "South, 12",
        "North, 17",
        "West, 29",
    ]
    alone = str(
        run(
            shops, "get_information(relation='item', tail_entity='milk')", "count(output_of_query1)"
        )
    )
    assert "proves" not in alone


def test_evidence_goes_through_json(shops: TrustUQA) -> None:
    answer = run(shops, TABLE, TOTALS)
    again = Answer.from_dict(answer.to_dict())
    assert again.evidence == answer.evidence
    assert (again.evidence_counts, again.evidence_steps) == ((2, 4, 4, 4), {1: 14})
    assert isinstance(again.evidence[0], Evidence)
    assert again.picture() == answer.picture()
