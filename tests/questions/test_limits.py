"""One deadline and one workload bound all that a question takes: no clock decides, steps are counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j import deadline as limits
from trustuqa_neo4j.deadline import Deadline, Workload
from trustuqa_neo4j.errors import QuestionTooLong, TimedOut
from trustuqa_neo4j.graph.connection import TransactionReader
from trustuqa_neo4j.questions import context as question_context
from trustuqa_neo4j.questions import with_follow_up, with_semantic_parser
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.relation_words import match_words
from trustuqa_neo4j.semantic_parser.spelling import correct_spelling

COLUMNS = 40
TABLE = "gauges"
GRAPH = "gauged"
NAMES = ("Alder", "Birch", "Cedar")


@pytest.fixture(scope="module")
def data(client: TrustUQA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustUQA]:
    """Wells with many depths, as a table and as a graph: much to combine."""
    folder = tmp_path_factory.mktemp("gauges")
    numbers = range(1, COLUMNS)
    rows = [["Well", "Salinity", *(f"depth {number}" for number in numbers)]]
    rows += [
        [name, str(9 - row), *(str((row + 2) * number % 9) for number in numbers)]
        for row, name in enumerate(NAMES)
    ]
    (folder / "wells.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    facts = [
        f"{row[0]}\t{header}\t{cell}\n"
        for row in rows[1:]
        for header, cell in zip(rows[0][1:], row[1:], strict=True)
    ]
    (folder / "wells.tsv").write_text("".join(facts))
    client.load("table", folder / "wells.csv", dataset=TABLE, embeddings=False)
    client.load("kg", folder / "wells.tsv", dataset=GRAPH, embeddings=False)
    yield client
    client.drop(TABLE)
    client.drop(GRAPH)


def note_workloads(monkeypatch: pytest.MonkeyPatch) -> list[Workload]:
    """The workloads of whole questions."""
    noted: list[Workload] = []

    def note(subject: str, limit: int) -> Workload:
        noted.append(Workload(subject, limit))
        return noted[-1]

    monkeypatch.setattr(question_context, "Workload", note)
    return noted


def note_deadlines(monkeypatch: pytest.MonkeyPatch, place: Any, name: str) -> list[Any]:
    """The deadlines that hold when a function is called."""
    noted: list[Any] = []
    work: Callable[..., Any] = getattr(place, name)

    def note(*arguments: Any, **options: Any) -> Any:
        noted.append(limits._current.get())
        return work(*arguments, **options)

    monkeypatch.setattr(place, name, note)
    return noted


MISSPELT = "what is the sailnity of Birch"


@pytest.mark.parametrize("dataset", [TABLE, GRAPH])
def test_one_deadline_holds_from_the_first_read_to_the_last_edit(
    data: TrustUQA, monkeypatch: pytest.MonkeyPatch, dataset: str
) -> None:
    last = data.ask("what is the salinity of Birch", dataset)
    assert last.values == ("8",)
    noted = [
        note_deadlines(monkeypatch, place, name)
        for place, name in (
            (TransactionReader, "run"),
            (with_semantic_parser, "correct_spelling"),
            (with_semantic_parser, "parse_question"),
        )
    ]
    edits = note_deadlines(monkeypatch, with_follow_up, "_make_edits")
    for text, options, places in (
        (MISSPELT, {}, noted),
        ("and of Cedar?", {"follows": last}, [noted[0], edits]),
    ):
        for deadlines in (*noted, edits):
            deadlines.clear()
        data.ask(text, dataset, timeout=300.0, **options)  # type: ignore[arg-type]
        held = {id(deadline) for deadlines in places for deadline in deadlines}
        assert all(places)
        assert len(held) == 1
        assert places[0][0].seconds == 300.0


@pytest.mark.parametrize("dataset", [TABLE, GRAPH])
@pytest.mark.parametrize("kind", ["correction", "follow-up"])
def test_all_readings_of_a_question_are_one_workload(
    data: TrustUQA, monkeypatch: pytest.MonkeyPatch, dataset: str, kind: str
) -> None:
    noted = note_workloads(monkeypatch)
    last = data.ask("what is the salinity of Birch", dataset)
    follows = last if kind == "follow-up" else None
    text = "and of Cedar?" if follows else MISSPELT
    noted.clear()
    answer = data.ask(text, dataset, follows=follows)
    assert answer.values == (("7",) if follows else ("8",))
    (workload,) = noted
    monkeypatch.setattr(question_context, "MAX_STEPS", workload.steps - 1)
    refused = data.ask(text, dataset, follows=follows)
    assert (refused.outcome, refused.values) == ("not_askable", ())
    monkeypatch.setattr(question_context, "MAX_STEPS", workload.steps)
    assert data.ask(text, dataset, follows=follows).values == answer.values


def test_too_much_work_on_a_question_is_the_reason_of_its_refusal(
    data: TrustUQA, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_context, "MAX_STEPS", 10)
    for dataset in (TABLE, GRAPH):
        answer = data.ask("what is the salinity of Birch", dataset)
        assert answer.outcome == "not_askable"
        assert "all its readings together" in str(answer.problems[0])


def test_words_are_corrected_within_the_limits() -> None:
    question = read_question("wich wels hav the greatst salinty and the smalest temperture")
    words = [f"{''.join(letters)}ity" for letters in product("abcdefgsw", repeat=4)]
    work = Workload("words", 10**9)
    with work.applied():
        correct_spelling(question, question.content_words, words)
    assert work.steps > len(words)
    with Workload("words", work.steps - 1).applied(), pytest.raises(QuestionTooLong):
        correct_spelling(question, question.content_words, words)
    with Deadline(0).applied(), Workload("words", 10**9).applied(), pytest.raises(TimedOut):
        correct_spelling(question, question.content_words, words)


def test_words_of_relations_are_matched_within_the_limits() -> None:
    question = read_question("which wells near the old mill have the greatest salinity")
    names = tuple(f"depth{number}" for number in range(2_000))
    work = Workload("words", 10**9)
    with work.applied():
        match_words(question, names)
    assert work.steps >= len(names)
    with Workload("words", work.steps - 1).applied(), pytest.raises(QuestionTooLong):
        match_words(question, names)
    with Deadline(0).applied(), Workload("words", 10**9).applied(), pytest.raises(TimedOut):
        match_words(question, names)


def test_work_counts_in_the_work_around_it() -> None:
    whole = Workload("all", 15)
    with whole.applied():
        for _ in range(3):
            with Workload("a part", 5).applied():
                limits.count_steps(5)
        with Workload("a part", 5).applied(), pytest.raises(QuestionTooLong, match="all"):
            limits.count_steps(1)
