"""``tuqa run``: one query as text, many as JSON lines; what is printed, and the exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import neo4j
import pytest
from support.samples import FILMS
from support.shell import Done, environment, shell

from trustuqa_neo4j import Settings, TrustUQA

Shell = Callable[..., Done]
STARRING = "get_information(head_entity='Alien', relation='starring')"


@pytest.fixture(scope="module", autouse=True)
def loaded(client: TrustUQA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The films as a source that is called ``films.tsv``."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(tmp_path_factory.mktemp("films"))
        Path("films.tsv").write_bytes(FILMS.read_bytes())
        client.load("kg", "films.tsv", dataset="films")
    yield
    client.drop("films")


@pytest.fixture
def sh(server: Settings, tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    Path("films.tsv").write_bytes(FILMS.read_bytes())
    return lambda *words, **options: shell(server, *words, **options)


def run(sh: Shell, text: str | bytes, *words: str) -> Done:
    return sh("tuqa", "run", "--dataset", "films", *words, stdin=text)


def many(sh: Shell, *items: object, words: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Run JSON lines, an item that is text as it is; what came, which must be all that came."""
    lines = [
        item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in items
    ]
    done = sh("tuqa", "run", *words, stdin="\n".join(lines) + "\n")
    assert (done.code, done.err) == (0, "")
    return [json.loads(line) for line in done.out.splitlines()]


# One query.


def test_an_answer_with_its_proof(sh: Shell) -> None:
    done = run(sh, STARRING)
    assert done == Done(
        0,
        "Sigourney Weaver\nTom Skerritt\nunderstood as: starring of Alien\n\nfacts\n"
        "from   relation  to                where               proves\n"
        "Alien  starring  Sigourney Weaver  films, films.tsv:3  Sigourney Weaver\n"
        "Alien  starring  Tom Skerritt      films, films.tsv:4  Tom Skerritt\n",
        "",
    )


def test_what_was_read_as_what(sh: Shell) -> None:
    done = run(sh, "get_information(head_entity='ALIENS', relation='Directed-By')")
    assert done.out == (
        "James Cameron\n"
        "understood as: Directed-By of ALIENS\n"
        "'ALIENS' was read as 'Aliens' (folded)\n"
        "'Directed-By' was read as 'directed by' (folded)\n"
        "\nfact\n"
        "  Aliens  directed by  James Cameron  films, films.tsv:6\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        STARRING,
        f"\ufeff{STARRING}",
        f'\r\nStep1: Who?\r\nQuery1: "{STARRING}"\r\n',
        f'Sure! {{here}} it is:\n```\nStep 1: Who?\nQuery 1: "{STARRING}"\n```\n',
    ],
)
def test_one_query_as_text(sh: Shell, text: str) -> None:
    assert run(sh, text).out.startswith("Sigourney Weaver\nTom Skerritt\n")


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([STARRING]),
        json.dumps([{"query": STARRING}], indent=0),
        json.dumps({"steps": [{"step": 1, "query": STARRING}]}, indent=2),
        json.dumps({"query": [STARRING]}),
        """{"function": "get_information", "arguments": {"head_entity": "Alien", "relation": "starring"}}""",
        f"```json\n{json.dumps([STARRING])}\n```",
    ],
)
def test_one_query_as_json_steps(sh: Shell, text: str) -> None:
    assert run(sh, text) == run(sh, STARRING)


def test_json_steps_use_the_results_of_steps(sh: Shell) -> None:
    steps = [STARRING, {"function": "count", "arguments": {"set": "output_of_query1"}}]
    assert run(sh, json.dumps(steps)).out.startswith("2\n")
    [line] = many(sh, {"id": 1, "dataset": "films", "query": json.dumps(steps)})
    assert (line["outcome"], line["values"]) == ("answered", [2])


def test_json_without_steps_is_not_run(sh: Shell) -> None:
    done = sh("tuqa", "run", "--json", stdin='["Who stars in Alien?"]')
    assert (done.code, json.loads(done.out)["outcome"]) == (1, "failed")
    [line] = many(sh, {"id": 1, "dataset": "films"})
    assert line["problems"][0]["message"].startswith("no query in it")


