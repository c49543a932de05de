"""An answer in the terminal, the same for every command that has one."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import groupby

import click

from ..answer import GOOD, Answer
from ..answer.layout import layout
from ..showing.blocks import Block, Lines
from ..showing.plain import plain
from ..showing.tables import csv_text
from ..showing.terminal import renderable
from .drawing import draw

_REST = "--json prints all"


def show(found: Answer, *, why: bool = False, explain: bool = False) -> None:
    """Draw an answer on stdout, its problems on stderr; ``why``: its steps, ``explain``: its stages too."""
    blocks = layout(found, why=why or explain, explain=explain, rest=_REST)
    for wrong, some in groupby(blocks, key=_is_wrong):
        if wrong:
            _complain(some)
        else:
            draw(renderable(some))


def csv_of(found: Answer) -> str:
    """The answer as CSV, without a last line feed; in a terminal, control characters are pictures."""
    columns, rows = found.table
    if sys.stdout.isatty():
        columns = tuple(map(plain, columns))
        rows = tuple(tuple(c if not isinstance(c, str) else plain(c) for c in r) for r in rows)
    return csv_text(columns, rows).removesuffix("\n")


def print_csv(found: Answer) -> None:
    """Print an answer as CSV; what is wrong, and that it is not all, goes to stderr."""
    if found.outcome in GOOD:
        click.echo(csv_of(found))
    else:
        click.echo(found.outcome.replace("_", " "), err=True)
    if found.truncated is not None:
        click.echo(f"not all: there are {found.truncated:,}", err=True)
    _complain(block for block in layout(found) if _is_wrong(block))


def _is_wrong(block: Block) -> bool:
    return isinstance(block, Lines) and block.kind == "problem"


def _complain(blocks: Iterable[Block]) -> None:
    for block in blocks:
        if isinstance(block, Lines):
            for line in block.lines:
                click.echo(plain(line), err=True)
