"""Shared parts of the networks: imports of the extras, device and precision, batches, and errors.

Importing torch and sentence-transformers takes seconds, so they are imported inside functions, and only to
embed something: a load whose names are all in the cache never imports them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..errors import EmbedderFailed, MissingExtra, require_extra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


_NEED = "embeddings need"
_LIBRARY_NEED = "this embedding model needs"
_PACKAGES = ("numpy", "safetensors", "threadpoolctl")

# Waiting threads of torch would keep their cores from the server, which writes vectors meanwhile: 43,000
# names take 25 s with this limit, 28 s without (20 s to encode only). No waiting at all makes encoding
# slower. libgomp reads it once, when torch is imported.
_SPIN_LIMIT = ("GOMP_SPINCOUNT", "10000")


@contextmanager
def embeddings_extra() -> Iterator[None]:
    # Imports of the extra ``embeddings``; a missing package raises MissingExtra.
    try:
        with require_extra("embeddings", _NEED):
            yield
    except ModuleNotFoundError:
        raise
    except (ImportError, RuntimeError) as error:  # numpy: a processor that it was not built for
        reason = str(error).strip().partition("\n")[0]
        raise EmbedderFailed(
            f"numpy cannot be used on this machine: {reason}",
            hint="install a numpy that was built for its processor, or set TUQA_EMBEDDER to none",
        ) from error


def library_extra() -> AbstractContextManager[None]:
    # Imports of the extra ``sentence-transformers``.
    os.environ.setdefault(*_SPIN_LIMIT)
    return require_extra("sentence-transformers", _LIBRARY_NEED)


def require_embeddings() -> None:
    for package in _PACKAGES:
        if find_spec(package) is None:
            raise MissingExtra.of("embeddings", _NEED, package)


def require_sentence_transformers() -> None:
    # Without the seconds that the import takes.
    if find_spec("sentence_transformers") is None:
        raise MissingExtra.of("sentence-transformers", _LIBRARY_NEED, "sentence_transformers")


Precision = Literal["float32", "bfloat16"]

MAX_BATCH_TEXTS = 256
MAX_BATCH_TOKENS = 8_192  # padding included: long texts go in smaller batches


class VectorBatch(NamedTuple):
    # Vectors (n, dimension) of n positions in the texts.
    indices: list[int]
    vectors: Vectors


@dataclass(frozen=True)
class InferenceOptions:
    # None leaves the choice to the machine. ``precision`` is that of the linear layers.
    device: str | None = None  # as torch names it: cpu, cuda:1, mps
    precision: Precision | None = None

    @property
    def needs_library(self) -> bool:
        # numpy computes in float32 on the CPU.
        return self.device not in (None, "cpu") or self.precision not in (None, "float32")

    def choose_device(self) -> str:
        import torch

        if self.device:
            return self.device
        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"

    def choose_precision(self, device: str) -> Precision:
        # The fastest precision that finds the same neighbours.
        if self.precision:
            return self.precision
        return "bfloat16" if device == "cpu" and has_bfloat16() else "float32"


def has_bfloat16(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    # Emulated bfloat16 is four times slower than float32. For Linux on x86, where it was measured.
    # torch has only private functions for it.
    try:
        flags = cpuinfo.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return re.search(r"^flags\s*:.*\b(?:amx_bf16|avx512_bf16)\b", flags, re.M) is not None


def make_batches(
    lengths: Sequence[int], same_length: bool = False, max_tokens: int = MAX_BATCH_TOKENS
) -> Iterator[list[int]]:
    # By ascending length, within both limits (a single text is always allowed). With
    # ``same_length`` no text is padded.
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        is_full = len(batch) == MAX_BATCH_TEXTS or (len(batch) + 1) * lengths[i] > max_tokens
        if batch and (is_full or (same_length and lengths[i] != lengths[batch[0]])):
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def replace_surrogates(texts: Sequence[str]) -> list[str]:
    # Tokenisers refuse half a surrogate pair; it becomes ``?``.
    return [text.encode("utf-8", "replace").decode() for text in texts]


@contextmanager
def convert_open_errors(place: Path | str) -> Iterator[None]:
    # ``place`` is a folder or a name on the model hub.
    try:
        yield
    except _open_error_types() as error:
        raise _open_error(str(place), isinstance(place, Path), error) from error


@contextmanager
def convert_encode_errors(place: str) -> Iterator[None]:
    # For example a lack of memory.
    try:
        yield
    except RuntimeError as error:
        raise EmbedderFailed(
            str(error).partition("\n")[0],
            where=place,
            hint="set the device to cpu if memory is short",
        ) from error


def _open_error_types() -> tuple[type[Exception], ...]:
    # The libraries have no base class for their errors.
    from pickle import UnpicklingError

    from safetensors import SafetensorError

    return (
        OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError, ImportError,
        UnpicklingError, SafetensorError,
    )  # fmt: skip


def _open_error(place: str, is_local: bool, error: Exception) -> EmbedderFailed:
    reason = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    if is_local:
        hint = "save the model anew, or leave the name out for the default model"
    else:
        hint = "is the name right, and is there a network? a folder works without one"
    what = f"the model cannot be opened: {reason or type(error).__name__}"
    return EmbedderFailed(what.rstrip("."), where=place, hint=hint)
