"""Patterns as they would be had a demonstration never been given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .demonstration import Demonstration, Pattern
from .masking import mask


def without(patterns: Iterable[Pattern], demonstration: Demonstration) -> list[Pattern]:
    """``patterns`` without what ``demonstration`` adds to them: the one that only it has is not there."""
    own = mask(demonstration.question, demonstration.query)
    kept: list[Pattern] = []
    for pattern in patterns:
        if pattern.template != own.template or _query(pattern) != own.query:
            kept.append(pattern)
        elif pattern.count > 1:
            kept.append(replace(pattern, count=pattern.count - 1))
    return kept


def _query(pattern: Pattern) -> str:
    return mask(pattern.question, pattern.query).query
