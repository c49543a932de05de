"""What a format declares, and where formats are found.

Each loader is one ``Loader`` in a file of its own, named by an entry point of the group
``trustuqa_neo4j.loaders``; another package can bring its own the same way. Nothing imports a loader by
name, so adding one changes no other file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.metadata import entry_points
from pathlib import Path

from .errors import MalformedLine, UnknownFormat
from .triples import Item, Kind, Part
from .values import DEFAULT, ValueOptions

GROUP = "trustuqa_neo4j.loaders"

PLACES = 5
"""Places kept of each remark."""


@dataclass(frozen=True, slots=True)
class File:
    """A file to read: where it lies, and what to call it in messages and evidence.

    ``address`` is that of a database or a service (``scheme://…``), which has no path; its password is in no
    ``name``.
    """

    path: Path
    name: str
    address: str | None = field(default=None, repr=False)


@dataclass
class Remark:
    """Something odd that does not stop a load: how often it was met, and the first places."""

    times: int = 0
    places: list[str] = field(default_factory=list)


@dataclass
class Reading:
    """Options of one load, and what its reader reports as it goes.

    ``source`` is the name for all that is read where the user gave one. ``skip_bad`` malformed lines are
    tolerated and kept in ``bad``; ``remarks`` are by what they say. ``progress`` is told the file that is
    being read and how many bytes of it have been, or rows of an address.
    """

    source: str | None = None
    encoding: str = "utf-8-sig"
    values: ValueOptions = DEFAULT
    skip_bad: int = 0
    bad: list[MalformedLine] = field(default_factory=list)
    remarks: dict[str, Remark] = field(default_factory=dict)
    progress: Callable[[File, int], None] = lambda _file, _done: None

    def part(self, name: str, file: str, kind: Kind, columns: tuple[str, ...] = ()) -> Part:
        """The part that begins with ``file``; its source is called ``name`` unless the user says."""
        return Part(name if self.source is None else self.source, file, kind, columns)

    def malformed(self, what: str, where: str, hint: str) -> None:
        """Note a malformed line.

        Raises:
            MalformedLine: more than ``skip_bad`` of them.
        """
        error = MalformedLine(what, where=where, hint=hint)
        if len(self.bad) >= self.skip_bad:
            raise error
        self.bad.append(error)

    def remark(self, what: str, where: str) -> None:
        """Note something odd at ``where`` (``file:line``) that is carried through."""
        remark = self.remarks.setdefault(what, Remark())
        remark.times += 1
        if len(remark.places) < PLACES:
            remark.places.append(where)


@dataclass(frozen=True, slots=True)
class Loader:
    """One format: its name, a sentence for ``--list``, the kind of its sources, and its reader.

    ``read`` is given all files of the command at once and yields the same items whenever it is given the
    same files: an interrupted load goes on by counting them. ``expand`` turns a folder into the files in
    it that the format reads; without one a folder is refused. ``addresses``: it also reads databases or
    services named by an address (``scheme://…``).
    """

    name: str
    summary: str
    kind: Kind
    read: Callable[[Sequence[File], Reading], Iterator[Item]]
    expand: Callable[[Path], Sequence[Path]] | None = None
    addresses: bool = False


def loaders() -> dict[str, Loader]:
    """All loaders that are installed, by name."""
    found = (point.load() for point in entry_points(group=GROUP))
    return {loader.name: loader for loader in sorted(found, key=lambda loader: str(loader.name))}


def loader(name: str) -> Loader:
    """The loader called ``name``.

    Raises:
        UnknownFormat
    """
    known = loaders()
    if name in known:
        return known[name]
    have = ", ".join(known)
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known are {have}"
    raise UnknownFormat(f"no format {name!r}", hint=hint)
