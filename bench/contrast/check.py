"""Checks of generated questions: contrasts differ, names are unique, splits share no words, pairs agree."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

from .collection import CATEGORIES, questions_of
from .lexicon import Lexicon, load
from .model import Graph, Question, Table

EACH = 600  # questions of a category and split to make for the check
FUNCTION_WORDS = {
    "a",
    "an",
    "and",
    "are",
    "as",
    "at",
    "been",
    "by",
    "come",
    "do",
    "does",
    "for",
    "from",
    "had",
    "has",
    "have",
    "in",
    "is",
    "it",
    "least",
    "most",
    "not",
    "number",
    "of",
    "on",
    "one",
    "or",
    "over",
    "same",
    "than",
    "that",
    "the",
    "to",
    "was",
    "were",
    "which",
    "who",
    "with",
    "you",
    "v",
    "x",
    "r",
}


def contrast_faults(q: Question) -> Iterator[str]:
    if q.answerable and not q.answers:
        yield "no answer"
    if not q.answerable and q.answers:
        yield "an answer to an unanswerable question"
    if q.answers in q.wrong.values():
        yield "another reading has the same answer"
    if q.answers in q.also:
        yield "a fair answer is the answer itself"
    if q.category not in ("unanswerable",) and not any(q.wrong.values()):
        yield "no other reading has an answer"
    if re.search(r"[{}]|  | None", q.text) or not q.text[0].isalnum():
        yield "text is not whole"


def name_faults(data: Table | Graph) -> Iterator[str]:
    """Names must be unique, and no name may be a part of another."""
    if isinstance(data, Table):
        keys = [row[key_column(data)] for row in data.rows]
        if len(set(keys)) != len(keys):
            yield "a key occurs twice"
        if len(set(data.columns)) != len(data.columns):
            yield "a column occurs twice"
        names = set(keys)
    else:
        if len(set(data.facts)) != len(data.facts):
            yield "a fact occurs twice"
        names = {end for fact in data.facts for end in (fact[0], fact[2])}
        if names & {fact[1] for fact in data.facts}:
            yield "a name is a relation, too"
    parts = {word for name in names if " " in name for word in name.split()}
    if names & parts:
        yield f"a name is a part of another: {sorted(names & parts)}"


@cache
def key_names() -> frozenset[str]:
    """All headers of columns that name the row."""
    both = [Lexicon("seen"), Lexicon("unseen")]
    return frozenset(
        [t["noun"] for w in both for t in w.topics] + [e["row"] for w in both for e in w.ledgers]
    )


def key_column(data: Table) -> str:
    return next(column for column in data.columns if column in key_names())


def words_of(value: Any) -> Iterator[str]:
    """All words in the texts of an entry of the word lists."""
    if isinstance(value, str):
        yield from (w for w in re.findall(r"[a-z]+", value.lower().replace("_", " ")))
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in (
                "split",
                "kind",
                "names",
                "sites",
                "order",
                "tense",
                "has",
                "values",
                "who",
                "scale",
            ):
                yield from words_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from words_of(item)


def relation_words(words: Lexicon) -> set[str]:
    entries = [*words.topics, *words.ledgers]
    for section in ("relation", "preposition", "symmetric", "twofold", "office", "role"):
        entries += words.relations(section)
    return {w for entry in entries for w in words_of(entry)} - FUNCTION_WORDS


def split_faults(made: dict[str, list[Question]]) -> list[str]:
    """Relation and column words that both splits have, or that the questions of the other split have."""
    own = {split: relation_words(Lexicon(split)) for split in made}
    faults = [f"both splits have the word {w}" for w in sorted(own["seen"] & own["unseen"])]
    for name, halves in load("names").items():
        faults += [
            f"both splits have the {name} {n}"
            for n in sorted(set(halves["seen"]) & set(halves["unseen"]))
        ]
    for split, other in (("seen", "unseen"), ("unseen", "seen")):
        used: Counter[str] = Counter()
        for q in made[split]:
            used.update(
                w for w in re.findall(r"(?<![\w-])[a-z]+(?![\w-])", q.text) if w in own[other]
            )
        faults += [
            f"questions of {split} have the word {w} of {other} ({n} times)"
            for w, n in used.items()
        ]
    return faults


def consistency_faults(questions: list[Question]) -> Iterator[str]:
    """The same text over the same data has one answer."""
    seen: dict[tuple[int, str], Question] = {}
    for q in questions:
        first = seen.setdefault((id(q.data), q.text.lower().rstrip("?.")), q)
        if first.answers != q.answers:
            yield f"two answers to one question: {q.text} {first.answers} {q.answers}"


def check(seed: int) -> int:
    """Print the counts and the faults; return the number of faults."""
    faults: Counter[str] = Counter()
    examples: dict[str, str] = {}
    made: dict[str, list[Question]] = defaultdict(list)
    print(
        f"{'category':<14}{'split':<8}{'questions':>10}{'texts':>8}{'files':>8}{'other readings that answer':>28}"
    )
    total = 0
    for split in ("seen", "unseen"):
        words = Lexicon(split)
        for category in CATEGORIES:
            questions = questions_of(category, words, seed, EACH)
            made[split] += questions
            readings = [w for q in questions for w in q.wrong.values()]
            share = f"{100 * sum(map(bool, readings)) / len(readings):.0f}%" if readings else "-"
            texts = len({q.text for q in questions})
            total += len({(q.text, q.data.text()) for q in questions})
            files = len({id(q.data) for q in questions})
            print(f"{category:<14}{split:<8}{len(questions):>10}{texts:>8}{files:>8}{share:>28}")
            for q in questions:
                if q.partner and (
                    q.partner.answers != q.answers or not any(p is q.partner for p in questions)
                ):
                    faults["a pair disagrees or is not whole"] += 1
                for fault in contrast_faults(q):
                    faults[fault] += 1
                    examples[fault] = f"{q.category}: {q.text} {q.answers} {q.wrong}"
            for data in {id(q.data): q.data for q in questions}.values():
                for fault in name_faults(data):
                    faults[fault] += 1
            for fault in consistency_faults(questions):
                faults[fault] += 1
    for fault in split_faults(made):
        faults[fault] += 1
    print(
        f"{total} different questions in all (no more than {EACH} of a category and split were asked for)"
    )
    for fault, number in faults.most_common():
        print(f"fault ({number}): {fault} {examples.get(fault, '')}")
    print("no faults" if not faults else f"{sum(faults.values())} faults")
    return sum(faults.values())
