"""The engine as objects of LangChain: tools for agents, a runnable, and a retriever of facts.

Importing this module takes a second, so clients import it when they make one of these objects. Results of
tools are JSON: cell values in them are quoted data.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple, TypeAlias

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..answer import Answer, Evidence
from ..errors import AskingError, DataError, UsageError
from .agent_results import format_names, format_schema
from .tool_results import (
    ASK,
    CHECK,
    DESCRIBE,
    FIND_NAMES,
    FOLLOW_UP,
    LANGUAGE_USE,
    OFFSET,
    PICK,
    QUERY,
    QUESTION,
    RUN,
    TEXT,
    describe_fact,
    format_answer,
    format_report,
)

Call: TypeAlias = Callable[..., Any]
AsyncCall: TypeAlias = Callable[..., Awaitable[Any]]


class QuestionArguments(BaseModel):
    question: str = Field(description=QUESTION)
    follows: str | None = Field(
        default=None, description=f"`query` of the result that the question follows. {FOLLOW_UP}"
    )
    pick: int | None = Field(default=None, ge=1, description=PICK)


class QueryArguments(BaseModel):
    query: str = Field(description=QUERY)


class PageArguments(BaseModel):
    offset: int | None = Field(default=None, ge=0, description=OFFSET)


class TextArguments(PageArguments):
    text: str = Field(description=TEXT)


class NoArguments(BaseModel):
    pass


class ToolRow(NamedTuple):
    """A tool: what it says of itself, its arguments, and its result as text for the model.

    ``shown`` are the arguments that the text needs.
    """

    description: str
    schema: type[BaseModel]
    format: Callable[..., str]
    shown: Sequence[str] = ()


TOOLS = {
    "ask_question": ToolRow(ASK, QuestionArguments, format_answer),
    "run_query": ToolRow(RUN, QueryArguments, format_answer),
    "check_query": ToolRow(CHECK, QueryArguments, format_report, ("query",)),
    "describe": ToolRow(DESCRIBE, PageArguments, format_schema, ("offset",)),
    "find_names": ToolRow(FIND_NAMES, TextArguments, format_names, ("offset",)),
    "language": ToolRow(LANGUAGE_USE, NoArguments, str),
}
"""The tools by the names that they have unless others are chosen."""


def make_tool(
    tool: str,
    call: Call,
    acall: AsyncCall,
    *,
    name: str | None = None,
    description: str | None = None,
    datasets: Sequence[str] = (),
) -> BaseTool:
    """Make one of ``TOOLS``, whose result for the model has the result of the call as its artifact.

    Without ``description``, it has that of its row, with the names of the datasets.
    """
    row = TOOLS[tool]
    about = f" The data: {', '.join(datasets)}." if datasets else ""

    def run(**arguments: Any) -> tuple[str, Any]:
        passed, shown = _divide_arguments(row, arguments)
        with _ToolErrors():
            result = call(**passed)
        return row.format(result, **shown), result

    async def arun(**arguments: Any) -> tuple[str, Any]:
        passed, shown = _divide_arguments(row, arguments)
        with _ToolErrors():
            result = await acall(**passed)
        return row.format(result, **shown), result

    return StructuredTool.from_function(
        run,
        arun,
        name=name or tool,
        description=description or row.description + about,
        args_schema=row.schema,
        response_format="content_and_artifact",
        handle_tool_error=True,
        handle_validation_error=partial(_describe_wrong_arguments, row.schema),
    )


def _divide_arguments(
    row: ToolRow, arguments: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments of the call, and those of its text; what a model leaves out is in neither."""
    present = {name: value for name, value in arguments.items() if value is not None}
    shown = {name: present[name] for name in row.shown if name in present}
    present.pop("offset", None)
    return present, shown


def _describe_wrong_arguments(schema: type[BaseModel], error: Exception) -> str:
    """Say to the model what is wrong, so that it calls the tool again."""
    found = error.errors() if isinstance(error, ValidationError) else ()
    wrong = [f"{'.'.join(map(str, entry['loc']))}: {entry['msg']}" for entry in found]
    return "\n".join((*(wrong or [str(error)]), f"arguments: {', '.join(schema.model_fields)}"))


class _ToolErrors:
    """Makes an error of the question, the query or the data the result of the tool, for the model to read."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, AskingError | DataError | UsageError):
            raise ToolException(f"{error.kind}: {error}") from error


def make_runnable(
    ask: Callable[[str], Answer], aask: Callable[[str], Awaitable[Answer]]
) -> Runnable[str, Answer]:
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
