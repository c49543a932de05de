"""``TrustUQA``: the Python client.

It owns nothing but a connection: made from settings (then it closes it, and stops an embedded server that
it started itself), or around a driver that the caller owns and closes.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from . import engine
from .answer import Answer
from .dataset import Dataset, Schema, Scope
from .embedding import NONE, Embedder, Encoder, open_embedder
from .errors import MissingExtra, UnknownDataset, UsageError
from .exporting.export import Exported, export
from .graph import catalogue, describing, embedded
from .graph.asynchronous import AsyncConnection
from .graph.catalogue import Dropped
from .graph.connection import TIMEOUT, Connection
from .graph.loads import Mode
from .loader import loader
from .loading import BATCH, Progress, Report, Request, load
from .loading.frames import Frame, written
from .settings import Settings
from .values import DEFAULT, ValueOptions

if TYPE_CHECKING:
    import neo4j


class TrustUQA:
    """Loads datasets and answers queries over them; safe to share between threads.

    ``datasets`` is an enforced scope: nothing else can be read or written through this client.
    """

    def __init__(
        self,
        driver: neo4j.Driver,
        database: str | None = None,
        *,
        embedder: str | Embedder | None = None,
        datasets: Sequence[str] | None = None,
    ) -> None:
        self.connection = Connection(driver, database, "the given driver")
        self._datasets = None if datasets is None else frozenset(datasets)
        self._embedding = _Embedding(embedder, Settings().home)
        self._opened: _Opened | None = None

    @classmethod
    def connect(
        cls,
        settings: Settings | None = None,
        *,
        embedder: str | Embedder | None = None,
        datasets: Sequence[str] | None = None,
    ) -> TrustUQA:
        """A client of ``NEO4J_URI``, else of the embedded server, which is started if need be.

        ``embedder`` is the name or folder of a model, ``none``, or an object with ``encode``; left out,
        it is that of the settings.

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
            client._embedding = _Embedding(embedder or settings.embedder, settings.home)
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
        return None if self._embedding.model == NONE else self._embedding.open

    def datasets(self) -> tuple[Dataset, ...]:
        """The datasets of this client's scope, those that are not complete included."""
        found = catalogue.datasets(self.connection)
        return tuple(d for d in found if self._datasets is None or d.name in self._datasets)

    def schema(self, dataset: str, source: str | None = None) -> Schema:
        """What ``dataset``, or one source of it, is made of: relations, sources, columns.

        Raises:
            UnknownDataset, UnknownSource, IncompleteDataset, DatabaseError
        """
        self._allowed(dataset)
        found = self.connection.read(lambda: describing.describe(dataset, source))
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
        if self._opened is None:
            raise UsageError(
                "arun needs an asynchronous driver, and this client was given a synchronous one",
                hint="make the client with TrustUQA.connect()",
            )
        if self._opened.connection is None:
            self._opened.connection = AsyncConnection.open(self._opened.settings)
        scope = self._scope(dataset, source)
        return await self._opened.connection.read(
            lambda: engine.run(query, scope, evidence, limit), timeout, self._embedding.as_held
        )

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


@dataclass
class _Embedding:
    """The model that is wished, and its encoder once it is needed."""

    model: str | Embedder | None
    cache_folder: Path
    encoder: Encoder | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def open(self) -> Encoder:
        """The encoder; its model is opened only when something has to be embedded."""
        with self.lock:
            if self.encoder is None:
                self.encoder = open_embedder(self.model, self.cache_folder)
            return self.encoder

    def as_held(self, texts: Sequence[str], model: str) -> list[list[float]] | None:
        """Vectors that compare with those of ``model``; None where this client has another, or none."""
        if self.model == NONE:
            return None
        try:
            encoder = self.open()
            if encoder.identity != model:
                return None
            found: list[list[float]] = encoder.encode_all(texts).tolist()
        except MissingExtra:
            return None
        return found


@dataclass
class _Opened:
    """What a client opened itself, and how to close it."""

    settings: Settings
    closing: ExitStack
    connection: AsyncConnection | None = None
