"""The methods of the client that make objects of LangChain: tools for agents, a runnable and a retriever."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from .answer import Answer
from .async_client import AsyncMethods
from .errors import require_extra

if TYPE_CHECKING:
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import Runnable
    from langchain_core.tools import BaseTool
    from typing_extensions import Unpack

    from .execution.name_search import SimilarNames
    from .questions.options import AskOptions

_LANGCHAIN = ("models", "objects of LangChain need")  # the extra, and who needs it


class LangChainMethods(AsyncMethods):
    """Adds objects of LangChain to a client with the methods that they call."""

    find_names: Callable[..., SimilarNames]

    def ask_tool(
        self,
        dataset: str | Sequence[str] | None = None,
        *,
        name: str | None = None,
        description: str | None = None,
        **options: Unpack[AskOptions],
    ) -> BaseTool:
        """Return ``ask`` as a tool of LangChain, for agents; its artifact is the ``Answer``.

        An agent with several of them needs a ``name`` for each. Without ``description``, the tool is
        described with the names of its datasets. The other tools have both too.

        Raises:
            MissingExtra
        """
        bound = {"dataset": dataset, **options}
        return self._make_tool("ask_question", self.ask, self.aask, bound, name, description)

    def run_tool(
        self,
        dataset: str | Sequence[str] | None = None,
        *,
        source: str | None = None,
        name: str | None = None,
        description: str | None = None,
    ) -> BaseTool:
        """Return ``run`` as a tool of LangChain, for agents; its artifact is the ``Answer``.

        Raises:
            MissingExtra
        """
        bound = {"dataset": dataset, "source": source}
        return self._make_tool("run_query", self.run, self.arun, bound, name, description)

    def check_tool(
        self,
        dataset: str | Sequence[str] | None = None,
        *,
        source: str | None = None,
        name: str | None = None,
        description: str | None = None,
    ) -> BaseTool:
        """Return ``check`` as a tool of LangChain, for agents; its artifact is the ``CheckReport``.

        Raises:
            MissingExtra
        """
        bound = {"dataset": dataset, "source": source}
        return self._make_tool("check_query", self.check, self.acheck, bound, name, description)

    def schema_tool(
        self,
        dataset: str,
        *,
        source: str | None = None,
        name: str | None = None,
        description: str | None = None,
    ) -> BaseTool:
        """Return ``schema`` of ``dataset`` as a tool of LangChain; its artifact is the ``Schema``.

        Raises:
            MissingExtra
        """
        bound = {"dataset": dataset, "source": source}
        return self._make_tool("describe", self.schema, self.aschema, bound, name, description)

    def names_tool(
        self,
        dataset: str | Sequence[str] | None = None,
        *,
        source: str | None = None,
        name: str | None = None,
        description: str | None = None,
    ) -> BaseTool:
        """Return ``find_names`` as a tool of LangChain, with scores; its artifact are ``SimilarNames``.

        Raises:
            MissingExtra
        """
        from .llm.tool_results import MAX_NAMES

        bound = {"dataset": dataset, "source": source, "limit": MAX_NAMES}
        afind = partial(asyncio.to_thread, self.find_names)
        return self._make_tool("find_names", self.find_names, afind, bound, name, description)

    def language_tool(self, *, name: str | None = None, description: str | None = None) -> BaseTool:
        """Return the query language, in ten lines, as a tool of LangChain.

        Raises:
            MissingExtra
        """
        from .llm.tool_results import LANGUAGE

        async def read() -> str:
            return LANGUAGE

        return self._make_tool("language", lambda: LANGUAGE, read, {}, name, description)

    def _make_tool(
        self,
        tool: str,
        call: Callable[..., Any],
        acall: Callable[..., Awaitable[Any]],
        bound: Mapping[str, Any],
        name: str | None,
        description: str | None,
    ) -> BaseTool:
        with require_extra(*_LANGCHAIN):
            from .llm import langchain_adapters

        dataset = bound.get("dataset") or ()
        return langchain_adapters.make_tool(
            tool,
            partial(call, **bound),
            partial(acall, **bound),
            name=name,
            description=description,
            datasets=(dataset,) if isinstance(dataset, str) else tuple(dataset),
        )

    def as_runnable(
        self, dataset: str | Sequence[str] | None = None, **options: Unpack[AskOptions]
    ) -> Runnable[str, Answer]:
        """Return ``ask`` as a runnable of LangChain: a question in, an ``Answer`` out.

        Raises:
            MissingExtra
        """
        with require_extra(*_LANGCHAIN):
            from .llm import langchain_adapters

        return langchain_adapters.make_runnable(
            lambda question: self.ask(question, dataset, **options),
            lambda question: self.aask(question, dataset, **options),
        )

    def as_retriever(
        self, dataset: str | Sequence[str] | None = None, **options: Unpack[AskOptions]
    ) -> BaseRetriever:
        """Return a retriever of LangChain: a question in, the facts that prove its answer out.

        Each fact is a document with its file and line in ``metadata``; ``evidence`` is their maximal number.

        Raises:
            MissingExtra
        """
        with require_extra(*_LANGCHAIN):
            from .llm import langchain_adapters

        return langchain_adapters.FactRetriever(
            ask=lambda question: self.ask(question, dataset, **options),
            aask=lambda question: self.aask(question, dataset, **options),
        )
