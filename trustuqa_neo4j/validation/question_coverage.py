"""Warnings about what a question mentions and its query does not use.

The rules look for numbers, names in quotes or brackets, and relations to values. A question may mention a
relation in full (``claim open date`` for ``claimOpenDate``) or in part (``open date``); a part counts only if
no name in the query contains its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from ..language.ast import Literal, Problem, ProblemKind, Query, walk
from ..language.words import stem
from ..matching import normalize_name, split_words
from ..ontology.join_statistics import RelationEnd
from ..ontology.schema_knowledge import TYPE, SchemaKnowledge
from .context import ValidationContext

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_QUOTED_NAME = re.compile(r"\"([^\"]{2,})\"|“([^”]{2,})”|\[([^\]]{2,})\]")
_OMITTED_LAST_WORDS = frozenset(("amount", "code", "id", "name", "number", "title", "value"))
"""A question says loss payment for the relation loss payment amount."""

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Mention:
    """Words of a question, and the relations of that name, in full or in part."""

    words: str
    relations: frozenset[str]
    is_full: bool


def check_question_coverage(
    question: str, query: Query, context: ValidationContext
) -> Iterator[Problem]:
    query_text = " ".join(
        value.text
        for step in query.steps
        for value in walk(step.value)
        if isinstance(value, Literal)
    )
    for number in dict.fromkeys(_NUMBER.findall(question)):
        if number not in query_text:
            yield _warning(f"the question contains {number}, but the query does not")
    normalized = normalize_name(query_text)
    for match in _QUOTED_NAME.finditer(question):
        name = next(group for group in match.groups() if group)
        if normalize_name(name) not in normalized:
            yield _warning(f"the question contains the name {name!r}, but the query does not")
    yield from _check_relations(question, query_text, context)


def _check_relations(
    question: str, query_text: str, context: ValidationContext
) -> Iterator[Problem]:
    in_query = {context.resolve_relation(c.name) for c in context.graph.constraints}
    hidden = _hidden_relations(context)
    query_words = _split_words(query_text)
    reported: set[str] = set()
    for mention in _find_mentions(question, context.schema):
        if mention.relations & reported:
            continue
        prefix = f"the question mentions {mention.words!r}, but"
        if not mention.relations & in_query:
            if mention.is_full or _find_words(_split_words(mention.words), query_words) is None:
                name = min(mention.relations, key=lambda relation: (len(relation), relation))
                reported.add(name)
                yield _warning(f"{prefix} the query does not use {name}")
        elif mention.relations & in_query <= hidden:
            name = min(mention.relations & hidden)
            reported.add(name)
            yield _warning(f"{prefix} nothing uses the column with {name}")


def _hidden_relations(context: ValidationContext) -> Set[str]:
    graph = context.graph
    last = graph.results[max(graph.results)] if graph.results else None
    if last is None or last.columns is None:
        return frozenset()
    in_columns = {
        variable for shape in graph.results.values() for _, variable in shape.columns or ()
    }
    variables = [variable for _, variable in graph.answer_columns()]
    variables += [use.variable for use in graph.inputs if use.function != "group_by"]
    shown = {n for variable in variables if variable is not None for n in graph.supersets(variable)}
    tails: dict[str, set[int]] = {}
    for constraint in graph.constraints:
        relation = context.resolve_relation(constraint.name)
        if constraint.role == "end" and relation is not None:
            tails.setdefault(relation, set()).add(constraint.variable)
    compared = {context.resolve_relation(value.relation) for value in graph.comparisons}
    return {
        name
        for name, ends in tails.items()
        if ends <= in_columns and ends.isdisjoint(shown) and name not in compared
    }


def _warning(message: str) -> Problem:
    return Problem(ProblemKind.NOT_ASKED_FOR, message, None, None, "warning")


def _find_mentions(question: str, schema: SchemaKnowledge) -> Iterator[_Mention]:
    spellings: dict[Words, dict[bool, set[str]]] = {}
    for name in dict.fromkeys((*schema.relations, *schema.ontology.relations)):
        if normalize_name(name) != TYPE and schema.has_values(RelationEnd("end", name)):
            for words, is_full in _spell_relation(name, schema):
                spellings.setdefault(words, {}).setdefault(is_full, set()).add(name)
    text = list(_split_words(question))
    as_written = normalize_name(question).split()
    for words in sorted(spellings, key=lambda spelling: (-len(spelling), spelling)):
        place = _find_words(words, text)
        if place is None:
            continue
        is_full = True in spellings[words]
        mention = " ".join(as_written[place : place + len(words)])
        yield _Mention(mention, frozenset(spellings[words][is_full]), is_full)
        while place is not None:
            text[place : place + len(words)] = [""] * len(words)
            place = _find_words(words, text)


def _spell_relation(relation: str, schema: SchemaKnowledge) -> Iterator[tuple[Words, bool]]:
    """Yield the words of a relation's name and labels, in full (True) and in part."""
    declared = schema.ontology.relations.get(relation)
    for name in (relation, *(declared.labels if declared else ())):
        words = _split_words(name)
        yield words, True
        if len(words) > 1 and words[-1] in _OMITTED_LAST_WORDS:
            yield words[:-1], False
        if len(words) > 2:
            yield words[1:], False


def _split_words(text: str) -> Words:
    return tuple(map(stem, split_words(text)))


def _find_words(words: Words, text: Sequence[str]) -> int | None:
    size = len(words)
    places = range(len(text) - size + 1)
    return next((place for place in places if tuple(text[place : place + size]) == words), None)
