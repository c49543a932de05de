"""What things and relations of RDF are called: by their labels, or by the last part of their IRI."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import unquote

from .statements_rdf import Statement, is_blank

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
TYPE, FIRST, REST = f"{_RDF}type", f"{_RDF}first", f"{_RDF}rest"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_NAMES = frozenset({"http://www.w3.org/2000/01/rdf-schema#label", f"{_SKOS}prefLabel"})
LABELS = _NAMES | {f"{_SKOS}altLabel"}

_NEVER = 9
"""The rank of a text that is never a name, only an alias."""

_NUMBERED = re.compile(r"[A-Za-z]{0,9}[_:.-]?\d+")
"""A local name that tells a person nothing: ``GO_0008150``, ``Q5``."""


def local_name(iri: str) -> str:
    """What stands behind the last ``#`` or ``/`` of ``iri``, else its last ``:``, percent-decoded.

    The IRI itself where that is blank.
    """
    whole = iri.rstrip("#/")
    cut = max(whole.rfind("#"), whole.rfind("/"))
    local = whole[cut + 1 if cut >= 0 else whole.rfind(":") + 1 :]
    try:
        decoded = unquote(local, errors="strict")
    except UnicodeDecodeError:
        decoded = local
    return decoded if decoded.strip() else iri


def rank(language: str | None) -> int:
    """English first, that of a country next; then no language, then any other."""
    if language is None:
        return 2
    return 0 if language == "en" else 1 if language.startswith("en-") else 3


@dataclass(slots=True)
class _Named:
    """The texts that name one thing, in their order, and the best of them."""

    best: str | None = None
    rank: int = _NEVER
    texts: dict[str, None] = field(default_factory=dict)

    def add(self, text: str, rank: int) -> None:
        """A text of this ``rank``, 0 the best; of equal ones the first is the name."""
        self.texts[text] = None
        if rank < self.rank:
            self.best, self.rank = text, rank


class Labels:
    """The labels of things, by key."""

    def __init__(self) -> None:
        self._named: defaultdict[str, _Named] = defaultdict(_Named)

    def note(self, label: Statement) -> None:
        """Keep what a statement says that ``is_label``."""
        if label.tail.strip():
            known = label.predicate in _NAMES
            self._named[label.head].add(label.tail, rank(label.language) if known else _NEVER)

    def thing(self, key: str) -> tuple[str | None, tuple[str, ...]]:
        """Name and aliases: the best label, else the local name; a blank node may have neither."""
        named = self._named.get(key)
        name = None if is_blank(key) else local_name(key)
        if named is None:
            return name, ()
        name = name if named.best is None else named.best
        return name, tuple(text for text in named.texts if text != name)

    def term(self, iri: str) -> tuple[str, tuple[str, ...]]:
        """Name and other names of a class: its local name, unless that is but a number."""
        name = local_name(iri)
        named = self._named.get(iri)
        if named is None:
            return name, ()
        texts = [*named.texts]
        if named.best is not None and _NUMBERED.fullmatch(name):
            texts, name = [name, *texts], named.best
        return name, tuple(text for text in texts if text != name)

    def texts(self, iri: str) -> tuple[str, ...]:
        """All labels of ``iri``."""
        named = self._named.get(iri)
        return () if named is None else tuple(named.texts)

    def __contains__(self, key: str) -> bool:
        return key in self._named


def is_label(statement: Statement) -> bool:
    """Whether it names its head and is no fact."""
    return statement.is_text and statement.predicate in LABELS


class Relations:
    """Predicate → its local name, or itself where others have the same; ``type`` is always RDF's.

    What is only ``declared`` never changes the name of what is ``used`` by facts.
    """

    def __init__(self, used: Iterable[str], declared: Iterable[str] = ()) -> None:
        self._used = _by_local_name({*used, TYPE}) | {TYPE: local_name(TYPE)}
        taken = set(self._used.values()) | {local_name(iri) for iri in self._used}
        others = _by_local_name({*declared} - self._used.keys())
        self._declared = {iri: iri if name in taken else name for iri, name in others.items()}

    def __getitem__(self, predicate: str) -> str:
        found = self._used.get(predicate)
        return (
            found if found is not None else self._declared.get(predicate) or local_name(predicate)
        )

    def are_used(self, predicates: Iterable[str]) -> bool:
        """Whether facts have any of ``predicates``; so it is said where there are no facts to judge by."""
        judged = self._used.keys() - {TYPE, FIRST, REST}
        return not judged or not judged.isdisjoint(predicates)


def _by_local_name(predicates: set[str]) -> dict[str, str]:
    by_name: defaultdict[str, set[str]] = defaultdict(set)
    for predicate in predicates:
        by_name[local_name(predicate)].add(predicate)
    return {
        predicate: name if len(same) == 1 else predicate
        for name, same in by_name.items()
        for predicate in same
    }
