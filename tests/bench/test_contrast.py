"""The generator of contrast questions, and how its files are asked."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path

import pytest

from bench.contrast.__main__ import ask_in_memory
from bench.contrast.check import relation_words, split_faults
from bench.contrast.collection import CATEGORIES, collection, write
from bench.contrast.files import read_questions
from bench.contrast.lexicon import Lexicon, load
from bench.semantic_parser.contrast_corpus import make_answer

LIMIT = 40
SPLITS = ("seen", "unseen")


@pytest.fixture(scope="module", params=SPLITS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("contrast")
    write(collection(request.param, 1, LIMIT), path)
    return path


def test_a_seed_gives_the_same_files(tmp_path: Path) -> None:
    for name in ("first", "second"):
        write(collection("seen", 3, LIMIT), tmp_path / name)
    write(collection("seen", 4, LIMIT), tmp_path / "other")
    first, second, other = (_read_all(tmp_path / name) for name in ("first", "second", "other"))
    assert first == second
    assert first["questions.jsonl"] != other["questions.jsonl"]


def _read_all(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(p.relative_to(folder)): p.read_text(encoding="utf-8") for p in files}


def test_questions_are_spread_evenly(folder: Path) -> None:
    questions = list(chain.from_iterable(read_questions(folder).values()))
    counts = {name: sum(q.category == name for q in questions) for name in CATEGORIES}
    assert set(counts.values()) == {LIMIT // len(CATEGORIES)}
    assert any(question.pair for question in questions)


def test_each_question_has_its_file_and_another_reading(folder: Path) -> None:
    names = {path.stem for path in (folder / "data").iterdir()}
    assert read_questions(folder).keys() == names
    questions = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    contrasts = (folder / "contrasts.jsonl").read_text(encoding="utf-8").splitlines()
    for question, contrast in zip(
        map(json.loads, questions), map(json.loads, contrasts), strict=True
    ):
        assert question["id"] == contrast["id"]
        assert bool(question["answers"]) == question["answerable"]
        assert question["answers"] not in contrast["wrong"].values()


def test_the_halves_share_no_words() -> None:
    words = {split: relation_words(Lexicon(split)) for split in SPLITS}
    assert all(len(own) > 100 for own in words.values())
    assert not words["seen"] & words["unseen"]
    for name, halves in load("names").items():
        assert not set(halves["seen"]) & set(halves["unseen"]), name
    made = {split: collection(split, 1, LIMIT) for split in SPLITS}
    assert split_faults(made) == []


def test_questions_are_judged_in_memory() -> None:
    judgements = list(ask_in_memory("seen", 1, LIMIT))
    assert len(judgements) == LIMIT
    assert {"right", "offered"} <= {judgement.verdict for judgement in judgements}


def test_groups_in_memory_are_pairs_with_their_values() -> None:
    assert make_answer(("Oslo", 3.0, "Bergen", 2.0)).rows == (("Oslo", 3.0), ("Bergen", 2.0))
    assert make_answer(("Oslo", "Bergen")).rows is None
    assert make_answer((3.0,)).rows is None
