"""Sample rows and facts near entities, on a real server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.model.dataset import Scope
from trustuqa_neo4j.prompts import (
    EntityNeighbourhood,
    NeighbourFact,
    SampleRow,
    find_entity_neighbourhoods,
    sample_rows,
)
from trustuqa_neo4j.reads.reader import StoredModel


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
        wanted = {"datasets": ["sampled"], "source": None, "relations": [], "keys": [], "steps": []}
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
