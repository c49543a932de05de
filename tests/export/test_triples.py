"""Facts as condition triples of the paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.data_packs import lines
from support.shell import Done, shell

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.errors import UnknownDataset
from trustuqa_neo4j.export.triples import format_triple, list_triples


def texts(tuqa: TrustUQA, dataset: str, head: str | None = None, limit: int = 20) -> list[str]:
    return [*map(format_triple, list_triples(tuqa.connection, dataset, head, limit))]


def test_tables(tuqa: TrustUQA, tmp_path: Path) -> None:
    file = lines(tmp_path / "t.csv", "name,city\nAnn,Ulm\nBob,Bonn", ",")
    tuqa.load("table", file, dataset="t")
    assert set(texts(tuqa, "t", head="[line_2]")) == {
        "([line_2], name, [])",
        "(name, Bob, [[line_2]])",
        "([line_2], city, [])",
        "(city, Bonn, [[line_2]])",
    }


def test_times_and_qualifiers(tuqa: TrustUQA, tmp_path: Path) -> None:
    file = lines(
        tmp_path / "kg.tsv",
        """
        head / relation / tail / start / end / role
        Ann / works at / Lab / 1990 / 1992-05 / chief
        Bob / works at / Lab / 1995 / #### / guest
        """,
    )
    tuqa.load("temporal-kg", file, dataset="t")
    assert texts(tuqa, "t", head="Ann") == [
        "(Ann, works at, [])",
        "(works at, Lab, [Ann])",
        "(start time, 1990, [Ann, works at, Lab])",
        "(end time, 1992-05, [Ann, works at, Lab])",
        "(time, 1990, [Ann, works at, Lab])",
        "(time, 1991, [Ann, works at, Lab])",
        "(time, 1992, [Ann, works at, Lab])",
        "(role, chief, [Ann, works at, Lab])",
    ]
    # An open end has no years, which would never end.
    assert [text for text in texts(tuqa, "t", head="Bob") if text.startswith("(time")] == []
    assert len(texts(tuqa, "t", limit=1)) == 8


def test_printed_triples_are_loaded_again(tuqa: TrustUQA, tmp_path: Path) -> None:
    file = lines(
        tmp_path / "kg.tsv",
        """
        head / relation / tail / start / end / role
        Ann / works at / Lab, Ulm / 1990 / 1992-05 / chief
        Bob / works at / 5" Lab / 1995 / #### / guest
        Bob / knows / Ann / #### / #### / friend
        """,
    )
    tuqa.load("temporal-kg", file, dataset="t")
    printed = texts(tuqa, "t")
    again = tmp_path / "triples.txt"
    again.write_text("\n".join([*printed, "(Person, has parents, [])"]))
    tuqa.load(again, dataset="again")
    assert texts(tuqa, "again") == printed


def test_no_such_dataset_or_head(server: Settings, tuqa: TrustUQA, tmp_path: Path) -> None:
    with pytest.raises(UnknownDataset):
        list_triples(tuqa.connection, "nothing", None, 1)
    tuqa.load("kg", lines(tmp_path / "kg.tsv", "Ann / knows / Bob"), dataset="t")
    assert shell(server, "tuqa", "triples", "t", "--head", "Ann").out == (
        "(Ann, knows, [])\n(knows, Bob, [Ann])\n"
    )
    assert shell(server, "tuqa", "triples", "t", "--head", "Eve") == Done(
        1, "", "error: 't' has no fact of 'Eve'\nhint: tuqa schema t shows names of it\n"
    )
