"""Lines of text files, plain or gzip, with the errors a person can act on."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from trustuqa_neo4j.errors import MissingFile, UnreadableFile
from trustuqa_neo4j.loader import File, Reading

_GZIP = b"\x1f\x8b"
_BEGINNING = 8192


class Lines:
    """The lines of an open file, counted; ``number`` is that of the last one given, from 1."""

    def __init__(self, file: File, stream: io.TextIOBase, raw: BinaryIO, reading: Reading) -> None:
        self._file = file
        self._stream = stream
        self._raw = raw
        self._reading = reading
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        try:
            line = self._stream.readline()
        except UnicodeDecodeError as error:
            raise UnreadableFile(
                f"not {self._reading.encoding} text ({error.reason})",
                where=f"{self._file.name}, after line {self.number}",
                hint="say which encoding it is in with --encoding",
            ) from error
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise UnreadableFile(
                f"its gzip data is damaged ({error})",
                where=f"{self._file.name}, after line {self.number}",
                hint="fetch or compress the file again",
            ) from error
        if not line:
            raise StopIteration
        self.number += 1
        if not self.number % 1000:
            self._reading.progress(self._raw.tell())
        if "\0" in line:
            raise UnreadableFile(
                "a NUL character, so this is not text",
                where=f"{self._file.name}:{self.number}",
                hint="give a text file",
            )
        return line


@contextmanager
def lines(file: File, reading: Reading) -> Iterator[Lines]:
    """Open ``file`` for its lines, with their line ends.

    Raises:
        MissingFile, UnreadableFile: the file is not there, a folder, forbidden, empty, or not text.
    """
    try:
        raw = file.path.open("rb")
    except FileNotFoundError as error:
        raise MissingFile("no such file", where=file.name, hint="check the path") from error
    except IsADirectoryError as error:
        raise UnreadableFile("a folder", where=file.name, hint="give the files in it") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise UnreadableFile(reason, where=file.name, hint="check its permissions") from error
    with raw:
        beginning = raw.read(_BEGINNING)
        if not beginning:
            raise UnreadableFile("the file is empty", where=file.name, hint="give one with facts")
        raw.seek(0)
        binary: BinaryIO = raw
        if beginning.startswith(_GZIP):
            binary = gzip.GzipFile(fileobj=raw)  # type: ignore[assignment]  # reads as one
        try:
            text = io.TextIOWrapper(binary, encoding=reading.encoding, newline="")
        except LookupError as error:
            raise UnreadableFile(
                f"no encoding {reading.encoding!r}", where=file.name, hint="try utf-8 or latin-1"
            ) from error
        yield Lines(file, text, raw, reading)
