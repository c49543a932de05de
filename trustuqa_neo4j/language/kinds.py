"""Kinds of tokens, as the grammar calls them, and which may stand behind which."""

from __future__ import annotations

from typing import NamedTuple

from .query import Value

CLOSING = {")": "_RPAR", "）": "_RPAR", "]": "_RSQB", "}": "_RSQB"}
VALUES = frozenset({"REFERENCE", "NUMBER", "STRING", "NAME", "EXPRESSION", "_RPAR", "_RSQB"})
GIVEN = frozenset({"OPERATOR", "SUM", "PRODUCT"})
JOINED = GIVEN | {"AND", "OR", "IN", "IF", "THEN", "ELSE"}


class Token(NamedTuple):
    """Type as in the grammar, the text it stands for, its offset, and what was read within quotes."""

    type: str
    text: str
    position: int
    value: Value | None = None
