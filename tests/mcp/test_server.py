"""The server of agents, with the client of the SDK: in memory in both protocol ages, and as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import anyio
import anyio.to_thread
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult
from support.shell import environment

from trustuqa_neo4j import Answer, Settings, TrustUQA, time_limit
from trustuqa_neo4j.answer import CheckReport, Evidence
from trustuqa_neo4j.errors import Cancelled
from trustuqa_neo4j.language.ast import Problem, ProblemKind
from trustuqa_neo4j.llm.agent_results import (
    MAX_KEPT_FACTS,
    MAX_TOKENS,
    make_answer_result,
    make_check_result,
    make_evidence_result,
)
from trustuqa_neo4j.llm.messages import tokens
from trustuqa_neo4j.mcp.answers import KeptAnswers
from trustuqa_neo4j.mcp.server import make_server

GOLDEN = Path(__file__).parent / "tools.json"
STARRING = "get_information(head_entity='Alien', relation='starring')"
READING = [
    "ask", "run_query", "check_query", "describe", "find_names", "evidence", "list_datasets",
    "language",
]  # fmt: skip
MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])

Work = Callable[[Client], Awaitable[Any]]


def serve(tuqa: TrustUQA, work: Work, mode: str = "auto", **options: Any) -> Any:
    """Run ``work`` with a client of a server in memory."""

    async def main() -> Any:
        async with Client(make_server(tuqa, **options), mode=mode) as client:
            return await work(client)

    return anyio.run(main)


def call(
    tuqa: TrustUQA, name: str, arguments: dict[str, Any] | None = None, **options: Any
) -> dict[str, Any]:
    """The structured result of a tool, which is valid and equal to its text."""

    async def work(client: Client) -> dict[str, Any]:
        return await call_tool(client, name, **(arguments or {}))

    result: dict[str, Any] = serve(tuqa, work, **options)
    return result


async def call_tool(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    content = result.structured_content
    assert isinstance(content, dict)
    Draft202012Validator(tools[name].output_schema or {}).validate(content)
    assert json.loads(text(result)) == content
    assert tokens(text(result)) <= MAX_TOKENS
    return content


def text(result: CallToolResult) -> str:
    (content,) = result.content
    assert content.type == "text"
    return content.text


def failure(tuqa: TrustUQA, name: str, arguments: dict[str, Any], **options: Any) -> str:
    async def work(client: Client) -> str:
        result = await client.call_tool(name, arguments)
        assert result.is_error
        return text(result)

    message: str = serve(tuqa, work, **options)
    return message


def listed_tools(tuqa: TrustUQA, **options: bool) -> list[dict[str, Any]]:
    async def work(client: Client) -> list[dict[str, Any]]:
        tools = (await client.list_tools()).tools
        return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]

    tools: list[dict[str, Any]] = serve(tuqa, work, **options)
    return tools


# Tools.


def test_the_list_of_tools_is_as_committed(films: TrustUQA) -> None:
    tools = listed_tools(films, allow_teach=True, load_folder=Path.cwd())
    assert tools == json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_logs_are_not_wrapped_where_there_is_no_terminal() -> None:
    """In a process of its own: the handlers of a process are set once."""
    program = (
        "import logging; from trustuqa_neo4j.mcp import server; server.configure_logs(); "
        "from mcp.server.mcpserver import MCPServer; MCPServer('x', log_level='WARNING'); "
        "logging.getLogger('x').warning('/a long name' * 20)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines() == ["WARNING x: " + "/a long name" * 20]


def test_a_question_follows_an_answer(films: TrustUQA) -> None:
    async def work(client: Client) -> list[str]:
        query = "get_information(head_entity='Alien', relation='directed by')"
        first = await call_tool(client, "run_query", query=query, dataset="films")
        second = await call_tool(client, "ask", question="and Aliens?", follows=first["answer"])
        unknown = await client.call_tool("ask", {"question": "and Aliens?", "follows": "a99"})
        return [*second["values"], text(unknown)]

    value, message = serve(films, work)
    assert value == "James Cameron"
    assert "no answer 'a99'" in message


@pytest.mark.parametrize(
    ("options", "added"),
    [
        ({}, []),
        ({"private": True}, []),
        ({"allow_teach": True}, ["teach"]),
        ({"load_folder": Path.cwd()}, ["load"]),
    ],
)
def test_tools_only_read_unless_more_is_allowed(
    films: TrustUQA, options: dict[str, Any], added: list[str]
) -> None:
    tools = {tool["name"]: tool["annotations"] for tool in listed_tools(films, **options)}
    assert list(tools) == READING + added
    assert [name for name, hints in tools.items() if hints["readOnlyHint"]] == READING
    assert not any(hints["destructiveHint"] for hints in tools.values())


@MODES
def test_a_query_is_run_and_proved(films: TrustUQA, mode: str) -> None:
    async def work(client: Client) -> tuple[dict[str, Any], dict[str, Any]]:
        answer = await call_tool(client, "run_query", query=STARRING, dataset="films")
        return answer, await call_tool(client, "evidence", answer=answer["answer"])

    answer, evidence = serve(films, work, mode)
    assert (answer["answer"], answer["outcome"]) == ("a1", "answered")
    assert answer["understood"] == "starring of Alien"
    assert answer["sentence"] == "The starring of Alien: Sigourney Weaver, Tom Skerritt."
    assert answer["values"] == ["Sigourney Weaver", "Tom Skerritt"]
    assert (answer["shown"], answer["total"], answer["next"]) == (2, 2, None)
    assert answer["facts"][0].startswith("Alien | starring | Sigourney Weaver (films, ")
    assert (evidence["shown"], evidence["total"], evidence["next"]) == (2, 2, None)
    fact = evidence["facts"][1]
    assert (fact["number"], fact["tail"], fact["step"]) == (2, "Tom Skerritt", 1)
    assert fact["place"].endswith("films.tsv:4")


def test_a_question_is_asked(films: TrustUQA) -> None:
    answer = call(films, "ask", {"question": "who directed Alien", "dataset": "films"})
    assert answer["values"] == ["Ridley Scott"]
    assert "directed by" in answer["query"]
    assert answer["datasets"] == ["films"]


def test_a_query_is_checked(films: TrustUQA) -> None:
    good = call(films, "check_query", {"query": STARRING, "dataset": "films"})
    assert (good["can_run"], good["text"]) == (True, "Nothing is wrong with this query.")
    wrong = call(films, "check_query", {"query": "Query1: cuont('x')", "dataset": "films"})
    assert (wrong["can_run"], wrong["outcome"]) == (False, "rejected")
    assert [problem["kind"] for problem in wrong["problems"]] == ["unknown function"]


def test_a_dataset_is_described(films: TrustUQA) -> None:
    schema = call(films, "describe", {"dataset": "films"})
    starring = next(entry for entry in schema["relations"] if entry["name"] == "starring")
    assert (starring["facts"], starring["leads_from"]) == (3, ["names"])
    assert "Tom Skerritt" in starring["samples"]
    assert schema["shown"] == schema["total"] == len(schema["relations"])
    assert call(films, "describe", {"dataset": "films", "offset": 99})["shown"] == 0
    assert [entry["name"] for entry in call(films, "list_datasets")["datasets"]] == ["films"]


def test_names_are_found(films: TrustUQA) -> None:
    names = call(films, "find_names", {"text": "Ridly Scot", "dataset": "films"})
    assert (names["names"][0], names["exact"]) == ("Ridley Scott", 0)
    assert len(names["scores"]) == len(names["names"])
    assert 0.5 < names["scores"][0] < 1
    assert call(films, "find_names", {"text": "Alien", "dataset": "films"})["scores"][0] == 1
    assert call(films, "find_names", {"text": "directed", "dataset": "films"})["relations"][0] == (
        "directed by"
    )
    assert call(films, "find_names", {"text": "ALIEN", "dataset": "films"})["exact"] > 0


def test_errors_say_what_to_try(films: TrustUQA) -> None:
    message = failure(films, "run_query", {"query": STARRING, "dataset": "flims"})
    assert message.endswith("unknown dataset: no dataset 'flims'\nhint: did you mean 'films'?")
    message = failure(films, "evidence", {"answer": "a9"})
    assert message.endswith("no answer 'a9': the last 100 are kept; ask again")
    assert "offset" in failure(films, "evidence", {"answer": "a1", "offset": -1})


def test_arguments_that_are_wrong_are_named(films: TrustUQA) -> None:
    for arguments, wrong in (
        ({"query": STARRING, "datset": "films"}, "'datset': there is no such argument"),
        ({"dataset": "films"}, "'query': Field required"),
        ({"query": STARRING, "offset": "x"}, "'offset': Input should be a valid integer"),
    ):
        message = failure(films, "run_query", arguments)
        assert wrong in message
        assert message.endswith("there are query, dataset, source, offset")
        assert ("did you mean 'dataset'?" in message) == ("datset" in arguments)
    assert "there is no text" in failure(films, "find_names", {"text": " "})


def test_facts_name_the_values_that_they_produced(films: TrustUQA) -> None:
    query = "get_information(head_entity=['Alien', 'Aliens'], relation='directed by')"

    async def work(client: Client) -> tuple[Any, Any]:
        answer = await call_tool(client, "run_query", query=query, dataset="films")
        return answer, await call_tool(client, "evidence", answer=answer["answer"])

    answer, evidence = serve(films, work)
    produced = {
        (fact["tail"], answer["values"][place])
        for fact in evidence["facts"]
        for place in fact["answers"]
    }
    assert produced == {(value, value) for value in answer["values"]}
    assert len(answer["values"]) == 2
    assert answer["fact_counts"] == [
        sum(fact["tail"] == value for fact in evidence["facts"]) for value in answer["values"]
    ]


def test_all_facts_of_an_answer_can_be_read(tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "visits.tsv"
    path.write_text("".join(f"guest {n}\tvisited\tOslo\n" for n in range(MAX_KEPT_FACTS + 60)))
    tuqa.load("kg", str(path), dataset="visits", embeddings=False)
    query = "get_information(relation='visited', tail_entity='Oslo')"

    async def work(client: Client) -> list[int]:
        answer = await call_tool(client, "run_query", query=query, dataset="visits")
        numbers: list[int] = []
        offset: int | None = 0
        while offset is not None:
            page = await call_tool(client, "evidence", answer=answer["answer"], offset=offset)
            numbers += (fact["number"] for fact in page["facts"])
            assert page["total"] == MAX_KEPT_FACTS + 60
            offset = page["next"]
        return numbers

    assert serve(tuqa, work) == [*range(1, MAX_KEPT_FACTS + 61)]


def test_steps_are_written_for_the_only_dataset(tuqa: TrustUQA, films: TrustUQA) -> None:
    async def work(client: Client) -> str:
        prompt = await client.get_prompt("write_steps", {"question": "who directed Alien"})
        return "".join(message.content.text for message in prompt.messages)

    assert "the dataset 'films'" in serve(films, work)


def test_a_scope_holds_for_agents(server: Settings, films: TrustUQA) -> None:
    with TrustUQA.connect(server, datasets=["other"]) as scoped:
        message = failure(scoped, "run_query", {"query": STARRING, "dataset": "films"})
        assert "no dataset 'films' in this client's scope" in message
        assert call(scoped, "list_datasets")["datasets"] == []


def test_many_answers_are_kept_and_the_first_forgotten(films: TrustUQA) -> None:
    async def work(client: Client) -> list[bool]:
        for _ in range(101):
            await client.call_tool("run_query", {"query": "count(set='x')", "dataset": "films"})
        results = [await client.call_tool("evidence", {"answer": name}) for name in ("a1", "a2")]
        return [result.is_error for result in results]

    assert serve(films, work) == [True, False]


def test_a_call_that_is_given_up_cancels_its_question(
    films: TrustUQA, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended = Event(), Event()

    def ask(*_: object, cancelled: Event, **__: object) -> Answer:
        begun.set()
        assert cancelled.wait(60)
        ended.set()
        raise Cancelled("the question was cancelled")

    monkeypatch.setattr(films, "ask", ask)

    async def work(client: Client) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "ask", {"question": "who?"})
            assert await anyio.to_thread.run_sync(begun.wait, 60)
            group.cancel_scope.cancel()

    serve(films, work)
    assert ended.wait(60)


# More that is allowed.


def test_only_what_answers_is_taught(films: TrustUQA) -> None:
    question = {"question": "who plays in Alien", "dataset": "films"}
    message = failure(
        films, "teach", question | {"query": "get_information(relation='xyzzy')"}, allow_teach=True
    )
    assert "the query is not askable, not answered, films has no relation 'xyzzy'" in message
    assert message.endswith("hint: correct the query, then teach it")
    assert films.demonstrations.listed("films") == []
    result = call(films, "teach", question | {"query": STARRING}, allow_teach=True)
    assert result["state"] == "runs"
    assert [entry.question for entry in films.demonstrations.listed("films")] == [
        "who plays in Alien"
    ]


def test_a_file_is_loaded(tuqa: TrustUQA, tmp_path: Path) -> None:
    file = tmp_path / "towns.csv"
    file.write_text("town,people\nRye,9000\n", encoding="utf-8")
    arguments = {"path": str(file), "dataset": "towns"}
    result = call(tuqa, "load", arguments, load_folder=tmp_path)
    assert result == {"dataset": "towns", "facts": 2, "sources": 1}
    again = arguments | {"format": "kg"}
    assert "dataset exists" in failure(tuqa, "load", again, load_folder=tmp_path)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("../secret.csv", "not in the folder for agents"),
        ("/etc/passwd", "not in the folder for agents"),
        ("bolt://127.0.0.1:1", "is an address"),
        ("postgresql://127.0.0.1:1/x", "is an address"),
        ("link.csv", "has a link"),
        ("pipe.csv", "has a pipe"),
        (".hidden.csv", "has a hidden file"),
    ],
)
def test_agents_load_nothing_from_elsewhere(
    tuqa: TrustUQA, tmp_path: Path, path: str, reason: str
) -> None:
    folder = tmp_path / "for agents"
    folder.mkdir()
    (tmp_path / "secret.csv").write_text("word\nsesame\n")
    (folder / ".hidden.csv").write_text("word\nsesame\n")
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    os.mkfifo(folder / "pipe.csv")
    before = [dataset.name for dataset in tuqa.datasets()]
    message = failure(tuqa, "load", {"path": path, "dataset": "secret"}, load_folder=folder)
    assert reason in message
    assert "agents load regular files in" in message
    assert [dataset.name for dataset in tuqa.datasets()] == before


# Private.

VALUES = ("Sigourney", "Skerritt", "Ridley", "South Shields", "1979", "films.tsv:")


@pytest.mark.parametrize(
    ("name", "arguments", "counts"),
    [
        ("run_query", {"query": STARRING}, {"outcome": "answered", "total": 2, "facts_total": 2}),
        ("ask", {"question": "who directed Alien"}, {"outcome": "answered", "total": 1}),
        ("describe", {}, {"shown": 6}),
        ("find_names", {"text": "Ridly Scot"}, {"exact": 0, "names": []}),
        (
            "check_query",
            {"query": "get_information(head_entity='Ridly', relation='directed by')"},
            {"can_run": True},
        ),
    ],
)
def test_private_tools_tell_counts_and_no_values(
    films: TrustUQA, name: str, arguments: dict[str, str], counts: dict[str, Any]
) -> None:
    result = call(films, name, {"dataset": "films", **arguments}, private=True)
    assert counts.items() <= result.items()
    assert not any(value in json.dumps(result) for value in VALUES)


@pytest.mark.parametrize("name", ["Ridly Scot", "Ridley Scott"])
def test_a_private_server_does_not_say_why_a_query_cannot_be_taught(
    films: TrustUQA, name: str
) -> None:
    first = f"get_information(head_entity='{name}', relation='born in')"
    query = f"Query1: {first}\nQuery2: mean(output_of_query1)"
    arguments = {"question": "how old?", "query": query, "dataset": "films"}
    message = failure(films, "teach", arguments, private=True, allow_teach=True)
    assert "withheld" in message
    assert "run_query" in message
    assert not any(value in message for value in VALUES)
    arguments["dataset"] = "flims"
    message = failure(films, "teach", arguments, private=True, allow_teach=True)
    assert "no dataset 'flims'" in message


def test_a_private_server_does_not_quote_a_file_that_cannot_be_loaded(
    tuqa: TrustUQA, tmp_path: Path
) -> None:
    path = tmp_path / "secret.csv"
    path.write_text('name,height\n"Alder,12\n')
    arguments = {"path": str(path), "dataset": "trees"}
    assert "closed" in failure(tuqa, "load", arguments, load_folder=tmp_path)
    message = failure(tuqa, "load", arguments, private=True, load_folder=tmp_path)
    assert "malformed line: the message is withheld" in message


def test_private_evidence_pictures_and_prompts_have_no_values(films: TrustUQA) -> None:
    films.demonstrations.add("films", _demonstration())

    async def work(client: Client) -> list[str]:
        answer = await call_tool(client, "run_query", query=STARRING, dataset="films")
        evidence = await call_tool(client, "evidence", answer=answer["answer"])
        assert (evidence["shown"], evidence["total"], evidence["next"]) == (0, 2, None)
        templates = (await client.list_resource_templates()).resource_templates
        assert [template.uri_template for template in templates] == [
            "tuqa://datasets/{dataset}/schema", "tuqa://answers/{answer}",
        ]  # fmt: skip
        prompt = await client.get_prompt(
            "write_steps", {"question": "who starred in Aliens", "dataset": "films"}
        )
        texts = [message.content.text for message in prompt.messages]  # type: ignore[union-attr]
        for uri in ("tuqa://answers/a1", "tuqa://datasets/films/schema"):
            (content,) = (await client.read_resource(uri)).contents
            texts.append(content.text)  # type: ignore[union-attr]
        return [json.dumps(evidence), *texts]

    for part in serve(films, work, private=True):
        assert not any(value in part for value in VALUES), part


def _demonstration() -> Any:
    from trustuqa_neo4j.model.demonstration import Demonstration

    return Demonstration(
        "who was directed by Ridley Scott",
        "get_information(relation='directed by', tail_entity='Ridley Scott')",
    )


# A database that hangs.

HANGING: list[tuple[str, dict[str, Any]]] = [
    ("ask", {"question": "who starred in Alien", "dataset": "films"}),
    ("run_query", {"query": STARRING, "dataset": "films"}),
    ("check_query", {"query": STARRING, "dataset": "films"}),
    ("describe", {"dataset": "films"}),
    ("find_names", {"text": "Ridly", "dataset": "films"}),
    ("list_datasets", {}),
    ("teach", {"question": "who starred in Alien", "query": STARRING, "dataset": "films"}),
    ("load", {"path": "films.csv", "dataset": "films2"}),
]


@contextmanager
def hanging(server: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[TrustUQA]:
    """A client whose database takes all and answers nothing."""
    go = Event()

    def hang(*_: object, **options: object) -> Any:
        go.wait(60)
        raise Cancelled("the question was cancelled")

    monkeypatch.setattr(time_limit, "_GRACE", 0.05)
    with TrustUQA.connect(server) as tuqa:
        for name in ("read", "write", "ping"):
            monkeypatch.setattr(tuqa.connection, name, hang)
        try:
            yield tuqa
        finally:
            go.set()


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize(("name", "arguments"), HANGING, ids=[name for name, _ in HANGING])
def test_a_call_ends_in_time_if_the_database_hangs(
    server: Settings,
    films: TrustUQA,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    arguments: dict[str, Any],
    private: bool,
) -> None:
    (tmp_path / "films.csv").write_text("film\nAlien\n")  # what the tool load is told to load
    options = {"private": private, "allow_teach": True, "load_folder": tmp_path}
    with hanging(server, monkeypatch) as tuqa:
        message = failure(tuqa, name, arguments, timeout=0.05, **options)
    assert message == (
        f"Error executing tool {name}: timed out: no answer within 0.1 seconds\n"
        "hint: the database may hang: tell the person, or try again later"
    )


def test_evidence_resources_and_the_prompt_end_in_time_if_the_database_hangs(
    server: Settings, films: TrustUQA, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = KeptAnswers()
    answers.add(Answer("answered", evidence_total=2), STARRING)

    async def work(client: Client) -> list[str]:
        evidence = await client.call_tool("evidence", {"answer": "a1"})
        messages = [text(evidence)]
        with pytest.raises(MCPError) as raised:
            await client.read_resource("tuqa://datasets/films/schema")
        messages.append(raised.value.message)
        with pytest.raises(MCPError) as raised:
            await client.get_prompt("write_steps", {"question": "who?", "dataset": "films"})
        return [*messages, raised.value.message]

    with hanging(server, monkeypatch) as tuqa:
        for message in serve(tuqa, work, timeout=0.05, answers=answers):
            assert "timed out: no answer within 0.1 seconds" in message


# Resources and the prompt.


@MODES
def test_resources(films: TrustUQA, mode: str) -> None:
    async def work(client: Client) -> dict[str, str]:
        await call_tool(client, "run_query", query=STARRING, dataset="films")
        uris = [str(resource.uri) for resource in (await client.list_resources()).resources]
        uris += ["tuqa://datasets/films/schema", "tuqa://answers/a1", "tuqa://answers/a1/picture"]
        return {uri: (await client.read_resource(uri)).contents[0].text for uri in uris}  # type: ignore[union-attr]

    texts = serve(films, work, mode)
    assert "get_information" in texts["tuqa://language"]
    assert json.loads(texts["tuqa://datasets/films/schema"])["dataset"] == "films"
    assert json.loads(texts["tuqa://answers/a1"])["values"] == ["Sigourney Weaver", "Tom Skerritt"]
    assert texts["tuqa://answers/a1/picture"].startswith("flowchart LR\n")


def test_resources_that_there_are_not(films: TrustUQA) -> None:
    async def work(client: Client) -> list[str]:
        messages = []
        for uri in ("tuqa://answers/a7", "tuqa://datasets/flims/schema"):
            with pytest.raises(MCPError) as raised:
                await client.read_resource(uri)
            messages.append(raised.value.message)
        with pytest.raises(MCPError) as raised:
            await client.get_prompt("write_steps", {"question": "who?", "dataset": "flims"})
        return [*messages, raised.value.message]

    answer, schema, prompt = serve(films, work)
    assert answer == "no answer 'a7'"
    assert schema.startswith("unknown dataset: no dataset 'flims'")
    assert prompt.startswith("unknown dataset: no dataset 'flims'")


def test_the_prompt_lets_the_model_of_the_agent_write_steps(films: TrustUQA) -> None:
    async def work(client: Client) -> list[tuple[str, str]]:
        (prompt,) = (await client.list_prompts()).prompts
        assert prompt.name == "write_steps"
        arguments = {"question": "who starred in Aliens", "dataset": "films"}
        messages = (await client.get_prompt(prompt.name, arguments)).messages
        return [(message.role, message.content.text) for message in messages]  # type: ignore[union-attr]

    messages = serve(films, work)
    assert messages[0][1].startswith("You write queries over a condition graph.")
    assert "who starred in Aliens" in messages[-2][1]
    assert messages[-1] == (
        "user", "Write the steps, then call run_query with them and the dataset 'films'.",
    )  # fmt: skip
    assert sum(tokens(content) for _, content in messages) < 2 * MAX_TOKENS


# Limits.

LONG = st.text(min_size=1).map(lambda part: part * 3_000)


@settings(max_examples=15)  # of up to a hundred megabytes
@given(st.lists(LONG, max_size=80), st.integers(1, 400), st.integers(0, 100))
def test_results_stay_small(texts: list[str], columns: int, offset: int) -> None:
    facts = tuple(Evidence(t, t, t, "d", t, t, 1, start="1999", inferred=t) for t in texts)
    problems = tuple(Problem(ProblemKind.UNKNOWN_NAME, t, 1, 0) for t in texts)
    common = {"problems": problems, "evidence": facts, "hints": tuple(texts), "question": "q"}
    answers = [
        Answer("answered", values=tuple(texts), **common),  # type: ignore[arg-type]
        Answer(
            "answered",
            values=tuple(texts),
            columns=("c" * 99,) * columns,
            rows=tuple((t,) * columns for t in texts),
            **common,  # type: ignore[arg-type]
        ),
    ]
    for answer in answers:
        for private in (False, True):
            results = (
                make_answer_result("a1", answer, "x" * 90_000, offset, private=private),
                make_evidence_result(answer, offset, private=private),
                make_check_result("x" * 900, CheckReport(None, problems), offset, private=private),
            )
            for result in results:
                assert tokens(result.model_dump_json(indent=2)) <= MAX_TOKENS


def test_pages_have_every_item_once() -> None:
    values = tuple(f"value {number}" for number in range(123))
    facts = tuple(Evidence(value, "r", "t", "d", "s", "f", 1) for value in values)
    answer = Answer("answered", values=values, evidence=facts, evidence_total=200)
    shown: list[Any] = []
    offset: int | None = 0
    while offset is not None:
        page = make_answer_result("a1", answer, None, offset, private=False)
        assert (page.total, page.shown) == (123, len(page.values))
        shown += page.values
        offset = page.next
    assert shown == list(values)
    numbers: list[int] = []
    offset = 0
    while offset is not None:
        facts_page = make_evidence_result(answer, offset, private=False)
        assert facts_page.total == 200
        numbers += [fact.number for fact in facts_page.facts]
        offset = facts_page.next
    assert numbers == list(range(1, 124))


# As a process.


def test_a_child_process_speaks_the_protocol(films: TrustUQA, server: Settings) -> None:
    parameters = StdioServerParameters(
        command=str(Path(sys.executable).with_name("tuqa")),
        args=["mcp", "--dataset", "films"],
        env=environment(server),
    )

    async def main() -> dict[str, Any]:
        async with Client(parameters) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == READING
            return await call_tool(client, "run_query", query=STARRING)

    assert anyio.run(main)["values"] == ["Sigourney Weaver", "Tom Skerritt"]


def test_stdout_has_nothing_but_the_protocol(films: TrustUQA, server: Settings) -> None:
    messages = [
        {
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        },
        {"method": "notifications/initialized"},
        {
            "id": 2,
            "method": "tools/call",
            "params": {"name": "run_query", "arguments": {"query": STARRING, "dataset": "films"}},
        },
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
    script = str(Path(sys.executable).with_name("tuqa"))
    process = subprocess.Popen(
        [script, "mcp", "--private"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(server),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(lines.encode() + b"no JSON\n")
    process.stdin.flush()
    replies = [json.loads(process.stdout.readline()) for _ in range(2)]
    rest, errors = process.communicate(timeout=60)
    assert {reply["id"] for reply in replies} == {1, 2}
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
    assert process.returncode == 0, errors
    assert b"Sigourney" not in rest + errors + json.dumps(replies).encode()


def test_without_the_package_the_command_says_how_to_install_it(
    server: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    from support.shell import shell

    for name in [name for name in sys.modules if name.startswith("trustuqa_neo4j.mcp")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    done = shell(server, "tuqa", "mcp")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: agents need the Python package 'mcp', which is not installed\n"
        'hint: pip install "trustuqa-neo4j[serve]"\n'
    )


def test_null_is_the_first_offset(films: TrustUQA) -> None:
    page = call(films, "list_datasets", {"offset": None})
    assert [dataset["name"] for dataset in page["datasets"]] == ["films"]
