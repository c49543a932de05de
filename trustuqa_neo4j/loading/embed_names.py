"""The last part of a load: vectors of names. The dataset is visible meanwhile, and the part can be resumed.

Names without a vector are read twice, page by page: to count those that have a meaning, and to embed them. So
an interrupted run loses one batch at most, and a run over a dataset with all its vectors writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter

from ..embedding import CodePatterns, Encoder, VectorBatch, is_name
from ..errors import DatabaseError, TrustUQAError
from ..graph import vectors
from ..graph.connection import Connection
from ..graph.vectors import Name
from ..wording import CallOption, render_options
from .request import Progress

BATCH = 2_048
"""Vectors written in one transaction."""

ANNOUNCED = 2_000
"""Fewer names take seconds, and are embedded without a message."""

_SAMPLE = 256
"""Names whose embedding is timed for the message."""


@dataclass
class EmbeddingCounts:
    """Names that got a vector, and names without a meaning, which get none.

    ``is_elsewhere``: another process embeds the names.
    """

    embedded: int = 0
    unembedded: int = 0
    is_elsewhere: bool = False


def embed_names(
    connection: Connection,
    dataset: str,
    encoder: Encoder,
    progress: Progress,
    check_interrupt: Callable[[], None],
    owner: str,
) -> EmbeddingCounts:
    # Of two processes that embed the names of a dataset, the second does nothing.
    if not vectors.start_embedding(connection, dataset, owner):
        return EmbeddingCounts(is_elsewhere=True)
    names = None
    try:
        model = vectors.find_model(connection, encoder.identity)
        storage = connection.find_version(dataset).storage
        number = model.number if model else 0
        selection = _NameSelection(connection, storage, number, check_interrupt)
        counts = EmbeddingCounts(unembedded=selection.unembedded)
        if selection.size:
            names = vectors.count_embedded(connection, dataset) + selection.size
            vectors.record_embedding(connection, dataset, owner, names)
            _embed_selection(
                connection, dataset, storage, encoder, progress, check_interrupt, selection, counts
            )
            names = None
    except TrustUQAError as error:
        with suppress(DatabaseError):  # it may be the database that fails
            vectors.record_embedding(connection, dataset, None, names, str(error))
        raise
    except BaseException:
        with suppress(DatabaseError):
            vectors.record_embedding(connection, dataset, None, names)
        raise
    vectors.record_embedding(connection, dataset, None, None)
    return counts


def _embed_selection(
    connection: Connection,
    dataset: str,
    storage: str,
    encoder: Encoder,
    progress: Progress,
    check_interrupt: Callable[[], None],
    selection: _NameSelection,
    counts: EmbeddingCounts,
) -> None:
    number = vectors.claim(connection, dataset, encoder.identity, encoder.dimension)
    vectors.index(connection, number, encoder.dimension)
    progress.begin("embed", selection.size, "names")
    is_announced = selection.size < ANNOUNCED
    with ThreadPoolExecutor(1, "tuqa-vectors") as executor:
        for page in vectors.missing(connection, storage, number):
            names = selection.select(page)
            texts = [name.text for name in names]
            if texts and not is_announced:
                progress.notify(_announce(encoder, texts, selection.size))
                is_announced = True
            nodes = [name.node for name in names]
            target = (connection, dataset, storage, number)
            writer = _VectorWriter(target, nodes, executor)
            for batch in encoder.encode(texts):
                writer.add(batch)
                progress.advance(counts.embedded + writer.encoded)
                check_interrupt()
            counts.embedded += writer.finish()


class _NameSelection:
    """The names with a meaning among those without a vector; ``size`` is their number."""

    def __init__(
        self,
        connection: Connection,
        dataset: str,
        number: int,
        check_interrupt: Callable[[], None],
    ) -> None:
        self._patterns = CodePatterns()
        read = 0
        for page in vectors.missing(connection, dataset, number):
            read += len(page)
            self._patterns.add(name.text for name in page if is_name(name.text))
            check_interrupt()
        self.size = self._patterns.count_names()
        self.unembedded = read - self.size

    def select(self, names: Sequence[Name]) -> list[Name]:
        return [
            name for name in names if is_name(name.text) and not self._patterns.is_key(name.text)
        ]


def _announce(encoder: Encoder, texts: Sequence[str], count: int) -> str:
    # Every n-th text, since texts come in the order of the keys; the first call opens the model.
    sample = texts[:: max(1, len(texts) // _SAMPLE)][:_SAMPLE]
    encoder.encode_one(sample[0])
    started = perf_counter()
    encoder.encode_all(sample[1:])
    seconds = (perf_counter() - started) * count / len(sample)
    duration = f"{max(1, round(seconds))} s" if seconds < 120 else f"{round(seconds / 60)} min"
    hint = f"{CallOption.NO_EMBEDDINGS} leaves it out"
    return render_options(f"embedding {count:,} names takes about {duration}; {hint}")


class _VectorWriter:
    def __init__(
        self,
        target: tuple[Connection, str, str, int],
        nodes: list[int],
        executor: ThreadPoolExecutor,
    ) -> None:
        self._target = target
        self._nodes = nodes
        self._executor = executor
        self._pending: list[VectorBatch] = []
        self._pending_count = 0
        self._written = 0
        self._future: Future[int] | None = None
        self.encoded = 0

    def add(self, batch: VectorBatch) -> None:
        self._pending.append(batch)
        self._pending_count += len(batch.indices)
        self.encoded += len(batch.indices)
        if self._pending_count >= BATCH:
            self._send()

    def finish(self) -> int:
        if self._pending:
            self._send()
        self._await()
        return self._written

    def _send(self) -> None:
        import numpy as np

        self._await()
        nodes = [self._nodes[i] for batch in self._pending for i in batch.indices]
        matrix = np.concatenate([batch.vectors for batch in self._pending])
        self._future = self._executor.submit(vectors.write, *self._target, nodes, matrix)
        self._pending, self._pending_count = [], 0

    def _await(self) -> None:
        if self._future is not None:
            self._written += self._future.result()
            self._future = None
