"""Cues of questions: operators, dimensions, synonyms, answer types and values.

Questions over tables and over graphs share most of them, and have some of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache

from .chapters import read_chapter
from .forms import stem
from .word_spans import WordSpan
from .words import WORDS

MAX_CUE_WORDS = 5
_MIN_VERB_LETTERS = 4
_GENERATION = "grand"
_VERB_ENDING = re.compile(r"(?:ings?|ed|es|e|s)$")


def strip_verb_ending(word: str) -> str:
    """Return what *manage*, *manages*, *managed* and *managing* have in common."""
    return _VERB_ENDING.sub("", word)


@dataclass(frozen=True, slots=True)
class Dimension:
    """A quantity that adjectives measure; ``extremes`` maps an operator to words of columns."""

    columns: frozenset[str]
    extremes: Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Cue(WordSpan):
    """A phrase of a question that may mean ``operator``: the words from ``first`` to before ``last``."""

    operator: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class PersonWords:
    """``nouns`` for persons that their endings do not tell, and ``things`` with the ending of a person.

    ``either`` are nouns for persons and firms. ``bearers`` are words of relations that only persons have,
    ``verbs`` what only persons do.
    """

    nouns: frozenset[str] = frozenset()
    things: frozenset[str] = frozenset()
    either: frozenset[str] = frozenset()
    bearers: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Lexicon:
    """``bearers`` maps the stem of a word of relations to stems of nouns for what has such a relation.

    ``fillers`` are words that a question can have or lack with one meaning, ``decisive`` are words
    without which it means something else. ``light_verbs`` say little beside their object, ``verbs`` are
    forms that their endings do not tell. ``row_nouns`` and ``person_nouns`` are stems of nouns for any row,
    and for a row that is a person. ``directions`` are words of columns for the ends of a way, by the
    preposition of such an end. ``concepts`` are groups of words that can name one relation, ``roles`` pairs
    of groups of nouns for its two ends, ``role_verbs`` those of these nouns that are verbs too, ``actors``
    maps *pupil* to *teacher*, ``symmetric`` are stems of words of relations without a direction,
    ``irregular`` maps forms of verbs to the verb, ``siblings`` are words for other children of the same
    parents. ``event_verbs`` begin or end a fact of their own relation, ``places`` are stems of nouns for
    places. ``bearers`` and ``concepts`` to ``places`` are for graphs, ``opposites`` of columns of yes and no,
    ``verbs``, the nouns and directions for tables.
    """

    operators: Mapping[str, tuple[str, ...]]
    dimensions: Mapping[str, Dimension]
    synonyms: Mapping[str, frozenset[str]]
    answer_types: Mapping[str, frozenset[str]]
    values: Mapping[str, tuple[str, ...]]
    bearers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    opposites: Mapping[str, frozenset[str]] = field(default_factory=dict)
    fillers: frozenset[str] = frozenset()
    decisive: frozenset[str] = frozenset()
    light_verbs: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    row_nouns: frozenset[str] = frozenset()
    person_nouns: frozenset[str] = frozenset()
    directions: Mapping[str, frozenset[str]] = field(default_factory=dict)
    concepts: tuple[tuple[str, ...], ...] = ()
    roles: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    irregular: Mapping[str, str] = field(default_factory=dict)
    role_verbs: frozenset[str] = frozenset()
    actors: Mapping[str, str] = field(default_factory=dict)
    symmetric: frozenset[str] = frozenset()
    siblings: frozenset[str] = frozenset()
    persons: PersonWords = PersonWords()
    event_verbs: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()

    def find_cues(self, words: Sequence[str]) -> Iterator[Cue]:
        """Yield every cue in ``words``, and the operators that adjectives of dimensions imply."""
        for first in range(len(words)):
            for last in range(first + 1, min(first + MAX_CUE_WORDS, len(words)) + 1):
                for operator in self.operators.get(" ".join(words[first:last]), ()):
                    yield Cue(operator, first, last)
            if words[first : first + 2] in (("how", "much"), ("how", "many")):
                yield from self._find_difference(words, first)
            dimension = self.dimensions.get(words[first])
            for operator in dimension.extremes if dimension else ():
                yield Cue(operator, first, first + 1)

    def _find_difference(self, words: Sequence[str], first: int) -> Iterator[Cue]:
        """*how much heavier … than*, *how many points more … than*, *how many years older … than*."""
        if "than" not in words[first:]:
            return
        for place, word in enumerate(words[first + 2 : first + 4], first + 2):
            if word in self.dimensions or (word == "more" and place > first + 2):
                yield Cue("difference", first, place + 1)
                return

    def related_words(self, word: str) -> frozenset[str]:
        """Return the words of columns and relations that ``word`` may mean.

        Another form of a verb of the lexicon means the same: *report* and *reports*.
        """
        dimension = self.dimensions.get(word)
        measured = dimension.columns if dimension else frozenset[str]()
        selected = dimension.extremes.values() if dimension else ()
        synonyms = self.synonyms.get(word)
        if synonyms is None and dimension is None:
            synonyms = self._synonyms_by_verb.get(strip_verb_ending(word))
        return (synonyms or frozenset()).union(measured, *selected)

    def share_concept(self, word: str, other: str) -> bool:
        """True if both words, in any form, can name one relation: *runs* and *operated*."""
        return not self.find_concepts(word).isdisjoint(self.find_concepts(other))

    def concept_words(self, word: str) -> frozenset[str]:
        """Return the words that can name one relation with ``word``."""
        groups = (self.concepts[number] for number in self.find_concepts(word))
        return frozenset(synonym for group in groups for synonym in group)

    def find_concepts(self, word: str) -> frozenset[int]:
        """Return the numbers of the groups that have a form of ``word``, or this word of two: *came out*."""
        return self._groups_by_form.get(self._strip_forms(word), _NO_GROUPS)

    def are_forms(self, word: str, other: str) -> bool:
        """True for two forms of an irregular verb: *shown* and *show*."""
        forms = self.irregular.get(word, word), self.irregular.get(other, other)
        return forms != (word, other) and _strip_forms(forms[0]) == _strip_forms(forms[1])

    def _strip_forms(self, word: str) -> str:
        first, *rest = word.split(" ")
        return " ".join((_strip_forms(self.irregular.get(first, first)), *rest))

    @cached_property
    def _groups_by_form(self) -> Mapping[str, frozenset[int]]:
        groups: dict[str, set[int]] = {}
        for number, group in enumerate(self.concepts):
            for word in group:
                groups.setdefault(self._strip_forms(word), set()).add(number)
        return {form: frozenset(numbers) for form, numbers in groups.items()}

    def has_person(self, stems: Iterable[str]) -> bool:
        """True if one of the stems is a noun for persons, or ends as *keeper* does."""
        return any(s in self.person_nouns or s.endswith(WORDS.endings.agents) for s in stems)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Words that mean the same as others."""
        return frozenset(self.synonyms).union(*self.synonyms.values())

    @cached_property
    def _synonyms_by_verb(self) -> dict[str, frozenset[str]]:
        forms: dict[str, frozenset[str]] = {}
        for word, synonyms in self.synonyms.items():
            verb = strip_verb_ending(word)
            if len(verb) >= _MIN_VERB_LETTERS and (verb != word or word[-1] == "e"):
                forms[verb] = forms.get(verb, frozenset()) | synonyms
        return forms


