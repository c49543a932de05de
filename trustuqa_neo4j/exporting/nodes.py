"""Nodes in an export: most are described by their key; the others stand in the file of names.

They stand there in the order in which facts use them first, so that a loader needs no more of them in
memory than one, however many there are. A name that is a cell and an entity is what it was first; tables
are exported first, so that a cell is one by itself, and an entity in a table is written down.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from ..triples import KEY_LENGTH, key, row_key
from ..values import ValueOptions, read_value
from .rows import Rows

_PAGE = 1 << 16


class End(NamedTuple):
    """A node as ``export_facts`` gives it.

    ``other`` is its name where that is not the key, and the position of a row of the source that is
    read; ``what`` is ``value`` for all that is neither a row, nor an entity, nor unnamed.
    """

    id: int
    key: str
    what: Literal["row", "unnamed", "entity", "value"]
    other: str | None
    aliases: list[str] | None

    def text(self, source: str) -> str:
        """What a loader calls it: its key, in full where that was cut."""
        if self.other is None:
            return self.key
        if self.what == "row":
            return row_key(source, int(self.other))
        cut = len(self.key) > KEY_LENGTH and key(self.other) == self.key
        return self.other if cut else self.key


class Names:
    """Writes down the nodes that a loader would not make as they are, each once."""

    def __init__(self, file: Rows, values: ValueOptions) -> None:
        self._file = file
        self._values = values
        self._seen: dict[int, bytearray] = {}
        self._undo: list[int] | None = None
        self._mark = file.mark()

    def note(self, end: End, text: str, cell: bool) -> None:
        """Write ``end`` down if need be; ``cell``: a loader meets it first in a table."""
        if (end.what == "value" and not end.aliases) or not self._is_new(end.id):
            return
        if end.what == "row":
            self._write(text, "row", end.other or "", None)
        elif end.what == "unnamed":
            self._write(text, "unnamed", "", end.aliases)
        else:
            name = text if end.other is None else end.other
            if end.aliases or name != text or cell or not text or read_value(text, self._values):
                self._write(text, "named", name, end.aliases)

    def mark(self) -> None:
        """From here on all can be taken back."""
        self._mark = self._file.mark()
        self._undo = []

    def take_back(self) -> None:
        """Forget what was noted since ``mark``."""
        self._file.take_back(self._mark)
        for number in self._undo or ():
            page, place = divmod(number, _PAGE)
            self._seen[page][place >> 3] &= ~(1 << (place & 7))
        self.keep()

    def keep(self) -> None:
        """What was noted since ``mark`` stays."""
        self._undo = None

    def _is_new(self, number: int) -> bool:
        """Whether the node of this id was not met before: a bit each, for they may be many millions."""
        page, place = divmod(number, _PAGE)
        bits = self._seen.get(page)
        if bits is None:
            bits = self._seen[page] = bytearray(_PAGE >> 3)
        bit = 1 << (place & 7)
        if bits[place >> 3] & bit:
            return False
        bits[place >> 3] |= bit
        if self._undo is not None:
            self._undo.append(number)
        return True

    def _write(self, text: str, kind: str, name: str, aliases: list[str] | None) -> None:
        for alias in aliases or ("",):
            self._file.write((text, kind, name, alias))
