"""The model that a client is to embed with, opened when something has to be embedded and not before."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import MissingExtra
from . import NONE, Embedder, Encoder, open_embedder


@dataclass
class Wished:
    """A model, and its encoder once it is needed; safe to share between threads."""

    model: str | Embedder | None
    cache_folder: Path
    encoder: Encoder | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def nothing(self) -> bool:
        """Whether nothing is to be embedded."""
        return self.model == NONE

    def open(self) -> Encoder:
        """The encoder.

        Raises:
            EmbedderFailed, MissingExtra
        """
        with self.lock:
            if self.encoder is None:
                self.encoder = open_embedder(self.model, self.cache_folder)
            return self.encoder

    def as_held(self, texts: Sequence[str], model: str) -> list[list[float]] | None:
        """Vectors that compare with those of ``model``; None where this client has another, or none."""
        if self.nothing:
            return None
        try:
            encoder = self.open()
            if encoder.identity != model:
                return None
            found: list[list[float]] = encoder.encode_all(texts).tolist()
        except MissingExtra:
            return None
        return found
