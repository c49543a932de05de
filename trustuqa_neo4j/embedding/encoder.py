"""``Encoder``: texts to unit vectors, each distinct text once, from the cache if it is there.

The work goes in windows: look up, embed what is missing, store each batch before it is yielded. So an
interrupted load loses one batch at most, and memory holds the tokens of one window. Reading and writing the
cache in parallel with the network would gain a few hundredths of the time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import EmbedderFailed, MissingExtra
from .cache import VECTOR_CACHE_FILE, VectorCache
from .inference import InferenceOptions, Precision, VectorBatch, embeddings_extra
from .models import EmbedderLike, EmbeddingModel, open_model

if TYPE_CHECKING:
    from .inference import Vectors


_WINDOW = 8_192

NO_EMBEDDER = "none"
"""In place of a model: no names are embedded."""


class Encoder:
    """A model and its cache. Close it, or use it in a ``with`` statement."""

    def __init__(self, model: EmbeddingModel, cache: VectorCache | None = None) -> None:
        self._model = model
        self._cache = cache if model.is_cacheable else None

    @property
    def identity(self) -> str:
        # Vectors of one identity are comparable.
        return self._model.identity

    @property
    def dimension(self) -> int:
        # The model is opened only if the cache does not know the dimension.
        dimension = self._cache.dimension(self.identity) if self._cache else None
        return dimension or self._model.dimension

    @property
    def has_cache(self) -> bool:
        return self._cache is not None

    def encode(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> Iterator[VectorBatch]:
        """Vectors of all texts in batches, in any order: ``indices`` are positions in ``texts``.

        Each position comes once; equal texts have equal vectors. Vectors are float32 of length 1 (0 if
        the model returns zeros). Each batch is in the cache before it is yielded. ``progress`` is called
        with the number of positions done since the last call. Raises EmbedderFailed and MissingExtra.
        """
        positions: dict[str, list[int]] = {}
        for i, text in enumerate(texts):
            positions.setdefault(text, []).append(i)
        distinct = list(positions)
        for start in range(0, len(distinct), _WINDOW):
            for part, vectors in self._encode_window(distinct[start : start + _WINDOW]):
                rows = [row for row, text in enumerate(part) for _ in positions[text]]
                indices = [i for text in part for i in positions[text]]
                batch = VectorBatch(indices, vectors if len(rows) == len(part) else vectors[rows])
                if progress is not None:
                    progress(len(batch.indices))
                yield batch

    def encode_all(self, texts: Sequence[str]) -> Vectors:
        with embeddings_extra():
            import numpy as np
        batches = list(self.encode(texts))
        if not batches:
            return np.empty((0, self.dimension), np.float32)
        matrix = np.empty((len(texts), batches[0].vectors.shape[1]), np.float32)
        for indices, vectors in batches:
            matrix[indices] = vectors
        return matrix

    def encode_one(self, text: str) -> Vectors:
        vector: Vectors = self.encode_all([text])[0]
        return vector

    def _encode_window(self, texts: list[str]) -> Iterator[tuple[list[str], Vectors]]:
        with embeddings_extra():
            import numpy as np
        cached = self._cache.get_many(self.identity, texts) if self._cache else {}
        if cached:
            yield list(cached), np.stack(list(cached.values()))
        missing = [text for text in texts if text not in cached]
        if not missing:
            return
        for indices, raw in self._model.encode(missing):
            part, vectors = [missing[i] for i in indices], _normalize(raw, self.identity)
            if self._cache:
                self._cache.put_many(self.identity, part, vectors)
            yield part, vectors

    def close(self) -> None:
        if self._cache:
            self._cache.close()

    def __enter__(self) -> Encoder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _normalize(raw: Vectors, identity: str) -> Vectors:
    import numpy as np

    lengths = np.linalg.norm(raw, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise EmbedderFailed(
            "the model returned vectors with NaN or infinity",
            where=identity,
            hint="try another model or device",
        )
    unit: Vectors = (raw / np.where(lengths == 0, 1, lengths)).astype(np.float32)
    return unit


def open_embedder(
    model: EmbedderLike | None = None,
    cache_folder: Path | None = None,
    *,
    device: str | None = None,
    precision: Precision | None = None,
) -> Encoder:
    """An encoder with a cache in ``cache_folder`` (none if that is None).

    ``model`` is a name, a folder or an object with ``encode``; None is the default model, whose files are
    fetched once. ``device`` and ``precision`` are for sentence-transformers and follow the machine by
    default; they do not apply to objects.

    Raises:
        EmbedderFailed: no such model, or it cannot be opened.
        MissingExtra: a package or the files of the default model are not installed.
    """
    opened = open_model(model, InferenceOptions(device, precision), cache_folder)
    return Encoder(opened, VectorCache(cache_folder / VECTOR_CACHE_FILE) if cache_folder else None)


@dataclass
class LazyEncoder:
    """Opens the encoder at its first use; threads may share it."""

    model: EmbedderLike | None
    cache_folder: Path
    encoder: Encoder | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_disabled(self) -> bool:
        return self.model == NO_EMBEDDER

    def open(self) -> Encoder:
        with self.lock:
            if self.encoder is None:
                self.encoder = open_embedder(self.model, self.cache_folder)
            return self.encoder

    def find_identity(self) -> str | None:
        """Return the identity of the model; None if there is none, or if a package is missing."""
        if self.is_disabled:
            return None
        try:
            return self.open().identity
        except MissingExtra:
            return None

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        try:
            vectors: list[list[float]] = self.open().encode_all(texts).tolist()
        except MissingExtra:
            return []
        return vectors
