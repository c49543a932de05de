"""The out file: what it holds is gone on with, and what is none is never touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trustuqa_neo4j.answer import Answer, Value
from trustuqa_neo4j.errors import DataError, MissingFile, UnreadableFile
from trustuqa_neo4j.evaluation import results_file
from trustuqa_neo4j.evaluation.benchmark import Case, ScoredAnswer, Scores
from trustuqa_neo4j.language.ast import Problem, ProblemKind

CASES = [Case(f"c{n}", f"q {n}", f"query {n}", ("é",), "g", "t.csv") for n in range(3)]
MS = {"parse": 1.0, "check": 0.0, "map": 2.0, "execute": 3.0, "total": 6.0}


def score(case: Case, given: ScoredAnswer) -> Scores:
    return {"same": float(given.values == case.labels)}


def line(case: Case, *values: Value) -> results_file.ResultLine:
    problems = () if values else (Problem(ProblemKind.UNREADABLE, "what", 1, 2),)
    answer = Answer("answered" if values else "failed", values, problems=problems, ms=MS)
    return results_file.make_line(case, answer, score(case, ScoredAnswer(answer.outcome, values)))


def write(path: Path, *written: results_file.ResultLine) -> None:
    with results_file.open_results(path) as file:
        assert file is not None
        for each in written:
            file.write(each.to_json() + "\n")


def test_what_was_written_is_found(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    first, second = line(CASES[0], "é", 2, 2.5), line(CASES[2])
    write(path, first)
    write(path, second)
    assert results_file.read_results(path, CASES, score) == {"c0": first, "c2": second}
    assert json.loads(path.read_text().splitlines()[1]) == {
        "id": "c2",
        "group": "g",
        "question": "q 2",
        "query": "query 2",
        "source": "t.csv",
        "labels": ["é"],
        "outcome": "failed",
        "values": [],
        "scores": {"same": 0},
        "ms": MS,
        "problems": [{"kind": "unreadable", "message": "what", "step": 1, "position": 2}],
        "llm_query": None,
        "confidence": None,
        "rows": None,
        "sent_back": [],
        "readings": None,
        "grounded": True,
        "tags": [],
        "usage": {},
        "similarity": None,
        "datasets": [],
        "source_read": None,
        "facts": 0,
        "origin": None,
    }
    assert "é" in path.read_text()


def test_lines_are_scored_anew(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    write(path, line(CASES[0], "é"))
    found = results_file.read_results(path, CASES, lambda _case, _values: {"other": 0.5})
    assert found["c0"].scores == {"other": 0.5}


def test_no_file_is_an_empty_one(tmp_path: Path) -> None:
    assert results_file.read_results(tmp_path / "out.jsonl", CASES, score) == {}
    assert not (tmp_path / "out.jsonl").exists()
    with results_file.open_results(None) as file:
        assert file is None


@pytest.mark.parametrize("kept", [1, 7, 30, -2])
def test_a_line_that_was_cut_is_taken_away(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    first, second = line(CASES[0], "é"), line(CASES[1], "é")
    write(path, first)
    whole = path.read_bytes()
    cut = second.to_json().encode()[:kept]
    path.write_bytes(whole + cut)
    assert results_file.read_results(path, CASES, score) == {"c0": first}
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b"my notes", ""),
        (b"my notes\n", ":1"),
        (b'{"id": "c0"}\n', ":1"),
        (b"[" * 100_000 + b"\n", ":1"),
        (b"\xff\n", ":1"),
        (b"\n", ":1"),
    ],
)
def test_another_file_is_refused_and_kept(content: bytes, where: str, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile) as error:
        results_file.read_results(path, CASES, score)
    assert error.value.where == f"{path}{where}"
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("values", [None]),
        ("values", "é"),
        ("rows", "é"),
        ("rows", ["é"]),
        ("sent_back", [1]),
        ("facts", "none"),
        ("ms", {"map": "long"}),
        ("problems", ["none"]),
        ("outcome", None),
        ("id", 1),
    ],
)
def test_fields_must_be_what_they_are(field: str, value: object, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    told = json.loads(line(CASES[0], "é").to_json())
    path.write_text(json.dumps({**told, field: value}) + "\n")
    with pytest.raises(UnreadableFile, match="no line of a replay"):
        results_file.read_results(path, CASES, score)


@pytest.mark.parametrize(("name", "query"), [("c9", "query 0"), ("c0", "query 1")])
def test_answers_to_other_queries_are_refused(name: str, query: str, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    write(path, line(CASES[1], "é"), line(Case(name, "", query, (), "g"), "é"))
    with pytest.raises(DataError, match="answered in it by another query") as error:
        results_file.read_results(path, CASES, score)
    assert error.value.where == f"{path}:2"


def test_paths_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="no such folder"):
        results_file.open_results(tmp_path / "none" / "out.jsonl")
    with pytest.raises(MissingFile, match="no such folder"):
        results_file.read_results(tmp_path / "none" / "out.jsonl", CASES, score)
    with pytest.raises(UnreadableFile):
        results_file.open_results(tmp_path)
    with pytest.raises(UnreadableFile):
        results_file.read_results(tmp_path, CASES, score)


QUESTION = Case("q0", "q", "", ("é",), "g")


def reading_line(*values: Value) -> results_file.ResultLine:
    answer = Answer("answered", values, ms=MS)
    reading = results_file.ReadingResult("count(set='a')", 0.5, "answered", values, {"same": 1.0})
    scores = score(QUESTION, ScoredAnswer("answered", values))
    return results_file.make_line(QUESTION, answer, scores, readings=(reading,))


def test_readings_are_kept_and_scored_anew(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    write(path, reading_line("é"), line(CASES[0], "é"))
    cases = [*CASES, QUESTION]
    lines = results_file.read_results(path, cases, score, untaught=True)
    assert lines["q0"] == reading_line("é")
    assert lines["c0"].readings is None  # a recorded query has none
    anew = results_file.read_results(path, cases, lambda *_: {"other": 0.5}, untaught=True)
    assert [reading.scores for reading in anew["q0"].readings or ()] == [{"other": 0.5}]


def test_questions_asked_in_another_way_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    write(path, reading_line("é"))
    with pytest.raises(DataError, match="'q0' was asked untaught"):
        results_file.read_results(path, [QUESTION], score)
    path.unlink()
    write(path, line(QUESTION, "é"))
    with pytest.raises(DataError, match="'q0' was asked otherwise"):
        results_file.read_results(path, [QUESTION], score, untaught=True)


@pytest.mark.parametrize("reading", [1, {}, {"outcome": "answered", "values": 3, "query": ""}])
def test_what_is_no_reading_is_refused(reading: object, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    fields = json.loads(reading_line("é").to_json())
    path.write_text(json.dumps({**fields, "readings": [reading]}) + "\n")
    with pytest.raises(UnreadableFile, match="no reading"):
        results_file.read_results(path, [QUESTION], score, untaught=True)
