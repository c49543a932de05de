"""Files of a data pack: JSON lines and text lines, plain or gzip, checked while they are read."""

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
class PackRecord:
    path: Path
    line: int
    fields: dict[str, Any]

    @property
    def place(self) -> str:
        # The id of a record without one: file name without suffixes, and line.
        return f"{self.path.name.removesuffix('.gz').removesuffix('.jsonl')}:{self.line}"

    def text(self, field: str) -> str:
        value = self.fields.get(field)
        if not isinstance(value, str):
            raise self.malformed(f"no text {field!r} in it")
        return value

    def optional(self, field: str) -> str | None:
        # The text may be null or missing.
        return None if self.fields.get(field) is None else self.text(field)

    def texts(self, field: str) -> tuple[str, ...]:
        # Whole numbers become texts.
        value = self.fields.get(field)
        if not isinstance(value, list) or not all(isinstance(v, str | int) for v in value):
            raise self.malformed(f"no list {field!r} of texts or numbers in it")
        return tuple(str(member) for member in value)

    def records(self, field: str) -> tuple[PackRecord, ...]:
        value = self.fields.get(field)
        if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
            raise self.malformed(f"no list {field!r} of objects in it")
        return tuple(PackRecord(self.path, self.line, member) for member in value)

    def malformed(self, what: str) -> MalformedLine:
        hint = "the page on evaluation says what each file has"
        return MalformedLine(what, where=f"{self.path}:{self.line}", hint=hint)


def read_records(path: Path) -> Iterator[PackRecord]:
    # Empty lines are skipped.
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            # Escapes can produce half a surrogate pair, which cannot be encoded.
            json.dumps(value, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            raise PackRecord(path, number, {}).malformed(f"not JSON ({error})") from error
        if not isinstance(value, dict):
            raise PackRecord(path, number, {}).malformed("no object")
        yield PackRecord(path, number, value)


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
    except FileNotFoundError as error:
        hint = "--replay names another file, PATH or --packs another folder"
        raise MissingFile("no such file", where=str(path), hint=hint) from error
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        problem = "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error)
        raise UnreadableFile(problem, where=str(path), hint="is it the pack's file?") from error


def find_file(folder: Path, name: str) -> Path:
    # ``name.gz`` is tried, too.
    plain = folder / name
    return plain if plain.exists() else folder / f"{name}.gz"


def find_files(folder: Path, pattern: str) -> list[Path]:
    # Plain or gzip, in order.
    files = sorted([*folder.glob(pattern), *folder.glob(f"{pattern}.gz")])
    if not files:
        hint = "--packs names the folder that holds the packs"
        raise MissingFile(f"no file {pattern}", where=str(folder), hint=hint)
    return files
