"""``tuqa eval cross`` and ``mixed``: several datasets in one database, on a real server."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from support import data_packs
from support.data_packs import jsonl, lines
from support.evaluation import Shell, summary

from trustuqa_neo4j import TrustUQA

STEPS = (
    "relation='Award', tail_entity='{award}'",
    "relation='Nominated work', head_entity=output_of_query1",
    "relation='{role}', head_entity=output_of_query2",
    "relation='wasBornIn', head_entity=output_of_query3",
)


def query(award: str, role: str) -> str:
    steps = (step.format(award=award, role=role) for step in STEPS)
    return "\n".join(f"Query{n}: get_information({step})" for n, step in enumerate(steps, 1))


def write_cross(folder: Path) -> None:
    lines(folder / "table.csv", "Award,Nominated work,Guest\nNorth Prize 1,Alien,Eva Roth", ",")
    lines(
        folder / "kb.txt",
        "Alien / directed_by / Ridley Scott\nAlien / written_by / Dan O'Bannon",
        "|",
    )
    lines(
        folder / "kg.tsv",
        """
        head / relation / tail / start / end
        Ridley Scott / wasBornIn / South Shields / 1937 / 1937
        Dan O'Bannon / wasBornIn / St. Louis / 1946 / 1946
        Eva Roth / wasBornIn / Berlin / 1950 / 1950
        """,
    )
    case = {"question": "Where was the director born?", "answers": ["South Shields"],
            "traps": ["St. Louis", "Berlin"]}  # fmt: skip
    jsonl(
        folder / "cases.jsonl",
        {**case, "id": "a", "query": query("North Prize 1", "directed_by")},
        # The wrong role reaches a trap.
        {**case, "id": "b", "query": query("North Prize 1", "written_by")},
    )


def test_questions_over_three_sources(evaluate: Shell, tuqa: TrustUQA) -> None:
    write_cross(Path("cross"))
    words = ("cross", "cross", "--replay", "--json", "--out", "out.jsonl")
    told = summary(evaluate(*words))
    (row,) = told["groups"]
    assert (row["n"], row["right"], row["wrong"]) == (2, 1, 1)
    assert row["scores"] == {"right": 0.5, "false join": 0.5}
    names = {f"eval-cross-{kind}" for kind in ("table", "metaqa", "temporal-kg")}
    assert names <= {dataset.name for dataset in tuqa.datasets()}
    assert summary(evaluate(*words))["groups"] == told["groups"]


def test_a_case_without_traps_is_refused(evaluate: Shell) -> None:
    write_cross(Path("cross"))
    jsonl(Path("cross/cases.jsonl"), {"question": "?", "answers": ["1"], "query": "q"})
    done = evaluate("cross", "cross", "--replay")
    assert done.code == 1
    assert done.err.startswith(
        "error: no list 'traps' of texts or numbers in it, cross/cases.jsonl:1"
    )


def write_packs(folder: Path) -> None:
    data_packs.asked(folder)
    data_packs.wtq_questions(folder)
    data_packs.webqsp_questions(folder)
    names = [f"Which team did Ann Lee play for in 1991, case {number}?" for number in range(9)]
    data_packs.cronquestions_names(folder, names)
    pack = folder / "wikisql"
    lines(pack / "tables" / "1-10-1.csv", "City,Mayor\nOslo,Berg\nBonn,Weber", ",")
    jsonl(
        pack / "questions.jsonl",
        {"question": "Who is the mayor of Oslo?", "table": "1-10-1", "split": "test",
         "answers": ["berg"]},
    )  # fmt: skip


def test_mixed_datasets(evaluate: Shell) -> None:
    write_packs(Path("packs"))
    words = ("mixed", "packs", "--untaught", "--json", "--out", "out.jsonl", "--no-embeddings")
    told = summary(evaluate(*words))
    assert told["metrics"] == ["right", "dataset", "table"]
    rows = {row["group"]: row for row in told["groups"]}
    for setting in ("mixed, source unknown", "alone, source unknown", "alone, source known"):
        assert rows[f"wtq: {setting}"]["n"] == 3
        assert rows[setting]["n"] >= 3 + 3 + 2 + 1
    known = rows["wikisql: alone, source known"]
    assert known["scores"] == {"right": 1, "dataset": 1, "table": 1}
    assert rows["alone, source known"]["scores"]["dataset"] == 1
    mixed = rows["mixed, source unknown"]["scores"]
    assert 0 < mixed["dataset"] < 1
    out = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    chosen = {tuple(line["datasets"]) for line in out if "alone, source known" in line["id"]}
    assert ("eval-wikisql",) in chosen
    assert all(len(names) <= 1 for names in chosen)  # none is reported for a refused question
    assert summary(evaluate(*words))["groups"] == told["groups"]


def test_mixed_questions_need_all_packs(evaluate: Shell) -> None:
    write_packs(Path("packs"))
    shutil.rmtree("packs/wtq")
    done = evaluate("mixed", "packs", "--untaught")
    assert (done.code, "packs/wtq" in done.err) == (2, True)
    done = evaluate("mixed", "packs", "--replay")
    assert (done.code, done.err) == (
        2,
        "error: mixed questions have no recorded queries\nhint: leave --replay out\n",
    )
