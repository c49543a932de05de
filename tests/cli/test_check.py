"""``tuqa check``: problems with their lines, exit codes, many queries, and the editor."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support.shell import Done, shell

from trustuqa_neo4j import Settings, TrustUQA

Shell = Callable[..., Done]
GOOD = "get_information(head_entity='Alien', relation='starring')\n"
BACKWARDS = (
    "Query1: get_information(relation='starring', tail_entity='Tom Skerritt')\n"
    "Query2: get_information(relation='starring', tail_entity=output_of_query1)\n"
)


@pytest.fixture
def sh(server: Settings, films: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return lambda *words, **options: shell(server, *words, **options)


def check(sh: Shell, text: str, *words: str) -> Done:
    return sh("tuqa", "check", *words, stdin=text)


def test_nothing_wrong(sh: Shell) -> None:
    told = "nothing is wrong; checked against films\n"
    assert check(sh, GOOD, "--dataset", "films") == Done(0, told, "")


def test_a_problem_has_its_line_and_a_caret(sh: Shell) -> None:
    done = check(sh, BACKWARDS, "--dataset", "films")
    assert done.code == 1
    first, line, caret, *_, last = done.out.splitlines()
    assert first.startswith("standard input:2:34: error: direction, step 2: "), first
    assert line[caret.index("^") :].startswith("'starring'")
    assert last == "1 error; checked against films"


def test_without_a_dataset_only_the_form_is_checked_and_no_server_is_needed(sh: Shell) -> None:
    nowhere = ("--uri", "bolt://127.0.0.1:1")
    told = "nothing is wrong; only the form was checked\n"
    assert check(sh, BACKWARDS, *nowhere) == Done(0, told, "")
    done = check(sh, "Query1: cuont(output_of_query4)", *nowhere)
    assert done.code == 1
    assert "unknown function, step 1: undefined function cuont; did you mean count?" in done.out
    assert "unknown reference, step 1" in done.out
    assert done.out.endswith("2 errors; only the form was checked\n")


def test_a_value_that_is_not_there_is_a_doubt(sh: Shell) -> None:
    done = check(
        sh, GOOD.replace("head_entity='Alien'", "tail_entity='Nobody'"), "--dataset", "films"
    )
    assert done.code == 1
    assert ": doubt: unknown name, step 1: films has no 'Nobody'" in done.out


def test_a_warning_is_no_failure(sh: Shell) -> None:
    text = f"Query1: {GOOD}Query2: {GOOD}"
    done = check(sh, text, "--dataset", "films")
    assert (done.code, done.out.splitlines()[-1]) == (0, "1 warning; checked against films")


def test_a_relation_of_a_near_name(sh: Shell) -> None:
    done = check(sh, GOOD.replace("starring", "starrring"), "--dataset", "films")
    assert (done.code, done.out.startswith("'starrring' is read as 'starring' (nearest, ")) == (
        0,
        True,
    )


def test_json(sh: Shell) -> None:
    done = check(sh, "Query1:\n  cuont('x')", "--json")
    assert done.code == 1
    assert json.loads(done.out) == {
        "good": False, "outcome": "rejected", "mapped": [],
        "problems": [{
            "kind": "unknown function", "message": "undefined function cuont; did you mean count?",
            "step": 1, "position": 10, "severity": "error", "line": 2, "column": 3,
        }],
    }  # fmt: skip


NO_SERVER = ("--uri", "bolt://127.0.0.1:1")


def test_json_with_steps(sh: Shell) -> None:
    steps = {"steps": [{"function": "get_information", "arguments": {"relation": "starring"}}]}
    assert check(sh, json.dumps(steps), "--dataset", "films").code == 0
    steps["steps"].append({"function": "cuont", "arguments": {"set": "output_of_query1"}})
    done = check(sh, json.dumps(steps, indent=2), *NO_SERVER)
    first, line, caret, _ = done.out.splitlines()
    assert first.startswith("standard input: error: unknown function, step 2: ")
    assert line[caret.index("^") :].startswith("cuont(")
    lines = [json.dumps({"id": n, "query": json.dumps(steps)}) for n in (1, 2)]
    reports = [
        json.loads(line) for line in check(sh, "\n".join(lines), *NO_SERVER).out.splitlines()
    ]
    assert [report["problems"][0]["kind"] for report in reports] == ["unknown function"] * 2


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"steps": [\n  {"function": "count",}\n]}', "2:24"),
        ('{"steps": [{"function": "count"}', "1:33"),
        ('["get_information(relation=', "1:2"),
    ],
)
def test_broken_json_has_its_place(sh: Shell, text: str, place: str) -> None:
    done = check(sh, text, *NO_SERVER)
    assert done.code == 1
    assert done.out.startswith(
        f"standard input:{place}: error: unreadable: the JSON cannot be read: "
    )
    done = sh("tuqa", "run", "--json", "--dataset", "films", stdin=text)
    problem = json.loads(done.out)["problems"][0]
    assert problem["message"].startswith("the JSON cannot be read: ")


def test_many_queries(sh: Shell) -> None:
    lines = [
        json.dumps({"id": 1, "query": GOOD, "dataset": "films"}),
        "{oops",
        json.dumps({"id": 3, "query": BACKWARDS, "dataset": "films"}),
        json.dumps({"id": 4, "query": GOOD, "dataset": "film"}),
    ]
    done = check(sh, "\n".join(lines))
    found = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 1
    assert [(one["id"], one["good"], one["outcome"]) for one in found] == [
        (1, True, None), (None, False, "failed"), (3, False, "rejected"), (4, False, "failed"),
    ]  # fmt: skip
    assert "not JSON" in found[1]["problems"][0]["message"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--fix", "--json"), "--fix is for one query"),
        (("--source", "x"), "name that with --dataset"),
    ],
)
def test_what_contradicts_itself(sh: Shell, words: tuple[str, ...], said: str) -> None:
    done = check(sh, GOOD, *words)
    assert (done.code, said in done.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("missing.txt",), 2, "missing.txt"),
        (("--dataset", "film"), 1, "error: no dataset 'film'"),
        (("--dataset", "films", "--uri", "bolt://127.0.0.1:1"), 3, "start a server there"),
    ],
)
def test_what_cannot_be_checked(sh: Shell, words: tuple[str, ...], code: int, said: str) -> None:
    done = check(sh, GOOD, *words)
    assert (done.code, said in done.err) == (code, True), done.err


def editor(tmp_path: Path, script: str) -> dict[str, str]:
    """The environment of an editor that changes the file it is given."""
    path = tmp_path / "editor"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return {"EDITOR": str(path), "VISUAL": str(path)}


def test_fix_writes_the_file_once_nothing_is_wrong(
    sh: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in editor(tmp_path, 'cp "$1" seen; sed -i s/cuont/count/ "$1"').items():
        monkeypatch.setenv(name, value)
    wrong = "Query1: cuont(get_information(relation='r'))"
    Path("query.txt").write_text(f"{wrong}\n", encoding="utf-8")
    done = sh("tuqa", "check", "query.txt", "--fix")
    assert done == Done(0, "nothing is wrong; only the form was checked\n", "")
    assert Path("query.txt").read_text(encoding="utf-8") == wrong.replace("cuont", "count") + "\n"
    seen = Path("seen").read_text(encoding="utf-8").splitlines()
    assert seen[0].startswith("# query.txt:1:9: error: unknown function, step 1: ")
    assert seen[-1] == wrong


def test_fix_leaves_what_nobody_mended(
    sh: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in editor(tmp_path, "true").items():
        monkeypatch.setenv(name, value)
    Path("query.txt").write_text("Query1: cuont('x')\n", encoding="utf-8")
    done = sh("tuqa", "check", "query.txt", "--fix")
    assert (done.code, done.err) == (1, "left as it was\n")
    assert Path("query.txt").read_text(encoding="utf-8") == "Query1: cuont('x')\n"
