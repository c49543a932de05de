"""Columns of a table as paths: ``against > hasPolicy > policyNumber as policy``.

Each step is a relation, ``^relation`` walks it backwards, and ``relation#2`` walks it a second time, apart
from the first. ``relation?`` need not lead anywhere. A relation may be quoted: what stands in quotes is its
name, ``>`` and all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .query import Problem
from .signs import COMMAS, QUOTE, QUOTES

DEEPEST = 50
"""A path may have this many steps."""

_BEGIN = re.compile(r"\s*(\^?)\s*")
_SIGN = re.compile(r"-?[>＞]|→|(?<=\s)as(?=\s|$)", re.IGNORECASE)
_STOP = re.compile(rf"[{COMMAS}]|(?<!\w){QUOTE}")
_WALK = re.compile(r"#(\d{1,3})$")


@dataclass(frozen=True, slots=True)
class PathStep:
    """One relation of a path, ``walk`` 1 for the first time it is walked, wherever it stands.

    ``optional``: where it leads nowhere, what the path shows is empty. ``marked`` is then the name with its
    question mark, which may be part of it, unless it was in quotes.
    """

    relation: str
    backwards: bool = False
    walk: int = 1
    position: int = field(default=0, compare=False)
    optional: bool = False
    marked: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Path:
    """Steps from the head to a column's values, and the column's name: what stands last, if none is given."""

    steps: tuple[PathStep, ...]
    name: str


@dataclass(eq=False)
class Branch:
    """Where paths stand after the same steps: the columns that end here, and what goes on from here.

    Columns are places among the paths. ``optional``: nothing need be here.
    """

    optional: bool = False
    columns: list[int] = field(default_factory=list)
    further: dict[PathStep, Branch] = field(default_factory=dict)


def branches(paths: Sequence[Path]) -> Branch:
    """The paths as a tree, in which those that begin alike share the steps that they share."""
    root = Branch()
    for number, path in enumerate(paths):
        at = root
        for step in path.steps:
            at = at.further.setdefault(step, Branch(at.optional or step.optional))
        at.columns.append(number)
    return root


@dataclass(frozen=True, slots=True)
class _Part:
    """What stands between two signs: ``quoted`` is the name in quotes, ``plain`` what is not in them."""

    begin: int
    backwards: bool
    quoted: str | None
    plain: str
    sign: str


def read_path(text: str) -> Path | Problem:
    """The path that ``text`` writes, or what is wrong with it and where in ``text``."""
    steps: list[PathStep] = []
    at = 0
    while True:
        found = _part(text, at)
        if isinstance(found, Problem):
            return found
        part, at = found
        step = _step(part)
        if isinstance(step, Problem):
            return step
        if len(steps) == DEEPEST:
            return _problem(f"a path has at most {DEEPEST} steps", part.begin)
        steps.append(step)
        if not part.sign:
            return Path(tuple(steps), step.marked or step.relation)
        if part.sign == "as":
            return _called(text, at, steps)


def read_paths(text: str) -> tuple[Path, ...] | Problem:
    """The paths that ``text`` writes: the parts between its commas, where each of them is a path.

    A relation may have a comma in its name: who knows the relations asks ``read_path`` first.
    """
    whole = read_path(text)
    paths: list[Path] = []
    parts = _apart(text)
    for begin, end in parts:
        path = read_path(text[begin:end])
        if isinstance(path, Problem):
            return whole if isinstance(whole, Problem) else (whole,)
        steps = (replace(step, position=begin + step.position) for step in path.steps)
        paths.append(replace(path, steps=tuple(steps)))
    return tuple(paths)


def _apart(text: str) -> list[tuple[int, int]]:
    """Where the parts between commas outside of quotes begin and end."""
    found: list[tuple[int, int]] = []
    unclosed: set[str] = set()
    begin = at = 0
    while stop := _STOP.search(text, at):
        at = stop.end()
        if stop[0] in COMMAS:
            found.append((begin, stop.start()))
            begin = at
        elif stop[0] not in unclosed:
            end = re.compile(f"[{QUOTES[stop[0]]}]").search(text, at)
            at = end.end() if end else at
            unclosed |= set() if end else {stop[0]}
    # A comma behind the last part is no part.
    return [*found, (begin, len(text))] if text[begin:].strip() or not found else found


def _part(text: str, at: int) -> tuple[_Part, int] | Problem:
    """What stands from ``at`` up to the next sign, and where to go on."""
    begin = _BEGIN.match(text, at)
    assert begin is not None  # it may be empty
    quoted = None
    behind = begin.end()
    if text[behind : behind + 1] in QUOTES:
        end = re.compile(f"[{QUOTES[text[behind]]}]").search(text, behind + 1)
        if end is None:
            return _problem("the name that begins here never ends", behind)
        quoted = text[behind + 1 : end.start()]
        behind = end.end()
    sign = _SIGN.search(text, behind)
    plain = text[behind : sign.start() if sign else len(text)].strip()
    name = sign[0].casefold() if sign else ""
    return _Part(begin.end(), bool(begin[1]), quoted, plain, name), sign.end() if sign else len(
        text
    )


def _called(text: str, at: int, steps: list[PathStep]) -> Path | Problem:
    """The path with the name that stands behind ``as``."""
    found = _part(text, at)
    if isinstance(found, Problem):
        return found
    part, _ = found
    if part.sign or part.backwards or (part.quoted and part.plain):
        return _problem("behind as stands one name and nothing else", part.begin)
    name = part.quoted or part.plain
    return Path(tuple(steps), name) if name else _problem("expected a name behind as", at)


def _step(part: _Part) -> PathStep | Problem:
    name, optional = _without_mark(part.plain, part)
    walk = _WALK.search(name)
    # "Team #1" is a name, "against#2" the second walk: no blank stands before the sign.
    if walk and (name[: walk.start()][-1:].isspace() or not (walk.start() or part.quoted)):
        walk = None
    if walk:
        name, before = _without_mark(name[: walk.start()], part)
        optional = optional or before
    if part.quoted is not None and name:
        return _problem("expected > or as behind the name in quotes", part.begin)
    relation = part.quoted if part.quoted is not None else name
    if not relation.strip():
        return _problem("expected a relation", part.begin)
    number = int(walk[1]) if walk else 1
    if not number:
        return _problem("walks are counted from 1", part.begin)
    marked = f"{name}?" if optional and part.quoted is None else ""
    return PathStep(relation, part.backwards, number, part.begin, optional, marked)


def _without_mark(name: str, part: _Part) -> tuple[str, bool]:
    """A name without the question mark behind it, and whether there was one; a mark alone is a name."""
    marked = name.endswith("?") and (part.quoted is not None or name.strip("?^# ") != "")
    return (name[:-1].rstrip(), True) if marked else (name, False)


def _problem(message: str, position: int) -> Problem:
    return Problem(
        "unreadable", f"{message}; a path is written 'relation > ^relation as name'", None, position
    )
