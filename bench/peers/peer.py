"""One tool in a process of its own: questions come as lines of JSON, and answers leave as lines of JSON.

It runs with the Python of the peers, so it imports nothing of this repository. Each tool has its default
settings; what a statement changes is rolled back after its rows are read. The address of the model is
``OPENAI_BASE_URL``, that of the graph ``NEO4J_URI``, with ``NEO4J_USERNAME`` and ``NEO4J_PASSWORD``.

    python bench/peers/peer.py {langchain,graphrag} MODEL
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import neo4j
from neo4j.exceptions import DriverError, Neo4jError

RAISED = (Neo4jError, DriverError, ValueError)
"""What tools raise for a statement or a reply that they cannot use; anything else ends the process."""

Reply = dict[str, Any]
"""``rows`` (lists of cells), and what there is of ``prose``, ``refusal``, ``error`` and tokens."""

Ask = Callable[[str], Reply]


class StatementLog:
    """The statements of one question, with the type that ``EXPLAIN`` says: r, w, rw or s."""

    def __init__(self, driver: neo4j.Driver) -> None:
        self.driver = driver
        self.entries: list[dict[str, str | None]] = []

    def note(self, text: str) -> None:
        """Explain a statement without running it; the type of a wrong one is None."""
        try:
            summary = self.driver.execute_query(f"EXPLAIN {text}", routing_="r").summary
        except (Neo4jError, DriverError):
            query_type = None
        else:
            query_type = summary.query_type
        self.entries.append({"text": text, "type": query_type})

    def run(self, text: str, parameters: dict[str, Any] | None = None) -> list[dict[str, Any]]:
        """Note a statement, run it, read its rows and roll back what it changed."""
        self.note(text)
        with self.driver.session() as session, session.begin_transaction() as transaction:
            rows = [record.data() for record in transaction.run(text, parameters or {})]
            transaction.rollback()
        return rows


@contextmanager
def open_driver() -> Iterator[neo4j.Driver]:
    auth = (os.environ["NEO4J_USERNAME"], os.environ["NEO4J_PASSWORD"])
    with neo4j.GraphDatabase.driver(os.environ["NEO4J_URI"], auth=auth) as driver:
        yield driver


def open_langchain(model: str, log: StatementLog) -> Ask:
    """``GraphCypherQAChain``: its rows are those of which it words its answer, ten at most."""
    from langchain_core.callbacks import UsageMetadataCallbackHandler
    from langchain_neo4j import GraphCypherQAChain, Neo4jGraph
    from langchain_openai import ChatOpenAI
    from openai import OpenAIError

    class ReversibleGraph(Neo4jGraph):  # type: ignore[misc,unused-ignore]
        def query(self, query: str, params: Any = None, **_options: Any) -> list[dict[str, Any]]:
            return log.run(query, params)

    usage = UsageMetadataCallbackHandler()
    chain = GraphCypherQAChain.from_llm(
        ChatOpenAI(model=model, temperature=0, callbacks=[usage]),
        graph=ReversibleGraph(),
        allow_dangerous_requests=True,
        return_intermediate_steps=True,
    )

    def ask(question: str) -> Reply:
        usage.usage_metadata.clear()
        reply: Reply = {}
        try:
            result = chain.invoke({"query": question})
            _, context = result["intermediate_steps"]
            reply["rows"] = [list(row.values()) for row in context["context"]]
            reply["prose"] = result["result"]
        except (*RAISED, OpenAIError) as error:
            reply["error"] = describe_error(error)
        return reply | count_tokens(usage.usage_metadata.values())

    return ask


def open_graphrag(model: str, log: StatementLog) -> Ask:
    """``Text2CypherRetriever``: its rows are the records that it retrieves."""
    from neo4j_graphrag.exceptions import Neo4jGraphRagError
    from neo4j_graphrag.llm import OpenAILLM
    from neo4j_graphrag.retrievers import Text2CypherRetriever
    from neo4j_graphrag.retrievers.text2cypher import extract_cypher

    used: list[dict[str, int]] = []

    class RecordedLLM(OpenAILLM):  # type: ignore[misc,unused-ignore]
        def invoke(self, *arguments: Any, **options: Any) -> Any:
            response = super().invoke(*arguments, **options)
            log.note(extract_cypher(response.content))
            if response.usage is not None:
                tokens = (response.usage.request_tokens, response.usage.response_tokens)
                used.append(dict(zip(("input_tokens", "output_tokens"), tokens, strict=True)))
            return response

    llm = RecordedLLM(model_name=model, model_params={"temperature": 0})
    retriever = Text2CypherRetriever(driver=log.driver, llm=llm)

    def ask(question: str) -> Reply:
        used.clear()
        reply: Reply = {}
        try:
            records = retriever.get_search_results(query_text=question).records
            reply["rows"] = [list(record.data().values()) for record in records]
        except (*RAISED, Neo4jGraphRagError) as error:
            kind = "refusal" if "non-read-only" in str(error) else "error"
            reply[kind] = describe_error(error)
        return reply | count_tokens(used)

    return ask


PEERS = {"langchain": open_langchain, "graphrag": open_graphrag}


def count_tokens(usages: Any) -> dict[str, int]:
    usages = list(usages)
    names = ("input_tokens", "output_tokens")
    return {name: sum(usage[name] or 0 for usage in usages) for name in names}


def describe_error(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:500]


def serve(ask: Ask, log: StatementLog) -> None:
    """Answer each question of the standard input on the standard output."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    sys.stdout = sys.stderr  # a tool may print
    for line in sys.stdin:
        log.entries.clear()
        began = perf_counter()
        reply = ask(json.loads(line)["question"])
        reply["seconds"] = perf_counter() - began
        reply["statements"] = log.entries
        answers.write(json.dumps(reply, ensure_ascii=False, default=str) + "\n")
        answers.flush()


def main() -> None:
    name, model = sys.argv[1:]
    with open_driver() as driver:
        log = StatementLog(driver)
        serve(PEERS[name](model, log), log)


if __name__ == "__main__":
    main()
