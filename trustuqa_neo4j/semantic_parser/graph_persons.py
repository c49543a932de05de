"""Tells whether a noun of the question names persons, and whether a relation leads to persons.

Most graphs do not say what is a person. Names of relations do: *director* leads to one, *born in* begins at
one. So *which ships …* does not ask for what *commanded by* leads to.
"""

from __future__ import annotations

from functools import lru_cache

from ..demonstrations.words import stem_similarity
from ..lexicon.forms import stem
from ..lexicon.lexicon import Lexicon, strip_verb_ending
from ..lexicon.words import WORDS
from .graph_view import Hop, split_own_name

_ANY_PERSON = WORDS.nouns.persons
_FIRMS = WORDS.nouns.organisations
_PLACE_PREPOSITIONS = WORDS.grammar.place_prepositions
_ENDINGS = WORDS.endings.persons


def names_person(lexicon: Lexicon, noun: str) -> bool | None:
    """Return whether a noun names persons, None if it may name firms as well."""
    words = lexicon.persons
    forms = {noun, stem(noun)}
    if forms & words.either:
        return None
    if forms & words.nouns:
        return True
    return noun.removesuffix("s").endswith(_ENDINGS) and not forms & words.things


@lru_cache(maxsize=1 << 12)
def leads_to_persons(lexicon: Lexicon, hop: Hop) -> bool:
    """True if what the hop leads to are surely persons."""
    words = split_own_name(hop.relation)
    if not words:
        return False
    if not lexicon.persons.bearers.isdisjoint((*words, *map(stem, words))):
        # *born in* begins at a person, *married to* leads to one as well.
        return not hop.forward or not lexicon.persons.nouns.isdisjoint(words)
    *before, last = words
    if last == "of":  # *director of*
        return not hop.forward and bool(before) and bool(names_person(lexicon, before[-1]))
    if last == "by":  # *directed by*
        verb = lexicon.irregular.get(before[-1], before[-1]) if before else ""
        return hop.forward and strip_verb_ending(verb) in _personal_verbs(lexicon)
    return hop.forward and bool(names_person(lexicon, last))


@lru_cache(maxsize=1 << 14)
def names_subject(lexicon: Lexicon, noun: str, relation: str) -> bool:
    """True if a noun that only belongs to the same things as a verb names who or what does it.

    *plants* grow in a place, *services* are maintained by somebody, *companies* operate lines. Places are
    what *in* leads to.
    """
    words = split_own_name(relation)
    if not words or any(stem_similarity(stem(noun), stem(word)) for word in words):
        return False
    if noun in _ANY_PERSON and not lexicon.persons.bearers.isdisjoint(words):
        return True
    is_place = stem(noun) in lexicon.places
    is_agent = names_person(lexicon, noun) is not False or noun in _FIRMS
    last = words[-1]
    if last in ("by", "for"):
        return not is_agent and not is_place
    if last in _PLACE_PREPOSITIONS:
        return not is_place
    is_verb = last.endswith("s") and names_person(lexicon, last) is False
    return is_verb and is_agent


@lru_cache(maxsize=4)
def _personal_verbs(lexicon: Lexicon) -> frozenset[str]:
    return frozenset(map(strip_verb_ending, lexicon.persons.verbs))