def test_a_file(sh: Shell) -> None:
    Path("query.txt").write_text(STARRING)
    done = sh("tuqa", "run", "query.txt", "--dataset", "films")
    assert (done.code, done.out.splitlines()[0]) == (0, "Sigourney Weaver")
    assert sh("tuqa", "run", "-", "--dataset", "films", stdin=STARRING) == done


def test_json_has_everything(sh: Shell) -> None:
    told = json.loads(run(sh, STARRING, "--json").out)
    assert list(told) == [
        "outcome", "values", "columns", "rows", "problems", "mapped", "notes", "truncated",
        "ms", "understood", "sentence", "version", "evidence", "evidence_total", "considered_total",
        "evidence_counts", "evidence_steps", "trace",
    ]  # fmt: skip
    assert told["values"] == ["Sigourney Weaver", "Tom Skerritt"]
    assert told["understood"] == "starring of Alien"
    assert [fact["line"] for fact in told["evidence"]] == [3, 4]


def test_explain_shows_every_stage(sh: Shell) -> None:
    done = run(sh, STARRING, "--explain")
    for said in (
        "\nparse  ", "\ncheck  ", "\nplan  ", "\nmap  ", "\nexecute  ", "\nprove  ",
        "search_node('starring', condition='Alien')", 'facts_from_heads.cypher {"source": null, "nodes": [',
        '"relations": ["starring"], "datasets": ["films"]}: 1 rows, ', "step 1: 2 nodes by 2 facts",
    ):  # fmt: skip
        assert said in done.out
    assert done.out.startswith("Sigourney Weaver\n")


def test_why_shows_the_steps_and_no_stages(sh: Shell) -> None:
    call = "get_information(head_entity='Aliens', relation='directed by')"
    said = run(sh, f"Step1: Who made it?\nQuery1: {call}\n", "--why").out
    assert said.partition("\n\nstep\n")[2] == (
        "  1. Who made it?\n    search_node('directed by', condition='Aliens')\n"
        "    → 1 node by 1 fact: James Cameron\n"
    )


def test_csv(sh: Shell) -> None:
    assert run(sh, STARRING, "--csv") == Done(0, "answer\nSigourney Weaver\nTom Skerritt\n", "")
    assert run(sh, STARRING, "--csv", "--limit", "1") == Done(
        0, "answer\nSigourney Weaver\n", "… 1 more row\n"
    )
    empty = run(sh, "get_information(head_entity='Amélie', relation='born in')", "--csv")
    assert (empty.code, empty.out) == (0, "answer\n")
    assert empty.err.startswith("unknown name: born in does not start from 'Amélie'")
    wrong = run(sh, "f()", "--csv")
    assert (wrong.code, wrong.out) == (1, "")
    assert wrong.err.startswith("rejected\nunknown function: ")


@pytest.mark.parametrize(
    ("words", "stdin", "said"),
    [
        (["--csv", "--json"], STARRING, "--json and --csv contradict each other"),
        (["--csv", "--mermaid"], STARRING, "--csv and --mermaid contradict each other"),
        (["--csv"], '{"query": "x"}', "--csv is for one query, and these are many"),
        (["--mermaid"], '{"query": "x"}', "--mermaid is for one query, and these are many"),
        (
            ["--picture", "x.svg"],
            '{"query": "x"}',
            "--picture is for one query, and these are many",
        ),
        (["--picture", "x.png"], STARRING, "'x.png' does not end in .svg or .mmd or .dot"),
        (["--picture", "svg"], STARRING, "'svg' does not end in .svg or .mmd or .dot"),
    ],
)
def test_forms_that_do_not_go(sh: Shell, words: list[str], stdin: str, said: str) -> None:
    done = run(sh, stdin, *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


@pytest.mark.parametrize(
    ("name", "begin"),
    [("a.svg", "<svg "), ("a.SVG", "<svg "), ("a.mmd", "flowchart LR"), ("a.dot", "digraph ")],
)
def test_a_picture_in_a_file(sh: Shell, name: str, begin: str) -> None:
    printed = run(sh, STARRING)
    Path(name).write_text("an older picture", encoding="utf-8")
    assert run(sh, STARRING, "--picture", name) == printed
    picture = Path(name).read_text(encoding="utf-8")
    assert picture.startswith(begin)
    assert picture.count("Tom Skerritt") >= 1
    assert sorted(path.name for path in Path().iterdir()) == sorted([name, "films.tsv"])


def test_a_picture_that_cannot_be_written(sh: Shell) -> None:
    done = run(sh, STARRING, "--picture", "nowhere/a.svg")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "error: No such file or directory, nowhere/a.svg\n"
        "hint: name a file in a folder that can be written\n"
    )


