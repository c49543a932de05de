"""Embedding: texts to vectors, with a cache on disk; numpy and torch are imported only inside functions."""

from .cache import VECTOR_CACHE_FILE, VectorCache
from .default_model import DEFAULT_MODEL
from .encoder import NO_EMBEDDER, Encoder, open_embedder
from .inference import Precision, VectorBatch
from .meaning import CodePatterns, is_name
from .models import Embedder, EmbedderLike

__all__ = [
    "DEFAULT_MODEL",
    "NO_EMBEDDER",
    "VECTOR_CACHE_FILE",
    "CodePatterns",
    "Embedder",
    "EmbedderLike",
    "Encoder",
    "Precision",
    "VectorBatch",
    "VectorCache",
    "is_name",
    "open_embedder",
]
