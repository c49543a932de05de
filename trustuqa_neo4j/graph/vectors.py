"""Vectors of names: reading of names without one, writing, and the model of the vectors.

A database holds the vectors of one model, since vectors of two models cannot be compared and the server
would not notice. The index is made before the first vectors. Filling it at the end (the alternative) takes
the server as long, on one core, and after a crash the new names would be missing from searches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from neo4j.vector import Vector

from ..errors import OtherEmbedder, StatementFailed, format_list
from ..wording import CallOption
from .connection import Connection, Encoding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


NAME_PAGE = 20_000

# A graph of 16 neighbours a name, built in half the time from 24 candidates each instead of 48. Asked by
# going after ten times as many names as are wanted, it finds 94 % of the ten nearest; with 48 and without
# that it was 88 %. Quantised it is built and asked in the same time and finds no more.
_HNSW = {
    "vector.hnsw.ef_construction": 24,
    "vector.quantization.enabled": False,
    "vector.default_search_expansion_factor": 10.0,
}
_HNSW_BEFORE = {"vector.hnsw.ef_construction": 48, "vector.quantization.enabled": False}
"""These servers have no option for the search width, so a client asks for more neighbours."""


@dataclass(frozen=True, slots=True)
class Name:
    # ``id`` is the id of the node or alias.
    node: int
    text: str


def check(connection: Connection, identity: str) -> None:
    # Refuse a database with vectors of another model.
    stored = connection.read_one("get_embedding_model")[0]
    if stored["embedder"] not in (None, identity) and stored["datasets"]:
        raise _other(identity, stored)


def _other(identity: str, stored: dict[str, Any]) -> OtherEmbedder:
    names = format_list([*map(repr, stored["datasets"])], 5)
    return OtherEmbedder(
        f"the database holds names embedded with {stored['embedder']}, not {identity}",
        where=f"dataset {names}",
        hint=f"set TUQA_EMBEDDER to that model, use {CallOption.NO_EMBEDDINGS}, another database, or "
        "drop these datasets first",
    )


def claim(connection: Connection, identity: str, dimension: int) -> None:
    # Record the model if the database has no vectors yet.
    model = {"identity": identity, "dimension": dimension}
    claimed = connection.write(lambda tx: tx.run("set_embedding_model", **model).rows)[0]
    if claimed["embedder"] == identity and claimed["dimension"] == dimension:
        return
    stored = connection.read_one("get_embedding_model")[0]
    if not stored["datasets"]:
        # The index first: one of another dimension that nobody knows of would take no vector in.
        connection.write(lambda tx: tx.run("drop_name_vector_index").rows)
        connection.write(lambda tx: tx.run("drop_pattern_vector_index").rows)
    if not connection.write(lambda tx: tx.run("clear_embedding_model").rows):
        raise _other(identity, stored)
    claim(connection, identity, dimension)


def missing(connection: Connection, dataset: str) -> Iterator[list[Name]]:
    for statement in ("names_to_embed", "aliases_to_embed"):
        parameters: dict[str, Any] = {"dataset": dataset, "limit": NAME_PAGE}
        after, last = "", -1
        while True:
            page = connection.read_one(statement, after=after, last=last, **parameters)
            names = page[0]["names"]
            if names:
                yield [Name(node, text) for _, node, text in names]
            if len(names) < NAME_PAGE:
                break
            after, last, _ = names[-1]


def write(
    connection: Connection,
    dataset: str,
    identity: str,
    nodes: Sequence[int],
    vectors: NDArray[np.float32],
) -> int:
    # ``vectors`` (n, dimension) belong to n nodes. Returns how many nodes still exist and had none.
    if connection.vectors:
        # As bytes: lists of numbers take five times as long.
        values: list[Any] = [Vector(row.tobytes(), "f32") for row in vectors.astype(">f4")]
    else:
        values = vectors.tolist()
    rows = [list(pair) for pair in zip(nodes, values, strict=True)]
    parameters = {"dataset": dataset, "identity": identity, "vectors": rows}
    counts = connection.write(lambda tx: tx.run("write_vectors", **parameters).rows)
    return int(counts[0]["embedded"]) if counts else 0


def index(connection: Connection, dimension: int) -> None:
    kind = make(connection, dimension, "name")
    connection.write(lambda tx: tx.run("set_name_index_kind", kind=kind).rows)


_CREATE_STATEMENTS = {  # for servers whose indexes can filter, and for the others
    "name": ("create_name_vector_index", "create_name_vector_index_pre_2026"),
    "pattern": ("create_pattern_vector_index", "create_pattern_vector_index_pre_2026"),
}


def make(connection: Connection, dimension: int, noun: Literal["name", "pattern"]) -> str:
    config = {"vector.dimensions": dimension, "vector.similarity_function": "cosine"}
    statement, statement_before = _CREATE_STATEMENTS[noun]
    if connection.filters_vectors:
        try:
            _define(connection, statement, config | _HNSW)
        except StatementFailed:  # it filters, but does not know the factor
            _define(connection, statement, config | _HNSW_BEFORE)
    else:
        _define(connection, statement_before, config | _HNSW_BEFORE)
    connection.await_indexes([f"tuqa_{noun}_vector"])
    return "by dataset" if connection.filters_vectors else "alone"


def _define(connection: Connection, name: str, config: dict[str, Any]) -> None:
    connection.define(name, options={"indexConfig": config})


# Vectors of patterns: of their words, by the model that embedded the names, in an index of their own.
# A dataset records the model of its patterns' vectors: a change of the model needs no pass over all patterns.


PATTERN_PAGE = 2_000


def embed(
    connection: Connection,
    dataset: str,
    encode: Encoding,
    progress: Callable[[int], None] = lambda _: None,
) -> int:
    # None: the database holds no vectors of names, or vectors of another model.
    model = connection.read_one("get_embedding_model")[0]["embedder"]
    written = 0
    while model is not None:
        parameters = {"dataset": dataset, "identity": model, "limit": PATTERN_PAGE}
        page = connection.read_one("patterns_to_embed", **parameters)[0]["patterns"]
        vectors = encode([words for _, words in page], model) if page else None
        if not vectors:
            break
        if not written:
            connection.write(
                lambda tx: tx.run("set_pattern_model", dataset=dataset, identity=model)
            )
            _index(connection, len(vectors[0]))
        values: list[Any] = [Vector(v, "f32") for v in vectors] if connection.vectors else vectors
        rows = [[key, value] for (key, _), value in zip(page, values, strict=True)]
        connection.write(
            lambda tx, r=rows: tx.run("write_pattern_vectors", dataset=dataset, vectors=r)  # type: ignore[misc]
        )
        written += len(rows)
        progress(written)
        if len(page) < PATTERN_PAGE:
            break
    return written


def _index(connection: Connection, dimension: int) -> None:
    # An index that nobody recorded may have another dimension.
    if connection.read_one("get_embedding_model")[0]["pattern_index"] is not None:
        return
    connection.write(lambda tx: tx.run("drop_pattern_vector_index").rows)
    kind = make(connection, dimension, "pattern")
    connection.write(lambda tx: tx.run("set_pattern_index_kind", kind=kind).rows)
