"""Synonyms of a dataset: stored, used by questions, kept when the data are replaced, and removed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.curation.synonyms import MAX_SYNONYMS
from trustuqa_neo4j.errors import DataError, UnknownDataset, UsageError
from trustuqa_neo4j.model.dataset import Synonym

BOATS = "Boat,Skipper,Draught,Harbour\nEider,Ann Lee,2.1,Port Ellis\nPetrel,Bo Karlsson,1.4,Lund\n"
DATASET = "boats with synonyms"


@pytest.fixture
def boats(client: TrustUQA, tmp_path: Path) -> Iterator[TrustUQA]:
    path = tmp_path / "boats.csv"
    path.write_text(BOATS, encoding="utf-8")
    client.load("table", path, dataset=DATASET, source="boats", embeddings=False)
    yield client
    client.drop(DATASET)


def test_a_question_in_other_words_is_answered_after_a_synonym(boats: TrustUQA) -> None:
    question = "What is the keel clearance of Petrel?"
    assert boats.ask(question, DATASET).outcome == "not_askable"
    boats.add_synonyms(DATASET, {"Keel clearance": "draught"})
    answer = boats.ask(question, DATASET)
    assert (answer.values, answer.question) == (("1.4",), question)


def test_a_synonym_may_mean_a_name(boats: TrustUQA) -> None:
    boats.add_synonyms(DATASET, {"the old harbour town": "port ellis"})
    (synonym,) = boats.schema(DATASET).synonyms
    assert synonym == Synonym("the old harbour town", "Port Ellis", "name")
    answer = boats.ask("Which boat is in the old harbour town?", DATASET)
    assert answer.values == ("Eider",)


def test_synonyms_stay_when_the_data_are_replaced(boats: TrustUQA, tmp_path: Path) -> None:
    boats.add_synonyms(DATASET, {"captain": "Skipper"})
    for mode in ("replace", "replace-all"):
        boats.load(
            "table",
            tmp_path / "boats.csv",
            dataset=DATASET,
            source="boats",
            mode=mode,
            embeddings=False,
        )
        assert boats.schema(DATASET).synonyms == (Synonym("captain", "Skipper", "relation"),)
    boats.drop(DATASET)
    boats.load("table", tmp_path / "boats.csv", dataset=DATASET, embeddings=False)
    assert boats.schema(DATASET).synonyms == ()


def test_a_synonym_needs_a_meaning_in_the_data(boats: TrustUQA) -> None:
    with pytest.raises(DataError, match=r"no relation, column or name 'Draugt'.*\n.*'Draught'"):
        boats.add_synonyms(DATASET, {"captain": "Skipper", "depth": "Draugt"})
    assert boats.schema(DATASET).synonyms == ()  # all or none


@pytest.mark.parametrize(
    ("phrase", "message"), [("", "not a word"), ("?!", "not a word"), ("a" * 101, "at most 100")]
)
def test_a_synonym_is_a_phrase_of_a_question(boats: TrustUQA, phrase: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        boats.add_synonyms(DATASET, {phrase: "Skipper"})


def test_the_number_of_synonyms_is_limited(boats: TrustUQA) -> None:
    boats.add_synonyms(DATASET, {f"word {n}": "Skipper" for n in range(MAX_SYNONYMS)})
    boats.add_synonyms(DATASET, {"word 1": "Boat"})
    with pytest.raises(UsageError, match="would have 1,001"):
        boats.add_synonyms(DATASET, {"one more": "Boat"})


def test_an_unknown_synonym_is_not_removed(boats: TrustUQA) -> None:
    boats.add_synonyms(DATASET, {"captain": "Skipper"})
    with pytest.raises(DataError, match=r"no synonym 'captan'.*\n.*it has 'captain'"):
        boats.remove_synonyms(DATASET, ["captain", "captan"])
    assert len(boats.schema(DATASET).synonyms) == 1
    with pytest.raises(UnknownDataset):
        boats.remove_synonyms("no such dataset", ["captain"])
