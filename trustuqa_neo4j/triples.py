"""Facts and condition triples: plain data, no I/O.

A loader yields facts; the paper stores each as condition triples (TrustUQA, section 3.1). Only the fact
is kept, since the triples follow from it: storing them literally would triple the data and turn every
relation into a node with millions of edges.
"""

from __future__ import annotations

from typing import NamedTuple


class ConditionTriple(NamedTuple):
    """``node1`` leads to ``node2`` under ``condition`` (TrustUQA, definition 1)."""

    node1: str
    node2: str
    condition: tuple[str, ...] = ()


class Fact(NamedTuple):
    """``head`` has ``relation`` to ``tail``; ``line`` is where the file says so, from 1."""

    head: str
    relation: str
    tail: str
    line: int

    def triples(self) -> tuple[ConditionTriple, ConditionTriple]:
        """The condition triples that the paper's translator makes of this fact."""
        return (
            ConditionTriple(self.head, self.relation),
            ConditionTriple(self.relation, self.tail, (self.head,)),
        )