def test_a_tree_instead_of_the_facts(sh: Shell) -> None:
    done = run(sh, STARRING, "--tree")
    assert done.out == (
        "Sigourney Weaver\nTom Skerritt\nunderstood as: starring of Alien\ntree\n"
        "  Sigourney Weaver\n"
        "  └─ step 1 Alien starring Sigourney Weaver (films, films.tsv:3)\n"
        "  Tom Skerritt\n"
        "  └─ step 1 Alien starring Tom Skerritt (films, films.tsv:4)\n"
    )


def test_a_long_answer_is_cut_and_says_so(sh: Shell) -> None:
    Path("hub.tsv").write_text("".join(f"hub\tr\tt{n:02}\n" for n in range(50)))
    sh("tuqa-load", "kg", "hub.tsv")
    query = "get_information(head_entity='hub', relation='r')"
    shown = sh("tuqa", "run", "--dataset", "hub", stdin=query).out.splitlines()
    assert shown[:20] == [f"t{n:02}" for n in range(20)]
    assert shown[20:24] == [
        "… 30 more (--json prints all)", "understood as: r of hub", "", "facts (20 of 50)",
    ]  # fmt: skip
    sh("tuqa", "run", "--dataset", "hub", "--picture", "hub.svg", stdin=query)
    assert 'id="fact-50"' in Path("hub.svg").read_text(encoding="utf-8")
    told = json.loads(sh("tuqa", "run", "--dataset", "hub", "--json", stdin=query).out)
    assert (len(told["values"]), len(told["evidence"]), told["evidence_total"]) == (50, 20, 50)


def test_names_are_shown_as_they_are(sh: Shell) -> None:
    """No markup is seen in them, and none of them steers a terminal."""
    Path("odd.tsv").write_text("[red]x[/]\t[/no]\t:smile:\nstart\tr\t\x1b[31mred\x07\x9b\x7f\n")
    sh("tuqa-load", "kg", "odd.tsv")
    done = sh(
        "tuqa",
        "run",
        "--dataset",
        "odd",
        stdin="get_information(head_entity='[red]x[/]', relation='[/no]')",
    )
    assert done.out == (
        ":smile:\nunderstood as: [/no] of [red]x[/]\n"
        "\nfact\n  [red]x[/]  [/no]  :smile:  odd, odd.tsv:1\n"
    )
    done = sh(
        "tuqa",
        "run",
        "--dataset",
        "odd",
        stdin="get_information(head_entity='start', relation='r')",
    )
    assert done.out == (
        "␛[31mred␇�␡\nunderstood as: r of start\n\nfact\n  start  r  ␛[31mred␇�␡  odd, odd.tsv:2\n"
    )
    told = sh(
        "tuqa",
        "run",
        "--dataset",
        "odd",
        "--json",
        stdin="get_information(head_entity='start', relation='r')",
    )
    assert json.loads(told.out)["values"] == ["\x1b[31mred\x07\x9b\x7f"]


def test_one_source(sh: Shell) -> None:
    assert run(sh, STARRING, "--source", "films.tsv").code == 0
    assert run(sh, STARRING, "--source", "nothing") == Done(
        1,
        "",
        "error: no source 'nothing', dataset 'films'\nhint: `tuqa datasets --json` lists its sources\n",
    )


# Outcomes and their exit codes.


def test_empty_is_no_failure(sh: Shell) -> None:
    query = "get_information(head_entity='Amélie', relation='born in')"
    done = run(sh, query)
    assert (done.code, done.out) == (0, "empty\nunderstood as: 'born in' of Amélie\n")
    assert "unknown name: born in does not start from 'Amélie'" in done.err


def test_empty_because_of_a_name(sh: Shell) -> None:
    query = "get_information(head_entity='Alien 3', relation='starring')"
    done = run(sh, query)
    assert (done.code, done.out) == (0, "empty\nunderstood as: starring of Alien 3\n")
    assert done.err.startswith(
        "unknown name: films has no 'Alien 3', which starring is to start from; the nearest are 'Alien'"
    )
    assert done.err.endswith(
        "  get_information(head_entity='Alien 3', relation='starring')\n"
        "                              ^\n"
    )


