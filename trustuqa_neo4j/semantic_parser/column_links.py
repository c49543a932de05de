"""Links from words of a question to the columns of a table: by name, synonym, abbreviation and unit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ..demonstrations.words import stem_similarity
from ..lexicon.forms import stem
from ..lexicon.lexicon import Lexicon, load_graph_lexicon, strip_verb_ending
from ..lexicon.word_spans import collect_positions
from ..lexicon.words import WORDS
from ..values.units import find_unit
from .question import PlainQuestion
from .snapshot import SnapshotColumn, TableSnapshot

_MEASURE_SCORE = 0.5  # of a column of whose name the question has no word
_VERB_ENDINGS = WORDS.endings.verbs
_NOUN_ENDINGS = WORDS.endings.nouns
_ACTOR_ENDINGS = WORDS.endings.actors
_NOUN_ENDING = re.compile(f"(?:{'|'.join(WORDS.endings.verbal_nouns)})$")  # *delivery* of *deliver*
_FLAG_PARTICIPLES = WORDS.columns.participles
_GENERIC_STEMS = frozenset(map(stem, WORDS.columns.generic))
_NUMBER_WORDS = WORDS.columns.numbers
_MIN_VERB_LETTERS = 4
_MIN_JOINED, _MIN_WHOLE = 6, 4  # letters of two words joined, and of the one that the question has
_MAX_UNSAID = 3  # letters of the other, if the question lacks it
_AFFIXES = WORDS.endings.affixes
_STEM_MATCH, _FORM_MATCH, _RELATED_MATCH, _CONCEPT_MATCH = 1.0, 0.8, 0.6, 0.5
_MIN_ABBREVIATION, _MAX_ABBREVIATION, _MIN_PREFIX, _MIN_CUT = 2, 5, 3, 3  # letters
_VOWELS = frozenset("aeiou")


@dataclass(frozen=True, slots=True)
class ColumnLink:
    """Words at ``positions`` name a column; ``score`` is at most 1."""

    column: int
    positions: frozenset[int]
    score: float


def link_column(question: PlainQuestion, column: SnapshotColumn) -> ColumnLink | None:
    """Match each word of the column's name with its best word of the question.

    What is in brackets need not be named.
    """
    link = _link_name(question, column)
    if link is None or not column.is_identifier:
        return link
    words, counted = question.words, question.cue_positions("count")
    numbers = {
        p + 1 for p in link.positions if words[p + 1 : p + 2] and words[p + 1] in _NUMBER_WORDS
    }
    if not numbers or numbers & counted:
        return link
    return ColumnLink(
        column.position, link.positions | numbers, 1.0
    )  # *permit number*: ``Permit no.``


def _link_name(question: PlainQuestion, column: SnapshotColumn) -> ColumnLink | None:
    stems, main_stems = column.content_stems or column.stems, column.main_stems
    if column.is_flag:  # *without a calculator*, of a column ``Calculator allowed``
        main_stems = tuple(s for s in main_stems if s not in _FLAG_PARTICIPLES) or main_stems
        stems = main_stems
    link = _link_stems(question, column, main_stems)
    if main_stems == stems:
        return link
    whole = _link_stems(question, column, stems)
    if link is None or whole is None:
        return whole
    return replace(link, positions=link.positions | whole.positions)


def _link_stems(
    question: PlainQuestion, column: SnapshotColumn, stems: Sequence[str]
) -> ColumnLink | None:
    if not stems:
        return None
    if len(stems) == 1:
        stems = _split_joined(question, stems[0]) or stems
    positions: set[int] = set()
    total = 0.0
    for column_stem in stems:
        pair = question.split_words.get(column_stem)
        if pair is not None:
            positions.update((pair, pair + 1))
            total += _STEM_MATCH
            continue
        named = question.acronyms.get(column_stem)
        if named is not None:
            positions |= named
            total += _STEM_MATCH
            continue
        score, position = max(
            ((_word_match(question, place, column_stem), -place) for place in _searched(question)),
            default=(0.0, 0),
        )
        if score:
            positions.add(-position)
            total += score
    if not positions:
        return None
    coverage = total / len(stems)
    best = min(1.0, total)
    return ColumnLink(column.position, frozenset(positions), round(0.5 * best + 0.5 * coverage, 4))


def _split_joined(question: PlainQuestion, name: str) -> tuple[str, ...]:
    """Return the two words of ``opendate`` and ``bodywt``, of which the question has at least one whole.

    The other is a word too, stands for one of the question, or is short: *str* of ``strcity``.
    """
    if len(name) < _MIN_JOINED or not name.isalpha() or name in question.lexicon.vocabulary:
        return ()
    for position in sorted(question.content):
        word = question.stems[position]
        if len(word) < _MIN_WHOLE:
            continue
        if name.startswith(word):
            parts = word, other = word, name.removeprefix(word)
        elif name.endswith(word):
            parts = other, word = name.removesuffix(word), word
        else:
            continue
        if len(other) < _MIN_ABBREVIATION:
            continue
        is_word = other in question.lexicon.vocabulary or stem(other) in question.lexicon.vocabulary
        is_said = any(_word_match(question, p, other) for p in question.content - {position})
        if other not in _AFFIXES and (is_said or is_word or len(other) <= _MAX_UNSAID):
            return tuple(map(stem, parts))
    return ()


def _searched(question: PlainQuestion) -> list[int]:
    return [
        position
        for position, word in enumerate(question.words)
        if position in question.content or word in question.lexicon.synonyms or len(word) > 3
    ]


def answers_question_word(
    question: PlainQuestion, table: TableSnapshot, column: SnapshotColumn
) -> bool:
    """*when* asks for a date, *who* for an owner, or for the only column of persons."""
    if question.kind == "who" and column.position == table.agents:
        return True
    expected = question.lexicon.answer_types.get(question.kind, frozenset())
    return not expected.isdisjoint((*column.words, *column.stems))


def link_agents(
    question: PlainQuestion, table: TableSnapshot, columns: Mapping[int, ColumnLink]
) -> ColumnLink | None:
    """*how many people* of the only column of persons, if none is called so."""
    named = collect_positions(columns.values())
    persons = frozenset(
        position
        for position in question.content - named
        if question.stems[position] in question.lexicon.person_nouns
    )
    if table.agents is None or table.agents in columns or not persons:
        return None
    return ColumnLink(table.agents, persons, _RELATED_MATCH)


def link_measures(
    question: PlainQuestion, table: TableSnapshot, columns: dict[int, ColumnLink]
) -> Iterator[ColumnLink]:
    """*what does it cost*, of the only column of money, if no column is named so."""
    named = collect_positions(columns.values())
    for position in sorted(question.content - named):
        if question.stems[position] == "time":
            continue  # *what time* is no duration
        measured = [
            column.position
            for column in table.columns
            if column.position not in columns and _is_measured(question, position, column)
        ]
        if len(measured) == 1:
            yield ColumnLink(measured[0], frozenset((position,)), _MEASURE_SCORE)


def link_concepts(
    question: PlainQuestion, table: TableSnapshot, columns: Mapping[int, ColumnLink]
) -> Iterator[ColumnLink]:
    """*what was transported*, of the only column that can mean it, if no column is named so."""
    named = collect_positions(columns.values())
    for position in sorted(question.content - named):
        if question.stems[position] in table.row_stems:
            continue
        columns_of_concept = [
            column
            for column in table.columns
            if column.position not in columns
            and any(_share_concept(question.words[position], s) for s in column.main_stems)
        ]
        if len(columns_of_concept) == 1:
            column = columns_of_concept[0]
            score = _CONCEPT_MATCH * (1 + 1 / len(column.main_stems)) / 2
            yield ColumnLink(column.position, frozenset((position,)), score)


def _is_measured(question: PlainQuestion, position: int, column: SnapshotColumn) -> bool:
    is_quantity = any(_word_match(question, position, word) for word in column.quantities)
    return is_quantity or _names_unit(question, position, column)


def find_related_words(question: PlainQuestion, column: SnapshotColumn) -> frozenset[int]:
    """Return the positions of content words that may mean a word of the column's name, or its unit."""
    names = column.content_stems
    if len(names) == 1:
        names = _split_joined(question, names[0]) or names
    stems = dict.fromkeys((*names, *column.quantities))
    return frozenset(
        position
        for position in question.content
        if any(_word_match(question, position, s) for s in stems)
        or _names_unit(question, position, column)
    )


