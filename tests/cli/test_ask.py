"""``tuqa ask`` as a person runs it: after demonstrations, of a model, and with all that can be wrong."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.chat_server import KEY, Chat, slow
from support.homes import wait_for
from support.shell import Command, environment

from trustuqa_neo4j import Answer, Settings, TrustUQA
from trustuqa_neo4j.model.demonstration import Demonstration
from trustuqa_neo4j.option import GROUPS

DIRECTOR = "Query1: \"get_information(head_entity='{}', relation='directed by')\""
QUESTION = "who directed Alien"


@pytest.fixture
def taught(films: TrustUQA) -> TrustUQA:
    shown = [
        ("who directed Aliens", DIRECTOR.format("Aliens")),
        ("who is the director of Blade Runner", DIRECTOR.format("Blade Runner")),
        (
            "who stars in Aliens",
            "Query1: \"get_information(head_entity='Aliens', relation='starring')\"",
        ),
    ]
    films.demonstrations.store("films", [Demonstration(*each) for each in shown])
    done = films.demonstrations.verify("films")
    assert (done.runs, done.failed) == (3, 0)
    return films


@pytest.fixture
def chat() -> Iterator[Chat]:
    with Chat(DIRECTOR.format("Alien")) as server:
        yield server


def test_after_demonstrations(taught: TrustUQA, command: Command) -> None:
    done = command("tuqa", "ask", QUESTION, "--dataset", "films")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "Ridley Scott"
    assert lines[1] == "understood as: 'directed by' of Alien"
    assert lines[2].startswith("confidence ")
    assert any("Alien" in line and "directed by" in line for line in lines[3:])


def test_an_answer_as_a_sentence(taught: TrustUQA, sh: Command) -> None:
    done = sh("tuqa", "ask", QUESTION, "--dataset", "films", "--sentence")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0] == "'directed by' of Alien: Ridley Scott."
    assert "facts" not in done.out


def test_a_reading_is_picked_by_its_number(films: TrustUQA, sh: Command) -> None:
    words = ("tuqa", "ask", "Who is the CEO of Alien?", "--dataset", "films")
    offered = sh(*words)
    assert (offered.code, offered.out.splitlines()[-4:-3]) == (1, ["did you mean (--pick N):"])
    first = offered.out.splitlines()[-3]
    picked = sh(*words, "--pick", "1")
    assert (picked.code, picked.err) == (0, "")
    value, understood = picked.out.splitlines()[:2]
    assert first == f"  1. {understood.removeprefix('understood as: ')} → {value}"
    refused = sh(*words, "--pick", "99")
    assert (refused.code, "there is no reading 99" in refused.err) == (2, True)


def test_a_model_words_an_answer(films: TrustUQA, sh: Command) -> None:
    sentence = "Alien was directed by Ridley Scott."
    words = ("tuqa", "ask", QUESTION, "--dataset", "films", "--prose", "--reader", "off")
    with Chat(DIRECTOR.format("Alien"), sentence) as chat:
        done = sh(*words, env=chat.environment)
    lines = done.out.splitlines()
    assert (done.code, lines[0]) == (0, "Ridley Scott")
    assert f"worded by the model: {sentence}" in lines


def test_a_chart_of_an_answer(tuqa: TrustUQA, sh: Command, tmp_path: Path) -> None:
    rows = [
        {"ship": "Alca", "port": "Wick"},
        {"ship": "Brant", "port": "Wick"},
        {"ship": "Cormo", "port": "Thurso"},
    ]
    tuqa.load(rows, dataset="ships", embeddings=False)
    question = "How many ships are there per port?"
    done = sh("tuqa", "ask", question, "--dataset", "ships", "--chart", "a.svg")
    assert (done.code, done.err) == (0, "")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").startswith('<svg class="tuqa-chart"')
    done = sh("tuqa", "ask", "How many ships are there?", "--dataset", "ships", "--chart", "b.svg")
    assert done.code == 0
    assert done.err.startswith("no chart is drawn: the answer is not a table")
    assert not (tmp_path / "b.svg").exists()


def test_a_picture_of_an_answer(taught: TrustUQA, sh: Command, tmp_path: Path) -> None:
    done = sh("tuqa", "ask", QUESTION, "--dataset", "films", "--picture", "a.svg", "--tree")
    assert (done.code, done.err) == (0, "")
    assert "  └─ step 1 Alien directed by Ridley Scott (films, " in done.out
    picture = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert f'">{QUESTION}</title>' in picture


def test_a_question_needs_no_quotes_and_no_dataset(taught: TrustUQA, sh: Command) -> None:
    done = sh("tuqa", "ask", *QUESTION.split(), "--json")
    told = json.loads(done.out)
    assert (done.code, told["outcome"], told["values"]) == (0, "answered", ["Ridley Scott"])
    assert told["question"] == QUESTION
    assert "Alien" in told["llm_query"]
    assert 0 < told["confidence"] <= 1
    assert set(told) >= {"evidence", "usage", "mapped", "ms", "problems", "columns", "rows"}


def test_what_was_not_demonstrated_cannot_be_asked(taught: TrustUQA, sh: Command) -> None:
    done = sh("tuqa", "ask", "how much did the moon weigh in spring", "--dataset", "films")
    assert (done.code, done.out.splitlines()[0]) == (1, "not askable")
    assert "could be asked" in done.out
    assert "--llm" in done.err
    assert "Traceback" not in done.err


def test_a_name_that_the_data_do_not_have_is_told(taught: TrustUQA, sh: Command) -> None:
    done = sh("tuqa", "ask", "who directed Bladders", "--dataset", "films")
    assert (done.code, done.out.splitlines()[0]) == (1, "not askable")
    assert "'bladders'" in done.err
    marked = sh("tuqa", "ask", "who directed [Bladders]", "--dataset", "films")
    assert (marked.code, marked.out.splitlines()[0]) == (0, "empty")
    assert "unknown name: films has no 'Bladders'" in marked.err


def test_without_demonstrations_it_says_what_to_do(films: TrustUQA, sh: Command) -> None:
    done = sh("tuqa", "ask", QUESTION, "--dataset", "films", "--reader", "off")
    assert done.code == 1
    assert "films has no demonstrations" in done.err
    assert "teach some" in done.err


def test_of_a_model(films: TrustUQA, sh: Command, chat: Chat) -> None:
    done = sh("tuqa", "ask", QUESTION, "--dataset", "films", "--no-cache", env=chat.environment)
    assert (done.code, done.out.splitlines()[0]) == (0, "Ridley Scott")
    assert KEY not in done.out + done.err
    assert len(chat.requests) == 1


def test_parameters_of_a_model(films: TrustUQA, sh: Command) -> None:
    parameters = ("--temperature", "0.3", "--seed", "7", "--reply-tokens", "200")
    parameters += ("--reasoning-effort", "low", "--extra-body", '{"top_k": 20}')
    with Chat(DIRECTOR.format("Alien")) as other, Chat(DIRECTOR.format("Alien")) as chat:
        parameters += ("--base-url", chat.url)
        done = sh("tuqa", "ask", QUESTION, "--dataset", "films", *parameters, env=other.environment)
        assert (done.code, done.out.splitlines()[0]) == (0, "Ridley Scott")
        assert not other.requests
    body = chat.requests[0].body
    names = ("temperature", "seed", "max_completion_tokens", "reasoning_effort", "top_k")
    assert [body[name] for name in names] == [0.3, 7, 200, "low", 20]


def test_a_model_computes_if_it_may(films: TrustUQA, sh: Command) -> None:
    query = f"{DIRECTOR.format('Alien')}\nQuery2: best_of(output_of_query1)"
    words = ("tuqa", "ask", QUESTION, "--dataset", "films", "--llm-function", "--no-cache")
    words += ("--reader", "off")
    with Chat(query, '{"values": ["Ridley Scott"]}') as chat:
        done = sh(*words, env=chat.environment)
    assert (done.code, done.out.splitlines()[0]) == (0, "Ridley Scott")
    assert "computed by the model, not by the data alone (stages `judge` of the trace)" in done.out
    assert len(chat.requests) == 2


def test_the_help_has_sections(sh: Command) -> None:
    done = sh("tuqa", "ask", "--help")
    sections = re.split(r"^(\S.*):\n", done.out, flags=re.M)[1:]
    placed = {
        option: title
        for title, text in zip(sections[::2], sections[1::2], strict=True)
        for option in re.findall(r"^  (?:-h, )?(--[a-z-]+)", text, re.M)
    }
    assert list(dict.fromkeys(placed.values())) == [*GROUPS, "Other options"]
    question, model, limits, prompt, output = GROUPS
    expected = {
        "--dataset": question, "--pick": question, "--votes": model, "--seed": model, "--max-calls": limits,
        "--at-once": limits, "--private": prompt, "--show-prompt": prompt, "--json": output,
        "--evidence": output, "--uri": "Other options", "--help": "Other options",
    }  # fmt: skip
    assert expected.items() <= placed.items()


def test_what_a_model_would_be_sent(films: TrustUQA, sh: Command, chat: Chat) -> None:
    done = sh("tuqa", "ask", QUESTION, "--dataset", "films", "--show-prompt", env=chat.environment)
    assert done.code == 0
    assert "directed by" in done.out
    assert QUESTION in done.out
    assert chat.requests == []


def test_what_the_question_means_is_named(taught: TrustUQA, sh: Command, chat: Chat) -> None:
    asked = (
        "tuqa",
        "ask",
        "who made it",
        "--dataset",
        "films",
        "--entity",
        "Alien",
        "--show-prompt",
    )
    done = sh(*asked, env=chat.environment)
    assert (done.code, 'The question means "Alien".' in done.out) == (0, True)
    asked = ("tuqa", "ask", "who directed gattaca", "--dataset", "films", "--entity", "Gattaca")
    done = sh(*asked)
    assert (done.code, done.out.splitlines()[0]) == (0, "empty")
    assert "films has no 'gattaca'" in done.err


def test_a_file_gives_a_line_for_each_question_in_order(
    taught: TrustUQA, sh: Command, tmp_path: Path
) -> None:
    (tmp_path / "q.txt").write_text(
        f'{QUESTION}\n\n{{"id": "b", "question": "who stars in Alien"}}\nwhat is the sense of it\n'
    )
    done = sh("tuqa", "ask", "--file", "q.txt", "--dataset", "films", "--at-once", "2")
    told = [json.loads(line) for line in done.out.splitlines()]
    assert [each["id"] for each in told] == [1, "b", 4]
    assert told[0]["values"] == ["Ridley Scott"]
    assert told[1]["values"] == ["Sigourney Weaver", "Tom Skerritt"]
    assert told[2]["outcome"] == "not_askable"
    assert (done.code, done.err) == (1, "3 questions: 2 answered, 1 not askable\n")


def test_a_line_names_its_own_data(
    taught: TrustUQA, sh: Command, tmp_path: Path, tuqa: TrustUQA
) -> None:
    names = {"numbers": ("1", "7"), "others": ("2", "9")}
    for dataset, values in names.items():
        for number, value in enumerate(values):
            file = tmp_path / f"{dataset}{number}.csv"
            file.write_text(f"ship,crew\nVega,{value}\nLyra,3{value}\n")
            mode = "append" if number else "new"
            tuqa.load("table", str(file), dataset=dataset, source=f"t{number}", mode=mode)
    lines = [
        {"dataset": "numbers", "source": "t0"},
        {"dataset": ["numbers"], "source": "t1"},
        {"dataset": "others", "source": "t1"},
        {"source": "t0"},
        {"dataset": "none"},
        {"dataset": "numbers", "source": "none"},
    ]
    asked = [json.dumps({"question": "what is the crew of Vega?", **line}) for line in lines]
    (tmp_path / "q.jsonl").write_text("\n".join(asked))
    done = sh("tuqa", "ask", "--file", "q.jsonl", "--dataset", "others", "--source", "t1")
    told = [json.loads(line) for line in done.out.splitlines()]
    assert [each["values"] for each in told] == [["1"], ["7"], ["9"], ["2"], [], []]
    assert [each["outcome"] for each in told[4:]] == ["failed", "failed"]
    assert "no dataset 'none'" in told[4]["problems"][0]["message"]
    assert done.code == 1
    (tmp_path / "bad.jsonl").write_text('{"question": "a", "dataset": 7}\n')
    done = sh("tuqa", "ask", "--file", "bad.jsonl")
    assert (done.code, done.out) == (1, "")
    assert "bad.jsonl:1" in done.err
    assert "dataset or source is not a name" in done.err
    # An unknown dataset of all questions ends the command.
    (tmp_path / "plain.txt").write_text("what is the crew of Vega?\n")
    done = sh("tuqa", "ask", "--file", "plain.txt", "--dataset", "none")
    assert (done.code, done.out) == (1, "")


def test_a_file_as_csv(taught: TrustUQA, sh: Command, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text(f"{QUESTION}\nwho stars in Alien\n")
    done = sh("tuqa", "ask", "--file", "q.txt", "--dataset", "films", "--csv")
    head, one, two = csv.reader(io.StringIO(done.out))
    assert head == ["id", "question", "outcome", "answer", "confidence"]
    assert one[:4] == ["1", QUESTION, "answered", "Ridley Scott"]
    assert two[3] == "Sigourney Weaver | Tom Skerritt"
    assert done.code == 0


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ((), 2, "no question"),
        (("a", "--file", "q.txt"), 2, "both a question and --file"),
        (("a", "--json", "--csv"), 2, "contradict"),
        (("a", "--file"), 2, "requires an argument"),
        (("--file", "q.txt", "--show-prompt"), 2, "--show-prompt is for one question"),
        (("--file", "q.txt", "--entity", "x"), 2, "--entity is for one question"),
        (("--file", "q.txt", "--picture", "x.svg"), 2, "--picture is for one question"),
        (("--file", "q.txt", "--tree"), 2, "--tree is for one question"),
        (("--file", "q.txt", "--chart", "x.svg"), 2, "--chart is for one question"),
        (("a", "--chart", "x.png"), 2, "'x.png' does not end in .svg"),
        (("a", "--picture", "x.jpg"), 2, "'x.jpg' does not end in .svg or .mmd or .dot"),
        (("a", "--entity", " "), 2, "an entity without a name"),
        (("--file", "none.txt"), 2, "no such file"),
        (("--file", "bad.txt"), 1, "not UTF-8 text"),
        (("--file", "empty.txt"), 1, "there is no question in it"),
        (("--file", "odd.jsonl"), 1, "odd.jsonl:2"),
        (("a", "--dataset", "flims"), 1, "no dataset 'flims'"),
        (("a", "--dataset", "films", "--source", "x"), 1, "x"),
        (("a", "--dataset", "films", "--llm", "gpt"), 2, "names no model"),
        (("a", "--dataset", "films", "--llm", "openai:x"), 2, "OPENAI_API_KEY"),
        (("a", "--extra-body", "[1]"), 2, "'[1]' is not a JSON object, as {\"top_k\": 20}"),
        (
            ("a", "--dataset", "films", "--llm-function"),
            2,
            "name one (--llm), or leave out --llm-function",
        ),
        (
            ("a", "--dataset", "films", "--llm", "openai:x", "--base-url", "x"),
            2,
            "not an address, --base-url",
        ),
        (("   ",), 2, "no question"),
    ],
)
def test_bad_calls(
    films: TrustUQA, sh: Command, tmp_path: Path, words: tuple[str, ...], code: int, told: str
) -> None:
    (tmp_path / "q.txt").write_text("x\n")
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe\x00x")
    (tmp_path / "empty.txt").write_text("\n\n")
    (tmp_path / "odd.jsonl").write_text('{"question": "a"}\n{"query": "b"}\n')
    env = {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}
    done = sh("tuqa", "ask", *words, env=env)
    assert (done.code, done.out) == (code, "")
    assert told in done.err
    assert "Traceback" not in done.err


def test_a_model_that_is_not_there(films: TrustUQA, sh: Command) -> None:
    env = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_API_KEY": KEY}
    words = ("tuqa", "ask", QUESTION, "--dataset", "films", "--llm", "openai:x", "--timeout", "20")
    done = sh(*words, "--fallback", "off", env=env)
    assert (done.code, done.out) == (3, "")
    assert "127.0.0.1:1" in done.err
    assert KEY not in done.err
    done = sh(*words, env=env)
    assert (done.code, done.out.splitlines()[0]) == (0, "Ridley Scott")
    assert done.err.startswith("model unreachable: ")
    assert "127.0.0.1:1" in done.err
    assert "the answer is without the model" in done.err
    assert KEY not in done.out + done.err


def test_ctrl_c_ends_it_in_one_line(films: TrustUQA, server: Settings, tmp_path: Path) -> None:
    with Chat(slow(60)) as chat:
        script = Path(sys.executable).with_name("tuqa")
        asking = subprocess.Popen(
            [str(script), "ask", QUESTION, "--dataset", "films"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env=environment(server) | chat.environment | {"PATH": os.environ["PATH"]},
        )
        while not chat.requests and asking.poll() is None:
            chat.ended.wait(0.05)
        asking.send_signal(signal.SIGINT)
        out, err = asking.communicate(timeout=300)
    assert (asking.returncode, out, err.strip()) == (130, "", "interrupted")


# Waits, inside the transaction of its first statement, until it is killed.
WAIT_IN_TRANSACTION = """
import sys
from trustuqa_neo4j.cli.main import main
from trustuqa_neo4j.graph.connection import TransactionReader
run = TransactionReader.run
def run_and_wait(reader, name, /, **parameters):
    rows = run(reader, name, **parameters)
    print("in a transaction", flush=True)
    sys.stdin.readline()
    return rows
