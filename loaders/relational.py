"""What a relational database is made of: tables, columns, keys. Plain data, no I/O.

SQLAlchemy's own MetaData is the alternative; it fails as soon as a foreign key points to a table that is not
there, which real schemas have.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy.types import TypeEngine

DEFINITIONS = (".ddl", ".sql")
"""How files of table definitions end."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column; ``type`` is SQLAlchemy's, ``NullType`` where nobody says which."""

    name: str
    type: TypeEngine[Any]
    nullable: bool = True
    comment: str = ""


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """``columns`` hold the values that ``referenced`` have in the table called ``table``."""

    columns: tuple[str, ...]
    table: str
    referenced: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table, or a view.

    ``key`` are the columns that tell its rows apart: those of the primary key, else what foreign keys point
    to; empty where nothing does. ``foreign_keys`` are sorted by their columns.
    """

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    comment: str = ""
    view: bool = False

    def column(self, name: str) -> Column | None:
        """The column called ``name``, however it is written."""
        return named(self.columns, name)

    def has(self, names: Iterable[str]) -> bool:
        """Whether it has all columns of these names."""
        return all(self.column(name) for name in names)


def named(among: Sequence[Any], name: str) -> Any | None:
    """What is called ``name``: as written if there is one, else whatever its case, as SQL has it."""
    exact = next((each for each in among if each.name == name), None)
    folded = name.casefold()
    return exact or next((each for each in among if each.name.casefold() == folded), None)
