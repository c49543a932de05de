"""Nodes near a name, on a real server: what is near, whose it is, and what is never returned."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.graph import vectors
from trustuqa_neo4j.graph.connection import Encoding
from trustuqa_neo4j.matching import ScoredName
from trustuqa_neo4j.reads import nearest
from trustuqa_neo4j.reads.nearest import Pool, near_nodes, near_relations
from trustuqa_neo4j.reads.reader import Reader

ANY = Pool((), "any", None, 100)
SPECIAL = r'+ - && || ! ( ) { } [ ] ^ " ~ * ? : \ /'
NAMES = [
    "Amélie", "Renée Zellweger", "שלום עליכם", "نجيب محفوظ", "常楽寺", "AND", "OR NOT", "to", "TO",
    SPECIAL, 'say "AND" (or) not\\', "a:b", "Spider-Man", "The Matrix", "St. Mary's", "x" * 10_000,
    "New York City", "Apollo Eleven", "Москва", "Saturn V", "Mount Vernon", "Apollo 13", "42", "1969",
]  # fmt: skip


SAME = {"capital": 0, "seat of government": 0, "ship": 1, "vessel": 1}


class Meanings:
    """A model of our own: two words for the same thing have the same vector."""

    def __init__(self, name: str = "meanings") -> None:
        self.name = name
        self.asked: list[str] = []

    def encode(self, texts: list[str]) -> object:
        self.asked += texts
        found = np.zeros((len(texts), 4), np.float32)
        for row, text in zip(found, texts, strict=True):
            row[SAME.get(text, 2 + len(text) % 2)] = 1
        return found


@pytest.fixture(scope="module")
def listed(client: TrustUQA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustUQA]:
    """Names as heads of one relation, a few as tails of others, in two sources; and a second dataset."""
    path = tmp_path_factory.mktemp("listed") / "names.tsv"
    path.write_text("".join(f"{name}\tlisted in\tthe list\n" for name in NAMES))
    client.load("kg", path, dataset="names", source="list")
    path.write_text("Alan\tlikes\tThe Matrix\nAlan\tlikes\tAmélie\nBert\tsaw\tThe Matrices\n")
    client.load("kg", path, dataset="names", source="likes", mode="append")
    path.write_text("The Matrixx\tlisted in\tthe list\n")
    client.load("kg", path, dataset="others", source="list")
    yield settle(client)
    client.drop("names")
    client.drop("others")


@pytest.fixture
def names(listed: TrustUQA, tuqa: TrustUQA) -> TrustUQA:
    return tuqa


@pytest.fixture(params=["whole", "indexes"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Small pools are scored whole, large ones reached through the indexes: both find the same."""
    if request.param == "indexes":
        monkeypatch.setattr(nearest, "SCANNED", -1)
        monkeypatch.setattr(nearest, "EXACT", -1)
    return str(request.param)


def settle(tuqa: TrustUQA) -> TrustUQA:
    """The full-text index takes in what was written a moment later."""
    with tuqa.connection.driver.session() as session:
        session.run("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()").consume()
    return tuqa


def near(
    tuqa: TrustUQA,
    given: str,
    pool: Pool = ANY,
    encoding: Encoding | None = None,
    datasets: Sequence[str] = ("names",),
) -> list[ScoredName]:
    nearest_names = lambda reader: near_nodes(reader, given, datasets, pool, encoding is not None)  # noqa: E731
    return tuqa.connection.read(nearest_names, encoding=encoding)


def best(tuqa: TrustUQA, given: str, pool: Pool = ANY) -> str:
    return near(tuqa, given, pool)[0].name


SLIPS = {
    "Amelei": "Amélie",
    "Renee Zelweger": "Renée Zellweger",
    "שלום עליכ": "שלום עליכם",
    "نجيب محفوض": "نجيب محفوظ",
    "常楽": "常楽寺",
    "Spiderman": "Spider-Man",
    "TheMatrix": "The Matrix",
    "Spi der-Man": "Spider-Man",
    "St Marys Church": "St. Mary's",
    "Nwe York City": "New York City",
    "Мсоква": "Москва",
    'say "AND" (or not\\': 'say "AND" (or) not\\',
}


