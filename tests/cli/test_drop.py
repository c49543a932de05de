"""``tuqa drop``: what it deletes, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.samples import FILMS
from support.shell import Done, shell

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.cli import connection

Shell = Callable[..., Done]


@pytest.fixture
def sh(server: Settings, films: TrustUQA) -> Shell:
    return lambda *words, **options: shell(server, *words, **options)


def everything(client: TrustUQA) -> list[object]:
    with client.connection.driver.session() as session:
        # Numbers of facts are never given twice, so the counter of the schema grows.
        nodes = session.run("MATCH (n) RETURN labels(n) AS l, n {.*, numbers: null} AS p").values()
        facts = session.run("MATCH ()-[r]->() RETURN type(r) AS t, properties(r) AS p").values()
        return sorted(map(repr, nodes)) + sorted(map(repr, facts))


def test_it_says_what_it_deleted_and_leaves_the_rest(sh: Shell, films: TrustUQA) -> None:
    before = everything(films)
    films.load("kg", FILMS, dataset="more films")
    assert everything(films) != before
    done = sh("tuqa", "drop", "more films")
    assert done == Done(0, "more films: 14 facts and 20 nodes deleted\n", "")
    assert everything(films) == before


@pytest.mark.parametrize("words", [["drop", "films"], ["drop", "films", "--source", "films.tsv"]])
def test_it_asks_on_a_terminal(
    sh: Shell, films: TrustUQA, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setattr(connection, "is_interactive", lambda: True)
    before = everything(films)
    done = sh("tuqa", *words, stdin="n\n")
    assert (done.code, done.out) == (1, "")
    assert "delete this of 'films'? [y/N]" in done.err
    assert done.err.endswith("nothing deleted\n")
    assert everything(films) == before
    films.load("kg", FILMS, dataset="more films")
    assert sh("tuqa", "drop", "more films", "--yes").code == 0
    films.load("kg", FILMS, dataset="more films")
    done = sh("tuqa", "drop", "more films", stdin="y\n")
    assert (done.code, done.out) == (0, "more films: 14 facts and 20 nodes deleted\n")


def test_one_that_is_not_there(sh: Shell, films: TrustUQA) -> None:
    before = everything(films)
    assert sh("tuqa", "drop", "flims") == Done(
        1, "", "error: no dataset 'flims'\nhint: did you mean 'films'?\n"
    )
    assert sh("tuqa", "drop", "xyzzy") == Done(
        1, "", "error: no dataset 'xyzzy'\nhint: `tuqa datasets` lists what is loaded\n"
    )
    assert sh("tuqa", "drop", "films' OR true //").code == 1
    assert everything(films) == before


def test_twice(sh: Shell) -> None:
    assert sh("tuqa", "drop", "films").code == 0
    assert sh("tuqa", "drop", "films").code == 1


def test_an_interrupted_one_is_finished(sh: Shell, films: TrustUQA) -> None:
    connection = films.connection
    connection.write(lambda tx: tx.run("mark_dataset_dropping", dataset="films").rows)
    connection.run_alone("delete_facts", dataset="films")
    connection.run_alone("delete_nodes", dataset="films")
    assert "films " in sh("tuqa", "datasets").out
    query = "get_information(head_entity='Alien', relation='starring')"
    asked = sh("tuqa", "run", "--dataset", "films", stdin=query)
    assert asked.code == 1
    assert asked.err.startswith("error: 'films' is being dropped")
    refused = sh("tuqa-load", "kg", str(FILMS))
    assert refused == Done(
        1,
        "",
        "error: 'films' is being dropped\nhint: if another process drops or replaces it now, wait for it; "
        "otherwise run `tuqa drop films` to the end\n",
    )
    assert sh("tuqa", "drop", "films") == Done(0, "films: 14 facts and 20 nodes deleted\n", "")
    assert "films" not in {dataset.name for dataset in films.datasets()}
    assert sh("tuqa-load", "kg", str(FILMS)).code == 0


def test_one_source(
    sh: Shell, films: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = films.datasets()[0].sources[0].name
    done = sh("tuqa", "drop", "films", "--source", source[:-1])
    assert done == Done(
        1,
        "",
        f"error: no source {source[:-1]!r}, dataset 'films'\nhint: did you mean {source!r}?\n",
    )
    Path("more.tsv").write_text("a\tr\tb\nAlien\tr\tb\n")
    assert sh("tuqa-load", "kg", "more.tsv", "--dataset", "films", "--append").code == 0
    done = sh("tuqa", "drop", "films", "--source", "more.tsv")
    assert done == Done(0, "films, more.tsv: 2 facts and 2 nodes deleted\n", "")


def test_calls_that_are_wrong(sh: Shell) -> None:
    assert "Missing argument 'DATASET'" in sh("tuqa", "drop").err
    assert sh("tuqa", "drop").code == 2
    assert sh("tuqa", "drop", "a", "b").code == 2
    done = sh("tuqa", "drop", "films", "--uri", "bolt://127.0.0.1:1")
    assert (done.code, done.out) == (3, "")
    assert "\nhint: start a server there" in done.err