def test_not_askable(sh: Shell) -> None:
    query = "get_information(head_entity='Alien', relation='xyzzy')"
    done = run(sh, query)
    assert (done.code, done.out) == (1, "not askable\n")
    assert done.err.startswith("unknown relation: films has no relation 'xyzzy'; the nearest")
    assert done.err.endswith(f" (step 1)\n  {query}\n  {' ' * query.index(chr(39) + 'xyzzy')}^\n")


def test_rejected(sh: Shell) -> None:
    query = f"Query1: {STARRING}\nQuery2: cuont(set=output_of_query1)"
    done = run(sh, query)
    assert (done.code, done.out) == (1, "rejected\n")
    assert done.err == (
        "unknown function: undefined function cuont; did you mean count? (step 2)\n"
        "  Query2: cuont(set=output_of_query1)\n"
        "          ^\n"
    )


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_failed_with_a_caret_under_the_place(sh: Shell, end: str) -> None:
    done = run(sh, f"Query1: {STARRING}{end}Query2: SELECT name FROM films{end}")
    assert (done.code, done.out) == (1, "failed\n")
    first, *place = done.err.splitlines()
    assert first.startswith("unreadable: ")
    assert first.endswith(" (step 2)")
    assert place == ["  Query2: SELECT name FROM films", "                ^"]


def test_json_of_what_failed(sh: Shell) -> None:
    done = run(sh, "f()", "--json")
    assert done.code == 1
    assert json.loads(done.out)["outcome"] == "rejected"


@pytest.mark.parametrize(
    ("words", "text", "code", "said"),
    [
        (["--dataset", "film"], STARRING, 1, "error: no dataset 'film'\nhint: "),
        (["--dataset", ""], STARRING, 1, "error: no dataset ''\nhint: "),
        (["--dataset", "films"], "", 1, "error: there is no query in it, standard input\nhint: "),
        (["--dataset", "films"], " \n", 1, "error: there is no query in it, standard input\nhint: "),
        (["--dataset", "films"], b"\n\xff", 1, "error: not UTF-8 text, standard input:2\nhint: "),
        (["--dataset", "films", "/proc/self/mem"], "", 1, "error: Input/output error, "),
        (["--dataset", "films", "--dataset", "b"], STARRING, 1, "error: no dataset 'b'\nhint: "),
        (["--dataset", "films", "nothing.txt"], "", 2, "No such file or directory"),
        (["--dataset", "films", "."], "", 2, "Is a directory"),
        (["--dataset", "films", "--timeout", "0"], STARRING, 2, "Invalid value for '--timeout'"),
        (["--dataset", "films", "--timeout", "-1"], STARRING, 2, "Invalid value for '--timeout'"),
        (["--dataset", "films", "--timeout", "soon"], STARRING, 2, "Invalid value for '--timeout'"),
        (["--datsaet", "films"], STARRING, 2, "No such option '--datsaet'"),
    ],
)  # fmt: skip
def test_calls_that_are_wrong(
    sh: Shell, words: list[str], text: str | bytes, code: int, said: str
) -> None:
    done = sh("tuqa", "run", *words, stdin=text)
    assert (done.code, done.out) == (code, "")
    assert said in done.err


def test_all_datasets_are_asked_where_none_is_named(sh: Shell, tuqa: TrustUQA) -> None:
    tuqa.load("kg", "films.tsv", dataset="more films")
    done = sh("tuqa", "run", stdin=STARRING)
    assert (done.code, done.out.splitlines()[:2]) == (0, ["Sigourney Weaver", "Tom Skerritt"])
    assert "films, films.tsv:3" in done.out
    assert "more films, films.tsv:3" in done.out


# Many queries.


def test_json_lines(sh: Shell) -> None:
    found = many(
        sh,
        {"id": 1, "dataset": "films", "query": STARRING},
        {"id": 2, "dataset": ["films"], "query": "## Query:\nStep1: x\nQuery1: \"" + STARRING + '"\n'},
        {"id": 3, "dataset": "films", "source": "films.tsv", "query": STARRING},
        {"id": 4, "dataset": "films", "source": None, "query": STARRING, "question": "is not read"},
    )  # fmt: skip
    assert [line["id"] for line in found] == [1, 2, 3, 4]
    for line in found:
        assert list(line) == [
            "id", "outcome", "values", "columns", "rows", "problems", "mapped", "notes",
            "truncated", "ms", "understood", "sentence", "version",
        ]  # fmt: skip
        assert (line["outcome"], line["values"]) == (
            "answered",
            ["Sigourney Weaver", "Tom Skerritt"],
        )
        assert list(line["ms"]) == ["parse", "check", "map", "execute", "total"]


