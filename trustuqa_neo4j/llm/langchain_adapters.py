"""The engine as objects of LangChain: tools for agents, a runnable, and a retriever of facts.

Importing this module takes a second, so clients import it when they make one of these objects. Results of
tools are JSON: cell values in them are quoted data.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, TypeVar

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, ConfigDict, Field

from ..answer import Answer, CheckReport, Evidence
from ..errors import AskingError, DataError, UsageError
from ..language.ast import excerpt

R = TypeVar("R", Answer, CheckReport)
Call: TypeAlias = Callable[[str], R]
AsyncCall: TypeAlias = Callable[[str], Awaitable[R]]

_MAX_VALUES = 50  # values or rows in the result of a tool
_MAX_FACTS = 10

_ASK = (
    "Ask a question in plain words about the loaded data. Replies with the outcome, the values of the "
    "answer, and the facts that prove it, each with its file and line."
)
_RUN = (
    'Run a query of steps (Query1: "get_information(...)" ...) over the loaded data. Replies as '
    "ask_question does, and with the problems of the query."
)
_CHECK = (
    'See what is wrong with a query of steps (Query1: "get_information(...)" ...) before it is run. '
    "Replies with the problems, each with its step and what to try, or says that there is none."
)


class QuestionArguments(BaseModel):
    question: str = Field(
        description="The question, complete in itself, with names as in the data."
    )


class QueryArguments(BaseModel):
    query: str = Field(
        description="Steps such as Query1: \"get_information(head_entity='Alien')\"."
    )


def ask_tool(ask: Call[Answer], aask: AsyncCall[Answer]) -> BaseTool:
    return _make_tool("ask_question", _ASK, QuestionArguments, ask, aask, format_answer)


def run_tool(run: Call[Answer], arun: AsyncCall[Answer]) -> BaseTool:
    return _make_tool("run_query", _RUN, QueryArguments, run, arun, format_answer)


def check_tool(check: Call[CheckReport], acheck: AsyncCall[CheckReport]) -> BaseTool:
    return _make_tool("check_query", _CHECK, QueryArguments, check, acheck, format_report)


def _make_tool(
    name: str,
    description: str,
    schema: type[BaseModel],
    call: Call[R],
    acall: AsyncCall[R],
    format_result: Callable[[str, R], str],
) -> BaseTool:
    """A tool with one argument, whose result for the model has the result of the call as its artifact."""

    def run(**arguments: str) -> tuple[str, R]:
        (text,) = arguments.values()
        with _ToolErrors():
            result = call(text)
        return format_result(text, result), result

    async def arun(**arguments: str) -> tuple[str, R]:
        (text,) = arguments.values()
        with _ToolErrors():
            result = await acall(text)
        return format_result(text, result), result

    return StructuredTool.from_function(
        run,
        arun,
        name=name,
        description=description,
        args_schema=schema,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


class _ToolErrors:
    """Makes an error of the question, the query or the data the result of the tool, for the model to read."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, AskingError | DataError | UsageError):
            raise ToolException(f"{error.kind}: {error}") from error


def format_answer(_: str, answer: Answer) -> str:
    """Format an answer as JSON for a model: what is empty is left out, long lists are cut."""
    columns, rows = answer.table
    is_table = len(columns) > 1
    count = len(rows) if is_table else len(answer.values)
    content: dict[str, Any] = {
        "outcome": answer.outcome,
        "values": [] if is_table else list(answer.values[:_MAX_VALUES]),
        "columns": list(columns) if is_table else [],
        "rows": [list(row) for row in rows[:_MAX_VALUES]] if is_table else [],
        "total": answer.truncated or (count if count > _MAX_VALUES else None),
        "query": answer.llm_query,
        "facts": list(map(describe_fact, answer.evidence[:_MAX_FACTS])),
        "problems": [problem.message for problem in answer.problems],
        "notes": [note.message for note in answer.notes],
        "hints": list(answer.hints),
        "grounded": None if answer.grounded else False,
    }
    content = {name: value for name, value in content.items() if value not in (None, [])}
    return json.dumps(content, ensure_ascii=False)


def format_report(query: str, report: CheckReport) -> str:
    """Format the problems of a check: a line for each, with its place in the query."""
    lines = []
    for problem in report.problems:
        where = "" if problem.step is None else f", step {problem.step}"
        lines.append(f"{problem.severity}: {problem.kind}{where}: {problem.message}")
        if problem.position is not None:
            lines += [f"  {line}" for line in excerpt(query, problem.position).splitlines()]
    lines += [f"{match.given!r} is read as {match.used!r}" for match in report.mapped]
    return "\n".join(lines) if lines else "Nothing is wrong with this query."


def describe_fact(fact: Evidence) -> str:
    time = ""
    if fact.start is not None or fact.end is not None:
        time = f" [{fact.start or '…'} – {fact.end or '…'}]"
    return f"{fact.head} | {fact.relation} | {fact.tail}{time} ({fact.dataset}, {fact.place})"


def make_runnable(ask: Call[Answer], aask: AsyncCall[Answer]) -> Runnable[str, Answer]:
    return RunnableLambda(ask, aask, name="trustuqa")


class FactRetriever(BaseRetriever):
    """Asks a question and returns the facts that prove the answer; none if there is no answer.

    ``metadata`` of a document: head, relation, tail, dataset, source, file and line, and if there are any
    start, end, record (instead of a line) and inferred.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    ask: Callable[[str], Answer]
    aask: Callable[[str], Awaitable[Answer]]

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 # LangChain's
    ) -> list[Document]:
        return list(map(make_document, self.ask(query).evidence))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002 # LangChain's
    ) -> list[Document]:
        return list(map(make_document, (await self.aask(query)).evidence))


def make_document(fact: Evidence) -> Document:
    metadata: dict[str, Any] = {
        "head": fact.head,
        "relation": fact.relation,
        "tail": fact.tail,
        "dataset": fact.dataset,
        "source": fact.source,
        "file": fact.file,
        "line": fact.line,
        "start": fact.start,
        "end": fact.end,
        "record": fact.record or None,
        "inferred": fact.inferred,
    }
    present = {name: value for name, value in metadata.items() if value is not None}
    return Document(describe_fact(fact), metadata=present)
