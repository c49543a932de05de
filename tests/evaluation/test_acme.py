"""``tuqa eval acme``: tables as answers, and a model whose replies end in every way that is told apart."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import data_packs
from support.chat_server import Chat, Request
from support.shell import Done, shell

from trustuqa_neo4j import Settings, TrustUQA

Shell = Callable[..., Done]

ACME = ("acme", "--packs", "packs", "--no-embeddings", "--quiet")

CLAIMS = "Query1: \"get_information(relation='type', tail_entity='Claim')\"\nQuery2: "
RIGHT = CLAIMS + "\"get_table(output_of_query1, columns=['claimNumber', 'lossAmount'])\""
FEW = CLAIMS + "\"get_table(output_of_query1, columns=['claimNumber'])\""
MANY = RIGHT + "\nQuery3: \"calculate(output_of_query2, 'lossAmount * 2', 'double')\""
COUNT = CLAIMS + '"count(output_of_query1)"'
WRONG = COUNT
EMPTY = CLAIMS + "\"keep(get_information(relation='lossAmount'), value>100)\""
NO_FUNCTION = "Query1: \"divine('claims')\""
NO_COLUMN = RIGHT + "\nQuery3: \"calculate(output_of_query2, 'premium * 2', 'double')\""
PROSE = "I cannot tell."


@pytest.fixture
def sh(server: Settings, tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    data_packs.acme(Path("packs"))
    return lambda *more: shell(server, "tuqa", "eval", *ACME, *more)


def summary(done: Done) -> dict[str, Any]:
    assert (done.code, done.err) == (0, "")
    told: dict[str, Any] = json.loads(done.out)
    return told


def test_programs_of_a_file(sh: Shell) -> None:
    programs = {"a": RIGHT, "b": FEW, "c": COUNT, "d": MANY}
    file = data_packs.jsonl(Path("p.jsonl"), *({"id": i, "query": q} for i, q in programs.items()))
    told = summary(sh("--replay", str(file), "--json", "--out", "out.jsonl"))
    assert {row["group"]: (row["n"], row["right"], row["partial"]) for row in told["ends"]} == {
        "HQLS": (2, 1, 1), "LQLS": (2, 1, 1), "all": (4, 2, 2),
    }  # fmt: skip
    assert told["groups"][-1]["scores"] == {"exact": 0.5, "partial": 0.5}
    assert told["left_out"] == {"no query for it": 1}
    # What was written is scored as it was: rows are in it.
    again = summary(sh("--replay", str(file), "--json", "--out", "out.jsonl"))
    assert again["ends"] == told["ends"]


def test_the_packs_own_programs_are_for_its_own_questions(sh: Shell) -> None:
    told = summary(sh("--replay", "--json"))
    assert told["left_out"] == {"no query for it": 5}


def test_over_the_tables(sh: Shell) -> None:
    program = RIGHT.replace("claimNumber", "number").replace("lossAmount", "amount")
    file = data_packs.jsonl(Path("p.jsonl"), {"id": "a", "query": program})
    told = summary(sh("--tables", "--replay", str(file), "--json"))
    assert (told["benchmark"], told["ends"][-1]["right"]) == ("acme-tables", 1)
    assert told["settings"]["dataset"] == "eval-acme-tables"


def test_other_benchmarks_have_no_tables_beside_their_graph(
    server: Settings, tmp_path: Path
) -> None:
    data_packs.metaqa(tmp_path)
    done = shell(server, "tuqa", "eval", "metaqa", "--tables", "--replay", "--packs", str(tmp_path))
    assert (done.code, done.out) == (2, "")
    assert "metaqa has no tables of its own" in done.err


class Script:
    """A model that gives each question its own replies in turn, the last again and again."""

    def __init__(self, replies: dict[str, list[str]]) -> None:
        self.replies = replies
        self.asked: Counter[str] = Counter()
        self.lock = threading.Lock()

    def __call__(self, request: Request) -> str:
        said = " ".join(text for role, text in request.messages if role == "user")
        (name,) = (name for name in self.replies if f"Question {name} of claims?" in said)
        with self.lock:
            number = self.asked[name]
            self.asked[name] += 1
        return self.replies[name][min(number, len(self.replies[name]) - 1)]


REPLIES = {
    "right at once": [RIGHT],
    "right after one repair": [NO_FUNCTION, RIGHT],
    "right after three repairs": [NO_FUNCTION, NO_COLUMN, PROSE, RIGHT],
    "columns are missing": [FEW],
    "columns too many, after repair": [NO_COLUMN, MANY],
    "wrong": [WRONG],
    "wrong after repair": [NO_FUNCTION, WRONG],
    "nothing found": [EMPTY],
    "never mended": [NO_FUNCTION, NO_COLUMN, NO_FUNCTION, NO_COLUMN],
    "never a query": [PROSE, f"{PROSE} Sorry.", f"{PROSE} No.", f"{PROSE} Never."],
}
"""What becomes of a question → the replies to it."""

ENDS = {
    "right at once": "first",
    "right after one repair": "repaired",
    "right after three repairs": "repaired",
    "columns are missing": "partial",
    "columns too many, after repair": "partial",
    "wrong": "wrong",
    "wrong after repair": "wrong",
    "nothing found": "wrong",
    "never mended": "unknown",
    "never a query": "error",
}


def questions(pack: Path, often: dict[str, int]) -> dict[str, str]:
    """Write so many questions of each kind, in two quadrants in turn; the kind of each."""
    kinds = {
        f"{chr(ord('a') + number)}x": kind  # no number: a query that lacks one goes back
        for number, kind in enumerate(kind for kind, n in often.items() for _ in range(n))
    }
    amounts = [["C-1", 10.5], ["C-2", 20]]
    asked = [
        {
            "id": name,
            "question": f"Question {name} of claims?",
            "quadrant": ("HQHS", "LQLS")[at % 2],
        }
        for at, name in enumerate(kinds)
    ]
    data_packs.jsonl(pack / "questions.jsonl", *asked)
    data_packs.jsonl(
        pack / "gold_answers.jsonl", *({"id": name, "rows": amounts} for name in kinds)
    )
    return kinds


@pytest.mark.usefixtures("sh")
def test_the_table_is_the_arithmetic_of_the_replies(server: Settings) -> None:
    often = {kind: 1 + at % 3 for at, kind in enumerate(REPLIES)}
    kinds = questions(Path("packs") / "acme", often)
    script = Script({name: REPLIES[kind] for name, kind in kinds.items()})
    with Chat(script) as chat:
        words = ("--json", "--workers", "4")
        told = summary(shell(server, "tuqa", "eval", *ACME, *words, env=chat.environment))
    for row in told["ends"]:
        own = [kind for at, kind in enumerate(kinds.values())
               if row["group"] in ("all", ("HQHS", "LQLS")[at % 2])]  # fmt: skip
        wanted = Counter(ENDS[kind] for kind in own)
        assert row.pop("n") == len(own)
        assert row.pop("right") == wanted["first"] + wanted["repaired"]
        assert {name: count for name, count in row.items() if name != "group" and count} == wanted
    bad = Counter(
        text
        for kind, n in often.items()
        for text in REPLIES[kind] * n
        if text in (NO_FUNCTION, NO_COLUMN) or (text == PROSE and kind != "never a query")
    )
    assert told["fired"]["unknown function"] == bad[NO_FUNCTION]
    assert told["fired"]["unknown column"] == bad[NO_COLUMN]
    right = {row["group"]: row["right"] for row in told["groups"]}
    assert sum(told["retries"].values()) == right["all"]
    assert {"after 0", "after 1"} <= told["retries"].keys()
    # What was given up as no query at all is an error, whose last reply is none that was sent back.
    assert told["fired"]["unreadable"] == bad[PROSE] + 2 * often["never a query"]
    calls = {kind: len(replies) for kind, replies in REPLIES.items()}
    # What found nothing is asked once more; a query that comes back as it was ends the rounds, and so do two
    # replies without any.
    calls |= {"nothing found": 2, "never mended": 3, "never a query": 2}
    assert sum(script.asked.values()) == sum(n * calls[kind] for kind, n in often.items())
    assert told["settings"]["llm"] == "openai:test"


@pytest.mark.usefixtures("sh")
def test_the_limit_counts_questions_before_they_are_repeated(server: Settings) -> None:
    kinds = questions(Path("packs") / "acme", {"right at once": 3})
    script = Script({name: [RIGHT, RIGHT] for name in kinds})
    with Chat(script) as chat:
        words = ("--limit", "2", "--runs", "2", "--out", "out.jsonl")
        done = shell(server, "tuqa", "eval", *ACME, *words, env=chat.environment)
    assert done.code == 0
    ids = sorted(json.loads(line)["id"] for line in Path("out.jsonl").read_text().splitlines())
    assert len({name.partition("#")[0] for name in ids}) == 2
    assert [name.partition("#")[2] for name in ids] == ["1", "2"] * 2


@pytest.mark.usefixtures("sh")
def test_repeated_runs_ask_anew(server: Settings) -> None:
    kinds = questions(Path("packs") / "acme", {"right at once": 2})
    script = Script({name: [RIGHT, WRONG, RIGHT] for name in kinds})
    with Chat(script) as chat:
        words = ("--runs", "3", "--workers", "1", "--out", "out.jsonl")
        done = shell(server, "tuqa", "eval", *ACME, *words, env=chat.environment)
    assert done.code == 0
    assert len(Path("out.jsonl").read_text().splitlines()) == 6
    rows = [line.split() for line in done.out.partition("\nended")[2].splitlines()]
    assert ["all", "66.67", "4", "0", "0", "2", "0", "0", "0.0"] in rows
