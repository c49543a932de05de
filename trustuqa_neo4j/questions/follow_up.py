"""Reads a follow-up by itself: finds its opener, the rule that fits it, and the words that refer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from itertools import chain
from typing import NamedTuple

from ..lexicon.forms import stem
from ..lexicon.lexicon import load_graph_lexicon, load_lexicon
from ..lexicon.words import WORDS
from ..semantic_parser.question import GRAMMAR_WORDS
from ..values import read_value

_WORDS = WORDS.follow_ups
_GRAMMAR = WORDS.grammar
_SIGNS = r"[\s?!.,;:]"
_END = re.compile(rf"{_SIGNS}+$")
_OPENER = re.compile(rf"(?:(?:{'|'.join(_WORDS.openers)})(?:{_SIGNS}+|$))+", re.IGNORECASE)
_CLOSER = re.compile(rf"(?:{_SIGNS}+(?:{'|'.join(_WORDS.closers)}))+$", re.IGNORECASE)
# Not in a name, such as *Please Give*.
_COURTESY = re.compile(rf"^{_WORDS.courtesies}|(?-i:{_WORDS.courtesies})", re.IGNORECASE)
_REQUEST = re.compile(rf"{_WORDS.requests}\s+(?=\S)", re.IGNORECASE)
_NOUN_AFTER = re.compile(_WORDS.nouns_after, re.IGNORECASE)
_WORD = re.compile(r"\w+")
_MAX_FRAGMENT = 7  # words
_DAYS = {"day": 1, "week": 7}
_CLAUSE = _GRAMMAR.auxiliaries | _GRAMMAR.question_words
_FILLERS = _GRAMMAR.prepositions | _GRAMMAR.articles
# Prepositions that only compare, as *under* does and *by* does not.
_BOUND_WORDS = {word for word in _FILLERS if len(load_lexicon().operators.get(word, ())) == 1}
_EMPTY = (
    _CLAUSE
    | _GRAMMAR.articles
    | _GRAMMAR.attribute_prepositions
    | {*_WORDS.pronouns}
    | _WORDS.empty
)
_MOMENT = re.compile(rf"\b(?:{'|'.join(_WORDS.moments)})\b", re.IGNORECASE)
_CHANGE = _WORDS.rules[-1]
# Names of operations in the lexicon.
EXPLANATION, MEMBERS = "explanation", "members"
COUNT, MEASURE = "count", "measure"
EXISTS = "exists"
_GROUP = "group"  # the cue


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A text with the ``rule`` or operation that fits it; ``rest`` is what the data are to explain.

    ``pronoun`` is the word that refers to the last answer, or, if ``is_bound``, to a noun before it.
    ``is_marked`` if words before or after it say that it follows, ``is_then`` if they mean the
    time of the last question, ``is_request`` if it begins politely. ``old`` is what the rest replaces, or the
    words that compare or order.
    """

    text: str
    rest: str
    rule: str
    makes: str
    pronoun: str = ""
    is_bound: bool = False
    is_marked: bool = False
    is_then: bool = False
    is_request: bool = False
    old: str = ""

    @property
    def stands_alone(self) -> bool:
        """True for a question without a sign that it follows another; it may still name nothing."""
        follows = self.refers or self.is_marked or self.rule != _CHANGE.name
        return not follows and (self.is_request or is_clause(self.text))

    @property
    def refers(self) -> bool:
        """True if a word refers to the last answer, such as *it*, *others*, or *one* in *the last one*."""
        has_ones = _compile(_WORDS.ones).search(self.text) is not None
        has_each = read_distributive(self.text) != ""
        return bool(self.pronoun) or self.has_others or has_ones or has_each

    @property
    def has_others(self) -> bool:
        """True for a question with *else* or *other*."""
        return drop_others(self.text) != self.text

    @property
    def is_clause(self) -> bool:
        """True for a question of its own, such as *who earns the least*."""
        return is_clause(self.rest)

    @property
    def name(self) -> str:
        """The rest without prepositions and articles before it; *under 20* is a bound."""
        words = self.rest.split()
        while len(words) > 1 and words[0].casefold() in _FILLERS:
            if read_value(words[1]) is not None and words[0].casefold() in _BOUND_WORDS:
                break
            words.pop(0)
        return re.sub(r"['’]s$", "", " ".join(words))


