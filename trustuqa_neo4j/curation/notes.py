"""Notes of a dataset: what a person says about its data, for the prompts of models."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import DataError, UsageError, format_list
from ..graph import catalog
from ..graph.connection import Connection

MAX_NOTE = 300  # characters
MAX_NOTES = 20  # of a dataset


def add_notes(connection: Connection, dataset: str, notes: Sequence[str]) -> None:
    """Store notes after those that the dataset has. All or none is stored.

    Raises:
        UsageError: a note is empty or too long, or there would be too many.
        UnknownDataset, IncompleteDataset
    """
    texts = [*map(_clean_note, notes)]
    count = len({*texts, *_read_notes(connection, dataset)})
    if count > MAX_NOTES:
        raise UsageError(
            f"a dataset has at most {MAX_NOTES} notes, and {dataset!r} would have {count:,}",
            hint="remove some, or write shorter ones into one",
        )
    connection.prepare()
    connection.write_one("write_notes", dataset=dataset, notes=texts)


def remove_notes(connection: Connection, dataset: str, notes: Sequence[str]) -> None:
    """Delete notes.

    Raises:
        DataError: the dataset has no such note; then none is deleted.
        UnknownDataset, IncompleteDataset
    """
    stored_notes = _read_notes(connection, dataset)
    unknown = [note for note in notes if note not in stored_notes]
    if unknown:
        hint = (
            f"it has {format_list([*map(repr, stored_notes)], 3)}"
            if stored_notes
            else "it has none"
        )
        raise DataError(f"no note {unknown[0]!r}", where=f"dataset {dataset!r}", hint=hint)
    connection.write_one("delete_notes", dataset=dataset, notes=[*notes])


def _read_notes(connection: Connection, dataset: str) -> list[str]:
    return list(catalog.describe_complete_dataset(connection, dataset)["notes"])


def _clean_note(note: str) -> str:
    text = " ".join(note.split())
    if not text:
        raise UsageError("a note is empty", hint="write a sentence about the data")
    if len(text) > MAX_NOTE:
        raise UsageError(
            f"a note has at most {MAX_NOTE} characters, this one {len(text):,}",
            where=f"{text[:40]!r}…",
            hint="split it into several notes",
        )
    return text
