"""The last part of a load: vectors of names. The dataset is visible meanwhile, and the part can be resumed.

Names without a vector are read page by page, so an interrupted run loses one batch at most, and a run over
a dataset with all its vectors writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from ..embedding import Encoder, VectorBatch
from ..graph import vectors
from ..graph.connection import Connection
from .request import Progress

BATCH = 2_048
"""Vectors written in one transaction."""


def embed_names(
    connection: Connection,
    dataset: str,
    encoder: Encoder,
    progress: Progress,
    check_interrupt: Callable[[], None],
) -> int:
    pages = vectors.missing(connection, dataset)
    page = next(pages, None)
    if page is None:
        return 0
    vectors.claim(connection, encoder.identity, encoder.dimension)
    vectors.index(connection, encoder.dimension)
    progress.begin("embed", vectors.count(connection, dataset), "names")
    written = 0
    with ThreadPoolExecutor(1, "tuqa-vectors") as executor:
        while page is not None:
            nodes = [name.node for name in page]
            writer = _VectorWriter(connection, dataset, encoder.identity, nodes, executor)
            for batch in encoder.encode([name.text for name in page]):
                writer.add(batch)
                progress.advance(written + writer.encoded)
                check_interrupt()
            written += writer.finish()
            page = next(pages, None)
    return written


class _VectorWriter:
    def __init__(
        self,
        connection: Connection,
        dataset: str,
        identity: str,
        nodes: list[int],
        executor: ThreadPoolExecutor,
    ) -> None:
        self._target = (connection, dataset, identity)
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
