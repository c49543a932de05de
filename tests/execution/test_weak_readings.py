"""Names that a table does not have: refused where only a weak reading is near, with the nearest names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.default_model import FOLDER

from trustuqa_neo4j import TrustUQA

MEDALS = """Rank,Nation,Gold,Silver,Bronze,Total
1,Brazil,7,5,3,15
2,Argentina,4,4,4,12
3,Chile,2,3,6,11
4,Peru,1,1,2,4
"""


@pytest.fixture(scope="module")
def medals(client: TrustUQA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustUQA]:
    """Client with the model that brings meaning to names, and a table whose rows are named once."""
    path = tmp_path_factory.mktemp("medals") / "medals.csv"
    path.write_text(MEDALS, encoding="utf-8")
    tuqa = TrustUQA(client.connection.driver, embedder=str(FOLDER))
    tuqa.load("table", path, dataset="medals")
    yield tuqa
    tuqa.drop("medals")


@pytest.mark.parametrize(
    "query",
    [
        "get_information(relation='Gold', key='Nation', value='{}')",
        "get_information(head_entity='{}', relation='Gold')",
        "count(get_information(relation='Nation', tail_entity='{}'))",
    ],
)
@pytest.mark.parametrize("nation", ["Brasilia", "Mexico"])
def test_name_of_no_row_is_not_read_as_another_row(
    medals: TrustUQA, query: str, nation: str
) -> None:
    answer = medals.run(query.format(nation), dataset="medals")
    assert (answer.outcome, answer.values) == ("empty", ())
    assert [problem.kind for problem in answer.problems] == ["unknown name"]
    assert "the nearest are" in answer.problems[0].message


def test_misspelt_name_of_a_row_is_read(medals: TrustUQA) -> None:
    answer = medals.run("get_information(head_entity='Brasil', relation='Gold')", dataset="medals")
    assert answer.values == ("7",)
    assert [(match.given, match.used) for match in answer.mapped if match.how == "nearest"] == [
        ("Brasil", "Brazil")
    ]


def test_column_that_is_not_there_is_not_read_as_another(medals: TrustUQA) -> None:
    query = "get_information(head_entity='Brazil', relation='Medals won')"
    answer = medals.run(query, dataset="medals")
    assert answer.outcome == "not_askable"
    assert "the nearest of 6 are Bronze, Gold, Silver" in answer.problems[0].message
