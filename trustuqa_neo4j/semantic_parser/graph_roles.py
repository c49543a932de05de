"""The two ends of a relation by their nouns: pupils and teachers, children and parents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ..demonstrations.words import stem_similarity
from ..lexicon.forms import stem
from ..lexicon.lexicon import Lexicon
from .graph_links import PREPOSITIONS
from .graph_view import Hop, split_own_name

RolePair: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Role:
    """A side of a pair of roles: *pupil* beside *teacher*."""

    pair: RolePair
    side: int


def find_side(pair: RolePair, noun: str) -> int | None:
    return next((side for side in (0, 1) if {noun, stem(noun)} & {*pair[side]}), None)


def find_tail_side(lexicon: Lexicon, pair: RolePair, relation: str) -> int | None:
    """Return which side of a pair a relation leads to: *mentor* and *taught by* to the one who teaches."""
    words = split_own_name(relation)
    nouns = [word for word in words if word not in PREPOSITIONS]
    if not nouns:
        return None
    side = find_side(pair, nouns[-1])
    if side == 0 and may_be_verb(lexicon, relation):
        return None  # *host* may be what hosts or who is the host
    if side is not None and is_active_verb(lexicon, relation):
        return 1 - side
    if side is not None:
        # *pupil of* leads away from the pupil.
        return side if words[-1] not in PREPOSITIONS or words[-1] == "by" else 1 - side
    verb = lexicon.irregular.get(nouns[-1], nouns[-1])
    is_verb = any(stem_similarity(stem(verb), stem(actor)) for actor in pair[0])
    if not is_verb:
        return None
    # *taught by* leads to the teacher, *teaches* away from there.
    return 0 if words[-1] == "by" else 1 if len(words) == 1 and words[0].endswith("s") else None


def is_active_verb(lexicon: Lexicon, relation: str) -> bool:
    """True for *coaches*, of which *coach* is who acts, not for *has coaches* and *teachers*."""
    words = split_own_name(relation)
    return len(words) == 1 and words[0].endswith("s") and stem(words[0]) in lexicon.role_verbs


def may_be_verb(lexicon: Lexicon, relation: str) -> bool:
    """True for *judge*, which may lead from who judges or to the judge."""
    words = split_own_name(relation)
    return len(words) == 1 and words[0] in lexicon.role_verbs


def is_symmetric(lexicon: Lexicon, relation: str) -> bool:
    """True for *borders*, *married to* and *linked to*, but not for *links to*."""
    words = split_own_name(relation)
    return not lexicon.symmetric.isdisjoint((*words, *map(stem, words)))


def leads_to_parents(lexicon: Lexicon, hop: Hop) -> bool:
    """True for the way from a child to its parents."""
    pair = next(pair for pair in lexicon.roles if "parent" in pair[0])
    side = find_tail_side(lexicon, pair, hop.relation)
    return side is not None and (side == 0) == hop.forward
