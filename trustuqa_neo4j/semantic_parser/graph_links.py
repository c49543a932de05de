"""Links the words of a question to names and relations of a graph.

Names: whole names first, the longest spans before the parts of them; then similar names for capitalised or
long words that nothing else explains. Relations: by their words, synonyms of the lexicon and common stems.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import combinations, takewhile

from rapidfuzz.distance import OSA

from ..demonstrations.words import split_question, stem_similarity
from ..lexicon.forms import join_singular, stem
from ..lexicon.lexicon import Lexicon, load_graph_lexicon
from ..lexicon.word_spans import WordSpan, collect_positions
from ..lexicon.words import WORDS
from ..matching import normalize_name, split_words
from .graph_equivalents import EquivalentHops
from .graph_persons import names_subject
from .graph_view import GraphView, Hop, Neighbourhood, NodeName, split_own_name
from .question import GRAMMAR_WORDS, PlainQuestion
from .relation_words import (
    CONCEPT,
    FORM,
    INVERSE_SYNONYM,
    find_initials,
    is_related,
    match_words,
    select_content_words,
    word_similarity,
)
from .spelling import is_misspelt

MAX_NAME_WORDS, MAX_LINKS, MAX_SIMILAR = 10, 9, 3
_MIN_LETTERS = 5  # of a span that is compared with similar names
_MIN_SIMILARITY = 0.6
_PREPOSITION = 0.3  # strength of the preposition of a relation
_KINDS = WORDS.nouns.kinds
_TYPE_RELATIONS = WORDS.nouns.type_relations
_LETTERS_PER_ERROR = 3
_PLURAL_SCORE, _PARTIAL_SCORE = 0.95, 0.7
SURE_STRENGTH = 0.7  # of a word that surely says a relation
_MAX_NOUNS = 4  # beside a name: *other authorities and officials of Oman*
_QUALIFIERS = frozenset(("of", "from"))
_MORE, _FEWER = 0.21, 0.5  # strength of words, or unsaid words, by which one event is meant
WRITTEN = 0.8  # strength of a synonym or more, of no word that only belongs to the same things
_MIN_ROOT, _MAX_ENDING = 4, 2  # letters of the forms of a word
_RELATIVES = WORDS.grammar.relative_pronouns  # *the director who directed it*
_MAX_PARTIAL, _MAX_NEIGHBOURS = 4, 200  # links to parts of names; compared facts of a hop
PERSONS = WORDS.nouns.persons


ORGANISATIONS = WORDS.nouns.organisations
THINGS = WORDS.nouns.things
_ACTS = (*WORDS.endings.agents, "s")
PLACES = WORDS.nouns.places


@dataclass(frozen=True, slots=True)
class NameLink(WordSpan):
    """The words from ``first`` to before ``last`` as a name of the data; ``nodes`` have this name.

    *painters* are a plural of the name ``Painter`` of a class, or of the common noun ``tenor``.
    """

    first: int
    last: int
    name: str
    nodes: tuple[int, ...]
    tier: str
    score: float
    is_marked: bool = False
    is_inside: bool = False  # of a longer name
    is_plural: bool = False

    def overlaps(self, other: NameLink) -> bool:
        return self.first < other.last and other.first < self.last


def _drop_verb(question: PlainQuestion, nouns: frozenset[int]) -> frozenset[int]:
    """Drop what stands after a plural: *keepers work* is a noun and a verb, *sports clubs* are a noun."""
    ordered = sorted(nouns)
    plurals = [p for p in ordered if question.words[p].endswith("s") and _is_plural(question, p)]
    return frozenset(p for p in ordered if not plurals or p <= plurals[-1])


def _find_counted(question: PlainQuestion) -> frozenset[int]:
    """Return the position of *games* in *the number of games*."""
    words = question.words
    starts = (p + 2 for p in range(len(words) - 1) if words[p : p + 2] == ("number", "of"))
    return frozenset(start for start in starts if start < len(words))


def _is_plural(question: PlainQuestion, position: int) -> bool:
    return question.stems[position] != question.words[position]


def is_common_noun(name: str) -> bool:
    """True for *tarn otter*, which has a plural, and not for a proper name."""
    return name == name.lower()


@lru_cache(maxsize=1 << 12)
def is_type_relation(relation: str) -> bool:
    """True for *type*, *isA*, *instance of* and *ship type*, whose tails are classes."""
    return " ".join(split_words(relation)) in _TYPE_RELATIONS or bool(_typed_noun(relation))


def _typed_noun(relation: str) -> tuple[str, ...]:
    """Return the noun for what has the relation: ``ship`` of *ship type*."""
    *noun, last = split_words(relation) or [""]
    is_type = last in _KINDS and "." not in relation and not {*noun} & GRAMMAR_WORDS
    return tuple(noun) if is_type else ()


@lru_cache(maxsize=1 << 12)
def names_head(relation: str) -> bool:
    """True for *editor of*, whose noun says what has the relation."""
    return split_words(relation)[-1:] == ["of"]


@dataclass(frozen=True, slots=True)
class RelationMatch:
    """How the words of a question match those of a relation: position → strength.

    ``own`` are matches of the last part of the name (``film`` of ``film.director.film``), ``domain`` of the
    part before it, which says what has the relation, and ``context`` of all parts before the last;
    ``bearers`` are positions of nouns for what has the relation. ``share`` is how much of the own words is
    matched. ``preposition`` is the last word of *located in*, which may stand before a name: *ports in
    Norvane*. ``fits_tail`` and ``fits_head`` say at which end the question word fits: *who* for a director,
    *where* for a place.
    """

    own: Mapping[int, float] = field(default_factory=dict)
    domain: Mapping[int, float] = field(default_factory=dict)
    context: Mapping[int, float] = field(default_factory=dict)
    bearers: frozenset[int] = frozenset()
    share: float = 0.0
    preposition: str = ""
    fits_tail: bool = False
    fits_head: bool = False

    def fits_question_word(self, forward: bool) -> bool:
        return self.fits_tail if forward else self.fits_head

    def strength(self, excluded: frozenset[int]) -> float:
        return sum(value for position, value in self.own.items() if position not in excluded)

    def context_strength(self, excluded: frozenset[int]) -> float:
        positions = self.context.keys() - self.own.keys() - excluded
        return sum(self.context[position] for position in positions)


PREPOSITIONS = WORDS.grammar.prepositions
ARTICLES = WORDS.grammar.articles
_DETERMINERS = ARTICLES | WORDS.grammar.determiners | WORDS.grammar.alternatives


@dataclass
class GraphLinks:
    """The links of a question; relations are matched when they are first asked for.

    ``relation_positions`` are the words that can name some relation of the graph, ``written_positions`` those
    that it has as such, or as a synonym that means nothing else. ``named_relations`` are, by position, the
    relations of this very name; ``timed_relations`` those whose facts have a time, ``relations`` all.
    ``acts`` are events around the names: facts of one day, whose heads act. ``equivalents`` mean the same.
    """

    question: PlainQuestion
    names: tuple[NameLink, ...]
    relation_positions: frozenset[int] = frozenset()
    written_positions: frozenset[int] = frozenset()
    named_relations: Mapping[int, frozenset[str]] = field(default_factory=dict)
    timed_relations: frozenset[str] = frozenset()
    relations: tuple[str, ...] = ()
    acts: frozenset[str] = frozenset()
    equivalents: EquivalentHops = field(default_factory=EquivalentHops)
    _matches: dict[str, RelationMatch] = field(default_factory=dict)

    @cached_property
    def _named(self) -> frozenset[int]:
        """The positions of names as they are written."""
        return collect_positions(link for link in self.names if link.tier != "similar")

    @cached_property
    def named_beside_head(self) -> frozenset[int]:
        """The positions of names, apart from the noun that is asked for: *a person*, if a node is Person."""
        exact = collect_positions(link for link in self.names if link.tier == "name")
        return exact - self.question.head

    @cached_property
    def nouns(self) -> frozenset[int]:
        """The positions of the noun that is asked for: *which ships*, *the head of …*, *Ann's mentor*."""
        question, words = self.question, self.question.words
        place = words.index("who") + 1 if question.kind == "who" and "who" in words else 0
        is_verb = (
            place > 0 and words[place : place + 1] and words[place] not in WORDS.grammar.auxiliaries
        )
        has_noun = not is_verb and question.kind not in ("where", "when")
        heads = question.head | question.row_noun if has_noun else frozenset[int]()
        counted = _find_counted(question) if question.kind == "how many" else frozenset[int]()
        nouns = _drop_verb(question, ((heads | counted) & question.content) - self._named)
        if nouns or is_verb:
            return nouns
        return frozenset(
            p
            for p in question.content - self._named
            if words[p + 1 : p + 2] == ("of",) or (words[p - 1] == "s" and p - 2 in self._named)
        )

    @cached_property
    def lesser_acts(self) -> frozenset[str]:
        """Events that another one is meant instead of: more words, or more of its words, say the other.

        *threaten* says *Threaten*, and not *Threaten with sanctions*.
        """
        said = {relation: self._weigh_words(relation) for relation in self.acts}
        return frozenset(
            relation
            for relation, (words, strength, unsaid) in said.items()
            if any(
                words < others
                or (words == others and strength < more - _MORE)
                or (words == others and strength < more + _MORE and unsaid > fewer + _FEWER)
                for others, more, fewer in said.values()
            )
        )

    def _weigh_words(self, relation: str) -> tuple[frozenset[int], float, float]:
        """Return the words that say a relation, how surely, and how many of its words nothing says."""
        question, lexicon = self.question, self.question.lexicon
        sure = {p: s for p, s in self.match(relation).own.items() if s >= SURE_STRENGTH}
        words = sure.keys() - self._named
        unsaid = sum(
            1 - max((word_similarity(lexicon, question.words[p], name) for p in words), default=0)
            for name in select_content_words(split_words(relation.partition("(")[0]))
            if name not in lexicon.light_verbs
        )
        return frozenset(words), sum(sure[p] for p in words), unsaid

    @cached_property
    def has_clause(self) -> bool:
        """True for *who met the ministers that visited Bonn*."""
        return sum(word in _RELATIVES for word in self.question.words) > 1

    @cached_property
    def asks_place(self) -> bool:
        """True for *in which valley*."""
        question = self.question
        return any(question.stems[p] in question.lexicon.places for p in self.nouns)

    @cached_property
    def free_nouns(self) -> frozenset[int]:
        """The positions of a noun that is asked for, and that no relation of the graph has.

        A misspelt word of the lexicon is none: *numbr of ships*.
        """
        words = self.question.words
        return frozenset(
            p for p in self.nouns - self.relation_positions if not is_misspelt(words[p])
        )

    def says_other(self, position: int, relation: str, strength: float) -> bool:
        """True if a word says another relation than ``relation``, and this as surely as ``strength``."""
        said = self._relations_by_position.get(position, ())
        return any(own >= strength for other, own in said if other != relation)

    @cached_property
    def _relations_by_position(self) -> Mapping[int, list[tuple[str, float]]]:
        """The relations that each word says, with how surely."""
        relations: dict[int, list[tuple[str, float]]] = {}
        for relation in self.relations:
            for position, strength in self.match(relation).own.items():
                relations.setdefault(position, []).append((relation, strength))
        return relations

    def match(self, relation: str) -> RelationMatch:
        if relation not in self._matches:
            match = self._drop_likenesses(match_relation(self.question, relation), relation)
            self._matches[relation] = self._move_subjects(match, relation)
        return self._matches[relation]

    def _drop_likenesses(self, match: RelationMatch, relation: str) -> RelationMatch:
        """Drop matches with a word that another relation is called: *manages* does not mean *coaches*."""
        own = {
            p: strength
            for p, strength in match.own.items()
            if strength >= FORM or relation in self.named_relations.get(p, (relation,))
        }
        return match if len(own) == len(match.own) else replace(match, own=own)

    def _move_subjects(self, match: RelationMatch, relation: str) -> RelationMatch:
        """In *which plants are toxic*, *plants* are no words for *grows in*, but have this relation."""
        words = self.question.words
        subjects = frozenset(
            p
            for p, strength in match.own.items()
            if strength in (CONCEPT, INVERSE_SYNONYM)
            and p in self.nouns
            and ARTICLES.isdisjoint(words[p + 1 : p + 2])  # *visits the port*: a verb
            and names_subject(self.question.lexicon, words[p], relation)
        )
        if not subjects:
            return match
        own = {p: strength for p, strength in match.own.items() if p not in subjects}
        share = match.share if own else 0.0
        return replace(match, own=own, bearers=match.bearers | subjects, share=share)

    def has_preposition(self, relation: str, link: NameLink) -> bool:
        """True if the last word of *located in* stands before the name."""
        before = self.find_word_before(link)
        return before >= 0 and self.question.words[before] == self.match(relation).preposition

    def find_word_before(self, link: NameLink) -> int:
        """Return the position of the word before a name and its determiners, negative if there is none."""
        before = link.first - 1
        while before >= 0 and self.question.words[before] in _DETERMINERS:
            before -= 1
        return before

    def strength(self, hop: Hop, link: NameLink) -> float:
        match = self.match(hop.relation)
        context = match.context_strength(link.positions)
        is_before = not hop.forward and self.has_preposition(hop.relation, link)
        return match.strength(link.positions) + 0.5 * context + _PREPOSITION * is_before


