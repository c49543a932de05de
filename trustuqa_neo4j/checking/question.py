"""What a question says and its query does not: rule 14, warnings all, for there are many ways to say a thing.

Only what can be told without understanding: numbers, names in quotes or brackets, and the names of relations
to values, of which each that a question spells out is most likely a column that it wants to see.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..language.query import Literal, LLMQuery, Problem
from ..mapping import fold
from .inquiry import Inquiry
from .meetings import Side
from .vocabulary import TYPE, Vocabulary
from .walking import values

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_NAMED = re.compile(r"\"([^\"]{2,})\"|“([^”]{2,})”|\[([^\]]{2,})\]")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")


def unsaid(question: str, query: LLMQuery, inquiry: Inquiry) -> Iterator[Problem]:
    """Numbers, names and relations of ``question`` that ``query`` never uses."""
    texts = [
        v.text for step in query.steps for v, _ in values(step.value) if isinstance(v, Literal)
    ]
    used = " ".join(texts)
    for number in dict.fromkeys(_NUMBER.findall(question)):
        if number not in used:
            yield _warning(f"the question says {number}, and the query never does")
    folded = fold(used)
    for found in _NAMED.finditer(question):
        name = next(group for group in found.groups() if group)
        if fold(name) not in folded:
            yield _warning(f"the question names {name!r}, and the query never does")
    asked = {inquiry.read(each.name) for each in inquiry.pattern.asked}
    for name, said in _spoken(question, inquiry.vocabulary):
        if name not in asked:
            yield _warning(f"the question speaks of {said!r}, and the query never asks for {name}")


def _warning(message: str) -> Problem:
    return Problem("not asked for", message, None, None, "warning")


def _spoken(question: str, vocabulary: Vocabulary) -> Iterator[tuple[str, str]]:
    """Relations to values that a question spells out, with the words; of overlapping ones the longest."""
    words = f" {fold(question)} "
    named = (
        (name, spoken)
        for name in dict.fromkeys((*vocabulary.relations, *vocabulary.ontology.relations))
        if fold(name) != TYPE and vocabulary.leads_to_values(Side("end", name))
        for spoken in _ways(name, vocabulary)
    )
    found = [(name, spoken) for name, spoken in named if _stands(spoken, words)]
    told: set[str] = set()
    for name, spoken in sorted(found, key=lambda pair: -len(pair[1])):
        if name not in told and _stands(spoken, words):
            told.add(name)
            yield name, spoken
            words = re.sub(rf" {re.escape(spoken)}s?(?= )", " ·", words)


def _ways(relation: str, vocabulary: Vocabulary) -> Iterable[str]:
    """How a relation is spelt in words: its name taken apart, and its labels."""
    declared = vocabulary.ontology.relations.get(relation)
    labels = declared.labels if declared else ()
    return dict.fromkeys(fold(_CAPITAL.sub(" ", name)) for name in (relation, *labels))


def _stands(spoken: str, words: str) -> bool:
    return f" {spoken} " in words or f" {spoken}s " in words
