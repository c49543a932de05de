"""``tuqa eval acme --query-language``: baselines of a scripted model, over the files as released."""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support import data_packs, released_files
from support.chat_server import BROKEN_JSON, Chat, Reply, Request
from support.evaluation import summary
from support.shell import Done, shell

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.evaluation import acme, registry, runner
from trustuqa_neo4j.evaluation.zero_shot import read_query
from trustuqa_neo4j.model.dataset import Dataset

Evaluate = Callable[..., Done]

PREFIX = f"PREFIX in: <{released_files.ACME_NAMESPACE}>\n"
SQL = {name: sql for name, (_, sql, _) in released_files.ACME_QUERIES.items()}
RIGHT = {name: PREFIX + sparql for name, (_, _, sparql) in released_files.ACME_QUERIES.items()}
RIGHT["IQ_days"] = PREFIX + "SELECT ?n { VALUES ?n { 0 } }"
OF_POLICY = PREFIX + "SELECT ?n { ?c a in:Policy ; in:claimNumber ?n }"
NO_PROPERTY = PREFIX + "SELECT ?n { ?c in:number ?n }"
NOTHING = PREFIX + "SELECT ?n { ?c in:claimNumber ?n FILTER(?n = 'C-9') }"
UPDATE = "DELETE WHERE { ?s ?p ?o }"
PROSE = "I would need to see the data first."


