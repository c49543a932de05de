"""Reads a follow-up by itself: finds its opener, the rule that fits it, and the words that refer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from ..lexicon.words import WORDS, FollowUpRule
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


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A text with the rule that fits it; ``rest`` is what the data are to explain.

    ``pronoun`` is the word that refers to the last answer, or, if ``is_bound``, to a noun before it.
    """

    text: str
    rule: FollowUpRule
    rest: str
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
        return re.sub(r"['’]s$", "", " ".join(words))


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
        return fit
    rest = fit.rest
    pronoun, is_bound = _find_pronoun(rest)
    if not pronoun and is_clause(rest):
        rest = body
        pronoun, is_bound = _find_pronoun(rest)
    is_fragment = not is_clause(body) and len(body.split()) <= _MAX_FRAGMENT
    if not (opener or pronoun or is_fragment):
        return None
    return replace(fit, rest=rest, pronoun=pronoun, is_bound=is_bound)


def _find_fits(body: str) -> Iterator[FollowUp]:
    for rule in _WORDS.rules:
        for pattern in rule.patterns:
            fit = _compile(pattern).fullmatch(body)
            if fit is not None:
                parts = (fit.groupdict().get(name) or "" for name in ("start", "rest"))
                yield FollowUp(body, rule, " ".join(" ".join(parts).split()))


def _find_pronoun(text: str) -> tuple[str, bool]:
    """Return the first word that refers, and whether the text may itself name what it means.

    *which countries export more than they import*
    """
    noun = _NOUN_AFTER.search(text)
    if noun is not None:
        return noun[0], False
    words = _list_words(text)
    for place, word in enumerate(words):
        if word not in _WORDS.pronouns:
            continue
        if "place" in get_roles(word):
            if 1 < place == len(words) - 1:
                return word, False
            continue
        has_noun = any(w not in GRAMMAR_WORDS for w in words[1:place])
        is_owner = "owner" in get_roles(word) and words[0] in _WORDS.noun_questions
        return word, has_noun and (is_owner or words[place - 1] in _WORDS.comparisons)
    return "", False


def get_roles(pronoun: str) -> list[str]:
    """Return the roles of a word that refers, such as ``person``; a noun after it does not count."""
    return _WORDS.pronouns.get(pronoun.partition(" ")[0].casefold(), "").split()


def substitute(text: str, pronoun: str, name: str) -> str:
    """Put a name in the place of the word that refers."""
    roles = get_roles(pronoun)
    is_object = "object" in roles and text.casefold().endswith(pronoun.casefold())
    if "place" in roles:
        name = f"in {name}"
    elif "owner" in roles and not is_object:
        name = f"{name}'s"
    return re.sub(rf"\b{re.escape(pronoun)}\b", lambda _: name, text, count=1, flags=re.IGNORECASE)


def drop_owner(text: str, pronoun: str) -> str:
    """Put an article in the place of *its* or *their*; other words that refer stay."""
    if "owner" not in get_roles(pronoun):
        return text
    article = max(_GRAMMAR.articles - _GRAMMAR.indefinite_articles)
    return re.sub(rf"\b{re.escape(pronoun)}\b", article, text, count=1, flags=re.IGNORECASE)
