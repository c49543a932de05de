"""What ``docs/questions.md`` says can be asked is answered, and what it says is refused is refused so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trustuqa_neo4j import TrustUQA

PAGE = Path(__file__).parents[2] / "docs" / "questions.md"
FILMS = """Title,Year,Director,Country,Genre,Runtime,Revenue
Alien,1979,Ridley Scott,United Kingdom,Horror,117,104931801
Gladiator,2000,Ridley Scott,United States,Drama,155,465361176
Amelie,2001,Jean-Pierre Jeunet,France,Comedy,122,174000000
Delicatessen,1991,Jean-Pierre Jeunet,France,Comedy,99,1800000
Run Lola Run,1998,Tom Tykwer,Germany,Thriller,81,7000000
Love Actually,2003,Richard Curtis,United Kingdom,Comedy,135,246000000
Solaris,1972,Andrei Tarkovsky,Soviet Union,Drama,167,
"""
PEOPLE = """Ridley Scott\tborn in\tSouth Shields
South Shields\tcountry\tUnited Kingdom
Ann\tborn in\tOslo
Bob\tborn in\tOslo
Oslo\tcountry\tNorway
"""
ANSWERS = {
    "who directed Alien?": {"Ridley Scott"},
    "comedies made after 2000": {"Amelie", "Love Actually"},
    "films from France or Germany": {"Amelie", "Delicatessen", "Run Lola Run"},
    "films not from France": {"Alien", "Gladiator", "Run Lola Run", "Love Actually", "Solaris"},
    "films without revenue": {"Solaris"},
    "titles that contain love": {"Love Actually"},
    "the longest film": {"Solaris"},
    "top 3 films by revenue": {"Amelie", "Gladiator", "Love Actually"},
    "directors with more than one film": {"Ridley Scott", "Jean-Pierre Jeunet"},
    "films longer than Alien": {"Amelie", "Gladiator", "Love Actually", "Solaris"},
    "which is longer, Alien or Solaris?": {"Solaris"},
    "is Alien from France?": {"no"},
    "in which country was Ann born?": {"Norway"},
    "what do Ann and Bob have in common?": {"Oslo"},
    "where was the director of Alien born?": {"South Shields"},
}
REFUSALS = {
    "who produced Alien?": "not understood: the data do not explain 'produced'",
    "why was Alien made?": "not understood: the best reading is not what the question means: ",
    "qui a dirigé Alien ?": "no reading: the question looks French; ",
    "SELECT * FROM films": "no reading: ",
    "films longer than": "no reading: ",
    " ".join(["which film"] * 41): "too long: ",
}


@pytest.fixture
def films(tuqa: TrustUQA, tmp_path: Path) -> TrustUQA:
    for name, content in (("films.csv", FILMS), ("people.tsv", PEOPLE)):
        (tmp_path / name).write_text(content, encoding="utf-8")
        tuqa.load(str(tmp_path / name), embeddings=False)
    return tuqa


def test_what_can_be_asked(films: TrustUQA) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [question for question in ANSWERS if f"*{question}*" not in page] == []
    answers = {q: films.ask(q, ["films", "people"]) for q in ANSWERS}
    assert {q: {str(value) for value in answer.values} for q, answer in answers.items()} == ANSWERS


def test_what_is_said_of_what_cannot_be_asked(films: TrustUQA) -> None:
    page = PAGE.read_text(encoding="utf-8")
    for question, message in REFUSALS.items():
        answer = films.ask(question, "films")
        assert answer.outcome == "not_askable", question
        problem = answer.problems[0]
        assert f"{problem.kind}: {problem.message}".startswith(message), (question, problem)
        assert re.search(rf"`{re.escape(message.rstrip())}", page), message
    not_demonstrated = films.ask("who produced Alien?", "films").problems[1]
    assert not_demonstrated.kind == "not demonstrated"
    assert "`not demonstrated: …`" in page
