"""Small graphs in memory."""

from __future__ import annotations

from bench.semantic_parser.memory_graph import MemoryGraph
from trustuqa_neo4j.model.facts import Fact


def make_graph(*facts: tuple[str, str, str]) -> MemoryGraph:
    graph = MemoryGraph()
    graph.add(Fact(*fact, line=1) for fact in facts)
    return graph