def _names_unit(question: PlainQuestion, position: int, column: SnapshotColumn) -> bool:
    """*how many minutes of …*, of a column with ``45 min`` or called ``Length (min)``."""
    measure = column.measure
    if measure is None:
        return False
    unit = find_unit(question.words[position]) if len(question.words[position]) > 2 else None
    return unit is not None and unit.kind == measure.kind


def _word_match(question: PlainQuestion, position: int, column_stem: str) -> float:
    word, word_stem = question.words[position], question.stems[position]
    if word_stem == column_stem:
        return _STEM_MATCH
    if word in WORDS.numbers.cardinals:
        return 0.0
    if _is_same_verb(word, column_stem):
        return _FORM_MATCH  # *bookings* and *booked*
    is_form = len(word_stem) > 3 and not _names_actor(column_stem, word_stem)
    similarity = stem_similarity(word_stem, column_stem) if is_form else 0.0
    related = question.lexicon.related_words(word) | question.lexicon.related_words(word_stem)
    if (
        column_stem in related
        or any(stem(entry) == column_stem for entry in related)
        or any(_is_abbreviation(column_stem, entry, question.lexicon) for entry in (word, *related))
    ):
        similarity = max(similarity, _RELATED_MATCH)
    return similarity


@lru_cache(maxsize=1 << 16)
def _share_concept(word: str, column_stem: str) -> bool:
    """True if both words can name one relation of a graph: *transported* and ``cargo``."""
    lexicon = load_graph_lexicon()
    if word in lexicon.light_verbs or column_stem in _GENERIC_STEMS:
        return False
    return lexicon.share_concept(word, column_stem) or any(
        _is_abbreviation(column_stem, concept, lexicon) for concept in lexicon.concept_words(word)
    )