def find_asked_classes(links: GraphLinks) -> frozenset[int]:
    """Return the positions of the classes that are asked for: *clerks* in *which clerks …*."""
    head = links.question.head
    return collect_positions(n for n in links.names if n.is_plural and n.positions <= head)


def find_mentions(links: GraphLinks, relation: str, named: frozenset[int]) -> list[int]:
    """Return the positions of words that surely say a relation, but for those in ``named``.

    The noun that is asked for is none, but *the pupils of the pupils of Ann* and *the mentor of Ann's mentor*
    say two steps.
    """
    words, match = links.question.words, links.match(relation)
    links_on = {("of",), (match.preposition,)}  # *which clerk reports to Ann*
    asked = {p for p in links.nouns if words[p + 1 : p + 2] not in links_on and words[p - 1] != "s"}
    sure = {p for p, strength in match.own.items() if strength >= SURE_STRENGTH}
    return sorted(sure - named - asked)


def is_said_twice(links: GraphLinks, relation: str, named: frozenset[int]) -> bool:
    """True for *directed by the director*; *the director who directed it* says one step."""
    words, own = links.question.words, links.match(relation).own
    return any(
        not {*words[first + 1 : last]} <= _RELATIVES
        and not {*range(first + 1, last)} <= own.keys()  # *principal guest conductor*
        and words[first + 1 : last] != ("of",)  # *date of release*
        and (
            _are_forms(links, first, last)
            # *wrote the screenplay* says one step.
            or (
                min(own[first], own[last]) >= WRITTEN and not {*words[first + 1 : last]} <= ARTICLES
            )
        )
        for first, last in combinations(find_mentions(links, relation, named), 2)
    )


