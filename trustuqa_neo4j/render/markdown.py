"""Blocks as Markdown for chat programs: whatever the data say is escaped, and stays what it says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from .blocks import Block, OutlineBlock, TableBlock, TextBlock
from .terminal import escape_controls

_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+|~$!&-])")
_NUMBERED = re.compile(r"^(\d+)([.)])")


def render_markdown(blocks: Iterable[Block]) -> str:
    return "\n\n".join(part for block in blocks for part in _block(block))


def table_to_markdown(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with pipes; line ends in cells become blanks."""
    lines = [_row(columns), "|" + " --- |" * len(columns), *map(_row, rows)]
    return "\n".join(lines)


def escape_markdown(text: str) -> str:
    """The text as one line that Markdown shows as it is."""
    line = " ".join(escape_controls(text).split())
    return _NUMBERED.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", line))


def _row(cells: Iterable[object]) -> str:
    return "| " + " | ".join(escape_markdown(str(cell)) for cell in cells) + " |"


def _block(block: Block) -> Iterator[str]:
    if block.title:
        yield escape_markdown(block.title)
    if isinstance(block, TableBlock):
        yield table_to_markdown(block.columns, block.rows)
    elif isinstance(block, TextBlock):
        yield _text(block)
    else:
        yield "\n".join(
            f"- {escape_markdown(item.label)}: {escape_markdown(item.input)}"
            for item in block.items
        )
    if not isinstance(block, OutlineBlock) and block.footer:
        yield escape_markdown(block.footer)


def _text(block: TextBlock) -> str:
    lines = [escape_markdown(line) for line in block.lines]
    if block.kind == "answer":
        lines = [f"**{line}**" if line else line for line in lines]
    return lines[0] if len(lines) == 1 else "\n".join(f"- {line}" for line in lines)
