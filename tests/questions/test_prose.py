"""The sentence of a model beside an answer: what is sent for it, and which sentence is kept and shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.chat_server import Chat, Reply, status
from support.web import open_client

from trustuqa_neo4j import Answer, Settings, TrustUQA
from trustuqa_neo4j.errors import ForbiddenByPrivacy, UsageError
from trustuqa_neo4j.prompts.prose import find_fault, read_sentence

QUESTION = "who directed Alien?"
QUERY = "Query1: \"get_information(head_entity='Alien', relation='directed by')\""
PROSE = "Alien was directed by Ridley Scott."
TABLE = "Query1: \"get_table(columns=['mission', 'year'])\""
MISSIONS = "mission,year\nApollo 11,1969\nApollo 13,1970\n"
Asks = Callable[..., tuple[TrustUQA, Chat]]


@pytest.fixture
def asks(server: Settings, films: TrustUQA, tmp_path: Path) -> Iterator[Asks]:
    """A client of the films, and of a model that gives these replies."""
    opened: list[tuple[TrustUQA, Chat]] = []

    def open_model(*replies: Reply) -> tuple[TrustUQA, Chat]:
        chat = Chat(*replies)
        chat.__enter__()
        client = TrustUQA.connect(chat.make_settings(server, tmp_path))
        opened.append((client, chat))
        return client, chat

    yield open_model
    for client, chat in opened:
        client.close()
        chat.__exit__()


def ask(
    client: TrustUQA, question: str = QUESTION, dataset: str = "films", **options: Any
) -> Answer:
    return client.ask(question, dataset, prose=True, **options)


def test_a_model_words_the_answer_from_its_values(asks: Asks) -> None:
    client, chat = asks(QUERY, f'"{PROSE}"\n')
    answer = ask(client)
    assert (answer.prose, answer.values) == (PROSE, ("Ridley Scott",))
    assert answer.sentence is not None  # that without a model stays
    assert f"worded by the model: {PROSE}" in answer.to_text()
    assert answer.to_dict()["prose"] == PROSE
    assert Answer.from_dict(answer.to_dict()).prose == PROSE
    assert "cell values" in answer.sent
    assert str(answer.understood) not in chat.requests[1].prompt
    assert answer.usage["calls"] == len(chat.requests) == 2
    assert answer.trace[-1].stage == "word"
    assert answer.ms["word"] == answer.trace[-1].ms
    assert chat.requests[1].prompt == (f'Question: "{QUESTION}"\nAnswer: ["Ridley Scott"]')


def test_a_table_is_worded_too(asks: Asks, tmp_path: Path) -> None:
    sentence = "Apollo 11 flew in 1969 and Apollo 13 in 1970."
    client, chat = asks(TABLE, sentence)
    (tmp_path / "missions.csv").write_text(MISSIONS)
    client.load(tmp_path / "missions.csv")
    answer = ask(client, "which mission was in which year?", "missions", reader=False)
    assert answer.prose == sentence
    cells = json.loads(chat.requests[1].prompt.partition("Answer: ")[2])
    assert cells == [
        {"mission": "Apollo 11", "year": "1969"}, {"mission": "Apollo 13", "year": "1970"}
    ]  # fmt: skip
    assert answer.to_records() == cells
    assert {"schema", "question", "cell values"} <= {*answer.sent}


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("Alien was directed by James Cameron.", "it lacks 'Ridley Scott'"),
        ("Ridley Scott directed Alien in 1979.", "it has the number 1979, and the answer does not"),
        ("Ridley Scott directed four films.", "it has the number 4, and the answer does not"),
        (" ", "it is empty"),
        ("Ridley Scott " * 200, "it has more than 2,000 characters"),
        (status(401), "the key is refused"),
    ],
)
def test_another_sentence_is_dropped_with_a_note(asks: Asks, reply: Reply, reason: str) -> None:
    client, _ = asks(QUERY, reply)
    answer = ask(client)
    assert (answer.outcome, answer.values, answer.prose) == ("answered", ("Ridley Scott",), None)
    (note,) = [note for note in answer.notes if note.kind == "not worded"]
    assert note.message.startswith("the model has not worded the answer: ")
    if isinstance(reply, str) and reply.strip():
        assert reason in note.message
    assert "worded by the model" not in answer.to_text()


@pytest.mark.parametrize(
    ("sentence", "values", "fault"),
    [
        ("In 1969, it was €56,900.", ["€56,900"], ""),
        ("It was 56900.", ["56,900"], ""),
        ("It was 2020.", ["20"], "it lacks '20'"),
        ("It was 20.5.", ["20"], "it lacks '20'"),
        ("It was Annabel.", ["Anna"], "it lacks 'Anna'"),
        ("ANNA and Bert, the one of the two.", ["Anna", "Bert"], ""),
        ("Anna and Bert, both of three.", ["Anna", "Bert"], "it has the number 3"),
        ("A, B", ["A", "B", "C", "D", "E", "F"], "it lacks 'C', 'D', 'E' and 1 more"),
        ("It was -5.", ["5"], "it lacks '5'"),
        ("It was minus 5, not 5.", ["5"], "it has the number -5"),
        ("It was \u2212$5.", ["$5"], "it has the number -5"),
        ("It was 5 million.", ["5"], "it lacks '5'"),
        ("It was 5-million.", ["5"], "it lacks '5'"),
        ("It was 5k.", ["5"], "it lacks '5'"),
        ("It was 5 kg, five thousand kg.", ["5 kg"], "it has the number 5thousand"),
        ("It was 5 %.", ["5"], "it lacks '5'"),
        ("It was 5 per cent.", ["5 %"], ""),
        ("It was minus 5, or \u22125.", ["-5"], ""),
        ("It was $5 million.", ["$5 million"], ""),
        ("Apollo-11 flew in 1969-1970 (1969)-1970.", ["Apollo", "11", "1970"], ""),
    ],
)
def test_what_a_sentence_must_have(sentence: str, values: list[str], fault: str) -> None:
    found = find_fault(sentence, "what was it in 1969?", [(value,) for value in values])
    assert found.startswith(fault)
    assert bool(found) is bool(fault)


@pytest.mark.parametrize(
    ("sentence", "fault"),
    [
        ("Ann earns 5 and Bob 7.", ""),
        ("The two: Ann earns 5, Bob 7.", ""),
        ("Ann earns 7 and Bob 5.", "its values are not in the order of the rows"),
        ("Bob earns 7 and Ann 5.", "its values are not in the order of the rows"),
        ("The 4: Ann earns 5, Bob 7.", "it has the number 4, and the answer does not"),
    ],
)
def test_the_values_of_a_row_stand_together(sentence: str, fault: str) -> None:
    assert find_fault(sentence, "who earns what?", [("Ann", "5"), ("Bob", "7")]) == fault


def test_yes_and_no_are_not_worded(asks: Asks) -> None:
    truth = f"{QUERY}\nQuery2: \"equal(set1='output_of_query1', set2='James Cameron')\""
    client, chat = asks(truth, "There is no doubt that he did.")
    answer = ask(client, "did James Cameron direct Alien?", reader=False)
    assert (answer.outcome, answer.prose, len(chat.requests)) == ("answered", None, 1)
    assert "it says yes or no" in answer.notes[-1].message


def test_a_sentence_is_one_line_without_quotes() -> None:
    assert read_sentence(' "Anna\nwon." ') == "Anna won."


def test_long_answers_and_limits_send_nothing(asks: Asks, tmp_path: Path) -> None:
    client, chat = asks("Query1: \"get_information(relation='name')\"", "nothing")
    (tmp_path / "many.csv").write_text("name,n\n" + "".join(f"name{n},{n}\n" for n in range(21)))
    client.load(tmp_path / "many.csv")
    answer = ask(client, "which names are there?", "many", reader=False)
    assert len(answer.values) == 21
    assert "more than 20 values" in answer.notes[-1].message
    assert len(chat.requests) == 1
    limited, chat = asks(QUERY, PROSE)
    answer = ask(limited, max_calls=1)
    assert (answer.values, answer.prose, len(chat.requests)) == (("Ridley Scott",), None, 1)


def test_an_answer_that_is_none_is_not_worded(asks: Asks) -> None:
    client, chat = asks("I do not know.", "nothing")
    answer = ask(client, "what is the airspeed of a swallow?", retries=0)
    assert (answer.prose, answer.outcome == "answered") == (None, False)
    assert len(chat.requests) == 1


def test_it_needs_a_model_that_may_see_values(asks: Asks, films: TrustUQA) -> None:
    client, chat = asks(QUERY, PROSE)
    with pytest.raises(ForbiddenByPrivacy, match="leave out prose"):
        ask(client, private=True)
    assert chat.requests == []
    with pytest.raises(UsageError, match="no model to word the values"):
        ask(films, llm="demonstrations")


def test_http_and_the_page_mark_it(asks: Asks, tmp_path: Path) -> None:
    client, _ = asks(QUERY, PROSE)
    page = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
    with open_client(client, tmp_path) as web:
        body = {"question": QUESTION, "dataset": "films", "prose": True}
        assert web.post("/api/v1/ask", json=body).json()["prose"] == PROSE
        assert 'name="prose"' in web.get("/", headers=page).text
        path = f"/ask?question={QUESTION}&dataset=films"
        shown = web.get(f"{path}&prose=true", headers=page).text
        assert f"Worded by the model</span> <bdi>{PROSE}" in shown
        assert 'value="true" checked' in shown
        assert "Worded by the model" not in web.get(path, headers=page).text
    with open_client(client, tmp_path, private=True) as web:
        assert web.post("/api/v1/ask", json=body).status_code == 403
        assert 'name="prose"' not in web.get("/", headers=page).text
