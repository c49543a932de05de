"""An answer as JSON, CSV and a DataFrame."""

from __future__ import annotations

import copy
import csv
import dataclasses
import io
import json
import pickle
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from rich.console import Console
from support.answers import ASKED, MS, NOT_ASKABLE, ODD, QUERY, TABLE, evidence

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.answer import (
    SCHEMA_VERSION,
    Answer,
    Evidence,
    Outcome,
    SentStatement,
    Stage,
    describe_problem,
    find_query,
)
from trustuqa_neo4j.language.ast import Problem, ProblemKind
from trustuqa_neo4j.matching import NameMatch
from trustuqa_neo4j.reasoning.notes import Note, NoteKind

SCHEMA = Answer.json_schema()
VALIDATOR = Draft202012Validator(SCHEMA)
RUN = [
    "outcome", "values", "columns", "rows", "problems", "mapped", "notes", "truncated", "ms",
    "understood", "sentence", "version",
]  # fmt: skip
PROOF = [
    "evidence", "evidence_total", "considered_total", "evidence_counts", "evidence_steps", "trace",
]  # fmt: skip


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
        ("sent", SentStatement),
        ("stage", Stage),
        ("problem", Problem),
        ("mapped", NameMatch),
    ],
)
def test_parts_of_the_schema_are_those_of_the_code(name: str, kind: Any) -> None:
    # All problems of an answer are errors: how grave one is, checks tell.
    fields = [field.name for field in dataclasses.fields(kind) if field.name != "severity"]
    assert list(SCHEMA["$defs"][name]["properties"]) == fields
    assert SCHEMA["$defs"][name]["required"] == fields


def test_the_schema_has_the_fields_of_an_answer() -> None:
    # Doubts are for whoever repairs the query; the trace tells them.
    fields = {field.name for field in dataclasses.fields(Answer)} - {"doubts"} | {
        "understood",
        "sentence",
    }
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
        "datasets", "source", "origin", "readings", "prose",
    ]  # fmt: skip
    assert (asked["confidence"], asked["samples"], asked["grounded"]) == (0.24, 5, False)
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


# What of an answer is shown, and in which words.


def test_an_answer_with_its_proof() -> None:
    assert str(ASKED).split("\n") == [
        "Ada",
        "2",
        "0.5",
        "understood as: the number of those whose bakes is 'rye'",
        "confidence 0.24 (4 of 5 samples)",
        "computed by the model, not by the data alone (stages `judge` of the trace)",
        "'ry' was read as 'rye' (nearest)",
        "sent to the model: question, schema",
        "",
        "facts (2 of 7)",
        "  Ada  bakes  rye             town, bakers.csv:3",
        "  Bo   bakes  rye [1999 – …]  town, bakers.csv:4",
    ]


def test_a_table() -> None:
    assert str(TABLE).split("\n") == ["baker  loaves, a day", "Ada    3", "Bo     4"]


def test_what_could_be_asked_instead() -> None:
    assert str(NOT_ASKABLE).split("\n") == [
        "not askable",
        "unknown relation: town has no relation 'sells' (step 1)",
        "  get_information(relation='sells')",
        "                          ^",
        "could be asked:",
        "  who bakes rye?",
        "  who bakes <b>bagels</b>?",
    ]


def test_why_shows_the_steps() -> None:
    said = ASKED.to_text(why=True)
    assert said.partition("\n\nstep")[2].split("\n") == [
        "s",
        "  1. Find the bakers of Rye Street",
        "    search_condition('bakes', 'rye')",
        "    → 2 nodes by 2 facts: Ada, Bo",
        "  2. Count them",
        "    count(set=output_of_query1)",
        "    → 1 value: 2",
    ]


