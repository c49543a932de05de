"""Questions over a table of which only a part is read: the rows that the question names, and a sample."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.questions import with_semantic_parser
from trustuqa_neo4j.questions.dataset_contents import read_contents
from trustuqa_neo4j.questions.table_snapshots import read_partial_snapshot
from trustuqa_neo4j.reads.reader import Reader
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.snapshot import TableSnapshot

DATASET = "many orders"
ROWS = 1_500
RARE = 1_234  # the only row of its customer and of the highest quantity; it is not in the sample


def make_quantity(row: int) -> int:
    return 99 if row == RARE else row % 7


@pytest.fixture(scope="module")
def orders(client: TrustUQA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustUQA]:
    path = tmp_path_factory.mktemp("orders") / "orders.csv"
    countries, goods = ("Norway", "Spain", "Chile"), ("oak chair", "glass mirror")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["order", "customer", "country", "product", "quantity", "ordered on"])
        for row in range(1, ROWS + 1):
            customer = "Ada Ekman" if row == RARE else f"customer {row % 40}"
            day = f"2019-{row % 12 + 1:02}-{row % 28 + 1:02}"
            country, product = countries[row % 3], goods[row % 2]
            writer.writerow([f"A{row:05}", customer, country, product, make_quantity(row), day])
    client.load("table", path, dataset=DATASET, embeddings=False)
    yield client
    client.drop(DATASET)


def read_part(orders: TrustUQA, question: str) -> TableSnapshot:
    def read(reader: Reader) -> TableSnapshot:
        contents = read_contents(reader, DATASET, None)
        return read_partial_snapshot(reader, contents, contents.tables[0], read_question(question))

    return orders.connection.read(read, 60, None)


@pytest.mark.parametrize(
    ("question", "column", "text"),
    [
        ("Which product did Ada Ekman buy?", 1, "ada ekman"),
        ("Which product did Ada Ekmann buy?", 1, "ada ekman"),
        ("Who bought A01234?", 0, "a01234"),
        ("Which orders are of 2019-03-03?", 5, "2019 03 03"),
    ],
)
def test_the_rows_that_a_question_names_are_read(
    orders: TrustUQA, question: str, column: int, text: str
) -> None:
    table = read_part(orders, question)
    assert table.size < ROWS / 2
    assert text in table.columns[column].rows_by_text


def test_rows_with_several_names_are_read(orders: TrustUQA) -> None:
    table = read_part(orders, "How many orders of customer 7 and a glass mirror are from Chile?")
    customers, countries = table.columns[1].rows_by_text, table.columns[2].rows_by_text
    both = set(customers["customer 7"]) & set(countries["chile"])
    assert len(both) == sum(row % 40 == 7 and row % 3 == 2 for row in range(1, ROWS + 1))


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("Which product did Ada Ekman order?", ("oak chair",)),
        ("How many orders are from Norway?", (500,)),
        (
            "What is the total quantity of the country Spain?",
            (sum(map(make_quantity, range(1, ROWS + 1, 3))),),
        ),
        ("Which customers have a quantity above 90?", ("Ada Ekman",)),
        ("Which customer ordered A01234?", ("Ada Ekman",)),
    ],
)
def test_the_answer_is_that_of_the_whole_table(
    orders: TrustUQA, monkeypatch: pytest.MonkeyPatch, question: str, values: tuple[object, ...]
) -> None:
    monkeypatch.setattr(with_semantic_parser, "MAX_CELLS", 100)
    answer = orders.ask(question, DATASET)
    statements = {sent.statement for stage in answer.trace for sent in stage.sent}
    assert "cells_of_rows" in statements
    assert "table_cells" not in statements
    assert (answer.outcome, answer.values) == ("answered", values), answer


def test_a_dataset_that_was_dropped_has_no_contents(client: TrustUQA) -> None:
    contents = client.connection.read(lambda reader: read_contents(reader, "dropped", None), 60)
    assert (contents.tables, contents.relations) == ((), {})
