"""``tuqa drop``: what it deletes, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Done
from shell import shell

from trustuqa_neo4j import Settings, TrustUQA

Shell = Callable[..., Done]
FILMS = Path(__file__).parents[1] / "samples" / "films.tsv"


@pytest.fixture
def sh(server: Settings, films: TrustUQA) -> Shell:
    return lambda *words, **options: shell(server, *words, **options)


def everything(client: TrustUQA) -> list[object]:
    with client.connection.driver.session() as session:
        nodes = session.run("MATCH (n) RETURN labels(n) AS l, properties(n) AS p").values()
        facts = session.run("MATCH ()-[r]->() RETURN type(r) AS t, properties(r) AS p").values()
        return sorted(map(repr, nodes)) + sorted(map(repr, facts))


def test_it_says_what_it_deleted_and_leaves_the_rest(sh: Shell, films: TrustUQA) -> None:
    before = everything(films)
    films.load("kg", FILMS, dataset="more films")
    assert everything(films) != before
    done = sh("tuqa", "drop", "more films")
    assert done == Done(0, "more films: 14 facts and 20 nodes deleted\n", "")
    assert everything(films) == before


def test_one_that_is_not_there(sh: Shell, films: TrustUQA) -> None:
    before = everything(films)
    assert sh("tuqa", "drop", "flims") == Done(
        1, "", "unknown dataset: no dataset 'flims', did you mean 'films'?\n"
    )
    assert sh("tuqa", "drop", "xyzzy") == Done(
        1, "", "unknown dataset: no dataset 'xyzzy', `tuqa datasets` lists what is loaded\n"
    )
    assert sh("tuqa", "drop", "films' OR true //").code == 1
    assert everything(films) == before


def test_twice(sh: Shell) -> None:
    assert sh("tuqa", "drop", "films").code == 0
    assert sh("tuqa", "drop", "films").code == 1


def test_an_interrupted_one_is_finished(sh: Shell, films: TrustUQA) -> None:
    connection = films.connection
    connection.write(lambda tx: tx.run("hide_dataset", dataset="films").rows)
    connection.run_alone("drop_facts", dataset="films")
    connection.run_alone("drop_nodes", dataset="films")
    assert "films " in sh("tuqa", "datasets").out
    query = "get_information(head_entity='Alien', relation='starring')"
    asked = sh("tuqa", "run", "--dataset", "films", stdin=query)
    assert asked.code == 1
    assert asked.err.startswith("incomplete dataset: ")
    refused = sh("tuqa-load", "kg", str(FILMS))
    assert refused == Done(
        1,
        "",
        "incomplete dataset: 'films' is being dropped, `tuqa drop films` to the end\n",
    )
    assert sh("tuqa", "drop", "films") == Done(0, "films: 14 facts and 20 nodes deleted\n", "")
    assert "films" not in {dataset.name for dataset in films.datasets()}
    assert sh("tuqa-load", "kg", str(FILMS)).code == 0


def test_one_source(
    sh: Shell, films: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = sh("tuqa", "drop", "films", "--source", str(FILMS)[:-1])
    assert done == Done(
        1,
        "",
        f"unknown source: no source {str(FILMS)[:-1]!r}, dataset 'films', did you mean {str(FILMS)!r}?\n",
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
    assert done.err.startswith("unreachable: ")