def is_clause(text: str) -> bool:
    words = list_words(text)
    return bool(words) and (not _CLAUSE.isdisjoint(words) or words[0] in _WORDS.not_fragments)


def list_words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def asks_why(question: str) -> bool:
    """True for a question for the proof of the last answer."""
    follow_up = read_follow_up(question)
    return follow_up is not None and follow_up.rule == EXPLANATION


def list_content(text: str) -> list[str]:
    """Return the words that say something beside an operation on the last result."""
    return [word for word in list_words(text) if word not in _EMPTY]


def drop_others(text: str) -> str:
    """Drop *else* and *other*."""
    return " ".join(_compile(_WORDS.others).sub("", text).split())


class TimeShift(NamedTuple):
    """From a time to another: ``number`` of a ``unit`` later, earlier if negative."""

    number: int
    unit: str

    def move(self, text: str) -> str | None:
        """Move a year by years, and a day by days and weeks; None for another time or none."""
        if self.unit not in _DAYS:
            return str(int(text) + self.number) if re.fullmatch(r"\d{4}", text) else None
        value = read_value(text)
        if value is None or value.start is None or value.start != value.end:
            return None
        year, month, day = value.start // 10_000, value.start // 100 % 100, value.start % 100
        try:
            moved = date(year, month, day) + timedelta(days=self.number * _DAYS[self.unit])
        except (ValueError, OverflowError):  # years that the calendar of ``date`` does not have
            return None
        return moved.isoformat()


def read_shift(text: str) -> TimeShift | None:
    """Read *ten years later* as 10 years, *the day before* as -1 days."""
    shift = _compile(_WORDS.shift).fullmatch(text)
    if shift is None:
        return None
    word = (shift["number"] or "one").casefold()
    number = int(word) if word.isdecimal() else WORDS.numbers.cardinals.get(word, 1)
    end = (shift["end"] or shift["next"]).casefold()
    unit = (shift["unit"] or shift["next_unit"]).casefold().removesuffix("s")
    return TimeShift(number if end in _WORDS.later else -number, unit)


def read_operators(text: str, names: Collection[str], known: str) -> set[str] | None:
    """Return the operators of ``names`` in a text; None if it says more than numbers and words of ``known``.

    Words for tenures say nothing: *who came directly after her*.
    """
    words = list_words(text)
    found = chain(load_lexicon().find_cues(words), load_graph_lexicon().find_cues(words))
    cues = [cue for cue in found if cue.operator in names]
    used = {place for cue in cues for place in range(cue.first, cue.last)}
    said = {
        stem(word) for place, word in enumerate(words) if place not in {*used, *find_numbers(words)}
    }
    silent = map(
        stem, _EMPTY | _WORDS.tenures | {*_WORDS.opposites.values()} | {*list_words(known)}
    )
    return {cue.operator for cue in cues} if said.issubset(silent) else None


def find_numbers(words: Sequence[str]) -> dict[int, str]:
    """Return the places of numbers, with their digits."""
    cardinals = {word: str(number) for word, number in WORDS.numbers.cardinals.items()}
    numbers = {place: cardinals.get(word, word) for place, word in enumerate(words)}
    return {place: digits for place, digits in numbers.items() if digits.isdecimal()}


def _find_noun(question: str) -> re.Match[str] | None:
    found = (_compile(pattern).fullmatch(question) for pattern in _WORDS.nouns)
    return next(filter(None, found), None)


def name_ones(text: str, last: str) -> str:
    """Put the noun of the last question in the place of *ones* and *of them*; return "" if there is none."""
    noun = _find_noun(last)
    named = _compile(_WORDS.ones).sub(noun["noun"], text, count=1) if noun else text
    return "" if named == text else named


def find_whole(text: str) -> str:
    """Return the stem of the noun in *over all years*, else ""."""
    found = _compile(_WORDS.wholes).fullmatch(text)
    return stem(found["noun"].casefold()) if found else ""


