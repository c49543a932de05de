"""Queries over real data, through the client: what is found, how, and what proves it."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import neo4j
import pytest
from support.samples import FILMS

from trustuqa_neo4j import Answer, Settings, TrustUQA
from trustuqa_neo4j.ablation import SystemPart, leave_out
from trustuqa_neo4j.answer import Evidence
from trustuqa_neo4j.errors import (
    IncompleteDataset,
    MalformedLine,
    TimedOut,
    UnknownDataset,
    UnknownSource,
    UsageError,
)
from trustuqa_neo4j.loading.inputs import shorten_path
from trustuqa_neo4j.model.demonstration import Demonstration

SOURCE = shorten_path(str(FILMS))


def query(*calls: str) -> str:
    return "\n".join(f'Query{number}: "{call}"' for number, call in enumerate(calls, 1))


def heads(relation: str, tail: str) -> str:
    return f"get_information(relation='{relation}', tail_entity='{tail}')"


def tails(head: str, relation: str) -> str:
    return f"get_information(head_entity='{head}', relation='{relation}')"


def lines(answer: Answer) -> list[int]:
    return sorted(fact.line for fact in answer.evidence)


@pytest.fixture
def sources(tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TrustUQA:
    """Two sources that share a fact, a head and a tail."""
    monkeypatch.chdir(tmp_path)
    Path("one").write_text("a\tr\tb\na\tr\tc\na\tonly one\tb\n")
    Path("two").write_text("x\tr\tb\na\tr\tb\na\tr\td\n")
    tuqa.load("kg", "one", "two", dataset="two sources")
    return tuqa


# What is found.


def test_by_head(films: TrustUQA) -> None:
    answer = films.run(tails("Alien", "starring"), "films")
    assert answer.outcome == "answered"
    assert answer.values == ("Sigourney Weaver", "Tom Skerritt")
    assert (answer.columns, answer.rows, answer.problems, answer.mapped) == (None, None, (), ())


def test_by_tail(films: TrustUQA) -> None:
    answer = films.run(heads("starring", "Sigourney Weaver"), "films")
    assert (answer.outcome, answer.values) == ("answered", ("Alien", "Aliens"))


@pytest.mark.parametrize(
    ("call", "values"),
    [
        (tails("I Can't Sleep", "directed by"), ("Claire Denis",)),
        (tails('Say "Hi", he said', "directed by"), ("Nobody, Jr.",)),
        (heads("directed by", "Nobody, Jr."), ('Say "Hi", he said',)),
        (tails("Amélie", "directed by"), ("Jean-Pierre Jeunet",)),
        ('get_information(head_entity="Blade Runner", key="directed by")', ("Ridley Scott",)),
        ('get_information(relation="released", value="1979")', ("Alien",)),
        ("get_information(relation='released', tail_entity=1979)", ("Alien",)),
        ("get_information(tail_entity='Claire Denis', relation='directed by')", ("I Can't Sleep",)),
    ],
)
def test_names_as_they_come(films: TrustUQA, call: str, values: tuple[str, ...]) -> None:
    answer = films.run(call, "films")
    assert (answer.outcome, answer.values, answer.mapped) == ("answered", values, ())


def test_evidence_says_where_each_fact_stands(films: TrustUQA) -> None:
    answer = films.run(tails("Alien", "starring"), "films")
    where = {"dataset": "films", "source": SOURCE, "file": SOURCE, "step": 1, "head_key": "Alien"}
    assert answer.evidence == (
        Evidence(
            "Alien",
            "starring",
            "Sigourney Weaver",
            line=3,
            tail_key="Sigourney Weaver",
            answers=(0,),
            **where,
        ),
        Evidence(
            "Alien",
            "starring",
            "Tom Skerritt",
            line=4,
            tail_key="Tom Skerritt",
            answers=(1,),
            **where,
        ),
    )
    assert answer.evidence_total == 2


def test_evidence_says_kinds_and_keys_of_nodes(tuqa: TrustUQA, tmp_path: Path) -> None:
    (tmp_path / "lengths.csv").write_text("film,length\nAlien,117\n", encoding="utf-8")
    tuqa.load(tmp_path / "lengths.csv", dataset="lengths", source="all", embeddings=False)
    answer = tuqa.run("get_information(relation='length', tail_entity>100)", "lengths")
    fact = answer.evidence[0]
    assert (fact.head, fact.head_kind, fact.head_key) == ("row 1", "row", "all 1")
    assert (fact.tail, fact.tail_kind, fact.tail_key) == ("Alien", "value", "Alien")


def test_several_steps(films: TrustUQA) -> None:
    """Where the directors of films with Sigourney Weaver were born."""
    answer = films.run(
        query(
            heads("starring", "Sigourney Weaver"),
            tails("output_of_query1", "directed by"),
            "get_information(head_entity=output_of_query2, relation='born in')",
        ),
        "films",
    )
    assert (answer.outcome, answer.values) == ("answered", ("South Shields",))
    assert lines(answer) == [1, 3, 14]
    assert (answer.evidence_total, answer.considered_total) == (3, 5)


def test_forth_and_back_proves_each_fact_once(films: TrustUQA) -> None:
    answer = films.run(
        query(tails("Aliens", "starring"), heads("starring", "output_of_query1")), "films"
    )
    assert answer.values == ("Alien", "Aliens")
    assert lines(answer) == [3, 7]
    assert answer.evidence_total == 2


def test_lists_of_names_and_references(films: TrustUQA) -> None:
    answer = films.run(
        query(
            "get_information(head_entity=['Alien', 'Aliens', 'Amélie'], relation='directed by')",
            "get_information(relation='directed by', tail_entity=[output_of_query1, 'Sam Raimi'])",
        ),
        "films",
    )
    assert answer.values == ("Alien", "Aliens", "Amélie", "Blade Runner", "Spider-Man")


def test_the_last_step_is_the_answer(films: TrustUQA) -> None:
    answer = films.run(query(tails("Amélie", "directed by"), tails("Aliens", "starring")), "films")
    assert answer.values == ("Sigourney Weaver",)
    assert lines(answer) == [7]
    assert answer.considered_total == 2


# How names are read.


def test_exact_wins_over_folded(films: TrustUQA) -> None:
    """There are an `Alien` and an `alien`, a `released` and a `Released`."""
    assert films.run(tails("alien", "tag of"), "films").values == ("space horror",)
    exact = films.run(tails("Alien", "released"), "films")
    assert (exact.values, exact.mapped, lines(exact)) == (("1979",), (), [2])
    exact = films.run(tails("Blade Runner", "Released"), "films")
    assert (exact.values, exact.mapped, lines(exact)) == (("1982",), (), [11])


def test_folded_names_are_told(films: TrustUQA) -> None:
    answer = films.run(tails("spider man", "Directed_By"), "films")
    assert answer.values == ("Sam Raimi",)
    told = sorted((mapped.to_dict() for mapped in answer.mapped), key=lambda m: m["given"])
    assert told == [
        {"given": "Directed_By", "used": "directed by", "how": "folded", "score": 1.0},
        {"given": "spider man", "used": "Spider-Man", "how": "folded", "score": 1.0},
    ]
    answer = films.run(heads("directed by", "JEAN PIERRE JEUNET"), "films")
    assert answer.values == ("Amélie",)
    assert films.run(tails("amelie", "directed by"), "films").values == ("Jean-Pierre Jeunet",)


def test_the_next_rung_where_a_step_finds_nothing(films: TrustUQA) -> None:
    """`alien` is there, exactly, but has no director; `Alien` has."""
    answer = films.run(tails("alien", "directed by"), "films")
    assert answer.values == ("Ridley Scott",)
    assert ("alien", "Alien", "folded") in [(m.given, m.used, m.how) for m in answer.mapped]
    answer = films.run(tails("Blade Runner", "released"), "films")
    assert answer.values == ("1982",)
    assert ("released", "Released", "folded") in [(m.given, m.used, m.how) for m in answer.mapped]


def test_each_step_is_read_on_its_own(films: TrustUQA) -> None:
    answer = films.run(
        query(tails("alien", "tag of"), tails("alien", "directed by"), tails("alien", "tag of")),
        "films",
    )
    assert answer.values == ("space horror",)
    assert lines(answer) == [5]


# Outcomes.


def test_empty(films: TrustUQA) -> None:
    answer = films.run(tails("Amélie", "born in"), "films")
    assert (answer.outcome, answer.values, answer.evidence) == ("empty", (), ())
    (problem,) = answer.problems
    assert problem.message == "born in does not start from 'Amélie'; these do: directed by"


def test_empty_for_a_name_that_is_not_there(films: TrustUQA) -> None:
    text = tails("Zardoz", "directed by")
    answer = films.run(text, "films")
    assert (answer.outcome, answer.values, answer.mapped) == ("empty", (), ())
    (problem,) = answer.problems
    assert (problem.kind, problem.step) == ("unknown name", 1)
    message = "films has no 'Zardoz', which directed by is to start from; the nearest are "
    assert problem.message.startswith(message)
    assert text[problem.position or 0 :].startswith("'Zardoz'")


def test_empty_behind_a_step_that_found_nothing(films: TrustUQA) -> None:
    answer = films.run(
        query(heads("directed by", "Sigourney Weaver"), tails("output_of_query1", "starring")),
        "films",
    )
    assert answer.outcome == "empty"
    assert (
        "empty" in films.run("get_information(head_entity=[], relation='born in')", "films").outcome
    )


def test_not_askable(films: TrustUQA) -> None:
    text = query(tails("Alien", "starring"), tails("output_of_query1", "birth year"))
    answer = films.run(text, "films")
    assert (answer.outcome, answer.values, answer.evidence) == ("not_askable", (), ())
    (problem,) = answer.problems
    assert (problem.kind, problem.step) == ("unknown relation", 2)
    assert problem.message.startswith("films has no relation 'birth year'; the nearest")
    assert text[problem.position or 0 :].startswith("'birth year'")


def test_a_relation_of_a_near_name_is_taken_and_told(films: TrustUQA) -> None:
    answer = films.run(tails("Alien", "director"), "films")
    assert (answer.outcome, answer.values) == ("answered", ("Ridley Scott",))
    (mapped,) = answer.mapped
    assert (mapped.given, mapped.used, mapped.how) == ("director", "directed by", "nearest")
    assert 0.5 < mapped.score < 1


def test_every_relation_that_is_not_there_is_told(films: TrustUQA) -> None:
    answer = films.run(query(tails("Alien", "xyzzy"), tails("Alien", "qqq")), "films")
    assert [(p.kind, p.step) for p in answer.problems] == [
        ("unknown relation", 1),
        ("unknown relation", 2),
    ]
    told = re.compile(
        r"films has no relation '(xyzzy|qqq)'; the nearest of 6 are [^,]+, [^,]+, [^,]+"
    )
    assert all(told.fullmatch(problem.message) for problem in answer.problems)


def test_rejected(films: TrustUQA) -> None:
    text = query(tails("Alien", "starring"), "cuont(set=output_of_query1)")
    answer = films.run(text, "films")
    assert (answer.outcome, answer.values) == ("rejected", ())
    (problem,) = answer.problems
    assert (problem.kind, problem.step) == ("unknown function", 2)
    assert "did you mean count?" in problem.message


def test_failed(films: TrustUQA) -> None:
    answer = films.run("I do not know.", "films")
    assert (answer.outcome, answer.values) == ("failed", ())
    assert answer.problems[0].kind == "unreadable"


# Scopes.


def test_one_source(sources: TrustUQA) -> None:
    both = sources.run(tails("a", "r"), "two sources")
    assert both.values == ("b", "c", "d")
    one = sources.run(tails("a", "r"), "two sources", source="one")
    assert one.values == ("b", "c")
    assert {(fact.source, fact.file) for fact in one.evidence} == {("one", "one")}
    assert sources.run(heads("r", "b"), "two sources", source="two").values == ("a", "x")
    assert sources.run(tails("a", "only one"), "two sources").values == ("b",)
    other = sources.run(tails("a", "only one"), "two sources", source="two")
    assert (other.outcome, other.problems[0].kind) == ("not_askable", "unknown relation")
    assert other.problems[0].message.startswith("two of two sources has no relation 'only one'")


def test_a_fact_of_two_sources_is_one_value(sources: TrustUQA) -> None:
    """With the proof of both."""
    answer = sources.run(tails("a", "r"), "two sources")
    told = {(fact.tail, fact.source, fact.line) for fact in answer.evidence}
    assert told == {("b", "one", 1), ("b", "two", 2), ("c", "one", 2), ("d", "two", 3)}


def test_a_source_that_is_not_there(sources: TrustUQA) -> None:
    with pytest.raises(UnknownSource) as caught:
        sources.run(tails("a", "r"), "two sources", source="three")
    assert str(caught.value) == (
        "no source 'three', dataset 'two sources'\nhint: `tuqa datasets --json` lists its sources"
    )


def test_a_dataset_that_is_not_there(films: TrustUQA) -> None:
    with pytest.raises(UnknownDataset, match="no dataset 'film'"):
        films.run(tails("a", "r"), "film")


def test_a_dataset_whose_load_has_not_finished(films: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("a\tr\tb\nx\n")
    with pytest.raises(MalformedLine):
        films.load("kg", path, dataset="half", batch_size=1)
    with pytest.raises(
        IncompleteDataset, match=r"the load of 'half' has not finished, .*/f:1\nhint: "
    ):
        films.run(tails("a", "r"), "half")
    assert films.run(tails("Alien", "released"), "films").values == ("1979",)


def test_datasets_share_nothing(films: TrustUQA, sources: TrustUQA) -> None:
    assert films.run(tails("a", "starring"), "films").outcome == "empty"
    assert films.run(tails("Alien", "r"), "films").outcome == "not_askable"


@pytest.fixture
def scoped(films: TrustUQA, server: Settings) -> Iterator[TrustUQA]:
    """A client that may read `films` and nothing else, though there is more."""
    films.load("kg", FILMS, dataset="secret")
    with TrustUQA.connect(server, datasets=["films"]) as client:
        yield client


def test_an_enforced_scope(scoped: TrustUQA, films: TrustUQA) -> None:
    assert [dataset.name for dataset in scoped.datasets()] == ["films"]
    for attempt in (
        lambda: scoped.run(tails("Alien", "starring"), "secret"),
        lambda: scoped.run(tails("Alien", "starring"), ["secret"]),
        lambda: scoped.drop("secret"),
        lambda: scoped.load("kg", FILMS, dataset="other"),
    ):
        with pytest.raises(
            UnknownDataset, match=r"in this client's scope\nhint: it may read films"
        ):
            attempt()
    assert {"films", "secret"} <= {dataset.name for dataset in films.datasets()}
    assert "other" not in {dataset.name for dataset in films.datasets()}


def test_a_name_is_not_needed_where_there_is_one(scoped: TrustUQA) -> None:
    assert scoped.run(tails("Alien", "released")).values == ("1979",)
    assert scoped.run(tails("Alien", "released"), ["films"]).values == ("1979",)


def test_without_a_name_all_that_may_be_read_is_asked(scoped: TrustUQA, films: TrustUQA) -> None:
    """The same answer from two datasets is one answer, with the proof of both."""
    for answer in (
        films.run(tails("Alien", "released"), ["films", "secret"]),
        films.run(tails("Alien", "released"), ["films", "secret", "films"]),
    ):
        assert answer.values == ("1979",)
        assert sorted(fact.dataset for fact in answer.evidence) == ["films", "secret"]
    everything = films.run(tails("Alien", "released"))
    assert everything.values == ("1979",)
    assert {"films", "secret"} <= {fact.dataset for fact in everything.evidence}
    assert {fact.dataset for fact in scoped.run(tails("Alien", "released")).evidence} == {"films"}


def test_a_scope_of_nothing(films: TrustUQA, server: Settings) -> None:
    with TrustUQA.connect(server, datasets=[]) as client:
        assert client.datasets() == ()
        with pytest.raises(
            UnknownDataset, match="no dataset is loaded\nhint: load one with tuqa-load"
        ):
            client.run(tails("Alien", "released"))
        with pytest.raises(UnknownDataset, match="it may read nothing"):
            client.run(tails("Alien", "released"), "films")


def test_a_scope_may_be_one_name_and_says_that_it_is_misspelt(
    films: TrustUQA, server: Settings
) -> None:
    with TrustUQA.connect(server, datasets="films") as client:
        assert [dataset.name for dataset in client.datasets()] == ["films"]
    with (
        TrustUQA.connect(server, datasets="flims") as client,
        pytest.raises(UnknownDataset, match="no dataset of this client's scope is loaded: 'flims'"),
    ):
        client.ask("who directed Alien")
    with pytest.raises(UsageError, match="limit=-1"):
        films.find_names("Alien", limit=-1)


def test_loads_and_lists_are_awaited(films: TrustUQA) -> None:
    async def work() -> None:
        await films.aload("kg", FILMS, dataset="awaited films")
        names = {dataset.name for dataset in await films.adatasets()}
        assert {"films", "awaited films"} <= names
        schema = await films.aschema("awaited films")
        assert "starring" in {relation.name for relation in schema.relations}
        assert (await films.adrop("awaited films")).facts

    asyncio.run(work())


def test_a_driver_of_the_caller_stays_open(films: TrustUQA) -> None:
    driver = films.connection.driver
    with TrustUQA(driver, datasets=["films"]) as client:
        assert client.run(tails("Alien", "released")).values == ("1979",)
        assert asyncio.run(client.arun(tails("Alien", "released"))).values == ("1979",)
    driver.verify_connectivity()


def test_a_client_of_an_address(films: TrustUQA, server: Settings) -> None:
    assert server.password is not None
    auth = (server.username, server.password)
    with TrustUQA.connect(uri=server.uri, auth=auth, database="neo4j") as client:
        assert client.run(tails("Alien", "released"), "films").values == ("1979",)
    with pytest.raises(UsageError, match="settings and an address"):
        TrustUQA.connect(server, uri=server.uri)
    with pytest.raises(
        UsageError, match=r"an address is not a driver\nhint: TrustUQA.connect\(uri="
    ):
        TrustUQA("bolt://127.0.0.1:7687")  # type: ignore[arg-type]


def test_other_things_than_are_asked_for_are_named(films: TrustUQA, tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"an address is not a Settings object\nhint: TrustUQA.connect\(uri="
    ):
        TrustUQA.connect("bolt://127.0.0.1:7687")  # type: ignore[arg-type]
    driver = neo4j.AsyncGraphDatabase.driver("bolt://127.0.0.1:7687")
    with pytest.raises(UsageError, match="the driver is an asynchronous one"):
        TrustUQA(driver)  # type: ignore[arg-type]
    asyncio.run(driver.close())
    for question in (None, {"question": "when?"}):
        with pytest.raises(
            UsageError, match=r"a question is a text, and this is a (NoneType|dict)"
        ):
            films.ask(question, "films")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="the content of an answer is a dict, not a NoneType"):
        Answer.from_dict(None)  # type: ignore[arg-type]
    (tmp_path / "t.csv").write_text("a\n1\n")
    with pytest.raises(
        UsageError, match=r"no mode 'replce'\nhint: modes are new, append, replace, "
    ):
        films.load(tmp_path / "t.csv", dataset="t", mode="replce", dry_run=True)  # type: ignore[arg-type]


def test_a_question_is_logged_without_its_words(
    films: TrustUQA, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO", logger="trustuqa_neo4j"):
        films.ask("when was Alien released?", "films")
    (record,) = [record for record in caplog.records if record.name == "trustuqa_neo4j.client"]
    message = record.getMessage()
    assert message.startswith("asked films: answered, 1 values, origin read, confidence 0.")
    assert "Alien" not in message
    assert "1979" not in message


# The form of an answer.


def test_an_answer_is_frozen(films: TrustUQA) -> None:
    answer = films.run(tails("Alien", "starring"), "films")
    with pytest.raises(dataclasses.FrozenInstanceError):
        answer.outcome = "empty"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        answer.evidence[0].line = 0  # type: ignore[misc]


def test_an_answer_as_json(films: TrustUQA) -> None:
    answer = films.run(tails("ALIENS", "starring"), "films")
    told: dict[str, Any] = json.loads(json.dumps(answer.to_dict()))
    assert list(told) == [
        "outcome", "values", "columns", "rows", "problems", "mapped", "notes", "truncated",
        "ms", "understood", "sentence", "version", "evidence", "evidence_total", "considered_total",
        "evidence_counts", "evidence_steps", "trace",
    ]  # fmt: skip
    assert (told["outcome"], told["values"]) == ("answered", ["Sigourney Weaver"])
    assert (told["columns"], told["rows"], told["problems"]) == (None, None, [])
    assert told["mapped"] == [{"given": "ALIENS", "used": "Aliens", "how": "folded", "score": 1.0}]
    assert told["evidence"] == [
        {
            "head": "Aliens", "relation": "starring", "tail": "Sigourney Weaver",
            "dataset": "films", "source": SOURCE, "file": SOURCE, "line": 7,
            "start": None, "end": None, "record": "", "inferred": None, "cell": None, "step": 1,
            "head_kind": "entity", "head_key": "Aliens",
            "tail_kind": "entity", "tail_key": "Sigourney Weaver", "answers": [0],
        }
    ]  # fmt: skip
    assert list(told["ms"]) == ["parse", "check", "map", "execute", "total"]
    assert all(ms >= 0 for ms in told["ms"].values())
    assert told["ms"]["total"] >= max(told["ms"].values())
    short = answer.to_dict(proof=False)
    assert list(short) == [
        "outcome", "values", "columns", "rows", "problems", "mapped", "notes", "truncated",
        "ms", "understood", "sentence", "version",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "query", [tails("Alien", "starring"), "count(", "get_table(columns=['x'])"]
)
def test_an_answer_is_read_from_its_json(films: TrustUQA, query: str) -> None:
    answer = films.run(query, "films")
    content = json.loads(json.dumps(answer.to_dict()))
    copy = Answer.from_dict(content | {"a_later_field": 1})
    assert json.loads(json.dumps(copy.to_dict())) == content
    with pytest.raises(UsageError, match=r"no answer: .*, outcome\nhint: give what to_dict"):
        Answer.from_dict(content | {"outcome": "lost"})


def test_every_outcome_has_the_same_form(films: TrustUQA) -> None:
    keys = films.run(tails("Alien", "starring"), "films").to_dict().keys()
    for text in ("?", "f()", tails("Alien", "xyzzy"), tails("Alien", "born in")):
        told = films.run(text, "films").to_dict()
        assert told.keys() == keys
        assert told["ms"]["total"] > 0


def test_the_trace_tells_every_stage(films: TrustUQA) -> None:
    films.run(tails("Alien", "starring"), "films")  # the vocabulary is read once
    answer = films.run(
        query(tails("Alien", "starring"), heads("starring", "output_of_query1")), "films"
    )
    assert [stage.stage for stage in answer.trace] == [
        "parse", "check", "map", "plan", "check", "execute", "execute", "prove",
    ]  # fmt: skip
    sent = [sent.statement for stage in answer.trace for sent in stage.sent]
    assert sent == ["resolve_names", "facts_from_heads", "facts_to_tails", "get_evidence"]
    assert "search_node('starring', condition='Alien')" in answer.trace[3].found
    steps = [(stage.step, stage.uses, sorted(stage.members)) for stage in answer.trace[5:7]]
    assert steps == [
        (1, (), ["Sigourney Weaver", "Tom Skerritt"]),
        (2, (1,), ["Alien", "Aliens"]),
    ]
    assert answer.trace[2].sent[0].parameters == {
        "datasets": ["films"],
        "source": None,
        "relations": ["starring"],
        "names": ["alien"],
        "keys": ["Alien"],
        "steps": [["facts_from_heads", "alien", "starring"]],
    }


def test_evidence_is_limited_and_its_number_told(tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("".join(f"hub\tr\tt{n}\n" for n in range(50)))
    tuqa.load("kg", path, dataset="hub")
    answer = tuqa.run(tails("hub", "r"), "hub")
    assert (len(answer.values), len(answer.evidence), answer.evidence_total) == (50, 20, 50)
    assert len(set(answer.evidence)) == 20
    answer = tuqa.run(tails("hub", "r"), "hub", evidence=100)
    assert lines(answer) == list(range(1, 51))
    none = tuqa.run(tails("hub", "r"), "hub", evidence=0)
    assert (len(none.values), none.evidence, none.evidence_total) == (50, (), 50)


# Running.


def test_a_query_has_a_timeout(tuqa: TrustUQA, tmp_path: Path) -> None:
    """The server looks for what is overdue every two seconds, so the query must take longer."""
    path = tmp_path / "f"
    path.write_text("".join(f"a{head}\tr\ta{tail}\n" for head in range(120) for tail in range(120)))
    tuqa.load("kg", path, dataset="slow")
    steps = [tails("a1", "r"), *(tails(f"output_of_query{n}", "r") for n in range(1, 220))]
    with pytest.raises(TimedOut) as caught:
        tuqa.run(query(*steps), "slow", timeout=0.01)
    assert "(timeout)" in str(caught.value)
    assert caught.value.exit_code == 3
    assert tuqa.run(query(*steps[:3]), "slow").outcome == "answered"


def same(one: Answer, other: Answer) -> bool:
    """All but the times."""
    return (
        dataclasses.replace(one, ms={}, trace=()) == dataclasses.replace(other, ms={}, trace=())
        and [(s.stage, s.given, s.found, [x.parameters for x in s.sent]) for s in one.trace]
        == [(s.stage, s.given, s.found, [x.parameters for x in s.sent]) for s in other.trace]
    )  # fmt: skip


TEXTS = [
    tails("Alien", "starring"),
    query(heads("starring", "Sigourney Weaver"), tails("output_of_query1", "directed by")),
    tails("alien", "directed by"),
    tails("Alien 3", "directed by"),
    tails("Alien", "xyzzy"),
    "f()",
    "?",
]


def test_arun_is_the_same(films: TrustUQA, server: Settings) -> None:
    films.run(TEXTS[0], "films")  # the vocabulary is read once

    async def ask() -> list[Answer]:
        async with TrustUQA.connect(server) as client:
            with pytest.raises(UnknownDataset):
                await client.arun(TEXTS[0], "film")
            return await asyncio.gather(*(client.arun(text, "films") for text in TEXTS))

    answers = asyncio.run(ask())
    for text, answer in zip(TEXTS, answers, strict=True):
        assert same(answer, films.run(text, "films")), text


def test_event_loops_follow_each_other(films: TrustUQA) -> None:
    films.demonstrations.add("films", Demonstration("who directed Alien", TEXTS[0]))
    client = TrustUQA(films.connection.driver)

    async def ask() -> Answer:
        return await client.aask("who directed Alien", "films")

    answers = [asyncio.run(ask()) for _ in range(3)]
    assert [same(answer, answers[0]) for answer in answers] == [True, True, True]
    assert answers[0].outcome == "answered"
    assert asyncio.run(client.arun(TEXTS[0], "films")).values == answers[0].values
    client.close()
    assert films.ping()  # the driver is the caller's


def test_threads_may_share_a_client(films: TrustUQA) -> None:
    films.run(TEXTS[0], "films")  # the vocabulary is read once
    expected = [films.run(text, "films") for text in TEXTS]
    wrong: list[str] = []

    def ask() -> None:
        for text, answer in zip(TEXTS, expected, strict=True):
            if not same(films.run(text, "films"), answer):
                wrong.append(text)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert not wrong


def test_asking_changes_nothing(films: TrustUQA) -> None:
    with films.connection.driver.session() as session:
        everything = "MATCH (n) RETURN count(n), sum(COUNT { (n)--() }), sum(size(keys(n)))"
        before = session.run(everything).values()
        for text in TEXTS:
            films.run(text, "films")
        assert session.run(everything).values() == before


def test_a_fact_used_twice_or_told_by_two_sources_is_counted_by_where_it_stands(
    tuqa: TrustUQA, tmp_path: Path
) -> None:
    rows = "".join(f"film {i}\tby\tthe one\n" for i in range(50))
    (tmp_path / "a.tsv").write_text(rows)
    (tmp_path / "b.tsv").write_text("film 0\tby\tthe one\n")
    tuqa.load("kg", tmp_path / "a.tsv", tmp_path / "b.tsv", dataset="forth and back")
    forth_and_back = (
        "Query1: get_information(relation='by', tail_entity='the one')\n"
        "Query2: get_information(head_entity=output_of_query1, relation='by')"
    )
    answer = tuqa.run(forth_and_back, "forth and back")
    assert answer.values == ("the one",)
    assert (len(answer.evidence), answer.evidence_total) == (20, 51)
    everything = tuqa.run(forth_and_back, "forth and back", evidence=100)
    assert (len(everything.evidence), everything.evidence_total) == (51, 51)


def test_a_limit_cuts_the_answer_and_says_so(tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("".join(f"hub\tr\tt{n}\n" for n in range(5)))
    tuqa.load("kg", path, dataset="hub")
    cut = tuqa.run(tails("hub", "r"), "hub", limit=2)
    assert (cut.values, cut.truncated) == (("t0", "t1"), 5)
    whole = tuqa.run(tails("hub", "r"), "hub", limit=5)
    assert (len(whole.values), whole.truncated) == (5, None)


def test_an_empty_answer_says_where_it_became_empty(films: TrustUQA) -> None:
    text = query(
        heads("starring", "Tom Skerritt"),
        heads("directed by", "James Cameron"),
        "set_intersection(output_of_query1, output_of_query2)",
    )
    answer = films.run(text, "films")
    assert (answer.outcome, answer.problems) == ("empty", ())
    (doubt,) = answer.doubts
    assert (doubt.kind, doubt.step, doubt.severity) == ("empty step", 3, "doubt")
    assert doubt.message.startswith(
        "set_intersection(output_of_query1, output_of_query2) found nothing"
    )
    assert text[doubt.position or 0 :].startswith("set_intersection")
    assert films.run(heads("starring", "Tom Skerritt"), "films").doubts == ()


def test_what_cannot_be_is_refused_before_anything_is_searched(films: TrustUQA) -> None:
    text = query(tails("Alien", "starring"), tails("output_of_query1", "starring"))
    answer = films.run(text, "films")
    assert (answer.outcome, [(p.kind, p.step) for p in answer.problems]) == (
        "rejected", [("direction", 2)],
    )  # fmt: skip
    assert not {s.statement for stage in answer.trace for s in stage.sent} & {"facts_from_heads"}
    with leave_out([SystemPart.CHECK]):
        unchecked = films.run(text, "films")
    assert unchecked.outcome == "empty"


def test_a_check_runs_nothing(films: TrustUQA) -> None:
    checked = films.check(tails("Alien", "starrring"), "films")
    assert (checked.good, checked.outcome, checked.problems) == (True, None, ())
    assert [(m.given, m.used, m.how) for m in checked.mapped] == [
        ("starrring", "starring", "nearest")
    ]
    assert not films.check("f()", "films").good
    unknown = films.check(tails("Alien", "xyzzy"), "films")
    assert (unknown.outcome, [p.kind for p in unknown.problems]) == (
        "not_askable", ["unknown relation"],
    )  # fmt: skip


@pytest.mark.parametrize("method", ["ask", "prompt", "ask_many", "run", "check"])
def test_a_misspelt_option_is_a_type_error(films: TrustUQA, method: str) -> None:
    questions = ["Who?"] if method == "ask_many" else "Who?"
    with pytest.raises(TypeError, match=r"no option 'inferance'; did you mean 'inference'\?"):
        list(getattr(films, method)(questions, "films", inferance=False))
