"""Embedding models: the default one, a folder, a name on the model hub, or an object of the caller's.

The default is all-MiniLM-L6-v2 (384 dimensions, at most 256 tokens a text), trained by the Sentence
Transformers project and licensed Apache-2.0. It and other folders with a plain BERT run in numpy; all others,
and devices other than the CPU, need sentence-transformers.

The identity of a model is the key of its vectors in the cache and the database. It is known without opening
the network, except for a name on the hub, which is opened at once to find out whether it exists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from ..errors import EmbedderFailed
from ..settings import Settings
from .bert import Bert
from .default_model import DEFAULT_MODEL, default_folder
from .inference import (
    MAX_BATCH_TEXTS,
    InferenceOptions,
    VectorBatch,
    embeddings_extra,
    require_embeddings,
    require_sentence_transformers,
)
from .sentence_transformer import TransformerNetwork

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from .inference import Vectors

_DEFAULT_BY_LIBRARY = f"sentence-transformers/{DEFAULT_MODEL}"
_HASHED_BYTES = 1 << 20  # at the beginning and at the end of each file


@runtime_checkable
class Embedder(Protocol):
    """An application's own embedder: one method, texts to an array (n, dimension).

    Give it a ``model_name`` (or ``name``) that changes when its vectors do: its identity is
    ``Class:name``. Without one, its vectors are not cached, since they could not be distinguished from
    those of other models.
    """

    def encode(self, texts: list[str], /) -> ArrayLike: ...  # described by the class


@runtime_checkable
class LangChainEmbedder(Protocol):
    """The ``Embeddings`` of LangChain; ``model_name``, ``model`` or ``name`` identifies its vectors."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]: ...

    def embed_query(self, text: str) -> list[float]: ...


EmbedderLike: TypeAlias = str | Embedder | LangChainEmbedder


class EmbeddingModel(Protocol):
    @property
    def identity(self) -> str: ...  # vectors of one identity are comparable

    @property
    def is_cacheable(self) -> bool: ...  # the identity distinguishes its vectors from others

    @property
    def dimension(self) -> int: ...  # may open the model

    # Vectors of any length, in batches of any order.
    def encode(self, texts: Sequence[str]) -> Iterator[VectorBatch]: ...


def open_model(
    name: EmbedderLike | None = None,
    options: InferenceOptions | None = None,
    home: Path | None = None,
) -> EmbeddingModel:
    # None is the default model; ``home`` keeps a copy of its files.
    if name is not None and not isinstance(name, str):
        if isinstance(name, Embedder | LangChainEmbedder):
            return CustomModel(name)
        raise EmbedderFailed(
            f"an object of type {type(name).__name__} is not an embedder",
            hint="give the name of a model, or an object with encode(texts) or embed_documents(texts)",
        )
    options = options or InferenceOptions()
    name = name or DEFAULT_MODEL
    if name in (DEFAULT_MODEL, _DEFAULT_BY_LIBRARY):
        needs_library = name == _DEFAULT_BY_LIBRARY or options.needs_library
        require_sentence_transformers() if needs_library else require_embeddings()
        folder = default_folder(home or Settings.read().home)
        return SavedModel(DEFAULT_MODEL, folder, options, needs_library)
    folder = Path(name).expanduser()
    if folder.is_dir():
        return SavedModel(_folder_identity(folder), folder, options, options.needs_library)
    if name.startswith((".", "/", "~")) or name.count("/") > 1 or "\\" in name:
        raise EmbedderFailed("no such folder", where=name, hint="give the folder of a saved model")
    require_sentence_transformers()
    return HubModel(name, TransformerNetwork.open(name, options))


