"""``tuqa eval BENCHMARK PATH``: files as released, and own questions, on a real server."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import data_packs, released_files
from support.data_packs import jsonl
from support.evaluation import Shell, summary

from trustuqa_neo4j import TrustUQA

QUERIES = {
    "wikisql": {"test-1": "get_information(relation='Gold', head_entity=output_of_query1)"},
    "wtq": {"nu-0": "get_information(relation='Gold', head_entity=output_of_query1)"},
    "metaqa": {
        "1-hop/vanilla/qa_test.txt:1": "get_information(relation='directed_by', head_entity='Alien')"
    },
    "webqsp": {
        "WebQTest-0": "get_information(relation='people.person.languages', head_entity='Bob Marley')"
    },
    "cronquestions": {
        "7": "get_information(relation='member of sports team', head_entity='Ann Lee', key='time', "
        "value='1991')"
    },
    "multitq": {
        "1": "get_information(relation='Make_a_visit', tail_entity='Iraq', key='time', "
        "value='2005-04-01')"
    },
}
ROW = "Query1: get_information(relation='Nation', tail_entity='Norway')\nQuery2: "


@pytest.mark.parametrize("name", list(released_files.WRITERS))
def test_recorded_queries_of_a_release(name: str, evaluate: Shell) -> None:
    released_files.WRITERS[name](Path("release"))
    first = ROW if name in ("wikisql", "wtq") else "Query1: "
    ((case_id, query),) = QUERIES[name].items()
    jsonl(Path("queries.jsonl"), {"id": case_id, "query": first + query})
    told = summary(evaluate(name, "release", "--replay", "queries.jsonl", "--json"))
    assert told["groups"][-1]["n"] == 1
    assert told["groups"][-1]["right"] == 1
    assert told["settings"]["dataset"] == f"eval-{name}-released"
    assert list(told["left_out"]) in (
        ["no query for it"],
        ["its SQL has no answer", "no query for it"],
        ["no labelled answer", "no query for it"],
    )


def test_questions_are_counted_in_all_their_rows(evaluate: Shell) -> None:
    released_files.cronquestions(Path("release"))
    told = summary(evaluate("cronquestions", "release", "--topics", "--untaught", "--json"))
    rows = {row["group"]: row["n"] for row in told["groups"]}
    assert rows == {
        "first_last": 1, "simple_entity": 1, "Entity": 1, "Simple": 1, "Complex": 1, "Time": 1,
        "all": 2,
    }  # fmt: skip
    assert told["metrics"][0] == "hits@1"


def test_packs_without_recorded_queries(evaluate: Shell) -> None:
    pack = Path("packs/multitq")
    header = "head / relation / tail / time"
    data_packs.lines(pack / "kg.tsv", f"{header}\nJack Straw / Make a visit / Iraq / 2005-02-01")
    jsonl(
        pack / "questions.jsonl",
        {"id": 1, "question": "Who visited Iraq?", "type": "equal", "answers": ["Jack Straw"]},
        {"id": 2, "question": "When was it?", "type": "equal", "answers": ["2005-02"]},
    )
    told = summary(evaluate("multitq", "--packs", "packs", "--untaught", "--json"))
    assert [row["group"] for row in told["groups"]] == ["equal", "Entity", "Month", "all"]
    done = evaluate("multitq", "--packs", "packs", "--replay")
    assert done.code == 2
    assert done.err.startswith("error: these files have no recorded queries\nhint: --replay FILE")


def test_a_pack_can_be_named_by_its_path(evaluate: Shell) -> None:
    data_packs.metaqa(Path("packs"))
    told = summary(evaluate("metaqa", "packs/metaqa", "--replay", "--json"))
    assert told["groups"][-1]["n"] == 3
    assert told["settings"]["dataset"] == "eval-metaqa"


def test_own_questions(evaluate: Shell, tuqa: TrustUQA) -> None:
    pack = data_packs.metaqa(Path("packs"))
    tuqa.load("metaqa", pack, dataset="films")
    query = data_packs.step(1, "get_information(relation='directed_by', head_entity='Alien')")
    record = {"question": "who directed Alien?", "answers": ["Ridley Scott"], "query": query}
    jsonl(Path("own.jsonl"), record)
    words = ("own", "own.jsonl", "--dataset", "films", "--json")
    assert summary(evaluate(*words, "--replay"))["groups"][0]["right"] == 1
    assert summary(evaluate(*words, "--untaught"))["groups"][0]["right"] == 1


@pytest.mark.parametrize(
    ("words", "code", "err"),
    [
        (("own",), 2, "error: no file of questions\nhint: tuqa eval own FILE names one\n"),
        (("own", "nothing.jsonl"), 2, "error: no such file or folder, nothing.jsonl\n"),
        (("wtq", "."), 2, "error: no files of wtq, .\nhint: a release has data/pristine-unseen"),
    ],
)
def test_what_is_not_there(words: tuple[str, ...], code: int, err: str, evaluate: Shell) -> None:
    done = evaluate(*words)
    assert done.code == code
    assert done.err.startswith(err)


def test_own_questions_need_a_dataset(evaluate: Shell) -> None:
    jsonl(Path("own.jsonl"), {"question": "who?", "answers": ["1"]})
    done = evaluate("own", "own.jsonl")
    assert done.code == 1
    assert done.err.startswith("error: no dataset 'eval-own-released' is loaded\nhint: --dataset")
