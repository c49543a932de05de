"""The engine as objects of LangChain: tools, a runnable, a retriever, and an agent that calls tools."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.tools import BaseTool
from langchain_openai import ChatOpenAI
from support.chat_server import KEY, Chat, Fault, Reply

from trustuqa_neo4j import Answer, TrustUQA, llm
from trustuqa_neo4j.answer import CheckReport, Evidence
from trustuqa_neo4j.errors import MissingExtra
from trustuqa_neo4j.llm.tool_results import LANGUAGE

GOOD = "get_information(head_entity='Alien', relation='starring')"
DIRECTOR = "get_information(head_entity='Alien', relation='directed by')"
AGENT = Path(__file__).parents[2] / "docs" / "example" / "agent.py"


def call_tool(tool: BaseTool, is_async: bool, **arguments: Any) -> Any:
    call = ToolCall(name=tool.name, args=arguments, id="1", type="tool_call")
    return asyncio.run(tool.ainvoke(call)) if is_async else tool.invoke(call)


READINGS = "Who is the CEO of Alien?"  # not understood, with readings that have values


def test_an_agent_can_have_a_query_checked(films: TrustUQA) -> None:
    tool = films.check_tool("films")
    assert isinstance(tool, BaseTool)
    assert tool.name == "check_query"
    assert tool.invoke({"query": GOOD}) == "Nothing is wrong with this query."
    result = tool.invoke({"query": "Query1: cuont('x')"})
    assert result == (
        "error: unknown function, step 1: undefined function cuont; did you mean count?\n"
        "  Query1: cuont('x')\n"
        "          ^"
    )
    misspelt = GOOD.replace("starring", "starrring")
    assert tool.invoke({"query": misspelt}) == "'starrring' is read as 'starring'"
    assert isinstance(call_tool(tool, False, query=GOOD).artifact, CheckReport)


def test_arguments_of_tools_have_types_and_descriptions(films: TrustUQA) -> None:
    schemas = {
        tool.name: tool.tool_call_schema.model_json_schema()["properties"]  # type: ignore[union-attr]
        for tool in (films.ask_tool("films"), films.run_tool("films"), films.check_tool("films"))
    }
    query = {
        "description": "Steps such as Query1: \"get_information(head_entity='Alien')\".",
        "title": "Query",
        "type": "string",
    }
    assert schemas["run_query"] == schemas["check_query"] == {"query": query}
    assert schemas["ask_question"]["question"]["type"] == "string"


@pytest.mark.parametrize("is_async", [False, True])
def test_a_query_is_run(films: TrustUQA, is_async: bool) -> None:
    message = call_tool(films.run_tool("films"), is_async, query=DIRECTOR)
    assert isinstance(message, ToolMessage)
    assert isinstance(message.artifact, Answer)
    content = json.loads(str(message.content))
    (fact,) = message.artifact.evidence
    assert content == {
        "outcome": "answered",
        "values": ["Ridley Scott"],
        "understood": "'directed by' of Alien",
        "sentence": "'directed by' of Alien: Ridley Scott.",
        "facts": [f"Alien | directed by | Ridley Scott (films, {fact.place})"],
    }


@pytest.mark.parametrize("is_async", [False, True])
def test_a_question_is_asked_with_the_options(films: TrustUQA, is_async: bool) -> None:
    tool = films.ask_tool("films", reader=False)
    message = call_tool(tool, is_async, question="who directed Alien")
    content = json.loads(str(message.content))
    assert content["outcome"] == "not_askable"
    assert "films has no demonstrations" in content["problems"][0]
    assert message.artifact.question == "who directed Alien"


def test_a_question_follows_a_query(films: TrustUQA) -> None:
    message = call_tool(films.ask_tool("films"), False, question="and Aliens?", follows=DIRECTOR)
    assert json.loads(str(message.content))["values"] == ["James Cameron"]


def test_a_question_offers_readings_that_can_be_picked(films: TrustUQA) -> None:
    tool = films.ask_tool("films")
    offered = json.loads(str(call_tool(tool, False, question=READINGS).content))
    first = offered["readings"][0]
    assert first["values"]
    picked = json.loads(str(call_tool(tool, False, question=READINGS, pick=first["pick"]).content))
    assert (picked["query"], picked["values"]) == (first["query"], first["values"])
    assert picked["understood"] == first["understood"]
    assert 0 <= picked["confidence"] <= 1


def test_tools_have_names_of_their_own(films: TrustUQA) -> None:
    makers = (
        films.ask_tool, films.run_tool, films.check_tool, films.schema_tool, films.names_tool,
    )  # fmt: skip
    for make in makers:
        assert make("films").description.endswith("The data: films.")
        tool = make("films", name="use_films", description="Of films.")
        assert (tool.name, tool.description) == ("use_films", "Of films.")
    assert films.language_tool(name="grammar").name == "grammar"
    # Each has a name of its own already.
    assert len({make("films").name for make in makers}) == len(makers)


@pytest.mark.parametrize("is_async", [False, True])
def test_the_schema_is_read_in_pages(films: TrustUQA, is_async: bool) -> None:
    message = call_tool(films.schema_tool("films"), is_async)
    assert message.artifact == films.schema("films")
    content = json.loads(message.content)
    names = [relation["name"] for relation in content["relations"]]
    assert (content["dataset"], content["total"]) == ("films", len(names))
    assert "directed by" in names
    later = json.loads(call_tool(films.schema_tool("films"), is_async, offset=1).content)
    assert [relation["name"] for relation in later["relations"]] == names[1:]


@pytest.mark.parametrize("is_async", [False, True])
def test_names_have_scores(films: TrustUQA, is_async: bool) -> None:
    message = call_tool(films.names_tool("films"), is_async, text="Ridly Scot")
    content = json.loads(message.content)
    scores = dict(zip(content["names"], content["scores"], strict=True))
    assert content["names"][0] == "Ridley Scott"
    assert 0.5 < scores["Ridley Scott"] < 1
    assert message.artifact.scores["Ridley Scott"] == scores["Ridley Scott"]


@pytest.mark.parametrize("is_async", [False, True])
def test_the_language_is_read(films: TrustUQA, is_async: bool) -> None:
    message = call_tool(films.language_tool(), is_async)
    assert message.content == message.artifact == LANGUAGE


def test_a_long_result_is_cut(films: TrustUQA) -> None:
    from trustuqa_neo4j.llm.langchain_adapters import format_answer

    names = tuple(map(str, range(60)))
    content = json.loads(format_answer(Answer("answered", values=names)))
    assert (len(content["values"]), content["total"]) == (50, 60)
    fact = Evidence("Ada", "bakes", "rye", "town", "bakers", "bakers.csv", 4)
    content = json.loads(
        format_answer(Answer("answered", ("7",), evidence=(fact,) * 11, evidence_total=40))
    )
    assert (len(content["facts"]), content["facts_total"]) == (10, 40)
    rows = tuple((name, 1) for name in names)
    table = Answer("answered", values=names, columns=("a", "b"), rows=rows, grounded=False)
    content = json.loads(format_answer(table))
    assert (content["columns"], len(content["rows"]), content["total"]) == (["a", "b"], 50, 60)
    assert ("values" in content, content["grounded"]) == (False, False)


@pytest.mark.parametrize("is_async", [False, True])
def test_wrong_arguments_are_for_the_model_to_read(films: TrustUQA, is_async: bool) -> None:
    message = call_tool(films.ask_tool("films"), is_async, query="Who directed Alien?")
    assert message.status == "error"
    assert "question: Field required" in message.content
    assert "arguments: question" in message.content


@pytest.mark.parametrize("is_async", [False, True])
def test_an_error_of_the_data_is_for_the_model_to_read(films: TrustUQA, is_async: bool) -> None:
    message = call_tool(films.run_tool("flims"), is_async, query=GOOD)
    assert message.status == "error"
    assert message.content.startswith("unknown dataset: no dataset 'flims'")
    empty = call_tool(films.ask_tool("films"), is_async, question=" ")
    assert empty.content == "usage error: there is no question\nhint: ask something"


def test_the_engine_is_a_runnable(films: TrustUQA) -> None:
    runnable = films.as_runnable("films")
    assert isinstance(runnable, Runnable)
    chain = runnable | RunnableLambda(lambda answer: answer.values)
    assert chain.invoke("who directed Alien") == ("Ridley Scott",)
    assert asyncio.run(chain.ainvoke("who directed Alien")) == ("Ridley Scott",)
    assert [answer.outcome for answer in runnable.batch(["who directed Alien"] * 2)] == [
        "answered",
        "answered",
    ]


def test_facts_are_documents_with_file_and_line(films: TrustUQA) -> None:
    retriever = films.as_retriever("films", evidence=1)
    assert isinstance(retriever, BaseRetriever)
    (document,) = retriever.invoke("who directed Alien")
    assert document.page_content.startswith("Alien | directed by | Ridley Scott (films, ")
    metadata = document.metadata
    assert (metadata["head"], metadata["relation"]) == ("Alien", "directed by")
    assert (metadata["tail"], metadata["dataset"]) == ("Ridley Scott", "films")
    assert Path(metadata["file"]).name == "films.tsv"
    assert metadata["line"] >= 1
    assert not {"start", "end", "record", "inferred"} & metadata.keys()
    assert asyncio.run(retriever.ainvoke("who directed Alien")) == [document]
    assert retriever.invoke("who painted the sky") == []


def test_langchain_that_is_not_installed_is_named(
    films: TrustUQA, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "trustuqa_neo4j.llm.langchain_adapters", raising=False)
    monkeypatch.delattr(llm, "langchain_adapters", raising=False)
    monkeypatch.setitem(sys.modules, "langchain_core.callbacks", None)
    tools = (films.ask_tool, films.run_tool, films.check_tool, films.schema_tool, films.names_tool)
    for make in (*tools, films.as_runnable, lambda _: films.language_tool()):
        with pytest.raises(MissingExtra) as caught:
            make("films")
        assert str(caught.value) == (
            "objects of LangChain need the Python package 'langchain_core', "
            'which is not installed\nhint: pip install "trustuqa-neo4j[models]"'
        )


# The agent of the docs, with a model that calls tools as it is told.


def load_agent() -> ModuleType:
    spec = importlib.util.spec_from_file_location("agent", AGENT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def calls(*tool_calls: tuple[str, dict[str, str]]) -> Reply:
    """A reply that calls these tools."""
    functions = [
        {
            "id": str(number),
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for number, (name, arguments) in enumerate(tool_calls)
    ]
    message = {"role": "assistant", "content": None, "tool_calls": functions}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    body = {"id": "1", "object": "chat.completion", "created": 0, "model": "served"}
    return Fault(body=json.dumps(body | {"choices": [choice]}).encode())


def ask_agent(tuqa: TrustUQA, replies: Sequence[Reply], max_rounds: int) -> tuple[str, Chat]:
    tools = [tuqa.ask_tool("films"), tuqa.check_tool("films"), tuqa.run_tool("films")]
    with Chat(*replies) as chat:
        model = ChatOpenAI(model="test", base_url=chat.url, api_key=KEY)  # type: ignore[arg-type]
        text = load_agent().run_agent(model, tools, "Who directed Alien?", max_rounds)
        model.root_client.close()
    return text, chat


def test_an_agent_checks_runs_and_answers(films: TrustUQA, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    bad = DIRECTOR.replace("get_information", "get_infromation")
    replies = (
        calls(
            ("check_query", {"query": bad}), ("ask_question", {"question": "who directed Alien"})
        ),
        calls(("run_query", {"query": DIRECTOR})),
        "Ridley Scott directed it.",
    )
    text, chat = ask_agent(films, replies, 8)
    assert text == "Ridley Scott directed it."
    assert len(chat.requests) == 3
    offered = [tool["function"]["name"] for tool in chat.requests[0].body["tools"]]
    assert offered == ["ask_question", "check_query", "run_query"]
    results = [text for role, text in chat.requests[2].messages if role == "tool"]
    assert "did you mean get_information?" in results[0]
    assert [json.loads(result)["values"] for result in results[1:]] == [["Ridley Scott"]] * 2


def test_an_agent_is_told_of_an_unknown_tool_and_wrong_arguments(
    films: TrustUQA, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    wrong = calls(("search", {"query": "Alien"}), ("ask_question", {"query": "Alien"}))
    text, chat = ask_agent(films, (wrong, "I do not know."), 8)
    assert text == "I do not know."
    unknown, arguments = (text for role, text in chat.requests[1].messages if role == "tool")
    assert unknown == "unknown tool; there are ask_question, check_query, run_query"
    assert "question: Field required" in arguments


def test_an_agent_that_only_calls_tools_ends(
    films: TrustUQA, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    reply = calls(("run_query", {"query": DIRECTOR}))
    text, chat = ask_agent(films, (reply,), 2)
    assert text == "no answer after 2 rounds"
    assert len(chat.requests) == 2


class ScriptedModel(GenericFakeChatModel):
    """Writes steps of its own: each of its words comes from the question or the replies of tools."""

    messages: Iterator[AIMessage] = iter(())
    name: str
    "The first name of the steps, as the person writes it."
    word: str
    "A part of the name of the relation."

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> ScriptedModel:
        assert [tool.name for tool in tools] == TOOLS
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        replies = [message for message in messages if isinstance(message, ToolMessage)]
        name, arguments = self._choose(replies)
        call = ToolCall(name=name, args=arguments, id=str(len(replies)), type="tool_call")
        message = AIMessage("", tool_calls=[call])
        if len(replies) == 3:
            message = AIMessage(", ".join(json.loads(str(replies[-1].content))["values"]))
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _choose(self, replies: Sequence[ToolMessage]) -> tuple[str, dict[str, str]]:
        if not replies:
            return "language", {}
        if len(replies) == 1:
            return "find_names", {"text": self.name}
        language, names = str(replies[0].content), json.loads(str(replies[1].content))
        example = re.search(r"(get_information\(head_entity='[^\n]+?\)) returns", language)
        assert example is not None
        head, relation = re.findall(r"'([^']+)'", example[1])
        own = next(entry for entry in names["relations"] if self.word in entry)
        steps = example[1].replace(head, names["names"][0]).replace(relation, own)
        return "run_query", {"query": steps}


TOOLS = ["ask_question", "run_query", "describe", "find_names", "language"]


@pytest.mark.parametrize(
    ("question", "name", "word", "answer"),
    [
        ("Who directed Allien?", "Allien", "directed", "Ridley Scott"),
        ("When was Blade Runer released?", "Blade Runer", "Released", "1982"),
    ],
)
def test_an_agent_writes_steps_of_its_own(
    films: TrustUQA, question: str, name: str, word: str, answer: str
) -> None:
    tools = [
        films.ask_tool("films"), films.run_tool("films"), films.schema_tool("films"),
        films.names_tool("films"), films.language_tool(),
    ]  # fmt: skip
    text = load_agent().run_agent(ScriptedModel(name=name, word=word), tools, question)
    assert answer in text