def test_options_stand_for_what_a_line_leaves_out(sh: Shell, tuqa: TrustUQA) -> None:
    Path("other.tsv").write_text("Alien\tstarring\tnobody\n")
    tuqa.load("kg", "other.tsv", dataset="other")
    found = many(
        sh,
        {"query": STARRING},
        {"query": STARRING, "dataset": []},
        {"query": STARRING, "dataset": "films", "source": "films.tsv"},
        words=("--dataset", "other", "--source", "other.tsv"),
    )
    assert [(line["id"], line["values"]) for line in found] == [
        (None, ["nobody"]),
        (None, ["nobody"]),
        (None, ["Sigourney Weaver", "Tom Skerritt"]),
    ]


IDS: list[Any] = [
    "a", "", "é👩‍🚀", "\ud800", 0, -1, 2**70, 1.5, 1e300, True, False, None,
    [], [1, [2]], {}, {"b": {"c": None}},
]  # fmt: skip


def test_ids_come_back_as_they_were(sh: Shell) -> None:
    lines = [json.dumps({"id": i, "dataset": "films", "query": STARRING}) for i in IDS]
    found = many(sh, *lines)
    assert [line["id"] for line in found] == IDS
    assert {line["outcome"] for line in found} == {"answered"}


BAD_LINES: list[tuple[str, Any, str, str]] = [
    ('{"id": 1, "query": ', None, "unreadable file", "not JSON ("),
    ("not JSON at all", None, "unreadable file", "not JSON ("),
    ('{"id": 2}', 2, "unreadable file", "no query in it, line "),
    ('{"id": 3, "query": null}', 3, "unreadable file", "no query in it, line "),
    ('{"id": 4, "query": ["x"]}', 4, "unreadable file", "no query in it, line "),
    ("[1, 2]", None, "unreadable file", "no query in it, line "),
    ('"text"', None, "unreadable file", "no query in it, line "),
    ("7", None, "unreadable file", "no query in it, line "),
    ('{"id": 5, "dataset": 7, "query": "x"}', 5, "unreadable file", "dataset or source is not a name, line "),
    ('{"id": 6, "dataset": ["films", null], "query": "x"}', 6, "unreadable file", "dataset or source is not"),
    ('{"id": 7, "source": {}, "dataset": "films", "query": "x"}', 7, "unreadable", "no step found"),
    ('{"id": 8, "source": 3, "dataset": "films", "query": "x"}', 8, "unreadable file", "dataset or source"),
    ('{"id": 9, "dataset": "film", "query": "QUERY"}', 9, "unknown dataset", "no dataset 'film'"),
    (
        '{"id": 10, "dataset": "films", "source": "s", "query": "QUERY"}',
        10, "unknown source", "no source 's'",
    ),
    ('{"id": 11, "dataset": ["films", "b"], "query": "x"}', 11, "unreadable", "no step found"),
    ('{"id": 12, "dataset": "films", "query": ""}', 12, "unreadable", "no step found: the text is empty"),
    ('{"id": 13, "dataset": "films", "query": "\\ud800"}', 13, "unreadable file", "half a surrogate pair"),
    ('{"id": 14, "dataset": "\\ud800", "query": "x"}', 14, "unreadable file", "half a surrogate pair"),
    ('{"id": 15, "dataset": "films", "query": "x\\u0000"}', 15, "unreadable", "no step found"),
    (
        json.dumps({"id": 16, "dataset": "films", "query": "count(set=" * 1_900}),
        16, "unreadable", "brackets are nested deeper than",
    ),
    ('{"id": ' + "9" * 5000 + ', "query": "x"}', None, "unreadable file", "not JSON ("),
    ("[" * 100_000, None, "unreadable file", "not JSON ("),
]  # fmt: skip