def _are_forms(links: GraphLinks, first: int, last: int) -> bool:
    """True for *mentors* and *mentor*, *trained* and *trainer*."""
    irregular = links.question.lexicon.irregular
    words = [
        irregular.get(word, word) for word in map(links.question.words.__getitem__, (first, last))
    ]
    shared = takewhile(lambda pair: pair[0] == pair[1], zip(*words, strict=False))
    common = sum(1 for _ in shared)
    return common >= _MIN_ROOT and common >= min(map(len, words)) - _MAX_ENDING


def link_graph(question: PlainQuestion, view: GraphView) -> GraphLinks:
    question = replace(question, lexicon=load_graph_lexicon())
    links = _choose_links(question, list(_link_names(question, view)))
    links = [*links, *_link_qualified_names(question, view, links)]
    explained = collect_positions(links)
    relation_positions = _relation_positions(question, view)
    similar = _link_similar_names(question, view, explained | relation_positions)
    written = _written_positions(question, view)
    named = _named_relations(question, view)
    timed = frozenset(name for name, relation in view.relations.items() if relation.held)
    names, relations = (*links, *similar), tuple(view.relations)
    return GraphLinks(question, names, relation_positions, written, named, timed, relations)


def _link_names(question: PlainQuestion, view: GraphView) -> Iterator[NameLink]:
    spans = dict(_name_spans(question))
    marked = question.marked_spans
    has_classes = any(map(is_type_relation, view.relations))
    plurals = _find_plurals(question, spans)
    matches = view.find_names(list(dict.fromkeys((*spans.values(), *plurals))))
    by_text: dict[str, dict[tuple[str, str], list[int]]] = {}
    for match in matches:
        tiers = by_text.setdefault(match.text, {})
        tiers.setdefault((match.tier, match.name), []).append(match.node)
    for (first, last), text in spans.items():
        entries = by_text.get(text, {})
        called = {name for tier, name in entries if tier == "name"}
        for (tier, name), nodes in entries.items():
            if tier == "name" or name not in called:
                is_marked = (first, last) in marked
                yield NameLink(first, last, name, tuple(nodes), tier, 1.0, is_marked)
    for match in matches:
        if not (has_classes or is_common_noun(match.name)):
            continue
        for span in plurals.get(match.text, ()):
            if spans[span] not in by_text:
                yield NameLink(
                    *span, match.name, (match.node,), "similar", _PLURAL_SCORE, is_plural=True
                )


