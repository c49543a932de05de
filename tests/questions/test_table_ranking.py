"""Tables of a dataset, ranked by their likeness to a question, and how a prompt shows the best ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.demonstrations import Meanings

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.embedding import Encoder, open_embedder
from trustuqa_neo4j.graph.dataset_schema import describe_dataset
from trustuqa_neo4j.questions.table_ranking import RankedTable, rank_tables
from trustuqa_neo4j.reads.reader import Reader, Row, StoredModel

DATASET = "clubs"
COUNT = 20


@pytest.fixture
def clubs(tuqa: TrustUQA, tmp_path: Path) -> TrustUQA:
    """Twenty tables of one header, and one of other columns."""
    folder = tmp_path / "clubs"
    folder.mkdir()
    for number in range(COUNT):
        rows = "".join(f"{year},player {number}-{year},{year % 7}\n" for year in range(2000, 2005))
        (folder / f"club{number}.csv").write_text(f"Year,Striker,Goals\n{rows}", encoding="utf-8")
    lakes = "Lake,Depth (m)\nBaikal,1642\nLake Baikal,3\n"
    (folder / "lakes.csv").write_text(lakes, encoding="utf-8")
    tuqa.load("table", folder, dataset=DATASET, embeddings=False)
    return tuqa


def rank(tuqa: TrustUQA, question: str, *, by_cells: bool = True) -> list[RankedTable]:
    schema = tuqa.connection.read(lambda reader: describe_dataset(reader, DATASET, None))
    assert schema is not None
    return tuqa.connection.read(
        lambda reader: rank_tables(reader, question, DATASET, schema.sources, by_cells=by_cells)
    )


def titles(ranked: list[RankedTable]) -> list[str]:
    return [table.name.rpartition("/")[2] for table in ranked]


def test_words_of_headers_and_cells_find_a_table(clubs: TrustUQA) -> None:
    assert titles(rank(clubs, "how many goals had player 7-2003"))[0] == "club7.csv"
    assert titles(rank(clubs, "how deep is baikal")) == ["lakes.csv"]
    assert titles(rank(clubs, "which depths are there")) == ["lakes.csv"]
    assert len(rank(clubs, "most goals of a striker")) == COUNT
    assert rank(clubs, "who is the queen") == []


def test_words_of_the_title_find_a_table(clubs: TrustUQA, tmp_path: Path) -> None:
    for name in ("oslo_harbours.csv", "2024-airportsOfRome.csv"):
        path = tmp_path / name
        path.write_text("Year,Striker,Goals\n2001,nobody,1\n", encoding="utf-8")
        clubs.load("table", path, dataset=DATASET, mode="append", embeddings=False)
    assert titles(rank(clubs, "what year was in the harbour"))[0] == "oslo_harbours.csv"
    assert titles(rank(clubs, "goals at airports", by_cells=False))[0] == "2024-airportsOfRome.csv"


def test_a_ranked_table_has_the_texts_that_are_its_cells(clubs: TrustUQA) -> None:
    assert rank(clubs, "how deep is lake baikal")[0].cells == ("baikal", "lake baikal")


def test_without_cells_only_headers_count(clubs: TrustUQA) -> None:
    assert rank(clubs, "how deep is baikal", by_cells=False) == []
    [lakes] = rank(clubs, "the depth of baikal", by_cells=False)
    assert lakes.cells == ()


def test_a_prompt_shows_three_tables_in_full_and_the_others_by_header(clubs: TrustUQA) -> None:
    prompt = str(clubs.prompt("goals of player 7-2003 in 2003", DATASET, reader=False))
    shown = 'of dataset "clubs"; its columns, each with its value in the first row'
    assert prompt.count(shown) == 3
    head, _, rest = prompt.partition('Further tables of dataset "clubs", and their columns:\n')
    assert '"club7.csv"' in head
    line = rest.splitlines()[0]
    assert line.endswith(': "Year|Striker|Goals"')
    assert line.count('.csv" (has the cells "2003")') == 9
    assert line.count('.csv"') == 17
    private = str(clubs.prompt("goals in 2003", DATASET, reader=False, private=True))
    assert "has the cells" not in private


@dataclass(frozen=True)
class VectorReader:
    """A reader of a database with vectors of ``datasets``."""

    reader: Reader
    encoder: Encoder
    datasets: tuple[str, ...]

    def run(self, name: str, /, **parameters: Any) -> list[Row]:
        return self.reader.run(name, **parameters)

    def find_model(self) -> StoredModel:
        return StoredModel(0, self.encoder.identity, self.encoder.dimension, datasets=self.datasets)

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        vectors: list[list[float]] = self.encoder.encode_all(texts).tolist()
        return vectors


@pytest.mark.parametrize(("datasets", "best"), [((DATASET,), "casts.csv"), ((), "oslo.csv")])
def test_vectors_find_a_table_without_a_word_of_the_question(
    clubs: TrustUQA, tmp_path: Path, datasets: tuple[str, ...], best: str
) -> None:
    """Of a dataset without vectors only tables with words of the question are compared."""
    for name, text in (("casts.csv", "actors\nnobody\n"), ("oslo.csv", "harbour\nnobody\n")):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        clubs.load("table", path, dataset=DATASET, mode="append", embeddings=False)
    schema = clubs.connection.read(lambda reader: describe_dataset(reader, DATASET, None))
    assert schema is not None
    encoder = open_embedder(Meanings())
    ranked = clubs.connection.read(
        lambda reader: rank_tables(
            VectorReader(reader, encoder, datasets), "played harbour", DATASET, schema.sources
        )
    )
    assert titles(ranked)[0] == best
    assert len(ranked) == (COUNT + 3 if datasets else 1)
