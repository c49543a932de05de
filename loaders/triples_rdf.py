"""RDF for ``kg``: statements of N-Triples and Turtle as facts, with names from their labels.

IRIs are keys. A label may stand anywhere, also in another file than what it names, and must be known
before the first fact; so each file is read twice, and only labels and keys are held in memory, never the
statements. The alternative, to change a name once its label comes, would make loads that cannot be gone
on with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

from trustuqa_neo4j.loader import File, Reading
from trustuqa_neo4j.triples import Fact, Thing

from .columns import no_fact
from .statements_rdf import Statement, is_blank, statements

_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_NAMES = frozenset({"http://www.w3.org/2000/01/rdf-schema#label", f"{_SKOS}prefLabel"})
_LABELS = _NAMES | {f"{_SKOS}altLabel"}
_NEVER = 9
"""The rank of a text that is never a name, only an alias."""


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


class Graphs:
    """RDF files that are loaded together: labels of one name things of all."""

    def __init__(self, files: Sequence[File], reading: Reading) -> None:
        """Look through ``files`` for labels and predicates.

        Raises:
            MissingFile, UnreadableFile, MalformedLine, MissingExtra
        """
        self._reading = reading
        self._files = len(files)
        self._named: defaultdict[str, _Named] = defaultdict(_Named)
        self._labelled: set[File] = set()
        self._given: set[str] = set()
        predicates: set[str] = set()
        # Bad lines are noted when the facts are read, and only then.
        quiet = replace(reading, skip_bad=1 << 62, bad=[], progress=lambda _file, _done: None)
        for file in files:
            for statement in statements(file, quiet):
                if _is_label(statement):
                    self._note(statement)
                    self._labelled.add(file)
                else:
                    predicates.add(statement.predicate)
        self._relations = _relations(predicates)

    def _note(self, label: Statement) -> None:
        if label.tail.strip():
            rank = _rank(label.language) if label.predicate in _NAMES else _NEVER
            self._named[label.head].add(label.tail, rank)

    def items(self, file: File) -> Iterator[Thing | Fact]:
        """The facts of ``file``, each thing before the first that has it.

        Raises:
            MissingFile, UnreadableFile, MalformedLine
        """
        facts = 0
        for statement in statements(file, self._reading):
            line, head, predicate, tail, is_text, _ = statement
            if _is_label(statement):
                continue
            if not tail.strip():
                self._reading.remark("an empty text is no tail", f"{file.name}:{line}")
                continue
            if head not in self._given:
                yield self._thing(head)
            if not is_text and tail not in self._given:
                yield self._thing(tail)
            facts += 1
            yield Fact(head, self._relations[predicate], tail, line)
        # A file of labels alone is of use to the others.
        if not facts and not (self._files > 1 and file in self._labelled):
            raise no_fact(file)

    def _thing(self, key: str) -> Thing:
        self._given.add(key)
        named = self._named.get(key)
        name = None if is_blank(key) else local_name(key)
        if named is None:
            return Thing(key, name)
        name = name if named.best is None else named.best
        return Thing(key, name, tuple(text for text in named.texts if text != name))


def _is_label(statement: Statement) -> bool:
    return statement.is_text and statement.predicate in _LABELS


def _rank(language: str | None) -> int:
    """English first, that of a country next; then no language, then any other."""
    if language is None:
        return 2
    return 0 if language == "en" else 1 if language.startswith("en-") else 3


def _relations(predicates: set[str]) -> dict[str, str]:
    """Predicate → its local name, or itself where others have the same; ``type`` is always RDF's."""
    by_name: defaultdict[str, set[str]] = defaultdict(set)
    for predicate in predicates | {_TYPE}:
        by_name[local_name(predicate)].add(predicate)
    relations = {
        predicate: name if len(same) == 1 else predicate
        for name, same in by_name.items()
        for predicate in same
    }
    return relations | {_TYPE: local_name(_TYPE)}
