"""Blocks, independent of the renderer: text, tables and outlines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["question", "answer", "outcome", "note", "problem", "hint"]


@dataclass(frozen=True, slots=True)
class TextBlock:
    kind: Kind
    lines: tuple[str, ...]
    title: str = ""
    footer: str = ""


@dataclass(frozen=True, slots=True)
class TableBlock:
    # Without ``has_header``, a terminal shows no names of columns.
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    footer: str = ""
    has_header: bool = True


@dataclass(frozen=True, slots=True)
class OutlineItem:
    # ``details`` are shown as code.
    label: str
    input: str
    output: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OutlineBlock:
    # HTML folds the operations away; ``is_spaced`` puts empty lines between them.
    title: str
    items: tuple[OutlineItem, ...]
    is_spaced: bool = False


Block: TypeAlias = TextBlock | TableBlock | OutlineBlock
