"""Rule 6 for tables: a table must have the columns that a function names."""

from __future__ import annotations

from collections.abc import Iterator

from ...language.query import Problem
from ...mapping import suggestions
from ..inquiry import Inquiry
from ..wording import listed


def columns(inquiry: Inquiry) -> Iterator[Problem]:
    """Columns that no step made."""
    for lacking in inquiry.pattern.lacking:
        near = suggestions(lacking.column, lacking.columns, most=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        message = (
            f"the table has no column {lacking.column!r}; {hint}it has {listed(lacking.columns)}"
        )
        yield Problem("unknown column", message, lacking.step, lacking.position)
