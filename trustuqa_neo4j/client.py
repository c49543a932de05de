"""``TrustUQA``: the Python client.

It owns nothing but a connection: made from settings (then it closes it, and stops an embedded server that
it started itself), or around a driver that the caller owns and closes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from .asking.asker import Asker
from .dataset import Schema
from .embedding import Embedder, Encoder
from .embedding.wished import Wished
from .errors import UsageError
from .exporting.export import Exported, export
from .graph import catalogue, classing, embedded
from .graph.asynchronous import AsyncConnection
from .graph.catalogue import Dropped
from .graph.connection import Connection
from .graph.loads import Mode
from .llm.wished import Models
from .loader import loader
from .loading import BATCH, Progress, Report, Request, load
from .loading.frames import Frame, written
from .settings import Settings
from .values import DEFAULT, ValueOptions

if TYPE_CHECKING:
    import neo4j

    from .llm.wished import Wish


class TrustUQA(Asker):
    """Loads datasets and answers questions over them; safe to share between threads.

    ``datasets`` is an enforced scope: nothing else can be read or written through this client.
    """

    def __init__(
        self,
        driver: neo4j.Driver,
        database: str | None = None,
        *,
        llm: Wish = None,
        embedder: str | Embedder | None = None,
        datasets: Sequence[str] | None = None,
    ) -> None:
        self.connection = Connection(driver, database, "the given driver")
        self._datasets = None if datasets is None else frozenset(datasets)
        settings = Settings.read()
        self._embedding = Wished(embedder, settings.home)
        self._models = Models(settings, llm)
        self._opened: _Opened | None = None

    @classmethod
    def connect(
        cls,
        settings: Settings | None = None,
        *,
        llm: Wish = None,
        embedder: str | Embedder | None = None,
        datasets: Sequence[str] | None = None,
    ) -> TrustUQA:
        """A client of ``NEO4J_URI``, else of the embedded server, which is started if need be.

        ``embedder`` is the name or folder of a model, ``none``, or an object with ``encode``; left out,
        it is that of the settings. ``llm`` writes the queries of questions: ``demonstrations``,
        ``openai:NAME``, or any chat model of langchain.

        Raises:
            Unreachable, AuthenticationFailed, UnknownDatabase, ServerTooOld, EmbeddedError, MissingExtra
        """
        settings = Settings.read() if settings is None else settings
        with ExitStack() as undo:
            server = None
            if settings.uri is None:
                server = undo.enter_context(embedded.leased(settings))
                settings = server.settings
            connection = Connection.open(settings)
            undo.callback(connection.close)
            client = cls(connection.driver, settings.database, datasets=datasets)
            client.connection = connection
            client._embedding = Wished(embedder or settings.embedder, settings.home)
            client._models = Models(settings, llm)
            client._opened = _Opened(settings, undo.pop_all())
        return client

    def __enter__(self) -> TrustUQA:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close what this client opened: its connections, and an embedded server that it started.

        A driver that was given stays open. Closing twice does nothing; after ``arun``, close with
        ``aclose`` instead.
        """
        self._models.close()
        if self._opened is not None:
            self._opened.closing.close()

    async def aclose(self) -> None:
        """As ``close``, for a client that was used with ``arun``."""
        if self._opened is not None:
            if self._opened.connection is not None:
                await self._opened.connection.close()
                self._opened.connection = None
            self.close()

    def ping(self) -> str:
        """The server's version, once it has answered: a health check."""
        return self.connection.ping()

    def load(
        self,
        format: str,  # noqa: A002 # the word that users know
        *paths: str | PathLike[str] | Frame,
        dataset: str,
        source: str | None = None,
        mode: Mode = "new",
        encoding: str = "utf-8-sig",
        values: ValueOptions = DEFAULT,
        skip_bad: int = 0,
        batch_size: int = BATCH,
        embeddings: bool = True,
        progress: Progress | None = None,
    ) -> Report:
        """Load files as ``dataset``; they name their sources unless ``source`` names one for all.

        Where the format reads databases, a path may be an address: ``sqlite:///shop.db``.

        As a ``table`` a DataFrame of pandas or polars can be given too; its source is called DataFrame.

        ``mode`` says what becomes of a dataset that is there: ``new`` refuses, ``append`` adds to it,
        ``replace`` replaces it. ``values`` is how numbers and dates are read, ``batch_size`` in facts a
        transaction. ``embeddings``: names that are text get a vector, by this client's embedder.

        Raises:
            UsageError, DataError, DatabaseError
        """
        self._allowed(dataset)
        with tempfile.TemporaryDirectory(prefix="tuqa-") as folder:
            frames = [path for path in paths if not isinstance(path, (str, PathLike))]
            if frames and format != "table":
                raise UsageError(f"a DataFrame is no {format}", hint="load it as table")
            request = Request(
                loader(format),
                tuple(str(path) for path in paths if isinstance(path, (str, PathLike))),
                dataset,
                given=tuple(written(frame, n, Path(folder)) for n, frame in enumerate(frames)),
                source=source,
                mode=mode,
                encoding=encoding,
                values=values,
                skip_bad=skip_bad,
                batch_size=batch_size,
            )
            embedding = self.embedding if embeddings else None
            connecting = lambda: nullcontext(self.connection)  # noqa: E731
            return load(connecting, request, progress or Progress(), embedding)

    @property
    def embedding(self) -> Callable[[], Encoder] | None:
        """Opens this client's encoder, once; None where it is to embed nothing."""
        return None if self._embedding.nothing else self._embedding.open

    def schema(self, dataset: str, source: str | None = None) -> Schema:
        """What ``dataset``, or one source of it, is made of: classes, relations, sources, columns.

        Raises:
            UnknownDataset, UnknownSource, IncompleteDataset, DatabaseError
        """
        self._allowed(dataset)
        found = self.connection.read(lambda: classing.describe(dataset, source))
        if found is None and source is not None:
            raise catalogue.unknown_source(self.connection, dataset, source)
        if found is None:
            raise catalogue.unknown(self.connection, dataset)
        return found

    def export(
        self, dataset: str, folder: str | PathLike[str], progress: Progress | None = None
    ) -> Exported:
        """Write ``dataset`` to ``folder``, which the format ``exported`` loads again to the same.

        Raises:
            UnknownDataset, IncompleteDataset, DataError, DiskFull, DatabaseError
        """
        self._allowed(dataset)
        return export(self.connection, dataset, folder, progress or Progress())

    def drop(self, dataset: str, source: str | None = None) -> Dropped:
        """Delete ``dataset``, or one source of it with what only that contributed; how much it held.

        Raises:
            UnknownDataset, UnknownSource, LoadRunning, IncompleteDataset, DatabaseError
        """
        self._allowed(dataset)
        if source is not None:
            return catalogue.drop_source(self.connection, dataset, source)
        return catalogue.drop(self.connection, dataset)

    def _asynchronous(self) -> AsyncConnection:
        if self._opened is None:
            raise UsageError(
                "this needs an asynchronous driver, and this client was given a synchronous one",
                hint="make the client with TrustUQA.connect()",
            )
        if self._opened.connection is None:
            self._opened.connection = AsyncConnection.open(self._opened.settings)
        return self._opened.connection


@dataclass
class _Opened:
    """What a client opened itself, and how to close it."""

    settings: Settings
    closing: ExitStack
    connection: AsyncConnection | None = None