_NO_GROUPS: frozenset[int] = frozenset()


def strip_generation(word: str) -> str:
    """Return *child* for *grandchild*, which takes two steps."""
    rest = word.removeprefix(_GENERATION)
    return rest if len(rest) > 2 else word


def skips_generation(word: str) -> bool:
    return strip_generation(word) != word


@lru_cache(maxsize=1 << 14)
def _strip_forms(word: str) -> str:
    """Return what *stop*, *stops* and *stopped* have in common."""
    form = strip_verb_ending(stem(word))
    if len(form) >= _MIN_VERB_LETTERS and form[-1] == form[-2] and form[-1] not in "sle":
        form = form[:-1]
    return form[:-1] + "y" if form.endswith("i") else form


EXTREMES = ("highest", "lowest", "latest", "earliest")
UPPER_EXTREMES = frozenset(("highest", "latest"))
BOUND_OPERATORS = {"more_than": ">", "less_than": "<", "at_least": ">=", "at_most": "<="}


@cache
def load_lexicon() -> Lexicon:
    """Load the lexicon for questions over tables."""
    tables, own = read_chapter("questions"), read_chapter("tables")
    return Lexicon(
        _operators_by_phrase(tables["operators"]),
        _add_comparatives(
            {word: _dimension(entry) for word, entry in tables["dimensions"].items()}
        ),
        _join_words(
            _join_words(tables["synonyms"], own["synonyms"]),
            _relate_nouns(tables["nouns"]["groups"], own["nouns"]["collections"]),
        ),
        _join_words(tables["answer_types"], {}),
        {word: tuple(words) for word, words in tables["values"].items()},
        opposites=_join_words(tables["opposites"], {}),
        fillers=frozenset(tables["fillers"]["words"]),
        decisive=frozenset(tables["decisive"]["words"]),
        light_verbs=frozenset(tables["light_verbs"]["words"]),
        verbs=frozenset(own["verbs"]["words"]),
        row_nouns=_stems_of_nouns(own["nouns"]["rows"]),
        person_nouns=_stems_of_nouns(own["nouns"]["persons"]),
        directions=_join_words(own["directions"], {}),
    )