def test_explain_shows_stages_and_statements() -> None:
    said = ASKED.to_text(explain=True)
    assert "\nsteps\n  1. Find the bakers" in said
    assert "\nused: input tokens 1,234, output tokens 56, calls 1, cached 0\n" in said
    assert (
        "\n\nexecute  2.00 ms\n  search_condition('bakes', 'rye')\n"
        "  → step 1: 2 nodes by 2 facts: Ada, Bo\n"
        '  facts_to_tails.cypher {"nodes": [0, 1, 2, 3, 4, "… 4 more"], "source": null}: '
        "2 rows, 1.25 ms\n"
    ) in said


@pytest.mark.parametrize(
    ("confidence", "samples", "said"),
    [
        (0.8, 5, "confidence 0.80 (4 of 5 samples)"),
        (1.0, 1, "confidence 1.00 (1 of 1 sample)"),
        (1 / 3, 3, "confidence 0.33 (1 of 3 samples)"),
        (0.834, None, "confidence 0.83"),
        (0.0, 5, "confidence 0.00 (0 of 5 samples)"),
    ],
)
def test_confidence(confidence: float, samples: int | None, said: str) -> None:
    answer = Answer("answered", ("Ada",), confidence=confidence, samples=samples)
    assert str(answer) == f"Ada\n{said}"


@pytest.mark.parametrize("outcome", ["empty", "not_askable", "rejected", "abstained", "failed"])
def test_outcomes_are_named(outcome: Outcome) -> None:
    assert str(Answer(outcome)) == outcome.replace("_", " ")


def test_what_was_best_where_it_abstained() -> None:
    assert str(Answer("abstained", ("Ada",), confidence=0.4, samples=5)) == (
        "abstained\nthe most votes were for: Ada\nconfidence 0.40 (2 of 5 samples)"
    )


def test_a_long_answer_is_shown_in_part() -> None:
    values = tuple(f"value {n}" for n in range(100_000))
    many = Answer("answered", values, truncated=200_000)
    lines = str(many).split("\n")
    assert lines[19:] == ["value 19", "… 199,980 more (values has 100,000)"]
    few = dataclasses.replace(many, values=("", "Ann"))
    assert str(few).split("\n") == ["(empty)", "Ann", "… 199,998 more"]
    unread = Note(NoteKind.NOT_READ, "only 5 of 200,000 facts were read", 5, 200_000, (), 1)
    assert str(dataclasses.replace(few, notes=(unread,))).split("\n")[2:] == [unread.message]
    assert many._repr_html_().count("<li>") == 20
    table = dataclasses.replace(
        many, columns=("a", "b"), rows=tuple((v, v) for v in values), truncated=None
    )
    assert str(table).split("\n")[-1] == "… 99,980 more rows (rows has all)"
    assert len(table._repr_html_()) < 10_000


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        (None, None, "rye"),
        ("1999", None, "rye [1999 – …]"),
        (None, "2001-05", "rye [… – 2001-05]"),
        ("1999", "1999", "rye [1999 – 1999]"),
    ],
)
def test_when_a_fact_held(start: str | None, end: str | None, said: str) -> None:
    fact = dataclasses.replace(evidence(), start=start, end=end)
    shown = str(Answer("answered", ("x",), evidence=(fact,), evidence_total=1))
    assert shown.split("\n")[2:] == ["fact", f"  Ada  bakes  {said}  town, bakers.csv:3"]


@pytest.mark.parametrize("cell", ["", " ", "\n"])
def test_an_empty_cell_is_no_blank_line(cell: str) -> None:
    answer = Answer("answered", (cell, "rye"), evidence=(evidence(tail=cell),), evidence_total=1)
    first, second, _, _, fact = str(answer).split("\n")
    assert (first, second) == ("(empty)", "rye")
    assert "(empty)" in fact
    assert answer.to_dict()["values"] == [cell, "rye"]
    assert next(csv.DictReader(io.StringIO(answer.to_csv())))["answer"] == cell


