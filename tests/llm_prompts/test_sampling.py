"""What a prompt shows of the data itself, on a real server: a row of each table, facts near a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.dataset import Scope
from trustuqa_neo4j.llm.prompting import Link, Linked, SampleRow, linked, sample_rows


def test_it_is_the_first_row_with_its_columns_in_order(tuqa: TrustUQA, tmp_path: Path) -> None:
    def rows(dataset: str, *sources: str) -> tuple[SampleRow, ...]:
        return tuqa.connection.read(lambda: sample_rows(dataset, sources))

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
        (("Lake", "Baikal"), ("Lake", "Ozero"), ("Depth", "1642"), ("Land", "")),
    )
    named = SampleRow("sampled", b, (('Na"me', "x\ny"), ("Size", "2")))
    assert rows("sampled", a) == (lakes,)
    assert rows("sampled", b, a, b, graph, "nowhere") == (named, lakes)
    assert rows("sampled2", a) == (SampleRow("sampled2", a, named.cells),)
    assert rows("sampled3", a) == ()

    def around(name: str, source: str | None = None) -> tuple[Linked, ...]:
        wanted = {"datasets": ["sampled"], "source": None, "relations": [], "keys": []}
        found = tuqa.connection.read_one("find_names", **wanted, names=[name.casefold()])
        nodes = [row["id"] for row in found if row["what"] == "node"]
        return tuqa.connection.read(lambda: linked(Scope(("sampled",), source), nodes))

    (baikal,) = around("Baikal")
    assert baikal == Linked(
        "Baikal",
        (Link("Lake", None, "Baikal"), Link("lies in", "Baikal", "Russia")),
        (Link("Depth", None, "1642"), Link("Land", None, "")),
    )
    (in_graph,) = around("Baikal", graph)
    assert in_graph == Linked("Baikal", (Link("lies in", "Baikal", "Russia"),))
    assert around("Nowhere") == ()


def test_no_source_is_no_round_trip() -> None:
    with pytest.raises(StopIteration) as ended:
        next(sample_rows("sampled", ()))
    assert ended.value.value == ()
