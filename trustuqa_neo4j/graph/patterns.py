"""Vectors of patterns: of their words, by the model that embedded the names, in an index of their own.

A dataset notes whose vectors its patterns have. So a database that changes its model needs no pass over all
patterns: those of the old one are not asked for, and are made anew dataset by dataset.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from neo4j.vector import Vector

from . import vectors
from .connection import Connection, Encoding

PAGE = 2_000
"""Patterns embedded at once."""


def embed(
    connection: Connection,
    dataset: str,
    encode: Encoding,
    told: Callable[[int], None] = lambda _: None,
) -> int:
    """Give every pattern of ``dataset`` a vector; how many were written.

    None is where the database holds no vectors of names, or those of another model than ``encode`` has.
    ``told`` is called with how many are done.

    Raises:
        EmbedderFailed, DatabaseError
    """
    model = connection.read_one("embedder")[0]["embedder"]
    written = 0
    while model is not None:
        given = {"dataset": dataset, "identity": model, "limit": PAGE}
        page = connection.read_one("patterns_to_embed", **given)[0]["patterns"]
        found = encode([words for _, words in page], model) if page else None
        if not found:
            break
        if not written:
            connection.write(lambda tx: tx.run("claim_patterns", dataset=dataset, identity=model))
            _index(connection, len(found[0]))
        if connection.vectors:
            wanted: list[Any] = [Vector(vector, "f32") for vector in found]
        else:
            wanted = list(found)
        rows = [[key, vector] for (key, _), vector in zip(page, wanted, strict=True)]
        connection.write(
            lambda tx, r=rows: tx.run("write_pattern_vectors", dataset=dataset, vectors=r)  # type: ignore[misc]
        )
        written += len(rows)
        told(written)
        if len(page) < PAGE:
            break
    return written


def _index(connection: Connection, dimension: int) -> None:
    """Make the index, unless it is there; one that nobody noted may be of another dimension."""
    if connection.read_one("embedder")[0]["pattern_index"] is not None:
        return
    connection.write(lambda tx: tx.run("drop_pattern_vector").rows)
    kind = vectors.make(connection, dimension, "index_pattern_vector", "index_pattern_vector_alone")
    connection.write(lambda tx: tx.run("note_pattern_index", kind=kind).rows)
