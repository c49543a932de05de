"""Blocks as text for a terminal or a file; control characters in data are made visible.

A table that is too wide becomes a list of its rows. rich is imported only to draw: the import takes longer
than most answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..matching.invisible import replace_invisible
from .blocks import Block, OutlineBlock, OutlineItem, TableBlock, TextBlock

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType


# Control characters but for tab and line feed; what reorders the text around it; halves of characters.
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_PICTURES = {chr(code): chr(0x2400 + code) for code in range(32)} | {"\x7f": "␡"}
_BREAKS = re.compile("\r\n|[\u2028\u2029]")


def escape_controls(text: str) -> str:
    # Control characters become pictures (␛): data must not steer the terminal. Characters that turn
    # the direction of the text around them go too: a name could hide another behind them. Marks
    # (U+200E, U+200F) stay, since Arabic and Hebrew names have them and they move nothing else.
    shown = _UNSAFE.sub(lambda c: _PICTURES.get(c[0], "�"), _BREAKS.sub("\n", text))
    return replace_invisible(shown, lambda _: "�")


def is_encodable(text: str) -> bool:
    """False for half a surrogate pair, of an escape in JSON or a file name in another encoding."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def shorten_line(text: str, limit: int) -> str:
    line = " ".join(text[: limit * 8].split())
    is_cut = len(text) > limit * 8 or len(line) > limit
    return escape_controls(line[: limit - 1] + "…" if is_cut else line)


_MAX_WIDTH = 1 << 20  # characters in a line that no terminal limits
_MIN_COLUMN = 20  # characters per column that a table needs to stay a table

_STYLES = {"answer": "bold", "question": "italic", "hint": "italic"}


def render_text(content: RenderableType, *, terminal: bool = False) -> str:
    # Without ``terminal``: no limit of width and no styles.
    from rich.console import Console

    # Names from the data are not markup: `[red]` and `:smile:` are what they say.
    if terminal:
        console = Console(highlight=False, markup=False, emoji=False)
    else:
        console = Console(
            highlight=False, markup=False, emoji=False, color_system=None, width=_MAX_WIDTH
        )
    with console.capture() as capture:
        console.print(content, crop=False)
    # rich pads lines to the width.
    return "\n".join(line.rstrip() for line in capture.get().rstrip("\n").split("\n"))


def render_blocks(blocks: Iterable[Block]) -> RenderableType:
    from rich.console import Group

    return Group(*(part for block in blocks for part in _block(block)))


def _block(block: Block) -> Iterator[RenderableType]:
    if isinstance(block, TextBlock):
        yield from _text_block(block)
    elif isinstance(block, TableBlock):
        yield _FittedTable(block)
        if block.footer:
            yield _text(block.footer)
    else:
        yield from _outline(block)


def _text_block(block: TextBlock) -> Iterator[RenderableType]:
    from rich.text import Text

    style = _STYLES.get(block.kind, "")
    indent = "  " if block.title else ""
    if block.title:
        yield _text(block.title)
    for line in block.lines:
        if block.kind == "answer":
            # Not wrapped, so that a copy from the terminal is the whole value.
            value = escape_controls(line).replace("\n", "\n  ")
            yield Text(value, style=style, no_wrap=True, overflow="ignore")
        else:
            yield Text(indent + escape_controls(line), style=style, overflow="fold")
    if block.footer:
        yield _text(block.footer)


def _outline(block: OutlineBlock) -> Iterator[RenderableType]:
    if not block.is_spaced:
        yield _text(f"\n{block.title}")
    for item in block.items:
        if block.is_spaced:
            yield ""
        yield from _outline_item(item, 0 if block.is_spaced else 2)


def _outline_item(item: OutlineItem, indent: int) -> Iterator[RenderableType]:
    from rich.padding import Padding

    yield Padding(_text(item.label), (0, 0, 0, indent))
    output = (f"→ {item.output}",) if item.output else ()
    for line in (item.input, *output, *item.details):
        yield Padding(_text(line), (0, 0, 0, indent + 2))


def _text(line: str) -> RenderableType:
    from rich.text import Text

    return Text(escape_controls(line), overflow="fold")


def _measure(block: TableBlock) -> int:
    """The characters of the widest line of a table, with two between its columns."""
    from rich.cells import cell_len

    lines = (*block.rows, block.columns) if block.has_header else block.rows
    widths = (
        max(
            (cell_len(line) for cell in column for line in escape_controls(cell).split("\n")),
            default=0,
        )
        for column in zip(*lines, strict=True)
    )
    return sum(width + 2 for width in widths)


@dataclass(frozen=True, slots=True)
class _FittedTable:
    # A table with its title if it fits, or its narrow form does, or its columns have room; else a list of
    # its rows.
    block: TableBlock

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        block = self.block
        if block.narrow is not None and _measure(block) > options.max_width:
            yield _FittedTable(block.narrow)
            return
        if block.title:
            yield _text(f"\n{block.title}")
        rows = [[escape_controls(cell) for cell in row] for row in block.rows]
        if options.max_width >= min(_measure(block), _MIN_COLUMN * len(block.columns)):
            yield self._table(rows)
        elif block.has_header:
            yield from self._records(rows)
        else:
            # Each row as a line, with its last cell below it.
            from rich.padding import Padding

            for row in rows:
                yield Padding(_text(" · ".join(row[:-1])), (0, 0, 0, 2))
                yield Padding(_text(row[-1]), (0, 0, 0, 4))

    def _table(self, rows: list[list[str]]) -> RenderableType:
        from rich.padding import Padding
        from rich.table import Table
        from rich.text import Text

        block = self.block
        table = Table(box=None, pad_edge=False, header_style="bold", show_header=block.has_header)
        for column in block.columns:
            table.add_column(Text(escape_controls(column)), overflow="fold")
        for row in rows:
            table.add_row(*map(Text, row))
        return table if block.has_header else Padding(table, (0, 0, 0, 2))

    def _records(self, rows: list[list[str]]) -> Iterator[RenderableType]:
        # Each row as lines ``column: value``, with an empty line between two rows.
        for number, row in enumerate(rows):
            if number:
                yield ""
            for column, cell in zip(self.block.columns, row, strict=True):
                yield _text(f"{column}: {cell}")
