"""The engine as objects of LangChain: tools for agents, a runnable, and a retriever of facts.

Importing this module takes a second, so clients import it when they make one of these objects. Results of
tools are JSON: cell values in them are quoted data.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, TypeAlias, TypeVar

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..answer import Answer, CheckReport, Evidence
from ..errors import AskingError, DataError, UsageError
from .tool_results import (
    ASK,
    CHECK,
    FOLLOW_UP,
    PICK,
    QUERY,
    QUESTION,
    RUN,
    describe_fact,
    format_answer,
    format_report,
)

R = TypeVar("R", Answer, CheckReport)
Call: TypeAlias = Callable[..., R]
AsyncCall: TypeAlias = Callable[..., Awaitable[R]]


class QuestionArguments(BaseModel):
    question: str = Field(description=QUESTION)
    follows: str | None = Field(
        default=None, description=f"`query` of the result that the question follows. {FOLLOW_UP}"
    )
    pick: int | None = Field(default=None, ge=1, description=PICK)


class QueryArguments(BaseModel):
    query: str = Field(description=QUERY)


def ask_tool(
    ask: Call[Answer],
    aask: AsyncCall[Answer],
    *,
    name: str = "ask_question",
    description: str | None = None,
    datasets: Sequence[str] = (),
) -> BaseTool:
    about = f" The data: {', '.join(datasets)}." if datasets else ""
    return _make_tool(name, description or ASK + about, QuestionArguments, ask, aask, format_answer)


def run_tool(run: Call[Answer], arun: AsyncCall[Answer]) -> BaseTool:
    return _make_tool("run_query", RUN, QueryArguments, run, arun, format_answer)


def check_tool(check: Call[CheckReport], acheck: AsyncCall[CheckReport]) -> BaseTool:
    return _make_tool("check_query", CHECK, QueryArguments, check, acheck, format_report)


def _make_tool(
    name: str,
    description: str,
    schema: type[BaseModel],
    call: Call[R],
    acall: AsyncCall[R],
    format_result: Callable[[str, R], str],
) -> BaseTool:
    """A tool whose result for the model has the result of the call as its artifact.

    The first argument is a text; the others are passed on by their names if they are given.
    """
    first = next(iter(schema.model_fields))

    def run(**arguments: Any) -> tuple[str, R]:
        text = arguments.pop(first)
        with _ToolErrors():
            result = call(text, **_list_given(arguments))
        return format_result(text, result), result

    async def arun(**arguments: Any) -> tuple[str, R]:
        text = arguments.pop(first)
        with _ToolErrors():
            result = await acall(text, **_list_given(arguments))
        return format_result(text, result), result

    return StructuredTool.from_function(
        run,
        arun,
        name=name,
        description=description,
        args_schema=schema,
        response_format="content_and_artifact",
        handle_tool_error=True,
        handle_validation_error=partial(_describe_wrong_arguments, schema),
    )


def _describe_wrong_arguments(schema: type[BaseModel], error: Exception) -> str:
    """Say to the model what is wrong, so that it calls the tool again."""
    found = error.errors() if isinstance(error, ValidationError) else ()
    wrong = [f"{'.'.join(map(str, entry['loc']))}: {entry['msg']}" for entry in found]
    return "\n".join((*(wrong or [str(error)]), f"arguments: {', '.join(schema.model_fields)}"))


def _list_given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}


class _ToolErrors:
    """Makes an error of the question, the query or the data the result of the tool, for the model to read."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, AskingError | DataError | UsageError):
            raise ToolException(f"{error.kind}: {error}") from error


def make_runnable(ask: Call[Answer], aask: AsyncCall[Answer]) -> Runnable[str, Answer]:
    return RunnableLambda(ask, aask, name="trustuqa")


class FactRetriever(BaseRetriever):
    """Asks a question and returns the facts that prove the answer; none if there is no answer.

    ``metadata`` of a document: head, relation, tail, dataset, source, file and line, and if there are any
    start, end, record (instead of a line), inferred and cell.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(arbitrary_types_allowed=True)

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
        "cell": fact.cell,
    }
    present = {name: value for name, value in metadata.items() if value is not None}
    return Document(describe_fact(fact), metadata=present)
