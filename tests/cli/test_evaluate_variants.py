"""``tuqa eval --ablate`` and ``--sweep``: one benchmark with several settings, side by side."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import data_packs
from support.chat_server import Chat, Request
from support.shell import Done, shell

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.cli.evaluate import ABLATED
from trustuqa_neo4j.evaluation.variants import ABLATIONS

Shell = Callable[..., Done]


@pytest.fixture
def sh(server: Settings, tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    data_packs.asked(Path("packs"))
    words = ("tuqa", "eval", "metaqa", "--packs", "packs", "--workers", "1", "--reader", "off")
    return lambda *rest, env=None: shell(server, *words, *rest, env=env)


def rows(done: Done) -> dict[str, dict[str, Any]]:
    assert (done.code, done.err) == (0, "")
    return {row["setting"]: row for row in json.loads(done.out)["variants"]}


def reply(request: Request) -> str:
    """A query that is right at the second try, as a weak model writes it."""
    asked = [text for _, text in request.messages if "Question: " in text][-1]
    topic = re.search(r"who directed \[(.+?)\]", asked.rpartition("Question: ")[2])
    name = topic[1] if topic else "Alien"
    is_repair = "undefined function" in request.messages[-1][1]
    function = "get_information" if is_repair else "frobnicate"
    return f"Query1: {function}(relation='directed_by', head_entity='{name}')"


def test_the_command_knows_the_ablations() -> None:
    assert list(ABLATED) == list(ABLATIONS)


def test_a_part_that_is_left_out_changes_the_answers(sh: Shell) -> None:
    with Chat(reply) as chat:
        asked = sh("--ablate", "retry", "--ablate", "mapping", "--json", "--out", "out.jsonl",
                   env=chat.environment)  # fmt: skip
        runs = rows(asked)
        assert [*runs] == ["whole system", "no retry", "no mapping"]
        assert runs["whole system"]["right"] > runs["no retry"]["right"] == 0
        assert runs["no mapping"] | {"setting": ""} == runs["whole system"] | {"setting": ""}
        assert {file.name for file in Path().glob("out*.jsonl")} == {
            "out.jsonl",
            "out-no-retry.jsonl",
            "out-no-mapping.jsonl",
        }
        requests = len(chat.requests)
        again = sh("--ablate", "retry", "--out", "out.jsonl", env=chat.environment)
        assert len(chat.requests) == requests  # the files have all answers
    whole, without = (line for line in again.out.splitlines() if re.match(r"whole|no retry", line))
    assert whole.split()[2:5] == ["3", "3", str(runs["whole system"]["right"])]
    assert without.split()[2:5] == ["3", "0", "0"]


def test_an_option_is_swept(sh: Shell) -> None:
    with Chat(reply) as chat:
        runs = rows(sh("--sweep", "retries=0,1", "--json", env=chat.environment))
    assert [*runs] == ["retries 0", "retries 1"]
    assert (runs["retries 0"]["answered"], runs["retries 1"]["answered"]) == (0, 3)


def test_validation_is_left_out_of_recorded_queries(sh: Shell) -> None:
    data_packs.metaqa(Path("recorded"))
    # What a director directs is never a director: the validation rejects it, and nothing is found.
    search = "get_information(head_entity='Alien', relation='directed_by')"
    further = "get_information(head_entity=output_of_query1, relation='starred_actors')"
    text = f"{data_packs.step(1, search)}\n{data_packs.step(2, further)}"
    question = "who starred in [Gladiator]"
    data_packs.jsonl(Path("mine.jsonl"), {"question": question, "llm_output": text})
    words = ("--packs", "recorded", "--replay", "mine.jsonl", "--ablate", "check")
    assert [*rows(sh(*words, "--json", "--out", "out.jsonl"))] == ["whole system", "no check"]
    outcomes = [
        [json.loads(line)["outcome"] for line in Path(file).read_text().splitlines()]
        for file in ("out.jsonl", "out-no-check.jsonl")
    ]  # fmt: skip
    assert outcomes == [["rejected"], ["empty"]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--ablate", "two-layer"), "'two-layer' is not one of 'dynamic', 'static'"),
        (("--ablate", "retry", "--sweep", "votes=1"), "--ablate and --sweep are two experiments"),
        (("--ablate", "retry", "--replay"), "--ablate retry changes nothing without a model"),
        (("--ablate", "voting"), "--ablate voting changes nothing beside --votes 1"),
        (("--sweep", "examples"), "--sweep examples is not an option with values"),
        (("--sweep", "example=1"), "--sweep has no option example"),
        (("--sweep", "examples=1,x"), "--sweep examples: 'x' is not a valid integer range"),
        (("--sweep", "examples=1", "--replay"), "--sweep is for questions to a model"),
    ],
)
def test_settings_that_mean_nothing_are_refused(
    sh: Shell, words: tuple[str, ...], message: str
) -> None:
    done = sh(*words)
    assert done.code == 2
    assert message in done.err
