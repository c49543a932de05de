"""Who has what: *Mei Lin's manager* is asked for, *whose manager is Mei Lin* is a condition.

A name that stands in two columns, such as those of employees and of managers, has two readings; grammar
decides between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

from ..lexicon.word_spans import WordSpan
from ..lexicon.words import WORDS
from .question import PlainQuestion

_MIN_SCORE = 0.5  # of the link to the column
_POSSESSED_WORDS = 3
_PREPOSITIONS = WORDS.grammar.object_prepositions
_TOWARDS = WORDS.grammar.target_prepositions  # *reports to*, *works for*


@dataclass(frozen=True, slots=True)
class Possession(WordSpan):
    """``column`` beside a name, the words from ``first`` to before ``last``.

    The column is asked for, or it has the name if ``is_condition``.
    """

    column: int
    first: int
    last: int
    is_condition: bool


def find_possessions(
    question: PlainQuestion,
    spans: Mapping[tuple[int, int], Set[int]],
    columns: Mapping[int, tuple[frozenset[int], float]],
    related: Mapping[int, frozenset[int]],
) -> Iterator[Possession]:
    """Yield possessions of names.

    ``spans`` have the columns in which a name stands, ``columns`` the words of a column and a score,
    ``related`` the words that say something of a column.
    """
    for (first, last), places in spans.items():
        owned, owning = _owned_words(question, first, last), _owning_words(question, first)
        is_number = any((n.first, n.last) == (first, last) for n in question.numbers)
        for column in _best_columns(columns, owned):
            is_value = is_number and column in places  # *a rating of 0*
            yield Possession(column, first, last, is_condition=is_value)
        for column in places & _best_columns(columns, owning):
            yield Possession(column, first, last, is_condition=True)
        for verb in (_verb_before(question, first), _verb_after(question, first, last)):
            said = [column for column in places if verb in related.get(column, ())]
            if len(said) == 1:
                yield Possession(said[0], first, last, is_condition=True)


def _best_columns(
    columns: Mapping[int, tuple[frozenset[int], float]], words: frozenset[int]
) -> Set[int]:
    """Return the columns that ``words`` name best: *crew* may name the rows too."""
    scores = {c: score for c, (positions, score) in columns.items() if positions & words}
    best = max(scores.values(), default=0.0)
    return {column for column, score in scores.items() if score == best >= _MIN_SCORE}


def _owned_words(question: PlainQuestion, first: int, last: int) -> frozenset[int]:
    """*Mei Lin's manager*, *the manager of Mei Lin*."""
    words = question.words
    if words[last : last + 1] == ("s",):
        end = last + 1
        while end < len(words) and end <= last + _POSSESSED_WORDS and end in question.content:
            end += 1
        return frozenset(range(last + 1, end))
    before = _skip_article(question, first)
    if before > 0 and words[before] == "of":
        return frozenset((before - 1,)) & question.content
    return frozenset()


def _owning_words(question: PlainQuestion, first: int) -> frozenset[int]:
    """*whose manager is Mei Lin*."""
    start = _skip_article(question, first)
    if (
        "whose" not in question.words[:start]
        or question.words[start] not in WORDS.grammar.auxiliaries
    ):
        return frozenset()
    whose = question.words[:start].index("whose")
    return frozenset(range(whose + 1, start))


def _verb_before(question: PlainQuestion, first: int) -> int:
    """Return the position of *reports* in *reports to Mei Lin*, -1 for other words."""
    before = _skip_article(question, first)
    is_object = before > 0 and question.words[before] in _TOWARDS
    return before - 1 if is_object else -1


def _verb_after(question: PlainQuestion, first: int, last: int) -> int:
    """Return the position of *manage* in *who does Mei Lin manage*; *report to* leads the other way."""
    words = question.words
    is_subject = bool(WORDS.grammar.do_forms & {*words[:first]}) and last in question.content
    return last if is_subject and _PREPOSITIONS.isdisjoint(words[last + 1 : last + 2]) else -1


def _skip_article(question: PlainQuestion, first: int) -> int:
    is_article = first > 1 and question.words[first - 1] == "the"
    return first - 2 if is_article else first - 1