@pytest.mark.parametrize("odd", ODD)
def test_odd_values(odd: str) -> None:
    answer = Answer(
        "answered",
        (odd, "b"),
        columns=(odd, "c"),
        rows=((odd, odd),),
        problems=(Problem(odd, odd, 1, 0),),
        evidence=(evidence(odd, odd),),
        evidence_total=1,
        trace=(
            Stage(
                "execute", odd, odd, 1.0, (SentStatement("x", {odd: odd}, 1, 1.0),), 1, (), (odd,)
            ),
        ),
        question=odd,
        llm_query=odd,
        sent=(odd,),
        hints=(odd,),
        usage={"note": odd},
    )
    said = answer.to_text(why=True, explain=True)
    assert not set("\x1b\x07\x9b\x7f\0\r\u202e\ud800") & set(said)
    html = answer._repr_html_()
    assert "<script" not in html
    html.encode()


def test_long_names_in_a_narrow_terminal() -> None:
    answer = Answer(
        "answered",
        ("short",),
        evidence=(evidence("x" * 500, "y " * 300),),
        evidence_total=1,
        trace=(Stage("execute", "z" * 10_000, "w " * 10_000, 1.0, (), 1),),
    )
    console = Console(width=40, color_system=None)
    with console.capture() as capture:
        console.print(answer)
    assert max(map(len, capture.get().splitlines())) <= 40
    assert capture.get().count("x") == 500
    assert len(answer.to_text(explain=True)) < 5000


def test_the_query_of_an_answer() -> None:
    assert find_query(ASKED) == QUERY
    assert find_query(dataclasses.replace(ASKED, llm_query=None)) == QUERY
    assert find_query(Answer("failed", ms=MS)) == ""
    problem = Problem(ProblemKind.UNREADABLE, "no step found", None, 3)
    assert describe_problem(problem, "") == "unreadable: no step found"
    assert describe_problem(problem, "abcdef") == "unreadable: no step found\n  abcdef\n     ^"


def test_a_notebook_shows_the_same() -> None:
    html = ASKED._repr_html_()
    for said in (
        "how many bake rye?", "<li><bdi>Ada</bdi></li>", "confidence 0.24 (4 of 5 samples)",
        "facts (2 of 7)", "bakers.csv:3", "<summary>steps</summary>", "<summary>stages</summary>",
        "Find the bakers of Rye Street", "facts_to_tails.cypher",
    ):  # fmt: skip
        assert said in html
    assert "who bakes &lt;b&gt;bagels&lt;/b&gt;?" in NOT_ASKABLE._repr_html_()


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+3+cmd", "'-2+3+cmd"),
        ("\t=1", "'\t=1"),
        ("＝1", "'＝1"),
        ("-5", "-5"),
        ("+3.2e5", "+3.2e5"),
        ("-1,250.00", "-1,250.00"),
        ("a=b", "a=b"),
        (-5, "-5"),
        (-2.5, "-2.5"),
    ],
)
def test_csv_for_spreadsheets_has_no_formulas(cell: str | float, written: str) -> None:
    answer = Answer("answered", columns=("a",), rows=((cell,),), values=())
    (row,) = list(csv.reader(io.StringIO(answer.to_csv(escape_formulas=True))))[1:]
    assert row == [written]
    (row,) = list(csv.reader(io.StringIO(answer.to_csv())))[1:]
    assert row == [str(cell)]


def test_rows_as_records() -> None:
    rows = (("Ada", 1.5), ("Bob", "Ada"))
    table = Answer("answered", ("Ada", 1.5, "Bob"), ("name", "name"), rows)
    assert table.to_records() == [{"name": "Ada", "name_2": 1.5}, {"name": "Bob", "name_2": "Ada"}]
    columns = ("total", "total", "total_2")
    assert [*Answer("answered", (1,), columns, ((1, 2, 3),)).to_records()[0].values()] == [1, 2, 3]
    assert Answer("answered", ("Ada", 2)).to_records() == [{"answer": "Ada"}, {"answer": 2}]
    assert Answer("empty").to_records() == []
    assert Answer("empty", (), ("name",), ()).to_records() == []
