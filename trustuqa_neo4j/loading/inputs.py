"""The inputs of a load: files, folders, streams, addresses and DataFrames; each file is identified."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeAlias, TypeGuard

from ..errors import MissingFile, UnreadableFile, UsageError
from .addresses import default_dataset_name, is_address, make_address_file, mask_secrets
from .formats import STDIN_NAME, File
from .request import LoadRequest, Progress

STDIN = "-"

MAX_STREAM_BYTES = 16_000_000_000
"""Of a stream that is copied; one without end would fill the disk."""

MIN_FREE_BYTES = 1_000_000_000
"""On the disk of the copy."""

_BLOCK = 1 << 22


@contextmanager
def open_inputs(request: LoadRequest) -> Iterator[list[File]]:
    # A stream is copied, so that the load can be resumed. A folder stands for the files in it that
    # the format reads, without those that are also given by name.
    with ExitStack() as copies:
        files: list[File] = [*request.given]
        for path in request.paths:
            if is_address(path):
                files.append(make_address_file(path))
            elif path == STDIN or _is_stream(path):
                files.append(_copy_stream(path, copies))
            else:
                expanded = (File(Path(name), str(name)) for name in _expand(request, path))
                files += [f for f in expanded if f.name == path or f.name not in request.paths]
        names = [file.name for file in files]
        repeated = {name for name in names if names.count(name) > 1}
        if repeated:
            raise UsageError(f"{min(repeated)} is given twice", hint="give each file once")
        yield files


def copy_streams(paths: Sequence[str], copies: ExitStack) -> list[str | File]:
    # ``paths`` with files in the place of streams, for a first look. ``copies`` keeps them.
    repeated = {path for path in paths if paths.count(path) > 1}
    if repeated:
        name = mask_secrets(min(repeated))
        raise UsageError(f"{name} is given twice", hint="give each file once")
    return [
        _copy_stream(path, copies)
        if not is_address(path) and (path == STDIN or _is_stream(path))
        else path
        for path in paths
    ]


def shorten_path(path: str) -> str:
    # Relative to the working folder if it lies below. So a source has one name, however its path is
    # given. ``..`` may lead through a link, so such paths stay; ``./-`` is not standard input.
    if path == STDIN or is_address(path) or ".." in Path(path).parts:
        return path
    try:
        folder = Path.cwd()
        short = str((folder / path).relative_to(folder))
    except (OSError, ValueError):  # the folder is gone; the path lies elsewhere
        return path
    return path if short.startswith("-") or is_address(short) else short


def name_dataset(paths: Sequence[str]) -> str | None:
    # The name of the file, folder or database; None for several paths, streams and nameless addresses.
    if len(paths) != 1 or paths[0] == STDIN:
        return None
    if is_address(paths[0]):
        return default_dataset_name(paths[0]) or None
    path = Path(paths[0])
    return (path.name or path.absolute().name).split(".")[0].strip()


def _expand(request: LoadRequest, path: str) -> Sequence[Path | str]:
    expand = request.loader.expand
    if expand is None or not is_folder(path):
        return [path]
    paths = expand(Path(path))
    if not paths:
        raise UnreadableFile(
            f"no file of the format {request.loader.name} in this folder",
            where=path,
            hint="give the files themselves; `tuqa-load --list` says what each format reads",
        )
    return paths


def is_folder(path: str) -> bool:
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def _is_stream(path: str) -> bool:
    try:
        kind = os.stat(path).st_mode  # noqa: PTH116 # tells a pipe from a file in one call
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(kind) or stat.S_ISDIR(kind))


def _copy_stream(path: str, copies: ExitStack) -> File:
    name = STDIN_NAME if path == STDIN else path
    if path == STDIN and sys.stdin is None:
        raise UsageError("standard input is closed", hint="give a file")
    try:
        copy = Path(copies.enter_context(tempfile.TemporaryDirectory(prefix="tuqa-"))) / "copy"
        with ExitStack() as closing:
            if path == STDIN:
                stream: BinaryIO = sys.stdin.buffer
            else:
                stream = closing.enter_context(Path(path).open("rb"))
            _copy_bounded(stream, closing.enter_context(copy.open("wb")), copy, name)
    except OSError as error:
        raise UnreadableFile(
            f"it cannot be copied ({error.strerror or error})",
            where=name,
            hint="set TMPDIR to a folder with enough space",
        ) from error
    return File(copy, name)


def _copy_bounded(stream: BinaryIO, target: BinaryIO, copy: Path, name: str) -> None:
    size = 0
    while block := stream.read(_BLOCK):
        size += len(block)
        if size > MAX_STREAM_BYTES:
            raise UnreadableFile(
                f"a stream that has not ended after {MAX_STREAM_BYTES:,} bytes",
                where=name,
                hint="save what you want to load as a file, and give that",
            )
        if shutil.disk_usage(copy.parent).free < MIN_FREE_BYTES:
            raise UnreadableFile(
                f"a stream that has not ended after {size:,} bytes, and the disk is nearly full",
                where=name,
                hint="set TMPDIR to a folder with enough space, or give a file",
            )
        target.write(block)


@dataclass(frozen=True, slots=True)
class FileIdentity:
    # Size in bytes, sha256 and time of change. For an address, size and sha256 describe the items
    # of its loader.
    size: int
    sha256: str
    changed: int


def identify_file(file: File, progress: Progress) -> FileIdentity:
    digest = hashlib.sha256()
    size = 0
    with file_errors(file.name), file.path.open("rb") as content:
        status = os.fstat(content.fileno())
        changed, length = status.st_mtime_ns, status.st_size
        progress.begin(f"look at {file.name}", length)
        while block := content.read(1 << 20):
            digest.update(block)
            size += len(block)
            if size > length:  # it might never end
                raise _change_error(file.name)
            progress.advance(size)
    if not size:
        raise empty_file_error(file.name)
    return FileIdentity(size, digest.hexdigest(), changed)


@contextmanager
def file_errors(name: str) -> Iterator[None]:
    # What the system says about the file ``name``, as errors of this package.
    try:
        yield
    except (FileNotFoundError, ValueError) as error:  # ValueError: a NUL in the path
        raise MissingFile("no such file", where=name, hint="check the path") from error
    except IsADirectoryError as error:
        raise UnreadableFile("a folder", where=name, hint="give the files in it") from error
    except OSError as error:
        reason = error.strerror or str(error)
        hint = "check the path and its permissions"
        raise UnreadableFile(reason, where=name, hint=hint) from error


def empty_file_error(name: str) -> UnreadableFile:
    return UnreadableFile("the file is empty", where=name, hint="give one with facts")


def check_unchanged(file: File, identity: FileIdentity) -> None:
    # Addresses are checked while they are read.
    if file.address is not None:
        return
    try:
        now = file.path.stat()
    except OSError as error:
        reason = error.strerror or str(error)
        raise UnreadableFile(
            f"it went away while it was read ({reason})", where=file.name, hint="load it again"
        ) from error
    if (now.st_size, now.st_mtime_ns) != (identity.size, identity.changed):
        raise _change_error(file.name)


def _change_error(name: str) -> UnreadableFile:
    hint = "load it again once nobody writes to it"
    return UnreadableFile("it changed while it was read", where=name, hint=hint)


# DataFrames are written as CSV by themselves, so that neither pandas nor polars is imported.

Records: TypeAlias = "Sequence[Mapping[str, object]]"


class DataFrame(Protocol):
    """A DataFrame of pandas or polars: a table with named columns."""

    @property
    def columns(self) -> Any: ...

    @property
    def shape(self) -> tuple[int, int]: ...


def are_records(value: object) -> TypeGuard[Records]:
    return (
        isinstance(value, (list, tuple))
        and bool(value)
        and all(isinstance(record, Mapping) for record in value)
    )


def write_records(records: Records, number: int, folder: Path) -> File:
    # As JSON lines.
    path = folder / f"{number}.jsonl"
    with path.open("w", encoding="utf-8") as lines:
        for record in records:
            lines.write(json.dumps(record, ensure_ascii=False, default=_write_value) + "\n")
    return File(path, f"records {number + 1}" if number else "records")


_MISSING = ("NaT", "<NA>")


def _write_value(value: Any) -> object:
    # What JSON does not have: sets and arrays are lists, missing values null, and dates text.
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if hasattr(value, "tolist"):
        return value.tolist()
    text = str(value)
    return None if text in _MISSING else text


def _write_nested_as_json(frame: Any) -> Any:
    # A list in a cell would be written as Python writes it.
    def write_column(column: Any) -> Any:
        has_nested = column.dtype == object and column.map(_is_nested).any()
        return column.map(_write_json, na_action="ignore") if has_nested else column

    return frame.apply(write_column) if len(frame) else frame


def _is_nested(value: object) -> bool:
    return isinstance(value, (list, tuple, dict, set, frozenset))


def _write_json(value: object) -> object:
    if not _is_nested(value):
        return value
    plain = list(value) if isinstance(value, (set, frozenset)) else value
    return json.dumps(plain, ensure_ascii=False, default=str)


def write_dataframe(frame: Any, number: int, folder: Path) -> File:
    # The name of the file appears in evidence. Texts are in quotes, so that none looks like several cells.
    path = folder / f"{number}.csv"
    if hasattr(frame, "to_csv") and hasattr(frame, "columns"):
        if frame.columns.nlevels > 1:
            names = [" ".join(filter(None, map(str, levels))) for levels in frame.columns]
            frame = frame.set_axis(names, axis="columns")
        # An index with names is data; the usual one only counts the rows.
        has_names = any(name is not None for name in frame.index.names)
        table = _write_nested_as_json(frame)
        table.to_csv(str(path), index=has_names, quoting=csv.QUOTE_NONNUMERIC)
    elif hasattr(frame, "write_csv"):
        frame.write_csv(str(path), quote_style="non_numeric")
    elif isinstance(frame, list):
        what = "the list is empty" if not frame else f"a list of {type(frame[0]).__name__}"
        raise UsageError(what, hint="give records (dicts) in a list, and each path by itself")
    else:
        raise UsageError(
            f"a {type(frame).__name__} is neither a path nor a DataFrame",
            hint="give paths, DataFrames of pandas or polars, or a list of records (dicts)",
        )
    return File(path, f"DataFrame {number + 1}" if number else "DataFrame")