def test_slips_are_seen_through(names: TrustUQA, way: str) -> None:
    assert {misspelt: best(names, misspelt) for misspelt in SLIPS} == SLIPS


HOSTILE = [
    SPECIAL, "AND", "OR", "NOT", "TO", "[a TO b]", "name:x", "dataset:others", '"', "\\", '\\"', "*",
    "?", "~", "a~", "x^2", "(((", "", " ", "\n", "\x00", "\ud800", "😀", "x" * 10_000, "a " * 5_000,
    "! || &&", "_", "+name", "0", "'", "/.*/",
]  # fmt: skip


def test_no_name_breaks_a_look(names: TrustUQA, way: str) -> None:
    """Nor does it reach into the language of the index: nothing of the other dataset is found."""
    for text in HOSTILE:
        nearest_names = near(names, text)
        scores = [name.score for name in nearest_names]
        assert "The Matrixx" not in {name.name for name in nearest_names}, text
        assert scores == sorted(scores, reverse=True), text
        assert all(0 <= score <= 1 for score in scores), text


def test_what_is_very_long_is_found_by_its_beginning(names: TrustUQA) -> None:
    assert near(names, "x" * 9_999)[0].name == "x" * 10_000


def test_another_dataset_is_never_looked_at(names: TrustUQA, way: str) -> None:
    assert "The Matrixx" not in {n.name for n in near(names, "The Matrixx")}
    both = near(names, "The Matrixy", datasets=("names", "others"))
    assert {n.name for n in both[:2]} == {"The Matrixx", "The Matrix"}
    assert near(names, "The Matrixx", datasets=("nowhere",)) == []


def test_a_pool_holds_what_its_facts_lead_to_or_come_from(names: TrustUQA, way: str) -> None:
    likes = Pool(("likes",), "tail", None, 100)
    assert {n.name for n in near(names, "The Matrices", likes)} <= {"The Matrix", "Amélie"}
    assert best(names, "The Matrices", likes) == "The Matrix"
    saw = Pool(("likes", "saw"), "tail", None, 100)
    assert best(names, "The Matrices", saw) == "The Matrices"
    heads = Pool(("likes",), "head", None, 100)
    assert [n.name for n in near(names, "Alann", heads)] == ["Alan"]
    assert near(names, "The Matrix", Pool(("nothing",), "head", None, 100)) == []


def test_another_source_is_never_looked_at(names: TrustUQA, way: str) -> None:
    elsewhere = Pool(("likes",), "tail", "list", 100)
    assert near(names, "The Matrix", elsewhere) == []
    at_home = Pool(("likes",), "tail", "likes", 100)
    assert best(names, "The Matricks", at_home) == "The Matrix"
    whole_source = Pool((), "any", "likes", 100)
    found = {n.name for n in near(names, "Spiderman Matrix Alan Bert Amelie", whole_source)}
    assert found <= {"Alan", "Bert", "The Matrix", "The Matrices", "Amélie"}
    assert len(found) > 2


def test_a_hub_is_of_a_pool_by_its_own_facts(tuqa: TrustUQA, tmp_path: Path, way: str) -> None:
    """Facts of hubs are found by indexes of their own."""
    path = tmp_path / "hub.tsv"
    facts = [f"person {n}\tlives in\tRome\n" for n in range(1_100)]
    path.write_text("".join([*facts, "Rome\tcapital of\tItaly\n", "Rom\tspoken by\tRoma\n"]))
    tuqa.load("kg", path, dataset="towns", source="s")
    settle(tuqa)

    def best_town(name: str, pool: Pool) -> str:
        return near(tuqa, name, pool, datasets=("towns",))[0].name

    def towns_near(pool: Pool) -> set[str]:
        return {n.name for n in near(tuqa, "Rome", pool, datasets=("towns",))}

    assert best_town("Rme", Pool(("lives in",), "tail", None, 1_100)) == "Rome"
    assert best_town("Rome", Pool(("capital of",), "head", "s", 1)) == "Rome"
    assert towns_near(Pool(("capital of",), "head", "t", 1)) == set()
    assert "Rome" not in towns_near(Pool(("spoken by",), "head", None, 1))
    assert towns_near(Pool((), "any", "t", 1)) == set()
    assert best_town("Rome", Pool((), "any", "s", 1)) == "Rome"


