"""Texts of numbers whose format says that they are numbers."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from trustuqa_neo4j.values import read_value
from trustuqa_neo4j.values.numbers import MAX_DIGITS

_MAX_EXPONENT_LENGTH = 4
"""Characters of an exponent that a float can have: ``+308``."""


def format_number(text: str) -> str:
    """A number as written, but ``1e5`` as 100000: in a table such a text may be a code."""
    mantissa, _, exponent = text.lower().partition("e")
    is_plain = not exponent or not mantissa or len(exponent) > _MAX_EXPONENT_LENGTH
    if is_plain or read_value(text) is not None:
        return text
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    plain = f"{number:f}"
    return plain if len(plain) <= MAX_DIGITS else f"{number:e}"
