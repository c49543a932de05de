"""Evidence graphs as the text of a diagram (Mermaid, DOT), and as a tree of lines for a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .evidence_graph import (
    EvidenceEdge,
    EvidenceGraph,
    EvidenceNode,
    GraphFact,
    GraphKind,
    GraphStep,
    PictureContent,
    build_graph,
)
from .terminal import shorten_line

_LABEL_LENGTH = 60
# All other characters are written as #N;, which has no meaning in a diagram.
_UNSAFE = re.compile(r"[^\w ]|_")
_BLANKS = re.compile(r"\s+|[\x00-\x1f\x7f-\x9f]")

# Both diagrams show kinds by shapes: Mermaid's brackets, and names of Graphviz.
_MERMAID_SHAPES: dict[GraphKind, tuple[str, str]] = {
    "entity": ("([", "])"),
    "value": ("[", "]"),
    "row": ("[[", "]]"),
    "hyperedge": ("{{", "}}"),
    "result": ("(", ")"),
    "answer": ("(((", ")))"),
}
_DOT_SHAPES: dict[GraphKind, str] = {
    "entity": "shape=ellipse",
    "value": "shape=box",
    "row": "shape=tab",
    "hyperedge": "shape=hexagon",
    "result": "shape=box, style=rounded",
    "answer": "shape=box, peripheries=2",
}


def escape_label(name: str, length: int = _LABEL_LENGTH) -> str:
    """The label of a box or an arrow of Mermaid, between quotes."""
    line = _BLANKS.sub(" ", name).strip() or " "
    shortened = line if len(line) <= length else line[: length - 1] + "…"
    return _UNSAFE.sub(lambda match: f"#{ord(match[0])};", shortened)


def draw_mermaid(content: PictureContent) -> str:
    graph = build_graph(content)
    names = _node_names(graph)
    lines = ["flowchart LR"]
    for node in graph.nodes:
        left, right = _MERMAID_SHAPES[node.kind]
        lines.append(f'  {names[id(node)]}{left}"{escape_label(node.text)}"{right}')
    for edge in graph.edges:
        start, end = names[id(edge.start)], names[id(edge.end)]
        if edge.fact is None:
            lines.append(f"  {start} -.-> {end}")
            continue
        # Mermaid has no arrow that points back: the label shows where the fact leads.
        if edge.fact.head == edge.start.name:
            arrow, label = "-->", _edge_text(edge)
        else:
            arrow, label = "---", f"← {_edge_text(edge)}"
        lines.append(f'  {start} {arrow}|"{escape_label(label)}"| {end}')
    if graph.omitted:
        lines.append(f'  more["{graph.omitted} more facts are not drawn"]')
    return "\n".join(lines) + "\n"


def draw_dot(content: PictureContent) -> str:
    graph = build_graph(content)
    names = _node_names(graph)
    lines = ["digraph evidence {", "  rankdir=LR;"]
    for node in graph.nodes:
        label = _quote_dot(shorten_line(node.text, _LABEL_LENGTH) or " ")
        lines.append(f"  {names[id(node)]} [label={label}, {_DOT_SHAPES[node.kind]}];")
    for edge in graph.edges:
        start, end = names[id(edge.start)], names[id(edge.end)]
        if edge.fact is None:
            lines.append(f"  {start} -> {end} [style=dashed];")
            continue
        label = _quote_dot(shorten_line(_edge_text(edge), _LABEL_LENGTH))
        back = "" if edge.fact.head == edge.start.name else ", dir=back"
        lines.append(f"  {start} -> {end} [label={label}{back}];")
    if graph.omitted:
        lines.append(f'  more [label="{graph.omitted} more facts are not drawn", shape=plain];')
    return "\n".join((*lines, "}")) + "\n"


def _node_names(graph: EvidenceGraph) -> dict[int, str]:
    return {id(node): f"n{number}" for number, node in enumerate(graph.nodes, 1)}


def _edge_text(edge: EvidenceEdge) -> str:
    if edge.fact is None:
        return ""
    return edge.fact.relation + (f" [{edge.fact.time}]" if edge.fact.time else "")


def _quote_dot(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


_MAX_LINES = 100
_MAX_TEXT = 200
_INDENT = "   "


def draw_tree(content: PictureContent) -> list[str]:
    """The answer, below it the facts of the last step, and below each fact what it came from."""
    graph = build_graph(content)
    tree = _Tree(graph)
    for node in graph.nodes:
        if node.kind == "answer":
            tree.lines.append(shorten_line(node.text, _MAX_TEXT))
            tree.answers = node.answers
            tree.steps.clear()
            tree.add_sources(node, "")
    if graph.omitted:
        tree.lines.append(f"… {graph.omitted:,} more facts")
    rest = len(tree.lines) - _MAX_LINES
    return tree.lines if rest <= 0 else [*tree.lines[:_MAX_LINES], f"… {rest:,} more lines"]


@dataclass(slots=True)
class _Tree:
    graph: EvidenceGraph
    answers: set[int] = field(default_factory=set)
    lines: list[str] = field(default_factory=list)
    facts: set[int] = field(default_factory=set)
    steps: set[int] = field(default_factory=set)

    def add_sources(self, node: EvidenceNode, indent: str) -> None:
        step = self._computed_step(node)
        if step is not None:
            result = f"  → {node.text}" if node.kind == "result" else ""
            text = f"step {step.number}  {step.operation}{result}"
            self._add_line(indent, text, is_last=True)
            indent += _INDENT
            if step.number in self.steps:
                return
            self.steps.add(step.number)
        sources = list(self._sources(node))
        for place, source in enumerate(sources):
            is_last = place == len(sources) - 1
            if isinstance(source, EvidenceNode):
                self.add_sources(source, indent)
            elif source.fact is not None:
                self._add_fact(source.fact, source.start, indent, is_last)

    def _add_fact(self, fact: GraphFact, start: EvidenceNode, indent: str, is_last: bool) -> None:
        if fact.number in self.facts:
            self._add_line(indent, f"{fact}, as above", is_last=is_last)
            return
        self.facts.add(fact.number)
        self._add_line(indent, f"step {fact.step}  {fact}  ({fact.place})", is_last=is_last)
        self.add_sources(start, indent + (_INDENT if is_last else "│  "))

    def _add_line(self, indent: str, text: str, *, is_last: bool) -> None:
        self.lines.append(f"{indent}{'└─' if is_last else '├─'} {shorten_line(text, _MAX_TEXT)}")

    def _computed_step(self, node: EvidenceNode) -> GraphStep | None:
        # A step without facts has its result, or the answer, in its last column.
        if node.kind not in ("answer", "result"):
            return None
        if any(edge.fact and edge.end.column == node.column for edge in self.graph.edges):
            return None
        return next((s.step for s in self.graph.spans if s.last == node.column), None)

    def _sources(self, node: EvidenceNode) -> Iterator[EvidenceEdge | EvidenceNode]:
        """The facts of the answer that lead to a node, also by way of itself earlier, and results."""
        for edge in self.graph.edges_into(node):
            if edge.fact is not None:
                if not edge.fact.answers or not self.answers.isdisjoint(edge.fact.answers):
                    yield edge
            elif edge.start.kind == "result":
                yield edge.start
            else:
                yield from self._sources(edge.start)