def test_a_bad_line_ends_nothing(sh: Shell) -> None:
    """Each has its line in the output, between good ones."""
    good = {"id": "good", "dataset": "films", "query": STARRING}
    items = [item for line, *_ in BAD_LINES for item in (line.replace("QUERY", STARRING), good)]
    found = many(sh, *items)
    assert len(found) == len(items)
    for (line, identity, kind, said), bad, fine in zip(
        BAD_LINES, found[::2], found[1::2], strict=True
    ):
        assert (bad["id"], bad["outcome"], bad["values"]) == (identity, "failed", []), line[:100]
        (problem,) = bad["problems"]
        assert problem["kind"] == kind, line[:100]
        assert problem["message"].startswith(said), line[:100]
        assert list(problem) == ["kind", "message", "step", "position"]
        assert (fine["id"], fine["outcome"]) == ("good", "answered")
    assert "line 1, each line is" in found[0]["problems"][0]["message"]
    assert "line 3, each line is" in found[2]["problems"][0]["message"]


@pytest.mark.parametrize("seconds", [90, 400])
@pytest.mark.parametrize(
    "words",
    [
        ("run",),
        ("ask", "who directed Alien", "--llm", "demonstrations"),
    ],
    ids=["run", "ask"],
)
def test_the_time_limit_reaches_the_driver(
    sh: Shell,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    seconds: int,
) -> None:
    limits: list[float] = []
    make_unit = neo4j.unit_of_work

    def note_limit(metadata: dict[str, Any] | None = None, timeout: float | None = None) -> Any:
        limits.append(timeout or 0.0)
        return make_unit(metadata, timeout)

    monkeypatch.setattr(neo4j, "unit_of_work", note_limit)
    words = (*words, "--dataset", "films", "--timeout", str(seconds))
    assert sh("tuqa", *words, stdin=STARRING).code == 0
    assert all(0 < limit <= seconds for limit in limits)
    assert max(limits) > seconds / 2


def test_a_line_that_takes_too_long_ends_nothing(sh: Shell, tuqa: TrustUQA) -> None:
    """The slow query needs many times the limit, the quick one a small part of it, on any machine."""
    Path("slow").write_text(
        "".join(f"a{head}\tr\ta{tail}\n" for head in range(120) for tail in range(120))
    )
    tuqa.load("kg", "slow", dataset="slow")
    steps = ["Query1: get_information(head_entity='a1', relation='r')"]
    steps += [
        f"Query{n + 1}: get_information(head_entity=output_of_query{n}, relation='r')"
        for n in range(1, 220)
    ]
    found = many(
        sh,
        {"id": 1, "dataset": "slow", "query": "\n".join(steps)},
        {"id": 2, "dataset": "films", "query": STARRING},
        words=("--timeout", "4"),
    )
    assert [(line["id"], line["outcome"]) for line in found] == [(1, "failed"), (2, "answered")]
    assert found[0]["problems"][0]["kind"] == "timed out"


def test_outcomes_by_line(sh: Shell) -> None:
    queries = [
        STARRING,
        "get_information(head_entity='Alien 3', relation='starring')",
        "get_information(head_entity='Alien', relation='xyzzy')",
        "cuont(set='x')",
        "I do not know",
        "get_information(head_entity='ALIENS', relation='starring')",
    ]
    found = many(sh, *({"id": n, "dataset": "films", "query": q} for n, q in enumerate(queries)))
    assert [line["outcome"] for line in found] == [
        "answered", "empty", "not_askable", "rejected", "failed", "answered",
    ]  # fmt: skip
    position = queries[2].index("'xyzzy'")
    assert (found[2]["problems"][0]["step"], found[2]["problems"][0]["position"]) == (1, position)
    assert found[5]["mapped"] == [
        {"given": "ALIENS", "used": "Aliens", "how": "folded", "score": 1.0}
    ]


LINE = '{"id": 1, "dataset": "films", "query": "x"}'


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"\ufeff{LINE}", 1),
        (f"\n\n  \n{LINE}\n\n{LINE}\n\n", 2),
        (f"{LINE}\r\n{LINE}\r\n", 2),
        (LINE.replace("x", "x\u2028x") + f"\n{LINE}", 2),
        (f"{{broken\n{LINE}", 2),
        (f"broken\n{LINE}", 2),
        ("{broken", 1),
        (f"  {LINE}", 1),
    ],
)
def test_what_is_taken_for_json_lines(sh: Shell, text: str, lines: int) -> None:
    done = sh("tuqa", "run", stdin=text)
    assert (done.code, done.err) == (0, "")
    assert len([json.loads(line) for line in done.out.split("\n") if line]) == lines


