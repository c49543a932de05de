"""What a notebook shows of datasets, schemas, demonstrations, checks and load reports."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from neo4j import GraphDatabase
from support.ports import closed_port

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.answer import CheckReport
from trustuqa_neo4j.language.ast import Problem, ProblemKind
from trustuqa_neo4j.loading.request import LoadReport
from trustuqa_neo4j.model.demonstration import Demonstration, DemonstrationList

ODD = "<script>alert('a')</script>"
QUERY = "get_information(head_entity='Ann', relation='city')"


@pytest.fixture
def client(tuqa: TrustUQA, tmp_path: Path) -> TrustUQA:
    path = tmp_path / "people.csv"
    path.write_text(f"name,city,{ODD}\nAnn,Rome,1\nBob,{ODD},2\n", encoding="utf-8")
    tuqa.load("table", path, dataset="people")
    tuqa.demonstrations.add("people", Demonstration(ODD, QUERY, ("Rome",)))
    return tuqa


def read_html(shown: object) -> str:
    """The text of the HTML, which has no script and closes what it opens."""
    html: str = shown._repr_html_()  # type: ignore[attr-defined] # the protocol of notebooks
    assert "<script" not in html
    for tag in ("div", "table", "tr", "td", "th", "p"):
        assert len(re.findall(rf"<{tag}\b", html)) == html.count(f"</{tag}>"), tag
    return unescape(re.sub(r"<style>.*?</style>|<[^>]+>", " ", html, flags=re.DOTALL))


def test_datasets_and_their_schemas(client: TrustUQA) -> None:
    datasets = TrustUQA(client.connection.driver, datasets=["people"]).datasets()
    assert repr(datasets[0]) == "<Dataset people: table, 1 source, 6 facts>"
    assert re.search(r"people\s+table\s+1", read_html(datasets))
    assert read_html(datasets) == read_html(datasets[0])
    schema = client.schema("people")
    assert repr(schema).startswith("<Schema people: table, 1 source, ")
    assert ODD in read_html(schema)
    assert repr(client) == f"<TrustUQA {client.connection.where}>"
    assert client.connection.where in read_html(client)
    assert re.search(r"people\s+table\s+1", read_html(client))
    nothing = TrustUQA(client.connection.driver, datasets=["none"])
    assert "no datasets" in read_html(nothing)


def test_a_client_without_a_server() -> None:
    with closed_port() as port, GraphDatabase.driver(f"bolt://127.0.0.1:{port}") as driver:
        text = read_html(TrustUQA(driver))
    assert f"Couldn't connect to 127.0.0.1:{port}" in text


def test_demonstrations(client: TrustUQA) -> None:
    demonstrations = client.demonstrations.listed("people")
    text = read_html(demonstrations)
    assert ODD in text
    assert QUERY in text
    assert "source" not in text  # a column without values
    assert "…" not in text
    assert read_html(demonstrations[0]) == text
    assert "no demonstrations" in read_html(DemonstrationList())
    demonstrations *= 60
    assert "… 10 more" in read_html(demonstrations)


def test_checks(client: TrustUQA) -> None:
    report = client.check("get_information(relation='ctiy')", "people")
    assert repr(report).startswith("<CheckReport ")
    assert "ctiy" in read_html(report)
    odd = CheckReport("rejected", (Problem(ProblemKind.UNKNOWN_NAME, ODD),))
    assert ODD in read_html(odd)


def test_load_reports(client: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "more.csv"
    path.write_text("id,code\n1,007\n2,008\n", encoding="utf-8")
    report = client.load("table", path, dataset="more", dry_run=True)
    assert repr(report).startswith("<LoadReport more: 4 facts in 1 source")
    assert "types={'code': 'text'}" in read_html(report)
    assert repr(LoadReport("d", 0)).startswith("<LoadReport d: 0 facts")
