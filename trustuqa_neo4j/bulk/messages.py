"""Messages between the process that loads and the one that reads: the request, batches and errors as data.

A message can make objects of the classes named here and nothing else. A loader is named by its entry point.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias

from .. import errors
from ..errors import TrustUQAError
from ..loading.addresses import StoredItems
from ..loading.batch import Batch, FactGroup, GroupFacts, LoadedSource, QualifiedFact, Row
from ..loading.formats import DetectedFormat, File, Remark
from ..loading.table_options import TableOptions
from ..values import ValueOptions, parse_value_options

Data: TypeAlias = Any
"""Plain values of JSON; a list begins with the name of the class that it stands for."""

_RECORDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (DetectedFormat, File, Remark, StoredItems, TableOptions, ValueOptions)
}
_COLLECTIONS: dict[str, type[Any]] = {kind.__name__: kind for kind in (list, tuple, frozenset)}
_ERRORS: dict[str, type[TrustUQAError]] = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, TrustUQAError)
}


def to_data(value: object) -> Data:
    """``value`` as data: plain values, collections, records and errors.

    Raises:
        TypeError: a class that messages do not have.
    """
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, Mapping):
        return {name: to_data(item) for name, item in value.items()}
    kind = type(value)
    name = kind.__name__
    if isinstance(value, Path):
        return ["Path", str(value)]
    if isinstance(value, TrustUQAError):
        return [_error_name(kind), value.what, value.where, value.hint]
    if isinstance(value, (list, tuple, frozenset)) and kind is _COLLECTIONS.get(name):
        return [name, *map(to_data, value)]
    if kind is _RECORDS.get(name):
        return [name, *(to_data(getattr(value, f.name)) for f in fields(_RECORDS[name]))]
    raise TypeError(f"no message has a {name}")


def from_data(data: Data) -> Any:
    """Rebuild the value from which ``to_data`` made the data."""
    if isinstance(data, dict):
        return {name: from_data(item) for name, item in data.items()}
    if not isinstance(data, list):
        return data
    name, *parts = data
    if name in _COLLECTIONS:
        return _COLLECTIONS[name](map(from_data, parts))
    if name in _RECORDS:
        return _RECORDS[name](*map(from_data, parts))
    return Path(*parts) if name == "Path" else _ERRORS[name](*parts)


def _error_name(kind: type[object]) -> str:
    # Of a loader's own error: the nearest class of this package.
    return next(c.__name__ for c in kind.__mro__ if _ERRORS.get(c.__name__) is c)


# Batches. Numbers are in arrays beside the header.


def encode_batch(batch: Batch) -> tuple[Data, Sequence[bytes]]:
    """Header and arrays of a frame."""
    readings: dict[str, list[int]] = {}
    for position, options in batch.readings.items():
        readings.setdefault(options.text, []).append(position)
    heads, tails, lines = array("I"), array("I"), array("Q")
    facts = []
    for group, part in batch.facts.items():
        facts.append([*group, len(part.heads), part.detailed])
        heads.extend(part.heads)
        tails.extend(part.tails)
        lines.extend(part.lines)
    header = {
        "position": batch.position,
        "at": batch.at,
        "forget_keys": batch.forget_keys,
        "read": batch.read,
        "qualifier_facts": batch.qualifier_facts,
        "sources": [
            [s.name, s.kind, s.files, s.columns, s.readings] for s in batch.sources.values()
        ],
        "relations": batch.relations,
        "keys": batch.keys,
        "names": [*batch.names.values()],
        "readings": readings,
        "nodes": [[statement, [*rows.values()]] for statement, rows in batch.nodes.items()],
        "aliases": batch.aliases,
        "qualified_facts": [*batch.qualified_facts.values()],
        "facts": facts,
        "qualifiers": [[*group, *names] for group, names in batch.qualifiers.items()],
        "classes": batch.classes,
        "properties": batch.properties,
        "hubs": batch.hubs,
    }
    positions = (array("I", part) for part in (batch.cells, batch.values, batch.names))
    return header, [part.tobytes() for part in (heads, tails, lines, *positions)]


def decode_batch(header: Data, arrays: Sequence[bytes]) -> Batch:
    """The batch that ``encode_batch`` was given."""
    heads, tails, lines, cells, values, named = map(_read_array, "IIQIII", arrays)
    facts, start = {}, 0
    for source, file, relation, count, detailed in header["facts"]:
        part = slice(start, start + count)
        facts[FactGroup(source, file, relation)] = GroupFacts(
            heads[part], tails[part], lines[part], detailed
        )
        start += count
    return Batch(
        **{
            **header,
            "sources": {row[0]: _read_source(row) for row in header["sources"]},
            "cells": {*cells},
            "values": {*values},
            "names": dict(zip(named, header["names"], strict=True)),
            "readings": {
                position: options
                for text, positions in header["readings"].items()
                for options in (parse_value_options(text),)
                for position in positions
            },
            "nodes": {
                statement: {row[0]: row for row in rows} for statement, rows in header["nodes"]
            },
            "aliases": [*map(tuple, header["aliases"])],
            "qualified_facts": {row[0]: QualifiedFact(*row) for row in header["qualified_facts"]},
            "facts": facts,
            "qualifiers": {
                FactGroup(source, file, relation): {*names}
                for source, file, relation, *names in header["qualifiers"]
            },
        }
    )


def _read_array(code: str, block: bytes) -> array[int]:
    numbers: array[int] = array(code)
    numbers.frombytes(block)
    return numbers


def _read_source(row: Row) -> LoadedSource:
    name, kind, files, columns, readings = row
    return LoadedSource(name, kind, files, tuple(columns), tuple(map(tuple, readings)))
