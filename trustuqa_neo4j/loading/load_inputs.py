"""``LoadInputs``: what a caller hands to a load, with the loader that reads it.

The commands have words, Python has paths, DataFrames and records; a format before them is optional.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from ..errors import UsageError
from .format_detection import (
    MIXED,
    choose_loader,
    detect_formats,
    find_format,
    make_mixture_error,
)
from .formats import DetectedFormat, File, Loader, get_loader
from .inputs import (
    DataFrame,
    Records,
    are_records,
    copy_streams,
    name_dataset,
    shorten_path,
    write_dataframe,
    write_records,
)


@dataclass(frozen=True, slots=True)
class LoadInputs:
    # ``words`` are the paths, relative to the working folder where they lie below it. ``files`` are
    # DataFrames, records, and streams that were looked at; these streams are not in ``paths``.
    # ``detected`` is empty if the format was given.
    loader: Loader
    words: tuple[str, ...]
    paths: tuple[str, ...]
    files: tuple[File, ...] = ()
    detected: tuple[DetectedFormat, ...] = ()

    @property
    def dataset(self) -> str:
        name = None if self.files else name_dataset(self.words)
        if name is None:
            raise UsageError(
                "several files, streams, DataFrames and records need a name for their dataset",
                hint="give dataset=NAME",
            )
        return name

    @classmethod
    def from_words(
        cls,
        words: Sequence[str],
        encoding: str,
        copies: ExitStack,
        prefers_tables: bool = False,
    ) -> LoadInputs:
        """The inputs of a command: an optional format, then at least one path.

        Without a format, streams are copied into ``copies``. ``prefers_tables``: there are options of tables.

        Raises:
            UsageError: there is no path; UnknownFormat, DataError
        """
        loader = find_format(words[0], is_last=len(words) == 1) if words else None
        paths = tuple(map(shorten_path, words if loader is None else words[1:]))
        if not paths:
            raise UsageError("PATH is missing", hint='give files, or "-" for standard input')
        if loader is not None:
            return cls(loader, paths, paths)
        sources = copy_streams(paths, copies)
        loader, detected = choose_loader(detect_formats(sources, encoding), prefers_tables)
        files = tuple(source for source in sources if isinstance(source, File))
        return cls(loader, paths, tuple(s for s in sources if isinstance(s, str)), files, detected)

    @classmethod
    def collect(
        cls,
        data: Sequence[str | PathLike[str] | File | DataFrame | Records],
        format_name: str | None,
        encoding: str,
        folder: Path,
        prefers_tables: bool = False,
    ) -> LoadInputs:
        """The inputs of a call in Python; DataFrames and records are written to ``folder``.

        A ``File`` has a name of its own, such as that of an upload. ``prefers_tables``: there are options of
        tables.

        Raises:
            UsageError, UnknownFormat, DataError
        """
        loader = None if format_name is None else get_loader(format_name)
        if loader is None and data and isinstance(data[0], str):
            loader = find_format(data[0], is_last=len(data) == 1)
            data = data if loader is None else data[1:]
        if not data:
            raise UsageError("no file is given", hint="give at least one")
        paths = tuple(
            shorten_path(str(value)) for value in data if isinstance(value, (str, PathLike))
        )
        named = tuple(value for value in data if isinstance(value, File))
        frames = [value for value in data if not isinstance(value, (str, PathLike, File))]
        tables, documents = _write_values(frames, folder)
        if loader is not None and loader.name == "table" and len(documents) == len(data):
            loader = get_loader("json")  # it reads a list of records as a table
        for files, name, noun in ((tables, "table", "DataFrame"), (documents, "json", "list")):
            if files and loader is not None and loader.name != name:
                raise UsageError(
                    f"a {noun} is not of the format {loader.name}", hint=f"load it as {name}"
                )
        if loader is not None:
            return cls(loader, paths, paths, (*named, *tables, *documents))
        detected = [DetectedFormat(file.name, "table", "DataFrame") for file in tables]
        detected += [DetectedFormat(file.name, "json", "records") for file in documents]
        detected += detect_formats((*paths, *named), encoding)
        loader, formats = choose_loader(detected, prefers_tables)
        if loader.name == MIXED and frames:  # their files show other formats, perhaps
            raise make_mixture_error(detected)
        return cls(loader, paths, paths, (*named, *tables, *documents), formats)


def _write_values(
    frames: Sequence[DataFrame | Records], folder: Path
) -> tuple[list[File], list[File]]:
    # Files of the DataFrames, and of the lists of records.
    tables: list[File] = []
    documents: list[File] = []
    for frame in frames:
        if are_records(frame):
            documents.append(write_records(frame, len(documents), folder))
        else:
            tables.append(write_dataframe(frame, len(tables), folder))
    return tables, documents
