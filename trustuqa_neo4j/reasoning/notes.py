"""Notes on an answer: cells and facts that a step left out, or that it could read in only one way.

A function collects notes beside its result. Each is data and one line of text
for answer and trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from ..errors import format_list
from .results import Cell

SAMPLES = 3
_MAX_SAMPLE = 60  # characters


class NoteKind(StrEnum):
    NOT_A_NUMBER = "not a number"
    NOT_COMPARABLE = "not comparable"
    NOT_SORTABLE = "not sortable"
    ALPHABET = "alphabet"
    TIME_OF_DAY = "time of day"
    TWO_READINGS = "two readings"
    UNKNOWN_START = "unknown start"
    UNKNOWN_END = "unknown end"
    REVERSED = "reversed"
    NOT_READ = "not read"
    NO_PROOF = "no proof"
    NOT_WORDED = "not worded"


# Subject, and what is said of one and of several.
_TEXTS = {
    NoteKind.NOT_A_NUMBER: (
        "cells",
        "is not a number and was left out",
        "are not numbers and were left out",
    ),
    NoteKind.NOT_COMPARABLE: (
        "cells",
        "could not be compared and was left out",
        "could not be compared and were left out",
    ),
    NoteKind.NOT_SORTABLE: (
        "cells",
        "is not a number or date and comes last",
        "are not numbers or dates and come last",
    ),
    NoteKind.ALPHABET: ("cells", "is text, ordered by the alphabet", "are text, ordered by the alphabet"),
    NoteKind.TIME_OF_DAY: (
        "cells",
        "has no time of day, which decides on its day",
        "have no time of day, which decides on their day",
    ),
    NoteKind.UNKNOWN_START: (
        "facts",
        "has no start and counts as valid only at its end",
        "have no start and count as valid only at their end",
    ),
    NoteKind.UNKNOWN_END: (
        "facts",
        "has no end and counts as still valid",
        "have no end and count as still valid",
    ),
    NoteKind.REVERSED: (
        "facts",
        "ends before it starts and counts from the earlier to the later",
        "end before they start and count from the earlier to the later",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Note:
    """A remark on the cells or facts of a step: ``count`` of ``total``, with up to three ``samples``.

    ``message`` says it in one line.
    """

    kind: NoteKind
    message: str
    count: int
    total: int
    samples: tuple[str, ...]
    step: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON."""
        return asdict(self) | {"kind": str(self.kind), "samples": list(self.samples)}


def make_note(kind: NoteKind, texts: Sequence[str], total: int) -> Note:
    subject, singular, plural = _TEXTS[kind]
    # Not in the order of the store, which differs from run to run; empty texts say least.
    distinct = tuple(sorted({text[:_MAX_SAMPLE] for text in texts}, key=lambda t: (not t, t)))
    samples = distinct[:SAMPLES]
    shown = format_list([*map(repr, distinct)], SAMPLES)
    predicate = singular if len(texts) == 1 else plural
    message = f"{len(texts):,} of {total:,} {subject} {predicate}: {shown}"
    return Note(kind, message, len(texts), total, samples)


@dataclass
class NoteCollector:
    """``excluded`` are nodes of cells that have no part in a number computed of the others."""

    notes: list[Note] = field(default_factory=list)
    excluded: set[int] = field(default_factory=set)

    def add(self, kind: NoteKind, texts: Sequence[str], total: int) -> None:
        if texts:
            self.notes.append(make_note(kind, texts, total))

    def add_cells(self, kind: NoteKind, cells: Iterable[Cell], total: int) -> None:
        self.add(kind, [cell.text for cell in cells], total)

    def add_readings(self, remarks: Iterable[str]) -> None:
        """Note bounds of the query that can be read in two ways, each with the reading that was taken."""
        self.notes += [Note(NoteKind.TWO_READINGS, remark, 1, 1, ()) for remark in remarks]

    def exclude(self, cells: Sequence[Cell], total: int) -> None:
        """Note cells that are not numbers."""
        self.add_cells(NoteKind.NOT_A_NUMBER, cells, total)
        self.excluded.update(cell.node for cell in cells if cell.node is not None)

    def of_step(self, step: int) -> list[Note]:
        return [replace(note, step=step) for note in self.notes]
