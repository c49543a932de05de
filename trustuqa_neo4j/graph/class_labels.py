"""Labels of classes: each member of a class has a label with the name of the class, beside ``Entity``.

Browser, Bloom, Graph Data Science and tools that list a schema show classes by labels; no statement of this
package reads them. Names of classes are parameters only. A name that is a label of this package or of nodes
of another program gets an underscore, so that nobody's statements match nodes that are not meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from ..errors import ReadOnlyServer
from .connection import Connection
from .property_graph import OWN_LABELS

MAX_CLASS_LABELS = 200
"""Labels of one dataset: a database keeps every label that it ever had."""

MAX_LABEL_LENGTH = 200
"""Characters: a longer name of a class is a text."""


def update_class_labels(
    connection: Connection,
    dataset: str,
    without: str | None = None,
    *,
    storage: str | None = None,
    is_new: bool = False,
) -> None:
    # Members of the largest classes get labels, and other nodes lose them. ``without`` is a source that is
    # being dropped. ``storage`` is the stored name of the dataset. A dataset without labels gets them only
    # if ``is_new``.
    (record,) = connection.read_one("get_class_labels", dataset=dataset)
    if not record["labels"] and not is_new:
        return
    storage = dataset if storage is None else storage
    (row,) = connection.read_one("graph_sources", dataset=storage, without=without)
    types: list[str] = row["types"]
    sources = connection.stream(
        "class_sizes",
        list,
        dataset=storage,
        sources=row["graphs"],
        types=types,
        limit=MAX_CLASS_LABELS,
    )
    names = {node: name for node, name in sources if is_label(name)}
    labels = _choose_labels(connection, [*names.values()])
    classes = [[node, labels[name]] for node, name in names.items()]
    if record["labels"]:
        outdated = [[None, label] for label in record["labels"] if label not in labels.values()]
        connection.run_alone(
            "remove_class_labels", dataset=storage, classes=[*classes, *outdated], types=types
        )
    # Recorded before they are set, so that an interrupted run can be repeated.
    recorded = sorted(set(labels.values()))
    connection.write_one("record_class_labels", dataset=dataset, labels=recorded)
    if classes:
        connection.run_alone("set_class_labels", classes=classes, types=types)


def is_label(name: str) -> bool:
    return bool(name.strip()) and len(name) <= MAX_LABEL_LENGTH and "\0" not in name


def _choose_labels(connection: Connection, names: Sequence[str]) -> dict[str, str]:
    # Name of a class → its label.
    taken = {*OWN_LABELS, *_read_constrained_labels(connection)}
    taken.update(row["label"] for row in connection.read_one("foreign_labels", labels=[*names]))
    return {name: f"{name}_" if name in taken else name for name in names}


def _read_constrained_labels(connection: Connection) -> set[str]:
    # A constraint of another program could refuse a node with its label.
    try:
        rows = connection.stream("property_graph_constraints", list)
    except ReadOnlyServer:  # the account may not see constraints
        return set()
    return set(chain.from_iterable(labels for _, labels, _ in rows))
