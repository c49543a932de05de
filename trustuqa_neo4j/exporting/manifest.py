"""``manifest.json``: what an export holds, and which of its files is what."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from shlex import quote
from typing import Any, Literal, TypeAlias, get_args

from ..triples import Kind
from ..values import ValueOptions

NAME = "manifest.json"
FORMAT = "trustuqa-neo4j export"
VERSION = 2
OLDER = (1,)
"""Versions that can be read as well: 1 knows no declarations."""

NAMES = ("key", "kind", "name", "alias")
"""Columns of the file of names: a line for each alias of a node, one if it has none."""
LINES = ("row", "file", "line")
"""Columns of a file of lines: from this row on, a row stands a line behind the one before."""
FACT = ("head", "relation", "tail")
HELD = ("start", "end", "first_day", "last_day")
"""Columns of facts that held for a time: as written, and as the days that are meant."""
QUALIFIERS = "qualifiers"
FILE = "file"
LINE = "line"

Form: TypeAlias = Literal["table", "facts"]


@dataclass(frozen=True, slots=True)
class ExportedSource:
    """A source: what it was read from, and the file that now has it, in rows as of a table or of facts.

    ``lines`` is the file that says where rows of a table stood; None: in the one file, from line 2 on.
    Facts may be ``held`` for a time or ``qualified``, and then have columns for that. ``declared``: how
    many classes and relations it declares.
    """

    name: str
    kind: Kind
    files: tuple[str, ...]
    columns: tuple[str, ...]
    form: Form
    file: str
    lines: str | None = None
    rows: int = 0
    held: bool = False
    qualified: bool = False
    declared: int = 0

    @property
    def header(self) -> tuple[str, ...]:
        """The columns of its file."""
        if self.form == "table":
            return self.columns
        return (
            *FACT,
            *(HELD if self.held else ()),
            *((QUALIFIERS,) if self.qualified else ()),
            *((FILE,) if len(self.files) > 1 else ()),
            LINE,
        )


@dataclass(frozen=True, slots=True)
class Manifest:
    """All that an export holds.

    ``names`` is the file of nodes that their keys do not describe, ``declarations`` that of classes and
    relations as sources declare them, source by source.
    """

    dataset: str
    values: ValueOptions
    nodes: int
    facts: int
    names: str | None
    sources: tuple[ExportedSource, ...]
    declarations: str | None = None

    def to_json(self) -> str:
        """As text."""
        given = asdict(self)
        given["values"]["null"] = sorted(self.values.null)
        said = {"format": FORMAT, "version": VERSION, **given}
        return json.dumps(said, ensure_ascii=False, indent=1) + "\n"


def from_json(text: str) -> Manifest:
    """The manifest in ``text``.

    Raises:
        ValueError: it is none, or of another version; says which.
    """
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError("it is not JSON") from error
    if not isinstance(given, dict) or given.get("format") != FORMAT:
        raise ValueError("it does not say that this is an export")
    if given.get("version") not in (VERSION, *OLDER):
        raise ValueError(
            f"it has version {given.get('version')!r}, and this package reads those up to {VERSION}"
        )
    try:
        return Manifest(
            str(given["dataset"]),
            _values(given["values"]),
            int(given["nodes"]),
            int(given["facts"]),
            _file(given["names"]),
            tuple(_source(each) for each in given["sources"]),
            _file(given.get("declarations")),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"it is not whole ({error})") from error


def _values(given: dict[str, Any]) -> ValueOptions:
    return ValueOptions(given["dates"], given["decimal"], frozenset(given["null"]))


def _source(given: dict[str, Any]) -> ExportedSource:
    for field, allowed in (("kind", get_args(Kind)), ("form", get_args(Form))):
        if given[field] not in allowed:
            raise ValueError(f"{given[field]!r} is no {field}")
    file = _file(given["file"])
    if file is None:
        raise ValueError("a source has no file")
    if not given["files"]:
        raise ValueError("a source was read from no file")
    return ExportedSource(
        str(given["name"]),
        given["kind"],
        tuple(map(str, given["files"])),
        tuple(map(str, given["columns"])),
        given["form"],
        file,
        _file(given["lines"]),
        int(given["rows"]),
        bool(given["held"]),
        bool(given["qualified"]),
        int(given.get("declared", 0)),
    )


def _file(name: str | None) -> str | None:
    """``name``, if it is that of a file beside the manifest: it must not lead anywhere else."""
    if name is not None and (not isinstance(name, str) or re.search(r"[/\\\0]|^\.*$", name)):
        raise ValueError(f"{name!r} is no file beside it")
    return name


def options(values: ValueOptions) -> str:
    """The options of ``tuqa-load`` that say ``values``; empty where it needs none."""
    told = {"--dates": values.dates, "--decimal": values.decimal}
    given = [f"{name} {value}" for name, value in told.items() if value]
    return " ".join(given + [f"--null {quote(word)}" for word in sorted(values.null)])
