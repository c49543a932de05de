"""``tuqa demonstrations`` and ``tuqa-load --demonstrations``: what they say, and how they end."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.chat_server import Chat
from support.demonstrations import directed, patterns, starring, states
from support.samples import FILMS
from support.shell import Done, shell

from trustuqa_neo4j import Settings, TrustUQA

Shell = Callable[..., Done]
WHY = "why they failed: tuqa demonstrations list --dataset films --state failed\n"


@pytest.fixture
def sh(server: Settings, films: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return lambda *words, **options: shell(server, "tuqa", "demonstrations", *words, **options)


ON = ("--dataset", "films")


def record(**given: Any) -> str:
    return json.dumps(given) + "\n"


def write(path: str, *given: Any) -> str:
    Path(path).write_text(
        "".join(
            record(question=each.question, query=each.query, answers=each.answers) for each in given
        )
    )
    return path


def test_import_list_export_drop(sh: Shell, films: TrustUQA) -> None:
    given = [directed("Alien", "Ridley Scott"), directed("Aliens"), starring("Aliens", "Nobody")]
    Path("d.jsonl").write_text(
        record(question=given[0].question, llm_output=given[0].query, answers=["Ridley Scott"], type="t")
        + record(question=given[1].question, query=given[1].query)
        + record(question=given[1].question, query="other")
        + record(question=given[2].question, query=given[2].query, answers=["Nobody"])
        + record(question="nothing", query=None)
    )  # fmt: skip
    notes = (
        "note: 1 lines repeat a question, the first counts\nnote: 1 lines skipped: no query in it\n"
    )
    done = sh("import", "d.jsonl", *ON)
    assert done == Done(0, "films: 3 new, 1 verified, 1 run (unlabelled), 1 failed\n", notes + WHY)
    assert sh("import", "d.jsonl", *ON) == Done(0, "films: 3 there already\n", notes)
    listed = sh("list", *ON)
    assert (listed.code, listed.err) == (0, "")
    assert listed.out.splitlines() == [
        "state     question                    why",
        "failed    which actors are in Aliens  it gives 'Sigourney Weaver', and the answer is 'Nobody'",
        "verified  who directed Alien",
        "runs      who directed Aliens",
        "films: 1 verified and 1 run (unlabelled) in 1 pattern, 0 not run yet, 1 failed",
    ]
    verified = sh("list", *ON, "--state", "verified", "--state", "runs", "--limit", "1").out
    assert "… 1 more demonstration (--limit N shows more, --json all)" in verified
    assert "failed " not in verified
    told = json.loads(sh("list", *ON, "--json").out)
    assert [each["state"] for each in told] == ["failed", "verified", "runs"]
    assert told[1] == {
        "question": "who directed Alien", "query": given[0].query, "state": "verified", "why": "",
        "answers": ["Ridley Scott"], "source": None, "fields": {"type": "t"},
    }  # fmt: skip

    assert sh("export", "out.jsonl", *ON) == Done(0, "films: 3 demonstrations to out.jsonl\n", "")
    assert sh("export", "out.jsonl.gz", *ON).code == 0
    content = Path("out.jsonl").read_bytes()
    assert gzip.decompress(Path("out.jsonl.gz").read_bytes()) == content
    assert sh("export", "-", *ON).out.encode() == content
    assert sh("export", "-", *ON, "--state", "failed").out.count("\n") == 1
    again = sh("export", "out.jsonl", *ON)
    assert (again.code, again.out) == (1, "")
    assert again.err.startswith("error: the file is there, and nothing is ever overwritten, out")
    before = patterns(films)
    assert sh("drop", *ON, "--state", "failed") == Done(0, "films: 1 demonstration deleted\n", "")
    assert sh("drop", *ON) == Done(0, "films: 2 demonstrations deleted\n", "")
    assert sh("import", "out.jsonl.gz", *ON).out == (
        "films: 3 new, 1 verified, 1 run (unlabelled), 1 failed\n"
    )
    assert patterns(films) == before
    assert sh("export", "-", *ON).out.encode() == content


def test_import_from_standard_input_and_without_running(sh: Shell, films: TrustUQA) -> None:
    line = record(question="who directed Alien", query=directed("Alien").query, dataset="films")
    done = sh("import", "-", "--no-verify", stdin=line)
    assert done == Done(0, "films: 1 new\n", "")
    assert states(films) == {"who directed Alien": "candidate"}
    assert sh("verify", *ON) == Done(0, "films: 1 run (unlabelled)\n", "")
    assert sh("verify", *ON) == Done(0, "films: nothing to run\n", "")
    told = json.loads(
        sh("verify", *ON, "--again", "--json", "--workers", "3", "--timeout", "9").out
    )
    assert told["datasets"] == {"films": {"verified": 0, "failed": 0, "embedded": 0, "runs": 1}}


def test_what_a_verified_one_does_not_give_way_to(sh: Shell, films: TrustUQA) -> None:
    write("one.jsonl", directed("Alien"))
    write("other.jsonl", directed("Alien", "Ridley Scott"))
    sh("import", "one.jsonl", *ON)
    done = sh("import", "other.jsonl", *ON)
    assert done.out == "films: 1 kept as they were\n"
    assert done.err == (
        "note: 1 usable ones have another query or other answers; --replace takes the new ones\n"
    )
    told = json.loads(sh("import", "other.jsonl", *ON, "--replace", "--json").out)
    assert told["datasets"]["films"]["changed"] == told["datasets"]["films"]["verified"] == 1


def test_nothing_is_stored_of_a_file_that_is_wrong(sh: Shell, films: TrustUQA) -> None:
    Path("d.jsonl").write_text(record(question="a", query="b") + "{\n")
    done = sh("import", "d.jsonl", *ON)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error: not JSON (")
    assert ", d.jsonl:2\nhint: each line is " in done.err
    assert states(films) == {}
    Path("d.jsonl").write_text("")
    assert sh("import", "d.jsonl", *ON).err == (
        "error: there is no demonstration in it, d.jsonl\nhint: each line is an object with question "
        "and query\n"
    )


def test_add(sh: Shell, films: TrustUQA) -> None:
    given = directed("Alien")
    words = (given.question, given.query, *ON, "--answer", "Ridley Scott", "--field", "type=a=b")
    assert sh("add", *words) == Done(0, "films: verified\n", "")
    assert json.loads(sh("list", *ON, "--json").out)[0]["fields"] == {"type": "a=b"}
    done = sh("add", given.question, given.query, *ON)
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "error: the question has another query or other answers already, and they run, "
        "dataset 'films', question 'who directed Alien'\nhint: replace it (--replace), or leave it\n"
    )
    done = sh("add", given.question, "-", *ON, "--answer", "Me", "--replace", stdin=given.query)
    assert done == Done(
        1,
        "films: failed\n",
        "the query failed: it gives 'Ridley Scott', and the answer is 'Me'\n",
    )
    assert sh("add", "who made Aliens", directed("Aliens").query, *ON) == Done(
        0, "films: runs (unlabelled: --answer sets the expected answer)\n", ""
    )
    assert sh("add", "q", "x", *ON, "--source", "s", "--no-verify").out == "films: candidate\n"
    assert sh("drop", *ON, "--source", "s").out == "films: 1 demonstration deleted\n"
    assert sh("drop", *ON, "--question", "who?") == Done(1, "films: 0 demonstrations deleted\n", "")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("list",), 2, "Missing option '--dataset'"),
        (("list", "--dataset", "flims"), 1, "error: no dataset 'flims'\nhint: did you mean 'films'?"),
        (("list", *ON, "--state", "odd"), 2, "Invalid value for '--state'"),
        (("verify", "--dataset", "flims"), 1, "error: no dataset 'flims'"),
        (("import", "nowhere.jsonl", *ON), 2, "nowhere.jsonl"),
        (("import", ".", *ON), 2, "Is a directory"),
        (("export", "nowhere/x.jsonl", *ON), 1, "error: No such file or directory, nowhere/x.jsonl"),
        (("add", "q", "x", *ON, "--field", "x"), 2, "--field 'x' is not of the form NAME=VALUE"),
        (("add", " ", "x", *ON), 2, "error: an empty question"),
        (("add", "q", "x", *ON, "--dataset", "uni"), 1, "error: no dataset 'uni'"),
        (("list", *ON, "--uri", "bolt://127.0.0.1:1"), 3, "hint: start a server there"),
    ],
    ids=lambda x: " ".join(x) if isinstance(x, tuple) else "",
)  # fmt: skip
def test_calls_that_are_wrong(sh: Shell, words: tuple[str, ...], code: int, said: str) -> None:
    done = sh(*words)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_dataset_without_any(sh: Shell) -> None:
    assert sh("list", *ON) == Done(
        0, "", "films: there are none; add some with `tuqa demonstrations import` or `add`\n"
    )
    assert sh("list", *ON, "--json").out == "[]\n"
    sh("add", "q", "x", *ON, "--no-verify")
    assert sh("list", *ON, "--state", "failed").err == "films: none is failed\n"
    assert sh("drop", *ON).out == "films: 1 demonstration deleted\n"
    assert sh("drop", *ON).out == "films: 0 demonstrations deleted\n"


def test_control_characters_do_not_reach_the_terminal(sh: Shell) -> None:
    sh("add", "who \x1b[31m[red]", "x", *ON, "--no-verify")
    assert "who ␛[31m[red]" in sh("list", *ON).out


@pytest.fixture
def load(
    server: Settings, tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Shell:
    monkeypatch.chdir(tmp_path)
    words = ("kg", str(FILMS), "--dataset", "films", "--demonstrations", "d.jsonl")
    return lambda *more: shell(server, "tuqa-load", *words, *more)


def test_loaded_with_the_data(load: Shell, tuqa: TrustUQA) -> None:
    write("d.jsonl", directed("Alien"), starring("Alien", "Nobody"))
    assert load("--dry-run").code == 0
    assert "films" not in {dataset.name for dataset in tuqa.datasets()}
    done = load()
    assert done.code == 0
    assert done.out.endswith("\ndemonstrations of films: 2 new, 1 run (unlabelled), 1 failed\n")
    told = json.loads(load("--json").out)
    assert told["begun"] == "unchanged"
    assert told["demonstrations"]["films"]["same"] == 2


def test_nothing_is_loaded_where_they_are_wrong(load: Shell, tuqa: TrustUQA) -> None:
    Path("d.jsonl").write_text("{}\n")
    done = load()
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error: no question in it, d.jsonl:1\nhint: ")
    assert "films" not in {dataset.name for dataset in tuqa.datasets()}


WHO = "who directed Alien"


@pytest.fixture
def accept(server: Settings, films: TrustUQA, tmp_path: Path) -> Shell:
    """Commands of a user whose home has nothing yet."""
    home = {"TUQA_HOME": str(tmp_path / "home")}
    return lambda *words, **more: shell(server, "tuqa", *words, env=home | more)


def test_the_last_answer_is_accepted(accept: Shell, films: TrustUQA) -> None:
    done = accept("demonstrations", "accept")
    assert (done.code, done.out) == (2, "")
    assert "error: no question was answered yet" in done.err
    assert accept("ask", WHO, *ON).code == 0
    assert accept("ask", "how much did the moon weigh in spring", *ON).code == 1
    done = accept("demonstrations", "accept")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[:3] == [
        f"question: {WHO}",
        "Ridley Scott",
        "understood as: 'directed by' of Alien",
    ]
    assert lines[-1] == "films: verified"
    assert accept("demonstrations", "accept").out.endswith("\nfilms: there already\n")
    told = json.loads(accept("ask", WHO, *ON, "--json").out)
    assert (told["origin"], told["values"]) == ("demonstrated", ["Ridley Scott"])
    films.drop("films")
    done = accept("demonstrations", "accept")
    assert (done.code, "error: no dataset 'films'" in done.err) == (1, True)


def test_a_question_or_one_of_its_readings_is_accepted(accept: Shell, films: TrustUQA) -> None:
    done = accept("demonstrations", "accept", *WHO.split(), *ON)
    assert (done.code, done.out.splitlines()[-1]) == (0, "films: verified")
    done = accept("demonstrations", "accept", "how much did the moon weigh", *ON)
    assert done.code == 1
    assert "error: only an answer can be accepted, and the question is not askable" in done.err
    asked = ("who edited Alien", *ON)
    readings = json.loads(accept("ask", *asked, "--json").out)["readings"]
    done = accept("demonstrations", "accept", *asked, "--pick", "1")
    assert (done.code, done.out.splitlines()[-1]) == (0, "films: verified")
    stored = {each.question: each.query for each in films.demonstrations.listed("films")}
    assert stored["who edited Alien"] == readings[0]["query"]
    assert accept("demonstrations", "accept", *asked, "--pick", "99").code == 2
    done = accept("demonstrations", "accept", "--pick", "1")
    assert (done.code, "need a QUESTION" in done.err) == (2, True)


def test_no_model_is_called_to_accept(accept: Shell, films: TrustUQA) -> None:
    with Chat("Query1: get_information(head_entity='Alien', relation='starring')") as chat:
        done = accept("demonstrations", "accept", WHO, *ON, **chat.environment)
        assert (done.code, "no cached reply" in done.err) == (1, True)
        asked = ("who is it", *ON)
        done = accept("demonstrations", "accept", *asked, **chat.environment)
        assert (done.code, chat.requests) == (1, [])
        assert "error: the model has no cached reply to the question" in done.err
        assert accept("ask", *asked, **chat.environment).code == 0
        done = accept("demonstrations", "accept", *asked, **chat.environment)
        assert (done.code, len(chat.requests)) == (0, 1)
        without = ("--llm", "demonstrations")
        done = accept("demonstrations", "accept", *asked, *without, **chat.environment)
        assert (done.code, "there already" in done.out) == (0, True)
    (stored,) = films.demonstrations.listed("films")
    assert stored.answers == ("Sigourney Weaver", "Tom Skerritt")
