"""Flat JSON records, and the CSV file that is the same table."""

from __future__ import annotations

import csv
import io
from typing import Any

from trustuqa_neo4j.model.facts import Fact, Item, NodeDeclared, SourceStart

RECORDS: dict[str, list[dict[str, Any]]] = {
    "numbers": [{"shop": "Nord", "sold": 3, "price": 2.5}, {"shop": "Süd", "sold": 10, "price": 1e-7}],
    "missing": [{"a": "x", "b": None}, {"a": "y"}, {"a": "z", "b": "", "c": 4}],
    "truths": [{"name": "Kit", "open": True}, {"name": "Lor", "open": False}],
    "large": [{"id": 9007199254740993, "n": 1}, {"id": 12345678901234567890, "n": 2}],
    "dates": [{"day": "2024-03-05", "at": "2024-03-05T10:00:00Z"}, {"day": "05/03/2024", "at": "7 May 2024"}],
    "texts": [{"t": "a, b", "u": '"q"'}, {"t": "two\nlines", "u": "-"}],
    "codes": [{"zip": "01234", "type": "A"}, {"zip": "00501", "type": "B"}],
    "sums": [{"k": "a", "v": 1}, {"k": "b", "v": 2}, {"k": "Total", "v": 3}],
    "empty": [{"a": 1, "b": 2}, {"a": None, "b": None}, {}],
}  # fmt: skip


def as_csv(records: list[dict[str, Any]]) -> str:
    columns = list(dict.fromkeys(name for record in records for name in record))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for record in records:
        truths = {True: "true", False: "false"}
        writer.writerow({k: truths[v] if isinstance(v, bool) else v for k, v in record.items()})
    return text.getvalue()


def describe(result: list[Item], shift: int = 0) -> list[Any]:
    """Columns, readings, rows and cells, whatever the file is called."""
    described: list[Any] = []
    for item in result:
        if isinstance(item, SourceStart):
            described.append((item.kind, item.columns, item.readings))
        elif isinstance(item, NodeDeclared):
            described.append((item.name, item.position))
        elif isinstance(item, Fact):
            described.append((item.relation, item.tail, item.line - shift, item.cell))
    return described