def test_homonyms_are_all_there_and_an_alias_stands_for_its_node(
    tuqa: TrustUQA, tmp_path: Path, way: str
) -> None:
    (tmp_path / "kb.tsv").write_text("m.1\tr\tm.2\nm.2\tr\tm.3\n")
    (tmp_path / "names.tsv").write_text("m.1\tMount Vernon\nm.2\tMount Vernon\nm.3\tPeak\n")
    (tmp_path / "aliases.tsv").write_text("m.3\tHighest Point\n")
    tuqa.load("webqsp", tmp_path, dataset="peaks")
    settle(tuqa)
    found = near(tuqa, "Mont Vernon", datasets=("peaks",))
    assert [n.name for n in found[:2]] == ["Mount Vernon"] * 2
    assert found[0].node != found[1].node
    assert found[0].score == found[1].score
    other, *_ = near(tuqa, "Highest Pont", datasets=("peaks",))
    assert other.name == "Highest Point"
    assert other.node == near(tuqa, "Peek", datasets=("peaks",))[0].node
    assert len({n.node for n in found}) == len(found)


def test_numbers_and_dates_are_no_names(names: TrustUQA, way: str) -> None:
    assert not {"42", "1969"} & {n.name for n in near(names, "42")}
    assert not {"42", "1969"} & {n.name for n in near(names, "1969")}


