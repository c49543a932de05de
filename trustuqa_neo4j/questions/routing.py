"""Dataset routing: the datasets that a question without a dataset is asked of, in which order.

A dataset is scored by the content words of the question that its own name, its names, relations and
demonstrations have.
Words of one source count more than those of several. One vector per dataset would not see names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from ..demonstrations.slots import MAX_NAME_WORDS, iter_word_runs
from ..demonstrations.words import (
    QuestionWords,
    read_number_or_date,
    split_question,
    stem_similarity,
)
from ..lexicon.forms import stem
from ..lexicon.words import WORDS
from ..matching import build_words_query, split_words
from ..model.demonstration import QuestionPattern, split_group
from ..reads.reader import Reader

RELATIONS = 2_000  # relations of a dataset with a word of the question
NAMES = 50  # names of a dataset with words of the question
STEM = 5  # letters of a word that a relation must have
# Credit for each word of a name, by its number of words: a longer name is seldom there by chance.
NAME_CREDIT = (0.3, 0.8, 0.9, 1.0)
RELATION_CREDIT, PATTERN_CREDIT = 0.4, 0.5
MIN_SHARE = 0.2  # letters of a name that the question must have
HEAD_SHARE = (
    0.6  # The question must have this share of the letters of a name with facts of its own,
)
HEAD_CREDIT = 0.1  # and this is the further credit for each of its words: cells have no facts.
SOURCE_SHARE = 0.7  # how much the best source counts: words of many tables seldom belong together
ASKED = 3  # datasets together, and turns
NEAR = 0.5  # A rival needs this share of the best score,
GAIN = 0.75  # and this credit for words that the others do not know, to be asked with them.


@dataclass(frozen=True, slots=True)
class Candidate:
    """A dataset with its score from 0 to 1, and the words of the question that it knows with their credit."""

    dataset: str
    score: float
    credits: Mapping[str, float]

    def __str__(self) -> str:
        words = f" ({', '.join(self.credits)})" if self.credits else ""
        return f"{self.dataset} {self.score:.2f}{words}"


@dataclass(frozen=True, slots=True)
class ContentWords:
    """The words of a question, and the positions of those that say what it is about."""

    words: tuple[str, ...]
    positions: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    """Runs of words that may be a name."""
    marked: frozenset[int]

    def text(self, span: tuple[int, int]) -> str:
        return " ".join(self.words[span[0] : span[1]])


def find_content_words(question: str) -> ContentWords:
    """Stop words, numbers and dates are content only as part of a name, or in brackets or quotes."""
    parsed: QuestionWords = split_question(question)
    words = tuple(word.text for word in parsed.words)
    marked = [
        [i for i, word in enumerate(parsed.words) if name.start <= word.start < name.end]
        for name in parsed.marked_names
    ]
    in_marks = {i for run in marked for i in run}
    positions = tuple(
        i
        for i, word in enumerate(words)
        if i in in_marks
        or (word not in WORDS.grammar.stop_words and read_number_or_date(word) is None)
    )
    content = set(positions)
    spans = [
        (first, last)
        for first, last in iter_word_runs(len(words), MAX_NAME_WORDS)
        if not content.isdisjoint(range(first, last))
    ]
    spans += [(run[0], run[-1] + 1) for run in marked if run]
    return ContentWords(words, positions, tuple(dict.fromkeys(spans)), frozenset(in_marks))


@dataclass(frozen=True, slots=True)
class Clue:
    """Content words that a dataset knows, how surely, and the sources that have the name or relation.

    ``sources`` is None if the whole dataset has it. ``is_head``: facts lead from the name.
    """

    positions: tuple[int, ...]
    credit: float
    sources: tuple[str, ...] | None = None
    is_head: bool = False


def rank_datasets(
    reader: Reader,
    question: ContentWords,
    datasets: Sequence[str],
    source: str | None,
    patterns: Sequence[QuestionPattern],
) -> list[Candidate]:
    """Rank the datasets, best first. Sends one statement."""
    if not question.positions:
        return []
    rows = _match_datasets(reader, question, datasets, source)
    relation_words = _relation_words(rows)
    candidates = []
    for row in rows:
        clues = [*_name_clues(question, row, relation_words), *_relation_clues(question, row)]
        # *How many films are there* is about a dataset ``films``, whatever is in it.
        clues += _vocabulary_clue(question, split_words(row["dataset"]), RELATION_CREDIT, None)
        clues += _pattern_clues(
            question, [p for p in patterns if row["dataset"] in split_group(p.dataset)]
        )
        candidates.append(_score(question, row["dataset"], row["sources"] > 1, clues))
    return sorted(candidates, key=lambda candidate: (-candidate.score, candidate.dataset))


def _match_datasets(
    reader: Reader, question: ContentWords, datasets: Sequence[str], source: str | None
) -> Sequence[Mapping[str, Any]]:
    words = [question.words[i] for i in question.positions]
    return reader.run(
        "match_datasets",
        datasets=list(datasets),
        source=source,
        spans=[question.text(span) for span in question.spans],
        stems=sorted({stem(word)[:STEM] for word in words}),
        texts={name: build_words_query(words, name) for name in datasets},
        relations=RELATIONS,
        names=NAMES,
    )


def _relation_words(rows: Sequence[Mapping[str, Any]]) -> Set[str]:
    return {
        stem(word) for row in rows for name, _ in row["relations"] for word in split_words(name)
    }


def _name_clues(
    question: ContentWords, row: Mapping[str, Any], relation_words: Set[str]
) -> Iterator[Clue]:
    content = set(question.positions)
    spans = {text: (sources, is_head) for text, sources, is_head in row["spans"]}
    for span in question.spans:
        positions = tuple(i for i in range(*span) if i in content)
        text = question.text(span)
        if text not in spans or _is_relation_word(question, positions, relation_words):
            continue
        sources, is_head = spans[text]
        yield Clue(positions, _name_credit(span[1] - span[0]), _sources(row, sources), is_head)
    for name, sources, is_head in row["names"]:
        name_words = set(name.split())
        positions = tuple(i for i in question.positions if question.words[i] in name_words)
        letters = sum(len(word) for word in name_words - WORDS.grammar.stop_words)
        shared = sum(map(len, {question.words[i] for i in positions}))
        share = min(1.0, shared / max(1, letters))
        if share >= MIN_SHARE and not _is_relation_word(question, positions, relation_words):
            credit = share * _name_credit(len(positions))
            is_head = is_head and share >= HEAD_SHARE
            yield Clue(positions, credit, _sources(row, sources), is_head)


def _is_relation_word(
    question: ContentWords, positions: Sequence[int], relation_words: Set[str]
) -> bool:
    # "team" is the name of a film, too, but a question seldom means it.
    if len(positions) != 1 or positions[0] in question.marked:
        return False
    return stem(question.words[positions[0]]) in relation_words


def _name_credit(size: int) -> float:
    return NAME_CREDIT[min(size, len(NAME_CREDIT)) - 1]


def _sources(row: Mapping[str, Any], sources: Sequence[str]) -> tuple[str, ...] | None:
    return tuple(sources) if row["sources"] > 1 else None


def _relation_clues(question: ContentWords, row: Mapping[str, Any]) -> Iterator[Clue]:
    for relation, sources in row["relations"]:
        yield from _vocabulary_clue(
            question, split_words(relation), RELATION_CREDIT, _sources(row, sources)
        )


def _pattern_clues(question: ContentWords, patterns: Iterable[QuestionPattern]) -> Iterator[Clue]:
    for pattern in patterns:
        words = [word for word in split_words(pattern.template) if not word.isdigit()]  # no slots
        yield from _vocabulary_clue(question, words, PATTERN_CREDIT, None)


def _vocabulary_clue(
    question: ContentWords, words: Iterable[str], credit: float, sources: tuple[str, ...] | None
) -> Iterator[Clue]:
    stems = {stem(word) for word in words if word not in WORDS.grammar.stop_words}
    similarity = {
        i: max((stem_similarity(stem(question.words[i]), word) for word in stems), default=0.0)
        for i in question.positions
    }
    positions = tuple(i for i, value in similarity.items() if value)
    if positions:
        distinct = {question.words[i] for i in positions}
        share = min(1.0, len(distinct) / len(stems)) ** 0.5
        fit = min(similarity[i] for i in positions)
        yield Clue(positions, credit * share * fit, sources)


def _score(question: ContentWords, dataset: str, several: bool, clues: Sequence[Clue]) -> Candidate:
    """Score the share of distinct content words that the dataset, and mostly its best source, knows."""
    whole: dict[str, float] = defaultdict(float)
    by_source: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for clue in clues:
        for word in {question.words[i] for i in clue.positions}:
            whole[word] = max(whole[word], clue.credit)
            for source in clue.sources or ():
                by_source[source][word] = max(by_source[source][word], clue.credit)
    word_credits = dict(whole)
    if several:
        best = max(by_source.values(), key=lambda words: sum(words.values()), default={})
        word_credits = {
            word: SOURCE_SHARE * best.get(word, 0.0) + (1 - SOURCE_SHARE) * credit
            for word, credit in whole.items()
        }
    distinct = {question.words[i] for i in question.positions}
    head = max((len(clue.positions) for clue in clues if clue.is_head), default=0)
    score = (sum(word_credits.values()) + HEAD_CREDIT * head) / len(distinct)
    return Candidate(dataset, score, word_credits)


def find_near(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The best candidate and its rivals; none if no dataset knows a word of the question."""
    if not candidates or candidates[0].score == 0:
        return []
    best = candidates[0].score
    return [candidate for candidate in candidates if candidate.score >= NEAR * best]