def raise_comparative(follow_up: FollowUp) -> FollowUp:
    """Read *which of the two has more rooms* as *the most rooms*."""
    more = _compile(rf"\b({'|'.join(_WORDS.superlatives)})\b(?! than\b)")
    rest = more.sub(lambda found: _WORDS.superlatives[found[0].casefold()], follow_up.rest)
    return replace(follow_up, rest=rest)


def asks_for_members(text: str) -> bool:
    """True for *which were built in 2010*, where no noun follows the question word."""
    words = list_words(text)
    return bool(words) and words[0] in _WORDS.members


def asks_whether(text: str) -> bool:
    """True for a question that *yes* or *no* answers."""
    return not _GRAMMAR.auxiliaries.isdisjoint(list_words(text)[:1])


def drop_question(text: str) -> str:
    """Drop the question words and auxiliaries before what is said: *do speak French*."""
    words = text.split()
    while words and words[0].casefold() in _CLAUSE | {*_WORDS.counted.split()}:
        words.pop(0)
    return " ".join(words)


def complete_question(text: str, last: str) -> str:
    """Complete *which soil does* and, after *is it larger?*, *by how much* by the last question; else ""."""
    new, old = _find_noun(text), _find_noun(last)
    if new and old and ends_with_auxiliary(text):
        return last.replace(old["asked"], new["asked"])
    is_phrase = _compile(_WORDS.phrases).fullmatch(text) is not None
    return f"{text} {last}" if is_phrase and asks_whether(last) else ""


def drop_negation(text: str) -> str:
    """Drop a *not* that stands before all that is said: one in the middle negates only what follows."""
    found = _compile(_WORDS.negation).search(text)
    if found is None or list_content(text[: found.start()]):
        return text
    return text[: found.start()] + text[found.end() :]


def has_bearing(fragment: str) -> bool:
    """True for *with a pool* and *having a pool*."""
    return fragment.partition(" ")[0].casefold() in _GRAMMAR.bearing


def list_spare(text: str) -> list[str]:
    """Return words that a reading may leave out: *office* and *sit* in *in which office does he sit*."""
    words = list_words(text)
    places = [place for place, word in enumerate(words) if word in _WORDS.pronouns]
    verbs = [place for place, word in enumerate(words) if word in _GRAMMAR.auxiliaries]
    start = places[0] + 1 if places else 0
    # *her direct predecessor* is asked for.
    is_owner = bool(places) and "owner" in get_roles(words[places[0]])
    return [*words[: min(verbs, default=0)], *(() if is_owner else words[start:])]


def ends_with_auxiliary(text: str) -> bool:
    """True for *and which soil does*, which repeats a verb of the last question."""
    return not _GRAMMAR.auxiliaries.isdisjoint(list_words(text)[-1:])


def read_group(text: str) -> list[str]:
    """Return the noun after *per* and *for each*; none if the rest of the text says something new."""
    words, silent = list_words(text), _WORDS.grouping | _WORDS.other_groups
    cues = [cue for cue in load_lexicon().find_cues(words) if cue.operator == _GROUP]
    if not cues:
        return []
    cue = max(cues, key=lambda found: (found.last, -found.first))
    if not silent.issuperset(list_content(" ".join(words[: cue.first]))):
        return []
    return [word for word in list_content(" ".join(words[cue.last :])) if word not in silent]


def read_distributive(text: str) -> str:
    """Return what stands before *each*, *per each* or *for each of them* at the end; else ""."""
    words = list_words(text)
    while words and (words[-1] in _WORDS.pronouns or words[-1] in _EMPTY):
        words.pop()
    cues = [cue for cue in load_lexicon().find_cues(words) if cue.operator == _GROUP]
    starts = [cue.first for cue in cues if cue.last == len(words)]
    return " ".join(words[: min(starts)]) if starts else ""


def make_questions(fragment: str) -> Iterator[str]:
    """Make questions of a fragment: *which are in Sales*, *which have a pool*."""
    _, _, rest = fragment.partition(" ")
    if rest and has_bearing(fragment):
        yield _WORDS.bearers + rest
    yield from (start + fragment for start in _WORDS.fragments)


