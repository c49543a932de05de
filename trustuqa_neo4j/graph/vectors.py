"""Vectors of names: which names need one, where they are written, and whose they are.

A database holds the vectors of one model, since those of two cannot be compared and the server would not
notice. The index is made when the first vectors are there: filling it costs less than keeping it up to
date while they come.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neo4j.vector import Vector

from ..errors import OtherEmbedder
from .connection import Connection

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PAGE = 20_000
"""Names fetched at once."""

# A graph of 16 neighbours a name. Built with 48 candidates each instead of 100 it finds the same and takes
# half the time; unquantised it finds what it should (10 of 10 instead of 9.8).
_HNSW = {"vector.hnsw.ef_construction": 48, "vector.quantization.enabled": False}


@dataclass(frozen=True, slots=True)
class Name:
    """A name without a vector: the id of its node (or alias), and the text."""

    node: int
    text: str


def check(connection: Connection, identity: str) -> None:
    """See that the database holds no vectors of another model than ``identity``.

    Raises:
        OtherEmbedder
    """
    found = connection.read_one("embedder")[0]
    if found["embedder"] not in (None, identity) and found["datasets"]:
        raise _other(identity, found)


def _other(identity: str, found: dict[str, Any]) -> OtherEmbedder:
    names = ", ".join(map(repr, found["datasets"][:5]))
    return OtherEmbedder(
        f"the database holds names embedded with {found['embedder']}, not {identity}",
        where=f"dataset {names}",
        hint="set TUQA_EMBEDDER to that model, use --no-embeddings, another database, or drop these "
        "datasets first",
    )


def claim(connection: Connection, identity: str, dimension: int) -> None:
    """Make the database hold vectors of this model.

    Raises:
        OtherEmbedder: it holds those of another one.
    """
    given = {"identity": identity, "dimension": dimension}
    claimed = connection.write(lambda tx: tx.run("claim_embedder", **given).rows)[0]
    if claimed["embedder"] == identity and claimed["dimension"] == dimension:
        return
    if not connection.write(lambda tx: tx.run("forget_embedder").rows):
        raise _other(identity, connection.read_one("embedder")[0])
    connection.write(lambda tx: tx.run("drop_name_vector").rows)
    claim(connection, identity, dimension)


def count(connection: Connection, dataset: str) -> int:
    """How many names of a dataset are text, with or without a vector."""
    return int(connection.read_one("count_names", dataset=dataset)[0]["names"])


def missing(connection: Connection, dataset: str) -> Iterator[list[Name]]:
    """Names of a dataset that have no vector yet, a page at a time.

    The vectors of a page are to be written before the next one is asked for.
    """
    for statement in ("names_to_embed", "aliases_to_embed"):
        after = ""
        while True:
            found = connection.read_one(statement, dataset=dataset, after=after, limit=PAGE)
            names = found[0]["names"]
            if names:
                yield [Name(node, text) for _, node, text in names]
            if len(names) < PAGE:
                break
            after = names[-1][0]


def write(
    connection: Connection,
    dataset: str,
    identity: str,
    nodes: Sequence[int],
    vectors: NDArray[np.float32],
) -> int:
    """Write vectors (n, dimension) of n nodes; how many of them are still there and had none."""
    if connection.vectors:
        # Sent as the bytes that they are: as lists of numbers they take five times as long.
        told: list[Any] = [Vector(row.tobytes(), "f32") for row in vectors.astype(">f4")]
    else:
        told = vectors.tolist()
    rows = [list(pair) for pair in zip(nodes, told, strict=True)]
    given = {"dataset": dataset, "identity": identity, "vectors": rows}
    found = connection.write(lambda tx: tx.run("write_vectors", **given).rows)
    return int(found[0]["embedded"]) if found else 0


def index(connection: Connection, dimension: int) -> None:
    """Make the index of vectors, if there is none, and wait until it can be asked."""
    config = {"vector.dimensions": dimension, "vector.similarity_function": "cosine", **_HNSW}
    options = {"indexConfig": config}
    name = "index_name_vector" if connection.filters_vectors else "index_name_vector_alone"
    kind = "by dataset" if connection.filters_vectors else "alone"
    connection.define(name, options=options)
    connection.write(lambda tx: tx.run("await_indexes").rows)
    connection.write(lambda tx: tx.run("note_vector_index", kind=kind).rows)