def _names_actor(column_stem: str, word: str) -> bool:
    """True if a column has who does something, and the word is what is done: an applicant, an application."""
    return column_stem.endswith(_ACTOR_ENDINGS) and word.endswith(_NOUN_ENDINGS)


def _is_same_verb(word: str, column_stem: str) -> bool:
    """*hired*, *hiring* and *hires*, with at least one ending of a verb; *closed* and *closure*."""
    verb = strip_verb_ending(word)
    if word.endswith(_VERB_ENDINGS) and column_stem.endswith(_NOUN_ENDINGS):
        return len(verb) >= _MIN_VERB_LETTERS and verb == _NOUN_ENDING.sub("", column_stem)
    has_ending = word.endswith(_VERB_ENDINGS) or column_stem.endswith(_VERB_ENDINGS)
    return has_ending and len(verb) >= _MIN_VERB_LETTERS and verb == strip_verb_ending(column_stem)


def _is_abbreviation(text: str, word: str, lexicon: Lexicon) -> bool:
    """True if ``text`` is some consonants of ``word``, or its first letters: *mgr*, *elec*, *dept*.

    The last letter may come from anywhere after the first ones. A word of the lexicon is no first letters.
    """
    if (
        not _MIN_ABBREVIATION <= len(text) <= _MAX_ABBREVIATION
        or text[0] != word[0]
        or not text.isalpha()
    ):
        return False
    letters = iter(word)
    if not _VOWELS & {*text[1:]}:
        if len(text) == _MIN_ABBREVIATION and text[-1] != _last_consonant(word):
            return False  # *ph* is no *phosphorus*
        return len(word) > len(text) + 1 and all(letter in letters for letter in text)
    if len(text) < _MIN_PREFIX or len(word) - len(text) < _MIN_CUT or text in lexicon.vocabulary:
        return False
    start = text[:-1] if len(text) > _MIN_PREFIX else text
    return word.startswith(start) and text[-1] in word[len(start) - 1 :]


def _last_consonant(word: str) -> str:
    consonants = [letter for letter in stem(word) if letter not in _VOWELS]
    return consonants[-1] if consonants else ""
