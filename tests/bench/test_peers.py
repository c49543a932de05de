"""``bench.peers``: one rule for all systems, what writes is counted and undone, and a run goes on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import neo4j
import pytest
from support.chat_server import Chat

from bench.peers.__main__ import (
    ask_missing,
    ask_peer,
    choose_cases,
    freeze,
    keep_common,
    print_table,
    read_answers,
)
from bench.peers.peer import PEERS, StatementLog, count_tokens
from bench.peers.peer_process import REQUIREMENTS, PeerProcess
from bench.peers.property_graph import APOC, VERSION, add_apoc
from bench.peers.verdicts import (
    HEADER,
    SystemAnswer,
    has_all_labels,
    is_worded_from_nothing,
    judge,
    measure,
)
from trustuqa_neo4j import Settings
from trustuqa_neo4j.evaluation.benchmark import Case

ROOT = Path(__file__).parents[2]
SAMPLE_PEER = ROOT / "tests" / "samples" / "cypher_peer.py"
NAMES = Case("q1", "Who wrote it?", "", ("Ann", "Bob"), "names")
YEAR = Case("q2", "When?", "", ("1999",), "names")
TABLE = Case("q3", "Fee by policy?", "", ("p | 7",), "tables", rows=(("p", 7),))
NOTHING = Case("q4", "Any?", "", (), "tables")


def make_answer(*rows: list[Any], **fields: Any) -> SystemAnswer:
    return SystemAnswer("q1", "names", **freeze({"rows": rows, **fields}))


@pytest.mark.parametrize(
    ("case", "answer", "verdict"),
    [
        (NAMES, make_answer(["Bob"], ["Ann"], ["Ann"]), "right"),
        (NAMES, make_answer([{"name": "Ann", "age": 3}], [{"name": "Bob"}]), "right"),
        (NAMES, make_answer([["Ann", "Bob"], None]), "right"),
        (NAMES, make_answer(["Ann", "Film"], ["Bob", "Film"]), "more"),
        (NAMES, make_answer(["Ann"]), "wrong"),
        (NAMES, make_answer(["ann"], ["bob"]), "wrong"),
        (NAMES, make_answer(), "refused"),
        (NAMES, make_answer([None]), "refused"),
        (NAMES, make_answer(refusal="not askable"), "refused"),
        (NAMES, make_answer(error="syntax"), "error"),
        (YEAR, make_answer([1999.0]), "right"),
        (TABLE, make_answer([7, "p"]), "right"),
        (TABLE, make_answer([{"policy": "p", "fee": 7, "tuqa_export": "d"}]), "right"),
        (TABLE, make_answer(["p", 7, "x"]), "more"),
        (TABLE, make_answer(["p", 8]), "wrong"),
        (TABLE, make_answer(), "refused"),
        (NOTHING, make_answer(), "right"),
        (NOTHING, make_answer(["x"]), "wrong"),
        (NOTHING, make_answer(refusal="not askable"), "refused"),
    ],
)
def test_one_rule_for_all(case: Case, answer: SystemAnswer, verdict: str) -> None:
    assert judge(case, answer) == verdict


def test_prose_must_have_every_label() -> None:
    assert has_all_labels(NAMES, "It was bob, and Ann.")
    assert not has_all_labels(NAMES, "It was Bob.")
    assert has_all_labels(TABLE, "P costs 7.")
    assert not has_all_labels(NOTHING, "I don't know.")


@pytest.mark.parametrize(
    ("answer", "is_worded"),
    [
        (make_answer(prose="It was Ann."), True),
        (make_answer([None], prose="It was Ann."), True),
        (make_answer(["Ann"], prose="It was Ann."), False),
        (make_answer(prose="I don't know the answer."), False),
        (make_answer(prose="I’m sorry, I cannot say."), False),
        (make_answer(), False),
    ],
)
def test_prose_without_a_row_is_counted(answer: SystemAnswer, *, is_worded: bool) -> None:
    assert is_worded_from_nothing(answer) == is_worded


def test_each_column_is_computed_from_the_answers(capsys: pytest.CaptureFixture[str]) -> None:
    writing = {"text": "CREATE ()", "type": "w"}
    reading = {"text": "RETURN 1", "type": "r"}
    answers = [
        make_answer(["Ann"], ["Bob"], seconds=1.0, input_tokens=900, output_tokens=100),
        make_answer(["Ann"], seconds=2.0, prose="Ann and Bob", statements=[reading, writing]),
        make_answer(error="no", seconds=9.0, statements=[{"text": "MATCH", "type": None}]),
    ]
    cells = ("3", "1", "0", "1", "0", "1", "2.0", "1,000", "1", "1 of 1", "0")
    assert measure({"q1": NAMES}, answers) == cells
    assert len(HEADER) == 1 + len(cells)
    print_table({"q1": NAMES}, {"one": answers, "none": []})
    rows = capsys.readouterr().out.splitlines()
    assert rows.count(f"| one | {' | '.join(cells)} |") == 2
    assert "| none | 0 | 0 | 0 | 0 | 0 | 0 | – | 0 | 0 | – | – |" in rows


def test_a_sample_does_not_depend_on_the_other_questions() -> None:
    cases = [Case(str(n), "", "", (), "even" if n % 2 == 0 else "odd") for n in range(40)]
    few = choose_cases(cases, 3)
    assert [case.group for case in few] == ["even", "odd"] * 3
    more = choose_cases(reversed(cases), 5)
    assert [case for case in more if case in few] == few
    remaining = [case for case in cases if case not in few[1:]]
    assert few[0] in choose_cases(remaining, 1)


def test_a_run_goes_on_after_an_incomplete_line(tmp_path: Path) -> None:
    path = tmp_path / "system.jsonl"
    asked: list[str] = []

    def ask(case: Case) -> SystemAnswer:
        asked.append(case.id)
        return SystemAnswer(case.id, case.group, (("Ann", 1, None),), statements=({"type": "r"},))

    ask_missing([NAMES], {"one": ask}, {"one": path})
    complete = path.read_text()
    path.write_text(complete + '{"id": "q2", "gro')
    ask_missing([NAMES, YEAR], {"one": ask}, {"one": path})
    assert asked == ["q1", "q2"]
    assert path.read_text().startswith(complete)
    assert read_answers(path) == [
        SystemAnswer(case.id, case.group, (("Ann", 1, None),), statements=({"type": "r"},))
        for case in (NAMES, YEAR)
    ]


def test_each_question_goes_to_all_systems_before_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    files_read: list[Path] = []

    def make_ask(label: str) -> Callable[[Case], SystemAnswer]:
        def ask(case: Case) -> SystemAnswer:
            order.append(f"{label} {case.id}")
            return SystemAnswer(case.id, case.group)

        return ask

    def note_file(path: Path) -> list[SystemAnswer]:
        files_read.append(path)
        return read_answers(path)

    monkeypatch.setattr("bench.peers.__main__.read_answers", note_file)
    paths = {label: tmp_path / label for label in ("one", "two")}
    ask_missing([NAMES, YEAR, TABLE], {label: make_ask(label) for label in paths}, paths)
    assert order == ["one q1", "two q1", "one q2", "two q2", "one q3", "two q3"]
    assert files_read == [*paths.values()]


def test_a_peer_that_takes_too_long_is_ended() -> None:
    lines = "import sys\nfor line in sys.stdin:\n    if 'wait' in line: sys.stdin.read()\n    "
    script = lines + "print('{\"rows\": []}', flush=True)"
    with closing(PeerProcess((sys.executable, "-c", script), {}, 20)) as process:
        assert process.ask("now") == {"rows": []}
    with closing(PeerProcess((sys.executable, "-c", script), {}, 0.5)) as process:
        assert process.ask("wait") == {"error": "longer than 0.5 seconds", "seconds": 0.5}


def test_tokens_that_a_server_does_not_count_are_none() -> None:
    usages = [{"input_tokens": 3, "output_tokens": None}, {"input_tokens": 4, "output_tokens": 2}]
    assert count_tokens(usages) == {"input_tokens": 7, "output_tokens": 2}


def test_the_table_has_questions_that_all_systems_were_asked() -> None:
    both, alone = make_answer(["Ann"]), SystemAnswer("q2", "names")
    assert keep_common({"one": [both, alone], "two": [both]}) == {"one": [both], "two": [both]}
    assert keep_common({"one": [both], "two": []}) == {"one": [], "two": []}


def test_apoc_is_added_to_a_locked_version() -> None:
    assert add_apoc(VERSION).jars[-1] == APOC
    assert APOC not in add_apoc("2026.08.1").jars[:-1]


def test_the_peers_have_versions_and_are_no_requirements_of_the_package() -> None:
    lines = [line for line in REQUIREMENTS.read_text().splitlines() if not line.startswith("#")]
    assert all(line.count("==") == 1 for line in lines)
    requirements = (ROOT / "pyproject.toml").read_text()
    assert not any(peer in requirements for peer in ("langchain-neo4j", "neo4j-graphrag"))
    assert set(PEERS) == {"langchain", "graphrag"}


@pytest.fixture
def driver(server: Settings) -> Iterator[neo4j.Driver]:
    assert server.uri is not None
    auth = (server.username, server.password or "")
    with neo4j.GraphDatabase.driver(server.uri, auth=auth) as driver:
        yield driver


@pytest.fixture
def environment(server: Settings) -> dict[str, str]:
    return {
        "NEO4J_URI": server.uri or "",
        "NEO4J_USERNAME": server.username,
        "NEO4J_PASSWORD": server.password or "",
        "NO_PROXY": "127.0.0.1",
        "PYTHONPATH": str(ROOT),
    }


@pytest.mark.parametrize(
    ("statement", "query_type"),
    [
        ("RETURN 1 AS one", "r"),
        ("CREATE (n:Draft)", "w"),
        ("CREATE (n:Draft) RETURN n", "rw"),
        ("MATCH (n:Draft) DETACH DELETE n RETURN count(n) AS n", "rw"),
        ("CREATE INDEX draft FOR (n:Draft) ON (n.name)", "s"),
    ],
)
def test_what_writes_is_noted_and_undone(
    driver: neo4j.Driver, statement: str, query_type: str
) -> None:
    log = StatementLog(driver)
    log.run(statement)
    assert log.entries == [{"text": statement, "type": query_type}]
    answer = make_answer(statements=log.entries)
    assert answer.writes == (query_type != "r")
    assert driver.execute_query("MATCH (n:Draft) RETURN count(n) AS n").records[0]["n"] == 0
    assert not driver.execute_query("SHOW INDEXES WHERE name = 'draft'").records


def test_a_peer_is_asked_in_a_process_of_its_own(
    driver: neo4j.Driver, environment: dict[str, str], tmp_path: Path
) -> None:
    """A model whose statements read, write, fail and end the process."""
    cases = [Case(str(n), f"question {n}", "", ("Ann",), "all") for n in range(5)]
    statements = [
        "UNWIND ['Ann'] AS name RETURN name",
        "CREATE (n:Draft {name: 'Ann'}) RETURN n",
        "MATCH (n:Draft RETURN n",
        "stop",
        "MATCH (n:Draft) RETURN n",
    ]
    path = tmp_path / "peer.jsonl"
    command = (sys.executable, str(SAMPLE_PEER))
    with (
        Chat(*statements) as chat,
        closing(PeerProcess(command, environment | {"OPENAI_BASE_URL": chat.url}, 60)) as process,
    ):
        systems, paths = {"peer": partial(ask_peer, process)}, {"peer": path}
        ask_missing(cases, systems, paths)
        ask_missing(cases, systems, paths)
        assert [request.prompt for request in chat.requests] == [case.question for case in cases]
    answers = read_answers(path)
    by_id = {case.id: case for case in cases}
    verdicts = [judge(by_id[answer.id], answer) for answer in answers]
    assert verdicts == ["right", "right", "error", "error", "refused"]
    assert answers[3].error == "the process ended with code 3"
    assert [answer.writes for answer in answers] == [0, 1, 0, 0, 0]
    assert driver.execute_query("MATCH (n:Draft) RETURN count(n) AS n").records[0]["n"] == 0
