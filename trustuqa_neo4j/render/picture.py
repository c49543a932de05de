"""An evidence graph as SVG: steps from left to right, the answer last, the table of facts below.

It has text and plain shapes: no scripts, no fonts and no files from elsewhere. Shape and letter show the kind
of a node, so that nothing depends on colours. Links lead to the rows of the table (``#fact-1``).
"""

from __future__ import annotations

import re
import tempfile
import unicodedata
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Final, TypeAlias

from .evidence_graph import (
    EvidenceEdge,
    EvidenceGraph,
    EvidenceNode,
    GraphFact,
    GraphKind,
    PictureContent,
    StepSpan,
    build_graph,
)
from .terminal import escape_controls


class Picture(str):
    """The text of an SVG, which shows itself in notebooks."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def show(self) -> None:
        """Display it in the notebook that runs, or else in the browser."""
        try:
            from IPython import get_ipython  # type: ignore[import-not-found, unused-ignore]
        except ModuleNotFoundError:
            shell = None
        else:
            shell = get_ipython()
        if shell is not None and hasattr(shell, "kernel"):
            from IPython.display import display  # type: ignore[import-not-found, unused-ignore]

            display(self)
            return
        # The browser reads the file after this function has ended, so it stays.
        with tempfile.NamedTemporaryFile(
            "w", suffix=".svg", prefix="tuqa-", delete=False, encoding="utf-8"
        ) as file:
            file.write(self)
        webbrowser.open(Path(file.name).as_uri())


KINDS: Final[dict[GraphKind, tuple[str, str]]] = {
    "entity": ("E", "entity"),
    "value": ("V", "value"),
    "row": ("R", "row of a table"),
    "hyperedge": ("H", "fact with qualifiers"),
    "result": ("S", "result of a step"),
    "answer": ("A", "answer"),
}
"""The letter and the words of each kind of node."""

STYLE = """
.tuqa-picture{background:#fff;font-family:system-ui,Roboto,"DejaVu Sans",sans-serif;\
max-width:100%;height:auto}
.tuqa-picture text{font-size:13px;fill:#1f2328}
.tuqa-picture .back{fill:#fff}
.tuqa-picture .title{font-size:16px;font-weight:600}
.tuqa-picture .bold,.tuqa-picture .answer text{font-weight:600}
.tuqa-picture .muted,.tuqa-picture .label{fill:#59636e;font-size:12px}
.tuqa-picture .relation{font-style:italic}
.tuqa-picture .rule{stroke:#d1d9e0}
.tuqa-picture .edge{fill:none;stroke:#818b98;stroke-width:1.3}
.tuqa-picture .on{stroke-dasharray:2 4}
.tuqa-picture .inferred{stroke-dasharray:8 3}
.tuqa-picture .arrow{fill:#59636e}
.tuqa-picture .shape{stroke-width:1.3}
.tuqa-picture .entity .shape{fill:#ddf0ff;stroke:#0a69da}
.tuqa-picture .value .shape{fill:#fff5d6;stroke:#9a6700}
.tuqa-picture .row .shape{fill:#e3f6e6;stroke:#1a7f37}
.tuqa-picture .hyperedge .shape{fill:#f5ebff;stroke:#8250df}
.tuqa-picture .result .shape{fill:#f6f8fa;stroke:#59636e}
.tuqa-picture .answer .shape{fill:#fff;stroke:#1f2328;stroke-width:1.8}
.tuqa-picture .letter{font-size:10px;font-weight:700}
.tuqa-picture a:focus-visible .shape,.tuqa-picture a:hover .shape{stroke-width:3}
.tuqa-picture a:hover .edge{stroke:#0a69da;stroke-width:2.2}
.tuqa-picture .fact .back{fill:none}
.tuqa-picture .fact:target .back{fill:#fff1b8}
@media (prefers-color-scheme:dark){
.tuqa-picture{background:#0d1117}
.tuqa-picture text{fill:#e6edf3}
.tuqa-picture .back{fill:#0d1117}
.tuqa-picture .muted,.tuqa-picture .label{fill:#9da7b3}
.tuqa-picture .rule{stroke:#3d444d}
.tuqa-picture .edge{stroke:#7d8590}
.tuqa-picture .arrow{fill:#9da7b3}
.tuqa-picture .entity .shape{fill:#0c2d5c;stroke:#58a6ff}
.tuqa-picture .value .shape{fill:#3a2c00;stroke:#d29922}
.tuqa-picture .row .shape{fill:#0b3418;stroke:#3fb950}
.tuqa-picture .hyperedge .shape{fill:#2d1a52;stroke:#bc8cff}
.tuqa-picture .result .shape{fill:#1c2128;stroke:#9da7b3}
.tuqa-picture .answer .shape{fill:#0d1117;stroke:#e6edf3}
.tuqa-picture a:hover .edge{stroke:#58a6ff}
.tuqa-picture .fact:target .back{fill:#4d3800}
}
"""

_MARGIN = 24
_NODE_TEXT = 190  # widest text of a node, in px
_RESULT_TEXT = 260  # of a result or an answer, which may be the cells of a row
_LABEL_TEXT = 180
_FACT_TEXT = 620
_NODE_HEIGHT = 30
_NODE_DISTANCE = 14
_LABEL_HEIGHT = 20
_TIMED_HEIGHT = 34
_CURVE = 46  # width that a line needs to change its height
_LINE_HEIGHT = 16
_ROW_HEIGHT = 22
_MIN_STEP = 190  # width of the words above a step
_MIN_WIDTH = 560
_STEP_LINES = 3
_DESCRIBED = 5  # facts in the description for screen readers

# Characters that XML 1.0 has no place for, and that are not control characters.
_NOT_XML = re.compile("[\ufffe\uffff\ud800-\udfff]")
_NARROW = frozenset("iljtfI.,:;'|!()[]{} ")
_WIDE = frozenset("mwMW@%—…")


_SEARCHED = frozenset(("entity", "value"))  # kinds of nodes that are found by their names

NodeLink: TypeAlias = Callable[[str, str], str]
"""The address of the facts around a name, from its dataset and itself."""


def draw_picture(
    content: PictureContent, *, has_table: bool = True, link_node: NodeLink | None = None
) -> Picture:
    graph = build_graph(content)
    return Picture(_Drawing(_Layout(graph), has_table, link_node).draw())


def clean_text(text: str) -> str:
    """One line without characters that steer a terminal or that XML does not allow."""
    return _NOT_XML.sub("�", escape_controls(" ".join(text.split()))) or "(empty)"


def text_width(text: str, size: float = 13) -> float:
    """Estimate the width of a text in px, for fonts without serifs."""
    return sum(map(_character_width, text)) * size


def _character_width(character: str) -> float:
    if unicodedata.combining(character):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return 1
    if character in _NARROW:
        return 0.33
    if character in _WIDE:
        return 1
    return 0.68 if character.isupper() else 0.58


def cut_text(text: str, width: float, size: float = 13) -> str:
    text = clean_text(text[:2000])
    if text_width(text, size) <= width:
        return text
    room, kept = width - text_width("…", size), 0
    for character in text:
        room -= _character_width(character) * size
        if room < 0:
            break
        kept += 1
    return text[:kept].rstrip() + "…"


def wrap_text(text: str, width: float, lines: int, size: float = 13) -> list[str]:
    """Break a text into at most ``lines`` lines; the last has the rest, cut."""
    words, wrapped = clean_text(text[:2000]).split(" "), list[str]()
    while words and len(wrapped) < lines - 1:
        count = 1
        while count < len(words) and text_width(" ".join(words[: count + 1]), size) <= width:
            count += 1
        wrapped.append(cut_text(" ".join(words[:count]), width, size))
        words = words[count:]
    return [*wrapped, cut_text(" ".join(words), width, size)] if words else wrapped


@dataclass(slots=True)
class _Box:
    # Middle of a node, and the heights at which its lines begin and end.
    x: float = 0
    y: float = 0
    width: float = 0
    height: float = _NODE_HEIGHT
    text: str = ""
    left: list[EvidenceEdge] = field(default_factory=list)
    right: list[EvidenceEdge] = field(default_factory=list)


class _Layout:
    """Places in px: columns as wide as their texts, nodes near those that they belong to."""

    def __init__(self, graph: EvidenceGraph) -> None:
        self.graph = graph
        self.boxes = {
            id(node): _Box(text=cut_text(node.text, _NODE_TEXT if node.name else _RESULT_TEXT))
            for node in graph.nodes
        }
        self.columns = [
            [node for node in graph.nodes if node.column == column] for column in range(graph.size)
        ]
        # The end of each line that has its label: that with fewer lines.
        self.label_ends = {id(edge): self._label_end(edge) for edge in graph.edges}
        self._order_nodes()
        self._measure_nodes()
        self._place_columns()
        self._place_nodes()

    def box(self, node: EvidenceNode) -> _Box:
        return self.boxes[id(node)]

    def _label_end(self, edge: EvidenceEdge) -> EvidenceNode:
        starts = sum(link.start is edge.start for link in self.graph.edges)
        ends = sum(link.end is edge.end for link in self.graph.edges)
        return edge.start if starts < ends else edge.end

    def _order_nodes(self) -> None:
        # Two sweeps are enough for the few lines that cross.
        for sweep in range(4):
            columns = self.columns if sweep % 2 else self.columns[::-1]
            ranks = {
                id(node): (place + 0.5) / len(column)
                for column in self.columns
                for place, node in enumerate(column)
            }
            for column in columns[1:]:
                means = {id(node): self._mean_rank(node, ranks, sweep % 2 == 0) for node in column}
                column.sort(key=lambda node: means[id(node)])
                for place, node in enumerate(column):
                    ranks[id(node)] = (place + 0.5) / len(column)

    def _mean_rank(self, node: EvidenceNode, ranks: dict[int, float], is_start: bool) -> float:
        others = [
            ranks[id(edge.end if is_start else edge.start)]
            for edge in self.graph.edges
            if (edge.start if is_start else edge.end) is node
        ]
        return sum(others) / len(others) if others else ranks[id(node)]

    def _measure_nodes(self) -> None:
        order = {id(node): place for column in self.columns for place, node in enumerate(column)}
        for node in self.graph.nodes:
            box = self.box(node)
            box.left = sorted(
                (edge for edge in self.graph.edges if edge.end is node),
                key=lambda edge: (order[id(edge.start)], -edge.start.column),
            )
            box.right = sorted(
                (edge for edge in self.graph.edges if edge.start is node),
                key=lambda edge: (order[id(edge.end)], edge.end.column),
            )
            heights = [
                sum(self._port_height(e, node) for e in side) for side in (box.left, box.right)
            ]
            box.height = max(_NODE_HEIGHT, *heights)

    def _port_height(self, edge: EvidenceEdge, node: EvidenceNode) -> float:
        if edge.fact is None or self.label_ends[id(edge)] is not node:
            return 0
        return _TIMED_HEIGHT if edge.fact.time else _LABEL_HEIGHT

    def _place_columns(self) -> None:
        widths = [
            max((self._node_width(node) for node in column), default=0) for column in self.columns
        ]
        gaps = [0.0, *(self._gap(column) for column in range(1, self.graph.size))]
        for span in self.graph.spans:
            # The words above a step need room, from its first gap to its last column.
            width = sum(gaps[span.first + 1 : span.last + 1]) + sum(
                widths[span.first + 1 : span.last + 1]
            )
            gaps[span.last] += max(0, _MIN_STEP - width)
        x, self.lefts, self.widths, self.gaps = float(_MARGIN), [], widths, gaps
        for gap, width in zip(gaps, widths, strict=True):
            x += gap
            self.lefts.append(x)
            x += width
        if self.graph.spans and not self.columns[0]:
            # Nothing stands in front of the first step.
            self.lefts = [left - widths[0] for left in self.lefts]
            x -= widths[0]
        self.width = max(x + _MARGIN, _MIN_WIDTH)
        for column, left, width in zip(self.columns, self.lefts, widths, strict=True):
            for node in column:
                self.box(node).x, self.box(node).width = left, width

    def _node_width(self, node: EvidenceNode) -> float:
        size = 14.5 if node.kind == "answer" else 13  # answers are bold
        return text_width(self.box(node).text, size) + 44

    def _gap(self, column: int) -> float:
        edges = [edge for edge in self.graph.edges if edge.end.column == column and edge.fact]
        labels = [text_width(line, 12) for edge in edges for line in edge_label(edge)]
        return max(labels, default=0) + _CURVE + 30 if labels else 70

    def _place_nodes(self) -> None:
        heights = [
            sum(self.box(node).height + _NODE_DISTANCE for node in column)
            for column in self.columns
        ]
        self.height = max(heights)
        # From the tallest column outwards, each node goes beside those that it is joined to.
        tallest = heights.index(self.height)
        self._stack(self.columns[tallest], None)
        for column in range(tallest + 1, self.graph.size):
            self._stack(self.columns[column], "start")
        for column in range(tallest - 1, -1, -1):
            self._stack(self.columns[column], "end")

    def _stack(self, column: Sequence[EvidenceNode], side: str | None) -> None:
        y = 0.0
        for node in column:
            box, wished = self.box(node), 0.0
            edges = box.left if side == "start" else box.right if side == "end" else []
            if edges:
                middles = [self.box(e.start if side == "start" else e.end).y for e in edges]
                wished = sum(middles) / len(middles) - box.height / 2 - _NODE_DISTANCE / 2
            y = max(y, wished)
            box.y = y + (box.height + _NODE_DISTANCE) / 2
            y += box.height + _NODE_DISTANCE
        # What has become too low moves up, as far as there is room.
        limit = self.height
        for node in reversed(column):
            box = self.box(node)
            half = (box.height + _NODE_DISTANCE) / 2
            box.y = min(box.y, limit - half)
            limit = box.y - half

    def port(self, edge: EvidenceEdge, node: EvidenceNode) -> float:
        """The height at which a line meets a node."""
        box = self.box(node)
        side = box.left if edge.end is node else box.right
        heights = [self._port_height(link, node) for link in side]
        place = next(number for number, link in enumerate(side) if link is edge)
        if not heights[place]:
            return box.y
        top = box.y - sum(heights) / 2
        # The time of a fact stands below its line.
        base = 15 if edge.fact is not None and edge.fact.time else heights[place] - 6
        if sum(map(bool, heights)) == 1:
            return box.y
        return top + sum(heights[:place]) + base


def edge_label(edge: EvidenceEdge) -> list[str]:
    if edge.fact is None:
        return []
    lines = [edge.fact.relation, *([edge.fact.time] if edge.fact.time else [])]
    return [cut_text(line, _LABEL_TEXT, 12) for line in lines]


class _Drawing:
    def __init__(self, layout: _Layout, has_table: bool, link_node: NodeLink | None) -> None:
        self.layout = layout
        self.link_node = link_node
        self.graph = layout.graph
        self.content = layout.graph.content
        self.facts = {fact.number: fact for fact in self.graph.facts}
        width = layout.width - 2 * _MARGIN
        self.rows = [self._row_texts(fact) for fact in self.graph.facts] if has_table else []
        widest = max((text_width(" ".join(row[:3])) + 60 for row in self.rows), default=0)
        self.place_x = _MARGIN + min(widest, _FACT_TEXT)
        places = max((text_width(row[3], 12) for row in self.rows), default=0)
        self.width = max(layout.width, self.place_x + places + _MARGIN)
        self.title = wrap_text(self.content.title, width, 3, 16)
        self.words = {id(span): self._step_words(span) for span in self.graph.spans}

    def draw(self) -> str:
        parts = list(self._draw_all())
        name = sha256("".join(parts).encode()).hexdigest()[:8]
        title = clean_text(self.content.title[:500])
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="tuqa-picture" role="group" '
            f'aria-labelledby="title-{name} desc-{name}" width="{_n(self.width)}" '
            f'height="{_n(self.height)}" viewBox="0 0 {_n(self.width)} {_n(self.height)}">\n'
            f'<title id="title-{name}">{_x(title)}</title>\n'
            f'<desc id="desc-{name}">{_x(self._describe())}</desc>\n'
            f"<style>{STYLE}</style>\n"
        )
        back = f'<rect class="back" width="{_n(self.width)}" height="{_n(self.height)}"/>\n'
        return head + back + "\n".join(parts) + "\n</svg>\n"

    def _draw_all(self) -> Iterator[str]:
        y = _MARGIN + 12.0
        for line in self.title:
            yield _text(_MARGIN, y, line, "title")
            y += 22
        y += 8
        yield from self._draw_heads(y)
        lines = max((len(words) for words in self.words.values()), default=-1) + 1
        y += lines * _LINE_HEIGHT + 8
        yield f'<g transform="translate(0 {_n(y)})">'
        yield from (self._draw_edge(edge) for edge in self.graph.edges if edge.fact is None)
        yield from (self._draw_edge(edge) for edge in self.graph.edges if edge.fact is not None)
        yield from map(self._draw_node, self.graph.nodes)
        yield "</g>"
        y += self.layout.height + 18
        yield from self._draw_legend(y)
        y += 22
        if self.rows:
            yield from self._draw_table(y)
            y += (len(self.rows) + bool(self.graph.omitted)) * _ROW_HEIGHT + 36
        self.height = y + 4

    def _describe(self) -> str:
        content, graph = self.content, self.graph
        answers = "; ".join(", ".join(answer) for answer in content.answers[:_DESCRIBED])
        parts = [f"Answer: {answers or content.outcome}."]
        facts = [f"{fact} ({fact.place})" for fact in graph.facts[:_DESCRIBED]]
        if facts:
            total = len(graph.facts) + graph.omitted
            parts.append(f"Facts ({len(facts)} of {total:,}): {'; '.join(facts)}.")
        return clean_text(" ".join(parts)[:2000])

    def _step_words(self, span: StepSpan) -> list[str]:
        layout, step = self.layout, span.step
        width = layout.lefts[span.last] + layout.widths[span.last] - self._step_left(span)
        words = wrap_text(step.words or step.operation or "facts", width, _STEP_LINES, 12)
        return [*words, cut_text(f"→ {step.result}", width, 12)] if step.result else words

    def _step_left(self, span: StepSpan) -> float:
        layout = self.layout
        return (
            layout.lefts[span.last] - layout.gaps[span.last] + 14
            if span.last == span.first + 1
            else (layout.lefts[span.first + 1] - layout.gaps[span.first + 1] + 14)
        )

    def _draw_heads(self, y: float) -> Iterator[str]:
        layout = self.layout
        for span in self.graph.spans:
            left = self._step_left(span)
            right = layout.lefts[span.last] + layout.widths[span.last]
            tip = f"Step {span.step.number}: {span.step.operation}"
            yield f"<g><title>{_x(clean_text(tip[:2000]))}</title>"
            yield _text(left, y, f"Step {span.step.number}", "bold")
            for number, line in enumerate(self.words[id(span)], 1):
                yield _text(left, y + number * _LINE_HEIGHT, line, "muted")
            yield "</g>"
            yield (
                f'<line class="rule" x1="{_n(left)}" x2="{_n(right)}" '
                f'y1="{_n(y - 18)}" y2="{_n(y - 18)}"/>'
            )

    def _draw_edge(self, edge: EvidenceEdge) -> str:
        layout = self.layout
        start, end = layout.box(edge.start), layout.box(edge.end)
        x1, x2 = start.x + start.width, end.x
        y1, y2 = layout.port(edge, edge.start), layout.port(edge, edge.end)
        if edge.fact is None:
            return f'<path class="edge on" d="{_curve(x1, y1, x2, y2, x1, x2)}"/>'
        fact = edge.fact
        is_start = layout.label_ends[id(edge)] is edge.start
        label = edge_label(edge)
        bend = max(text_width(line, 12) for line in label) + 24
        first, last = (x1 + bend, x2) if is_start else (x1, x2 - bend)
        x, y, anchor = (x1 + 9, y1, "start") if is_start else (x2 - 11, y2, "end")
        tip = (x2, y2, -1) if fact.head == edge.start.name else (x1, y1, 1)
        kind = "edge inferred" if fact.inferred else "edge"
        lines = [
            f'<a href="#fact-{fact.number}" tabindex="-1">',
            f"<title>{_x(self._fact_title(fact))}</title>",
            f'<path class="{kind}" d="{_curve(x1, y1, x2, y2, first, last)}"/>',
            _arrow(*tip),
            _text(x, y - 5, label[0], "label relation", anchor),
            *(_text(x, y + 14, line, "label", anchor) for line in label[1:]),
            "</a>",
        ]
        return "".join(lines)

    def _fact_title(self, fact: GraphFact) -> str:
        inferred = f"; so {fact.inferred}" if fact.inferred else ""
        return clean_text(f"{fact.number}. {fact} ({fact.place}){inferred}"[:2000])

    def _draw_node(self, node: EvidenceNode) -> str:
        box = self.layout.box(node)
        letter, word = KINDS[node.kind]
        x, y = box.x, box.y
        title = clean_text(f"{word}: {node.text}"[:2000])
        fact = self.facts.get(node.fact) if node.fact is not None else None
        if fact is not None:
            title += clean_text(f" (fact {fact.number})")
        body = (
            f"<title>{_x(title)}</title>{_shape(node.kind, x, y, box.width, box.height)}"
            f'<text class="letter" x="{_n(x + 18)}" y="{_n(y + 4)}" text-anchor="middle">{letter}</text>'
            f"{_text(x + 30, y + 4.5, box.text)}"
        )
        if self.link_node is not None and node.name is not None and node.kind in _SEARCHED:
            address = self.link_node(node.name.dataset, node.name.text)
            return f'<a class="{node.kind}" href="{_x(address)}" data-around="">{body}</a>'
        if fact is None:
            return f'<g class="{node.kind}">{body}</g>'
        return f'<a class="{node.kind}" href="#fact-{fact.number}">{body}</a>'

    def _draw_legend(self, y: float) -> Iterator[str]:
        used = {node.kind for node in self.graph.nodes}
        x = float(_MARGIN)
        for kind, (letter, word) in KINDS.items():
            if kind not in used:
                continue
            yield (
                f'<g class="{kind}" aria-hidden="true">{_shape(kind, x, y - 4, 34, 18)}'
                f'<text class="letter" x="{_n(x + 17)}" y="{_n(y - 0.5)}" '
                f'text-anchor="middle">{letter}</text></g>'
            )
            yield _text(x + 41, y, word, "muted")
            x += 41 + text_width(word, 12) + 22
        if any(edge.fact is None for edge in self.graph.edges):
            yield f'<path class="edge on" d="M{_n(x)} {_n(y - 4)}h34"/>'
            yield _text(x + 41, y, "goes on", "muted")

    def _row_texts(self, fact: GraphFact) -> tuple[str, str, str, str]:
        tail = fact.tail.text + (f" [{fact.time}]" if fact.time else "")
        texts = fact.head.text, fact.relation, tail
        # Texts are cut to equal parts only where all three together are too long.
        fits = text_width(" ".join(map(clean_text, texts))) <= _FACT_TEXT - 70
        width = _FACT_TEXT if fits else (_FACT_TEXT - 70) / 3
        head, relation, tail = (cut_text(text, width) for text in texts)
        return head, relation, tail, cut_text(fact.place, 420, 12)

    def _draw_table(self, y: float) -> Iterator[str]:
        count = len(self.graph.facts) + self.graph.omitted
        right = self.width - _MARGIN
        yield f'<line class="rule" x1="{_MARGIN}" x2="{_n(right)}" y1="{_n(y - 8)}" y2="{_n(y - 8)}"/>'
        yield _text(_MARGIN, y + 14, "Fact" if count == 1 else "Facts", "bold")
        y += 36
        for fact, (head, relation, tail, place) in zip(self.graph.facts, self.rows, strict=True):
            yield (
                f'<g id="fact-{fact.number}" class="fact"><title>{_x(self._fact_title(fact))}</title>'
                f'<rect class="back" x="{_MARGIN - 8}" y="{_n(y - 15)}" '
                f'width="{_n(right - _MARGIN + 16)}" height="{_ROW_HEIGHT}" rx="4"/>'
                f"{_text(_MARGIN + 22, y, str(fact.number), 'muted', 'end')}"
                f'<text x="{_MARGIN + 34}" y="{_n(y)}"><tspan>{_x(head)}</tspan> '
                f'<tspan class="muted relation" dx="4">{_x(relation)}</tspan> '
                f'<tspan dx="4">{_x(tail)}</tspan></text>'
                f"{_text(self.place_x + 20, y, place, 'muted')}</g>"
            )
            y += _ROW_HEIGHT
        if self.graph.omitted:
            yield _text(_MARGIN + 34, y, f"… {self.graph.omitted:,} more", "muted")


def _shape(kind: GraphKind, x: float, y: float, width: float, height: float) -> str:
    top, bottom, right = y - height / 2, y + height / 2, x + width
    if kind == "hyperedge":
        points = [
            (x, y),
            (x + 10, top),
            (right - 10, top),
            (right, y),
            (right - 10, bottom),
            (x + 10, bottom),
        ]
        corners = " ".join(f"{_n(a)},{_n(b)}" for a, b in points)
        return f'<polygon class="shape" points="{corners}"/>'
    radius = {"entity": min(height, 30) / 2, "result": 5.0}.get(kind, 0)
    shape = _rectangle(x, top, width, height, radius)
    if kind == "row":
        # As the cells of a table.
        return shape + f'<path class="shape" d="M{_n(x + 5)} {_n(top)}V{_n(bottom)}"/>'
    if kind == "answer":
        return _rectangle(x, top, width, height, 8) + _rectangle(
            x + 3.5, top + 3.5, width - 7, height - 7, 5
        )
    return shape


def _rectangle(x: float, y: float, width: float, height: float, radius: float) -> str:
    corner = f' rx="{_n(radius)}"' if radius else ""
    return (
        f'<rect class="shape" x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" '
        f'height="{_n(height)}"{corner}/>'
    )


def _curve(x1: float, y1: float, x2: float, y2: float, first: float, last: float) -> str:
    # Level up to ``first`` and from ``last`` on, so that labels stand on level lines.
    middle = (first + last) / 2
    start = f"M{_n(x1)} {_n(y1)}" + (f"H{_n(first)}" if first > x1 else "")
    end = f"H{_n(x2)}" if last < x2 else ""
    return f"{start}C{_n(middle)} {_n(y1)} {_n(middle)} {_n(y2)} {_n(last)} {_n(y2)}{end}"


def _arrow(x: float, y: float, direction: int) -> str:
    back = x + 8 * direction
    return f'<path class="arrow" d="M{_n(x)} {_n(y)}L{_n(back)} {_n(y - 4)}V{_n(y + 4)}Z"/>'


def _text(x: float, y: float, text: str, style: str = "", anchor: str = "") -> str:
    style = f' class="{style}"' if style else ""
    anchor = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text{style} x="{_n(x)}" y="{_n(y)}"{anchor}>{_x(text)}</text>'


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _x(text: str) -> str:
    return escape(text)