def test_characters_are_written_as_they_are(sh: Shell) -> None:
    query = "get_information(relation='directed by', tail_entity='Jean-Pierre Jeunet')"
    done = sh("tuqa", "run", stdin=json.dumps({"id": "導", "dataset": "films", "query": query}))
    assert '"id": "導"' in done.out
    assert '"values": ["Amélie"]' in done.out


def test_json_lines_from_a_file(sh: Shell) -> None:
    lines = [json.dumps({"id": n, "dataset": "films", "query": STARRING}) for n in range(200)]
    Path("many.jsonl").write_text("\n".join(lines))
    done = sh("tuqa", "run", "many.jsonl")
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == list(range(200))


@pytest.mark.parametrize("text", [STARRING, json.dumps({"dataset": "films", "query": STARRING})])
def test_a_database_that_is_not_there(sh: Shell, text: str) -> None:
    """It ends the run of many, too: no line of them could be answered."""
    done = sh(
        "tuqa", "run", "--dataset", "films", stdin=text, env={"NEO4J_URI": "bolt://127.0.0.1:1"}
    )
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("error: Couldn't connect to 127.0.0.1:1")
    assert "\nhint: start a server there" in done.err
    assert done.err.count("\n") == 2


# In a process of its own.


def test_no_escape_codes_where_there_is_no_terminal(sh: Shell, command: Shell) -> None:
    done = command("tuqa", "run", "--dataset", "films", "--explain", stdin=STARRING)
    assert done.code == 0
    assert "\x1b" not in done.out + done.err
    assert "Sigourney Weaver" in done.out


def test_a_reader_that_has_had_enough(sh: Shell, server: Settings, tmp_path: Path) -> None:
    """As `| head -1`: quiet, and no failure."""
    lines = [json.dumps({"id": n, "dataset": "films", "query": STARRING}) for n in range(300)]
    (tmp_path / "many.jsonl").write_text("\n".join(lines))
    process = subprocess.Popen(
        [Path(sys.executable).with_name("tuqa"), "run", "many.jsonl"],
        env=environment(server),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout
    assert process.stderr
    assert json.loads(process.stdout.readline())["id"] == 0
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(300) == 0


@pytest.mark.parametrize(
    "words", [["run", "--dataset", "films", "--json"], ["datasets"], ["--help"]]
)
def test_a_full_disk(sh: Shell, server: Settings, words: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [Path(sys.executable).with_name("tuqa"), *words],
            env=environment(server),
            input=STARRING.encode(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=300,
        )
    assert (done.returncode, done.stderr) == (1, b"error: cannot write: No space left on device\n")


def test_closed_streams(sh: Shell, server: Settings) -> None:
    """`>&-` and `2>&-` are not a failure of ours."""
    for closed in (">&-", "2>&-", ">&- 2>&-"):
        words = f'"$0" datasets {closed}'
        script = str(Path(sys.executable).with_name("tuqa"))
        done = subprocess.run(
            ["sh", "-c", words, script],
            env=environment(server),
            capture_output=True,
            check=False,
            timeout=300,
        )
        assert (done.returncode, done.stderr) == (0, b""), closed


def test_an_encoding_that_cannot_say_it(sh: Shell, command: Shell) -> None:
    Path("odd.tsv").write_text("Amélie\tr\t導演👩‍🚀\n")
    sh("tuqa-load", "kg", "odd.tsv")
    query = "get_information(head_entity='Amélie', relation='r')"
    latin = {"PYTHONIOENCODING": "latin-1"}
    done = command("tuqa", "run", "--dataset", "odd", "--json", stdin=query, env=latin)
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["values"] == ["導演👩‍🚀"]
    done = command("tuqa", "run", "--dataset", "odd", stdin="x", env=latin | {"LC_ALL": "C"})
    assert (done.code, done.out) == (1, "failed\n")
    query = "get_information(relation='r', head_entity='amelie')"
    done = command(
        "tuqa", "run", "--dataset", "odd", stdin=query, env={"PYTHONIOENCODING": "ascii"}
    )
    assert done.code == 0
