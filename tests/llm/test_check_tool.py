"""The check as a tool of LangChain."""

from __future__ import annotations

from langchain_core.tools import BaseTool

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.llm.check_tool import told

GOOD = "get_information(head_entity='Alien', relation='starring')"


def test_an_agent_can_have_a_query_checked(films: TrustUQA) -> None:
    tool = films.check_tool("films")
    assert isinstance(tool, BaseTool)
    assert tool.name == "check_query"
    assert set(tool.args) == {"query"}
    assert tool.invoke({"query": GOOD}) == "Nothing is wrong with this query."
    said = tool.invoke({"query": "Query1: cuont('x')"})
    assert said == (
        "error: unknown function, step 1: undefined function cuont; did you mean count?\n"
        "  Query1: cuont('x')\n"
        "          ^"
    )


def test_what_was_read_as_another_is_told(films: TrustUQA) -> None:
    query = GOOD.replace("starring", "starrring")
    assert told(query, films.check(query, "films")) == "'starrring' is read as 'starring'"
