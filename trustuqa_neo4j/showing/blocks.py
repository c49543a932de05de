"""What is shown, whatever draws it: lines, tables, and what can be folded away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["question", "answer", "outcome", "note", "problem", "hint"]


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of one kind, under a ``title`` where there is one; ``more`` says what was left out."""

    kind: Kind
    lines: tuple[str, ...]
    title: str = ""
    more: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; where it is not ``headed``, a terminal shows no names of columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    more: str = ""
    headed: bool = True


@dataclass(frozen=True, slots=True)
class Item:
    """One of the things done: what was ``given``, what was ``found``, and, as code, its ``details``."""

    label: str
    given: str
    found: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """Things done, in order, which HTML folds away; ``spaced`` ones stand apart from each other."""

    title: str
    items: tuple[Item, ...]
    spaced: bool = False


Block: TypeAlias = Lines | Grid | Outline
