"""Values of properties of any Neo4j database, as texts."""

from __future__ import annotations

import math
import re
from typing import Any, Literal, NamedTuple, TypeAlias

from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time
from neo4j.vector import Vector

ValueKind: TypeAlias = Literal["text", "number", "time", "point", "other", "bytes", "vector"]

VECTOR = 64
"""Floats from which on a list of nothing else is a vector, which tells people nothing."""

_NOUGHTS = re.compile(r"\.(\d*?)0+(?=[Z+-]|$)")


class Told(NamedTuple):
    """A value as the texts of its members, one unless it is a list; none of what no text can tell."""

    texts: tuple[str, ...]
    kind: ValueKind


def told(value: Any) -> Told:
    """What a property says."""
    if isinstance(value, list):
        return _list(value)
    kind = kind_of(value)
    return Told((), kind) if kind in ("bytes", "vector") else Told((_text(value),), kind)


def kind_of(value: Any) -> ValueKind:
    """What kind of value this is, if it is no list."""
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool):
        return "other"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, (Date, DateTime, Time, Duration)):
        return "time"
    if isinstance(value, Point):
        return "point"
    if isinstance(value, (bytes, bytearray)):
        return "bytes"
    return "vector" if isinstance(value, Vector) else "other"


def _list(values: list[Any]) -> Told:
    if len(values) >= VECTOR and all(isinstance(value, float) for value in values):
        return Told((), "vector")
    kinds = {kind_of(value) for value in values}
    if "bytes" in kinds:
        return Told((), "bytes")
    return Told(tuple(map(_text, values)), kinds.pop() if len(kinds) == 1 else "other")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, (Date, DateTime, Time, Duration)):
        return _NOUGHTS.sub(_decimals, value.iso_format())
    if isinstance(value, Point):
        numbers = " ".join(map(_float, value))
        return f"POINT {'Z ' if len(value) == 3 else ''}({numbers})"
    return str(value)


def _decimals(found: re.Match[str]) -> str:
    return f".{found[1]}" if found[1] else ""


def _float(value: float) -> str:
    if math.isfinite(value):
        return repr(value).removesuffix(".0")
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
