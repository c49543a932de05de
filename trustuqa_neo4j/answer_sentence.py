"""An answer as one sentence, by templates over the operations of its query and without a model.

Superlatives come with their measure, members of a ranking in its order, and computed numbers with the unit
and the digits of what they were computed from. Measures are read from the evidence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .answer_numbers import format_rows
from .errors import format_list
from .evidence import Evidence, Value
from .language.ast import Literal, Reference
from .language.description import describe_query
from .language.query_edits import HEAD, RELATION, TAIL, get_relation, get_search, read_query
from .language.selectors import EXTREMES
from .lexicon.words import WORDS
from .reasoning.conditions import sort_key
from .reasoning.results import Cell
from .values import read_value

MAX_NAMES = 10


def write_sentence(
    text: str, values: Sequence[Value], evidence: Sequence[Evidence], evidence_total: int
) -> str | None:
    """Write the answer to the query ``text``; None for a query that cannot be read."""
    query = read_query(text)
    if query is None or not values:
        return None
    if order := write_order(text, values, evidence):
        return order
    words, subject = WORDS.sentences, describe_query(query)
    if not re.match(words.subject_starts, subject):
        subject = f"{words.article} {subject}"
    rows = format_rows(text, ("",), [(value,) for value in values], evidence, evidence_total)
    texts = [row[0] for row in rows]
    shown = format_list(texts, MAX_NAMES, conjunction=words.conjunction)
    is_noun = subject.startswith(f"{words.article} ")
    template = words.single if len(values) == 1 and is_noun else words.several
    return _begin(template.format(subject=subject, values=shown))


def _begin(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


@dataclass(frozen=True, slots=True)
class MemberOrder:
    """Members that an order of the facts of ``relation`` selects, each with what orders it, in this order.

    ``word`` is that of an extreme; it is empty for a ranking.
    """

    relation: str
    word: str
    pairs: Sequence[tuple[str, str]]


def write_order(text: str, values: Sequence[Value], evidence: Sequence[Evidence]) -> str | None:
    """Write members that an order of the facts of one relation selects, with what orders them; else None."""
    order = find_order(text, values, evidence)
    if order is None:
        return None
    relation, names = order.relation, [name for name, _ in order.pairs]
    if not order.word:
        ranked = format_list([f"{name} ({value})" for name, value in order.pairs], MAX_NAMES)
        return _begin(WORDS.sentences.ranked.format(relation=relation, names=ranked))
    template = WORDS.sentences.extreme if len(names) == 1 else WORDS.sentences.extremes
    listed = format_list(names, MAX_NAMES, conjunction=WORDS.sentences.conjunction)
    value = order.pairs[0][1]
    return template.format(names=listed, word=order.word, relation=relation, value=value)


def find_order(
    text: str, values: Sequence[Value], evidence: Sequence[Evidence]
) -> MemberOrder | None:
    """Find the order of the facts of one relation that selects ``values``; None if there is no such order."""
    query = read_query(text)
    if query is None or not values:
        return None
    steps = {step.number: step.value for step in query.steps}
    final = get_search(query.steps[-1].value) or {}
    head = final.get(HEAD)
    is_projected = TAIL not in final and head is not None and isinstance(head.value, Reference)
    chosen = (get_search(steps[head.value.step]) or {}) if is_projected else final  # type: ignore[union-attr]
    relation, bound = chosen.get(RELATION), chosen.get(TAIL)
    if relation is None or bound is None or not isinstance(relation.value, Literal):
        return None
    word = bound.value.text.casefold() if isinstance(bound.value, Literal) else ""
    if word not in EXTREMES and not (isinstance(bound.value, Reference) and bound.operator != "="):
        return None
    measure = relation.value.text
    measures = _read_relation(evidence, measure)
    if len(measures) < len({(f.head, f.tail) for f in evidence if f.relation == measure}):
        return None  # a member has several values, of which one selects it
    names: Mapping[str, str] = {fact.head: fact.head for fact in evidence}
    if is_projected:
        names = _read_relation(evidence, get_relation(final) or "")
    pairs = [(names[row], measures[row]) for row in measures if row in names]
    if {name for name, _ in pairs} != {str(value) for value in values}:
        return None  # the evidence is limited
    if not word:
        cells = {text: Cell(text, read_value(text)) for _, text in pairs}
        if any(cell.value is None for cell in cells.values()):
            return None
        key = sort_key([*cells.values()])
        pairs.sort(key=lambda pair: pair[0])
        pairs.sort(key=lambda pair: key(cells[pair[1]]), reverse=bound.operator.startswith(">"))
    return MemberOrder(measure, word, pairs)


def _read_relation(evidence: Sequence[Evidence], relation: str) -> Mapping[str, str]:
    return {fact.head: fact.tail for fact in evidence if fact.relation == relation}
