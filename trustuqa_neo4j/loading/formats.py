"""The protocol of loaders, and the registry of the installed ones.

A loader is one ``Loader`` in a file of its own, named by an entry point of the group
``trustuqa_neo4j.loaders``; another package can bring loaders in the same way. Nothing imports a loader by
name, so a new one changes no other file.
"""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path

from ..errors import MalformedLine, UnknownFormat, UsageError
from ..matching import suggest_names
from ..model.facts import Item, SourceKind, SourceStart
from ..values import DEFAULT_VALUE_OPTIONS, ValueOptions
from ..wording import LoadChange, read_changes, render_options
from .table_options import DEFAULT_TABLE_OPTIONS, TableOptions

ENTRY_POINT_GROUP = "trustuqa_neo4j.loaders"

STDIN_NAME = "stdin"
"""The name of standard input in messages and evidence; commands call it ``-``."""

MAX_REMARK_PLACES = 5

DETECT_ENCODING = "auto"
"""In the place of an encoding: the one that the content has beyond doubt, else UTF-8."""


@dataclass(frozen=True, slots=True)
class File:
    """A file to read: its path, and its name in messages and evidence.

    ``address`` is the address of a database or a service (``scheme://…``), which has no path; ``name`` never
    contains its password.
    """

    path: Path
    name: str
    address: str | None = field(default=None, repr=False)


def check_encoding(encoding: str) -> None:
    """Refuse what is not an encoding of text; some codecs of Python, such as base64, are not.

    Raises:
        UsageError
    """
    try:
        if encoding != DETECT_ENCODING:
            io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    except (LookupError, ValueError) as error:
        raise UsageError(f"no encoding {encoding!r}", hint="try utf-8 or latin-1") from error


@dataclass
class Remark:
    """An oddity that does not stop a load: how often it occurred, and the first places.

    ``changes`` are arguments of another load that its text offers.
    """

    times: int = 0
    places: list[str] = field(default_factory=list)
    changes: list[LoadChange] = field(default_factory=list)


def add_remark(remarks: dict[str, Remark], what: str, where: str) -> None:
    """Record an oddity at ``where`` (``file:line``)."""
    remark = remarks.setdefault(render_options(what), Remark(changes=read_changes(what)))
    remark.times += 1
    if len(remark.places) < MAX_REMARK_PLACES:
        remark.places.append(where)


def format_remark(text: str, remark: Remark) -> str:
    """Format an oddity with its first places, and how often it occurred if there are more."""
    times = f" … {remark.times:,} times" if remark.times > len(remark.places) else ""
    return f"{text}: {', '.join(remark.places)}{times}"


@dataclass
class ReadOptions:
    """Options of one load, and what its loader reports.

    ``source`` is the source of everything that is read, if the user named one. Up to ``skip_bad`` malformed
    lines are skipped and kept in ``bad``; ``remarks`` are by their text. ``progress`` is called with the
    file that is being read and the bytes read of it, or the rows of an address. ``encodings`` are those that
    were detected, by place.
    """

    source: str | None = None
    encoding: str = DETECT_ENCODING
    values: ValueOptions = DEFAULT_VALUE_OPTIONS
    table: TableOptions = DEFAULT_TABLE_OPTIONS
    skip_bad: int = 0
    bad: list[MalformedLine] = field(default_factory=list)
    remarks: dict[str, Remark] = field(default_factory=dict)
    progress: Callable[[File, int], None] = lambda _file, _done: None
    encodings: dict[str, str] = field(default_factory=dict)

    def part(
        self, name: str, file: str, kind: SourceKind, columns: tuple[str, ...] = ()
    ) -> SourceStart:
        """The start of ``file``; its source is ``name`` unless the user named one."""
        return SourceStart(name if self.source is None else self.source, file, kind, columns)

    def malformed(self, what: str, where: str, hint: str) -> None:
        """Record a malformed line.

        Raises:
            MalformedLine: there are more than ``skip_bad``.
        """
        error = MalformedLine(what, where=where, hint=hint)
        if len(self.bad) >= self.skip_bad:
            raise error
        self.bad.append(error)

    def remark(self, what: str, where: str) -> None:
        """Record an oddity at ``where`` (``file:line``)."""
        add_remark(self.remarks, what, where)


