"""Frames: plain data and blocks of bytes, one after the other in a pipe or a file.

A frame is a header in JSON, and arrays beside it: numbers in JSON would take ten times as long. Both sides
run on one machine, so numbers are in its own byte order. JSON makes texts, numbers and lists, never code.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from struct import Struct, pack, unpack
from typing import IO, Any

_COUNT = Struct("=I")


def write_frame(stream: IO[bytes], header: object, arrays: Sequence[bytes] = ()) -> None:
    text = json.dumps(header, ensure_ascii=False, check_circular=False)
    blocks = [text.encode("utf-8", "surrogatepass"), *arrays]
    stream.write(pack(f"=I{len(blocks)}Q", len(blocks), *map(len, blocks)))
    for block in blocks:
        stream.write(block)


def read_frame(stream: IO[bytes]) -> tuple[Any, list[bytes]]:
    """The header and the arrays of the next frame.

    Raises:
        EOFError: the stream ends before the frame does.
    """
    (count,) = _COUNT.unpack(_read(stream, _COUNT.size))
    sizes = unpack(f"={count}Q", _read(stream, 8 * count))
    text, *arrays = (_read(stream, size) for size in sizes)
    return json.loads(text.decode("utf-8", "surrogatepass")), arrays


def _read(stream: IO[bytes], size: int) -> bytes:
    block = stream.read(size)
    if len(block) < size:
        raise EOFError
    return block
