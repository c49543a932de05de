"""Demonstrations as ``tuqa demonstrations list`` shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..showing.plain import plain
from . import drawing

if TYPE_CHECKING:
    from ..demonstrating.demonstration import Demonstration


def draw(found: Sequence[Demonstration]) -> None:
    """Print a table of demonstrations: their sources where any has one, and why where any failed."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    with_source = any(each.source is not None for each in found)
    with_why = any(each.why for each in found)
    table.add_column("state")
    table.add_column("question", overflow="fold")
    if with_source:
        table.add_column("source", overflow="fold")
    table.add_column("why" if with_why else "answers", overflow="fold")
    for each in found:
        answers = "" if each.answers is None else " | ".join(each.answers)
        cells = [each.state, each.question, *([each.source or ""] if with_source else [])]
        table.add_row(*(plain(cell) for cell in (*cells, each.why if with_why else answers)))
    drawing.draw(table)


def told(each: Demonstration) -> dict[str, Any]:
    """One as it is printed in JSON."""
    return {
        "question": each.question, "query": each.query, "state": each.state, "why": each.why,
        "answers": None if each.answers is None else list(each.answers), "source": each.source,
        "fields": dict(each.fields),
    }  # fmt: skip
