"""The asking half of the client: questions and queries in, answers out, each in the scope that it may read.

The other half (``client``) makes connections and loads data.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from .. import engine
from ..answer import Answer, Checked
from ..dataset import Dataset, Scope
from ..embedding.wished import Wished
from ..errors import UnknownDataset
from ..graph import catalogue
from ..graph.asynchronous import AsyncConnection
from ..graph.connection import TIMEOUT, Connection
from ..llm.wished import Models
from . import many
from .asking import Asking
from .driving import adrive, drive
from .options import Options, clock, meter, shown, wish
from .world import Here, There

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..llm.prompting import Prompt
    from ..llm.tool import BaseTool
    from ..llm.wished import Wish as ModelWish
    from .teaching import Teaching


class Asker(ABC):
    """Answers questions and runs queries; safe to share between threads."""

    connection: Connection
    _datasets: frozenset[str] | None
    _embedding: Wished
    _models: Models

    @property
    def demonstrations(self) -> Teaching:
        """The demonstrations of this client's datasets: questions with their queries."""
        # Most commands neither teach nor ask, and this brings along what does.
        from .teaching import Teaching

        encode = None if self._embedding.nothing else self._embedding.as_held
        return Teaching(self.connection, encode, self._allowed)

    def asked_by(self, llm: ModelWish = None) -> str:
        """Who writes queries where ``llm`` is wished: the name of a model, or ``demonstrations``.

        Raises:
            BadSettings, MissingExtra
        """
        return self._models.name(llm)

    def datasets(self) -> tuple[Dataset, ...]:
        """The datasets of this client's scope, those that are not complete included."""
        found = catalogue.datasets(self.connection)
        return tuple(d for d in found if self._datasets is None or d.name in self._datasets)

    def run(
        self,
        query: str,
        dataset: str | Sequence[str] | None = None,
        *,
        source: str | None = None,
        evidence: int = engine.EVIDENCE,
        limit: int | None = None,
        timeout: float = TIMEOUT,
    ) -> Answer:
        """Run an LLM query, as its text came; ``dataset`` may be left out where there is only one.

        ``timeout`` is in seconds, for the whole query. At most ``evidence`` facts come with the answer, and
        at most ``limit`` values or rows; ``truncated`` says how many there are.

        Raises:
            UnknownDataset, UnknownSource, IncompleteDataset, TimedOut, DatabaseError
        """
        scope = self._scope(dataset, source)
        return self.connection.read(
            lambda: engine.run(query, scope, evidence, limit), timeout, self._embedding.as_held
        )

    def check(
        self,
        query: str,
        dataset: str | Sequence[str] | None = None,
        *,
        source: str | None = None,
        question: str | None = None,
        timeout: float = TIMEOUT,
    ) -> Checked:
        """See what is wrong with an LLM query, and run nothing; ``dataset`` as for ``run``.

        What a ``question`` says and the query never asks for is warned of.

        Raises:
            UnknownDataset, UnknownSource, IncompleteDataset, TimedOut, DatabaseError
        """
        scope = self._scope(dataset, source)
        encode = self._embedding.as_held
        return self.connection.read(lambda: engine.check(query, scope, question), timeout, encode)

    async def acheck(
        self,
        query: str,
        dataset: str | Sequence[str] | None = None,
        *,
        source: str | None = None,
        question: str | None = None,
        timeout: float = TIMEOUT,  # the server's, which ends the work there too
    ) -> Checked:
        """As ``check``, on the asynchronous driver."""
        connection = self._asynchronous()
        scope = await asyncio.to_thread(self._scope, dataset, source)
        encode = self._embedding.as_held
        return await connection.read(lambda: engine.check(query, scope, question), timeout, encode)

    def check_tool(
        self, dataset: str | Sequence[str] | None = None, *, source: str | None = None
    ) -> BaseTool:
        """``check`` as a tool of LangChain, which an agent can call before it has a query run.

        Raises:
            MissingExtra
        """
        from ..llm.tool import check_tool

        return check_tool(lambda query: self.check(query, dataset, source=source))

    async def arun(
        self,
        query: str,
        dataset: str | Sequence[str] | None = None,
        *,
        source: str | None = None,
        evidence: int = engine.EVIDENCE,
        limit: int | None = None,
        timeout: float = TIMEOUT,  # the server's, which ends the work there too
    ) -> Answer:
        """As ``run``, on the asynchronous driver."""
        connection = self._asynchronous()
        scope = await asyncio.to_thread(self._scope, dataset, source)
        return await connection.read(
            lambda: engine.run(query, scope, evidence, limit), timeout, self._embedding.as_held
        )

    def ask(
        self,
        question: str,
        dataset: str | Sequence[str] | None = None,
        **options: Unpack[Options],
    ) -> Answer:
        """Ask in plain words; where no ``dataset`` is named, the one that knows what is asked is.

        ``options``: see ``asking.options.Options``.

        Raises:
            UnknownDataset, UnknownSource, IncompleteDataset, UsageError, TimedOut, Cancelled, ModelError,
            DatabaseError
        """
        asking = self._asking(question, dataset, options)
        world = Here(
            self.connection, self._embedding.as_held, asking.model, shown(options), meter(options)
        )
        return drive(asking.dialogue(), world, clock(options), options.get("listen"))

    async def aask(
        self,
        question: str,
        dataset: str | Sequence[str] | None = None,
        **options: Unpack[Options],
    ) -> Answer:
        """As ``ask``, on the asynchronous driver; cancelled with its task."""
        asking = await asyncio.to_thread(self._asking, question, dataset, options)
        encode = self._embedding.as_held
        world = There(self._asynchronous(), encode, asking.model, shown(options), meter(options))
        return await adrive(asking.dialogue(), world, clock(options), options.get("listen"))

    def ask_many(
        self,
        questions: Iterable[str],
        dataset: str | Sequence[str] | None = None,
        *,
        at_once: int = many.AT_ONCE,
        **options: Unpack[Options],
    ) -> Iterator[Answer]:
        """Ask ``questions``, so many ``at_once``; answers come in their order, as they are there.

        What goes wrong with one of them is its answer (``failed``).

        Raises:
            UnknownDataset, Cancelled, ModelError, DatabaseError: what would go wrong with all.
        """
        ask = lambda question: self.ask(question, dataset, **options)  # noqa: E731
        return many.answers(ask, questions, at_once)

    def aask_many(
        self,
        questions: Iterable[str],
        dataset: str | Sequence[str] | None = None,
        *,
        at_once: int = many.AT_ONCE,
        **options: Unpack[Options],
    ) -> AsyncIterator[Answer]:
        """As ``ask_many``, on the asynchronous driver."""
        ask = lambda question: self.aask(question, dataset, **options)  # noqa: E731
        return many.async_answers(ask, questions, at_once)

    def prompt(
        self,
        question: str,
        dataset: str | Sequence[str] | None = None,
        **options: Unpack[Options],
    ) -> Prompt:
        """What a model would be sent for ``question``, which it is not.

        Raises:
            UnknownDataset, UnknownSource, IncompleteDataset, UsageError, TimedOut, DatabaseError
        """
        wished = wish(question, self._scope(dataset, options.get("source")), bool(dataset), options)
        world = Here(self.connection, self._embedding.as_held, None, shown(options))
        from .preparing import prepare
        from .telling import Teller

        prepared = drive(prepare(wished, Teller()), world, clock(options))
        return prepared.prompt

    def _asking(
        self, question: str, dataset: str | Sequence[str] | None, options: Options
    ) -> Asking:
        scope = self._scope(dataset, options.get("source"))
        model = self._models.model(options.get("llm"), options.get("keep", True))
        return Asking(wish(question, scope, bool(dataset), options), model)

    def _scope(self, dataset: str | Sequence[str] | None, source: str | None) -> Scope:
        if isinstance(dataset, str):
            wanted = [dataset]
        else:
            wanted = (
                [d.name for d in self.datasets() if d.complete]
                if not dataset
                else [*dict.fromkeys(dataset)]
            )
        if not wanted:
            raise UnknownDataset("no dataset is loaded", hint="load one with tuqa-load")
        for name in wanted:
            self._allowed(name)
        return Scope(tuple(wanted), source)

    def _allowed(self, dataset: str) -> None:
        if self._datasets is not None and dataset not in self._datasets:
            allowed = ", ".join(sorted(self._datasets)) or "nothing"
            raise UnknownDataset(
                f"no dataset {dataset!r} in this client's scope", hint=f"it may read {allowed}"
            )

    @abstractmethod
    def _asynchronous(self) -> AsyncConnection:
        """The asynchronous connection, opened if need be."""
