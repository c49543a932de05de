"""Questions that two tables, or a table and a graph, answer together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from trustuqa_neo4j import TrustUQA

FILMS = (
    "Title,Director,Year\nCinder,Ada Quill,2010\nHarbour,Bo Marsh,1979\nOrchard,Ada Quill,2016\n"
)
PEOPLE = "Name,Born in,Awards\nAda Quill,Oslo,2\nBo Marsh,Rome,1\nCy Dunn,Lima,0\n"
TOWNS = "Oslo\tcountry\tNorway\nRome\tcountry\tItaly\nLima\tcountry\tPeru\n"
WHERE = "Where was the director of Harbour born?"


@pytest.fixture
def datasets(client: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    files = {"films.csv": FILMS, "people.csv": PEOPLE, "towns.tsv": TOWNS}
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    names = []
    for name in files:
        format_name = "kg" if name.endswith("tsv") else "table"
        names.append(client.load(format_name, name, embeddings=False).dataset)
    yield
    for name in names:
        client.drop(name)


@pytest.mark.usefixtures("datasets")
@pytest.mark.parametrize(
    ("question", "values", "asked"),
    [
        (WHERE, ("Rome",), {"films", "people"}),
        ("How many awards does the director of Cinder have?", ("2",), {"films", "people"}),
        ("Which country is the birthplace of Bo Marsh in?", ("Italy",), {"people", "towns"}),
        ("Where was Cy Dunn born?", ("Lima",), {"people"}),
    ],
)
def test_the_answer_of_one_dataset_is_a_name_in_the_other(
    client: TrustUQA, question: str, values: tuple[str, ...], asked: set[str]
) -> None:
    answer = client.ask(question, llm="demonstrations")
    assert (answer.outcome, answer.values) == ("answered", values), answer.trace
    assert {fact.dataset for fact in answer.evidence} == asked
    assert asked <= {*answer.datasets}
    assert answer.origin == "read"
    assert answer.confidence is not None
    assert answer.confidence < 1


@pytest.mark.usefixtures("datasets")
def test_the_name_of_a_dataset_says_what_its_rows_are(client: TrustUQA) -> None:
    answer = client.ask("How many films are there?", llm="demonstrations")
    assert (answer.values, answer.datasets) == ((3,), ("films",))


@pytest.mark.usefixtures("datasets")
def test_a_word_that_another_dataset_knows_is_not_left_out(client: TrustUQA) -> None:
    # No row of people has the answer, so the director would be half of an answer.
    for question in (
        "Which country does Ada Quill come from?",
        "Who was the director of the awards film Orchard?",
    ):
        answer = client.ask(question, llm="demonstrations")
        assert answer.outcome == "not_askable", answer.values


def test_two_tables_of_one_dataset(client: TrustUQA, tmp_path: Path) -> None:
    files = {"films.csv": FILMS, "people.csv": PEOPLE}
    paths = [tmp_path / name for name in files]
    for path in paths:
        path.write_text(files[path.name], encoding="utf-8")
    client.load("table", *map(str, paths), dataset="cinema", embeddings=False)
    try:
        answer = client.ask(WHERE, "cinema", llm="demonstrations")
        assert (answer.values, answer.source) == (("Rome",), None)
        assert {Path(fact.source).name for fact in answer.evidence} == {*files}
    finally:
        client.drop("cinema")
