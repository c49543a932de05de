"""What a question says and its query does not: rule 14, warnings all, for there are many ways to say a thing.

Only what can be told without understanding: numbers, names in quotes or brackets, and relations to values,
of which each that a question speaks of is most likely a column that it wants to see. It may spell one out
(``claim open date`` for ``claimOpenDate``) or in part (``open date``, ``catastrophe`` for
``catastropheName``); what is said in part counts only where nothing in the query is called so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass

from ..language.query import Literal, LLMQuery, Problem
from ..mapping import fold
from .inquiry import Inquiry
from .meetings import Side
from .vocabulary import TYPE, Vocabulary
from .walking import values

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_NAMED = re.compile(r"\"([^\"]{2,})\"|“([^”]{2,})”|\[([^\]]{2,})\]")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")
_BARE = frozenset(("amount", "code", "id", "name", "number", "title", "value"))
"""Last words of relations that a question may leave out: the loss payment is the loss payment amount."""

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Said:
    """Words of a question, and the relations that are called so, ``wholly`` or in part."""

    words: str
    relations: frozenset[str]
    wholly: bool


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
    yield from _columns(question, used, inquiry)


def _columns(question: str, used: str, inquiry: Inquiry) -> Iterator[Problem]:
    """Relations that the question speaks of and the query never asks for, or leaves out of its answer."""
    asked = {inquiry.read(each.name) for each in inquiry.pattern.asked}
    left = _left_out(inquiry)
    written = _words(used)
    told: set[str] = set()
    for said in _spoken(question, inquiry.vocabulary):
        if said.relations & told:
            continue
        speaks = f"the question speaks of {said.words!r}, and"
        if not said.relations & asked:
            if said.wholly or _at(_words(said.words), written) is None:
                name = min(said.relations, key=lambda each: (len(each), each))
                told.add(name)
                yield _warning(f"{speaks} the query never asks for {name}")
        elif said.relations & asked <= left:
            name = min(said.relations & left)
            told.add(name)
            yield _warning(f"{speaks} nothing is made of the column with {name}")


def _left_out(inquiry: Inquiry) -> Set[str]:
    """Relations that only columns of a table show which neither the answer nor any step uses."""
    pattern = inquiry.pattern
    tables = [shape.columns for shape in pattern.results.values() if shape.columns is not None]
    last = pattern.results[max(pattern.results)] if pattern.results else None
    if last is None or last.columns is None:
        return frozenset()
    columns = {variable for columns in tables for _, variable in columns if variable is not None}
    used = [output.variable for output in pattern.outputs if output.variable is not None]
    used += [each.variable for each in pattern.used if each.function != "group_by"]
    shown = {above for variable in used for above in pattern.above(variable)}
    ends: dict[str, set[int]] = {}
    for each in pattern.asked:
        if each.end == "end" and (name := inquiry.read(each.name)) is not None:
            ends.setdefault(name, set()).add(each.variable)
    compared = {inquiry.read(each.relation) for each in pattern.compared}
    return {
        name
        for name, variables in ends.items()
        if variables <= columns and not variables & shown and name not in compared
    }


def _warning(message: str) -> Problem:
    return Problem("not asked for", message, None, None, "warning")


def _spoken(question: str, vocabulary: Vocabulary) -> Iterator[_Said]:
    """What a question says of relations to values; of overlapping words the longest."""
    ways: dict[Words, dict[bool, set[str]]] = {}
    for name in dict.fromkeys((*vocabulary.relations, *vocabulary.ontology.relations)):
        if fold(name) != TYPE and vocabulary.leads_to_values(Side("end", name)):
            for words, wholly in _ways(name, vocabulary):
                ways.setdefault(words, {}).setdefault(wholly, set()).add(name)
    text = list(_words(question))
    as_written = fold(question).split()
    for words in sorted(ways, key=lambda each: (-len(each), each)):
        at = _at(words, text)
        if at is None:
            continue
        wholly = True in ways[words]
        yield _Said(
            " ".join(as_written[at : at + len(words)]), frozenset(ways[words][wholly]), wholly
        )
        while at is not None:
            text[at : at + len(words)] = [""] * len(words)
            at = _at(words, text)


def _ways(relation: str, vocabulary: Vocabulary) -> Iterator[tuple[Words, bool]]:
    """How a relation is spelt in words, its name taken apart and its labels; whole, and in part."""
    declared = vocabulary.ontology.relations.get(relation)
    for name in (relation, *(declared.labels if declared else ())):
        words = _words(name)
        yield words, True
        if len(words) > 1 and words[-1] in _BARE:
            yield words[:-1], False
        if len(words) > 2:
            yield words[1:], False


def _words(text: str) -> Words:
    """Words as they are compared: folded, in the singular."""
    return tuple(map(_singular, fold(_CAPITAL.sub(" ", text)).split()))


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def _at(words: Words, text: Iterable[str]) -> int | None:
    """Where the words stand beside each other."""
    within = list(text)
    size = len(words)
    places = range(len(within) - size + 1)
    return next((at for at in places if tuple(within[at : at + size]) == words), None)
