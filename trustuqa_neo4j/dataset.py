"""Datasets and their sources, as they are listed and asked: plain data, no I/O."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Source:
    """One table or graph inside a dataset, with the files it was read from."""

    name: str
    files: tuple[str, ...]
    facts: int


@dataclass(frozen=True, slots=True)
class Dataset:
    """A named body of data. Not ``complete`` means that its load has not finished."""

    name: str
    kind: str
    complete: bool
    nodes: int
    facts: int
    relations: int
    embedded: int
    embedding_model: str | None
    loaded: str | None
    sources: tuple[Source, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON: field names as here, ``sources`` as objects, ``loaded`` as ISO 8601 in UTC."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Scope:
    """What a query may read: one dataset, or one of its sources."""

    dataset: str
    source: str | None = None
