"""Vectors of names: which names need one, where they are written, and whose they are.

A database holds the vectors of one model, since those of two cannot be compared and the server would not
notice. The index is made before the first vectors come. Filling it when all are there (the alternative) takes
the server as long, on one core and after the encoding instead of beside it; and a load that is killed in
between would leave names that are found by no look-up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neo4j.vector import Vector

from ..errors import OtherEmbedder, StatementFailed
from .connection import Connection

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PAGE = 20_000
"""Names fetched at once."""

# A graph of 16 neighbours a name, built in half the time from 24 candidates each instead of 48. Asked by
# going after ten times as many names as are wanted, it finds 94 % of the ten nearest; with 48 and without
# that it was 88 %. Quantised it is built and asked in the same time and finds no more.
_HNSW = {
    "vector.hnsw.ef_construction": 24,
    "vector.quantization.enabled": False,
    "vector.default_search_expansion_factor": 10.0,
}
_HNSW_BEFORE = {"vector.hnsw.ef_construction": 48, "vector.quantization.enabled": False}
"""For servers that cannot be told how far to look: whoever asks them has to ask for more."""


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
    found = connection.read_one("embedder")[0]
    if not found["datasets"]:
        # The index first: one of another dimension that nobody knows of would take no vector in.
        connection.write(lambda tx: tx.run("drop_name_vector").rows)
        connection.write(lambda tx: tx.run("drop_pattern_vector").rows)
    if not connection.write(lambda tx: tx.run("forget_embedder").rows):
        raise _other(identity, found)
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
    """Make the index of vectors of names, if there is none, and wait until it can be asked."""
    kind = make(connection, dimension, "index_name_vector", "index_name_vector_alone")
    connection.write(lambda tx: tx.run("note_vector_index", kind=kind).rows)


def make(connection: Connection, dimension: int, by_dataset: str, alone: str) -> str:
    """Run the statement that makes an index of vectors, and wait; its kind.

    ``by_dataset`` is for servers whose indexes can filter, ``alone`` for the others.
    """
    config = {"vector.dimensions": dimension, "vector.similarity_function": "cosine"}
    if connection.filters_vectors:
        try:
            _define(connection, by_dataset, config | _HNSW)
        except StatementFailed:  # it filters, but does not know the factor
            _define(connection, by_dataset, config | _HNSW_BEFORE)
    else:
        _define(connection, alone, config | _HNSW_BEFORE)
    connection.write(lambda tx: tx.run("await_indexes").rows)
    return "by dataset" if connection.filters_vectors else "alone"


def _define(connection: Connection, name: str, config: dict[str, Any]) -> None:
    connection.define(name, options={"indexConfig": config})