def _find_plurals(
    question: PlainQuestion, spans: Iterable[tuple[int, int]]
) -> dict[str, list[tuple[int, int]]]:
    """Return the spans that end with a plural, by their text with a singular there."""
    plurals: dict[str, list[tuple[int, int]]] = {}
    for first, last in spans:
        if question.stems[last - 1] != question.words[last - 1]:
            words = question.words[first:last]
            plurals.setdefault(join_singular(words), []).append((first, last))
    return plurals


def _name_spans(question: PlainQuestion) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the spans that may be a name, with their normalized text; marked names alone where there are."""
    parts = split_question(question.text)
    marked = question.marked_spans
    inside = frozenset(p for first, last in marked for p in range(first, last))
    for first in range(len(parts.words)):
        for last in range(first + 1, min(first + MAX_NAME_WORDS, len(parts.words)) + 1):
            span = (first, last)
            if span not in marked:
                if inside.intersection(range(first, last)) or not _may_be_name(question, *span):
                    continue
                yield span, normalize_name(parts.text_between(first, last))
            else:
                yield span, normalize_name(marked[span])


def _may_be_name(question: PlainQuestion, first: int, last: int) -> bool:
    """A span of words of grammar alone is a name only if they are capitalised, as in *It*."""
    if any(position in question.content for position in range(first, last)):
        return True
    return first > 0 and all(question.written[p][:1].isupper() for p in range(first, last))


def _choose_links(question: PlainQuestion, links: list[NameLink]) -> list[NameLink]:
    """Choose whole spans first, the longest before others; then some parts of them."""

    def order(link: NameLink) -> tuple[bool, int, int, bool]:
        capitals = sum(question.written[p][:1].isupper() for p in link.positions)
        return not link.is_marked, -(link.last - link.first), -capitals, link.tier != "name"

    chosen: list[NameLink] = []
    parts: list[NameLink] = []
    for link in sorted(links, key=order):
        is_part = any(
            link.positions < longer.positions or (link.overlaps(longer) and longer.is_marked)
            for longer in chosen
            if longer.positions != link.positions
        )
        if is_part:
            parts.append(replace(link, is_inside=True))
        else:
            chosen.append(link)
    return [*chosen[:MAX_LINKS], *parts[: max(2, MAX_LINKS // 2 - len(chosen))]]


def _relation_positions(question: PlainQuestion, view: GraphView) -> frozenset[int]:
    """Return the positions of words that relations of the graph have, as such or as a synonym."""
    relations = tuple(sorted(view.relations))
    vocabulary, concepts = _relation_stems(relations), _relation_concepts(relations)
    lexicon = question.lexicon
    nouns = {noun for word in vocabulary for noun in lexicon.bearers.get(word, ())}
    return frozenset(
        position
        for position, word in enumerate(question.words)
        if question.stems[position] in vocabulary
        or question.stems[position] in nouns
        or any(stem(related) in vocabulary for related in lexicon.related_words(word))
        or (word not in lexicon.light_verbs and lexicon.find_concepts(word) & concepts)
    )


def _written_positions(question: PlainQuestion, view: GraphView) -> frozenset[int]:
    """Return the positions of words that relations of the graph have as such, or as a synonym."""
    vocabulary = _relation_stems(tuple(sorted(view.relations)))
    lexicon = question.lexicon
    return frozenset(
        position
        for position, word in enumerate(question.words)
        if question.stems[position] in vocabulary
        or (
            word not in lexicon.light_verbs
            and any(stem(related) in vocabulary for related in lexicon.related_words(word))
        )
    )


def _named_relations(question: PlainQuestion, view: GraphView) -> dict[int, frozenset[str]]:
    """Return, by position, the relations that are called like the word: *has manager*.

    The noun that is asked for may be any; elsewhere it is who acts, since *published by* is not *published*.
    """
    places: dict[str, list[int]] = {}
    for position, word in enumerate(question.stems):
        places.setdefault(word, []).append(position)
    called: dict[int, set[str]] = {}
    for relation in view.relations:
        words = split_own_name(relation)
        if not words or words[:-1] not in ((), ("has",)):
            continue
        for position in places.get(stem(words[-1]), ()):
            if position in question.asked_noun or words[-1].endswith(_ACTS):
                called.setdefault(position, set()).add(relation)
    return {position: frozenset(relations) for position, relations in called.items()}


@lru_cache(maxsize=16)
def _relation_concepts(relations: tuple[str, ...]) -> frozenset[int]:
    return frozenset[int]().union(
        *map(load_graph_lexicon().find_concepts, _relation_stems(relations))
    )


@lru_cache(maxsize=16)
def _relation_stems(relations: tuple[str, ...]) -> frozenset[str]:
    return frozenset(
        stem(word) for relation in relations for word in split_words(relation.replace(".", " "))
    )


def _link_similar_names(
    question: PlainQuestion, view: GraphView, explained: frozenset[int]
) -> list[NameLink]:
    generic = PERSONS | THINGS | ORGANISATIONS  # *which person* is no misspelt name
    spans = [
        span
        for span in _unexplained_spans(question, explained)
        if not {*question.words[slice(*span)]} <= generic
    ]
    links: list[NameLink] = []
    for first, last in spans[:MAX_SIMILAR]:
        text = " ".join(question.written[first:last])
        links += [
            NameLink(
                *_trim(question, first, last, match.name),
                match.name,
                (match.node,),
                "similar",
                match.score,
            )
            for match in _most_similar(view.find_similar_names(text))
            if match.score >= _MIN_SIMILARITY and _may_be_misspelt(text, match.name)
        ]
    return links


def _link_qualified_names(
    question: PlainQuestion, view: GraphView, links: Sequence[NameLink]
) -> list[NameLink]:
    """Link *citizens of Oman*, *Oman's navy* and *Thai student* to names such as ``Citizen (Oman)``."""
    adjectives = {
        name: position
        for position in question.content & question.names
        for name in question.lexicon.values.get(question.words[position], ())
    }
    places = [(link.first, link.last, link.name) for link in links]
    places += [
        (position, position + 1, match.name)
        for match in (view.find_names([*adjectives]) if adjectives else ())
        for position in (adjectives[match.text],)
    ]
    found: list[NameLink] = []
    for first, last, place in places:
        for span in _noun_spans_beside(question, first, last):
            nouns = [question.words[p] for p in range(*span)]
            text = f"{' '.join(nouns)} {place}"
            names = [
                match
                for match in view.find_similar_names(text)
                if _is_qualified(question.lexicon, match.name, nouns, place)
            ]
            if names:
                ends = min(first, span[0]), max(last, span[1])
                best = min(names, key=lambda match: len(match.name))
                found.append(NameLink(*ends, best.name, (best.node,), "similar", _PLURAL_SCORE))
                break
    return found


