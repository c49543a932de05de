"""Names to unit vectors: each distinct text once, from the cache where it is there.

Work goes in windows: look up, embed what is missing, keep each batch before it is handed on. So a load that
is interrupted loses one batch at most, and memory holds one window's tokens. Reading and writing the
cache beside the network was rejected: both together take a few hundredths of its time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..errors import EmbedderFailed
from .cache import Cache
from .extras import embeddings_extra
from .model import Model
from .running import Batch

if TYPE_CHECKING:
    from .extras import Vectors

_WINDOW = 8_192


class Encoder:
    """A model and its cache. Close it, or use it in a ``with`` statement."""

    def __init__(self, model: Model, cache: Cache | None = None) -> None:
        self._model = model
        self._cache = cache if model.lasting else None

    @property
    def identity(self) -> str:
        """Tells the model from others; vectors of one identity are comparable."""
        return self._model.identity

    @property
    def dimension(self) -> int:
        """Length of the vectors; the model is opened only where the cache cannot tell."""
        kept = self._cache.dimension(self.identity) if self._cache else None
        return kept or self._model.dimension

    def encode(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> Iterator[Batch]:
        """Vectors of all texts, a batch at a time, not in the order given: ``indices`` tells.

        Each position in ``texts`` comes once; equal texts have equal vectors. Vectors are float32 of
        length 1 (0 where the model gives zeros). Each batch is in the cache before it comes.
        ``progress`` is told the number of positions done since it was last told.

        Raises:
            EmbedderFailed: the model cannot be opened or fails.
            MissingExtra: sentence-transformers is not installed.
        """
        positions: dict[str, list[int]] = {}
        for i, text in enumerate(texts):
            positions.setdefault(text, []).append(i)
        distinct = list(positions)
        for start in range(0, len(distinct), _WINDOW):
            for found, vectors in self._window(distinct[start : start + _WINDOW]):
                batch = _spread(found, vectors, positions)
                if progress is not None:
                    progress(len(batch.indices))
                yield batch

    def encode_all(self, texts: Sequence[str]) -> Vectors:
        """Vectors (n, dimension) in the order of the texts."""
        with embeddings_extra():
            import numpy as np
        batches = list(self.encode(texts))
        if not batches:
            return np.empty((0, self.dimension), np.float32)
        together = np.empty((len(texts), batches[0].vectors.shape[1]), np.float32)
        for indices, vectors in batches:
            together[indices] = vectors
        return together

    def encode_one(self, text: str) -> Vectors:
        """The vector (dimension,) of one text, a question for instance."""
        vector: Vectors = self.encode_all([text])[0]
        return vector

    def _window(self, texts: list[str]) -> Iterator[tuple[list[str], Vectors]]:
        with embeddings_extra():
            import numpy as np
        known = self._cache.get_many(self.identity, texts) if self._cache else {}
        if known:
            yield list(known), np.stack(list(known.values()))
        missing = [text for text in texts if text not in known]
        if not missing:
            return
        for indices, raw in self._model.encode(missing):
            found, vectors = [missing[i] for i in indices], _unit(raw, self.identity)
            if self._cache:
                self._cache.put_many(self.identity, found, vectors)
            yield found, vectors

    def close(self) -> None:
        """Close the cache."""
        if self._cache:
            self._cache.close()

    def __enter__(self) -> Encoder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _spread(found: list[str], vectors: Vectors, positions: dict[str, list[int]]) -> Batch:
    """A vector for each position of each text."""
    rows = [row for row, text in enumerate(found) for _ in positions[text]]
    indices = [i for text in found for i in positions[text]]
    return Batch(indices, vectors if len(rows) == len(found) else vectors[rows])


def _unit(raw: Vectors, identity: str) -> Vectors:
    import numpy as np

    lengths = np.linalg.norm(raw, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise EmbedderFailed(
            "the model gave what is no number", where=identity, hint="try another model or device"
        )
    unit: Vectors = (raw / np.where(lengths == 0, 1, lengths)).astype(np.float32)
    return unit
