"""The last part of a load: names → vectors. The dataset can be asked meanwhile, and it can be gone on with.

What is written is what a page of names without vectors holds, so an interrupted run loses a batch at
most, and a run over a dataset that has all its vectors writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from ..embedding import Batch, Encoder
from ..graph import vectors
from ..graph.connection import Connection
from .request import Progress

BATCH = 2_048
"""Vectors written in one transaction."""


def embed(
    connection: Connection,
    dataset: str,
    encoder: Encoder,
    progress: Progress,
    let_through: Callable[[], None],
) -> int:
    """Give every name of ``dataset`` that is text a vector; how many were written.

    Raises:
        OtherEmbedder, EmbedderFailed, MissingExtra, DatabaseError
    """
    pages = vectors.missing(connection, dataset)
    page = next(pages, None)
    if page is None:
        return 0
    vectors.claim(connection, encoder.identity, encoder.dimension)
    vectors.index(connection, encoder.dimension)
    progress.begin("embed", vectors.count(connection, dataset), "names")
    written = 0
    with ThreadPoolExecutor(1, "tuqa-vectors") as writing:
        while page is not None:
            nodes = [name.node for name in page]
            batches = _Batches(connection, dataset, encoder.identity, nodes, writing)
            for batch in encoder.encode([name.text for name in page]):
                batches.add(batch)
                progress.advance(written + batches.encoded)
                let_through()
            written += batches.finish()
            page = next(pages, None)
    return written


class _Batches:
    """Collects vectors and writes them in batches of a size, each while the next is encoded."""

    def __init__(
        self,
        connection: Connection,
        dataset: str,
        identity: str,
        nodes: list[int],
        writing: ThreadPoolExecutor,
    ) -> None:
        self._to = (connection, dataset, identity)
        self._nodes = nodes
        self._writing = writing
        self._waiting: list[Batch] = []
        self._held = 0
        self._written = 0
        self._coming: Future[int] | None = None
        self.encoded = 0

    def add(self, batch: Batch) -> None:
        """Take a batch of the encoder."""
        self._waiting.append(batch)
        self._held += len(batch.indices)
        self.encoded += len(batch.indices)
        if self._held >= BATCH:
            self._send()

    def finish(self) -> int:
        """Write what is left; how many were written in all."""
        if self._waiting:
            self._send()
        self._await()
        return self._written

    def _send(self) -> None:
        import numpy as np

        self._await()
        nodes = [self._nodes[i] for batch in self._waiting for i in batch.indices]
        found = np.concatenate([batch.vectors for batch in self._waiting])
        self._coming = self._writing.submit(vectors.write, *self._to, nodes, found)
        self._waiting, self._held = [], 0

    def _await(self) -> None:
        if self._coming is not None:
            self._written += self._coming.result()
            self._coming = None
