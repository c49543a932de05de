"""Leaves out parts of the semantic parser, and prints what that changes on questions of other authors.

    python -m bench.semantic_parser.ablate --list
    python -m bench.semantic_parser.ablate "refusal:the question asks for advice" section:questions.synonyms

The parts are left out together, since rules overlap. A part enters with such a table that pays for it, and
leaves when it no longer pays. No weight is fitted anew. The same questions are read twice, so that the
differences are paired; their intervals hold for 95 %. With TUQA_PACKS, questions of WikiTableQuestions are
among the sets.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click

from trustuqa_neo4j.lexicon import lexicon
from trustuqa_neo4j.semantic_parser import graph_parser, table_parser
from trustuqa_neo4j.semantic_parser.graph_account import GraphAccount
from trustuqa_neo4j.semantic_parser.ranker import RankerWeights, load_weights
from trustuqa_neo4j.semantic_parser.table_account import TableAccount
from trustuqa_neo4j.semantic_parser.word_account import WordAccount

from .contrast_corpus import read_contrast_questions
from .corpus import read_own_questions, read_questions
from .graph_corpus import UNSEEN, read_own_graph_questions
from .measurement import Attempt, LabelledQuestion, attempt

CHAPTERS = ("questions", "tables", "graphs")
# Sections and lists that code reads by their key, unlike those whose keys are words themselves.
_KEYED_SECTIONS = frozenset(("answer_types",))
_KEYED_LISTS = frozenset(
    [
        "words",
        "groups",
        "collections",
        "rows",
        "persons",
        "pairs",
        "nouns",
        "things",
        "either",
        "bearers",
        "verbs",
    ]
)
_NORMAL = 1.96  # of a 95 % interval
_SEED = "11"


@dataclass(frozen=True)
class QuestionSet:
    """Questions that decide whether a part stays; ``kind`` names the weights that rank their readings."""

    name: str
    kind: str
    read: Callable[[], Iterable[LabelledQuestion]]


@dataclass(frozen=True)
class Difference:
    """A count before and after, of ``size`` questions; ``half_width`` is half the 95 % interval."""

    before: int
    after: int
    size: int
    half_width: float

    def __str__(self) -> str:
        change = self.after - self.before
        return f"{self.before} → {self.after} of {self.size} ({change:+d} ± {self.half_width:.1f})"


def compare_counts(before: Sequence[bool], after: Sequence[bool]) -> Difference:
    """Return how many are true before and after, for the same questions in one order."""
    pairs = list(zip(before, after, strict=True))
    changed = sum(first != second for first, second in pairs)
    change = sum(after) - sum(before)
    # The variance of a sum of paired differences: each is -1, 0 or 1.
    variance = changed - change * change / len(pairs) if pairs else 0.0
    return Difference(sum(before), sum(after), len(pairs), _NORMAL * sqrt(max(variance, 0.0)))


def read_sets() -> Iterator[QuestionSet]:
    yield QuestionSet("own tables", "table", _read_unseen_tables)
    yield QuestionSet("own graphs", "graph", partial(read_own_graph_questions, (UNSEEN,)))
    for kind in ("table", "graph"):
        yield QuestionSet(f"contrast {kind}s", kind, partial(read_contrast_questions, kind))
    packs = os.environ.get("TUQA_PACKS")
    if packs:
        yield QuestionSet("WTQ", "table", partial(_read_development, Path(packs) / "wtq"))


def _read_unseen_tables() -> Iterator[LabelledQuestion]:
    return (case for case in read_own_questions() if case.is_unseen)


def _read_development(pack: Path, limit: int = 400) -> Iterator[LabelledQuestion]:
    """Training questions over tables that nothing is fitted on; the official test is not read."""
    cases = read_questions(pack, "train", 10 * limit, _SEED)
    return (case for _, case in zip(range(limit), filter(_is_development, cases), strict=False))


def _is_development(case: Any) -> bool:
    return bool(case.is_development)


# What can be left out


def list_parts() -> Iterator[str]:
    """Yield the name of every part that can be left out, but for refusals, operators and features."""
    for chapter in CHAPTERS:
        for section in lexicon.read_chapter(chapter):
            yield f"section:{chapter}.{section}"


@contextmanager
def leave_out(parts: Sequence[str]) -> Iterator[Callable[[RankerWeights], RankerWeights]]:
    """Run the parser without ``parts``; gives what takes weights of left out features away."""
    by_kind: dict[str, list[str]] = {}
    for part in parts:
        kind, colon, name = part.partition(":")
        if not colon or kind not in _KINDS:
            raise click.BadParameter(
                f"{part!r} is not a part: write one of {', '.join(f'{k}:NAME' for k in _KINDS)}"
            )
        by_kind.setdefault(kind, []).append(name)
    with ExitStack() as stack:
        for kind, names in by_kind.items():
            stack.enter_context(_KINDS[kind](frozenset(names)))
        yield partial(_without_features, frozenset(by_kind.get("feature", ())))


def _without_features(prefixes: frozenset[str], weights: RankerWeights) -> RankerWeights:
    if not prefixes:
        return weights
    starts = tuple(prefixes)
    rest = {name: w for name, w in weights.weights.items() if not name.startswith(starts)}
    if len(rest) == len(weights.weights):
        raise click.BadParameter(f"no feature begins with {', '.join(sorted(prefixes))}")
    return replace(weights, weights=rest)


@contextmanager
def _without_refusals(names: frozenset[str]) -> Iterator[None]:
    with ExitStack() as stack:
        for account in (TableAccount, GraphAccount):
            stack.enter_context(
                patch.object(account, "find_refusals", _find_others(account, names))
            )
        yield


def _find_others(
    account: type[WordAccount], names: frozenset[str]
) -> Callable[[WordAccount], Iterator[str]]:
    """Return what finds the refusals of an account but for those of ``names``."""
    find = account.find_refusals
    return lambda own: (refusal for refusal in find(own) if refusal not in names)


@contextmanager
def _without_sections(names: frozenset[str]) -> Iterator[None]:
    unknown = names - {part.removeprefix("section:") for part in list_parts()}
    if unknown:
        raise click.BadParameter(f"{', '.join(sorted(unknown))}: see --list")
    read = lexicon.read_chapter

    def read_others(chapter: str) -> dict[str, Any]:
        return {
            section: _empty(section, words) if f"{chapter}.{section}" in names else words
            for section, words in read(chapter).items()
        }

    with patch.object(lexicon, "read_chapter", read_others):
        _forget_lexicons()
        try:
            yield
        finally:
            _forget_lexicons()


def _empty(name: str, section: Mapping[str, Any]) -> dict[str, Any]:
    keys = section.keys() if name in _KEYED_SECTIONS else section.keys() & _KEYED_LISTS
    return {key: type(section[key])() for key in keys}


def _forget_lexicons() -> None:
    lexicon.load_lexicon.cache_clear()
    lexicon.load_graph_lexicon.cache_clear()


@contextmanager
def _without_operators(names: frozenset[str]) -> Iterator[None]:
    """Readings with one of these operators are not proposed."""
    propose_rows, propose_graph = (
        table_parser.propose_readings,
        graph_parser.propose_graph_readings,
    )

    def keep(readings: Iterable[Any]) -> list[Any]:
        return [reading for reading in readings if names.isdisjoint(reading.operators)]

    with (
        patch.object(table_parser, "propose_readings", lambda *a: keep(propose_rows(*a))),
        patch.object(graph_parser, "propose_graph_readings", lambda *a: keep(propose_graph(*a))),
    ):
        yield


@contextmanager
def _without_nothing(_: frozenset[str]) -> Iterator[None]:
    """Features are taken out of the weights and not out of the parser."""
    yield


_KINDS = {
    "refusal": _without_refusals,
    "section": _without_sections,
    "operator": _without_operators,
    "feature": _without_nothing,
}


# What it changes


@click.command()
@click.argument("parts", nargs=-1)
@click.option("--list", "is_listed", is_flag=True, help="Print the parts that can be left out.")
@click.option("--set", "chosen", multiple=True, help="Only this set of questions; repeatable.")
def main(parts: tuple[str, ...], is_listed: bool, chosen: tuple[str, ...]) -> None:
    """Leave out PARTS, and print what that changes.

    A part is refusal:TEXT, section:CHAPTER.SECTION, operator:NAME or feature:BEGINNING.
    """
    if is_listed:
        click.echo("\n".join(list_parts()))
        return
    if not parts:
        raise click.UsageError("name at least one part, or --list")
    sets = [entry for entry in read_sets() if not chosen or entry.name in chosen]
    if not sets:
        raise click.BadParameter(f"no such set: {', '.join(chosen)}")
    for entry in sets:
        cases, weights = list(entry.read()), load_weights(entry.kind)
        before = attempt(cases, weights)
        with leave_out(parts) as reduce:
            reduced = reduce(weights) if _has_features(parts, weights) else weights
            after = attempt(cases, reduced)
        for name, judge in _FIGURES.items():
            click.echo(f"{entry.name}, {name}: {_compare(judge, before, after)}")


def _has_features(parts: Sequence[str], weights: RankerWeights) -> bool:
    """A feature of tables is none of graphs: each set is measured without those that it has."""
    starts = tuple(p.removeprefix("feature:") for p in parts if p.startswith("feature:"))
    return bool(starts) and any(name.startswith(starts) for name in weights.weights)


def _compare(
    judge: Callable[[Attempt], bool | None], before: Sequence[Attempt], after: Sequence[Attempt]
) -> Difference:
    pairs = [(judge(a), judge(b)) for a, b in zip(before, after, strict=True)]
    counted = [(bool(a), bool(b)) for a, b in pairs if a is not None]
    return compare_counts([a for a, _ in counted], [b for _, b in counted])


def _is_right(entry: Attempt) -> bool | None:
    return entry.is_answered and entry.rank == 0 if entry.case.is_answerable else None


def _is_wrong(entry: Attempt) -> bool | None:
    return entry.is_answered and entry.rank != 0 if entry.case.is_answerable else None


def _is_answered_wrongly(entry: Attempt) -> bool | None:
    return None if entry.case.is_answerable else entry.is_answered


_FIGURES: dict[str, Callable[[Attempt], bool | None]] = {
    "right": _is_right,
    "wrong": _is_wrong,
    "unanswerable answered": _is_answered_wrongly,
}


if __name__ == "__main__":
    main()
