"""The order of rows decides between equal values, in whatever order the database has their facts."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustuqa_neo4j import TrustUQA

# Copies of the first row's fact, of which only the one with the highest id stays.
MOVE_TO_END = """
MATCH (row:Node {dataset: 'joined'})-[old:FACT {relation: 'Joined'}]->(day:Node {name: '1999-03-05'})
UNWIND range(1, $copies) AS number
CREATE (row)-[copy:FACT]->(day) SET copy = properties(old)
WITH old, copy ORDER BY id(copy) DESC
WITH old, collect(copy) AS copies
FOREACH (copy IN tail(copies) | DELETE copy)
DELETE old
"""
ORDER = """
MATCH (:Node {dataset: 'joined'})-[fact:FACT {relation: 'Joined'}]->(day)
RETURN day.name AS day ORDER BY id(fact)
"""


@pytest.mark.parametrize("function", ["min", "max"])
def test_the_first_of_equal_values_is_that_of_the_first_row(
    tuqa: TrustUQA, tmp_path: Path, function: str
) -> None:
    path = tmp_path / "joined.csv"
    path.write_text("Club,Joined\nAjax,1999-03-05\nBasel,5 March 1999\n", encoding="utf-8")
    tuqa.load("table", path, dataset="joined")
    with tuqa.connection.driver.session() as session:
        # The server first uses ids again that others have left: as many copies as there are of those.
        for copies in (50, 500, 5_000, 50_000):
            session.run(MOVE_TO_END, copies=copies).consume()
            if session.run(ORDER).value() == ["5 March 1999", "1999-03-05"]:
                break
        else:
            pytest.fail("the first row's fact still has the lower id")
    query = f"Query1: get_information(relation='Joined')\nQuery2: {function}(output_of_query1)"
    assert tuqa.run(query, "joined").values == ("1999-03-05",)