def choose_datasets(candidates: Sequence[Candidate], joined: bool) -> tuple[tuple[str, ...], ...]:
    """The datasets to ask, in turn; ``joined``: first the best with those that know further words."""
    near = find_near(candidates)
    first = near[:1]
    for rival in near[1:] if joined else ():
        if len(first) < ASKED and _gain(rival, first) >= GAIN:
            first.append(rival)
    turns = [tuple(candidate.dataset for candidate in first)] if first else []
    turns += [(rival.dataset,) for rival in near[1:] if len(first) == 1 or rival not in first]
    return tuple(turns[:ASKED])


def find_neighbours(candidates: Sequence[Candidate], chosen: Sequence[str]) -> tuple[str, ...]:
    """The datasets that know words of the question which those ``chosen`` do not know, best first."""
    covered = {word for c in candidates if c.dataset in chosen for word in c.credits}
    others = (c for c in candidates if c.dataset not in chosen)
    return tuple(c.dataset for c in others if c.credits.keys() - covered)[:ASKED]


def _gain(rival: Candidate, chosen: Sequence[Candidate]) -> float:
    """The credit for words that ``rival`` knows and ``chosen`` do not."""
    return sum(
        max(0.0, credit - max(candidate.credits.get(word, 0.0) for candidate in chosen))
        for word, credit in rival.credits.items()
    )
