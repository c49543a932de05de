"""Schema knowledge of the datasets used last.

A stamp is unique in all databases and changes with the dataset, so one cache serves all clients.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from ..graph.ontology_store import read_schema_knowledge
from ..ontology.schema_knowledge import SchemaKnowledge
from ..reads.reader import Reader

CAPACITY = 32

_cached: OrderedDict[str, SchemaKnowledge] = OrderedDict()
_lock = Lock()


def load_schema_knowledge(dataset: str, stamp: str, reader: Reader) -> SchemaKnowledge:
    with _lock:
        knowledge = _cached.get(stamp)
        if knowledge is not None:
            _cached.move_to_end(stamp)
            return knowledge
    knowledge = read_schema_knowledge(reader, dataset)
    with _lock:
        _cached[stamp] = knowledge
        while len(_cached) > CAPACITY:
            _cached.popitem(last=False)
    return knowledge
