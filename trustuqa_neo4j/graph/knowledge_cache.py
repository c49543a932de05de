"""Schema knowledge of the datasets used last.

A stamp is unique in all databases and changes with the dataset, so one cache serves all clients.
"""

from __future__ import annotations

from threading import Lock

from cachetools import LRUCache, cached

from ..ontology.schema_knowledge import SchemaKnowledge
from ..reads.reader import Reader
from .ontology_store import read_schema_knowledge

CAPACITY = 32


@cached(LRUCache(CAPACITY), key=lambda dataset, stamp, reader: stamp, lock=Lock())  # noqa: ARG005
def load_schema_knowledge(
    dataset: str,
    stamp: str,  # noqa: ARG001 # of the key
    reader: Reader,
) -> SchemaKnowledge:
    return read_schema_knowledge(reader, dataset)