class SavedModel:
    # A folder, opened when first needed.
    is_cacheable = True

    def __init__(
        self, identity: str, folder: Path, options: InferenceOptions, needs_library: bool
    ) -> None:
        self.identity = identity
        self.folder = folder
        self._options = options
        self._needs_library = needs_library
        self._lock = Lock()
        self._opened: Bert | TransformerNetwork | None = None

    @property
    def network(self) -> Bert | TransformerNetwork:
        with self._lock:
            if self._opened is None:
                bert = None if self._needs_library else Bert.open(self.folder)
                self._opened = bert or TransformerNetwork.open(self.folder, self._options)
            return self._opened

    @property
    def dimension(self) -> int:
        return self.network.dimension

    def encode(self, texts: Sequence[str]) -> Iterator[VectorBatch]:
        return self.network.encode(texts)


class HubModel:
    is_cacheable = True

    def __init__(self, name: str, network: TransformerNetwork) -> None:
        self.identity: str = f"{name}{network.revision}"
        self.network = network

    @property
    def dimension(self) -> int:
        return self.network.dimension

    def encode(self, texts: Sequence[str]) -> Iterator[VectorBatch]:
        return self.network.encode(texts)


class CustomModel:
    # The errors of an embedder of the caller pass through. Questions and names are compared with each other,
    # so both get the vectors of ``embed_documents``; ``embed_query`` may be for questions to documents.
    def __init__(self, embedder: Embedder | LangChainEmbedder) -> None:
        self._encode: Callable[[list[str]], ArrayLike] = (
            embedder.encode if isinstance(embedder, Embedder) else embedder.embed_documents
        )
        names = (getattr(embedder, word, None) for word in ("model_name", "model", "name"))
        name = next((n for n in names if isinstance(n, str) and n), "")
        self.is_cacheable: bool = bool(name)
        self.identity: str = ":".join(filter(None, (type(embedder).__name__, name)))

    @property
    def dimension(self) -> int:
        return self._dimension

    @cached_property
    def _dimension(self) -> int:
        return int(next(self.encode(["dimension"])).vectors.shape[1])

    def encode(self, texts: Sequence[str]) -> Iterator[VectorBatch]:
        for start in range(0, len(texts), MAX_BATCH_TEXTS):
            part = list(texts[start : start + MAX_BATCH_TEXTS])
            indices = list(range(start, start + len(part)))
            yield VectorBatch(indices, _to_matrix(self._encode(part), len(part), self.identity))


def _to_matrix(vectors: ArrayLike, rows: int, identity: str) -> Vectors:
    with embeddings_extra():
        import numpy as np
    try:
        matrix = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise EmbedderFailed(f"encode gave no array: {error}", where=identity) from error
    if matrix.ndim != 2 or len(matrix) != rows or not matrix.shape[1]:
        raise EmbedderFailed(
            f"encode gave an array of shape {matrix.shape} for {rows} texts",
            where=identity,
            hint=f"it must be ({rows}, dimension)",
        )
    return matrix


def _folder_identity(folder: Path) -> str:
    # The folder's name and a hash of its files: sizes, and the first and last MB of each. That
    # covers configuration and vocabulary wholly and weights in part. It is enough, since training
    # changes all weights; reading gigabytes at every start would be slow.
    folder = folder.resolve()
    if not any((folder / name).is_file() for name in ("modules.json", "config.json")):
        raise EmbedderFailed(
            "the folder holds no model: neither modules.json nor config.json is in it",
            where=str(folder),
            hint="give the folder that SentenceTransformer.save wrote",
        )
    digest = sha256()
    try:
        for path in sorted(folder.rglob("*")):
            inner = path.relative_to(folder)
            if not path.is_file() or path.suffix == ".md" or inner.parts[0].startswith("."):
                continue
            size = path.stat().st_size
            digest.update(f"{inner.as_posix()}\0{size}\0".encode())
            with path.open("rb") as file:
                digest.update(file.read(_HASHED_BYTES))
                file.seek(max(0, size - _HASHED_BYTES))
                digest.update(file.read(_HASHED_BYTES))
    except OSError as error:
        raise EmbedderFailed(f"cannot be read: {error.strerror}", where=str(folder)) from error
    return f"{folder.name}-{digest.hexdigest()[:12]}"
