"""Names to vectors: the model, the way it is run, and the cache on disk.

Only text names and questions come here; which they are is decided by those who call. The room imports
torch and sentence-transformers nowhere but inside functions, so importing it costs nothing.
"""

from __future__ import annotations

from pathlib import Path

from .cache import FILE, Cache
from .encoder import Encoder
from .model import DEFAULT, Embedder, open_model
from .running import Batch, Precision, Running

__all__ = [
    "DEFAULT",
    "FILE",
    "NONE",
    "Batch",
    "Cache",
    "Embedder",
    "Encoder",
    "Precision",
    "open_embedder",
]


NONE = "none"
"""What is set in place of a model where no names are to be embedded."""


def open_embedder(
    model: str | Embedder | None = None,
    cache_folder: Path | None = None,
    *,
    device: str | None = None,
    precision: Precision | None = None,
) -> Encoder:
    """An encoder with a cache in ``cache_folder`` (none where that is None).

    ``model`` is a name, a folder or an object with ``encode``; None is the default model. ``device``
    and ``precision`` are chosen by what the machine has; they do not apply to objects.

    Raises:
        EmbedderFailed: no such model, or it cannot be opened.
        MissingExtra: sentence-transformers is not installed.
    """
    opened = open_model(model, Running(device, precision))
    return Encoder(opened, Cache(cache_folder / FILE) if cache_folder else None)
