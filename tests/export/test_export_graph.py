"""A dataset as a property graph in another database: typed, and loaded again with the same answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from urllib.parse import quote

import neo4j
import pytest
from support.homes import start_own_server
from support.shell import shell

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.errors import DataError, UnknownDataset, UsageError
from trustuqa_neo4j.export.property_graph import convert_value

pytestmark = pytest.mark.long

FACTS = """head\trelation\ttail\tstart\tend\tfee
Ann\ttype\tPerson\t\t\t
Ann\tborn\t1990-05-06\t\t\t
Ann\theight\t1.75\t\t\t
Ann\tchildren\t2\t\t\t
Ann\tplate\t007\t\t\t
Ann\tworks at\tAcme\t2001-03-01\t2005-12-31\t
Ann\tknows\t`]->() DETACH DELETE n //\t\t\t5
Acme\ttype\tValue\t\t\t
Acme\tworth\t12 kg\t\t\t
"""

Read = Callable[[str], list[neo4j.Record]]


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """A second server, which has no datasets."""
    with start_own_server(tmp_path_factory.mktemp("target")) as running:
        yield running


@pytest.fixture(scope="module")
def address(target: Settings) -> str:
    return make_address(target)


@pytest.fixture
def read(target: Settings) -> Iterator[Read]:
    assert target.uri is not None
    auth = (target.username, target.password or "")
    with neo4j.GraphDatabase.driver(target.uri, auth=auth) as driver:
        yield lambda text: driver.execute_query(text).records  # type: ignore[arg-type]


@pytest.fixture
def firm(tuqa: TrustUQA, tmp_path: Path) -> TrustUQA:
    (tmp_path / "firm.tsv").write_text(FACTS)
    tuqa.load("temporal-kg", tmp_path / "firm.tsv", dataset="firm", embeddings=False)
    return tuqa


def make_address(settings: Settings) -> str:
    scheme, _, host = (settings.uri or "").partition("://")
    return f"{scheme}://{settings.username}:{quote(settings.password or '', safe='')}@{host}/neo4j"


def test_a_round_trip(firm: TrustUQA, address: str, read: Read) -> None:
    report = firm.export_graph("firm", address, replace=True)
    assert (report.nodes, report.relationships) == (3, 2)
    assert ":***@" in report.address
    (ann,) = read("MATCH (n:Person) RETURN properties(n) AS properties, labels(n) AS labels")
    assert ann["labels"] == ["Person"]
    properties = {
        name: value.to_native() if isinstance(value, neo4j.time.Date) else value
        for name, value in ann["properties"].items()
    }
    assert properties == {
        "name": "Ann", "born": date(1990, 5, 6), "height": 1.75, "children": 2, "plate": "007",
        "tuqa_export": "firm",
    }  # fmt: skip
    rows = read(
        "MATCH (:Person)-[r]->(n) RETURN type(r) AS type, properties(r) AS properties, n.name AS name"
    )
    assert sorted((row["type"], row["properties"], row["name"]) for row in rows) == [
        ("knows", {"fee": 5}, "`]->() DETACH DELETE n //"),
        ("works at", {"start": "2001-03-01", "end": "2005-12-31"}, "Acme"),
    ]
    assert read("MATCH (n:Value) RETURN n.worth AS worth")[0]["worth"] == "12 kg"
    firm.load("neo4j", address, dataset="again", embeddings=False)
    for query in (
        "get_information(relation='type', tail_entity='Person')",
        "get_information(relation='type', tail_entity='Person', key='born', value='1990-05-06')",
        "get_information(head_entity='Ann', relation='height')",
        "get_information(head_entity='Ann', relation='plate')",
        "get_information(head_entity='Ann', relation='works at', key='time', value=2003)",
        "get_information(head_entity='Ann', relation='works at', key='time', value=2009)",
        "get_information(head_entity='Ann', relation='knows', key='fee', value=5)",
        "get_information(head_entity='Acme', relation='worth')",
    ):
        before, after = firm.run(query, "firm"), firm.run(query, "again")
        assert (after.outcome, after.values) == (before.outcome, before.values), query


def test_refusals(firm: TrustUQA, server: Settings, address: str, read: Read) -> None:
    firm.export_graph("firm", address, replace=True)
    with pytest.raises(
        DataError, match=r"3 nodes of an export of 'firm' are there already.*\nhint: replace=True"
    ):
        firm.export_graph("firm", address)
    assert firm.export_graph("firm", address, replace=True).nodes == 3
    assert read("MATCH (n) RETURN count(n) AS nodes")[0]["nodes"] == 3
    with pytest.raises(UsageError, match="this database has datasets"):
        firm.export_graph("firm", make_address(server))
    with pytest.raises(UnknownDataset):
        firm.export_graph("nothing", address)
    with pytest.raises(UsageError, match="an export has no"):
        firm.export_graph("firm", f"{address}?labels=A")


def test_the_command(firm: TrustUQA, server: Settings, address: str) -> None:
    done = shell(server, "tuqa", "export", "firm", "--neo4j", address, "--replace", "--quiet")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("firm: 3 nodes and 2 relationships to bolt://neo4j:***@")
    for words in (("firm",), ("firm", "d", "--neo4j", address), ("firm", "d", "--replace")):
        done = shell(server, "tuqa", "export", *words)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("error: an export goes to DIR, or to the database of --neo4j")


@pytest.mark.parametrize(
    ("row", "value"),
    [
        (("5", 5.0, None, None, None), 5),
        (("5.5", 5.5, None, None, None), 5.5),
        (("007", 7.0, None, None, None), "007"),
        (("5 kg", 5.0, "kg", None, None), "5 kg"),
        (("1999", 1999.0, None, 19990101, 19991231), "1999"),
        (("3 May 1999", None, None, 19990503, 19990503), date(1999, 5, 3)),
        (("1999-05-03T10:00", None, None, 19990503, 19990503), "1999-05-03T10:00"),
        (("text", None, None, None, None), "text"),
    ],
)
def test_typed_values(
    row: tuple[str, float | None, str | None, int | None, int | None], value: object
) -> None:
    assert convert_value(*row) == value
