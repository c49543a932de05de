"""Previews of tables in a terminal: a line for each column, with the cells of the first rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ..errors import format_count, format_rest
from ..render.terminal import escape_controls, shorten_line
from .output import MORE_HINT, print_renderable

if TYPE_CHECKING:
    from ..loading.preview import TablePreview

MAX_TABLES = 10
MAX_COLUMNS = 18
_NAME_LENGTH, _RANGE_LENGTH, _CELL_LENGTH = 30, 30, 14


def print_previews(tables: Sequence[TablePreview]) -> None:
    for table in tables[:MAX_TABLES]:
        click.echo()
        _print_preview(table)
    if rest := format_rest(len(tables), MAX_TABLES, "table", MORE_HINT):
        click.echo(f"\n{rest}")


def _print_preview(table: TablePreview) -> None:
    from rich.table import Table

    rows, columns = format_count(table.rows, "row"), format_count(len(table.columns), "column")
    click.echo(escape_controls(f"{table.source}: {rows}, {columns}"))
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("column", "read as", "range"):
        grid.add_column(name, overflow="fold")
    grid.add_column("first rows", no_wrap=True, overflow="ellipsis")
    for number, column in enumerate(table.columns[:MAX_COLUMNS]):
        cells = [shorten_line(cells[number], _CELL_LENGTH) for cells in table.first_rows]
        grid.add_row(
            shorten_line(column.name, _NAME_LENGTH),
            column.describe(shorten_line(" ".join(column.units), _CELL_LENGTH)),
            shorten_line(column.range, _RANGE_LENGTH),
            " | ".join(cells),
        )
    print_renderable(grid)
    if rest := format_rest(len(table.columns), MAX_COLUMNS, "column", MORE_HINT):
        click.echo(rest)