@pytest.fixture
def evaluate(
    server: Settings, tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Evaluate:
    monkeypatch.chdir(tmp_path)
    released_files.acme(Path("release"))
    common = ("acme", "release", "--no-embeddings", "--quiet", "--json", "--no-cache")
    return lambda *words, env=None: shell(server, "tuqa", "eval", *common, *words, env=env)


class Script:
    """Replies of a model to each question in turn, the last again; what has no question is the same one."""

    def __init__(self, replies: dict[str, list[Reply]]) -> None:
        self.replies = replies
        self.prompts: defaultdict[str, list[str]] = defaultdict(list)
        self.lock = threading.Lock()
        self.last = ""

    def __call__(self, request: Request) -> Reply:
        (message,) = request.messages
        with self.lock:
            names = [name for name in self.replies if f"Question {name}?" in message[1]]
            self.last = names[0] if names else self.last
            prompts = self.prompts[self.last]
            prompts.append(message[1])
            replies = self.replies[self.last]
            return replies[min(len(prompts), len(replies)) - 1]


def run(evaluate: Evaluate, script: Script, *words: str) -> dict[str, Any]:
    with Chat(script) as chat:
        return summary(evaluate("--workers", "1", *words, env=chat.environment))


def ended(told: dict[str, Any]) -> dict[str, int]:
    row = told["ends"][-1]
    return {name: count for name, count in row.items() if name != "group" and count}


def test_the_release_has_rows_of_its_reference_queries(tmp_path: Path) -> None:
    released_files.acme(tmp_path)
    questions = acme.RELEASE.ask(tmp_path).prepared
    found = {case.id: (case.question, case.group, case.rows) for case in questions.cases}
    assert found == {
        "IQ_claims": ("Question IQ_claims?", "LQLS", (("C-1",), ("C-2",))),
        "IQ_days": ("Question IQ_days?", "HQLS", (("0",),)),
        "IQ_premiums": ("Question IQ_premiums?", "HQHS", found["IQ_premiums"][2]),
    }
    premiums = {(number, float(cell)) for number, cell in found["IQ_premiums"][2]}
    assert premiums == {("C-1", 10.5), ("C-2", 20.0)}
    assert questions.left_out == {"no reference query of it runs": 1}


@pytest.mark.parametrize(("language", "right"), [("sparql", 3), ("sql", 2)])
def test_reference_queries_are_replayed(evaluate: Evaluate, language: str, right: int) -> None:
    told = summary(evaluate("--replay", "--query-language", language))
    assert told["settings"]["replay"] == "the references"
    assert ended(told) == {
        "n": 3, "right": right, "first": right, **({"error": 1} if language == "sql" else {}),
    }  # fmt: skip


@pytest.mark.usefixtures("evaluate")
def test_a_baseline_embeds_nothing(server: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[tuple[str, bool]] = []
    load_dataset = runner.load_dataset

    def note_load(*arguments: Any, **options: Any) -> Dataset:
        loads.append((arguments[3], options["embeddings"]))
        return load_dataset(*arguments, **options)

    monkeypatch.setattr(runner, "load_dataset", note_load)
    words = ("acme", "release", "--limit", "1", "--quiet", "--json")
    for how in (("--replay", "--query-language", "sparql"), ("--llm", "demonstrations")):
        summary(shell(server, "tuqa", "eval", *words, *how))
    assert loads == [("eval-acme-released-baseline", False), ("eval-acme-released", True)]


def test_a_release_is_read_once(evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch) -> None:
    folders: list[Path] = []

    def read_release(folder: Path) -> Iterator[Any]:
        folders.append(folder)
        return acme.read_release(folder)

    release = replace(acme.RELEASE, ask=partial(acme.ask, read_release))
    monkeypatch.setitem(registry.BENCHMARKS, "acme", replace(acme.BENCHMARK, release=release))
    told = summary(evaluate("--llm", "demonstrations", "--limit", "1"))
    assert told["groups"][-1]["n"] == 1
    assert len(folders) == 1


def test_recorded_queries_of_a_file_are_checked(evaluate: Evaluate) -> None:
    queries = {"IQ_claims": RIGHT["IQ_claims"], "IQ_premiums": OF_POLICY, "IQ_days": UPDATE}
    data_packs.jsonl(Path("q.jsonl"), *({"id": i, "query": q} for i, q in queries.items()))
    words = ("--replay", "q.jsonl", "--query-language", "sparql")
    told = summary(evaluate(*words, "--repair", "check"))
    assert ended(told) == {"n": 3, "right": 1, "first": 1, "unknown": 2}
    assert told["fired"] == {"domain": 1, "statement failed": 1}
    assert ended(summary(evaluate(*words))) == {
        "n": 3, "right": 1, "first": 1, "wrong": 1, "error": 1,
    }  # fmt: skip


def test_the_check_sends_problems_back(evaluate: Evaluate) -> None:
    script = Script(
        {
            "IQ_claims": [f"```sparql\n{OF_POLICY}\n```", NO_PROPERTY, RIGHT["IQ_claims"]],
            "IQ_premiums": [OF_POLICY, NO_PROPERTY, UPDATE, PROSE, RIGHT["IQ_premiums"]],
            "IQ_days": [RIGHT["IQ_days"]],
        }
    )
    words = ("--query-language", "sparql", "--repair", "check", "--out", "out.jsonl")
    told = run(evaluate, script, *words)
    assert ended(told) == {"n": 3, "right": 2, "first": 1, "repaired": 1, "unknown": 1}
    assert told["ends"][-1]["group"] == "all"
    assert told["fired"] == {"domain": 2, "unknown relation": 2, "statement failed": 2}
    assert {name: len(prompts) for name, prompts in script.prompts.items()} == {
        "IQ_claims": 3, "IQ_premiums": 4, "IQ_days": 1,
    }  # fmt: skip
    first, second, third = script.prompts["IQ_claims"]
    assert "in:against a owl:ObjectProperty" in first
    assert "Question" not in second + third
    assert "owl:ObjectProperty" not in second + third
    assert OF_POLICY in second
    assert "1. domain:" in second
    assert "claimNumber starts from a Claim, but ?c is a Policy" in second
    assert "1. unknown relation:" in third
    lines = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    usage = {line["id"]: line["usage"]["calls"] for line in lines}
    assert usage == {"IQ_claims": 3, "IQ_premiums": 4, "IQ_days": 1}
    (claims,) = (line for line in lines if line["id"] == "IQ_claims")
    assert (claims["llm_query"], sorted(claims["rows"])) == (RIGHT["IQ_claims"], [["C-1"], ["C-2"]])
    # The run is complete: the same command asks nothing more.
    again = Script({name: [PROSE] for name in RIGHT})
    assert ended(run(evaluate, again, *words)) == ended(told)
    assert not again.prompts


def test_a_repair_that_repeats_the_query_ends(evaluate: Evaluate) -> None:
    script = Script({"IQ_claims": [OF_POLICY, OF_POLICY, RIGHT["IQ_claims"]]})
    words = ("--query-language", "sparql", "--repair", "check", "--limit", "1")
    assert ended(run(evaluate, script, *words)) == {"n": 1, "unknown": 1}
    assert len(script.prompts["IQ_claims"]) == 2


def test_blind_repair_says_nothing_new(evaluate: Evaluate) -> None:
    script = Script(
        {
            "IQ_claims": ["```sparql\n```", NOTHING, RIGHT["IQ_claims"]],
            "IQ_premiums": [OF_POLICY],
            "IQ_days": [RIGHT["IQ_days"]],
        }
    )
    told = run(
        evaluate, script, "--query-language", "sparql", "--repair", "blind", "--retries", "2"
    )
    assert ended(told) == {"n": 3, "right": 2, "first": 1, "repaired": 1, "wrong": 1}
    prompts = script.prompts["IQ_claims"]
    assert prompts == [prompts[0]] * 3
    assert len(script.prompts["IQ_premiums"]) == 3
    assert told["fired"] == {"statement failed": 1, "empty": 3}


def test_sql_sees_definitions_and_cannot_write(evaluate: Evaluate) -> None:
    script = Script(
        {
            "IQ_claims": ["DROP TABLE claim", PROSE],
            "IQ_days": ["```sql\nSELECT 0 AS days\n```"],
            "IQ_premiums": [SQL["IQ_premiums"]],
        }
    )
    told = run(evaluate, script, "--query-language", "sql")
    assert ended(told) == {"n": 3, "right": 2, "first": 2, "error": 1}
    assert told["groups"][-1]["kinds"] == {"failed: statement failed": 1}
    (prompt,) = script.prompts["IQ_claims"]
    assert "PRIMARY KEY (id ASC)" in prompt
    assert "SQL of DuckDB" in prompt


def test_runs_of_a_question_are_counted_together(evaluate: Evaluate) -> None:
    replies: list[Reply] = [RIGHT["IQ_claims"], NOTHING, UPDATE, RIGHT["IQ_claims"]]
    script = Script({"IQ_claims": replies})
    told = run(evaluate, script, "--query-language", "sparql", "--limit", "1", "--runs", "4")
    assert told["details"]["runs"] == {"IQ_claims": 0.5}
    assert ended(told) == {"n": 4, "right": 2, "first": 2, "wrong": 1, "error": 1}
    settings = told["settings"]
    assert (settings["query_language"], settings["llm"]) == ("sparql", "openai:test")


def test_an_endless_query_is_an_error(evaluate: Evaluate) -> None:
    crossed = " ".join(f"?s{n} ?p{n} ?o{n} ." for n in range(12))
    script = Script({"IQ_claims": [f"SELECT (COUNT(*) AS ?n) {{ {crossed} }}"]})
    words = ("--query-language", "sparql", "--limit", "1", "--timeout", "3")
    told = run(evaluate, script, *words)
    assert ended(told) == {"n": 1, "error": 1}
    assert told["groups"][-1]["kinds"] == {"failed: timed out": 1}


def test_a_model_that_breaks_leaves_a_run_to_continue(evaluate: Evaluate) -> None:
    script = Script(
        {
            "IQ_claims": [RIGHT["IQ_claims"]],
            "IQ_days": [BROKEN_JSON],
            "IQ_premiums": [RIGHT["IQ_premiums"]],
        }
    )
    words = ("--query-language", "sparql", "--workers", "1", "--out", "out.jsonl")
    with Chat(script) as chat:
        done = evaluate(*words, env=chat.environment)
    assert done.code == 3
    assert "openai:test" in done.err
    ids = {json.loads(line)["id"] for line in Path("out.jsonl").read_text().splitlines()}
    assert "IQ_claims" in ids
    assert "IQ_days" not in ids
    script.replies["IQ_days"] = [RIGHT["IQ_days"]]
    assert ended(run(evaluate, script, *words)) == {"n": 3, "right": 3, "first": 3}
    assert len(script.prompts["IQ_claims"]) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--query-language", "sparql"), "there is no model to write queries"),
        (("--query-language", "sql", "--repair", "check"), "--repair check needs an ontology"),
        (("--repair", "blind"), "--repair is for baselines"),
        (("--query-language", "sql", "--votes", "3"), "--votes has no meaning"),
        (("--query-language", "sql", "--tables"), "--tables has no meaning"),
        (("--query-language", "sql", "--ablate", "check"), "--ablate has no meaning"),
        (("--query-language", "sql", "--estimate"), "--estimate has no meaning"),
        (("--query-language", "sql", "--untaught"), "--untaught"),
    ],
)
def test_options_without_a_meaning(
    evaluate: Evaluate, words: tuple[str, ...], message: str
) -> None:
    done = evaluate(*words)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_other_benchmarks_have_no_baselines(server: Settings, tmp_path: Path) -> None:
    data_packs.metaqa(tmp_path)
    words = ("--packs", str(tmp_path), "--query-language", "sql", "--llm", "openai:test")
    done = shell(server, "tuqa", "eval", "metaqa", *words)
    assert (done.code, done.out) == (2, "")
    assert "metaqa has no baselines" in done.err


def test_a_release_that_cannot_be_read(evaluate: Evaluate) -> None:
    path = Path("release/ACME/investigation/small.ttl")
    path.write_text(path.read_text()[:700])
    done = evaluate("--replay", "--query-language", "sparql")
    assert (done.code, done.out) == (1, "")
    assert "not Turtle" in done.err
    path.write_text("<https://example.org/a> <https://example.org/b> 1 .\n")
    assert "no questions in it" in evaluate("--replay", "--query-language", "sparql").err


@pytest.mark.parametrize(
    ("reply", "query"),
    [
        ("SELECT 1", "SELECT 1"),
        ("Here it is:\n```sql\nSELECT 1\n```\nIt counts.", "SELECT 1"),
        ("```\nSELECT 1\n```\n```\nSELECT 2\n```", "SELECT 1"),
        ("```sql\n```", "(nothing)"),
    ],
)
def test_the_query_of_a_reply(reply: str, query: str) -> None:
    assert read_query(reply) == query
