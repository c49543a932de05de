"""Rules 7 and 8: an answer of nodes that are only ids tells nobody anything."""

from __future__ import annotations

from collections.abc import Iterator

from ...language.query import Problem
from ..inquiry import Inquiry
from ..wording import listed


def identifiers(inquiry: Inquiry) -> Iterator[Problem]:
    """Columns of the answer that show nodes without a name."""
    vocabulary = inquiry.vocabulary
    for output in inquiry.pattern.outputs:
        if output.variable is None:
            continue
        sides = [met.side for met in inquiry.met(output.variable)]
        side = next((each for each in sides if vocabulary.is_ids(each)), None)
        if side is None:
            continue
        values = vocabulary.starting(side, values=True)
        instead = f"; ask for {listed(values)} of it" if values else ""
        column = f"the column {output.name} shows" if output.name else "the answer is"
        kind = vocabulary.kind(side)
        message = (
            f"{column} nodes without a name{f' ({kind})' if kind else ''}, which are ids that "
            f"nobody asks for{instead}."
        )
        yield Problem("identifier output", message, output.step, output.position)