@dataclass(frozen=True, slots=True)
class Loader:
    """One format: its name, a sentence for ``--list``, the kind of its sources, and its reader.

    ``read`` gets all files of the command and must yield the same items for the same files: a resumed load
    counts them. ``expand`` lists the files of a folder that the format reads; without it a folder is
    refused. ``addresses``: it also reads databases or services by address (``scheme://…``).

    ``aliases`` are other names that a user may type. A file with one of the ``suffixes`` (without ``.gz``)
    is read in this format if no format is given and its content shows no other one; ``is_folder`` recognizes
    a folder of this format. A ``benchmark`` is listed apart and never chosen by itself. With
    ``has_table_options`` the reader follows ``ReadOptions.table``; other formats refuse these options.
    ``reads`` are other formats whose files it reads too, and ``companions`` those that it reads beside a file
    of its own; None: files of other formats are not recognized.
    """

    name: str
    summary: str
    kind: SourceKind
    read: Callable[[Sequence[File], ReadOptions], Iterator[Item]]
    expand: Callable[[Path], Sequence[Path]] | None = None
    addresses: bool = False
    aliases: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    is_folder: Callable[[Path], bool] | None = None
    benchmark: bool = False
    has_table_options: bool = False
    reads: frozenset[str] | None = None
    companions: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class DetectedFormat:
    """The format of an input whose format was not given, and what was recognized.

    ``alternative`` is another format in which the input might be meant, or empty. ``is_sure`` is False
    with an alternative, and for text whose lines do not fit its suffix.
    """

    file: str
    format: str
    description: str
    alternative: str = ""
    is_sure: bool = True

    def __str__(self) -> str:
        """One line for people, with the command for the alternative."""
        text = f"{self.file}: {self.format} ({self.description})"
        if self.alternative:
            text += f"; to load it as {self.alternative}: {self.command(self.alternative)}"
        return text

    def command(self, format_name: str) -> str:
        """The command that loads the input in this format."""
        path = "-" if self.file == STDIN_NAME else shlex.quote(self.file)
        return f"tuqa-load {format_name} {path}"


def find_entry_point(loader: Loader) -> str | None:
    """The name of the entry point by which another process finds ``loader``; None without one."""
    return next((name for name, each in _find_loaders(tuple(sys.path)) if each == loader), None)


def load_entry_point(name: str) -> Loader:
    """The loader of the entry point ``name``."""
    (point,) = entry_points(group=ENTRY_POINT_GROUP, name=name)
    loader: Loader = point.load()
    return loader


@lru_cache(maxsize=1)
def _find_loaders(_path: tuple[str, ...]) -> tuple[tuple[str, Loader], ...]:
    # By entry point. Once for a search path: reading what each package declares takes 10 ms and more.
    points = entry_points(group=ENTRY_POINT_GROUP)
    return tuple((str(point.name), point.load()) for point in points)


def list_loaders() -> dict[str, Loader]:
    """The installed loaders by name; those that a package brings are found when first asked for."""
    every = (loader for _, loader in _find_loaders(tuple(sys.path)))
    return {loader.name: loader for loader in sorted(every, key=lambda loader: str(loader.name))}


def find_loader(name: str) -> Loader | None:
    """The loader with this name or alias, in any case; None if there is none."""
    loaders = list_loaders()
    lower = name.lower()
    by_alias = {alias: loader for loader in loaders.values() for alias in loader.aliases}
    return loaders.get(lower) or by_alias.get(lower)


def get_loader(name: str) -> Loader:
    """The loader with this name or alias.

    Raises:
        UnknownFormat
    """
    loader = find_loader(name)
    if loader is not None:
        return loader
    raise UnknownFormat(f"no format {name!r}", hint=suggest_format(name))


def suggest_format(name: str) -> str:
    """A hint for an unknown format: the nearest name or alias, else all formats but the benchmarks."""
    loaders = list_loaders().values()
    names = [name for loader in loaders for name in (loader.name, *loader.aliases)]
    nearest = suggest_names(name, names, 1, 0.7)
    if nearest:
        return f"did you mean {nearest[0]}?"
    known = ", ".join(loader.name for loader in loaders if not loader.benchmark)
    return f"known are {known}, and benchmarks (`tuqa-load --list`)"
