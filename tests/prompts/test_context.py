"""Sample rows and facts near entities, on a real server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.answer import SentStatement
from trustuqa_neo4j.graph.dataset_schema import describe_dataset
from trustuqa_neo4j.model.dataset import Scope
from trustuqa_neo4j.prompts import (
    EntityNeighbourhood,
    NeighbourFact,
    SampleRow,
    find_entity_neighbourhoods,
    sample_heads,
    sample_rows,
)
from trustuqa_neo4j.reads.reader import Reader, StoredModel
from trustuqa_neo4j.trace import TracedReader


def test_it_is_the_first_row_with_its_columns_in_order(tuqa: TrustUQA, tmp_path: Path) -> None:
    def rows(dataset: str, *sources: str) -> tuple[SampleRow, ...]:
        return tuqa.connection.read(lambda reader: sample_rows(reader, dataset, sources))

    a, b, graph = (str(tmp_path / name) for name in ("a.csv", "b.csv", "g.tsv"))
    Path(a).write_text("Lake,Depth,Lake,Land\nBaikal,1642,Ozero,\nOnega,127,,Russia\n")
    Path(b).write_text('"Na""me",Size\n"x\ny",2\n')
    Path(graph).write_text("Baikal\tlies in\tRussia\n")
    tuqa.load("table", a, b, dataset="sampled")
    tuqa.load("kg", graph, dataset="sampled", mode="append")
    tuqa.load("table", b, dataset="sampled2", source=a)

    lakes = SampleRow(
        "sampled",
        a,
        (("Lake", "Baikal"), ("Depth", "1642"), ("Lake_2", "Ozero"), ("Land", "")),
    )
    named = SampleRow("sampled", b, (('Na"me', "x\ny"), ("Size", "2")))
    assert rows("sampled", a) == (lakes,)
    assert rows("sampled", b, a, b, graph, "nowhere") == (named, lakes)
    assert rows("sampled2", a) == (SampleRow("sampled2", a, named.cells),)
    assert rows("sampled3", a) == ()

    def around(name: str, source: str | None = None) -> tuple[EntityNeighbourhood, ...]:
        wanted = {
            "datasets": ["sampled"],
            "public": {"sampled": "sampled"},
            "source": None,
            "relations": [],
            "keys": [],
            "steps": [],
        }
        found = tuqa.connection.read_one("resolve_names", **wanted, names=[name.casefold()])
        nodes = [row["id"] for row in found if row["what"] == "node"]
        return tuqa.connection.read(
            lambda reader: find_entity_neighbourhoods(reader, Scope(("sampled",), source), nodes)
        )

    (baikal,) = around("Baikal")
    assert baikal == EntityNeighbourhood(
        "Baikal",
        (NeighbourFact("Lake", None, "Baikal"), NeighbourFact("lies in", "Baikal", "Russia")),
        (
            NeighbourFact("Depth", None, "1642"),
            NeighbourFact("Lake_2", None, "Ozero"),
            NeighbourFact("Land", None, ""),
        ),
    )
    (in_graph,) = around("Baikal", graph)
    assert in_graph == EntityNeighbourhood(
        "Baikal", (NeighbourFact("lies in", "Baikal", "Russia"),)
    )
    assert around("Nowhere") == ()


def test_heads_are_those_of_the_first_facts(tuqa: TrustUQA, tmp_path: Path) -> None:
    films = tmp_path / "films.tsv"
    facts = [f"film {n}\tstars\tactor {m}" for n in range(9, 0, -1) for m in range(2)]
    films.write_text("\n".join([*facts, "Top Hat\tmade in\t1935", "Kismet\tmade in\t1944"]))
    (tmp_path / "more.tsv").write_text("Gigi\tmade in\t1958\nGigi\tset in\tParis\n")
    (tmp_path / "halls.csv").write_text("hall,made in\nScala,1778\n")
    tuqa.load("kg", films, dataset="heads")
    tuqa.load("kg", tmp_path / "more.tsv", dataset="heads", mode="append")
    tuqa.load("table", tmp_path / "halls.csv", dataset="heads", mode="append")

    def heads(source: Path | None = None) -> dict[str, list[str]]:
        schema = tuqa.schema("heads", source=None if source is None else str(source))
        sampled = tuqa.connection.read(lambda reader: sample_heads(reader, schema))
        return {relation: sorted(names) for relation, names in sampled.items()}

    assert heads() == {
        "stars": ["film 8", "film 9"],
        "made in": ["Kismet", "Top Hat"],
        "set in": ["Gigi"],
    }
    assert heads(tmp_path / "more.tsv") == {"made in": ["Gigi"], "set in": ["Gigi"]}
    assert heads(tmp_path / "halls.csv") == {}

    prompt = tuqa.prompt("who stars in Kismet", "heads")
    line = '"stars": names; in "films.tsv"; such as "actor 0"|"actor 1"; heads such as'
    assert f'{line} "film 9"|"film 8"' in prompt.schema
    assert "cell values" in prompt.sent
    assert prompt.messages == tuqa.prompt("who stars in Kismet", "heads").messages
    hidden = tuqa.prompt("who stars in it", "heads", private=True)
    assert "such as" not in hidden.schema
    assert "film" not in hidden.schema.replace("films.tsv", "")


def test_heads_are_read_once_until_the_data_change(tuqa: TrustUQA, tmp_path: Path) -> None:
    file = tmp_path / "films.tsv"
    for film in ("Kismet", "Gigi"):
        file.write_text(f"{film}\tstars\tsomebody\n")
        tuqa.load("kg", file, dataset="heads", mode="replace-all")
        assert f'heads such as "{film}"' in tuqa.prompt("who stars in it", "heads").schema
    asked = [sent.statement for sent in _sent(tuqa, "heads")]
    assert "describe_dataset" in asked
    assert "sample_heads" not in asked


def _sent(tuqa: TrustUQA, dataset: str) -> list[SentStatement]:
    sent: list[SentStatement] = []

    def read(reader: Reader) -> None:
        traced = TracedReader(reader, sent)
        schema = describe_dataset(traced, dataset, None)
        assert schema is not None
        sample_heads(traced, schema)

    tuqa.connection.read(read)
    return sent


def test_no_source_is_no_round_trip() -> None:
    assert sample_rows(UnreadableReader(), "sampled", ()) == ()


class UnreadableReader:
    def run(self, name: str, /, **parameters: object) -> list[dict[str, object]]:
        raise AssertionError(f"{name} must not run")

    def find_model(self) -> StoredModel | None:
        raise AssertionError("no model is needed")

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        raise AssertionError(f"{texts} must not be embedded")


def test_columns_of_one_name_have_the_kinds_of_their_own_table(
    tuqa: TrustUQA, tmp_path: Path
) -> None:
    (tmp_path / "medals.csv").write_text("Nation,Gold\nJapan,27\nKenya,4\n", encoding="utf-8")
    (tmp_path / "rings.csv").write_text("Ring,Gold\nsmall,yes\nlarge,no\n", encoding="utf-8")
    tuqa.load("table", tmp_path / "medals.csv", tmp_path / "rings.csv", dataset="two golds")
    text = tuqa.prompt("how much gold", "two golds").schema
    assert [line for line in text.splitlines() if line.startswith("Columns that")] == [
        'Columns that are not just text: "Gold" numbers (4 to 27)'
    ]


def test_amounts_are_no_years_and_columns_with_few_values_show_all(
    tuqa: TrustUQA, tmp_path: Path
) -> None:
    file = tmp_path / "pay.csv"
    file.write_text(
        "who,base salary,hired,year of sale,city\n"
        "Ann,1950,2001,1999,Bergen\nBob,2010,1998,1998,Rome\nCy,2010,1998,1998,Rome\n"
    )
    tuqa.load("table", file, dataset="few values")
    prompt = tuqa.prompt("what does Ann earn", "few values", reader=False)
    schema = prompt.messages[1].content.splitlines()
    kinds = '"hired" years (1998 to 2001); "year of sale" years (1998 to 1999)'
    assert schema[2].endswith(f'"base salary" numbers (1,950 to 2,010); {kinds}')
    assert schema[3] == 'Columns with few values, which are all: "city": "Bergen"|"Rome"'
    assert "cell values" in prompt.sent
    hidden = tuqa.prompt("what does Ann earn", "few values", reader=False, private=True)
    assert "Bergen" not in str(hidden)
    assert '"base salary" numbers; "hired"|"year of sale" years' in str(hidden)