def _noun_spans_beside(question: PlainQuestion, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the nouns before *of* or *from* and a name, or after the name, the longest first."""
    words = question.words
    start = first - (words[first - 1 : first] == ("the",))
    begin, sizes = last + (words[last : last + 1] == ("s",)), range(_MAX_NOUNS, 0, -1)
    if start > 1 and words[start - 1] in _QUALIFIERS:
        spans = [(start - 1 - size, start - 1) for size in sizes if size < start]
    else:
        spans = [(begin, begin + size) for size in sizes if begin + size <= len(words)]
    ends = ({begin, end - 1} for begin, end in spans)
    yield from (span for span, own in zip(spans, ends, strict=True) if own <= question.content)


def _is_qualified(lexicon: Lexicon, name: str, nouns: Sequence[str], place: str) -> bool:
    """True if the name has all nouns, and the place in brackets."""
    title, bracket, qualifier = name.rpartition(" (")
    return (
        bool(bracket)
        and normalize_name(qualifier.rstrip(")")) == normalize_name(place)
        and all(
            max((word_similarity(lexicon, noun, word) for word in split_words(title)), default=0)
            >= WRITTEN
            for noun in nouns
        )
    )


def _trim(question: PlainQuestion, first: int, last: int, name: str) -> tuple[int, int]:
    """Leave out words at the end of a span that are none of the name: *citizens of Oman first denounce*."""
    words = [*map(stem, split_words(name))]
    said = [
        p
        for p in range(first, last)
        if any(stem_similarity(question.stems[p], word) for word in words)
    ]
    end = max(said, default=first) + 1
    is_followed = any(
        p in question.content and question.written[p][:1].islower() for p in range(end, last)
    )
    return (first, end) if len(said) >= len(words) and is_followed else (first, last)


def link_partial_names(links: GraphLinks, hood: Neighbourhood) -> list[NameLink]:
    """Link other words to names beside the linked ones: *president* to *President of Ruritania*."""
    question = links.question
    explained = collect_positions(links.names)
    cues = frozenset(p for cue in question.cues for p in cue.positions)
    numbers = frozenset(p for number in question.numbers for p in number.positions)
    free = question.content - explained - cues - numbers
    if not free:
        return []
    by_word: dict[str, list[int]] = {}
    for node in _neighbours(links, hood):
        name = hood.names.get(node)
        for word in {*map(stem, split_words(name))} if name else ():
            by_word.setdefault(word, []).append(node)
    partial: list[NameLink] = []
    for position in sorted(free):
        nodes = by_word.get(question.stems[position], [])
        if len(nodes) <= MAX_SIMILAR:
            partial += [
                NameLink(position, position + 1, name, (node,), "similar", _PARTIAL_SCORE)
                for node in nodes
                if (name := hood.names[node]) is not None and len(split_words(name)) > 1
            ]
    return partial[:_MAX_PARTIAL]


def _neighbours(links: GraphLinks, hood: Neighbourhood) -> dict[int, None]:
    nodes = (node for link in links.names for node in link.nodes)
    edges = (
        edge
        for node in nodes
        for group in hood.edges.get(node, {}).values()
        for edge in group[:_MAX_NEIGHBOURS]
    )
    return dict.fromkeys(edge.node for edge in edges)


def _may_be_misspelt(text: str, name: str) -> bool:
    """False if a word is another one: *Raspberry Trail* is not a misspelt *Cloudberry Trail*."""
    words, name_words = split_words(text), split_words(name)
    return len(words) != len(name_words) or all(
        OSA.distance(word, name_word) <= max(1, len(name_word) // _LETTERS_PER_ERROR)
        for word, name_word in zip(words, name_words, strict=True)
    )


def _most_similar(matches: Iterable[NodeName]) -> list[NodeName]:
    return sorted(matches, key=lambda match: -match.score)[:MAX_SIMILAR]


def _unexplained_spans(
    question: PlainQuestion, explained: frozenset[int]
) -> Iterator[tuple[int, int]]:
    """Yield runs of words that nothing explains, with the words of grammar between them; longest first."""
    cue_positions = frozenset(
        position
        for cue in question.cues
        for position in cue.positions
        if not question.written[position][:1].isupper()
    )
    numbers = frozenset(p for number in question.numbers for p in number.positions)
    free = sorted((question.content - explained - cue_positions) - numbers)
    runs: list[list[int]] = []
    for position in free:
        between = range(runs[-1][-1] + 1, position) if runs else range(0)
        words = {question.words[p] for p in between}
        if runs and len(between) <= 2 and words <= GRAMMAR_WORDS - WORDS.grammar.auxiliaries:
            runs[-1].append(position)
        else:
            runs.append([position])
    spans = [(run[0], run[-1] + 1) for run in runs]
    for first, last in sorted(spans, key=lambda span: span[0] - span[1]):
        if sum(map(len, question.words[first:last])) >= _MIN_LETTERS:
            is_numbered = last in numbers and last not in explained
            yield _extend_by_capitals(question, first, last + is_numbered)


def _extend_by_capitals(question: PlainQuestion, first: int, last: int) -> tuple[int, int]:
    """Extend a capitalised span to the capitalised words beside it, one word of grammar between.

    *A and B* are two names.
    """
    capitals = [
        position > 0 and written[:1].isupper() for position, written in enumerate(question.written)
    ]
    if not any(capitals[first:last]):
        return first, last
    joins = [word in ("and", "or", "nor") for word in question.words]
    while any(capitals[max(0, first - 2) : first]) and not joins[first - 1]:
        first -= 1 if capitals[first - 1] else 2
    while any(capitals[last : last + 2]) and not joins[last]:
        last += 1 if capitals[last] else 2
    return first, last


def match_relation(question: PlainQuestion, relation: str) -> RelationMatch:
    *context_parts, own_part = relation.split(".")
    typed = _typed_noun(relation)
    own = select_content_words(split_words(own_part)[len(typed) :])
    if question.lexicon.find_concepts(" ".join(split_words(own_part))):
        own = (" ".join(split_words(own_part)),)  # *runs on* is not *runs*
    domain = typed or (
        select_content_words(split_words(context_parts[-1])) if context_parts else ()
    )
    context = select_content_words([w for part in context_parts for w in split_words(part)])
    own_matches, share = match_words(question, own)
    if is_type_relation(relation) and not typed:
        own_matches = own_matches | dict.fromkeys(_find_kind_phrase(question), 1.0)
    initials = find_initials(question, split_words(own_part))
    if initials:
        own_matches, share = own_matches | dict.fromkeys(initials, 1.0), 1.0
    types = question.lexicon.answer_types.get(asked_kind(question), frozenset())
    last = split_words(own_part)[-1:]
    bearers = _bearer_nouns(question.lexicon, (*own, *context))
    return RelationMatch(
        own_matches,
        match_words(question, domain)[0],
        match_words(question, context)[0],
        frozenset(p for p, word in enumerate(question.stems) if word in bearers),
        share,
        last[0] if last and last[0] in PREPOSITIONS else "",
        any(word in types or is_related(question.lexicon, word, types) for word in own),
        bool(types & {*domain, *bearers}),
    )


def _find_kind_phrase(question: PlainQuestion) -> frozenset[int]:
    """Return the positions of *kind of drug*, which asks for a class."""
    return frozenset(
        position
        for start, word in enumerate(question.words)
        if word in _KINDS and question.words[start + 1 : start + 2] == ("of",)
        for position in (start, start + 2)
        if position in question.content
    )


def asked_kind(question: PlainQuestion) -> str:
    """Return the question word; *which person* is *who*, *in which town* is *where*."""
    nouns = {question.words[position] for position in question.head}
    if question.kind in ("which", "what", "how many") and nouns & PERSONS:
        return "who"
    return "where" if question.kind in ("which", "what") and nouns & PLACES else question.kind


def _bearer_nouns(lexicon: Lexicon, names: Iterable[str]) -> frozenset[str]:
    return frozenset(noun for name in names for noun in lexicon.bearers.get(stem(name), ()))
