"""An answer as one sentence, by templates over the operations of its query and without a model.

Superlatives come with their measure, members of a ranking in its order, and computed numbers with the unit
and the digits of what they were computed from. Measures are read from the evidence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .errors import format_list
from .evidence import Evidence, Value, format_value
from .language.ast import Call, Literal, Query, Reference
from .language.description import describe_query
from .language.function_names import find_function
from .language.query_edits import HEAD, RELATION, TAIL, get_search, read_query
from .language.selectors import EXTREMES
from .lexicon.words import WORDS
from .values import read_value

MAX_NAMES = 10
_NUMBER = re.compile(r"(\D*?)-?\d[\d,]*(?:\.(\d+))?(\D*)")


def write_sentence(text: str, values: Sequence[Value], evidence: Sequence[Evidence]) -> str | None:
    """Write the answer to the query ``text``; None for a query that cannot be read."""
    query = read_query(text)
    if query is None or not values:
        return None
    ordered = _write_order(query, values, evidence)
    if ordered is not None:
        return ordered
    words, subject = WORDS.sentences, describe_query(query)
    if not re.match(words.subject_starts, subject):
        subject = f"{words.article} {subject}"
    if len(values) == 1 and not isinstance(values[0], str):
        shown = _format_number(float(values[0]), _list_operands(query, evidence))
    else:
        shown = format_list(
            list(map(format_value, values)), MAX_NAMES, conjunction=words.conjunction
        )
    is_noun = subject.startswith(f"{words.article} ")
    template = words.single if len(values) == 1 and is_noun else words.several
    return _begin(template.format(subject=subject, values=shown))


def _begin(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _write_order(query: Query, values: Sequence[Value], evidence: Sequence[Evidence]) -> str | None:
    """Write members that an order of the facts of one relation selects."""
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
    names: Mapping[str, str] = {fact.head: fact.head for fact in evidence}
    if is_projected:
        projected = final[RELATION].value
        names = _read_relation(evidence, projected.text if isinstance(projected, Literal) else "")
    pairs = [(names[row], measures[row]) for row in measures if row in names]
    if {name for name, _ in pairs} != {str(value) for value in values}:
        return None  # the evidence is limited
    listed = format_list(
        [name for name, _ in pairs], MAX_NAMES, conjunction=WORDS.sentences.conjunction
    )
    if word:
        template = WORDS.sentences.extreme if len(pairs) == 1 else WORDS.sentences.extremes
        return template.format(names=listed, word=word, relation=measure, value=pairs[0][1])
    pairs.sort(key=lambda pair: _read_number(pair[1]), reverse=bound.operator.startswith(">"))
    ranked = format_list([f"{name} ({value})" for name, value in pairs], MAX_NAMES)
    return _begin(WORDS.sentences.ranked.format(relation=measure, names=ranked))


def _read_relation(evidence: Sequence[Evidence], relation: str) -> Mapping[str, str]:
    return {fact.head: fact.tail for fact in evidence if fact.relation == relation}


def _read_number(text: str) -> float:
    value = read_value(text)
    return 0.0 if value is None else float(value.number or value.start or 0)


def _list_operands(query: Query, evidence: Sequence[Evidence]) -> list[str]:
    """Return the cells that a number was computed from; none for a count."""
    call = query.steps[-1].value
    function = find_function(call.function) if isinstance(call, Call) else None
    if function is None or function.needs != "numbers":
        return []
    relations = [
        search[RELATION].value.text  # type: ignore[union-attr]
        for step in query.steps
        if (search := get_search(step.value)) and TAIL not in search and RELATION in search
    ]
    return [fact.tail for fact in evidence if fact.relation in relations[-1:]]


def _format_number(number: float, operands: Sequence[str]) -> str:
    """Format a number with the unit of its operands and, if it is no whole number, their digits."""
    matches = [_NUMBER.fullmatch(text.strip()) for text in operands]
    units = {(match[1], match[3]) for match in matches if match}
    digits = max((len(match[2] or "") for match in matches if match), default=0)
    if not operands:
        digits = 2
    shown = f"{number:,.{max(digits, 1)}f}"
    shown = shown.rstrip("0").rstrip(".") if digits < 2 or number == int(number) else shown
    before, after = units.pop() if len(units) == 1 and None not in matches else ("", "")
    return f"{before}{shown}{after}"
