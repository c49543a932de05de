"""``QuestionHints``: readings and links of the semantic parser, for the prompt of a model.

Queries contain names of the data. ``has_values`` marks those with a name that neither the question nor the
schema has, so that a prompt without values leaves them out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..language.ast import Argument, Call, Literal, Query, walk_literals
from ..language.parser import parse_query
from ..language.selectors import find_selector
from ..model.dataset import Synonym
from ..semantic_parser.reading import ParsedQuestion, QuestionLink, QuestionReading

MAX_READINGS = 3

MIN_HINT_PROBABILITY = 0.3
"""Less probable readings mislead. Of those between 0.2 and 0.3, 4 % of our unseen tables and 7 % of WTQ are
right; between 0.3 and 0.5 they are 42 and 23 %. With this bound a prompt has 1.2 readings, and the right one
for 83 and 56 % of the questions; without it 2.9, for 86 and 62 %."""

MAX_QUERY = 600  # characters; a longer query is left out

_SCHEMA_PARAMETERS = ("relation", "key")
_ROW_NUMBER = "row_number"


@dataclass(frozen=True, slots=True)
class ReadingHint:
    """A query that the question may mean; ``unexplained`` are words of the question that it leaves out."""

    query: str
    probability: float
    unexplained: tuple[str, ...] = ()
    has_values: bool = False


@dataclass(frozen=True, slots=True)
class QuestionHints:
    """The probable readings, best first, links to names of the data, and synonyms in the question."""

    readings: tuple[ReadingHint, ...] = ()
    links: tuple[QuestionLink, ...] = ()
    synonyms: tuple[Synonym, ...] = ()

    @property
    def has_values(self) -> bool:
        return self != self.without_values()

    def without_values(self) -> QuestionHints:
        return QuestionHints(
            tuple(hint for hint in self.readings if not hint.has_values),
            tuple(link for link in self.links if link.is_literal),
            tuple(synonym for synonym in self.synonyms if synonym.kind == "relation"),
        )


def make_hints(question: str, parsed: ParsedQuestion) -> QuestionHints:
    return QuestionHints(tuple(_select_readings(question, parsed.readings)), parsed.links)


def _select_readings(question: str, readings: Sequence[QuestionReading]) -> Iterator[ReadingHint]:
    for reading in readings[:MAX_READINGS]:
        if reading.probability < MIN_HINT_PROBABILITY or len(reading.query) > MAX_QUERY:
            continue
        query = parse_query(reading.query)
        if isinstance(query, Query):
            has_values = any(_is_value(question, *entry) for entry in _walk_literals(query))
            yield ReadingHint(reading.query, reading.probability, reading.unexplained, has_values)


def _walk_literals(query: Query) -> Iterator[tuple[Literal, Call | None, Argument | None]]:
    for step in query.steps:
        yield from walk_literals(step.value)


def _is_value(
    question: str, literal: Literal, call: Call | None, argument: Argument | None
) -> bool:
    """True if a literal may be a value of the data that is not in the question."""
    if argument is not None and argument.name in _SCHEMA_PARAMETERS:
        return False
    relations = [] if call is None else [a for a in call.arguments if a.name in _SCHEMA_PARAMETERS]
    if any(_literal_text(relation) == _ROW_NUMBER for relation in relations):
        return False
    return find_selector(literal.text) is None and not _contains(question, literal.text)


def _literal_text(argument: Argument | None) -> str | None:
    return argument.value.text if argument and isinstance(argument.value, Literal) else None


def _contains(question: str, text: str) -> bool:
    """True if the question has ``text`` as whole words; only the case may differ."""
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", question, re.IGNORECASE) is not None
