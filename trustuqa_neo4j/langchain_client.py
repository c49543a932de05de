"""The methods of the client that make objects of LangChain: tools for agents, a runnable and a retriever."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from .answer import Answer
from .async_client import AsyncMethods
from .errors import require_extra

if TYPE_CHECKING:
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import Runnable
    from langchain_core.tools import BaseTool
    from typing_extensions import Unpack

    from .questions.options import AskOptions

_LANGCHAIN = ("models", "objects of LangChain need")  # the extra, and who needs it


class LangChainMethods(AsyncMethods):
    """Adds objects of LangChain to a client with the methods ``ask``, ``run`` and ``check``."""

    def ask_tool(
        self,
        dataset: str | Sequence[str] | None = None,
        *,
        name: str = "ask_question",
        description: str | None = None,
        **options: Unpack[AskOptions],
    ) -> BaseTool:
        """Return ``ask`` as a tool of LangChain, for agents; its artifact is the ``Answer``.

        An agent with several of them needs a ``name`` for each. Without ``description``, the tool is
        described with the names of its datasets.

        Raises:
            MissingExtra
        """
        with require_extra(*_LANGCHAIN):
            from .llm import langchain_adapters

        datasets = (dataset,) if isinstance(dataset, str) else tuple(dataset or ())
        return langchain_adapters.ask_tool(
            partial(self.ask, dataset=dataset, **options),
            partial(self.aask, dataset=dataset, **options),
            name=name,
            description=description,
            datasets=datasets,
        )

    def run_tool(
        self, dataset: str | Sequence[str] | None = None, *, source: str | None = None
    ) -> BaseTool:
        """Return ``run`` as a tool of LangChain, for agents; its artifact is the ``Answer``.

        Raises:
            MissingExtra
        """
        with require_extra(*_LANGCHAIN):
            from .llm import langchain_adapters

        return langchain_adapters.run_tool(
            lambda query: self.run(query, dataset, source=source),
            lambda query: self.arun(query, dataset, source=source),
        )

    def check_tool(
        self, dataset: str | Sequence[str] | None = None, *, source: str | None = None
    ) -> BaseTool:
        """Return ``check`` as a tool of LangChain, for agents; its artifact is the ``CheckReport``.

        Raises:
            MissingExtra
        """
        with require_extra(*_LANGCHAIN):
            from .llm import langchain_adapters

        return langchain_adapters.check_tool(
            lambda query: self.check(query, dataset, source=source),
            lambda query: self.acheck(query, dataset, source=source),
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
