"""The API over the real database: bodies, events, problems, the chat API and the description."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Semaphore, get_ident
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient
from support.web import BEARER, open_client, run_server

from trustuqa_neo4j import Answer, Settings, TrustUQA, time_limit
from trustuqa_neo4j.deadline import Deadline
from trustuqa_neo4j.errors import Cancelled
from trustuqa_neo4j.gate import MOST, Gate
from trustuqa_neo4j.model.demonstration import Demonstration
from trustuqa_neo4j.server import service

STARRING = "get_information(head_entity='Alien', relation='starring')"
ACTORS = ["Sigourney Weaver", "Tom Skerritt"]


@pytest.fixture
def web(films: TrustUQA, tmp_path: Path) -> Iterator[TestClient]:
    with open_client(films, tmp_path, allow_teach=True) as client:
        yield client


def read_events(text: str) -> list[tuple[str, Any]]:
    """Name and content of each event of a stream."""
    events = []
    for block in "\n".join(text.splitlines()).split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if "data" in lines:
            events.append((lines.get("event", ""), json.loads(lines["data"])))
    return events


def test_a_question_is_asked(web: TestClient) -> None:
    body = {"question": "who directed Alien", "dataset": "films"}
    response = web.post("/api/v1/ask", json=body)
    assert response.status_code == 200
    content = response.json()
    Draft202012Validator(Answer.json_schema()).validate(content)
    assert (content["values"], content["origin"]) == (["Ridley Scott"], "read")
    assert content["evidence"][0]["line"] > 0


def test_stages_are_streamed_and_the_answer_comes_last(web: TestClient) -> None:
    body = {"question": "who directed Alien", "dataset": "films"}
    response = web.post("/api/v1/ask", json=body, headers={"Accept": "text/event-stream"})
    assert response.headers["content-type"].startswith("text/event-stream")
    *stages, last = read_events(response.text)
    assert {name for name, _ in stages} == {"stage"}
    assert [content["stage"] for _, content in stages] == [
        stage["stage"] for stage in last[1]["trace"]
    ]
    assert (last[0], last[1]["values"]) == ("answer", ["Ridley Scott"])


def test_stages_of_a_query_are_streamed_as_they_end(films: TrustUQA, tmp_path: Path) -> None:
    query = f"Query1: {STARRING}\nQuery2: count(output_of_query1)"
    films.run(query, "films")  # a query that meets a new version of its data begins again
    with run_server(films, tmp_path) as address, httpx.stream(
        "POST", f"{address}api/v1/run", json={"query": query, "dataset": "films"},
        headers={**BEARER, "Accept": "text/event-stream"}, timeout=60,
    ) as response:  # fmt: skip
        *stages, last = read_events("\n".join(response.iter_lines()))
    names = [(content["stage"], content["step"]) for _, content in stages]
    # What comes before is of a transaction that has learned of a new version of the data.
    assert names[-8:] == [
        ("parse", None), ("check", None), ("map", None), ("plan", None), ("check", None),
        ("execute", 1), ("execute", 2), ("prove", None),
    ]  # fmt: skip
    assert stages[-3][1]["result"].startswith("step 1: 2 ")
    assert (last[0], last[1]["values"]) == ("answer", [2])


def test_a_problem_ends_a_stream(web: TestClient) -> None:
    body = {"question": "who directed Alien", "dataset": "flims"}
    response = web.post("/api/v1/ask", json=body, headers={"Accept": "text/event-stream"})
    (name, problem), = read_events(response.text)  # fmt: skip
    assert (name, problem["status"], problem["title"]) == ("problem", 404, "unknown dataset")


def test_a_query_is_run_and_checked(web: TestClient) -> None:
    answer = web.post("/api/v1/run", json={"query": STARRING, "dataset": "films"}).json()
    assert (answer["outcome"], answer["values"]) == ("answered", ACTORS)
    limited = {"query": STARRING, "dataset": "films", "limit": 1, "evidence": 0}
    answer = web.post("/api/v1/run", json=limited).json()
    assert (answer["values"], answer["truncated"], answer["evidence"]) == (ACTORS[:1], 2, [])
    wrong = {"query": "Query1: cuont('x')", "dataset": "films"}
    report = web.post("/api/v1/check", json=wrong).json()
    assert (report["good"], report["outcome"]) == (False, "rejected")
    assert (report["problems"][0]["kind"], report["problems"][0]["line"]) == ("unknown function", 1)


def test_data_are_described(web: TestClient) -> None:
    assert [entry["name"] for entry in web.get("/api/v1/datasets").json()] == ["films"]
    schema = web.get("/api/v1/datasets/films/schema").json()
    assert "starring" in [relation["name"] for relation in schema["relations"]]
    problem = web.get("/api/v1/datasets/films/schema?source=x.tsv").json()
    assert problem["title"] == "unknown source"
    assert web.get("/api/v1/datasets/flims/demonstrations").status_code == 404


def test_a_dataset_with_a_slash_is_described(
    web: TestClient, tuqa: TrustUQA, tmp_path: Path
) -> None:
    (tmp_path / "trees.csv").write_text("name,height\nAlder,12\n")
    tuqa.load(tmp_path / "trees.csv", dataset="wood/trees", embeddings=False)
    try:
        schema = web.get("/api/v1/datasets/wood%2Ftrees/schema").json()
        assert (schema["dataset"], schema["kind"]) == ("wood/trees", "table")
        assert web.get("/api/v1/datasets/wood%2Ftrees/demonstrations").json() == []
    finally:
        tuqa.drop("wood/trees")


def test_a_demonstration_is_stored_if_it_answers(web: TestClient, films: TrustUQA) -> None:
    place = "/api/v1/datasets/films/demonstrations"
    taught = {"question": "who plays in Alien", "query": STARRING}
    response = web.post(place, json=taught)
    assert (response.status_code, response.json()["state"]) == (201, "runs")
    assert "who plays in Alien" in [entry["question"] for entry in web.get(place).json()]
    nothing = {"question": "who", "query": STARRING.replace("Alien", "Nobody At All")}
    problem = web.post(place, json=nothing).json()
    assert problem["status"] == 400
    assert "not answered" in problem["detail"]
    assert [d.question for d in films.demonstrations.listed("films")] == ["who plays in Alien"]
    films.demonstrations.drop("films")


def test_a_wrong_answer_is_kept(web: TestClient, films: TrustUQA) -> None:
    place = "/api/v1/datasets/films/feedback"
    wrong = {"question": "who plays in Alien", "query": STARRING, "why": "too few"}
    response = web.post(place, json=wrong)
    assert (response.status_code, response.json()["state"]) == (201, "wrong")
    (listed,) = web.get(place).json()
    assert {name: listed[name] for name in wrong} == wrong
    assert films.demonstrations.listed("films") == []
    assert web.post(place, json={**wrong, "why": "x" * 1_001}).status_code == 400
    assert web.get("/api/v1/datasets/flims/feedback").status_code == 404
    assert films.demonstrations.drop("films", ("wrong",)) == 1


def test_questions_are_saved(web: TestClient, films: TrustUQA) -> None:
    place = "/api/v1/datasets/films/questions"
    question = {"question": "who plays in Alien?", "query": STARRING}
    response = web.post(place, json=question)
    assert (response.status_code, response.json()["state"]) == (201, "saved")
    assert web.post(place, json=question).status_code == 201  # the same one
    (listed,) = web.get(place).json()
    assert {name: listed[name] for name in question} == question
    assert films.demonstrations.listed("films") == []
    assert web.post(place, json={"question": "who?"}).status_code == 400
    assert web.get("/api/v1/datasets/flims/questions").status_code == 404
    assert web.delete(place).status_code == 400
    other = web.delete(place, params={"question": "who?"})
    assert (other.status_code, other.json()) == (200, {"deleted": 0})
    deleted = web.delete(place, params={"question": question["question"]})
    assert deleted.json() == {"deleted": 1}
    assert web.get(place).json() == []
    assert [dataset["name"] for dataset in web.get("/api/v1/datasets").json()] == ["films"]


def test_what_is_not_allowed_is_refused(films: TrustUQA, tmp_path: Path) -> None:
    taught = {"question": "who plays in Alien", "query": STARRING}
    with open_client(films, tmp_path) as client:
        problem = client.post("/api/v1/datasets/films/demonstrations", json=taught).json()
        assert (problem["status"], problem["hint"]) == (403, "start it with --allow-teach")
        assert client.get("/api/v1/datasets/films/feedback").status_code == 403
        assert client.get("/api/v1/datasets/films/questions").status_code == 403
        saved = client.delete("/api/v1/datasets/films/questions", params={"question": "who?"})
        assert saved.json()["hint"] == "start it with --allow-teach"
        assert client.get("/api/v1/loads").json()["hint"] == "start it with --allow-load"
    assert films.demonstrations.listed("films") == []


@pytest.mark.parametrize(
    ("path", "body", "status", "part"),
    [
        ("ask", b"", 400, "the body is wrong"),
        ("ask", b"{", 400, "JSON"),
        ("ask", b'{"question": ""}', 400, "question"),
        ("ask", b'{"question": "who", "pick": 0}', 400, "pick"),
        ("ask", b'{"question": "who", "vote": 3}', 400, "its fields are question"),
        (
            "ask",
            b'{"question": "who", "inferance": true}',
            400,
            "did you mean 'inference'? its fields",
        ),
        ("ask", b'{"question": "  ", "dataset": "films"}', 400, "ask something"),
        ("run", b'{"query": "x", "limit": "many"}', 400, "limit"),
        ("run", b'{"query": "x", "timeout": 0}', 400, "timeout"),
        ("check", b'{"question": "x"}', 400, "query"),
        ("nothing", b"{}", 404, "openapi.json"),
    ],
)
def test_bad_bodies(web: TestClient, path: str, body: bytes, status: int, part: str) -> None:
    headers = {"Content-Type": "application/json"}
    response = web.post(f"/api/v1/{path}", content=body, headers=headers)
    assert (response.status_code, response.json()["status"]) == (status, status)
    assert response.headers["content-type"] == "application/problem+json"
    assert part in response.text


def test_other_kinds_of_bodies_and_methods(web: TestClient) -> None:
    response = web.post("/api/v1/ask", content=b"a=b", headers={"Content-Type": "text/plain"})
    assert (response.status_code, response.json()["hint"]) == (
        400, "send Content-Type: application/json",
    )  # fmt: skip
    response = web.get("/api/v1/ask")
    assert (response.status_code, response.json()["title"]) == (405, "method not allowed")
    assert response.headers["allow"] == "POST"


def test_the_description_is_of_openapi_and_names_each_endpoint(web: TestClient) -> None:
    description = web.get("/api/v1/openapi.json").json()
    assert description["openapi"] == "3.1.0"
    schemas = description["components"]["schemas"]
    text = json.dumps(description)
    prefix = "#/components/schemas/"
    names = {part.split('"')[0].split("/")[0] for part in text.split(prefix)[1:]}
    assert names <= schemas.keys()
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    operations = {(path, method) for path, item in description["paths"].items() for method in item}
    assert ("/ask", "post") in operations
    assert {("/loads/{load}", "delete"), ("/datasets/{dataset}", "delete")} <= operations
    assert len(operations) == 18


def test_bodies_are_as_described(web: TestClient) -> None:
    schemas = web.get("/api/v1/openapi.json").json()["components"]
    described = {
        "/api/v1/datasets": {"type": "array", "items": {"$ref": "#/components/schemas/Dataset"}},
        "/api/v1/datasets/films/schema": {"$ref": "#/components/schemas/Schema"},
    }
    for path, schema in described.items():
        Draft202012Validator({**schema, "components": schemas}).validate(web.get(path).json())


# Waiting, and clients that go away.


class _Waiting:
    """Queries that wait until they are cancelled or let go, in place of those of a client."""

    def __init__(self) -> None:
        self.begun, self.cancelled, self.go = Event(), Event(), Event()

    def __call__(self, *_: object, cancelled: Event, **options: object) -> Answer:
        self.begun.set()
        while not self.go.wait(0.01):
            if cancelled.is_set():
                self.cancelled.set()
                raise Cancelled("the question was cancelled")
        return Answer("answered", values=("late",))


def test_a_client_that_goes_away_cancels_its_query(
    server: Settings, films: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = _Waiting()
    with TrustUQA.connect(server) as tuqa, run_server(tuqa, tmp_path) as address:
        monkeypatch.setattr(tuqa, "run", waiting)
        body = json.dumps({"query": STARRING}).encode()
        request = (
            f"POST /api/v1/run HTTP/1.1\r\nHost: {address[7:-1]}\r\nContent-Type: application/json\r\n"
            f"Authorization: {BEARER['Authorization']}\r\nContent-Length: {len(body)}\r\n\r\n"
        ).encode()
        host, _, port = address[7:-1].partition(":")
        with socket.create_connection((host, int(port))) as stream:
            stream.sendall(request + body)
            assert waiting.begun.wait(60)
        assert waiting.cancelled.wait(60)


def test_queries_that_wait_for_a_turn_need_no_threads(
    server: Settings, films: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go = Semaphore(0), Event()
    running: set[int] = set()

    def run(*_: object, **options: object) -> Answer:
        running.add(get_ident())
        begun.release()
        assert go.wait(60)
        return Answer("answered", values=("late",))

    requests = 2 * MOST
    with (
        TrustUQA.connect(server) as tuqa,
        run_server(tuqa, tmp_path) as address,
        httpx.Client(base_url=address, headers=BEARER, timeout=60) as client,
        ThreadPoolExecutor(requests) as threads,
    ):
        monkeypatch.setattr(tuqa, "run", run)
        post = lambda: client.post("api/v1/run", json={"query": STARRING})  # noqa: E731
        responses = [threads.submit(post) for _ in range(requests)]
        for _ in range(MOST):
            assert begun.acquire(timeout=60)
        while client.get("healthz").json()["waiting"] < requests:
            pass
        assert len(running) == MOST
        go.set()
        assert [response.result().json()["outcome"] for response in responses] == (
            ["answered"] * requests
        )


def _begin_request(address: str, body: str) -> bytes:
    """A request to run a query, whose body has a part of the announced length."""
    return (
        f"POST /api/v1/run HTTP/1.1\r\nHost: {address[7:-1]}\r\nContent-Type: application/json\r\n"
        f"Authorization: {BEARER['Authorization']}\r\nContent-Length: 100\r\n\r\n{body}"
    ).encode()


def test_a_client_that_goes_away_with_half_a_body_is_no_fault(
    films: TrustUQA, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log = logging.getLogger("uvicorn.error")
    try:
        with run_server(films, tmp_path) as address:
            log.addHandler(caplog.handler)
            host, _, port = address[7:-1].partition(":")
            with socket.create_connection((host, int(port))) as stream:
                stream.sendall(_begin_request(address, '{"query":'))
                stream.shutdown(socket.SHUT_WR)
                assert stream.recv(100) == b""
    finally:
        log.removeHandler(caplog.handler)
    assert caplog.messages == []


def test_a_body_whose_rest_does_not_come_is_refused(films: TrustUQA, tmp_path: Path) -> None:
    with run_server(films, tmp_path, body_timeout=0.05) as address:
        host, _, port = address[7:-1].partition(":")
        with socket.create_connection((host, int(port))) as stream:
            stream.sendall(_begin_request(address, '{"query":'))
            stream.settimeout(60)
            assert stream.recv(100).startswith(b"HTTP/1.1 408 ")


def test_a_query_that_does_not_end_in_time_is_cancelled(
    server: Settings, films: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = _Waiting()
    monkeypatch.setattr(time_limit, "_GRACE", 0.05)
    with TrustUQA.connect(server) as tuqa, open_client(tuqa, tmp_path) as client:
        monkeypatch.setattr(tuqa, "run", waiting)
        problem = client.post("/api/v1/run", json={"query": STARRING, "timeout": 0.1}).json()
        assert waiting.cancelled.wait(60)
    assert (problem["status"], problem["title"]) == (504, "timed out")


def test_health_is_told_while_all_others_wait_for_the_database(
    films: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go = Semaphore(0), Event()
    at_once = 40  # threads of the server

    def wait() -> tuple[()]:
        begun.release()
        go.wait(60)
        return ()

    monkeypatch.setattr(films, "datasets", wait)
    with (
        run_server(films, tmp_path) as address,
        ThreadPoolExecutor(at_once + 5) as threads,
        httpx.Client(base_url=address, headers=BEARER, timeout=60, limits=httpx.Limits()) as client,
    ):
        others = [threads.submit(client.get, "api/v1/datasets") for _ in range(at_once + 5)]
        try:
            assert all(begun.acquire(timeout=60) for _ in range(at_once))
            assert client.get("healthz").json()["status"] == "ok"
        finally:
            go.set()
        assert {response.result().status_code for response in others} == {200}


def test_a_database_that_hangs_is_not_well(
    films: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = Event()
    monkeypatch.setattr(service, "_HEALTH_TIMEOUT", 0.05)
    monkeypatch.setattr(films, "ping", lambda: go.wait(60))
    with open_client(films, tmp_path) as client:
        response = client.get("/healthz")
        go.set()
    assert (response.status_code, response.json()["detail"]) == (
        504, "no answer within 0.05 seconds",
    )  # fmt: skip


def test_too_many_that_wait_are_refused(server: Settings, films: TrustUQA, tmp_path: Path) -> None:
    with (
        TrustUQA.connect(server) as tuqa,
        ThreadPoolExecutor(2) as threads,
    ):
        tuqa.connection.gate = gate = Gate(1, 1)
        with (
            run_server(tuqa, tmp_path, max_waiting=1) as address,
            httpx.Client(base_url=address, headers=BEARER, timeout=60) as client,
        ):
            _ask_too_much(client, gate, threads)


def _ask_too_much(client: httpx.Client, gate: Gate, threads: ThreadPoolExecutor) -> None:
    run = lambda: client.post("api/v1/run", json={"query": STARRING, "dataset": "films"})  # noqa: E731
    with gate.enter(Deadline(60)):  # counts as one of the requests that run
        responses = [threads.submit(run) for _ in range(2)]
        while client.get("healthz").json()["waiting"] < 1:
            pass
        refused = run()
    assert (refused.status_code, refused.json()["title"]) == (503, "server busy")
    assert refused.headers["retry-after"] == "1"
    assert [response.result().json()["outcome"] for response in responses] == ["answered"] * 2
    health = client.get("healthz").json()
    assert (health["running"], health["waiting"]) == (0, 0)


def test_a_dataset_is_deleted(tuqa: TrustUQA, tmp_path: Path) -> None:
    tuqa.load([{"tree": "elm"}], dataset="wood/trees")
    with open_client(tuqa, tmp_path) as client:
        refused = client.delete("/api/v1/datasets/wood/trees")
        assert (refused.status_code, refused.json()["title"]) == (403, "not allowed")
    with open_client(tuqa, tmp_path, allow_load=True) as client:
        assert client.delete("/api/v1/datasets/wood").status_code == 404
        dropped = client.delete("/api/v1/datasets/wood/trees")
        assert (dropped.status_code, dropped.json()["facts"]) == (200, 1)
        assert client.get("/api/v1/datasets").json() == []


def test_a_dataset_is_renamed(tuqa: TrustUQA, tmp_path: Path) -> None:
    tuqa.load([{"tree": "elm"}], dataset="wood/trees")
    tuqa.load([{"tree": "oak"}], dataset="garden")
    address = "/api/v1/datasets/wood/trees"
    with open_client(tuqa, tmp_path) as client:
        refused = client.patch(address, json={"name": "forest"})
        assert (refused.status_code, refused.json()["title"]) == (403, "not allowed")
    with open_client(tuqa, tmp_path, allow_load=True) as client:
        for name, status in (("garden", 409), ("  ", 400), ("a\nb", 400), ("x" * 201, 400)):
            assert client.patch(address, json={"name": name}).status_code == status, name
        assert client.patch("/api/v1/datasets/wood", json={"name": "x"}).status_code == 404
        renamed = client.patch(address, json={"name": "forest/all"})
        assert (renamed.status_code, renamed.json()) == (200, {"name": "forest/all"})
        names = [entry["name"] for entry in client.get("/api/v1/datasets").json()]
        assert names == ["forest/all", "garden"]
        assert client.get(f"{address}/schema").status_code == 404


# The chat API.


READINGS = "Who is the CEO of Alien?"  # not understood, with readings that have values


def test_each_dataset_is_a_model(web: TestClient) -> None:
    models = web.get("/v1/models").json()
    assert web.get("/v1/models/films").json() == models["data"][0]
    missing = web.get("/v1/models/flims")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "model_not_found")
    assert [model["id"] for model in models["data"]] == ["films"]


def chat(web: TestClient, **body: Any) -> Any:
    messages = [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "who directed Aliens"},
        {"role": "assistant", "content": "James Cameron"},
        {"role": "user", "content": [{"type": "text", "text": "who directed Alien"}]},
    ]
    return web.post("/v1/chat/completions", json={"model": "films", "messages": messages, **body})


def test_a_chat_asks_the_last_question(web: TestClient) -> None:
    completion = chat(web, temperature=0.2, stream=None).json()
    (choice,) = completion["choices"]
    assert choice["message"]["content"].startswith("**Ridley Scott**\n")
    assert (completion["model"], choice["finish_reason"]) == ("films", "stop")


def test_a_chat_reads_the_questions_that_the_last_one_follows(web: TestClient) -> None:
    turns = ["who directed Aliens", "and Alien?", "and Blade Runner?"]
    messages = [{"role": "user", "content": text} for text in turns]
    (choice,) = chat(web, messages=messages[:2]).json()["choices"]
    assert choice["message"]["content"].startswith("**Ridley Scott**\n")
    (choice,) = chat(web, messages=messages[1:2]).json()["choices"]
    assert not choice["message"]["content"].startswith("**Ridley Scott**\n")


def test_a_question_follows_what_an_answer_has(web: TestClient) -> None:
    first = web.post("/api/v1/ask", json={"question": "who directed Aliens"}).json()
    follows = {name: first[name] for name in ("question", "llm_query", "datasets", "source")}
    body = {"question": "and Alien?", "follows": follows}
    second = web.post("/api/v1/ask", json=body).json()
    assert (second["outcome"], second["values"]) == ("answered", ["Ridley Scott"])
    bad = web.post("/api/v1/ask", json={**body, "follows": {"outcome": "great"}})
    assert bad.status_code == 400
    assert "is not" in bad.json()["detail"] or "no answer" in bad.json()["detail"]


def test_a_chat_offers_readings_and_a_number_picks_one(web: TestClient) -> None:
    def say(*texts: str) -> str:
        messages = [{"role": "user", "content": text} for text in texts]
        completion = chat(web, messages=messages).json()
        content: str = completion["choices"][0]["message"]["content"]
        return content

    offered = say(READINGS)
    assert "did you mean \\(reply with its number\\):" in offered
    picked = web.post("/api/v1/ask", json={"question": READINGS, "dataset": "films", "pick": 1})
    assert say(READINGS, "1") == say("who?", READINGS, "9", "1.")
    assert say(READINGS, "1").startswith(f"**{picked.json()['values'][0]}**")
    assert chat(web, messages=[{"role": "user", "content": "7"}]).status_code == 200


def test_a_chat_escapes_what_the_data_say(web: TestClient, tuqa: TrustUQA) -> None:
    rows = [{"ship": "*Alca* | [x](y)", "port": "<b>Wick</b>"}, {"ship": "# Brant", "port": "1. A"}]
    tuqa.load(rows, dataset="odd ships", embeddings=False)

    def say(text: str) -> str:
        messages = [{"role": "user", "content": text}]
        completion = chat(web, model="odd ships", messages=messages).json()
        content: str = completion["choices"][0]["message"]["content"]
        return content

    ships = say("What are the ships?")
    assert "- **\\*Alca\\* \\| \\[x\\]\\(y\\)**" in ships
    assert "- **\\# Brant**" in ships
    ports = say("What are the ports?")
    assert "- **\\<b\\>Wick\\</b\\>**" in ports
    assert "- **1\\. A**" in ports


def test_readings_have_values_and_numbers(web: TestClient) -> None:
    answer = web.post("/api/v1/ask", json={"question": READINGS, "dataset": "films"}).json()
    first = answer["readings"][0]
    assert (first["pick"], first["total"]) == (1, len(first["values"]))
    run = web.post("/api/v1/run", json={"query": first["query"], "dataset": first["dataset"]})
    assert run.json()["values"] == first["values"]


def test_a_chat_is_streamed(web: TestClient) -> None:
    response = chat(web, stream=True, stream_options={"include_usage": True})
    lines = [line[6:] for line in response.text.splitlines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    chunks = [json.loads(line) for line in lines[:-1]]
    text = "".join(c["choices"][0]["delta"].get("content", "") for c in chunks if c["choices"])
    assert text.startswith("**Ridley Scott**\n")
    assert chunks[-1]["usage"]["total_tokens"] == 0
    assert chunks[-2]["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize(
    ("body", "status", "part"),
    [
        ({"model": "flims"}, 404, "no dataset 'flims'"),
        ({"messages": []}, 400, "messages"),
        ({"messages": [{"role": "system", "content": "x"}]}, 400, "no message of the user"),
        ({"n": 2}, 400, "n: "),
    ],
)
def test_bad_chats(web: TestClient, body: dict[str, Any], status: int, part: str) -> None:
    response = chat(web, **body)
    assert response.status_code == status
    assert part in response.json()["error"]["message"]


def test_a_chat_that_is_no_json_is_refused(web: TestClient) -> None:
    response = web.post("/v1/chat/completions", content=b"{")
    assert response.status_code == 400
    assert response.json()["error"]["message"].startswith("Invalid JSON")


def test_private_questions_send_the_schema_alone(
    films: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: list[dict[str, Any]] = []

    def ask(*_: object, **given_options: Any) -> Answer:
        options.append(given_options)
        return Answer("empty")

    monkeypatch.setattr(films, "ask", ask)
    with open_client(films, tmp_path, private=True) as client:
        client.post("/api/v1/ask", json={"question": "who"})
        chat(client)
    assert len(options) > 1
    assert all(entry["private"] for entry in options)


def test_a_demonstration_of_a_question_answers_it(web: TestClient, films: TrustUQA) -> None:
    films.demonstrations.add("films", Demonstration("who plays in Alien", STARRING))
    body = {"question": "who plays in Alien", "dataset": "films"}
    content = web.post("/api/v1/ask", json=body).json()
    assert (content["origin"], content["values"]) == ("demonstrated", ACTORS)
    films.demonstrations.drop("films")


def test_a_fault_of_the_server_is_a_problem_without_its_text(
    films: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> Answer:
        raise RuntimeError("a secret of the server")

    monkeypatch.setattr(films, "run", fail)
    with run_server(films, tmp_path) as address:
        response = httpx.post(f"{address}api/v1/run", json={"query": STARRING}, headers=BEARER)
    assert (response.status_code, response.json()["title"]) == (500, "fault")
    assert "secret" not in response.text


def test_unknown_addresses(web: TestClient) -> None:
    assert web.get("/nothing").json()["title"] == "no such page"
    page = web.get("/nothing", headers={"Accept": "text/html"})
    assert page.status_code == 404
    assert "no such page" in page.text.lower()
    assert page.text.startswith("<!doctype html>")
