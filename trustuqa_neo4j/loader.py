"""What a format declares, and where formats are found.

Each loader is one ``Loader`` in a file of its own, named by an entry point of the group
``trustuqa_neo4j.loaders``; another package can bring its own the same way. Nothing imports a loader by
name, so adding one changes no other file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.metadata import entry_points
from pathlib import Path

from .errors import MalformedLine, NotBuilt, UnknownFormat
from .triples import Fact

GROUP = "trustuqa_neo4j.loaders"

FORESEEN = (
    "table", "temporal-kg", "metaqa", "wikitablequestions", "wikisql", "webqsp", "cronquestions",
    "sql", "r2rml", "rdf", "json", "neo4j",
)  # fmt: skip
"""Formats of later versions, so that asking for one is told apart from a slip."""


@dataclass(frozen=True, slots=True)
class File:
    """A file to read: where it lies, and what to call it in messages and evidence."""

    path: Path
    name: str


@dataclass
class Reading:
    """Options of one load, and what its reader reports as it goes.

    ``skip_bad`` malformed lines are tolerated and kept in ``bad``; ``progress`` is told how many bytes of
    the file have been read.
    """

    encoding: str = "utf-8-sig"
    skip_bad: int = 0
    bad: list[MalformedLine] = field(default_factory=list)
    progress: Callable[[int], None] = lambda _: None

    def malformed(self, what: str, where: str, hint: str) -> None:
        """Note a malformed line.

        Raises:
            MalformedLine: more than ``skip_bad`` of them.
        """
        error = MalformedLine(what, where=where, hint=hint)
        if len(self.bad) >= self.skip_bad:
            raise error
        self.bad.append(error)


@dataclass(frozen=True, slots=True)
class Loader:
    """One format: its name, a sentence for ``--list``, the kind of dataset, and its reader."""

    name: str
    summary: str
    kind: str
    read: Callable[[File, Reading], Iterator[Fact]]


def loaders() -> dict[str, Loader]:
    """All loaders that are installed, by name."""
    found = (point.load() for point in entry_points(group=GROUP))
    return {loader.name: loader for loader in sorted(found, key=lambda loader: str(loader.name))}


def loader(name: str) -> Loader:
    """The loader called ``name``.

    Raises:
        NotBuilt: it is foreseen, but not in this version.
        UnknownFormat
    """
    known = loaders()
    if name in known:
        return known[name]
    have = ", ".join(known)
    if name in FORESEEN:
        raise NotBuilt(
            f"the format {name!r} is not built in this version", hint=f"these are: {have}"
        )
    near = get_close_matches(name, [*known, *FORESEEN], n=1)
    hint = f"did you mean {near[0]}?" if near else f"known are {have}"
    raise UnknownFormat(f"no format {name!r}", hint=hint)
