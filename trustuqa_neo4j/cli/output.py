"""Output of the commands: answers, tables and JSON on stdout, problems and progress bars on stderr."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from ..answer import SUCCESS_OUTCOMES, Answer, count_missing, layout_answer
from ..errors import DataError, format_rest
from ..reasoning.notes import NoteKind
from ..render import terminal
from ..render.blocks import Block, TextBlock
from ..render.tabular import rows_to_csv
from ..render.terminal import escape_controls, render_blocks

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from ..embedded.download import JarProgress
    from ..loading.request import Progress

MORE_HINT = "--json prints all"


_STEERING = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def make_table(left: Sequence[str] = (), right: Sequence[str] = ()) -> Table:
    # The columns of ``left`` come first and wrap long texts.
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in left:
        table.add_column(name, overflow="fold")
    for name in right:
        table.add_column(name, justify="right")
    return table


def fits_terminal(width: int) -> bool:
    """True if a line has room for this number of characters; what is not a terminal has no limit."""
    return not sys.stdout.isatty() or width <= get_terminal_size().columns


def print_renderable(content: RenderableType) -> None:
    # The width is limited only in a terminal.
    click.echo(terminal.render_text(content, terminal=sys.stdout.isatty()))


def format_json(value: Any, indent: int | None = None) -> str:
    # Escapes appear where the encoding of stdout lacks a character, and for what would steer a terminal:
    # JSON itself escapes only the first 32 control characters.
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    text = _STEERING.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent)
    return text


def print_answer(
    answer: Answer,
    *,
    why: bool = False,
    explain: bool = False,
    tree: bool = False,
    is_brief: bool = False,
    choose: str = "",
) -> None:
    blocks = layout_answer(
        answer,
        why=why or explain,
        explain=explain,
        tree=tree,
        is_brief=is_brief,
        rest=MORE_HINT,
        choose=choose,
    )
    for is_problem, group in groupby(blocks, key=_is_problem):
        if is_problem:
            _print_problems(group)
        else:
            print_renderable(render_blocks(group))


def format_csv(answer: Answer) -> str:
    # Without a last line feed; a terminal gets no control characters.
    columns, rows = answer.table
    if sys.stdout.isatty():
        columns = tuple(map(escape_controls, columns))
        rows = tuple(
            tuple(escape_controls(cell) if isinstance(cell, str) else cell for cell in row)
            for row in rows
        )
    return rows_to_csv(columns, rows).removesuffix("\n")


def print_answer_csv(answer: Answer) -> None:
    # Problems and the note that rows are missing go to stderr.
    if answer.outcome in SUCCESS_OUTCOMES:
        click.echo(format_csv(answer))
    else:
        click.echo(answer.outcome.replace("_", " "), err=True)
    if missing := count_missing(answer):
        click.echo(format_rest(missing, 0, "row"), err=True)
    for note in answer.notes:
        if note.kind == NoteKind.NOT_READ:
            click.echo(note.message, err=True)
    _print_problems(block for block in layout_answer(answer) if _is_problem(block))


def write_file(path: Path, content: bytes) -> None:
    # Write a file completely or not at all.
    part = path.with_name(path.name + ".part")
    try:
        with part.open("xb") as file:
            file.write(content)
        part.replace(path)
    except OSError as error:
        hint = "name a file in a folder that can be written"
        raise DataError(str(error.strerror or error), where=str(path), hint=hint) from error
    finally:
        part.unlink(missing_ok=True)


def _is_problem(block: Block) -> bool:
    return isinstance(block, TextBlock) and block.kind == "problem"


def _print_problems(blocks: Iterable[Block]) -> None:
    for block in blocks:
        if isinstance(block, TextBlock):
            for line in block.lines:
                click.echo(escape_controls(line), err=True)


def _print_message(text: str) -> None:
    click.echo(text, err=True)


@contextmanager
def download_progress() -> Iterator[JarProgress | None]:
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("Neo4j"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as bar:

        def show(done: int, total: int) -> None:
            if not bar.tasks:  # most starts download nothing and show no bar
                bar.add_task("jars", total=total)
            bar.update(bar.tasks[0].id, completed=done)

        yield show


@contextmanager
def progress_bars(quiet: bool) -> Iterator[Progress]:
    # One bar per phase on stderr, if that is a terminal; messages go there too.
    from ..loading.request import Progress

    if quiet or not sys.stderr.isatty():
        yield Progress() if quiet else Progress(notify=_print_message)
        return
    from rich.console import Console
    from rich.filesize import decimal
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[done]}", markup=False),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=Console(stderr=True)) as bars:

        def format_count(count: float, unit: str) -> str:
            return decimal(int(count)) if unit == "bytes" else f"{count:,.0f} {unit}"

        def begin(phase: str, total: int, unit: str = "bytes", /) -> None:
            finish()
            word = phase.partition(" ")[0]
            # One line a phase, whatever the number of its files; a look at a file is none.
            if bars.tasks and bars.tasks[-1].fields["word"] in (word, "look"):
                bars.remove_task(bars.tasks[-1].id)
            bars.add_task(phase, total=total or None, done="", unit=unit, word=word)

        def finish() -> None:
            for task in bars.tasks:
                if not task.finished:
                    done = format_count(task.total, task.fields["unit"]) if task.total else ""
                    total = task.total or 1
                    bars.update(task.id, total=total, completed=total, done=done)

        def advance(done: int) -> None:
            task = bars.tasks[-1]
            seconds = task.elapsed or 0
            unit = task.fields["unit"]
            rate = f", {format_count(done / seconds, unit)}/s" if seconds > 1 else ""
            total = f" of {format_count(task.total, unit)}" if task.total else ""
            bars.update(task.id, completed=done, done=f"{format_count(done, unit)}{total}{rate}")

        @contextmanager
        def suspend() -> Iterator[None]:
            bars.stop()
            try:
                yield
            finally:
                bars.start()

        yield Progress(begin, advance, suspend, partial(bars.console.out, highlight=False))
        finish()
