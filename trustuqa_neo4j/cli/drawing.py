"""Tables and answers in the terminal."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

import click

from ..language.query import Problem, excerpt

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..answer import Answer, Stage, Value

SHOWN = 20
"""Values shown of a long answer."""

_WIDEST = 1 << 20
"""Characters in a line where no terminal limits it."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_PICTURES = {chr(code): chr(0x2400 + code) for code in range(32)} | {"\x7f": "␡"}


def draw(what: RenderableType) -> None:
    """Draw on stdout, as wide as it needs to be where that is no terminal."""
    from rich.console import Console

    # Names from the data are no markup: `[red]` and `:smile:` are what they say.
    console = Console(highlight=False, markup=False, emoji=False)
    if not sys.stdout.isatty():
        console.width = _WIDEST
    with console.capture() as capture:
        console.print(what)
    # rich pads lines to the width, which is of no use to anybody.
    click.echo("\n".join(line.rstrip() for line in capture.get().splitlines()))


def plain(name: str) -> str:
    """``name`` with its control characters as pictures (␛): data must not steer the terminal."""
    return _CONTROL.sub(lambda c: _PICTURES.get(c[0], "�"), name.replace("\r\n", "\n"))


def json_of(value: Any, indent: int | None = None) -> str:
    """``value`` as JSON, with escapes only where stdout cannot say its characters."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent)
    return text


def answer(found: Answer, query: str, explain: bool) -> None:
    """Draw an answer: values, what was mapped, the facts; with ``explain`` the stages too."""
    if found.rows is not None and found.columns is not None and len(found.columns) > 1:
        _rows(found.columns, found.rows)
    elif found.values:
        for value in found.values[:SHOWN]:
            click.secho(plain(str(value)), bold=True)
        if len(found.values) > SHOWN:
            click.echo(f"… {len(found.values) - SHOWN:,} more (--json prints all)")
    else:
        click.echo(found.outcome.replace("_", " "))
    if found.truncated is not None:
        click.echo(f"… not all: there are {found.truncated:,}")
    for mapped in found.mapped:
        click.echo(f"{mapped.given!r} was read as {mapped.used!r} ({mapped.how})")
    _evidence(found)
    if explain:
        _stages(found.trace)
    for problem in found.problems:
        click.echo(plain(described(problem, query)), err=True)


def _rows(columns: tuple[str, ...], rows: tuple[tuple[Value, ...], ...]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(plain(column), overflow="fold")
    for row in rows[:SHOWN]:
        table.add_row(*(plain(str(value)) for value in row))
    draw(table)
    if len(rows) > SHOWN:
        click.echo(f"… {len(rows) - SHOWN:,} more rows (--json prints all)")


def described(problem: Problem, query: str) -> str:
    """A problem for people: kind, message, step, and the place in the query with a caret."""
    step = "" if problem.step is None else f" (step {problem.step})"
    text = f"{problem.kind}: {problem.message}{step}"
    if problem.position is None:
        return text
    place = excerpt(query, problem.position)
    return text + "\n" + "\n".join(f"  {line}" for line in place.splitlines())


def _evidence(found: Answer) -> None:
    if not found.evidence:
        return
    from rich.table import Table

    shown = len(found.evidence)
    total = found.evidence_total
    click.echo(
        f"\n{'fact' if total == 1 else 'facts'}"
        + (f" ({shown} of {total:,})" if shown < total else "")
    )
    table = Table(box=None, show_header=False, pad_edge=False)
    for _ in range(4):
        table.add_column(overflow="fold")
    for fact in found.evidence:
        place = f"{fact.dataset}, {fact.file}:{fact.line}"
        tail = fact.tail
        if fact.start or fact.end:
            tail += f" [{fact.start or '…'} – {fact.end or '…'}]"
        cells = (f"  {fact.head}", fact.relation, tail, place)
        table.add_row(*(plain(cell) for cell in cells))
    draw(table)


def _stages(trace: tuple[Stage, ...]) -> None:
    for stage in trace:
        click.echo(f"\n{stage.stage}  {stage.ms:.2f} ms")
        members = f": {', '.join(stage.members)}" if stage.members else ""
        click.echo(f"  {_short(stage.given)}\n  → {_short(stage.found + members)}")
        for sent in stage.sent:
            parameters = {name: _members(value) for name, value in sent.parameters.items()}
            written = json.dumps(parameters, ensure_ascii=False)
            click.echo(f"  {sent.statement}.cypher {written}: {sent.rows} rows, {sent.ms:.2f} ms")


def _members(value: Any) -> Any:
    if isinstance(value, list) and len(value) > 5:
        return [*value[:5], f"… {len(value) - 5:,} more"]
    return value


def _short(text: str, width: int = 400) -> str:
    one = plain(" ".join(text.split()))
    return one if len(one) <= width else one[: width - 1] + "…"
