"""Names get their vectors at the end of a load: each once, of one model, gone on with when interrupted."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.embedding import open_embedder
from trustuqa_neo4j.errors import MissingExtra, OtherEmbedder
from trustuqa_neo4j.graph import load_journal, vectors
from trustuqa_neo4j.loading import embed_names as phase
from trustuqa_neo4j.loading.formats import get_loader
from trustuqa_neo4j.loading.load import LoadInterrupted, load
from trustuqa_neo4j.loading.request import LoadReport, LoadRequest, Progress
from trustuqa_neo4j.model.dataset import dataset_cells
from trustuqa_neo4j.model.facts import Fact, Item, NodeDeclared, SourceStart
from trustuqa_neo4j.reads.nearest import Pool, near_nodes


class Letters:
    """A model of our own: how often each letter stands in a text."""

    def __init__(self, name: str = "letters", dimension: int = 26) -> None:
        self.name = name
        self.dimension = dimension
        self.seen: list[str] = []

    def encode(self, texts: list[str]) -> object:
        self.seen += texts
        found = np.ones((len(texts), self.dimension), np.float32)
        for row, text in zip(found, texts, strict=True):
            for letter in text.casefold():
                row[ord(letter) % self.dimension] += 10
        return found


ITEMS = [
    SourceStart("s", "s", "kg"),
    NodeDeclared("m.1", "Paris", ("City of Light",)), NodeDeclared("m.2", "Paris"), NodeDeclared("c", None),
    Fact("m.1", "r", "m.2", 1), Fact("m.2", "r", "c", 2), Fact("Ann", "born", "1999", 3),
    Fact("Ann", "height", "1.7 m", 4), Fact("Ann", "said", "", 5),
]  # fmt: skip


@pytest.fixture
def alone(tuqa: TrustUQA) -> TrustUQA:
    """A client of a database that holds no vectors."""
    for dataset in tuqa.datasets():
        assert not dataset.embedded, dataset.name
    # After a change of an index the server plans all statements anew: seconds.
    first = next(
        (model for model in vectors.list_models(tuqa.connection) if not model.number), None
    )
    if first is not None and first.identity != "Letters:letters":
        drop_index(tuqa)
    return tuqa


def drop_index(tuqa: TrustUQA) -> None:
    asked(tuqa, "DROP INDEX tuqa_name_vector IF EXISTS")
    tuqa.connection.write(lambda tx: tx.run("clear_embedding_model", number=0).rows)


def run(
    tuqa: TrustUQA,
    path: Path,
    model: object,
    items: list[Item] = ITEMS,
    name: str = "d",
    notify: Callable[[str], None] = lambda _: None,
    embed_later: Callable[[], None] | None = None,
) -> LoadReport:
    path.write_text(repr(items))
    request = LoadRequest(
        replace(get_loader("kg"), read=lambda files, reading: iter(items)), (str(path),), name
    )
    encoder = open_embedder(model)  # type: ignore[arg-type]
    return load(
        lambda: nullcontext(tuqa.connection),
        request,
        Progress(notify=notify),
        lambda: encoder,
        embed_later=embed_later,
    )


def asked(tuqa: TrustUQA, text: str, **given: object) -> list[list[Any]]:
    with tuqa.connection.driver.session(notifications_min_severity="OFF") as session:
        return [record.values() for record in session.run(text, given)]  # type: ignore[arg-type]


def nearest(tuqa: TrustUQA, vector: list[float]) -> list[str]:
    query = "CALL db.index.vector.queryNodes('tuqa_name_vector', 3, $v) YIELD node RETURN node.name"
    return [row[0] for row in asked(tuqa, query, v=vector)]


def embedded(tuqa: TrustUQA, name: str = "d") -> tuple[int, str | None]:
    (found,) = [d for d in tuqa.datasets() if d.name == name]
    return found.embedded, found.embedding_model


def test_text_is_embedded_once_and_numbers_never(alone: TrustUQA, tmp_path: Path) -> None:
    model = Letters()
    report = run(alone, tmp_path / "f", model)
    assert sorted(set(model.seen) - {"dimension"}) == ["Ann", "City of Light", "Paris"]
    assert model.seen.count("Paris") == 1
    assert (report.embedded, embedded(alone)) == (4, (4, "Letters:letters"))
    assert "; 4 names embedded in " in report.summary()
    (vector,) = np.asarray(model.encode(["naN"]))
    assert nearest(alone, vector.tolist())[0] == "Ann"
    again = run(alone, tmp_path / "f", Letters())
    assert (again.begun, again.embedded) == ("unchanged", 0)


POOL = Pool((), "any", None, 10)

MORE: list[Item] = [SourceStart("t", "t", "kg"), Fact("banana", "r", "cherry", 1)]


def test_a_dataset_has_one_model(alone: TrustUQA, tmp_path: Path) -> None:
    """Another one is seen before anything is written."""
    run(alone, tmp_path / "f", Letters())
    (tmp_path / "g").write_text("x")
    with pytest.raises(OtherEmbedder) as caught:
        run(alone, tmp_path / "g", Letters("others"), MORE)
    assert str(caught.value) == (
        "the names of the dataset are embedded with Letters:letters, not Letters:others, "
        "dataset 'd'\nhint: set TUQA_EMBEDDER to that model, use embeddings=False, or drop the dataset "
        "first"
    )
    assert embedded(alone) == (4, "Letters:letters")


def test_interrupted_and_gone_on_with(
    alone: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dataset can be asked meanwhile, and no name is written twice."""
    monkeypatch.setattr(phase, "BATCH", 10)
    monkeypatch.setattr(vectors, "NAME_PAGE", 30)
    items = [
        SourceStart("s", "s", "kg"),
        *(NodeDeclared(f"h{n}", f"head {n}", (f"alias {n}",)) for n in range(50)),
        *(Fact(f"h{n}", "r", f"tail {n}", n + 1) for n in range(50)),
    ]
    write = vectors.write
    written: list[int] = []

    def stop(*given: object) -> int:
        if len(written) == 5:
            assert alone.run("get_information(head_entity='head 1', relation='r')", "d").values == (
                "tail 1",
            )
            raise KeyboardInterrupt
        written.append(write(*given))  # type: ignore[arg-type]
        return written[-1]

    with monkeypatch.context() as patch:
        patch.setattr(vectors, "write", stop)
        with pytest.raises(
            LoadInterrupted, match="'d' had been loaded by then, but not all its names"
        ):
            run(alone, tmp_path / "f", Letters(), items)
    assert embedded(alone)[0] == sum(written) < 150
    ((vector,),) = asked(
        alone, "MATCH (n {dataset: 'd'}) WHERE n.embedding IS NOT NULL RETURN n.embedding LIMIT 1"
    )
    assert nearest(alone, vector)
    report = run(alone, tmp_path / "f", Letters(), items)
    assert (report.begun, report.embedded) == ("unchanged", 150 - sum(written))
    assert embedded(alone) == (150, "Letters:letters")