TransactionReader.run = run_and_wait
main()
"""


def open_transactions(client: TrustUQA) -> list[str]:
    with client.connection.driver.session() as session:
        rows = session.run("SHOW TRANSACTIONS YIELD transactionId, currentQuery")
        return [name for name, query in rows if not query.startswith("SHOW TRANSACTIONS")]


@pytest.mark.parametrize("words", [["ask", QUESTION], ["run", "query.txt"]])
def test_a_killed_command_leaves_no_transaction(
    taught: TrustUQA, server: Settings, sh: Command, tmp_path: Path, words: list[str]
) -> None:
    (tmp_path / "query.txt").write_text(DIRECTOR.format("Alien"))
    process = subprocess.Popen(
        [sys.executable, "-c", WAIT_IN_TRANSACTION, *words, "--dataset", "films"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        env=environment(server),
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "in a transaction\n"
        assert open_transactions(taught)
        process.kill()
        process.wait()
    assert process.returncode == -signal.SIGKILL
    wait_for(lambda: not open_transactions(taught))
    done = sh("tuqa", *words, "--dataset", "films")
    assert (done.code, done.out.splitlines()[0]) == (0, "Ridley Scott")


def test_the_answer_is_what_the_client_gives(taught: TrustUQA) -> None:
    answer = taught.ask(QUESTION, "films")
    assert isinstance(answer, Answer)
    assert (answer.values, answer.datasets) == (("Ridley Scott",), ("films",))
    assert [stage.stage for stage in answer.trace][:2] == ["retrieve", "follow"]
    followed = answer.trace[1]
    assert followed.given == "who directed Aliens"
    assert followed.found == "it fits to 1.00; 'Alien' for 'Aliens'"
    assert f"after the demonstration:\n  {followed.given}\n  {followed.found}\n" in answer.to_text(
        why=True
    )
    assert "after the demonstration" not in answer.to_text()
    assert answer.usage == {} or not any(answer.usage.values())
    assert answer.sent == ()
