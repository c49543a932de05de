"""Demonstrations that a model writes: over HTTP, verified against the answers, never paid for twice."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from support.chat_server import KEY, Chat, Reply, status
from support.shell import Command

from trustuqa_neo4j import Demonstration, Settings, TrustUQA
from trustuqa_neo4j.curation.query_writing import PAGE, REPLY_TOKENS
from trustuqa_neo4j.errors import ModelError, UsageError
from trustuqa_neo4j.loading.request import Progress

DATASET = "ferries"
FERRIES = "Ferry,Harbour,Built\nAmber,Tallinn,1998\nBirka,Turku,2004\nCora,Tallinn,2011\n"
AMBER = Demonstration("When was Amber built?", "", ("1998",))
BIRKA = Demonstration("When was Birka built?", "", ("2004",))
CORA = Demonstration("Where is Cora at home?", "", ("Turku",))  # the label is wrong


def query(ferry: str, column: str = "Built") -> str:
    return f"Query1: get_information(relation='{column}', key='Ferry', value='{ferry}')"


Opens = Callable[..., tuple[TrustUQA, Chat]]


@pytest.fixture
def opens(server: Settings, client: TrustUQA, tmp_path: Path) -> Iterator[Opens]:
    """A client of a model that gives these replies, and a dataset without demonstrations."""
    path = tmp_path / "ferries.csv"
    path.write_text(FERRIES, encoding="utf-8")
    client.load("table", path, dataset=DATASET, source="ferries", embeddings=False)
    opened: list[tuple[TrustUQA, Chat]] = []

    def open_client(*replies: Reply) -> tuple[TrustUQA, Chat]:
        chat = Chat(*replies)
        chat.__enter__()
        settings = chat.make_settings(server, tmp_path, llm_prices="1/2")
        opened.append((TrustUQA.connect(settings), chat))
        return opened[-1]

    yield open_client
    for tuqa, chat in opened:
        tuqa.close()
        chat.__exit__()
    client.drop(DATASET)


def states(tuqa: TrustUQA) -> dict[str, str]:
    return {row.question: row.state for row in tuqa.demonstrations.listed(DATASET)}


def test_right_queries_are_verified_and_wrong_ones_remembered(opens: Opens) -> None:
    tuqa, chat = opens(query("Amber"), query("Cora", "Harbour"))
    written = tuqa.write_demonstrations(DATASET, [AMBER, CORA], workers=1, retries=0)
    assert (written.verified, written.failed, written.unwritten, written.left) == (1, 1, 0, 0)
    assert written.usage.calls == len(chat.requests) == 2
    assert written.usage.cost is not None
    assert written.usage.cost > 0
    assert states(tuqa) == {AMBER.question: "verified", CORA.question: "failed"}
    (failure,) = tuqa.demonstrations.listed(DATASET, ["failed"])
    assert failure.why == "it gives 'Tallinn', and the answer is 'Turku'"
    # The schema has all towns, since they are few; nothing else of the prompt has the answer.
    lines = [line for r in chat.requests for _, text in r.messages for line in text.splitlines()]
    places = [line for line in lines if "Turku" in line]
    assert all(line.startswith("Columns with few values") for line in places), places


def test_no_question_is_paid_for_twice(opens: Opens) -> None:
    tuqa, chat = opens(query("Amber"), query("Cora", "Harbour"), query("Birka"))
    tuqa.write_demonstrations(DATASET, [AMBER, CORA], workers=1, retries=0)
    plan = tuqa.plan_demonstrations(DATASET, [AMBER, BIRKA, CORA, BIRKA])
    assert (plan.questions, plan.known, plan.failed, plan.calls) == ((BIRKA,), 1, 1, 1)
    prompt = tuqa.prompt(BIRKA.question, DATASET)
    assert plan.tokens == prompt.tokens + REPLY_TOKENS
    assert plan.cost == pytest.approx((prompt.tokens + 2 * REPLY_TOKENS) / 1_000_000)
    tuqa.write_demonstrations(DATASET, [AMBER, BIRKA, CORA], workers=1)
    assert [request.prompt.count(BIRKA.question) for request in chat.requests] == [0, 0, 1]
    again = tuqa.plan_demonstrations(DATASET, [AMBER, BIRKA, CORA], again=True)
    assert again.questions == (CORA,)
    corrected = replace(CORA, answers=("Tallinn",))
    assert tuqa.plan_demonstrations(DATASET, [corrected]).questions == (corrected,)


def test_a_written_query_is_shown_for_the_next_question(opens: Opens) -> None:
    tuqa, chat = opens(query("Amber"), query("Birka"))
    tuqa.write_demonstrations(DATASET, [AMBER], workers=1)
    tuqa.write_demonstrations(DATASET, [BIRKA], workers=1)
    assert any(AMBER.question in text for _, text in chat.requests[1].messages)


def test_a_repaired_query_counts(opens: Opens) -> None:
    tuqa, chat = opens(query("Amber", "Age"), query("Amber"))
    written = tuqa.write_demonstrations(DATASET, [AMBER], workers=1)
    assert (written.verified, written.failed, len(chat.requests)) == (1, 0, 2)


def test_only_so_many_questions_are_asked(opens: Opens) -> None:
    tuqa, chat = opens(query("Amber"))
    written = tuqa.write_demonstrations(DATASET, [AMBER, BIRKA, CORA], number=1, workers=1)
    assert (written.verified, written.left, len(chat.requests)) == (1, 0, 1)


def test_at_the_limit_of_the_run_the_rest_is_left(opens: Opens) -> None:
    tuqa, chat = opens(query("Amber"))
    written = tuqa.write_demonstrations(DATASET, [AMBER, BIRKA, CORA], max_calls=1, workers=1)
    assert (written.verified, written.left, len(chat.requests)) == (1, 2, 1)
    assert written.stopped == "1 of 1 calls are used, the next call of the model needs 1"
    assert states(tuqa) == {AMBER.question: "verified"}


def test_what_was_written_stays_if_the_model_fails(opens: Opens) -> None:
    tuqa, _ = opens(query("Amber"), status(401))
    with pytest.raises(ModelError):
        tuqa.write_demonstrations(DATASET, [AMBER, BIRKA, CORA], workers=1)
    assert states(tuqa) == {AMBER.question: "verified"}


def interrupt(_: int) -> None:
    raise KeyboardInterrupt


def test_what_was_written_stays_after_an_interruption(opens: Opens) -> None:
    tuqa, _ = opens(query("Amber"))
    with pytest.raises(KeyboardInterrupt):
        tuqa.write_demonstrations(
            DATASET, [AMBER, BIRKA], workers=1, progress=Progress(advance=interrupt)
        )
    assert states(tuqa) == {AMBER.question: "verified"}


def test_more_questions_than_a_page(opens: Opens) -> None:
    tuqa, chat = opens(query("Amber"))
    many = [replace(AMBER, question=f"When was Amber built, {n}?") for n in range(PAGE + 3)]
    written = tuqa.write_demonstrations(DATASET, many)
    assert (written.verified, len(chat.requests)) == (PAGE + 3, PAGE + 3)


def test_only_the_schema_leaves_if_that_is_wished(opens: Opens) -> None:
    tuqa, chat = opens(query("Amber"))
    tuqa.write_demonstrations(DATASET, [AMBER], private=True)
    assert all("Tallinn" not in text for _, text in chat.requests[0].messages)


def test_without_a_model_nothing_is_written(client: TrustUQA) -> None:
    with pytest.raises(UsageError, match="there is no model to write queries"):
        client.write_demonstrations(DATASET, [AMBER])
    with pytest.raises(UsageError, match="demonstrations cannot be computed by a model"):
        client.plan_demonstrations(DATASET, [AMBER], llm_function=True)


def test_in_the_shell(opens: Opens, sh: Command, tmp_path: Path) -> None:
    _, chat = opens(query("Amber"), query("Cora", "Harbour"))
    file = tmp_path / "questions.jsonl"
    records = [
        {"question": row.question, "answers": [*(row.answers or ())]} for row in (AMBER, CORA)
    ]
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    env = {"TUQA_LLM": "openai:test", "OPENAI_BASE_URL": chat.url, "OPENAI_API_KEY": KEY}
    words = ["tuqa", "demonstrations", "write", str(file), "--dataset", DATASET, "--no-cache"]
    unconfirmed = sh(*words, env=env)
    assert (unconfirmed.code, chat.requests) == (2, [])
    assert "ferries: 2 questions to ask, 2 calls without repairs, about " in unconfirmed.err
    assert "nobody can confirm the cost here; --yes accepts it" in unconfirmed.err
    done = sh(*words, "--yes", "--workers", "1", "--retries", "0", env=env)
    assert (done.code, done.out) == (0, "ferries: 1 verified, 1 failed\n")
    assert "the model took 2 calls and " in done.err
    repeated = sh(*words, env=env)
    assert (repeated.code, repeated.out) == (0, "ferries: nothing to run\n")
    assert "0 questions to ask, 0 calls" in repeated.err
    assert "1 there already; 1 failed before (--again)" in repeated.err
    file.write_text(json.dumps(records[0]) + "\n" + json.dumps(records[0]) + "\n", encoding="utf-8")
    assert "note: 1 lines repeat a question, the first counts" in sh(*words, env=env).err


def test_a_query_without_an_expected_answer_is_not_asked_and_named(
    opens: Opens, sh: Command, tmp_path: Path
) -> None:
    client, chat = opens(query("Amber"))
    client.demonstrations.store(DATASET, [replace(AMBER, query=query("Amber"), answers=None)])
    client.demonstrations.verify(DATASET)
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps({"question": AMBER.question, "answers": ["x"]}), encoding="utf-8")
    env = {"TUQA_LLM": "openai:test", "OPENAI_BASE_URL": chat.url, "OPENAI_API_KEY": KEY}
    done = sh("tuqa", "demonstrations", "write", str(file), "--dataset", DATASET, env=env)
    assert (done.code, chat.requests) == (0, [])
    assert "; 1 there already without an expected answer (`tuqa demonstrations import" in done.err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"question": "q"}', "no answers in it"),
        ('{"question": "q", "answers": "a"}', "answers that are not a list of texts or numbers"),
        ('{"answers": ["a"]}', "no question in it"),
        ("", "each line is an object with question and answers"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(
    sh: Command, tmp_path: Path, line: str, message: str
) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(line + "\n", encoding="utf-8")
    done = sh("tuqa", "demonstrations", "write", str(file), "--dataset", "d", "--llm", "openai:x")
    assert done.code == 1
    assert message in done.err


def test_a_question_that_gets_no_query_is_counted(opens: Opens) -> None:
    tuqa, _ = opens("")
    asked = threading.Event()
    written = tuqa.write_demonstrations(
        DATASET, [AMBER], retries=0, workers=1, listen=lambda _: asked.set()
    )
    assert asked.is_set()
    assert (written.verified, written.failed, written.unwritten) == (0, 0, 1)
    assert states(tuqa) == {}