def test_names_are_embedded_after_the_load(
    alone: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By another process, once; what is left after its death is made by the same load, run again."""
    monkeypatch.setattr("trustuqa_neo4j.loading.load.EMBEDDED_LATER", 5)
    monkeypatch.setattr(vectors, "NAME_PAGE", 1)
    started: list[str] = []
    report = run(alone, tmp_path / "f", Letters(), embed_later=lambda: started.append("process"))
    assert started == ["process"]
    assert report.summary().endswith("; names are embedded in the background")
    assert alone.run("get_information(head_entity='Ann', relation='born')", "d").values == ("1999",)
    assert embedded(alone) == (0, None)
    write = vectors.write

    def embed(owner: str) -> phase.EmbeddingCounts:
        return phase.embed_names(
            alone.connection, "d", open_embedder(Letters()), Progress(), lambda: None, owner
        )

    def fail(*given: object) -> int:
        assert embed(mine).is_elsewhere
        if embedded(alone)[0]:
            raise OtherEmbedder("the model was changed")
        return write(*given)  # type: ignore[arg-type]

    first, mine = load_journal.make_owner(), load_journal.make_owner()
    with monkeypatch.context() as patch:
        patch.setattr(vectors, "write", fail)
        with pytest.raises(OtherEmbedder):
            embed(first)
    (dataset,) = alone.datasets()
    assert (dataset.embedded, dataset.embeddable) == (1, 4)
    assert dataset.embedding_error == "the model was changed"
    assert dataset_cells(dataset)[5] == "1 of 4 (failed)"
    again = run(alone, tmp_path / "f", Letters())
    assert (again.begun, again.embedded) == ("unchanged", 3)
    (dataset,) = alone.datasets()
    assert (dataset.embeddable, dataset.embedding_error) == (None, None)
    assert dataset_cells(dataset)[5] == "4"
    for owner in (first, mine):
        load_journal.release_owner(owner)


def test_codes_are_not_embedded(
    alone: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages that hold nothing but codes, and aliases of one folded name, end the reading as others do."""
    monkeypatch.setattr(vectors, "NAME_PAGE", 30)
    items = [
        SourceStart("s", "s", "kg"),
        *(NodeDeclared(f"c{n}", f"Customer {n}", ("true",)) for n in range(100)),
        *(Fact(f"c{n}", "order", f"O-{n:06}", n + 1) for n in range(100)),
        *(Fact(f"c{n}", "flew on", f"Apollo {n}", n + 1) for n in range(10)),
        Fact("c0", "note", "said " * 50, 1),
    ]
    model = Letters()
    report = run(alone, tmp_path / "f", model, items)
    assert {text[:6] for text in model.seen} == {"dimens", "Apollo"}
    assert (report.embedded, report.unembedded) == (10, 301)
    assert re.search(
        r"; 10 names embedded in \d+\.\d s; 301 codes or long texts not embedded$", report.summary()
    )
    again = run(alone, tmp_path / "f", Letters(), items)
    assert (again.embedded, again.unembedded) == (0, 301)
    assert again.summary().endswith("; nothing changed")
    query = "get_information(relation='order', head_entity='Custmer 17')"
    assert alone.run(query, "d").values == ("O-000017",)


def test_many_names_are_announced(
    alone: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phase, "ANNOUNCED", 4)
    messages: list[str] = []
    run(alone, tmp_path / "f", Letters(), notify=messages.append)
    assert messages == ["embedding 4 names takes about 1 s; embeddings=False leaves it out"]


def test_a_dropped_source_takes_its_vectors_along(alone: TrustUQA, tmp_path: Path) -> None:
    items = [
        SourceStart("s", "s", "kg"),
        Fact("a", "r", "b", 1),
        SourceStart("t", "t", "kg"),
        Fact("a", "r", "c", 1),
    ]
    run(alone, tmp_path / "f", Letters(), items)
    alone.drop("d", "t")
    assert embedded(alone) == (2, "Letters:letters")


def test_where_the_extra_is_missing_the_load_goes_through(
    alone: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trustuqa_neo4j.embedding import inference

    monkeypatch.setattr(inference, "find_spec", lambda name: None)
    path = tmp_path / "f.tsv"
    path.write_text("a\tr\tb\n")
    request = LoadRequest(get_loader("kg"), (str(path),), "d")
    report = load(
        lambda: nullcontext(alone.connection), request, Progress(), lambda: open_embedder(None)
    )
    assert report.total == 1
    assert "numpy" in report.embedding
    assert isinstance(report.embedding_error, MissingExtra)
    assert report.to_dict()["embedding_error"]["kind"] == "missing extra"
    assert embedded(alone) == (0, None)


# With other indexes: after a change of one the server plans all statements anew, so these come last.


def test_datasets_of_one_database_have_different_models(alone: TrustUQA, tmp_path: Path) -> None:
    """The number of a model that no dataset uses is given to another."""
    run(alone, tmp_path / "f", Letters())
    assert run(alone, tmp_path / "g", Letters("others", 30), MORE, "e").embedded == 2
    assert (embedded(alone), embedded(alone, "e")) == (
        (4, "Letters:letters"),
        (2, "Letters:others"),
    )
    for model, dataset, text, name in (
        (Letters(), "d", "naN", "Ann"),
        (Letters("others", 30), "e", "aanban", "banana"),
        (Letters(), "e", "banan", "banana"),  # by its spelling
    ):
        with TrustUQA(alone.connection.driver, embedder=model) as client:
            near = alone.connection.read(
                lambda reader, t=text, d=dataset: near_nodes(reader, t, [d], POOL, True),  # type: ignore[misc]
                encoding=client._embedding,
            )
        assert near[0].name == name
        assert (near[0].score > near[0].spelling) == (text != "banan")
    alone.drop("d")
    assert run(alone, tmp_path / "h", Letters("third", 20), MORE, "g").embedded == 2
    models = vectors.list_models(alone.connection)
    assert [(model.number, model.identity, model.dimension) for model in models] == [
        (0, "Letters:third", 20),
        (1, "Letters:others", 30),
    ]
    vector = np.asarray(Letters("third", 20).encode(["nabana"]))[0].tolist()
    assert nearest(alone, vector)[0] == "banana"


def test_a_model_has_one_dimension(alone: TrustUQA, tmp_path: Path) -> None:
    run(alone, tmp_path / "f", Letters())
    with pytest.raises(
        OtherEmbedder, match=r"Letters:letters with 26 numbers, .* gives 30|dataset 'd'"
    ):
        run(alone, tmp_path / "g", Letters("letters", 30), MORE, "e")
    alone.drop("d")
    assert run(alone, tmp_path / "g", Letters("letters", 30), MORE, "e").embedded in (0, 2)
    assert embedded(alone, "e") == (2, "Letters:letters")


def test_a_server_that_does_not_know_the_factor(
    alone: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its index is made without, and finds what it finds."""
    drop_index(alone)
    monkeypatch.setitem(vectors._HNSW, "vector.no_such_factor", 2.0)
    model = Letters()
    run(alone, tmp_path / "f", model)
    (vector,) = np.asarray(model.encode(["naN"]))
    assert nearest(alone, vector.tolist())[0] == "Ann"
    ((config,),) = asked(
        alone,
        "SHOW INDEXES YIELD name, options WHERE name = 'tuqa_name_vector' RETURN options.indexConfig",
    )
    assert config["vector.hnsw.ef_construction"] == 48
