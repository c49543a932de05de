"""Embedding: texts to vectors, with a cache on disk; torch is imported only inside functions."""

from .cache import VECTOR_CACHE_FILE, VectorCache
from .encoder import NO_EMBEDDER, Encoder, open_embedder
from .inference import Precision, VectorBatch
from .models import DEFAULT_MODEL, Embedder

__all__ = [
    "DEFAULT_MODEL",
    "NO_EMBEDDER",
    "VECTOR_CACHE_FILE",
    "Embedder",
    "Encoder",
    "Precision",
    "VectorBatch",
    "VectorCache",
    "open_embedder",
]
