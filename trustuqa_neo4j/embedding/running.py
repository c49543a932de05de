"""What all networks share: where they run, how texts make up batches, and what is said when they fail."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..errors import EmbedderFailed

if TYPE_CHECKING:
    from .extras import Vectors

Precision = Literal["float32", "bfloat16"]

BATCH = 256
TOKENS = 8_192
"""Most in a batch, padding included: long texts go in smaller batches."""


class Batch(NamedTuple):
    """Vectors (n, dimension), one for each of the n positions in the texts that were given."""

    indices: list[int]
    vectors: Vectors


@dataclass(frozen=True)
class Running:
    """Where and how a network runs; None leaves the choice to what the machine has.

    ``device`` as torch names it (``cpu``, ``cuda:1``, ``mps``); ``precision`` of the linear layers.
    """

    device: str | None = None
    precision: Precision | None = None

    def chosen_device(self) -> str:
        """The device to run on."""
        import torch

        if self.device:
            return self.device
        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"

    def chosen_precision(self, device: str) -> Precision:
        """The precision that is quickest on ``device`` of those that find the same neighbours."""
        if self.precision:
            return self.precision
        return "bfloat16" if device == "cpu" and has_bfloat16() else "float32"


def has_bfloat16(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether this CPU multiplies bfloat16 by itself: emulated, it is four times slower than float32.

    Linux on x86 only. torch has functions for it, all of them private; elsewhere it was not measured.
    """
    try:
        flags = cpuinfo.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return re.search(r"^flags\s*:.*\b(?:amx_bf16|avx512_bf16)\b", flags, re.M) is not None


def batches(lengths: Sequence[int], alike: bool = False) -> Iterator[list[int]]:
    """Positions by ascending length, in batches within both limits (one text is always one).

    ``alike``: texts of a batch have the same length, so that none is padded.
    """
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        full = len(batch) == BATCH or (len(batch) + 1) * lengths[i] > TOKENS
        if batch and (full or (alike and lengths[i] != lengths[batch[0]])):
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def as_text(texts: Sequence[str]) -> list[str]:
    """``texts`` as tokenisers take them: what is no text (half a surrogate pair) becomes ``?``."""
    return [text.encode("utf-8", "replace").decode() for text in texts]


@contextmanager
def opening(place: Path | str) -> Iterator[None]:
    """Wraps the opening of a model, a folder or a name on the model hub.

    Raises:
        EmbedderFailed
    """
    try:
        yield
    except _failures() as error:
        raise _refused(str(place), isinstance(place, Path), error) from error


@contextmanager
def encoding(place: str) -> Iterator[None]:
    """Wraps the work of an open network.

    Raises:
        EmbedderFailed: it fails, for lack of memory for instance.
    """
    try:
        yield
    except RuntimeError as error:
        raise EmbedderFailed(
            str(error).partition("\n")[0],
            where=place,
            hint="set the device to cpu if memory is short",
        ) from error


def _failures() -> tuple[type[Exception], ...]:
    """What opening a model is seen to raise: the libraries have no root of their own."""
    from pickle import UnpicklingError

    from safetensors import SafetensorError

    return (
        OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError, ImportError,
        UnpicklingError, SafetensorError,
    )  # fmt: skip


def _refused(place: str, local: bool, error: Exception) -> EmbedderFailed:
    said = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    if local:
        hint = "save the model anew, or leave the name out for the default model"
    else:
        hint = "is the name right, and is there a network? a folder works without one"
    what = f"the model cannot be opened: {said or type(error).__name__}"
    return EmbedderFailed(what.rstrip("."), where=place, hint=hint)
