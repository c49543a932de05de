"""Blocks, independent of the renderer: text, tables and outlines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    # Without ``has_header``, a terminal shows no names of columns. ``narrow`` is for where this has no room.
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    footer: str = ""
    has_header: bool = True
    narrow: TableBlock | None = None


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

MAX_ROWS = 50  # rows of a table in a notebook


def lay_out_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], empty: str = ""
) -> Iterator[Block]:
    # A table without its empty columns; ``empty`` or nothing if it has no rows.
    if rows:
        filled = [place for place in range(len(columns)) if any(row[place] for row in rows)]
        yield TableBlock(
            tuple(columns[place] for place in filled),
            tuple(tuple(row[place] for place in filled) for row in rows[:MAX_ROWS]),
            footer=f"… {len(rows) - MAX_ROWS:,} more" if len(rows) > MAX_ROWS else "",
        )
    elif empty:
        yield TextBlock("note", (empty,))
