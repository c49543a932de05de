"""Files of a pack: JSON lines and text lines, plain or packed with gzip, checked as they are read."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import MalformedLine, MissingFile, UnreadableFile


@dataclass(frozen=True, slots=True)
class Record:
    """One line of JSON, an object; its fields are asked for by what they must be."""

    path: Path
    line: int
    fields: dict[str, Any]

    @property
    def place(self) -> str:
        """Name of the file without its endings, and the line: an id where the record has none."""
        return f"{self.path.name.removesuffix('.gz').removesuffix('.jsonl')}:{self.line}"

    def text(self, field: str) -> str:
        """A field that must be a text.

        Raises:
            MalformedLine
        """
        value = self.fields.get(field)
        if not isinstance(value, str):
            raise self.malformed(f"no text {field!r} in it")
        return value

    def optional(self, field: str) -> str | None:
        """A field that is a text, null or not there.

        Raises:
            MalformedLine
        """
        return None if self.fields.get(field) is None else self.text(field)

    def texts(self, field: str) -> tuple[str, ...]:
        """A field that must be a list of texts or whole numbers; numbers as texts.

        Raises:
            MalformedLine
        """
        value = self.fields.get(field)
        if not isinstance(value, list) or not all(isinstance(v, str | int) for v in value):
            raise self.malformed(f"no list {field!r} of texts or numbers in it")
        return tuple(str(member) for member in value)

    def records(self, field: str) -> tuple[Record, ...]:
        """A field that must be a list of objects.

        Raises:
            MalformedLine
        """
        value = self.fields.get(field)
        if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
            raise self.malformed(f"no list {field!r} of objects in it")
        return tuple(Record(self.path, self.line, member) for member in value)

    def malformed(self, what: str) -> MalformedLine:
        """The error that says that this line is not what it should be."""
        hint = "the packs' README says what each line holds"
        return MalformedLine(what, where=f"{self.path}:{self.line}", hint=hint)


def records(path: Path) -> Iterator[Record]:
    """The objects of a file of JSON lines; empty lines are passed over.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    for number, line in lines(path):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            # Escapes can yield half a surrogate pair, which no query and no file can hold.
            json.dumps(value, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            raise Record(path, number, {}).malformed(f"not JSON ({error})") from error
        if not isinstance(value, dict):
            raise Record(path, number, {}).malformed("no object")
        yield Record(path, number, value)


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Number and text of each line of a UTF-8 file.

    Raises:
        MissingFile, UnreadableFile
    """
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
    except FileNotFoundError as error:
        hint = "--replay names another file, --packs another folder"
        raise MissingFile("no such file", where=str(path), hint=hint) from error
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        told = "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error)
        raise UnreadableFile(told, where=str(path), hint="is it the pack's file?") from error


def one(folder: Path, name: str) -> Path:
    """The file or folder ``name`` of a pack, or that with ``.gz``; the latter where there is neither."""
    plain = folder / name
    return plain if plain.exists() else folder / f"{name}.gz"


def several(folder: Path, pattern: str) -> list[Path]:
    """The files of a pack like ``pattern``, plain or packed, in order.

    Raises:
        MissingFile: there is none.
    """
    found = sorted([*folder.glob(pattern), *folder.glob(f"{pattern}.gz")])
    if not found:
        hint = "--packs names the folder that holds the packs"
        raise MissingFile(f"no file {pattern}", where=str(folder), hint=hint)
    return found
