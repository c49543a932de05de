"""Blocks as text for a terminal, or for a file; a table that is too wide stands as a list of its rows.

rich is imported only when something is drawn: it takes longer than most answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .blocks import Block, Grid, Item, Lines, Outline
from .plain import plain

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

WIDEST = 1 << 20
"""Characters in a line where no terminal limits it."""

_NARROW = 20
"""A column has at least so many characters, or its table stands as a list."""

_STYLES = {"answer": "bold", "question": "italic", "hint": "italic"}


def text(what: RenderableType, *, terminal: bool = False) -> str:
    """``what`` as text: as wide as it needs to be, or for the ``terminal``, with its width and styles."""
    from rich.console import Console

    # Names from the data are no markup: `[red]` and `:smile:` are what they say.
    if terminal:
        console = Console(highlight=False, markup=False, emoji=False)
    else:
        console = Console(
            highlight=False, markup=False, emoji=False, color_system=None, width=WIDEST
        )
    with console.capture() as capture:
        console.print(what, crop=False)
    # rich pads lines to the width, which is of no use to anybody.
    return "\n".join(line.rstrip() for line in capture.get().rstrip("\n").split("\n"))


def renderable(blocks: Iterable[Block]) -> RenderableType:
    """What rich prints for ``blocks``."""
    from rich.console import Group

    return Group(*(drawn for block in blocks for drawn in _drawn(block)))


def _drawn(block: Block) -> Iterator[RenderableType]:
    if isinstance(block, Lines):
        yield from _lines(block)
    elif isinstance(block, Grid):
        if block.title:
            yield _said(f"\n{block.title}")
        yield _Fitting(block)
        if block.more:
            yield _said(block.more)
    else:
        yield from _outline(block)


def _lines(block: Lines) -> Iterator[RenderableType]:
    from rich.text import Text

    style = _STYLES.get(block.kind, "")
    indent = "  " if block.title else ""
    if block.title:
        yield _said(block.title)
    for line in block.lines:
        if block.kind == "answer":
            # Not wrapped: what is copied from a terminal is then the value, and no part of it.
            whole = plain(line).replace("\n", "\n  ")
            yield Text(whole, style=style, no_wrap=True, overflow="ignore")
        else:
            yield Text(indent + plain(line), style=style, overflow="fold")
    if block.more:
        yield _said(block.more)


def _outline(block: Outline) -> Iterator[RenderableType]:
    if not block.spaced:
        yield _said(f"\n{block.title}")
    for item in block.items:
        if block.spaced:
            yield ""
        yield from _item(item, 0 if block.spaced else 2)


def _item(item: Item, indent: int) -> Iterator[RenderableType]:
    from rich.padding import Padding

    yield Padding(_said(item.label), (0, 0, 0, indent))
    found = (f"→ {item.found}",) if item.found else ()
    for line in (item.given, *found, *item.details):
        yield Padding(_said(line), (0, 0, 0, indent + 2))


def _said(line: str) -> RenderableType:
    from rich.text import Text

    return Text(plain(line), overflow="fold")


@dataclass(frozen=True, slots=True)
class _Fitting:
    """A table where it fits, or where its columns have room; else a list of its rows."""

    grid: Grid

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.cells import cell_len

        grid = self.grid
        cells = [[plain(cell) for cell in row] for row in grid.rows]
        lines = [*cells, list(map(plain, grid.columns))] if grid.headed else cells
        widths = [
            max((cell_len(line) for cell in column for line in cell.split("\n")), default=0)
            for column in zip(*lines, strict=True)
        ]
        needed = sum(widths) + 2 * len(widths)
        room = options.max_width
        if needed <= room or room >= _NARROW * len(grid.columns):
            yield self._table(cells)
        elif grid.headed:
            yield from self._records(cells)
        else:
            yield from self._facts(cells)

    def _table(self, cells: list[list[str]]) -> RenderableType:
        from rich.padding import Padding
        from rich.table import Table
        from rich.text import Text

        grid = self.grid
        table = Table(box=None, pad_edge=False, header_style="bold", show_header=grid.headed)
        for column in grid.columns:
            table.add_column(Text(plain(column)), overflow="fold")
        for row in cells:
            table.add_row(*map(Text, row))
        return table if grid.headed else Padding(table, (0, 0, 0, 2))

    def _records(self, cells: list[list[str]]) -> Iterator[RenderableType]:
        """Each row as lines ``column: value``, with an empty line between two rows."""
        for number, row in enumerate(cells):
            if number:
                yield ""
            for column, cell in zip(self.grid.columns, row, strict=True):
                yield _said(f"{column}: {cell}")

    def _facts(self, cells: list[list[str]]) -> Iterator[RenderableType]:
        """Each row as a sentence, with its last cell below it."""
        from rich.padding import Padding

        for row in cells:
            yield Padding(_said(" · ".join(row[:-1])), (0, 0, 0, 2))
            yield Padding(_said(row[-1]), (0, 0, 0, 4))
