"""Cells for tests of reasoning: of a query, or of the data with a node of their own."""

from __future__ import annotations

from trustuqa_neo4j.reasoning.results import Cell
from trustuqa_neo4j.values import read_value


def cells(*texts: str) -> tuple[Cell, ...]:
    """Literals as a query has them."""
    return tuple(Cell(text, read_value(text)) for text in texts)


def nodes(*texts: str, begin: int = 1) -> tuple[Cell, ...]:
    """Nodes with the ids ``begin`` … in this order."""
    return tuple(Cell(t, read_value(t), node=n) for n, t in enumerate(texts, begin))


def texts(found: object) -> list[str]:
    """What cells say."""
    members = getattr(found, "members", found)
    return [cell.text for cell in members]