@cache
def load_graph_lexicon() -> Lexicon:
    """Load the lexicon for questions over graphs."""
    shared, tables = read_chapter("questions"), read_chapter("graphs")
    lexicon = load_lexicon()
    return Lexicon(
        _operators_by_phrase(_join_words(shared["operators"], tables["operators"])),
        lexicon.dimensions,
        _join_words(shared["synonyms"], tables["synonyms"]),
        _join_words(shared["answer_types"], tables["answer_types"]),
        lexicon.values,
        {stem(word): _stems_of_nouns(nouns) for word, nouns in tables["bearers"].items()},
        lexicon.opposites,
        lexicon.fillers | frozenset(tables["fillers"]["words"]),
        lexicon.decisive | frozenset(tables["decisive"]["words"]),
        lexicon.light_verbs | frozenset(tables["light_verbs"]["words"]),
        concepts=tuple(
            tuple(group) for group in (*tables["concepts"]["groups"], *shared["nouns"]["groups"])
        ),
        irregular={form: verb for verb, forms in tables["irregular"].items() for form in forms},
        siblings=frozenset(tables["siblings"]["words"]),
        role_verbs=frozenset(tables["roles"]["verbs"]),
        actors={other: actor for actor, other in tables["roles"]["converses"]},
        symmetric=_stems_of_nouns(tables["symmetric"]["words"]),
        roles=tuple((tuple(actors), tuple(others)) for actors, others in tables["roles"]["pairs"]),
        places=_stems_of_nouns(tables["places"]["nouns"]),
        event_verbs=frozenset(tables["event_verbs"]["words"]),
        persons=PersonWords(
            **{name: frozenset(words) for name, words in tables["persons"].items()}
        ),
    )


def _operators_by_phrase(table: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    operators: dict[str, list[str]] = {}
    for operator, phrases in table.items():
        for phrase in phrases:
            operators.setdefault(phrase, []).append(operator)
    return {phrase: tuple(names) for phrase, names in operators.items()}


def _join_words(
    first: Mapping[str, Iterable[str]], second: Mapping[str, Iterable[str]]
) -> dict[str, frozenset[str]]:
    return {
        word: frozenset((*first.get(word, ()), *second.get(word, ()))) for word in (*first, *second)
    }


def _relate_nouns(
    groups: Iterable[Sequence[str]], collections: Mapping[str, Sequence[str]]
) -> dict[str, frozenset[str]]:
    """Map both forms of each noun to the stems of the others of its groups, and of its collections."""
    related: dict[str, frozenset[str]] = {}
    for group in groups:
        for noun in group:
            others = _stems_of_nouns([synonym for synonym in group if synonym != noun])
            for form in (noun, _form_plural(noun)):
                related[form] = related.get(form, frozenset()) | others
    for collection, members in collections.items():
        for member in members:
            for form in (member, _form_plural(member)):
                related[form] = related.get(form, frozenset()) | {stem(collection)}
    return related


def _form_plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def _add_comparatives(dimensions: dict[str, Dimension]) -> dict[str, Dimension]:
    """Add *longer* for *longest*, with the same meaning."""
    superlatives = (word for word in dimensions if word.endswith("est"))
    return {**{f"{word[:-2]}r": dimensions[word] for word in superlatives}, **dimensions}


def _stems_of_nouns(nouns: Sequence[str]) -> frozenset[str]:
    """Return the stems of singular and plural, which differ for *movie* and *movies*."""
    return frozenset(stem(form) for noun in nouns for form in (noun, _form_plural(noun)))


def _dimension(entry: Mapping[str, str | list[str]]) -> Dimension:
    columns = frozenset(entry.get("columns", ()))
    extremes = {name: frozenset(entry[name]) for name in EXTREMES if name in entry}
    if "extreme" in entry:
        extreme = str(entry["extreme"])
        extremes[extreme] = extremes.get(extreme, frozenset()) | columns
    return Dimension(columns, extremes)
