"""What a follow-up says by itself: its opener, the rule that fits it, and the words that refer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeAlias

from ..answer import SUCCESS_OUTCOMES, Answer, find_query
from ..errors import UsageError
from ..lexicon.words import WORDS, FollowUpRule
from ..option import PAST
from ..semantic_parser.question import GRAMMAR_WORDS

_WORDS = WORDS.follow_ups
_GRAMMAR = WORDS.grammar
_END = re.compile(r"[\s?!.]+$")
_OPENER = re.compile(_WORDS.openers, re.IGNORECASE)
_CLOSER = re.compile(_WORDS.closers + r"$", re.IGNORECASE)
_NOUN_AFTER = re.compile(_WORDS.nouns_after, re.IGNORECASE)
_WORD = re.compile(r"\w+")
_MAX_FRAGMENT = 7  # words
_CLAUSE = _GRAMMAR.auxiliaries | _GRAMMAR.question_words
_FILLERS = _GRAMMAR.prepositions | _GRAMMAR.articles
_OWNERS = {*_WORDS.owners, *_WORDS.owners_or_objects}
_SUBJECTS = {*_WORDS.subjects, *_WORDS.objects, *_WORDS.owners_or_objects}


@dataclass(frozen=True, slots=True)
class PastQuestion:
    """The question that another follows, with its query; no query if it has no answer."""

    question: str
    query: str | None
    datasets: tuple[str, ...] = ()
    source: str | None = None
    confidence: float | None = None

    @classmethod
    def read(cls, value: Followed) -> PastQuestion:
        """Read an answer, what its ``to_dict()`` returned, or its query alone.

        Raises:
            UsageError: it is something else.
        """
        if isinstance(value, PastQuestion):
            return value
        if isinstance(value, str):
            return cls("", value)
        if isinstance(value, Mapping):
            value = Answer.from_dict({"outcome": "answered", **value})
        if not isinstance(value, Answer):
            raise UsageError(
                f"follows={value!r} is not {PAST.words}",
                hint="leave follows out, or give what ask() returned",
            )
        query = find_query(value) if value.outcome in SUCCESS_OUTCOMES else ""
        return cls(
            value.question or "", query or None, value.datasets, value.source, value.confidence
        )


Followed: TypeAlias = Answer | Mapping[str, Any] | PastQuestion | str
"""An answer that a question follows, what its ``to_dict()`` returned, or its query."""


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A text with the rule that fits it; ``rest`` is what the data are to explain.

    ``has_opener`` is True for *and in 2012*; ``pronoun`` is the word that refers to the last answer,
    or, if ``is_bound``, to a noun before it.
    """

    text: str
    rule: FollowUpRule
    rest: str
    has_opener: bool
    pronoun: str = ""
    is_bound: bool = False

    @property
    def is_clause(self) -> bool:
        """True for a question of its own, such as *who earns the least*."""
        return is_clause(self.rest)

    @property
    def name(self) -> str:
        """The rest without prepositions and articles before it."""
        words = self.rest.split()
        while len(words) > 1 and words[0].casefold() in _FILLERS:
            words.pop(0)
        return " ".join(words)


def is_clause(text: str) -> bool:
    words = _list_words(text)
    return bool(words) and (not _CLAUSE.isdisjoint(words) or words[0] in _WORDS.not_fragments)


def _list_words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def asks_why(question: str) -> bool:
    """True for a question for the proof of the last answer."""
    follow_up = read_follow_up(question)
    return follow_up is not None and follow_up.rule is _WORDS.rules[0]


def asks_for_members(text: str) -> bool:
    """True for *which were built in 2010*, where no noun follows the question word."""
    words = _list_words(text)
    return bool(words) and words[0] in _WORDS.members


def make_questions(fragment: str) -> Iterator[str]:
    """Make questions of a fragment: *which are in Sales*, *which have a pool*."""
    first, _, rest = fragment.partition(" ")
    if rest and first.casefold() in _GRAMMAR.bearing:
        yield _WORDS.bearers + rest
    yield from (start + fragment for start in _WORDS.fragments)


def read_follow_up(question: str) -> FollowUp | None:
    """Read a question that follows another; None if it stands alone."""
    text = _CLOSER.sub("", _END.sub("", question.strip()))
    opener = _OPENER.match(text)
    body = text[opener.end() :].strip() if opener else text
    if not body:
        return None
    fit = next(_find_fits(body))
    if fit.rule is not _WORDS.rules[-1]:
        return replace(fit, has_opener=opener is not None)
    rest = fit.rest
    pronoun, is_bound = _find_pronoun(rest)
    if not pronoun and is_clause(rest):
        rest = body
        pronoun, is_bound = _find_pronoun(rest)
    is_fragment = not is_clause(body) and len(body.split()) <= _MAX_FRAGMENT
    if not (opener or pronoun or is_fragment):
        return None
    has_opener = opener is not None
    return replace(fit, rest=rest, has_opener=has_opener, pronoun=pronoun, is_bound=is_bound)


def _find_fits(body: str) -> Iterator[FollowUp]:
    for rule in _WORDS.rules:
        for pattern in rule.patterns:
            fit = _compile(pattern).fullmatch(body)
            if fit is not None:
                parts = (fit.groupdict().get(name) or "" for name in ("start", "rest"))
                yield FollowUp(body, rule, " ".join(" ".join(parts).split()), has_opener=False)


def _find_pronoun(text: str) -> tuple[str, bool]:
    """Return the first word that refers, and whether the text may itself name what it means.

    *which countries export more than they import*
    """
    noun = _NOUN_AFTER.search(text)
    if noun is not None:
        return noun[0], False
    words = _list_words(text)
    for place, word in enumerate(words):
        if word in _SUBJECTS or word in _OWNERS:
            has_noun = any(w not in GRAMMAR_WORDS for w in words[1:place])
            is_owner = word in _OWNERS and words[0] in _WORDS.noun_questions
            return word, has_noun and (is_owner or words[place - 1] in _WORDS.comparisons)
        if word in _WORDS.places and place == len(words) - 1 and place > 1:
            return word, False
    return "", False


def is_plural(pronoun: str) -> bool:
    return pronoun.partition(" ")[0].casefold() in _WORDS.plurals


def is_person(pronoun: str) -> bool:
    return pronoun.casefold() in _WORDS.persons


def substitute(text: str, pronoun: str, name: str) -> str:
    """Put a name in the place of the word that refers."""
    word = pronoun.casefold()
    is_last = text.casefold().endswith(word)
    if word in _WORDS.places:
        name = f"in {name}"
    elif word in _WORDS.owners or (word in _WORDS.owners_or_objects and not is_last):
        name = f"{name}'s"
    return re.sub(rf"\b{re.escape(pronoun)}\b", lambda _: name, text, count=1, flags=re.IGNORECASE)


def drop_owner(text: str, pronoun: str) -> str:
    """Put an article in the place of *its* or *their*; other words that refer stay."""
    if pronoun.casefold() not in _OWNERS:
        return text
    article = max(_GRAMMAR.articles - _GRAMMAR.indefinite_articles)
    return re.sub(rf"\b{re.escape(pronoun)}\b", article, text, count=1, flags=re.IGNORECASE)
