"""Warnings about what a question mentions and its query does not use.

The rules look for numbers, names in quotes or brackets, relations to values, and columns and cells of tables.
A question may mention a relation in full (``claim open date`` for ``claimOpenDate``) or in part (``open
date``). It is used if any name in the query contains its words, such as that of a computed column. What a
query cuts or writes in another way, such as ``1000`` for *1,000*, is used too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from ..language.ast import Call, Literal, Problem, ProblemKind, Query, walk
from ..lexicon.forms import stem
from ..lexicon.words import WORDS
from ..matching import normalize_name, split_words
from ..ontology.join_statistics import RelationEnd
from ..ontology.schema_knowledge import TYPE, SchemaKnowledge
from .context import ValidationContext

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_DIGITS = re.compile(r"\d+")
_QUOTED_NAME = re.compile(r"\"([^\"]{2,})\"|“([^”]{2,})”|\[([^\]]{2,})\]")
_OMITTED_LAST_WORDS = frozenset(("amount", "code", "id", "name", "number", "title", "value"))
"""A question says loss payment for the relation loss payment amount."""
_MIN_CELL_WORDS, _MAX_CELL_WORDS = 2, 8
"""Words of a cell that counts as a name; single words, such as *open*, mostly are not names."""
_MIN_CUT_WORDS = 2  # of a name in quotes that a query has in part

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableNames:
    """Columns of the tables that a question is about, and texts of the question that are cells of them.

    ``resolve_column`` finds the column that a name in the query means.
    """

    columns: Sequence[str]
    cells: Sequence[str]
    resolve_column: Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class _Mention:
    """Words of a question, and the relations of that name, in full or in part."""

    words: str
    relations: frozenset[str]


def makes_table(query: Query) -> bool:
    """True if the query lists columns: it has to use all that its question mentions."""
    return any(
        isinstance(value, Call) and value.function == "get_table"
        for step in query.steps
        for value in walk(step.value)
    )


def list_possible_cells(question: str) -> list[str]:
    """List runs of words of ``question`` that may be cells of a table, as normalized names."""
    words = normalize_name(question, None).split()
    runs = (
        words[first:last]
        for first in range(len(words))
        for last in range(first + _MIN_CELL_WORDS, min(first + _MAX_CELL_WORDS, len(words)) + 1)
    )
    names = (
        " ".join(run) for run in runs if WORDS.grammar.stop_words.isdisjoint((run[0], run[-1]))
    )
    return list(dict.fromkeys(names))


def check_question_coverage(
    question: str, query: Query, context: ValidationContext, tables: TableNames | None = None
) -> Iterator[Problem]:
    texts = [
        value.text
        for step in query.steps
        for value in walk(step.value)
        if isinstance(value, Literal)
    ]
    query_text = " ".join(texts)
    for number in dict.fromkeys(_NUMBER.findall(question)):
        if not _has_number(number, query_text):
            yield _warning(f"the question contains {number}, but the query does not")
    for match in _QUOTED_NAME.finditer(question):
        name = next(group for group in match.groups() if group)
        if not _has_name(name, texts):
            yield _warning(f"the question contains the name {name!r}, but the query does not")
    mentions = list(_find_mentions(question, context.schema, tables.columns if tables else ()))
    yield from _check_relations(mentions, query_text, context, tables)
    if tables is not None:
        mentioned = {stem(word) for mention in mentions for word in split_words(mention.words)}
        query_words = {*_split_words(query_text), *mentioned}
        for cell in _select_cells(tables.cells):
            if query_words.isdisjoint(_split_words(cell)):
                yield _warning(f"the question contains the name {cell!r}, but the query does not")


def _has_number(number: str, query_text: str) -> bool:
    """True if the query has the number, with other separators, its parts, or without its zeros at the end."""
    if number in query_text:
        return True
    joined = re.sub(r"(?<=\d),(?=\d{3})", "", query_text)  # 1,000
    digits = {digits.rstrip("0") for digits in _DIGITS.findall(joined)}
    parts = [part.lstrip("0").rstrip("0") for part in _DIGITS.findall(number)]
    whole = "".join(_DIGITS.findall(number)).rstrip("0")
    return whole in digits or all(part in {text.lstrip("0") for text in digits} for part in parts)


def _has_name(name: str, texts: Sequence[str]) -> bool:
    """True if the query has the name, or a text that is cut from it."""
    normalized = normalize_name(name)
    if normalized in normalize_name(" ".join(texts), None):
        return True
    cuts = (normalize_name(text) for text in texts)
    return any(
        len(cut.split()) >= _MIN_CUT_WORDS and f" {cut} " in f" {normalized} " for cut in cuts
    )


def _select_cells(cells: Iterable[str]) -> Iterator[str]:
    """Select the longest cells; one inside another is a part of its name."""
    selected: list[str] = []
    for cell in sorted(cells, key=lambda cell: -len(cell)):
        if not any(f" {cell} " in f" {longer} " for longer in selected):
            selected.append(cell)
    yield from selected


def _check_relations(
    mentions: Sequence[_Mention],
    query_text: str,
    context: ValidationContext,
    tables: TableNames | None,
) -> Iterator[Problem]:
    def resolve(name: str) -> str | None:
        return context.resolve_relation(name) or (tables.resolve_column(name) if tables else None)

    in_query = {resolve(c.name) for c in context.graph.constraints}
    hidden = _hidden_relations(context, resolve)
    query_words = _split_words(query_text)
    reported: set[str] = set()
    for mention in mentions:
        if mention.relations & reported:
            continue
        prefix = f"the question mentions {mention.words!r}, but"
        if not mention.relations & in_query:
            # A name in the query, as of a computed column, may be meant, but for the one of the relation.
            if _find_words(_split_words(mention.words), query_words) is None:
                name = min(mention.relations, key=lambda relation: (len(relation), relation))
                reported.add(name)
                yield _warning(f"{prefix} the query does not use {name}")
        elif mention.relations & in_query <= hidden:
            name = min(mention.relations & hidden)
            reported.add(name)
            yield _warning(f"{prefix} nothing uses the column with {name}")


def _hidden_relations(context: ValidationContext, resolve: Callable[[str], str | None]) -> Set[str]:
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
        relation = resolve(constraint.name)
        if constraint.role == "end" and relation is not None:
            tails.setdefault(relation, set()).add(constraint.variable)
    compared = {resolve(value.relation) for value in graph.comparisons}
    return {
        name
        for name, ends in tails.items()
        if ends <= in_columns and ends.isdisjoint(shown) and name not in compared
    }


def _warning(message: str) -> Problem:
    return Problem(ProblemKind.NOT_ASKED_FOR, message, None, None, "warning")


def _find_mentions(
    question: str, schema: SchemaKnowledge, columns: Sequence[str]
) -> Iterator[_Mention]:
    spellings: dict[Words, dict[bool, set[str]]] = {}
    # A relation that is declared and has no facts cannot be asked for.
    relations = schema.relations or schema.ontology.relations
    to_values = (name for name in relations if schema.has_values(RelationEnd("end", name)))
    for name in dict.fromkeys((*to_values, *columns)):
        if normalize_name(name) != TYPE:
            for words, is_full in _spell_relation(name, schema):
                spellings.setdefault(words, {}).setdefault(is_full, set()).add(name)
    text = list(_split_words(question))
    as_written = split_words(question, None)
    for words in sorted(spellings, key=lambda spelling: (-len(spelling), spelling)):
        place = _find_words(words, text)
        if place is None:
            continue
        mention = " ".join(as_written[place : place + len(words)])
        by_full = spellings[words]
        yield _Mention(mention, frozenset(by_full.get(True) or by_full[False]))
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
    return tuple(map(stem, split_words(text, None)))


def _find_words(words: Words, text: Sequence[str]) -> int | None:
    size = len(words)
    places = range(len(text) - size + 1)
    return next((place for place in places if tuple(text[place : place + size]) == words), None)