def read_follow_up(question: str, last: str = "", skipped: Collection[str] = ()) -> FollowUp | None:
    """Read a question that follows the question ``last``; None if it stands alone.

    Rules that make an edit of ``skipped`` are not tried.
    """
    text = _END.sub("", " ".join(_COURTESY.sub("", question).split()))
    request = _REQUEST.match(text)
    text = text[request.end() :] if request else text
    body = _CLOSER.sub("", text) or text
    opener = _OPENER.match(body)
    is_marked = bool(opener) or body != text
    is_then = bool(_MOMENT.search(text[len(body) :]))
    body = body[opener.end() :].strip() if opener else body
    if not body:
        return None
    operation = find_operation(body, last, is_marked=is_marked)
    if operation:
        pronoun, _ = find_pronoun(body)
        return FollowUp(body, body, operation, "operate", pronoun, is_marked=is_marked)
    fit = replace(
        next(fit for fit in find_fits(body) if fit.makes not in skipped),
        is_marked=is_marked,
        is_then=is_then,
        is_request=bool(request),
    )
    if fit.rule != _CHANGE.name:
        return fit
    rest = fit.rest
    pronoun, is_bound = find_pronoun(rest)
    if not pronoun and is_clause(rest):
        rest = body
        pronoun, is_bound = find_pronoun(rest)
    if not (is_marked or pronoun or len(body.split()) <= _MAX_FRAGMENT or read_group(body)):
        return None
    return replace(fit, rest=rest, pronoun=pronoun, is_bound=is_bound)


def find_operation(text: str, last: str, *, is_marked: bool = True) -> str:
    """Return the operation on the last result that is all a text asks for.

    It may also have nouns of the last question, if it refers: *how many ships is that*.
    """
    refers = is_marked or find_pronoun(text)[0] != ""
    known = {*map(stem, (*_WORDS.persons, *list_words(last)))} if refers else set()
    for name, pattern in _WORDS.operations.items():
        cue = _compile(rf"\b(?:{pattern})\b")
        others = cue.sub(lambda found: found.groupdict().get("noun") or " ", text)
        if cue.search(text) and known.issuperset(map(stem, list_content(others))):
            # *Which ones have?* and *how many have one?* say more than the operation.
            # *Why is it the oldest?* asks for the proof, *why is it closed?* for a reason in the data.
            is_open = (name == MEMBERS and ends_with_auxiliary(text)) or (
                name == EXPLANATION and not _says_order(list_content(others))
            )
            return "" if is_open or _compile(_WORDS.bearing).search(text) else name
    return ""


def _says_order(words: Sequence[str]) -> bool:
    """True if each word is a superlative or the like, or if there is none."""
    return len(words) <= len({cue.first for cue in load_lexicon().find_cues([*words])})


def find_fits(body: str) -> Iterator[FollowUp]:
    for rule in _WORDS.rules:
        for pattern in rule.patterns:
            fit = _compile(pattern).fullmatch(body)
            if fit is not None:
                groups = fit.groupdict()
                parts = (groups.get(name) or "" for name in ("start", "rest"))
                rest = " ".join(" ".join(parts).split())
                old = " ".join(filter(None, (groups.get("old"), groups.get("word"))))
                yield FollowUp(body, rest, rule.name, rule.makes, old=old)


def find_pronoun(text: str) -> tuple[str, bool]:
    """Return the first word that refers, and whether the text may itself name what it means.

    *which countries export more than they import*
    """
    if read_shift(text):
        return "", False  # *the year before that*
    noun = _NOUN_AFTER.search(text)
    if noun is not None:
        return noun[0], False
    words = list_words(text)
    for place, word in enumerate(words):
        if word not in _WORDS.pronouns:
            continue
        if "place" in get_roles(word):
            is_last = _WORDS.totals.issuperset(words[place + 1 :])
            if place > 1 and is_last and words[place - 1] not in _GRAMMAR.auxiliaries:
                return word, False
            continue
        has_noun = any(w not in GRAMMAR_WORDS for w in words[1:place])
        roles = get_roles(word)
        is_object = "object" in roles and place == len(words) - 1  # *how many work for her*
        is_owner = "owner" in roles and not is_object and words[0] in _WORDS.noun_questions
        is_compared = words[place - 1] in _WORDS.comparisons and place < len(words) - 1
        return word, has_noun and (is_owner or is_compared)
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
