"""An answer as JSON, CSV and a DataFrame."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from typing import Any

import pytest
from answers import ASKED, NOT_ASKABLE, ODD, TABLE
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.answer import SCHEMA_VERSION, Answer, Evidence, Sent, Stage
from trustuqa_neo4j.language.query import Problem
from trustuqa_neo4j.mapping import Mapped

SCHEMA = Answer.json_schema()
VALIDATOR = Draft202012Validator(SCHEMA)
RUN = [
    "outcome", "values", "columns", "rows", "problems", "mapped", "truncated", "ms", "version",
]  # fmt: skip
PROOF = ["evidence", "evidence_total", "trace"]


def as_json(answer: Answer, *, proof: bool = True) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(json.dumps(answer.to_dict(proof=proof)))
    return told


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["version"]["const"] == SCHEMA_VERSION
    assert SCHEMA["$id"].endswith(f":{SCHEMA_VERSION}")
    assert SCHEMA["required"] == RUN


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("evidence", Evidence),
        ("sent", Sent),
        ("stage", Stage),
        ("problem", Problem),
        ("mapped", Mapped),
    ],
)
def test_parts_of_the_schema_are_those_of_the_code(name: str, kind: Any) -> None:
    # All problems of an answer are errors: how grave one is, checks tell.
    fields = [field.name for field in dataclasses.fields(kind) if field.name != "severity"]
    assert list(SCHEMA["$defs"][name]["properties"]) == fields
    assert SCHEMA["$defs"][name]["required"] == fields


def test_the_schema_has_the_fields_of_an_answer() -> None:
    # Doubts are for whoever repairs the query; the trace tells them.
    fields = {field.name for field in dataclasses.fields(Answer)} - {"doubts"}
    assert set(SCHEMA["properties"]) == fields | {"version", "id"}
    assert set(ASKED.to_dict()) == fields | {"version"}
    assert all(part["description"] for part in SCHEMA["properties"].values())


@pytest.mark.parametrize("answer", [ASKED, TABLE, NOT_ASKABLE, Answer("failed"), Answer("empty")])
@pytest.mark.parametrize("proof", [True, False])
def test_answers_are_as_the_schema_says(answer: Answer, proof: bool) -> None:
    told = as_json(answer, proof=proof)
    VALIDATOR.validate(told)
    VALIDATOR.validate({"id": [1], **told})
    assert list(told)[: len(RUN)] == RUN


@pytest.mark.parametrize(
    "change",
    [
        {"outcome": "maybe"},
        {"values": "Ada"},
        {"values": [["Ada"]]},
        {"confidence": 1.5},
        {"samples": 0},
        {"version": 2},
        {"mapped": [{"given": "a"}]},
        {"ms": {"total": "1"}},
        {"evidence": [{"head": "Ada"}]},
    ],
)
def test_what_is_no_answer(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        VALIDATOR.validate(as_json(ASKED) | change)


@pytest.mark.parametrize("missing", [*RUN, "llm_query", "usage", "trace", "datasets"])
def test_what_may_not_be_missing(missing: str) -> None:
    told = as_json(ASKED)
    del told[missing]
    with pytest.raises(ValidationError):
        VALIDATOR.validate(told)


def test_what_a_question_adds() -> None:
    asked = as_json(ASKED, proof=False)
    assert list(asked)[len(RUN) :] == [
        "question", "llm_query", "confidence", "samples", "usage", "grounded", "sent", "hints",
        "datasets",
    ]  # fmt: skip
    assert (asked["confidence"], asked["samples"], asked["grounded"]) == (0.8, 5, False)
    assert list(as_json(TABLE)) == [*RUN, *PROOF]
    assert list(as_json(TABLE, proof=False)) == RUN


def test_answers_of_a_real_run(tuqa: TrustUQA) -> None:
    tuqa.load("kg", "tests/samples/films.tsv", dataset="films")
    queries = [
        "get_information(head_entity='ALIENS', relation='starring')",
        "count(set=get_information(head_entity='Alien', relation='starring'))",
        "get_information(head_entity='Alien 3', relation='starring')",
        "get_information(head_entity='Alien', relation='xyzzy')",
        "f()",
        "?",
    ]
    found = [tuqa.run(query, "films") for query in queries]
    assert {answer.outcome for answer in found} == {
        "answered", "empty", "not_askable", "rejected", "failed",
    }  # fmt: skip
    for answer in found:
        VALIDATOR.validate(as_json(answer))
        assert answer.to_text()
        assert answer._repr_html_()


def test_csv_of_values_and_of_tables() -> None:
    assert ASKED.to_csv() == "answer\nAda\n2\n0.5\n"
    assert TABLE.to_csv() == 'baker,"loaves, a day"\nAda,3\nBo,4\n'
    assert Answer("empty").to_csv() == "answer\n"
    assert Answer("answered", ('a"b', "c\nd")).to_csv() == 'answer\n"a""b"\n"c\nd"\n'


def test_frames() -> None:
    assert TABLE.to_pandas().to_dict("list") == {"baker": ["Ada", "Bo"], "loaves, a day": [3, 4]}
    assert ASKED.to_pandas()["answer"].tolist() == ["Ada", 2, 0.5]
    assert Answer("empty").to_pandas().shape == (0, 1)
    many = Answer("answered", tuple(f"v{n}" for n in range(100_000)))
    assert many.to_pandas().shape == (100_000, 1)


def test_odd_values_as_json() -> None:
    odd = Answer("answered", ODD)
    assert tuple(as_json(odd)["values"]) == ODD


def test_an_answer_is_plain_data() -> None:
    assert pickle.loads(pickle.dumps(ASKED)) == ASKED
    assert copy.deepcopy(ASKED) == ASKED
    assert dataclasses.replace(TABLE, question="who bakes?").question == "who bakes?"
    assert "Stage" not in repr(ASKED)
