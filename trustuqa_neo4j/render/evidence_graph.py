"""The facts of an answer as a graph: nodes in columns, from the names of the query to the answer.

A step takes one column, or one for each hop of its facts. A node that two columns need is drawn in both, with
a link between them; so a fact always joins two columns side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal, TypeAlias

GraphKind: TypeAlias = Literal["entity", "value", "row", "hyperedge", "result", "answer"]

MAX_FACTS = 60
MAX_ANSWERS = 20


@dataclass(frozen=True, slots=True)
class FactEnd:
    """A node of the data; ``key`` tells nodes of a dataset apart that have the same name."""

    kind: GraphKind
    dataset: str
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class GraphFact:
    """A fact with its number in the table of facts, from 1, its step, and the answers that it produced."""

    number: int
    head: FactEnd
    relation: str
    tail: FactEnd
    time: str
    place: str
    inferred: str
    step: int
    answers: tuple[int, ...] = ()

    def __str__(self) -> str:
        time = f" [{self.time}]" if self.time else ""
        return f"{self.head.text} {self.relation} {self.tail.text}{time}"


@dataclass(frozen=True, slots=True)
class GraphStep:
    """A step of the query: its operation, its words, its result, the steps it uses, its first members."""

    number: int
    operation: str
    words: str = ""
    result: str = ""
    uses: tuple[int, ...] = ()
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PictureContent:
    """What a picture shows; each of ``answers`` is a value, or the cells of a row."""

    title: str
    outcome: str
    answers: tuple[tuple[str, ...], ...]
    answers_total: int
    facts: tuple[GraphFact, ...]
    facts_total: int
    steps: tuple[GraphStep, ...]


@dataclass(eq=False, slots=True)
class EvidenceNode:
    """A node in a column, and the answers that it leads to; ``fact`` is one that it is part of."""

    column: int
    kind: GraphKind
    text: str
    name: FactEnd | None = None
    fact: int | None = None
    answers: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class EvidenceEdge:
    """A fact, from left to right; without a fact, a result that goes on to a later step."""

    start: EvidenceNode
    end: EvidenceNode
    fact: GraphFact | None = None


@dataclass(frozen=True, slots=True)
class StepSpan:
    """The columns of a step: from that of its inputs to that of its results."""

    step: GraphStep
    first: int
    last: int


@dataclass(slots=True)
class EvidenceGraph:
    content: PictureContent
    nodes: list[EvidenceNode] = field(default_factory=list)
    edges: list[EvidenceEdge] = field(default_factory=list)
    spans: list[StepSpan] = field(default_factory=list)

    @property
    def facts(self) -> tuple[GraphFact, ...]:
        return self.content.facts[:MAX_FACTS]

    @property
    def omitted(self) -> int:
        return max(self.content.facts_total, len(self.content.facts)) - len(self.facts)

    @property
    def size(self) -> int:
        return max(node.column for node in self.nodes) + 1

    def edges_into(self, node: EvidenceNode) -> Iterator[EvidenceEdge]:
        return (edge for edge in self.edges if edge.end is node)


@dataclass(frozen=True, slots=True)
class _Hop:
    # ``output`` is the end of the fact that the step returns, or that leads to it.
    fact: GraphFact
    input: FactEnd
    output: FactEnd


def build_graph(content: PictureContent) -> EvidenceGraph:
    builder = _GraphBuilder(EvidenceGraph(content))
    builder.place_steps()
    builder.link_inputs()
    builder.place_answers()
    return builder.graph


@dataclass(slots=True)
class _GraphBuilder:
    graph: EvidenceGraph
    places: dict[tuple[int, FactEnd], EvidenceNode] = field(default_factory=dict)
    outputs: dict[int, list[EvidenceNode]] = field(default_factory=dict)
    inputs: dict[int, list[EvidenceNode]] = field(default_factory=dict)
    wanted: dict[int, set[FactEnd]] = field(default_factory=dict)

    def place_steps(self) -> None:
        content = self.graph.content
        steps = _contributing_steps(content)
        facts = _group_facts(steps, self.graph.facts)
        self.wanted = _wanted_names(steps, facts)
        column = 0
        for step in steps:
            of_step = facts[step.number]
            names = {fact.number: set(step.members) for fact in of_step}
            if step is steps[-1] or not self.wanted[step.number]:
                own = {fact.number: set(_list_cells(content, fact)) for fact in of_step}
                has_answer = any({f.head.text, f.tail.text} & own[f.number] for f in of_step)
                names = own if has_answer else names
            hops = _arrange_hops(step, of_step, self.wanted[step.number], names)
            last = column + max(len(hops), 1)
            self.graph.spans.append(StepSpan(step, column, last))
            self.outputs[step.number], self.inputs[step.number] = [], []
            for place, hop_facts in enumerate(hops):
                for hop in hop_facts:
                    self._place_fact(hop, last - place, is_output=not place)
            column = last

    def _place_fact(self, hop: _Hop, column: int, *, is_output: bool) -> None:
        start = self._node(column - 1, hop.input, hop.fact.number)
        end = self._node(column, hop.output, hop.fact.number)
        self.graph.edges.append(EvidenceEdge(start, end, hop.fact))
        outputs, inputs = self.outputs[hop.fact.step], self.inputs[hop.fact.step]
        if is_output:
            end.answers.update(hop.fact.answers)
        if is_output and end not in outputs:
            outputs.append(end)
        if start not in inputs:
            inputs.append(start)

    def _node(self, column: int, name: FactEnd, fact: int) -> EvidenceNode:
        node = self.places.get((column, name))
        if node is None:
            node = EvidenceNode(column, name.kind, name.text, name, fact)
            self.places[column, name] = node
            self.graph.nodes.append(node)
        return node

    def link_inputs(self) -> None:
        """Join each step to the results of the steps that it uses."""
        for span in self.graph.spans:
            number = span.step.number
            sources = [node for used in span.step.uses for node in self.outputs.get(used, ())]
            if not self.outputs[number] and span is not self.graph.spans[-1]:
                self.outputs[number] = self._result_nodes(span)
                for node in self.outputs[number]:
                    node.answers.update(*(source.answers for source in sources))
                    same = _same_node(sources, node)
                    self._link_all(sources if same is None else [same], [node])
            elif not self._link_same(sources, self.inputs[number]):
                self._link_all(sources, self.outputs[number])

    def _result_nodes(self, span: StepSpan) -> list[EvidenceNode]:
        # Inputs of the next step that are in the same column show the result already.
        members = span.step.members
        nodes = [node for node in self.graph.nodes if node.column == span.last]
        if any(node.text in members for node in nodes):
            return [node for node in nodes if node.name in self.wanted[span.step.number]]
        node = EvidenceNode(span.last, "result", "; ".join(members) or span.step.result)
        self.graph.nodes.append(node)
        return [node]

    def _link_same(self, sources: Sequence[EvidenceNode], inputs: Sequence[EvidenceNode]) -> bool:
        """Link nodes to themselves in earlier columns; return whether any input is a result."""
        is_linked = False
        for node in inputs:
            source = node if node in sources else _same_node(sources, node)
            is_linked = is_linked or source is not None
            # A fact that two steps use is drawn in the first, so a result may stand further away.
            source = source or _same_node(self.graph.nodes, node)
            if source is None or source is node or any(self.graph.edges_into(node)):
                continue
            self._link(source, node)
        return is_linked

    def place_answers(self) -> None:
        content, spans = self.graph.content, self.graph.spans
        column, sources = 0, list[EvidenceNode]()
        if spans:
            last = spans[-1]
            outputs = self.outputs[last.step.number]
            column = last.last + bool(outputs)
            sources = outputs or [
                node for number in last.step.uses for node in self.outputs.get(number, ())
            ]
        # A step without facts leads to all answers.
        is_common = len(content.answers) == 1 or not content.facts
        for place, answer in enumerate(content.answers[:MAX_ANSWERS]):
            node = EvidenceNode(column, "answer", ", ".join(answer), answers={place})
            own = [source for source in sources if is_common or place in source.answers]
            self._add_answer(node, own)
        total = max(content.answers_total, len(content.answers))
        if not content.answers:
            self._add_answer(EvidenceNode(column, "answer", content.outcome), sources)
        elif total > MAX_ANSWERS:
            node = EvidenceNode(column, "answer", f"… {total - MAX_ANSWERS:,} more")
            self.graph.nodes.append(node)

    def _add_answer(self, node: EvidenceNode, sources: Sequence[EvidenceNode]) -> None:
        self.graph.nodes.append(node)
        self._link_all(sources, [node])

    def _link_all(self, starts: Sequence[EvidenceNode], ends: Sequence[EvidenceNode]) -> None:
        for start in starts:
            for end in ends:
                if start.column < end.column:
                    self._link(start, end)

    def _link(self, start: EvidenceNode, end: EvidenceNode) -> None:
        self.graph.edges.append(EvidenceEdge(start, end))
        if end.fact is None:
            end.fact = start.fact


def _list_cells(content: PictureContent, fact: GraphFact) -> Iterator[str]:
    """The cells of the answers that a fact produced."""
    answers = (content.answers[place] for place in fact.answers if place < len(content.answers))
    return chain.from_iterable(answers)


def _same_node(nodes: Sequence[EvidenceNode], node: EvidenceNode) -> EvidenceNode | None:
    # Datasets share no nodes: between them, a name joins.
    earlier = [source for source in reversed(nodes) if source.column < node.column]
    for source in earlier:
        if source.name is not None and source.name == node.name:
            return source
    return next((s for s in earlier if s.text == node.text and s.kind != "row"), None)


def _contributing_steps(content: PictureContent) -> list[GraphStep]:
    """The steps that lead to the last, in order; one of its own for facts without a step."""
    steps = {step.number: step for step in content.steps}
    for fact in content.facts[:MAX_FACTS]:
        if fact.step not in steps:
            steps[fact.step] = GraphStep(fact.step, "")
    if not steps:
        return []
    numbers, pending = set[int](), [max(steps)]
    pending += [fact.step for fact in content.facts[:MAX_FACTS]]
    while pending:
        number = pending.pop()
        if number not in numbers and number in steps:
            numbers.add(number)
            pending += steps[number].uses
    return [steps[number] for number in sorted(numbers)]


def _group_facts(
    steps: Sequence[GraphStep], facts: Sequence[GraphFact]
) -> dict[int, list[GraphFact]]:
    groups: dict[int, list[GraphFact]] = {step.number: [] for step in steps}
    for fact in facts:
        groups[fact.step].append(fact)
    return groups


def _wanted_names(
    steps: Sequence[GraphStep], facts: dict[int, list[GraphFact]]
) -> dict[int, set[FactEnd]]:
    """For each step, the nodes that the steps after it start from."""
    wanted: dict[int, set[FactEnd]] = {step.number: set() for step in steps}
    for step in reversed(steps):
        ends = {end for fact in facts[step.number] for end in (fact.head, fact.tail)}
        for number in step.uses:
            if number in wanted:
                wanted[number] |= ends or wanted[step.number]
    return wanted


def _arrange_hops(
    step: GraphStep,
    facts: Sequence[GraphFact],
    wanted: set[FactEnd],
    names: Mapping[int, set[str]],
) -> list[list[_Hop]]:
    """Order the facts of a step by their distance to its results; the nearest come first.

    ``names`` are those of the results that each fact can lead to.
    """
    leads_to_heads = step.operation.startswith("search_condition(")

    def is_result(fact: GraphFact, end: FactEnd) -> bool:
        return end in wanted or end.text in names.get(fact.number, ())

    pending, hops = list(facts), list[list[_Hop]]()
    while pending:
        hop, rest = list[_Hop](), list[GraphFact]()
        for fact in pending:
            is_head, is_tail = is_result(fact, fact.head), is_result(fact, fact.tail)
            if not is_head and not is_tail:
                rest.append(fact)
                continue
            to_head = leads_to_heads if is_head == is_tail else is_head
            hop.append(_turn(fact, to_head=to_head))
        if not hop:
            # What leads nowhere stands beside the results.
            default = [_turn(fact, to_head=leads_to_heads) for fact in rest]
            hops = [[*hops[0], *default], *hops[1:]] if hops else [default]
            break
        hops.append(hop)
        wanted, names, pending = {link.input for link in hop}, {}, rest
    return hops


def _turn(fact: GraphFact, *, to_head: bool) -> _Hop:
    return _Hop(fact, fact.tail, fact.head) if to_head else _Hop(fact, fact.head, fact.tail)
