"""Models of patterns for alignment: the words of a pattern, its slots, and the columns of its query."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from ..language.ast import Query, walk_literals
from ..language.printer import print_query
from ..lexicon.forms import stem
from ..matching import normalize_name
from ..model.demonstration import QuestionPattern
from .alignment import SLOT_MARKER
from .slots import MentionKind, classify_text
from .templates import MaskedDemonstration, find_parameter, mask_literals

_COLUMN_PARAMETERS = frozenset(("relation", "key", "node1", "column", "by"))
_ROW_NUMBER_COLUMNS = frozenset(("row number", "row index"))  # columns that every table has


@dataclass(frozen=True)
class PatternModel:
    """A pattern with its words, in which markers stand for names, and the kind of each name."""

    pattern: QuestionPattern
    masked: MaskedDemonstration
    parsed: Query
    words: tuple[str, ...]
    slots: tuple[MentionKind, ...]

    @cached_property
    def query_form(self) -> str:
        """The query without names."""
        markers = {
            position: "{}" for literal in self.masked.literals for position in literal.positions
        }
        return print_query(
            self.parsed, lambda literal: markers.get(literal.position) or repr(literal.text)
        )

    @cached_property
    def stems(self) -> tuple[str, ...]:
        return tuple(map(stem, self.words))

    @cached_property
    def unique_stems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.stems))

    @cached_property
    def plain_words(self) -> tuple[str, ...]:
        """The words without the markers of slots."""
        return tuple(word for word in self.words if not SLOT_MARKER.fullmatch(word))

    @cached_property
    def plain_stems(self) -> tuple[str, ...]:
        return tuple(map(stem, self.plain_words))

    @cached_property
    def columns(self) -> frozenset[str]:
        """The normalized names of the relations and columns in the query, without row numbers."""
        return frozenset(
            normalize_name(literal.text)
            for step in self.parsed.steps
            for literal, call, argument in walk_literals(step.value)
            if call and argument and find_parameter(call, argument.name) in _COLUMN_PARAMETERS
        ).difference(_ROW_NUMBER_COLUMNS)


@lru_cache(maxsize=8192)
def build_pattern_model(pattern: QuestionPattern) -> PatternModel | None:
    masked = mask_literals(pattern.question, pattern.query)
    if masked.parsed is None:
        return None
    slots: tuple[MentionKind, ...] = tuple(
        classify_text(literal.query_text) for literal in masked.literals
    )
    return PatternModel(pattern, masked, masked.parsed, masked.words, slots)
