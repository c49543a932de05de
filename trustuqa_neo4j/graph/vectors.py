"""Vectors of names: reading of names without one, writing, and the model of the vectors.

A dataset has the vectors of one model, since vectors of two models cannot be compared and the server would
not notice. Each model has a number, a property and an index of its own. The index is made before the first
vectors. Filling it at the end (the alternative) takes
the server as long, on one core, and after a crash the new names would be missing from searches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from neo4j.vector import Vector

from ..errors import OtherEmbedder, StatementFailed, format_list
from ..reads.reader import StoredModel, name_for_model
from ..wording import CallOption
from .connection import Connection, Encoding, Transaction
from .load_journal import is_alive

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


def list_models(connection: Connection) -> list[StoredModel]:
    rows = connection.read_one("list_embedding_models")
    return [StoredModel(**row) for row in rows if row["identity"] is not None]


def find_model(connection: Connection, identity: str | None) -> StoredModel | None:
    return next((m for m in list_models(connection) if m.identity == identity), None)


def check(connection: Connection, dataset: str, identity: str) -> None:
    # Refuse a dataset with vectors of another model.
    for model in list_models(connection):
        if dataset in model.datasets and model.identity != identity:
            raise OtherEmbedder(
                f"the names of the dataset are embedded with {model.identity}, not {identity}",
                where=f"dataset {dataset!r}",
                hint=f"set TUQA_EMBEDDER to that model, use {CallOption.NO_EMBEDDINGS}, or drop the "
                "dataset first",
            )


def claim(connection: Connection, dataset: str, identity: str, dimension: int) -> int:
    """Record the model of a dataset; returns the number of the model.

    The number of a model that no dataset uses is given to another one.
    """
    while True:
        number, is_recorded = connection.write(lambda tx: _claim(tx, dataset, identity, dimension))
        if is_recorded:
            return number
        # The indexes first: those of another dimension that nobody knows of would take no vector in.
        for statement in ("drop_name_vector_index", "drop_pattern_vector_index"):
            connection.define(name_for_model(statement, number))
        connection.write_one("clear_embedding_model", number=number)


def _claim(
    transaction: Transaction, dataset: str, identity: str, dimension: int
) -> tuple[int, bool]:
    # The number, and whether it is recorded: if not, a model without datasets has it.
    transaction.run("lock_embedding_models")
    models = [StoredModel(**row) for row in transaction.run("list_embedding_models").rows]
    own = next((model for model in models if model.identity == identity), None)
    if own is not None and own.dimension != dimension:
        if own.datasets:
            raise OtherEmbedder(
                f"the database has vectors of {identity} with {own.dimension} numbers, and the model "
                f"now gives {dimension}",
                where=f"dataset {format_list([*map(repr, own.datasets)], 5)}",
                hint=f"use {CallOption.NO_EMBEDDINGS}, another database, or drop these datasets first",
            )
        return own.number, False
    unused = next((m for m in models if m.identity is None), None)
    outdated = next((m for m in models if not m.datasets), None)
    if own is None and unused is None and outdated is not None:
        return outdated.number, False
    recorded = own or unused
    number = recorded.number if recorded else len(models)
    model = {"number": number, "identity": identity, "dimension": dimension}
    transaction.run("set_embedding_model", dataset=dataset, **model)
    return number, True


def start_embedding(connection: Connection, dataset: str, owner: str) -> bool:
    """Make a process the one that embeds the names of a dataset; False if another one does."""

    def work(transaction: Transaction) -> bool:
        rows = transaction.run("claim_embedding", dataset=dataset).rows
        if not rows:
            return False
        other = rows[0]["owner"]
        if other not in (None, owner) and is_alive(other, rows[0]["idle"]):
            return False
        _record_embedding(transaction, dataset, owner)
        return True

    return connection.write(work)


def count_embedded(connection: Connection, dataset: str) -> int:
    rows = connection.read_one("list_datasets")
    return sum(row["embedded"] for row in rows if row["name"] == dataset)


def record_embedding(
    connection: Connection,
    dataset: str,
    owner: str | None,
    names: int | None,
    error: str | None = None,
) -> None:
    """Record how many names will have a vector, and the process; or that it has ended, and why."""
    connection.write(lambda tx: _record_embedding(tx, dataset, owner, names, error))


def _record_embedding(
    transaction: Transaction,
    dataset: str,
    owner: str | None,
    names: int | None = None,
    error: str | None = None,
) -> None:
    parameters = {"owner": owner, "names": names, "error": error}
    transaction.run("record_embedding", dataset=dataset, **parameters)


def missing(connection: Connection, dataset: str, number: int) -> Iterator[list[Name]]:
    # ``dataset`` is a stored name, and ``number`` is that of the dataset's model.
    for name in ("names_to_embed", "aliases_to_embed"):
        statement = name_for_model(name, number)
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
    storage: str,
    number: int,
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
    statement = name_for_model("write_vectors", number)
    parameters = {"dataset": dataset, "storage": storage, "vectors": rows}
    counts = connection.write_one(statement, **parameters)
    return int(counts[0]["embedded"]) if counts else 0


def index(connection: Connection, number: int, dimension: int) -> None:
    kind = make(connection, number, dimension, "name")
    connection.write_one("set_name_index_kind", number=number, kind=kind)


_CREATE_STATEMENTS = {  # for servers whose indexes can filter, and for the others
    "name": ("create_name_vector_index", "create_name_vector_index_pre_2026"),
    "pattern": ("create_pattern_vector_index", "create_pattern_vector_index_pre_2026"),
}


def make(
    connection: Connection, number: int, dimension: int, noun: Literal["name", "pattern"]
) -> str:
    config = {"vector.dimensions": dimension, "vector.similarity_function": "cosine"}
    statement, statement_before = (
        name_for_model(name, number) for name in _CREATE_STATEMENTS[noun]
    )
    if connection.filters_vectors:
        try:
            _define(connection, statement, config | _HNSW)
        except StatementFailed:  # it filters, but does not know the factor
            _define(connection, statement, config | _HNSW_BEFORE)
    else:
        _define(connection, statement_before, config | _HNSW_BEFORE)
    connection.await_indexes([f"tuqa_{noun}_vector" + (f"_{number}" if number else "")])
    return "by dataset" if connection.filters_vectors else "alone"


def _define(connection: Connection, name: str, config: dict[str, Any]) -> None:
    connection.define(name, options={"indexConfig": config})


# Vectors of patterns: of their words, by the model of the dataset's names, in an index of their own. A
# dataset records the model of its patterns' vectors: a change of the model needs no pass over all patterns.


PATTERN_PAGE = 2_000


def embed(
    connection: Connection,
    dataset: str,
    encoding: Encoding,
    progress: Callable[[int], None] = lambda _: None,
) -> int:
    # None: the names of the dataset have vectors of another model, or the database has none of this one.
    model = _find_pattern_model(connection, dataset, encoding)
    written = 0
    while model is not None:
        parameters = {"dataset": dataset, "identity": model.identity, "limit": PATTERN_PAGE}
        statement = name_for_model("patterns_to_embed", model.number)
        page = connection.read_one(statement, **parameters)[0]["patterns"]
        vectors = encoding.encode([words for _, words in page]) if page else []
        if not vectors:
            break
        if not written:
            _set_pattern_model(connection, dataset, model)
        values: list[Any] = [Vector(v, "f32") for v in vectors] if connection.vectors else vectors
        rows = [[key, value] for (key, _), value in zip(page, values, strict=True)]
        statement = name_for_model("write_pattern_vectors", model.number)
        connection.write_one(statement, dataset=dataset, vectors=rows)
        written += len(rows)
        progress(written)
        if len(page) < PATTERN_PAGE:
            break
    return written


def _find_pattern_model(
    connection: Connection, dataset: str, encoding: Encoding
) -> StoredModel | None:
    models = list_models(connection)
    if not models:  # so the model of the client need not be opened
        return None
    identity = encoding.find_identity()
    of_dataset = [model for model in models if dataset in model.datasets] or models
    return next((model for model in of_dataset if model.identity == identity), None)


def _set_pattern_model(connection: Connection, dataset: str, model: StoredModel) -> None:
    statement = name_for_model("set_pattern_model", model.number)
    connection.write_one(statement, dataset=dataset, identity=model.identity)
    if model.pattern_index is None:
        # An index that nobody recorded may have another dimension.
        connection.define(name_for_model("drop_pattern_vector_index", model.number))
        kind = make(connection, model.number, model.dimension, "pattern")
        connection.write_one("set_pattern_index_kind", number=model.number, kind=kind)