def test_many_facts_may_lead_to_few(names: TrustUQA, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the indexes bring too little of such a pool, it is looked at itself."""
    monkeypatch.setattr(nearest, "SCANNED", 0)
    monkeypatch.setattr(nearest, "FIRST", 1)
    monkeypatch.setattr(nearest, "MOST", 1)
    assert {n.name for n in near(names, "zzz", Pool(("likes",), "tail", None, 10**6))} == {
        "The Matrix",
        "Amélie",
    }
    asked = near(names, "The Matrices", Pool(("likes",), "tail", None, 10**6))
    assert asked[0].name == "The Matrix"


# Vectors


def test_no_model_is_asked_where_the_database_holds_no_vectors(names: TrustUQA) -> None:
    model = Meanings()
    with TrustUQA(names.connection.driver, embedder=model) as client:
        assert names.connection.read(asks(["x"]), encoding=client._embedding) == []
        found = near(names, "Amelei", encoding=client._embedding)
    assert found[0].name == "Amélie"
    assert model.asked == []


@pytest.fixture(scope="module")
def embedded(
    client: TrustUQA, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[TrustUQA, Meanings]]:
    """A client with a model of its own, on a database that holds vectors of that model.

    After a change of an index the server plans all statements anew: seconds.
    """
    model = Meanings()
    with TrustUQA(client.connection.driver, embedder=model) as own:
        own.connection = client.connection
        load_seats(own, tmp_path_factory.mktemp("seats"))
        yield own, model
        own.drop("seats")
        forget_vectors(own)


def load_seats(tuqa: TrustUQA, folder: Path) -> None:
    path = folder / "seats.tsv"
    path.write_text("Rome\tis\tseat of government\nEndeavour\tis\tvessel\nRome\thas\tcap\n")
    tuqa.load("kg", path, dataset="seats", source="s")
    settle(tuqa)


def forget_vectors(tuqa: TrustUQA) -> None:
    tuqa.connection.write(lambda tx: tx.run("clear_embedding_model", number=0).rows)
    tuqa.connection.write(lambda tx: tx.run("drop_name_vector_index").rows)


def test_meaning_brings_what_letters_do_not(embedded: tuple[TrustUQA, Meanings], way: str) -> None:
    tuqa, _ = embedded
    encoding = tuqa._embedding
    assert (
        near(tuqa, "capital", encoding=encoding, datasets=("seats",))[0].name
        == "seat of government"
    )
    assert near(tuqa, "ship", encoding=encoding, datasets=("seats",))[0].name == "vessel"
    tails = Pool(("is",), "tail", "s", 10)
    assert near(tuqa, "capital", tails, encoding, ("seats",))[0].name == "seat of government"
    assert {
        n.name for n in near(tuqa, "capital", Pool(("has",), "tail", "s", 1), encoding, ("seats",))
    } <= {"cap"}


def asks(texts: Sequence[str]) -> Callable[[Reader], list[list[float]]]:
    return lambda reader: reader.encode(texts)


def test_vectors_come_in_the_order_asked(embedded: tuple[TrustUQA, Meanings]) -> None:
    tuqa, _ = embedded
    vectors = tuqa.connection.read(asks(["ship", "capital"]), encoding=tuqa._embedding)
    assert vectors == [[0, 1, 0, 0], [1, 0, 0, 0]]


def test_no_vectors_where_they_would_not_compare(embedded: tuple[TrustUQA, Meanings]) -> None:
    tuqa, _ = embedded
    other = Meanings("others")
    with TrustUQA(tuqa.connection.driver, embedder=other) as client:
        assert tuqa.connection.read(asks(["x"]), encoding=client._embedding) == []
    assert other.asked == []
    with TrustUQA(tuqa.connection.driver, embedder="none") as client:
        assert tuqa.connection.read(asks(["x"]), encoding=client._embedding) == []
    assert tuqa.connection.read(asks(["x"])) == []


def test_no_vectors_where_the_extra_is_missing(
    embedded: tuple[TrustUQA, Meanings], monkeypatch: pytest.MonkeyPatch
) -> None:
    from trustuqa_neo4j.embedding import inference

    tuqa, _ = embedded
    monkeypatch.setattr(inference, "find_spec", lambda name: None)
    with TrustUQA(tuqa.connection.driver, embedder="all-MiniLM-L6-v2") as client:
        assert tuqa.connection.read(asks(["x"]), encoding=client._embedding) == []


# Relations


def relations(
    tuqa: TrustUQA, given: str, names: list[str], encoding: Encoding | None
) -> list[ScoredName]:
    nearest_names = lambda reader: near_relations(reader, given, names, encoding is not None)  # noqa: E731
    return tuqa.connection.read(nearest_names, encoding=encoding)


def test_relations_are_compared_by_their_words(tuqa: TrustUQA) -> None:
    found = relations(tuqa, "married to", ["bornIn", "isMarriedTo", "worksAt"], None)
    assert found[0].name == "isMarriedTo"
    assert all(n.node is None for n in found)
    assert len(found) == 3
    assert relations(tuqa, "born in", ["isMarriedTo", "wasBornIn", "born_in"], None)[:1] == [
        ScoredName("born_in", None, 1.0)
    ]
    assert relations(tuqa, "x", [], None) == []


def test_relations_are_near_by_meaning(embedded: tuple[TrustUQA, Meanings]) -> None:
    tuqa, _ = embedded
    names = ["cap", "seat_of_government", "vessel"]
    assert relations(tuqa, "capital", names, None)[0].name == "cap"
    encoding = tuqa._embedding
    found = relations(tuqa, "capital", names, encoding)
    assert [n.name for n in found][:2] == ["seat_of_government", "cap"]


def test_an_index_that_knows_only_vectors_does_too(
    embedded: tuple[TrustUQA, Meanings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As servers before 2026.02 have it; it stays such a one when the server is a newer one later."""
    tuqa, _ = embedded
    tuqa.drop("seats")
    forget_vectors(tuqa)
    with monkeypatch.context() as patch:
        patch.setattr(tuqa.connection, "filters_vectors", False)
        patch.setattr(tuqa.connection, "ping", lambda: "5.26.0")
        load_seats(tuqa, tmp_path)
    assert tuqa.connection.read_one("list_embedding_models")[0]["name_index"] == "alone"
    vectors.index(tuqa.connection, 0, 4)
    assert tuqa.connection.read_one("list_embedding_models")[0]["name_index"] == "alone"
    monkeypatch.setattr(nearest, "SCANNED", -1)
    encoding = tuqa._embedding
    assert near(tuqa, "ship", encoding=encoding, datasets=("seats",))[0].name == "vessel"
    assert near(tuqa, "ship", encoding=encoding, datasets=("nowhere",)) == []
