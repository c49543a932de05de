"""Lines of text files, plain or gzip, with the errors a person can act on."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from trustuqa_neo4j.errors import MissingFile, UnreadableFile
from trustuqa_neo4j.loader import File, Reading

_GZIP = b"\x1f\x8b"
_LINE_END = re.compile(r"\r\n|\r|\n")


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
        line = self._read()
        if not line:
            raise StopIteration
        self.number += 1
        if self.number == 1:
            line = line.removeprefix("\ufeff")
        if not self.number % 1000:
            self._reading.progress(self._raw.tell())
        if "\0" in line:
            raise UnreadableFile(
                "a NUL character, so this is no text in this encoding",
                where=f"{self._file.name}:{self.number}",
                hint="give a text file; UTF-16 needs --encoding utf-16",
            )
        return line

    def _read(self) -> str:
        try:
            line = self._stream.readline()
            line.encode()  # half a surrogate pair is no character, though some encodings yield it
        except UnicodeError as error:
            raise self._not_text(error) from error
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise UnreadableFile(
                f"its gzip data is damaged ({error})",
                where=f"{self._file.name}, after line {self.number}",
                hint="fetch or compress the file again",
            ) from error
        except OSError as error:
            raise _unreadable(self._file, error) from error
        return line

    def _not_text(self, error: UnicodeError) -> UnreadableFile:
        encoding = self._reading.encoding.removesuffix("-sig").upper()
        reason = getattr(error, "reason", str(error))
        line = self.number + 1
        if isinstance(error, UnicodeDecodeError):
            # What is decoded is a block of lines; those before it have been given.
            with suppress(UnicodeError):
                decoded = error.object[: error.start].decode(error.encoding, "ignore")
                line += len(_LINE_END.findall(decoded))
        return UnreadableFile(
            f"not {encoding} text ({reason})",
            where=f"{self._file.name}:{line}",
            hint="say which encoding it is in with --encoding",
        )


@contextmanager
def lines(file: File, reading: Reading) -> Iterator[Lines]:
    """Open ``file`` for its lines, with their line ends; a byte-order mark is no part of them.

    Raises:
        MissingFile, UnreadableFile: the file is not there, a folder, forbidden, empty, or not text.
    """
    try:
        raw = file.path.open("rb")
    except FileNotFoundError as error:
        raise MissingFile("no such file", where=file.name, hint="check the path") from error
    except OSError as error:
        raise _unreadable(file, error) from error
    with raw:
        try:
            beginning = raw.peek(len(_GZIP))
        except OSError as error:
            raise _unreadable(file, error) from error
        if not beginning:
            raise UnreadableFile("the file is empty", where=file.name, hint="give one with facts")
        binary: BinaryIO = raw
        if beginning.startswith(_GZIP):
            binary = gzip.GzipFile(fileobj=raw)  # type: ignore[assignment]  # reads as one
        text = io.TextIOWrapper(binary, encoding=reading.encoding, newline="")
        yield Lines(file, text, raw, reading)


def _unreadable(file: File, error: OSError) -> UnreadableFile:
    if isinstance(error, IsADirectoryError):
        return UnreadableFile("a folder", where=file.name, hint="give the files in it")
    reason = error.strerror or str(error)
    return UnreadableFile(reason, where=file.name, hint="check the path and its permissions")
