"""``tuqa eval --replay``: tiny packs of every benchmark, run end to end on a real server."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support import data_packs
from support.chat_server import Chat, Request
from support.evaluation import Shell, summary
from support.shell import Done, environment, shell

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.cli.evaluate import BENCHMARKS
from trustuqa_neo4j.evaluation import registry
from trustuqa_neo4j.evaluation.runner import RunOptions, run_case
from trustuqa_neo4j.model.demonstration import USABLE_STATES


def written(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def became(told: dict[str, Any]) -> dict[str, tuple[int, int, int, int, int]]:
    return {
        row["group"]: (row["n"], row["right"], row["wrong"], row["empty"], row["refused"])
        for row in told["groups"]
    }


def test_the_command_knows_the_benchmarks() -> None:
    assert list(BENCHMARKS) == list(registry.BENCHMARKS)


def test_metaqa(evaluate: Shell) -> None:
    data_packs.metaqa(Path("packs"))
    told = summary(
        evaluate("metaqa", "--replay", "--packs", "packs", "--json", "--out", "out.jsonl")
    )
    assert told["benchmark"] == "metaqa"
    assert told["metrics"] == ["contains", "exact", "hits@1"]
    assert became(told) == {
        "1 hop": (2, 1, 1, 0, 0),
        "2 hops": (1, 1, 0, 0, 0),
        "all": (3, 2, 1, 0, 0),
    }
    # The second step leads back to the topic, which the label never names.
    assert told["groups"][1]["scores"]["contains"] == 1
    assert told["groups"][1]["scores"]["exact"] == 0
    assert told["groups"][2]["p50"] > 0
    assert told["left_out"] == {
        "no query recorded": 1,
        "its type leads nowhere from this topic": 1,
        "no labelled question has this wording": 1,
    }
    by_id = {line["id"]: line for line in written("out.jsonl")}
    wrong = by_id["llm_queries.1hop:2"]
    assert wrong["question"] == "who starred in [Alien]"
    assert wrong["query"].startswith("Step1: find it\nQuery1: ")
    assert (wrong["values"], wrong["labels"]) == (["Ridley Scott"], ["Sigourney Weaver"])
    assert wrong["scores"] == {"contains": 0, "exact": 0, "hits@1": 0}
    assert (wrong["outcome"], wrong["group"], wrong["problems"]) == ("answered", "1 hop", [])
    assert set(wrong["ms"]) == {"parse", "check", "map", "execute", "total"}


def test_wtq(evaluate: Shell) -> None:
    data_packs.wtq(Path("packs"))
    told = summary(evaluate("wtq", "--replay", "--packs", "packs", "--json"))
    assert became(told) == {
        "core": (2, 1, 1, 0, 0),
        "other": (1, 0, 0, 0, 1),
        "all": (3, 1, 1, 0, 1),
    }
    (function,) = told["functions"]
    assert (function["group"], function["n"], function["refused"]) == ("divine", 1, 1)
    assert list(told["groups"][1]["kinds"].values()) == [1]


def test_webqsp(evaluate: Shell) -> None:
    data_packs.webqsp(Path("packs"))
    told = summary(evaluate("webqsp", "--replay", "--packs", "packs", "--json"))
    assert became(told)["all"] == (2, 2, 0, 0, 0)
    exact, overlap = told["groups"][:2]
    assert exact["scores"] == {"reaches": 1, "hits@1": 1, "exact": 1, "f1": 1}
    assert overlap["scores"]["exact"] == 0
    assert overlap["scores"]["f1"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("name", ["yago11k", "cronquestions"])
def test_temporal_graphs(name: str, evaluate: Shell) -> None:
    data_packs.WRITERS[name](Path("packs"))
    told = summary(evaluate(name, "--replay", "--packs", "packs", "--json", "--failures"))
    assert told.get("failures", []) == []
    count = {"yago11k": 5, "cronquestions": 4}[name]
    assert became(told)["all"] == (count, count, 0, 0, 0)
    assert told["groups"][-1]["scores"] == {"exact": 1, "contains": 1}


def test_the_summary_for_people(evaluate: Shell) -> None:
    data_packs.wtq(Path("packs"))
    done = evaluate("wtq", "--replay", "--packs", "packs", "--failures", "1", "--workers", "3")
    assert (done.code, done.err) == (0, "")
    head, core, other, whole = done.out.splitlines()[:4]
    assert head.split() == [
        "wtq", "n", "right", "95", "%", "denotation", "wrong", "empty", "refused", "p50", "ms",
        "p95", "ms",
    ]  # fmt: skip
    assert re.fullmatch(r"core +2 +1 +9\.5–90\.5 +50\.00 +1 +0 +0 +[\d.]+ +[\d.]+", core)
    assert re.fullmatch(r"other +1 +0 +0\.0–79\.3 +0\.00 +0 +0 +1 +– +–", other)
    assert re.fullmatch(r"all +3 +1 +6\.1–79\.2 +33\.33 +1 +0 +1 +[\d.]+ +[\d.]+", whole)
    assert "\nrefused: rejected: " in done.out
    assert re.search(r"^1 used once +1 +0 +0 +0 +1$", done.out, re.M)
    assert "\nleft out: asked of several tables 1, " in done.out
    assert re.search(r"^version \S+, .*python \S+, server \S+, dataset eval-wtq, ", done.out, re.M)
    assert re.search(r"replay the pack's, workers 3, timeout 60\.0$", done.out, re.M)
    told = done.out.partition("\nnt-2  who won 12?\n")[2]
    assert told.startswith("  of csv/204-csv/1.csv\n  ## Target type: {Nation}\n")
    assert "    execute: " in told
    assert "    parse: " not in told
    assert told.endswith("  label   Germany\n  answer  Norway\n")
    assert "nt-3" not in done.out


def test_forms_of_the_summary(evaluate: Shell) -> None:
    data_packs.wtq(Path("packs"))
    words = ("wtq", "--replay", "--packs", "packs")
    done = evaluate(*words, "--csv", "--html", "report.html")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0].startswith("wtq,n,right,95 %,denotation,")
    page = Path("report.html").read_text()
    assert "TrustUQA (GPT-3.5)" in page
    assert page.count("<svg") == 2
    markdown = evaluate(*words, "--markdown").out
    assert "| system | source | group | metric | published % | ours % | 95 % |" in markdown
    assert "\nrefused: " in markdown
    done = evaluate(*words, "--html", "nowhere/report.html")
    assert done == Done(2, "", "error: no such folder, nowhere\nhint: make it first\n")


PER_CASE = {"source", "entities", "fields", "pick", "follows"}
NOT_IN_THE_SHELL = {"demonstrations", "cancelled", "listen"}
OUTPUT_ONLY = {"evidence", "limit"}


def test_options_that_change_an_answer_are_options_of_a_benchmark() -> None:
    from trustuqa_neo4j.cli.evaluate import command
    from trustuqa_neo4j.questions.options import OPTIONS

    names = {parameter.name for parameter in command.params}
    assert set(OPTIONS) - names == (PER_CASE | NOT_IN_THE_SHELL | OUTPUT_ONLY) - names
    assert names.isdisjoint(PER_CASE)


def test_two_runs_are_compared(evaluate: Shell) -> None:
    data_packs.metaqa(Path("packs"))
    words = ("metaqa", "--replay", "--packs", "packs", "--json", "--out")
    summary(evaluate(*words, "a.jsonl"))
    lines = written("a.jsonl")
    lines[0]["scores"] = dict.fromkeys(lines[0]["scores"], 1 - lines[0]["scores"]["contains"])
    data_packs.jsonl(Path("b.jsonl"), *lines)
    told = summary(evaluate("--compare", "a.jsonl", "b.jsonl", "--json"))
    assert told["groups"][-1]["n"] == 3
    assert len(told["first_only"]) + len(told["second_only"]) == 1
    assert "McNemar" in evaluate("--compare", "a.jsonl", "b.jsonl").out
    done = evaluate("metaqa", "--compare", "a.jsonl", "b.jsonl")
    assert (done.code, done.err.splitlines()[1]) == (2, "hint: leave metaqa out")
    assert "Missing argument 'BENCHMARK'" in evaluate().err


def test_failures_as_json(evaluate: Shell) -> None:
    data_packs.wtq(Path("packs"))
    told = summary(evaluate("wtq", "--replay", "--packs", "packs", "--json", "--failures"))
    assert [failure["id"] for failure in told["failures"]] == ["nt-2", "nt-3"]
    assert told["failures"][0]["labels"] == ["Germany"]
    assert any(stage.startswith("execute: ") for stage in told["failures"][0]["trace"])
    assert told["failures"][1]["problems"]


def test_it_is_loaded_once(evaluate: Shell, tuqa: TrustUQA) -> None:
    data_packs.metaqa(Path("packs"))
    options = ("metaqa", "--replay", "--packs", "packs", "--json")
    first = summary(evaluate(*options))
    loaded = [d.loaded for d in tuqa.datasets() if d.name == "eval-metaqa"]
    assert first["settings"]["dataset"] == "eval-metaqa"
    assert first["settings"]["facts"] == 5
    Path("packs/metaqa/kb.txt").write_text(
        Path("packs/metaqa/kb.txt").read_text() + "Alien|directed_by|Nobody\n"
    )
    assert became(summary(evaluate(*options)))["1 hop"] == (2, 0, 2, 0, 0)
    assert [d.loaded for d in tuqa.datasets() if d.name == "eval-metaqa"] == loaded


def test_another_dataset_can_be_asked(evaluate: Shell, tuqa: TrustUQA) -> None:
    pack = data_packs.metaqa(Path("packs"))
    tuqa.load("metaqa", pack, dataset="mine")
    told = summary(
        evaluate("metaqa", "--replay", "--packs", "packs", "--dataset", "mine", "--json")
    )
    assert told["settings"]["dataset"] == "mine"
    assert became(told)["all"] == (3, 2, 1, 0, 0)
    assert "eval-metaqa" not in {dataset.name for dataset in tuqa.datasets()}


def test_a_table_that_is_not_loaded_fails_its_queries_alone(evaluate: Shell) -> None:
    pack = data_packs.wtq(Path("packs"))
    path = pack / "llm_queries.jsonl"
    path.write_text(path.read_text().replace("1.csv", "9.csv", 1))
    told = summary(evaluate("wtq", "--replay", "--packs", "packs", "--json"))
    assert became(told)["core"] == (2, 0, 1, 0, 1)
    assert told["groups"][0]["kinds"] == {"failed: unknown source": 1}


def test_queries_of_a_file(evaluate: Shell) -> None:
    data_packs.metaqa(Path("packs"))
    right = "get_information(relation='starred_actors', head_entity='Gladiator')"
    data_packs.jsonl(
        Path("mine.jsonl"),
        {"question": "who starred in [Gladiator]", "llm_output": data_packs.step(1, right)},
    )
    told = summary(evaluate("metaqa", "--replay", "mine.jsonl", "--packs", "packs", "--json"))
    assert became(told) == {"1 hop": (1, 1, 0, 0, 0)}
    assert told["settings"]["replay"] == "mine.jsonl"


def test_the_packs_can_be_named_by_the_environment(
    server: Settings, evaluate: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_packs.metaqa(Path("packs"))
    done = subprocess.run(
        [str(Path(sys.executable).with_name("tuqa")), "eval", "metaqa", "--replay", "--json"],
        env=environment(server) | {"TUQA_PACKS": "packs"},
        capture_output=True,
        check=True,
    )
    assert became(json.loads(done.stdout))["all"] == (3, 2, 1, 0, 0)


def test_a_part_of_it(evaluate: Shell) -> None:
    data_packs.metaqa(Path("packs"))
    options = ("metaqa", "--replay", "--packs", "packs", "--json", "--limit", "1")
    assert became(summary(evaluate(*options))) == {"1 hop": (1, 1, 0, 0, 0)}
    shuffled = [summary(evaluate(*options, "--sample", str(seed))) for seed in (1, 1, 2, 3, 4)]
    groups = [tuple(became(told)) + tuple(became(told).values()) for told in shuffled]
    assert groups[0] == groups[1]
    assert len(set(groups)) > 1
    assert shuffled[0]["settings"]["sample"] == 1
    assert shuffled[0]["settings"]["limit"] == 1


# Going on.


def test_answers_that_are_there_are_not_asked_again(evaluate: Shell) -> None:
    data_packs.metaqa(Path("packs"))
    options = ("metaqa", "--replay", "--packs", "packs", "--json", "--out", "out.jsonl")
    summary(evaluate(*options, "--limit", "1"))
    (first,) = written("out.jsonl")
    # As if it had been another answer: were it asked again, it would be right.
    Path("out.jsonl").write_text(json.dumps({**first, "values": ["Nobody"]}) + "\n")
    assert became(summary(evaluate(*options)))["1 hop"] == (2, 0, 2, 0, 0)
    found = written("out.jsonl")
    assert found[0]["values"] == ["Nobody"]
    assert len({line["id"] for line in found}) == len(found) == 3
    again = evaluate(*options)
    assert became(summary(again))["all"] == (3, 1, 2, 0, 0)
    assert written("out.jsonl") == found


def test_a_cut_last_line_is_asked_again(evaluate: Shell) -> None:
    data_packs.metaqa(Path("packs"))
    options = ("metaqa", "--replay", "--packs", "packs", "--json", "--out", "out.jsonl")
    whole = summary(evaluate(*options))
    content = Path("out.jsonl").read_bytes()
    Path("out.jsonl").write_bytes(content[:-40])
    assert became(summary(evaluate(*options))) == became(whole)
    assert len(written("out.jsonl")) == 3


def test_an_out_file_of_another_benchmark(evaluate: Shell) -> None:
    data_packs.metaqa(Path("packs"))
    data_packs.wtq(Path("packs"))
    summary(evaluate("metaqa", "--replay", "--packs", "packs", "--json", "--out", "out.jsonl"))
    before = Path("out.jsonl").read_bytes()
    done = evaluate("wtq", "--replay", "--packs", "packs", "--out", "out.jsonl")
    assert (done.code, done.out) == (1, "")
    assert re.fullmatch(
        r"error: 'llm_queries\.\dhop:\d' is answered in it by another query or another benchmark, "
        r"out\.jsonl:1\nhint: give another --out, or move this file away\n",
        done.err,
    )
    assert Path("out.jsonl").read_bytes() == before


def interrupted(
    server: Settings, folder: Path, *words: str, at: Path
) -> tuple[int | None, str, int]:
    """Start it, and end it as Ctrl-C does once ``at`` has lines; code, stderr, and lines that were there."""
    script = Path(sys.executable).with_name("tuqa")
    process = subprocess.Popen(
        [str(script), "eval", *words],
        cwd=folder,
        env=environment(server),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 300
    while not at.exists() or at.read_bytes().count(b"\n") < 5:
        assert process.poll() is None, process.communicate(timeout=300)
        assert time.monotonic() < deadline
        time.sleep(0.01)  # the processor is the command's meanwhile
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    return process.returncode, err, at.read_bytes().count(b"\n")


def test_ctrl_c(server: Settings, evaluate: Shell, tmp_path: Path) -> None:
    data_packs.metaqa(tmp_path / "packs")
    query = data_packs.step(1, "get_information(relation='directed_by', head_entity='Alien')")
    record = {"question": "who directed [Alien]", "llm_output": query}
    data_packs.jsonl(tmp_path / "many.jsonl", *[record] * 800)
    words = ("metaqa", "--replay", "many.jsonl", "--packs", "packs", "--out", "out.jsonl")
    code, err, kept = interrupted(server, tmp_path, *words, at=tmp_path / "out.jsonl")
    assert code == 130
    assert 5 <= kept < 800
    assert err.strip() == (
        f"interrupted: {kept:,} of 800 answers are in out.jsonl, run the same command again to continue"
    )
    assert len({line["id"] for line in written("out.jsonl")}) == kept
    assert became(summary(evaluate(*words, "--json", "--workers", "8"))) == {
        "1 hop": (800, 800, 0, 0, 0)
    }
    assert len(written("out.jsonl")) == 800


# What is wrong.


def test_questions_are_asked_after_what_the_training_side_demonstrates(
    evaluate: Shell, tuqa: TrustUQA
) -> None:
    data_packs.asked(Path("packs"))
    words = ("metaqa", "--packs", "packs", "--json", "--out", "out.jsonl")
    told = summary(evaluate(*words))
    assert became(told) == {"1 hop": (3, 1, 1, 0, 1)}
    # Of six recorded queries one is null and one reaches nothing.
    assert told["settings"]["demonstrations"] == tuqa.demonstrations.counts("eval-metaqa").of(
        USABLE_STATES
    )
    by_id = {line["id"]: line for line in written("out.jsonl")}
    assert by_id["a"]["values"] == ["Ridley Scott"]
    assert "Blade Runner" in by_id["a"]["llm_query"]
    assert 0 < by_id["a"]["confidence"] <= 1
    assert (by_id["c"]["outcome"], by_id["c"]["llm_query"]) == ("not_askable", None)
    shutil.rmtree("packs/metaqa/kb.txt", ignore_errors=True)
    unmarked = summary(
        evaluate("metaqa", "--packs", "packs", "--json", "--unmarked", "--limit", "1")
    )
    assert became(unmarked) == {"1 hop": (1, 1, 0, 0, 0)}


def test_questions_are_asked_of_a_model(server: Settings, evaluate: Shell) -> None:
    data_packs.asked(Path("packs"))

    def reply(request: Request) -> str:
        asked = [text for _, text in request.messages if "Question: " in text][-1]
        topic = re.search(r"who directed \[(.+?)\]", asked.rpartition("Question: ")[2])
        if topic is None:
            return "I do not know."
        return f"Query1: get_information(relation='directed_by', head_entity='{topic[1]}')"

    with Chat(reply) as chat:
        words = ("metaqa", "--packs", "packs", "--json", "--workers", "1")
        told = summary(shell(server, "tuqa", "eval", *words, env=chat.environment))
    assert became(told) == {"1 hop": (3, 1, 1, 0, 1)}
    assert told["settings"]["llm"] == "openai:test"
    assert told["details"]["usage"]["calls"] == len(chat.requests)
    assert told["groups"][0]["kinds"] == {"failed: unreadable": 1}
    assert len(chat.requests) == 2 + 2  # an unreadable reply goes back once if it stays as it was


def test_the_use_of_a_model_is_estimated(server: Settings, evaluate: Shell) -> None:
    data_packs.asked(Path("packs"))
    with Chat(lambda _: "Query1: nothing()") as chat:
        words = ("tuqa", "eval", "metaqa", "--packs", "packs")
        done = shell(server, *words, "--estimate", env=chat.environment)
        assert (done.code, chat.requests) == (0, [])
        estimate = r"estimate: 3 calls without repairs, about [\d,]+ tokens"
        assert re.fullmatch(rf"{estimate}\n", done.out)
        prices = chat.environment | {"TUQA_LLM_PRICES": "10/20"}
        done = shell(server, *words, "--limit", "1", "--retries", "0", env=prices)
    assert done.code == 0
    assert re.search(r"estimate: 1 calls without .*, about \d+\.\d\d by TUQA_LLM_PRICES", done.err)
    assert re.search(r"^model: \d+ calls, .* cost \d\.\d+; per question", done.out, re.M)


def test_answers_that_the_model_computed_are_counted(server: Settings, evaluate: Shell) -> None:
    data_packs.asked(Path("packs"))

    def reply(request: Request) -> str:
        value = re.search(r'^1\. (".*")$', request.prompt, re.M)
        if value is not None:
            return f'{{"values": [{value[1]}]}}'
        topic = re.search(r"who directed \[(.+?)\]", request.prompt.rpartition("Question: ")[2])
        if topic is None:
            return "Query1: get_information(relation='directed_by')"
        search = f"get_information(relation='directed_by', head_entity='{topic[1]}')"
        return f"Query1: {search}\nQuery2: best_of(output_of_query1)"

    words = ("metaqa", "--packs", "packs", "--workers", "1", "--llm-function", "--out", "out.jsonl")
    with Chat(reply) as chat:
        as_json = summary(shell(server, "tuqa", "eval", *words, "--json", env=chat.environment))
    lines = written("out.jsonl")
    grounded = [line["grounded"] for line in lines]
    assert grounded.count(False) == as_json["computed"]["n"] == 2
    assert as_json["settings"]["llm_function"] is True
    with Chat(reply) as chat:
        printed = shell(server, "tuqa", "eval", *words, env=chat.environment).out
        assert not chat.requests
    share = 100 * as_json["computed"]["right"] / 2
    assert f"computed by the model: 2 of 3 (66.7 %); right are {share:.1f} % of them" in printed


# Untaught.


def test_untaught_questions_are_read(evaluate: Shell, tuqa: TrustUQA) -> None:
    data_packs.asked(Path("packs"))
    summary(
        evaluate("metaqa", "--packs", "packs", "--json", "--limit", "1")
    )  # stores demonstrations
    assert tuqa.demonstrations.counts("eval-metaqa").of(USABLE_STATES)
    words = ("metaqa", "--untaught", "--packs", "packs", "--json", "--out", "out.jsonl")
    report = summary(evaluate(*words))
    assert became(report) == {"1 hop": (3, 1, 1, 0, 1)}
    assert report["settings"]["untaught"] == "no model, no demonstrations, no brackets"
    assert not {"llm", "demonstrations", "votes"} & report["settings"].keys()
    figures = report["untaught"]
    assert (figures["n"], figures["right_within"], figures["recorded"]) == (3, [1, 1, 1], None)
    assert [point["n"] for point in figures["coverage"]][-4:] == [2, 2, 2, 3]
    assert (figures["default"]["n"], figures["default"]["right"]) == (2, 1)
    assert [row["n"] for row in figures["refusals"]] == [1]
    by_id = {entry["id"]: entry for entry in written("out.jsonl")}
    assert by_id["a"]["question"] == "who directed Blade Runner"
    assert by_id["a"]["readings"][0]["values"] == ["Ridley Scott"]
    assert by_id["a"]["readings"][0]["confidence"] == by_id["a"]["confidence"]
    assert by_id["c"]["readings"] == []
    assert summary(evaluate(*words))["untaught"] == figures
    assert len(written("out.jsonl")) == 3


def test_untaught_loads_no_demonstrations(evaluate: Shell, tuqa: TrustUQA) -> None:
    data_packs.asked(Path("packs"))
    summary(evaluate("metaqa", "--untaught", "--packs", "packs", "--json", "--limit", "1"))
    assert tuqa.demonstrations.counts("eval-metaqa").of(USABLE_STATES) == 0


def test_an_out_file_of_questions_asked_otherwise(evaluate: Shell) -> None:
    data_packs.asked(Path("packs"))
    words = ("metaqa", "--packs", "packs", "--out", "out.jsonl", "--limit", "1", "--json")
    summary(evaluate(*words))
    done = evaluate(*words, "--untaught")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error: 'a' was asked otherwise, out.jsonl:1\n")


def test_untaught_wtq_counts_its_recorded_queries(evaluate: Shell) -> None:
    data_packs.wtq_questions(Path("packs"))
    words = ("wtq", "--untaught", "--packs", "packs", "--out", "out.jsonl")
    done = evaluate(*words, "--failures")
    assert (done.code, done.err) == (0, "")
    assert re.search(r"^test +3 +1 +6\.1–79\.2 +33\.33 +0 +0 +2 ", done.out, re.M)
    assert re.search(r"^right among the best readings, % \(1 to 3\): 1 33\.3, 2 ", done.out, re.M)
    assert re.search(r"^time from question to answer, ms \(p50, p95\): \d+, \d+$", done.out, re.M)
    assert re.search(r"^coverage % +n +right +precision % +threshold$", done.out, re.M)
    assert re.search(r"^33\.3 \(default\) +1 +1 +100\.0 +0\.60$", done.out, re.M)
    assert re.search(r"^0\.0 – 0\.5 ", done.out, re.M)
    assert re.search(r"^not_askable: no reading +1 +0$", done.out, re.M)
    assert re.search(r"^core +2 +50\.0 +1 +0 +0$", done.out, re.M)
    assert re.search(r"^all +3 +33\.3 +1 +0 +1$", done.out, re.M)
    assert "\nrecorded queries refused: rejected: " in done.out
    assert "\nrecorded queries left out: asked of several tables 1, " in done.out
    assert "who trained the team of germany?" in done.out
    report = summary(evaluate(*words, "--json"))
    assert [row["right"] for row in report["untaught"]["recorded"]["groups"]] == [1, 0, 1]
    assert len(written("out.jsonl")) == 6


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("--replay",), "replay"),
        (("--llm", "openai:x"), "llm"),
        (("--votes", "3"), "votes"),
        (("--unmarked",), "unmarked"),
        (("--tables",), "tables"),
        (("--runs", "2"), "runs"),
    ],
)
def test_options_without_meaning_for_untaught(
    words: tuple[str, ...], option: str, evaluate: Shell
) -> None:
    assert evaluate("metaqa", "--untaught", "--packs", "packs", *words) == Done(
        2,
        "",
        f"error: --{option} has no meaning with --untaught\nhint: leave one of them out\n",
    )


def test_tables_of_answers_are_not_asked_untaught(evaluate: Shell) -> None:
    assert evaluate("acme", "--untaught", "--packs", "packs") == Done(
        2,
        "",
        "error: acme has no questions for --untaught\nhint: leave --untaught out\n",
    )


def test_no_packs(evaluate: Shell) -> None:
    assert evaluate("metaqa", "--replay") == Done(
        2,
        "",
        "error: the folder of the data packs is unknown\nhint: give --packs DIR, or set TUQA_PACKS\n",
    )


NO_PACKS = "--packs or TUQA_PACKS names the folder that holds the packs"
NO_FILE = "--replay names another file, PATH or --packs another folder"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("wtq", "--replay", "--packs", "packs"), f"no pack wtq, packs\nhint: {NO_PACKS}"),
        (("metaqa", "--replay", "--packs", "none"), f"no pack metaqa, none\nhint: {NO_PACKS}"),
        (
            ("metaqa", "--replay", "none.jsonl", "--packs", "packs"),
            f"no such file, none.jsonl\nhint: {NO_FILE}",
        ),
        (
            ("metaqa", "--replay", "--packs", "packs", "--out", "none/out.jsonl"),
            "no such folder, none\nhint: make it first",
        ),
    ],
)
def test_wrong_paths(words: tuple[str, ...], said: str, evaluate: Shell, tuqa: TrustUQA) -> None:
    data_packs.metaqa(Path("packs"))
    assert evaluate(*words) == Done(2, "", f"error: {said}\n")
    assert "eval-metaqa" not in {dataset.name for dataset in tuqa.datasets()}


def test_paths_that_are_folders(evaluate: Shell) -> None:
    data_packs.metaqa(Path("packs"))
    Path("folder").mkdir()
    for words in (("--out", "folder"), ("--replay", "folder")):
        done = evaluate("metaqa", "--replay", "--packs", "packs", *words)
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("error: ")
        assert "folder" in done.err.splitlines()[0]


@pytest.mark.parametrize(
    "words",
    [("metaqua", "--replay"), ("--replay", "metaqa"), ("metaqa", "--replay", "--limit", "0"),
     ("metaqa", "--replay", "--workers", "0")],
)  # fmt: skip
def test_usage(words: tuple[str, ...], evaluate: Shell) -> None:
    done = evaluate(*words)
    assert (done.code, done.out) == (2, "")
    assert "Usage: " in done.err


def test_a_malformed_line(evaluate: Shell) -> None:
    pack = data_packs.metaqa(Path("packs"))
    (pack / "llm_queries.2hop.jsonl").write_text('{"question": "a [b]", "llm_output": 3}\n')
    assert evaluate("metaqa", "--replay", "--packs", "packs") == Done(
        1,
        "",
        "error: no text 'llm_output' in it, packs/metaqa/llm_queries.2hop.jsonl:1\nhint: "
        "the page on evaluation says what each file has\n",
    )


def test_no_server(tmp_path: Path) -> None:
    data_packs.metaqa(tmp_path)
    nowhere = Settings(uri="bolt://127.0.0.1:1", password="p")
    done = shell(nowhere, "tuqa", "eval", "metaqa", "--replay", "--packs", str(tmp_path))
    assert (done.code, done.out) == (3, "")
    assert "\nhint: start a server there" in done.err


def test_nothing_to_run(evaluate: Shell) -> None:
    data_packs.metaqa(Path("packs"))
    data_packs.jsonl(
        Path("none.jsonl"), {"question": "who starred in [Gladiator]", "llm_output": None}
    )
    done = evaluate("metaqa", "--replay", "none.jsonl", "--packs", "packs")
    assert (done.code, done.err) == (0, "")
    assert re.search(r"^all +0 +0 ", done.out, re.M)
    assert "left out: no query recorded 1" in done.out


def test_a_query_that_takes_too_long_has_failed(tuqa: TrustUQA, tmp_path: Path) -> None:
    """And the next is asked."""
    pack = data_packs.metaqa(tmp_path)
    tuqa.load("metaqa", pack, dataset="slow")
    prepared = registry.BENCHMARKS["metaqa"].prepare(pack, None)
    answer = run_case(tuqa, prepared.cases[0], RunOptions("slow", timeout=1e-6))
    if answer.outcome != "answered":  # a server may be faster than its own clock
        assert (answer.outcome, answer.problems[0].kind) == ("failed", "timed out")
    shutil.rmtree(pack)
    assert run_case(tuqa, prepared.cases[0], RunOptions("slow")).outcome == "answered"
