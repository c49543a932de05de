"""Forms of one word in the names of relations: *owns*, *owner of* and *owned by* say the same.

*teacher* and *has teacher* lead the same way, *teaches*, *pupil* and *teacher of* the other way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from ..lexicon.forms import has_plural_ending, stem
from ..lexicon.lexicon import Lexicon, load_graph_lexicon
from ..lexicon.words import WORDS
from .graph_links import is_type_relation
from .graph_roles import find_side, is_symmetric
from .graph_view import Hop, split_own_name

_BE, _HAVE = WORDS.grammar.be_forms, WORDS.grammar.have_forms
_AGENTS = WORDS.endings.agents
_OF, _BY = "of", "by"
_MAX_FORMS = 6  # relations of one word; more are too many to follow at once


@dataclass(frozen=True, slots=True)
class RelationForm:
    """The word that names a relation; ``leads_to_actor`` if its tails are who acts, or what the noun says."""

    root: str
    is_noun: bool
    leads_to_actor: bool


@lru_cache(maxsize=1 << 12)
def read_forms(relation: str) -> tuple[RelationForm, ...]:
    """Return the forms that the name of a relation is, none for one that is not read.

    *manager* is a noun and, as who manages, a form of the verb. A word that may be a verb or a noun, such as
    *host*, is only the noun.
    """
    lexicon, words = load_graph_lexicon(), split_own_name(relation)
    if is_type_relation(relation) or is_symmetric(lexicon, relation):
        return ()
    has, be = (not forms.isdisjoint(words[:1]) for forms in (_HAVE, _BE))
    said = words[1:] if has or be else words
    word, ends = "".join(said[:1]), said[1:]
    if ends == (_BY,) and not has:
        return (RelationForm(_find_root(lexicon, word), False, True),)
    if not word or ends not in ((), (_OF,)) or (be and not ends):
        return ()
    noun, is_tail = stem(word), not ends
    is_bare = words == (word,)
    if is_bare and word != noun and (noun in lexicon.role_verbs or not _is_noun(lexicon, noun)):
        return (RelationForm(_find_root(lexicon, word), False, False),)
    actor = lexicon.actors.get(noun, noun)
    is_actor_tail = is_tail == (actor == noun)
    forms = [RelationForm(actor, True, is_actor_tail)]
    is_actor = actor.endswith(_AGENTS) or actor in lexicon.role_verbs
    if is_actor and not (is_bare and noun in lexicon.role_verbs):
        forms.append(RelationForm(_find_agent_root(lexicon, actor), False, is_actor_tail))
    return tuple(forms)


def _is_noun(lexicon: Lexicon, noun: str) -> bool:
    """True if a word with *s* is the plural of a noun: *teachers*, *children*."""
    return noun.endswith(_AGENTS) or any(find_side(p, noun) is not None for p in lexicon.roles)


def _find_root(lexicon: Lexicon, word: str) -> str:
    """Return what the forms of a verb share: ``manag`` for *manages* and *managed*."""
    root = lexicon.irregular.get(word, word)
    if root == word:
        root = root.removesuffix("s") if has_plural_ending(root) else root.removesuffix("ed")
    return _shorten(root)


def _find_agent_root(lexicon: Lexicon, noun: str) -> str:
    """Return the root of the verb of a noun: ``manag`` for *manager*."""
    ending = "" if noun in lexicon.role_verbs else next(e for e in _AGENTS if noun.endswith(e))
    return _shorten(noun.removesuffix(ending))


def _shorten(root: str) -> str:
    """Drop what differs among forms: ``plan`` of *planned* and *plans*, ``carri`` of *carries*."""
    root = root.removesuffix("e")
    root = f"{root[:-1]}i" if root.endswith("y") else root
    return root[:-1] if root[-2:-1] == root[-1:] else root


@lru_cache(maxsize=1 << 5)
def find_equivalents(relations: tuple[str, ...]) -> Mapping[Hop, tuple[Hop, ...]]:
    """Return, by each hop that has any, the hops of other relations whose names mean the same.

    Names with dots mean the same only after the same first parts.
    """
    groups: dict[tuple[str, str, bool], list[Hop]] = {}
    for relation in relations:
        for form in read_forms(relation):
            key = (relation.rpartition(".")[0], form.root, form.is_noun)
            groups.setdefault(key, []).append(Hop(relation, form.leads_to_actor))
    equivalents: dict[Hop, dict[Hop, None]] = {}
    for hops in groups.values():
        for hop in hops if len(hops) <= _MAX_FORMS else ():
            others = [other for other in hops if other.relation != hop.relation]
            equivalents.setdefault(hop, {}).update(dict.fromkeys(others))
            back = dict.fromkeys(other.inverse for other in others)
            equivalents.setdefault(hop.inverse, {}).update(back)
    return MappingProxyType({hop: tuple(found) for hop, found in equivalents.items() if found})
